"""Claims of Welzl beyond CADPC itself: CAPC, a target that changes, classes of traffic, XCP beside TCP."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from figures.cadpc.capc import CAPC, CAPC_SWITCH, CHANGING
from figures.cadpc.networks import (
    BUFFER,
    CAPACITY,
    JITTER,
    MIDDLE,
    PACKET,
    PATH,
    ROUND_TRIP,
    bare_dumbbell,
    with_web,
)  # fmt: skip
from figures.cadpc.runs import NEGLIGIBLE, each, exactly, percent, scale, words
from figures.cadpc.two_queues import CLASSES, XCP_BESIDE_TCP
from figures.claims import Context, Finding, judged
from figures.rule import Difference, Estimate, Quantity, Statement, Together, mean
from longfat import fluid
from longfat.sim import Network, queues
from longfat.sim.network import traffic
from longfat.sim.runs.results import jain_index

WEB, CALLS = 0.3, 0.3  # loads of web-like traffic and of short calls, in capacities
CALL = 10_000  # bytes
BULK_SHARE = 0.7  # weight of the class of bulk transfers
ALMOST_PERFECT = 0.99  # Jain's index, as in `figures.cadpc.claims`
ROOM = 100  # packets of each queue; ours, a quarter of the bandwidth-delay product
MIXES = ((3, 10), (5, 5), (10, 3))  # flows of XCP and of TCP


def flows(net: Network, scheme: Any, name: str, count: int, **parameters: float) -> Network:
    """Add flows of a scheme over all three links."""
    return net.flow(scheme, path=PATH, name=name, packet=PACKET, count=count, send_jitter=JITTER, parameters=parameters)


def capc(context: Context) -> Finding:
    """Assess section II.B: CAPC's traffic approaches the target rate, with equal rates; its interval is a round trip.

    The same rule without packets is `longfat.fluid.systems.capc`.
    """
    parts, text = [], []
    switch = CAPC_SWITCH(interval=ROUND_TRIP)
    for n in (2, 10, 50):
        seen = each(context, flows(bare_dumbbell(switch), CAPC, "flow", n), 240, warm_up=120)
        total = mean([float(one.goodput.sum()) / CAPACITY for one in seen])
        equal = mean([float(one.goodput.max() / one.goodput.min()) for one in seen])
        course = fluid.integrate(fluid.systems.capc(n), 800, {"share": 0.01}, delay=1)
        parts += [Quantity(exactly("target rate", 0.9), total), Quantity(exactly("target rate", 1.0), equal)]
        text.append(f"{n} flows: {words(total)} of the capacity, largest over smallest rate {words(equal)}, without "
                    f"packets {n * float(course.share[-1]):.3f}")  # fmt: skip
    return judged(
        Together(tuple(parts)), f"target of 0.9; {'; '.join(text)}", "traffic or rates are others",
        scale=scale(context, 240),
    )  # fmt: skip


def beside_web(scheme: Any, load: float) -> Network:
    """Return ten flows of a scheme, with web-like traffic as in `figures.cadpc.networks.dumbbell`."""
    return with_web(flows(bare_dumbbell(), scheme, "flow", 10), load)


def changing_target(context: Context) -> Finding:
    """Assess section III: a target that follows the changes of the traffic shortens the queue where these are large.

    Without background traffic the target should stay near the capacity.
    """
    queue: dict[tuple[str, float], np.ndarray] = {}
    total: dict[tuple[str, float], np.ndarray] = {}
    for name, scheme in (("fixed", "cadpc"), ("changing", CHANGING)):
        for load in (0.0, WEB):
            seen = each(context, beside_web(scheme, load), 240, warm_up=120)
            queue[name, load] = np.array([float(one.mean_queue.sel(link=MIDDLE)) for one in seen])
            total[name, load] = np.array([float(one.goodput[:10].sum()) / CAPACITY for one in seen])
    alone = mean(total["changing", 0.0])
    return judged(
        Together((
            Difference((mean(queue["fixed", WEB] - queue["changing", WEB]),)),
            Statement(alone.low > 0.95 * 10 / 11, "without background at least 95 % of 10/11"),
        )),
        f"two standard deviations of the reported load kept free: mean queue beside a web-like load of {WEB:g} "
        f"{words(mean(queue['changing', WEB]), 1)} packets, with the capacity as the target "
        f"{words(mean(queue['fixed', WEB]), 1)}; the flows use {words(mean(total['changing', WEB]))} and "
        f"{words(mean(total['fixed', WEB]))} of the capacity; without background {words(alone)} and "
        f"{words(mean(total['fixed', 0.0]))}",
        "the queue is not shorter", scale=scale(context, 240),
    )  # fmt: skip


@functools.cache
def _calls(context: Context, apart: bool) -> list[dict[str, float]]:
    """Return the response time of short calls [s] and loss and use of the bulk transfers beside them, of each run."""
    discipline = CLASSES(flows=10, weight=BULK_SHARE, room=BUFFER) if apart else "fifo"
    net = flows(bare_dumbbell(discipline, buffer=2 * BUFFER), "cadpc", "bulk", 10)
    net.flow(traffic.arrivals(CALLS * CAPACITY / CALL, "sack"), path=PATH, name="call", packet=PACKET, file=CALL)
    found = []
    for one in each(context, net, 240, warm_up=80):
        bulk = one.isel(flow=slice(0, 10))
        found.append({
            "time": float(one.transfer_time.sel(flow="call")), "call_loss": float(one.loss.sel(flow="call")),
            "loss": float(bulk.dropped.sum() / bulk.sent.sum()),
            "use": float(bulk.goodput.sum()) / CAPACITY / (1.0 - CALLS),
            "jain": float(jain_index(bulk.goodput.values)),
        })  # fmt: skip
    return found


def classes(context: Context) -> Finding:
    """Assess section IV.B: in a class of their own, bulk transfers are not disturbed by short calls beside them.

    They use 10/11 of what the calls leave, as the law says, with equal rates and negligible losses.
    """
    runs = {"classes": _calls(context, True), "one queue": _calls(context, False)}
    use, jain, loss, time, lost = (
        {name: mean([one[what] for one in found]) for name, found in runs.items()}
        for what in ("use", "jain", "loss", "time", "call_loss")
    )
    return judged(
        Together((
            Quantity(exactly("10/11", 10 / 11), use["classes"], others={"one queue": use["one queue"]}),
            Statement(jain["classes"].low > ALMOST_PERFECT and loss["classes"].high < NEGLIGIBLE,
                      f"Jain's index of at least {ALMOST_PERFECT}, loss below {percent(NEGLIGIBLE)}"),
        )),
        f"ten bulk transfers with a weight of {BULK_SHARE:g} beside short calls of {CALL / 1e3:g} kB, a load of "
        f"{CALLS:g}: " + "; ".join(
            f"in {name} they use {words(use[name])} of what the calls leave, and lose {percent(loss[name].value, 3)}; "
            f"Jain's index {words(jain[name])}; a call takes {words(time[name].times(1e3), 0)} ms and loses "
            f"{percent(lost[name].value, 3)}"
            for name in runs
        ),
        "the calls disturb them", scale=scale(context, 240),
    )  # fmt: skip


@functools.cache
def _beside_tcp(context: Context, xcp: int, tcp: int, router: str) -> Estimate:
    """Return the goodput of a flow of XCP over that of a flow of TCP, with a kind of router."""
    given = {"flows": xcp, "weight": 0.5, "room": ROOM}
    discipline = {
        "two queues": XCP_BESIDE_TCP(**given), "two queues of equal weight": XCP_BESIDE_TCP(**given, fixed=1.0),
        "one queue": queues.xcp(),
    }[router]  # fmt: skip
    net = bare_dumbbell(discipline, buffer=2 * ROOM)
    flows(flows(net, "xcp", "xcp", xcp), "sack", "tcp", tcp)
    seen = each(context, net, 400, warm_up=200)
    return mean([float(one.goodput[:xcp].mean() / one.goodput[xcp:].mean()) for one in seen])


def xcp_beside_tcp(context: Context) -> Finding:
    """Assess section V: two queues in routers separate XCP from TCP, so that both get equal rates."""
    others = ("two queues of equal weight", "one queue")
    parts, text = [], []
    for xcp, tcp in MIXES:
        ours = _beside_tcp(context, xcp, tcp, "two queues")
        beside = {router: _beside_tcp(context, xcp, tcp, router) for router in others}
        parts.append(Quantity(exactly("TCP-friendliness", 1.0), ours, others=beside))
        text.append(f"{xcp} of XCP and {tcp} of TCP: {words(ours)}, with "
                    + ", ".join(f"{router} {words(one)}" for router, one in beside.items()))  # fmt: skip
    return judged(
        Together(tuple(parts)), f"goodput of a flow of XCP over that of TCP, {'; '.join(text)}",
        "the method makes mean windows equal, not rates, and TCP's round trips have its queue in them, the longer the "
        "less of the link it has", scale=scale(context, 400),
    )  # fmt: skip

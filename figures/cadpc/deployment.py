"""Welzl's claims about noise, smaller targets, weights over several links, and routers without the protocol."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from figures.cadpc import runs
from figures.cadpc.measured import (
    ALMOST_PERFECT,
    MANY,
    NEGLIGIBLE,
    exactly,
)
from figures.cadpc.runs import at, each, estimate, late, percent, scale, words
from figures.cadpc.scenarios import BUFFER, CAPACITY, JITTER, LINK_DELAY, MBIT, PACKET, TCP
from figures.claims import Assessment, Context, Finding, judged
from figures.rule import Difference, Estimate, Quantity, Statement, Together
from longfat.laws.cadpc import network_equilibrium
from longfat.sim import Network

NOISE = 0.01  # loss probability of every packet at the bottleneck
SMALLER = 0.8  # target over the capacity
#: First and last of three links of each flow, and its weight: three flows cross all links.
WEIGHTED = ((0, 2, 1.0), (0, 2, 2.0), (0, 2, 4.0), (0, 0, 3.0), (1, 1, 8.0), (2, 2, 5.0))


def noise(context: Context) -> Finding:
    """Assess section I: with 1 % of all packets lost at random ten flows still reach n/(n + 1), and equal rates."""
    seen = {label: late(context, label, 10, loss=NOISE) for label in ("CADPC", *TCP)}
    total = {label: estimate(one["throughput"]) for label, one in seen.items()}
    ours, jain = total.pop("CADPC"), estimate(seen["CADPC"]["jain_index"])
    return judged(
        Together((Quantity(exactly("do not hinder", 10 / 11), ours, others=total),
                  Statement(jain.low > ALMOST_PERFECT, f"Jain's index of at least {ALMOST_PERFECT}"))),
        f"{percent(NOISE)} of all packets lost at random: {words(ours)} of the capacity, without losses 10/11 = 0.909; "
        f"Jain's index {words(jain)}; TCP's flavours "
        + ", ".join(f"{label} {words(one)}" for label, one in total.items()),
        scale=scale(context),
    )  # fmt: skip


def smaller_target(context: Context) -> Finding:
    """Assess section III: at every bottleneck of figure 3 the queue is shorter with a target of 0.8."""
    differences, text = [], []
    for mbit in runs.bottlenecks(context):
        full, reduced = (
            at(context, "CADPC", MANY, mbit * MBIT, warm_up=80.0, parameters=(("target", target),))["mean_queue"]
            for target in (1.0, SMALLER)
        )
        differences.append(runs.difference(full, reduced))
        text.append(f"{mbit:g} Mbit/s: {full.mean():.2f} and {reduced.mean():.2f}")
    return judged(
        Difference(tuple(differences)),
        f"mean queue in the second half, with targets of 1 and {SMALLER:g}: {', '.join(text)} packets",
        "the queue is not shorter everywhere", scale=scale(context),
    )  # fmt: skip


def three_links() -> Network:
    """Return three bottlenecks in a row with the flows of `WEIGHTED`."""
    net, nodes = Network(), "abcd"
    for tail, head in pairwise(nodes):
        net.link(tail, head, rate=CAPACITY, delay=LINK_DELAY, buffer=BUFFER)
        net.link(head, tail, rate=CAPACITY, delay=LINK_DELAY)
    for k, (first, last, weight) in enumerate(WEIGHTED):
        net.flow("cadpc", path=list(nodes[first : last + 2]), name=f"flow-{k + 1}", packet=PACKET, send_jitter=JITTER,
                 parameters={"weight": weight})  # fmt: skip
    return net


def calculated(context: Context) -> Finding:
    """Assess section IV.B: the rates of flows of several weights are those that can be calculated in advance."""
    routes = [[float(first <= link <= last) for first, last, _ in WEIGHTED] for link in range(3)]
    law = network_equilibrium(routes, 1.0, [weight for *_, weight in WEIGHTED])
    seen = np.array([one.goodput.values / CAPACITY for one in each(context, three_links(), 400, warm_up=200)])
    ours = [estimate(one) for one in seen.T]
    return judged(
        Together(tuple(Quantity(exactly("calculated in advance", float(value)), one)
                       for value, one in zip(law, ours, strict=True))),
        "weights over three links: " + ", ".join(
            f"{weight:g} on {'all' if last > first else first + 1}: {words(one, 4)}"
            for (first, last, weight), one in zip(WEIGHTED, ours, strict=True)
        ) + " of the capacity; by the law " + ", ".join(f"{value:.4f}" for value in law),
        scale=scale(context, 400),
    )  # fmt: skip


def hidden_bottleneck(answers: bool | str) -> Network:
    """Return three links for ten flows, the second with half the rate, of which one router tells or none.

    Parameters
    ----------
    answers : bool or {"incoming"}
        Whether the router in front of the second link tells of it, or that behind it.
    """
    net, nodes = Network(), "abcd"
    for k, (tail, head) in enumerate(pairwise(nodes)):
        rate = CAPACITY if k == 1 else 2 * CAPACITY
        net.link(tail, head, rate=rate, delay=LINK_DELAY, buffer=BUFFER, stamps=answers if k == 1 else True)
        net.link(head, tail, rate=rate, delay=LINK_DELAY)
    return net.flow("cadpc", path=list(nodes), name="flow", packet=PACKET, count=10, send_jitter=JITTER)


def incoming(context: Context) -> Finding:
    """Assess section IV.A: behind a router without the protocol ten flows reach the same total, and lose nothing."""

    def observed(answers: bool | str) -> tuple[Estimate, Estimate]:
        found: Any = each(context, hidden_bottleneck(answers), 160, warm_up=80)
        total = estimate([float(one.goodput.sum()) / CAPACITY for one in found])
        return total, estimate([float(one.dropped.sum() / one.sent.sum()) for one in found])

    (total, loss), (other, lost) = observed("incoming"), observed(False)
    return judged(
        Together((Quantity(exactly("compensates", 10 / 11), total, others={"nobody tells": other}),
                  Statement(loss.high < NEGLIGIBLE and lost.low > NEGLIGIBLE,
                            f"loss below {percent(NEGLIGIBLE)}, and above it if nobody tells of the link"))),
        f"the router behind tells of the bottleneck: {words(total)} of its capacity, loss {percent(loss.value, 2)}; "
        f"nobody does: {words(other)}, loss {percent(lost.value)}", scale=scale(context),
    )  # fmt: skip


ASSESSMENTS: dict[str, Assessment] = {
    "losses by link noise do not hinder the convergence": noise,
    "a smaller target rate corrects the constant queue": smaller_target,
    "the converged rates of weighted flows can be calculated in advance": calculated,
    "the incoming interface compensates for a single router without the protocol": incoming,
}

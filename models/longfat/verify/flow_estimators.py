"""Simulations that check laws of flows on a path: sawtooth, rate at a given loss, unloaded transfer, CADPC's rates.

Only the start times of `parallel_share` are random; the other simulators take a seed but draw no number.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from longfat.base.domains import out_of_range
from longfat.sim import Discipline, Network, Parameter, Scheme, Simulation
from longfat.sim.kernel import records
from longfat.sim.queues import DROP, ENQUEUE
from longfat.verify.measured_runs import PACKET, Result, measured, packets_sent

BANDWIDTH_DELAY_PRODUCT = 500  # packets of 1000 bytes in a round trip of 0.1 s
ROUND_TRIP = 0.1  # s
BITS = 4000  # packet size of a transfer without other traffic
CAPACITY = 1.25e6  # bytes/s, of CADPC's links


def periodic(link, packet, now):  # type: ignore[no-untyped-def]
    """Drop data packet number ``first``, counted from 1, and every ``interval``-th data packet after it."""
    if packet.kind == records.DATA:
        link.passed += 1
        if link.passed >= link.first and (link.passed - link.first) % link.interval == 0:
            return DROP
    return ENQUEUE


PERIODIC = Discipline(
    "periodic",
    enqueue=periodic,
    parameters={
        "first": Parameter(None, "packets", "[1, inf)", about="number of the first packet that is lost"),
        "interval": Parameter(1e18, "packets", "[1, inf)", about="packets between two losses"),
    },
    state={"passed": 0},
)


def fast_path(scheme: str | Scheme, round_trip_time: float, parameters: dict[str, float], **link: Any) -> Network:
    """Return a network of one flow over a link, by default with zero transmission time and an unlimited buffer."""
    half = round_trip_time / 2
    net = Network().link("a", "b", **{"rate": math.inf, "delay": half, **link})
    net.link("b", "a", rate=math.inf, delay=half)
    return net.flow(scheme, path=["a", "b"], packet=PACKET, parameters=parameters)


def drop_tail(
    scheme: str | Scheme, quantity: str, bdp: float, round_trip_time: float, buffer: float, start: float, end: float,
    parameters: dict[str, float], rng: Any,
) -> Result:  # fmt: skip
    """Simulate one flow at a drop-tail link; return its "utilisation" or "mean_queue" [BDP], and the packets sent."""
    rate = bdp * PACKET / round_trip_time
    net = Network().link("a", "b", rate=rate, delay=round_trip_time / 2, buffer=round(buffer * bdp))
    net.flow(scheme, path=["a", "b"], packet=PACKET, ack_path="ideal", parameters=parameters)
    data, sent = measured(net, start, end, rng)
    return float(data[quantity][0]) / (bdp if quantity == "mean_queue" else 1), sent


def sawtooth(rng: Any, quantity: str = "utilisation", *, buffer: float, decrease: float = 0.5) -> Result:
    """Estimate "utilisation" or "mean_queue" [BDP] by simulating one flow with a sawtooth window.

    The flow uses SACK if a loss halves the window (``decrease`` = 0.5), otherwise GAIMD.
    """
    bdp = BANDWIDTH_DELAY_PRODUCT
    top = bdp * (1 + buffer)
    low = decrease * top
    # The window grows by one packet per round trip. If the window exceeds the BDP, a round trip takes window/capacity.
    # `rounds` is the duration of a sawtooth in round trips without queueing.
    rounds = max(bdp - low, 0) + (top**2 - max(low, bdp) ** 2) / (2 * bdp)
    parameters: dict[str, float] = {"initial_ssthresh": (low + top) / 2}
    if decrease != 0.5:
        parameters |= {"alpha": 1.0, "beta": decrease}
    name = "sack" if decrease == 0.5 else "gaimd-window"
    period = rounds * ROUND_TRIP
    return drop_tail(name, quantity, bdp, ROUND_TRIP, buffer, 2 * period, 5 * period, parameters, rng)


def rate_at_loss(
    rng: Any, scheme: str, *, loss: float, round_trip_time: float, acked: float = 1.0, increase: float = 1.0,
    decrease: float = 0.5,
) -> Result:  # fmt: skip
    """Estimate a scheme's rate [packets/s] over 60 losses, if every 1/loss-th packet is lost and no queue forms.

    ``increase`` and ``decrease`` are parameters of GAIMD.

    >>> value, _ = rate_at_loss(1, "sack", loss=1e-3, round_trip_time=0.1)
    >>> 300 < value < 450
    True
    """
    if acked != 1:
        raise out_of_range("acked", acked, "packets", "1, because the simulator acknowledges every packet")
    interval = round(1 / loss)
    parameters = {"alpha": increase, "beta": decrease} if scheme.startswith("gaimd") else {}
    net = fast_path(scheme, round_trip_time, parameters, discipline=PERIODIC(first=interval, interval=interval))
    cycle = math.sqrt((1 - decrease) / ((1 + decrease) * increase) * 2 / loss) * round_trip_time
    data, sent = measured(net, 25 * cycle, 25 * cycle + 60 * cycle, rng)
    return float(data["sent"][0]) / (60 * cycle), sent


def file_alone(
    rng: Any, scheme: str, discipline: str = "fifo", *, packets: float, round_trip_time: float, access_time: float,
    bottleneck_time: float, last_time: float = 0.0, initial_window: float = 1.0,
) -> Result:  # fmt: skip
    """Estimate the transfer time of a file [s] over three links without other traffic.

    >>> value, _ = file_alone(1, "reno", packets=1, round_trip_time=0.03, access_time=2e-5, bottleneck_time=1e-4)
    >>> round(value, 9)
    0.03012
    """
    link_delay = round_trip_time / 6
    last = math.inf if last_time == 0 else BITS / 8 / last_time
    net = Network().link("source", "S1", rate=math.inf, delay=link_delay)
    net.link("S1", "S2", rate=BITS / 8 / bottleneck_time, delay=link_delay, buffer=10**6, discipline=discipline)
    net.link("S2", "destination", rate=last, delay=link_delay)
    parameters = {} if initial_window == 1 else {"initial_window": initial_window}
    net.flow(
        scheme, path=["source", "S1", "S2", "destination"], packet=BITS // 8, file=BITS // 8 * int(packets),
        access_rate=BITS / 8 / access_time, ack_path="ideal", parameters=parameters,
    )  # fmt: skip
    simulation = Simulation(net, rng=rng)
    simulation.advance(600.0)
    return int(simulation.state.flows[0]["finish"]) / 1e9, packets_sent(simulation)


def one_at_a_time(link, packet, now):  # type: ignore[no-untyped-def]
    """Drop a data packet that finds a backlog above ``room``, unless a packet was dropped in the last ``pause`` [s]."""
    if packet.kind == records.DATA and link.backlog > link.room and now >= link.next_loss:
        link.next_loss = now + link.pause
        return DROP
    return ENQUEUE


ONE_AT_A_TIME = Discipline(
    "one-at-a-time",
    enqueue=one_at_a_time,
    parameters={
        "room": Parameter(4, "packets", "[0, inf)", about="largest backlog that drops no packet"),
        "pause": Parameter(None, "s", "[0, inf)", about="time without a drop after each drop"),
    },
    state={"next_loss": 0.0},
)


def parallel_utilisation(rng: Any, *, flows: float, decrease: float = 0.5) -> Result:
    """Estimate the utilisation of a link with a very small buffer by GAIMD flows; one flow at a time loses a packet.

    Every window grows by one packet per round trip; the bandwidth-delay product is so large that losses are 25 round
    trips apart on average. The first windows are spread evenly from the smallest to the largest, so that the
    flows lose packets in turn from the start; random windows gave the same mean result, but would need replications.
    The measured time has 12 losses, which is our choice: with 8, the result for three flows and a
    ``decrease`` near 0.5 was up to 0.025 above the law; with 12, results were at most 0.018 above it, at 172 points
    with 2 to 5 flows.
    """
    count, losses, rounds = int(flows), 12, 25
    bdp = max(600, round(rounds * count * count / (1 - decrease)))
    period = rounds * ROUND_TRIP
    net = Network().link(
        "a", "b", rate=bdp * PACKET / ROUND_TRIP, delay=ROUND_TRIP / 2, buffer=bdp,
        discipline=ONE_AT_A_TIME(pause=2 * ROUND_TRIP),
    )  # fmt: skip
    for k in range(count):
        spread = (k + 0.5) / count
        known = {"initial_interval": ROUND_TRIP * count / bdp / (decrease + (1 - decrease) * spread)}
        net.flow(
            "gaimd", path=["a", "b"], packet=PACKET, ack_path="ideal", start=spread * ROUND_TRIP,
            parameters=known | {"alpha": 1.0, "beta": decrease},
        )  # fmt: skip
    # A window that grows by one packet per round trip from a small size reaches the fraction 1/`count` of the
    # bandwidth-delay product after the time `climb`. The warm-up must last at least as long. The interval between
    # losses of one flow is (1 - decrease) times `climb`; losses of all flows together are `count` times as frequent.
    climb = bdp / count * ROUND_TRIP
    period = max(period, (1 - decrease) * climb / count)
    begin = max(losses / 3 * period, climb)
    data, sent = measured(net, begin, begin + losses * period, rng)
    return float(data["utilisation"][0]), sent


def parallel_share(rng: Any, *, flows: float, others: float) -> Result:
    """Estimate the fraction of a link's goodput that ``flows`` SACK flows have beside ``others`` that start later.

    A flow's share of the bandwidth-delay product is 10 packets, which is our choice: with 20 packets the mean results
    are the same, and with as many losses so are their deviations, but four times as many packets are sent.
    """
    count, further, share = int(flows), int(others), 10
    bdp = share * (count + further)
    period = share * ROUND_TRIP
    net = Network().link("a", "b", rate=bdp * PACKET / ROUND_TRIP, delay=ROUND_TRIP / 2, buffer=bdp // 2)
    random = np.random.default_rng(rng)
    for k in range(count + further):
        # Without pacing, the link would drop packets of the same flows each time, and loss probabilities would be
        # unequal (Floyd and Jacobson, On Traffic Phase Effects in Packet-Switched Gateways, 1992).
        net.flow(
            "sack", path=["a", "b"], packet=PACKET, ack_path="ideal", parameters={"pacing": 1.0},
            start=random.uniform(0, ROUND_TRIP) + (k >= count) * 2 * period,
        )  # fmt: skip
    data, sent = measured(net, 10 * period, 50 * period, rng)
    return float(data["goodput"][:count].sum() / data["goodput"].sum()), sent


def _cadpc_links(*nodes: str) -> Network:
    """Return a network of links in series, with fast reverse links for acknowledgments."""
    net = Network()
    for tail, head in itertools.pairwise(nodes):
        net.link(tail, head, rate=CAPACITY, delay=0.05, buffer=50)
        net.link(head, tail, rate=100 * CAPACITY, delay=0.05)
    return net


def cadpc_share(
    rng: Any, which: int = 0, *, flows: float = 1.0, weight: float | None = None, total_weight: float = 0.0
) -> Result:
    """Estimate rate/capacity [1] of CADPC flow number ``which``, or of all flows together if ``which`` is -1.

    The rate is measured from 40 s on, over 8 s. The rate is then constant, so a longer measurement would give the same
    result.

    If ``weight`` is given, the flow has this weight, and one other flow has the weight ``total_weight`` - ``weight``.

    >>> value, _ = cadpc_share(1, flows=1)
    >>> 0.45 < value < 0.55
    True
    """
    net = _cadpc_links("a", "b")
    if weight is None:
        net.flow("cadpc", path=["a", "b"], count=int(flows), packet=PACKET)
    else:
        net.flow("cadpc", path=["a", "b"], parameters={"weight": weight}, packet=PACKET)
        if total_weight > weight:
            net.flow("cadpc", path=["a", "b"], parameters={"weight": total_weight - weight}, packet=PACKET)
    data, sent = measured(net, 40.0, 48.0, rng)
    return float(data["throughput"][0] if which < 0 else data["goodput"][which]) / CAPACITY, sent


def parking_lot(
    rng: Any, long: bool, *, first: float = 1, second: float = 1, own: float | None = None, other: float = 1
) -> Result:
    """Estimate rate/capacity [1] of a CADPC flow in a network of two links in series.

    With ``long`` the flow crosses both links, otherwise only the second link.
    """
    if own is not None:
        first, second = other, own
    net = _cadpc_links("a", "b", "c").flow("cadpc", path=["a", "b", "c"], packet=PACKET)
    net.flow("cadpc", path=["a", "b"], count=int(first), packet=PACKET)
    net.flow("cadpc", path=["b", "c"], count=int(second), packet=PACKET)
    data, sent = measured(net, 75.0, 90.0, rng)
    return float(data["goodput"][0 if long else 1 + int(first)]) / CAPACITY, sent

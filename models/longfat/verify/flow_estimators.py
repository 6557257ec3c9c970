"""Flows on a path as estimators: window sawtooth, rate at a given loss, an unloaded transfer, CADPC's equilibrium.

Only CADPC's send times are random in these runs, so the interval is the value itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from longfat.domains import out_of_range
from longfat.sim import Discipline, Network, Parameter, Simulation, records, run
from longfat.sim.queues import DROP, ENQUEUE

BANDWIDTH_DELAY_PRODUCT = 500  # packets of 1000 bytes in a round trip of 0.1 s
PACKET = 1000  # bytes
ROUND_TRIP = 0.1  # s
BITS = 4000  # packet size of an unloaded transfer

Estimate = tuple[float, float, float]


def exactly(value: float) -> Estimate:
    """Return an estimate without randomness: value, lower and upper limit are equal."""
    return value, value, value


def every_nth(link, packet, now):  # type: ignore[no-untyped-def]
    """Drop one data packet in every ``interval``."""
    if packet.kind == records.DATA:
        link.passed += 1
        if link.passed >= link.interval:
            link.passed = 0
            return DROP
    return ENQUEUE


EVERY_NTH = Discipline(
    "every-nth",
    enqueue=every_nth,
    parameters={"interval": Parameter(None, "packets", "[1, inf)", about="packets between two losses")},
    state={"passed": 0},
)


def sawtooth(scheme: str = "sack", periods: int = 6, quantity: str = "utilisation") -> Callable[..., Estimate]:
    """Return an estimator of a link with one flow and its sawtooth window: ``utilisation``, or ``mean_queue`` [BDP].

    It takes ``buffer``, ``decrease`` and ``confidence``; a ``decrease`` other than 1/2 selects GAIMD.

    >>> value, _, _ = sawtooth(periods=2)(buffer=1.0, confidence=0.9)
    >>> round(value, 2)
    1.0
    """

    def estimate(*, buffer: float, decrease: float = 0.5, confidence: float) -> Estimate:
        top = BANDWIDTH_DELAY_PRODUCT * (1 + buffer)
        low = decrease * top
        # The window grows by a packet a round trip, which lasts window/capacity beyond the bandwidth-delay product.
        rounds = max(BANDWIDTH_DELAY_PRODUCT - low, 0) + (top**2 - max(low, BANDWIDTH_DELAY_PRODUCT) ** 2) / (
            2 * BANDWIDTH_DELAY_PRODUCT
        )
        parameters: dict[str, float] = {"initial_ssthresh": (low + top) / 2}
        if decrease != 0.5:
            parameters |= {"alpha": 1.0, "beta": decrease}
        net = Network().link(
            "a",
            "b",
            rate=BANDWIDTH_DELAY_PRODUCT * PACKET / ROUND_TRIP,
            delay=ROUND_TRIP / 2,
            buffer=round(buffer * BANDWIDTH_DELAY_PRODUCT),
        )
        name = scheme if decrease == 0.5 else "gaimd-window"
        net.flow(name, path=["a", "b"], packet=PACKET, ack_path="ideal", parameters=parameters)
        period = rounds * ROUND_TRIP
        data = run(net, duration=(2 + periods) * period, warm_up=2 * period, rng=1, progress=False)
        return exactly(float(data[quantity][0]) / (BANDWIDTH_DELAY_PRODUCT if quantity == "mean_queue" else 1))

    return estimate


def rate_at_loss(scheme: str = "sack", losses: int = 60) -> Callable[..., Estimate]:
    """Return an estimator of a scheme's rate [packets/s] where one packet in every 1/loss is lost and no queue forms.

    It takes ``loss``, ``round_trip_time``, ``acked`` (1), and for GAIMD ``increase`` and ``decrease``.

    >>> value, _, _ = rate_at_loss(losses=10)(loss=1e-3, round_trip_time=0.1, confidence=0.9)
    >>> 300 < value < 450
    True
    """

    def estimate(
        *, loss: float, round_trip_time: float, acked: float = 1.0, increase: float = 1.0, decrease: float = 0.5,
        confidence: float,
    ) -> Estimate:  # fmt: skip
        if acked != 1:
            raise out_of_range("acked", acked, "packets", "1: every packet is acknowledged here")
        lossy = EVERY_NTH(interval=round(1 / loss))
        net = Network().link("a", "b", rate=math.inf, delay=round_trip_time / 2, discipline=lossy)
        net.link("b", "a", rate=math.inf, delay=round_trip_time / 2)
        parameters = {"alpha": increase, "beta": decrease} if scheme.startswith("gaimd") else {}
        net.flow(scheme, path=["a", "b"], packet=PACKET, parameters=parameters)
        cycle = math.sqrt((1 - decrease) / ((1 + decrease) * increase) * 2 / loss) * round_trip_time
        simulation = Simulation(net, rng=1)
        start = (losses // 3 + 5) * cycle
        simulation.advance(start)
        before = int(simulation.state.flows[0].sent)
        simulation.advance(start + losses * cycle)
        return exactly((int(simulation.state.flows[0].sent) - before) / (losses * cycle))

    return estimate


def file_alone(scheme: str, discipline: str = "fifo", buffer: int = 10**6) -> Callable[..., Estimate]:
    """Return an estimator of the transfer time of a file [s] over three links without other traffic.

    >>> value, _, _ = file_alone("reno")(
    ...     packets=1, round_trip_time=0.03, access_time=2e-5, bottleneck_time=1e-4, confidence=0.9)
    >>> round(value, 9)
    0.03012
    """

    def estimate(
        *, packets: float, round_trip_time: float, access_time: float, bottleneck_time: float, last_time: float = 0.0,
        initial_window: float = 1.0, confidence: float,
    ) -> Estimate:  # fmt: skip
        link_delay = round_trip_time / 6
        last = math.inf if last_time == 0 else BITS / 8 / last_time
        net = Network().link("source", "S1", rate=math.inf, delay=link_delay)
        net.link("S1", "S2", rate=BITS / 8 / bottleneck_time, delay=link_delay, buffer=buffer, discipline=discipline)
        net.link("S2", "destination", rate=last, delay=link_delay)
        parameters = {} if initial_window == 1 else {"initial_window": initial_window}
        net.flow(scheme, path=["source", "S1", "S2", "destination"], packet=BITS // 8, file=BITS // 8 * int(packets),
                 access_rate=BITS / 8 / access_time, ack_path="ideal", parameters=parameters)  # fmt: skip
        simulation = Simulation(net, rng=1)
        simulation.advance(600.0)
        return exactly(int(simulation.state.flows[0]["finish"]) / 1e9)

    return estimate


CAPACITY = 1.25e6  # bytes/s


def cadpc_share(which: int = 0, duration: float = 160.0) -> Callable[..., Estimate]:
    """Return an estimator of CADPC's equilibrium rate [capacities] of one flow, or of all with ``which=-1``.

    It takes ``flows``, or ``weight`` and ``total_weight``, in which case one other flow has the remaining weight.

    >>> value, _, _ = cadpc_share(duration=40.0)(flows=1, confidence=0.9)
    >>> 0.45 < value < 0.55
    True
    """

    def estimate(
        *, flows: float = 1.0, weight: float | None = None, total_weight: float = 0.0, confidence: float
    ) -> Estimate:
        net = Network().link("a", "b", rate=CAPACITY, delay=0.05, buffer=50)
        net.link("b", "a", rate=100 * CAPACITY, delay=0.05)
        common: dict[str, Any] = {"path": ["a", "b"], "packet": PACKET, "send_jitter": 0.0008}
        if weight is None:
            net.flow("cadpc", count=int(flows), **common)
        else:
            net.flow("cadpc", parameters={"weight": weight}, **common)
            if total_weight > weight:
                net.flow("cadpc", parameters={"weight": total_weight - weight}, **common)
        data = run(net, duration=duration, warm_up=duration / 2, rng=1, progress=False)
        if which < 0:
            return exactly(float(data.throughput[0]) / CAPACITY)
        return exactly(float(data.goodput[which]) / CAPACITY)

    return estimate


def parking_lot(long: bool, duration: float = 300.0) -> Callable[..., Estimate]:
    """Return an estimator of CADPC's rates over two links in a row [capacities].

    With ``long`` it is the rate of the flow over both links, otherwise that of a flow over the second link.

    >>> value, _, _ = parking_lot(True, duration=100.0)(first=2, second=1, confidence=0.9)
    >>> 0.2 < value < 0.3
    True
    """

    def estimate(
        *, first: float = 1, second: float = 1, own: float | None = None, other: float = 1, confidence: float
    ) -> Estimate:
        if own is not None:
            first, second = other, own
        net = Network()
        for tail, head in (("a", "b"), ("b", "c")):
            net.link(tail, head, rate=CAPACITY, delay=0.05, buffer=50)
            net.link(head, tail, rate=100 * CAPACITY, delay=0.05)
        common: dict[str, Any] = {"packet": PACKET, "send_jitter": 0.0008}
        net.flow("cadpc", path=["a", "b", "c"], **common)
        net.flow("cadpc", path=["a", "b"], count=int(first), **common)
        net.flow("cadpc", path=["b", "c"], count=int(second), **common)
        data = run(net, duration=duration, warm_up=duration / 2, rng=1, progress=False)
        return exactly(float(data.goodput[0 if long else 1 + int(first)]) / CAPACITY)

    return estimate

"""Flows on a path as simulators of laws: window sawtooth, rate at a given loss, unloaded transfer, CADPC's equilibrium.

Only CADPC's send times are random in these runs; the others take a seed and draw nothing.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from longfat.base.domains import out_of_range
from longfat.sim import Discipline, Network, Parameter, Simulation
from longfat.sim.kernel import records
from longfat.sim.queues import DROP, ENQUEUE
from longfat.verify.measured_runs import PACKET, Result, Simulate, measured, packets_sent

BANDWIDTH_DELAY_PRODUCT = 500  # packets of 1000 bytes in a round trip of 0.1 s
ROUND_TRIP = 0.1  # s
BITS = 4000  # packet size of an unloaded transfer


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


def sawtooth(quantity: str = "utilisation", scheme: str = "sack", periods: int = 6) -> Simulate:
    """Return a simulator of a link with one flow and its sawtooth window: ``utilisation``, or ``mean_queue`` [BDP].

    It takes ``buffer`` and ``decrease``; a ``decrease`` other than 1/2 selects GAIMD.

    >>> value, _ = sawtooth(periods=2)(1, buffer=1.0)
    >>> round(value, 2)
    1.0
    """

    def simulate(rng: Any, *, buffer: float, decrease: float = 0.5) -> Result:
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
        data, sent = measured(net, 2 * period, (2 + periods) * period, rng)
        return float(data[quantity][0]) / (BANDWIDTH_DELAY_PRODUCT if quantity == "mean_queue" else 1), sent

    return simulate


def rate_at_loss(scheme: str = "sack", losses: int = 60) -> Simulate:
    """Return a simulator of a scheme's rate [packets/s] where one packet in every 1/loss is lost and no queue forms.

    It takes ``loss``, ``round_trip_time``, ``acked`` (1), and for GAIMD ``increase`` and ``decrease``.

    >>> value, _ = rate_at_loss(losses=10)(1, loss=1e-3, round_trip_time=0.1)
    >>> 300 < value < 450
    True
    """

    def simulate(
        rng: Any, *, loss: float, round_trip_time: float, acked: float = 1.0, increase: float = 1.0,
        decrease: float = 0.5,
    ) -> Result:  # fmt: skip
        if acked != 1:
            raise out_of_range("acked", acked, "packets", "1: every packet is acknowledged here")
        lossy = EVERY_NTH(interval=round(1 / loss))
        net = Network().link("a", "b", rate=math.inf, delay=round_trip_time / 2, discipline=lossy)
        net.link("b", "a", rate=math.inf, delay=round_trip_time / 2)
        parameters = {"alpha": increase, "beta": decrease} if scheme.startswith("gaimd") else {}
        net.flow(scheme, path=["a", "b"], packet=PACKET, parameters=parameters)
        cycle = math.sqrt((1 - decrease) / ((1 + decrease) * increase) * 2 / loss) * round_trip_time
        simulation = Simulation(net, rng=rng)
        start = (losses // 3 + 5) * cycle
        simulation.advance(start)
        before = packets_sent(simulation)
        simulation.advance(start + losses * cycle)
        sent = packets_sent(simulation)
        return (sent - before) / (losses * cycle), sent

    return simulate


def file_alone(scheme: str, discipline: str = "fifo", buffer: int = 10**6) -> Simulate:
    """Return a simulator of the transfer time of a file [s] over three links without other traffic.

    >>> value, _ = file_alone("reno")(1, packets=1, round_trip_time=0.03, access_time=2e-5, bottleneck_time=1e-4)
    >>> round(value, 9)
    0.03012
    """

    def simulate(
        rng: Any, *, packets: float, round_trip_time: float, access_time: float, bottleneck_time: float,
        last_time: float = 0.0, initial_window: float = 1.0,
    ) -> Result:  # fmt: skip
        link_delay = round_trip_time / 6
        last = math.inf if last_time == 0 else BITS / 8 / last_time
        net = Network().link("source", "S1", rate=math.inf, delay=link_delay)
        net.link("S1", "S2", rate=BITS / 8 / bottleneck_time, delay=link_delay, buffer=buffer, discipline=discipline)
        net.link("S2", "destination", rate=last, delay=link_delay)
        parameters = {} if initial_window == 1 else {"initial_window": initial_window}
        net.flow(scheme, path=["source", "S1", "S2", "destination"], packet=BITS // 8, file=BITS // 8 * int(packets),
                 access_rate=BITS / 8 / access_time, ack_path="ideal", parameters=parameters)  # fmt: skip
        simulation = Simulation(net, rng=rng)
        simulation.advance(600.0)
        return int(simulation.state.flows[0]["finish"]) / 1e9, packets_sent(simulation)

    return simulate


CAPACITY = 1.25e6  # bytes/s


def cadpc_share(which: int = 0, duration: float = 80.0) -> Simulate:
    """Return a simulator of CADPC's equilibrium rate [capacities] of one flow, or of all with ``which=-1``.

    It takes ``flows``, or ``weight`` and ``total_weight``, in which case one other flow has the remaining weight. About
    half of the time is measured; its end is random, because the send times alone vary the results by too little.

    >>> value, _ = cadpc_share(duration=40.0)(1, flows=1)
    >>> 0.45 < value < 0.55
    True
    """

    def simulate(rng: Any, *, flows: float = 1.0, weight: float | None = None, total_weight: float = 0.0) -> Result:
        net = Network().link("a", "b", rate=CAPACITY, delay=0.05, buffer=50)
        net.link("b", "a", rate=100 * CAPACITY, delay=0.05)
        common: dict[str, Any] = {"path": ["a", "b"], "packet": PACKET, "send_jitter": 0.0008}
        if weight is None:
            net.flow("cadpc", count=int(flows), **common)
        else:
            net.flow("cadpc", parameters={"weight": weight}, **common)
            if total_weight > weight:
                net.flow("cadpc", parameters={"weight": total_weight - weight}, **common)
        data, sent = measured(net, duration / 2, duration * np.random.default_rng(rng).uniform(0.95, 1.05), rng)
        return float(data["throughput"][0] if which < 0 else data["goodput"][which]) / CAPACITY, sent

    return simulate


def parking_lot(long: bool, duration: float = 150.0) -> Simulate:
    """Return a simulator of CADPC's rates over two links in a row [capacities].

    With ``long`` it is the rate of the flow over both links, otherwise that of a flow over the second link.

    >>> value, _ = parking_lot(True, duration=100.0)(1, first=2, second=1)
    >>> 0.2 < value < 0.3
    True
    """

    def simulate(
        rng: Any, *, first: float = 1, second: float = 1, own: float | None = None, other: float = 1
    ) -> Result:
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
        data, sent = measured(net, duration / 2, duration * np.random.default_rng(rng).uniform(0.95, 1.05), rng)
        return float(data["goodput"][0 if long else 1 + int(first)]) / CAPACITY, sent

    return simulate

"""DCTCP, BBR and queue management on one link as estimators for `check`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from longfat.domains import out_of_range
from longfat.sim import Discipline, Network, Parameter, Simulation, queues, records, results, run, statistics, traffic
from longfat.sim.queues import ENQUEUE
from longfat.sim.seam import mark, random

PACKET = 1000  # bytes
RATE = 1e7  # bytes/s; a packet takes 0.1 ms

Estimate = tuple[float, float, float]


def exactly(value: float) -> Estimate:
    """Return an estimate without randomness: value, lower and upper limit are equal."""
    return value, value, value


def codel_drop_time() -> Callable[..., Estimate]:
    """Return an estimator of the time from CoDel's first drop to a later one [s], under traffic of twice the capacity.

    It takes ``drops`` and ``interval``. The number of drops is read in every hundredth of the interval.

    >>> value, _, _ = codel_drop_time()(drops=2, interval=0.1, confidence=0.9)
    >>> 0.170 < value < 0.173
    True
    """

    def estimate(*, drops: float, interval: float, confidence: float) -> Estimate:
        net = Network().link("a", "b", rate=RATE, delay=0.001, discipline=queues.codel(interval=interval))
        net.flow(traffic.constant(2 * RATE), path=["a", "b"], packet=PACKET)
        simulation, now, first = Simulation(net, rng=1), 0.0, 0.0
        while (seen := int(simulation.state.links[0].dropped)) <= drops:
            first = first if seen else now
            now += interval / 100
            simulation.advance(now)
        return exactly(now - first)

    return estimate


def _replicated(one: Callable[[np.random.Generator], float], runs: int, rng: Any, confidence: float) -> Estimate:
    """Return the mean of independent runs with Student's interval."""
    values = [one(stream) for stream in rng.spawn(runs)]
    mean, low, high = statistics.replications(values, confidence)
    return mean, low, high


def _bottleneck(capacity: float, round_trip_time: float, **options: Any) -> Network:
    """Return a link of `capacity` [packets/s], and a fast one for acknowledgments."""
    net = Network().link("a", "b", rate=capacity * PACKET, delay=round_trip_time / 2, **options)
    return net.link("b", "a", rate=100 * capacity * PACKET, delay=round_trip_time / 2)


def _measured(net: Network, start: float, end: float, rng: Any) -> Any:
    """Return what the run says about the time between the start and the end [s]."""
    simulation = Simulation(net, rng=rng)
    simulation.advance(start)
    before = results.snapshot(simulation)
    simulation.advance(end)
    return results.measure(simulation, before, results.snapshot(simulation))


def pie_loss(effort: float = 1.0, rng: Any = 0, runs: int = 6) -> Callable[..., Estimate]:
    """Return an estimator of PIE's drop probability for flows with selective acknowledgment.

    It takes ``flows``, ``capacity_packets``, ``round_trip_time`` and ``target``.

    >>> value, low, high = pie_loss(0.2)(
    ...     flows=10, capacity_packets=1000, round_trip_time=0.085, target=0.015, confidence=0.9)
    >>> 0.01 < low < high < 0.02
    True
    """
    generator = np.random.default_rng(rng)

    def estimate(
        *, flows: float, capacity_packets: float, round_trip_time: float, target: float, confidence: float
    ) -> Estimate:
        net = _bottleneck(capacity_packets, round_trip_time, buffer=10**6, discipline=queues.pie(target=target))
        net.flow("sack", path=["a", "b"], packet=PACKET, count=int(flows), stagger=0.11)
        end = 60 + 120 * effort

        def one(stream: np.random.Generator) -> float:
            data = _measured(net, 60.0, end, stream)
            return float(data["link_dropped"][0] / data["arrived"][0])

        return _replicated(one, runs, generator, confidence)

    return estimate


def bbr_utilisation(effort: float = 1.0, rng: Any = 0, runs: int = 2) -> Callable[..., Estimate]:
    """Return an estimator of the utilisation by one BBR flow of 2016, whose ProbeRTT has 4 packets in flight.

    It takes ``round_trip_time``, ``low_gain``, and the usual ``interval`` of 10 s and ``hold_time`` of 0.2 s.

    >>> value, _, _ = bbr_utilisation(0.2)(round_trip_time=0.05, low_gain=0.02, confidence=0.9)
    >>> 0.97 < value < 0.98
    True
    """
    generator = np.random.default_rng(rng)

    def estimate(
        *, round_trip_time: float, low_gain: float, interval: float = 10.0, hold_time: float = 0.2, confidence: float
    ) -> Estimate:
        if (interval, hold_time) != (10.0, 0.2):
            raise out_of_range("interval", interval, "s", "10, with a hold_time of 0.2, in a simulation")
        bdp = 4 / low_gain
        net = _bottleneck(bdp / round_trip_time, round_trip_time, buffer=round(8 * bdp))
        net.flow("bbr1", path=["a", "b"], packet=PACKET)
        end = 40 + 200 * effort

        def one(stream: np.random.Generator) -> float:
            return float(_measured(net, 40.0, end, stream)["utilisation"][0])

        return _replicated(one, runs, generator, confidence)

    return estimate


def bbr_queue(effort: float = 1.0, rng: Any = 0, runs: int = 4) -> Callable[..., Estimate]:
    """Return an estimator of the mean queue of three BBR flows of 2016 in a deep buffer [packets].

    It takes ``bandwidth_delay_product``, and a ``cwnd_gain`` of 2.

    >>> value, low, high = bbr_queue(0.2)(bandwidth_delay_product=400, confidence=0.9)
    >>> 300 < low < high < 500
    True
    """
    generator = np.random.default_rng(rng)

    def estimate(*, bandwidth_delay_product: float, cwnd_gain: float = 2.0, confidence: float) -> Estimate:
        if cwnd_gain != 2:
            raise out_of_range("cwnd_gain", cwnd_gain, "1", "2 in a simulation")
        net = _bottleneck(bandwidth_delay_product / 0.04, 0.04, buffer=round(8 * bandwidth_delay_product))
        net.flow("bbr1", path=["a", "b"], packet=PACKET, count=3, stagger=0.37)
        end = 40 + 100 * effort

        def one(stream: np.random.Generator) -> float:
            return float(_measured(net, 40.0, end, stream)["mean_queue"][0])

        return _replicated(one, runs, generator, confidence)

    return estimate


def dctcp_queue() -> Callable[..., Estimate]:
    """Return an estimator of the longest queue of DCTCP flows at a marking threshold [packets].

    It takes ``flows`` and ``threshold``; the bandwidth-delay product is 400 packets. The queue is sampled 20 times in a
    round trip. Each packet is acknowledged: the law is that of smooth sending, and an acknowledgment for two packets
    lets two leave at once, which makes the queue longer by up to a packet for each flow.

    >>> value, _, _ = dctcp_queue()(flows=2, threshold=80, confidence=0.9)
    >>> value
    83.0
    """

    def estimate(*, flows: float, threshold: float, confidence: float) -> Estimate:
        marking = queues.step_marking(packets=round(threshold))
        net = _bottleneck(400 / 0.02, 0.02, buffer=10**5, discipline=marking)
        net.flow("dctcp", path=["a", "b"], packet=PACKET, count=int(flows), parameters={"delayed_ack": 1.0})
        data = run(net, duration=20.0, warm_up=10.0, rng=1, sample_every=0.001, progress=False)
        return exactly(float(data["queue_trace"].sel(link="a-b", time=slice(10.0, 20.0)).max()))

    return estimate


def mark_some(link, packet, now):  # type: ignore[no-untyped-def]
    """Mark each data packet with a probability, or every 1/p-th one."""
    if packet.kind == records.DATA:
        link.passed += link.marking
        if random(link) < link.marking if link.independent else link.passed >= 1.0:
            link.passed = 0.0
            mark(link, packet)
    return ENQUEUE


MARK_SOME = Discipline(
    "mark-some",
    enqueue=mark_some,
    parameters={
        "marking": Parameter(None, "probability", "(0, 1]", about="share of the packets that are marked"),
        "independent": Parameter(0.0, "1", "{0, 1}", about="whether marks are independent"),
    },
    state={"passed": 0.0},
)


def window_at_marks(independent: bool, effort: float = 1.0, rng: Any = 0, runs: int = 4) -> Callable[..., Estimate]:
    """Return an estimator of a DCTCP flow's mean window [packets] if a given share of its packets is marked.

    It takes ``marking``; no queue forms.

    >>> value, low, high = window_at_marks(False)(marking=0.02, confidence=0.9)
    >>> 95 < value < 101
    True
    """
    generator = np.random.default_rng(rng)

    def estimate(*, marking: float, confidence: float) -> Estimate:
        marked = MARK_SOME(marking=marking, independent=float(independent))
        net = Network().link("a", "b", rate=math.inf, delay=0.05, discipline=marked)
        net.link("b", "a", rate=math.inf, delay=0.05)
        net.flow("dctcp", path=["a", "b"], packet=PACKET)
        start = 40 / marking * 0.1  # of 20 windows; alpha begins at 1
        end = start + 200 / marking * 0.1 * effort

        def one(stream: np.random.Generator) -> float:
            return float(_measured(net, start, end, stream)["goodput"][0]) / PACKET * 0.1

        return _replicated(one, runs, generator, confidence) if independent else exactly(one(generator))

    return estimate

"""Simulations that check laws of DCTCP, BBR, Copa, LEDBAT++, SSTP, credit flow control and queue management."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from longfat.base.domains import out_of_range
from longfat.sim import Discipline, Network, Parameter, Simulation, queues
from longfat.sim.kernel import records
from longfat.sim.network import traffic
from longfat.sim.plugin.functions import mark, random
from longfat.sim.queues import ENQUEUE
from longfat.sim.runs import results
from longfat.verify.flow_estimators import fast_path
from longfat.verify.measured_runs import PACKET, Result, measured, packets_sent

RATE = 1e7  # bytes/s; a packet takes 0.1 ms


def codel_drop_time(rng: Any, *, drops: float, interval: float) -> Result:
    """Estimate the time [s] in which CoDel drops ``drops`` packets after its first drop.

    Packets arrive at twice the rate of the link. The number of drops is read a hundred times per ``interval``.
    """
    net = Network().link("a", "b", rate=RATE, delay=0.001, discipline=queues.codel(interval=interval))
    net.flow(traffic.constant(2 * RATE), path=["a", "b"], packet=PACKET)
    simulation, now, first = Simulation(net, rng=rng), 0.0, 0.0
    while (seen := int(simulation.state.links[0].dropped)) <= drops:
        first = first if seen else now
        now += interval / 100
        simulation.advance(now)
    return now - first, packets_sent(simulation)


def _bottleneck(capacity: float, round_trip_time: float, **options: Any) -> Network:
    """Return a network with a link of ``capacity`` [packets/s] and a fast reverse link for acknowledgments."""
    net = Network().link("a", "b", rate=capacity * PACKET, delay=round_trip_time / 2, **options)
    return net.link("b", "a", rate=100 * capacity * PACKET, delay=round_trip_time / 2)


def pie_loss(rng: Any, *, flows: float, capacity_packets: float, round_trip_time: float, target: float) -> Result:
    """Estimate PIE's drop probability for SACK flows over 30 s, after a warm-up of 30 s."""
    net = _bottleneck(capacity_packets, round_trip_time, buffer=10**6, discipline=queues.pie(target=target))
    net.flow("sack", path=["a", "b"], packet=PACKET, count=int(flows), stagger=0.11)
    data, sent = measured(net, 30.0, 60.0, rng)
    return float(data["link_dropped"][0] / data["arrived"][0]), sent


def bbr_utilisation(
    rng: Any, *, round_trip_time: float, low_gain: float, interval: float = 10.0, hold_time: float = 0.2
) -> Result:
    """Estimate the utilisation by one flow of BBR as of 2016, which has 4 packets in flight in ProbeRTT.

    The measured time is the sum of interval, hold time and two round-trip times. It begins at 15 s, half an interval
    after the first ProbeRTT: if it began near a ProbeRTT, it might include two of them or none.
    The seed is ignored, because BBR's only random number, the phase of its gains, changes the result by less than 1e-6.
    A round-trip time equal to the minimum does not postpone ProbeRTT, as in Linux (docs/rules/bbr.md).
    """
    if (interval, hold_time) != (10.0, 0.2):
        raise out_of_range("interval", interval, "s", "10 (simulations need interval = 10, hold_time = 0.2)")
    bdp = 4 / low_gain
    # `round_trip_time` includes the transmission times of a packet and of its acknowledgment: subtract both to get the
    # propagation delay.
    net = _bottleneck(bdp / round_trip_time, round_trip_time * (1 - 1.01 / bdp), buffer=round(8 * bdp))
    net.flow("bbr1", path=["a", "b"], packet=PACKET, parameters={"equal_renews": 0})
    cycle = interval + hold_time + 2 * round_trip_time
    data, sent = measured(net, 15.0, 15.0 + cycle, 0)
    return float(data["utilisation"][0]), sent


def bbr_queue(rng: Any, *, bandwidth_delay_product: float, cwnd_gain: float = 2.0) -> Result:
    """Estimate the mean queue [packets] of three flows of BBR as of 2016 in a deep buffer, over 10 s.

    The measurement begins after 30 s, because in one run of sixteen the flows do not find the minimum round-trip time
    in their second ProbeRTT, at about 20 s.
    """
    if cwnd_gain != 2:
        raise out_of_range("cwnd_gain", cwnd_gain, "1", "2 in a simulation")
    net = _bottleneck(bandwidth_delay_product / 0.04, 0.04, buffer=round(8 * bandwidth_delay_product))
    net.flow("bbr1", path=["a", "b"], packet=PACKET, count=3, stagger=0.37)
    data, sent = measured(net, 30.0, 40.0, rng)
    return float(data["mean_queue"][0]), sent


def _trace(net: Network, name: str, every: float, duration: float, rng: Any) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the sampling times [s] of a run, its trace ``name`` of the first flow or link, and the packets sent.

    `longfat.sim.run` returns the same trace in a dataset, for which it imports xarray: a second of processor time.
    """
    simulation = Simulation(net, rng=rng, sample_every=every, duration=duration)
    simulation.advance(duration)
    values = results.traces(simulation, every)
    return np.asarray(values["time"][1]), values[name][1][:, 0], packets_sent(simulation)


def dctcp_queue(rng: Any, *, flows: float, threshold: float) -> Result:
    """Estimate the longest queue [packets] of DCTCP flows at a switch that marks packets above ``threshold`` [packets].

    The bandwidth-delay product is 400 packets. The queue is sampled 20 times in a round trip. The receiver acknowledges
    each packet, because the law assumes smooth sending: an acknowledgment of two packets would release two packets back
    to back, which lengthens the queue by up to a packet for each flow.
    """
    marking = queues.step_marking(packets=round(threshold))
    net = _bottleneck(400 / 0.02, 0.02, buffer=10**5, discipline=marking)
    net.flow("dctcp", path=["a", "b"], packet=PACKET, count=int(flows), parameters={"delayed_ack": 1.0})
    times, queue, sent = _trace(net, "queue_trace", 0.001, 10.0, rng)
    return float(queue[times >= 5.0].max()), sent


def credit_throughput(
    rng: Any, *, window: float, update: float, capacity: float, round_trip_time: float, windows: float = 1
) -> Result:
    """Estimate the throughput [bytes/s] under credit flow control; credit packets have a delay but never queue.

    Window and update are multiples of the packet size, and a link has one window.

    >>> round(credit_throughput(1, window=15000, update=5000, capacity=1e7, round_trip_time=2.1e-3)[0] / 1e7, 3)
    0.577
    """
    if windows != 1:
        raise out_of_range("windows", windows, "1", "1 in a simulation")
    batch, reserve = int(update) // PACKET, (int(window) - int(update)) // PACKET
    credit = queues.credit(n2=batch, n3=reserve)
    net = Network()
    for tail, head in (("a", "b"), ("b", "c")):
        net.link(tail, head, rate=capacity, delay=round_trip_time / 2, buffer=10**6, discipline=credit)
        net.link(head, tail, rate=capacity, delay=round_trip_time / 2)
    given = {"n2": batch, "n3": reserve}
    net.flow("credit", path=["a", "b", "c"], packet=PACKET, ack=PACKET, ack_path="ideal", parameters=given)
    simulation, time = Simulation(net, rng=rng), 5000 * PACKET / capacity
    simulation.advance(time)
    before = int(simulation.state.links[0].served)
    simulation.advance(5 * time)
    return (int(simulation.state.links[0].served) - before) * PACKET / (4 * time), packets_sent(simulation)


def mark_some(link, packet, now):  # type: ignore[no-untyped-def]
    """Mark data packets: each with the probability ``marking`` if ``independent``, else every ``1/marking``-th."""
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


def window_at_marks(rng: Any, independent: bool, marks: float = 8.0, *, marking: float) -> Result:
    """Estimate the mean window [packets] of a DCTCP flow at a given fraction ``marking`` of marked packets.

    No queue forms. The measured time lasts ``marks``/``marking`` round trips. The default of ``marks`` is our choice:
    at a ``marking`` of 0.01, single results scatter by 2.4 % around a mean that is (0.8 +- 0.5) % below the mean of
    runs with 20 ``marks`` and a longer warm-up.
    """
    marked = MARK_SOME(marking=marking, independent=float(independent))
    # The flow begins near the window of spaced marks, 2/p, where p is the fraction `marking`. Skip 6/p round trips: the
    # window W grows by 1 per round trip, and falls by W p/2 every 1 + 1/(W p) round trips, so it approaches its mean
    # with a time constant of 2.2/p round trips.
    net = fast_path("dctcp", 0.1, {"initial_alpha": marking, "initial_ssthresh": 2 / marking}, discipline=marked)
    start = 6 / marking * 0.1
    data, sent = measured(net, start, start + marks / marking * 0.1, rng)
    return float(data["goodput"][0]) / PACKET * 0.1, sent


def sstp_throughput(
    rng: Any, *, window: float, segment_time: float, ack_delay: float, processing_time: float
) -> Result:
    """Estimate the throughput [segments/s] of an SSTP connection without loss, from the transfer times of two files.

    Packets leave only at multiples of the packet time. The path's delay is half a packet time shorter than the law's,
    so that segments begin at the right time on average.
    """
    packets, windows = 48, 24  # packets of a segment; windows that the second file has more than the first
    packet_time = segment_time / packets
    ends, sent = [], 0.0
    for segments in (4 * window, (4 + windows) * window):
        # A segment's last packet leaves 1 packet time before the end of the segment time, and its acknowledgment leaves
        # 3 packet times after its arrival: subtract 3 - 1 = 2 packet times from `ack_delay`, and the half packet time
        # of the docstring.
        delay = (ack_delay - 2.5 * packet_time) / 2
        net = Network().link("a", "b", rate=math.inf, delay=delay).link("b", "a", rate=math.inf, delay=delay)
        given = {
            "peak_rate": PACKET / packet_time, "burst_length": 1.0, "segment": float(packets),
            "window_limit": float(window), "processing": processing_time, "repeat": 10.0,
        }  # fmt: skip
        net.flow("sstp", path=["a", "b"], packet=PACKET, file=int(segments * packets * PACKET), parameters=given)
        simulation = Simulation(net, rng=rng)
        while simulation.state.tallies["finish"][0] == records.NEVER:
            simulation.advance(simulation.now + 1.0)
        ends.append(float(simulation.state.tallies["finish"][0]) * 1e-9)
        sent += packets_sent(simulation)
    return windows * window / (ends[1] - ends[0]), sent


def _copa(deltas: list[float]) -> Network:
    """Return a network of Copa flows: round-trip time 0.1 s, BDP [packets] of 50 times the sum of all 1/delta."""
    net = _bottleneck(50 * sum(1 / delta for delta in deltas) / 0.1, 0.1, buffer=10**6)
    for k, delta in enumerate(deltas):
        net.flow("copa", path=["a", "b"], packet=PACKET, start=0.037 * k, parameters={"delta": delta})
    return net


def copa_queue(rng: Any, *, flows: float, delta: float) -> Result:
    """Estimate the mean queue [packets] of equal Copa flows, over 20 s."""
    data, sent = measured(_copa([delta] * int(flows)), 20.0, 40.0, rng)
    return float(data["mean_queue"][0]), sent


def copa_share(rng: Any, *, delta: float, targets: float) -> Result:
    """Estimate the fraction of the goodput that one of two Copa flows has; ``targets`` is the sum of both 1/delta."""
    if targets * delta <= 1:
        raise out_of_range("targets", targets, "packets", f"above 1/delta = {1 / delta:g}, in a simulation")
    data, sent = measured(_copa([delta, 1 / (targets - 1 / delta)]), 20.0, 60.0, rng)
    return float(data["goodput"][0] / data["goodput"].sum()), sent


def _ledbat(flows: float, capacity: float, round_trip_time: float, **given: float) -> Network:
    """Return a network of LEDBAT++ flows that start together; ``round_trip_time`` includes a packet's transmission."""
    net = _bottleneck(capacity, round_trip_time - 1.01 / capacity, buffer=10**6)
    return net.flow("ledbat-plus-plus", path=["a", "b"], packet=PACKET, count=int(flows), parameters=given)


def ledbat_delay(
    rng: Any, *, flows: float, capacity_packets: float, round_trip_time: float, target: float = 0.06
) -> Result:
    """Estimate the mean queueing delay [s] of LEDBAT++ flows over 20 s, without slowdowns after the first."""
    net = _ledbat(flows, capacity_packets, round_trip_time, target=target, interval=1e9)
    data, sent = measured(net, 200.0, 220.0, rng)
    return float(data["mean_queue"][0]) / capacity_packets, sent


def _entries(capacity: float, round_trip_time: float, target: float, rng: Any) -> tuple[np.ndarray, float]:
    """Run a LEDBAT++ flow for 100 s; return the times [s] when slowdowns set its window to 2, and the packets sent."""
    net = _ledbat(1, capacity, round_trip_time, target=target)
    times, window, sent = _trace(net, "window_trace", round_trip_time / 4, 100.0, rng)
    return times[1:][(window[1:] == 2) & (window[:-1] > 2)], sent


def ledbat_slowdown(rng: Any, *, capacity_packets: float, round_trip_time: float, target: float = 0.06) -> Result:
    """Estimate the duration [s] of a LEDBAT++ flow's slowdown: a tenth of the time between the last two slowdowns."""
    begun, sent = _entries(capacity_packets, round_trip_time, target, rng)
    return float(begun[-1] - begun[-2]) / 10, sent


def ledbat_utilisation(rng: Any, *, capacity_packets: float, round_trip_time: float, target: float = 0.06) -> Result:
    """Estimate the utilisation by a LEDBAT++ flow between its third and its last slowdown within 100 s."""
    begun, _ = _entries(capacity_packets, round_trip_time, target, rng)
    data, sent = measured(_ledbat(1, capacity_packets, round_trip_time, target=target), begun[2], begun[-1], rng)
    return float(data["utilisation"][0]), sent

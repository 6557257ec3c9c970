"""Simulations that check laws of links: Poisson arrivals, power, equal sharing, shapers, delay bounds, loss-load."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from longfat.base import domains
from longfat.base.domains import out_of_range
from longfat.sim import Network, Simulation, queues
from longfat.sim.network import traffic
from longfat.sim.queues import Discipline
from longfat.sim.switch.log import Log
from longfat.verify.measured_runs import Result, measured, packets_sent

# Packet sizes with an exponential distribution are rounded to bytes. The error is negligible, because the mean is
# 20,000 bytes. Transmission times are exact, because a byte takes 1 ns, the time step of the simulator.
PACKET = 20_000  # bytes
SERVICE = 20e-6  # s
RATE = PACKET / SERVICE
FILE, SOURCES = 20, 128  # packets of a file; sources, so many that one source's fair queue rarely has two files
FILE_TIME = FILE * SERVICE


def queue(
    rng: Any, quantity: str, exponential: bool | None = None, packets: float = 1e4, *, load: float,
    capacity: float | None = None, variation: float | None = None, propagation: float = 0.0, alpha: float = 1.0,
) -> Result:  # fmt: skip
    """Estimate a mean number, time [service times], loss probability or power of one queue.

    Parameters
    ----------
    quantity : {"number", "wait", "response", "loss", "power"}
        Mean number in the system, mean waiting time of accepted packets, mean response time, loss probability, or
        throughput divided by mean delay.
    exponential : bool, optional
        Whether packet sizes have an exponential distribution; otherwise they are equal. By default they have it if
        ``variation`` is 1, and are equal if it is 0.
    packets : float
        Length of one replication at a load of 0.5 [service times]; at loads from 0.8 to 1.2 it is 6.25 times as long.
    load, capacity, variation, propagation
        Parameters of the law; ``capacity`` includes the packet in service, ``propagation`` is in service times.

    Examples
    --------
    >>> value, sent = queue(1, "wait", False, load=0.5)
    >>> 0.4 < value < 0.6, sent > 4900
    (True, True)
    """
    if alpha != 1:
        raise out_of_range("alpha", alpha, "1", "1 in a simulation")
    if exponential is None and variation not in (0, 1):
        raise out_of_range("variation", variation, "1", "0 or 1")
    sizes = bool(variation) if exponential is None else exponential
    net = Network().link(
        "a", "b", rate=RATE, delay=propagation * SERVICE, buffer=None if capacity is None else int(capacity) - 1
    )
    net.flow(traffic.poisson(load * RATE, exponential_sizes=sizes), path=["a", "b"], packet=PACKET)
    slack = max(abs(1 - load), 0.2)  # the variance of a mean grows as 1/(1 - load)^2
    span = packets * (0.25 / slack**2) * max(1.0, 0.5 / load)
    warm_up = 30 / slack**2
    data, sent = measured(net, warm_up * SERVICE, (warm_up + span) * SERVICE, rng)
    return _quantity(data, quantity), sent


def _quantity(data: Any, quantity: str) -> float:
    if quantity == "number":
        return float((data["mean_queue"] + data["utilisation"])[0])
    if quantity == "loss":
        return float(data["link_dropped"][0]) / float(data["arrived"][0])
    if quantity == "power":
        return float(data["throughput"][0]) / RATE / (float(data["mean_delay"][0]) / SERVICE)
    return float(data["mean_wait"][0]) / SERVICE + (quantity == "response")


def equal_shares(rng: Any, *, load: float) -> Result:
    """Estimate the mean transfer time of files at a link that serves one packet of each file in turn.

    The time is relative to that of a file without other traffic. A replication lasts 10,000 transmission times.

    >>> value, _ = equal_shares(1, load=0.5)
    >>> 1.5 < value < 2.5
    True
    """
    net = Network().link("a", "b", rate=RATE, discipline="fair")
    arrivals = traffic.arrivals(load / FILE_TIME / SOURCES, "bully-tyrant")
    net.flow(arrivals, path=["a", "b"], packet=PACKET, file=FILE * PACKET, count=SOURCES, ack_path="ideal")
    data, sent = measured(net, 100 * FILE_TIME, 600 * FILE_TIME, rng)
    done = data["connections"]
    return float(np.nansum(data["transfer_time"] * done) / done.sum()) / FILE_TIME, sent


OTHERS = 2  # flows that share a link with the one under test
AT_ONCE = 50  # ratio of the rate at which the burst arrives to the rate of a link
MANY = 10**5  # a limit that no run reaches [packets]


def bit_round(rates: dict[int, float]) -> Discipline:
    """Return fair queueing that divides a link's capacity in proportion to ``rates``, a mapping of flow number to rate.

    >>> bit_round({0: 1e5, 1: 3e5}).values["weights"]
    ((0.0, 1.0), (1.0, 3.0))
    """
    least = min(rates.values())
    return queues.BIT_ROUND(weights=[[flow, rate / least] for flow, rate in rates.items()])


def greatest_delay(
    rng: Any, scheduler: Callable[[dict[int, float]], Discipline] = bit_round, *, burst: float,
    guaranteed_rate: float, packet_size: float, largest_packet: float, capacity: float, hops: float,
) -> Result:  # fmt: skip
    """Estimate the greatest delay [s] of a flow that begins with a burst and shares its links with greedy flows.

    On every link two other flows share the remaining rate; they start shortly before the flow, and each sends at twice
    the rate of the link. ``scheduler`` takes the rates of a link's flows by their numbers, and returns the link's
    discipline. A packet's delay begins when its last bit has arrived at the first link, and ends with its transmission
    on the last link. Nothing is random.
    """
    if guaranteed_rate >= capacity:
        raise out_of_range("guaranteed_rate", guaranteed_rate, "bytes/s", f"(0, {capacity:g}), below the capacity")
    if packet_size > largest_packet:
        raise out_of_range("packet_size", packet_size, "bytes", f"(0, {largest_packet:g}], up to the largest packet")
    net, logs, links = Network(), (Log(MANY), Log(MANY)), int(hops)
    own, other = max(1, round(burst / packet_size)), (capacity - guaranteed_rate) / OTHERS
    for k in range(links):
        flows = [1 + OTHERS * k + j for j in range(OTHERS)]
        shares = scheduler({0: guaranteed_rate, **dict.fromkeys(flows, other)})
        net.link(f"n{k}", f"n{k + 1}", rate=capacity, discipline=shares)
    bucket = queues.leaky_bucket(guaranteed_rate, tokens=own, queue=MANY)
    net.link("source", "gate", rate=math.inf, discipline=bucket)
    net.link("gate", "n0", rate=math.inf, discipline=logs[0].discipline)
    net.link(f"n{links}", "sink", rate=math.inf, discipline=logs[1].discipline)
    path = ["source", "gate", *(f"n{k}" for k in range(links + 1)), "sink"]
    span = 2 * burst / guaranteed_rate + links * packet_size / guaranteed_rate
    net.flow(traffic.constant(AT_ONCE * capacity), path=path, packet=round(packet_size), start=packet_size / capacity)
    for k in range(links):
        for _ in range(OTHERS):
            net.flow(traffic.constant(2 * capacity), path=[f"n{k}", f"n{k + 1}"], packet=round(largest_packet))
    simulation = Simulation(net, rng=rng)
    simulation.advance(span)
    enter, leave = logs[0].lines, logs[1].lines
    return float((leave[:, 0] - enter[: len(leave), 0]).max()) * 1e-9, packets_sent(simulation)


def fluid_delay(rng: Any, *, burst: float, guaranteed_rate: float) -> Result:
    """Estimate the greatest delay [s] of a packet in a burst of a hundred small packets over one link."""
    size, capacity = burst / 100, 3 * guaranteed_rate
    return greatest_delay(
        rng, burst=burst, guaranteed_rate=guaranteed_rate, packet_size=size, largest_packet=size, capacity=capacity,
        hops=1,
    )  # fmt: skip


def shaped_utilisation(rng: Any, *, burst: float, packet_size: float, token_rate: float, lateness: float) -> Result:
    """Estimate throughput/token rate [1] of a shaper with a late timer, while tokens for 4000 packets arrive."""
    size = round(packet_size)
    bucket = queues.leaky_bucket(token_rate, tokens=burst / size, queue=MANY, lateness=lateness)
    net = Network().link("source", "gate", rate=math.inf, discipline=bucket)
    net.link("gate", "sink", rate=math.inf)
    net.flow(traffic.constant(2 * token_rate), path=["source", "gate", "sink"], packet=size)
    span = 4000 * size / token_rate
    data, sent = measured(net, span, 2 * span, rng)
    return float(data["throughput"][1]) / token_rate, sent


CAPACITY = 5e6  # bytes/s; 10,000 packets of 500 B a second
ROUND_TRIP = 0.01  # s
APART = 0.103  # s between starts; at each start the other sources are nearly in equilibrium, unless k is large


def loss_load_network(
    k: float, v: float, sources: int, apart: float = APART, direct: bool = False, **parameters: float
) -> Network:
    """Return a network of greedy loss-load sources and one link with a loss-load curve of the parameters k and v.

    The sources start one after the other, at intervals of ``apart`` seconds.

    >>> loss_load_network(2, 1.0, 5)
    Network('', 2 nodes, 2 links, 5 flows)
    """
    net = Network().link(
        "a", "b", rate=CAPACITY, delay=ROUND_TRIP / 2, buffer=2000, discipline=queues.loss_load(k, v, direct=direct)
    )
    net.link("b", "a", rate=CAPACITY, delay=ROUND_TRIP / 2)
    return net.flow(
        "loss-load", path=["a", "b"], packet=500, count=sources, stagger=apart, parameters={"k": k, **parameters}
    )


def loss_load_equilibrium(
    rng: Any, sources: int, quantity: str = "loss", packets: float = 1e4, *, k: float, v: float = 1.0
) -> Result:
    """Estimate the "loss" or the offered "load" [1] of a link with 2 to 1000 loss-load sources in equilibrium.

    In the measured time the link can transmit ``packets`` packets on average. The measurement begins 100 round trips
    after the start of the last source; if it begins after 300, the mean results are the same.
    """
    domains.choice("quantity", quantity, ("loss", "load"))
    warm_up = sources * APART + 100 * ROUND_TRIP
    # Sources send at regular intervals, so without losses all replications would be equal. Therefore the length of the
    # measured time is random.
    span = packets * 500 / CAPACITY * np.random.default_rng(rng).uniform(0.9, 1.1)
    data, packets = measured(loss_load_network(k, v, sources), warm_up, warm_up + span, rng)
    sent = float(data["sent"].sum())
    return sent * 500 / (CAPACITY * span) if quantity == "load" else float(data["dropped"].sum()) / sent, packets

"""One link under Poisson arrivals as an estimator: queues with and without a limit, power, processor sharing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from longfat.domains import out_of_range
from longfat.sim import Network, Simulation, results, statistics, traffic

# Exponential sizes are rounded to bytes, which does not matter with a mean of 20,000 bytes. A byte takes 1 ns, so
# times are exact.
PACKET = 20_000  # bytes
SERVICE = 20e-6  # s
RATE = PACKET / SERVICE
FILE, SOURCES = 20, 128  # packets of a file; sources with a fair queue each, which hardly ever has two files at once
FILE_TIME = FILE * SERVICE

Estimate = tuple[float, float, float]


def queue(
    quantity: str, exponential: bool | None = None, *, packets: float = 2e5, replications: int = 10, rng: Any = 0
) -> Callable[..., Estimate]:
    """Return an estimator of the mean values of one queue, in service times and packets.

    Parameters
    ----------
    quantity : {"number", "wait", "response", "loss", "power"}
        Mean number in the system, mean waiting time of accepted packets, mean response time, loss probability, or load
        over mean delay.
    exponential : bool, optional
        Whether sizes are exponential or constant; by default ``variation``, 1 or 0, decides.
    packets : float
        Length of all replications together at a load of 0.5 [service times]; up to 25 times longer at higher loads.
    replications : int
        Independent runs.
    rng : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Source of randomness.

    Returns
    -------
    callable
        Takes ``load``, ``capacity`` (with the packet in service), ``variation``, ``propagation`` [service times] and
        ``confidence``.

    Examples
    --------
    >>> value, low, high = queue("wait", False, packets=1e4)(load=0.5, confidence=0.9)
    >>> low < value < high
    True
    """
    generator = np.random.default_rng(rng)

    def estimate(
        *, load: float, capacity: float | None = None, variation: float | None = None, propagation: float = 0.0,
        alpha: float = 1.0, confidence: float,
    ) -> Estimate:  # fmt: skip
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
        span = packets / replications * min(0.25 / slack**2, 25) * max(1.0, 0.5 / load)
        warm_up = 30 / slack**2
        values = []
        for stream in generator.spawn(replications):
            run = Simulation(net, rng=stream)
            run.advance(warm_up * SERVICE)
            before = results.snapshot(run)
            run.advance((warm_up + span) * SERVICE)
            values.append(_quantity(results.measure(run, before, results.snapshot(run)), quantity))
        mean, low, high = statistics.replications(values, confidence)
        return mean, low, high

    return estimate


def _quantity(data: Any, quantity: str) -> float:
    if quantity == "number":
        return float((data["mean_queue"] + data["utilisation"])[0])
    if quantity == "loss":
        return float(data["link_dropped"][0]) / float(data["arrived"][0])
    if quantity == "power":
        return float(data["throughput"][0]) / RATE / (float(data["mean_delay"][0]) / SERVICE)
    return float(data["mean_wait"][0]) / SERVICE + (quantity == "response")


def equal_shares(*, packets: float = 2e5, replications: int = 10, rng: Any = 0) -> Callable[..., Estimate]:
    """Return an estimator of the mean transfer time at a link that all files share equally, packet by packet.

    Parameters
    ----------
    packets : float
        Length of all replications together [packet transmission times].
    replications : int
        Independent runs.
    rng : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Source of randomness.

    Returns
    -------
    callable
        Takes ``load`` and ``confidence``; the time is relative to the file's unloaded transfer time.

    Examples
    --------
    >>> value, low, high = equal_shares(packets=2e4, replications=4)(load=0.5, confidence=0.9)
    >>> low < value < high
    True
    """
    generator = np.random.default_rng(rng)

    def estimate(*, load: float, confidence: float) -> Estimate:
        net = Network().link("a", "b", rate=RATE, discipline="fair")
        arrivals = traffic.arrivals(load / FILE_TIME / SOURCES, "bully-tyrant")
        net.flow(arrivals, path=["a", "b"], packet=PACKET, file=FILE * PACKET, count=SOURCES, ack_path="ideal")
        values = []
        for stream in generator.spawn(replications):
            run = Simulation(net, rng=stream)
            run.advance(100 * FILE_TIME)
            before = results.snapshot(run)
            run.advance((100 + max(packets / FILE / replications, 100)) * FILE_TIME)
            one = results.measure(run, before, results.snapshot(run))
            done = one["connections"]
            values.append(float(np.nansum(one["transfer_time"] * done) / done.sum()) / FILE_TIME)
        mean, low, high = statistics.replications(values, confidence)
        return mean, low, high

    return estimate

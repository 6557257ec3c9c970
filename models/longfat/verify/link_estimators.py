"""One link under Poisson arrivals as a simulator of laws: queues with and without a limit, power, processor sharing."""

from __future__ import annotations

from typing import Any

import numpy as np

from longfat.base.domains import out_of_range
from longfat.sim import Network
from longfat.sim.network import traffic
from longfat.verify.measured_runs import Result, estimator, measured

# Exponential sizes are rounded to bytes, which does not matter with a mean of 20,000 bytes. A byte takes 1 ns, so
# times are exact.
PACKET = 20_000  # bytes
SERVICE = 20e-6  # s
RATE = PACKET / SERVICE
FILE, SOURCES = 20, 128  # packets of a file; sources with a fair queue each, which hardly ever has two files
FILE_TIME = FILE * SERVICE


@estimator
def queue(
    rng: Any, quantity: str, exponential: bool | None = None, packets: float = 1e4, *, load: float,
    capacity: float | None = None, variation: float | None = None, propagation: float = 0.0, alpha: float = 1.0,
) -> Result:  # fmt: skip
    """Return a simulator of the mean values of one queue, in service times and packets.

    Parameters
    ----------
    quantity : {"number", "wait", "response", "loss", "power"}
        Mean number in the system, mean waiting time of accepted packets, mean response time, loss probability, or load
        over mean delay.
    exponential : bool, optional
        Whether sizes are exponential or constant; by default ``variation``, 1 or 0, decides.
    packets : float
        Length of one replication at a load of 0.5 [service times]; up to 25 times longer at higher loads.

    Returns
    -------
    callable
        Takes a seed, ``load``, ``capacity`` (with the packet in service), ``variation`` and ``propagation`` [service
        times]; returns the mean value and the packets sent.

    Examples
    --------
    >>> value, sent = queue("wait", False)(1, load=0.5)
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
    span = packets * min(0.25 / slack**2, 25) * max(1.0, 0.5 / load)
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


@estimator
def equal_shares(rng: Any, packets: float = 1e4, *, load: float) -> Result:
    """Return a simulator of the mean transfer time at a link that all files share equally, packet by packet.

    Parameters
    ----------
    packets : float
        Length of one replication [packet transmission times].

    Returns
    -------
    callable
        Takes a seed and ``load``; returns the time relative to the file's unloaded transfer time, and the packets sent.

    Examples
    --------
    >>> value, _ = equal_shares()(1, load=0.5)
    >>> 1.5 < value < 2.5
    True
    """
    net = Network().link("a", "b", rate=RATE, discipline="fair")
    arrivals = traffic.arrivals(load / FILE_TIME / SOURCES, "bully-tyrant")
    net.flow(arrivals, path=["a", "b"], packet=PACKET, file=FILE * PACKET, count=SOURCES, ack_path="ideal")
    data, sent = measured(net, 100 * FILE_TIME, (100 + max(packets / FILE, 100)) * FILE_TIME, rng)
    done = data["connections"]
    return float(np.nansum(data["transfer_time"] * done) / done.sum()) / FILE_TIME, sent

"""Loss-load sources in steady state as an estimator for `check`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from longfat import domains
from longfat.sim import Network, Simulation, queues, statistics

CAPACITY = 5e6  # bytes/s; 10,000 packets of 500 B a second
ROUND_TRIP = 0.01  # s
APART = 0.103  # s between starts; unless k is large, the other sources are then nearly in equilibrium

Estimate = tuple[float, float, float]


def loss_load_network(
    k: float, v: float, sources: int, apart: float = APART, direct: bool = False, **parameters: float
) -> Network:
    """Return a network of greedy sources that maximise throughput over one link and start one after the other.

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
    sources: int, quantity: str = "loss", packets: float = 2e5, replications: int = 8, rng: Any = 0
) -> Callable[..., Estimate]:
    """Return an estimator of the equilibrium of loss-load sources, by the network simulator.

    Parameters
    ----------
    sources : int
        Number of sources that share the link, in [2, 1000].
    quantity : {"loss", "load"}
        Loss probability, or offered load in units of the capacity.
    packets : float
        Capacity of the link over the measured time of all replications together [packets].
    replications : int
        Independent runs, at least two.
    rng : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Source of randomness.

    Returns
    -------
    callable
        Takes ``k``, ``v`` and ``confidence``; returns estimate, lower and upper limit.

    Raises
    ------
    ValueError
        For values outside their ranges.

    Examples
    --------
    >>> value, low, high = loss_load_equilibrium(2, packets=1e4)(k=2, v=1.0, confidence=0.9)
    >>> low < value < high
    True
    """
    sources = domains.integer("sources", sources, "1", "[2, 1000]")
    domains.choice("quantity", quantity, ("loss", "load"))
    packets = domains.number("packets", packets, "packets", "[1, 1e12]")
    replications = domains.integer("replications", replications, "runs", "[2, 1e6]")
    generator = domains.generator(rng)
    warm_up = sources * APART + 3.0  # s
    span = packets / replications * 500 / CAPACITY

    def one(net: Network, stream: np.random.Generator) -> float:
        run = Simulation(net, rng=stream)
        run.advance(warm_up)
        before = run.state.flows.copy()
        run.advance(warm_up + span)
        after = run.state.flows
        sent = int((after["sent"] - before["sent"]).sum())
        if quantity == "load":
            return sent * 500 / (CAPACITY * span)
        return int((after["dropped"] - before["dropped"]).sum()) / sent

    def estimate(*, k: float, v: float, confidence: float) -> Estimate:
        net = loss_load_network(k, v, sources)
        values = [one(net, stream) for stream in generator.spawn(replications)]
        mean, low, high = statistics.replications(values, confidence)
        return mean, low, high

    return estimate

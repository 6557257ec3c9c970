"""Loss-load sources in steady state as a simulator of laws."""

from __future__ import annotations

from typing import Any

import numpy as np

from longfat.base import domains
from longfat.sim import Network, Simulation, queues
from longfat.verify.measured_runs import Result, Simulate, packets_sent

CAPACITY = 5e6  # bytes/s; 10,000 packets of 500 B a second
ROUND_TRIP = 0.01  # s
APART = 0.103  # s between starts; unless k is large, the other sources are then nearly in equilibrium


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


def loss_load_equilibrium(sources: int, quantity: str = "loss", packets: float = 2500) -> Simulate:
    """Return a simulator of the equilibrium of loss-load sources.

    Parameters
    ----------
    sources : int
        Number of sources that share the link, in [2, 1000].
    quantity : {"loss", "load"}
        Loss probability, or offered load in units of the capacity.
    packets : float
        Capacity of the link over the measured time [packets], on average.

    Returns
    -------
    callable
        Takes a seed, ``k`` and ``v``, by default 1; returns the quantity and the packets sent.

    Examples
    --------
    >>> value, _ = loss_load_equilibrium(2)(1, k=2, v=1.0)
    >>> 0.3 < value < 0.37
    True
    """
    sources = domains.integer("sources", sources, "1", "[2, 1000]")
    domains.choice("quantity", quantity, ("loss", "load"))
    packets = domains.number("packets", packets, "packets", "[1, 1e12]")
    warm_up = sources * APART + 3.0  # s

    def simulate(rng: Any, *, k: float, v: float = 1.0) -> Result:
        run = Simulation(loss_load_network(k, v, sources), rng=rng)
        # Without losses nothing else is random: the intervals are those of the sources' rates.
        span = packets * 500 / CAPACITY * np.random.default_rng(rng).uniform(0.9, 1.1)
        run.advance(warm_up)
        before = run.state.flows.copy()
        run.advance(warm_up + span)
        after = run.state.flows
        sent = int((after["sent"] - before["sent"]).sum())
        if quantity == "load":
            return sent * 500 / (CAPACITY * span), packets_sent(run)
        return int((after["dropped"] - before["dropped"]).sum()) / sent, packets_sent(run)

    return simulate

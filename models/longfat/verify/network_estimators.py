"""Loss-load sources in steady state as a simulator of laws."""

from __future__ import annotations

from typing import Any

import numpy as np

from longfat.base import domains
from longfat.sim import Network, Simulation, queues
from longfat.verify.measured_runs import Result, estimator, packets_sent

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


@estimator
def loss_load_equilibrium(
    rng: Any, sources: int, quantity: str = "loss", packets: float = 2500, *, k: float, v: float = 1.0
) -> Result:
    """Estimate the "loss" or the offered "load" [capacities] of 2 to 1000 sources that share a link, in equilibrium.

    The capacity of the link over the measured time is so many ``packets`` on average.
    """
    domains.choice("quantity", quantity, ("loss", "load"))
    warm_up = sources * APART + 3.0  # s
    run = Simulation(loss_load_network(k, v, sources), rng=rng)
    # Without losses nothing else is random: the sources' intervals are those of their rates.
    span = packets * 500 / CAPACITY * np.random.default_rng(rng).uniform(0.9, 1.1)
    run.advance(warm_up)
    before = run.state.flows.copy()
    run.advance(warm_up + span)
    after = run.state.flows
    sent = int((after["sent"] - before["sent"]).sum())
    if quantity == "load":
        return sent * 500 / (CAPACITY * span), packets_sent(run)
    return int((after["dropped"] - before["dropped"]).sum()) / sent, packets_sent(run)

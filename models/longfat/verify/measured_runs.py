"""One replication of a network as a number: statistics between two times, and the number of packets sent.

The modules named ``..._estimators`` beside this one make simulators of laws. Such a simulator is called with a seed and
a law's parameters by name, and returns one replication's estimate of the law's value and the packets that it sent, as
`longfat.testing.compare` takes it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from longfat.sim import Network, Simulation
from longfat.sim.runs import results

PACKET = 1000  # bytes

Result = tuple[float, float]
Simulate = Callable[..., Result]


def measured(net: Network, start: float, end: float, rng: Any) -> tuple[Any, float]:
    """Run a network; return its statistics between two times [s] and the number of packets sent since the start.

    >>> net = Network().link("a", "b", rate=1e6, delay=0.01, buffer=100)
    >>> data, packets = measured(net.flow("sack", path=["a", "b"], packet=1000, ack_path="ideal"), 1.0, 2.0, 1)
    >>> float(data["utilisation"][0]), 1900 < packets < 2200
    (1.0, True)
    """
    simulation = Simulation(net, rng=rng)
    simulation.advance(start)
    before = results.snapshot(simulation)
    simulation.advance(end)
    return results.measure(simulation, before, results.snapshot(simulation)), packets_sent(simulation)


def packets_sent(simulation: Simulation) -> float:
    """Return the packets that all flows of a run have sent."""
    return float(simulation.state.flows["sent"].sum())

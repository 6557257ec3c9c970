"""Replications for the checks of laws: runs of a network, measured between two times to estimate a law's value.

The modules of this folder named ``..._estimators`` have a function for each simulated network. Each function takes a
seed, then settings, then a law's parameters by name, and returns an estimate of the law's value and the number of
packets sent. `longfat.verify.simulators` lists the functions, with settings, by the names that laws use.
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
    """Return the number of packets that all flows of a run have sent."""
    return float(simulation.state.sent.sum())


def losses(simulation: Simulation) -> int:
    """Return the number of losses that the sender of a run's first flow has detected."""
    return int(simulation.state.tallies["losses"][0])


def rate_between(
    simulation: Simulation, count: Callable[[Simulation], float], begin: float, end: float, step: float
) -> float:
    """Run until a count reaches ``end``; return the sending rate [packets/s] from the time when it reached ``begin``.

    ``count``, such as `losses` or `packets_sent`, is called after every ``step`` [s].
    """
    now, marks = 0.0, []
    for wanted in (begin, end):
        while count(simulation) < wanted:
            now += step
            simulation.advance(now)
        marks.append((now, packets_sent(simulation)))
    (start, before), (stop, after) = marks
    return (after - before) / (stop - start)

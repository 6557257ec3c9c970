"""Simulations beside a law: the simulator that it declares, the points, and the results."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from longfat import domains
from longfat.explore.state import State
from longfat.law import Law, registered
from longfat.sim import statistics
from longfat.testing.seeded_runs import replicate

if TYPE_CHECKING:
    from longfat.simulators import Simulator

CONFIDENCE = 0.95
POINTS = 13  # along the x axis


@dataclass(frozen=True)
class Points:
    """Simulated points: values on the x axis, estimates and confidence intervals [the law's unit]."""

    x: tuple[float, ...] = ()
    value: tuple[float, ...] = ()
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    replications: int = 10
    refused: int = 0

    def and_at(self, x: float, estimate: tuple[float, float, float]) -> Points:
        """Return these points and another one."""
        value, lower, upper = estimate
        return replace(
            self, x=(*self.x, x), value=(*self.value, value), lower=(*self.lower, lower), upper=(*self.upper, upper)
        )

    @property
    def words(self) -> str:
        """Text of the legend."""
        refused = f"; {self.refused} not possible" if self.refused else ""
        return f"simulated, {self.replications} replications, {100 * CONFIDENCE:g}% intervals{refused}"


def simulator(law: Law) -> Simulator | None:
    """Return the simulator whose results `explore` shows beside a law; None if there is none.

    >>> from longfat.laws import power, selective_repeat
    >>> simulator(selective_repeat.throughput_efficiency).description, simulator(power.network_power)
    ('the segment simulator, three hundred losses in a replication', None)
    """
    if law.simulated is None:
        return None
    from longfat.simulators import simulator_of

    found = simulator_of(law)
    return found if found is not None and found.description else None


def plan(state: State, points: int = POINTS) -> list[Mapping[str, float]]:
    """Return the parameters of all points to simulate, along the x axis, in an order in which the first show most."""
    found = simulator(state.law)
    if found is None:
        raise domains.unknown("law with a simulator", state.law.public_name, _simulated())
    places = state.scale(state.across).dense(points)
    nearest = [found.nearest({**state.values, state.across: float(x)}) for x in places]
    symbol = state.law.symbols[state.across].interval
    different = {point[state.across]: point for point in nearest if symbol.contains(point[state.across])}
    return [different[x] for x in _halving(sorted(different))]


def _simulated() -> list[str]:
    """Return the names of the laws that have a simulator."""
    return [law.public_name for _, law in registered() if simulator(law) is not None]


def _halving(values: list[float]) -> list[float]:
    """Return values in the order of both ends, the middle, the quarters and so on: a curve that gets denser."""
    if not values:
        return []
    last, order, step = len(values) - 1, [], 1.0
    for level in range(math.ceil(math.log2(max(len(values), 2))) + 1):
        step = last / 2**level
        order += [round(k * step) for k in range(2**level + 1)]
    return [values[k] for k in dict.fromkeys([*order, *range(len(values))])]


def estimate(
    state: State, replications: int, seed: int = 0
) -> Callable[[Mapping[str, float]], tuple[float, ...] | None]:
    """Return a function that simulates one point of a plan; it returns None for a point that the simulator refuses."""
    found = simulator(state.law)
    assert found is not None
    runs = domains.integer("replications", replications, "runs", "[2, 1000]")

    def one(point: Mapping[str, float]) -> tuple[float, ...] | None:
        # Each point has the same seeds, so that the same settings give the same results.
        try:
            values = replicate(found, point, seed, 0, runs).values
        except ValueError:
            return None
        return tuple(statistics.replications(values, CONFIDENCE))

    return one

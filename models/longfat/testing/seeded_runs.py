"""Replications of a simulator: one integer seed for each, the same for everything that is compared at it."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from longfat.base import domains

#: First number of replications looked at, and how it grows. Ours: fewer than eight have no estimate of skewness; a look
#: costs little against a simulation, and growth by a quarter overshoots by an eighth on average.
FIRST, GROWTH = 8, 1.25

Simulator = Callable[..., Any]
Point = Mapping[str, Any]


@dataclass(frozen=True)
class Replications:
    """Replications of a simulator at one point.

    Parameters
    ----------
    values : numpy.ndarray
        One number each, in the order of the replications.
    cost : float
        Their total cost, in the simulator's own unit such as packets; NaN if it returns none.
    """

    values: np.ndarray
    cost: float


def seed_of(seed: int, replication: int) -> int:
    """Return the seed of one replication, independent of how many there are and in which order they run.

    >>> seed_of(1, 0) == seed_of(1, 0), seed_of(1, 0) == seed_of(1, 1), seed_of(1, 0) < 2**63
    (True, False, True)
    """
    state = np.random.SeedSequence(seed, spawn_key=(replication,)).generate_state(1, np.uint64)
    return int(state[0] >> np.uint64(1))


def looks(budget: int) -> Iterator[int]:
    """Return the numbers of replications after which a comparison looks, the last being the budget.

    >>> list(looks(20))
    [8, 10, 13, 17, 20]
    """
    size = FIRST
    while size < budget:
        yield size
        size = math.ceil(size * GROWTH)
    yield budget


def replicate(simulator: Simulator, point: Point, seed: int, first: int, last: int) -> Replications:
    """Run the replications from ``first`` up to ``last``.

    Parameters
    ----------
    simulator : callable
        Called as ``simulator(seed, **point)``; returns a number, or a number and what it cost.
    point : mapping
        Arguments by name.
    seed : int
        Seed of the comparison.
    first, last : int
        Range of the replications.

    Raises
    ------
    TypeError, ValueError
        If the simulator returns something else than a finite number; the message has the seed that repeats it.

    Examples
    --------
    >>> replicate(lambda rng, load: (load, 10), {"load": 0.5}, 1, 0, 2)
    Replications(values=array([0.5, 0.5]), cost=20.0)
    """
    values, cost = np.empty(last - first), 0.0
    for k in range(first, last):
        own = seed_of(seed, k)
        try:
            found = simulator(own, **point)
        except Exception as error:
            error.add_note(f"in the replication of the point {shown(point)} with the seed {own}")
            raise
        value, spent = found if isinstance(found, tuple) and len(found) == 2 else (found, math.nan)
        values[k - first], cost = _finite(value, point, own), cost + float(spent)
    return Replications(values, cost)


def chosen_seed(rng: Any) -> int:
    """Return the integer seed for ``rng``; a negative one is refused.

    >>> chosen_seed(7)
    7
    """
    try:
        return domains.integer("rng", operator.index(rng), "1", "[0, inf)")
    except TypeError:
        return domains.seed_of(rng)


def shown(point: Point) -> str:
    """Return a point as text.

    >>> shown({"load": 0.5, "flows": 3})
    'load = 0.5, flows = 3'
    """
    return ", ".join(f"{name} = {value!r}" for name, value in point.items())


def _finite(value: Any, point: Point, seed: int) -> float:
    """Return the value of a replication as a float."""
    what = f"the result of simulator({', '.join([str(seed), *filter(None, [shown(point)])])})"
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise domains.wrong_type(what, value, "a number, or a number and its cost") from None
    if not math.isfinite(result):
        raise domains.out_of_range(what, result, "1", "a finite number")
    return result

"""Choice of points in a domain: corners, a Latin hypercube sample, points farthest from all others, turning points.

At turning points a formula changes from one case to another: an error in a condition appears only near such points.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longfat.base import domains
from longfat.base.quantity import Quantity, Scale
from longfat.testing.seeded_runs import arguments

#: Number of random candidates of which `loneliest` returns the best. Our choice: enough for a formula's few parameters.
CANDIDATES = 256
#: Smallest weight of a point in `loneliest`. Our choice: without this bound, all further points would lie near a point
#: with a very small margin.
LEAST = 0.05

Point = dict[str, Any]


@dataclass(frozen=True)
class Axis:
    """Range of one argument: the scale of a quantity, or a list of values, the simplest one first.

    >>> Axis.parse("load", (0.1, 0.9)).at(0.5), Axis.parse("flows", (1, 9)).at(0.3), Axis.parse("k", [2, 3]).at(0.9)
    (0.5, 3, 3)
    """

    name: str
    scale: Scale
    values: tuple[Any, ...] = ()

    @classmethod
    def parse(cls, name: str, given: Any) -> Axis:
        """Make an axis from a quantity with a typical range, a pair of limits, a list of values, or a single value.

        A pair of integers is a range of integers.
        """
        if isinstance(given, Quantity):
            return cls(name, given.scale)
        if isinstance(given, tuple):
            ends = [domains.number(f"over[{name!r}]", one, "1", "(-inf, inf)") for one in given]
            if len(ends) != 2 or ends[0] > ends[1]:
                raise domains.out_of_range(f"over[{name!r}]", given, "1", "two numbers in ascending order")
            return cls(name, _scale(*ends, integer=all(isinstance(one, int | np.integer) for one in given)))
        values = tuple(given) if isinstance(given, list) else (given,)
        if not values:
            raise domains.out_of_range(f"over[{name!r}]", given, "1", "one value or more")
        return cls(name, _scale(0.0, 0.0), values)

    @property
    def ends(self) -> tuple[Any, ...]:
        """First and last value of the axis, for the corners of a domain; a single value if both are equal."""
        return tuple(dict.fromkeys((self.at(0.0), self.at(1.0))))

    def at(self, share: float) -> Any:
        """Return the value at the fraction ``share``, in [0, 1], of the axis's length."""
        if self.values:
            return self.values[min(int(share * len(self.values)), len(self.values) - 1)]
        return self.scale.at(share)

    def share(self, value: Any) -> float:
        """Return the fraction of the axis's length, in [0, 1], at which a value lies."""
        return (self.values.index(value) + 0.5) / len(self.values) if self.values else self.scale.share(value)

    def contains(self, value: Any) -> bool:
        """Return whether a value lies on the axis."""
        return value in self.values if self.values else bool(self.scale.low <= value <= self.scale.high)


def point_at(axes: Sequence[Axis], shares: Iterable[float]) -> Point:
    """Return the point whose position on each axis is a given fraction, in [0, 1], of the axis's length."""
    return {axis.name: axis.at(float(share)) for axis, share in zip(axes, shares, strict=True)}


def _scale(low: float, high: float, *, integer: bool = False) -> Scale:
    return Quantity(unit="1", domain="(-inf, inf)", typical=(low, high), integer=integer).scale


def axes_of(formula: Any, over: Mapping[str, Any] | None) -> tuple[Axis, ...]:
    """Return an axis for each range in ``over``; a law's other parameters have axes of their typical ranges.

    >>> from longfat.laws.queues import mm1_wait
    >>> [(axis.name, *axis.ends) for axis in axes_of(mm1_wait, {})]
    [('load', 0.05, 0.95)]
    """
    ranges = arguments("over", over)
    for name, symbol in getattr(formula, "symbols", {}).items():
        ranges.setdefault(name, symbol)
    if over is None and not ranges:
        raise domains.conflict("over = None", "needs a law", "only a law declares ranges of its parameters")
    return tuple(Axis.parse(name, given) for name, given in ranges.items())


def corners(axes: Sequence[Axis], most: int, rng: np.random.Generator) -> list[Point]:
    """Return at most ``most`` corners of a domain: all first values, all last values, and random corners.

    >>> axes = [Axis.parse("load", (0.1, 0.9)), Axis.parse("flows", (1, 3))]
    >>> [list(one.values()) for one in corners(axes, 9, np.random.default_rng(1))]
    [[0.1, 1], [0.9, 3], [0.1, 3], [0.9, 1]]
    """
    names, ends = [axis.name for axis in axes], [axis.ends for axis in axes]
    count = math.prod(map(len, ends))
    if count <= 4096:
        every = [dict(zip(names, values, strict=True)) for values in itertools.product(*ends)]
        middle = every[1:-1]
        if count > most:
            middle = [middle[int(k)] for k in rng.permutation(len(middle))[: max(most - 2, 0)]]
        return [every[0], *every[1:][-1:], *middle][: max(most, 1)]
    drawn = [[values[int(rng.integers(len(values)))] for values in ends] for _ in range(most - 2)]
    extreme = [[values[0] for values in ends], [values[-1] for values in ends]]
    return [dict(zip(names, values, strict=True)) for values in [*extreme, *drawn]]


def latin_hypercube(dimensions: int, count: int, seed: int) -> np.ndarray:
    """Return a Latin hypercube sample of [0, 1)^d: each dimension has one number in each of ``count`` equal strata.

    McKay, Beckman and Conover, Technometrics 21, 1979, section 2.

    >>> sorted(int(4 * share) for share in latin_hypercube(2, 4, 1)[:, 1])
    [0, 1, 2, 3]
    """
    rng = np.random.default_rng(seed)
    strata = rng.permuted(np.tile(np.arange(count), (dimensions, 1)), axis=1).T
    sample: np.ndarray = (strata + rng.random((count, dimensions))) / count
    return sample


def loneliest(
    axes: Sequence[Axis], done: Iterable[tuple[Point, float]], valid: Callable[[Point], bool], rng: np.random.Generator
) -> Point | None:
    """Return the point of a domain that is farthest from all examined points; None if no candidate is valid and new.

    Each point in ``done`` has a weight in (0, 1]: a point of weight one half counts as twice as far away, so that new
    points lie near points that were decided by a small margin.

    >>> axes = [Axis.parse("load", (0.0, 1.0))]
    >>> rng = np.random.default_rng(1)
    >>> round(loneliest(axes, [({"load": 0.0}, 1.0), ({"load": 1.0}, 1.0)], lambda point: True, rng)["load"], 1)
    0.5
    """
    found, best = None, -math.inf
    places = [(np.array([axis.share(point[axis.name]) for axis in axes]), max(weight, LEAST)) for point, weight in done]
    for shares in rng.random((CANDIDATES, len(axes))):
        point = point_at(axes, shares)
        if not valid(point):
            continue
        own = np.array([axis.share(point[axis.name]) for axis in axes])
        score = min((float(np.linalg.norm(own - place)) / weight for place, weight in places), default=math.inf)
        if score > best:
            found, best = point, score
    return found if best > 0 else None


#: Largest number of subexpressions with cases that `cases_of` examines. Our choice: the outermost subexpressions, which
#: are examined first, affect the value most.
OUTERMOST = 8
#: Number of random pairs of points in which `turning_points` searches for a pair with different cases, and number of
#: bisections between the two points of that pair. Our choice: the search misses a case that holds in a twentieth of the
#: domain with a probability of 0.2 %, (1 - 2 * 0.05 * 0.95)^64, and bisection reduces the distance of the points to a
#: millionth.
PAIRS, HALVINGS = 64, 20

Cases = Callable[..., Any]


def cases_of(formula: Any) -> Cases | None:
    """Return a function that finds the case of a formula's sympy expression at a point; None if there are no cases.

    The function takes the formula's arguments. For each subexpression with cases, the outermost first, it returns the
    case that applies: the index of the largest or smallest operand, the integer to which a value is rounded, or the
    index of the condition that holds.

    >>> from longfat.laws.tcp import aimd_utilisation
    >>> cases_of(aimd_utilisation)(buffer=0.5) == cases_of(aimd_utilisation)(buffer=2.0)
    False
    >>> from longfat.laws.queues import mm1_wait
    >>> cases_of(mm1_wait) is None, cases_of(max) is None
    (True, True)
    """
    expr = getattr(formula, "expr", None)
    if expr is None:
        return None
    import sympy

    from longfat.law.sums import Computed

    names, letters = list(formula.symbols), [symbol.sympy for symbol in formula.symbols.values()]
    kinds = sympy.Max, sympy.Min, sympy.floor, sympy.ceiling, sympy.Piecewise
    # Leave out subexpressions that depend on the index of a sum, and subexpressions with functions that only mpmath
    # computes, one number at a time.
    inside = (one for one in sympy.preorder_traversal(expr) if isinstance(one, kinds))
    numeric = (one for one in inside if one.free_symbols <= {*letters} and not one.atoms(Computed))
    parts = list(itertools.islice(dict.fromkeys(numeric), OUTERMOST))
    if not parts:
        return None
    constants = {one: one.evalf(17) for one in expr.atoms(sympy.zeta) if one.is_number}  # NumPy has no zeta function
    decisive = [[value.xreplace(constants) for value in _decisive_values(one)] for one in parts]
    numbers = sympy.lambdify(letters, decisive, modules="numpy", cse=True)

    def cases(**point: Any) -> tuple[Any, ...]:
        with np.errstate(all="ignore"):
            every = numbers(*(np.float64(point[name]) for name in names))
        return tuple(_case(one, values) for one, values in zip(parts, every, strict=True))

    return cases


def _decisive_values(part: Any) -> list[Any]:
    """Return the expressions that decide the case: a Piecewise's conditions, operands of Max or Min, or ``part``."""
    import sympy

    if isinstance(part, sympy.Piecewise):
        return [condition for _, condition in part.args]
    return list(part.args) if isinstance(part, sympy.Max | sympy.Min) else [part]


def _case(part: Any, values: list[Any]) -> Any:
    """Return the case: index of an operand of Max or Min or of a condition, or value of floor or ceil; None if none."""
    import sympy

    if isinstance(part, sympy.Max | sympy.Min):
        return int((np.argmax if isinstance(part, sympy.Max) else np.argmin)(values))
    if isinstance(part, sympy.Piecewise):
        return next((k for k, holds in enumerate(values) if holds), None)
    return float(values[0]) if math.isfinite(values[0]) else None


def turning_points(
    axes: Sequence[Axis], cases: Cases, most: int, valid: Callable[[Point], bool], rng: np.random.Generator
) -> list[Point]:
    """Return pairs of close points of a domain, ``most`` points at most, between which a formula's case changes.

    If ``cases`` returns a tuple of cases, one for each subexpression, pairs are made for the subexpressions in turn,
    except those whose case differs in none of 64 random pairs of points.

    >>> axes = [Axis.parse("load", (0.0, 1.0))]
    >>> some = turning_points(axes, lambda load: load < 0.3, 2, lambda point: True, np.random.default_rng(1))
    >>> [round(one["load"], 5) for one in some]
    [0.3, 0.3]
    """

    def case(place: np.ndarray) -> tuple[Any, ...] | None:
        """Return the tuple of cases at a place in the unit cube; None if its point is outside the domain."""
        point = point_at(axes, place)
        if not valid(point):
            return None
        found = cases(**point)
        return found if isinstance(found, tuple) else (found,)

    found: list[Point] = []
    taken: Counter[int] = Counter()
    while len(found) + 2 <= most:
        ways = rng.random((PAIRS, 2, len(axes)))
        changed = []
        for way, (one, other) in enumerate(ways):
            first, second = case(one), case(other)
            if first is not None and second is not None:
                pairs = enumerate(zip(first, second, strict=True))
                changed += [(taken[k], k, way) for k, (before, after) in pairs if before != after]
        for _, k, way in sorted(changed):
            ends = _halved(case, ways[way][0], ways[way][1], k)
            if ends:
                found += [point_at(axes, end) for end in ends]
                taken[k] += 1
                break
        else:
            break
    return found


def _halved(
    case: Callable[[np.ndarray], tuple[Any, ...] | None], one: np.ndarray, other: np.ndarray, k: int
) -> list[np.ndarray]:
    """Bisect between places of different cases; return the last two places, or none if one is outside the domain."""
    first = case(one)
    for _ in range(HALVINGS):
        middle = (one + other) / 2
        found = case(middle)
        if found is None or first is None:
            return []
        if found[k] == first[k]:
            one = middle
        else:
            other = middle
    return [one, other]

"""Points where a formula changes from one case to another: an error in a condition shows only near such points."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from longfat.testing.domain import Axis, Point, point_at

#: Distinctions of an expression that are looked at. Ours: of nested ones the outermost matter most.
OUTERMOST = 8
#: Pairs of points among which one is looked for whose cases differ, and halvings of the way between them. Ours: a case
#: that holds in a twentieth of the domain is missed with a probability of 0.2 %, (1 - 2 * 0.05 * 0.95)^64, and the last
#: two points are a millionth of their first distance apart.
PAIRS, HALVINGS = 64, 20

Cases = Callable[..., Any]


def cases_of(formula: Any) -> Cases | None:
    """Return a function that distinguishes the cases of a formula with a sympy expression; None if there are no cases.

    It takes the formula's arguments, and returns for each distinction of the expression, the outermost first, which of
    its cases applies: the largest or smallest of some values, the integer to which a value is rounded, the condition
    that holds.

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
    # A distinction between the terms of a sum is none of the formula. A function computed in mpmath has no arrays.
    inside = (one for one in sympy.preorder_traversal(expr) if isinstance(one, kinds))
    numeric = (one for one in inside if one.free_symbols <= {*letters} and not one.atoms(Computed))
    parts = list(itertools.islice(dict.fromkeys(numeric), OUTERMOST))
    if not parts:
        return None
    numbers = sympy.lambdify(letters, [_decisive_values(one) for one in parts], modules="numpy", cse=True)

    def cases(**point: Any) -> tuple[Any, ...]:
        with np.errstate(all="ignore"):
            every = numbers(*(np.float64(point[name]) for name in names))
        return tuple(_case(one, values) for one, values in zip(parts, every, strict=True))

    return cases


def _decisive_values(part: Any) -> list[Any]:
    """Return the values that decide between the cases of an expression: conditions, operands, or its value."""
    import sympy

    if isinstance(part, sympy.Piecewise):
        return [condition for _, condition in part.args]
    return list(part.args) if isinstance(part, sympy.Max | sympy.Min) else [part]


def _case(part: Any, values: list[Any]) -> Any:
    """Return the number of the case that applies."""
    import sympy

    if isinstance(part, sympy.Max | sympy.Min):
        return int((np.argmax if isinstance(part, sympy.Max) else np.argmin)(values))
    if isinstance(part, sympy.Piecewise):
        return next((k for k, holds in enumerate(values) if holds), None)
    return float(values[0]) if math.isfinite(values[0]) else None


def turning_points(
    axes: Sequence[Axis], cases: Cases, most: int, valid: Callable[[Point], bool], rng: np.random.Generator
) -> list[Point]:
    """Return pairs of neighbouring points of a domain between which a formula's case changes.

    Parameters
    ----------
    axes : sequence of Axis
        The domain.
    cases : callable
        Takes a point's values by name; returns the case, or a tuple with one for each distinction. The pairs take the
        distinctions in turn, but those of which 64 random pairs of points show no change.
    most : int
        Largest number of points.
    valid : callable
        Returns whether a point belongs to the domain.
    rng : numpy.random.Generator
        Source of the points.

    Examples
    --------
    >>> axes = [Axis.parse("load", (0.0, 1.0))]
    >>> some = turning_points(axes, lambda load: load < 0.3, 2, lambda point: True, np.random.default_rng(1))
    >>> [round(one["load"], 5) for one in some]
    [0.3, 0.3]
    """
    found: list[Point] = []
    taken: dict[int, int] = {}
    while len(found) + 2 <= most:
        ways = [rng.random((2, len(axes))) for _ in range(PAIRS)]
        changed = [(taken.get(k, 0), k, way) for way in range(PAIRS) for k in _changed(axes, cases, valid, *ways[way])]
        for _, k, way in sorted(changed):
            one, other = ways[way]
            pair = _halved(axes, cases, valid, one, other, k)
            if pair:
                found += pair
                taken[k] = taken.get(k, 0) + 1
                break
        else:
            break
    return found


def _case_values(cases: Cases, point: Point) -> tuple[Any, ...]:
    case = cases(**point)
    return case if isinstance(case, tuple) else (case,)


def _changed(
    axes: Sequence[Axis], cases: Cases, valid: Callable[[Point], bool], one: np.ndarray, other: np.ndarray
) -> list[int]:
    """Return the distinctions whose cases differ between two places of the domain."""
    points = [point_at(axes, place) for place in (one, other)]
    if not all(valid(point) for point in points):
        return []
    pairs = zip(*(_case_values(cases, point) for point in points), strict=True)
    return [k for k, (first, second) in enumerate(pairs) if first != second]


def _halved(
    axes: Sequence[Axis], cases: Cases, valid: Callable[[Point], bool], one: np.ndarray, other: np.ndarray, k: int
) -> list[Point]:
    """Return two points between which a case changes, by bisection between two places; none outside the domain."""
    case = _case_values(cases, point_at(axes, one))[k]
    for _ in range(HALVINGS):
        middle = (one + other) / 2
        if not valid(point_at(axes, middle)):
            return []
        if _case_values(cases, point_at(axes, middle))[k] == case:
            one = middle
        else:
            other = middle
    return [point_at(axes, one), point_at(axes, other)]

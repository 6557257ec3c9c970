"""Tests for pytest that check a formula against a simulator in a whole domain, or a plug-in against its rules.

A test of a formula that fails searches for the simplest point at which the formula differs.
"""

from __future__ import annotations

import functools
import math
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

from longfat.base import domains
from longfat.testing.comparing import Comparison, compare
from longfat.testing.domain import Axis, Cases, Point, axes_of, cases_of, corners, loneliest, turning_points
from longfat.testing.evidence import Interval
from longfat.testing.seeded_runs import Simulator, seed_of


@dataclass(frozen=True)
class Allowance:
    """Error rate of a test, its largest number of replications, and the session's seed; set by the pytest plug-in.

    ``report`` takes the name of the formula, each comparison and the number of points.
    """

    alpha: float = 1e-6
    budget: int = 100_000
    seed: int = 0
    report: Callable[[str, Comparison, int], None] = lambda name, found, points: None


#: Error rate, budget, seed and callback of the running test.
ALLOWANCE: ContextVar[Allowance] = ContextVar("allowance", default=Allowance())  # noqa: B039  # it is frozen


class Disagreement(AssertionError):
    """Failure of a test: a formula differs from its simulator, or the budget was spent before a verdict."""


def holds(
    formula: Callable[..., Any],
    simulator: Simulator,
    *,
    over: Mapping[str, Any] | None = None,
    within: float | str,
    of: str | float = "mean",
    bounds: Interval | None = None,
    deterministic: bool = False,
    where: Callable[..., Any] | None = None,
    points: int = 12,
    power: float = 0.99,
    cases: Callable[..., Any] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorate a test: it then passes only if a formula agrees with a simulator at points chosen in a domain.

    Parameters
    ----------
    formula, simulator : callable
        As for `compare`. They are called by name with the arguments that ``over`` lists.
    over : mapping, optional
        Range of each argument: (low, high), where two integers mean a range of integers; a quantity with a typical
        range, such as a law's `Symbol`; a list of values, the simplest first; or a single value. A law has the typical
        ranges of its parameters where none is given.
    within, of, bounds, deterministic, power
        As for `compare`.
    where : callable, optional
        Condition that points must fulfil, on the same arguments. A law's validity is required as well.
    points : int
        Number of points: corners of the domain first, half of the points at most; then, for half of the others, pairs
        on both sides of a place where the formula's case changes; then the points farthest from all others, where a
        point that agreed by a small margin counts as farther away.
    cases : callable, optional
        Takes the same arguments; returns any value that identifies the case of the formula that applies, or a tuple of
        such values. By default a law, or another formula with a sympy expression ``expr``, has the cases of its
        expression.

    Returns
    -------
    callable
        Decorator of the test. The test's own body, often empty, runs first; its fixtures are as usual.

    Raises
    ------
    Disagreement
        By the test, if the formula differs at a point (the message has the simplest such point found), or if the
        budget does not suffice.

    Notes
    -----
    With longfat installed, pytest has the options ``--longfat-budget`` (replications of each such test) and
    ``--longfat-seed``, and prints a table of all points. The error of 1e-6 is shared by all points of all such tests
    of a session: it is the probability that any of them fails wrongly. ``power`` holds for each point.

    Examples
    --------
    >>> import numpy as np
    >>> def simulated_wait(rng, load):
    ...     return np.random.default_rng(rng).exponential(load / (1 - load), size=1000).mean()
    >>> @holds(lambda load: load / (1 - load), simulated_wait, over={"load": (0.1, 0.9)}, within="5 %", points=3)
    ... def test_wait():
    ...     pass
    >>> test_wait()
    """
    options = {"within": within, "of": of, "bounds": bounds, "deterministic": deterministic, "power": power}
    made = Claim(formula, simulator, axes_of(formula, over), where, options, cases)
    points = domains.integer("points", points, "points", "[1, 1e6]")

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def test(*args: Any, **kwargs: Any) -> None:
            __tracebackhide__ = True  # pytest shows the message, not this frame
            function(*args, **kwargs)
            allowance = ALLOWANCE.get()
            found, complete = made.examine(points, allowance)
            undecided = [one for one in found if one.verdict == "undecided"]
            if found[-1].verdict == "differs":
                raise Disagreement(f"{made.name} {found[-1]}\n{example(made, found[-1], budget=allowance.budget)}")
            if undecided:
                raise Disagreement(f"{made.name} {undecided[0]}")
            if not complete:
                raise Disagreement(f"{made.name}: the budget was spent after {len(found)} of {points} points")

        test.longfat_claim = made  # type: ignore[attr-defined]  # by which pytest's plugin knows the test
        return test

    return decorate


def conforms(plug_in: Any, **options: Any) -> Callable[[], None]:
    """Return a test for pytest that passes if a scheme, discipline or service obeys the simulator's rules for it.

    In a file of tests, ``test_mine = longfat.testing.conforms(MINE)`` is enough. The rules are those of
    `longfat.sim.conformance`; the test fails with its report.

    Parameters
    ----------
    plug_in : Scheme, Discipline, Service or str
        Plug-in to check, or its name.
    **options
        Arguments of `longfat.sim.conformance`.

    Examples
    --------
    >>> from longfat import testing
    >>> test_reno = testing.conforms("reno")
    """

    def test() -> None:
        from longfat.sim import conformance

        report = conformance(plug_in, **{"progress": False, **options})
        if not report.passed:
            raise AssertionError(str(report))

    return test


@dataclass(frozen=True)
class Claim:
    """Claim that a formula agrees with a simulator, to an accuracy, at all points of a domain.

    ``formula``, ``simulator``, ``where`` and ``cases`` are arguments of `longfat.testing.holds`. ``options`` are
    arguments of `longfat.testing.compare`: ``within``, and optionally all others except ``alpha``, ``budget``, ``rng``.

    >>> axes = (Axis.parse("load", (0.1, 0.9)),)
    >>> Claim(lambda load: load, lambda rng, load: load, axes, None, {"within": 0.1}).valid({"load": 1.0})
    False
    """

    formula: Callable[..., Any]
    simulator: Simulator
    axes: tuple[Axis, ...]
    where: Callable[..., Any] | None
    options: Mapping[str, Any]
    cases: Cases | None = None

    @property
    def name(self) -> str:
        """Name of the formula."""
        return str(getattr(self.formula, "public_name", getattr(self.formula, "__qualname__", repr(self.formula))))

    def valid(self, point: Point) -> bool:
        """Return whether a point is within all axes, fulfils ``where``, and, for a law, is in its validity range."""
        if not all(axis.contains(point[axis.name]) for axis in self.axes):
            return False
        validity = getattr(self.formula, "validity", None)
        return (self.where is None or bool(self.where(**point))) and (validity is None or bool(validity(**point)))

    def compared(self, point: Point, *, alpha: float, budget: int, seed: int) -> Comparison:
        """Compare formula and simulator at one point."""
        return compare(self.formula, self.simulator, point, alpha=alpha, budget=budget, rng=seed, **self.options)

    def examine(self, points: int, allowed: Allowance) -> tuple[list[Comparison], bool]:
        """Compare at up to ``points`` points, until one differs; return comparisons, and whether the budget sufficed.

        The first points are corners, up to half of all points. About half of the others are pairs of points between
        which the formula's case changes. `loneliest` chooses the rest. A domain may have fewer points than ``points``.
        Each comparison has the allowed error rate divided by ``points``, and may use half of the budget that is left.
        """
        rng = np.random.default_rng([allowed.seed, zlib.crc32(self.name.encode())])
        # At most half of the points are corners. Our choice: with four parameters the corners alone would use up a
        # usual number of points, and errors may also lie inside the domain.
        first = [point for point in corners(self.axes, (points + 1) // 2, rng) if self.valid(point)]
        cases = self.cases or cases_of(self.formula)
        if cases:
            first += turning_points(self.axes, cases, 2 * ((points - len(first) + 2) // 4), self.valid, rng)
        found: list[Comparison] = []
        left = allowed.budget
        while len(found) < points:
            if left < 2:
                return found, False
            done = [(dict(one.point), margin(one)) for one in found]
            point = first.pop(0) if first else loneliest(self.axes, done, self.valid, rng)
            if point is None:
                break
            own = int(rng.integers(2**63))
            one = self.compared(point, alpha=allowed.alpha / points, budget=max(2, left // 2), seed=own)
            left -= one.replications
            found.append(one)
            allowed.report(self.name, one, points)
            if one.verdict == "differs":
                break
        if not found:
            raise domains.conflict(f"the domain of {self.name}", "needs a point", "no corner and no candidate is valid")
        return found, True


def margin(found: Comparison) -> float:
    """Return the margin of a comparison that agrees, 1 - deviation/(2 accuracy), in [0, 1]; 0 for other verdicts.

    >>> at = Comparison("agrees", 1.0, 1.5, (1.4, 1.6), 10, 10, 0.5, 1e-6, 0.99, {}, 1)
    >>> margin(at)
    0.5
    """
    if found.verdict != "agrees":
        return 0.0
    return max(0.0, 1 - math.fabs(found.formula - found.estimate) / (2 * found.within))


#: Error rate of each comparison while shrinking, and largest number of comparisons. Our choice: the product of both,
#: 2e-7, is an upper bound on the probability that the formula is right at the simplest point found.
OVERWHELMING, TRIES = 1e-9, 200
#: A comparison at a simpler point may have PATIENCE times the replications of the comparison at the simplest point so
#: far, and at least LEAST_PATIENCE. Our choice: a simpler point at which the difference needs more replications is
#: rejected, because it shows the difference less clearly.
PATIENCE, LEAST_PATIENCE = 2, 100


def shrink(made: Claim, found: Comparison, *, budget: int) -> tuple[Comparison, int]:
    """Search for the simplest point at which a claim is still false; return the comparison, and the number of tries.

    The search begins with a comparison that found a difference. Integers become smaller, so a network has fewer flows
    or hops if these are arguments. Other numbers become smaller and rounder, so a run becomes shorter if its duration
    is an argument. If the values of an argument are listed, earlier ones are simpler. A simpler point is accepted only
    with overwhelming evidence: a new comparison must find the difference in about as few replications as the last one.
    """
    best, tries, left = found, 0, budget
    improved = True
    while improved:
        improved = False
        for axis in made.axes:
            for candidate in candidates(axis, best.point[axis.name]):
                patience = min(left, max(LEAST_PATIENCE, PATIENCE * best.replications))
                point: Point = {**best.point, axis.name: candidate}
                if tries >= TRIES or patience < 2:
                    return best, tries
                if not made.valid(point):
                    continue
                tries += 1
                one = _tried(made, point, patience, found.seed + tries)
                left -= one.replications if one else 0
                if one and one.verdict == "differs":
                    best, improved = one, True
                    break
    return best, tries


def candidates(axis: Axis, value: Any) -> Iterator[Any]:
    """Yield the values of an axis that are simpler than ``value``, the simplest first.

    >>> list(candidates(Axis.parse("flows", (1, 50)), 17))
    [1, 9, 13, 15, 16]
    >>> list(candidates(Axis.parse("load", (0.1, 0.9)), 0.8274691))
    [0.1, 0.2, 0.5, 0.8, 0.83, 0.827]
    >>> list(candidates(Axis.parse("k", [2, 4, 8]), 8))
    [2, 4]
    """
    if axis.values:
        yield from axis.values[: axis.values.index(value)]
    elif axis.scale.quantity.integer:
        low = round(axis.scale.low)
        step = value - low
        while step > 0:
            yield value - step
            step = min(step // 2, value - low - 1)
    else:
        own = _simplicity(value)
        rounded = [float(f"{value:.{digits}g}") for digits in (1, 2, 3)]
        for one in dict.fromkeys([*_round_numbers(axis.scale.low, value), *rounded]):
            if axis.contains(one) and _simplicity(one) < own:
                yield one


def _round_numbers(low: float, high: float) -> list[float]:
    """Return the round numbers from ``low`` to ``high``: 0, and 1, 2 and 5 times the four largest powers of ten.

    >>> _round_numbers(0.0, 30.0)
    [0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0]
    """
    zero = [0.0] if low <= 0 <= high else []
    if high <= 0:
        return zero
    top = math.floor(math.log10(high))
    numbers = [float(f"{digit}e{power}") for power in range(top - 3, top + 1) for digit in (1, 2, 5)]
    return zero + [one for one in numbers if low <= one <= high and one > 0]


def _simplicity(value: float) -> tuple[int, float]:
    """Return a key that is smaller for simpler numbers: fewer digits first, then a smaller absolute value.

    >>> _simplicity(0.25) < _simplicity(0.125), _simplicity(1e-6) < _simplicity(0.5) < _simplicity(12.0)
    (True, True)
    """
    digits = next(digits for digits in range(1, 18) if float(f"{value:.{digits}g}") == value or digits == 17)
    return digits, abs(value)


def _tried(made: Claim, point: Point, budget: int, seed: int) -> Comparison | None:
    """Compare at a point; return None if the formula or the simulator refuses the point."""
    try:
        return made.compared(point, alpha=OVERWHELMING, budget=budget, seed=seed)
    except (ValueError, ArithmeticError):
        return None


def repeated(made: Claim, best: Comparison) -> str:
    """Return five lines of Python that repeat the comparison of a claim at a point."""
    options = {
        name: value
        for name, value in made.options.items()
        if value != {"of": "mean", "bounds": None, "deterministic": False, "power": 0.99}.get(name)
    }
    given = ", ".join(
        f"{name}={value!r}" for name, value in (options | {"alpha": best.alpha, "rng": best.seed}).items()
    )
    formula, simulator = _imported(made.formula, "formula"), _imported(made.simulator, "simulator")
    lines = [
        "import longfat as lf",
        "; ".join(dict.fromkeys((formula[1], simulator[1]))),
        f"point = {dict(best.point)!r}",
        f"found = lf.testing.compare({formula[0]}, {simulator[0]}, point, {given})",
        f"print(found)  # {best}",
    ]
    return "\n".join(lines)


def scenario(made: Claim, best: Comparison) -> str:
    """Return the scenario file of the first replication of a comparison; empty if the simulator writes none."""
    toml = getattr(made.simulator, "toml", None)
    return toml(seed_of(best.seed, 0), **best.point) if toml else ""


def example(made: Claim, found: Comparison, *, budget: int) -> str:
    """Return a text with the simplest point at which a claim is false, and how to repeat the comparison there."""
    best, tries = shrink(made, found, budget=budget)
    text, toml = f"Simplest point of {tries} tried:\n\n{_indented(repeated(made, best))}", scenario(made, best)
    return f"{text}\n\nOne replication as a scenario:\n\n{_indented(toml)}" if toml else text


def _imported(one: Any, role: str) -> tuple[str, str]:
    """Return a name for a function, and the statement that imports it, or a comment on where it is defined."""
    name = str(getattr(one, "__qualname__", ""))
    if name.isidentifier():
        return name, f"from {getattr(one, '__module__', '')} import {name}"
    code = getattr(one, "__code__", None)
    return role, f"{role} = ...  # " + (f"{code.co_filename}:{code.co_firstlineno}" if code else repr(one))


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in text.strip().splitlines())

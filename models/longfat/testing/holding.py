"""Tests for pytest that check a formula against a simulator in a whole domain, or a plug-in against its rules."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from longfat.base import domains
from longfat.testing.claims import Claim, example
from longfat.testing.comparing import Comparison
from longfat.testing.domain import axes_of
from longfat.testing.evidence import Interval
from longfat.testing.seeded_runs import Simulator


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
            found, complete = made.examine(
                points,
                alpha=allowance.alpha,
                budget=allowance.budget,
                seed=allowance.seed,
                report=lambda one: allowance.report(made.name, one, points),
            )
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

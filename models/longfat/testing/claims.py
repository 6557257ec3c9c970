"""A claim: that a formula agrees with a simulator all over a domain."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from longfat.base import domains
from longfat.testing.cases import Cases, cases_of, turning_points
from longfat.testing.comparing import Comparison, compare
from longfat.testing.domain import Axis, Point, axes_of, corners, loneliest
from longfat.testing.evidence import Interval
from longfat.testing.seeded_runs import Simulator


@dataclass(frozen=True)
class Claim:
    """A formula, a simulator, a domain and an accuracy.

    Parameters
    ----------
    formula, simulator : callable
        As for `longfat.testing.compare`.
    axes : tuple of Axis
        The domain.
    where : callable, optional
        Condition for the points of the domain, on some of their arguments by name.
    options : mapping
        Options of `longfat.testing.compare`: ``within`` and any but ``alpha``, ``budget`` and ``rng``.
    cases : callable, optional
        Tells which case of the formula applies at a point, as for `longfat.testing.holds`.
    """

    formula: Callable[..., Any]
    simulator: Simulator
    axes: tuple[Axis, ...]
    where: Callable[..., Any] | None
    options: Mapping[str, Any]
    cases: Cases | None = field(default=None, kw_only=True)

    @property
    def name(self) -> str:
        """Name of the formula."""
        return str(getattr(self.formula, "public_name", getattr(self.formula, "__qualname__", repr(self.formula))))

    def valid(self, point: Point) -> bool:
        """Return whether a point is in the domain: on the axes, within the condition and a law's validity."""
        if not all(axis.contains(point[axis.name]) for axis in self.axes):
            return False
        validity = getattr(self.formula, "validity", None)
        return (self.where is None or bool(self.where(**point))) and (validity is None or bool(validity(**point)))

    def compared(self, point: Point, *, alpha: float, budget: int, seed: int) -> Comparison:
        """Return the comparison at one point."""
        return compare(self.formula, self.simulator, point, alpha=alpha, budget=budget, rng=seed, **self.options)

    def examine(
        self, points: int, *, alpha: float, budget: int, seed: int, report: Callable[[Comparison], None]
    ) -> tuple[list[Comparison], bool]:
        """Compare at points until one differs or the budget is spent; return the comparisons, and whether it sufficed.

        Corners come first, up to half of the points; half of the others are pairs on both sides of a place where the
        formula's case changes; then come the places about which the least is known. A domain may have fewer points than
        wanted. Each comparison has the same share of ``alpha``, and may spend half of the
        replications that are left.
        """
        rng = np.random.default_rng([seed, zlib.crc32(self.name.encode())])
        # Ours: a domain of four parameters has more corners than the points that are usual, and errors inside it.
        first = [point for point in corners(self.axes, (points + 1) // 2, rng) if self.valid(point)]
        cases = self.cases or cases_of(self.formula)
        if cases:
            first += turning_points(self.axes, cases, 2 * ((points - len(first) + 2) // 4), self.valid, rng)
        found: list[Comparison] = []
        left = budget
        while len(found) < points:
            if left < 2:
                return found, False
            done = [(dict(one.point), margin(one)) for one in found]
            point = first.pop(0) if first else loneliest(self.axes, done, self.valid, rng)
            if point is None:
                break
            own = int(rng.integers(2**63))
            one = self.compared(point, alpha=alpha / points, budget=max(2, left // 2), seed=own)
            left -= one.replications
            found.append(one)
            report(one)
            if one.verdict == "differs":
                break
        if not found:
            raise domains.conflict(f"the domain of {self.name}", "needs a point", "no corner and no candidate is valid")
        return found, True


def claim(
    formula: Callable[..., Any],
    simulator: Simulator,
    *,
    over: Mapping[str, Any] | None = None,
    within: float | str,
    of: str | float = "mean",
    bounds: Interval | None = None,
    deterministic: bool = False,
    where: Callable[..., Any] | None = None,
    power: float = 0.99,
    cases: Cases | None = None,
) -> Claim:
    """Return the claim that a formula agrees with a simulator; arguments as for `longfat.testing.holds`.

    >>> claim(lambda load: load, lambda rng, load: load, over={"load": (0.1, 0.9)}, within=0.1).valid({"load": 1.0})
    False
    """
    options = {"within": within, "of": of, "bounds": bounds, "deterministic": deterministic, "power": power}
    return Claim(formula, simulator, axes_of(formula, over), where, options, cases=cases)


def margin(found: Comparison) -> float:
    """Return the margin 1 - deviation/(2 accuracy), in [0, 1]; 0 without the verdict "agrees".

    >>> at = Comparison("agrees", 1.0, 1.5, (1.4, 1.6), 10, 10, 0.5, 1e-6, 0.99, {}, 1)
    >>> margin(at)
    0.5
    """
    if found.verdict != "agrees":
        return 0.0
    return max(0.0, 1 - math.fabs(found.formula - found.estimate) / (2 * found.within))

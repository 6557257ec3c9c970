"""Test that decides which of two formulas is nearer to a simulator, with common random numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from longfat.base import domains
from longfat.testing.comparing import EQUAL
from longfat.testing.evidence import Interval, Normal
from longfat.testing.seeded_runs import Simulator, arguments, samples, shown


@dataclass(frozen=True)
class Nearer:
    """Result of `nearer`: which of two formulas has the smaller mean squared deviation from a simulator.

    Parameters
    ----------
    verdict : {"first", "second", "undecided"}
        The formula with the smaller mean squared deviation from the simulated means.
    advantage : float
        Estimate of the second formula's mean squared deviation minus that of the first.
    interval : (float, float)
        Confidence sequence of the advantage, with the confidence 1 - ``alpha``.
    replications : int
        Replications of each point.
    runs : int
        Runs of the simulator, over all points.
    independent : float
        Approximate number of runs for the same decision if each formula and each point had its own random numbers,
        from the variances of this sample; NaN if all differences are equal.
    alpha : float
        Probability of a wrong verdict.
    seed : int
        Seed; as ``rng`` it repeats the comparison.
    """

    verdict: Literal["first", "second", "undecided"]
    advantage: float
    interval: Interval
    replications: int
    runs: int
    independent: float
    alpha: float
    seed: int

    def __str__(self) -> str:
        low, high = self.interval
        text = "undecided" if self.verdict == "undecided" else f"the {self.verdict} formula is nearer"
        return (
            f"{text}: advantage of the first {self.advantage:.4g} in [{low:.4g}, {high:.4g}], {self.runs} runs; "
            f"independent random numbers would take about {self.independent:.2g}"
        )


def nearer(
    first: Callable[..., Any],
    second: Callable[..., Any],
    simulator: Simulator,
    points: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    *,
    relative: bool = False,
    alpha: float = 1e-6,
    budget: int = 100_000,
    rng: Any = None,
) -> Nearer:
    r"""Run a simulator until a test decides which of two formulas has the smaller mean squared deviation from it.

    .. math:: D = \frac{1}{P} \sum_p \left[(x_p - f_{2,p})^2 - (x_p - f_{1,p})^2\right]

    Parameters
    ----------
    first, second : callable
        The formulas f, called as ``first(**point)``.
    simulator : callable
        One replication, as `compare` takes it.
    points : mapping or sequence of mapping, optional
        One point, or P of them; the deviations at all points have equal weight.
    relative : bool
        Whether the deviations at each point are divided by the mean of the two formulas' absolute values.
    alpha : float
        Probability of a wrong verdict, in (0, 1).
    budget : int
        Largest number of replications of each point.
    rng : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Source of the seeds.

    Notes
    -----
    A replication x has the mean squared deviation (mean - f)^2 + variance from a formula. With the same x for both
    formulas the variance cancels: D is linear in x, and varies less if the formulas are nearer to each other. The same
    seed serves all points of a replication. The sign of the mean of D is decided as `compare` decides about means
    without bounds, with `longfat.testing.evidence.Normal`.

    Examples
    --------
    >>> import numpy as np
    >>> def simulator(rng, load):
    ...     return np.random.default_rng(rng).exponential(1 / (1 - load), size=100).mean()
    >>> found = nearer(lambda load: 1 / (1 - load), lambda load: 1 + load, simulator, {"load": 0.5}, rng=1)
    >>> found.verdict, found.independent > found.runs
    ('first', True)
    """
    alpha = domains.number("alpha", alpha, "probability", "(0, 1)")
    budget = domains.integer("budget", budget, "replications", "[2, inf)")
    seed = domains.seed_of(rng)
    listed = points if isinstance(points, list | tuple) else [points]
    places = [arguments("points", one) for one in listed]
    if not places:
        raise domains.out_of_range("points", points, "1", "one point or more")
    formulas = np.array([
        [domains.number(f"{name}({shown(one)})", formula(**one), "1", "(-inf, inf)") for one in places]
        for name, formula in (("first", first), ("second", second))
    ])  # fmt: skip
    scales = np.abs(formulas).mean(axis=0) if relative else np.ones(len(places))
    if not scales.all():
        raise domains.conflict("relative = True", "needs formulas other than 0")
    verdict: Literal["first", "second", "undecided"] = "undecided"
    for values, _ in samples(simulator, places, seed, budget):
        size, squares = len(values), ((values - formulas[:, None, :]) / scales) ** 2
        sample = Normal((squares[1] - squares[0]).mean(axis=1))
        if sample.above(0.0) >= -math.log(alpha):
            verdict = "first"
        elif sample.below(0.0) >= -math.log(alpha):
            verdict = "second"
        if verdict != "undecided" or (size >= EQUAL and sample.variance == 0):
            break
    runs = size * len(places)
    # With independent random numbers, each formula would need its own run at each point, and the variances would add:
    # `apart` is their sum. `independent` is the number of runs that would then be needed.
    apart = 2 * float(squares.var(axis=1).sum()) / len(places) ** 2
    independent = runs * apart / sample.variance if sample.variance else math.nan
    return Nearer(verdict, sample.estimate, sample.interval(alpha), size, runs, independent, alpha, seed)

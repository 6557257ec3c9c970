"""Comparison of a formula with a simulator at one point, by a sequential test that bounds both error rates.

A second test decides which of two formulas is nearer to a simulator, with common random numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from longfat.base import domains, quantities
from longfat.testing.evidence import Bounded, Evidence, Interval, Normal, Quantile
from longfat.testing.seeded_runs import Simulator, arguments, run_once, samples, seed_of, shown

Verdict = Literal["agrees", "differs", "undecided"]

#: A comparison of means ends as undecided after this number of replications if all results are equal. Our choice: equal
#: results are no evidence, because a rare event of the simulator may not have occurred yet. With unequal results, this
#: number would be enough for a verdict at the default alpha.
EQUAL = 100

#: Sample skewness above which a comparison of means adds a remark that its error rates may exceed the stated ones. Our
#: choice by experiments (docs/testing.md): for results with an exponential distribution, of skewness 2, the stated
#: error rates hold, and 0.3 % of the samples have a skewness above 3. For results with heavier tails the error rates
#: are up to sixteen times the stated ones, and at least three quarters of the samples have a skewness above 3.
HEAVY = 3.0

LOG10 = math.log(10)


@dataclass(frozen=True)
class Comparison:
    """Result of comparing a formula with a simulator at one point.

    Parameters
    ----------
    verdict : {"agrees", "differs", "undecided"}
        "differs": the deviation is above ``within``; this verdict is wrong with a probability of at most ``alpha``.
        "agrees": the deviation is below ``power_at`` (by default 2) times ``within``; wrong with a probability of at
        most 1 - ``power``.
    formula, estimate : float
        Value of the formula, and the simulator's estimate of it.
    interval : (float, float)
        Limits of the simulated value after the last replication, from a confidence sequence of confidence ``power``.
    replications : int
        Number of replications.
    needed : float
        For "undecided" the estimated number of replications until a verdict; infinite or NaN if there is no estimate.
    within, alpha, power : float
        The accuracy in the formula's unit, and the error rates.
    point : mapping
        Arguments of the formula and of the simulator, by name.
    seed : int
        Seed; as ``rng`` it repeats the comparison.
    cost : float
        Total cost of the replications, if the simulator returns costs; NaN otherwise.
    remark : str
        Why there is no verdict, and whether the results are too skewed for the stated error rates.
    agreement, difference : float
        Evidence for "agrees" and for "differs": logarithms to the base 10 of e-values; infinite without randomness. If
        the deviation is at least ``power_at`` times ``within``, the e-value for "agrees" has a mean of at most 1; if it
        is at most ``within``, that for "differs".
    """

    verdict: Verdict
    formula: float
    estimate: float
    interval: Interval
    replications: int
    needed: float
    within: float
    alpha: float
    power: float
    point: Mapping[str, Any]
    seed: int
    cost: float = math.nan
    remark: str = field(default="")
    agreement: float = math.nan
    difference: float = math.nan

    def __str__(self) -> str:
        low, high = self.interval
        where = f" at {shown(self.point)}" if self.point else ""
        text = (
            f"{self.verdict}{where}: formula {self.formula:.6g}, simulator {self.estimate:.6g} in "
            f"[{low:.6g}, {high:.6g}], {self.within:.3g} allowed, {self.replications} replications"
        )
        return f"{text}; {self.remark}" if self.remark else text


def compare(
    formula: Callable[..., Any],
    simulator: Simulator,
    point: Mapping[str, Any] | None = None,
    *,
    within: float | str | Callable[..., float],
    of: str | float = "mean",
    bounds: Interval | None = None,
    deterministic: bool = False,
    alpha: float = 1e-6,
    power: float = 0.99,
    power_at: float = 2.0,
    budget: int = 100_000,
    rng: Any = None,
) -> Comparison:
    r"""Run a simulator until a sequential test decides whether a formula is within a stated accuracy.

    Parameters
    ----------
    formula : callable
        Called as ``formula(**point)``; returns a number.
    simulator : callable
        One replication, called as ``simulator(seed, **point)`` with an integer seed of its own; returns a number, or a
        number and its cost (in packets, say).
    point : mapping, optional
        Arguments of both, by name.
    within : float, str or callable
        Accuracy w: a number in the formula's unit, a percentage of the formula's value such as ``"5 %"``, or a function
        of the point that returns either.
    of : "mean" or float
        Statistic that the formula gives: the mean of the simulator's results, or their quantile of this probability, in
        (0, 1).
    bounds : (float, float), optional
        Interval that all results lie in, for means: the error rates then hold without a normal distribution.
    deterministic : bool
        Whether the simulator draws no random numbers: then two replications decide, or one if the simulator itself has
        a true attribute ``deterministic``.
    alpha : float
        Largest probability of "differs" if the deviation is at most w, in (0, 1).
    power : float
        One minus the largest probability of "agrees" if the deviation is ``power_at`` times w or more, in (0, 1).
    power_at : float
        Least deviation at which "agrees" is wrong, divided by w; at least 1. If it is 1, the nearer the deviation is to
        w, the more replications a verdict takes: set ``budget``.
    budget : int
        Largest number of replications.
    rng : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Source of the seeds.

    Raises
    ------
    TypeError, ValueError
        For an argument of a wrong type or outside its range, and for a result that is not a finite number.

    Notes
    -----
    The evidence is examined at looks, each after a quarter more replications than the one before. "differs" needs the
    evidence 1/alpha against all values within w of the formula, "agrees" the evidence 1/(1 - power) against all values
    2 w or more away. Every true value is outside one of these two sets, so the test ends with probability 1. It takes
    longest at a deviation of 1.5 w, which is equally near to both. A deviation between w and 2 w may get either
    verdict. ``power_at`` replaces the factor 2.

    For a mean without ``bounds`` the results are taken as normal with unknown variance, so one replication should be
    an average over many events. Skewness is estimated and allowed for, which keeps the error rates near the stated ones
    for skewnesses of one or two, but not for rare events: a probability of 0.001 needs ``bounds=(0, 1)``. See
    `longfat.testing.evidence` for the theorems. ``remark`` warns of a sample whose skewness g1 (Joanes and Gill 1998)
    exceeds 3. A missing remark proves nothing: the sample may lack values of a heavy tail so far, and such samples give
    wrong verdicts. Where results of single replications may be heavy-tailed, give ``bounds``, or compare a quantile.

    The verdict is about the mean of the simulator's results. A bias of the simulator, such as a warm-up that is
    counted, is not noticed: a correct formula then differs.

    Examples
    --------
    >>> import numpy as np
    >>> def simulator(rng, load):
    ...     return np.random.default_rng(rng).exponential(1 / (1 - load), size=100).mean()
    >>> right = compare(lambda load: 1 / (1 - load), simulator, {"load": 0.5}, within="5 %", rng=1)
    >>> wrong = compare(lambda load: 1 + load, simulator, {"load": 0.5}, within="5 %", rng=1)
    >>> right.verdict, wrong.verdict, wrong.replications < 100
    ('agrees', 'differs', True)

    References
    ----------
    D. J. Schuirmann, A comparison of the two one-sided tests procedure and the power approach for assessing the
    equivalence of average bioavailability, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987), 657-680: why
    "agrees" needs no correction for its two sides.
    D. N. Joanes and C. A. Gill, Comparing measures of sample skewness and kurtosis, The Statistician 47 (1998),
    183-189: g1, the third central moment of a sample over the power 3/2 of its second.
    """
    point = arguments("point", point)
    alpha = domains.number("alpha", alpha, "probability", "(0, 1)")
    power = domains.number("power", power, "probability", "(0, 1)")
    power_at = domains.number("power_at", power_at, "1", "[1, inf)")
    budget = domains.integer("budget", budget, "replications", "[2, inf)")
    seed = domains.seed_of(rng)
    value = domains.number("the formula's value", formula(**point), "1", "(-inf, inf)")
    accuracy = tolerance(within(**point) if callable(within) else within, value)
    made = _maker(of, bounds)
    declared = bool(getattr(simulator, "deterministic", False))
    if deterministic or declared:
        runs = 1 if declared else 2
        return _without_randomness(simulator, runs, value, accuracy, alpha, power, point, seed)
    remarks = []
    for drawn in samples(simulator, [point], seed, budget):
        values, cost = drawn
        size, evidence = len(values), made(values[:, 0])
        apart, near = weighed(evidence, value, accuracy, power_at)
        verdict, needed = decision(apart, near, alpha, power, size)
        if verdict != "undecided":
            break
        if size >= EQUAL and isinstance(evidence, Normal) and evidence.variance == 0:
            needed = math.nan
            remarks.append("all results are equal: set deterministic=True, or bounds= if other results are rare")
            break
    if verdict == "undecided" and not remarks:
        remarks.append(f"the budget is spent: a verdict needs about {needed:.2g} replications")
    if isinstance(evidence, Normal) and evidence.variance and abs(evidence.skewness) > HEAVY:
        remarks.append(f"the results have a skewness of {evidence.skewness:.2g}: the errors may exceed the stated ones")
    if verdict != "undecided":
        needed = math.nan
    limits = evidence.interval(1 - power)
    return Comparison(
        verdict, value, evidence.estimate, limits, size, needed, accuracy, alpha, power, point, seed, cost,
        "; ".join(remarks), near / LOG10, apart / LOG10,
    )  # fmt: skip


def weighed(evidence: Evidence, value: float, within: float, power_at: float) -> tuple[float, float]:
    """Return the log evidence that the deviation is above w, and the log evidence that it is below ``power_at`` x w.

    The accuracy w is ``within``; the deviation is the distance of ``value`` from the quantity that the sample
    estimates.

    >>> sample = Bounded(np.array([0.0, 1.0] * 500), (0.0, 1.0))
    >>> [one > 0 for one in weighed(sample, 0.5, 0.1, 2.0)], [one > 0 for one in weighed(sample, 0.9, 0.1, 2.0)]
    ([False, True], [True, False])
    """
    apart = max(evidence.above(value + within), evidence.below(value - within))
    beyond = power_at * within
    return apart, min(evidence.below(value + beyond), evidence.above(value - beyond))


def decision(apart: float, near: float, alpha: float, power: float, size: int) -> tuple[Verdict, float]:
    """Return the verdict from the log evidence that `weighed` returns, and the replications that it probably needs.

    >>> decision(-3.0, 5.0, 1e-6, 0.99, 1000), decision(20.0, -3.0, 1e-6, 0.99, 1000)
    (('agrees', 1000), ('differs', 1000))
    """
    if apart >= -math.log(alpha):
        return "differs", size
    if near >= -math.log(1 - power):
        return "agrees", size
    return "undecided", min(_needed(apart, alpha, size), _needed(near, 1 - power, size))


def tolerance(within: float | str, value: float) -> float:
    """Return an accuracy in the unit of ``value``, from a number or a percentage of ``value`` such as ``"5 %"``.

    >>> tolerance("5 %", -40.0), tolerance(0.1, 3.0)
    (2.0, 0.1)
    """
    if not isinstance(within, str):
        return domains.number("within", within, "1", "(0, inf)")
    percent = quantities.percent(within)
    if percent is None:
        raise domains.wrong_type("within", within, "a number or a percentage such as '5 %'")
    share = domains.number("within", percent, "%", "(0, inf)") / 100
    if value == 0:
        raise domains.conflict(f"within = {within!r}", "needs a formula other than 0", "a percentage of 0 is 0")
    return share * abs(value)


def _maker(of: str | float, bounds: Interval | None) -> Callable[[np.ndarray], Evidence]:
    """Return a function that makes an `Evidence` from the results so far."""
    if isinstance(of, str) and of != "mean":
        raise domains.out_of_range("of", repr(of), "1", '"mean", or the probability of a quantile')
    if of != "mean" and bounds is not None:
        raise domains.conflict(f"bounds = {bounds}", 'needs of = "mean"', "other quantities need no bounds")
    if of != "mean":
        probability = domains.number("of", of, "probability", "(0, 1)")
        return lambda values: Quantile(values, probability)
    if bounds is None:
        return Normal
    ends = domains.numbers("bounds", bounds, "1", "(-inf, inf)")
    if ends.shape != (2,) or not ends[0] < ends[1]:
        raise domains.out_of_range("bounds", bounds, "1", "two different numbers in ascending order")
    low, high = ends.tolist()

    def bounded(values: np.ndarray) -> Evidence:
        if values.min() < low or values.max() > high:
            outside = float(values[(values < low) | (values > high)][0])
            raise domains.out_of_range("the simulator's result", outside, "1", f"[{low:g}, {high:g}], its bounds")
        return Bounded(values, (low, high))

    return bounded


def _without_randomness(
    simulator: Simulator, runs: int, value: float, within: float, alpha: float, power: float, point: Mapping[str, Any],
    seed: int,
) -> Comparison:  # fmt: skip
    """Compare a formula with a simulator that draws no random numbers; raise an error if two replications differ."""
    drawn = [run_once(simulator, point, seed_of(seed, k)) for k in range(runs)]
    (found, _), (again, _) = drawn[0], drawn[-1]
    if found != again:
        raise domains.conflict(
            "deterministic = True", "needs equal results", f"two seeds gave {found!r} and {again!r} at {shown(point)}"
        )
    verdict: Verdict = "agrees" if abs(value - found) <= within else "differs"
    agreement = math.inf if verdict == "agrees" else -math.inf
    return Comparison(
        verdict, value, found, (found, found), runs, math.nan, within, alpha, power, point, seed,
        math.fsum(cost for _, cost in drawn), "", agreement, -agreement,
    )  # fmt: skip


def _needed(evidence: float, error: float, size: int) -> float:
    """Estimate the number of replications at which the evidence reaches 1/error, if it grows at a constant rate.

    Evidence from n replications is about n d - log(n)/2; the rate d is estimated from the present evidence.
    """
    rate = (evidence + math.log(size) / 2) / size
    if not rate > 0:
        return math.inf
    needed = float(size)
    for _ in range(10):
        needed = max(size + 1.0, (math.log(max(needed, 1.0)) / 2 - math.log(error)) / rate)
    return float(math.ceil(needed))


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
        One replication, as `compare` takes it; x is its result.
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

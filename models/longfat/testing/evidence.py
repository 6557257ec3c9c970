"""Evidence of a sample about a mean or a quantile, valid at any stopping time.

Each class is a sample with two methods: ``above(at)`` and ``below(at)`` return the logarithm of the evidence that the
estimated quantity lies above, or below, ``at``. All classes promise the same: if sampling continues for ever, and q is
the true quantity, the probability that ``above(a)`` or ``below(b)``, with a >= q >= b chosen in advance, ever reaches
log(1/error) is at most ``error``. A caller may therefore look after every replication and stop at will.

========== ================================================ ===============================================
class      assumption                                       source of the promise
========== ================================================ ===============================================
`Normal`   replications are normal, the variance is unknown a test martingale, Wang and Ramdas 2023
`Bounded`  replications lie in a known interval             betting, Waudby-Smith and Ramdas 2024
`Quantile` none                                             Bernoulli counts with a beta mixture, Robbins 1970
========== ================================================ ===============================================

All assume that the replications are independent and identically distributed. No library is used: confseq (0.0.11, of
January 2023) is C++ to be compiled at installation and has no test for an unknown variance; savvi (0.3.1) tests counts
and regressions and requires cvxpy; the test of a mean with unknown variance in ville (0.1.0) is asymptotic. Each of the
three tests here is a few lines.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

#: Variance g of the effect sizes in `Normal`. Our choice: with g = 1, N(0, g) is as informative as one replication. The
#: choice matters little, because the evidence depends only on the logarithm of g.
EFFECTS = 1.0

Interval = tuple[float, float]


@dataclass(frozen=True)
class Evidence:
    """Sample of replications that estimates a quantity, with evidence about it; each subclass has another quantity.

    Parameters
    ----------
    values : numpy.ndarray
        The replications, in their order.
    """

    values: np.ndarray

    @cached_property
    def estimate(self) -> float:
        """Estimate of the quantity, by default the mean of the sample."""
        return float(self.values.mean())

    def above(self, at: float) -> float:
        """Return the logarithm of the evidence that the estimated quantity is above ``at``."""
        return self._beyond(at, 1)

    def below(self, at: float) -> float:
        """Return the logarithm of the evidence that the estimated quantity is below ``at``."""
        return self._beyond(at, -1)

    def interval(self, error: float) -> Interval:
        """Return limits; the probability that they ever exclude the true quantity is at most ``error``."""
        return self._limits(-math.log(error))

    def _beyond(self, at: float, side: int) -> float:
        """Return the log evidence that the quantity is above (``side`` 1) or below (-1) ``at``."""
        raise NotImplementedError

    def _limits(self, wanted: float) -> Interval:
        """Return the values between which neither log evidence reaches ``wanted``."""
        raise NotImplementedError


@dataclass(frozen=True)
class Normal(Evidence):
    r"""Evidence about the mean of normal replications with unknown variance.

    .. math:: E_n(m) = (1 + n g)^{-1/2} \left(1 - \frac{n g}{1 + n g} r^2\right)^{-n/2}, \qquad
        r^2 = \frac{(\bar x - m)^2}{\frac{1}{n} \sum (x_i - m)^2}

    E_n(m), the evidence of n replications x_i against the mean m, is the ratio of the likelihood of the maximal
    invariant under changes of scale, mixed over effect sizes (mean - m)/sigma drawn from N(0, g), to its likelihood at
    effect size 0. It is a martingale if m is the mean, so the probability that it ever reaches 1/error is at most
    ``error`` (Ville's inequality). Raising the true mean raises the statistic of every sample, so the promise also
    holds for every m beyond the mean.

    Notes
    -----
    If replications are not normal, the promise holds in the limit of many; after few, skewness causes errors.
    For x standard errors, the tail of the self-normalized sum of n replications of skewness s is the normal tail times
    exp(-s x^3 / (3 sqrt n)), for x up to the order of n^(1/6) (Wang 2005). The evidence is reduced by this factor where
    skewness makes it too large. Our choice, because s is unknown: s is estimated, and enlarged by sqrt(6/n), its
    standard error for normal samples; beyond the x at which the corrected exponent is greatest, the exponent is taken
    as constant. For normal replications the reduction only means that a verdict needs more of them.

    Equal values are no evidence, whatever their number: the simulator may be deterministic or its event rare.

    Examples
    --------
    >>> sample = Normal(np.array([1.1, 0.9, 1.0, 1.2, 0.8, 1.05, 0.95, 1.0] * 4))
    >>> round(sample.estimate, 6), sample.above(0.5) > math.log(1e6), sample.above(0.99) < 0
    (1.0, True, True)

    References
    ----------
    H. Wang and A. Ramdas, Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance,
    arXiv:2310.03722, 2023, the Gaussian mixture in place of the flat one of T. L. Lai, On confidence sequences, Annals
    of Statistics 4 (1976), 265-280.
    Q. Wang, Limit theorems for self-normalized large deviation, Electronic Journal of Probability 10 (2005), 1260-1285,
    abstract.
    """

    @cached_property
    def variance(self) -> float:
        """Mean squared deviation from the mean; exactly 0 if all values are equal."""
        return float(self.values.var()) if np.ptp(self.values) > 0 else 0.0

    @cached_property
    def skewness(self) -> float:
        """Third standardised moment of the sample."""
        return float(np.mean((self.values - self.estimate) ** 3)) / math.pow(self.variance, 1.5)

    def _beyond(self, at: float, side: int) -> float:
        distance = side * (self.estimate - at)
        if distance <= 0 or self.variance == 0:
            return -math.inf
        return self._evidence(distance**2 / (self.variance + distance**2), side)

    def _limits(self, wanted: float) -> Interval:
        return self.estimate - self._reach(wanted, 1), self.estimate + self._reach(wanted, -1)

    def _evidence(self, squared: float, side: int) -> float:
        count = len(self.values)
        information = count * EFFECTS
        mixed = -count / 2 * math.log1p(-squared * information / (1 + information)) - math.log1p(information) / 2
        return mixed - self._by_skewness(math.sqrt(count * squared), side)

    def _by_skewness(self, errors: float, side: int) -> float:
        """Return how much of the log evidence against a mean, ``errors`` standard errors away, skewness may cause.

        A sample that lacks values of a long tail has a shifted mean and a small variance: its evidence is too large.
        """
        count = len(self.values)
        skew = max(0.0, -side * self.skewness + math.copysign(math.sqrt(6 / count), -side * self.skewness))
        if skew == 0:
            return 0.0
        greatest = math.sqrt(count) / skew  # x^2/2 - s x^3/(3 sqrt n) grows up to here
        kept = min(errors, greatest)
        return errors**2 / 2 - (kept**2 / 2 - skew * kept**3 / (3 * math.sqrt(count)))

    def _reach(self, wanted: float, side: int) -> float:
        """Return the distance from the sample mean at which the log evidence reaches ``wanted``."""
        if self.variance == 0 or self._evidence(1.0, side) < wanted:
            return math.inf
        squared = bisected(lambda one: self._evidence(one, side) >= wanted, 0.0, 1.0)
        return math.sqrt(self.variance * squared / (1 - squared)) if squared < 1 else math.inf


def bisected(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return the smallest value at which a condition holds, by bisection; from there it must hold up to ``high``.

    >>> round(bisected(lambda x: x * x >= 2, 0.0, 2.0), 9)
    1.414213562
    """
    for _ in range(100):
        middle = (low + high) / 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


#: Largest fraction of the wealth K that one bet of `Bounded` can lose. Our choice: the source allows any fraction in
#: (0, 1).
STAKE = 0.75


@dataclass(frozen=True)
class Bounded(Evidence):
    r"""Evidence about the mean of replications in a known interval: the wealth from bets that the mean is not m.

    .. math:: K_n(m) = \prod_i (1 + \lambda_i (x_i - m)), \qquad
        \lambda_i = \frac{\hat\mu_{i-1} - m}{\hat\sigma_{i-1}^2 + (\hat\mu_{i-1} - m)^2}

    for x scaled to [0, 1], with mean and variance estimated from the first i - 1 values. Bets have only one sign, so
    the wealth K is a supermartingale for every mean on the other side, and a bet can lose at most the fraction `STAKE`
    of the wealth. Half of the wealth starts on each side.

    Parameters
    ----------
    bounds : (float, float)
        The interval.

    Examples
    --------
    >>> sample = Bounded(np.array([0.0, 1.0] * 200), (0.0, 1.0))
    >>> low, high = sample.interval(0.01)
    >>> 0.3 < low < 0.5 < high < 0.7
    True

    References
    ----------
    I. Waudby-Smith and A. Ramdas, Estimating means of bounded random variables by betting, Journal of the Royal
    Statistical Society B 86 (2024), 1-27: the capital process, with the bets called aGRAPA.
    """

    bounds: Interval

    def _beyond(self, at: float, side: int) -> float:
        low, high = self.bounds
        start = low if side > 0 else high
        return self._wealth(side * (self.values - start) / (high - low), side * (at - start) / (high - low))

    def _limits(self, wanted: float) -> Interval:
        low, high = self.bounds
        return (
            _first(lambda at: self.above(at) < wanted, low, self.estimate),
            _first(lambda at: self.below(at) < wanted, high, self.estimate),
        )

    @staticmethod
    def _wealth(values: np.ndarray, mean: float) -> float:
        """Return the logarithm of the wealth from bets that the true mean of values in [0, 1] is above ``mean``."""
        if mean < 0:
            return math.inf
        if mean >= 1:
            return -math.inf
        # A bet on a value may use only the earlier values: estimate mean and variance from these. The estimates for the
        # first bet are 1/2 and 1/4.
        before = np.arange(1, len(values) + 1)
        means = (0.5 + np.concatenate(([0.0], values.cumsum()[:-1]))) / before
        spread = (values - (0.5 + values.cumsum()) / (before + 1)) ** 2
        variances = (0.25 + np.concatenate(([0.0], spread.cumsum()[:-1]))) / before
        bets = np.clip((means - mean) / (variances + (means - mean) ** 2), 0, STAKE / mean if mean > 0 else np.inf)
        return float(np.log1p(bets * (values - mean)).sum()) - math.log(2)


@dataclass(frozen=True)
class Quantile(Evidence):
    r"""Evidence about a quantile of any distribution, from the number of replications that do not exceed a value.

    The p-quantile is above a value x if a replication is at most x with a probability below p. For a count k
    of n the evidence against a probability p is Robbins' mixture over all probabilities,

    .. math:: E_n(p) = \frac{k! \, (n - k)!}{(n + 1)! \; p^k (1 - p)^{n - k}}

    Parameters
    ----------
    probability : float
        p, in (0, 1).

    Examples
    --------
    >>> sample = Quantile(np.arange(1000.0), 0.5)
    >>> low, high = sample.interval(0.01)
    >>> 400 < low < 500 < high < 600
    True

    References
    ----------
    H. Robbins, Statistical methods related to the law of the iterated logarithm, Annals of Mathematical Statistics 41
    (1970), 1397-1409.
    """

    probability: float

    @cached_property
    def ordered(self) -> np.ndarray:
        """Replications in increasing order."""
        return np.sort(self.values)

    @cached_property
    def estimate(self) -> float:
        """Sample quantile: the smallest replication x for which at least the fraction p of all is at most x."""
        return float(self.ordered[math.ceil(self.probability * len(self.values)) - 1])

    def _beyond(self, at: float, side: int) -> float:
        count = int(np.searchsorted(self.ordered, at, side="right" if side > 0 else "left"))
        return self._fewer(count) if side > 0 else self._more(count)

    def _limits(self, wanted: float) -> Interval:
        count = len(self.values)
        few = bisect_left(range(count + 1), True, key=lambda k: self._fewer(k) < wanted)
        many = bisect_left(range(count + 1), True, key=lambda k: self._more(k) >= wanted)
        low = -math.inf if few == 0 else float(self.ordered[few - 1])
        return low, math.inf if many > count else float(self.ordered[many - 1])

    def _fewer(self, count: int) -> float:
        """Return the log evidence that an event has a probability below p, if it occurred in ``count`` replications."""
        return self._evidence(count) if count < self.probability * len(self.values) else -math.inf

    def _more(self, count: int) -> float:
        """Return the log evidence that an event has a probability above p, if it occurred in ``count`` replications."""
        return self._evidence(count) if count > self.probability * len(self.values) else -math.inf

    def _evidence(self, count: int) -> float:
        size, p = len(self.values), self.probability
        mixed = math.lgamma(count + 1) + math.lgamma(size - count + 1) - math.lgamma(size + 2)
        return mixed - count * math.log(p) - (size - count) * math.log1p(-p)


def _first(holds: Callable[[float], bool], start: float, end: float) -> float:
    """Return the value nearest to ``start`` at which a condition holds; the condition must hold at ``end``.

    The condition may begin and cease to hold several times, so a grid is searched before the interval is halved.
    """
    previous = start
    for at in np.linspace(start, end, 65)[:-1]:
        if holds(float(at)):
            break
        previous = float(at)
    else:
        at = end
    if at == start:
        return start
    share = bisected(lambda one: holds(previous + one * (float(at) - previous)), 0.0, 1.0)
    return previous + share * (float(at) - previous)

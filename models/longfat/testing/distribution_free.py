"""Evidence of a sample that needs no normal distribution: means in bounds, quantiles, distributions.

`longfat.testing.evidence` states the guarantees of the methods.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from longfat.testing.evidence import Interval, bisected

#: Largest share of the wealth that `Bounded` stakes on one replication. Ours, as the source leaves it open in (0, 1).
STAKE = 0.75


@dataclass(frozen=True)
class Bounded:
    r"""Mean of replications in a known interval, by betting against every other mean.

    .. math:: K_n(m) = \prod_i (1 + \lambda_i (x_i - m)), \qquad
        \lambda_i = \frac{\hat\mu_{i-1} - m}{\hat\sigma_{i-1}^2 + (\hat\mu_{i-1} - m)^2}

    for x scaled to [0, 1], with the bets cut to one side, so that the wealth K is a supermartingale for every mean on
    the other side, and to a share of their greatest loss. Half of the wealth starts on each side.

    Parameters
    ----------
    values : numpy.ndarray
        The replications, in their order.
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

    values: np.ndarray
    bounds: Interval

    @cached_property
    def estimate(self) -> float:
        """Mean of the sample."""
        return float(self.values.mean())

    def above(self, at: float) -> float:
        """Return the logarithm of the evidence that the mean is above a value."""
        low, high = self.bounds
        return self._wealth((self.values - low) / (high - low), (at - low) / (high - low))

    def below(self, at: float) -> float:
        """Return the logarithm of the evidence that the mean is below a value."""
        low, high = self.bounds
        return self._wealth((high - self.values) / (high - low), (high - at) / (high - low))

    def interval(self, error: float) -> Interval:
        """Return limits that the mean violates with at most the given probability."""
        low, high = self.bounds
        wanted = -math.log(error)
        mean = self.estimate
        return (
            _first(lambda at: self.above(at) < wanted, low, mean),
            _first(lambda at: self.below(at) < wanted, high, mean),
        )

    @staticmethod
    def _wealth(values: np.ndarray, mean: float) -> float:
        """Return the logarithm of the wealth from bets that the mean of values in [0, 1] is above one."""
        if mean < 0:
            return math.inf
        if mean >= 1:
            return -math.inf
        # The estimates before each value, with one half and one quarter as if seen before the first.
        before = np.arange(1, len(values) + 1)
        means = (0.5 + np.concatenate(([0.0], values.cumsum()[:-1]))) / before
        spread = (values - (0.5 + values.cumsum()) / (before + 1)) ** 2
        variances = (0.25 + np.concatenate(([0.0], spread.cumsum()[:-1]))) / before
        bets = np.clip((means - mean) / (variances + (means - mean) ** 2), 0, STAKE / mean if mean > 0 else np.inf)
        return float(np.log1p(bets * (values - mean)).sum()) - math.log(2)


@dataclass(frozen=True)
class Quantile:
    r"""Quantile of replications of any distribution, by counting the replications up to a value.

    The p-quantile is above a value if fewer than the share p of all replications lie up to it. For a count k of n the
    evidence against a probability p is Robbins' mixture over all probabilities,

    .. math:: E_n(p) = \frac{k! \, (n - k)!}{(n + 1)! \; p^k (1 - p)^{n - k}}

    Parameters
    ----------
    values : numpy.ndarray
        The replications.
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

    values: np.ndarray
    probability: float

    @cached_property
    def ordered(self) -> np.ndarray:
        """The sample in increasing order."""
        return np.sort(self.values)

    @cached_property
    def estimate(self) -> float:
        """Smallest value with at least the share p of the sample up to it."""
        return float(self.ordered[math.ceil(self.probability * len(self.values)) - 1])

    def above(self, at: float) -> float:
        """Return the logarithm of the evidence that the quantile is above a value."""
        return self._fewer(int(np.searchsorted(self.ordered, at, side="right")))

    def below(self, at: float) -> float:
        """Return the logarithm of the evidence that the quantile is below a value."""
        return self._more(int(np.searchsorted(self.ordered, at, side="left")))

    def interval(self, error: float) -> Interval:
        """Return limits that the quantile violates with at most the given probability."""
        wanted, count = -math.log(error), len(self.values)
        few = bisect_left(range(count + 1), True, key=lambda k: self._fewer(k) < wanted)
        many = bisect_left(range(count + 1), True, key=lambda k: self._more(k) >= wanted)
        low = -math.inf if few == 0 else float(self.ordered[few - 1])
        return low, math.inf if many > count else float(self.ordered[many - 1])

    def _fewer(self, count: int) -> float:
        """Return the evidence, from a count, that the probability counted is below p."""
        return self._evidence(count) if count < self.probability * len(self.values) else -math.inf

    def _more(self, count: int) -> float:
        """Return the evidence, from a count, that the probability counted is above p."""
        return self._evidence(count) if count > self.probability * len(self.values) else -math.inf

    def _evidence(self, count: int) -> float:
        size, p = len(self.values), self.probability
        mixed = math.lgamma(count + 1) + math.lgamma(size - count + 1) - math.lgamma(size + 2)
        return mixed - count * math.log(p) - (size - count) * math.log1p(-p)


@dataclass(frozen=True)
class Distribution:
    r"""Largest distance of a distribution function from the true one, by the Dvoretzky-Kiefer-Wolfowitz inequality.

    .. math:: P(\sup |F_n - F| > \varepsilon) \le 2 e^{-2 n \varepsilon^2}

    The k-th look may spend the share 1/(k (k + 1)) of the error; all looks together then spend it once.

    Parameters
    ----------
    values : numpy.ndarray
        The replications.
    function : callable
        The distribution function to be judged; takes an array.
    look : int
        Number of the look, from 1 on; looks are at sizes chosen in advance.

    Examples
    --------
    >>> sample = Distribution((np.arange(1000) + 0.5) / 1000, lambda x: np.clip(x, 0, 1), 1)
    >>> round(sample.estimate, 6), sample.below(0.1) > math.log(1e6), sample.above(0.0) < 0
    (0.0005, True, True)

    References
    ----------
    P. Massart, The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality, Annals of Probability 18 (1990),
    1269-1283.
    """

    values: np.ndarray
    function: Callable[[np.ndarray], np.ndarray]
    look: int

    @cached_property
    def estimate(self) -> float:
        """Largest distance between the distribution functions of the sample and of the formula."""
        values, counts = np.unique(self.values, return_counts=True)
        after = counts.cumsum() / len(self.values)
        before = after - counts / len(self.values)
        # Ours: the limit from the left, for distributions with jumps; for continuous ones it is the same value.
        left = np.asarray(self.function(np.nextafter(values, -np.inf)), dtype=float)
        right = np.asarray(self.function(values), dtype=float)
        return float(max(np.abs(after - right).max(), np.abs(before - left).max()))

    def above(self, at: float) -> float:
        """Return the logarithm of the evidence that the distance is above a value."""
        return self._evidence(self.estimate - at) if at >= 0 else math.inf

    def below(self, at: float) -> float:
        """Return the logarithm of the evidence that the distance is below a value."""
        return self._evidence(at - self.estimate)

    def interval(self, error: float) -> Interval:
        """Return limits that the distance violates with at most the given probability."""
        width = math.sqrt((self._spent - math.log(error)) / (2 * len(self.values)))
        return max(0.0, self.estimate - width), min(1.0, self.estimate + width)

    @property
    def _spent(self) -> float:
        return math.log(2 * self.look * (self.look + 1))

    def _evidence(self, distance: float) -> float:
        return 2 * len(self.values) * max(distance, 0.0) ** 2 - self._spent


def _first(holds: Callable[[float], bool], start: float, end: float) -> float:
    """Return the first value from ``start`` on at which a condition holds that holds at ``end``.

    The condition may change more than once, so a grid is searched before the interval is halved.
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

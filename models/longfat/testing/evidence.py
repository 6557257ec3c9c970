r"""Evidence of a sample about a mean, a quantile or a distribution, valid whenever sampling stops.

Each class, here and in `longfat.testing.distribution_free`, is a sample with two methods: ``above(at)`` and
``below(at)`` return the logarithm of the evidence that the estimated quantity lies above, or below, ``at``. The promise
is the same for all: if sampling continues for ever, and q is the true quantity, the probability that ``above(a)`` or
``below(b)``, with a >= q >= b chosen in advance, ever reaches log(1/error) is at most ``error``. So one may look after
every replication and stop at will.

============== ================================================ ===============================================
class          assumption                                       source of the promise
============== ================================================ ===============================================
`Normal`       replications are normal, the variance is unknown a test martingale, Wang and Ramdas 2023
`Bounded`      replications lie in a known interval             betting, Waudby-Smith and Ramdas 2024
`Quantile`     none                                             Bernoulli counts with a beta mixture, Robbins 1970
`Distribution` none                                             Dvoretzky-Kiefer-Wolfowitz, Massart 1990
============== ================================================ ===============================================

All assume that the replications are independent and alike. The libraries at hand were not taken: confseq (0.0.11, of
January 2023) is C++ to be compiled at installation and has no unknown variance; savvi (0.3.1) tests counts and
regressions and requires cvxpy; the mean of unknown variance of ville (0.1.0) is asymptotic. Each of the four tests here
is a few lines.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

#: Variance of the effect sizes that `Normal` mixes over. Ours: one standard deviation, the unit information of a single
#: replication; the cost of a look depends on it by its logarithm only.
EFFECTS = 1.0

Interval = tuple[float, float]


class Evidence(Protocol):
    """Statistics of a sample that a comparison needs."""

    @property
    def estimate(self) -> float:
        """Estimate of the quantity."""

    def above(self, at: float) -> float:
        """Return the logarithm of the evidence that the quantity is above a value."""

    def below(self, at: float) -> float:
        """Return the logarithm of the evidence that the quantity is below a value."""

    def interval(self, error: float) -> Interval:
        """Return limits that the quantity violates, at any look, with at most the given probability."""


@dataclass(frozen=True)
class Normal:
    r"""Mean of normal replications of unknown variance.

    .. math:: E_n(m) = (1 + n g)^{-1/2} \left(1 - \frac{n g}{1 + n g} r^2\right)^{-n/2}, \qquad
        r^2 = \frac{(\bar x - m)^2}{\frac{1}{n} \sum (x_i - m)^2}

    is the likelihood of the maximal invariant under changes of scale, mixed over effect sizes (mean - m)/sigma drawn
    from N(0, g), over that at effect size 0: a martingale if m is the mean, so it ever reaches 1/error with at most the
    probability ``error`` (Ville's inequality). Raising the mean raises the statistic of every sample, hence the promise
    for all values beyond the mean.

    Parameters
    ----------
    values : numpy.ndarray
        The replications, in their order.

    Notes
    -----
    For replications that are not normal the promise holds in the limit of many, and early errors come from skewness.
    For x standard errors, the tail of the self-normalized sum of n replications of skewness s is the normal tail times
    exp(-s x^3 / (3 sqrt n)), for x up to the order of n^(1/6) (Wang 2005). So this factor is taken off the evidence
    where it flatters. Ours: s is estimated, and enlarged by sqrt(6/n), its standard error for normal samples; beyond
    the x where the corrected exponent is greatest it stays there. For normal replications this only costs replications.

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

    values: np.ndarray

    @cached_property
    def estimate(self) -> float:
        """Mean of the sample."""
        return float(self.values.mean())

    @cached_property
    def variance(self) -> float:
        """Mean squared deviation from the mean; exactly 0 if all values are equal."""
        return float(self.values.var()) if np.ptp(self.values) > 0 else 0.0

    @cached_property
    def skewness(self) -> float:
        """Third standardised moment."""
        return float(np.mean((self.values - self.estimate) ** 3)) / math.pow(self.variance, 1.5)

    def above(self, at: float) -> float:
        """Return the logarithm of the evidence that the mean is above a value."""
        return self._against(self.estimate - at, 1)

    def below(self, at: float) -> float:
        """Return the logarithm of the evidence that the mean is below a value."""
        return self._against(at - self.estimate, -1)

    def interval(self, error: float) -> Interval:
        """Return limits that the mean violates with at most the given probability."""
        return self.estimate - self._reach(error, 1), self.estimate + self._reach(error, -1)

    def _against(self, distance: float, side: int) -> float:
        """Return the evidence against a mean at a distance from the sample's; ``side`` is 1 for a mean below it."""
        if distance <= 0 or self.variance == 0:
            return -math.inf
        return self._evidence(distance**2 / (self.variance + distance**2), side)

    def _evidence(self, squared: float, side: int) -> float:
        count = len(self.values)
        information = count * EFFECTS
        mixed = -count / 2 * math.log1p(-squared * information / (1 + information)) - math.log1p(information) / 2
        return mixed - self._flattery(math.sqrt(count * squared), side)

    def _flattery(self, errors: float, side: int) -> float:
        """Return the excess of the evidence due to skewness, at a number of standard errors.

        A skewed sample whose mean strays from its long tail has a small variance, too: it looks surer than it is.
        """
        count = len(self.values)
        skew = max(0.0, -side * self.skewness + math.copysign(math.sqrt(6 / count), -side * self.skewness))
        if skew == 0:
            return 0.0
        greatest = math.sqrt(count) / skew  # x^2/2 - s x^3/(3 sqrt n) grows up to here
        kept = min(errors, greatest)
        return errors**2 / 2 - (kept**2 / 2 - skew * kept**3 / (3 * math.sqrt(count)))

    def _reach(self, error: float, side: int) -> float:
        """Return the distance from the mean at which the evidence reaches log(1/error)."""
        wanted = -math.log(error)
        if self.variance == 0 or self._evidence(1.0, side) < wanted:
            return math.inf
        squared = bisected(lambda one: self._evidence(one, side) >= wanted, 0.0, 1.0)
        return math.sqrt(self.variance * squared / (1 - squared)) if squared < 1 else math.inf


def bisected(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return the value from which on a condition holds that holds at ``high``.

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

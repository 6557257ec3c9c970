"""Search for the smallest sufficient integer, and for the buffer at which simulated utilisation reaches a goal."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longfat.replication.intervals import student_quantile

BENT = 0.2  # error [log odds] of the line of `fitted` where its log odds differ by 1 from the goal's; our choice
EXACT = 1e-3  # least standard error of log odds in `fitted`; our choice: the shares of a buffer may all be equal
DOUBT = 0.5  # relative standard error of the slope that `fitted` is given; our choice
NEAR = 1.0  # distance from the goal, in log odds, up to which buffers give the pooled standard deviation; our choice


def bisected(reaches: Callable[[int], bool], low: int, high: int, fineness: float = 0.0) -> int:
    """Return the smallest integer above ``low`` for which ``reaches`` is true, to a relative ``fineness``.

    ``reaches`` must be true for ``high`` and for all integers above the result.

    >>> bisected(lambda size: size >= 70, 0, 100)
    70
    """
    while high - low > max(1.0, fineness * high):
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def logit(share: float) -> float:
    """Return the log odds ln(u/(1 - u)) of a utilisation u; near u = 1 they are nearly linear in the log of the buffer.

    >>> round(logit(0.95), 3), round(logit(0.5), 3)  # ln 19
    (2.944, 0.0)
    """
    return math.log(share / (1 - share))


@dataclass(frozen=True)
class Line:
    """Weighted least-squares line of the log odds of the mean utilisation against the logarithm of the buffer."""

    size: float  # weighted mean of the logarithms of the buffers
    odds: float  # value of the line at ``size``
    slope: float
    error: float  # standard error of ``odds``
    error_of_slope: float
    quantile: float  # half width of a confidence interval, in standard errors
    goal: float  # utilisation that the buffer must reach

    def limits(self, buffers: Any) -> tuple[Any, Any, Any]:
        """Return the mean utilisation at each buffer by the line, with its confidence limits."""
        away = np.log(buffers) - self.size
        odds = self.odds + self.slope * away
        half = self.quantile * np.sqrt(self.error**2 + (self.error_of_slope * away) ** 2)
        return tuple(1 / (1 + np.exp(-one)) for one in (odds, odds - half, odds + half))

    def crossing(self) -> float:
        """Return the buffer at which the line reaches the goal."""
        return math.exp(min(self.size + (logit(self.goal) - self.odds) / self.slope, 700.0))

    def interval(self, most: int) -> tuple[int, int | None]:
        """Return the largest buffer that misses the goal with confidence, or 0, and the smallest that reaches the goal.

        Both are at most ``most``; the second is None if no buffer reaches the goal with confidence.
        """
        buffers = np.arange(1, most + 1)
        _, low, high = self.limits(buffers)
        misses = buffers[(high < self.goal) & (buffers < self.crossing())]
        reaches = buffers[(low >= self.goal) & (buffers > self.crossing())]
        return int(misses.max(initial=0)), int(reaches[0]) if len(reaches) else None


def fitted(shares: Mapping[int, Sequence[float]], goal: float, confidence: float, slope: float) -> Line | None:
    r"""Fit a line to mean utilisation against buffer, with most weight near a goal; return None if it does not rise.

    Samples of mean u and standard deviation s have the deviation :math:`s / (u (1 - u))` in log odds. The deviation is
    pooled over the buffers within `NEAR` of the goal; divided by sqrt(n), it is the standard error of the mean of n
    samples (Draper and Smith, Applied Regression Analysis, 3rd ed., section 2.1). The square of `BENT` times the
    squared distance from the goal is added to the variance of a mean, because the curve is bent and the line straight.
    Unless the slope of this line is above ``slope`` with confidence, ``slope`` is one more observation, with the
    standard error `DOUBT` times ``slope`` (mixed estimation: Theil and Goldberger 1961), so that even one buffer
    determines a line. If the observations differ from the line by more than their errors, each mean is given a further
    variance, just large enough that they do not (Paule and Mandel 1982).

    >>> exact = {40: [0.8, 0.8], 160: [0.96, 0.96]}  # odds of 4 and 24; 9.8 = sqrt(4 * 24)
    >>> round(fitted(exact, 9.797959 / 10.797959, 0.95, slope=1.29).crossing(), 1)  # sqrt(40 * 160)
    80.0
    >>> round(fitted({40: [0.8, 0.8]}, 0.9, 0.95, slope=1.0).crossing(), 1)  # odds of 9 at 40 * 9/4 packets
    90.0

    References
    ----------
    H. Theil and A. S. Goldberger, On pure and mixed statistical estimation in economics, International Economic Review
    2 (1961), 65-78; R. C. Paule and J. Mandel, Consensus values and weighting factors, Journal of Research of the
    National Bureau of Standards 87 (1982), 377-385.
    """
    known = {one: np.asarray(samples) for one, samples in sorted(shares.items()) if 0 < np.mean(samples) < 1}
    if not known or not 0 < goal < 1:
        return None
    sizes, means = np.log(list(known)), np.array([np.mean(samples) for samples in known.values()])
    odds, steep = np.log(means / (1 - means)), means * (1 - means)
    counts = np.array([len(one) for one in known.values()])
    away = np.abs(odds - logit(goal))
    near = away <= max(NEAR, np.sort(away)[:2][-1])
    squares = np.array([np.var(one) * len(one) for one in known.values()]) / steep**2
    degrees = int((counts - 1)[near].sum())
    if degrees < 1:
        return None
    variances = squares[near].sum() / degrees / counts + (BENT * away**2) ** 2 + EXACT**2

    def solved(scatter: float, weight_of_slope: float) -> tuple[float, Line]:
        """Return the sum of the weighted squares and the line, if each mean has a further variance ``scatter``."""
        weights = 1 / (variances + scatter)
        size, odd = np.average(sizes, weights=weights), np.average(odds, weights=weights)
        spread = np.dot(weights, (sizes - size) ** 2) + weight_of_slope
        rise = (np.dot(weights * (sizes - size), odds - odd) + weight_of_slope * slope) / spread
        squared = np.dot(weights, (odds - odd - rise * (sizes - size)) ** 2) + weight_of_slope * (rise - slope) ** 2
        errors = 1 / math.sqrt(weights.sum()), 1 / math.sqrt(spread)
        line = Line(float(size), float(odd), float(rise), *errors, student_quantile(degrees, confidence), goal)
        return float(squared), line

    def scattered(weight_of_slope: float, observations: int) -> Line:
        """Return the line, if needed with a further variance that reduces the squares to the degrees of freedom."""
        freedom = max(1, observations - 2)
        squared, line = solved(0.0, weight_of_slope)
        if squared <= freedom:
            return line
        from scipy.optimize import brentq  # imported only when needed: SciPy takes long to load

        most = float(np.sum((odds - odds.mean() - slope * (sizes - sizes.mean())) ** 2))  # enough for a sum of 1
        return solved(brentq(lambda one: solved(one, weight_of_slope)[0] - freedom, 0.0, most), weight_of_slope)[1]

    if len(known) > 2:  # with two buffers nothing is known about the scatter
        line = scattered(0.0, len(known))
        if line.slope - line.quantile * line.error_of_slope > slope:
            return line
    line = scattered(1 / (DOUBT * slope) ** 2, len(known) + 1)
    return line if line.slope > 0 else None

"""Batch means and warm-up of one long run; for several replications see `longfat.replication.interval`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from longfat.base import domains
from longfat.base.domains import integer, number
from longfat.replication.intervals import Interval, half_width

GROUP = 5  # samples in a group of MSER-5


def batch_means(samples: Any, batches: int = 30, confidence: float = 0.95) -> Interval:
    """Return the mean of one long run of correlated samples, with a confidence interval from batch means.

    The samples are divided into batches of equal length, after leaving out the first samples if there is a remainder.
    The means of the k batches have standard deviation s. If successive means are correlated with coefficient r > 0, the
    variance is multiplied by (1 + r)/(1 - r), as for a first-order autoregressive process.

    mean +- t_{k-1} s sqrt((1 + r)/((1 - r) k))

    Parameters
    ----------
    samples : array_like
        Samples at equal time intervals after the warm-up, in order [any unit].
    batches : int
        Number of batches, from 10 to half the number of samples.
    confidence : float
        Confidence of the interval [probability], in (0, 1).

    Returns
    -------
    Interval
        Mean, lower and upper end [the unit of the samples].

    Raises
    ------
    ValueError
        For too few samples, samples that are not finite, and values outside their ranges; also if r > 0.8: then the
        run is too short for so many batches.

    Notes
    -----
    Valid for a stationary series whose batches are some ten times longer than its correlation time.

    Examples
    --------
    >>> noise = np.random.default_rng(1).normal(5.0, 1.0, 3000)
    >>> estimate = batch_means(noise)
    >>> estimate.lower < 5.0 < estimate.upper
    True

    References
    ----------
    Law, Simulation Modeling and Analysis, 5th ed. (2015), section 9.5.3; the correction for correlated batches:
    Tafazzoli, Steiger & Wilson, IEEE Transactions on Automatic Control 56 (2011), "N-Skart", eq. (11).
    """
    series = _samples("samples", samples, 20)
    batches = integer("batches", batches, "batches", f"[10, {len(series) // 2}]")
    confidence = number("confidence", confidence, "probability", "(0, 1)")
    length = len(series) // batches
    means = series[len(series) - length * batches :].reshape(batches, length).mean(1)
    deviation = means - means.mean()
    spread = float(deviation @ deviation)
    correlation = float(deviation[1:] @ deviation[:-1]) / spread if spread > 0 else 0.0
    if correlation > 0.8:
        raise ValueError(
            f"batches = {batches}, each of {length} samples, are correlated with coefficient {correlation:.2f} > 0.8: "
            "take fewer batches, or run longer"
        )
    r = max(0.0, correlation)
    half = float(half_width(means, confidence)) * math.sqrt((1 + r) / (1 - r))
    return Interval(float(means.mean()), float(means.mean() - half), float(means.mean() + half))


def warm_up(samples: Any) -> int:
    """Return how many samples at the beginning belong to the warm-up, by the rule MSER-5.

    The samples are divided into n groups of five with means Z_j. The first d groups are left out, where d minimises the
    squared standard error sum_{j > d} (Z_j - Z)^2/(n - d)^2, and Z is the mean of the remaining Z_j.

    Parameters
    ----------
    samples : array_like
        Samples at equal time intervals from the start of the run, in order, at least 50 [any unit].

    Returns
    -------
    int
        Samples to leave out [samples], a multiple of five.

    Raises
    ------
    ValueError
        For too few samples, samples that are not finite; also if the minimum is beyond half of them: then the run shows
        no steady state, and has to be longer.

    Notes
    -----
    The last five values of d are excluded: with so few groups left, their means may be close together by chance.

    Examples
    --------
    >>> rising = np.minimum(np.arange(1000) / 100, 1.0)
    >>> warm_up(rising + np.random.default_rng(1).normal(0, 0.1, 1000))
    100

    References
    ----------
    White, Simulation 69 (1997) 323; White, Cobb & Spratt, Proc. Winter Simulation Conference
    (2000) 755; the limit of half the samples: Hoad, Robinson & Davies, Journal of Simulation 4 (2010).
    """
    series = _samples("samples", samples, 10 * GROUP)
    groups = series[: len(series) // GROUP * GROUP].reshape(-1, GROUP).mean(1)
    groups = groups - groups.mean()  # reduces rounding errors, and does not move the minimum
    count = np.arange(len(groups), 0, -1)  # remaining groups after leaving out 0, 1, 2, ...
    total = groups[::-1].cumsum()[::-1]
    squares = (groups**2)[::-1].cumsum()[::-1]
    marginal_error = np.maximum(squares - total**2 / count, 0.0) / count**2
    left_out = int(np.argmin(marginal_error[:-GROUP]))
    if left_out > len(groups) // 2:
        raise ValueError(
            f"the warm-up takes {GROUP * left_out} of {len(series)} samples, more than half of them: run longer"
        )
    return GROUP * left_out


def _samples(name: str, values: Any, least: int) -> np.ndarray:
    """Return the values as a one-dimensional array; raise an error for fewer than `least` finite numbers."""
    try:
        samples = domains.floats(values)
    except (TypeError, ValueError):
        raise domains.wrong_type(name, values, "a sequence of numbers") from None
    if samples.ndim != 1 or len(samples) < least:
        raise domains.wrong_shape(name, samples.shape, f"a sequence of at least {least} numbers")
    if not np.isfinite(samples).all():
        raise domains.out_of_range(name, samples[~np.isfinite(samples)][0], "1", "(-inf, inf)")
    return samples

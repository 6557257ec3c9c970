"""Means of independent replications, with Student's confidence intervals."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from longfat.replication import student


class Interval(NamedTuple):
    """A mean with its confidence interval, in the unit of the samples."""

    mean: Any
    lower: Any
    upper: Any


def interval(samples: Any, confidence: float, axis: int = 0) -> Interval:
    r"""Return the mean of independent samples with Student's confidence interval, whose limits are NaN for one sample.

    .. math:: \bar x \pm t_{n-1,\,(1+c)/2} \, s / \sqrt n

    Parameters
    ----------
    samples : array_like
        A number from each replication along ``axis`` [any unit].
    confidence : float
        c [probability], in (0, 1).
    axis : int
        Axis of the replications.

    Examples
    --------
    >>> [round(float(value), 3) for value in interval([1.0, 2.0, 3.0], 0.95)]
    [2.0, -0.484, 4.484]

    References
    ----------
    Law, Simulation Modeling and Analysis, 5th ed. (2015), eq. (4.12).
    """
    values = np.asarray(samples, float)
    mean, half = values.mean(axis), half_width(values, confidence, axis)
    return Interval(mean, mean - half, mean + half)


def half_width(samples: np.ndarray, confidence: float, axis: int = 0) -> Any:
    """Return half the width of `interval`; NaN for one sample.

    >>> round(float(half_width(np.array([1.0, 2.0, 3.0]), 0.95)), 3)
    2.484
    """
    count = samples.shape[axis]
    if count < 2:
        return np.full(samples.mean(axis).shape, math.nan)
    return student.half_width(count - 1, confidence) * samples.std(axis, ddof=1) / math.sqrt(count)

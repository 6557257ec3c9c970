"""Means of independent replications, with Student's confidence intervals."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from longfat.base import domains
from longfat.replication import student


class Interval(NamedTuple):
    """Mean with the limits of its confidence interval, in the unit of the samples."""

    mean: Any
    lower: Any
    upper: Any


def interval(samples: Any, confidence: float = 0.95, axis: int = 0) -> Interval:
    r"""Return the mean of independent samples with Student's confidence interval; the limits are NaN for one sample.

    .. math:: \bar x \pm t_{n-1,\,(1+c)/2} \, s / \sqrt n

    Exact for samples with a normal distribution; good for means of many events.

    Parameters
    ----------
    samples : array_like
        A number from each replication along ``axis`` [any unit].
    confidence : float
        c [probability], in (0, 1).
    axis : int
        Axis of the replications.

    Returns
    -------
    Interval
        Three floats for one series of samples; arrays for several.

    Examples
    --------
    >>> interval([1.0, 2.0, 3.0]).mean, round(interval([1.0, 2.0, 3.0]).lower, 3)
    (2.0, -0.484)

    References
    ----------
    Law, Simulation Modeling and Analysis, 5th ed. (2015), eq. (4.12).
    """
    confidence = domains.number("confidence", confidence, "probability", "(0, 1)")
    try:
        values = np.asarray(samples, float)
    except (TypeError, ValueError):
        raise domains.wrong_type("samples", samples, "a sequence of numbers") from None
    if values.ndim == 0 or values.shape[axis] == 0:
        raise domains.wrong_shape("samples", values.shape, "a sequence of at least one number")
    mean, half = values.mean(axis), half_width(values, confidence, axis)
    ends = mean, mean - half, mean + half
    return Interval(*map(float, ends)) if values.ndim == 1 else Interval(*ends)


def half_width(samples: np.ndarray, confidence: float, axis: int = 0) -> Any:
    """Return half the width of the interval that `interval` returns; NaN for one sample.

    >>> round(float(half_width(np.array([1.0, 2.0, 3.0]), 0.95)), 3)
    2.484
    """
    count = samples.shape[axis]
    if count < 2:
        return np.full(samples.mean(axis).shape, math.nan)
    return student.half_width(count - 1, confidence) * samples.std(axis, ddof=1) / math.sqrt(count)

"""Student's confidence intervals of the means of independent replications, and comparison of a mean with a goal."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from longfat.base import domains

#: Largest number of degrees of freedom, and range of confidences, for which `student_quantile` uses a finite sum. Our
#: choice: simulations rarely need others; a sum of 100 terms takes less than a millisecond; for a probability P near 1
#: the difference 1 - P has too few digits.
MOST_TERMS, USUAL = 200, (0.1, 0.999)


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
    values = domains.numbers("samples", samples, "1", "[-inf, inf]", nan=True)
    if values.ndim:
        axis = domains.integer("axis", axis, "1", f"[{-values.ndim}, {values.ndim - 1}]")
    if values.ndim == 0 or values.shape[axis] == 0:
        raise domains.wrong_shape("samples", values.shape, "a sequence of at least one number")
    mean, half = values.mean(axis), half_width(values, confidence, axis)
    ends = mean, mean - half, mean + half
    return Interval(*map(float, ends)) if values.ndim == 1 else Interval(*ends)


def is_decided(samples: Sequence[float], goal: float, confidence: float, looks: int = 1) -> bool:
    r"""Return whether the confidence interval of a mean lies entirely below a goal, or entirely at or above the goal.

    A growing sample may be examined ``looks`` times. The interval of each look has the
    confidence :math:`1 - (1 - c)/looks`, so by Bonferroni's inequality the probability of a wrong decision at any look
    is at most 1 - c, for independent samples with a normal distribution (Law, Simulation Modeling and Analysis, 5th
    ed., section 9.7).

    >>> is_decided([0.94, 0.96, 0.97], 0.95, 0.95), is_decided([0.97, 0.98, 0.98], 0.95, 0.95)
    (False, True)
    >>> is_decided([0.97, 0.98, 0.98], 0.95, 0.95, looks=4)
    False
    """
    _, lower, upper = interval(samples, 1 - (1 - confidence) / looks)
    return bool(lower >= goal or upper < goal)


def half_width(samples: np.ndarray, confidence: float, axis: int = 0) -> Any:
    """Return the half width of the interval that `interval` returns; NaN for one sample.

    >>> round(float(half_width(np.array([1.0, 2.0, 3.0]), 0.95)), 3)
    2.484
    """
    count = samples.shape[axis]
    if count < 2:
        return np.full(samples.mean(axis).shape, math.nan)
    return student_quantile(count - 1, confidence) * samples.std(axis, ddof=1) / math.sqrt(count)


@functools.lru_cache(maxsize=8192)
def student_quantile(degrees: int, confidence: float) -> float:
    r"""Return the half width of Student's confidence interval, in standard errors of the mean.

    .. math:: P(|T_n| \le t) = I_{t^2/(n + t^2)}(1/2, n/2) = c

    ``degrees`` is the number n of degrees of freedom, one less than the number of samples, and ``confidence`` is c
    [probability]. The result t [1] is NaN for n = 0, since one sample has no interval. Source: Abramowitz and Stegun,
    Handbook of Mathematical Functions, 1964, 26.7.1.

    One and two degrees of freedom have closed forms. With t = sqrt(n) tan(theta), P is a finite sum of powers of
    cos(theta), which Newton's method inverts for the usual n and c, because importing SciPy takes longer than a short
    simulation. For other n and c, t^2/(n + t^2) and its complement n/(n + t^2) have beta distributions; the quantiles
    of both are computed, because the one near 1 lacks the digits of the other. Below c = 1e-9 t is taken as
    proportional to c, because the density is constant near 0 and t^2 would underflow.

    >>> round(student_quantile(9, 0.95), 6)  # table 26.10
    2.262157
    """
    if degrees == 0:
        return math.nan
    if degrees == 1:
        return math.tan(math.pi * confidence / 2) if confidence < 0.5 else 1 / math.tan(math.pi * (1 - confidence) / 2)
    if degrees == 2:
        return confidence * math.sqrt(2 / ((1 - confidence) * (1 + confidence)))
    if degrees <= MOST_TERMS and USUAL[0] <= confidence <= USUAL[1]:
        return math.sqrt(degrees) * math.tan(_angle(degrees, confidence))
    from scipy import special

    least = max(confidence, 1e-9)
    inside = special.betaincinv(0.5, degrees / 2, least)
    outside = special.betaincinv(degrees / 2, 0.5, 1 - least)
    return math.sqrt(degrees * inside / outside) * (confidence / least)


def _angle(degrees: int, confidence: float) -> float:
    """Return the angle theta [rad], of `student_quantile`, at which P equals the confidence.

    P follows from Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.3 and 26.7.4. It is an
    increasing concave function of theta, so Newton's method from 0 approaches theta from below.
    """
    theta, is_odd = 0.0, degrees % 2
    height = 2 * math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(math.pi)
    while True:
        cosine, sine = math.cos(theta), math.sin(theta)
        terms = [sine * (cosine if is_odd else 1.0)]
        for k in range(2 + is_odd, degrees, 2):
            terms.append(terms[-1] * cosine**2 * (k - 1) / k)
        inside = math.fsum([theta, *terms]) * 2 / math.pi if is_odd else math.fsum(terms)
        step = (confidence - inside) / (height * cosine ** (degrees - 1))
        if step <= 2**-52 * theta:
            return theta
        theta += step

"""Quantiles of Student's t distribution, for the confidence intervals of all simulators and sweeps."""

from __future__ import annotations

import functools
import math


@functools.lru_cache(maxsize=8192)
def half_width(degrees: int, confidence: float) -> float:
    r"""Return the half width of Student's confidence interval, in standard errors of the mean.

    .. math:: P(|T_n| \le t) = I_{t^2/(n + t^2)}(1/2, n/2) = c

    Parameters
    ----------
    degrees : int
        Degrees of freedom n, one less than the number of samples [1], at least 0.
    confidence : float
        c [probability], in (0, 1).

    Returns
    -------
    float
        t [1]; NaN for 0 degrees, since one sample has no interval.

    Notes
    -----
    t^2/(n + t^2) has the beta distribution, and so has its complement n/(n + t^2); the quantiles of both are computed,
    because the one near 1 lacks the digits of the other. Below c = 1e-9 t is taken as proportional to c, because the
    density is constant near 0 and t^2 would underflow.

    Examples
    --------
    >>> round(half_width(9, 0.95), 6)
    2.262157

    References
    ----------
    Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.1 and table 26.10.
    """
    if degrees == 0:
        return math.nan
    from scipy import special

    least = max(confidence, 1e-9)
    inside = special.betaincinv(0.5, degrees / 2, least)
    outside = special.betaincinv(degrees / 2, 0.5, 1 - least)
    return math.sqrt(degrees * inside / outside) * (confidence / least)

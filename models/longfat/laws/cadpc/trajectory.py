"""The way to the equilibrium of n flows that start together, exactly.

The deviation e = 1 - (1 + n) x of equation (2) squares with every update.
"""

from __future__ import annotations

import math
from typing import Any

from longfat.law import Symbol, law
from longfat.laws.cadpc.parameters import FIRST_RATE, FLOWS, FRACTION, PAPER, TIME, UPDATES

ROUND_TRIP = Symbol("R", "s", "(0, inf)", (1e-3, 1.0), "round-trip time")
ROUND_TRIPS = Symbol("N", "round trips", "(0, inf)", (1.0, 40.0), "round trips between updates")


def doubled(x: Any, times: Any, xp: Any) -> Any:
    """X 2^times in two factors, each of them finite: 2^times alone overflows for small x and many times."""
    if hasattr(xp, "mp"):
        return xp.mp.ldexp(x, int(times))
    most = 2 * (math.frexp(float(xp.finfo(x.dtype).max))[1] - 1)
    times = xp.minimum(times, most + 0 * times)
    half = xp.floor(times / 2)
    return x * xp.power(2 + 0 * half, half) * xp.power(2 + 0 * half, times - half)


def approached(first: Any, squarings: Any, xp: Any) -> Any:
    """1 - (1 - first)^(2^squarings) for 0 < first <= 1, with all digits of a small ``first``, and right slopes at 1.

    The logarithm serves small values and has no slope at first = 1; the power serves the others. Where one does not
    apply it gets 1/4 or 1/2 to work on.
    """
    small = first < 0.5
    logarithm = xp.log1p(-xp.where(small, first, 0.25 + 0 * first))
    few = xp.minimum(squarings, 14 + 0 * squarings)  # (1/2)^(2^14) is 0 in floats, and 1e-4932 anyway
    rest = xp.power(1 - xp.where(small, 0.5 + 0 * first, first), xp.power(2 + 0 * few, few))
    power = doubled(logarithm, squarings, xp)
    power = xp.maximum(power, -1e6 + 0 * first)  # exp(-1e6) = 1e-434294, and mpmath cannot do much less
    return xp.where(small, -xp.expm1(power), 1 - rest)


@law(
    source=f"ours, exact solution of {PAPER}, equation (2)",
    unit="1",
    derivation="cadpc.trajectory",
    rate=FIRST_RATE,
    flows=FLOWS,
    updates=UPDATES,
)
def trajectory(rate: Any, flows: Any, updates: Any, *, xp: Any) -> Any:
    r"""Rate of each of n flows that started at the same rate, after t updates.

    .. math:: x_t = \frac{1 - (1 - (1 + n) x_0)^{2^t}}{1 + n}

    Parameters
    ----------
    rate : float or array
        x_0 [1], in (0, 1), and below 2/(1 + n).
    flows : int or array
        n [flows], whole, in [1, inf).
    updates : int or array
        t [updates], whole, in [0, inf).

    Returns
    -------
    float or array
        x_t over the capacity [1]; NaN where x_0 >= 2/(1 + n), from where the first update leads to no positive rate.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for smoothness a = 1, equal starts and fresh reports. From below, and after the first update in any case, the
    rate grows without passing the equilibrium; from t to t + 1 the number of correct digits doubles. With smoothing
    the update is the logistic map with parameter 1 + a, for which closed forms are known for a = 1 and a = 3 only.
    Near x_0 = 2/(1 + n) the result depends on the last digits of x_0.

    Examples
    --------
    >>> [trajectory(0.1, 4, t) for t in (0, 1, 2)]
    [0.1, 0.15, 0.1875]

    References
    ----------
    Ours; the map is equation (2) of M. Welzl, Scalable Router Aided Congestion Avoidance, section II.B.
    """
    if hasattr(xp, "sympy"):
        return (1 - (1 - (1 + flows) * rate) ** (2**updates)) / (1 + flows)
    scaled = (1 + flows) * rate
    inside = scaled < 2
    first = xp.where(inside, scaled * (2 - scaled), 0.25 + 0 * scaled)  # after one update, from both sides below 1
    later = approached(first, xp.maximum(updates, 1 + 0 * updates) - 1, xp) / (1 + flows)
    path = xp.where(updates < 1, rate + 0 * later, later)
    return xp.where(inside, path, xp.nan + 0 * path)


@law(
    source=f"ours, inverse of the exact solution of {PAPER}, equation (2)",
    unit="updates",
    derivation="cadpc.updates_to_fraction",
    rate=FIRST_RATE,
    flows=FLOWS,
    fraction=FRACTION,
)
def updates_to_fraction(rate: Any, flows: Any, fraction: Any, *, xp: Any) -> Any:
    r"""Updates until n flows that started at the same rate are at a fraction of the equilibrium.

    .. math:: t = \max\left(0, \log_2 \frac{\ln(1 - \varphi)}{\ln\left|1 - (1 + n) x_0\right|}\right)

    Parameters
    ----------
    rate : float or array
        x_0 [1], in (0, 1), and below 2/(1 + n).
    flows : int or array
        n [flows], whole, in [1, inf).
    fraction : float or array
        phi [1], in (0, 1): from above it counts when the distance to the equilibrium is 1 - phi of it.

    Returns
    -------
    float or array
        t [updates], to be rounded up; NaN where x_0 >= 2/(1 + n).

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for smoothness a = 1, equal starts and fresh reports; flows that start at different rates take longer to
    become equal (`updates_to_fairness`). The round-trip time is not in it; it is in the time (`update_time`).

    Examples
    --------
    >>> round(updates_to_fraction(0.1, 4, 0.9375), 12)
    2.0

    References
    ----------
    Ours; the map is equation (2) of M. Welzl, Scalable Router Aided Congestion Avoidance, section II.B.
    """
    two = 2 + 0 * flows
    if hasattr(xp, "sympy"):
        ratio = xp.log(1 - fraction) / xp.log(xp.abs(1 - (1 + flows) * rate))
        return xp.maximum(0, xp.log(ratio) / xp.log(two))
    scaled = (1 + flows) * rate
    inside = (scaled < 2) & (scaled != 1)
    first = xp.where(inside, scaled * (2 - scaled), 0.25 + 0 * scaled)
    small = first < 0.5
    far = xp.log1p(-xp.where(small, first, 0.25 + 0 * first)) / 2
    distance = 1 - xp.where(inside, scaled, 0.25 + 0 * scaled)
    near = xp.log(distance * distance) / 2
    gone = xp.log(-xp.log1p(-fraction)) - xp.log(-xp.where(small, far, near))
    updates = xp.maximum(gone / xp.log(two), 0 * gone)
    return xp.where(inside, updates, xp.where(scaled < 2, 0 * updates, xp.nan + 0 * updates))


@law(
    source=f"{PAPER}, table I",
    unit="s",
    derivation="cadpc.update_time",
    updates=TIME,
    round_trip_time=ROUND_TRIP,
    round_trips=ROUND_TRIPS,
)
def update_time(updates: Any, round_trip_time: Any, round_trips: Any = 4, *, xp: Any) -> Any:
    r"""Time that a number of updates takes.

    .. math:: T = t N R

    Parameters
    ----------
    updates : float or array
        t [updates], in [0, inf).
    round_trip_time : float or array
        R [s], in (0, inf).
    round_trips : float or array
        N [round trips], in (0, inf): between updates, 4 in the paper.

    Returns
    -------
    float or array
        T [s].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    A definition. Convergence that "does not depend on the round-trip time" is meant in updates: in seconds
    it is proportional to it. The first report takes two requests, which this does not count.

    Examples
    --------
    >>> round(update_time(10, 0.3), 12)
    12.0

    References
    ----------
    M. Welzl, Scalable Router Aided Congestion Avoidance, section III, table I.
    """
    return updates * round_trips * round_trip_time

"""Exact convergence of n CADPC flows that start together.

Every update squares the deviation e = 1 - (1 + n) x of equation (2).
"""

from __future__ import annotations

import math
from typing import Any

from longfat.law import Symbol, law
from longfat.laws.cadpc.parameters import FIRST_RATE, FLOWS, FRACTION, TIME, UPDATES
from longfat.laws.references import WELZL

ROUND_TRIP = Symbol("R", "s", "(0, inf)", (1e-3, 1.0), "Round-trip time")
ROUND_TRIPS = Symbol("N", "round trips", "(0, inf)", (1.0, 40.0), "Round trips between updates")


def doubled(x: Any, times: Any, xp: Any) -> Any:
    """Return x 2^times as a product of two finite factors: 2^times alone overflows for small x and many times."""
    if hasattr(xp, "mp"):
        return xp.mp.ldexp(x, int(times))
    most = 2 * (math.frexp(float(xp.finfo(x.dtype).max))[1] - 1)
    times = xp.minimum(times, most + 0 * times)
    half = xp.floor(times / 2)
    return x * xp.power(2 + 0 * half, half) * xp.power(2 + 0 * half, times - half)


def approached(first: Any, squarings: Any, xp: Any) -> Any:
    """Return 1 - (1 - first)^(2^squarings) for 0 < first <= 1, accurate for small ``first`` and with right slopes at 1.

    The logarithm is accurate for small values, but has no slope at first = 1; the power is used for the others. Each is
    evaluated at 1/4 or 1/2 where it is not used.
    """
    small = first < 0.5
    logarithm = xp.log1p(-xp.where(small, first, 0.25 + 0 * first))
    few = xp.minimum(squarings, 14 + 0 * squarings)  # (1/2)^(2^14) = 1e-4932 is 0 in floats
    rest = xp.power(1 - xp.where(small, 0.5 + 0 * first, first), xp.power(2 + 0 * few, few))
    power = doubled(logarithm, squarings, xp)
    power = xp.maximum(power, -1e6 + 0 * first)  # exp(-1e6) = 1e-434294, near the limit of mpmath
    return xp.where(small, -xp.expm1(power), 1 - rest)


@law(
    source=f"Ours: exact solution of {WELZL}, section II.B, equation (2)",
    unit="1",
    result="x_t, over the capacity; NaN where x_0 >= 2/(1 + n), from where the first update leads to no positive rate",
    derivation="cadpc.trajectory",
    not_simulated="exact for reports without delay; simulated senders learn of the traffic one update later",
    rate=FIRST_RATE.described(remark="It has to be below 2/(1 + n)"),
    flows=FLOWS,
    updates=UPDATES,
)
def trajectory(rate: Any, flows: Any, updates: Any, *, xp: Any) -> Any:
    r"""Return the rate, after t updates, of each of n CADPC flows that started at the same rate.

    .. math:: x_t = \frac{1 - (1 - (1 + n) x_0)^{2^t}}{1 + n}

    Notes
    -----
    Exact for smoothness a = 1, equal starting rates and reports without delay. After the first update at the latest,
    the rate grows without passing the equilibrium, and every update doubles the number of correct digits. For other a
    the update is the logistic map with parameter 1 + a, which has known closed forms for a = 1 and a = 3 only. Near
    x_0 = 2/(1 + n) the result depends on the last digits of x_0.

    Examples
    --------
    >>> [trajectory(0.1, 4, t) for t in (0, 1, 2)]
    [0.1, 0.15, 0.1875]
    """
    if hasattr(xp, "sympy"):
        return (1 - (1 - (1 + flows) * rate) ** (2**updates)) / (1 + flows)
    scaled = (1 + flows) * rate
    inside = scaled < 2
    first = xp.where(
        inside, scaled * (2 - scaled), 0.25 + 0 * scaled
    )  # after one update the scaled rate is below 1 from either side
    later = approached(first, xp.maximum(updates, 1 + 0 * updates) - 1, xp) / (1 + flows)
    path = xp.where(updates < 1, rate + 0 * later, later)
    return xp.where(inside, path, xp.nan + 0 * path)


@law(
    source=f"Ours: inverse of the exact solution of {WELZL}, section II.B, equation (2)",
    unit="updates",
    result="t, to be rounded up; NaN where x_0 >= 2/(1 + n)",
    derivation="cadpc.updates_to_fraction",
    not_simulated="exact for reports without delay; simulated senders learn of the traffic one update later",
    rate=FIRST_RATE.described(remark="It has to be below 2/(1 + n)"),
    flows=FLOWS,
    fraction=FRACTION.described(remark="If x_0 is above the equilibrium, 2 - phi times the equilibrium is meant"),
)
def updates_to_fraction(rate: Any, flows: Any, fraction: Any, *, xp: Any) -> Any:
    r"""Return the updates until n CADPC flows, started at the same rate, reach a fraction of the equilibrium.

    .. math:: t = \max\left(0, \log_2 \frac{\ln(1 - \varphi)}{\ln\left|1 - (1 + n) x_0\right|}\right)

    Notes
    -----
    Exact for smoothness a = 1, equal starting rates and reports without delay; flows that start at different rates
    take longer to become equal (`updates_to_fairness`). The number of updates does not depend on the round-trip time,
    their duration does (`update_time`).

    Examples
    --------
    >>> round(updates_to_fraction(0.1, 4, 0.9375), 12)
    2.0
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
    source=f"{WELZL}, section III, table I",
    unit="s",
    result="T",
    derivation="cadpc.update_time",
    not_simulated="arithmetic of definitions",
    updates=TIME,
    round_trip_time=ROUND_TRIP,
    round_trips=ROUND_TRIPS.described(remark="The paper has 4"),
)
def update_time(updates: Any, round_trip_time: Any, round_trips: Any = 4, *, xp: Any) -> Any:
    """Return the time that a number of CADPC updates takes.

    .. math:: T = t N R

    Notes
    -----
    A definition. The paper's statement that convergence "does not depend on the round-trip time" counts updates: in
    seconds, convergence takes a time proportional to the round-trip time. The two requests before the first report
    are not included.

    Examples
    --------
    >>> round(update_time(10, 0.3), 12)
    12.0
    """
    return updates * round_trips * round_trip_time

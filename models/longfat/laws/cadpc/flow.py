"""One CADPC flow, or equal ones: the update of the rate, logistic growth in continuous time, equilibria, trajectories.

In `trajectory` every update squares the deviation e = 1 - (1 + n) x of equation (2).
"""

from __future__ import annotations

import math
from typing import Any

from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.references import WELZL

RATE = Symbol("x", "1", "(0, inf)", (1e-6, 0.5), "Rate of the sender over the capacity of the link that reports")
TRAFFIC = Symbol(
    "L", "1", "[0, inf)", (0.1, 1.2), "Traffic of all flows, the sender's included, over the capacity of the link"
)
FIRST_RATE = Symbol("x_0", "1", "(0, 1)", (1e-6, 0.02), "Rate over capacity before the first update")
FLOWS = Symbol("n", "flows", "[1, inf)", (1, 100), "Flows that share the link", integer=True)
UPDATES = Symbol("t", "updates", "[0, inf)", (0, 20), "Updates since the start", integer=True)
TIME = Symbol("t", "updates", "[0, inf)", (0.01, 40.0), "Time since the start, in updates")
FRACTION = Symbol(r"\varphi", "1", "(0, 1)", (0.1, 0.999), "Fraction of the equilibrium")
WEIGHT = Symbol("w", "flows", "(0, inf)", (0.5, 4.0), "Weight, the number of flows that a flow acts like")
TOTAL_WEIGHT = Symbol("W", "flows", "(0, inf)", (1.0, 100.0), "Sum of the weights of all flows, this one included")
# The substitution z = a (1 + n) x/(1 + a) turns the update into the logistic map with parameter 1 + a. For parameters
# up to 4 (a <= 3), z stays inside (0, 1). The equilibrium is stable for a < 2.
SMOOTHING = Symbol("a", "1", "(0, 3]", (0.1, 1.0), "Smoothness factor")


@law(
    source=f"{WELZL}, section II.B, equation (1); smoothness factor in table I",
    result=(
        "x(t + 1) [1]. Not positive where x + L >= 1 + 1/a: there a sender needs a smallest rate, which the paper "
        "does not give; it says that the rate must not reach zero"
    ),
    not_simulated="the rule that the simulated sender computes itself",
    smoothing=SMOOTHING.described(remark="1 gives the paper's equation (1); its simulations use 0.5"),
)
def step(rate: RATE, traffic: TRAFFIC, smoothing=1, *, xp):
    """Return the rate of a CADPC sender after one update, relative to the capacity.

    .. math:: x(t + 1) = x(t) (1 + a (1 - x(t) - L(t)))

    The paper names a, but gives no formula. This form is ours: it keeps the equilibrium, and a = 1 is equation (1). The
    smoothed update of the total rate has no closed-form solution in general (`trajectory` is the solution for a = 1).
    The form holds if rate and traffic belong to the same time; `largest_stable_smoothing` gives the effect of delayed
    reports.

    >>> step(0.25, 0.5)
    0.3125
    >>> step(0.25, 0.5, smoothing=0.5)
    0.28125
    """
    return rate * (1 + smoothing * (1 - rate - traffic))


@law(
    source=f"{WELZL}, sections III and IV.B",
    result="x(t + 1) [1]; not positive where x/w + L >= 1 + 1/a",
    derivation="cadpc_network.weights.update",
    not_simulated="the rule that the simulated sender computes itself",
)
def weighted_step(rate: RATE, traffic: TRAFFIC, weight: WEIGHT, smoothing: SMOOTHING = 1, *, xp):
    r"""Return the rate, relative to the capacity, after one update of a CADPC sender that acts like w flows.

    .. math:: x(t + 1) = x(t) \left(1 + a \left(1 - \frac{x(t)}{w} - L(t)\right)\right)

    The result equals the total rate of w flows of rate x/w each, by which the paper defines weights; w need not be an
    integer.

    >>> weighted_step(0.5, 0.5, weight=2) == 2 * step(0.25, 0.5)
    True
    """
    return rate * (1 + smoothing * (1 - rate / weight - traffic))


@law(
    source=f"Ours: equation (2) of {WELZL} in continuous time; its section II.B names logistic growth",
    result="x(t) [1], over the capacity",
    derivation="cadpc.logistic",
    not_simulated="the rule in continuous time; simulated senders update in steps",
)
def logistic_rate(rate: FIRST_RATE, flows: FLOWS, updates: TIME, smoothing: SMOOTHING = 1, *, xp):
    r"""Return the rate, relative to the capacity, of each of n CADPC flows on the logistic curve (many small updates).

    .. math:: x(t) = \frac{1}{e^{-a t}/x_0 + (1 + n) (1 - e^{-a t})}, \qquad
        \frac{dx}{dt} = a x (1 - (1 + n) x)

    This is the limit of small a for constant a t. At a = 1 it only illustrates the discrete updates: a small rate grows
    by the factor e = 2.72 instead of 2 per update, and near the equilibrium the curve gains 0.43 correct digits per
    update, while discrete updates double the number of correct digits.

    >>> round(logistic_rate(0.1, 4, 0), 12), round(logistic_rate(0.1, 4, 1e3), 12)
    (0.1, 0.2)
    """
    # All terms below are positive, and so are the terms of the derivative with respect to the rate. In the form
    # x_0/(...), terms of this derivative would cancel for large t.
    decay = smoothing * updates
    return 1 / (xp.exp(-decay) / rate - (1 + flows) * xp.expm1(-decay))


@law(
    source=f"{WELZL}, section II.B, after equation (2)",
    result="x [1], over the capacity",
    derivation="cadpc.equilibria.rate",
    simulated=SimulatedBy("cadpc_rate", {"flows": (1.0, 30.0)}, relative=0.05),
)
def equilibrium_rate(flows: FLOWS, *, xp):
    r"""Return the equilibrium rate of each of n CADPC flows, relative to the capacity.

    .. math:: \bar x = \frac{1}{1 + n}

    Exact for any smoothness factor. The equilibrium is stable for a < 2 if reports arrive without delay; the other
    fixed point, 0, is unstable.

    >>> equilibrium_rate(4)
    0.2
    """
    return 1 / (1 + flows)


@law(
    source=f"{WELZL}, section II.B, equation (3)",
    result="L [1], over the capacity",
    derivation="cadpc.equilibria.traffic",
    simulated=SimulatedBy("cadpc_traffic", relative=0.03),
)
def equilibrium_traffic(flows: FLOWS, *, xp):
    r"""Return the traffic of n CADPC flows at equilibrium, relative to the capacity.

    .. math:: n \bar x = \frac{n}{1 + n}

    Exact. One flow alone uses half of the link; 10 flows use 0.909 and 99 flows 0.99 of it.

    >>> equilibrium_traffic(1), equilibrium_traffic(99)
    (0.5, 0.99)
    """
    return flows / (1 + flows)


@law(
    source=f"{WELZL}, sections III and IV.B",
    result="x [1], over the capacity",
    derivation="cadpc_network.weights.rate",
    simulated=SimulatedBy("cadpc_rate", {"weight": (0.5, 2.0), "total_weight": (3.0, 6.0)}, relative=0.03),
)
def weighted_equilibrium_rate(weight: WEIGHT, total_weight: TOTAL_WEIGHT, *, xp):
    r"""Return the equilibrium rate of a CADPC flow of weight w, relative to the capacity.

    .. math:: \bar x = \frac{w}{1 + W}

    Exact. Rates are proportional to the weights. W >= w is assumed and not checked.

    >>> weighted_equilibrium_rate(2, 3), weighted_equilibrium_rate(1, 3)
    (0.5, 0.25)
    """
    return weight / (1 + total_weight)


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
    """Return 1 - (1 - first)^(2^squarings) for 0 < first <= 1: accurate near 0, and with derivatives at first = 1, too.

    Small values are computed by the logarithm, which is accurate but has no slope at first = 1, others by the power.
    Where a form is not used, it is evaluated at 1/4 or 1/2.
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
    result=(
        "x_t [1], over the capacity; NaN where x_0 >= 2/(1 + n), from where the first update leads to no positive rate"
    ),
    not_simulated="exact for reports without delay; simulated senders learn of the traffic one update later",
    rate=FIRST_RATE.described(remark="It has to be below 2/(1 + n)"),
)
def trajectory(rate, flows: FLOWS, updates: UPDATES, *, xp):
    r"""Return the rate, relative to the capacity, of each of n CADPC flows t updates after a start at equal rates.

    .. math:: x_t = \frac{1 - (1 - (1 + n) x_0)^{2^t}}{1 + n}

    Exact for smoothness a = 1, equal starting rates and reports without delay. After the first update at the latest,
    the rate grows without passing the equilibrium, and every update doubles the number of correct digits. For other a
    the update is the logistic map with parameter 1 + a, which has known closed forms for a = 1 and a = 3 only. Near
    x_0 = 2/(1 + n) the result depends on the last digits of x_0.

    >>> [trajectory(0.1, 4, t) for t in (0, 1, 2)]
    [0.1, 0.15, 0.1875]
    """
    if hasattr(xp, "sympy"):
        return (1 - (1 - (1 + flows) * rate) ** (2**updates)) / (1 + flows)
    scaled = (1 + flows) * rate
    inside = scaled < 2
    first = xp.where(
        inside, scaled * (2 - scaled), 0.25 + 0 * scaled
    )  # after one update the scaled rate is at most 1, whether it started below or above 1
    later = approached(first, xp.maximum(updates, 1 + 0 * updates) - 1, xp) / (1 + flows)
    path = xp.where(updates < 1, rate + 0 * later, later)
    return xp.where(inside, path, xp.nan + 0 * path)


@law(
    source=f"Ours: inverse of the exact solution of {WELZL}, section II.B, equation (2)",
    result="t [updates], to be rounded up; NaN where x_0 >= 2/(1 + n)",
    not_simulated="exact for reports without delay; simulated senders learn of the traffic one update later",
    rate=FIRST_RATE.described(remark="It has to be below 2/(1 + n)"),
    fraction=FRACTION.described(remark="If x_0 is above the equilibrium, 2 - phi times the equilibrium is meant"),
)
def updates_to_fraction(rate, flows: FLOWS, fraction, *, xp):
    r"""Return the number of updates until n equal CADPC flows reach a fraction of their equilibrium rate.

    .. math:: t = \max\left(0, \log_2 \frac{\ln(1 - \varphi)}{\ln\left|1 - (1 + n) x_0\right|}\right)

    Exact for smoothness a = 1, equal starting rates and reports without delay; flows that start at different rates
    take longer to become equal (`updates_to_fairness`). The number of updates does not depend on the round-trip time,
    but their duration does (`update_time`).

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
    result="T [s]",
    not_simulated="arithmetic of definitions",
    round_trips=ROUND_TRIPS.described(remark="The paper has 4"),
)
def update_time(updates: TIME, round_trip_time: ROUND_TRIP, round_trips=4, *, xp):
    """Return the time [s] that a given number of CADPC updates takes.

    .. math:: T = t N R

    A definition. The paper's statement that convergence "does not depend on the round-trip time" counts updates: in
    seconds, convergence takes a time proportional to the round-trip time. The two requests before the first report
    are not included.

    >>> round(update_time(10, 0.3), 12)
    12.0
    """
    return updates * round_trips * round_trip_time

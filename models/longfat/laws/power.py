"""Network power, the ratio of throughput to response time: its definition, its maximum and its bounds.

Units are bytes, seconds and bytes/s; a load is the ratio of throughput to capacity. The laws of knee and ceilings
assume Poisson arrivals and no loss. Proofs: derivations/power.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from longfat.base.domains import Interval, array, out_of_range, wrong_type
from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.queues.unlimited import LOAD, VARIATION, mg1_wait
from longfat.laws.references import GIESSLER, KIM_FARBER, KLEINROCK_COMPUTERS, KLEINROCK_POWER, KLEINROCK_QUEUES, LITTLE

__all__ = [
    "first_come_ceiling",
    "greatest_power",
    "jain_index",
    "knee_load",
    "knee_number",
    "little_mean_number",
    "network_power",
    "power_ceiling",
    "power_ceiling_exponent",
    "relative_power",
]


THROUGHPUT = Symbol(r"\Theta", "bytes/s", "[0, inf)", (1e4, 1e9), "Throughput of completed transfers")
RESPONSE_TIME = Symbol("R", "s", "(0, inf)", (1e-3, 10.0), "Response time, the mean from arrival to completion")
ALPHA = Symbol(r"\alpha", "1", "(0, inf)", (0.25, 2.0), "Weight of throughput against response time")
ARRIVAL_RATE = Symbol(r"\lambda", "1/s", "[0, inf)", (0.1, 1e4), "Arrival rate")
TIME_INSIDE = Symbol("T", "s", "[0, inf)", (1e-3, 10.0), "Mean time that an arrival spends in the system")
CAPACITY = Symbol("C", "bytes/s", "(0, inf)", (1e4, 1e9), "Rate of the link")
FILE_SIZE = Symbol("F", "bytes", "(0, inf)", (1e3, 1e8), "Mean size of the files")
ROUND_TRIP = Symbol("D", "s", "[0, inf)", (1e-4, 1.0), "Round-trip propagation time")
PROPAGATION = Symbol(
    r"\delta", "1", "[0, inf)", (0.01, 100.0), "Round-trip propagation time D over mean service time S"
)


@law(
    source=f"{KIM_FARBER}, section 4.1.4, after {GIESSLER}",
    result="P [bytes^alpha/s^(alpha+1)]; in bytes/s^2 for alpha = 1",
    not_simulated="arithmetic of definitions",
    throughput=THROUGHPUT.described(remark="It counts the whole system"),
    response_time=RESPONSE_TIME.described(remark="It is the mean over all transfers, propagation included"),
    alpha=ALPHA.described(remark="Above 1 throughput counts for more, below 1 response time"),
)
def network_power(throughput, response_time, alpha=1, *, xp):
    r"""Return the network power: the throughput, raised to alpha, over the response time.

    .. math:: P = \frac{\Theta^\alpha}{R}

    A definition. It compares systems that complete every transfer: a system that refuses transfers has a short response
    time for accepted ones, and its power does not reflect the refused ones. Powers with different alpha have different
    units.

    >>> network_power(1e6, 0.5)
    2000000.0
    """
    return xp.power(throughput, alpha) / response_time


@law(
    source=LITTLE,
    result="N [transfers], averaged over time",
    derivation="power.little",
    not_simulated="arithmetic of definitions",
)
def little_mean_number(arrival_rate: ARRIVAL_RATE, time_inside: TIME_INSIDE, *, xp):
    r"""Return the mean number of arrivals inside any system that loses none, by Little's law.

    .. math:: N = \lambda T

    Exact for every arrival process, every order of service and every part of a system, as long as the means exist.
    With files of mean size F it relates the number of transfers in progress to throughput and response time: N =
    Theta R/F.

    >>> little_mean_number(900, 0.032)  # 900 connections/s of 32 ms: Kim and Farber's 29 outstanding connections
    28.8
    """
    return arrival_rate * time_inside


def odds(propagation: Any, variation: Any, alpha: Any, xp: Any) -> Any:
    """Return x = rho/(1 - rho) at the load of greatest power, the root of x^2 + (1 - alpha) x = alpha q^2."""
    squared = 2 * (1 + propagation) / (1 + variation)  # q^2, the odds squared for alpha = 1
    excess = alpha - 1
    root = xp.sqrt(excess * excess + 4 * alpha * squared)
    if hasattr(xp, "sympy"):
        return (excess + root) / 2
    above = excess >= 0
    sum_ = xp.where(above, excess, -excess) + root
    return xp.where(above, sum_ / 2, 2 * alpha * squared / sum_)


@law(
    source=(
        f"{KIM_FARBER}, section 4.1.4; the waiting time is the Pollaczek-Khinchine formula, {KLEINROCK_QUEUES}, "
        "section 5.6"
    ),
    result="P S/C^alpha [1]: 1 for a link that is full without queueing and without propagation delay",
    simulated=SimulatedBy(
        "mg1_power",
        {"load": (0.05, 0.8), "variation": [0.0, 1.0], "alpha": 1.0, "propagation": (0.05, 10.0)},
        relative=0.05,
    ),
    load=LOAD.described("Throughput over capacity"),
)
def relative_power(load, propagation: PROPAGATION = 0, variation: VARIATION = 1, alpha: ALPHA = 1, *, xp):
    r"""Return the network power of an M/G/1 link with propagation delay, relative to capacity and service time.

    .. math::

        \frac{P S}{C^\alpha} = \frac{\rho^\alpha}{1 + \delta + W_q(\rho)}, \qquad
        W_q = \frac{\rho (1 + C_b^2)}{2 (1 - \rho)}

    Exact for Poisson arrivals, independent service times, no losses and an order of service that does not depend on
    service times; for processor sharing the response time is that of variation 1. It rises up to `knee_load` and
    falls beyond it, to 0.

    >>> relative_power(0.5)  # M/M/1: rho (1 - rho)
    0.25
    """
    return xp.power(load, alpha) / (1 + propagation + mg1_wait.function(load, variation, xp=xp))


@law(
    source=f"{KLEINROCK_POWER}; the form with propagation and alpha together is ours",
    result="rho* [1], between 0 and 1; q/(1 + q) for alpha = 1",
    derivation="power.knee",
    long_proof=True,
    not_simulated="the maximum of relative_power, which is simulated",
)
def knee_load(propagation: PROPAGATION = 0, variation: VARIATION = 1, alpha: ALPHA = 1, *, xp):
    r"""Return the load at which the network power of an M/G/1 link with propagation delay is greatest.

    .. math::

        \rho^* = \frac{x}{1 + x}, \qquad
        x = \frac{\alpha - 1 + \sqrt{(\alpha - 1)^2 + 4 \alpha q^2}}{2}, \qquad
        q = \sqrt{\frac{2 (1 + \delta)}{1 + C_b^2}}

    As exact as `relative_power`, which has no other maximum. Without propagation M/M/1 has its knee at alpha/(1 +
    alpha), that is 1/2 for alpha = 1, and M/D/1 at 2 - sqrt(2) = 0.586. m equal M/M/1 hops have the response time m
    S/(1 - rho) + D, so their knee is that of one hop with delta = D/(m S).

    >>> knee_load(), round(knee_load(variation=0), 6), knee_load(propagation=3)
    (0.5, 0.585786, 0.666666666666)
    """
    x = odds(propagation, variation, alpha, xp)
    return x / (1 + x)


@law(
    source=f"{KLEINROCK_POWER}; the form with propagation and alpha together is ours",
    result="N* [transfers], averaged over time: waiting, in service and in propagation",
    long_proof=True,
    not_simulated="the maximum of relative_power, which is simulated",
)
def knee_number(propagation: PROPAGATION = 0, variation: VARIATION = 1, alpha: ALPHA = 1, *, xp):
    r"""Return the mean number of transfers in progress at the load of greatest network power (Kleinrock's rules).

    .. math:: N^* = \frac{(1 + C_b^2) x^2}{2 \alpha}, \qquad x = \frac{\rho^*}{1 - \rho^*}

    As exact as `relative_power`. For alpha = 1 it is 1 + delta for all service times: as many transfers as are on a
    path whose link is always busy and where no transfer waits. Without propagation that is one transfer ("keep the pipe
    just full"), and alpha of them in M/M/1.

    >>> knee_number(variation=0), knee_number(variation=7), knee_number(alpha=3)
    (1.0, 1.0, 3.0)
    """
    x = odds(propagation, variation, alpha, xp)
    return (1 + variation) * x * x / (2 * alpha)


OURS = f"Ours: the maximum over the load of network power, which {KIM_FARBER}, section 4.1.4, defines"
BOUND = "a bound rather than a value; tests/test_power_agreement.py checks that simulated power stays below it"


def greatest(capacity: Any, file_size: Any, round_trip_time: Any, half: Any, xp: Any) -> Any:
    """Return C^2/F/(h (1 + q)^2) with q^2 = (1 + D/S)/h, computed without C^2, which might overflow."""
    rate = capacity / file_size
    beyond = 1 + xp.sqrt((1 + round_trip_time * rate) / half)
    return (capacity / beyond) * (rate / beyond) / half


@law(
    source=f"{OURS}; the mean response time under processor sharing is from {KLEINROCK_COMPUTERS}, chapter 4",
    result="P* [bytes/s^2], at the load rho* = q/(1 + q)",
    long_proof=True,
    not_simulated=BOUND,
    file_size=FILE_SIZE.described(remark="Only the mean counts"),
)
def power_ceiling(capacity: CAPACITY, file_size, round_trip_time: ROUND_TRIP, *, xp):
    r"""Return the greatest network power [bytes/s^2] of a link that all transfers in progress share equally.

    .. math:: P^* = \frac{C^2}{F} \frac{1}{(1 + q)^2}, \qquad q = \sqrt{1 + \frac{D}{S}}, \qquad S = \frac{F}{C}

    Exact for Poisson arrivals, files of any distribution, equal sharing at every instant and no transfer refused: the
    response time is D + S/(1 - rho). It is the ceiling for equal sharing and, for exponential sizes, for all
    disciplines that do not know sizes. Other disciplines can exceed it: for files of equal size, order of arrival
    reaches `first_come_ceiling`, up to 1.37 times as much; unequal sharing, shortest file first, and arrivals
    smoother than Poisson arrivals exceed it, too. The bound for all of them is C/(D + S). P* grows as C^(1 + 1/q)
    (`power_ceiling_exponent`).

    >>> f"{power_ceiling(1.25e8, 1e5, 0.03):.3g}"  # 1 Gbit/s, 100 kB, 30 ms
    '3.01e+09'
    """
    return greatest(capacity, file_size, round_trip_time, 1, xp)


@law(
    source=f"{OURS}; the waiting time in M/D/1 is from {KLEINROCK_QUEUES}, section 5.6",
    result="P* [bytes/s^2], at the load rho* = q/(1 + q); service in order of arrival reaches it",
    long_proof=True,
    not_simulated=BOUND,
    file_size=FILE_SIZE.described("Size of every file"),
)
def first_come_ceiling(capacity: CAPACITY, file_size, round_trip_time: ROUND_TRIP, *, xp):
    r"""Return the greatest network power [bytes/s^2] of a link with files of equal size, whatever the queue discipline.

    .. math::

        P^* = \frac{C^2}{F} \frac{2}{(1 + q)^2}, \qquad q = \sqrt{2 \left(1 + \frac{D}{S}\right)}, \qquad
        S = \frac{F}{C}

    Exact for Poisson arrivals and files of one size, with no transfer refused. No discipline exceeds it, not even one
    that is preemptive, idles or knows the future: its n-th completion is never earlier than in order of arrival. It is
    not a ceiling for files of several sizes, for arrivals smoother than Poisson arrivals, or for a system that refuses
    files, whose power can approach C^2/F/(1 + D/S).

    >>> f"{first_come_ceiling(1.25e8, 1e5, 0.03):.3g}"  # 1 Gbit/s, 100 kB, 30 ms
    '3.27e+09'
    """
    rate = capacity / file_size
    beyond = 1 + xp.sqrt(2 * (1 + round_trip_time * rate))
    return 2 * (capacity / beyond) * (rate / beyond)


@law(
    source=f"{OURS}; the waiting time is the Pollaczek-Khinchine formula, {KLEINROCK_QUEUES}, section 5.6",
    result="P* [bytes/s^2], at the load rho* = q/(1 + q), which is `knee_load`",
    long_proof=True,
    not_simulated=BOUND,
    variation=VARIATION.described(
        "Squared coefficient of variation of the file sizes", remark="It is the variance over the squared mean"
    ),
)
def greatest_power(capacity: CAPACITY, file_size: FILE_SIZE, round_trip_time: ROUND_TRIP, variation, *, xp):
    r"""Return the greatest network power [bytes/s^2] of a link that serves files of any sizes in order of arrival.

    .. math::

        P^* = \frac{C^2}{F} \frac{1}{h (1 + q)^2}, \qquad q = \sqrt{\frac{1 + D/S}{h}}, \qquad
        h = \frac{1 + C_b^2}{2}, \qquad S = \frac{F}{C}

    Exact for Poisson arrivals, independent sizes and any order of service that does not depend on them, with each
    file served without interruption. It is less than `power_ceiling` for C_b^2 > 1, equal to it
    for 1, and equal to `first_come_ceiling` for 0.

    >>> f"{greatest_power(1.25e8, 1e5, 0.03, 10):.3g}"
    '2.1e+09'
    """
    return greatest(capacity, file_size, round_trip_time, (1 + variation) / 2, xp)


@law(
    source=OURS,
    result="Exponent [1]: 2 without propagation delay, 3/2 where C D = 3 F, and towards 1 for fast links",
    derivation="power.ceiling_growth",
    not_simulated=BOUND,
)
def power_ceiling_exponent(capacity: CAPACITY, file_size: FILE_SIZE, round_trip_time: ROUND_TRIP, *, xp):
    r"""Return the exponent with which the power ceiling grows with the capacity, that is d ln P* / d ln C.

    .. math:: \frac{d \ln P^*}{d \ln C} = 1 + \frac{1}{q}, \qquad q = \sqrt{1 + \frac{C D}{F}}

    This is the logarithmic derivative of `power_ceiling` by C, and as exact.

    >>> power_ceiling_exponent(1e7, 1e5, 0.03)
    1.5
    """
    return 1 + 1 / xp.sqrt(1 + round_trip_time * capacity / file_size)


ALLOWED = Interval.parse("[0, inf)")


def jain_index(throughputs: Any, axis: int = -1) -> Any:
    r"""Return Jain's fairness index of several throughputs.

    .. math:: f = \frac{\left(\sum_{i=1}^n \Theta_i\right)^2}{n \sum_{i=1}^n \Theta_i^2}

    Parameters
    ----------
    throughputs : array
        Theta_i [bytes/s], each in [0, inf) and at least one along the axis positive: a sequence (of symbols and mpmath
        numbers, too), or an array of any library that follows the array API, JAX's tracers included.
    axis : int
        Axis of the users.

    Returns
    -------
    float or array
        f [1], without that axis: from 1/n, where one user has all, to 1, where all have the same. If k of n users
        have equal throughputs and the others none, it is k/n.

    Notes
    -----
    Exact, a definition: 1/(1 + c^2) with c the coefficient of variation. Throughputs are divided by the largest one
    first, so squares neither overflow nor vanish. NaN gives NaN; under tracing nothing is checked, and throughputs
    that are all 0 give NaN. The unit does not matter.

    Examples
    --------
    >>> jain_index([1.0, 1.0, 1.0, 0.0])
    0.75

    References
    ----------
    R. Jain, D.-M. Chiu and W. Hawe, "A Quantitative Measure of Fairness and Discrimination for Resource Allocation in
    Shared Computer Systems", DEC-TR-301, Digital Equipment Corporation, 1984.
    """
    plain = not hasattr(throughputs, "__array_namespace__")
    values = np.asarray(throughputs) if plain else throughputs
    if values.ndim == 0 or 0 in values.shape:
        raise out_of_range("throughputs", str(throughputs), "bytes/s", f"{ALLOWED}, for one user or more")
    if values.dtype == object:  # symbols, mpmath numbers, fractions: exact, so no scale is needed
        for value in values.flat:
            if not getattr(value, "free_symbols", None):
                _check_exact(value)
        if not np.all(np.any(values != 0, axis=axis)):
            raise _all_zero()
        return values.sum(axis=axis) ** 2 / (values.shape[axis] * (values * values).sum(axis=axis))
    xp = values.__array_namespace__()
    if not xp.isdtype(values.dtype, "real floating"):
        if not xp.isdtype(values.dtype, ("integral", "bool")):
            raise wrong_type("throughputs", throughputs, "an array of numbers", "bytes/s")
        values = xp.astype(values, xp.asarray(0.0).dtype)
    _check(values, axis)
    unused = xp.all(values == 0, axis=axis, keepdims=True)
    values = values / xp.where(unused, xp.nan, xp.max(values, axis=axis, keepdims=True))
    total = xp.sum(values, axis=axis)
    index = total * total / (values.shape[axis] * xp.sum(values * values, axis=axis))
    return float(index) if plain and index.ndim == 0 else index


def _all_zero() -> ValueError:
    return out_of_range("throughputs", "all 0", "bytes/s", f"{ALLOWED}, not all 0")


def _check_exact(value: Any) -> None:
    try:
        inside = bool(ALLOWED.contains(value)) or value != value
    except TypeError:
        inside = False
    if not inside:
        raise out_of_range("throughputs", str(value), "bytes/s", ALLOWED)


def _check(values: Any, axis: int) -> None:
    try:
        numbers = np.asarray(values, dtype=float)
    except TypeError:  # a tracer has no values
        return
    array("throughputs", numbers, "bytes/s", ALLOWED)
    if np.any(np.all(numbers == 0, axis=axis)):
        raise _all_zero()

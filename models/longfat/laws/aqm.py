"""Active queue management: CoDel's drops, CAKE's target and interval, PIE's gains and loss, coupling of a dual queue.

Proofs: derivations/aqm.py. Marking thresholds for DCTCP: `longfat.laws.dctcp`.
"""

from __future__ import annotations

import functools
from typing import Any

from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.references import MATHIS, RFC_8033, RFC_8289, RFC_9332, SCH_CAKE

__all__ = [
    "cake_interval",
    "cake_target",
    "classic_probability",
    "codel_control_time",
    "codel_count",
    "codel_drop_rate",
    "codel_drop_time",
    "coupled_rate_ratio",
    "coupling_factor",
    "equilibrium_loss",
    "rescaled_integral_gain",
    "rescaled_proportional_gain",
]


DROPS = Symbol("n", "packets", "[1, inf)", (1, 1000), "Drops since the first one", integer=True)
INTERVAL = Symbol("I", "s", "(0, inf)", (0.01, 0.2), "CoDel's interval, 0.1 s by default")
TIME = Symbol("t", "s", "[0, inf)", (0.0, 10.0), "Time since the first drop")
LOSS = Symbol("p", "probability", "(0, 1)", (1e-4, 0.1), "Fraction of the packets to be dropped")
CAPACITY = Symbol(r"\mu", "packets/s", "(0, inf)", (100.0, 1e6), "Capacity of the link")
FLOWS = Symbol("N", "flows", "[1, inf)", (1, 100), "Equal flows at the link", integer=True)
ROUND_TRIP = Symbol("R", "s", "(0, inf)", (0.005, 0.2), "Round-trip time, without queueing")
TARGET = Symbol("q", "s", "[0, inf)", (0.001, 0.03), "Queueing delay that the queue management aims at")
INTEGRAL_GAIN = Symbol(r"\alpha", "1/s", "(0, inf)", (0.01, 1.0), "Gain of the deviation of the delay, per update")
PROPORTIONAL_GAIN = Symbol(r"\beta", "1/s", "(0, inf)", (0.1, 10.0), "Gain of the change of the delay between updates")
RATIO = Symbol("h", "1", "(0, 2]", (0.1, 2.0), "New time between updates over the present one")
MARKING = Symbol("p_{CL}", "probability", "[0, 1]", (0.01, 1.0), "Coupled probability of marking low-latency packets")
COUPLING = Symbol("k", "1", "[1, inf)", (1.0, 8.0), "Coupling factor, 2 by default")
DECREASE = Symbol(r"\beta", "1", "(0, 1)", (0.5, 0.7), "Factor by which a loss multiplies the window")
CLASSIC_TRIP = Symbol("R_C", "s", "(0, inf)", (0.005, 0.2), "Mean round-trip time of the classic flow, with its queue")
SCALABLE_TRIP = Symbol("R_L", "s", "(0, inf)", (0.005, 0.2), "Round-trip time of the scalable flow, with its queue")


ZETA = -1.4603545088095868128894991525152980124672  # zeta(1/2)
SHIFT = 16  # terms that are added; after them four Euler-Maclaurin corrections leave an error below 1e-14


def zeta_half(xp: Any) -> Any:
    """Return zeta(1/2) in the precision of the arithmetic."""
    if hasattr(xp, "sympy"):
        return xp.sympy.zeta(xp.sympy.Rational(1, 2))
    return _zeta_half(xp.mp.prec) if hasattr(xp, "mp") else ZETA


@functools.cache
def _zeta_half(bits: int) -> Any:
    import mpmath

    with mpmath.workprec(bits):
        return mpmath.zeta(0.5)


def root_sum(count: Any, xp: Any) -> Any:
    """Return 1 + 1/sqrt(2) + ... + 1/sqrt(n) for n = ``count``."""
    if hasattr(xp, "sympy"):
        return xp.sympy.harmonic(count, xp.sympy.Rational(1, 2))
    if hasattr(xp, "mp"):
        return zeta_half(xp) - xp.mp.zeta(0.5, count + 1)
    end = count + float(SHIFT)
    root, square = xp.sqrt(end), end * end
    # Coefficients of the Euler-Maclaurin formula, B_2j/(2j)! times 1/2 3/2 5/2 ...: 1/24, 1/384, 1/1024, 143/163840.
    corrections = (1 / 24 - (1 / 384 - (1 / 1024 - 143 / 163840 / square) / square) / square) / end
    total = 2 * root + ZETA + (0.5 - corrections) / root
    for term in range(1, SHIFT + 1):
        total = total - 1 / xp.sqrt(count + float(term))
    return total


@law(
    source=f"{RFC_8289}, sections 5.5 and 5.6 (the rule); the sum is ours",
    result="t_n [s], from the first drop to the n-th after it",
    simulated=SimulatedBy("codel_drop_time", {"drops": (1.0, 400.0), "interval": (0.02, 0.2)}, relative=0.015),
)
def codel_drop_time(drops: DROPS, interval: INTERVAL = 0.1, *, xp):
    r"""Return the time [s] from CoDel's first drop to the n-th drop after it, while the delay stays above the target.

    .. math:: t_n = I \sum_{j=1}^{n} \frac{1}{\sqrt j} \approx I \left(2 \sqrt n + \zeta(1/2)\right)

    Exact but for the transmission time of a packet, since drops happen when packets leave. The first drop itself comes
    an interval after the delay has exceeded the target.

    >>> [round(codel_drop_time(n), 5) for n in (1, 2, 100)]
    [0.1, 0.17071, 1.85896]
    """
    return interval * root_sum(drops, xp)


@law(
    source=f"Ours, by the rule of {RFC_8289}, section 5.6",
    result="r [packets/s]",
    not_simulated="the slope of codel_drop_time, which is simulated",
)
def codel_drop_rate(time: TIME, interval: INTERVAL = 0.1, *, xp):
    r"""Return CoDel's drop rate [packets/s] at a time after the first drop, while the delay stays above the target.

    .. math:: r = \frac{1}{2 I} \left(\frac{t}{I} - \zeta(1/2)\right)

    This is the asymptotic form of `codel_drop_time`, solved for sqrt(n)/I. At the n-th drop the rate lies between
    sqrt(n)/I and sqrt(n + 1)/I, the inverses of the intervals before and after that drop. The rate grows by 1/(2 I^2)
    per second at every capacity, so on a faster link the fraction of dropped packets grows more slowly.

    >>> round(codel_drop_rate(1.0), 1)
    57.3
    """
    return (time / interval - zeta_half(xp)) / (2 * interval)


@law(
    source=f"Ours, by the rule of {RFC_8289}, section 5.6",
    result="n [packets]",
    not_simulated="a step of codel_control_time",
)
def codel_count(loss: LOSS, capacity_packets: CAPACITY, interval: INTERVAL = 0.1, *, xp):
    r"""Return the value of CoDel's variable count at which CoDel drops a given fraction of a busy link's packets.

    .. math:: n = (p \mu I)^2

    CoDel drops a packet every I/sqrt(n) seconds. With a result below 1 even the first drops exceed the given fraction.

    >>> round(codel_count(0.01, 10_000), 12)
    100.0
    """
    drops = loss * capacity_packets * interval
    return drops * drops


@law(
    source=f"Ours, by the rule of {RFC_8289}, section 5.6",
    result="T [s], from the first drop on; 0 where the first drops suffice",
    not_simulated="codel_drop_time, which is simulated, at the count of codel_count",
)
def codel_control_time(loss: LOSS, capacity_packets: CAPACITY, interval: INTERVAL = 0.1, *, xp):
    r"""Return the time [s] from CoDel's first drop until CoDel drops a given fraction of the packets.

    .. math:: T = I \max(0, 2 p \mu I + \zeta(1/2))

    This is `codel_drop_time` at `codel_count`, in the asymptotic form, which is too small by 1/(2 p mu) at most. The
    time is nearly proportional to the capacity: CoDel drops 10 % of the packets after 1.9 s at 1000 packets/s, and
    after 200 s at 100 000 packets/s.

    >>> round(codel_control_time(0.1, 1000), 2), round(codel_control_time(0.1, 100_000), 1)
    (1.85, 199.9)
    """
    count = 2 * (loss * capacity_packets * interval) + zeta_half(xp)
    return interval * xp.maximum(count, 0 * count)


LINK_RATE = Symbol("C", "bytes/s", "(0, inf)", (2e4, 1e8), "Rate of CAKE, or of one of its tins")
FRAME = Symbol("l", "bytes", "(0, inf)", (500, 9000), "Largest frame as tc counts it: MTU and link-layer header")
LEAST_TARGET = Symbol("q", "s", "(0, inf)", (5e-5, 0.05), "Target of a fast link; rtt/20 in CAKE")
CAKE_TRIP = Symbol("R", "s", "(0, inf)", (0.001, 1.0), "CAKE's parameter rtt")
TARGET_RULE = "a setting of a queue discipline; docs/slow_links.py simulates what it costs"


@law(
    source=f"{SCH_CAKE}, cake_set_rate()",
    result="T [s], the target of CoDel in CAKE",
    not_simulated=TARGET_RULE,
)
def cake_target(capacity: LINK_RATE, packet_size: FRAME = 1514, target: LEAST_TARGET = 0.005, *, xp):
    r"""Return CoDel's target [s] in CAKE: on a slow link the transmission time of one and a half packets.

    .. math:: T = \max\left(q, \frac{3}{2} \frac{l}{C}\right)

    Exact but for the rounding of Linux's integers. It exceeds 5 ms below 3.63 Mbit/s with frames of 1514 bytes.

    >>> round(cake_target(1e6 / 8), 6), cake_target(1e7 / 8)  # 1 and 10 Mbit/s
    (0.018168, 0.005)
    """
    own = 3 * packet_size / (2 * capacity)
    return xp.maximum(target + 0 * own, own + 0 * target)


@law(
    source=f"{SCH_CAKE}, cake_set_rate()",
    result="I [s], the interval of CoDel in CAKE",
    not_simulated=TARGET_RULE,
)
def cake_interval(
    capacity: LINK_RATE,
    packet_size: FRAME = 1514,
    target: LEAST_TARGET = 0.005,
    round_trip_time: CAKE_TRIP = 0.1,
    *,
    xp,
):
    r"""Return CoDel's interval [s] in CAKE, which grows with CoDel's target on a slow link.

    .. math:: I = \max(R + T - q, 2 T)

    T is `cake_target`. The second case applies if the transmission of one and a half packets takes longer than R - q:
    below 191 kbit/s with the defaults.

    >>> round(cake_interval(1e6 / 8), 6), cake_interval(1e7 / 8)
    (0.113168, 0.1)
    """
    own = cake_target.function(capacity, packet_size, target, xp=xp)
    return xp.maximum(round_trip_time + (own - target), 2 * own + 0 * round_trip_time)


RULE = f"{RFC_8033}, section 4.2 (the case of half the interval); the general case is ours"
SAMPLING = "the same controller at another sampling rate"


@law(
    source=RULE,
    result="alpha' [1/s]",
    derivation="aqm.rescaled_gains.integral",
    not_simulated=SAMPLING,
)
def rescaled_integral_gain(integral_gain: INTEGRAL_GAIN, interval_ratio: RATIO, *, xp):
    r"""Return PIE's integral gain [1/s] for another update interval, with the dynamics of the control loop unchanged.

    .. math:: \alpha' = h \, \alpha

    For an interval T the trapezoidal rule turns the gains k_I and k_P of a controller in continuous time into alpha =
    k_I T and beta = k_P - k_I T/2.

    >>> rescaled_integral_gain(0.125, 0.5)
    0.0625
    """
    return integral_gain * interval_ratio


@law(
    source=RULE,
    result="beta' [1/s], which grows by alpha/4 for h = 1/2",
    derivation="aqm.rescaled_gains.proportional",
    not_simulated=SAMPLING,
)
def rescaled_proportional_gain(
    integral_gain: INTEGRAL_GAIN, proportional_gain: PROPORTIONAL_GAIN, interval_ratio: RATIO, *, xp
):
    r"""Return PIE's proportional gain [1/s] for another update interval, with the control loop's dynamics unchanged.

    .. math:: \beta' = \beta + \frac{1 - h}{2} \alpha

    See `rescaled_integral_gain`. The rule of the RFC, alpha/2 and beta + alpha/4 for half the time, is exact for the
    trapezoidal rule.

    >>> rescaled_proportional_gain(0.125, 1.25, 0.5)
    1.28125
    """
    return proportional_gain + integral_gain * (1 - interval_ratio) / 2


@law(
    source=f"Ours: {MATHIS}, section 2, at the queueing delay at which an integral controller comes to rest",
    result="p [probability]",
    simulated=SimulatedBy(
        "pie_loss",
        {
            # Our choice of the ranges: they give windows of 6 to 21 packets. Elsewhere simulations differ from the law:
            # by 36 % of its value with windows of 4.5 packets (20 flows at 1000 packets/s and 90 ms), by 47 % with
            # windows of 56 packets.
            "flows": (10.0, 15.0),
            "capacity_packets": (1000.0, 1500.0),
            "round_trip_time": (0.08, 0.12),
            "target": (0.01, 0.02),
        },
        relative=0.25,
    ),
)
def equilibrium_loss(flows: FLOWS, capacity_packets: CAPACITY, round_trip_time: ROUND_TRIP, target: TARGET, *, xp):
    r"""Return the loss probability at which N Reno flows fill a link while its queueing delay is at a target.

    .. math:: p = \frac{3}{2} \left(\frac{N}{\mu (R + q)}\right)^2

    An integral controller such as PIE's is in equilibrium only at its target; with q equal to the target, p is the drop
    probability of the controller. The law holds for small p, no timeouts, and one acknowledgment per packet. Where p is
    above 1 there is no such equilibrium.

    >>> round(equilibrium_loss(10, 1000, 0.085, 0.015), 6)
    0.015
    """
    share = flows / capacity_packets / (round_trip_time + target)
    return 3 * share * share / 2


@law(
    source=f"{RFC_9332}, section 2.1, equation (1)",
    result="p_C [probability]",
    not_simulated="a rule of the discipline; coupled_rate_ratio has its effect",
)
def classic_probability(marking: MARKING, coupling_factor: COUPLING = 2, *, xp):
    r"""Return the probability with which a coupled dual queue drops or marks packets of classic flows.

    .. math:: p_C = \left(\frac{p_{CL}}{k}\right)^2

    The square root of p_C is the base probability, which the controller sets. Because p_CL is at most 1, p_C is at most
    1/k^2.

    >>> round(classic_probability(0.2), 12)
    0.01
    """
    base = marking / coupling_factor
    return base * base


@law(
    source=f"{RFC_9332}, appendix C.2, equation (10) (for k = 2)",
    result="r_L/r_C [1]",
    not_simulated="two responses, each of which is simulated: window_at_spaced_marks of DCTCP, the square-root law",
)
def coupled_rate_ratio(
    classic_round_trip_time: CLASSIC_TRIP, scalable_round_trip_time: SCALABLE_TRIP, coupling_factor: COUPLING = 2, *, xp
):
    r"""Return the rate of a scalable flow over the rate of a classic flow at a coupled dual queue.

    .. math:: \frac{r_L}{r_C} = \sqrt{\frac{8}{3}} \, \frac{R_C}{k R_L}

    The classic flow has the window sqrt(3/(2 p_C)). The scalable flow has DCTCP's window 2/p_CL; Prague has it, too, as
    long as its rate depends on the round-trip time. With equal round-trip times the rates are equal for k = 1.633; the
    RFC prints 1.64, because it rounds sqrt(3/2) to 1.22 first. The marks are evenly spaced, as in the RFC's queue
    management; independent marks would give 1.37 times the rate (`longfat.laws.dctcp.window_at_random_marks`).

    >>> round(coupled_rate_ratio(0.04, 0.025), 3)
    1.306
    """
    balance = xp.sqrt(8 + 0 * coupling_factor) / xp.sqrt(3 + 0 * coupling_factor)
    return balance / coupling_factor * (classic_round_trip_time / scalable_round_trip_time)


@law(
    source=f"{RFC_9332}, appendix C.2, equations (7) to (9)",
    result="k [1]",
    not_simulated="the inverse of coupled_rate_ratio at the round-trip times of the RFC",
    round_trip_time=ROUND_TRIP.described(remark="Both flows have it"),
)
def coupling_factor(round_trip_time, target: TARGET = 0.015, decrease: DECREASE = 0.5, *, xp):
    r"""Return the coupling factor with which a scalable and a classic flow at a dual queue get equal rates.

    .. math:: k = \sqrt{\frac{8}{3}} \, \frac{1 + \beta}{2} \left(1 + \frac{q}{R}\right)

    The queueing delay of the classic flow reaches the target at the tips of its sawtooth, so its mean round-trip time
    is (1 + beta)/2 (R + q); that of the scalable flow is R. At R = 25 ms and a target of 15 ms this is 1.96 for Reno
    and 2.22 for CUBIC in its Reno-friendly region; the RFC prints 1.97, from rounded factors, and 2.22.

    >>> round(coupling_factor(0.025), 2), round(coupling_factor(0.025, decrease=0.7), 2)
    (1.96, 2.22)
    """
    balance = xp.sqrt(8 + 0 * target) / xp.sqrt(3 + 0 * target)
    return balance * ((1 + decrease) / 2) * (1 + target / round_trip_time)

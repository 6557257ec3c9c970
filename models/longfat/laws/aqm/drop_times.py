"""CoDel's control law: when it drops while the queueing delay stays above the target.

The laws hold for one stay in the drop state that begins with a count of 1, at a link that has packets to send.
"""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.aqm.parameters import CAPACITY, DROPS, INTERVAL, LOSS, TIME
from longfat.laws.references import RFC_8289

ZETA = -1.4603545088095868128894991525152980124672  # zeta(1/2)
SHIFT = 16  # terms after which four corrections of Euler and Maclaurin leave an error below 1e-14


def zeta_half(xp: Any) -> Any:
    """Return zeta(1/2) in the digits of the arithmetic."""
    if hasattr(xp, "sympy"):
        return xp.sympy.zeta(xp.sympy.Rational(1, 2))
    return xp.mp.zeta(0.5) if hasattr(xp, "mp") else ZETA


def root_sum(count: Any, xp: Any) -> Any:
    """Return 1 + 1/sqrt(2) + ... + 1/sqrt(n)."""
    if hasattr(xp, "sympy"):
        return xp.sympy.harmonic(count, xp.sympy.Rational(1, 2))
    if hasattr(xp, "mp"):
        return xp.mp.zeta(0.5) - xp.mp.zeta(0.5, count + 1)
    end = count + float(SHIFT)
    root, square = xp.sqrt(end), end * end
    # Bernoulli numbers over factorials times 1/2 3/2 5/2 ...: 1/24, 1/384, 1/1024, 143/163840
    corrections = (1 / 24 - (1 / 384 - (1 / 1024 - 143 / 163840 / square) / square) / square) / end
    total = 2 * root + ZETA + (0.5 - corrections) / root
    for term in range(1, SHIFT + 1):
        total = total - 1 / xp.sqrt(count + float(term))
    return total


@law(
    source=f"{RFC_8289}, sections 5.5 and 5.6 (the rule); the sum is ours",
    unit="s",
    result="t_n, from the first drop to the n-th after it",
    derivation="aqm.codel_drop_time",
    simulated=SimulatedBy("codel_drop_time", {"drops": (1.0, 400.0), "interval": (0.02, 0.2)}, relative=0.015),
    drops=DROPS,
    interval=INTERVAL,
)
def codel_drop_time(drops: Any, interval: Any = 0.1, *, xp: Any) -> Any:
    r"""Return the time of CoDel's n-th drop after the first one, while the delay stays above the target.

    .. math:: t_n = I \sum_{j=1}^{n} \frac{1}{\sqrt j} \approx I \left(2 \sqrt n + \zeta(1/2)\right)

    Notes
    -----
    Exact but for the transmission time of a packet, since drops happen when packets leave. The first drop itself comes
    an interval after the delay has exceeded the target.

    Examples
    --------
    >>> [round(codel_drop_time(n), 5) for n in (1, 2, 100)]
    [0.1, 0.17071, 1.85896]
    """
    return interval * root_sum(drops, xp)


@law(
    source=f"Ours, by the rule of {RFC_8289}, section 5.6",
    unit="packets/s",
    result="r",
    derivation="aqm.codel_drop_rate",
    not_simulated="the slope of codel_drop_time, which is simulated",
    time=TIME,
    interval=INTERVAL,
)
def codel_drop_rate(time: Any, interval: Any = 0.1, *, xp: Any) -> Any:
    r"""Return CoDel's rate of drops some time after the first, while the delay stays above the target.

    .. math:: r = \frac{1}{2 I} \left(\frac{t}{I} - \zeta(1/2)\right)

    Notes
    -----
    The asymptotic form of `codel_drop_time` solved for sqrt(n)/I. At the n-th drop it lies between sqrt(n)/I and
    sqrt(n + 1)/I, the inverse times before and after that drop. The rate grows by 1/(2 I^2) in a second, whatever the
    capacity: the faster the link, the slower the share of drops.

    Examples
    --------
    >>> round(codel_drop_rate(1.0), 1)
    57.3
    """
    return (time / interval - zeta_half(xp)) / (2 * interval)


@law(
    source=f"Ours, by the rule of {RFC_8289}, section 5.6",
    unit="packets",
    result="n",
    derivation="aqm.codel_count",
    not_simulated="a step of codel_control_time",
    loss=LOSS,
    capacity_packets=CAPACITY,
    interval=INTERVAL,
)
def codel_count(loss: Any, capacity_packets: Any, interval: Any = 0.1, *, xp: Any) -> Any:
    r"""Return the count with which CoDel drops a given share of the packets of a busy link.

    .. math:: n = (p \mu I)^2

    Notes
    -----
    A drop in every I/sqrt(n). A result below 1 means that the first drops are more than needed.

    Examples
    --------
    >>> round(codel_count(0.01, 10_000), 12)
    100.0
    """
    drops = loss * capacity_packets * interval
    return drops * drops


@law(
    source=f"Ours, by the rule of {RFC_8289}, section 5.6",
    unit="s",
    result="T, from the first drop on; 0 where the first drops suffice",
    derivation="aqm.codel_control_time",
    not_simulated="codel_drop_time, which is simulated, at the count of codel_count",
    loss=LOSS,
    capacity_packets=CAPACITY,
    interval=INTERVAL,
)
def codel_control_time(loss: Any, capacity_packets: Any, interval: Any = 0.1, *, xp: Any) -> Any:
    r"""Return the time that CoDel needs, in the drop state, to reach a given share of drops.

    .. math:: T = I \max(0, 2 p \mu I + \zeta(1/2))

    Notes
    -----
    `codel_drop_time` at `codel_count`, in its asymptotic form, which is too small by 1/(2 p mu) at most. It is
    proportional to the capacity: an overload of 10 % takes 0.2 s to answer at 1000 packets/s, and 20 s at 100 000.

    Examples
    --------
    >>> round(codel_control_time(0.1, 1000), 2), round(codel_control_time(0.1, 100_000), 1)
    (1.85, 199.9)
    """
    count = 2 * (loss * capacity_packets * interval) + zeta_half(xp)
    return interval * xp.maximum(count, 0 * count)

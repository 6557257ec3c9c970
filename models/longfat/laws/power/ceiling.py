"""Greatest network power of a link: with equal sharing, in order of arrival, and for any service times.

S = F/C is the mean service time. The growth with C is between that of C^2 and of C. Proofs: derivations/power.py.
"""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.power.parameters import CAPACITY, FILE_SIZE, ROUND_TRIP
from longfat.laws.queues.parameters import VARIATION
from longfat.laws.references import KIM_FARBER, KLEINROCK_COMPUTERS, KLEINROCK_QUEUES

OURS = f"Ours: the maximum over the load of network power, which {KIM_FARBER}, section 4.1.4, defines"


def greatest(capacity: Any, file_size: Any, round_trip_time: Any, half: Any, xp: Any) -> Any:
    """Return C^2/F/(h (1 + q)^2) with q^2 = (1 + D/S)/h, without a square of the capacity, which might overflow."""
    rate = capacity / file_size
    beyond = 1 + xp.sqrt((1 + round_trip_time * rate) / half)
    return (capacity / beyond) * (rate / beyond) / half


@law(
    source=f"{OURS}; the mean response time under processor sharing is from {KLEINROCK_COMPUTERS}, chapter 4",
    unit="bytes/s^2",
    result="P*, at the load rho* = q/(1 + q)",
    derivation="power.power_ceiling",
    long_proof=True,
    not_simulated=(
        "a bound rather than a value; tests/test_power_agreement.py checks that simulated power stays below it"
    ),
    capacity=CAPACITY,
    file_size=FILE_SIZE.described(remark="Only the mean counts"),
    round_trip_time=ROUND_TRIP,
)
def power_ceiling(capacity: Any, file_size: Any, round_trip_time: Any, *, xp: Any) -> Any:
    r"""Return the greatest network power of a link that all transfers in progress share equally.

    .. math:: P^* = \frac{C^2}{F} \frac{1}{(1 + q)^2}, \qquad q = \sqrt{1 + \frac{D}{S}}, \qquad S = \frac{F}{C}

    Notes
    -----
    Exact for Poisson arrivals, files of any distribution, equal sharing at every instant and no transfer refused: the
    response time is D + S/(1 - rho). It is the ceiling for equal sharing and, for exponential sizes, for all
    disciplines that do not know sizes. Other disciplines can exceed it: for files of equal size, order of arrival
    reaches `first_come_ceiling`, up to 1.37 times as much; unequal sharing, shortest file first, and arrivals
    smoother than Poisson arrivals exceed it, too. The bound for all of them is C/(D + S). It grows as C^(1 + 1/q)
    (`power_ceiling_exponent`).

    Examples
    --------
    >>> f"{power_ceiling(1.25e8, 1e5, 0.03):.3g}"  # 1 Gbit/s, 100 kB, 30 ms
    '3.01e+09'
    """
    return greatest(capacity, file_size, round_trip_time, 1, xp)


@law(
    source=f"{OURS}; the waiting time in M/D/1 is from {KLEINROCK_QUEUES}, section 5.6",
    unit="bytes/s^2",
    result="P*, at the load rho* = q/(1 + q); service in order of arrival reaches it",
    derivation="power.first_come_ceiling",
    long_proof=True,
    not_simulated=(
        "a bound rather than a value; tests/test_power_agreement.py checks that simulated power stays below it"
    ),
    capacity=CAPACITY,
    file_size=FILE_SIZE.described("Size of every file"),
    round_trip_time=ROUND_TRIP,
)
def first_come_ceiling(capacity: Any, file_size: Any, round_trip_time: Any, *, xp: Any) -> Any:
    r"""Return the greatest network power of a link with files of equal size, whatever the queue discipline.

    .. math::

        P^* = \frac{C^2}{F} \frac{2}{(1 + q)^2}, \qquad q = \sqrt{2 \left(1 + \frac{D}{S}\right)}, \qquad
        S = \frac{F}{C}

    Notes
    -----
    Exact for Poisson arrivals and files of one size, with no transfer refused. No discipline exceeds it, even if
    preemptive, idling or aware of the future: no n-th completion comes earlier than in order of arrival. It is not a
    ceiling for files of several sizes, for arrivals smoother than Poisson arrivals, or for a system that refuses
    files, whose power can approach C^2/F/(1 + D/S).

    Examples
    --------
    >>> f"{first_come_ceiling(1.25e8, 1e5, 0.03):.3g}"  # 1 Gbit/s, 100 kB, 30 ms
    '3.27e+09'
    """
    rate = capacity / file_size
    beyond = 1 + xp.sqrt(2 * (1 + round_trip_time * rate))
    return 2 * (capacity / beyond) * (rate / beyond)


@law(
    source=f"{OURS}; the waiting time is the Pollaczek-Khinchine formula, {KLEINROCK_QUEUES}, section 5.6",
    unit="bytes/s^2",
    result="P*, at the load rho* = q/(1 + q), which is `knee_load`",
    derivation="power.greatest_power",
    long_proof=True,
    not_simulated=(
        "a bound rather than a value; tests/test_power_agreement.py checks that simulated power stays below it"
    ),
    capacity=CAPACITY,
    file_size=FILE_SIZE,
    round_trip_time=ROUND_TRIP,
    variation=VARIATION.described(
        "Squared coefficient of variation of the file sizes", remark="It is the variance over the squared mean"
    ),
)
def greatest_power(capacity: Any, file_size: Any, round_trip_time: Any, variation: Any, *, xp: Any) -> Any:
    r"""Return the greatest network power of a link that serves files of any sizes in order of arrival.

    .. math::

        P^* = \frac{C^2}{F} \frac{1}{h (1 + q)^2}, \qquad q = \sqrt{\frac{1 + D/S}{h}}, \qquad
        h = \frac{1 + C_b^2}{2}, \qquad S = \frac{F}{C}

    Notes
    -----
    Exact for Poisson arrivals, independent sizes and any order of service that does not depend on them, with each
    file served without interruption. It is less than `power_ceiling` for C_b^2 > 1, equal for 1, and
    `first_come_ceiling` for 0.

    Examples
    --------
    >>> f"{greatest_power(1.25e8, 1e5, 0.03, 10):.3g}"
    '2.1e+09'
    """
    return greatest(capacity, file_size, round_trip_time, (1 + variation) / 2, xp)


@law(
    source=OURS,
    unit="1",
    result="Exponent: 2 without propagation delay, 3/2 where C D = 3 F, and towards 1 for fast links",
    derivation="power.ceiling_growth",
    not_simulated=(
        "a bound rather than a value; tests/test_power_agreement.py checks that simulated power stays below it"
    ),
    capacity=CAPACITY,
    file_size=FILE_SIZE,
    round_trip_time=ROUND_TRIP,
)
def power_ceiling_exponent(capacity: Any, file_size: Any, round_trip_time: Any, *, xp: Any) -> Any:
    r"""Return the exponent with which the power ceiling grows with the capacity.

    .. math:: \frac{d \ln P^*}{d \ln C} = 1 + \frac{1}{q}, \qquad q = \sqrt{1 + \frac{C D}{F}}

    Notes
    -----
    The logarithmic derivative of `power_ceiling` by C, and as exact.

    Examples
    --------
    >>> power_ceiling_exponent(1e7, 1e5, 0.03)
    1.5
    """
    return 1 + 1 / xp.sqrt(1 + round_trip_time * capacity / file_size)

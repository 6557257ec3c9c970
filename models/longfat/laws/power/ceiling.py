"""The greatest power of a link: in the fair share, in order of arrival, and for any service times.

S = F/C is the mean service time. The growth with C is between that of C^2 and of C. Proofs: derivations/power.py.
"""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.power.parameters import CAPACITY, FILE_SIZE, ROUND_TRIP
from longfat.laws.queues.parameters import VARIATION

OURS = "ours: network power over an M/G/1 response time, at its maximum"


def greatest(capacity: Any, file_size: Any, round_trip_time: Any, half: Any, xp: Any) -> Any:
    """C^2/F/(h (1 + q)^2) with q^2 = (1 + D/S)/h; no square of a capacity on the way, which might overflow."""
    rate = capacity / file_size
    beyond = 1 + xp.sqrt((1 + round_trip_time * rate) / half)
    return (capacity / beyond) * (rate / beyond) / half


@law(
    source=OURS,
    unit="bytes/s^2",
    derivation="power.power_ceiling",
    capacity=CAPACITY,
    file_size=FILE_SIZE,
    round_trip_time=ROUND_TRIP,
)
def power_ceiling(capacity: Any, file_size: Any, round_trip_time: Any, *, xp: Any) -> Any:
    r"""Greatest network power of a link that all transfers under way share equally.

    .. math:: P^* = \frac{C^2}{F} \frac{1}{(1 + q)^2}, \qquad q = \sqrt{1 + \frac{D}{S}}, \qquad S = \frac{F}{C}

    Parameters
    ----------
    capacity : float or array
        C [bytes/s], in (0, inf).
    file_size : float or array
        F [bytes], in (0, inf): the mean; only the mean counts.
    round_trip_time : float or array
        D [s], in [0, inf): propagation round trip, without service and queueing.

    Returns
    -------
    float or array
        P* [bytes/s^2], at the load rho* = q/(1 + q).

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for Poisson arrivals, files of any distribution, equal sharing at every instant and no transfer turned away:
    the response time is D + S/(1 - rho). It is the ceiling of every equal sharing, and, for exponential sizes, of all
    disciplines that do not know sizes. It is not one of others: for equal files order of arrival reaches
    `first_come_ceiling`, up to 1.37 times as much, and sharing in unequal parts passes it as well; so do service of the
    shortest file first for unequal ones, and arrivals smoother than Poisson's. C/(D + S) bounds them all. It grows as
    C^(1 + 1/q) (`power_ceiling_exponent`).

    Examples
    --------
    >>> f"{power_ceiling(1.25e8, 1e5, 0.03):.3g}"  # 1 Gbit/s, 100 kB, 30 ms
    '3.01e+09'

    References
    ----------
    Derived in derivations/power.py from the definition of power (Kim and Farber, MS-CIS-94-55, section 4.1.4) and
    the mean time under processor sharing (Kleinrock, Queueing Systems, vol. 2 (1976), chapter 4).
    """
    return greatest(capacity, file_size, round_trip_time, 1, xp)


@law(
    source=OURS,
    unit="bytes/s^2",
    derivation="power.first_come_ceiling",
    capacity=CAPACITY,
    file_size=FILE_SIZE,
    round_trip_time=ROUND_TRIP,
)
def first_come_ceiling(capacity: Any, file_size: Any, round_trip_time: Any, *, xp: Any) -> Any:
    r"""Greatest network power of a link with files of one size, whatever the discipline: order of arrival reaches it.

    .. math::

        P^* = \frac{C^2}{F} \frac{2}{(1 + q)^2}, \qquad q = \sqrt{2 \left(1 + \frac{D}{S}\right)}, \qquad
        S = \frac{F}{C}

    Parameters
    ----------
    capacity : float or array
        C [bytes/s], in (0, inf).
    file_size : float or array
        F [bytes], in (0, inf): of every file.
    round_trip_time : float or array
        D [s], in [0, inf): propagation round trip, without service and queueing.

    Returns
    -------
    float or array
        P* [bytes/s^2], at the load rho* = q/(1 + q).

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for Poisson arrivals and files of one size, no transfer being turned away. No discipline passes it, be it
    preemptive, idling or one that knows the future: no n-th completion comes earlier than in order of arrival. It is
    no ceiling for files of several sizes, for arrivals smoother than Poisson's, or for a system that refuses files,
    whose power can approach C^2/F/(1 + D/S).

    Examples
    --------
    >>> f"{first_come_ceiling(1.25e8, 1e5, 0.03):.3g}"  # 1 Gbit/s, 100 kB, 30 ms
    '3.27e+09'

    References
    ----------
    Derived in derivations/power.py from the definition of power (Kim and Farber, MS-CIS-94-55, section 4.1.4) and
    the wait in M/D/1 (Kleinrock, Queueing Systems, vol. 1 (1975), section 5.6).
    """
    rate = capacity / file_size
    beyond = 1 + xp.sqrt(2 * (1 + round_trip_time * rate))
    return 2 * (capacity / beyond) * (rate / beyond)


@law(
    source=OURS,
    unit="bytes/s^2",
    derivation="power.greatest_power",
    capacity=CAPACITY,
    file_size=FILE_SIZE,
    round_trip_time=ROUND_TRIP,
    variation=VARIATION,
)
def greatest_power(capacity: Any, file_size: Any, round_trip_time: Any, variation: Any, *, xp: Any) -> Any:
    r"""Greatest network power of a link that serves files of any sizes in order of arrival.

    .. math::

        P^* = \frac{C^2}{F} \frac{1}{h (1 + q)^2}, \qquad q = \sqrt{\frac{1 + D/S}{h}}, \qquad
        h = \frac{1 + C_b^2}{2}, \qquad S = \frac{F}{C}

    Parameters
    ----------
    capacity : float or array
        C [bytes/s], in (0, inf).
    file_size : float or array
        F [bytes], in (0, inf): the mean.
    round_trip_time : float or array
        D [s], in [0, inf): propagation round trip, without service and queueing.
    variation : float or array
        C_b^2 [1], in [0, inf): of the file sizes, variance over squared mean.

    Returns
    -------
    float or array
        P* [bytes/s^2], at the load rho* = q/(1 + q), which is `knee_load`.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for Poisson arrivals, independent sizes and any order of service that does not look at them, each file being
    served without interruption. It is less than `power_ceiling` for C_b^2 > 1, equal for 1, and
    `first_come_ceiling` for 0.

    Examples
    --------
    >>> f"{greatest_power(1.25e8, 1e5, 0.03, 10):.3g}"
    '2.1e+09'

    References
    ----------
    Derived in derivations/power.py; the wait is that of Pollaczek and Khinchine (Kleinrock, Queueing Systems,
    vol. 1 (1975), section 5.6).
    """
    return greatest(capacity, file_size, round_trip_time, (1 + variation) / 2, xp)


@law(
    source=OURS,
    unit="1",
    derivation="power.ceiling_growth",
    capacity=CAPACITY,
    file_size=FILE_SIZE,
    round_trip_time=ROUND_TRIP,
)
def power_ceiling_exponent(capacity: Any, file_size: Any, round_trip_time: Any, *, xp: Any) -> Any:
    r"""How fast the power ceiling grows with the capacity: the exponent of C.

    .. math:: \frac{d \ln P^*}{d \ln C} = 1 + \frac{1}{q}, \qquad q = \sqrt{1 + \frac{C D}{F}}

    Parameters
    ----------
    capacity : float or array
        C [bytes/s], in (0, inf).
    file_size : float or array
        F [bytes], in (0, inf): the mean.
    round_trip_time : float or array
        D [s], in [0, inf): propagation round trip, without service and queueing.

    Returns
    -------
    float or array
        The exponent [1]: 2 without propagation delay, 3/2 where C D = 3 F, and towards 1 for fast links.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact as `power_ceiling` is, whose logarithmic derivative it is.

    Examples
    --------
    >>> power_ceiling_exponent(1e7, 1e5, 0.03)
    1.5

    References
    ----------
    Derived in derivations/power.py.
    """
    return 1 + 1 / xp.sqrt(1 + round_trip_time * capacity / file_size)

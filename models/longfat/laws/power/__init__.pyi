"""Network power, throughput over response time: its definition, its maximum and its bounds.

Written by ``make stubs``: editors show these signatures and docstrings.
"""

from collections.abc import Callable
from typing import Any, Generic, ParamSpec

from longfat.law import Law
from longfat.laws.power.fairness import jain_index as jain_index

_P = ParamSpec("_P")

class _Law(Law, Generic[_P]):
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> Any: ...

def _law(function: Callable[_P, Any]) -> _Law[_P]: ...
@_law
def first_come_ceiling(capacity: Any, file_size: Any, round_trip_time: Any) -> Any:
    r"""Return the greatest network power of a link with files of equal size, whatever the queue discipline.

    .. math::

        P^* = \frac{C^2}{F} \frac{2}{(1 + q)^2}, \qquad q = \sqrt{2 \left(1 + \frac{D}{S}\right)}, \qquad
        S = \frac{F}{C}

    Parameters
    ----------
    capacity : float or array
        Rate of the link: C [bytes/s], in (0, inf), typically 1e4 to 1e9.
    file_size : float or array
        Size of every file: F [bytes], in (0, inf), typically 1000 to 1e8.
    round_trip_time : float or array
        Round-trip propagation time: D [s], in [0, inf), typically 0.0001 to 1.

    Returns
    -------
    float or array
        P* [bytes/s^2], at the load rho* = q/(1 + q); service in order of arrival reaches it.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for Poisson arrivals and files of one size, with no transfer refused. No discipline exceeds it, even if
    preemptive, idling or aware of the future: no n-th completion comes earlier than in order of arrival. It is not a
    ceiling for files of several sizes, for arrivals smoother than Poisson arrivals, or for a system that refuses
    files, whose power can approach C^2/F/(1 + D/S).

    References
    ----------
    Ours: the maximum over the load of network power, which H. Kim and D. J. Farber, "Congestion Control by
    Bandwidth-Delay Tradeoff in Very High-Speed Networks: The Case of Window-Based Control", MS-CIS-94-55,
    University of Pennsylvania, 1994, section 4.1.4, defines; the waiting time in M/D/1 is from L. Kleinrock,
    "Queueing Systems, Volume 1: Theory", Wiley, 1975, section 5.6. Proof: derivations/power.py, first_come_ceiling.

    Examples
    --------
    >>> f"{first_come_ceiling(1.25e8, 1e5, 0.03):.3g}"  # 1 Gbit/s, 100 kB, 30 ms
    '3.27e+09'
    """

@_law
def greatest_power(capacity: Any, file_size: Any, round_trip_time: Any, variation: Any) -> Any:
    r"""Return the greatest network power of a link that serves files of any sizes in order of arrival.

    .. math::

        P^* = \frac{C^2}{F} \frac{1}{h (1 + q)^2}, \qquad q = \sqrt{\frac{1 + D/S}{h}}, \qquad
        h = \frac{1 + C_b^2}{2}, \qquad S = \frac{F}{C}

    Parameters
    ----------
    capacity : float or array
        Rate of the link: C [bytes/s], in (0, inf), typically 1e4 to 1e9.
    file_size : float or array
        Mean size of the files: F [bytes], in (0, inf), typically 1000 to 1e8.
    round_trip_time : float or array
        Round-trip propagation time: D [s], in [0, inf), typically 0.0001 to 1.
    variation : float or array
        Squared coefficient of variation of the file sizes: C_b^2 [1], in [0, inf), typically 0.1 to 10. It is the
        variance over the squared mean.

    Returns
    -------
    float or array
        P* [bytes/s^2], at the load rho* = q/(1 + q), which is `knee_load`.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for Poisson arrivals, independent sizes and any order of service that does not depend on them, with each
    file served without interruption. It is less than `power_ceiling` for C_b^2 > 1, equal for 1, and
    `first_come_ceiling` for 0.

    References
    ----------
    Ours: the maximum over the load of network power, which H. Kim and D. J. Farber, "Congestion Control by
    Bandwidth-Delay Tradeoff in Very High-Speed Networks: The Case of Window-Based Control", MS-CIS-94-55,
    University of Pennsylvania, 1994, section 4.1.4, defines; the waiting time is the Pollaczek-Khinchine formula,
    L. Kleinrock, "Queueing Systems, Volume 1: Theory", Wiley, 1975, section 5.6. Proof: derivations/power.py,
    greatest_power.

    Examples
    --------
    >>> f"{greatest_power(1.25e8, 1e5, 0.03, 10):.3g}"
    '2.1e+09'
    """

@_law
def knee_load(propagation: Any = 0, variation: Any = 1, alpha: Any = 1) -> Any:
    r"""Return the load at which the network power of an M/G/1 link with propagation delay is greatest.

    .. math::

        \rho^* = \frac{x}{1 + x}, \qquad
        x = \frac{\alpha - 1 + \sqrt{(\alpha - 1)^2 + 4 \alpha q^2}}{2}, \qquad
        q = \sqrt{\frac{2 (1 + \delta)}{1 + C_b^2}}

    Parameters
    ----------
    propagation : float or array, default 0
        Round-trip propagation time D over mean service time S: delta [1], in [0, inf), typically 0.01 to 100.
    variation : float or array, default 1
        Squared coefficient of variation of the service times: C_b^2 [1], in [0, inf), typically 0.1 to 10.
    alpha : float or array, default 1
        Weight of throughput against response time: alpha [1], in (0, inf), typically 0.25 to 2.

    Returns
    -------
    float or array
        rho* [1], between 0 and 1; q/(1 + q) for alpha = 1.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    As exact as `relative_power`, which has no other maximum. Without propagation M/M/1 has its knee at alpha/(1 +
    alpha), that is 1/2 for alpha = 1, and M/D/1 at 2 - sqrt(2) = 0.586. m equal M/M/1 hops have the response time m
    S/(1 - rho) + D, so their knee is that of one hop with delta = D/(m S).

    References
    ----------
    L. Kleinrock, "Power and Deterministic Rules of Thumb for Probabilistic Problems in Computer Communications",
    IEEE ICC 1979; the form with propagation and alpha together is ours. Proof: derivations/power.py, knee.

    Examples
    --------
    >>> knee_load(), round(knee_load(variation=0), 6), knee_load(propagation=3)
    (0.5, 0.585786, 0.666666666666)
    """

@_law
def knee_number(propagation: Any = 0, variation: Any = 1, alpha: Any = 1) -> Any:
    r"""Return the mean number of transfers in progress at the load of greatest network power (Kleinrock's rules).

    .. math:: N^* = \frac{(1 + C_b^2) x^2}{2 \alpha}, \qquad x = \frac{\rho^*}{1 - \rho^*}

    Parameters
    ----------
    propagation : float or array, default 0
        Round-trip propagation time D over mean service time S: delta [1], in [0, inf), typically 0.01 to 100.
    variation : float or array, default 1
        Squared coefficient of variation of the service times: C_b^2 [1], in [0, inf), typically 0.1 to 10.
    alpha : float or array, default 1
        Weight of throughput against response time: alpha [1], in (0, inf), typically 0.25 to 2.

    Returns
    -------
    float or array
        N* [transfers], averaged over time: waiting, in service and in propagation.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    As exact as `relative_power`. For alpha = 1 it is 1 + delta whatever the service times: as many as fill the empty
    path when its link never idles and nothing waits. Without propagation that is one transfer ("keep the pipe just
    full"), and alpha of them in M/M/1.

    References
    ----------
    L. Kleinrock, "Power and Deterministic Rules of Thumb for Probabilistic Problems in Computer Communications",
    IEEE ICC 1979; the form with propagation and alpha together is ours. Proof: derivations/power.py, knee_number.

    Examples
    --------
    >>> knee_number(variation=0), knee_number(variation=7), knee_number(alpha=3)
    (1.0, 1.0, 3.0)
    """

@_law
def little_mean_number(arrival_rate: Any, time_inside: Any) -> Any:
    r"""Return the mean number in any system that loses nothing, by Little's law.

    .. math:: N = \lambda T

    Parameters
    ----------
    arrival_rate : float or array
        Arrival rate: lambda [1/s], in [0, inf), typically 0.1 to 1e4.
    time_inside : float or array
        Mean time that an arrival spends in the system: T [s], in [0, inf), typically 0.001 to 10.

    Returns
    -------
    float or array
        N [transfers], averaged over time.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for every arrival process, every order of service and every part of a system, as long as the means exist.
    With files of mean size F it relates the number of transfers in progress to throughput and response time: N =
    Theta R/F.

    References
    ----------
    J. D. C. Little, "A Proof for the Queuing Formula: L = lambda W", Operations Research 9(3), 1961, pages 383-387,
    doi:10.1287/opre.9.3.383. Proof: derivations/power.py, little.

    Examples
    --------
    >>> little_mean_number(900, 0.032)  # 900 connections/s of 32 ms: Kim and Farber's 29 outstanding connections
    28.8
    """

@_law
def network_power(throughput: Any, response_time: Any, alpha: Any = 1) -> Any:
    r"""Return the network power: throughput over response time.

    .. math:: P = \frac{\Theta^\alpha}{R}

    Parameters
    ----------
    throughput : float or array
        Throughput of completed transfers: Theta [bytes/s], in [0, inf), typically 1e4 to 1e9. It is that of the whole
        system.
    response_time : float or array
        Response time, the mean from arrival to completion: R [s], in (0, inf), typically 0.001 to 10. It is the mean
        over all transfers, propagation included.
    alpha : float or array, default 1
        Weight of throughput against response time: alpha [1], in (0, inf), typically 0.25 to 2. Above 1 throughput
        counts for more, below 1 response time.

    Returns
    -------
    float or array
        P [bytes^alpha/s^(alpha+1)]; in bytes/s^2 for alpha = 1.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    A definition. It compares systems that complete every transfer: a system that refuses transfers has a short
    response time for the others, and its power says nothing about those refused. Powers with different alpha have
    different units.

    References
    ----------
    H. Kim and D. J. Farber, "Congestion Control by Bandwidth-Delay Tradeoff in Very High-Speed Networks: The Case
    of Window-Based Control", MS-CIS-94-55, University of Pennsylvania, 1994, section 4.1.4, after A. Giessler, J.
    Hänle, A. König and E. Pade, "Free Buffer Allocation - An Investigation by Simulation", Computer Networks, July
    1978 (volume 1(3), pages 191-204, as Kim and Farber print it). Proof: derivations/power.py, network_power.

    Examples
    --------
    >>> network_power(1e6, 0.5)
    2000000.0
    """

@_law
def power_ceiling(capacity: Any, file_size: Any, round_trip_time: Any) -> Any:
    r"""Return the greatest network power of a link that all transfers in progress share equally.

    .. math:: P^* = \frac{C^2}{F} \frac{1}{(1 + q)^2}, \qquad q = \sqrt{1 + \frac{D}{S}}, \qquad S = \frac{F}{C}

    Parameters
    ----------
    capacity : float or array
        Rate of the link: C [bytes/s], in (0, inf), typically 1e4 to 1e9.
    file_size : float or array
        Mean size of the files: F [bytes], in (0, inf), typically 1000 to 1e8. Only the mean counts.
    round_trip_time : float or array
        Round-trip propagation time: D [s], in [0, inf), typically 0.0001 to 1.

    Returns
    -------
    float or array
        P* [bytes/s^2], at the load rho* = q/(1 + q).

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for Poisson arrivals, files of any distribution, equal sharing at every instant and no transfer refused: the
    response time is D + S/(1 - rho). It is the ceiling for equal sharing and, for exponential sizes, for all
    disciplines that do not know sizes. Other disciplines can exceed it: for files of equal size, order of arrival
    reaches `first_come_ceiling`, up to 1.37 times as much; unequal sharing, shortest file first, and arrivals
    smoother than Poisson arrivals exceed it, too. The bound for all of them is C/(D + S). It grows as C^(1 + 1/q)
    (`power_ceiling_exponent`).

    References
    ----------
    Ours: the maximum over the load of network power, which H. Kim and D. J. Farber, "Congestion Control by
    Bandwidth-Delay Tradeoff in Very High-Speed Networks: The Case of Window-Based Control", MS-CIS-94-55,
    University of Pennsylvania, 1994, section 4.1.4, defines; the mean response time under processor sharing is from
    L. Kleinrock, "Queueing Systems, Volume 2: Computer Applications", Wiley, 1976, chapter 4. Proof:
    derivations/power.py, power_ceiling.

    Examples
    --------
    >>> f"{power_ceiling(1.25e8, 1e5, 0.03):.3g}"  # 1 Gbit/s, 100 kB, 30 ms
    '3.01e+09'
    """

@_law
def power_ceiling_exponent(capacity: Any, file_size: Any, round_trip_time: Any) -> Any:
    r"""Return the exponent with which the power ceiling grows with the capacity.

    .. math:: \frac{d \ln P^*}{d \ln C} = 1 + \frac{1}{q}, \qquad q = \sqrt{1 + \frac{C D}{F}}

    Parameters
    ----------
    capacity : float or array
        Rate of the link: C [bytes/s], in (0, inf), typically 1e4 to 1e9.
    file_size : float or array
        Mean size of the files: F [bytes], in (0, inf), typically 1000 to 1e8.
    round_trip_time : float or array
        Round-trip propagation time: D [s], in [0, inf), typically 0.0001 to 1.

    Returns
    -------
    float or array
        Exponent [1]: 2 without propagation delay, 3/2 where C D = 3 F, and towards 1 for fast links.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The logarithmic derivative of `power_ceiling` by C, and as exact.

    References
    ----------
    Ours: the maximum over the load of network power, which H. Kim and D. J. Farber, "Congestion Control by
    Bandwidth-Delay Tradeoff in Very High-Speed Networks: The Case of Window-Based Control", MS-CIS-94-55,
    University of Pennsylvania, 1994, section 4.1.4, defines. Proof: derivations/power.py, ceiling_growth.

    Examples
    --------
    >>> power_ceiling_exponent(1e7, 1e5, 0.03)
    1.5
    """

@_law
def relative_power(load: Any, propagation: Any = 0, variation: Any = 1, alpha: Any = 1) -> Any:
    r"""Return the network power of an M/G/1 link with propagation delay as a function of the load.

    .. math::

        \frac{P S}{C^\alpha} = \frac{\rho^\alpha}{1 + \delta + W_q(\rho)}, \qquad
        W_q = \frac{\rho (1 + C_b^2)}{2 (1 - \rho)}

    Parameters
    ----------
    load : float or array
        Throughput over capacity: rho [1], in [0, 1), typically 0.05 to 0.95.
    propagation : float or array, default 0
        Round-trip propagation time D over mean service time S: delta [1], in [0, inf), typically 0.01 to 100.
    variation : float or array, default 1
        Squared coefficient of variation of the service times: C_b^2 [1], in [0, inf), typically 0.1 to 10.
    alpha : float or array, default 1
        Weight of throughput against response time: alpha [1], in (0, inf), typically 0.25 to 2.

    Returns
    -------
    float or array
        P S/C^alpha [1]: 1 for a link that is full without queueing and without propagation delay.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for Poisson arrivals, independent service times, no losses and an order of service that does not depend on
    service times; for processor sharing the response time is that of variation 1. It rises up to `knee_load` and
    falls beyond it, to 0.

    References
    ----------
    H. Kim and D. J. Farber, "Congestion Control by Bandwidth-Delay Tradeoff in Very High-Speed Networks: The Case
    of Window-Based Control", MS-CIS-94-55, University of Pennsylvania, 1994, section 4.1.4; the waiting time is the
    Pollaczek-Khinchine formula, L. Kleinrock, "Queueing Systems, Volume 1: Theory", Wiley, 1975, section 5.6.
    Proof: derivations/power.py, relative_power.

    Examples
    --------
    >>> relative_power(0.5)  # M/M/1: rho (1 - rho)
    0.25
    """

"""What power is, and Little's law, which turns it into numbers of transfers."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.power.parameters import ALPHA, ARRIVAL_RATE, KIM_FARBER, RESPONSE_TIME, THROUGHPUT, TIME_INSIDE


@law(
    source=f"{KIM_FARBER}, section 4.1.4",
    unit="bytes^alpha/s^(alpha+1)",
    derivation="power.network_power",
    throughput=THROUGHPUT,
    response_time=RESPONSE_TIME,
    alpha=ALPHA,
)
def network_power(throughput: Any, response_time: Any, alpha: Any = 1, *, xp: Any) -> Any:
    r"""Network power: throughput over response time.

    .. math:: P = \frac{\Theta^\alpha}{R}

    Parameters
    ----------
    throughput : float or array
        Theta [bytes/s], in [0, inf): of the whole system.
    response_time : float or array
        R [s], in (0, inf): the mean over all transfers, propagation included.
    alpha : float or array
        alpha [1], in (0, inf): above 1 throughput counts for more, below 1 response time does.

    Returns
    -------
    float or array
        P [bytes^alpha/s^(alpha+1)]; bytes/s^2 for alpha = 1.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    A definition. It compares systems that complete all they accept: one that turns transfers away has a short
    response time for those it serves, and its power says nothing about the others. Powers of different alpha have
    different units.

    Examples
    --------
    >>> network_power(1e6, 0.5)
    2000000.0

    References
    ----------
    Kim and Farber, section 4.1.4, after A. Giessler, J. Hanle, A. Konig and E. Pade, Free Buffer Allocation - An
    Investigation by Simulation, Computer Networks 1(3) (1978) 191-204, as they cite it.
    """
    return xp.power(throughput, alpha) / response_time


@law(
    source="Little, Operations Research 9 (1961) 383-387",
    unit="transfers",
    derivation="power.little",
    arrival_rate=ARRIVAL_RATE,
    time_inside=TIME_INSIDE,
)
def little_mean_number(arrival_rate: Any, time_inside: Any, *, xp: Any) -> Any:
    r"""Mean number inside of any system that loses nothing: Little's law.

    .. math:: N = \lambda T

    Parameters
    ----------
    arrival_rate : float or array
        lambda [1/s], in [0, inf).
    time_inside : float or array
        T [s], in [0, inf): the mean time that one arrival stays.

    Returns
    -------
    float or array
        N [transfers], averaged over time.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for every arrival process, every order of service and every part of a system, as long as the means
    exist. With files of mean size F it ties the number of transfers under way to throughput and response time:
    N = Theta R/F.

    Examples
    --------
    >>> little_mean_number(900, 0.032)  # 900 connections/s of 32 ms: Kim and Farber's 29 outstanding connections
    28.8

    References
    ----------
    J. D. C. Little, A proof for the queuing formula L = lambda W, Operations Research 9 (1961) 383-387.
    """
    return arrival_rate * time_inside

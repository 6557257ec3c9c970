"""Definition of network power, and Little's law, which relates it to numbers of transfers."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.power.parameters import ALPHA, ARRIVAL_RATE, RESPONSE_TIME, THROUGHPUT, TIME_INSIDE
from longfat.laws.references import GIESSLER, KIM_FARBER, LITTLE


@law(
    source=f"{KIM_FARBER}, section 4.1.4, after {GIESSLER}",
    unit="bytes^alpha/s^(alpha+1)",
    result="P; in bytes/s^2 for alpha = 1",
    derivation="power.network_power",
    not_simulated="arithmetic of definitions",
    throughput=THROUGHPUT.described(remark="It is that of the whole system"),
    response_time=RESPONSE_TIME.described(remark="It is the mean over all transfers, propagation included"),
    alpha=ALPHA.described(remark="Above 1 throughput counts for more, below 1 response time"),
)
def network_power(throughput: Any, response_time: Any, alpha: Any = 1, *, xp: Any) -> Any:
    r"""Return the network power: throughput over response time.

    .. math:: P = \frac{\Theta^\alpha}{R}

    Notes
    -----
    A definition. It compares systems that complete every transfer: a system that refuses transfers has a short response
    time for accepted ones, and its power does not reflect the refused ones. Powers with different alpha have different
    units.

    Examples
    --------
    >>> network_power(1e6, 0.5)
    2000000.0
    """
    return xp.power(throughput, alpha) / response_time


@law(
    source=LITTLE,
    unit="transfers",
    result="N, averaged over time",
    derivation="power.little",
    not_simulated="arithmetic of definitions",
    arrival_rate=ARRIVAL_RATE,
    time_inside=TIME_INSIDE,
)
def little_mean_number(arrival_rate: Any, time_inside: Any, *, xp: Any) -> Any:
    r"""Return the mean number in any system that loses nothing, by Little's law.

    .. math:: N = \lambda T

    Notes
    -----
    Exact for every arrival process, every order of service and every part of a system, as long as the means exist.
    With files of mean size F it relates the number of transfers in progress to throughput and response time: N =
    Theta R/F.

    Examples
    --------
    >>> little_mean_number(900, 0.032)  # 900 connections/s of 32 ms: Kim and Farber's 29 outstanding connections
    28.8
    """
    return arrival_rate * time_inside

"""A BLT file alone on the dumbbell: how long it takes if nothing is lost, and when that is so.

Source - S1 - S2 - destination. Each of the three lines receives a packet wholly before it sends it on; the
acknowledgments come back after half a round trip, without any queue. Proofs: derivations/blt.py.
"""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.blt.parameters import (
    ACCESS_TIME,
    BOTTLENECK_TIME,
    KIM_FARBER,
    LAST_TIME,
    PACKETS,
    PLACES,
    RATIO,
    RATIO_BELOW,
    ROUND_TRIP,
)

OURS = f"ours, for the network of {KIM_FARBER}, figure 4"


@law(
    source=OURS,
    unit="s",
    derivation="blt.unloaded_transfer_time",
    packets=PACKETS,
    round_trip_time=ROUND_TRIP,
    access_time=ACCESS_TIME,
    bottleneck_time=BOTTLENECK_TIME,
    last_time=LAST_TIME,
)
def unloaded_transfer_time(
    packets: Any, round_trip_time: Any, access_time: Any, bottleneck_time: Any, last_time: Any = 0, *, xp: Any
) -> Any:
    r"""Time from the first packet of a burst to its last acknowledgment, over an empty path and without loss.

    .. math:: T = D + t_a + t_b + t_d + (n - 1) \max(t_a, t_b, t_d)

    Parameters
    ----------
    packets : float or array
        n [packets], whole, in [1, inf).
    round_trip_time : float or array
        D [s], in [0, inf): propagation, there and back.
    access_time : float or array
        t_a [s], in [0, inf): time to send a packet on the source's line, 0 for an infinitely fast one.
    bottleneck_time : float or array
        t_b [s], in (0, inf): between the switches.
    last_time : float or array
        t_d [s], in [0, inf): from the second switch to the destination; 0 leaves that line's sending time out.

    Returns
    -------
    float or array
        T [s]. The file is complete at the destination earlier by D/2.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for a switch that loses nothing of the burst, that is for K >= `buffer_for_burst`; else
    `longfat.single_transfer`. It is D + 2 t_a + n t_b where t_d = t_a <= t_b. How D is divided among the
    lines is of no account.

    Examples
    --------
    >>> round(1e3 * unloaded_transfer_time(200, 30e-3, 4e-6, 4e-6), 3)  # 100 kB at 1 Gbit/s
    30.804

    References
    ----------
    Derived in derivations/blt.py for the network of Kim and Farber, section 4.1.
    """
    slowest = xp.maximum(xp.maximum(access_time, bottleneck_time), last_time)
    return round_trip_time + access_time + bottleneck_time + last_time + (packets - 1) * slowest


@law(source=OURS, unit="packets", derivation="blt.buffer_for_burst", packets=PACKETS, rate_ratio=RATIO)
def buffer_for_burst(packets: Any, rate_ratio: Any, *, xp: Any) -> Any:
    r"""Waiting places with which an idle switch loses nothing of a burst: exactly those numbers K that are not less.

    .. math:: K \ge (n - 1) (1 - r), \qquad r = \frac{BW_b}{BW_N} = \frac{t_a}{t_b}

    Parameters
    ----------
    packets : float or array
        n [packets], whole, in [1, inf).
    rate_ratio : float or array
        r [1], in [0, 1]: the rate at which the switch sends over that at which the burst comes.

    Returns
    -------
    float or array
        (n - 1)(1 - r) [packets]; rounded up, it is the largest number that waits.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact, for every discipline that serves in order of arrival and drops only when it is full. The packet being sent
    does not wait, and one that leaves at the moment of an arrival has left.

    Examples
    --------
    >>> buffer_for_burst(101, 0.25)
    75.0

    References
    ----------
    Derived in derivations/blt.py.
    """
    return (packets - 1) * (1 - rate_ratio)


@law(source=OURS, unit="packets", derivation="blt.burst_for_buffer", buffer=PLACES, rate_ratio=RATIO_BELOW)
def burst_for_buffer(buffer: Any, rate_ratio: Any, *, xp: Any) -> Any:
    r"""Longest burst of which an idle switch loses nothing: exactly those of so many packets or less.

    .. math:: n \le 1 + \frac{K}{1 - r}

    Parameters
    ----------
    buffer : float or array
        K [packets], in [0, inf): those that may wait; the one being sent is not counted.
    rate_ratio : float or array
        r [1], in [0, 1): the rate at which the switch sends over that at which the burst comes.

    Returns
    -------
    float or array
        n [packets], not rounded; of a longer burst the packet of number floor(n), counted from 0, is the first lost.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for whole K, as `buffer_for_burst`, which it inverts.

    Examples
    --------
    >>> round(burst_for_buffer(75, 1 / 5), 2)  # Kim and Farber's reference network: 94 of a file's 200 packets
    94.75

    References
    ----------
    Derived in derivations/blt.py.
    """
    return 1 + buffer / (1 - rate_ratio)

"""A BLT file alone on a dumbbell: its transfer time without loss, and the buffer that avoids loss.

Source - S1 - S2 - destination. Each switch receives a packet completely before it sends it on; acknowledgments return
after half of the round-trip propagation time, without queueing. Proofs: derivations/blt.py.
"""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.blt.parameters import (
    ACCESS_TIME,
    BOTTLENECK_TIME,
    LAST_TIME,
    PACKETS,
    PLACES,
    RATIO,
    RATIO_BELOW,
    ROUND_TRIP,
)
from longfat.laws.references import KIM_FARBER

OURS = f"Ours, for the network of {KIM_FARBER}, figure 4"


@law(
    source=OURS,
    unit="s",
    result="T, from the first packet to the last acknowledgment. The file is complete at the receiver D/2 earlier",
    derivation="blt.unloaded_transfer_time",
    simulated=SimulatedBy("blt_file", {"packets": (1.0, 400.0), "last_time": 0.0}, accuracy=2e-6),
    packets=PACKETS,
    round_trip_time=ROUND_TRIP,
    access_time=ACCESS_TIME.described(remark="0 stands for an infinitely fast link"),
    bottleneck_time=BOTTLENECK_TIME,
    last_time=LAST_TIME.described(remark="0 leaves the transmission time of the last link out"),
)
def unloaded_transfer_time(
    packets: Any, round_trip_time: Any, access_time: Any, bottleneck_time: Any, last_time: Any = 0, *, xp: Any
) -> Any:
    r"""Return the transfer time of a burst over an empty path without loss, up to its last acknowledgment.

    .. math:: T = D + t_a + t_b + t_d + (n - 1) \max(t_a, t_b, t_d)

    Notes
    -----
    Exact for a switch that loses nothing of the burst, that is for K >= `buffer_for_burst`, and a lower bound
    otherwise. It is D + 2 t_a + n t_b where t_d = t_a <= t_b. The division of D among the links does
    not matter.

    Examples
    --------
    >>> round(1e3 * unloaded_transfer_time(200, 30e-3, 4e-6, 4e-6), 3)  # 100 kB at 1 Gbit/s
    30.804
    """
    slowest = xp.maximum(xp.maximum(access_time, bottleneck_time), last_time)
    return round_trip_time + access_time + bottleneck_time + last_time + (packets - 1) * slowest


@law(
    source=OURS,
    unit="packets",
    result="(n - 1)(1 - r); buffers not smaller than this lose nothing. Rounded up, it is the longest queue",
    derivation="blt.buffer_for_burst",
    not_simulated="the limit of validity of unloaded_transfer_time, which is simulated",
    packets=PACKETS,
    rate_ratio=RATIO.described("Rate at which the switch sends, over the rate at which the burst arrives"),
)
def buffer_for_burst(packets: Any, rate_ratio: Any, *, xp: Any) -> Any:
    r"""Return the smallest buffer of an idle switch that loses nothing of a burst.

    .. math:: K \ge (n - 1) (1 - r), \qquad r = \frac{BW_b}{BW_N} = \frac{t_a}{t_b}

    Notes
    -----
    Exact for every discipline that serves in order of arrival and drops packets only when the buffer is full. The
    packet in transmission is not in the buffer, and a departure precedes an arrival of the same instant.

    Examples
    --------
    >>> buffer_for_burst(101, 0.25)
    75.0
    """
    return (packets - 1) * (1 - rate_ratio)


@law(
    source=OURS,
    unit="packets",
    result="n, not rounded; of a longer burst, packet floor(n), counted from 0, is the first that is lost",
    derivation="blt.burst_for_buffer",
    not_simulated="the limit of validity of unloaded_transfer_time, which is simulated",
    buffer=PLACES,
    rate_ratio=RATIO_BELOW.described("Rate at which the switch sends, over the rate at which the burst arrives"),
)
def burst_for_buffer(buffer: Any, rate_ratio: Any, *, xp: Any) -> Any:
    r"""Return the longest burst of which an idle switch with a given buffer loses nothing.

    .. math:: n \le 1 + \frac{K}{1 - r}

    Notes
    -----
    Exact for integer K, as is `buffer_for_burst`, of which it is the inverse.

    Examples
    --------
    >>> round(burst_for_buffer(75, 1 / 5), 2)  # Kim and Farber's reference network: 94 of a file's 200 packets
    94.75
    """
    return 1 + buffer / (1 - rate_ratio)

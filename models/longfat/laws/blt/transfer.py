"""Transfers with BLT: time and buffer of a file alone on a dumbbell, and estimates of network power.

Source - S1 - S2 - destination. Each switch receives a packet completely before it sends it on; acknowledgments return
after half of the round-trip propagation time, without queueing. Proofs: derivations/blt.py.

Powers are estimates: the bottleneck is shared equally, the rest of the unloaded time does not depend on the load, and
losses under load are left out. Proofs: derivations/unloaded.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from longfat.base.domains import Interval, array
from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.references import KIM_FARBER
from longfat.laws.tcp.window import (
    ACCESS_TIME,
    BOTTLENECK_TIME,
    LAST_TIME,
    OURS,
    RATIO,
    ROUND_TRIP,
    slow_start_transfer_time,
)

PACKETS = Symbol("n", "packets", "[1, inf)", (1, 2000), "Packets of the file", integer=True)
RATIO_BELOW = Symbol("r", "1", "[0, 1)", (0.1, 0.95), "Rate of the bottleneck link over the rate of the access link")
PLACES = Symbol("K", "packets", "[0, inf)", (1, 2500), "Buffer of the switch, without the packet in transmission")
CAPACITY = Symbol("C", "bytes/s", "(0, inf)", (1e4, 1e9), "Rate of the bottleneck link")
FILE_SIZE = Symbol("F", "bytes", "(0, inf)", (1e3, 1e8), "Size of the files")
UNLOADED = Symbol("T_0", "s", "(0, inf)", (1e-3, 10.0), "Transfer time in the empty network, F/C included")
BDP = Symbol("x", "1", "[0, inf)", (0.01, 100.0), "Bandwidth-delay product C D over the file size F")


@law(
    source=OURS,
    result="T [s], from the first packet to the last acknowledgment. The file is complete at the receiver D/2 earlier",
    simulated=SimulatedBy("blt_file", {"packets": (1.0, 400.0), "last_time": 0.0}, accuracy=2e-6),
    access_time=ACCESS_TIME.described(remark="0 stands for an infinitely fast link"),
    last_time=LAST_TIME.described(remark="0 leaves the transmission time of the last link out"),
)
def unloaded_transfer_time(
    packets: PACKETS, round_trip_time: ROUND_TRIP, access_time, bottleneck_time: BOTTLENECK_TIME, last_time=0, *, xp
):
    r"""Return the transfer time [s] of a burst over an empty path without loss, up to its last acknowledgment.

    .. math:: T = D + t_a + t_b + t_d + (n - 1) \max(t_a, t_b, t_d)

    Exact for a switch that loses nothing of the burst, that is for a buffer K >= `buffer_for_burst`, and a lower bound
    otherwise. It is D + 2 t_a + n t_b where t_d = t_a <= t_b. The division of D among the links does not matter.

    >>> round(1e3 * unloaded_transfer_time(200, 30e-3, 4e-6, 4e-6), 3)  # 100 kB at 1 Gbit/s
    30.804
    """
    slowest = xp.maximum(xp.maximum(access_time, bottleneck_time), last_time)
    return round_trip_time + access_time + bottleneck_time + last_time + (packets - 1) * slowest


@law(
    source=OURS,
    result="(n - 1)(1 - r) [packets]; buffers not smaller than this lose nothing. Rounded up, it is the longest queue",
    not_simulated="the limit of validity of unloaded_transfer_time, which is simulated",
    rate_ratio=RATIO.described("Rate at which the switch sends, over the rate at which the burst arrives"),
)
def buffer_for_burst(packets: PACKETS, rate_ratio, *, xp):
    r"""Return the smallest buffer [packets] with which an idle switch loses no packet of a burst.

    .. math:: K \ge (n - 1) (1 - r), \qquad r = \frac{BW_b}{BW_N} = \frac{t_a}{t_b}

    Exact for every discipline that serves in order of arrival and drops packets only when the buffer is full. The
    packet in transmission is not in the buffer, and a departure precedes an arrival of the same instant.

    >>> buffer_for_burst(101, 0.25)
    75.0
    """
    return (packets - 1) * (1 - rate_ratio)


@law(
    source=OURS,
    result="n [packets], not rounded; of a longer burst, packet floor(n), counted from 0, is the first that is lost",
    not_simulated="the limit of validity of unloaded_transfer_time, which is simulated",
    rate_ratio=RATIO_BELOW.described("Rate at which the switch sends, over the rate at which the burst arrives"),
)
def burst_for_buffer(buffer: PLACES, rate_ratio, *, xp):
    r"""Return the longest burst [packets] of which an idle switch with a given buffer loses no packet.

    .. math:: n \le 1 + \frac{K}{1 - r}

    The inverse of `buffer_for_burst`, exact for integer K.

    >>> round(burst_for_buffer(75, 1 / 5), 2)  # Kim and Farber's reference network: 94 of a file's 200 packets
    94.75
    """
    return 1 + buffer / (1 - rate_ratio)


ESTIMATE = f"Ours: an estimate of network power, which {KIM_FARBER}, section 4.1.4, defines"
FROM_ONE = Interval.parse("[1, inf)")
LONGEST = 64  # a file of 2^53 packets takes 54 rounds


@law(
    source=ESTIMATE,
    result="P* [bytes/s^2], at the load of `knee_with_unloaded_time`",
    derivation="unloaded.power_with_unloaded_time",
    not_simulated="a formula of the unloaded transfer time, which is simulated",
    unloaded_time=UNLOADED.described(remark="No scheme takes less than S"),
)
def power_with_unloaded_time(capacity: CAPACITY, file_size: FILE_SIZE, unloaded_time, *, xp):
    r"""Return an estimate of the greatest network power [bytes/s^2] of transfers with a given unloaded time.

    .. math:: P^* = \frac{C}{\left(\sqrt{S} + \sqrt{T_0}\right)^2}, \qquad S = \frac{F}{C}

    An estimate: exact for the response time R = T_0 - S + S/(1 - rho), that is for Poisson arrivals that share the
    bottleneck equally, while the rest of the unloaded time does not depend on the load. It leaves out losses,
    retransmissions, timeouts, halved windows, and the bottleneck's time spent on duplicates. So it is an upper
    estimate for schemes that share equally. With T_0 = D + S it is `power_ceiling`.

    >>> f"{power_with_unloaded_time(1.25e8, 1e5, 0.0308):.3g}"  # 1 Gbit/s, 100 kB: BLT in 30.8 ms
    '3.01e+09'
    """
    root = xp.sqrt(file_size / capacity) + xp.sqrt(unloaded_time)
    return capacity / root / root


@law(
    source=ESTIMATE,
    result="rho* [1]; on average T_0/S transfers are in progress",
    derivation="unloaded.knee_with_unloaded_time",
    not_simulated="a formula of the unloaded transfer time, which is simulated",
    unloaded_time=UNLOADED.described(remark="No scheme takes less than S"),
)
def knee_with_unloaded_time(capacity: CAPACITY, file_size: FILE_SIZE, unloaded_time, *, xp):
    r"""Return an estimate of the load at which transfers with a given unloaded time have the greatest network power.

    .. math:: \rho^* = \frac{\sqrt{T_0}}{\sqrt{S} + \sqrt{T_0}}, \qquad S = \frac{F}{C}

    The assumptions are those of `power_with_unloaded_time`.

    >>> round(knee_with_unloaded_time(1.25e8, 1e5, 0.0308), 3)  # Kim and Farber find 0.9
    0.861
    """
    root = xp.sqrt(unloaded_time)
    return root / (xp.sqrt(file_size / capacity) + root)


@law(
    source=ESTIMATE + ", whose section 4.3.2 raises the question",
    result="A [1]: 1 at x = 0, increasing from there towards the number of slow-start rounds if n > 1",
    derivation="unloaded.power_advantage",
    not_simulated="a formula of the unloaded transfer time, which is simulated",
    bandwidth_delay_product=BDP.described(remark="Transmission times on the other links count as delay"),
)
def power_advantage(bandwidth_delay_product, packets: PACKETS, *, xp):
    r"""Return an estimate of the ratio of BLT's greatest network power to TCP's, from their unloaded transfer times.

    .. math::

        A = \left(\frac{1 + \sqrt{\tau}}{1 + \sqrt{1 + x}}\right)^2, \qquad x = \frac{C D}{F}, \qquad
        \tau = x + \max_{0 \le j < r} \left[ j \left(x + \frac{1}{n}\right) + \frac{n - 2^j + 1}{n} \right]

    with r = `slow_start_rounds` of n packets.

    Notes
    -----
    This is the ratio of `power_with_unloaded_time` for a file sent at once to that for TCP's slow start from one
    packet; their unloaded times divided by F/C are 1 + x and tau. Both are assumed to lose nothing, in the empty
    network (where the buffer holds TCP's window) as well as under load. Since A > 1 for every x > 0 and n > 1, there is
    no region in the plane of bandwidth and delay in which TCP has the greater power; there are only curves of a given
    advantage, `bandwidth_delay_product_for_advantage`.

    >>> [round(power_advantage(x, 200), 2) for x in (0.1125, 1.125, 5.625, 37.5, 1e9)]
    [1.19, 2.74, 4.69, 6.47, 8.0]
    """
    slow = slow_start_transfer_time.function(packets, bandwidth_delay_product, 1 / packets, 1 + 0 * packets, xp=xp)
    ratio = (1 + xp.sqrt(slow)) / (1 + xp.sqrt(1 + bandwidth_delay_product))
    return ratio * ratio


def bandwidth_delay_product_for_advantage(advantage: Any, packets: Any) -> Any:
    r"""Return an estimate of the bandwidth-delay product above which BLT's power exceeds TCP's by a given factor.

    .. math:: x: \quad A(x, n) = A

    Parameters
    ----------
    advantage : float or array
        A [1], in [1, inf): ratio of the greatest power of BLT to that of TCP.
    packets : float or array
        n [packets], an integer in [1, inf).

    Returns
    -------
    float or array
        x = C D/F [1]; 0 for A = 1. It is inf if A is not below the number of slow-start rounds of n packets: no path
        gives such an advantage.

    Notes
    -----
    The inverse of `power_advantage`, and as accurate. Each j of its maximum gives a quadratic equation in sqrt(1 + x) -
    1 that has at most one positive root; all terms increase with x, so the smallest root is the result.

    Examples
    --------
    >>> x = bandwidth_delay_product_for_advantage(3, 200)
    >>> round(float(x), 2), round(float(power_advantage(x, 200)), 12)
    (1.42, 3.0)

    References
    ----------
    Derived in derivations/unloaded.py.
    """
    for name, values, unit, integer in (("advantage", advantage, "1", False), ("packets", packets, "packets", True)):
        array(name, np.asarray(values, dtype=float), unit, FROM_ONE, integer=integer)
    factor, n = np.broadcast_arrays(np.asarray(advantage, dtype=float), np.asarray(packets, dtype=float))
    root = np.sqrt(factor)
    excess = (factor - 1) / (root + 1)  # g - 1 for A = g^2, without cancellation
    least = np.where(factor == 1, 0.0, factor + n + np.inf)
    for j in range(1, LONGEST):
        reached = (j + 1 > factor) & (2.0**j <= n)
        # Solve the quadratic equation L w^2 + 2 (L - g (g - 1)) w = (2^j - j - 1)/n + 4 g (g - 1) for w = sqrt(1 + x) -
        # 1.
        leading = np.where(reached, j + 1 - factor, 1.0)
        half, rest = leading - root * excess, (2.0**j - j - 1) / n + 4 * root * excess
        spread = np.sqrt(half * half + leading * rest)
        near = half > 0
        w = np.where(near, rest / np.where(near, half + spread, 1.0), (spread - half) / leading)
        least = np.where(reached & (w * (w + 2) < least), w * (w + 2), least)
    return least if least.ndim else float(least)

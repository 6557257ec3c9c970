"""Network power from the time that a transfer takes in the empty network; BLT's over TCP's.

An estimate: the bottleneck is shared equally, the rest of the unloaded time does not depend on the load. It leaves
out all losses under load. Proofs: derivations/unloaded.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from longfat.domains import Interval, array
from longfat.law import law
from longfat.laws.blt.parameters import BDP, CAPACITY, FILE_SIZE, PACKETS, UNLOADED
from longfat.laws.tcp.slow_start import slow_start_transfer_time

OURS = "ours: an estimate of network power"
FROM_ONE = Interval.parse("[1, inf)")
LONGEST = 64  # a file of 2^53 packets takes 54 rounds


@law(
    source=OURS,
    unit="bytes/s^2",
    derivation="unloaded.power_with_unloaded_time",
    capacity=CAPACITY,
    file_size=FILE_SIZE,
    unloaded_time=UNLOADED,
)
def power_with_unloaded_time(capacity: Any, file_size: Any, unloaded_time: Any, *, xp: Any) -> Any:
    r"""Greatest network power of transfers that take a given time in the empty network: an estimate.

    .. math:: P^* = \frac{C}{\left(\sqrt{S} + \sqrt{T_0}\right)^2}, \qquad S = \frac{F}{C}

    Parameters
    ----------
    capacity : float or array
        C [bytes/s], in (0, inf): rate of the bottleneck.
    file_size : float or array
        F [bytes], in (0, inf).
    unloaded_time : float or array
        T_0 [s], in (0, inf): transfer time in the empty network. No scheme has less than S.

    Returns
    -------
    float or array
        P* [bytes/s^2], at the load of `knee_with_unloaded_time`.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    An estimate: exact for the response time R = T_0 - S + S/(1 - rho), Poisson arrivals sharing the bottleneck equally
    while the rest of the unloaded time stays what it is. It leaves out what load does to a scheme: packets lost and
    sent again, timeouts, windows halved, and the bottleneck's time lost to packets sent for nothing. So it is an upper
    estimate for schemes that share equally. With T_0 = D + S it is `power_ceiling`.

    Examples
    --------
    >>> f"{power_with_unloaded_time(1.25e8, 1e5, 0.0308):.3g}"  # 1 Gbit/s, 100 kB: BLT in 30.8 ms
    '3.01e+09'

    References
    ----------
    Derived in derivations/unloaded.py; the definition of power is Kim and Farber's, section 4.1.4.
    """
    root = xp.sqrt(file_size / capacity) + xp.sqrt(unloaded_time)
    return capacity / root / root


@law(
    source=OURS,
    unit="1",
    derivation="unloaded.knee_with_unloaded_time",
    capacity=CAPACITY,
    file_size=FILE_SIZE,
    unloaded_time=UNLOADED,
)
def knee_with_unloaded_time(capacity: Any, file_size: Any, unloaded_time: Any, *, xp: Any) -> Any:
    r"""Load at which the power of transfers with a given unloaded time is greatest: an estimate.

    .. math:: \rho^* = \frac{\sqrt{T_0}}{\sqrt{S} + \sqrt{T_0}}, \qquad S = \frac{F}{C}

    Parameters
    ----------
    capacity : float or array
        C [bytes/s], in (0, inf): rate of the bottleneck.
    file_size : float or array
        F [bytes], in (0, inf).
    unloaded_time : float or array
        T_0 [s], in (0, inf): transfer time in the empty network. No scheme has less than S.

    Returns
    -------
    float or array
        rho* [1]; there are T_0/S transfers under way on average.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    As for `power_with_unloaded_time`.

    Examples
    --------
    >>> round(knee_with_unloaded_time(1.25e8, 1e5, 0.0308), 3)  # Kim and Farber find 0.9
    0.861

    References
    ----------
    Derived in derivations/unloaded.py.
    """
    root = xp.sqrt(unloaded_time)
    return root / (xp.sqrt(file_size / capacity) + root)


@law(
    source=OURS,
    unit="1",
    derivation="unloaded.power_advantage",
    bandwidth_delay_product=BDP,
    packets=PACKETS,
)
def power_advantage(bandwidth_delay_product: Any, packets: Any, *, xp: Any) -> Any:
    r"""Greatest power of BLT over that of TCP, by their unloaded times: an estimate.

    .. math::

        A = \left(\frac{1 + \sqrt{\tau}}{1 + \sqrt{1 + x}}\right)^2, \qquad x = \frac{C D}{F}, \qquad
        \tau = x + \max_{0 \le j < r} \left[ j \left(x + \frac{1}{n}\right) + \frac{n - 2^j + 1}{n} \right]

    with r = `slow_start_rounds` of n packets.

    Parameters
    ----------
    product : float or array
        x [1], in [0, inf): bandwidth-delay product over file size. Sending times on the other lines count as delay.
    packets : float or array
        n [packets], whole, in [1, inf).

    Returns
    -------
    float or array
        A [1]: 1 at x = 0, and from there on increasing towards the number of slow-start rounds, if n > 1.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    The ratio of `power_with_unloaded_time` for TCP's slow start from one packet and for a file sent at once, 1 + x and
    tau being their unloaded times over F/C; exact as these are: nothing is lost, in the empty network (where TCP's
    window finds room) or under load. Since A > 1 for every x > 0 and n > 1, no line in the plane of bandwidth and
    delay has TCP ahead on one side; there are only lines of a given advantage, `bandwidth_delay_product_for_advantage`.

    Examples
    --------
    >>> [round(power_advantage(x, 200), 2) for x in (0.1125, 1.125, 5.625, 37.5, 1e9)]
    [1.19, 2.74, 4.69, 6.47, 8.0]

    References
    ----------
    Derived in derivations/unloaded.py; the question is that of Kim and Farber, section 4.3.2.
    """
    slow = slow_start_transfer_time.function(packets, bandwidth_delay_product, 1 / packets, 1 + 0 * packets, xp=xp)
    ratio = (1 + xp.sqrt(slow)) / (1 + xp.sqrt(1 + bandwidth_delay_product))
    return ratio * ratio


def bandwidth_delay_product_for_advantage(advantage: Any, packets: Any) -> Any:
    r"""Bandwidth-delay product, in files, from which on BLT's power exceeds TCP's by a given factor: an estimate.

    .. math:: x: \quad A(x, n) = A

    Parameters
    ----------
    advantage : float or array
        A [1], in [1, inf): BLT's greatest power over TCP's.
    packets : float or array
        n [packets], whole, in [1, inf).

    Returns
    -------
    float or array
        x = C D/F [1]; 0 for A = 1, inf for an advantage that no path gives: A not below the slow-start rounds of n.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    The inverse of `power_advantage`, as good as that. Each number j of extra rounds gives a quadratic in
    sqrt(1 + x) - 1 with one positive root, if it has one; all terms increase with x, so that the smallest root counts.

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
    excess = (factor - 1) / (root + 1)  # g - 1 for A = g^2, with all its digits
    least = np.where(factor == 1, 0.0, factor + n + np.inf)
    for j in range(1, LONGEST):
        reached = (j + 1 > factor) & (2.0**j <= n)
        # L w^2 + 2 (L - g (g - 1)) w = (2^j - j - 1)/n + 4 g (g - 1), with w = sqrt(1 + x) - 1
        leading = np.where(reached, j + 1 - factor, 1.0)
        half, rest = leading - root * excess, (2.0**j - j - 1) / n + 4 * root * excess
        spread = np.sqrt(half * half + leading * rest)
        near = half > 0
        w = np.where(near, rest / np.where(near, half + spread, 1.0), (spread - half) / leading)
        least = np.where(reached & (w * (w + 2) < least), w * (w + 2), least)
    return least if least.ndim else float(least)

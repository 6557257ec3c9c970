"""A file by TCP alone on a path of three lines, and the buffer that its slow start needs.

Source - S1 - S2 - destination: each line receives a packet wholly before it sends it on; acknowledgments come back
after half a round trip, without any queue. Proofs: derivations/unloaded.py.
"""

from __future__ import annotations

from typing import Any

from longfat.law import Symbol, law
from longfat.laws.tcp.arithmetic import whole_logarithm
from longfat.laws.tcp.parameters import INITIAL_WINDOW, PACKETS
from longfat.laws.tcp.slow_start import slow_start_transfer_time

OURS = "ours, for the network of Kim & Farber, MS-CIS-94-55 (1994), figure 4"
ROUND_TRIP = Symbol("D", "s", "[0, inf)", (1e-4, 0.3), "propagation round trip")
ACCESS_TIME = Symbol("t_a", "s", "[0, inf)", (1e-6, 1e-3), "time to send a packet on the access line")
BOTTLENECK_TIME = Symbol("t_b", "s", "(0, inf)", (1e-6, 1e-3), "time to send a packet between the switches")
LAST_TIME = Symbol("t_d", "s", "[0, inf)", (1e-6, 1e-3), "time to send a packet on the last line")
RATIO = Symbol("r", "1", "[0, 1]", (0.1, 0.95), "rate between the switches over that of the access line")


@law(
    source=OURS,
    unit="s",
    derivation="unloaded.tcp_transfer_time",
    packets=PACKETS,
    round_trip_time=ROUND_TRIP,
    access_time=ACCESS_TIME,
    bottleneck_time=BOTTLENECK_TIME,
    last_time=LAST_TIME,
    initial_window=INITIAL_WINDOW,
)
def unloaded_transfer_time(
    packets: Any,
    round_trip_time: Any,
    access_time: Any,
    bottleneck_time: Any,
    last_time: Any = 0,
    initial_window: Any = 1,
    *,
    xp: Any,
) -> Any:
    r"""Time from the first packet of a file to its last acknowledgment, by slow start over three empty lines.

    .. math:: T = D + t_a + t_b + t_d - t + \max_{0 \le j < r} \left[ j (D + t_a + t_b + t_d) + (n - W_0 (2^j - 1)) t
        \right], \qquad t = \max(t_a, t_b, t_d)

    with r = `slow_start_rounds`.

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
    initial_window : float or array
        W_0 [packets], whole, in [1, inf).

    Returns
    -------
    float or array
        T [s]: `slow_start_transfer_time` with R = D + t_a + t_b + t_d - t.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact under the rules of `slow_start_transfer_time`, if the switch has room for what slow start sends
    (`buffer_for_slow_start`). If it has not, packets are lost, the window is halved at least, and the transfer takes
    longer: a lower bound then.

    Examples
    --------
    >>> round(1e3 * unloaded_transfer_time(200, 30e-3, 4e-6, 4e-6), 3)  # 100 kB at 1 Gbit/s; at once: 30.8 ms
    240.352

    References
    ----------
    Derived in derivations/unloaded.py for the network of Kim and Farber, section 4.1.
    """
    slowest = xp.maximum(xp.maximum(access_time, bottleneck_time), last_time)
    others = round_trip_time + (access_time + bottleneck_time + last_time - slowest)
    return slow_start_transfer_time.function(packets, others, slowest, initial_window, xp=xp)


@law(source=OURS, unit="packets", derivation="unloaded.buffer_for_slow_start", packets=PACKETS, rate_ratio=RATIO)
def buffer_for_slow_start(packets: Any, rate_ratio: Any, *, xp: Any) -> Any:
    r"""Waiting places with which an idle switch loses nothing of a slow start: exactly those numbers K not less.

    .. math:: K \ge (w - 1) \left(1 - \max\left(r, \tfrac{1}{2}\right)\right), \qquad
        w = \max\left(2^{l - 1}, n + 1 - 2^l\right), \qquad l = \lfloor \log_2 n \rfloor

    w is the largest round of the file, r the rate ratio BW_b/BW_N.

    Parameters
    ----------
    packets : float or array
        n [packets], whole, in [1, inf): slow start from a window of 1.
    rate_ratio : float or array
        r [1], in [0, 1]: the rate at which the switch sends over that of the source's line.

    Returns
    -------
    float or array
        Places [packets]; rounded up, it is the largest number that waits.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact while every round but the largest is over before its first acknowledgment is back; from there on the queues of
    several rounds add up. For r <= 2/3 a switch with K = C D/3, the round trip of its line, is full before that. Half
    of a round waits because each acknowledgment, one per t_b, releases two packets; of a burst 1 - r waits.

    Examples
    --------
    >>> buffer_for_slow_start([200, 2000], 0.2)  # Kim and Farber's switches have 75 to 3750
    array([ 36., 488.])

    References
    ----------
    Derived in derivations/unloaded.py.
    """
    _, power = whole_logarithm(packets, xp)
    half = xp.sympy.Rational(1, 2) if hasattr(xp, "sympy") else 0.5
    largest = xp.maximum(power * half, packets + 1 - power)
    return (xp.maximum(largest, 1 + 0 * largest) - 1) * (1 - xp.maximum(rate_ratio, half + 0 * rate_ratio))

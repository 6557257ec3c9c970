"""A TCP file alone on a path of three links: its transfer time, and the buffer that its slow start needs.

Source - S1 - S2 - destination: each switch receives a packet completely before it sends it on; acknowledgments return
after half of the round-trip propagation time, without queueing. Proofs: derivations/unloaded.py.
"""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.references import KIM_FARBER
from longfat.laws.tcp.arithmetic import floor_log2
from longfat.laws.tcp.parameters import INITIAL_WINDOW, PACKETS
from longfat.laws.tcp.slow_start import slow_start_transfer_time

OURS = f"Ours, for the network of {KIM_FARBER}, figure 4"
ROUND_TRIP = Symbol("D", "s", "[0, inf)", (1e-4, 0.3), "Round-trip propagation time")
ACCESS_TIME = Symbol("t_a", "s", "[0, inf)", (1e-6, 1e-3), "Transmission time of a packet on the access link")
BOTTLENECK_TIME = Symbol("t_b", "s", "(0, inf)", (1e-6, 1e-3), "Transmission time of a packet on the bottleneck link")
LAST_TIME = Symbol("t_d", "s", "[0, inf)", (1e-6, 1e-3), "Transmission time of a packet on the last link")
RATIO = Symbol("r", "1", "[0, 1]", (0.1, 0.95), "Rate of the bottleneck link over that of the access link")


@law(
    source=OURS,
    unit="s",
    result="T: `slow_start_transfer_time` with R = D + t_a + t_b + t_d - t",
    derivation="unloaded.tcp_transfer_time",
    simulated=SimulatedBy("reno_file", {"packets": (1.0, 1000.0), "last_time": 0.0}, accuracy=2e-6),
    packets=PACKETS,
    round_trip_time=ROUND_TRIP,
    access_time=ACCESS_TIME.described(remark="0 stands for an infinitely fast link"),
    bottleneck_time=BOTTLENECK_TIME,
    last_time=LAST_TIME.described(remark="0 leaves the transmission time of the last link out"),
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
    r"""Return the transfer time of a file by slow start over three empty links, up to its last acknowledgment.

    .. math:: T = D + t_a + t_b + t_d - t + \max_{0 \le j < r} \left[ j (D + t_a + t_b + t_d) + (n - W_0 (2^j - 1)) t
        \right], \qquad t = \max(t_a, t_b, t_d)

    with r = `slow_start_rounds`.

    Notes
    -----
    Exact under the rules of `slow_start_transfer_time`, if the switch can buffer the packets of slow start
    (`buffer_for_slow_start`). Otherwise packets are lost, the window is at least halved, and the transfer takes longer:
    then this is a lower bound.

    Examples
    --------
    >>> round(1e3 * unloaded_transfer_time(200, 30e-3, 4e-6, 4e-6), 3)  # 100 kB at 1 Gbit/s; at once: 30.8 ms
    240.352
    """
    slowest = xp.maximum(xp.maximum(access_time, bottleneck_time), last_time)
    others = round_trip_time + (access_time + bottleneck_time + last_time - slowest)
    return slow_start_transfer_time.function(packets, others, slowest, initial_window, xp=xp)


@law(
    source=OURS,
    unit="packets",
    result="Buffer; buffers not smaller than this lose nothing. Rounded up, it is the longest queue",
    derivation="unloaded.buffer_for_slow_start",
    not_simulated="the limit of validity of unloaded_transfer_time, which is simulated",
    packets=PACKETS.described(remark="They are sent by slow start from a window of 1"),
    rate_ratio=RATIO.described("Rate at which the switch sends, over the rate of the access link"),
)
def buffer_for_slow_start(packets: Any, rate_ratio: Any, *, xp: Any) -> Any:
    r"""Return the smallest buffer of an idle switch that loses nothing of a slow start.

    .. math:: K \ge (w - 1) \left(1 - \max\left(r, \tfrac{1}{2}\right)\right), \qquad
        w = \max\left(2^{l - 1}, n + 1 - 2^l\right), \qquad l = \lfloor \log_2 n \rfloor

    w is the largest round of the file, r the rate ratio BW_b/BW_N.

    Notes
    -----
    Exact while every round but the largest is sent before its first acknowledgment returns; in longer files the
    queues of several rounds add up. For r <= 2/3 a switch with K = C D/3, the round trip of its link, is full before
    that. Half of a round is queued, because each acknowledgment, one per t_b, releases two packets; of a burst, a
    share 1 - r is queued.

    Examples
    --------
    >>> buffer_for_slow_start([200, 2000], 0.2)  # Kim and Farber's switches have 75 to 3750
    array([ 36., 488.])
    """
    _, power = floor_log2(packets, xp)
    half = xp.sympy.Rational(1, 2) if hasattr(xp, "sympy") else 0.5
    largest = xp.maximum(power * half, packets + 1 - power)
    return (xp.maximum(largest, 1 + 0 * largest) - 1) * (1 - xp.maximum(rate_ratio, half + 0 * rate_ratio))

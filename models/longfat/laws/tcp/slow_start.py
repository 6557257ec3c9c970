"""Slow start without loss: number of rounds and transfer time of a file."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.references import CARDWELL, JACOBSON
from longfat.laws.tcp.arithmetic import ceiling_quotient, floor_log2
from longfat.laws.tcp.parameters import INITIAL_WINDOW, PACKET_TIME, PACKETS, PATH


@law(
    source=f"{JACOBSON}, section 1 (the rule); {CARDWELL} (the same number, not rounded)",
    unit="rounds",
    result="r, an integer",
    derivation="tcp.slow_start_rounds",
    not_simulated="a case of unloaded_transfer_time, which is simulated: only one link has a transmission time",
    packets=PACKETS,
    initial_window=INITIAL_WINDOW,
)
def slow_start_rounds(packets: Any, initial_window: Any = 1, *, xp: Any) -> Any:
    r"""Return the rounds in which slow start sends a file without loss, with one acknowledgment per packet.

    .. math:: r = \left\lceil \log_2\left(\frac{n}{W_0} + 1\right) \right\rceil
        = 1 + \left\lfloor \log_2 \left\lceil \frac{n}{W_0} \right\rceil \right\rfloor

    Notes
    -----
    Exact: round k sends W_0 2^k packets. Floats are computed by the second form, which is exact for n < 2^53. Delayed
    acknowledgments, with which the window grows by half per round, are not covered.

    Examples
    --------
    >>> slow_start_rounds(7), slow_start_rounds(8)
    (3.0, 4.0)
    """
    if hasattr(xp, "sympy"):
        return xp.ceil(xp.log(packets / initial_window + 1) / xp.log(2))
    return 1 + floor_log2(ceiling_quotient(packets, initial_window, xp), xp)[0]


@law(
    source=f"Ours, under the rule of {JACOBSON}, section 1",
    unit="s",
    result=(
        "D, from the first packet to the last acknowledgment. The file is complete at the receiver earlier by the "
        "acknowledgment's propagation time"
    ),
    derivation="tcp.slow_start_transfer_time",
    not_simulated="a case of unloaded_transfer_time, which is simulated: only one link has a transmission time",
    packets=PACKETS,
    round_trip_time=PATH.described(remark="It lasts from the end of a packet's transmission to its acknowledgment"),
    packet_time=PACKET_TIME,
    initial_window=INITIAL_WINDOW,
)
def slow_start_transfer_time(
    packets: Any, round_trip_time: Any, packet_time: Any, initial_window: Any = 1, *, xp: Any
) -> Any:
    r"""Return the transfer time of a file by slow start over an empty path without loss.

    .. math:: D = R + \max_{0 \le j < r} \left[ j (R + t) + (n - W_0 (2^j - 1)) t \right]

    with r = `slow_start_rounds`. The largest term is the last one, j = r - 1, or, if some round fills the
    pipe before, that of the first such round, j = ceil(log2((R + t)/(W_0 t))).

    Notes
    -----
    Exact for one acknowledgment per packet, no slow-start threshold, buffers that hold everything, and one link whose
    transmission time counts: every acknowledgment releases two packets, which queue at the bottleneck. R does not
    include a packet's own transmission time t: a single packet takes R + t, and rounds begin R + t apart. For a
    measured round-trip time T of a single packet insert R = T - t.

    Examples
    --------
    >>> round(1e3 * slow_start_transfer_time(20, 40e-3, 0.1e-3), 1)
    200.9
    """
    lone = round_trip_time + packet_time
    # 2^j stops growing in the last round, 2^j <= ceil(n/W_0), or once a round takes longer than a single packet.
    # Where the second applies, two values of j next to its edge give the same time, so rounding does not matter.
    last = ceiling_quotient(packets, initial_window, xp)
    full = xp.maximum(2 * lone / (initial_window * packet_time), 1 + 0 * lone)
    j, doubled = floor_log2(xp.minimum(last, full), xp)
    return round_trip_time + j * lone + (packets - initial_window * (doubled - 1)) * packet_time

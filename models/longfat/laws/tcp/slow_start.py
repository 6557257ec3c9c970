"""Slow start without loss: how many rounds a file takes, and how long."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.tcp.arithmetic import whole_logarithm, whole_quotient
from longfat.laws.tcp.parameters import INITIAL_WINDOW, PACKET_TIME, PACKETS, PATH


@law(
    source="Jacobson, SIGCOMM 1988, section 1",
    unit="rounds",
    derivation="tcp.slow_start_rounds",
    packets=PACKETS,
    initial_window=INITIAL_WINDOW,
)
def slow_start_rounds(packets: Any, initial_window: Any = 1, *, xp: Any) -> Any:
    r"""Rounds in which slow start sends a file without loss, one acknowledgment per packet.

    .. math:: r = \left\lceil \log_2\left(\frac{n}{W_0} + 1\right) \right\rceil
        = 1 + \left\lfloor \log_2 \left\lceil \frac{n}{W_0} \right\rceil \right\rfloor

    Parameters
    ----------
    packets : float or array
        n [packets], whole, in [1, inf).
    initial_window : float or array
        W_0 [packets], whole, in [1, inf).

    Returns
    -------
    float or array
        r [rounds], whole.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact: round k sends W_0 2^k packets. Floats are computed by the second form, which is exact as long as
    whole numbers are (n < 2^53). Delayed acknowledgments, which grow the window by half, are not covered.

    Examples
    --------
    >>> slow_start_rounds(7), slow_start_rounds(8)
    (3.0, 4.0)

    References
    ----------
    V. Jacobson, SIGCOMM 1988, section 1 (the rule); N. Cardwell, S. Savage and T. Anderson, Modeling TCP
    Latency, INFOCOM 2000 (the same number, not rounded).
    """
    if hasattr(xp, "sympy"):
        return xp.ceil(xp.log(packets / initial_window + 1) / xp.log(2))
    return 1 + whole_logarithm(whole_quotient(packets, initial_window, xp), xp)[0]


@law(
    source="ours, under the rule of Jacobson, SIGCOMM 1988, section 1",
    unit="s",
    derivation="tcp.slow_start_transfer_time",
    packets=PACKETS,
    round_trip_time=PATH,
    packet_time=PACKET_TIME,
    initial_window=INITIAL_WINDOW,
)
def slow_start_transfer_time(
    packets: Any, round_trip_time: Any, packet_time: Any, initial_window: Any = 1, *, xp: Any
) -> Any:
    r"""Time from the first packet of a file to its last acknowledgment, over an empty path and without loss.

    .. math:: D = R + \max_{0 \le j < r} \left[ j (R + t) + (n - W_0 (2^j - 1)) t \right]

    with r = `slow_start_rounds`. The largest term is the last one, j = r - 1, or, if some round fills the
    pipe before, that of the first such round, j = ceil(log2((R + t)/(W_0 t))).

    Parameters
    ----------
    packets : float or array
        n [packets], whole, in [1, inf).
    round_trip_time : float or array
        R [s], in [0, inf): from the end of a packet's transmission to its acknowledgment, on the empty path.
    packet_time : float or array
        t [s], in (0, inf), at the bottleneck.
    initial_window : float or array
        W_0 [packets], whole, in [1, inf).

    Returns
    -------
    float or array
        D [s]. The file is complete at the receiver earlier by the acknowledgment's way back.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for one acknowledgment per packet, no slow-start threshold, buffers that hold everything, and one
    link that takes time: every acknowledgment releases two packets, which queue at the bottleneck. R is
    without the packet's own time t: a lone packet takes R + t, and rounds begin R + t apart. For a measured
    round-trip time T of a lone packet take R = T - t.

    Examples
    --------
    >>> round(1e3 * slow_start_transfer_time(20, 40e-3, 0.1e-3), 1)
    200.9

    References
    ----------
    Derived in derivations/tcp.py.
    """
    lone = round_trip_time + packet_time
    # 2^j stops to grow in the last round, 2^j <= ceil(n/W_0), or once a round outlasts a lone packet. Next to
    # either edge of the second two values of j give the same time: rounding there does no harm.
    last = whole_quotient(packets, initial_window, xp)
    full = xp.maximum(2 * lone / (initial_window * packet_time), 1 + 0 * lone)
    j, doubled = whole_logarithm(xp.minimum(last, full), xp)
    return round_trip_time + j * lone + (packets - initial_window * (doubled - 1)) * packet_time

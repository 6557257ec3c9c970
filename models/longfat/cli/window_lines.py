"""Lines that `longfat window` gives for TCP under Linux: settings, buffers of a program, and the check of the rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from longfat.base.quantities import text
from longfat.cli.paste import Line, at_least, raised, raised_third, rates
from longfat.cli.tables import rounded
from longfat.design.senders import SENDERS
from longfat.laws.dctcp import least_threshold

if TYPE_CHECKING:
    from longfat.cli.window_path import Path
    from longfat.design.tcp_windows import Answer

#: Rate [bytes/s] and round-trip time [s] up to which checks on Linux lay in such intervals: the settings of
#: docs/advice.md.
SHOWN_RATE, SHOWN_ROUND_TRIP_TIME = 100e6 / 8, 0.15
DIFFERENT = 0.1  # ours: share by which a run may be slower than the slowest measured run


def span(low: float, high: float, form: Callable[[float], str], to: str = " .. ") -> str:
    """Return the text of two ends, or of the value where both are equal.

    >>> span(1.0, 2.0, str), span(1.0, 1.0, str)
    ('1.0 .. 2.0', '1.0')
    """
    return form(low) if low == high else f"{form(low)}{to}{form(high)}"


def in_bdps(a: dict[str, Any]) -> str:
    """Return the window in bandwidth-delay products."""
    return f"{a['window'] / a['bandwidth_delay_product']:.2g}"


def settings(a: dict[str, Any], path: Path) -> list[Line]:
    """Return the settings of the hosts first, then the buffers of programs that set their own."""
    of = f"a rate of {text(a['rate_high'], 'bytes/s')} and a round trip of {text(a['round_trip_time_high'], 's')}"
    maximum = a["linux_maximum"]
    more = "" if not path.rate_measured_by else " The rate is what was measured, so that they allow twice as much."
    made = [
        Line(
            "On both hosts, as root: let the kernel grow its socket buffers for a window of "
            f"{rounded(a['window'], 'bytes', 4)}, {in_bdps(a)} bandwidth-delay products of {of}: what is in flight, "
            "and what arrives while a lost packet is sent again. "
            f"A byte of window takes up to {maximum / a['window']:.2g} bytes of memory. Larger settings stay.{more}",
            tuple(raised_third(f"net.ipv4.{name}", maximum) for name in ("tcp_rmem", "tcp_wmem")),
            "sysctl net.ipv4.tcp_rmem net.ipv4.tcp_wmem net.ipv4.tcp_moderate_rcvbuf net.ipv4.tcp_window_scaling",
            f"a third number of {maximum} or more in the first two, 1 (or more) in the last two",
        )
    ]
    if a["window_limited"]:
        made.append(
            Line(
                "TCP's largest window is 1 GiB (RFC 7323, section 2.3), and a setting of Linux less than 2 GiB: one "
                "flow cannot fill this path in every case. Use several.",
                (),
            )
        )
    if a["scheme"] == "dctcp":
        made.append(_marks(a))
    return made + _program(a, path)


def _marks(a: dict[str, Any]) -> Line:
    """Return the requirements of DCTCP besides windows: ECN at the hosts, and switches that mark."""
    threshold = math.floor(float(least_threshold(a["bandwidth_delay_product"] / a["segment"]))) + 1
    return Line(
        "DCTCP is for networks in one hand, and must not be used over the Internet without additional measures (RFC "
        "8257, abstract): beside it other senders starve, and without marks it is Reno. Every switch on the path has "
        f"to mark packets above {threshold} in the queue, a seventh of the bandwidth-delay product (longfat buffer "
        "--scheme dctcp), and both hosts need its congestion control.",
        ("modprobe tcp_dctcp",),
        "sysctl net.ipv4.tcp_available_congestion_control",
        "dctcp among the names; and of the connection, while it sends, ss -ti: dctcp",
    )


def _program(a: dict[str, Any], path: Path) -> list[Line]:
    """Return lines for programs that set their buffers: the kernel limits and doubles these, and does not tune them."""
    request = a["linux_request"]
    if path.rate_measured_by:
        why = (
            f"the rate was measured by {path.rate_measured_by}, the link may carry more, and a buffer that a program "
            "sets is not tuned any more: it would keep TCP from more. Give the rate of the link by --rate."
        )
        return [Line(f"No number for iperf3 -w and SO_RCVBUF: {why}", ())]
    return [
        Line(
            "Only for programs that set their own buffers (iperf3 -w, SO_RCVBUF, SO_SNDBUF), as root on both hosts: "
            "larger requests than these limits are cut without a word. Programs that set none are better off: a buffer "
            "that is set is not tuned any more.",
            tuple(raised(f"net.core.{name}", request) for name in ("rmem_max", "wmem_max")),
            "sysctl net.core.rmem_max net.core.wmem_max",
            f"{request} or more",
        ),
        Line(
            "In C or Python, before connect() or listen(); the kernel doubles the number for its own memory. The same "
            "for SO_SNDBUF of the sender.",
            (
                f"#   C:       int size = {request}; setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);",
                f"#   Python:  sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, {request})",
                f"#   iperf3:  iperf3 -c HOST -w {request}",
            ),
            "getsockopt(..., SO_RCVBUF) after the call, or rcvbuf_actual in iperf3 --json",
            f"{2 * request}, twice the number; less means that net.core.rmem_max has cut it",
        ),
    ]


def check(answer: Answer, path: Path) -> Line:
    """Return the check of the rate; if the link's rate is unknown, the measured rate is its lower bound."""
    a, rows = answer.attrs, answer.rows
    control = SENDERS[a["scheme"]].control
    if "check_time" not in rows[0]:
        return Line(
            "Then measure. The rate to expect was not simulated (--no-simulation).", (f"iperf3 -c HOST -C {control}",)
        )
    skipped, lasts = (max(row[name] for row in rows) for name in ("check_skipped", "check_time"))
    command = f"iperf3 -c HOST -f m -C {control} -O {skipped:g} -t {lasts:g}"
    if path.rate_measured_by:
        rate, between = path.figures.rate or 0.0, path.figures.rate_interval
        reason, limit = "The rate of the link is not known, only what was measured.", path.figures.limited_by
        if limit in ("receiver window", "sender"):
            reason = f"The measurement was limited by the {limit} and not by the network: these lines may change that."
        return Line(
            f"Then measure, without -w. {reason}",
            (command,),
            expect=f'in the line "receiver" {at_least((1 - DIFFERENT) * (between[0] if between else rate))}, '
            f"if {control} was measured, too: the least that was measured less a tenth, as runs differ. "
            "If it is much more than was measured, run this program again with the new file",
        )
    intervals = [
        rates(row["check_lower"], row["check_upper"])
        + (f" at a loss of {span(row['loss_low'], row['loss_high'], '{:.3g}'.format, ' to ')}" * (row["loss_high"] > 0))
        for row in rows
    ]
    buffer = f"{a['buffer']:.4g} BDP" + ("s" if a["buffer"] > 1 else "")
    shown = a["rate_high"] <= SHOWN_RATE and a["round_trip_time_high"] <= SHOWN_ROUND_TRIP_TIME
    hosts = (
        f" Linux was compared with such intervals up to {text(SHOWN_RATE, 'bytes/s')} and "
        f"{text(SHOWN_ROUND_TRIP_TIME, 's')} (docs/advice.md). Beyond, the hosts decide, too: one processor for a "
        "connection, the network card and its segmentation offload (TSO, GRO), pacing (tc qdisc fq), and "
        "net.ipv4.tcp_mem, the memory of all connections."
    )
    checks = f"{100 * a['confidence']:.4g} of 100 {'' if shown else 'simulated '}checks"
    return Line(
        f"Then measure. In {checks} the rate lies in the interval, if nobody else uses the path and the buffer of the "
        f"bottleneck holds {buffer} (--buffer).{'' if shown else hosts}",
        (command,),
        expect='in the line "receiver" ' + "; ".join(intervals),
    )

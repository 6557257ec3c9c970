"""Lines that `longfat window` gives for TCP under Linux: settings, buffers of a program, and the check of the rate."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from longfat.base.quantities import text
from longfat.cli.paste import Line, at_least, raised, raised_third, rates
from longfat.cli.tables import rounded
from longfat.design.senders import SENDERS
from longfat.laws.dctcp import least_threshold

if TYPE_CHECKING:
    import xarray as xr

    from longfat.cli.window_path import Path


#: Rate [bytes/s] and round-trip time [s] up to which checks on Linux lay in such intervals: the settings of
#: docs/advice.md.
SHOWN_RATE, SHOWN_ROUND_TRIP_TIME = 100e6 / 8, 0.15
DIFFERENT = 0.1  # ours: share by which a run may be slower than the slowest measured run


def lines(data: xr.Dataset, path: Path) -> list[Line]:
    """Return settings first, then the buffers of programs that set their own, and the check last."""
    known = not path.rate_measured_by
    return [*_settings(data, known), *(_program(data) if known else [_no_program(path)]), _check(data, path)]


def _settings(data: xr.Dataset, known: bool) -> list[Line]:
    a = data.attrs
    multiple = a["window"] / a["bandwidth_delay_product"]
    of = f"a rate of {text(a['rate_high'], 'bytes/s')} and a round trip of {text(a['round_trip_time_high'], 's')}"
    window = rounded(a["window"], "bytes", 4)
    maximum = a["linux_maximum"]
    third = f"a third number of {maximum} or more"
    more = "" if known else " The rate is what was measured, so that they allow twice as much."
    made = [
        Line(
            f"On both hosts, as root: let the kernel grow its socket buffers for a window of {window}, {multiple:.2g} "
            f"bandwidth-delay products of {of}: what is in flight, and what arrives while a lost packet is sent again. "
            f"A byte of window takes up to {maximum / a['window']:.2g} bytes of memory. Larger settings stay.{more}",
            tuple(raised_third(f"net.ipv4.{name}", maximum) for name in ("tcp_rmem", "tcp_wmem")),
            "sysctl net.ipv4.tcp_rmem net.ipv4.tcp_wmem net.ipv4.tcp_moderate_rcvbuf net.ipv4.tcp_window_scaling",
            f"{third} in the first two, 1 (or more) in the last two",
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
    return made


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


def _program(data: xr.Dataset) -> list[Line]:
    """Return lines for programs that set their buffers: the kernel limits and doubles these, and does not tune them."""
    request = data.attrs["linux_request"]
    doubled = 2 * request
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
            f"{doubled}, twice the number; less means that net.core.rmem_max has cut it",
        ),
    ]


def _no_program(path: Path) -> Line:
    return Line(
        f"No number for iperf3 -w and SO_RCVBUF: the rate was measured by {path.rate_measured_by}, the link may carry "
        "more, and a buffer that a program sets is not tuned any more: it would keep TCP from more. Give the rate of "
        "the link by --rate.",
        (),
    )


def _check(data: xr.Dataset, path: Path) -> Line:
    """Return the check of the rate; if the link's rate is unknown, the measured rate is its lower bound."""
    a = data.attrs
    control = SENDERS[a["scheme"]].control
    every = data if "loss" in data.dims else data.expand_dims("loss")
    if not a["replications"]:
        return Line(
            "Then measure. The rate to expect was not simulated (--replications 0).", (f"iperf3 -c HOST -C {control}",)
        )
    skipped, lasts = (float(every[name].max()) for name in ("check_skipped", "check_time"))
    command = f"iperf3 -c HOST -f m -C {control} -O {skipped:g} -t {lasts:g}"
    if path.rate_measured_by:
        rate, between = path.figures.rate or 0.0, path.figures.rate_interval
        least = (1 - DIFFERENT) * (between[0] if between else rate)
        return Line(
            f"Then measure, without -w. {_reason(path)}",
            (command,),
            expect=f'in the line "receiver" {at_least(least)}, if {control} was measured, too: '
            + "the least that was measured less a tenth, as runs differ. "
            + "If it is much more than was measured, run this program again with the new file",
        )
    intervals = [
        f"{rates(float(row.check_lower), float(row.check_upper))}"
        + (f" at a loss of {_loss(row)}" if float(row.loss_high) > 0 else "")
        for row in (every.isel(loss=k) for k in range(every.sizes["loss"]))
    ]
    buffer = f"{a['buffer']:.4g} BDP" + ("s" if a["buffer"] > 1 else "")
    return Line(
        f"Then measure. {_confidence(a)}, if nobody else uses the path and the buffer of the bottleneck holds {buffer} "
        f"(--buffer). {_hosts(a)}".rstrip(),
        (command,),
        expect='in the line "receiver" ' + "; ".join(intervals),
    )


def _is_shown(a: dict[str, Any]) -> bool:
    """Return whether checks on Linux have confirmed intervals for such a path."""
    return bool(a["rate_high"] <= SHOWN_RATE and a["round_trip_time_high"] <= SHOWN_ROUND_TRIP_TIME)


def _confidence(a: dict[str, Any]) -> str:
    """Return the sentence on how often a check lies in the interval."""
    if _is_shown(a):
        return f"In {100 * a['confidence']:.4g} of 100 checks the rate lies in the interval"
    return f"In {100 * a['confidence']:.4g} of 100 simulated checks the rate lies in the interval"


def _hosts(a: dict[str, Any]) -> str:
    """Return a warning that hosts matter too, where no check on Linux has confirmed the interval."""
    if _is_shown(a):
        return ""
    return (
        f"Linux was compared with such intervals up to {text(SHOWN_RATE, 'bytes/s')} and "
        f"{text(SHOWN_ROUND_TRIP_TIME, 's')} (docs/advice.md). Beyond, the hosts decide, too: one processor for a "
        "connection, the network card and its segmentation offload (TSO, GRO), pacing (tc qdisc fq), and "
        "net.ipv4.tcp_mem, the memory of all connections."
    )


def _reason(path: Path) -> str:
    """Return the sentence on what limited the measurement."""
    limit = path.figures.limited_by
    if limit in ("receiver window", "sender"):
        return f"The measurement was limited by the {limit} and not by the network: these lines may change that."
    return "The rate of the link is not known, only what was measured."


def _loss(row: xr.Dataset) -> str:
    low, high = float(row.loss_low), float(row.loss_high)
    return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"

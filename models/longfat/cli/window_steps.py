"""First lines of `longfat window`: the limit of TCP on a path, and up to three steps with their gains."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from textwrap import wrap
from typing import Any

from longfat.base.layers import layer_sizes
from longfat.base.quantities import rounded
from longfat.base.text_tables import WIDTH, labelled
from longfat.cli.paste import MOST_STREAMS, USUAL, USUAL_DATA, one_iperf3
from longfat.cli.window_path import Path
from longfat.design.senders import SENDERS
from longfat.design.socket_buffers import SCALING, TUNING, Limits, SocketBuffers, linux_defaults
from longfat.design.tcp_windows import Answer
from longfat.laws.bbr import shallow_buffer_loss
from longfat.laws.tcp import parallel_share

NEWEST = "6.18"  # version assumed if nothing is known of the hosts: no older version has larger defaults
OLDEST = "3.4"
JUMBO = layer_sizes(9000)  # bytes of a packet at each layer
#: Smallest rate of a link [bytes/s] for which packets of 9000 bytes are proposed. Our choice, 1 Gbit/s: they came with
#: Gigabit Ethernet, and access lines, whose rates are lower, carry packets of at most 1500 bytes.
JUMBO_RATE = 125e6
LOSSES = "remove the losses (ethtool -S, optics)"
#: Loss up to which BBR may fill the link although no law is known: BBRLossThresh of draft-ietf-ccwg-bbr-06, the largest
#: loss at which a probe still raises the rate. The law of version 1 holds up to larger losses.
LOSS_OF_BBR = 0.02
LEAST_WINDOW_OF_BBR = 4  # packets: BBRMinPipeCwnd of draft-ietf-ccwg-bbr-06; version 1 has the same value
LEAST_GAIN = 1.05  # our choice: a gain in rate by a smaller factor is called "no more"


def span(low: float, high: float, unit: str = "bytes/s", digits: int = 3) -> str:
    """Format the ends of a range with their unit, rounded to a number of digits; equal ends as one value.

    >>> span(1e6, 1e6), span(1e6, 2e6)
    ('8 Mbit/s', '8 to 16 Mbit/s')
    """
    ends = [rounded(end, unit, digits) for end in (low, high)]
    if ends[0] == ends[1]:
        return ends[0]
    (first, of), (_, same) = (end.split(" ") for end in ends)
    return f"{first if of == same else ends[0]} to {ends[1]}"


def times(gain: float) -> str:
    """Format the factor by which a step raises the rate.

    >>> times(38.7), times(546.0), times(1.004)
    ('39 times as much', '550 times as much', 'no more')
    """
    return f"{float(f'{gain:.2g}'):g} times as much" if gain >= LEAST_GAIN else "no more"


def begin(answer: Answer, path: Path) -> list[str]:
    """Return the lines on limit and steps: by the diagnosis if a flow was measured, otherwise by law."""
    verdict = path.verdict
    made = said(*_of_numbers(answer, path)) if verdict is None else said(verdict.limit, _of_measured(answer, path))
    flows = answer.attrs["flows"]
    if answer.attrs["scheme"] == "bbr1" and flows > 1:
        made += labelled(
            "streams",
            f"{flows} of bbr1 lose about {float(shallow_buffer_loss(flows)):.0%} of packets in a short buffer (law: "
            "Scherrer et al. 2022) but carry no more",
        )
    return made


def said(limit: str, steps: Sequence[str]) -> list[str]:
    """Format the limit and up to three steps as lines; several steps are numbered."""
    made = labelled("limit", limit)
    for number, step in enumerate(steps[:3], 1):
        label = "next:" if number == 1 else ""
        first = f"{label:10}{number}. " if len(steps) > 1 else f"{label:10}"
        made += wrap(step, WIDTH, initial_indent=first, subsequent_indent=" " * len(first), break_on_hyphens=False)
    return made


def _of_measured(answer: Answer, path: Path) -> list[str]:
    """Return the steps for a measured flow, according to its diagnosis."""
    verdict, measured = path.verdict, path.figures.rate or math.nan
    assert verdict is not None
    reached = min((row["tcp_rate_law"] for row in answer.rows), default=math.nan)
    if verdict.kind == "losses" and path.no_window:
        return _against_losses(answer, path)
    if path.rate_measured_by:
        to = f"up to {rounded(2 * measured, 'bytes/s')}, twice what was measured, if the link carries it (--rate)"
    else:
        to = f"up to {rounded(reached, 'bytes/s')} by law, {times(reached / measured)}"
        to = "no gain by law, the link is full" if reached < LEAST_GAIN * measured else to
        to = to if math.isfinite(reached) else "gain not known, no law holds at this loss"
    if verdict.kind not in ("receiver window", "send buffer", "sender"):
        return [f"{verdict.advice} ({'gain not known without --rate' if path.rate_measured_by else to})"]
    option = "SO_RCVBUF" if path.figures.limited_by == "receiver window" else "SO_SNDBUF"
    of_program = [f"{verdict.advice} (gain not known)"] if verdict.kind == "sender" else []
    if path.limits is None or _missing(answer, path):
        return [f"paste the lines, without iperf3 -w and {option}: {to}", *of_program]
    # The settings of the hosts allow a larger window.
    others = ", and for settings below the defaults (sysctl -a)" if path.limits.is_default else ""
    allowed = f"{path.limits.source} allows {rounded(answer.attrs['window'], 'bytes')}"
    return of_program or [f"look for iperf3 -w and {option}, because {allowed}{others}: {to}"]


def _of_numbers(answer: Answer, path: Path) -> tuple[str, list[str]]:
    """Return limit and steps by law if no flow was measured; the limit is losses, windows or the link."""
    a, best = answer.attrs, at_most(answer)
    limits, trip = _limits(path), a["round_trip_time"]
    sizes = (limits.least(overhead_of(a)), limits.most, a["window"])
    least, most, largest = (a["flows"] * size / trip for size in sizes)
    if most < min(best, largest) and not path.rate_measured_by:
        return _of_buffers(answer, path, (least, most), min(best, largest))
    if a["window_limited"] and largest < best:
        return (
            f"TCP's largest window, 1 GiB (RFC 7323){of_streams(a)}: {rounded(largest, 'bytes/s')} at "
            f"{rounded(trip, 's')}, of the link's {of_data(answer)}",
            [
                f"{a['sockets']} streams, {_parallel(a['sockets'])}: {rounded(best, 'bytes/s')} by law, "
                f"{times(best / largest)}"
            ],
        )
    if _slow(answer):
        law = f"law of {name_of(a)}{of_streams(a)}, {rounded(trip, 's')}"
        limit = f"loss: {rates_by_law(answer)} ({law}), of the link's {of_data(answer)}"
        return limit, _against_losses(answer, path)
    return _of_link(answer, path)


def _parallel(flows: int) -> str:
    """Return the command of iperf3 for parallel streams, with a remark if several such commands must run at once.

    >>> _parallel(37), _parallel(4 * 40).split(",")[0]  # one call has at most 128
    ('iperf3 -P 37', 'iperf3 -P 80 (2 of these at once')
    """
    streams, _, calls = one_iperf3(flows, USUAL_DATA)
    return f"iperf3 -P {streams}" + (f" ({calls})" if calls else "")


def at_most(answer: Answer) -> float:
    """Return the largest rate by law over the losses; the link's rate where BBR may fill it without a law; else 0."""
    best = 0.0
    for row in answer.rows:
        law = row["tcp_rate_law"]
        if math.isfinite(law):
            best = max(best, law)
        elif SENDERS[answer.attrs["scheme"]].is_bbr and row["loss_high"] <= LOSS_OF_BBR:
            best = max(best, answer.capacity)
    return best


def _slow(answer: Answer) -> list[dict[str, float]]:
    """Return the rows, each for a loss, in which the rate by law is below the target or no law holds.

    A row without a law is left out if the flows are BBR's and fill the link even with their smallest windows.
    """
    a, capacity = answer.attrs, answer.capacity
    least = a["flows"] * LEAST_WINDOW_OF_BBR * a["segment"] / a["round_trip_time"] if SENDERS[a["scheme"]].is_bbr else 0
    return [
        row
        for row in answer.rows
        if not row["tcp_rate_law"] >= a["target"] * capacity
        and (math.isfinite(row["tcp_rate_law"]) or least * (1 - row["loss_high"]) < capacity)
    ]


def of_data(answer: Answer, named: bool = True) -> str:
    """Format the range of a full link's rate of data, and with ``named`` the headers that are left out."""
    return span(*answer.link) + (" (Ethernet, IP)" if named and answer.attrs["headers"][1] else "")


def rates_by_law(answer: Answer) -> str:
    """Format the rate by law at each loss or range of losses, and the losses at which no law holds."""
    until = answer.path.law_until

    def rate(row: dict[str, float]) -> str:
        largest = min(until, row["loss_high"])
        above = f" (no law holds above {largest:.3g})" if largest < row["loss_high"] else ""
        ends = span(answer.path.law(largest), answer.path.law(row["loss_low"]))
        middle = rounded(row["tcp_rate_law"], "bytes/s")
        if ends == middle:
            return f"{middle} at {loss_of(row | {'loss_high': largest})}{above}"
        at = f", {middle} at {row['loss']:.3g}" if math.isfinite(row["tcp_rate_law"]) else ""
        return f"{ends} at {largest:.3g} to {row['loss_low']:.3g}{at}{above}"

    known = [row for row in answer.rows if row["loss_low"] <= until]
    beyond = [loss_of(row) for row in answer.rows if row not in known]
    return "; ".join(
        [
            *([", ".join(map(rate, known))] if known else []),
            *([f"no law holds at {', '.join(beyond)}"] if beyond else []),
        ]
    )


def _against_losses(answer: Answer, path: Path) -> list[str]:
    """Return the steps to take if losses limit the rate."""
    a, capacity = answer.attrs, answer.capacity
    row = max(
        _slow(answer) or answer.rows,
        key=lambda one: one["tcp_rate_law"] if math.isfinite(one["tcp_rate_law"]) else -1.0,
    )
    law = row["tcp_rate_law"]
    if not math.isfinite(law):
        return [f"{LOSSES}: up to {rounded(answer.reachable, 'bytes/s')} by law"]
    if path.rate_measured_by:
        return [
            f"{LOSSES}: gain not known without the rate of the link (--rate)",
            f"more streams, {_parallel(4 * a['flows'])}: {rounded(4 * law, 'bytes/s')} by law, {times(4)}, if the link "
            "carries it",
        ]
    paste = ", paste the lines" if _missing(answer, path) and not fits_defaults(a, path) and not path.no_window else ""
    steps = [f"{LOSSES}{paste}: {_without_losses(answer, law)}"]
    if SENDERS[a["scheme"]].is_bbr:
        return steps
    flows = min(round(row["tcp_streams_law"]), MOST_STREAMS)
    rate = min(capacity, flows * law / a["flows"])
    left = capacity * (1 - float(parallel_share(flows, 1)))
    others = [
        f"{one['tcp_streams_law']:.0f} at {loss_of(one)}"
        for one in _slow(answer)
        if one is not row and math.isfinite(one["tcp_streams_law"])
    ]
    more = f" ({', '.join(others)})" if others else ""
    if flows > a["flows"]:
        steps.append(
            f"{flows} streams{more}, {_parallel(flows)} (check: --flows {flows}): {rounded(law, 'bytes/s')} -> "
            f"{rounded(rate, 'bytes/s')} by law, if losses are not of a full link: such a link leaves one flow of "
            f"others {rounded(left, 'bytes/s')}"
        )
    bbr = min(answer.reachable, replace(answer.path, sender=SENDERS["bbr1"], flows=1).law(row["loss"]))
    if bbr >= LEAST_GAIN * law and a["scheme"] != "dctcp":
        steps.append(
            f"BBR at the sender (lines: --scheme bbr1): {rounded(bbr, 'bytes/s')} by its rules, {times(bbr / law)}; "
            "unfair to others"
        )
    return steps


def _without_losses(answer: Answer, law: float) -> str:
    """Format the rate without losses, and its ratio to the rate ``law`` with them [bytes/s]."""
    rate = answer.reachable
    said = "the whole link" if rate == answer.capacity else rounded(rate, "bytes/s")
    return f"{said} by law, {times(rate / law)}"


def _of_buffers(answer: Answer, path: Path, rates: tuple[float, float], best: float) -> tuple[str, list[str]]:
    """Return limit and steps if the hosts' socket buffers, by default or by their settings, are too small."""
    a, limits, (least, most) = answer.attrs, _limits(path), rates
    source = ", if Linux's defaults" if path.limits is None else f" of {limits.source}"
    trip, capacity = rounded(a["round_trip_time"], "s"), answer.capacity
    limit = (
        f"socket buffers{source}: {span(least, most)} ({_smallest(limits)}, {trip}) of {of_data(answer, named=False)}"
    )
    few, many = (min(math.ceil(a["flows"] * best / rate), MOST_STREAMS) for rate in (most, least))
    flows = f"iperf3 -P {few} to {many}" if few < many else _parallel(few)
    by, until = " by law", answer.path.law_until
    if not any(math.isfinite(row["tcp_rate_law"]) for row in answer.rows):
        losses = [f"more than {until:.3g}" if row["loss_low"] <= until else loss_of(row) for row in answer.rows]
        by = f" (no law holds at {', '.join(losses)})"
    of_least = " at the least loss" if any(row["tcp_rate_law"] < most for row in answer.rows) else ""
    steps = [f"paste the lines: up to {rounded(best, 'bytes/s')}{by}, {times(best / most)} or more{of_least}"]
    if few > a["flows"]:
        steps.append(
            f"without root: more streams, {flows}, each with buffers of its own: up to "
            f"{rounded(min(best, MOST_STREAMS * most / a['flows']), 'bytes/s')}"
        )
    worst = min(answer.rows, key=lambda row: row["tcp_rate_law"] if math.isfinite(row["tcp_rate_law"]) else math.inf)
    if worst["tcp_rate_law"] < a["target"] * capacity:
        at = f" as at {loss_of(worst)}" if len(answer.rows) > 1 else ""
        steps.insert(1, f"then {LOSSES}: {_without_losses(answer, worst['tcp_rate_law'])}{at}")
    return limit, steps


def _smallest(limits: Limits) -> str:
    """Return a text with the settings that limit the window: the smallest, and tcp_rmem if the window is half of it."""
    if SCALING in limits.off:
        return "tcp_window_scaling is off"
    sizes = {"tcp_rmem": limits.receive, "tcp_wmem": limits.send}
    smallest = min(sizes.values())
    names = [name for name, size in sizes.items() if size == smallest or (limits.half and name == "tcp_rmem")]
    fixed = ", as tcp_moderate_rcvbuf is off" if TUNING in limits.off and "tcp_rmem" in names else ""
    return ", ".join(f"{name} {rounded(sizes[name], 'bytes')}" for name in names) + fixed


def _of_link(answer: Answer, path: Path) -> tuple[str, list[str]]:
    """Return limit and steps if the rate of the link is the limit."""
    a, limits = answer.attrs, _limits(path)
    condition = "" if any(row["loss"] > 0 for row in answer.rows) else ", if it loses no packet"
    rate = f" of {span(a['rate_low'], a['rate_high'])}" if not path.rate_measured_by else ""
    by = f" (as measured by {path.rate_measured_by})" if path.rate_measured_by else ""
    limit = f"the link{by}{condition}: {of_data(answer)} of data{rate}"
    steps = []
    if _missing(answer, path) and not fits_defaults(a, path):
        source = "Linux's defaults" if path.limits is None else limits.source
        least, each = limits.least(overhead_of(a)), " for each stream" if a["flows"] > 1 else ""
        slowest = a["flows"] * least / a["round_trip_time"]
        if slowest < answer.capacity:
            limit += f"; or socket buffers, with {source}: {rounded(slowest, 'bytes/s')} or more ({_smallest(limits)})"
        ends = [f"{size / a['bandwidth_delay_product']:.2g}" for size in (least, limits.most)]
        steps.append(
            f"paste the lines: with {in_bdps(a)} BDPs{each} a lost packet does not stop the sender; {source}: "
            f"{' to '.join(dict.fromkeys(ends))} BDPs"
        )
    if not path.rate_measured_by and a["rate_low"] >= JUMBO_RATE and a["segment"] <= USUAL["data"]:
        data = a["segment"]
        gain = JUMBO["data"] / JUMBO["wire"] * (1 + (USUAL["wire"] - USUAL["data"]) / data) - 1
        fewer = float(f"{JUMBO['data'] / data:.2g}")
        steps.append(
            f"packets of 9000 bytes, if the whole path takes them: {gain:.0%} more data, {fewer:g} times fewer packets"
        )
    hosts = ", if the hosts have Linux's defaults" if _missing(answer, path) else ""
    return limit, steps or [f"only a faster link carries more{hosts}"]


def _limits(path: Path) -> Limits:
    return path.limits or linux_defaults(NEWEST)


def _missing(answer: Answer, path: Path) -> bool:
    """Return whether the hosts' settings must be changed; unknown settings are assumed to need a change."""
    a, limits = answer.attrs, path.limits
    return limits is None or bool(limits.switches(a["window"], overhead_of(a)) or limits.lacking(a["linux_maximum"]))


def fits_defaults(a: dict[str, Any], path: Path) -> bool:
    """Return whether the hosts' settings are unknown and the defaults of all versions of Linux are large enough."""
    return path.limits is None and not linux_defaults(OLDEST).lacking(a["linux_maximum"])


def overhead_of(a: dict[str, Any]) -> int:
    """Return the bytes of socket buffer for a byte of window."""
    return SocketBuffers(a["window"], a["segment"]).overhead


def in_bdps(a: dict[str, Any]) -> str:
    """Format the window in bandwidth-delay products."""
    return f"{a['window'] / a['bandwidth_delay_product']:.2g}"


def name_of(a: dict[str, Any]) -> str:
    """Return the name of the sender for the output, such as "Reno" or "CUBIC"."""
    return "Reno" if a["scheme"] == "reno" else a["scheme"].upper()


def of_streams(a: dict[str, Any]) -> str:
    """Return " in N streams"; empty for a single stream."""
    return f" in {a['flows']} streams" if a["flows"] > 1 else ""


def loss_of(row: dict[str, float]) -> str:
    """Format the loss of a row, or both ends of its range."""
    ends = [f"{row[f'loss_{end}']:.3g}" for end in ("low", "high")]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)

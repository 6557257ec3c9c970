"""Answer of `longfat window` for TCP: limit and steps, lines to paste on Linux, simulated rates, and a check."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from longfat.base.quantities import rounded, text
from longfat.base.text_tables import csv_of, labelled
from longfat.cli import paste
from longfat.cli.output import MORE, shows_progress
from longfat.cli.paste import Line
from longfat.cli.tables import percent
from longfat.cli.window_path import Path
from longfat.cli.window_steps import (
    OLDEST,
    begin,
    fits_defaults,
    in_bdps,
    loss_of,
    name_of,
    of_streams,
    overhead_of,
    rates_by_law,
    span,
)
from longfat.design.buffer_laws import marking_threshold
from longfat.design.senders import SENDERS
from longfat.design.socket_buffers import DEFAULT_SHARE, PRESSURE_SHARE
from longfat.design.tcp import LONG_CYCLES, LONG_SKIPPED
from longfat.design.tcp_windows import Answer
from longfat.measured.counting import WIDE
from longfat.measured.figures import DOUBT

#: Prefixes of remarks that are always shown, because the answer assumes another loss than the counted one.
ASSUMED = ("loss: taken", "loss: none")
#: Largest rate [bytes/s] and round-trip time [s] of the paths on which checks on Linux were compared with the intervals
#: of the answer (docs/advice.md).
SHOWN_RATE, SHOWN_ROUND_TRIP_TIME = 100e6 / 8, 0.15
DIFFERENT = 0.1  # our choice: fraction by which a run may be slower than the slowest measured run
#: Smallest memory of a host for which Linux's default limits of socket buffers have their largest values [bytes]. Our
#: choice: a host whose settings are unknown is assumed to have this memory, and the answer warns if the connections may
#: need more memory than such a host has for TCP.
FULL_DEFAULTS = (32 << 20) / DEFAULT_SHARE
RANGE = 2.0  # our choice: a remark is made if the range of the loss changes the rate by this factor


def by_law(answer: Answer, path: Path, verbose: bool) -> str:
    """Return the answer before simulations: limit, steps, lines to paste, and with ``verbose`` path, sender and law."""
    said, remarks = begin(answer, path), answer.attrs["remarks"].splitlines()
    for remark in [one for one in remarks if one.startswith(ASSUMED)][:1]:
        said += labelled("losses", remark.removeprefix("loss: "))
    for remark in [one for one in remarks if one.startswith(DOUBT)]:
        said += labelled("remark", remark)
    parts = [said]
    if verbose:
        parts.append([line for label, words in _explained(answer, path) for line in labelled(label, words)])
    if not path.no_window:
        parts.append(paste.shown(_settings(answer.attrs, path, verbose), apart=verbose))
    return "\n".join(line for part in parts for line in (*part, ""))


def _explained(answer: Answer, path: Path) -> Iterator[tuple[str, str]]:
    """Yield label and text of each line that explains the answer: on path, sender and law, and remarks."""
    a = answer.attrs
    counted = "data, without headers" if a["rate_measured"] else "with headers"
    yield (
        "path",
        f"{span(a['rate_low'], a['rate_high'], digits=6)} ({counted}), round trip "
        f"{span(a['round_trip_time_low'], a['round_trip_time_high'], 's', 6)}: bandwidth-delay product (BDP) "
        f"{rounded(a['bandwidth_delay_product'], 'bytes')} of data",
    )
    flows = "one flow" if a["flows"] == 1 else f"{a['flows']} flows"
    yield "sender", f"{flows} of {SENDERS[a['scheme']].about}; {a['segment']} bytes of data in a packet"
    for remark in a["remarks"].splitlines():
        if not remark.startswith((*ASSUMED, DOUBT)):
            yield "remark", remark
    yield "law", f"{rates_by_law(answer)} ({SENDERS[a['scheme']].law})"


def transfer(answer: Answer, size: float, simulate: bool) -> str:
    """Return a line with the transfer time of a file by the law of slow start and, if ``simulate``, as simulated.

    The simulated path has the first loss of the answer.
    """
    loss, header = answer.rows[0]["loss"], sum(answer.attrs["headers"]) / 2
    law, found = answer.path.transfer_time(size, loss, header, simulate=simulate, progress=shows_progress())
    words = (
        f"{rounded(size, 'bytes')} alone on the path: {rounded(law, 's', 3)} by the law of slow start without losses"
    )
    if found is not None:
        words += f", {rounded(found, 's', 3)} simulated" + " in one run, others differ" * (loss > 0)
    return "\n".join([*labelled("transfer", words), ""])


def simulated(answer: Answer, path: Path, steps: Iterator[Answer]) -> Iterator[str]:
    """Yield lines with results as soon as they are simulated: the rate at each loss, and BBR beside CUBIC."""
    if path.rate_measured_by:  # a simulated link of the measured rate would limit the flow
        for _ in answer.rows:
            next(steps)
    else:
        for k, (row, _) in enumerate(zip(answer.rows, steps, strict=False)):  # `steps` goes on after the rows
            yield from labelled("simulated" if k == 0 else "", _long(row, len(answer.rows) > 1))
    next(steps)
    if not path.rate_measured_by and (beside := _beside(answer)):
        yield from labelled("", beside)


def _long(row: dict[str, float], several: bool) -> str:
    """Format the simulated rate of a long transfer, its interval, and the share lost if it exceeds the path's loss."""
    low, high = row["tcp_rate_lower"], row["tcp_rate_upper"]
    between = f" ({span(low, high)})" if low < high else ""
    lost = f", {percent(row['tcp_lost'], 2)} of packets lost" if row["tcp_lost"] > row["loss"] else ""
    at = f" at a loss of {loss_of(row)}" if several else ""
    return f"{rounded(row['tcp_rate'], 'bytes/s')}{between} in a long transfer{at}{lost}"


def _beside(answer: Answer) -> str:
    """Return a text on the share and the losses of a BBR flow that competes with CUBIC; empty if not simulated."""
    from longfat.design.beside_cubic import SHORT

    values = answer.values
    if math.isnan(values["bbr_share"]):
        return ""
    share, low, high = (100 * values[f"bbr_share{end}"] for end in ("", "_lower", "_upper"))
    loss, short = (100 * values[name] for name in ("bbr_loss", "bbr_loss_short"))
    return (
        f"BBR beside one CUBIC flow: {share:.3g}% ({low:.3g} .. {high:.3g}%) of the rate, {loss:.2g}% lost "
        f"({short:.2g}% with {SHORT:g} BDP of buffer)"
    )


def end(answer: Answer, path: Path, verbose: bool) -> str:
    """Return the last lines: with ``verbose`` the largest loss at which the sender fills the link, then the check."""
    last = labelled("fills", _filling(answer)) if verbose else []
    if path.no_window:
        last.append("No window changes this rate: no lines to paste. --loss 0 gives those without the losses.")
    return "\n".join([*last, *_check(answer, path), *([] if verbose else [MORE])])


def _filling(answer: Answer) -> str:
    """Return a text on the largest loss at which the sender fills the link by law."""
    a, name = answer.attrs, name_of(answer.attrs)
    law = answer.values["tcp_filling_loss_law"]
    if SENDERS[a["scheme"]].is_bbr:
        return f"{name} keeps its rate up to a loss of {law:.2g} (law)"
    if answer.reachable < a["target"] * answer.capacity:
        return f"TCP's largest window keeps {name}{of_streams(a)} from carrying {percent(a['target'])} of this link"
    return (
        f"a long transfer of {name}{of_streams(a)} carries {percent(a['target'])} of this link up to a loss of "
        f"{law:.2g} (law), and no window or buffer changes that"
    )


def _settings(a: dict[str, Any], path: Path, verbose: bool) -> list[Line]:
    """Return the settings that the hosts need, or the reason why they need none."""
    made = [_buffers(a, path, verbose)]
    if memory := _memory(a, path):
        made.append(Line(memory))
    if a["window_limited"]:
        without = f"without losses {a['sockets']} streams fill this path."
        made.append(Line(f"TCP's largest window is 1 GiB (RFC 7323), Linux's buffer 2 GiB: {without}"))
    if a["scheme"] == "dctcp":
        made.append(_marks(a))
    elif SENDERS[a["scheme"]].is_bbr:
        made.append(_paced(a))
    return made + (_program(a, path) if verbose else [])


def _buffers(a: dict[str, Any], path: Path, verbose: bool) -> Line:
    """Return the lines that raise the kernel's limits of socket buffers, unless they are known to be large enough."""
    maximum, limits = a["linux_maximum"], path.limits
    lacking = ("tcp_rmem", "tcp_wmem") if limits is None else limits.lacking(maximum)
    off = () if limits is None else limits.switches(a["window"], overhead_of(a))
    each = f" for each of {a['flows']} streams" if a["flows"] > 1 else ""
    window = f"a window of {rounded(a['window'], 'bytes')} ({in_bdps(a)} BDPs){each}"
    if not lacking and not off and limits is not None:
        where = f"; by default, on hosts with {rounded(maximum / DEFAULT_SHARE, 'bytes')} of memory or more"
        sizes = [rounded(size, "bytes") for size in (limits.receive, limits.send)]
        return Line(
            f"Nothing to type: {limits.source} has tcp_rmem up to {sizes[0]} and tcp_wmem up to {sizes[1]}, and "
            f"{window} needs {rounded(maximum, 'bytes')}{where if limits.is_default else ''}."
        )
    known = [] if limits is None else [name for name in ("tcp_rmem", "tcp_wmem") if name not in lacking]
    suffice = "suffices" if len(known) == 1 else "suffice"
    enough = f" {' and '.join(known)} of {limits.source} {suffice}." if known and limits is not None else ""
    more = " Larger values stay."
    if fits_defaults(a, path):
        more = f" Only for hosts with less: Linux's defaults suffice from {OLDEST} on."
    if verbose and path.rate_measured_by:
        more += " The rate is what was measured, so that they allow twice as much."
    raising = [paste.raised_third(f"net.ipv4.{name}", maximum) for name in lacking]
    return Line(
        f"On both hosts, as root, for {window}, in up to {rounded(maximum, 'bytes')} of memory"
        f"{' each' * bool(each)}.{more}{enough}",
        (*raising, *(f"sysctl -w {name}=1" for name in off)),
        "sysctl net.ipv4.tcp_rmem net.ipv4.tcp_wmem net.ipv4.tcp_moderate_rcvbuf net.ipv4.tcp_window_scaling" * verbose,
        f"a third number of {maximum} or more in the first two, 1 (or more) in the last two" * verbose,
    )


def _memory(a: dict[str, Any], path: Path) -> str:
    """Return a remark if the connections may need more memory than Linux allows TCP; otherwise an empty text."""
    maximum, who = a["linux_maximum"], "one connection"
    if a["flows"] > 1:
        maximum, who = a["flows"] * maximum, f"{a['flows']} connections"
    if path.limits is not None and path.limits.pressure is not None:
        pressure = path.limits.pressure
        said = f"by tcp_mem of {path.limits.source} Linux saves memory from {rounded(pressure, 'bytes')} on"
        bound = maximum > pressure
    else:
        needed = maximum / PRESSURE_SHARE
        said = f"hosts of {rounded(needed, 'bytes')} or more allow it (tcp_mem, by default 1/16)"
        bound = needed > FULL_DEFAULTS
    return f"Memory: {who} may take {rounded(maximum, 'bytes')}; {said}." if bound else ""


def _chosen(control: str) -> str:
    """Return the command that selects a congestion control of Linux for new connections."""
    return f"modprobe tcp_{control} && sysctl -w net.ipv4.tcp_congestion_control={control}"


def _paced(a: dict[str, Any]) -> Line:
    """Return the lines that select BBR and give the interface fq, which paces with less work than TCP's own timers.

    The root discipline of a card with several queues is mq, which replaces itself with new queues of the default
    discipline; a card with one queue refuses mq (net/sched/sch_mq.c, mq_init()) and gets a single fq.
    """
    version = "mainline Linux has version 1"
    if a["scheme"] == "bbr":
        version = "version 3, which mainline Linux lacks (it has 1: --scheme bbr1)"
    fq = "sysctl -w net.core.default_qdisc=fq; tc qdisc replace dev DEV root mq || tc qdisc replace dev DEV root fq"
    return Line(f"BBR at the sender, as root; {version}:", (_chosen("bbr"), fq))


def _marks(a: dict[str, Any]) -> Line:
    """Return the line that selects DCTCP at the hosts, with the remark that switches have to mark packets."""
    threshold = marking_threshold(a["bandwidth_delay_product"] / a["segment"])
    return Line(
        "DCTCP must not be used over the Internet without additional measures (RFC 8257, abstract): others starve. "
        f"Every switch has to mark packets above {threshold} in the queue, a seventh of the BDP, or more for "
        f"{paste.BURSTS} (longfat buffer --scheme dctcp): without marks it is Reno.",
        (_chosen("dctcp"),),
        "sysctl net.ipv4.tcp_available_congestion_control",
        "dctcp among the names; and of the connection, while it sends, ss -ti: dctcp",
    )


def _program(a: dict[str, Any], path: Path) -> list[Line]:
    """Return lines for programs that set their own socket buffers, which the kernel doubles and does not tune."""
    request = a["linux_request"]
    if path.rate_measured_by:
        why = (
            f"the rate was measured by {path.rate_measured_by}, the link may carry more, and a buffer that a program "
            "sets is not tuned any more: it would keep TCP from more. Give the rate of the link by --rate."
        )
        return [Line(f"No number for iperf3 -w and SO_RCVBUF: {why}")]
    largest = paste.LARGEST_OF_IPERF3
    iperf3 = f"iperf3 -c HOST -w {request}" if request <= largest else f"-w is at most {largest}"
    return [
        Line(
            "Only for programs that set their own buffers before connect() or listen() (iperf3 -w, SO_RCVBUF, "
            "SO_SNDBUF), as root on both hosts, because the kernel reduces larger requests without an error. It does "
            "not tune a buffer that a program has set: programs that set none are better off.",
            (
                *(paste.raised(f"net.core.{name}", request) for name in ("rmem_max", "wmem_max")),
                f"#   C:       int size = {request}; setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);",
                f"#   Python:  sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, {request})",
                f"#   iperf3:  {iperf3}",
            ),
            "getsockopt(..., SO_RCVBUF) after the call, or rcvbuf_actual in iperf3 --json",
            f"{2 * request}: the kernel doubles the request for its memory; less means that net.core.rmem_max cut it",
        )
    ]


def _check(answer: Answer, path: Path) -> list[str]:
    """Return the command that checks the rate, the expected interval, and advice to narrow a wide interval."""
    a, rows = answer.attrs, answer.rows
    if not paste.sendable(a["segment"]):
        return labelled("check", f"no check: {paste.one_iperf3(1, a['segment'])[2]}")
    control = SENDERS[a["scheme"]].control
    shown = a["rate_high"] <= SHOWN_RATE and a["round_trip_time_high"] <= SHOWN_ROUND_TRIP_TIME
    hosts = labelled(
        "hosts",
        f"no check on Linux above {text(SHOWN_RATE, 'bytes/s')}, {text(SHOWN_ROUND_TRIP_TIME, 's')}: processor, "
        "network card (TSO, GRO), fq or tcp_mem may limit",
    )
    of = f"{a['flows']} stream{'s' if a['flows'] > 1 else ''}" + ", version 3 of BBR" * (a["scheme"] == "bbr")
    receiver = 'line "[SUM] ... receiver"' if a["flows"] > 1 else 'line "receiver"'
    if a["flows"] > paste.MOST_STREAMS:
        receiver = 'the sum of the lines "[SUM] ... receiver"'
    if "check_time" not in rows[0]:
        return [
            *_command(a, f"-C {control}"),
            *labelled("expect", "not simulated (--no-simulation)"),
            *([] if shown else hosts),
        ]
    skipped, lasts = (max(row[name] for row in rows) for name in ("check_skipped", "check_time"))
    form, unit = paste.format_of(max(row["check_upper"] for row in rows))
    if path.rate_measured_by:
        form = "-f m"  # in Mbit/s, as in `paste.at_least`
    made = _command(a, f"{form} -C {control} -O {skipped:g} -t {lasts:g}")
    if path.rate_measured_by:
        return made + labelled("expect", _of_measured_rate(path, control, receiver))
    at = [f" at {loss_of(row)}" if len(rows) > 1 else "" for row in rows]
    ends = [(row["check_lower"], row["check_upper"]) for row in rows]
    intervals = [paste.rates(*pair, unit) + where for pair, where in zip(ends, at, strict=True)]
    slower = all(row["check_upper"] < (1 - DIFFERENT) * row["tcp_rate"] for row in rows)
    early = "; a check so soon after slow start is slower than a long transfer" * slower
    made += labelled(
        "expect",
        f"{', '.join(intervals)} in {receiver} in {100 * a['confidence']:.4g} of 100 "
        f"{'' if shown else 'simulated '}checks ({of}, idle path, {a['buffer']:.4g} BDP buffer){early}",
    )
    wide = [] if len(rows) > 1 else [row for row in rows if row["check_upper"] > WIDE * row["check_lower"]]
    counted = path.figures.loss is not None and "loss" not in path.options
    narrower = _narrower(answer, wide[0], counted, unit) if wide else ""
    made += labelled("narrower", narrower) if narrower else []
    return made if shown else made + hosts


def _command(a: dict[str, Any], options: str) -> list[str]:
    """Return the line of the answer with the command of iperf3 and its options."""
    streams, more, remark = paste.one_iperf3(a["flows"], a["segment"])
    command = f"iperf3 -c HOST {options}" + (f" -P {streams}" if streams > 1 else "") + more
    return labelled("check", command) + (labelled("", remark) if remark else [])


def _of_measured_rate(path: Path, control: str, receiver: str) -> str:
    """Return the expected result of a check if the link's rate is not known: the measured rate is a lower bound."""
    rate, between = path.figures.rate or 0.0, path.figures.rate_interval
    reason, limit = "the rate of the link is not known", path.figures.limited_by
    if limit in ("receiver window", "send buffer", "sender"):
        reason = f"the {limit} limited the measured flow, and not the network"
    return (
        f"{paste.at_least((1 - DIFFERENT) * (between[0] if between else rate))} in {receiver}, without -w, if "
        f"the measured flow used {control}, too: nine tenths of the least measured rate, because {reason}. If it is "
        "much more, give the new file"
    )


def _narrower(answer: Answer, row: dict[str, float], counted: bool, unit: str) -> str:
    """Return longer measurements that narrow the expected interval of a check, each with its interval, or no text.

    With ``counted`` the loss was measured by a count of lost packets; ``unit`` is that of iperf3's rates in the check.
    """
    a, said = answer.attrs, list[str]()
    cycles = LONG_CYCLES if a["flows"] == 1 else row["tcp_cycles"]
    lasts, skipped = math.ceil(row["tcp_time"]), math.ceil(row["tcp_time"] * LONG_SKIPPED / cycles)
    if lasts > row["check_time"]:
        command = f"-O {skipped} -t {lasts}"
        if skipped > paste.LONGEST_OMITTED or lasts > paste.LONGEST:
            command = f"a transfer of {lasts} s, without its first {skipped} s"
        said.append(f"{command}: {paste.rates(row['long_lower'], row['long_upper'], unit)}, simulated")
    loss = answer.path.law(row["loss_low"]) / answer.path.law(row["loss_high"])
    if loss >= RANGE and counted:
        # Four times as many losses halve the interval on a logarithmic scale: the ratio of its ends becomes the square
        # root.
        said.append(
            f"losses counted in four times as many packets: narrower by a factor of {math.sqrt(loss):.2g}, by law"
        )
    elif loss >= RANGE:
        said.append(f"by law, the range of the loss changes the rate by a factor of {loss:.2g}: narrow this range")
    if not said and any(a[f"{name}_low"] < a[f"{name}_high"] for name in ("rate", "round_trip_time")):
        said = ["a longer check does not narrow it: give narrower ranges of --rtt (ping) and --rate (iperf3)"]
    return "; ".join(said)


def csv(answer: Answer) -> str:
    """Convert the answer to CSV, with a row for each loss."""
    data = answer.dataset().drop_dims("law_loss")
    every = data if "loss" in data.dims else data.expand_dims("loss")
    return csv_of(every.to_dataframe().reset_index(), every)

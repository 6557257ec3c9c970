"""The answer of `longfat window` for TCP: by the law with lines to paste, and behind it what simulations add."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from longfat.base.quantities import text
from longfat.cli import paste, window_lines, window_steps
from longfat.cli.output import MORE, csv_of
from longfat.cli.tables import Cell, Column, percent, quantity, rounded, table
from longfat.design.senders import SENDERS

if TYPE_CHECKING:
    from longfat.cli.window_path import Path
    from longfat.design.tcp_windows import Answer

#: What to do where a figure decides; the interval of counted losses shrinks with the square root of their number.
MEASURE = {
    "loss": "Your loss estimate decides: measure it four times as long, which halves the interval of a count",
    "rate": "The rate of the link decides: find it out (contract, shaper, tc), or measure it by UDP",
    "round_trip_time": "The round-trip time decides: take the minimum of ping while nothing else is sent",
}


def span(low: float, high: float, form: Callable[[float], str]) -> str:
    """Return the text of two ends, or of the value where both are equal.

    >>> span(1.0, 2.0, str), span(1.0, 1.0, str)
    ('1.0 .. 2.0', '1.0')
    """
    return form(low) if low == high else f"{form(low)} .. {form(high)}"


def _between(name: str) -> Cell:
    """Return the cell of an interval of rates."""

    def cell(row: Any) -> str:
        low, high = (row[f"{name}_{end}"] for end in ("lower", "upper"))
        return f"{rounded(low, 'bytes/s')} .. {rounded(high, 'bytes/s')}" if low < high else "deterministic"

    return cell


LAW = (
    Column("loss", 16, lambda row: span(row["loss_low"], row["loss_high"], "{:.3g}".format)),
    Column("law", 11, quantity("tcp_rate_law", "bytes/s", 3)),
)
SIMULATED = (
    Column("simulated", 11, quantity("tcp_rate", "bytes/s", 3)),
    Column("{confidence} interval", 26, _between("tcp_rate")),
    Column("of link", 7, lambda row: f"{100 * row['tcp_rate'] / row['rate']:.3g}%"),
    Column("check of {check}", 26, _between("check")),
)


def by_law(answer: Answer, path: Path, verbose: bool) -> str:
    """Return what needs no simulation: what limits, what to do, and lines to paste; figures and laws if verbose."""
    a = answer.attrs
    return _joined(
        window_steps.begin(answer, path) + _assumed(path),
        *(_explained(answer, path) if verbose else ()),
        [] if path.no_window else paste.shown(window_lines.settings(a, path, verbose), verbose),
    )


def _assumed(path: Path) -> list[str]:
    """Return the assumption on losses, where it is not the number that was counted."""
    said = [one.removeprefix("loss: ") for one in path.remarks if one.startswith(("loss: taken", "loss: none"))]
    return window_steps.labelled("losses", said[0]) if said else []


def _explained(answer: Answer, path: Path) -> list[list[str]]:
    """Return path, rates, window, the input that decides, and the metrics of a measurement."""
    a = answer.attrs
    window = f"Window that does not limit TCP here: {rounded(a['window'], 'bytes')}, {window_steps.in_bdps(a)} BDPs"
    limits = [f"{window}. A receive window of W limits TCP to", "W over the round-trip time."]
    if a["rate_measured"]:
        limits = [f"{window}, twice what the measured rate needs,", "because the link may carry more."]
    return [
        _path(a, path),
        ["Rate of a long transfer, data without headers, by law:"],
        table(LAW, answer.rows),
        [f"Law: {SENDERS[a['scheme']].law}."],
        [] if path.no_window else limits,
        _filling(answer, math.nan),
        _decides(a) if path.verdict is None or path.verdict.is_of_network else [],
        _metrics(a, path),
    ]


def simulated(answer: Answer, path: Path, steps: Iterator[Answer], verbose: bool) -> Iterator[str]:
    """Yield what the simulations add: the row of each loss as soon as it is known, and what all of them show."""
    a = answer.attrs
    sure = percent(a["confidence"])
    if verbose:
        yield (
            f"Rate of a long transfer, data without headers, by law and simulated, and of {sure} of simulated checks "
            "of a new connection:\n"
        )
    for k, (row, _) in enumerate(zip(answer.rows, steps, strict=False)):  # a step for each row, and a last one
        if verbose:
            check = max(one["check_time"] for one in answer.rows)
            yield from table(LAW + SIMULATED, [a | row], confidence=sure, check=f"{check:g} s")[min(k, 1) :]
        elif not path.rate_measured_by:  # a link of the measured rate would limit what is simulated
            yield from window_steps.labelled("simulated" if k == 0 else "", _long(row, len(answer.rows) > 1))
    next(steps)
    for words in filter(None, (_streams(row, len(answer.rows) > 1) for row in answer.rows)):
        yield from window_steps.labelled("", words)
    if verbose:
        yield "\n" + _joined(_transfers(answer), _filling(answer, answer.values["tcp_filling_loss"]))
    elif (beside := _beside(answer)) and not path.rate_measured_by:
        yield from window_steps.labelled("", beside)


def _long(row: dict[str, float], several: bool) -> str:
    """Return the simulated rate of a long transfer with its interval."""
    low, high = row["tcp_rate_lower"], row["tcp_rate_upper"]
    between = f" ({window_steps.span(low, high)})" if low < high else ""
    rate = rounded(row["tcp_rate"], "bytes/s")
    return f"{rate}{between} in a long transfer{window_lines.at_loss(row, several)}"


def _streams(row: dict[str, float], several: bool) -> str:
    """Return the simulated number of streams that fill the link, and their rate, if it was sought and found."""
    if math.isnan(row["tcp_streams"]):
        return ""
    between = window_steps.span(row["tcp_streams_rate_lower"], row["tcp_streams_rate_upper"])
    rate = rounded(row["tcp_streams_rate"], "bytes/s")
    return f"{rate} ({between}) in {row['tcp_streams']:.0f} streams{window_lines.at_loss(row, several)}"


def _beside(answer: Answer) -> str:
    """Return BBR's share beside a CUBIC flow and its losses, if they have been simulated."""
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
    """Return the check of the rate, and why there are no lines where losses limit the flow whatever its window."""
    last = window_lines.check(answer, path)
    if path.no_window:
        last.insert(0, "No window changes this rate: no lines to paste. --loss 0 gives those without the losses.")
    return "\n".join([*last, *([] if verbose else [MORE])])


def _joined(*parts: list[str]) -> str:
    """Return the parts that are not empty, each with an empty line behind it."""
    return "\n".join(line for part in parts if part for line in (*part, ""))


def _path(a: dict[str, Any], path: Path) -> list[str]:
    rate = span(a["rate_low"], a["rate_high"], lambda value: text(value, "bytes/s"))
    trip = span(a["round_trip_time_low"], a["round_trip_time_high"], lambda value: text(value, "s"))
    counted = "data, without headers" if a["rate_measured"] else "with headers"
    flows = "one flow" if a["flows"] == 1 else f"{a['flows']} flows"
    return [
        f"path      {rate} ({counted}), round trip {trip}: bandwidth-delay product (BDP) "
        f"{rounded(a['bandwidth_delay_product'], 'bytes')} of data",
        f"sender    TCP: {flows} of {SENDERS[a['scheme']].about}",
        f"          {a['segment']} bytes of data in a packet; a bottleneck buffer of {a['buffer']:.4g} BDP is assumed",
        *(f"remark    {remark}" for remark in path.remarks),
    ]


def _transfers(answer: Answer) -> list[str]:
    """Return the length of the simulated transfers, and why checks differ from them."""
    runs = answer.attrs["replications"]
    if SENDERS[answer.attrs["scheme"]].is_bbr:
        return [f"Simulated: {runs} checks at each loss, random losses; later the rate of BBR stays as it is."]
    random = [row for row in answer.rows if row["loss"] > 0]
    if not random:
        return []
    times = ", ".join(dict.fromkeys(rounded(row["tcp_time"], "s", 2) for row in random))
    return [
        f"Simulated: {runs} transfers at each loss, random losses, each of {random[0]['tcp_cycles']:.3g} mean "
        f"times between two reductions of the window: {times}.",
        "A check begins with slow start: the window is above its mean at first, or below it, for many such times.",
    ]


def _filling(answer: Answer, found: float) -> list[str]:
    """Return the largest loss at which the sender fills the link, and the effects of BBR on other flows.

    ``found`` is the simulated one, NaN if there is none.
    """
    a = answer.attrs
    law = answer.values["tcp_filling_loss_law"]
    name = a["scheme"].upper() if a["scheme"] != "reno" else "Reno"
    if SENDERS[a["scheme"]].is_bbr:
        return [f"{name} keeps its rate up to a loss of {law:.2g}, by its rules.", *_beside_cubic(answer)]
    known, limit = f"{law:.2g} (law)", law
    if math.isfinite(found):
        known, limit = f"{found:.2g} (simulated; law: {law:.2g})", found
    several = f" in {a['flows']} streams" if a["flows"] > 1 else ""
    lines = [f"A long transfer of {name}{several} carries {percent(a['target'])} of this link up to a loss of {known}."]
    above = [f"{row['loss']:.3g}" for row in answer.rows if row["loss_low"] > limit]
    if above:
        lines += [
            f"At {', '.join(above)} it does not, and no window or buffer changes that: remove the losses, use more",
            "streams, or a sender that does not take each loss for congestion (--scheme bbr1).",
            *_beside_cubic(answer),
        ]
    return lines


def _beside_cubic(answer: Answer) -> list[str]:
    """Return BBR's share beside a CUBIC flow, if it has been simulated, and its requirements."""
    beside = _beside(answer)
    return [
        *([f"{beside}.", f"The buffer of the bottleneck is {answer.attrs['buffer']:.4g} BDP."] if beside else []),
        f"BBR may fill its window: up to {rounded(answer.attrs['linux_maximum'], 'bytes')} of memory for a connection "
        "at either host (tcp_rmem, tcp_wmem).",
        "Without the queue discipline fq at the sender Linux paces it by a timer for each connection (tcp_bbr.c).",
    ]


def _decides(a: dict[str, Any]) -> list[str]:
    """Return the input that decides the answer, if inputs are ranges."""
    found = [one.split() for one in a["effects"].split(";") if one]
    if not found:
        return []
    name, effect, slope = max(found, key=lambda one: float(one[1]))
    factors = ", ".join(f"{key.replace('_', ' ')} {math.exp(float(value)):.3g}" for key, value, _ in found)
    if float(effect) < 0.01:
        return [f"No range decides: each changes the rate by less than 1 % (factors: {factors})."]
    return [
        f"{MEASURE[name]}.",
        f"By the law the ranges change the rate by these factors: {factors}. By its gradient, 10 % more of the first",
        f"changes the rate by {10 * float(slope):+.2g} %.",
    ]


def _metrics(a: dict[str, Any], path: Path) -> list[str]:
    """Return the metrics of RFC 6349, section 4, that the measurement contains."""
    from longfat.laws import tcp

    figures = path.figures
    if figures.transport != "TCP":
        return []
    lines = []
    if not path.rate_measured_by and figures.rate:
        overhead = a["headers"][1]
        ideal = float(tcp.ideal_transfer_time(1e6, a["rate"], a["segment"], overhead))
        ratio = float(tcp.transfer_time_ratio(1e6 / figures.rate, ideal))
        lines.append(
            f"  transfer time ratio  {ratio:.4g}   time of the transfer over the ideal, {overhead} bytes of headers"
        )
    if figures.loss is not None:
        efficiency = float(tcp.tcp_efficiency(1 - figures.loss, figures.loss))
        lines.append(f"  TCP efficiency       {100 * efficiency:.4g} %   of the bytes sent were no retransmissions")
    if figures.queueing_delay is not None and figures.round_trip_time:
        delay = float(tcp.buffer_delay(figures.round_trip_time + figures.queueing_delay, figures.round_trip_time))
        lines.append(f"  buffer delay         {100 * delay:.4g} %   longer round trips than without load")
    return ["Metrics of RFC 6349, section 4, of the measurement:", "", *lines] if lines else []


def csv(answer: Answer) -> str:
    """Return the answer as CSV, one row for each loss."""
    data = answer.dataset().drop_dims("law_loss")
    every = data if "loss" in data.dims else data.expand_dims("loss")
    return csv_of(every.to_dataframe().reset_index(), every)

"""The answer of `longfat window` for TCP: a table, the inputs that decide it, and lines to paste."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from longfat.base.quantities import text
from longfat.cli import paste, window_lines
from longfat.cli.output import csv_of
from longfat.cli.tables import Cell, Column, percent, quantity, rounded, table
from longfat.design.beside_cubic import SHORT
from longfat.design.senders import SENDERS
from longfat.plot import rows

if TYPE_CHECKING:
    import xarray as xr

    from longfat.cli.window_path import Path

#: What to do where a figure decides; the interval of counted losses shrinks with the square root of their number.
MEASURE = {
    "loss": "Your loss estimate decides: measure it four times as long, which halves the interval of a count",
    "rate": "The rate of the link decides: find it out (contract, shaper, tc), or measure it by UDP",
    "round_trip_time": "The round-trip time decides: take the minimum of ping while nothing else is sent",
}


def _losses(row: xr.Dataset) -> str:
    low, high = float(row.loss_low), float(row.loss_high)
    return f"{low:.3g}" if low == high else f"{low:.3g} .. {high:.3g}"


def _between(name: str) -> Cell:
    """Return the cell of an interval of rates."""

    def cell(row: xr.Dataset) -> str:
        low, high = (float(row[f"{name}_{end}"]) for end in ("lower", "upper"))
        return f"{rounded(low, 'bytes/s')} .. {rounded(high, 'bytes/s')}" if low < high else "deterministic"

    return cell


LAW = (Column("loss", 16, _losses), Column("law", 11, quantity("tcp_rate_law", "bytes/s", 3)))
SIMULATED = (
    Column("simulated", 11, quantity("tcp_rate", "bytes/s", 3)),
    Column("{confidence} interval", 26, _between("tcp_rate")),
    Column("of link", 7, lambda row: f"{100 * float(row.tcp_rate) / row.attrs['rate']:.3g}%"),
    Column("check of {check}", 26, _between("check")),
)


def answer(data: xr.Dataset, path: Path) -> str:
    """Return the whole answer as text."""
    begin = path.verdict.lines() if path.verdict else []
    window = [] if path.no_window else _window(data)
    decides = _decides(data) if path.verdict is None or path.verdict.is_of_network else []
    parts = [begin, _path(data, path), _rates(data), window, _loss(data), decides, _test(data, path), _end(data, path)]
    lines = [line for part in parts if part for line in ("", *part)]
    return "\n".join(lines[1:])


def _end(data: xr.Dataset, path: Path) -> list[str]:
    """Return the lines to paste; none where losses limit the flow whatever its window."""
    if path.no_window:
        return [
            "No window changes this rate, so that there are no lines to paste: --loss 0 gives those for the path",
            "without its losses, and --scheme bbr1 those for a sender that does not take each loss for congestion.",
        ]
    pasted = paste.shown(window_lines.lines(data, path))
    return ["# Lines to paste. Nothing has been changed on this machine.", "", *pasted]


def _path(data: xr.Dataset, path: Path) -> list[str]:
    a = data.attrs
    rate, trip = (_range(a, name, unit) for name, unit in (("rate", "bytes/s"), ("round_trip_time", "s")))
    counted = "data, without headers" if a["rate_measured"] else "with headers"
    return [
        f"path      {rate} ({counted}), round trip {trip}: bandwidth-delay product (BDP) "
        f"{rounded(a['bandwidth_delay_product'], 'bytes')} of data",
        f"sender    TCP: one flow of {SENDERS[a['scheme']].about}",
        f"          {a['segment']} bytes of data in a packet; a bottleneck buffer of {a['buffer']:.4g} BDP is assumed",
        *(f"remark    {remark}" for remark in path.remarks),
    ]


def _rates(data: xr.Dataset) -> list[str]:
    """Return, for each loss, the rate of a long transfer by law and by simulation, and the interval of one check."""
    a = data.attrs
    every = rows(data)
    title, columns = "Rate of a long transfer, data without headers, by law", list(LAW)
    simulated: list[str] = []
    if a["replications"]:
        title += f" and simulated, and of {percent(a['confidence'])} of simulated checks of a new connection"
        columns += SIMULATED
        simulated = _long(every, a["replications"], SENDERS[a["scheme"]].is_bbr)
    check = f"{max(float(row.check_time) for row in every):g} s" if a["replications"] else ""
    lines = table(columns, every, confidence=percent(a["confidence"]), check=check)
    return [f"{title}:", "", *lines, "", f"Law: {SENDERS[a['scheme']].law}.", *simulated]


def _long(every: list[xr.Dataset], runs: int, is_bbr: bool) -> list[str]:
    """Return the length of the simulated transfers, and why checks differ from them."""
    if is_bbr:
        return [f"Simulated: {runs} checks at each loss, random losses; later the rate of BBR stays as it is."]
    random = [row for row in every if float(row.loss) > 0]
    if not random:
        return []
    times = ", ".join(dict.fromkeys(rounded(float(row.tcp_time), "s", 2) for row in random))
    return [
        f"Simulated: {runs} transfers at each loss, random losses, each of {float(random[0].tcp_cycles):.3g} mean "
        f"times between two reductions of the window: {times}.",
        "A check begins with slow start: the window is above its mean at first, or below it, for many such times.",
    ]


def _window(data: xr.Dataset) -> list[str]:
    a = data.attrs
    multiple = a["window"] / a["bandwidth_delay_product"]
    first = f"Window that does not limit TCP here: {rounded(a['window'], 'bytes')}, {multiple:.2g} BDPs"
    if a["rate_measured"]:
        return [f"{first}, twice what the measured rate needs,", "because the link may carry more."]
    return [f"{first}. A receive window of W limits TCP to", "W over the round-trip time."]


def _loss(data: xr.Dataset) -> list[str]:
    """Return the largest loss at which the sender fills the link, and the effects of BBR on other flows."""
    a = data.attrs
    law, found = float(data.tcp_filling_loss_law), float(data.tcp_filling_loss)
    name = a["scheme"].upper() if a["scheme"] != "reno" else "Reno"
    if SENDERS[a["scheme"]].is_bbr:
        return [f"{name} keeps its rate up to a loss of {law:.2g}, by its rules.", *_beside_cubic(data)]
    known = f"{found:.2g} (simulated; law: {law:.2g})" if math.isfinite(found) else f"{law:.2g} (law)"
    lines = [f"A long transfer of {name} carries {percent(a['target'])} of this link up to a loss of {known}."]
    limit = found if math.isfinite(found) else law
    above = [f"{float(row.loss):.3g}" for row in rows(data) if float(row.loss_low) > limit]
    if above:
        lines += [
            f"At {', '.join(above)} it does not, and no window or buffer changes that: remove the losses, use several",
            "flows, or a sender that does not take each loss for congestion (--scheme bbr1).",
            *_beside_cubic(data),
        ]
    return lines


def _beside_cubic(data: xr.Dataset) -> list[str]:
    """Return BBR's share beside a CUBIC flow, its losses and its requirements."""
    a = data.attrs
    lines = [
        f"It may fill its window: up to {rounded(a['linux_maximum'], 'bytes')} of memory for a connection at either "
        "host (tcp_rmem, tcp_wmem).",
        "Without the queue discipline fq at the sender Linux paces it by a timer for each connection (tcp_bbr.c).",
    ]
    if not a["replications"]:
        return ["The share of BBR beside CUBIC and its losses were not simulated (--replications 0).", *lines]
    low, share, high = (100 * float(data[f"bbr_share{end}"]) for end in ("_lower", "", "_upper"))
    loss, short = (100 * float(data[name]) for name in ("bbr_loss", "bbr_loss_short"))
    return [
        f"Beside one CUBIC flow BBR takes {share:.3g}% of both rates ({low:.3g} .. {high:.3g}%, simulated) with this "
        f"buffer of {a['buffer']:.4g} BDP.",
        f"It loses {loss:.2g}% of its packets there, and {short:.2g}% in a buffer of {SHORT:g} BDP.",
        *lines,
    ]


def _decides(data: xr.Dataset) -> list[str]:
    """Return the input that decides the answer, if inputs are ranges."""
    found = [one.split() for one in data.attrs["effects"].split(";") if one]
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


def _test(data: xr.Dataset, path: Path) -> list[str]:
    """Return the metrics of RFC 6349, section 4, that the measurement contains."""
    from longfat.laws import tcp

    figures = path.figures
    if figures.transport != "TCP":
        return []
    lines = []
    if not path.rate_measured_by and figures.rate:
        a = data.attrs
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


def csv(data: xr.Dataset) -> str:
    """Return the answer as CSV, one row for each loss."""
    every = data if "loss" in data.dims else data.expand_dims("loss")
    kept = every.drop_dims("law_loss")
    return csv_of(kept.to_dataframe().reset_index(), kept)


def _range(a: dict[str, Any], name: str, unit: str) -> str:
    low, high = a[f"{name}_low"], a[f"{name}_high"]
    return text(low, unit) if low == high else f"{text(low, unit)} .. {text(high, unit)}"

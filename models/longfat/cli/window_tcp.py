"""The answer of `longfat window` for TCP: a table, what decides it, lines to paste, and files."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from longfat.cli import paste, window_lines
from longfat.cli.parameter_types import left_out, netcdf, with_units
from longfat.design.senders import SENDERS
from longfat.plot import rows
from longfat.quantities import text

if TYPE_CHECKING:
    import xarray as xr

    from longfat.cli.window_path import Path

#: What to do where a figure decides; the interval of counted losses shrinks with the square root of their number.
MEASURE = {
    "loss": "Your loss estimate decides: measure it four times as long, which halves the interval of a count",
    "rate": "The rate of the link decides: find it out (contract, shaper, tc), or measure it by UDP",
    "round_trip_time": "The round-trip time decides: take the minimum of ping while nothing else is sent",
}


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
        f"{_size(a['bandwidth_delay_product'], 'bytes')} of data",
        f"sender    TCP: one flow of {SENDERS[a['scheme']].about}",
        f"          {a['segment']} bytes of data in a packet; a bottleneck buffer of {a['buffer']:.4g} BDP is assumed",
        *(f"remark    {remark}" for remark in path.remarks),
    ]


def _rates(data: xr.Dataset) -> list[str]:
    """Return the rate at each loss."""
    a = data.attrs
    simulated = "tcp_rate" in data
    interval = f"{_percent(a['confidence'])} interval"
    head = f"{'loss':>16}  {'rate by law':>14}"
    if simulated:
        head += f"  {'simulated':>14}  {interval:>30}  {'of link':>7}  {'in flight':>10}"
    lines = [
        f"Rate of TCP, data without headers (law: {SENDERS[a['scheme']].law}; simulated: random losses):",
        "",
        head,
    ]
    for row in rows(data):
        low, high = float(row.loss_low), float(row.loss_high)
        loss = f"{low:.3g}" if low == high else f"{low:.3g} .. {high:.3g}"
        line = f"{loss:>16}  {_size(float(row.tcp_rate_law), 'bytes/s'):>14}"
        if simulated:
            ends = [float(row[f"tcp_rate_{end}"]) for end in ("lower", "upper")]
            between = " .. ".join(_size(end, "bytes/s") for end in ends)
            share = float(row.tcp_rate) / a["rate"]
            line += f"  {_size(float(row.tcp_rate), 'bytes/s'):>14}"
            line += f"  {between if ends[0] < ends[1] else 'deterministic':>30}"
            line += f"  {100 * share:6.3g}%  {_size(float(row.tcp_in_flight), 'bytes'):>10}"
        lines.append(line)
    return lines


def _window(data: xr.Dataset) -> list[str]:
    a = data.attrs
    multiple = a["window"] / a["bandwidth_delay_product"]
    first = f"Window that does not limit TCP here: {_size(a['window'], 'bytes')}, {multiple:.2g} BDPs"
    if a["rate_measured"]:
        return [f"{first}, twice what the measured rate needs,", "because the link may carry more."]
    return [f"{first}. A receive window of W limits TCP to", "W over the round-trip time."]


def _loss(data: xr.Dataset) -> list[str]:
    """Return up to which loss the sender fills the link."""
    a = data.attrs
    law, found = float(data.tcp_filling_loss_law), float(data.tcp_filling_loss)
    name = a["scheme"].upper() if a["scheme"] != "reno" else "Reno"
    if SENDERS[a["scheme"]].is_bbr:
        return [f"{name} keeps its rate up to a loss of {law:.2g}, by its rules."]
    known = f"{found:.2g} (simulated; law: {law:.2g})" if math.isfinite(found) else f"{law:.2g} (law)"
    lines = [f"{name} carries {_percent(a['target'])} of this link up to a loss of {known}."]
    limit = found if math.isfinite(found) else law
    above = [f"{float(row.loss):.3g}" for row in rows(data) if float(row.loss_low) > limit]
    if above:
        lines += [
            f"At {', '.join(above)} it does not, and no window or buffer changes that: remove the losses, use several",
            "flows, or a sender that does not take each loss for congestion (--scheme bbr1).",
        ]
    return lines


def _decides(data: xr.Dataset) -> list[str]:
    """Return which input decides, where there are ranges."""
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


def write(data: xr.Dataset, files: Any) -> None:
    """Write the table as CSV, the Dataset as netCDF, and the picture as SVG and PNG."""
    every = data if "loss" in data.dims else data.expand_dims("loss")
    table = every.drop_dims("law_loss")
    with_units(table.to_dataframe().reset_index(), table).to_csv(files.path("window.csv"), index=False)
    if left_out("window.nc", "window.svg", "window.png"):
        return
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    from longfat import plot

    netcdf(data, files, "window.nc")
    with plot.style():
        figure, ax = plt.subplots()
        plot.tcp_rates(data, ax)
        for kind in ("svg", "png"):
            figure.savefig(files.path(f"window.{kind}"), format=kind)
            figure.set_layout_engine("none")  # laid out once, for both files
        plt.close(figure)


def _range(a: dict[str, Any], name: str, unit: str) -> str:
    low, high = a[f"{name}_low"], a[f"{name}_high"]
    return text(low, unit) if low == high else f"{text(low, unit)} .. {text(high, unit)}"


def _size(value: float, unit: str) -> str:
    """Return a quantity to three digits, rates in bits per second, or a dash where there is none."""
    scale = 8 if unit == "bytes/s" else 1
    return text(float(f"{scale * value:.3g}") / scale, unit) if math.isfinite(value) else "-"


def _percent(share: float) -> str:
    return f"{100 * share:.6g}%"

"""`longfat window`: which window a path needs, as a table, a picture and data files."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from longfat.cli.typed import whole
from longfat.cli.window_files import write

if TYPE_CHECKING:
    import xarray as xr


@click.command("window")
@click.option("--rate", help="Rate of the path, e.g. 1Gbit/s.")
@click.option("--rtt", help="Round-trip time, e.g. 100ms.")
@click.option("--loss", help="Packet loss probabilities, e.g. 1e-4,1e-3,1e-2 or 0.1%.")
@click.option("--segment", default="16KiB", show_default=True, help="Segment size.")
@click.option("--packet", default="1024B", show_default=True, help="Largest packet.")
@click.option("--target", default="0.95", show_default=True, help="Share of the attainable efficiency 1 - p.")
@click.option("--source", default="auto", show_default=True, help="What answers: auto, law or simulator.")
@click.option("--iperf3", metavar="FILE", help="Take rate, RTT and loss from the output of iperf3 --json.")
@click.option("--ping", metavar="FILE", help="Take the RTT from the output of ping: its minimum.")
@click.option("--output", metavar="DIR", default=".", show_default=True, help="Where the files go.")
@click.option("--points", default="24", show_default=True, help="Windows at which the curves are simulated.")
@click.option("--tradeoff", default="0", show_default=True, help="Windows for which the receive buffer is found, too.")
@click.option("--confidence", default="0.95", show_default=True, help="Confidence of the intervals.")
@click.option("--seed", default="0", show_default=True, help="Seed of the random numbers.")
def window_command(output: str, **flags: Any) -> None:
    """The window that a path needs, with simulated points beside the law.

    Writes window.csv, window.nc, window.svg and window.png, and prints a table. What is given by a flag wins
    over what was measured.
    """
    from longfat import design, quantities
    from longfat.files import WholeFiles

    with WholeFiles(output) as files:
        path, notes = _path(flags)
        data = design.window(
            **path,
            segment=flags["segment"],
            packet=flags["packet"],
            source=flags["source"],
            target=quantities.fraction(flags["target"], "target", "(0, 1)"),
            points=whole("points", flags["points"], "windows", "[2, 10000]"),
            tradeoff=whole("tradeoff", flags["tradeoff"], "windows", "[0, 1000]"),
            confidence=quantities.fraction(flags["confidence"], "confidence", "(0, 1)"),
            rng=whole("seed", flags["seed"], "1", "[0, inf)"),
            progress=sys.stderr.isatty(),  # for scripts, stderr holds errors only
        )
        data.attrs["notes"] = "; ".join(notes)
        click.echo(_table(data, notes))
        write(data, files)


def _path(flags: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Rate, round-trip time and losses, from flags first and measurements second."""
    from longfat import measured, quantities

    figures = measured.PathFigures(None, None, None, ())
    if flags["ping"]:  # a minimum over many small packets is nearer to the empty path than a mean under load
        figures = figures.merged(measured.read_ping(flags["ping"]))
    if flags["iperf3"]:
        figures = figures.merged(measured.read_iperf3(flags["iperf3"]))
    given = {
        "rate": quantities.rate(flags["rate"]) if flags["rate"] else figures.rate,
        "round_trip_time": quantities.duration(flags["rtt"], "rtt", "(0, inf)")
        if flags["rtt"]
        else figures.round_trip_time,
        "loss": quantities.fractions(flags["loss"]) if flags["loss"] else figures.loss,
    }
    for name, flag in (("rate", "--rate"), ("round_trip_time", "--rtt"), ("loss", "--loss")):
        if given[name] is None:
            raise ValueError(f"{flag} is missing: give it, or a measurement that holds it (--iperf3, --ping)")
    return given, figures.notes


def _table(data: xr.Dataset, notes: tuple[str, ...]) -> str:
    """The answer for people."""
    from longfat.plot import rows
    from longfat.quantities import text

    a = data.attrs
    interval = f"{_percent(a['confidence'])} interval"
    lines = [
        f"path      {text(a['rate'], 'bytes/s')}, round trip {text(a['round_trip_time'], 's')}: "
        f"bandwidth-delay product {text(a['product'], 'bytes')}",
        f"segments  {text(a['segment'], 'bytes')} in {a['segment_packets']} packets; acknowledgment delay "
        f"{a['ack_segments']:.5g} segments",
        *(f"note      {note}" for note in notes),
        "",
        f"Smallest window that carries {_percent(a['target'])} of what loss leaves (1 - p):",
        "",
        f"{'loss':>8}  {'segments':>8}  {'bytes':>10}  {'products':>8}  {'law':>6}  {'simulated':>9}  "
        f"{interval:>16}  from",
    ]
    for row in rows(data):
        if row.status != "not reached":
            size = f"{int(row.window_segments):8d}  {text(float(row.window_bytes), 'bytes'):>10}"
            size += f"  {float(row.window_products):8.4g}"
        else:
            size = f"{'not reached':>30}"
        lines.append(
            f"{float(row.loss):8.3g}  {size}  {float(row.law):6.4f}  {float(row.simulated):9.4f}  "
            f"{_interval(row, '')}  {row.source.item()}{', near' if row.status == 'near' else ''}"
        )
    reference = f"{text(a['reference_products'] * a['product'], 'bytes')}, {a['reference_window']} whole segments"
    if a["reference_window"]:
        lines += ["", f"{a['reference_products']} products ({reference}) really carry:", ""]
    for row in rows(data) if a["reference_window"] else []:
        share = float(row.reference_simulated) / (1 - float(row.loss))
        lines.append(
            f"{float(row.loss):8.3g}  {float(row.reference_simulated):.4f}  {_interval(row, 'reference_')}  "
            f"{share:.1%} of what loss leaves (law: {float(row.reference_law):.4f})"
        )
    lines += _buffers(data)
    if any(row.status == "near" for row in rows(data)):
        lines += [
            "",
            'Rows "near": by the law, within its accuracy; the simulation stays below the goal. --source simulator',
            "finds the window whose simulated efficiency reaches it.",
        ]
    if a["source_wanted"] == "auto" and any(row.source == "simulator" for row in rows(data)):
        lines += [
            "",
            'Rows "from simulator" lie outside the validity of the law (w_a s p^2 <= 0.02 and more: see its record):',
            "there the window is the smallest whose simulated efficiency reaches the goal with its lower limit.",
        ]
    return "\n".join(lines)


def _buffers(data: xr.Dataset) -> list[str]:
    """What the receiver needs at these windows, and how it falls with wider ones."""
    from longfat.plot import rows
    from longfat.quantities import text

    lines = ["", "Smallest receive buffer that is no obstacle at this window, hard acknowledgment:", ""]
    lines.append(f"{'loss':>8}  {'segments':>8}  {'bytes':>10}  {'of window':>9}  {'simulated':>9}")
    for row in rows(data):
        if row.status == "not reached":
            continue
        lines.append(
            f"{float(row.loss):8.3g}  {int(row.buffer_segments):8d}  {text(float(row.buffer_bytes), 'bytes'):>10}  "
            f"{float(row.buffer_share):9.1%}  {float(row.buffer_simulated):9.4f}  {_interval(row, 'buffer_')}"
        )
    if "tradeoff" in data.dims:
        lines += ["", "and with wider windows: window / receive buffer [segments]", ""]
        for row in rows(data):
            pairs = zip(row.tradeoff_window.values, row.tradeoff_buffer.values, strict=True)
            lines.append(f"{float(row.loss):8.3g}  " + "  ".join(f"{w:.0f}/{b:.0f}" for w, b in pairs if w > 0))
    return lines


def _percent(share: float) -> str:
    return f"{100 * share:.6g}%"


def _interval(row: Any, prefix: str) -> str:
    low, high = (float(row[f"{prefix}simulated_{side}"]) for side in ("lower", "upper"))
    return f"{low:6.4f} .. {high:6.4f}"

"""`longfat window`: which window a path needs, as a table, a picture and data files."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from longfat.cli.parameters import SHARE, Choice, PathName, Quantity, Size, Whole
from longfat.cli.window_files import write

if TYPE_CHECKING:
    import xarray as xr

SHARES = Quantity("fraction", several=True, min=0, max=1, max_open=True)
SOURCE = Choice("source", "auto", "law", "simulator")


@click.command("window")
@click.option("--rate", type=Quantity("rate", min=0, min_open=True), help="Rate of the path, e.g. 1Gbit/s.")
@click.option("--rtt", type=Quantity("duration", min=0, min_open=True), help="Round-trip time, e.g. 100ms.")
@click.option("--loss", type=SHARES, help="Packet loss probabilities, e.g. 1e-4,1e-3,1e-2 or 0.1%.")
@click.option("--segment", type=Size(1), default="16KiB", show_default=True, help="Segment size.")
@click.option("--packet", type=Size(1), default="1024B", show_default=True, help="Largest packet size.")
@click.option("--target", type=SHARE, default="0.95", show_default=True, help="Goal, in parts of the efficiency 1 - p.")
@click.option("--source", type=SOURCE, default="auto", show_default=True, help="What finds the window.")
@click.option(
    "--iperf3", type=PathName("file"), help="Take rate, RTT and loss from what iperf3 --json (or --json-stream) wrote."
)
@click.option("--ping", type=PathName("file"), help="Take the round-trip time from the output of ping: the minimum.")
@click.option("--output", type=PathName("dir"), default=".", show_default=True, help="Where to write the files.")
@click.option(
    "--points", type=Whole("windows", 2, 10_000), default="24", show_default=True, help="Points of the curves."
)
@click.option(
    "--tradeoff",
    type=Whole("windows", 0, 1000),
    default="0",
    show_default=True,
    help="Wider windows for which to find the receive buffer, too.",
)
@click.option("--confidence", type=SHARE, default="0.95", show_default=True, help="Confidence of the intervals.")
@click.option("--seed", type=Whole("1", 0), default="0", show_default=True, help="Seed of the random numbers.")
def window_command(output: str, **flags: Any) -> None:
    """The window that a path needs, with simulated points beside the law.

    Writes window.csv, window.nc, window.svg and window.png, and prints a table. What is given by a flag wins
    over what was measured.
    """
    from longfat import design
    from longfat.files import WholeFiles

    with WholeFiles(output) as files:
        path, notes = _path(flags)
        data = design.window(
            **path,
            segment=flags["segment"],
            packet=flags["packet"],
            source=flags["source"],
            target=flags["target"],
            points=flags["points"],
            tradeoff=flags["tradeoff"],
            confidence=flags["confidence"],
            rng=flags["seed"],
            progress=sys.stderr.isatty(),  # for scripts, stderr holds errors only
        )
        data.attrs["notes"] = "; ".join(notes)
        click.echo(_table(data, notes))
        write(data, files)


def _path(flags: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Rate, round-trip time and losses, from flags first and measurements second."""
    from longfat import measured

    figures = measured.PathFigures(None, None, None, ())
    if flags["ping"]:  # a minimum over many small packets is nearer to the empty path than a mean under load
        figures = figures.merged(measured.read_ping(flags["ping"]))
    if flags["iperf3"]:
        figures = figures.merged(measured.read_iperf3(flags["iperf3"]))
    given = {
        "rate": figures.rate if flags["rate"] is None else flags["rate"],
        "round_trip_time": figures.round_trip_time if flags["rtt"] is None else flags["rtt"],
        "loss": figures.loss if flags["loss"] is None else flags["loss"],
    }
    for name, flag, files in (
        ("rate", "--rate", "--iperf3"),
        ("round_trip_time", "--rtt", "--ping, or --iperf3 from the sending side of TCP"),
        ("loss", "--loss", "--iperf3; ping sends too few packets to tell"),
    ):
        if given[name] is None:
            raise ValueError(f"{flag} is missing: give it, or a file that holds it ({files})")
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

"""`longfat measured`: what files of iperf3, ping, ss, tc, ndt7, qlog and captures say about a path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from longfat.base.quantities import text
from longfat.cli.output import Output, outputs
from longfat.cli.parameters import FILE, RATE, option

if TYPE_CHECKING:
    from longfat.measured import Measurement, PathFigures

#: Rows of the table: name, title and unit.
ROWS = (
    ("rate", "rate", "bytes/s"),
    ("round_trip_time", "base round-trip time", "s"),
    ("queueing_delay", "queueing delay", "s"),
    ("loss", "loss, share of packets", ""),
    ("loss_burst", "loss burst", "packets"),
    ("packet", "packet", "bytes"),
)
METRICS = {
    "transfer_time_ratio": "TCP transfer time ratio",
    "tcp_efficiency": "TCP efficiency",
    "buffer_delay": "buffer delay",
}


@click.command("measured", short_help="What measurements say about a path.")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@outputs(
    json="Print the figures as JSON, in SI units.", figure="Picture of what was measured over time, e.g. path.svg."
)
@option(
    "--capacity",
    RATE,
    "Bottleneck bandwidth of the physical layer, e.g. 1Gbit/s, for RFC 6349's transfer time ratio.",
)
def measured_command(output: Output, files: tuple[str, ...], capacity: float | None) -> None:
    """Say what measurements tell about a path: rate, round-trip time, queueing, loss, and what limited the flow.

    Begins with what limited the flow, and the next step.

    A FILE is the output of iperf3 (--json, --json-stream or text), ping, ss -tin, tc -s qdisc or ndt7-client -format
    json, a qlog, or a capture (pcap, pcapng). It is recognised by its content. Several files are of one path; several
    of one kind are runs and give intervals. Every figure comes with a remark that says what was measured.
    """
    from longfat import measured
    from longfat.measured.diagnosis import diagnosis
    from longfat.measured.metrics import metrics

    with output:
        found = measured.read_each(*files)
        path = measured.path_of(found)
        ratios, verdict = metrics(path, capacity), diagnosis(path)
        if output.draws and not any(one.series for one in found):
            raise ValueError("--figure needs values over time, which none of the files has")
        said = {"limit": verdict.limit, "next": verdict.advice}
        output.emit(
            lambda: "\n".join([*verdict.lines(), "", _table(found, path, ratios)]),
            json=lambda: {
                "diagnosis": said, "path": _values(path), "rfc_6349": ratios, "files": [_file(one) for one in found],
            },
            figure=lambda plot: plot.measurements(found),
            indent=1,
        )  # fmt: skip


def _values(figures: PathFigures) -> dict[str, Any]:
    """Return the figures that are known."""
    from dataclasses import asdict

    return {name: value for name, value in asdict(figures).items() if value not in (None, "", ())}


def _file(one: Measurement) -> dict[str, Any]:
    return {"file": one.file, "kind": one.kind} | _values(one.figures)


def _table(found: list[Measurement], path: PathFigures, ratios: dict[str, float]) -> str:
    """Return the figures as a table, with the remarks below."""
    from longfat.measured.diagnosis import none_lost

    lines = [f"{one.kind:13}  {one.file}" for one in found]
    lines += ["", f"{'':22}  {'':>14}  interval"]
    for name, title, unit in ROWS:
        value = getattr(path, name)
        if name == "loss" and value == 0:
            lines.append(f"{title:22}  {none_lost(path)}")
        elif value is not None:
            ends = getattr(path, f"{name}_interval", None)
            interval = "" if ends is None else " .. ".join(_shown(end, unit) for end in ends)
            lines.append(f"{title:22}  {_shown(value, unit):>14}  {interval}".rstrip())
    lines.append(f"{'limited by':22}  {path.limited_by or 'unknown':>14}")
    lines.append(f"{'policer':22}  {_POLICED[path.policed]:>14}")
    if ratios:
        lines += ["", "RFC 6349"]
        for name, value in ratios.items():
            shown = f"{value:.4g}" if name == "transfer_time_ratio" else f"{100 * value:.4g}%"
            lines.append(f"{METRICS[name]:22}  {shown:>14}")
    return "\n".join([*lines, "", *(f"remark    {remark}" for remark in path.remarks)])


_POLICED = {True: "suspected", False: "not seen", None: "unknown"}


def _shown(value: float, unit: str) -> str:
    """Return a value with its unit, to four digits."""
    shortened = float(f"{value:.4g}")
    return f"{shortened:g} {unit}".rstrip() if unit in ("packets", "bytes", "") else text(shortened, unit)

"""`longfat measured`: what files of iperf3, ping, ss, tc, ndt7, qlog and captures say about a path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from longfat.base.argument import Argument
from longfat.base.quantities import text
from longfat.cli.output import Output, outputs
from longfat.cli.parameters import FILE, options
from longfat.cli.tables import Column, table

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
POLICED = {True: "suspected", False: "not seen", None: "unknown"}
COLUMNS = (
    Column("", -22, lambda row: row["title"], always=True),
    Column("", 14, lambda row: row["value"]),
    Column("interval", -1, lambda row: row.get("interval", "")),
)
CAPACITY = Argument(
    unit="bytes/s", domain="(0, inf)", optional=True,
    meaning="Bottleneck bandwidth of the physical layer, e.g. 1Gbit/s, for RFC 6349's transfer time ratio",
)  # fmt: skip


@click.command("measured", short_help="What measurements say about a path.")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@outputs(
    json="Print the figures as JSON, in SI units.", figure="Picture of what was measured over time, e.g. path.svg."
)
@options({"capacity": CAPACITY})
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

    known = {name: value for name, value in asdict(figures).items() if value not in (None, "", ())}
    if "rate" not in known:
        del known["rate_layer"]
    return known


def _file(one: Measurement) -> dict[str, Any]:
    return {"file": one.file, "kind": one.kind} | _values(one.figures)


def _table(found: list[Measurement], path: PathFigures, ratios: dict[str, float]) -> str:
    """Return the figures as a table, with the remarks below."""
    lines = [f"{one.kind:13}  {one.file}" for one in found]
    lines += ["", *table(COLUMNS, _rows(path), lambda row: row.get("none", ""))]
    if ratios:
        lines += ["", "RFC 6349", *table(COLUMNS, [_metric(name, value) for name, value in ratios.items()])[1:]]
    return "\n".join([*lines, "", *(f"remark    {remark}" for remark in path.remarks)])


def _rows(path: PathFigures) -> Iterator[dict[str, str]]:
    """Yield the known figures, and the limit of the flow."""
    from longfat.measured.diagnosis import none_lost

    for name, title, unit in ROWS:
        value = getattr(path, name)
        if name == "loss" and value == 0:
            yield {"title": title, "none": none_lost(path)}
        elif value is not None:
            ends = getattr(path, f"{name}_interval", None) or ()
            title += f", {path.rate_layer}" if name == "rate" else ""
            interval = " .. ".join(_shown(end, unit) for end in ends)
            yield {"title": title, "value": _shown(value, unit), "interval": interval}
    yield {"title": "limited by", "value": path.limited_by or "unknown"}
    yield {"title": "policer", "value": POLICED[path.policed]}


def _metric(name: str, value: float) -> dict[str, str]:
    shown = f"{value:.4g}" if name == "transfer_time_ratio" else f"{100 * value:.4g}%"
    return {"title": METRICS[name], "value": shown}


def _shown(value: float, unit: str) -> str:
    """Return a value with its unit, to four digits."""
    shortened = float(f"{value:.4g}")
    return f"{shortened:g} {unit}".rstrip() if unit in ("packets", "bytes", "") else text(shortened, unit)

"""`longfat measured`: figures of a path from iperf3, ping, ss, tc, ndt7, qlog, flent, crusader and captures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from longfat.base.argument import Argument
from longfat.base.layers import full_headers, rate_at
from longfat.base.quantities import rounded
from longfat.base.text_tables import columns, labelled
from longfat.cli.output import MORE, Output, outputs
from longfat.cli.parameters import FILE, VERBOSE, options
from longfat.cli.tables import percent

if TYPE_CHECKING:
    from longfat.measured import Measurement, PathFigures

#: Rows of the table: name of a figure, its title and its unit. A short answer leaves out the rows in `DETAILS`.
ROWS = (
    ("rate", "rate", "bytes/s"),
    ("round_trip_time", "base round-trip time", "s"),
    ("queueing_delay", "queueing delay", "s"),
    ("queue_depth", "depth of the queue", "bytes"),
    ("loss", "loss, share of packets", ""),
    ("loss_burst", "loss burst", "packets"),
    ("packet", "packet", "bytes"),
)
METRICS = {
    "transfer_time_ratio": "TCP transfer time ratio",
    "tcp_efficiency": "TCP efficiency",
    "buffer_delay": "buffer delay",
}
DETAILS = ("packet", "limited_by", "tcp_efficiency", "buffer_delay")
#: Layer -> text on the headers that are assumed when the rate of data is converted to the rate at this layer.
ASSUMED = {"IP": "with {}", "wire": "of Ethernet without a tag"}
POLICED = {True: "suspected", False: "not seen", None: "unknown"}
#: Kind of diagnosis -> entry in the row "policer"; for other kinds the entry is that of `POLICED`.
DIAGNOSED = {"suspected policer": "suspected", "losses or policer": "possible"}
#: Figure -> measurement to propose if the interval of the figure, from several runs, is wide.
NARROWER = {
    "rate": "three runs or more of iperf3 -O 10 -t 60 --json",
    "round_trip_time": "ping -c 100 HOST while nothing else is sent: the smallest of 100 is the base",
}
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
@VERBOSE
def measured_command(output: Output, files: tuple[str, ...], capacity: float | None, verbose: bool) -> None:
    """Print what limits a measured flow, what to do and to measure next, and the figures of the path.

    A FILE is the output of iperf3 (--json, --json-stream or text), ping, ss -tin, tc -s qdisc or ndt7-client -format
    json, a qlog, a capture (pcap, pcapng), or a file of flent or crusader; its content determines its kind. All files
    must be of one path; several files of one kind are repeated runs, which give confidence intervals. With --verbose
    every figure has a remark on how it was measured.
    """
    from longfat import measured
    from longfat.measured.diagnosis import beyond, diagnosis, metrics

    with output:
        found = measured.read_each(*files)
        path = measured.path_of(found)
        ratios, verdict, above = metrics(path, capacity), diagnosis(path, capacity, found), beyond(path, capacity)
        if output.draws and not any(one.series for one in found):
            raise ValueError("--figure needs values over time, which none of the files has")
        said = {"limit": verdict.limit, "steps": verdict.steps, "measure": verdict.measurement}
        output.emit(
            lambda: "\n".join(
                [*verdict.lines(), *_narrower(path), "", *_table(found, path, ratios, verbose, above, verdict.kind)]
            ),
            json=lambda: {
                "diagnosis": said, "path": _values(path), "rfc_6349": ratios,
                "files": [{"file": one.file, "kind": one.kind} | _values(one.figures) for one in found],
            },
            figure=lambda plot: plot.measurements(found),
            indent=1,
        )  # fmt: skip


def _narrower(path: PathFigures) -> list[str]:
    """Return lines that propose a measurement for each figure with a wide interval, to narrow this interval."""
    from longfat.measured.counting import ENOUGH, WIDE, longer, poisson_interval

    lines = []
    for name, title, _ in ROWS:
        low, high = getattr(path, f"{name}_interval", None) or (1.0, 1.0)
        if not 0 < WIDE * low <= high:
            continue
        words = NARROWER.get(name, "")
        if name == "loss":
            least, most = poisson_interval(ENOUGH)
            times, lasts = longer((low, high)), ""
            if path.rate and path.packet and path.packets_sent:
                lasts = f" (iperf3 -t {max(10, math.ceil(times * path.packets_sent * path.packet / path.rate))})"
            tells = "; tcpdump -s 96 tells bursts" * (path.transport == "TCP" and not path.loss_burst)
            words = f"{times:.2g} times as many packets{lasts} make it {most / least:.2g} times{tells}"
        if words:
            factor = float(f"{high / low:.2g}")
            lines += labelled("narrower", f"{title.partition(',')[0]} (ends differ {factor:g} times): {words}")
    return lines


def _values(figures: PathFigures) -> dict[str, Any]:
    """Return the known figures by name; the layer of the rate is left out if the rate is unknown."""
    known = {name: value for name, value in asdict(figures).items() if value not in (None, "", ())}
    if "rate" not in known:
        del known["rate_layer"]
    return known


def _table(
    found: list[Measurement], path: PathFigures, ratios: dict[str, float], verbose: bool, above: str, kind: str
) -> list[str]:
    """Return the figures as a table; with ``verbose`` all figures, below the names of the files and above the remarks.

    ``above`` is the reason why the rate exceeds the capacity, empty if it does not; ``kind`` is the kind of the
    diagnosis.
    """
    rows = [cells for name, cells in _rows(path, ratios, kind) if verbose or name not in DETAILS]
    rows += [["above --capacity", above]] if above else []
    lines = columns([["", "", "interval"], *rows], [-22, 14, -1])
    if verbose:
        files = [f"{one.kind:13}  {one.file}" for one in found]
        return [*files, "", *lines, "", *(f"remark    {remark}" for remark in path.remarks)]
    counts = Counter(one.kind for one in found)
    files = [kind if count == 1 else f"{kind} ({count} files)" for kind, count in counts.items()]
    from longfat.measured.figures import DOUBT

    doubts = [line for one in path.remarks if one.startswith(DOUBT) for line in labelled("remark", one)]
    return [f"of {', '.join(files)}", *lines, *doubts, "", MORE]


def _rows(path: PathFigures, ratios: dict[str, float], kind: str) -> Iterator[tuple[str, list[str]]]:
    """Yield name and cells of the rows: known figures, limit of the flow, policer, and metrics of RFC 6349."""
    from longfat.measured.diagnosis import none_lost

    for name, title, unit in ROWS:
        value = getattr(path, name)
        if name == "loss" and value == 0:
            yield name, [title, none_lost(path)]
        elif value is not None:
            ends = getattr(path, f"{name}_interval", None) or ()
            title += f", {path.rate_layer}" if name == "rate" else ""
            yield name, [title, _shown(value, unit), " .. ".join(_shown(end, unit) for end in ends)]
            if name == "rate":
                yield from _other_layers(path)
    yield "limited_by", ["limited by", path.limited_by or "unknown", ""]
    # If a remark begins with "policed: ", the rest of it states the policer's rate and bucket.
    found = next((one.split(": ") for one in path.remarks if one.startswith("policed: ")), ["", ""])
    policer = DIAGNOSED.get(kind, POLICED[path.policed])
    yield "policed", ["policer", policer, found[1] if path.policed else ""]
    for name, value in ratios.items():
        # Show a ratio of times as a number, and a fraction in percent.
        yield name, [METRICS[name], f"{value:.4g}" if name == "transfer_time_ratio" else percent(value, 4), ""]


def _other_layers(path: PathFigures) -> Iterator[tuple[str, list[str]]]:
    """Yield rows with the rate of data converted to the layers IP and wire, if packet size and transport are known."""
    if path.rate and path.packet and path.transport and path.rate_layer == "data":
        headers = full_headers(path.packet) if path.transport == "TCP" else {}
        ip, stamps = headers.get("ip_version", 4), "with" if headers.get("time_stamps", True) else "without"
        said = f"IPv{ip} and {path.transport}" + f" {stamps} time stamps" * (path.transport == "TCP")
        for layer, words in ASSUMED.items():
            rate = rate_at(path.rate, "data", layer, data=path.packet, transport=path.transport, **headers)
            yield layer, [f"      {layer}", _shown(rate, "bytes/s"), words.format(said)]


def _shown(value: float, unit: str) -> str:
    """Format a value with its unit, rounded to four digits."""
    shown = f"{float(f'{value:.4g}'):g} {unit}".rstrip()
    return shown if unit in ("packets", "bytes", "") else rounded(value, unit, 4)

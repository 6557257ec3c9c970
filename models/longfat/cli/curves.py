"""`longfat curves`: curves of several schemes over buffer or window, as tables, pictures and an HTML page."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from longfat.base.domains import conflict
from longfat.base.quantities import text
from longfat.base.text_tables import csv_of
from longfat.cli.output import FOLDER, Output, outputs, shows_progress
from longfat.cli.parameters import FILE, Name, given, listing, option, options, schemes
from longfat.cli.tables import Cell, Column, interval, number, percent
from longfat.cli.tables import table as lines_of
from longfat.design.arguments import CURVES

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

MS = 1e3  # milliseconds in a second


def _plain(cell: Cell) -> Cell:
    """Return a function that formats a row as ``cell`` does, but writes no exponents, which the columns cannot hold.

    >>> _plain(lambda _: "2.61e+03 ..2.9e+03")(None)
    '2610 ..2900'
    """
    return lambda row: re.sub(r"[0-9]+(?:[.][0-9]+)?e[+][0-9]+", lambda found: f"{float(found[0]):.0f}", cell(row))


#: Columns of the quantities, to the right of the columns for scheme, number of flows, and buffer or window. A line
#: above the headings names groups of columns.
QUANTITIES = (
    Column("mean", 8, number("utilisation", ".4f")),
    Column("law", 7, number("law_utilisation", ".4f")),
    Column("mean", 9, _plain(number("queueing_delay", ".3g", MS))),
    Column("law", 6, _plain(number("law_queueing_delay", ".3g", MS))),
    Column("99 %", 7, _plain(number("queueing_delay_99", ".3g", MS))),
    Column("loss", 10, number("loss", ".2g")),
)


def _interval(row: Any) -> str:
    """Return the confidence limits of the transfer time [ms], without a lower limit that was clipped to 0.

    >>> _interval({"transfer_time_lower": 0.0, "transfer_time_upper": 0.25})
    'below 250'
    """
    if row.get("transfer_time_lower") == 0:
        return "below " + _plain(number("transfer_time_upper", ".3g", MS))(row)
    return _plain(interval("transfer_time", "5.3g", " ..", MS))(row)


SHORT = (
    Column("mean", 9, _plain(number("transfer_time", ".3g", MS))),
    Column("interval", 15, _interval),
)


@click.command("curves", short_help="Utilisation, delay, loss of several schemes over buffer or window.")
@options(CURVES, "rate", "round_trip_time", "schemes", "flows")
@option(
    "--over",
    Name("axis", lambda: ("buffer", "window"), several=True, listed=False),
    "What varies: the buffer of the bottleneck, the window of each flow, or both in turn: buffer,window.",
    default="buffer",
)
@options(CURVES, "at", "buffer")
@options({"file": replace(CURVES["file"], domain="[0, inf)", meaning="Size of short transfers; 0B: none")})
@listing(schemes=schemes)
@options(CURVES, "packet", "spread", "replications", "confidence", "rng")
@option("--html", FILE, "Page to write: all curves, interactive, in one file that needs no network.")
@outputs(
    csv="Print CSV, with units in the column heads.",
    directory=FOLDER.format("curves_AXIS"),
    figure="Picture to write, for a paper: FILE.pdf, FILE.svg or FILE.png; may be repeated.",
    several=True,
)
def curves_command(output: Output, over: list[str], html: str | None, **flags: Any) -> None:
    """Draw the performance of schemes on a path, over the buffer of its bottleneck or the window of each flow.

    The quantities are utilisation, mean and 99th percentile of the queueing delay, loss, and the completion time of
    short transfers, simulated and by the laws.
    """
    from longfat import design

    if len(set(over)) < len(over):
        raise conflict(f"--over {','.join(over)}", "names an axis twice")
    source = click.get_current_context().get_parameter_source("buffer")
    if "window" not in over and source is not click.core.ParameterSource.DEFAULT:
        raise conflict("--buffer", "needs --over window", "the buffers of --over buffer are given by --at")
    if len(over) > 1:
        for flag, wanted in (("--at", flags["at"]), ("--figure", output.draws), ("--csv", output.form == "csv")):
            if wanted:
                raise conflict(flag, "needs one axis, --over buffer or --over window")
    asked = given(flags)
    asked["file"] = asked["file"] or None
    with output:
        page = None if html is None else output.file("html", html, (".html",))
        made = []
        for axis in over:
            data = design.curves(**asked, over=axis, progress=shows_progress())
            made.append(data)
            _emit(output, data)
        if page is not None:
            from longfat.handbook.curves_page import document

            page.write_text(document(made), encoding="utf-8")


def _emit(output: Output, data: xr.Dataset) -> None:
    name = f"curves_{data.attrs['over']}"

    def figure(plot: Any) -> Any:
        return plot.scheme_curves(data)[0].figure

    output.emit(
        lambda: table(data), csv=lambda: _csv(data), name=name, data=data, pictures={name: figure}, figure=figure
    )


def frame(data: xr.Dataset) -> pd.DataFrame:
    """Convert the curves to a table with a row for each scheme, number of flows and value of the axis.

    >>> from longfat import design
    >>> path = {"rate": "20Mbit/s", "round_trip_time": "20ms", "schemes": ["reno"], "flows": [1], "at": [0.5, 1]}
    >>> table = frame(design.curves(**path, file=None, replications=2, progress=False))
    >>> list(table.columns[:6]), len(table)
    (['scheme', 'flows', 'buffer', 'packets', 'bytes', 'utilisation'], 2)
    """
    over = data.attrs["over"]
    laws = [name for name in data if str(name).startswith("law_")]
    at = data[laws].sel({f"law_{over}": data[over].values}).rename({f"law_{over}": over})
    both = data.drop_vars([*laws, f"law_{over}"]).merge(at).sortby("flows")
    rows = both.to_dataframe(dim_order=["scheme", "flows", over]).reset_index()
    first = ["scheme", "flows", over, "packets", "bytes"]
    return rows[[*first, *(name for name in rows if name not in first)]]


def _csv(data: xr.Dataset) -> str:
    """Return the table as CSV; no unit is added to the columns flows, packets and bytes, whose names are units."""
    return csv_of(frame(data), data.drop_vars(["flows", "packets", "bytes"]))


def table(data: xr.Dataset) -> str:
    """Return the curves as a text table, with the path above and explanations below."""
    a, over = data.attrs, data.attrs["over"]
    short = "transfer_time" in data
    columns = [
        Column("scheme", -8, lambda row: str(row["scheme"])),
        Column("flows", 5, number("flows", "d")),
        Column("BDP", 5, number(over, ".4g")),
        Column("packets", 7, number("packets", "d")),
        *QUANTITIES,
        *(SHORT if short else ()),
    ]
    lines = [
        f"path      {text(a['rate'], 'bytes/s')}, round trip {text(a['round_trip_time'], 's')}: bandwidth-delay "
        f"product {a['bandwidth_delay_product']:.5g} packets of {text(a['packet'], 'bytes')}",
        "queue     drop tail" + (f", buffer {a['buffer']:g} BDP" if over == "window" else ""),
        f"simulated {a['replications']} runs of each point, seed {a['seed']}: {a['packets_simulated']:.2g} packets in "
        f"{a['wall_time']:.0f} s",
        "",
        f"{'':13}{over:>14}  {'utilisation':>17}  {'queueing delay [ms]':>21}"
        + (f"  {'':>9}  {'short [ms]':>17}" if short else ""),
    ]
    rows = frame(data).to_dict("records")
    return "\n".join([*lines, *lines_of(columns, rows, gap=" "), "", *_remarks(data)])


def _remarks(data: xr.Dataset) -> list[str]:
    """Return lines that explain the columns of the table."""
    lines = [
        "law: flows that lose at the same time, of CUBIC without fast convergence; -: there is no law.",
        "99 %: percentile over time.",
    ]
    if "transfer_time" in data:
        shortest = float(data.law_transfer_time.min())
        cell = _plain(number("law", ".4g", MS))({"law": shortest})
        known = f"; {cell} ms over an empty link by the law" if shortest > 0 else ""
        lines.append(f"short: transfers of {text(data.attrs['file'], 'bytes')}, in runs of their own{known}.")
        if data.transfer_time.isnull().any():
            lines.append("short, -: in at least one of the runs no such transfer was complete at the end.")
    return [*lines, f"intervals of {percent(data.attrs['confidence'])}: with --csv, and in the files of --output."]

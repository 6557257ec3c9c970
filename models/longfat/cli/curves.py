"""`longfat curves`: curves of several schemes over buffer or window, as tables, pictures, a page and data files."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from longfat.cli.parameter_types import left_out, netcdf, say, with_units
from longfat.cli.parameters import (
    CONFIDENCE,
    OUTPUT,
    SEED,
    Integer,
    Name,
    Numbers,
    Option,
    PathName,
    Quantity,
    Size,
    schemes,
)

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

KINDS = ("pdf", "svg", "png")
POSITIVE: dict[str, Any] = {"min": 0, "min_open": True}
OVER = Name("axis", lambda: ("buffer", "window"), several=True)


@click.command("curves", short_help="Utilisation, delay, loss of several schemes over buffer or window.")
@click.option(
    "--rate", type=Quantity("rate", **POSITIVE), default="100Mbit/s", show_default=True, help="Rate of the bottleneck."
)
@click.option(
    "--rtt",
    type=Quantity("duration", **POSITIVE),
    default="40ms",
    show_default=True,
    help="Round-trip time without queueing.",
)
@click.option(
    "--scheme",
    cls=Option,
    type=Name("scheme", schemes, own="scheme", several=True),
    default="cubic,reno,bbr",
    show_default=True,
    help="Congestion control of the flows; cubic, reno, bbr, bbr1 and dctcp are those of hosts.",
)
@click.option(
    "--flows",
    type=Integer("flows", 1, 10_000, several=True),
    default="1,10",
    show_default=True,
    help="Numbers of long-lived flows.",
)
@click.option(
    "--over",
    type=OVER,
    default="buffer",
    show_default=True,
    help="What varies: the buffer of the bottleneck, the window of each flow, or both in turn: buffer,window.",
)
@click.option(
    "--at",
    type=Numbers(0, 100, min_open=True),
    show_default="0.05 to 4 for buffers, 0.02 to 4 for windows",
    help="Values of the buffer or window, in bandwidth-delay products.",
)
@click.option(
    "--buffer",
    type=Quantity("fraction", max=100, **POSITIVE),
    default="1",
    show_default=True,
    help="Buffer where the window varies, in bandwidth-delay products.",
)
@click.option(
    "--file", "size", type=Size(0), default="100kB", show_default=True, help="Size of short transfers; 0B: none."
)
@click.option("--packet", type=Size(1, 10**6), default="1500B", show_default=True, help="Packet size [bytes].")
@click.option(
    "--spread",
    type=Quantity("fraction", min=0, max=0.9),
    default="10%",
    show_default=True,
    help="Relative spread of the flows' round-trip times: R (1 - s) to R (1 + s).",
)
@click.option(
    "--replications",
    type=Integer("runs", 2, 10**6),
    default="5",
    show_default=True,
    help="Simulations of each point.",
)
@click.option(
    "--figure",
    "figures",
    type=PathName("file"),
    multiple=True,
    help="Picture to write, for a paper: FILE.pdf, FILE.svg or FILE.png; may be repeated.",
)
@click.option(
    "--html", type=PathName("file"), help="Page to write: all curves, interactive, in one file that needs no network."
)
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, with units in the column heads.")
@OUTPUT
@CONFIDENCE
@SEED
def curves_command(output: str, figures: tuple[str, ...], html: str | None, as_csv: bool, **flags: Any) -> None:
    """Draw what schemes make of a path, over the buffer of its bottleneck or the window of each flow.

    The quantities are utilisation, mean and 99th percentile of the queueing delay, loss, and the completion time of
    short transfers, simulated and by the laws. Prints a table and writes curves_buffer.csv, curves_buffer.nc,
    curves_buffer.svg and curves_buffer.png, or the same of curves_window.
    """
    from longfat import design
    from longfat.base.files import AtomicFiles

    over = flags["over"]
    if len(set(over)) < len(over):
        raise click.UsageError(f"--over {','.join(over)} names an axis twice")
    if len(over) > 1:
        for flag, given in (("--at", flags["at"]), ("--figure", figures), ("--csv", as_csv)):
            if given:
                raise click.UsageError(f"{flag} needs one axis, --over buffer or --over window")
    with ExitStack() as stack:
        files = stack.enter_context(AtomicFiles(output))
        drawn = [_opened(stack, "figure", one, KINDS) for one in figures]
        page = None if html is None else _opened(stack, "html", html, ("html",))
        if drawn:
            from longfat.base import extras

            extras.need("--figure", "matplotlib")
        made = []
        for one in over:
            data = design.curves(
                rate=flags["rate"],
                round_trip_time=flags["rtt"],
                schemes=flags["scheme"],
                flows=flags["flows"],
                over=one,
                at=flags["at"],
                buffer=flags["buffer"],
                file=flags["size"] or None,
                packet=flags["packet"],
                spread=flags["spread"],
                replications=flags["replications"],
                confidence=flags["confidence"],
                rng=flags["seed"],
                progress=sys.stderr.isatty(),  # for scripts, stderr holds errors only
            )
            made.append(data)
            if as_csv:
                say(_with_units(data).to_csv(index=False), nl=False)
            else:
                say(table(data))
            _write(data, files, drawn)
        if page is not None:
            from longfat.handbook.curves_page import document

            page.write_text(document(made), encoding="utf-8")


def _opened(stack: ExitStack, option: str, name: str, kinds: tuple[str, ...]) -> Path:
    """Return the path at which to write a file that appears with all others; refuse an unknown kind of file."""
    from longfat.base.domains import out_of_range
    from longfat.base.files import AtomicFiles

    path = Path(name)
    if path.suffix.lower().lstrip(".") not in kinds:
        raise out_of_range(option, repr(name), "1", f"a name that ends with .{' or .'.join(kinds)}")
    return stack.enter_context(AtomicFiles(path.parent, option)).path(path.name)


def frame(data: xr.Dataset) -> pd.DataFrame:
    """Return one row for each scheme, number of flows and value of the axis; laws have columns of their own.

    >>> from longfat import design
    >>> path = {"rate": "20Mbit/s", "round_trip_time": "20ms", "schemes": ["reno"], "flows": [1], "at": [0.5, 1]}
    >>> table = frame(design.curves(**path, file=None, replications=2, progress=False))
    >>> list(table.columns[:6]), len(table)
    (['scheme', 'flows', 'buffer', 'packets', 'bytes', 'utilisation'], 2)
    """
    over = data.attrs["over"]
    laws = [name for name in data if str(name).startswith("law_")]
    at = data[laws].sel({f"law_{over}": data[over].values}).rename({f"law_{over}": over})
    rows = data.drop_vars([*laws, f"law_{over}"]).merge(at).to_dataframe().reset_index()
    first = ["scheme", "flows", over, "packets", "bytes"]
    return rows[[*first, *(name for name in rows if name not in first)]].sort_values(
        ["scheme", "flows", over], key=_order(data), ignore_index=True
    )


def _with_units(data: xr.Dataset) -> pd.DataFrame:
    """Return the table with the units in the names of its columns, where these are not the names themselves."""
    return with_units(frame(data), data.drop_vars(["flows", "packets", "bytes"]))


def _order(data: xr.Dataset) -> Any:
    """Return a key that sorts schemes as they were given."""
    places = {name: k for k, name in enumerate(data.scheme.values)}
    return lambda column: column.map(places) if column.name == "scheme" else column


def table(data: xr.Dataset) -> str:
    """Return the curves as a text table."""
    from longfat.base.quantities import text

    a, over = data.attrs, data.attrs["over"]
    lines = [
        f"path      {text(a['rate'], 'bytes/s')}, round trip {text(a['round_trip_time'], 's')}: bandwidth-delay "
        f"product {a['bandwidth_delay_product']:.5g} packets of {text(a['packet'], 'bytes')}",
        "queue     drop tail" + (f", buffer {a['buffer']:g} BDP" if over == "window" else ""),
        f"simulated {a['replications']} runs of each point, seed {a['seed']}: {a['packets_simulated']:.2g} packets in "
        f"{a['wall_time']:.0f} s",
        "",
        f"{'':13}{over:>14}  {'utilisation':>17}  {'queueing delay [ms]':>21}  {'':>9}  {'short [ms]':>16}",
        f"{'scheme':9}{'flows':>5}{'BDP':>6}{'packets':>8}{'mean':>9}{'law':>8}{'mean':>10}{'law':>7}{'99 %':>8}"
        f"{'loss':>11}{'mean':>10}{'interval':>15}",
    ]
    for row in frame(data).itertuples():
        lines.append(
            f"{row.scheme:9}{row.flows:5d}{getattr(row, over):6.4g}{row.packets:8d}{row.utilisation:9.4f}"
            f"{_or_dash(row.law_utilisation, '.4f'):>8}{1e3 * row.queueing_delay:10.3g}"
            f"{_or_dash(1e3 * row.law_queueing_delay, '.3g'):>7}{1e3 * row.queueing_delay_99:8.3g}{row.loss:11.2g}"
            + (
                f"{1e3 * row.transfer_time:10.3g}"
                f"{1e3 * row.transfer_time_lower:8.3g} ..{1e3 * row.transfer_time_upper:5.3g}"
                if "transfer_time" in data
                else ""
            )
        )
    return "\n".join([*lines, "", *_remarks(data)])


def _remarks(data: xr.Dataset) -> list[str]:
    """Return what the columns mean."""
    lines = [
        "law: flows that lose at the same time, of CUBIC without fast convergence; -: there is no law.",
        "99 %: percentile over time.",
    ]
    if "transfer_time" in data:
        shortest = float(data.law_transfer_time.min())
        known = f"; {1e3 * shortest:.4g} ms over an empty link by the law" if shortest > 0 else ""
        lines.append(f"short: transfers of {data.attrs['file']:g} bytes, in runs of their own{known}.")
    return [*lines, f"intervals of {100 * data.attrs['confidence']:.6g}%: in the files."]


def _or_dash(value: float, form: str) -> str:
    return format(value, form) if value == value else "-"


def _write(data: xr.Dataset, files: Any, drawn: list[Path]) -> None:
    """Write the table as CSV, the Dataset as netCDF, and the picture as SVG, PNG and what was asked for."""
    name = f"curves_{data.attrs['over']}"
    _with_units(data).to_csv(files.path(f"{name}.csv"), index=False)
    if left_out(f"{name}.nc", f"{name}.svg", f"{name}.png"):
        return
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    from longfat import plot

    netcdf(data, files, f"{name}.nc")
    with plot.style():
        figure: Any = plot.scheme_curves(data)[0].get_figure()
        wanted = [files.path(f"{name}.svg"), files.path(f"{name}.png"), *drawn]
        for path in wanted:
            figure.savefig(path, format=_kind(path))
            figure.set_layout_engine("none")  # laid out once, for all files
        plt.close(figure)


def _kind(path: Path) -> str:
    """Return the kind of a file that has a temporary name, such as .curves.svg.123.part."""
    return next(part for part in reversed(path.name.lower().split(".")) if part in KINDS)

"""`longfat loss-load`: k and v for a ceiling on loss, as a table, a picture and data files."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from longfat.cli.typed import left_out, netcdf, numbers, whole

if TYPE_CHECKING:
    import xarray as xr


@click.command("loss-load")
@click.option("--rate", required=True, help="Rate of the link that all share, e.g. 40Mbit/s.")
@click.option("--rtt", required=True, help="Round-trip time, e.g. 44ms.")
@click.option("--loss", required=True, help="Ceiling: the largest share of packets that may be lost, e.g. 1%.")
@click.option("--sources", required=True, help="Transfers at once.")
@click.option("--file", "size", required=True, help="Size of each transfer, e.g. 2MB.")
@click.option("--packet", default="1500B", show_default=True, help="Packet size.")
@click.option("--k", "choices", default="2,5,10,20", show_default=True, help="Values of k to choose from.")
@click.option("--stagger", help="Time from one start to the next. [default: a round-trip time]")
@click.option("--buffer", help="Packets that the switch can hold. [default: a bandwidth-delay product]")
@click.option("--output", metavar="DIR", default=".", show_default=True, help="Where the files go.")
@click.option("--points", default="6", show_default=True, help="Virtual factors at which the curves are simulated.")
@click.option("--replications", default="4", show_default=True, help="Simulations at each of them.")
@click.option("--confidence", default="0.95", show_default=True, help="Confidence of the intervals.")
@click.option("--seed", default="0", show_default=True, help="Seed of the random numbers.")
def loss_load_command(output: str, **flags: Any) -> None:
    """The k and the virtual factor v that transfer files soonest under a ceiling on loss.

    Writes loss_load.csv, loss_load.nc, loss_load.svg and loss_load.png, and prints a table.
    """
    from longfat import design, quantities
    from longfat.files import WholeFiles

    with WholeFiles(output) as files:
        data = design.loss_load(
            rate=flags["rate"],
            round_trip_time=quantities.duration(flags["rtt"], "rtt", "(0, inf)"),
            loss=flags["loss"],
            sources=whole("sources", flags["sources"], "1", "[1, 1000]"),
            file=flags["size"],
            packet=flags["packet"],
            k=numbers("k", flags["choices"], "1", "[1, 50]"),
            stagger=flags["stagger"],
            buffer=whole("buffer", flags["buffer"], "packets", "[1, 1e9]") if flags["buffer"] else None,
            points=whole("points", flags["points"], "1", "[2, 1000]"),
            replications=whole("replications", flags["replications"], "runs", "[2, 1e6]"),
            confidence=quantities.fraction(flags["confidence"], "confidence", "(0, 1)"),
            rng=whole("seed", flags["seed"], "1", "[0, inf)"),
            progress=sys.stderr.isatty(),  # for scripts, stderr holds errors only
        )
        click.echo(_table(data))
        _write(data, files)


def _table(data: xr.Dataset) -> str:
    """The answer for people."""
    from longfat.quantities import text

    a = data.attrs
    lines = [
        f"link      {text(a['rate'], 'bytes/s')}, round trip {text(a['round_trip_time'], 's')}, buffer {a['buffer']} "
        f"packets of {text(a['packet'], 'bytes')}",
        f"transfers {a['sources']} of {text(a['file'], 'bytes')}, a start every {text(a['stagger'], 's')}",
        "",
        f"Shortest transfers with at most {100 * a['ceiling']:.4g}% lost ({100 * a['confidence']:.6g}% upper limit):",
        "",
        f"{'k':>5}  {'v':>6}  {'lost':>8}  {'interval':>18}  {'transfer [s]':>12}  {'interval':>20}  in equilibrium",
    ]
    for k in data.k.values:
        row = data.sel(k=k)
        if row.status == "not reached":
            lines.append(f"{k:5g}  no v from 0.1 to 1 keeps the loss below the ceiling")
            continue
        lines.append(
            f"{k:5g}  {float(row.v):6.4f}  {float(row.loss):8.5f}  "
            f"{float(row.loss_lower):8.5f}..{float(row.loss_upper):8.5f}  {float(row.transfer_time):12.5g}  "
            f"{float(row.transfer_time_lower):9.5g}..{float(row.transfer_time_upper):9.5g}  "
            f"{float(row.law_loss):.4f} lost, {float(row.law_transfer_time):.5g} s"
            f"{'  <- best' if k == a['best_k'] else ''}"
        )
    return "\n".join(lines)


def _write(data: xr.Dataset, files: Any) -> None:
    """All files of an answer."""
    curves = data[[name for name in data if str(name).startswith("curve_")]]
    table = curves.to_dataframe().reset_index().drop(columns="point").drop_duplicates()
    table.to_csv(files.path("loss_load.csv"), index=False)
    if left_out("loss_load.nc", "loss_load.svg", "loss_load.png"):
        return
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    from longfat import plot

    netcdf(data, files, "loss_load.nc")
    with plot.style():
        figure, ax = plt.subplots()
        plot.loss_load_curves(data, ax)
        for kind in ("svg", "png"):
            figure.savefig(files.path(f"loss_load.{kind}"), format=kind)
        plt.close(figure)

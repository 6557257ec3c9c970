"""`longfat loss-load`: k and v for a ceiling on loss, as a table, a picture and data files."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from longfat.cli.parameter_types import left_out, netcdf, say, with_units
from longfat.cli.parameters import CONFIDENCE, OUTPUT, SEED, Integer, Numbers, Quantity, Size

if TYPE_CHECKING:
    import xarray as xr


@click.command("loss-load")
@click.option(
    "--rate",
    type=Quantity("rate", min=0, min_open=True),
    required=True,
    help="Rate of the bottleneck link, e.g. 40Mbit/s.",
)
@click.option(
    "--rtt",
    type=Quantity("duration", min=0, min_open=True),
    required=True,
    help="Round-trip time without queueing, e.g. 44ms.",
)
@click.option(
    "--loss",
    type=Quantity("fraction", min=0, max=1, max_open=True),
    required=True,
    help="Ceiling on the share of packets lost, e.g. 1%.",
)
@click.option("--sources", type=Integer("1", 1, 1000), required=True, help="Number of simultaneous transfers.")
@click.option("--file", "size", type=Size(1), required=True, help="Size of each transfer, e.g. 2MB.")
@click.option("--packet", type=Size(1, 10**6), default="1500B", show_default=True, help="Packet size [bytes].")
@click.option(
    "--k",
    "choices",
    type=Numbers(1, 50),
    default="2,5,10,20",
    show_default=True,
    help="Exponents k of the loss-load curve to choose from.",
)
@click.option(
    "--stagger",
    type=Quantity("duration", min=0, max=1_000_000),
    show_default="one round-trip time",
    help="Time between the starts of two transfers.",
)
@click.option(
    "--buffer",
    type=Integer("packets", 1, 10**9),
    show_default="one bandwidth-delay product",
    help="Buffer of the switch [packets].",
)
@OUTPUT
@click.option(
    "--points",
    type=Integer("1", 2, 1000),
    default="6",
    show_default=True,
    help="Number of virtual factors v to simulate.",
)
@click.option(
    "--replications", type=Integer("runs", 2, 10**6), default="4", show_default=True, help="Simulations at each v."
)
@CONFIDENCE
@SEED
def loss_load_command(output: str, **flags: Any) -> None:
    """Find the loss-load curve with the shortest file transfers.

    The answer is the k and the virtual factor v with the shortest transfers of loss-load sources (Williamson and
    Cheriton; not TCP) under a ceiling on loss.

    Prints a table and writes loss_load.csv, loss_load.nc, loss_load.svg and loss_load.png.
    """
    from longfat import design
    from longfat.base.files import AtomicFiles

    with AtomicFiles(output) as files:
        data = design.loss_load(
            rate=flags["rate"],
            round_trip_time=flags["rtt"],
            loss=flags["loss"],
            sources=flags["sources"],
            file=flags["size"],
            packet=flags["packet"],
            k=flags["choices"],
            stagger=flags["stagger"],
            buffer=flags["buffer"],
            points=flags["points"],
            replications=flags["replications"],
            confidence=flags["confidence"],
            rng=flags["seed"],
            progress=sys.stderr.isatty(),  # for scripts, stderr holds errors only
        )
        say(_table(data))
        _write(data, files)


def _table(data: xr.Dataset) -> str:
    """Return the answer as a text table."""
    from longfat.base.quantities import text

    a = data.attrs
    lines = [
        f"link      {text(a['rate'], 'bytes/s')}, round trip {text(a['round_trip_time'], 's')}, buffer {a['buffer']} "
        f"packets of {text(a['packet'], 'bytes')}",
        f"transfers {a['sources']} of {text(a['file'], 'bytes')}, a start every {text(a['stagger'], 's')}",
        "",
        f"Shortest transfers with at most {100 * a['ceiling']:.4g}% lost ({100 * a['confidence']:.6g}% upper limit):",
        "",
        f"{'k':>5}  {'v':>6}  {'loss':>8}  {'interval':>18}  {'transfer [s]':>12}  {'interval':>20}  in equilibrium",
    ]
    for k in data.k.values:
        row = data.sel(k=k)
        if row.status == "not reached":
            lines.append(f"{k:5g}  no v in [0.1, 1] keeps the loss below the ceiling")
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
    """Write the curves as CSV, the Dataset as netCDF, and the picture as SVG and PNG."""
    curves = data[[name for name in data if str(name).startswith("curve_")]]
    table = curves.to_dataframe().reset_index().drop(columns="point").drop_duplicates()
    with_units(table, curves).to_csv(files.path("loss_load.csv"), index=False)
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

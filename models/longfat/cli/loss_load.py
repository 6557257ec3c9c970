"""`longfat loss-load`: k and v for a ceiling on loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from longfat.base.quantities import text
from longfat.cli import parameters
from longfat.cli.output import FOLDER, Output, csv_of, outputs, watched
from longfat.cli.parameters import CONFIDENCE, PACKET, RATE, SEED, TIME, Integer, Numbers, Quantity, Size, option
from longfat.cli.tables import Column, interval, number, percent, table

if TYPE_CHECKING:
    import xarray as xr


@click.command("loss-load")
@option("--rate", RATE, "Rate of the bottleneck link, e.g. 40Mbit/s.", required=True)
@option("--rtt", TIME, "Round-trip time without queueing, e.g. 44ms.", argument="round_trip_time", required=True)
@option(
    "--loss",
    Quantity("fraction", min=0, max=1, max_open=True),
    "Ceiling on the share of packets lost, e.g. 1%.",
    required=True,
)
@option("--sources", Integer("1", 1, 1000), "Number of simultaneous transfers.", required=True)
@option("--file", Size(1), "Size of each transfer, e.g. 2MB.", required=True)
@PACKET
@option("--k", Numbers(1, 50), "Exponents k of the loss-load curve to choose from.", default="2,5,10,20")
@option(
    "--stagger",
    Quantity("duration", min=0, max=1_000_000),
    "Time between the starts of two transfers.",
    show_default="one round-trip time",
)
@option(
    "--buffer", Integer("packets", 1, 10**9), "Buffer of the switch [packets].",
    show_default="one bandwidth-delay product",
)  # fmt: skip
@option("--points", Integer("1", 2, 1000), "Number of virtual factors v to simulate.", default="6")
@parameters.replications(2, "Simulations at each v.", default="4")
@CONFIDENCE
@SEED
@outputs(directory=FOLDER.format("loss_load"))
def loss_load_command(output: Output, **options: Any) -> None:
    """Find the loss-load curve with the shortest file transfers.

    The answer is the k and the virtual factor v with the shortest transfers of loss-load sources (Williamson and
    Cheriton; not TCP) under a ceiling on loss.
    """
    from longfat import design

    with output:
        data = design.loss_load(**parameters.given(options), progress=watched())
        output.emit(
            lambda: _answer(data),
            csv=lambda: _csv(data),
            name="loss_load",
            data=data,
            pictures={"loss_load": lambda plot: plot.loss_load_curves(data).figure},
        )


def _answer(data: xr.Dataset) -> str:
    """Return the answer as a text table."""

    def equilibrium(row: xr.Dataset) -> str:
        lost, lasts = float(row.law_loss), float(row.law_transfer_time)
        return f"{lost:.4f} lost, {lasts:.5g} s" + ("  <- best" if row.k == a["best_k"] else "")

    a = data.attrs
    columns = [
        Column("k", 5, number("k", "g"), always=True),
        Column("v", 6, number("v", ".4f")),
        Column("loss", 8, number("loss", ".5f")),
        Column("interval", 18, interval("loss", "8.5f", "..")),
        Column("transfer [s]", 12, number("transfer_time", ".5g")),
        Column("interval", 20, interval("transfer_time", "9.5g", "..")),
        Column("in equilibrium", -14, equilibrium),
    ]
    rows = [data.sel(k=k) for k in data.k.values]
    none = "no v in [0.1, 1] keeps the loss below the ceiling"
    lines = [
        f"link      {text(a['rate'], 'bytes/s')}, round trip {text(a['round_trip_time'], 's')}, buffer {a['buffer']} "
        f"packets of {text(a['packet'], 'bytes')}",
        f"transfers {a['sources']} of {text(a['file'], 'bytes')}, a start every {text(a['stagger'], 's')}",
        "",
        f"Shortest transfers with at most {100 * a['ceiling']:.4g}% lost ({percent(a['confidence'])} upper limit):",
        "",
        *table(columns, rows, lambda row: none if row.status == "not reached" else ""),
    ]
    return "\n".join(lines)


def _csv(data: xr.Dataset) -> str:
    """Return the curves as CSV."""
    curves = data[[name for name in data if str(name).startswith("curve_")]]
    return csv_of(curves.to_dataframe().reset_index().drop(columns="point").drop_duplicates(), curves)

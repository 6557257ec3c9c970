"""`longfat loss-load`: k and v for a ceiling on loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from longfat.base.quantities import text
from longfat.cli.output import FOLDER, Output, csv_of, outputs, watched
from longfat.cli.parameters import given, options
from longfat.cli.tables import Column, interval, number, percent, table
from longfat.design.arguments import LOSS_LOAD

if TYPE_CHECKING:
    import xarray as xr


@click.command("loss-load")
@options(LOSS_LOAD)
@outputs(directory=FOLDER.format("loss_load"))
def loss_load_command(output: Output, **flags: Any) -> None:
    """Find the loss-load curve with the shortest file transfers.

    The answer is the k and the virtual factor v with the shortest transfers of loss-load sources (Williamson and
    Cheriton; not TCP) under a ceiling on loss.
    """
    from longfat import design

    with output:
        data = design.loss_load(**given(flags), progress=watched())
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

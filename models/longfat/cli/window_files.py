"""The files that `longfat window --scheme selective-repeat` writes: a table, the data, pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from longfat.cli.parameter_types import left_out, netcdf

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


def frame(data: xr.Dataset) -> pd.DataFrame:
    """Return one tidy table: the windows, the reference window, curves, receive buffers.

    ``law`` and ``simulated`` are efficiencies.

    >>> from longfat import design
    >>> data = design.window(rate="15Mbit/s", round_trip_time="20ms", loss=1e-3, segment="9kB", packet="900B", points=2)
    >>> list(frame(data).kind)
    ['answer', 'reference', 'curve', 'curve', 'receive buffer']
    """
    import pandas as pd

    from longfat.plot import rows

    segment, bandwidth_delay_product = data.attrs["segment"], data.attrs["bandwidth_delay_product"]
    table = []

    def add(kind: str, row: Any, window: float, prefix: str, **more: Any) -> None:
        table.append(
            {
                "protocol": "selective repeat, no congestion control",
                "kind": kind,
                "loss": float(row.loss),
                "window_segments": window,
                "window_bytes": window * segment,
                "window_bdp": window * segment / bandwidth_delay_product,
                **{
                    name: float(row[prefix + name])
                    for name in ("law", "simulated", "simulated_lower", "simulated_upper")
                },
                **more,
            }
        )

    for row in rows(data):
        add("answer", row, float(row.window_segments), "", source=row.source.item(), status=row.status.item())
    for row in rows(data):
        add("reference", row, data.attrs["reference_window"], "reference_")
    for row in rows(data):
        for i in range(data.sizes.get("window", 0)):
            point = row.isel(window=i)
            add(
                "curve",
                point,
                float(point.window),
                "curve_",
                **{name: float(point[f"curve_{name}"]) for name in ("as_printed", "many_rounds")},
            )
    for row in rows(data) if "buffer_segments" in data else []:
        add(
            "receive buffer",
            row,
            float(row.window_segments),
            "buffer_",
            receive_buffer_segments=float(row.buffer_segments),
        )
        for i in range(data.sizes.get("tradeoff", 0)):
            point = row.isel(tradeoff=i)
            if point.tradeoff_window > 0:
                window, buffer = float(point.tradeoff_window), float(point.tradeoff_buffer)
                table.append(
                    {
                        "protocol": "selective repeat, no congestion control",
                        "kind": "trade-off",
                        "loss": float(row.loss),
                        "window_segments": window,
                        "window_bytes": window * segment,
                        "window_bdp": window * segment / bandwidth_delay_product,
                        "receive_buffer_segments": buffer,
                    }
                )
    return pd.DataFrame(table)


def write(data: xr.Dataset, files: Any) -> None:
    """Write the table as CSV, the Dataset as netCDF, and the picture as SVG and PNG."""
    frame(data).to_csv(files.path("window.csv"), index=False)
    if left_out("window.nc", "window.svg", "window.png"):
        return
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    from longfat import plot

    netcdf(data, files, "window.nc")
    pictures: dict[str, Any] = {"window": plot.window_curves}
    if "tradeoff" in data.dims:
        pictures["receive_buffer"] = plot.buffer_curves
    with plot.style():
        for name, draw in pictures.items():
            figure, ax = plt.subplots()
            draw(data, ax)
            for kind in ("svg", "png"):
                figure.savefig(files.path(f"{name}.{kind}"), format=kind)
                figure.set_layout_engine("none")  # laid out once, for both files
            plt.close(figure)

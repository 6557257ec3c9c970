"""Files of an exploration: the picture as SVG and PNG, the numbers as CSV and NetCDF, the call as Python."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base import domains, extras
from longfat.explore.law_curves import dataset
from longfat.explore.simulations import Points
from longfat.explore.state import State

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

#: ending: kind of file
KINDS = {"svg": "image/svg+xml", "png": "image/png", "csv": "text/csv", "nc": "application/x-netcdf"}


def complete(state: State, points: Points | None = None) -> xr.Dataset:
    """Return the curves, with the simulated points along ``simulated_at``.

    >>> from longfat.explore.state import start
    >>> from longfat.laws import queues
    >>> data = complete(start(queues.mm1_wait), Points().and_at(0.5, (1.0, 0.9, 1.1)))
    >>> data.simulated_lower.values, data.simulated_at.values
    (array([0.9]), array([0.5]))
    """
    data = dataset(state)
    if points is not None and points.x:
        order = np.argsort(points.x)
        unit = {"units": state.law.unit, "long_name": points.words}
        found = {"simulated": points.value, "simulated_lower": points.lower, "simulated_upper": points.upper}
        data = data.assign(
            {name: ("simulated_at", np.asarray(values)[order], unit) for name, values in found.items()}
        ).assign_coords(simulated_at=("simulated_at", np.asarray(points.x)[order], data[state.across].attrs))
    return data


def figure(data: xr.Dataset) -> Figure:
    """Return a matplotlib figure of the curves in the project's style, without a window."""
    extras.need("explore.figure", "matplotlib")
    from matplotlib.figure import Figure

    from longfat import plot

    with plot.style():
        made = Figure()
        plot.law_curves(data, made.subplots())
    return made


def file(data: xr.Dataset, kind: str) -> bytes:
    """Return the bytes of a file: the picture for "svg" or "png", the numbers for "csv" or "nc".

    >>> from longfat.explore.state import start
    >>> from longfat.laws import queues
    >>> file(complete(start(queues.mm1_wait)), "csv")[:23]
    b'load,law,operating_valu'
    """
    domains.choice("kind", kind, KINDS)
    if kind == "csv":
        text: str = table(data).to_csv(index=False)
        return text.encode()
    if kind == "nc":  # written to a file and read back, because not every engine of xarray writes to memory
        extras.need("a NetCDF file", "netCDF4")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "data.nc"
            data.to_netcdf(path)
            return path.read_bytes()
    from longfat import plot

    buffer = io.BytesIO()
    with plot.style():
        figure(data).savefig(buffer, format=kind, metadata={"Date": None} if kind == "svg" else None)
    return buffer.getvalue()


def table(data: xr.Dataset) -> Any:
    """Return a table with one row for each point of a curve, and for each simulated point."""
    import pandas as pd

    simulated = [name for name in data if "simulated_at" in data[name].dims]
    curves = data.drop_vars(["simulated_at", *simulated], errors="ignore").to_dataframe().reset_index()
    if not simulated:
        return curves
    across = data.attrs["across"]
    points = data[simulated].to_dataframe().reset_index().rename(columns={"simulated_at": across})
    return pd.concat([curves, points], ignore_index=True)


def python(state: State) -> str:
    """Return the operating point as a Python call.

    >>> from longfat.explore.state import start
    >>> from longfat.laws import queues
    >>> print(python(start(queues.mm1_wait, load=0.5)))
    lf.laws.queues.mm1_wait(load=0.5)
    """
    given = ", ".join(f"{name}={value!r}" for name, value in state.values.items()).replace("inf", "math.inf")
    return f"lf.laws.{state.law.public_name}({given})"

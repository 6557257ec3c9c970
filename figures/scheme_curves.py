"""Design curves of CUBIC, Reno and BBR on a link of 100 Mbit/s and 40 ms, over its buffer and over the flows' windows.

The default of ``longfat curves``. Run with ``python -m figures.scheme_curves``; ``--redraw`` draws the pictures again
from the stored numbers.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from figures import data as stored
from figures.writing import HERE, figure_files, main, save
from longfat import design, plot
from longfat.base.files import AtomicFiles

if TYPE_CHECKING:
    import xarray as xr

NAMES = {"buffer": "curves_buffer", "window": "curves_window"}
QUANTITIES = "utilisation, queueing delay, loss and short transfers of CUBIC, Reno and BBR as hosts have them"
CAPTIONS = {
    "curves_buffer": f"Over the buffer of a link of 100 Mbit/s and 40 ms: {QUANTITIES}; laws as lines, simulated "
    "points with 95 % intervals.",
    "curves_window": "Over the largest window of each flow, with a buffer of one bandwidth-delay product: "
    f"{QUANTITIES}.",
}
#: What the pictures say of the path and the simulation.
ATTRS = {
    "rate": 12.5e6, "round_trip_time": 0.04, "packet": 1500, "bandwidth_delay_product": 12.5e6 * 0.04 / 1500,
    "buffer": 1.0, "file": 100e3, "load": 0.01, "replications": 5, "confidence": 0.95, "seed": "0",
}  # fmt: skip


def kept(over: str) -> xr.Dataset:
    """Return what a picture shows as it is stored in this folder."""
    dims = (over,), ("scheme", "flows", over), ("scheme", "flows", f"law_{over}")
    return stored.dataset(NAMES[over], *dims).assign_attrs(ATTRS, over=over)


def draw(files: AtomicFiles, data: xr.Dataset) -> None:
    """Draw one picture."""
    save(files, plot.scheme_curves(data)[0].get_figure(), NAMES[data.attrs["over"]])


def redraw(directory: str | Path = HERE) -> None:
    """Draw the pictures again from the stored numbers."""
    with figure_files(directory) as files:
        for over in NAMES:
            draw(files, kept(over))


def write(directory: str | Path = HERE) -> None:
    """Simulate, draw and write the curves as SVG, PNG and CSV."""
    with figure_files(directory) as files:
        for over, name in NAMES.items():
            data = design.curves(over=over)
            draw(files, data)
            stored.write(files, name, data, "figures.scheme_curves")


if __name__ == "__main__":
    main(write, redraw)

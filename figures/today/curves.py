"""Design curves of CUBIC, Reno and BBR on a link of 100 Mbit/s and 40 ms, over its buffer and over the flows' windows.

The default of ``longfat curves``. Run with ``python -m figures.today.curves``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from figures.writing import Part, Picture
from longfat import design, plot

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
#: Caption of the path and the simulation.
ATTRS = {
    "rate": 12.5e6, "round_trip_time": 0.04, "packet": 1500, "bandwidth_delay_product": 12.5e6 * 0.04 / 1500,
    "buffer": 1.0, "file": 100e3, "load": 0.01, "replications": 5, "confidence": 0.95, "seed": "0",
}  # fmt: skip


def draw(data: xr.Dataset, axes: Any) -> None:
    """Draw the curves of one flow above those of ten."""
    plot.scheme_curves(data, axes.flat)


def completed(data: dict[str, xr.Dataset]) -> dict[str, xr.Dataset]:
    """Add the settings that the pictures print, which are not in the stored numbers."""
    for over, name in NAMES.items():
        data[name].attrs = {**ATTRS, "over": over, **data[name].attrs}
    return data


PICTURES = {
    name: Picture(words, draw, name, (4, 3), (10.4, 12.8), options={"sharex": True})
    for name, words in CAPTIONS.items()
}  # fmt: skip
DIMS = {name: [(over,), ("scheme", "flows", over), ("scheme", "flows", f"law_{over}")] for over, name in NAMES.items()}
PART = Part(
    "figures.today.curves", lambda: {name: design.curves(over=over) for over, name in NAMES.items()}, DIMS, PICTURES,
    completed=completed,
)  # fmt: skip

if __name__ == "__main__":
    PART.main()

"""Picture of loss-load curves: transfer time against packet loss, along the virtual factor v."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from longfat.base.quantities import text
from longfat.plot.axes import CHOSEN, MARKERS, caption, error, new_axes, nth_colour

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes


def loss_load_curves(data: xr.Dataset, ax: Axes | None = None) -> Axes:
    """Draw transfer time against packet loss for each exponent k: equilibrium, simulated points, and the chosen point.

    Along a curve the virtual factor v changes.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.design.loss_load`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default new ones.

    Examples
    --------
    >>> from longfat import design
    >>> path = {"rate": "40Mbit/s", "round_trip_time": "10ms", "packet": "500B"}
    >>> data = design.loss_load(**path, loss=0.1, sources=2, file="200kB", k=[2], points=3, progress=False)
    >>> loss_load_curves(data).get_xlabel()
    'packet loss [1]'
    """
    if "curve_loss" not in data:
        raise ValueError("data holds no curves: call design.loss_load with points > 0")
    ax = ax if ax is not None else new_axes()
    for index, k in enumerate(data.k.values):
        row, colour, marker = data.sel(k=k), nth_colour(index), MARKERS[index % len(MARKERS)]
        ax.plot(row.curve_law_loss, row.curve_law_transfer_time, color=colour, lw=1)
        ax.errorbar(
            row.curve_loss, row.curve_transfer_time,
            xerr=error(row, "curve_loss"), yerr=error(row, "curve_transfer_time"),
            color=colour, marker=marker, mfc="none", ms=5, lw=0.8, ls=":", label=f"k = {k:g}",
        )  # fmt: skip
        if np.isfinite(row.v):
            ax.plot(row.loss, row.transfer_time, color=colour, marker=marker, clip_on=False, **CHOSEN)
    a = data.attrs
    ax.axvline(a["ceiling"], color="0.4", lw=0.8, ls="--", label=f"at most {100 * a['ceiling']:.4g}% loss")
    ax.plot([], [], color="0.4", lw=1, label="equilibrium, for all v")
    simulated = f"simulated, {100 * a['confidence']:.6g}% interval"
    ax.errorbar([], [], [], color="0.4", ls=":", marker="o", mfc="none", label=simulated)
    ax.plot([], [], color="0.4", ls="", marker="o", label="chosen", **CHOSEN)
    ax.set(
        xlabel="packet loss [1]",
        ylabel="transfer time [s]",
        xlim=(0, None),
        ylim=(0, None),
        title=f"{a['sources']} sources, {text(a['file'], 'bytes')} each, over {text(a['rate'], 'bytes/s')}, "
        f"{text(a['round_trip_time'], 's')}",
    )
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))  # beside the axes: points may lie in every corner
    caption(
        ax,
        "equilibrium: Prithviraj and Williamson, section 2.3; the simulation includes start and end of the transfers",
        below=44,
    )
    return ax

"""Rate of TCP over the loss of a path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from longfat.base.quantities import text
from longfat.plot.axes import caption, new_axes, nth_colour, rows

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes


def tcp_rates(data: xr.Dataset, ax: Axes | None = None) -> Axes:
    """Draw the share of the link that TCP carries over the loss: of long transfers, and in a check.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.design.tcp_window`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default new ones.

    Examples
    --------
    >>> from longfat import design
    >>> tcp_rates(design.tcp_window(rate="15Mbit/s", round_trip_time="20ms", simulate=False)).get_ylabel()
    'rate over capacity [1]'
    """
    ax = ax if ax is not None else new_axes()
    a = data.attrs
    ax.plot(data.law_loss, data.dense_rate_law / a["rate"], color=nth_colour(0), label="law, long transfer")
    points = rows(data) if "tcp_rate" in data else []
    least = float(data.law_loss.min())
    for index, row in enumerate(points):
        # Without loss a point has no place on a logarithmic axis: it is drawn at the left edge.
        place = [max(least, float(end)) for end in (row.loss_low, row.loss, row.loss_high)]
        share, *check = (float(row[name]) / a["rate"] for name in ("tcp_rate", "check_lower", "check_upper"))
        ax.plot(
            place[1], share, color=nth_colour(1), marker="o", ls="",
            label="long transfer, simulated" if not index else None,
        )  # fmt: skip
        ax.fill_between(
            [place[0] / 1.15, place[2] * 1.15], *check, color=nth_colour(1), alpha=0.25, lw=0,
            label=f"{100 * a['confidence']:.6g}% of checks of {float(row.check_time):g} s" if not index else None,
        )  # fmt: skip
    ax.axhline(a["target"], color="0.6", lw=0.8, ls=":", zorder=0)
    ax.set(
        xscale="log", xlabel="packet loss probability [1]", ylabel="rate over capacity [1]", ylim=(0, 1.05),
        xlim=(least, float(np.max(data.law_loss))),
        title=f"One TCP flow ({a['scheme']}), {text(a['rate'], 'bytes/s')}, {text(a['round_trip_time'], 's')}",
    )  # fmt: skip
    ax.legend(loc="lower left")
    buffer = "one bandwidth-delay product" if a["buffer"] == 1 else f"{a['buffer']:.4g} bandwidth-delay products"
    caption(ax, f"data without headers; buffer: {buffer}; random losses; no loss at the left edge", below=44)
    return ax

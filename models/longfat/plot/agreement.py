"""Difference of a simulator from a law, and the accuracy of the law."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from longfat.base.domains import unknown
from longfat.plot.axes import caption, new_axes, nth_colour

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

#: verdict: place of its colour in the cycle, marker
VERDICTS = {"agrees": (0, "o"), "differs": (1, "X"), "undecided": (4, "s"), "not valid": (6, "^")}


def agreement(data: xr.Dataset, x: str = "law", ax: Axes | None = None) -> Axes:
    """Draw the difference of a simulator from a law, point by point, and the band of the law's accuracy.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.verify.check`.
    x : str
        Variable of the x axis: a parameter of the law, or ``"law"``, its value.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default new ones.

    Examples
    --------
    >>> from longfat import verify
    >>> from longfat.laws.selective_repeat import initial_window
    >>> points = [{"ack_segments": 2.0}]
    >>> table = verify.check(initial_window, lambda rng, **at: 3.0 + 0.1 * (rng % 3), points, accuracy=0.25)
    >>> agreement(table, "ack_segments").get_ylabel()
    'simulated - law [segments]'
    """
    if "verdict" not in data:
        raise ValueError("data holds no verdicts: must be a result of verify.check")
    if x not in data or x == "verdict":
        raise unknown("x", x, [str(name) for name in data.data_vars if name != "verdict"])
    ax = ax if ax is not None else new_axes()
    a, unit = data.attrs, data.law.attrs["units"]
    ax.axhspan(-a["accuracy"], a["accuracy"], color="0.92", zorder=0, label=f"accuracy of the law: {a['accuracy']:g}")
    ax.axhline(0, color="0.4", lw=0.8)
    beyond, below, above = (data[name].values - data.law.values for name in ("estimate", "lower", "upper"))
    verdicts = data.verdict.values
    for verdict, (place, marker) in VERDICTS.items():
        here = verdicts == verdict
        if here.any():
            limits = np.abs([beyond[here] - below[here], above[here] - beyond[here]])
            ax.errorbar(
                data[x].values[here], beyond[here], limits, color=nth_colour(place), ls="", marker=marker, ms=5,
                mfc="none", label=f"{verdict}: {here.sum()}",
            )  # fmt: skip
    known = data[x].attrs.get("units", "")
    ax.set(
        xlabel=f"{x.replace('_', ' ')} [{known}]",
        ylabel=f"simulated - law [{unit}]",
        title=str(a["law"]).replace("_", " "),
    )
    ax.legend()
    caption(ax, f"law: {a['source']}; {100 * a['confidence']:.6g}% for all points together")
    return ax

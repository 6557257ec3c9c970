"""Pictures of a law: its curves with simulated points, and the differences between simulator and law."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base.domains import unknown
from longfat.plot.axes import caption, error, log_ticks, new_axes, nth_colour

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes


def law_curves(data: xr.Dataset, ax: Axes | None = None) -> Axes:
    """Draw a law against one parameter, dotted where it is not valid, with operating point and simulated points.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.explore.dataset`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default new ones.

    Examples
    --------
    >>> from longfat import explore
    >>> from longfat.laws import queues
    >>> law_curves(explore.dataset(explore.start(queues.mm1_wait))).get_ylabel()
    'mm1 wait [service times]'
    """
    if data.attrs.get("made_by") != "longfat.explore":
        raise ValueError("data holds no law: must be a result of explore.dataset")
    ax = ax if ax is not None else new_axes()
    a = data.attrs
    across, family = a["across"], a["family"]
    keys = data[family].values if family else [None]
    shades = map(nth_colour, (2, 3, 4, 5, 6, 1))
    for value in keys:
        row = data if value is None else data.sel({family: value})
        here = value is None or value == a[f"operating_{family}"]
        colour = nth_colour(0) if here else next(shades)
        label = "law" if value is None else f"${data[family].attrs['letter']}$ = {value:.6g}"
        valid = row["valid"].values.astype(bool) if "valid" in row else np.ones(row[across].shape, dtype=bool)
        law = row["law"].values
        ax.plot(row[across], np.where(valid, law, np.nan), color=colour, label=label, lw=2 if here else 1.4)
        if not valid.all():
            ax.plot(row[across], np.where(valid, np.nan, law), color=colour, lw=1, ls=":")
        if here and "as_printed" in row:
            ax.plot(
                row[across], row["as_printed"], color=nth_colour(1), ls="--", lw=1.2, label="as printed in the source"
            )
    if "valid" in data and not data["valid"].values.all():
        ax.plot([], [], color="0.3", lw=1, ls=":", label="outside the valid range of the law")
    if "simulated" in data:
        value, ends = data["simulated"], error(data, "simulated")
        ax.errorbar(data["simulated_at"], value, yerr=ends, color="black", ls="", marker="o", mfc="none", ms=4,
                    label=value.attrs["long_name"])  # fmt: skip
    here_x, here_y = a[f"operating_{across}"], float(data["operating_value"])
    if np.isfinite(here_y):
        ax.plot(
            [here_x], [here_y], color=nth_colour(0), marker="o", ms=8, mec="black", ls="", label=f"here: {here_y:.6g}"
        )
    scales: dict[str, Any] = {"xscale": "log"} if a["logarithmic"] else {}
    ax.set(xlabel=_label(data[across].attrs), ylabel=_named(data["law"].attrs), **scales)
    if a["logarithmic"]:
        log_ticks(ax.xaxis)
    ax.legend()
    others = [
        f"{name} = {a[f'operating_{name}']:.6g}" for name in a["parameters"].split() if name not in (across, family)
    ]
    ax.set_title(", ".join(others), fontsize="small")
    caption(ax, a["source"])
    return ax


def _label(attributes: dict[str, str]) -> str:
    return _named({**attributes, "long_name": f"{attributes['long_name']} ${attributes['letter']}$"})


def _named(attributes: dict[str, str]) -> str:
    unit = attributes["units"]
    return str(attributes["long_name"]) + ("" if unit == "1" else f" [{unit}]")


#: Verdict -> index of its colour in the colour cycle, and its marker.
VERDICTS = {"agrees": (0, "o"), "differs": (1, "X"), "undecided": (4, "s"), "not valid": (6, "^")}


def agreement(data: xr.Dataset, x: str = "law", ax: Axes | None = None) -> Axes:
    """Draw the simulated value minus the law, with its interval, at each point, and the law's accuracy as a band.

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

"""Pictures of a law: its curves with simulated points, and the differences between simulator and formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base.domains import unknown, wrong_type
from longfat.plot.axes import caption, error, log_ticks, new_axes, nth_colour

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

    from longfat.testing import Comparison


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
VERDICTS = {"agrees": (0, "o"), "differs": (1, "X"), "undecided": (4, "s")}


def agreement(found: Sequence[Comparison], x: str = "formula", ax: Axes | None = None) -> Axes:
    """Draw the differences of simulated values from a formula, with their intervals, in units of the accuracy.

    Parameters
    ----------
    found : sequence of longfat.testing.Comparison
        Comparisons of the formula at several points.
    x : str
        Quantity of the x axis: an argument of the formula, or ``"formula"``, its value.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default new ones.

    Examples
    --------
    >>> from longfat.laws.selective_repeat import initial_window
    >>> from longfat.testing import compare
    >>> def simulator(rng, ack_segments):
    ...     return 3.0 + 0.1 * (rng % 3)
    >>> agreement([compare(initial_window, simulator, {"ack_segments": 2.0}, within=0.25)], "ack_segments").get_ylabel()
    '(simulated - formula) / accuracy'
    """
    from longfat.testing import Comparison

    if not isinstance(found, Sequence) or not found or not all(isinstance(one, Comparison) for one in found):
        raise wrong_type("found", found, "one result or more of testing.compare, in a list")
    if x != "formula" and x not in found[0].point:
        raise unknown("x", x, ["formula", *found[0].point])
    ax = ax if ax is not None else new_axes()
    ax.axhspan(-1, 1, color="0.92", zorder=0, label="accuracy of the formula")
    ax.axhline(0, color="0.4", lw=0.8)
    for verdict, (place, marker) in VERDICTS.items():
        some = [one for one in found if one.verdict == verdict]
        if some:
            formulas, accuracies = (np.array([getattr(one, name) for one in some]) for name in ("formula", "within"))
            across = formulas if x == "formula" else [one.point[x] for one in some]
            simulated = np.array([(one.estimate, *one.interval) for one in some])
            beyond, below, above = (simulated.T - formulas) / accuracies
            ax.errorbar(
                across, beyond, [beyond - below, above - beyond], color=nth_colour(place), ls="", marker=marker, ms=5,
                mfc="none", label=f"{verdict}: {len(some)}",
            )  # fmt: skip
    ax.set(xlabel=x.replace("_", " "), ylabel="(simulated - formula) / accuracy")
    ax.legend()
    caption(ax, f"intervals of {100 * found[0].power:.6g}% each")
    return ax

"""Pictures of CADPC: fairness time and queue length with their upper bounds, and rates of the flows of a class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base.quantities import text
from longfat.plot.axes import MBIT, caption, error, new_axes, new_figure, nth_colour

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

MOST_PERIODS = 6  # largest number of update periods that fit into a line of the caption


def cadpc_bounds(data: xr.Dataset, axes: Sequence[Axes] | None = None) -> Sequence[Axes]:
    """Draw fairness time [s] and mean queue length [packets] against the number of flows, with their upper bounds.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.design.cadpc`.
    axes : two of matplotlib.axes.Axes, optional
        Axes to draw on; by default those of a new figure.
    """
    if "fairness_time" not in data or "queue_bound" not in data.attrs:
        raise ValueError("data holds no bounds: must be a result of design.cadpc")
    if axes is None:
        axes = new_figure(2, 1, sharex=True, figsize=(7.2, 5.6))
    a, flows = data.attrs, data["flows"].values
    axes[0].plot(flows, data["fairness_time"], "o-", label="law, at the chosen period")
    axes[0].axhline(a["fairness_bound"], color=nth_colour(1), ls="--", label="bound")
    top = max(a["fairness_bound"], float(data["fairness_time"].max()))
    axes[0].set(ylabel="fairness time [s]", ylim=(0, 1.1 * top))
    queue = data["queue"].values
    said = f"simulated, {a['replications']} replications, {100 * a['confidence']:.6g}% interval"
    axes[1].errorbar(flows, queue, yerr=error(data, "queue"), ls="", marker="o", color="black", mfc="none", label=said)
    if np.isfinite(a["queue_bound"]):
        axes[1].axhline(a["queue_bound"], color=nth_colour(1), ls="--", label="bound")
    axes[1].set(xlabel="flows [1]", ylabel="mean queue length [packets]", ylim=(0, None))
    axes[0].set_title(f"CADPC over {text(a['rate'], 'bytes/s')}, {text(a['round_trip_time'], 's')}")
    for ax in axes:
        ax.legend()
    caption(axes[1], _periods(flows, data["period"].values))
    return axes


def _periods(flows: Any, periods: Any) -> str:
    """Return a caption with the update period [round trips] for each number of flows; if many, with their range."""
    chosen = [f"{period:.3g} at {n:g}" for n, period in zip(flows, periods, strict=True) if np.isfinite(period)]
    if len(chosen) > MOST_PERIODS:
        known = periods[np.isfinite(periods)]
        chosen = [f"{known.min():.3g} to {known.max():.3g}"]
    return f"update periods [round trips] at numbers of flows: {', '.join(chosen) or 'none suffices'}"


def cadpc_shares(data: xr.Dataset, ax: Axes | None = None) -> Axes:
    """Draw the rate of each flow of a class as a bar with the flow's weight.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.design.cadpc_class`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default new ones.
    """
    ax = ax if ax is not None else new_axes()
    number = np.arange(1, data.sizes["flow"] + 1)
    ax.bar(number, data["rate"].values / MBIT, width=0.7)
    for x, rate, weight in zip(number, data["rate"].values / MBIT, data["weight"].values, strict=True):
        ax.annotate(
            f"weight {weight:.3g}", (x, rate), (0, 2), textcoords="offset points", ha="center", fontsize="small"
        )
    reserved, used = float(data["reserved"]), float(data["used"])
    ax.set(xlabel="flow [1]", ylabel="rate [Mbit/s]", xticks=number)
    ax.set_title(f"{text(reserved, 'bytes/s')} to reserve, {100 * used:.3g} % of it used")
    return ax

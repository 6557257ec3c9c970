"""Results of a run: rates, windows and queues over time, or goodputs and utilisations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.plot.axes import SIZE, limits, new_figure, nth_colour
from longfat.plot.networks import names_beside, traces

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

MBIT = 125_000.0  # bytes/s


def run(data: xr.Dataset, axes: Any = None) -> Any:
    """Draw a run: rates, windows and queues over time if it was sampled, else goodputs and utilisations.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.sim.run`; with ``sample_every`` it has traces.
    axes : matplotlib.axes.Axes, three with traces and two without, optional
        Axes to draw on; by default those of a new figure.

    Examples
    --------
    >>> from longfat.sim import Network, run as simulate
    >>> net = Network.chain(1, rate="8 Mbit/s", delay="10 ms").flow("reno", path=["n0", "n1"])
    >>> [ax.get_ylabel() for ax in run(simulate(net, duration=1, sample_every=0.1, rng=1, progress=False))]
    ['rate [Mbit/s]', 'window [packets]', 'queue [packets]']
    >>> [ax.get_xlabel() for ax in run(simulate(net, duration=1, rng=1, progress=False))]
    ['goodput [Mbit/s]', 'utilisation [1]']
    """
    if "goodput" not in data or "utilisation" not in data:
        raise ValueError("data holds no run: must be a result of sim.run")
    sampled = "received_trace" in data
    if axes is None:
        axes = new_figure(3, 1, sharex=True, figsize=(7.2, 7.2)) if sampled else new_figure(1, 2, figsize=SIZE)
    if not sampled:
        return _totals(data, axes)
    _rates(data, axes[0])
    traces(data, axes[1:])
    return axes


def _rates(data: xr.Dataset, ax: Axes) -> None:
    """Draw the goodput of each flow: new data received between two samples, over the time between them."""
    time = data["time"].values
    if len(time) > 1:
        rates = np.diff(data["received_trace"].transpose("time", "flow").values, axis=0) / np.diff(time)[:, None] / MBIT
        for k, (name, rate) in enumerate(zip(data["flow"].values, rates.T, strict=True)):
            ax.stairs(rate, time, label=str(name), lw=1.2, color=nth_colour(k), baseline=None)
    ax.set(ylabel="rate [Mbit/s]", ylim=(0, None))
    names_beside(ax, data.sizes["flow"])


def _totals(data: xr.Dataset, axes: Any) -> Any:
    """Draw a marker for every flow and link, with its confidence interval if there are replications."""
    for ax, dim, name, scale, unit in (
        (axes[0], "flow", "goodput", MBIT, "Mbit/s"), (axes[1], "link", "utilisation", 1.0, "1"),
    ):  # fmt: skip
        row = data[name].values / scale
        places = np.arange(len(row))[::-1]
        ends = None
        if f"{name}_lower" in data:
            lower, upper = (one / scale for one in limits(data, name))
            ends = np.abs([row - lower, upper - row])
        ax.errorbar(row, places, xerr=ends, ls="", marker="o", color=nth_colour(0), clip_on=False, zorder=3)
        ax.set(xlabel=f"{name} [{unit}]", xlim=(0, None), ylim=(-0.5, len(row) - 0.5))
        some = slice(None, None, -(-len(row) // 20))
        ax.set_yticks(places[some], [str(one) for one in data[dim].values[some]])
    a = data.attrs
    if a.get("deterministic"):
        axes[0].set_title("deterministic: replications would be identical", fontsize="small")
    elif "goodput_lower" in data:
        axes[0].set_title(f"{a['replications']} replications, {100 * a['confidence']:.6g}% intervals")
        axes[1].set_title("intervals cut at 0 and 1", fontsize="small")
    return axes

"""Windows and queues of a scenario in the simulator and on Linux, drawn in the same axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.plot.axes import new_figure, nth_colour
from longfat.plot.networks import names_beside

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

APART = 3  # flows whose windows are drawn one by one; of more flows, the sum
#: Simulator: wide and pale, below; Linux: thin and dark, above. So both are seen where they agree.
LINES: dict[str, dict[str, Any]] = {
    "simulator": {"lw": 3.5, "alpha": 0.35, "solid_capstyle": "butt"},
    "Linux": {"lw": 1.0},
}


def faces(data: xr.Dataset, axes: Sequence[Axes] | None = None) -> Sequence[Axes]:
    """Draw windows and queues of the simulator and of Linux in the same axes.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.testbed.compare` with ``sample_every``.
    axes : two of matplotlib.axes.Axes, optional
        Axes of the windows and of the queues; by default those of a new figure.

    Examples
    --------
    >>> import xarray as xr
    >>> from longfat.sim import Network, run
    >>> net = Network.chain(1, rate="8 Mbit/s", delay="10 ms").flow("reno", path=["n0", "n1"])
    >>> data = run(net, duration=1, sample_every=0.1, rng=1, progress=False)
    >>> drawn = faces(xr.concat([data, data], xr.Variable("face", ["simulator", "Linux"])))
    >>> [ax.get_ylabel() for ax in drawn]
    ['window [packets]', 'queue [packets]']
    """
    if "face" not in data.dims or "window_trace" not in data:
        raise ValueError("data holds no traces of the simulator and Linux: call testbed.compare with sample_every")
    if axes is None:
        axes = new_figure(2, 1, sharex=True, figsize=(7.2, 5.6))
    windows = data["window_trace"]
    if data.sizes["flow"] > APART:
        together = windows.sum("flow", min_count=data.sizes["flow"])
        windows = together.expand_dims(flow=[f"sum of {data.sizes['flow']} flows"])
    queues = data["queue_trace"]
    busy = [one for one in data["link"].values if (queues.sel(link=one) > 0).any()]
    for ax, trace, dim, kind in (
        (axes[0], windows, "flow", "window"), (axes[1], queues.sel(link=busy), "link", "queue"),
    ):  # fmt: skip
        for k, one in enumerate(trace[dim].values):
            for face, line in LINES.items():
                label = face if trace.sizes[dim] == 1 else f"{one}, {face}"
                ax.plot(data["time"], trace.sel({dim: one, "face": face}), label=label, color=nth_colour(k), **line)
        ax.set(ylabel=f"{kind} [packets]", ylim=(0, None), xlim=(0, float(np.max(data["time"].values))))
        names_beside(ax, trace.sizes[dim])
    axes[0].set_title(_title(windows, "flow", "window"), fontsize="small", loc="left")
    axes[1].set_title(_title(queues.sel(link=busy), "link", "queue"), fontsize="small", loc="left")
    axes[1].set_xlabel("time [s]")
    return axes


def _title(trace: xr.DataArray, dim: str, kind: str) -> str:
    """Return the title of a panel; empty if it has several curves."""
    names = [str(one) for one in trace[dim].values]
    return f"{kind} of {names[0]}" if len(names) == 1 else ""

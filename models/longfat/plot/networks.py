"""Time series of simulated networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from longfat.plot.axes import nth_colour

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes


LABELLED = 7  # flows or links; more have no legend


def traces(data: xr.Dataset, axes: Sequence[Axes]) -> Sequence[Axes]:
    """Draw the windows of flows and the queues of links over time.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.sim.run` with ``sample_every``.
    axes : two of matplotlib.axes.Axes
        Axes of the windows and of the queues.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from longfat.sim import Network, run
    >>> net = Network.chain(1, rate="8 Mbit/s", delay="10 ms").flow("reno", path=["n0", "n1"])
    >>> drawn = traces(run(net, duration=1, sample_every=0.1, rng=1, progress=False), plt.subplots(2)[1])
    >>> [ax.get_ylabel() for ax in drawn]
    ['window [packets]', 'queue [packets]']
    """
    if "window_trace" not in data:
        raise ValueError("data holds no traces: call sim.run with sample_every")
    for ax, name, dim in ((axes[0], "window", "flow"), (axes[1], "queue", "link")):
        trace = data[f"{name}_trace"]
        busy = [one for one in data[dim].values if np.isfinite(trace.sel({dim: one})).any()]
        if dim == "link":  # most links of a network never hold a packet
            busy = [one for one in busy if (trace.sel(link=one) > 0).any()]
        places = {one: k for k, one in enumerate(data[dim].values)}  # gives a flow one colour in all panels
        for k, one in enumerate(busy):
            colour = nth_colour(places[one] if dim == "flow" else k)
            ax.plot(data.time, trace.sel({dim: one}), label=str(one), color=colour)
        ax.set(ylabel=f"{name} [packets]", ylim=(0, None), xlim=(0, float(data.time[-1])))
        names_beside(ax, len(busy))
    axes[1].set_xlabel("time [s]")
    return axes


def names_beside(ax: Axes, count: int) -> None:
    """Draw a legend to the right of the axes, unless there are more lines than colours."""
    if 0 < count <= LABELLED:
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small", frameon=False)

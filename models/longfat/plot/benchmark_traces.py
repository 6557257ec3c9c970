"""Time series of an experiment of the benchmark, a panel for each scheme; see `longfat.benchmark.traces`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from longfat.plot.axes import nth_colour

if TYPE_CHECKING:
    import xarray as xr


def benchmark_rates(data: xr.Dataset, axes: Any, title: str = "") -> Any:
    """Draw the sending rate of connection 1 over time, one panel for each scheme.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.benchmark.traces`.
    axes : sequence of matplotlib.axes.Axes
        One for each scheme.
    title : str
        Title above the panels.
    """
    for ax, row in _panels(data, axes):
        ax.step(1e3 * row.time, 8e-6 * row.sending_rate, where="post", lw=1, color=nth_colour(0))
        ax.axhline(40, color="0.6", lw=0.7, ls=":")
        ax.set(ylim=(0, None), xlim=(0, 1e3 * float(row.time[-1])))
    return _labelled(axes, title, "sending rate [Mbit/s]; dotted: the bottleneck, 40 Mbit/s")


def benchmark_queues(data: xr.Dataset, axes: Any, title: str = "") -> Any:
    """Draw the queue length of the bottleneck over time; parameters as for `benchmark_rates`."""
    for ax, row in _panels(data, axes):
        ax.plot(1e3 * row.fine_time, row.queue, lw=0.8, color=nth_colour(1))
        ax.set(ylim=(0, None), xlim=(0, 1e3 * float(row.fine_time[-1])))
    return _labelled(axes, title, "queue at the bottleneck [packets]")


def _panels(data: xr.Dataset, axes: Any) -> Any:
    for ax, name in zip(axes, data.scheme.values, strict=True):
        row = data.sel(scheme=name)
        ax.set_title(_name(str(name), str(row.label.item())), fontsize="small", loc="left")
        yield ax, row


def _name(scheme: str, label: str) -> str:
    """Return the name of a scheme and, if it differs, the one in the paper: hbh is hop-by-hop."""
    return label if scheme in label else f"{scheme} ({label})"


def _labelled(axes: Any, title: str, label: str) -> Any:
    axes[-1].set_xlabel("time [ms]")
    if title:  # the title stands above the name of the first scheme
        axes[0].set_title(f"{title}\n{axes[0].get_title(loc='left')}", fontsize="medium", loc="left")
    axes[0].figure.supylabel(label, fontsize="medium")
    return axes

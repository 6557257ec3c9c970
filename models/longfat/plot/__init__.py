"""Functions that draw the Dataset of a result on matplotlib axes and return the axes; they compute no results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from longfat.base.domains import unknown, wrong_type
from longfat.plot.axes import nth_colour, rows, style
from longfat.plot.design import loss_load_curves, scheme_curves, switch_buffer_curves, tcp_rates, window_curves
from longfat.plot.laws import agreement, law_curves
from longfat.plot.measurements import measurements
from longfat.plot.results import run, sweep_curves, traces, with_intervals
from longfat.plot.suites import benchmark_times, path_maps

if TYPE_CHECKING:
    import xarray as xr

__all__ = [
    "agreement", "benchmark_times", "law_curves", "loss_load_curves", "measurements", "nth_colour", "path_maps",
    "rows", "run", "scheme_curves", "show", "style", "sweep_curves", "switch_buffer_curves", "tcp_rates", "traces",
    "window_curves", "with_intervals",
]  # fmt: skip

#: Function that made a result -> function that draws it.
PICTURES: dict[str, Any] = {
    "longfat.design.buffer": switch_buffer_curves,
    "longfat.design.curves": scheme_curves,
    "longfat.design.loss_load": loss_load_curves,
    "longfat.design.tcp_window": tcp_rates,
    "longfat.design.window": window_curves,
    "longfat.explore": law_curves,
    "longfat.sim.run": run,
    "longfat.sweep": sweep_curves,
    "longfat.testbed.compare": traces,
    "longfat.testbed.run": run,
}


def show(data: xr.Dataset, axes: Any = None) -> Any:
    """Draw a result; its attribute ``made_by`` selects the drawing function from `PICTURES`.

    Parameters
    ----------
    data : xarray.Dataset
        Result of a function of `longfat.sim`, `longfat.design`, `longfat.testbed` or `longfat.explore`, or of
        `longfat.sweep`.
    axes : matplotlib.axes.Axes, or several of them, optional
        Axes to draw on; by default those of a new figure.

    Examples
    --------
    >>> from longfat.sim import Network, run
    >>> net = Network.chain(1, rate="8 Mbit/s", delay="10 ms").flow("reno", path=["n0", "n1"])
    >>> len(show(run(net, duration=1, sample_every=0.1, rng=1, progress=False)))
    3
    """
    if not hasattr(data, "attrs"):
        raise wrong_type("data", data, "a Dataset")
    maker = data.attrs.get("made_by", "")
    if maker not in PICTURES:
        raise unknown("data has no picture: made_by", maker, PICTURES)
    return PICTURES[maker](data, axes)

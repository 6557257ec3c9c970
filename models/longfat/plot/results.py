"""Pictures of runs in the simulator or on Linux, and of variables with confidence intervals along a dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base.domains import out_of_range, unknown, wrong_shape
from longfat.plot.axes import MARKERS, MBIT, SIZE, caption, error, is_share, new_axes, new_figure, nth_colour, rows

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes


def run(data: xr.Dataset, axes: Any = None) -> Any:
    """Draw a run: rates, windows and queues over time if the run was sampled, else mean goodputs and utilisations.

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
    if "network" in data.dims:
        raise ValueError("data holds several networks: select one, as in data.isel(network=0)")
    sampled = "received_trace" in data
    if axes is None:
        axes = new_figure(3, 1, sharex=True, figsize=(7.2, 7.2)) if sampled else new_figure(1, 2, figsize=SIZE)
    if not sampled:
        return _totals(data, axes)
    _rates(data, axes[0])
    traces(data, axes[1:])
    return axes


def _rates(data: xr.Dataset, ax: Axes) -> None:
    """Draw each flow's goodput over time: new data received between two samples, divided by the time between them."""
    time = data["time"].values
    if len(time) > 1:
        rates = np.diff(data["received_trace"].transpose("time", "flow").values, axis=0) / np.diff(time)[:, None] / MBIT
        for k, (name, rate) in enumerate(zip(data["flow"].values, rates.T, strict=True)):
            ax.stairs(rate, time, label=str(name), lw=1.2, color=nth_colour(k), baseline=None)
    ax.set(ylabel="rate [Mbit/s]", ylim=(0, None))
    names_beside(ax, data.sizes["flow"])


def _totals(data: xr.Dataset, axes: Any) -> Any:
    """Draw each flow's goodput and each link's utilisation, with confidence intervals if the data have them."""
    for ax, dim, name, scale, unit in (
        (axes[0], "flow", "goodput", MBIT, "Mbit/s"), (axes[1], "link", "utilisation", 1.0, "1"),
    ):  # fmt: skip
        row = data[name].values / scale
        places = np.arange(len(row))[::-1]
        ends = error(data, name) / scale if f"{name}_lower" in data else None
        ax.errorbar(row, places, xerr=ends, ls="", marker="o", color=nth_colour(0), clip_on=False, zorder=3)
        ax.set(xlabel=f"{name} [{unit}]", xlim=(0, None), ylim=(-0.5, len(row) - 0.5))
        some = slice(None, None, -(-len(row) // 20))
        ax.set_yticks(places[some], [str(one) for one in data[dim].values[some]])
    a = data.attrs
    if a.get("deterministic"):
        axes[0].set_title("deterministic: replications would be identical", fontsize="small")
    elif "goodput_lower" in data:
        axes[0].set_title(f"{a['replications']} replications, {100 * a['confidence']:.6g}% intervals, cut at 0")
        axes[1].set_title("intervals cut at 0 and 1", fontsize="small")
    return axes


LABELLED = 7  # largest number of flows or links with a legend
APART = 3  # most flows that have a line each where simulator and Linux are compared; the sum of more flows is drawn
#: Styles of lines. Linux's thin, dark line is drawn over the simulator's wide, pale line, so that both stay visible.
LINES: dict[str, dict[str, Any]] = {
    "simulator": {"lw": 3.5, "alpha": 0.35, "solid_capstyle": "butt"},
    "Linux": {"lw": 1.0},
}


def traces(data: xr.Dataset, axes: Sequence[Axes] | None = None) -> Sequence[Axes]:
    """Draw windows of flows and queues of links over time; those of simulator and Linux are drawn on the same axes.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.sim.run`, `longfat.testbed.run` or `longfat.testbed.compare` with ``sample_every``.
    axes : two of matplotlib.axes.Axes, optional
        Axes of the windows and of the queues; by default those of a new figure.

    Examples
    --------
    >>> from longfat.sim import Network, run
    >>> net = Network.chain(1, rate="8 Mbit/s", delay="10 ms").flow("reno", path=["n0", "n1"])
    >>> drawn = traces(run(net, duration=1, sample_every=0.1, rng=1, progress=False))
    >>> [ax.get_ylabel() for ax in drawn]
    ['window [packets]', 'queue [packets]']
    """
    if "window_trace" not in data:
        raise ValueError("data holds no traces: call sim.run with sample_every")
    if axes is None:
        axes = new_figure(2, 1, sharex=True, figsize=(7.2, 5.6))
    faces = LINES if "face" in data.dims else {"": {}}
    for ax, kind, dim in ((axes[0], "window", "flow"), (axes[1], "queue", "link")):
        trace = data[f"{kind}_trace"]
        if "face" in data.dims and dim == "flow" and data.sizes["flow"] > APART:
            together = trace.sum("flow", min_count=data.sizes["flow"])
            trace = together.expand_dims(flow=[f"sum of {data.sizes['flow']} flows"])
        busy = [one for one in trace[dim].values if np.isfinite(trace.sel({dim: one})).any()]
        if dim == "link":  # most links of a network never hold a packet
            busy = [one for one in busy if (trace.sel(link=one) > 0).any()]
        places = {one: k for k, one in enumerate(trace[dim].values)}  # gives a flow one colour in all panels
        for k, one in enumerate(busy):
            colour = nth_colour(places[one] if dim == "flow" else k)
            for face, line in faces.items():
                where = {dim: one, "face": face} if face else {dim: one}
                label = face if face and len(busy) == 1 else ", ".join(filter(None, (str(one), face)))
                ax.plot(data["time"], trace.sel(where), label=label, color=colour, **line)
        ax.set(ylabel=f"{kind} [packets]", ylim=(0, None), xlim=(0, float(data["time"].max())))
        names_beside(ax, len(busy))
        if "face" in data.dims and len(busy) == 1:
            ax.set_title(f"{kind} of {busy[0]}", fontsize="small", loc="left")
    axes[1].set_xlabel("time [s]")
    return axes


def names_beside(ax: Axes, count: int) -> None:
    """Draw a legend to the right of the axes if they have at most `LABELLED` lines, each in its own colour."""
    if 0 < count <= LABELLED:
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small", frameon=False)


MOST_LINES = 7


def with_intervals(data: xr.Dataset, name: str, x: str | None = None, ax: Axes | None = None, **style: Any) -> Axes:
    """Draw a variable with its confidence limits along one dimension, with a line for each value of a second dimension.

    Parameters
    ----------
    data : xarray.Dataset
        Dataset with the variables ``name``, ``name_lower`` and ``name_upper``, such as the results of `longfat.sweep`,
        `longfat.sim.run` and `longfat.benchmark.run` with replications. A second dimension has at most seven values.
    name : str
        Name of the variable.
    x : str, optional
        Dimension of the variable on the x axis; by default its last numeric one.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default new ones.
    **style
        Keywords of `matplotlib.axes.Axes.errorbar`.

    Examples
    --------
    >>> from longfat import sweep
    >>> data = sweep(lambda load, rng: {"wait": rng.exponential(load)}, {"load": [0.3, 0.6]}, replications=3, rng=1)
    >>> ax = with_intervals(data, "wait")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('load', 'wait')
    """
    for needed in (name, f"{name}_lower", f"{name}_upper"):
        if needed not in data:
            raise ValueError(f"data holds no {needed}: confidence limits need a result of several replications")
    dims = [str(dim) for dim in data[name].dims]
    numeric = [dim for dim in dims if np.issubdtype(data[dim].dtype, np.number)]
    if not 1 <= len(dims) <= 2:
        raise wrong_shape(name, data[name].shape, "of one or two dimensions")
    chosen = x if x is not None else (numeric or dims)[-1]
    if chosen not in dims:
        raise unknown("x", chosen, dims)
    other = next((dim for dim in dims if dim != chosen), None)
    if other is not None and data.sizes[other] > MOST_LINES:
        raise out_of_range(other, f"{data.sizes[other]} values", "1", f"at most {MOST_LINES} values; select some")
    ax = ax if ax is not None else new_axes()
    for index, row in enumerate([data] if other is None else rows(data, other)):
        y, limits = row[name], error(row, name)
        look: dict[str, Any] = {
            "color": nth_colour(index),
            "marker": MARKERS[index % len(MARKERS)],
            "ms": 5,
            "lw": 1.2,
            "mfc": "none",
        } | style
        if other is not None:
            look.setdefault("label", _label(other, row[other].item()))
        ax.errorbar(row[chosen].values, y.values, limits, **look)
    ax.set(xlabel=_axis(data, chosen), ylabel=_axis(data, name))
    if other is not None:
        ax.legend()
    a = data.attrs
    if "confidence" in a and "replications" in a:
        cut = ", cut at 0 and 1" if is_share(data, name) else ""
        caption(ax, f"simulated: {100 * a['confidence']:.6g}% intervals of {a['replications']} runs{cut}")
    return ax


def sweep_curves(data: xr.Dataset, axes: Any = None) -> Any:
    """Draw each variable of a sweep with `with_intervals` in a panel; variables without confidence limits are left out.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.sweep` with several replications, over one or two parameters.
    axes : matplotlib.axes.Axes, one for each variable, optional
        Axes to draw on; by default those of a new figure.

    Examples
    --------
    >>> from longfat import sweep
    >>> data = sweep(lambda load, rng: {"wait": rng.exponential(load)}, {"load": [0.3, 0.6]}, replications=3, rng=1)
    >>> sweep_curves(data).get_ylabel()
    'wait'
    """
    names = [str(name) for name in data.data_vars if f"{name}_lower" in data]
    if not names:
        raise ValueError("data holds no intervals: call sweep with several replications")
    if axes is None:
        axes = new_figure(len(names), 1, figsize=(SIZE[0], SIZE[1] + 3.0 * (len(names) - 1)))
    for name, ax in zip(names, np.ravel(axes), strict=True):
        with_intervals(data, name, ax=ax)
    return axes


def _label(dim: str, value: Any) -> str:
    return str(value) if isinstance(value, str) else f"{dim.replace('_', ' ')} = {value:g}"


def _axis(data: xr.Dataset, name: str) -> str:
    unit = data[name].attrs.get("units")
    return name.replace("_", " ") + (f" [{unit}]" if unit else "")

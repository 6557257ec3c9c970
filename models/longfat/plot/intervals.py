"""Pictures of variables with confidence intervals along a dimension of their Dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base.domains import out_of_range, unknown, wrong_shape
from longfat.plot.axes import MARKERS, SIZE, caption, error, is_share, new_axes, new_figure, nth_colour, rows

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

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

"""Curves of a law as a Dataset and as a picture."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base import extras
from longfat.base.labelled import made_by
from longfat.explore.simulations import CONFIDENCE
from longfat.explore.state import State

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

POINTS = 241  # number of points along the x axis; more would not be visible on a screen


def dataset(state: State, points: int = POINTS, *, simulated: Sequence[Mapping[str, float]] = ()) -> xr.Dataset:
    """Return a Dataset of a law's curves along the x axis, of their validity, and of the curves printed in its source.

    Parameters
    ----------
    state : State
        Law, values of its parameters, axis and family of curves.
    points : int
        Number of points of each curve.
    simulated : sequence of mapping
        Simulated points, such as those of `Explorer.points`.

    Returns
    -------
    xarray.Dataset
        ``law`` along the parameter of the x axis, and along the parameter of the family if there is one; ``valid`` if
        the law has a range of validity, ``as_printed`` if its source prints another expression; ``simulated``,
        ``simulated_lower`` and ``simulated_upper`` along ``simulated_at`` if there are simulated points. Variables
        ``operating_...`` are values at the operating point, whose parameters are in ``attrs``.

    Examples
    --------
    >>> from longfat.explore.state import start
    >>> from longfat.laws import queues
    >>> data = dataset(start(queues.mm1_wait, load=0.5), points=3)
    >>> data["load"].values, data.law.values.round(3), data.operating_value.item()
    (array([0.05, 0.5 , 0.95]), array([ 0.053,  1.   , 19.   ]), 1.0)
    """
    import xarray as xr

    law, across, family = state.law, state.across, state.family
    x = state.scale(across).dense(points)
    dims: tuple[str, ...] = (across,)
    grid: dict[str, Any] = {**state.values, across: x}
    coordinates: dict[str, Any] = {across: (across, x, _about(state, across))}
    if family:
        family_values = np.array(sorted({*state.family_values, state.values[family]}))
        dims = (family, across)
        grid[family] = family_values[:, None]
        coordinates[family] = (family, family_values, _about(state, family))
    unit = {"units": law.unit}
    shape = np.broadcast_shapes(*(np.shape(value) for value in grid.values()))
    variables: dict[str, Any] = {"law": (dims, law(**grid), unit | {"long_name": _title(law.name)})}
    variables["operating_value"] = ((), law(**state.values), unit)
    if law.validity is not None:
        valid = np.broadcast_to(law.validity(**grid), shape)
        variables["valid"] = (dims, valid, {"long_name": law.validity.text})
        variables["operating_valid"] = ((), bool(law.validity(**state.values)))
    if law.has_printed:
        variables["as_printed"] = (dims, law.as_printed(**grid), unit | {"long_name": law.as_printed.errata})
        variables["operating_as_printed"] = ((), law.as_printed(**state.values), unit)
    if simulated:
        found = sorted(simulated, key=lambda one: one["x"])
        runs = max(one["runs"] for one in found)
        named = unit | {"long_name": f"simulated, {runs} replications, {100 * CONFIDENCE:g}% intervals"}
        for name, key in (("simulated", "mean"), ("simulated_lower", "low"), ("simulated_upper", "high")):
            variables[name] = ("simulated_at", [one[key] for one in found], named)
        coordinates["simulated_at"] = ("simulated_at", [one["x"] for one in found], _about(state, across))
    return made_by(xr.Dataset(variables, coordinates, _attributes(state)), "explore")


def _about(state: State, name: str) -> dict[str, str]:
    """Return unit, meaning and letter of a parameter, as attributes of its coordinate."""
    return {"units": "", "long_name": _title(name)} | state.law.symbols[name].attrs


def _attributes(state: State) -> dict[str, Any]:
    """Return the attributes of the Dataset: law, source, axes, and the parameters' values at the operating point."""
    return {
        "law": state.law.public_name,
        "source": state.law.source,
        "across": state.across,
        "family": state.family,
        "logarithmic": int(state.law.symbols[state.across].logarithmic),
        "parameters": " ".join(state.values),
        **{f"operating_{name}": value for name, value in state.values.items()},
    }


def _title(name: str) -> str:
    """Return a name in words: "throughput_efficiency" is "throughput efficiency"."""
    return name.replace("_", " ")


def figure(data: xr.Dataset) -> Figure:
    """Return a matplotlib figure of the curves in the project's style, without opening a window."""
    extras.need("explore.figure", "matplotlib")
    from matplotlib.figure import Figure

    from longfat import plot

    with plot.style():
        made = Figure()
        plot.law_curves(data, made.subplots())
    return made


def svg(data: xr.Dataset) -> str:
    """Return the figure of the curves as the text of an SVG file."""
    from longfat import plot

    text = io.StringIO()
    with plot.style():
        figure(data).savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()

"""Curves of a state, as a Dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.explore.state import State

if TYPE_CHECKING:
    import xarray as xr

POINTS = 241  # along the x axis: more cannot be told apart on a screen


def dataset(state: State, points: int = POINTS) -> xr.Dataset:
    """Return the curves of a law: its values, where they are valid, and the expression printed in its source.

    Parameters
    ----------
    state : State
        The state.
    points : int
        Number of points of each curve.

    Returns
    -------
    xarray.Dataset
        ``law`` along the parameter of the x axis, and along that of the family if there is one; ``valid`` if the law's
        record has a range of validity, ``as_printed`` if it has the expression printed in the source.
        ``operating_value`` and similar variables are values at the operating point, whose parameters are in ``attrs``.

    Examples
    --------
    >>> from longfat.explore.state import start
    >>> from longfat.laws import queues
    >>> data = dataset(start(queues.mm1_wait, load=0.5), points=3)
    >>> data["load"].values, data.law.values.round(3), data.operating_value.item()
    (array([0.05, 0.5 , 0.95]), array([ 0.053,  1.   , 19.   ]), 1.0)
    """
    import xarray as xr

    from longfat.base.provenance import made_by

    law, across, family = state.law, state.across, state.family
    x = state.scale(across).dense(points)
    dims: tuple[str, ...] = (across,)
    grid: dict[str, Any] = {**state.values, across: x}
    coordinates: dict[str, Any] = {across: (across, x, about(state, across))}
    if family:
        family_values = np.array(sorted({*state.family_values, state.values[family]}))
        dims = (family, across)
        grid[family] = family_values[:, None]
        coordinates[family] = (family, family_values, about(state, family))
    unit = {"units": law.unit}
    shape = np.broadcast_shapes(*(np.shape(value) for value in grid.values()))
    variables: dict[str, Any] = {"law": (dims, law(**grid), unit | {"long_name": title(law.name)})}
    variables["operating_value"] = ((), law(**state.values), unit)
    if law.validity is not None:
        valid = np.broadcast_to(law.validity(**grid), shape)
        variables["valid"] = (dims, valid, {"long_name": law.validity.text})
        variables["operating_valid"] = ((), bool(law.validity(**state.values)))
    if law.has_printed:
        variables["as_printed"] = (dims, law.as_printed(**grid), unit | {"long_name": law.as_printed.errata})
        variables["operating_as_printed"] = ((), law.as_printed(**state.values), unit)
    return made_by(xr.Dataset(variables, coordinates, attributes(state)), "explore")


def about(state: State, name: str) -> dict[str, str]:
    """Return unit, meaning and letter of a parameter, as attributes."""
    symbol = state.law.symbols[name]
    return {"units": symbol.unit, "long_name": symbol.meaning or title(name), "letter": symbol.letter}


def attributes(state: State) -> dict[str, Any]:
    """Return the attributes of a file: law, source, axis, and the operating point by parameters."""
    return {
        "law": state.law.public_name,
        "source": state.law.source,
        "across": state.across,
        "family": state.family,
        "logarithmic": int(state.scale(state.across).logarithmic),
        "parameters": " ".join(state.values),
        **{f"operating_{name}": value for name, value in state.values.items()},
    }


def title(name: str) -> str:
    """Return a name in words: "throughput_efficiency" is "throughput efficiency"."""
    return name.replace("_", " ")

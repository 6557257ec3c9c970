"""Laws to explore, the state of an exploration (a law, values of its parameters, an axis), and its curves."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base import domains, extras
from longfat.base.domains import unknown
from longfat.base.labelled import made_by
from longfat.base.quantity import Scale
from longfat.base.user_files import names_file
from longfat.base.user_files import read as read_file
from longfat.handbook import javascript, law_records
from longfat.law import Law

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

POINTS = 241  # number of points along the x axis; more would not be visible on a screen
CONFIDENCE = 0.95  # level of the confidence intervals of simulated points
CURVES = 6  # largest number of curves besides that of the operating point; more would be hard to distinguish


@dataclass(frozen=True)
class State:
    """State of an exploration: law, values of its parameters, parameter of the x axis, parameter of a family of curves.

    Parameters
    ----------
    law : Law
        Law to explore.
    values : mapping of str to float
        Value of every parameter at the operating point, in the units of the law's record.
    across : str
        Parameter along the x axis.
    family : str
        Parameter that differs between the curves of a family; empty for a single curve.
    family_values : tuple of float
        Values of the parameter `family`, besides its value at the operating point.

    Examples
    --------
    >>> from longfat.laws import queues
    >>> state = start(queues.mg1_wait, load=0.5).changed(variation=0)
    >>> state.across, dict(state.values)
    ('load', {'load': 0.5, 'variation': 0.0})
    >>> state.changed(load=1.0)
    Traceback (most recent call last):
    ValueError: load = 1 is out of range: must be in [0, 1)
    """

    law: Law
    values: Mapping[str, float]
    across: str
    family: str = ""
    family_values: tuple[float, ...] = ()

    def changed(self, **values: float) -> State:
        """Return a copy of the state with new values of the given parameters."""
        checked = {name: check(self.law, name, value) for name, value in values.items()}
        return replace(self, values=MappingProxyType({**self.values, **checked}))

    def along(self, across: str) -> State:
        """Return a copy of the state with the parameter `across` along the x axis."""
        _known(self.law, across)
        return replace(self.spread("") if across == self.family else self, across=across)

    def spread(
        self,
        family: str,
        family_values: Sequence[float] | None = None,
    ) -> State:
        """Return a copy of the state with a family of curves, one for each of several values of a parameter.

        The default is three values, at a quarter, a half and three quarters of the parameter's slider; with an empty
        `family` there is a single curve.
        """
        if family == "":
            return replace(self, family="", family_values=())
        _known(self.law, family)
        if family == self.across:
            raise domains.conflict(f"family = {family!r}", "is the parameter on the x axis: must be another one")
        slider = self.law.symbols[family].scale.values
        quarters = tuple(dict.fromkeys(slider[(len(slider) - 1) * part // 4] for part in (1, 2, 3)))
        chosen = quarters if family_values is None else family_values
        if not 1 <= len(chosen) <= CURVES:
            raise domains.out_of_range("family_values", f"{len(chosen)} values", "1", f"1 to {CURVES} values")
        checked = dict.fromkeys(check(self.law, family, value) for value in chosen)
        return replace(self, family=family, family_values=tuple(sorted(checked)))

    def scale(self, name: str) -> Scale:
        """Return the scale of a parameter, extended if needed to include the parameter's value."""
        return self.law.symbols[name].scale.including(self.values[name])


def start(law: Law, across: str | None = None, **values: float) -> State:
    """Return the initial state of the exploration of a law.

    Parameters
    ----------
    law : Law
        Law to explore.
    across : str, optional
        Parameter along the x axis; by default the first one.
    **values : float
        Values of some parameters, in the units of the law's record; others have their default value, or the middle of
        their typical range.
    """
    if not isinstance(law, Law):
        raise domains.wrong_type("law", law, "a Law, such as those of longfat.laws")
    if not law.symbols:
        raise domains.out_of_range("law", law.name, "1", "a law with parameters")
    state = State(law, MappingProxyType(law_records.starts(law)), next(iter(law.symbols))).changed(**values)
    return state if across is None else state.along(across)


def check(law: Law, name: str, value: Any) -> float:
    """Return the value of a parameter as a float; raise a ValueError if the value is outside of its domain."""
    _known(law, name)
    return float(law.symbols[name].checked(name, value))


def _known(law: Law, name: str) -> None:
    if name not in law.symbols:
        raise unknown("parameter", name, law.symbols)


def find(text: str) -> Law:
    """Return the law whose name is `text`, or the law that the file with this name defines.

    >>> find("md1_wait").name, find("queues.md1_wait").name
    ('md1_wait', 'md1_wait')
    """
    if names_file(text):
        law: Law = read_file(text, Law, what="law")
        try:
            javascript.entry(law)
        except Exception as error:  # a user's formula may raise any error for values that are not numbers
            raise ValueError(f"law {text!r} cannot be shown in a browser: {type(error).__name__}: {error}") from None
        return law
    every = law_records.laws()
    for law in every:
        if text in (law.public_name, law.name):
            return law
    raise unknown("law", text, [law.public_name for law in every])


def chosen(text: str = "") -> dict[str, Law]:
    """Return laws by their public names: the law that the file `text` defines, or all laws of longfat.

    >>> "queues.mm1_wait" in chosen()
    True
    """
    return {law.public_name: law for law in ([find(text)] if names_file(text) else law_records.laws())}


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

"""What is being looked at: a law, values of its parameters, an axis. Nothing here knows how it is shown."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from longfat import domains
from longfat.domains import unknown
from longfat.explore.scales import Scale
from longfat.law import Law

CURVES = 6  # at most, beside the one through the operating point: as many as can be told apart


@dataclass(frozen=True)
class State:
    """A law, the values of its parameters, which of them is the x axis, and which has several values.

    Parameters
    ----------
    law : Law
        The law.
    values : mapping of str to float
        Every parameter: the operating point, in the record's units.
    across : str
        The parameter along the x axis.
    family : str
        The parameter that has several values; "" if there is none.
    members : tuple of float
        Its values, besides the one of the operating point.

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
    members: tuple[float, ...] = ()

    def changed(self, **values: float) -> State:
        """The state with other values of some parameters."""
        checked = {name: check(self.law, name, value) for name, value in values.items()}
        return replace(self, values=MappingProxyType({**self.values, **checked}))

    def along(self, across: str) -> State:
        """The state with another parameter along the x axis."""
        _known(self.law, across)
        return replace(self.spread("") if across == self.family else self, across=across)

    def spread(self, family: str, members: Sequence[float] | None = None) -> State:
        """The state with curves for several values of one parameter, three over its range by default; "" for one."""
        if family == "":
            return replace(self, family="", members=())
        _known(self.law, family)
        if family == self.across:
            raise domains.conflict(f"family = {family!r}", "excludes the same parameter on the x axis")
        chosen = some(self.law, family) if members is None else members
        if not 1 <= len(chosen) <= CURVES:
            raise domains.out_of_range("members", f"{len(chosen)} values", "1", f"1 to {CURVES} values")
        checked = dict.fromkeys(check(self.law, family, value) for value in chosen)
        return replace(self, family=family, members=tuple(sorted(checked)))

    def scale(self, name: str) -> Scale:
        """The scale of a parameter, with its value in it."""
        return Scale.of(self.law.symbols[name]).including(self.values[name])


def start(law: Law, across: str | None = None, **values: float) -> State:
    """The state to begin with: the law's own defaults, else the middle of the typical range, along the first parameter.

    Parameters
    ----------
    law : Law
        The law.
    across : str, optional
        The parameter along the x axis.
    **values : float
        Of some parameters, in the record's units.

    Returns
    -------
    State
        What to look at.

    Raises
    ------
    ValueError
        For a law without parameters, unknown parameters and values outside their domains.
    """
    if not isinstance(law, Law):
        raise domains.wrong_type("law", law, "a Law, such as those of longfat.laws")
    if not law.symbols:
        raise domains.out_of_range("law", law.name, "1", "a law with parameters")
    signature = inspect.signature(law).parameters
    middle = {
        name: symbol.middle if signature[name].default is inspect.Parameter.empty else float(signature[name].default)
        for name, symbol in law.symbols.items()
    }
    state = State(law, MappingProxyType(middle), next(iter(law.symbols))).changed(**values)
    return state if across is None else state.along(across)


def some(law: Law, name: str) -> tuple[float, ...]:
    """Three values of a parameter over its typical range: a quarter, half and three quarters of the way."""
    values = Scale.of(law.symbols[name]).values
    return tuple(dict.fromkeys(values[(len(values) - 1) * part // 4] for part in (1, 2, 3)))


def check(law: Law, name: str, value: Any) -> float:
    """A value inside the domain of a parameter, or the refusal that says what is allowed."""
    _known(law, name)
    symbol = law.symbols[name]
    number = domains.integer if symbol.integer else domains.number
    return float(number(name, value, symbol.unit, symbol.domain))


def _known(law: Law, name: str) -> None:
    if name not in law.symbols:
        raise unknown("parameter", name, law.symbols)

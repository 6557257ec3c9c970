"""Records that hold the parameters and the state of plug-ins."""

from __future__ import annotations

import keyword
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from longfat.base import domains
from longfat.sim.kernel.views import OWN, Field, Row
from longfat.sim.plugin.parameters import Parameter, Table

State = Mapping[str, Any]


class Columns:
    """Layout and initial values of the record with a plug-in's parameters and state.

    Parameters
    ----------
    whose : str
        Name of the plug-in in error messages, such as "scheme 'mine'".
    parameters : mapping of str to Parameter
        Parameters in this record.
    state : mapping of str to float, int, bool, sequence of these or str
        Initial values of state variables; a str is the name of a parameter, and stands for the parameter's value.
    taken : collection of str
        Names of the simulator's fields, which the record may not use.
    constants : mapping of str to float, optional
        Values of parameters that the compiled code contains as constants; the record omits these parameters.
    """

    def __init__(
        self,
        whose: str,
        parameters: Mapping[str, Parameter],
        state: State,
        taken: Collection[str],
        constants: Mapping[str, float] | None = None,
    ) -> None:
        self.constants = dict(constants or {})
        self._given_as = {one.field or name: name for name, one in parameters.items()}
        for name in (*self._given_as, *self.constants, *state):
            _check_name(whose, name, taken)
        for name in state:
            if name in self._given_as or name in self.constants:
                raise ValueError(
                    f"{whose}: {name!r} is the name of a parameter and of a state: one of them must have another name"
                )
        values = {name: _initial(whose, name, value, parameters) for name, value in state.items()}
        fields: list[Any] = [
            (name, np.float64, (one.length,)) if isinstance(one, Table) else (name, np.float64)
            for name, one in zip(self._given_as, parameters.values(), strict=True)
        ]
        fields += [(name, one.dtype, one.shape) if one.shape else (name, one.dtype) for name, one in values.items()]
        self.dtype = np.dtype((np.record, np.dtype(fields, align=True))) if fields else None
        self.parameters, self.state, self._values = tuple(self._given_as), dict(state), values

    @property
    def words(self) -> int:
        """Length of the record in words of eight bytes."""
        return 0 if self.dtype is None else -(-self.dtype.itemsize // 8)

    @property
    def layout(self) -> tuple[Any, ...]:
        """Attributes that determine the view of the record."""
        return self.dtype, self.parameters, tuple(self.constants.items())

    def rows(self, name: str = OWN) -> dict[str, Row]:
        """Return {name: row type of the record}, where `name` is the name of a view's pointer to the record."""
        return {name: Row(self.dtype if self.dtype is not None else _EMPTY, f"own.{name}")}

    def fields(self, name: str = OWN, *, settable: bool = True, without: Collection[str] = ()) -> dict[str, Field]:
        """Return the record's fields for a view: parameters, which are read-only, and states except those in `without`.

        The plug-in may set the states if `settable` is true.
        """
        state = {one: Field(name, one, "", "state of the plug-in", settable) for one in self._values}
        state = {one: field for one, field in state.items() if one not in without}
        about = "parameter of the plug-in"
        chosen = {one: Field(name, one, "", about, constant=value) for one, value in self.constants.items()}
        return {**{one: Field(name, one, "", about) for one in self.parameters}, **chosen, **state}

    def fill(self, row: np.ndarray, given: Mapping[str, Any]) -> None:
        """Write parameters and initial state into an array of words; `given` has the value of every parameter."""
        if self.dtype is None:
            return
        made = np.zeros(1, self.dtype)
        for name, public in self._given_as.items():
            if made[name].ndim == 1:
                made[name] = given[public]
            else:
                numbers = np.ravel(given[public])
                made[name] = -1.0
                made[name][0, : len(numbers)] = numbers
        for name, value in self._values.items():
            of = self.state[name]
            made[name] = given[of] if isinstance(of, str) else value
        raw = made.view(np.uint8).reshape(-1)
        row.view(np.uint8).reshape(-1)[: len(raw)] = raw

    def read(self, words: np.ndarray, number: int, row_words: int) -> Any:
        """Return record `number` from an array of words in which each record takes `row_words` words."""
        assert self.dtype is not None
        return words[row_words * number :][: self.words].view(self.dtype)[0]


_EMPTY = np.dtype((np.record, np.dtype([("nothing", np.int64)])))
#: Columns of a plug-in that has no parameters and no state.
NO_COLUMNS = Columns("", {}, {}, ())


def _check_name(whose: str, name: Any, taken: Collection[str]) -> None:
    """Raise a ValueError if a parameter or a state may not have this name."""
    if not isinstance(name, str) or not name.isidentifier() or name.startswith("_"):
        raise ValueError(
            f"{whose}: {name!r} is no name of a parameter or state: must be a letter, then letters, digits or _"
        )
    if keyword.iskeyword(name):
        raise ValueError(f"{whose}: {name!r} is a keyword of Python: a parameter or state must have another name")
    if name in taken:
        raise ValueError(f"{whose}: {name!r} is a field of the simulator already: must be another name")


def _initial(whose: str, name: str, value: Any, parameters: Mapping[str, Parameter]) -> np.ndarray:
    """Return the initial value of a state variable as an array with the type of the record's field."""
    if isinstance(value, str):
        if value not in parameters:
            raise domains.unknown(f"{whose}: state {name!r}: parameter", value, parameters)
        return np.zeros((), np.float64)
    made = np.asarray(value) if isinstance(value, bool | int | float | list | tuple | np.ndarray | np.generic) else None
    kinds = {"b": np.bool_, "i": np.int64, "u": np.int64, "f": np.float64}
    if made is None or made.dtype.kind not in kinds or made.ndim > 1 or made.size == 0 or made.size > 1000:
        raise domains.wrong_type(
            f"{whose}: state {name!r}", value, "a float, an integer, a boolean, or a sequence of 1 to 1000 of them"
        )
    if made.ndim and made.dtype.kind == "b":
        return made.astype(np.int64)  # numba has no records with arrays of booleans
    return made.astype(kinds[made.dtype.kind])

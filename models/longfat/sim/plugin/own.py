"""Record with the parameters and the state of a plug-in, by name."""

from __future__ import annotations

import keyword
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longfat.base import domains, quantities
from longfat.sim.kernel.views import OWN, Field, Row


@dataclass(frozen=True)
class Parameter:
    """A parameter of a scheme, a discipline or a service.

    Parameters
    ----------
    default : float
        Default value; None if a value has to be given.
    unit : str
        Unit, "1" for a dimensionless number. If it is "s", "bytes" or "bytes/s", text such as "50 ms" may be given.
    allowed : str
        Domain: an interval such as ``"[1, inf)"``, or a set such as ``"{0, 1}"``.
    field : str
        For schemes: field of the flow that the parameter initialises, see `longfat.sim.seam.INITIAL`; it has no field
        of its own then. For disciplines: the name by which hooks read it, if the link has a field of the parameter's
        name.
    about : str
        Description.

    Examples
    --------
    >>> Parameter(1.0, "packets", "[1, inf)").default
    1.0
    """

    default: float | None
    unit: str = "1"
    allowed: str = "(-inf, inf)"
    field: str = ""
    about: str = ""

    def checked(self, name: str, value: Any) -> float:
        """Return a value inside the domain, in SI units; raise an error for others.

        >>> Parameter(0.05, "s", "(0, 1]").checked("interval", "20 ms")
        0.02
        """
        if self.allowed.startswith("{"):
            choices = [float(one) for one in self.allowed.strip("{}").split(",")]
            if not isinstance(value, int | float | np.number | np.bool_):
                raise domains.wrong_type(name, value, unit=self.unit)
            if float(value) not in choices:
                raise domains.out_of_range(name, value, self.unit, " or ".join(f"{one:g}" for one in choices))
            return float(value)
        if isinstance(value, str) and self.unit in _QUANTITIES:
            return float(_QUANTITIES[self.unit](value, name, self.allowed))
        return float(domains.number(name, value, self.unit, self.allowed))


_QUANTITIES = {"s": quantities.duration, "bytes": quantities.size, "bytes/s": quantities.rate, "1": quantities.fraction}

YES_OR_NO = "{0, 1}"


@dataclass(frozen=True)
class Integer(Parameter):
    """Parameter that is an integer."""

    def checked(self, name: str, value: Any) -> float:
        """Return an integer inside the domain; raise an error for others.

        >>> Integer(500.0, "bytes", "[1, inf)").checked("quantum", 1500)
        1500.0
        """
        return float(domains.integer(name, value, self.unit, self.allowed))


@dataclass(frozen=True)
class Table(Parameter):
    """Parameter of a discipline that is a list of rows of numbers, at most 100; by default an empty list.

    A plug-in sees an array of all numbers, row by row, with -1 beyond the last row. ``columns`` has the name, unit and
    domain of each column.
    """

    default: Any = ()
    columns: tuple[tuple[str, str, str], ...] = ()

    MOST = 100  # rows

    @property
    def length(self) -> int:
        """Length of the array that a plug-in sees."""
        return self.MOST * len(self.columns)

    def checked(self, name: str, value: Any) -> Any:
        """Return the rows as tuples, in SI units; raise an error for others.

        >>> Table(columns=(("time", "s", "[0, inf)"), ("count", "1", "[1, 9]"))).checked("losses", [["20 ms", 2]])
        ((0.02, 2.0),)
        """
        words = f"a list of rows ({', '.join(column for column, _, _ in self.columns)})"
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise domains.wrong_type(name, value, words)
        domains.integer(f"number of rows of {name}", len(value), "1", f"[0, {self.MOST}]")
        made = []
        for row in value:
            if isinstance(row, str) or not isinstance(row, Sequence) or len(row) != len(self.columns):
                raise domains.wrong_type(name, row, words)
            made.append(
                tuple(
                    Parameter(None, unit, allowed).checked(f"{column} in {name}", one)
                    for (column, unit, allowed), one in zip(self.columns, row, strict=True)
                )
            )
        return tuple(made)


def by_name(
    whose: str, parameters: Mapping[str, Any], in_order: Sequence[Any], named: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the values of a plug-in that is called with them, given in the order of its parameters or by their names.

    >>> by_name("scheme 'mine'", {"gain": Parameter(0.5), "target": Parameter(0.005, "s")}, [0.25], {"target": "20 ms"})
    {'gain': 0.25, 'target': '20 ms'}
    """
    if len(in_order) > len(parameters):
        raise ValueError(f"{whose} takes {len(parameters)} values, got {len(in_order)}")
    made = dict(zip(parameters, in_order, strict=False))
    for name in made:
        if name in named:
            raise ValueError(f"{whose}: {name!r} is given twice")
    return {**made, **named}


def checked_values(whose: str, parameters: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values given for parameters, each inside its domain; refuse names that are no parameter.

    >>> checked_values("scheme 'mine'", {"target": Parameter(0.005, "s", "(0, 1]")}, {"target": "20 ms"})
    {'target': 0.02}
    """
    for name in given:
        if name not in parameters:
            if not parameters:
                raise ValueError(f"{whose} takes no parameters, so {name!r} is unknown")
            raise domains.unknown(f"{whose}: parameter", name, parameters)
    return {name: parameters[name].checked(name, value) for name, value in given.items()}


def flag(default: bool, about: str, field: str = "") -> Parameter:
    """Return a parameter that is 1 (yes) or 0 (no); scenario files write that of a discipline as true or false."""
    return Parameter(float(default), "1", YES_OR_NO, field, about)


State = Mapping[str, Any]


class Own:
    """Layout and initial values of the record with a plug-in's parameters and state.

    Parameters
    ----------
    whose : str
        Name of the plug-in in error messages, such as "scheme 'mine'".
    parameters : mapping of str to Parameter
        Parameters in this record.
    state : mapping of str to float, int, bool, sequence of these or str
        Initial values; text names the parameter that has the initial value.
    taken : collection of str
        Names of the core's fields, which the record may not use.

    Raises
    ------
    ValueError
        For names that are no identifiers, are keywords, are in use, or are given twice; for states of a wrong size.
    TypeError
        For states of another type.
    """

    def __init__(self, whose: str, parameters: Mapping[str, Parameter], state: State, taken: Collection[str]) -> None:
        self._given_as = {one.field or name: name for name, one in parameters.items()}
        for name in (*self._given_as, *state):
            _check_name(whose, name, taken)
        for name in state:
            if name in self._given_as:
                raise ValueError(
                    f"{whose}: {name!r} is the name of a parameter and of a state; give one of them another"
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

    def rows(self, name: str = OWN) -> dict[str, Row]:
        """Return the pointer of a view to the record."""
        return {name: Row(self.dtype if self.dtype is not None else _EMPTY, f"own.{name}")}

    def fields(self, name: str = OWN, *, settable: bool = True, without: Collection[str] = ()) -> dict[str, Field]:
        """Return the fields of a view: parameters are read-only, the state may be set if allowed."""
        state = {one: Field(name, one, "", "state of the plug-in", settable) for one in self._values}
        state = {one: field for one, field in state.items() if one not in without}
        return {**{one: Field(name, one, "", "parameter of the plug-in") for one in self.parameters}, **state}

    def fill(self, row: np.ndarray, given: Mapping[str, Any]) -> None:
        """Write the initial values into words of eight bytes; `given` has every parameter."""
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
        """Return the record with this number from an array of words, with `row_words` words for each record."""
        assert self.dtype is not None
        return words[row_words * number :][: self.words].view(self.dtype)[0]


_EMPTY = np.dtype((np.record, np.dtype([("nothing", np.int64)])))


def _check_name(whose: str, name: Any, taken: Collection[str]) -> None:
    """Raise a ValueError for a name that no field may have."""
    if not isinstance(name, str) or not name.isidentifier() or name.startswith("_"):
        raise ValueError(f"{whose}: {name!r} is no name of a parameter or state: must be letters, digits and _")
    if keyword.iskeyword(name):
        raise ValueError(f"{whose}: {name!r} is a keyword of Python, so that it cannot name a parameter or state")
    if name in taken:
        raise ValueError(f"{whose}: {name!r} is a field of the simulator already; give it another name")


def _initial(whose: str, name: str, value: Any, parameters: Mapping[str, Parameter]) -> np.ndarray:
    """Return the initial value of a state as an array of its type."""
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

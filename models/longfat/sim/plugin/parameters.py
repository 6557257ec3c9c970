"""Parameters of plug-ins, whose values a user gives by name, and the records that hold parameters and state."""

from __future__ import annotations

import dataclasses
import keyword
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from longfat.base import domains
from longfat.base.quantity import Quantity
from longfat.sim.kernel.views import OWN, Field, Row

YES_OR_NO = "{0, 1}"


@dataclasses.dataclass(frozen=True, init=False)
class Parameter(Quantity):
    """A parameter of a plug-in: a quantity whose value the callbacks read by name.

    Parameters
    ----------
    default : float
        Default value; None if a value has to be given.
    unit : str
        Unit, "1" for a dimensionless number. If it is "s", "bytes", "bytes/s", "1" or "probability", text such as
        "50 ms" may be given.
    domain : str
        Domain: an interval such as ``"[1, inf)"``, or a set such as ``"{0, 1}"``.
    field : str
        For schemes: field of the simulator that the parameter initialises, one of `longfat.sim.fields.INITIAL`; the
        parameter then has no field of its own. For disciplines: name by which callbacks read the parameter, needed if
        a field of the link has the parameter's name.
    about : str
        Meaning of the parameter, a noun phrase.
    **others
        Further arguments of `longfat.base.quantity.Quantity`, such as ``integer=True``.

    Examples
    --------
    >>> Parameter(1.0, "packets", "[1, inf)").default
    1.0
    """

    field: str = ""

    def __init__(
        self,
        default: Any,
        unit: str = "1",
        domain: str = "(-inf, inf)",
        field: str = "",
        about: str = "",
        **others: Any,
    ) -> None:
        super().__init__(default=default, unit=unit, domain=domain, **{"meaning": about, **others})
        object.__setattr__(self, "field", field)

    @property
    def text_unit(self) -> str:
        """Unit of values given as text; "probability", which allows "%", for unit "1"; empty if the domain is a set."""
        if isinstance(self.interval, domains.Values):
            return ""
        return "probability" if self.unit == "1" else super().text_unit

    def checked(self, name: str, value: Any) -> Any:
        """Return the value in SI units; raise an error if it is outside the domain.

        >>> Parameter(0.05, "s", "(0, 1]").checked("interval", "20 ms")
        0.02
        """
        return float(super().checked(name, value))


@dataclasses.dataclass(frozen=True, init=False)
class Table(Parameter):
    """Parameter whose value is a list of at most 100 rows of numbers; by default the list is empty.

    A plug-in sees one array with the numbers of all rows, one row after the other, and -1 behind the last row.
    ``columns`` lists name, unit and domain of each column.
    """

    columns: tuple[tuple[str, str, str], ...] = ()

    MOST = 100  # rows

    def __init__(self, default: Any = (), *, columns: tuple[tuple[str, str, str], ...], **others: Any) -> None:
        super().__init__(default, **others)
        object.__setattr__(self, "columns", columns)

    @property
    def length(self) -> int:
        """Length of the array that a plug-in sees."""
        return self.MOST * len(self.columns)

    def checked(self, name: str, value: Any) -> Any:
        """Return the rows as tuples, in SI units; raise an error for an invalid row or value.

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
                    Parameter(None, unit, domain).checked(f"{column} in {name}", one)
                    for (column, unit, domain), one in zip(self.columns, row, strict=True)
                )
            )
        return tuple(made)


class Choice(Parameter):
    """Parameter by which a scheme chooses a component, such as a form of loss recovery, when the network is assembled.

    The callbacks read it like any other parameter, but the compiled code contains its value as a constant. So the
    code has only the chosen component, and is compiled once for each choice.
    """


def flag(default: bool, about: str, field: str = "") -> Parameter:
    """Return a parameter that is 1 (yes) or 0 (no); in scenario files a discipline's flag is true or false."""
    return Parameter(float(default), "1", YES_OR_NO, field, about)


def choice(default: int, about: str, domain: str = YES_OR_NO) -> Choice:
    """Return a `Choice` among the numbers of a domain, by default 1 (yes) and 0 (no)."""
    return Choice(float(default), "1", domain, about=about)


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
        state: Mapping[str, Any],
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
        """Return the type of the record, as {name: type}; `name` is that of the view's pointer to the record."""
        return {name: Row(self.dtype if self.dtype is not None else _EMPTY, f"own.{name}")}

    def fields(self, name: str = OWN, *, settable: bool = True, without: Collection[str] = ()) -> dict[str, Field]:
        """Return the record's fields for a view: read-only parameters, and state variables except those in `without`.

        The plug-in may set the state variables if `settable` is true.
        """
        state = {one: Field(name, one, "", "state of the plug-in", settable) for one in self._values}
        state = {one: field for one, field in state.items() if one not in without}
        about = "parameter of the plug-in"
        chosen = {one: Field(name, one, "", about, constant=value) for one, value in self.constants.items()}
        return {**{one: Field(name, one, "", about) for one in self.parameters}, **chosen, **state}

    def filled(self, given: Mapping[str, Any]) -> np.ndarray:
        """Return a record as words, with parameters and initial state; `given` has the value of every parameter."""
        words = np.zeros(self.words, np.int64)
        if self.dtype is None:
            return words
        made = words.view(np.uint8)[: self.dtype.itemsize].view(self.dtype)
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
        return words

    def read(self, words: np.ndarray, number: int, row_words: int) -> Any:
        """Return record `number` from an array of words in which each record takes `row_words` words."""
        assert self.dtype is not None
        return words[row_words * number :][: self.words].view(self.dtype)[0]


_EMPTY = np.dtype((np.record, np.dtype([("nothing", np.int64)])))
#: Columns of a plug-in that has no parameters and no state.
NO_COLUMNS = Columns("", {}, {}, ())


def _check_name(whose: str, name: Any, taken: Collection[str]) -> None:
    """Raise a ValueError if a parameter or a state variable may not have this name."""
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

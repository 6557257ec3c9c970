"""Parameters of plug-ins: quantities whose values a user gives by name, and tables of numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from longfat.base import domains
from longfat.base.quantity import Quantity

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
        For schemes: field of the flow that the parameter initialises, see `longfat.sim.fields.INITIAL`, in place of a
        field of its own. For disciplines: name by which callbacks read the parameter, needed if a field of the link
        has the parameter's name.
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
        """Unit to which text is converted, also text with "%" for unit "1"; empty if the domain is a set of numbers."""
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

    A plug-in sees an array of all numbers, row by row, with -1 beyond the last row. ``columns`` lists name, unit and
    domain of each column.
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

"""Text tables: columns, declared by heading, width and cell, and the function that returns the lines of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from longfat.base.quantities import rounded
from longfat.base.text_tables import aligned

Cell = Callable[[Any], str]


@dataclass(frozen=True)
class Column:
    """One column: its heading, its least width, and the function that returns its cell, given a row.

    A negative width aligns the column to the left. ``always``: the column also has a cell in a row without values.
    """

    heading: str
    width: int
    cell: Cell
    always: bool = False


def table(
    columns: Sequence[Column], rows: Iterable[Any], missing: Cell = lambda _: "", gap: str = "  ", **said: str
) -> list[str]:
    """Return the heading and a line for each row; ``missing`` returns why a row has no values, empty if it has some.

    ``said`` has the texts that replace names in braces in the headings.

    >>> import math
    >>> rows = [{"k": 2, "loss": 0.012}, {"k": 10, "loss": math.nan}]
    >>> columns = [Column("k", 3, number("k", "d"), always=True), Column("loss", 6, number("loss", ".3f"))]
    >>> for line in table(columns, rows, lambda row: "none" if math.isnan(row["loss"]) else ""):
    ...     print(line)
      k    loss
      2   0.012
     10  none
    """
    made = [[one.heading.format(**said) for one in columns]]
    for row in rows:
        why = missing(row)
        made.append([one.cell(row) for one in columns if one.always or not why] + ([why] if why else []))
    return aligned(made, [one.width for one in columns], gap)


def number(name: str, form: str, scale: float = 1.0) -> Cell:
    """Return the function for the cell of a variable: a dash for NaN, empty if the row lacks the variable."""

    def cell(row: Any) -> str:
        if name not in row:
            return ""
        value = row[name].item() if hasattr(row[name], "item") else row[name]
        return "-" if value != value else format(int(value) if form == "d" else scale * value, form)

    return cell


def quantity(name: str, unit: str, digits: int = 4) -> Cell:
    """Return the function for the cell of a variable with its unit, rounded to a number of digits."""
    return lambda row: rounded(float(row[name]), unit, digits)


def interval(name: str, form: str, between: str = " .. ", scale: float = 1.0) -> Cell:
    """Return the function for the cell with the limits of a variable; empty if the row has no limits."""

    def cell(row: Any) -> str:
        ends = (f"{name}_lower", f"{name}_upper")
        return between.join(format(scale * float(row[one]), form) for one in ends) if ends[0] in row else ""

    return cell


def percent(share: float) -> str:
    """Return a fraction in percent, to six digits.

    >>> percent(0.95)
    '95%'
    """
    return f"{100 * share:.6g}%"

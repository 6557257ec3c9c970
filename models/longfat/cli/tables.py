"""Text tables: declarations of columns (heading, width, cell), and the function that formats a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from longfat.base import text_tables
from longfat.base.quantities import rounded

Cell = Callable[[Any], str]


@dataclass(frozen=True)
class Column:
    """Column of a table: heading, smallest width, and a function that converts a row to the text of the cell.

    A negative width aligns the column to the left. A column with ``always`` also has a cell in rows without values.
    """

    heading: str
    width: int
    cell: Cell
    always: bool = False


def table(
    columns: Sequence[Column], rows: Iterable[Any], missing: Cell = lambda _: "", gap: str = "  ", **said: str
) -> list[str]:
    """Format a table as its heading and a line for each row.

    ``missing`` returns the reason why a row has no values, or an empty text if it has values. ``said`` has the texts
    that replace names in braces in the headings.

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
    return text_tables.columns(made, [one.width for one in columns], gap)


def number(name: str, form: str, scale: float = 1.0) -> Cell:
    """Return a function that formats a row's variable: a dash for NaN, empty if the row lacks the variable."""

    def cell(row: Any) -> str:
        if name not in row:
            return ""
        value = row[name].item() if hasattr(row[name], "item") else row[name]
        return "-" if value != value else format(int(value) if form == "d" else scale * value, form)

    return cell


def quantity(name: str, unit: str, digits: int = 4) -> Cell:
    """Return a function that formats a row's variable with its unit, rounded to a number of digits."""
    return lambda row: rounded(float(row[name]), unit, digits)


def interval(name: str, form: str, between: str = " .. ", scale: float = 1.0) -> Cell:
    """Return a function that formats the confidence limits of a row's variable; empty if the row has no limits.

    >>> cell = interval("loss", ".2f")
    >>> cell({"loss_lower": 0.1, "loss_upper": 0.2}), cell({"loss_lower": math.nan, "loss_upper": math.nan})
    ('0.10 .. 0.20', '-')
    """

    def cell(row: Any) -> str:
        if f"{name}_lower" not in row:
            return ""
        ends = [scale * float(row[f"{name}_{end}"]) for end in ("lower", "upper")]
        return "-" if any(map(math.isnan, ends)) else between.join(format(end, form) for end in ends)

    return cell


def packets(count: int) -> str:
    """Format a number of packets.

    >>> packets(1), packets(2)
    ('1 packet', '2 packets')
    """
    return f"{count} packet{'s' * (count != 1)}"


def percent(share: float, digits: int = 6) -> str:
    """Format a fraction in percent, rounded to a number of digits.

    >>> percent(0.95), percent(0.12345, 3)
    ('95%', '12.3%')
    """
    return f"{100 * share:.{digits}g}%"


def wrapped(words: str, first: str = "") -> list[str]:
    """Return the lines of a wrapped text; ``first`` precedes the first line, such as the dash of a list."""
    return wrap(words, 118, initial_indent=first, subsequent_indent="  ", break_on_hyphens=False)

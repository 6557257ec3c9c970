"""Tables as text: lines for a terminal, labelled paragraphs, Markdown, and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

WIDTH = 116  # characters in a line of a labelled text


def columns(rows: Sequence[Sequence[str]], widths: Sequence[int] = (-1,), gap: str = "  ") -> list[str]:
    r"""Return a line of padded cells for each row; the first row is the head.

    Parameters
    ----------
    rows : sequence of sequences of str
        Cells. If a row has fewer cells than the head, its last cell may be of any length.
    widths : sequence of int
        Least width of each column, negative if the column is left-aligned; the last one holds for all further columns.
    gap : str
        Text between two columns.

    Examples
    --------
    >>> print("\n".join(columns([["scheme", "ms"], ["reno", "7"], ["cubic", "12"]], [-1, 0])))
    scheme  ms
    reno     7
    cubic   12
    """
    count = len(rows[0])
    every = [*widths, *[widths[-1]] * (count - len(widths))]
    least = [
        max([abs(width), *(len(row[k]) for row in rows if k < len(row) - (len(row) < count))])
        for k, width in enumerate(every)
    ]
    return [
        gap.join(
            cell.ljust(room) if width < 0 or (len(row) < count and k == len(row) - 1) else cell.rjust(room)
            for k, (cell, room, width) in enumerate(zip(row, least, every, strict=False))
        ).rstrip()
        for row in rows
    ]


def labelled(label: str, words: str) -> list[str]:
    """Return the lines of a wrapped text; a label precedes the first line.

    >>> labelled("limit", "the link")
    ['limit     the link']
    """
    return wrap(words, WIDTH, initial_indent=f"{label:10}", subsequent_indent=" " * 10, break_on_hyphens=False)


def markdown(heads: Iterable[Any], rows: Iterable[Iterable[Any]]) -> list[str]:
    r"""Return the lines of a table in Markdown.

    >>> print("\n".join(markdown(["k", "P(A|B)"], [[1, 0.5]])))
    | k | P(A\|B) |
    |---|---|
    | 1 | 0.5 |
    """

    def line(words: Iterable[Any]) -> str:
        return "| " + " | ".join(str(word).replace("|", "\\|").replace("\n", " ") for word in words) + " |"

    columns = list(heads)
    return [line(columns), "|" + "---|" * len(columns), *map(line, rows)]


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    r"""Return rows of cells as CSV; None becomes an empty cell.

    >>> csv_text([["name", "value"], ["a, b", None]])
    'name,value\n"a, b",\n'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def csv_of(table: pd.DataFrame, data: xr.Dataset) -> str:
    """Convert a table to CSV; the header line has the unit of each column, from the Dataset's attributes.

    The unit is left out if it is "1", or if the name of the column ends with it.

    >>> import xarray as xr
    >>> units = {"goodput": "bytes/s", "loss": "1", "buffer_bytes": "bytes"}
    >>> data = xr.Dataset({name: ("flow", [1.0], {"units": unit}) for name, unit in units.items()})
    >>> print(csv_of(data.to_dataframe(), data).splitlines()[0])
    goodput [bytes/s],loss,buffer_bytes
    """
    units = {str(name): array.attrs.get("units", "1") for name, array in data.variables.items()}
    heads = {name: f"{name} [{unit}]" for name, unit in units.items() if unit != "1" and not name.endswith(f"_{unit}")}
    return str(table.rename(columns=heads).to_csv(index=False))

"""Lines of text tables and of labelled paragraphs, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

WIDTH = 116  # of a labelled text


def columns(rows: Sequence[Sequence[str]], left: int | None = None) -> list[str]:
    r"""Return a line for each row; columns are as wide as their longest cell, with two spaces between them.

    Parameters
    ----------
    rows : sequence of sequences of str
        The head and the rows, of equal length.
    left : int, optional
        Number of columns that are aligned to the left; the others are aligned to the right. All if None.

    Examples
    --------
    >>> print("\n".join(columns([["scheme", "ms"], ["reno", "7"], ["cubic", "12"]], left=1)))
    scheme  ms
    reno     7
    cubic   12
    """
    count = len(list(zip(*rows, strict=True)))
    return aligned(rows, [-1 if left is None or k < left else 1 for k in range(count)])


def aligned(rows: Sequence[Sequence[str]], widths: Sequence[int], gap: str = "  ") -> list[str]:
    """Return a line of padded cells for each row; ``widths`` are least widths, negative for left-aligned columns.

    If a row has fewer cells than there are columns, its last cell may be of any length.

    >>> aligned([["link", "queue"], ["a-b", "12"]], [-1, 0])
    ['link  queue', 'a-b      12']
    """
    least = [
        max([abs(width), *(len(row[k]) for row in rows if k < len(row) - (len(row) < len(widths)))])
        for k, width in enumerate(widths)
    ]
    return [
        gap.join(
            cell.ljust(room) if width < 0 or (len(row) < len(widths) and k == len(row) - 1) else cell.rjust(room)
            for k, (cell, room, width) in enumerate(zip(row, least, widths, strict=False))
        ).rstrip()
        for row in rows
    ]


def labelled(label: str, words: str) -> list[str]:
    """Return the lines of a wrapped text; a label precedes the first line.

    >>> labelled("limit", "the link")
    ['limit     the link']
    """
    return wrap(words, WIDTH, initial_indent=f"{label:10}", subsequent_indent=" " * 10, break_on_hyphens=False)

"""Tables as lines of text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence


def columns(rows: Sequence[Sequence[str]], left: int | None = None) -> list[str]:
    r"""Return a line for each row, with columns as wide as their longest word and two spaces apart.

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
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = [str.ljust if left is None or k < left else str.rjust for k in range(len(widths))]
    return [
        "  ".join(side(word, width) for side, word, width in zip(sides, row, widths, strict=True)).rstrip()
        for row in rows
    ]

"""Pieces of pages in Markdown: tables, links, and HTML that Sphinx passes on."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

NUMBERS = ("1", "probability")  # units of what is just a number


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Return a table; a bar in a cell does not end it. Nothing is returned if there are no rows.

    >>> print(table(["a"], [["x | y"]]))
    | a |
    | --- |
    | x \| y |
    <BLANKLINE>
    >>> table(["a"], [])
    ''
    """
    lines = [[re.sub(r"(?<!\\)\|", r"\\|", " ".join(cell.split())) for cell in row] for row in rows]
    if not lines:
        return ""
    return "".join(f"| {' | '.join(line)} |\n" for line in [list(head), ["---"] * len(head), *lines])


def html(text: str) -> str:
    """Return HTML as a block that Sphinx passes on unchanged."""
    return f"```{{raw}} html\n{text}\n```\n"


def code(text: str, language: str = "python") -> str:
    """Return a block of code."""
    return f"```{language}\n{text.rstrip()}\n```\n"


def section(title: str, body: str, level: int = 2) -> str:
    r"""Return a section, or nothing if it is empty.

    >>> section("Rules", "One.")
    '## Rules\n\nOne.\n\n'
    >>> section("Rules", " ")
    ''
    """
    return f"{'#' * level} {title}\n\n{body.strip()}\n\n" if body.strip() else ""


def unfolding(summary: str, body: str, name: str = "") -> str:
    """Return a part of a page that is shown on demand; the summary is HTML, the body Markdown, the name its anchor."""
    named = f' id="{name}"' if name else ""
    return html(f"<details{named}><summary>{summary}</summary>") + "\n" + body + "\n" + html("</details>") + "\n"


def anchor(title: str) -> str:
    """Return the anchor of a title.

    >>> anchor("As printed, which is wrong")
    'as-printed-which-is-wrong'
    """
    return re.sub(r"\W+", "-", title.lower()).strip("-")


def plain(docstring: str | None) -> str:
    r"""Return the first paragraph of a docstring in one line, with its code marked as Markdown has it.

    >>> plain("CoDel: sets ``link.drop_next``.\n\nMore.")
    'CoDel: sets `link.drop_next`.'
    """
    first = textwrap.dedent(docstring or "").strip().split("\n\n")[0]
    return " ".join(first.split()).replace("``", "`")


def signs(text: str) -> str:
    """Return a text with the signs of comparisons that ASCII lacks.

    >>> signs("w_a >= 20, p <= 0.01")
    'w_a ≥ 20, p ≤ 0.01'
    """
    return text.replace(" >= ", " ≥ ").replace(" <= ", " ≤ ")


def number(value: Any) -> str:
    """Return a number, or several, in few digits.

    >>> number(1e300), number(0.25), number(None), number(50.0), number((1.0, 2.0))
    ('1e+300', '0.25', 'required', '50', '1, 2')
    """
    if isinstance(value, (list, tuple)):
        return ", ".join(map(number, value)) or "none"
    return "required" if value is None else f"{value:g}" if isinstance(value, (int, float)) else f"{value}"


def quantity(value: float, unit: str) -> str:
    """Return a value with its unit.

    >>> quantity(0.02, "s"), quantity(0.5, "1"), quantity(12.0, "packets")
    ('0.02 s', '0.5', '12 packets')
    """
    return number(value) if unit in NUMBERS else f"{number(value)} {raised(unit)}"


def bracketed(unit: str) -> str:
    """Return a unit behind a name; nothing for numbers."""
    return "" if unit in NUMBERS else f" [{raised(unit)}]"


def raised(unit: str) -> str:
    """Return a unit with its powers raised.

    >>> raised("packets/s^3")
    'packets/s³'
    """
    return unit.replace("^2", "²").replace("^3", "³")

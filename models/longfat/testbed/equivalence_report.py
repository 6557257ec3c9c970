"""Statements about Linux and the simulator as text, JSON and HTML."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from longfat.base.html_pages import html_table, page
from longfat.base.text_tables import columns

if TYPE_CHECKING:
    from longfat.testbed.equivalence import Statement

HEADS = ("case", "quantity", "law", "simulator", "Linux (runs)", "difference", "accuracy", "verdict")


def cells(one: Statement) -> list[str]:
    """Return a statement as the cells of a table; a relative difference where the accuracy is relative."""
    scale, unit = (100 / one.measured, " %") if one.accuracy.relative else (1.0, "")
    return [
        one.case.name,
        one.quantity,
        "" if math.isnan(one.law) else f"{one.law:.5g}",
        f"{one.simulated:.5g} +- {one.simulated_width:.1g}",
        f"{one.measured:.5g} +- {one.measured_width:.1g} ({one.runs})",
        f"{scale * one.difference:+.3g} +- {scale * one.width:.2g}{unit}",
        str(one.accuracy),
        one.verdict,
    ]


def to_text(statements: Sequence[Statement]) -> str:
    """Return the statements as a table, with the number of statements for each verdict."""
    return "\n".join([*columns([HEADS, *map(cells, statements)]), "", summary(statements)])


def summary(statements: Sequence[Statement]) -> str:
    """Return a sentence with the numbers of statements that agree, differ or are undecided."""
    words = ("agrees", "differs", "undecided", "spoilt")
    count = {word: sum(one.verdict == word for one in statements) for word in words}
    spoilt = f" The machine's load has spoilt the runs of {count['spoilt']}." if count["spoilt"] else ""
    return (
        f"Simulator and Linux agree in {count['agrees']} of {len(statements)} statements and differ in "
        f"{count['differs']}; {count['undecided']} are undecided.{spoilt}"
    )


def to_json(statements: Sequence[Statement]) -> str:
    """Return the statements as JSON, in s, bytes/s, packets and shares of 1; NaN is null."""
    rows = [
        {
            "case": one.case.name,
            "quantity": one.quantity,
            "law": _number(one.law),
            "law_name": one.law_name,
            "simulator": [_number(one.simulated), _number(one.simulated_width)],
            "linux": [_number(one.measured), _number(one.measured_width)],
            "runs": one.runs,
            "difference": [_number(one.difference), _number(one.width)],
            "accuracy": _number(one.accuracy.of(one.measured)),
            "verdict": one.verdict,
        }
        for one in statements
    ]
    return json.dumps({"summary": summary(statements), "statements": rows}, indent=1, allow_nan=False)


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def to_html(statements: Sequence[Statement]) -> str:
    """Return the statements as an HTML page."""
    kinds = ("agrees", "differs", "undecided", "spoilt")
    body: list[Any] = [[(word, "", word if word in kinds else "") for word in cells(one)] for one in statements]
    text = f"<p>{escape(summary(statements))}</p>" + html_table(HEADS, body)
    return page("Linux's TCP as judge", text)

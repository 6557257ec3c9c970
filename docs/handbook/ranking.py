"""How a scheme fares in the standard experiments: its rows in the tables that are stored beside the figures."""

from __future__ import annotations

import functools
import re

from docs.handbook.markup import table
from docs.handbook.staging import ROOT
from longfat import benchmark

#: Pages of tables, and the entries whose rows are taken from each; others stand there for comparison.
TABLES = {
    "kkm_tables": benchmark.ENTRIES, "today_tables": benchmark.TODAY, "further_tables": benchmark.FURTHER,
}  # fmt: skip


@functools.cache
def rows() -> dict[str, list[tuple[str, str, str, str]]]:
    """Return for each label the experiment, what was measured, the rank and the page."""
    found: dict[str, list[tuple[str, str, str, str]]] = {}
    for page in TABLES:
        text = (ROOT / "figures" / "kkm" / f"{page}.md").read_text(encoding="utf-8")
        _, *parts = re.split(r"^## (Experiment [^\n]*)$", text, flags=re.MULTILINE)
        for title, body in zip(parts[::2], parts[1::2], strict=True):
            for block in body.split("\n\n"):
                for label, values, rank in _ranked(block):
                    found.setdefault(label, []).append((title.partition(";")[0], values, rank, page))
    return found


def _ranked(block: str) -> list[tuple[str, str, str]]:
    r"""Return label, values and rank of the rows of a table; nothing for other text, and for tables without ranks.

    >>> _ranked("| scheme | delay | rank |\n|---|---|---|\n| a | 3 | 1 |")
    [('a', 'delay 3', '1 of 1')]
    """
    head, *cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in block.strip().splitlines()] or [[]]
    if not head or head[0] != "scheme" or head[-1] != "rank":
        return []
    many = sum(bool(row[-1]) for row in cells[1:])
    return [
        (row[0], "; ".join(map(" ".join, zip(head[1:-1], row[1:-1], strict=True))), f"{row[-1]} of {many}")
        for row in cells[1:]
    ]


def of(scheme: str) -> str:
    """Return a table of a scheme's rows in all sets of tables, its entries one after the other."""
    made = [
        (one.label, f"[{title}](/figures/kkm/{page}.md)", values, rank)
        for own, entries in TABLES.items()
        for one in entries.values()
        if one.scheme == scheme
        for title, values, rank, page in rows().get(one.label, [])
        if page == own
    ]
    if not made:
        return ""
    intro = "Times in ms, in brackets as printed, in the experiments of Kanakia, Keshav and Mishra (1992)."
    return f"{intro}\n\n{table(['row', 'experiment', 'measured', 'rank'], made)}"

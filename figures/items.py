"""Every number, claim, system, figure and table of the five papers, with its place in the project: ``items.csv``.

A place is one or more of these, separated by `` & ``: ``row: CLAIM``, a row of the scoreboard, or several whose claims
begin and end with the words before and after an asterisk; ``law: NAME``, ``scheme: NAME``, ``discipline: NAME``;
``code: MODULE:NAME``; ``file: PATH`` of a picture, page or scenario; ``input``, quoted, and nothing depends on it; or
``missing: WORDS`` that say what would be needed. Run with ``python -m figures.items``: it checks every place, fills in
the verdicts of the scoreboard's rows, and prints what is missing.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from pathlib import Path

from figures import verdict_tables
from figures.claims import PAPERS, Claim, read
from figures.writing import HERE
from longfat.base.files import AtomicFiles

KINDS = ("number", "claim", "system", "figure", "table")
ROOT = HERE.parent


@dataclass(frozen=True)
class Item:
    """An item of a paper: its place there, its name and kind, its places in the project, and verdicts of its rows."""

    paper: str
    section: str
    item: str
    kind: str
    place: str
    verdict: str

    @property
    def places(self) -> list[tuple[str, str]]:
        """Return the kinds of the places with their names.

        >>> Item("000", "4.1", "files", "number", "law: power.knee_load & scheme: blt", "").places
        [('law', 'power.knee_load'), ('scheme', 'blt')]
        """
        return [(kind, name.strip()) for kind, _, name in (one.partition(":") for one in self.place.split(" & "))]

    @property
    def missing(self) -> bool:
        """Whether the project does not have the item."""
        return self.place.startswith("missing:")


def items(path: Path = HERE / "items.csv") -> list[Item]:
    """Return all items."""
    with path.open(encoding="utf-8", newline="") as file:
        return [Item(**line) for line in csv.DictReader(file)]


def claims_of(item: Item, name: str) -> list[tuple[str, str]]:
    """Return the paper and the claim of each row that a place names; rows of another paper, if its own has none."""
    found = [(paper, row.claim) for paper in (item.paper, *PAPERS) for row in _rows(paper)]
    exact, star, after = name.partition("*")
    mine = [
        one for one in found
        if (one[1].startswith(exact) and one[1].endswith(after) if star else one[1] == name)
    ]  # fmt: skip
    return [one for one in dict.fromkeys(mine) if one[0] == mine[0][0]]


@functools.cache
def _rows(paper: str) -> tuple[Claim, ...]:
    return tuple(read(paper))


@functools.cache
def _laws() -> frozenset[str]:
    from longfat.handbook import law_records

    return frozenset(law.public_name for law in law_records.laws())


def exists(item: Item, kind: str, name: str) -> bool:
    """Return whether a place of an item exists."""
    from longfat.sim import queues, schemes

    match kind:
        case "row":
            return bool(claims_of(item, name))
        case "law":
            return name in _laws()
        case "scheme":
            return name in schemes.names()
        case "discipline":
            return name in queues.NAMED
        case "code":
            module, _, attribute = name.partition(":")
            try:
                return hasattr(import_module(module), attribute)
            except ImportError:
                return False
        case "file":
            return (ROOT / name).is_file()
        case "missing":
            return bool(name)
        case _:
            return kind == "input"


def astray(found: Iterable[Item]) -> list[str]:
    """Return the items that have no place, or one that does not exist, as text."""
    return [
        f"{one.paper}, {one.section}, {one.item}: {kind}: {name}"
        for one in found for kind, name in one.places if not exists(one, kind, name)
    ]  # fmt: skip


def judged(found: Iterable[Item], page: str) -> list[Item]:
    """Return items with the verdicts of their rows on the scoreboard's page, or "input" if an item has no row."""
    rows = verdict_tables.from_markdown(page)
    verdicts = dict(zip(zip(rows.paper, rows.claim, strict=True), rows.verdict, strict=True))
    filled = []
    for one in found:
        mine = [
            verdicts.get(row, "not run") for kind, name in one.places if kind == "row" for row in claims_of(one, name)
        ]
        words = "missing" if one.missing else ", ".join(dict.fromkeys(mine)) or "input"
        filled.append(replace(one, verdict=words))
    return filled


def counted(found: Iterable[Item]) -> str:
    """Return the numbers of items and of missing ones, for the scoreboard's first sentence."""
    listed = list(found)
    missing = sum(one.missing for one in listed)
    return f"{missing} of {len(listed)} items"


def main() -> None:
    """Check the places, write the verdicts, and print what is missing."""
    found = judged(items(), (HERE / "scoreboard.md").read_text(encoding="utf-8"))
    if wrong := astray(found):
        raise SystemExit("\n".join(wrong))
    with AtomicFiles(HERE) as files, files.path("items.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(asdict(found[0])), lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(asdict, found))
    print(*[f"{one.paper}, {one.section}: {one.place}" for one in found if one.missing], sep="\n")
    print(f"missing: {counted(found)}")


if __name__ == "__main__":
    main()

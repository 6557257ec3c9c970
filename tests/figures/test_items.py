"""The table of the papers' items: every place exists, no figure, table or row is left out, and each check can fail."""

import re
from dataclasses import replace

import pytest

from figures import items
from figures.claims import PAPERS, read
from figures.writing import HERE

#: Last figure of each paper, and its tables, counted in the papers; 4.7 of the benchmark has two parts.
FIGURES = {"000": 31, "001": 7, "002": 3, "003": 20, "004": 8}
TABLES = {
    "000": {"1"}, "001": {*(f"4.{k}" for k in range(1, 11) if k != 7), "4.7a", "4.7b"}, "002": {"I", "II"},
    "003": {"1"}, "004": {"1", "2"},
}  # fmt: skip


@pytest.fixture(scope="module")
def found():
    return items.items()


def test_every_item_has_places_that_exist(found):
    assert items.astray(found) == []
    assert {one.kind for one in found} == set(items.KINDS)
    assert all(one.section and one.item for one in found)


@pytest.mark.parametrize(
    "place",
    [
        "", "row: no such claim", "row: table 9.9: *", "law: blt.no_such_law", "scheme: blt-2", "discipline: fifo-2",
        "code: figures.blt.networks:NO_NAME", "code: figures.no_module:SETS", "file: figures/blt/blt_99.png",
        "missing:", "somewhere",
    ],
)  # fmt: skip
def test_a_place_that_does_not_exist_is_found(found, place):
    other = [replace(found[0], place=place), replace(found[1], place=f"scheme: blt & {place}")]
    assert len(items.astray(other)) == 2


@pytest.mark.parametrize("paper", PAPERS)
def test_every_figure_table_and_row_of_a_paper_is_an_item(found, paper):
    mine = [one for one in found if one.paper == paper]
    numbers = {int(number) for one in mine for number in re.findall(r"\bfig (\d+)", one.section)}
    assert numbers == set(range(1, FIGURES[paper] + 1))
    assert {table for one in mine for table in re.findall(r"\btable (\S+)", one.section)} == TABLES[paper]
    rows = {row for one in found for kind, name in one.places if kind == "row" for row in items.claims_of(one, name)}
    assert [row.claim for row in read(paper) if (paper, row.claim) not in rows] == []


def test_verdicts_are_those_of_the_scoreboard(found):
    page = (HERE / "scoreboard.md").read_text(encoding="utf-8")
    assert items.judged(found, page) == found
    first = next(one for one in found if one.verdict == "reproduced")
    assert items.judged([first], page.replace("reproduced", "differs"))[0] != first
    assert "not run" not in {word for one in found for word in one.verdict.split(", ")}


def test_the_first_sentence_of_the_scoreboard_counts_what_is_missing(found):
    page = (HERE / "scoreboard.md").read_text(encoding="utf-8")
    assert f"{items.counted(found)} of the papers are missing" in page.splitlines()[2]
    assert items.counted([found[0], replace(found[1], place="missing: all")]) == "1 of 2 items"

"""Checks of every row of every paper: its verdict follows from the published rule, and other evidence changes it.

The modules `test_published_*` import these tests, and the fixture ``found``, the findings of their ``PAPER`` in runs of
``PACKETS``, so that the rows of a paper are assessed once.
"""

import math
import re

import pytest

from figures import verdict_tables
from figures.claims import findings, tabulated
from figures.rule import FROM_BEST, Arithmetic, Declared, Quantity, Together, judge
from figures.writing import HERE
from tests.figures.opposites import opposite

__all__ = [
    "found",
    "table",
    "test_a_row_that_repeats_numbers_has_their_worst_verdict",
    "test_compared_numbers_are_printed_in_the_paper",
    "test_every_verdict_follows_from_evidence",
    "test_simulated_rows_state_their_runs",
    "test_the_rule_could_say_something_else_on_every_row",
]


SCOREBOARD = verdict_tables.from_markdown((HERE / "scoreboard.md").read_text(encoding="utf-8"))


def rows_of(page):
    """Return the cells of every row of the Markdown tables of a page, by the heads of their columns."""
    found, heads = [], None
    for line in page.splitlines():
        if not line.startswith("|"):
            heads = None
            continue
        cells = [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if heads is None:
            heads = cells
        elif set(line) - set("|- "):
            found.append(dict(zip(heads, cells, strict=True)))
    return found


@pytest.fixture(scope="module", params=[pytest.param("runs", marks=pytest.mark.long)])
def found(request):
    return findings(request.module.PAPER, packets=request.module.PACKETS)


@pytest.fixture(scope="module")
def table(found):
    return tabulated(found).set_index("claim")


def parts(evidence):
    return [two for one in evidence.parts for two in parts(one)] if isinstance(evidence, Together) else [evidence]


def test_every_verdict_follows_from_evidence(found):
    for row, one in found:
        assert one.evidence is not None, row.claim
        assert one.verdict == judge(one.evidence)[0], row.claim
        assert one.verdict != "differs" or len(one.reason) > 15, row.claim


def test_verdicts_are_those_of_the_scoreboard(request, found):
    """All verdicts agree, except those in a module's ``SHORT``, which has the verdicts of short runs.

    This is for papers whose other rows have the same verdicts with short runs.
    """
    stored = SCOREBOARD[SCOREBOARD.paper == found[0][0].paper].set_index("claim").verdict
    others = {row.claim: one.verdict for row, one in found if one.verdict != stored[row.claim]}
    assert others == request.module.SHORT


def test_the_rule_could_say_something_else_on_every_row(found):
    for row, one in found:
        if not isinstance(one.evidence, Declared):
            assert judge(opposite(one.evidence))[0] != one.verdict, row.claim


def test_compared_numbers_are_printed_in_the_paper(found):
    """Each printed number that an assessment names is in its row, digit by digit; a formula's value has no rounding."""
    for row, one in found:
        for part in parts(one.evidence):
            if isinstance(part, Quantity | Arithmetic) and "/" in part.printed.text:
                assert part.printed.rounding == 0, row.claim
            elif isinstance(part, Quantity | Arithmetic):
                text = f"{row.value} {row.claim} {row.conditions}"
                assert re.search(rf"(?<![\d.]){re.escape(part.printed.text)}(?!\d)", text), (row.claim, part.printed)


def test_a_row_that_repeats_numbers_has_their_worst_verdict(found):
    verdicts = {row.claim: one.verdict for row, one in found}
    for row, one in found:
        if one.repeats:
            claims = [one.repeats] if one.repeats in verdicts else one.repeats.split("; ")
            assert max((verdicts[name] for name in claims), key=FROM_BEST.index) == one.verdict, row.claim


def test_simulated_rows_state_their_runs(found):
    """A number that has an interval, or is beside one that has, was simulated: its row says how."""
    for row, one in found:
        quantities = [part for part in parts(one.evidence) if isinstance(part, Quantity)]
        estimates = [each for part in quantities for each in (part.ours, *part.others.values())]
        assert one.scale or all(math.isnan(each.lower) for each in estimates), row.claim

"""Rows of Kim and Farber: the parts of their evidence, the rule on every row, and short runs of all rows."""

import re

import pytest

from figures.blt import runs, table_1, under_load
from figures.blt.networks import Path
from figures.claims import Context
from figures.rule import Estimate, Quantity, difference, printed
from tests.figures.published_checks import *  # noqa: F403
from tests.figures.published_checks import SCOREBOARD

PAPER, PACKETS = "000", 1e5
#: The claim of a row has a least and a largest value, which are judged apart.
TWO_BOUNDS = ("power gap widened by a further factor",)


def test_differences_of_estimates():
    """Legs of 3 and 4 give 5; an increasing function keeps the order of the ends."""
    found = difference(Estimate(5.0, 2.0, 8.0), Estimate(1.0, -3.0, 5.0))
    assert (found.value, found.lower, found.upper) == (4.0, -1.0, 9.0)
    assert table_1.power_of_ten(Estimate(0.0, -1.0, 1.0)).upper == 10.0


def test_a_counted_run_has_exactly_its_files():
    """Eleven files of 0.1 MB without load: the throughput is 1.1 MB over the last completion."""
    found = runs.finished("BLT", Path(1000, 1000), 0.001, 11, 1)
    # The unloaded R at 1 Gbit/s is 30 ms and 202 packets of 4 us, unless a file meets another one.
    assert found["response_time"] == pytest.approx(0.030808, rel=0.01)
    # Ten gaps and the first arrival, each 0.8 s on average: the standard deviation of their sum is 2.7 s.
    assert 1.1e6 / found["throughput"] == pytest.approx(11 * 0.8, abs=3 * 2.7)


def test_an_interpretation_is_named_once_in_a_reason():
    """The rule's reason names it if it is met; the list of the interpretations has only the others then."""
    tried = {"counted": Estimate(7.12), "counted, every duplicate": Estimate(7.04)}
    for ours, words in (
        (7.33, "counted, every duplicate: 7.04 (7.04 .. 7.04)"),
        (7.1, "counted: 7.12 (7.12 .. 7.12); "),
    ):
        evidence = Quantity(printed("7.1", log10=True), Estimate(ours), interpretations={"counted": Estimate(7.12)})
        assert table_1._listed(tried, evidence).startswith(words)


def test_no_reason_on_the_page_has_one_value_of_an_interpretation_twice():
    single = r"(.+): [-\d.]+(?: \([^()]*\))?"
    for claim, reason in zip(SCOREBOARD.claim, SCOREBOARD.reason, strict=True):
        named = [found[1] for part in reason.split("; ") if (found := re.fullmatch(single, part))]
        assert len(named) == len(set(named)) or claim in TWO_BOUNDS, claim


def test_a_wrong_stream_of_figure_3_fails_the_row(monkeypatch):
    """If BLT waited for a round trip between its windows as TCP does, the row on figure 3 would not hold."""
    departures = runs.departures
    monkeypatch.setattr(runs, "departures", lambda _: departures("TCP"))
    assert under_load.streams(Context(1e5, 0)).verdict == "differs"


@pytest.mark.long
def test_every_row_in_short_runs(table):
    """With three short runs at each point, rows whose verdict does not depend on the seed have it."""
    verdict = table.verdict
    assert (verdict == "fitted").sum() <= 1  # the number of files, by BLT's throughput in section 4.3.1
    # Six increases and the network of 1.8 ms are printed twice.
    assert (table.repeats != "").sum() == 7
    assert set(table.repeats) - {""} <= set(table.index)
    assert verdict["TCP queue shows global synchronisation; BLT does not"] == "differs"
    assert verdict["BLT power at BW_b=90 exceeds TCP power at BW_b=150"] == "ordering reproduced"
    assert verdict["fairness: TCP better than BLT at BW_b=90"] == "ordering reproduced"
    assert verdict["response time BLT at max power"] == "predicted"
    assert verdict["response time TCP at max power"] == "sensitive"
    assert "threshold" in table.reason["TCP can beat BLT at low lambda with F=1MB"]

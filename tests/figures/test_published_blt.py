"""Rows of Kim and Farber: verdicts that need no runs, the rule on every row, and short runs of all rows."""

import math
import re

import pytest

from figures import verdict_tables
from figures.blt import claims as blt
from figures.blt import runs, table_1, under_load
from figures.blt.networks import SETS, Path
from figures.claims import Context, findings, read
from figures.rule import Estimate, Quantity, difference, printed
from figures.writing import HERE
from tests.figures.published_checks import *  # noqa: F403

#: Arithmetic on printed numbers is consistent; laws of ours beside printed expressions are reproduced.
WITHOUT_RUNS = {
    "mean wait for a coarse retransmission timer": "consistent",  # 500/2 = 250
    "windows encodable with pi=4 priority bits: packets covered": "reproduced",
    "TCP sends its windows one round trip after the other, BLT all at once": "reproduced",
    "consecutive windows W_k sum to |W_{k+1}|-1": "reproduced",
    "BDP of reference network": "consistent",  # 0.5625 for 0.6
    "BDP of faster network": "consistent",  # 3.75 for 4
    "BDP at D=1.8 ms": "consistent",  # 33.75 for 35
    "buffer at S1 when D=1 ms": "consistent",  # 2.5 for 2 or 3
    "transmission time of a 20-packet (10KB) file": "consistent",  # 0.533 for "less than 1"
    "ACK travel time": "consistent",  # 30/2 = 15
    "TCP needs for 10KB at least": "reproduced",  # 5 for "at least 4"
    "mean throughput of one TCP connection F/R": "consistent",  # 0.8/0.2894 = 2.764 for 2.8
    "mean outstanding TCP connections": "consistent",  # 318 x 0.2894/0.8 = 115.04
    "mean outstanding BLT connections": "consistent",  # 900 x 0.032 = 28.8 for 29
    "mean throughput of one BLT connection": "consistent",  # 605/29 = 20.86 for 20.8
    "implied BLT response time": "consistent",  # 0.8/20.8 = 0.03846 for 0.0385
    "corrected BLT system throughput": "consistent",  # 29 x 0.8/0.032 = 725
    "Vegas throughput gain over Reno (cited)": "input",
    "distance of 1.8 ms": "consistent",  # 0.9 ms x 186282 miles/s = 167.7 for 170
    "3 ms over AURORA's mean round trip: almost": "consistent",  # 3/1.55 = 1.94 for "almost twice"
    "DECbit: share of marks, decrease, increase": "input",
    "mean round trip between AURORA's nodes": "input",
    "interactive conversations that send as much as the average bulk transfer": "input",
    "interactive conversations that send less than 10 kB, and for how long": "input",
    "bulk transfers of less than 10 kB; almost all less than 1 MB": "input",
    "growth of www in connections and in volume; until it surpasses ftpdata": "input",
}


#: The claim of a row has a least and a largest value, which are judged apart.
TWO_BOUNDS = ("power gap widened by a further factor",)


@pytest.fixture(scope="module", params=[pytest.param("000", marks=pytest.mark.long)])
def found(request):
    return findings(request.param, packets=1e5)


@pytest.mark.parametrize("claim", WITHOUT_RUNS)
def test_rows_that_take_no_runs(claim):
    found = blt.ASSESSMENTS[claim](Context(1e5, 0))
    assert found.verdict == WITHOUT_RUNS[claim]
    assert not found.scale


def test_no_analytic_row_is_left_out():
    analytic = {row.claim for row in read("000") if row.kind == "analytic"}
    assert analytic <= set(WITHOUT_RUNS)


def test_differences_of_estimates():
    """Legs of 3 and 4 give 5; an increasing function keeps the order of the ends."""
    found = difference(Estimate(5.0, 2.0, 8.0), Estimate(1.0, -3.0, 5.0))
    assert (found.value, found.lower, found.upper) == (4.0, -1.0, 9.0)
    assert table_1.power_of_ten(Estimate(0.0, -1.0, 1.0)).upper == 10.0


def test_a_counted_run_has_exactly_its_files():
    """Eleven files of 0.1 MB without load: the throughput is 1.1 MB over the last completion."""
    found = runs.finished("BLT", Path(1000, 1000), 0.001, 11, 1)
    # Unloaded R at 1 Gbit/s is 30 ms and 202 packets of 4 us, but for a file that meets another.
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
    page = verdict_tables.from_markdown((HERE / "scoreboard.md").read_text(encoding="utf-8"))
    single = r"(.+): [-\d.]+(?: \([^()]*\))?"
    for claim, reason in zip(page.claim, page.reason, strict=True):
        named = [found[1] for part in reason.split("; ") if (found := re.fullmatch(single, part))]
        assert len(named) == len(set(named)) or claim in TWO_BOUNDS, claim


def test_streams_of_which_one_is_not_what_it_says(monkeypatch):
    """If BLT waited for a round trip between its windows as TCP does, the row on figure 3 would not hold."""
    departures = runs.departures
    monkeypatch.setattr(runs, "departures", lambda _: departures("TCP"))
    assert under_load.streams(Context(1e5, 0)).verdict == "differs"


@pytest.mark.long
def test_every_row_in_short_runs(table):
    """With three short runs at each point, rows whose verdict does not depend on the seed have it."""
    verdict, counts = table.verdict, table.verdict.value_counts()
    assert len(table) == 109
    assert {claim: verdict[claim] for claim in WITHOUT_RUNS} == WITHOUT_RUNS
    assert (table[verdict == "differs"].reason.str.len() > 15).all()
    assert counts["input"] == 1
    assert counts["fitted"] <= 1  # the number of files, by BLT's throughput in section 4.3.1
    # Six increases and the network of 1.8 ms are printed twice.
    assert (table.repeats != "").sum() == 7
    assert set(table.repeats) - {""} <= set(table.index)
    assert verdict["TCP queue shows global synchronisation; BLT does not"] == "differs"
    assert verdict["BLT power at BW_b=90 exceeds TCP power at BW_b=150"] == "ordering reproduced"
    assert verdict["fairness: TCP better than BLT at BW_b=90"] == "ordering reproduced"
    assert verdict["response time BLT at max power"] == "predicted"
    assert verdict["response time TCP at max power"] == "sensitive"
    assert "threshold" in table.reason["TCP can beat BLT at low lambda with F=1MB"]


@pytest.mark.long
def test_no_greatest_power_is_above_the_bound():
    """First-come service has the greatest power of all; a sweep's mean is at most its noise above it."""
    context = Context(1e5, 0)
    for name in ("reference", "1 Gbit/s"):
        for k, path in enumerate(SETS[name]):
            for label in ("BLT", "TCP"):
                found = table_1.best(context, label, name, k)
                assert found.low <= table_1.ceiling(path), (label, name, k)
                assert math.isfinite(found.value)

"""Rows of Kanakia, Keshav and Mishra: what is run for a cell, and which evidence its verdict follows from."""

import math
from dataclasses import replace

import numpy as np
import pytest

from longfat.benchmark import ENTRIES, VARIANTS
from longfat.benchmark.printed import cells
from longfat.verify.published import kkm, read
from longfat.verify.published import kkm_runs as runs
from longfat.verify.published.claims_table import Context
from longfat.verify.published.rule import Quantity, Together, judge

CELLS = {kkm.claim(one): one for one in cells() if one.value}
SMALL = Context(1e5, 0)  # two runs of each random cell
VERDICTS = {
    "table 4.3: hbh, transfer time, 4 pkts": ("fitted", "start rate of 1 packet per 3 ms"),
    "table 4.3: e2e-ef, transfer time, 20 pkts": ("fitted", "start rate of 1 packet per ms"),
    "table 4.3: tcp (tahoe), transfer time, 20 pkts": ("reproduced under an interpretation", "time of 40 ms"),
    "table 4.3: decbit, transfer time, 4 pkts": ("reproduced under an interpretation", "time of 40 ms"),
    "table 4.3: optimal, transfer time, 200 pkts": ("reproduced", "64 ms"),
    "table 4.1: optimal, packet delay": ("input", "zero by the definition"),
    "table 4.7a: optimal, standard deviation of the transfer time, 0.2": ("input", "zero by the definition"),
    "table 4.7a: optimal, transfer time, 0.2": ("not reproducible", "repeats the value of experiment 1"),
    "table 4.7b: decbit, packet delay, 0.2": ("not reproducible", "repeats the transfer time"),
    "optimal transfer time exp 4 conn 1 / conn 2": ("reproduced", "1844, 1882"),
    "bandwidth-delay product exp 9": ("consistent", "5.5"),
    "power is proportional to the inverse square of the transfer time": ("input", "by the definition of power"),
    "packet size": ("input", "500 B"),
}  # fmt: skip


@pytest.mark.parametrize("claim", VERDICTS)
def test_rows_that_need_no_long_runs(claim):
    found = kkm.ASSESSMENTS[claim](SMALL)
    verdict, words = VERDICTS[claim]
    assert found.verdict == verdict
    assert words in found.ours + found.reason


def test_every_printed_cell_is_a_row():
    rows = [row for row in read("001") if row.claim.startswith("table 4.")]
    assert [vars(row) for row in rows] == kkm.rows()
    assert len(rows) == len(CELLS) == 174


def test_a_time_of_slow_start_that_depends_on_nothing_else():
    """Without cross traffic five rounds of 44 ms are 220 ms; a tenth less is 198, so 40 ms are no wide spread."""
    cell = CELLS["table 4.3: tcp (tahoe), transfer time, 20 pkts"]
    found = kkm.evidence(cell, 2, 0)
    assert 220 < found.ours.value < 223
    assert math.isnan(found.ours.lower)  # nothing is random
    assert found.optimum == 46
    assert found.spread.lower == pytest.approx(found.ours.value - 20, abs=0.1)  # access delays of 18 ms: 5 x 4 ms less
    assert not found.spread.wide
    assert set(found.others) == {"hbh", "pp", "e2e-ef", "decbit"}


def test_tahoe_is_sensitive():
    """A packet time of jitter at its senders moves Tahoe's time in experiment 1 by more than a fifth."""
    found = kkm.ASSESSMENTS["table 4.1: tcp (tahoe), transfer time"](SMALL)
    assert found.evidence.spread.upper > 1.5 * found.evidence.spread.lower
    assert found.verdict in ("sensitive", "differs")
    assert "send jitter" in found.reason


@pytest.mark.parametrize("name", ["tahoe", "packet-pair"])
def test_every_scheme_is_perturbed_alike(name):
    """In experiment 1: four access delays, the probe, ten runs with jitter; experiment 9 has no delay of 20 ms."""
    assert len(runs.perturbations(VARIANTS["1"], ENTRIES[name], 10)) == 4 + 1 + 10
    jobs = runs.perturbations(VARIANTS["9b"], ENTRIES[name], 10)
    assert len(jobs) == 1 + 10
    # One run without jitter, ten with 4000 bit at 1.5 Mbit/s.
    assert sorted(sample[0][1].send_jitter for sample in jobs) == pytest.approx([0.0] + [2.667e-3] * 10, rel=1e-3)
    # In experiment 7 a sample has ten runs; four more groups of ten have other seeds.
    samples = runs.perturbations(VARIANTS["7-0.2"], ENTRIES[name], 10)
    assert [len(one) for one in samples] == [10] * (4 + 1 + 1 + 4)
    assert {draw for sample in samples[-4:] for _, _, draw in sample} == set(range(10, 50))


def test_a_statistic_in_the_unit_of_its_cell():
    """By hand: of 1 and 3 s the mean is 2 s, the deviation 1.414 s, Student's half width 12.706 x 1.414/1.414 s."""
    made = [{"transfer_time_1": 1.0, "delay_mean": 0.04}, {"transfer_time_1": 3.0, "delay_mean": 0.04}]
    mean = runs.statistic(CELLS["table 4.7a: hbh, transfer time, 0.2"])(made)
    assert mean.value == 2000
    assert mean.upper - mean.value == pytest.approx(12706, abs=1)
    deviation = runs.statistic(CELLS["table 4.7a: hbh, standard deviation of the transfer time, 0.2"])(made)
    assert deviation.value == pytest.approx(1414.2, abs=0.1)
    assert runs.statistic(CELLS["table 4.9: pp, packet delay"])(made[:1]).value == 0.04  # printed in seconds
    assert runs.statistic(CELLS["table 4.8: pp, packet delay"])(made[:1]).value == 40


def test_deviations_have_the_range_of_five_groups():
    cell = CELLS["table 4.7a: e2e-ef, standard deviation of the transfer time, 0.2"]
    found = runs.spread(cell, 2, 0)
    pairs = [runs.measured("7-0.2", "explicit-feedback", 2, 0)]
    pairs += runs.perturbed("7-0.2", "explicit-feedback", 2, 0)[-4:]
    by_hand = [1e3 * abs(a["transfer_time_1"] - b["transfer_time_1"]) / math.sqrt(2) for a, b in pairs]
    assert (found.lower, found.upper) == (pytest.approx(min(by_hand)), pytest.approx(max(by_hand)))
    assert found.over == "5 groups of 2 runs"


def test_free_choices_that_the_tables_have_set():
    """The starts of hop-by-hop and explicit feedback by tables 4.3 and 4.7a, the files by 4.10."""
    fitted = {claim for claim, cell in CELLS.items() if cell.scheme != "optimal" and kkm.fitted(cell)}
    assert not any("delay" in claim or "deviation" in claim for claim in fitted)
    of_start = {
        claim
        for claim, cell in CELLS.items()
        if cell.scheme in ("hbh", "e2e-ef") and claim.startswith(("table 4.3", "table 4.7a")) and "dev" not in claim
    }
    of_size = {claim for claim in CELLS if claim.startswith("table 4.10")}
    assert fitted >= of_start | of_size
    assert (len(of_start), len(of_size)) == (2 * (3 + 5), 6)
    assert not kkm.fitted(CELLS["table 4.1: hbh, transfer time"])


def test_choices_are_at_their_rows():
    for claim, words in (
        ("table 4.10: hbh, transfer time, connection 1", "ours: files of 2 MB"),
        ("table 4.9: pp, transfer time", "ours: files of 75 kB"),
        ("table 4.7a: e2e-ef, transfer time, 0.2", "ours: all sources send from time 0 on"),
        ("table 4.1: hbh, packet delay", "decided by this table: packet delays include transmission times"),
    ):
        text = kkm.scale(CELLS[claim], 2, 0)
        assert words in text
        assert "fair queueing" in text


def test_repeated_optima():
    repeats = [kkm.ASSESSMENTS[claim](SMALL).repeats for claim, cell in CELLS.items() if cell.scheme == "optimal"]
    named = [one for one in repeats if one]
    assert len(named) == 10  # one each in 4.1, 4.2 and 4.5, two in 4.4 and 4.6, three in 4.3
    assert set(named) == set(kkm.OPTIMA)


@pytest.mark.parametrize(("late", "verdict"), [(5.0, "ordering reproduced"), (-5.0, "differs"), (0.5, "differs")])
def test_an_order_needs_whole_intervals(monkeypatch, late, verdict):
    """Schemes differ by 10 ms; decbit's times vary by 1 ms around `late` after Tahoe's: half an interval is 0.75 ms."""
    times = {"hop-by-hop": 0.0, "packet-pair": 10.0, "explicit-feedback": 20.0, "tahoe": 30.0, "decbit": 30.0 + late}
    noise = np.tile([-1.0, 1.0], 5)
    monkeypatch.setattr(runs, "_jittered", lambda _, name, seed: noise * (name == "decbit") + times[name])
    assert kkm.ASSESSMENTS["order exp 2: hbh < pp < e2e-ef < tcp < decbit"](SMALL).verdict == verdict


def test_announced_delays_that_are_not_printed():
    """Section 4.10 announces delays; its table has six transfer times and nothing else."""
    printed = [one for one in cells() if one.experiment == 10 and one.value]
    assert [one.metric for one in printed] == ["transfer_time"] * 6


def test_a_rule_of_a_scheme_is_changed_for_all_cells_or_none():
    """Only the experiment and what is measured have interpretations; without losses a rule for them changes nothing."""
    cell = CELLS["table 4.3: decbit, transfer time, 20 pkts"]
    assert list(runs.interpreted(cell, 2, 0)) == [
        "transfer times measured beside the probe packets",
        "round-trip time of 40 ms",
    ]
    found = {claim: kkm.ASSESSMENTS[claim](SMALL) for claim in CELLS if claim.startswith("table 4.3: decbit")}
    lines = {words: counts for _, words, *counts in kkm.of_all_cells(SMALL, found)}
    # With 44 ms 120 and 321 ms are not met, 1203 ms is.
    assert lines["three duplicate ACKs signal a loss"] == ["3", "1", "1"]
    assert "round-trip time of 40 ms" not in lines


def test_the_rule_could_say_otherwise():
    cell = CELLS["table 4.3: hbh, transfer time, 20 pkts"]
    found = kkm.evidence(cell, 2, 0)
    assert isinstance(found, Quantity)
    far = replace(found.ours, value=2 * found.ours.value)
    assert judge(replace(found, ours=far, interpretations={}))[0] == "differs"
    assert judge(replace(found, fitted=""))[0] == "reproduced"


def test_optima_of_a_row_are_judged_together():
    found = kkm.ASSESSMENTS["optimal transfer time exp 3 (4/20/200 packets)"](SMALL)
    assert isinstance(found.evidence, Together)
    assert [part.ours.value for part in found.evidence.parts] == pytest.approx([44.4, 46, 64])

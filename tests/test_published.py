"""Rows of the papers: every row has an assessment, and the important verdicts follow from runs."""

import pytest

from longfat.sim.statistics import Interval
from longfat.verify.published import Finding, blt, cadpc, gong_parulkar, kkm, loss_load, published, read
from longfat.verify.published.claims_table import Context
from longfat.verify.published.loss_load_measured import Point


@pytest.mark.parametrize(
    ("paper", "judges"),
    [
        ("000", blt.ASSESSMENTS),
        ("001", kkm.ASSESSMENTS),
        ("002", cadpc.ASSESSMENTS),
        ("003", gong_parulkar.ASSESSMENTS),
        ("004", loss_load.ASSESSMENTS),
    ],
)
def test_every_row_has_a_judge_and_every_judge_a_row(paper, judges):
    assert sorted(row.claim for row in read(paper)) == sorted(judges)


def test_refusals():
    with pytest.raises(ValueError, match="paper '009' is unknown; available: 000, 001, 002, 003, 004"):
        published("009")
    with pytest.raises(ValueError, match="packets = 10 packets is out of range"):
        published("003", packets=10)
    with pytest.raises(ValueError, match="needs a reason"):
        Finding("0.3", "differs")
    with pytest.raises(
        ValueError, match="verdict 'fine' is unknown; available: consistent, differs, fitted, input, not reproducible"
    ):
        Finding("0.3", "fine")


def test_rows_of_the_virtual_loss_load_model():
    """With four runs at each point, rows whose verdict does not depend on the seed have it."""
    table = published("004", packets=1e5).set_index("claim")
    verdict = table.verdict
    assert len(table) == 61
    assert (verdict == "input").sum() == 18  # table 1 is quoted
    assert (table[verdict == "differs"].reason.str.len() > 20).all()
    assert not table.reason.str.contains("this run does not show it").any()
    assert (table.ours.str.len() > 2).all()
    analytic = [row.claim for row in read("004") if row.kind == "analytic"]
    assert set(verdict[analytic]) == {"reproduced"}
    orderings = [row.claim for row in read("004") if row.kind == "ordering"]
    assert set(verdict[orderings]) == {"ordering reproduced"}
    times = [f"text, k = 2, v = {v}: transfer time" for v in (0.5, 0.6, 0.9, 1.0)]
    assert set(verdict[[*times, "peak load k=20", "loss at v=1 close to"]]) == {"reproduced"}
    assert verdict["table 2, k = 2, v = 1.0: standard deviation of the queueing delay"] == "differs"
    assert "no" in table.reason["transfer time k=2 v=0.9 -> 1.0"]


def test_when_a_number_is_met():
    """A number agrees within 10 %, or if it lies, as rounded, in an interval of at most 25 % to each side."""
    point = Point(2, 1.0, "loss", 0.20, 2)
    assert point.meets(Interval(0.219, 0.218, 0.220))
    assert not point.meets(Interval(0.23, 0.21, 0.25))
    assert point.meets(Interval(0.23, 0.204, 0.256))  # 0.20 may be 0.205
    assert not point.meets(Interval(0.23, 0.10, 0.36))  # everything is in there


@pytest.mark.parametrize(("paper", "judges"), [("000", blt.ASSESSMENTS), ("002", cadpc.ASSESSMENTS)])
def test_rows_that_take_no_runs(paper, judges):
    """Analytic claims are reproduced; the long tests below assess all others."""
    for row in read(paper):
        if row.kind == "analytic":
            assert judges[row.claim](Context(1e5, 0)).verdict == "reproduced", row.claim


@pytest.mark.long
def test_rows_of_cadpc():
    """With three runs at each point, rows whose verdict does not depend on the seed have it, with their numbers."""
    table = published("002", packets=1e5).set_index("claim")
    verdict = table.verdict
    assert dict(verdict.value_counts()) == {"reproduced": 14, "differs": 5, "input": 2, "ordering reproduced": 2}
    assert (table[verdict == "differs"].reason.str.len() > 20).all()
    assert not table.reason.str.contains("this run does not show it").any()
    analytic = [row.claim for row in read("002") if row.kind == "analytic"]
    assert set(verdict[analytic]) == {"reproduced"}
    assert "10: 0.909" in table.ours["total traffic at equilibrium"]
    # Fifty packets in a round trip of 300 ms are 1.33 Mbit/s.
    assert "loss is not negligible at 1 Mbit/s" in table.reason["CADPC loss negligible; fairness almost perfect"]
    assert "13 updates" in table.reason["equal rates with RTT_i = (i+1) RTT_0"]
    assert (
        "Vegas at 5"
        in table.reason["throughput greater than almost all competitors; smallest average queue almost always"]
    )


@pytest.mark.long
def test_rows_of_blt():
    """With two or three short runs at each point, rows whose verdict does not depend on the seed have it."""
    table = published("000", packets=1e5).set_index("claim")
    verdict = table.verdict
    assert len(table) == 82
    assert (verdict == "input").sum() == 1  # a quotation
    assert (table[verdict == "differs"].reason.str.len() > 15).all()
    assert (table.ours.str.len() > 2).all()
    analytic = [row.claim for row in read("000") if row.kind == "analytic"]
    assert set(verdict[analytic]) == {"reproduced"}
    cells = verdict[table.index.str.startswith("table 1, BLT") & table.index.str.endswith("power")]
    assert len(cells) == 6
    assert set(cells) == {"reproduced"}
    assert not table.reason.str.contains("impossible").any()  # no power above the ceiling
    sure = ["BLT power at BW_b=90 exceeds TCP power at BW_b=150", "BLT throughput above TCP especially at large lambda"]
    assert set(verdict[sure]) == {"ordering reproduced"}
    assert "longest of three runs" in table.reason["system throughput TCP at max power"]
    assert "initial slow-start threshold" in table.reason["TCP can beat BLT at low lambda with F=1MB"]

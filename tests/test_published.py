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

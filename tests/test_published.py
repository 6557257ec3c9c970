"""Rows of the papers: every row has an assessment, and the important verdicts follow from runs."""

import pytest

from longfat.verify.published import Finding, blt, cadpc, gong_parulkar, kkm, loss_load, published, read
from longfat.verify.published.claims_table import Context


@pytest.fixture(scope="module")
def table():
    return published("003").set_index("claim")


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


def test_verdicts(table):
    counts = table.verdict.value_counts()
    assert dict(counts) == {"reproduced": 18, "differs": 7, "input": 3, "ordering reproduced": 2}
    assert (table[table.verdict == "differs"].reason.str.len() > 20).all()
    assert not table.reason.str.contains("this run does not show it").any()


@pytest.mark.parametrize(
    ("claim", "verdict", "words"),
    [
        ("gain of advertising 2.5 w_a with buffer 0.25 w_a", "reproduced", "75 points at least"),
        ("hard = soft when buffer = window = 2.5 w_a", "ordering reproduced", "same run"),
        ("difference persists until loss approaches", "reproduced", "within 0.0"),
        ("maximum segment delay: soft lower at loss", "differs", "B = 6"),
        ("window for slower rate F1", "differs", "W_1 = 46"),
    ],
)
def test_rows_of_the_receive_buffer(table, claim, verdict, words):
    assert table.verdict[claim] == verdict
    assert words in table.ours[claim]


def test_soft_acknowledgment_falls_most_from_one_product_to_a_half(table):
    row = table.loc["soft below hard for smaller buffers; largest drop in throughput when buffer falls to"]
    assert "except at p = 0.01, B = 23, where soft" in row.reason
    for part in row.ours.split("; "):
        first, second, third = (float(x) for x in part.split("by ")[1].split(", "))
        assert second > max(first, third) + 0.1


def test_too_few_packets_are_no_verdict():
    """With 10^5 packets a point still has a hundred losses, so every row has a verdict."""
    few = published("003", packets=1e5, seed=3)
    assert set(few.verdict) <= {"reproduced", "ordering reproduced", "differs", "input"}


def test_refusals():
    with pytest.raises(ValueError, match="paper '009' is unknown; available: 000, 001, 002, 003, 004"):
        published("009")
    with pytest.raises(ValueError, match="packets = 10 packets is out of range"):
        published("003", packets=10)
    with pytest.raises(ValueError, match="needs a reason"):
        Finding("0.3", "differs")
    with pytest.raises(
        ValueError, match="verdict 'fine' is unknown; available: differs, input, not reproducible, ordering"
    ):
        Finding("0.3", "fine")


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

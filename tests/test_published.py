"""Rows of the papers: every one is judged, and the verdicts that matter are what runs say."""

import pytest

from longfat.verify.published import Finding, published, read
from longfat.verify.published.gong_parulkar import JUDGES


@pytest.fixture(scope="module")
def table():
    return published("003").set_index("claim")


def test_every_row_has_a_judge_and_every_judge_a_row():
    assert sorted(row.claim for row in read("003")) == sorted(JUDGES)


def test_verdicts(table):
    counts = table.verdict.value_counts()
    assert dict(counts) == {"reproduced": 18, "differs": 7, "input": 3, "ordering reproduced": 2}
    assert (table[table.verdict == "differs"].reason.str.len() > 20).all()
    assert not table.reason.str.contains("not so in this run").any()


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
    assert "p = 0.01, B = 23: there soft carries more" in row.reason
    for part in row.ours.split("; "):
        first, second, third = (float(x) for x in part.split("by ")[1].split(", "))
        assert second > max(first, third) + 0.1


def test_too_few_packets_are_no_verdict():
    """Of 10^5 packets at p = 1e-5 ... a hundred losses are simulated all the same; the judges say what they saw."""
    few = published("003", packets=1e5, seed=3)
    assert set(few.verdict) <= {"reproduced", "ordering reproduced", "differs", "input"}


def test_refusals():
    with pytest.raises(ValueError, match="paper = '009' is out of range: allowed are 003"):
        published("009")
    with pytest.raises(ValueError, match="packets = 10 packets is out of range"):
        published("003", packets=10)
    with pytest.raises(ValueError, match="needs a reason"):
        Finding("0.3", "differs")
    with pytest.raises(ValueError, match="verdict = 'fine' is out of range"):
        Finding("0.3", "fine")

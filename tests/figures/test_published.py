"""Rows of the papers: every row has an assessment, and the important verdicts follow from runs."""

import pandas as pd
import pytest

from figures.blt import claims as blt
from figures.cadpc import claims as cadpc
from figures.claims import Context, Finding, findings, read, tabulated
from figures.gong_parulkar import claims as gong_parulkar
from figures.kkm import claims as kkm
from figures.loss_load import claims as loss_load
from tests.figures.published_checks import SCOREBOARD

PAPERS = pytest.mark.parametrize(
    ("paper", "judges"),
    [
        ("000", blt.ASSESSMENTS),
        ("001", kkm.ASSESSMENTS),
        ("002", cadpc.ASSESSMENTS),
        ("003", gong_parulkar.ASSESSMENTS),
        ("004", loss_load.ASSESSMENTS),
    ],
)


@PAPERS
def test_every_row_has_a_judge_and_every_judge_a_row(paper, judges):
    assert sorted(row.claim for row in read(paper)) == sorted(judges)


@PAPERS
def test_rows_that_take_no_runs_are_those_of_the_scoreboard(paper, judges):
    """Arithmetic on printed numbers, laws beside printed expressions, and what is not judged: word by word."""
    shown = SCOREBOARD[(SCOREBOARD.paper == paper) & (SCOREBOARD.scale == "")].set_index("claim")
    made = tabulated([(row, judges[row.claim](Context(1e5, 0))) for row in read(paper) if row.claim in shown.index])
    assert len(made) == {"000": 26, "001": 44, "002": 7, "003": 22, "004": 28}[paper]
    columns = ["ours", "verdict", "reason", "criterion", "scale"]
    pd.testing.assert_frame_equal(made.set_index("claim")[columns], shown[columns])


def test_refusals():
    with pytest.raises(ValueError, match="paper '009' is unknown; available: 000, 001, 002, 003, 004"):
        findings("009")
    with pytest.raises(ValueError, match="packets = 10 packets is out of range"):
        findings("003", packets=10)
    with pytest.raises(ValueError, match="needs a reason"):
        Finding("0.3", "differs")
    with pytest.raises(
        ValueError, match="verdict 'fine' is unknown; available: consistent, differs, fitted, input, not reproducible"
    ):
        Finding("0.3", "fine")

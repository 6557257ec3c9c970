"""Rows of the papers: every row has an assessment, and the important verdicts follow from runs."""

import pytest

from figures.blt import claims as blt
from figures.cadpc import claims as cadpc
from figures.claims import Finding, published, read
from figures.gong_parulkar import claims as gong_parulkar
from figures.kkm import claims as kkm
from figures.loss_load import claims as loss_load


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

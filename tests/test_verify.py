"""Verdicts: what agrees, what differs, what cannot be said."""

import pytest

from longfat import verify
from longfat.law import Law, Symbol, Validity
from longfat.laws.selective_repeat import initial_window

X = Symbol("x", "m", "[0, 10]", (1, 5))
LAW = Law(lambda x, *, xp: x, {"x": X}, "m", "an example", Validity("x < 5", lambda x: x < 5, 0.5))


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [
        ((1.9, 2.1), "agrees"),
        ((1.5, 2.5), "agrees"),
        ((1.4, 2.0), "undecided"),
        ((0.0, 9.0), "undecided"),
        ((2.6, 2.7), "differs"),
        ((1.0, 1.4), "differs"),
    ],
)
def test_verdicts(interval, verdict):
    table = verify.check(LAW, lambda x, confidence: (sum(interval) / 2, *interval), [{"x": 2.0}])
    assert table.verdict.item(0) == verdict
    assert table.attrs["agrees"] == (verdict == "agrees")


def test_outside_the_validity_nothing_is_judged():
    table = verify.check(LAW, lambda x, confidence: (0.0, 0.0, 0.0), [{"x": 7.0}])
    assert table.verdict.item(0) == "not valid"
    assert table.attrs["agrees"] == 0


def test_the_confidence_is_that_of_all_points_together():
    seen = []

    def estimator(x, confidence):
        seen.append(confidence)
        return x, x, x

    table = verify.check(LAW, estimator, [{"x": 1.0}, {"x": 2.0}, {"x": 3.0}, {"x": 4.0}], confidence=0.9)
    assert seen == [pytest.approx(1 - 0.1 / 4)] * 4
    assert table.attrs["agrees"] == 1
    assert table.x.attrs["units"] == "m"


def test_refusals():
    with pytest.raises(ValueError, match="initial_window states none"):
        verify.check(initial_window, None, [{"ack_segments": 1.0}])
    with pytest.raises(ValueError, match="at least one point"):
        verify.check(LAW, None, [])
    with pytest.raises(ValueError, match="gave no interval"):
        verify.check(LAW, lambda x, confidence: (1.0, float("nan"), 1.0), [{"x": 1.0}])
    with pytest.raises(ValueError, match="confidence = 1"):
        verify.check(LAW, None, [{"x": 1.0}], confidence=1)

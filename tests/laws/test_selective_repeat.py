"""The laws of Gong and Parulkar against values by hand, errata, and the simulator."""

import functools

import numpy as np
import pytest

from longfat import verify
from longfat.laws import selective_repeat as laws
from longfat.testing import compare


@pytest.mark.parametrize(
    ("window", "shipped", "printed"),
    [
        # p = 1/2, s = 1: g = 1/2, 1/g = 2; w_a = 3
        (1, 1 / 8, 1 / 8),  # 1 / (2 + 3 * 2)
        (2, 4 / 11.5, 4 / 11.5),  # (2 + 2) / (6 + 1 + 1/2 + 4 / (2 * 1/2))
        (4, 6 / 9.5, 6 / 9.5),  # (2 + 4) / (7.5 + 4 / (4 * 1/2))
        (4.5, 6.5 / 9.5, 6.5 / 11),  # m = min(1.5, 1.5) = 1.5: (3 + 1.5 + 2) / (7.5 + 2 [+ 1.5 as printed])
        (5, 6.5 / 9.5, 6.5 / 11),  # m = min(2, 1.5)
        (7, 0.5, 0.5),
    ],
)
def test_efficiency_by_hand(window, shipped, printed):
    assert laws.throughput_efficiency(window, 0.5, 1, 3) == pytest.approx(shipped, rel=1e-15)
    assert laws.throughput_efficiency.as_printed(window, 0.5, 1, 3) == pytest.approx(printed, rel=1e-15)


def test_laws_without_an_erratum_have_nothing_as_printed():
    with pytest.raises(AttributeError, match="the law is the expression that its source prints"):
        _ = laws.ack_delay.as_printed


def test_the_shipped_law_is_not_capped_at_1_minus_p():
    """It exceeds what loss leaves where (w_a + m) g + 1 > (1 - p) ((2 w_a + 1 + p) g + 1); the record says so."""
    w, p, s, w_a = 45.9, 0.01, 16, 100.0
    for w_a in (23.0, 100.0):
        w = 2 * w_a + 0.9
        g = 1 - (1 - p) ** s
        m = min(w - w_a, w_a * (1 - p))
        exceeds = (w_a + m) * g + 1 > (1 - p) * ((2 * w_a + 1 + p) * g + 1)
        assert (laws.throughput_efficiency(w, p, s, w_a) > 1 - p) == exceeds
    assert exceeds
    assert "(w_a + m) g + 1 > (1 - p) ((2 w_a + 1 + p) g + 1)" in laws.throughput_efficiency.__doc__


def test_isolated_cases_cost_nothing_where_they_do_not_occur(monkeypatch):
    seen = []
    monkeypatch.setattr(laws.efficiency, "_alone", lambda p, s, w_a, xp: seen.append(p.size) or p * 0)
    laws.throughput_efficiency(np.linspace(2, 50, 1000), 1e-3, 16, 23.0)
    assert seen == []
    laws.throughput_efficiency(np.array([1.0, 2, 1, 3]), 1e-3, 16, 23.0)
    assert seen == [2]


def test_the_printed_law_differs_from_the_simulator():
    printed, simulator = laws.throughput_efficiency.as_printed, verify.segment_efficiency
    for loss in (1e-3, 5e-3):
        point = {"window": 45, "loss": loss, "segment_packets": 16, "ack_segments": 23.0}
        assert compare(printed, simulator, point, within=0.03, rng=0).verdict == "differs"


@pytest.mark.parametrize(
    ("window", "loss", "segment_packets", "ack_segments", "error"),
    [
        (4, 0.0079, 128, 2.5, 0.09),  # a short path: most segments in flight are damaged at once
        (6, 0.0055, 128, 5.0, 0.03),
        (12, 0.00496, 64, 9.109375, 0.04),
        (1526, 0.01, 16, 763.125, 0.2),  # w_a s p^2 = 1.2: third transmissions
    ],
)
def test_the_law_errs_outside_its_stated_validity(window, loss, segment_packets, ack_segments, error):
    """The bounds of the validity are there for a reason: outside them the simulator differs by more than 0.03."""
    point = {"window": window, "loss": loss, "segment_packets": segment_packets, "ack_segments": ack_segments}
    assert not laws.throughput_efficiency.validity(**point)
    simulator = functools.partial(verify.segment_efficiency, packets=1e6)
    found = compare(laws.throughput_efficiency, simulator, point, within=error - 0.005, power_at=1, rng=1)
    assert found.verdict == "differs", found
    assert found.formula - found.estimate > 0.03

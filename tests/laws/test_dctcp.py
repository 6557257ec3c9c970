"""The DCTCP laws: values by hand, the equation of the share, and limits."""

import math

import mpmath
import pytest

from longfat.laws import dctcp


def test_values_by_hand():
    # N = 2, C R = 100, K = 28: sqrt(2 * 128/2) = 11.3137; 28 + 2 - 11.3137 = 18.6863; sqrt(128/4) = 5.65685
    assert dctcp.queue_amplitude(2, 100, 28) == pytest.approx(8 * math.sqrt(2), rel=1e-14)
    assert dctcp.smallest_queue(2, 100, 28) == pytest.approx(30 - 8 * math.sqrt(2), rel=1e-14)
    assert dctcp.oscillation_period(2, 100, 28, 0.5) == pytest.approx(math.sqrt(8), rel=1e-14)
    assert dctcp.largest_queue(2, 28) == 30
    assert dctcp.smallest_queue(2, 100, 0) == 0  # 2 - 10: the link idles
    assert dctcp.window_at_spaced_marks(0.04) == 50  # 2/p
    assert dctcp.window_at_random_marks(0.02) == pytest.approx((1 + math.sqrt(3)) / 0.02, rel=1e-14)


def test_the_least_threshold_serves_any_number_of_flows():
    """At K = C R/7 the queue of (C R + K)/8 = C R/7 flows becomes 0, and that of no other number does."""
    product = 700
    threshold = dctcp.least_threshold(product)
    assert threshold == 100
    queues = [dctcp.smallest_queue(flows, product, threshold) for flows in range(1, 800)]
    assert min(queues) == pytest.approx(0, abs=1e-10)
    assert queues.index(min(queues)) == 99  # 100 flows
    assert min(dctcp.smallest_queue(flows, product, 101) for flows in range(1, 800)) > 0.8
    assert dctcp.smallest_queue(100, product, 99) == 0


def test_the_share_solves_its_equation():
    with mpmath.workdps(50):
        for window in (1, 1.5, 7, 1e3, 1e12):
            w = mpmath.mpf(window)
            root = mpmath.findroot(lambda a, w=w: a * a * (1 - a / 4) - (2 * w + 1) / (w + 1) ** 2, mpmath.sqrt(2 / w))
            assert dctcp.marked_share(window) == pytest.approx(float(root), rel=1e-14)
            assert abs(dctcp.marked_share(w) - root) < mpmath.mpf(10) ** -40
    assert dctcp.marked_share(1e12) == pytest.approx(math.sqrt(2e-12), rel=1e-5)


def test_a_threshold_needs_far_fewer_marks():
    """Both responses for the same share: 2/p^2 and 2/p."""
    assert dctcp.window_at_threshold_marks(1e-4) == pytest.approx(2e8, rel=1e-4)
    assert dctcp.window_at_threshold_marks(1) == 1

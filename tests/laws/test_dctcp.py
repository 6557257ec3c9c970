"""The DCTCP laws: the equation of the share, and the least threshold."""

import mpmath
import pytest

from longfat.laws import dctcp


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

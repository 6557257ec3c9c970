"""The DCTCP laws: values by hand, a loop over round trips, and the limits."""

import math
import random

import mpmath
import pytest

from longfat.laws import dctcp


def sawtooth(flows, product, threshold, gain=1 / 16, cycles=200):
    """Play synchronised DCTCP flows at a marking threshold in small steps; return alpha, shortest and longest queue.

    A window grows by a packet in a round trip; a mark reaches the sender after one more, and alpha has the share of
    packets that were sent while the queue was above the threshold.
    """
    steps = 100  # of a round trip
    window, alpha, seen, low, high = (product + threshold) / flows, 0.5, 0.0, math.inf, 0.0
    for cycle in range(cycles):
        sent = marked = 0.0
        answer = steps
        while answer > 0:
            window += 1 / steps
            above = flows * window - product > threshold
            sent += window
            marked += window * above
            answer -= above
        alpha = seen if cycle < 2 else (1 - gain) * alpha + gain * (marked / sent)
        seen = marked / sent
        if cycle > cycles // 2:
            high = max(high, flows * window - product)
        window *= 1 - alpha / 2
        if cycle > cycles // 2:
            low = min(low, flows * window - product)
    return alpha, low, high


@pytest.mark.parametrize(("flows", "product", "threshold"), [(1, 1000, 200), (4, 1000, 150), (20, 2000, 300)])
def test_the_sawtooth_against_a_loop_over_round_trips(flows, product, threshold):
    alpha, low, high = sawtooth(flows, product, threshold)
    window = (product + threshold) / flows
    assert dctcp.marked_share(window) == pytest.approx(alpha, rel=0.01)
    assert dctcp.largest_queue(flows, threshold) == pytest.approx(high, rel=0.01)
    exact = flows * (window + 1) * dctcp.marked_share(window) / 2
    assert high - low == pytest.approx(exact, rel=0.01)
    amplitude = dctcp.queue_amplitude(flows, product, threshold)
    assert amplitude == pytest.approx(high - low, rel=0.05)  # the leading term only
    assert dctcp.smallest_queue(flows, product, threshold) == pytest.approx(threshold + flows - amplitude, rel=1e-12)
    assert dctcp.oscillation_period(flows, product, threshold, 2.0) == pytest.approx(2 * amplitude / flows, rel=1e-12)
    # The loop sees a threshold of a tenth more.
    assert sawtooth(flows, product, 1.1 * threshold)[2] != pytest.approx(high, rel=0.01)


def test_values_by_hand():
    # N = 2, C R = 100, K = 28: sqrt(2 * 128/2) = 11.3137; 28 + 2 - 11.3137 = 18.6863; sqrt(128/4) = 5.65685
    assert dctcp.queue_amplitude(2, 100, 28) == pytest.approx(8 * math.sqrt(2), rel=1e-14)
    assert dctcp.smallest_queue(2, 100, 28) == pytest.approx(30 - 8 * math.sqrt(2), rel=1e-14)
    assert dctcp.oscillation_period(2, 100, 28, 0.5) == pytest.approx(math.sqrt(8), rel=1e-14)
    assert dctcp.largest_queue(2, 28) == 30
    assert dctcp.smallest_queue(2, 100, 0) == 0  # 2 - 10: the link idles
    assert dctcp.window_at_random_marking(0.04) == 50


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
    """Both responses for the same share: 2/p^2 and 2/p; the first inverts the share."""
    for window in (1.0, 3.0, 50.0, 1e6):
        assert dctcp.window_at_step_marking(dctcp.marked_share(window)) == pytest.approx(window, rel=1e-11)
    assert dctcp.window_at_step_marking(1e-4) == pytest.approx(2e8, rel=1e-4)
    assert dctcp.window_at_step_marking(1) == 1


def mean_window_with_independent_marks(marking, trips=50_000, gain=1 / 64):
    """Play one flow round trip by round trip in the mean: windows with a mark are cut, the others grow."""
    rng = random.Random(1)
    window, alpha, total = 2 / marking, marking, 0.0
    for _ in range(trips):
        total += window
        some = 1 - (1 - marking) ** window
        is_marked = rng.random() < some
        alpha += gain * ((marking / some if is_marked else 0) - alpha)
        window = max(2.0, window + 1 - (alpha / 2 * window if is_marked else 0))
    return total / trips


def test_independent_marks_leave_a_tenth_more():
    """u (1 - e^-u) = 2 has the root 2.24: windows of u/p packets have no mark with probability e^-u."""
    assert 2.24 * (1 - math.exp(-2.24)) == pytest.approx(2, rel=1e-3)
    played = mean_window_with_independent_marks(0.02)
    assert 1.05 < played / dctcp.window_at_random_marking(0.02) < 1.2

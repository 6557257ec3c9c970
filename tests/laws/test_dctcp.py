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
    assert dctcp.window_at_spaced_marks(0.04) == 50


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
        assert dctcp.window_at_threshold_marks(dctcp.marked_share(window)) == pytest.approx(window, rel=1e-11)
    assert dctcp.window_at_threshold_marks(1e-4) == pytest.approx(2e8, rel=1e-4)
    assert dctcp.window_at_threshold_marks(1) == 1


def mean_window(is_marked, packets=600_000, gain=1 / 64):
    """Play one flow packet by packet: a packet more per window, and at most one cut per window, by half of alpha."""
    window, alpha, total, left, marks, ends = 50.0, 0.05, 0.0, 0, 0, 0
    for number in range(packets):
        window += 1 / window
        total += 1 / window  # time in round trips
        marks += (marked := is_marked(number))
        left -= 1
        if marked and left <= 0:
            window *= 1 - alpha / 2
            left = int(window)
        if number - ends >= window:
            alpha += gain * (marks / (number - ends) - alpha)
            marks, ends = 0, number
    return packets / total


def test_windows_under_marks_packet_by_packet():
    """Every 50th packet: 2/p = 100. Each with probability 1/50: (1 + sqrt(3))/p = 136.6; 2/p is not that."""
    draw = random.Random(1).random
    assert dctcp.window_at_random_marks(0.02) == pytest.approx(136.6, abs=0.01)
    assert mean_window(lambda number: draw() < 0.02) == pytest.approx(136.6, rel=0.05)
    assert mean_window(lambda number: number % 50 == 0) == pytest.approx(dctcp.window_at_spaced_marks(0.02), rel=0.05)

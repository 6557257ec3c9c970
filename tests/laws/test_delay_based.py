"""The laws of Copa and LEDBAT++: values by hand, loops over round trips, and limits."""

import math

import pytest

from longfat.laws import delay_based


def test_copa_by_hand():
    """Two flows of delta 0.5 and 0.25 on 1000 packets/s: S = 2 + 4 = 6, d_q = 6 ms; 1/3 and 2/3 of the link."""
    assert delay_based.copa_queueing_delay(6, 1000) == pytest.approx(0.006, rel=1e-14)
    assert delay_based.copa_share(0.5, 6) == pytest.approx(1 / 3, rel=1e-14)
    assert delay_based.copa_share(0.25, 6) == pytest.approx(2 / 3, rel=1e-14)
    assert delay_based.copa_largest_queue(3, 0.5) == 15  # 2.5 * 3 / 0.5
    assert delay_based.copa_mean_queue(3, 0.5) == 7.5


@pytest.mark.parametrize("step", [2.0, 30.0])
def test_copa_in_small_steps(step):
    """The window moves by 1/delta packets in a round trip: up while the least queue of half a one is short."""
    parts = 200  # of a round trip
    seen = [0.0] * (2 * parts)  # queue of the last two round trips
    queue, trace = 0.0, []
    for _ in range(40 * parts):
        standing = min(seen[-parts - parts // 2 : -parts + 1])
        queue = max(0.0, queue + (step if standing <= step else -step) / parts)
        seen = [*seen[1:], queue]
        trace.append(queue)
    late = trace[20 * parts :]
    assert max(late) == pytest.approx(delay_based.copa_largest_queue(1, 1 / step), rel=0.02)
    assert min(late) < 0.02 * step
    assert sum(late) / len(late) == pytest.approx(delay_based.copa_mean_queue(1, 1 / step), rel=0.02)


@pytest.mark.parametrize(
    ("round_trip", "divisor"), [(1, 1), (0.12, 1), (0.119, 2), (0.06, 2), (0.04, 3), (0.0081, 15), (0.007, 16)]
)
def test_the_gain_by_hand(round_trip, divisor):
    """1/min(16, ceil(0.12/R)): 0.12, 1, 1.008, 2, 3, 14.8 and 17.1."""
    assert delay_based.ledbat_gain(round_trip) == pytest.approx(1 / divisor, rel=1e-14)


def test_the_queueing_delay_balances():
    """G = W (q/T - 1): at R = 60 ms, T = 60 ms, 100 packets/s and one flow G = 1/2, and W = 100 (0.06 + q)."""
    q = delay_based.ledbat_queueing_delay(1, 100, 0.06)
    assert 100 * (0.06 + q) * (q / 0.06 - 1) == pytest.approx(0.5, rel=1e-12)
    assert delay_based.ledbat_queueing_delay(1, 1e9, 0.06) == pytest.approx(0.06, rel=1e-6)


def slowdown(capacity, round_trip, target=0.06, step=1e-5):
    """Return the length of a slowdown and the packets served in it, in small steps of time."""
    gain = 1 / min(16, math.ceil(2 * target / round_trip))
    top = capacity * (round_trip + target)
    length, served, window = 2 * (round_trip + target), 0.0, 2.0
    served += top + min(2 / round_trip, capacity) * (round_trip + target)
    while window < top:
        rate = min(window / round_trip, capacity)
        window *= (
            (1 + gain) ** (step / round_trip) if window < capacity * round_trip else 1 + gain * rate * step / window
        )
        served += rate * step
        length += step
    return length, served


@pytest.mark.parametrize(("capacity", "round_trip"), [(1250, 0.137), (1250, 0.03), (10_000, 0.3), (1000, 0.0015)])
def test_a_slowdown_in_small_steps(capacity, round_trip):
    """The link is busy for 9 lengths after a slowdown."""
    length, served = slowdown(capacity, round_trip)
    assert delay_based.ledbat_slowdown_time(capacity, round_trip) == pytest.approx(length, rel=1e-3)
    expected = (9 * length * capacity + served) / (10 * length * capacity)
    assert delay_based.ledbat_utilisation(capacity, round_trip) == pytest.approx(expected, abs=0.012)


def test_slowdowns_cost_a_tenth_at_most():
    for capacity in (100, 1e4, 1e6):
        for round_trip in (0.001, 0.02, 0.05, 0.2, 1.0):
            assert 0.9 <= delay_based.ledbat_utilisation(capacity, round_trip) <= 1
    assert delay_based.ledbat_utilisation(1000, 0.002) == pytest.approx(1, rel=1e-12)  # two packets fill the link

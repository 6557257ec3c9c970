"""The laws of Copa and LEDBAT++: values by hand and limits."""

import pytest

from longfat.laws import delay_based


def test_copa_by_hand():
    """Two flows of delta 0.5 and 0.25 on 1000 packets/s: S = 2 + 4 = 6, d_q = 6 ms; 1/3 and 2/3 of the link."""
    assert delay_based.copa_queueing_delay(6, 1000) == pytest.approx(0.006, rel=1e-14)
    assert delay_based.copa_share(0.5, 6) == pytest.approx(1 / 3, rel=1e-14)
    assert delay_based.copa_share(0.25, 6) == pytest.approx(2 / 3, rel=1e-14)
    assert delay_based.copa_largest_queue(3, 0.5) == 15  # 2.5 * 3 / 0.5
    assert delay_based.copa_mean_queue(3, 0.5) == 7.5


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


@pytest.mark.parametrize(
    ("capacity", "round_trip", "by_hand"),
    [
        (40, 0.2, 0.98),  # G = 1, 8 packets: 0.52 s, 2 round trips from 2 to 8 packets, and 0.06 s
        (3.125 / 0.03, 0.03, 0.48),  # G = 1/4, 2 x 1.25^2 packets: 0.18 s, 2 round trips, and four times 0.06 s
        (100, 0.015, 0.59),  # G = 1/8, two packets fill the link: 0.15 s, and eight times 0.075 - 0.02 s
        (10, 0.03, 0.18),  # they take 0.2 s, more than R + T: no growth
    ],
)
def test_a_slowdown_by_hand(capacity, round_trip, by_hand):
    """2 (R + T), the round trips in which the window grows by 1 + G to the product, and the rest of R + T over G."""
    assert delay_based.ledbat_slowdown_time(capacity, round_trip) == pytest.approx(by_hand, rel=1e-12)


def test_the_idle_time_of_a_slowdown_by_hand():
    """The first of them: of 26.4 packets in 0.66 s, 2 in each round trip of 0.26 s and 8 - 2 make 8.6: 17.8 of 392."""
    assert delay_based.ledbat_utilisation(40, 0.2) == pytest.approx(1 - 17.8 / 392, rel=1e-12)


def test_slowdowns_cost_a_tenth_at_most():
    for capacity in (100, 1e4, 1e6):
        for round_trip in (0.001, 0.02, 0.05, 0.2, 1.0):
            assert 0.9 <= delay_based.ledbat_utilisation(capacity, round_trip) <= 1
    assert delay_based.ledbat_utilisation(1000, 0.002) == pytest.approx(1, rel=1e-12)  # two packets fill the link

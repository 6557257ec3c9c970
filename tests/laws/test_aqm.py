"""Laws of active queue management: the RFCs' digits, and their pseudo-code as a referee."""

import math

import pytest

from longfat.laws import aqm


def drop_times(drops, interval):
    """Return the times of CoDel's drops after the first, by the pseudo-code of RFC 8289, sections 5.5 and 5.6."""
    drop_next = interval  # control_law(now, 1) at the first drop, at time 0
    count, times = 1, []
    while len(times) < drops:
        times.append(drop_next)
        count += 1
        drop_next += interval / math.sqrt(count)
    return times


@pytest.mark.parametrize("interval", [0.1, 0.03])
def test_codels_drop_times_are_those_of_the_rfc(interval):
    times = drop_times(2000, interval)
    for drops in (1, 2, 3, 10, 17, 500, 2000):
        assert aqm.codel_drop_time(drops, interval) == pytest.approx(times[drops - 1], rel=1e-12)
    assert aqm.codel_drop_time(17, interval) != pytest.approx(times[17], rel=1e-3)


def test_codels_rate_lies_between_the_inverse_times_of_two_drops():
    times = drop_times(500, 0.1)
    for n in (1, 2, 10, 499):
        rate = aqm.codel_drop_rate(times[n - 1]) * 0.1
        assert math.sqrt(n) < rate < math.sqrt(n + 1)
    assert aqm.codel_drop_rate(2.0) - aqm.codel_drop_rate(1.0) == pytest.approx(50, rel=1e-13)  # 1/(2 * 0.1^2)


def test_codel_reaches_a_share_of_drops():
    time = aqm.codel_control_time(0.01, 10_000)
    assert time == pytest.approx(aqm.codel_drop_time(100), abs=1 / (2 * 0.01 * 10_000))
    assert aqm.codel_drop_rate(time) == pytest.approx(100, rel=1e-14)


def test_the_factor_balances_the_rates():
    """With the round-trip times that the factor assumes the ratio is 1; with the target doubled it is not."""
    for decrease in (0.5, 0.7):
        k = aqm.coupling_factor(0.03, 0.015, decrease)
        assert aqm.coupled_rate_ratio((1 + decrease) / 2 * 0.045, 0.03, k) == pytest.approx(1, rel=1e-14)
    assert aqm.coupled_rate_ratio(0.75 * 0.06, 0.03, aqm.coupling_factor(0.03)) == pytest.approx(4 / 3, rel=1e-14)

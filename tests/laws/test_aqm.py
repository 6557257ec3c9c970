"""CoDel's law against the pseudo-code of its RFC."""

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

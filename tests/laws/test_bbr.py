"""The BBR laws: the simulator, and the share by bisection."""

import pytest

from longfat.laws import bbr
from longfat.verify import transport_estimators


@pytest.mark.parametrize(("round_trip_time", "low_gain"), [(0.08, 0.0107), (0.12, 0.04), (0.066, 0.02), (0.007, 0.01)])
def test_probe_rtt_in_the_simulator(round_trip_time, low_gain):
    """Two cycles of one flow of 2016 that is alone: losses of 0.0306, 0.0331, 0.0313 and 0.0203 of the capacity."""
    utilisation, _ = transport_estimators.bbr_utilisation()(1, round_trip_time=round_trip_time, low_gain=low_gain)
    assert bbr.probe_rtt_utilisation(round_trip_time, low_gain) == pytest.approx(utilisation, abs=5e-4)


def test_the_share_is_where_cap_and_in_flight_meet():
    """The cap 2 (1 - p) C (R + (p q + 4 N)/C) against (1 - p)(q + C R), by bisection; C = 1000, R = 0.1."""
    for buffer in (2.0, 8.0, 64.0):
        for flows in (1, 3):
            queue, low, high = buffer * 100, 0.0, 1.0
            for _ in range(60):
                p = (low + high) / 2
                cap, in_flight = 2 * 1000 * (0.1 + (p * queue + 4 * flows) / 1000), queue + 100
                low, high = (p, high) if cap < in_flight else (low, p)
            assert bbr.share(buffer, 100, flows) == pytest.approx(1 - low, rel=1e-12)


@pytest.mark.parametrize("buffer", [1.5, 4.0, 20.0])
def test_the_refined_share_counts_what_fills_the_link(buffer):
    """Bisection on in flight = cap, with C = 1000 and R = 0.1, and ProbeRTT at a queue of p (q + 100) + 4 - 100."""
    low, high = 0.0, 1.0
    for _ in range(60):
        p = (low + high) / 2
        left = max(p * (buffer * 100 + 100) + 4 - 100, 0)
        low, high = (p, high) if 2 * 1000 * (0.1 + left / 1000) < buffer * 100 + 100 else (low, p)
    assert bbr.share_refined(buffer, 100) == pytest.approx(1 - low, rel=1e-12)
    assert bbr.share_refined(buffer, 100) < bbr.share(buffer, 100)

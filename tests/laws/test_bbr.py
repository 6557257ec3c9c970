"""ProbeRTT of BBR in the simulator."""

import pytest

from longfat.laws import bbr
from longfat.verify import transport_estimators


@pytest.mark.parametrize(("round_trip_time", "low_gain"), [(0.08, 0.0107), (0.12, 0.04), (0.066, 0.02), (0.007, 0.01)])
def test_probe_rtt_in_the_simulator(round_trip_time, low_gain):
    """Two cycles of one flow of 2016 that is alone: losses of 0.0306, 0.0331, 0.0313 and 0.0203 of the capacity."""
    utilisation, _ = transport_estimators.bbr_utilisation(1, round_trip_time=round_trip_time, low_gain=low_gain)
    assert bbr.probe_rtt_utilisation(round_trip_time, low_gain) == pytest.approx(utilisation, abs=5e-4)

"""The simulator's CUBIC against its laws where `longfat verify` does not go: regions, tables, ties.

The records of the laws have the window after a loss, and utilisation and mean queue of one flow at a link.
"""

import pytest

from longfat.laws import cubic
from longfat.verify import flow_estimators as estimators


@pytest.mark.parametrize("trip", [0.1, 0.02, 0.01])
def test_mean_window_in_the_three_regions(trip):
    """Above and below `reno_friendly_window`, and below 1/sqrt(27) of it: 64, 718, 2030 packets."""
    value, _ = estimators.cubic_mean_window(1, window_before_loss=300.0, round_trip_time=trip, c=0.4, beta=0.7)
    assert value == pytest.approx(cubic.mean_window(300, trip), rel=0.015)


def test_window_after_a_loss_at_a_fraction_of_a_packet():
    """At the time K = (0.3 W/0.4)^(1/3) the window is W again (RFC 9438, section 4.2), with 20.4 as with 20 packets."""
    times = {"time": (0.3 * 20 / 0.4) ** (1 / 3), "c": 0.4, "beta": 0.7}
    more, whole = (estimators.cubic_window_after_loss(1, window_before_loss=w, **times)[0] for w in (20.4, 20.0))
    assert more - whole == pytest.approx(0.4)


@pytest.mark.parametrize("exponent", [4, 5])
def test_tables_of_rfc_9438_where_every_nth_packet_is_lost(exponent):
    """Table 1, C = 0.4: 187 and 1054 packets, within 2 %."""
    value, _ = estimators.cubic_window_at_loss(1, loss=10.0**-exponent, round_trip_time=0.1, c=0.4, beta=0.7)
    assert value == pytest.approx({4: 187, 5: 1054}[exponent], rel=0.02)


@pytest.mark.parametrize(("buffer", "product", "trip"), [(0.1, 1000.0, 0.01), (0.1, 300.0, 0.005)])
def test_link_in_the_reno_friendly_region(buffer, product, trip):
    """The cubic function rules first; the estimate rules from the loss on. The cubic region alone gives 0.967."""
    path = {"buffer": buffer, "bandwidth_delay_product": product, "round_trip_time": trip, "c": 0.4, "beta": 0.7}
    value, _ = estimators.cubic_at_link(1, "utilisation", **path)
    assert value == pytest.approx(cubic.utilisation_general(**path), abs=0.006)
    assert value != pytest.approx(cubic.utilisation(buffer), abs=0.006)


#: The transmission times of 494 packets add up to the round-trip time of this path within 0.2 ns.
TIED = {
    "buffer": 0.0698815585668803, "bandwidth_delay_product": 493.55856010752564,
    "round_trip_time": 0.005725394159477558, "c": 0.48026351920720184, "beta": 0.6657811773098607,
}  # fmt: skip


def test_link_whose_round_trip_is_a_whole_number_of_packets():
    value, _ = estimators.cubic_at_link(1, "utilisation", periods=2, **TIED)
    assert value == pytest.approx(cubic.utilisation_general(**TIED), abs=0.01)

"""The BBR laws: the gains of the draft of 2026, values by hand, the simulator, and the limits of the share."""

import math

import pytest

from longfat.laws import bbr
from longfat.verify import transport_estimators


def test_the_gains_of_the_draft():
    """draft-ietf-ccwg-bbr-06, section 2.5: 4 ln 2 = 2.77 doubles; a gain of 1/2 drains in one round trip."""
    assert f"{bbr.startup_pacing_gain(2):.2f}" == "2.77"
    assert bbr.startup_pacing_gain(2) == pytest.approx(4 * math.log(2), rel=1e-15)
    assert bbr.startup_pacing_gain(2.05) == pytest.approx(2 / math.log(2), rel=0.01)  # the gain of 2016
    assert bbr.startup_pacing_gain(1 + 1e-12) == pytest.approx(1, abs=1e-11)
    assert bbr.drain_time(0.1, 2, 0.5) == pytest.approx(0.2)  # 0.1 s and as much queue: one round trip


def test_caps_and_queues_by_hand():
    assert bbr.inflight_cap(50) == 100
    assert bbr.inflight_cap(1.5) == 4  # MinPipeCwnd, section 2.8
    assert bbr.standing_queue(50) == 50
    assert bbr.standing_queue(50, 3) == 100
    assert bbr.standing_queue(50, 1) == 0


def test_both_versions_pay_2_percent_for_the_round_trip_time():
    """0.2 s of 10.2 s with nearly nothing in flight, half of 0.2 s of 5.2 s; 10 ms more of round trip."""
    assert bbr.probe_rtt_utilisation(0.01, 0) == pytest.approx(1 - 0.21 / 10.21)
    assert bbr.probe_rtt_utilisation(0.01, 0.5, interval=5) == pytest.approx(1 - 0.105 / 5.205)
    assert bbr.probe_rtt_utilisation(0.01, 1) == 1


def test_probe_rtt_takes_whole_round_trips():
    """0.2 s are 2.5 round trips of 80 ms, so three with 4 packets, but 2.5 with half of them: the burst goes on."""
    # 0.99 of (3 + 1) 80 ms in 10 s, 0.99 of 80 ms, and three times 80 ms
    assert 1 - bbr.probe_rtt_utilisation(0.08, 0.01) == pytest.approx(0.99 * 0.32 / (10 + 0.0792 + 0.24), rel=1e-13)
    assert 1 - bbr.probe_rtt_utilisation(0.08, 0.52) == pytest.approx(0.48 * 0.24 / (10 + 0.0384 + 0.2), rel=1e-13)
    # one round trip at least: T = 0, and R = 0.5 s
    assert bbr.probe_rtt_utilisation(0.1, 0, 10, 0) == pytest.approx(1 - 0.2 / 10.2, rel=1e-13)
    assert bbr.probe_rtt_utilisation(0.5, 0) == pytest.approx(1 - 1 / 11, rel=1e-13)
    # I = 0.1 s, R = 1 s: the link is idle for 2 s of 2.1 s, and never for more than all of the time
    assert bbr.probe_rtt_utilisation(1, 0, 0.1) == pytest.approx(0.1 / 2.1, rel=1e-13)
    assert bbr.probe_rtt_utilisation(1e20, 0, 0.1) == pytest.approx(0.05e-20, rel=1e-13)


@pytest.mark.parametrize(("round_trip_time", "low_gain"), [(0.08, 0.0107), (0.12, 0.04), (0.066, 0.02), (0.007, 0.01)])
def test_probe_rtt_in_the_simulator(round_trip_time, low_gain):
    """Two cycles of one flow of 2016 that is alone: losses of 0.0306, 0.0331, 0.0313 and 0.0203 of the capacity."""
    utilisation, _ = transport_estimators.bbr_utilisation()(1, round_trip_time=round_trip_time, low_gain=low_gain)
    assert bbr.probe_rtt_utilisation(round_trip_time, low_gain) == pytest.approx(utilisation, abs=5e-4)


@pytest.mark.parametrize("flows", [1, 2, 5, 20])
def test_losses_in_a_shallow_buffer(flows):
    """(1 - 1/g)(1 - 1/N): (N - 1)/(5 N) for the gain 5/4."""
    assert bbr.shallow_buffer_loss(flows) == pytest.approx((flows - 1) / (5 * flows), rel=1e-14)
    assert bbr.shallow_buffer_loss(flows, 1.5) == pytest.approx((flows - 1) / (3 * flows), rel=1e-14)
    assert bbr.largest_loss() == pytest.approx(0.2, rel=1e-15)
    assert bbr.largest_loss(1.25) >= bbr.shallow_buffer_loss(flows)


def test_the_share_by_hand():
    """p = 1/2 - 1/(2 B) - 4 N/q of the paper: B = 16, C R = 100, N = 1 give 1/2 - 1/32 - 1/400."""
    assert bbr.share(16, 100) == pytest.approx(1 - (1 / 2 - 1 / 32 - 1 / 400), rel=1e-14)
    assert bbr.share(16, 100, 10) == pytest.approx(1 - (1 / 2 - 1 / 32 - 1 / 40), rel=1e-14)
    assert bbr.share(1, 100) == 1  # 1/2 - 1/2 - ... is negative: everything
    assert bbr.share(1e9, 100) == pytest.approx(1 / 2, abs=1e-8)
    assert bbr.share(1e9, 100, cwnd_gain=4) == pytest.approx(3 / 4, abs=1e-8)
    # ten seconds: 16 * 40 ms of full queue, 0.2 s and 40 ms are 0.88 s
    assert bbr.share_with_probes(16, 100, 0.04) == pytest.approx(bbr.share(16, 100) * 0.912, rel=1e-14)
    assert bbr.share_with_probes(1000, 100, 0.04) == 0


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


def test_a_buffer_that_the_cap_exceeds_is_all_bbrs():
    assert bbr.share_refined(0.99, 100) == 1
    assert bbr.share_refined(1.01, 100) == pytest.approx(0.5 + 4 / 201, rel=1e-14)
    assert bbr.share_refined(2.5, 100, cwnd_gain=4) == 1

"""The BBR laws: the gains of the draft of 2026, loops over round trips, and the limits of the share."""

import math

import pytest

from longfat.laws import bbr


def test_the_gains_of_the_draft():
    """draft-ietf-ccwg-bbr-06, section 2.5: 4 ln 2 = 2.77 doubles; a gain of 1/2 drains in one round trip."""
    assert f"{bbr.startup_pacing_gain(2):.2f}" == "2.77"
    assert bbr.startup_pacing_gain(2) == pytest.approx(4 * math.log(2), rel=1e-15)
    assert bbr.startup_pacing_gain(2.05) == pytest.approx(2 / math.log(2), rel=0.01)  # the gain of 2016
    assert bbr.startup_pacing_gain(1 + 1e-12) == pytest.approx(1, abs=1e-11)
    assert bbr.drain_time(0.1, 2, 0.5) == pytest.approx(0.2)  # 0.1 s and as much queue: one round trip


@pytest.mark.parametrize("growth", [1.3, 2.0, 3.0])
def test_the_gain_restores_the_growth(growth):
    """Play Startup in steps: each packet is paced at the gain times the mean rate of the round trip before the last."""
    steps = 2000  # of a round trip
    rates = [growth ** (step / steps) for step in range(2 * steps)]
    gain, total = bbr.startup_pacing_gain(growth), sum(rates[:steps])
    for step in range(2 * steps, 6 * steps):
        rates.append(gain * total / steps)
        total += rates[step - steps] - rates[step - 2 * steps]
    assert rates[-1] / rates[-1 - steps] == pytest.approx(growth, rel=2e-3)
    assert bbr.startup_pacing_gain(1.02 * growth) != pytest.approx(gain, rel=2e-3)


def test_caps_and_queues_by_hand():
    assert bbr.inflight_cap(50) == 100
    assert bbr.inflight_cap(1.5) == 4  # MinPipeCwnd, section 2.8
    assert bbr.standing_queue(50) == 50
    assert bbr.standing_queue(50, 3) == 100
    assert bbr.standing_queue(50, 1) == 0


def test_both_versions_pay_2_percent_for_the_round_trip_time():
    """0.2 s in 10 s with nearly nothing in flight, 0.2 s in 5 s with one half; 10 ms more of round trip."""
    assert bbr.probe_rtt_utilisation(0.01, 0) == pytest.approx(1 - 0.21 / 10)
    assert bbr.probe_rtt_utilisation(0.01, 0.5, interval=5) == pytest.approx(1 - 0.105 / 5)
    assert bbr.probe_rtt_utilisation(0.01, 1) == 1


def shallow(flows, probe_gain, cycles=3000):
    """Let the flows probe one after the other, each taking its share of the full link for its bandwidth."""
    estimates = [1.0 + 0.3 * which for which in range(flows)]
    for _ in range(cycles):
        for which in range(flows):
            sent = probe_gain * estimates[which]
            estimates[which] = sent / (sent + sum(estimates) - estimates[which])
    return 1 - 1 / sum(estimates)


@pytest.mark.parametrize("flows", [1, 2, 5, 20])
def test_losses_in_a_shallow_buffer(flows):
    """(N - 1)/(5 N) for the gain 5/4, from any unequal start."""
    assert bbr.shallow_buffer_loss(flows) == pytest.approx((flows - 1) / (5 * flows), rel=1e-14)
    assert shallow(flows, 1.25) == pytest.approx(bbr.shallow_buffer_loss(flows), abs=1e-9)
    assert shallow(flows, 1.5) == pytest.approx(bbr.shallow_buffer_loss(flows, 1.5), abs=1e-9)
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

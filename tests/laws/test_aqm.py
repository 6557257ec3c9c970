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
    # 1 % of 10 000 packets/s are 100 a second, 10 in an interval: the count is 100
    assert aqm.codel_count(0.01, 10_000) == pytest.approx(100, rel=1e-14)
    time = aqm.codel_control_time(0.01, 10_000)
    assert time == pytest.approx(aqm.codel_drop_time(100), abs=1 / (2 * 0.01 * 10_000))
    assert aqm.codel_drop_rate(time) == pytest.approx(100, rel=1e-14)
    assert aqm.codel_control_time(1e-3, 100) == 0  # 0.1 packets/s: the first drops are more


def test_pies_gains_for_half_the_interval():
    """RFC 8033, section 4.2: cut alpha by half and increase beta by alpha/4."""
    alpha, beta = 0.125, 1.25
    half = aqm.rescaled_integral_gain(alpha, 0.5), aqm.rescaled_proportional_gain(alpha, beta, 0.5)
    assert half == (alpha / 2, beta + alpha / 4)


def test_the_loss_at_a_target_by_hand():
    # 10 flows share 1000 packets/s times 0.1 s: windows of 10 packets, 3/2/100
    assert aqm.equilibrium_loss(10, 1000, 0.08, 0.02) == pytest.approx(0.015, rel=1e-14)


def test_the_coupling_of_rfc_9332():
    """Appendix C.2: k* = 1.64 with 1.22 for sqrt(3/2), 1.633 without; equations (9) and (10)."""
    assert aqm.classic_probability(1.0) == 0.25  # p_Cmax = 1/k^2
    assert aqm.coupled_rate_ratio(1, 1, 1) == pytest.approx(2 / math.sqrt(1.5), rel=1e-14)
    assert f"{2 / 1.22:.2f}" == "1.64"
    assert f"{aqm.coupled_rate_ratio(1, 1, 1):.2f}" == "1.63"
    assert f"{aqm.coupled_rate_ratio(0.04, 0.025):.2f}" == f"{0.04 / (math.sqrt(1.5) * 0.025):.2f}"
    printed = 1.23 * (1 + 15 / 25), 1.39 * (1 + 15 / 25)
    assert [f"{k:.2f}" for k in printed] == ["1.97", "2.22"]
    exact = aqm.coupling_factor(0.025), aqm.coupling_factor(0.025, decrease=0.7)
    assert [f"{k:.2f}" for k in exact] == ["1.96", "2.22"]
    assert exact == pytest.approx(printed, rel=0.006)


def test_the_factor_balances_the_rates():
    """With the round-trip times that the factor assumes the ratio is 1; with the target doubled it is not."""
    for decrease in (0.5, 0.7):
        k = aqm.coupling_factor(0.03, 0.015, decrease)
        assert aqm.coupled_rate_ratio((1 + decrease) / 2 * 0.045, 0.03, k) == pytest.approx(1, rel=1e-14)
    assert aqm.coupled_rate_ratio(0.75 * 0.06, 0.03, aqm.coupling_factor(0.03)) == pytest.approx(4 / 3, rel=1e-14)


def test_cakes_times_are_those_that_tc_prints():
    """The tins of 10 Mbit/s, diffserv3 (1/16, all and 1/4 of it), in dtaht/sch_cake #147; frames of 1514 bytes.

    And of 18 Mbit/s in munin-monitoring/contrib #941: 1125 kbit/s.
    """
    printed = {625e3: (29.1, 124.1), 2.5e6: (7.3, 102.3), 1e7: (5.0, 100.0), 1.125e6: (16.1, 111.1)}
    for rate, (target, interval) in printed.items():
        assert round(1e3 * aqm.cake_target(rate / 8), 1) == target
        assert round(1e3 * aqm.cake_interval(rate / 8), 1) == interval


def test_cakes_interval_is_twice_the_target_at_least():
    """At 100 kbit/s: 1.5 x 1514 x 8/1e5 = 0.18168 s, twice that is more than 0.1 + 0.17668."""
    assert aqm.cake_target(12_500) == pytest.approx(0.18168, rel=1e-12)
    assert aqm.cake_interval(12_500) == pytest.approx(0.36336, rel=1e-12)
    # rtt 10ms: target 0.5 ms; at 10 Mbit/s 1.8168 ms and 10 + 1.3168 ms
    assert aqm.cake_interval(1.25e6, 1514, 0.0005, 0.01) == pytest.approx(0.0113168, rel=1e-12)

"""TFRC: its equation, traces made by hand, the loss history against a plain one, and rates at steady loss."""

import math

import numba
import numpy as np
import pytest

from longfat.sim.schemes import tfrc
from tests.sim.own import of_flow
from tests.sim.schemes.losses import Diary, drop_numbers
from tests.sim.schemes.steady import independent, mean_rate, periodic, simulation

equation = numba.njit(lambda p, capped: tfrc.equation_rate(1.0, 1.0, p, 1.0, 4.0, capped))
mean_interval = numba.njit(lambda flows, open_interval: tfrc.mean_interval(flows[0], open_interval))
RATES = {1e-4: 122.0, 1e-3: 38.4, 1e-2: 11.2, 0.05: 3.69, 0.1: 1.77}  # RFC 5348, section 3.1; packets per round trip


def test_equation():
    """The throughput equation (RFC 5348, section 3.1), evaluated with 50 digits.

    With b = 1 and t_RTO = 4 R, 1/(sqrt(1/3) + 4 min(1, 3 sqrt(3/16)) 0.5 (1 + 8)) = 1/(0.57735 + 18) and 1/(0.57735 +
    23.3827).
    """
    for p, packets in RATES.items():
        assert equation(p, 1.0) == pytest.approx(packets, rel=5e-3)
        assert math.sqrt(1.5 / p) == pytest.approx({1e-4: 122.5, 1e-3: 38.7}.get(p, math.sqrt(1.5 / p)), rel=2e-3)
    assert equation(0.5, 1.0) == pytest.approx(1 / 18.57735, rel=1e-6)
    assert equation(0.5, 0.0) == pytest.approx(1 / 23.96004, rel=1e-6)


@pytest.mark.parametrize("p", RATES)
def test_rate_at_periodic_loss(p):
    """At periodic losses the rate is that of the throughput equation.

    Every interval is 1/p packets and more than a round trip, so that the rate is the equation's.
    """
    assert mean_rate("tfrc", periodic(p), max(300, 20 / p / RATES[p] * 0.1)) == pytest.approx(RATES[p], rel=0.01)


@pytest.mark.parametrize("p", [1e-3, 1e-2, 0.03])
def test_rate_at_independent_loss(p):
    """At independent losses a loss event contains several losses.

    Losses of the X R packets of a round trip after the first one belong to its event, so that an interval is 1/p + X R
    on average, X R = f(p/(1 + p X R)): 39.1, 11.8, 5.8 packets.
    """
    packets = 1.0
    for _ in range(100):
        packets = 0.5 * (packets + equation(p / (1 + p * packets), 1.0))
    assert mean_rate("tfrc", independent(p), 8000) == pytest.approx(packets, rel=0.05)


def test_start():
    """Slow start doubles the rate, limited by the receive rate (RFC 5348, section 4.3).

    Four packets a round trip from 0.1 s on (RFC 3390 allows 4380 B, of packets of 1000 B 4000). One arrives until 0.2
    s: no more than that. Four until 0.3 s: twice as many, and no more at 0.4 s, as 8 would be more than twice what
    arrives; 16 at 0.5 s.
    """
    diary = Diary("tfrc", until=0.55)
    four = [0.1 + 0.025 * k for k in range(8)]
    eight = [0.3 + 0.0125 * k for k in range(16)]
    sixteen = [0.5 + 0.00625 * k for k in range(9)]
    assert [entry.time for entry in diary.entries] == pytest.approx([0, *four, *eight, *sixteen], abs=1e-7)


def test_first_loss():
    """The first loss interval follows from the receive rate (RFC 5348, section 6.3.1).

    Packet 20 of the eight per round trip, sent at 0.4375 s, is lost; the third behind it, of 0.475 s, is acknowledged
    at 0.575 s. Since 0.5 s five packets have come (0.4125, 0.425, 0.45, 0.4625, 0.475 s), in the round trip before 8:
    13 in 0.175 s. The first interval is that of the p at which the equation gives this rate, which stays.
    """
    diary = Diary("tfrc", drop_numbers(20), 0.58)
    received = 13 / 0.175 * 0.1  # packets per round trip
    interval = float(diary.own.intervals[0])
    assert equation(1 / interval, 1.0) == pytest.approx(received, rel=1e-6)
    assert diary.flow.rate == pytest.approx(received / 0.1 * 1000, rel=1e-6)


def plain_history(diary, lost, round_trip=0.1):
    """Return the transmissions at which loss events begin (RFC 5348, section 5.2), without a simulator."""
    arrivals = {k: entry.time + round_trip for k, entry in enumerate(diary.entries) if k not in lost}
    events, began = [], -math.inf
    for k in lost:
        before, after = max(a for a in arrivals if a < k), min(a for a in arrivals if a > k)
        time = arrivals[before] + (arrivals[after] - arrivals[before]) * (k - before) / (after - before)
        if time > began + round_trip:
            events.append(k)
            began = time
    return events


def plain_mean(intervals, discounts, open_interval):
    """Return the mean loss interval with the printed weights, newest first (RFC 5348, sections 5.4 and 5.5)."""
    weights = np.array([1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2])
    ended = np.average(intervals, weights=weights * discounts)
    less = max(0.5, 2 * ended / open_interval) if open_interval > 2 * ended else 1.0
    newest = np.concatenate([[open_interval], intervals[:7]])
    factors = np.concatenate([[1.0], discounts[:7] * less])
    return max(ended, np.average(newest, weights=weights * factors))


def test_loss_history_against_a_plain_one():
    """The loss history agrees with a plain computation.

    Ten losses, by number; packets retransmitted count as transmissions of their own.
    """
    numbers = [30, 31, 33, 60, 75, 100, 101, 130, 170, 200]
    diary = Diary("tfrc", drop_numbers(*numbers), 3.5)
    first = {}
    for k, entry in enumerate(diary.entries):
        first.setdefault(entry.number, k)
    events = plain_history(diary, sorted(first[number] for number in numbers))
    assert 5 <= len(events) < len(numbers)
    expected = np.diff(events)[::-1]
    kept = min(8, len(expected))
    intervals = diary.own.intervals
    assert intervals[:kept].tolist() == expected[:kept].tolist()
    assert diary.own.first == events[-1]


@pytest.mark.filterwarnings("ignore::numba.NumbaExperimentalFeatureWarning")  # a row given from outside
def test_mean_interval_against_a_plain_one():
    """The mean loss interval agrees with a plain computation (RFC 5348, sections 5.4 and 5.5).

    Lengths as they come, and open intervals below and far beyond what is discounted.
    """
    run = simulation("tfrc", independent(0.01), rng=3)
    run.advance(200.0)
    flows = np.array([of_flow(run)])
    intervals, discounts = flows[0].intervals, flows[0].discounts
    assert (intervals > 0).all()
    assert ((discounts >= 0.5**8) & (discounts <= 1)).all()
    for open_interval in (1.0, 50.0, 150.0, 300.0, 2000.0):
        ours = mean_interval(flows, open_interval)
        assert ours == pytest.approx(plain_mean(intervals, discounts, open_interval), rel=1e-12)


def test_discounting_by_hand():
    """Older intervals are discounted while the open one is long (RFC 5348, section 5.5).

    Eight intervals of 100: up to an open one of 200 all count in full, the open one with weight 1 and seven of the
    others with 1, 1, 1, 0.8, 0.6, 0.4, 0.2 (5 in all). An open one of 300 discounts them by 200/300, one of 1000 by a
    half.
    """
    flows = np.zeros(1, tfrc.TFRC.own.dtype)
    flows["history"], flows["discounting"] = 8, 1
    flows["intervals"], flows["discounts"] = 100, 1
    by_hand = {200.0: 700 / 6, 201.0: None, 300.0: (300 + 500 * 2 / 3) / (1 + 5 * 2 / 3), 1000.0: 1250 / 3.5}
    by_hand[201.0] = (201 + 500 * 200 / 201) / (1 + 5 * 200 / 201)
    for open_interval, mean in by_hand.items():
        assert mean_interval(flows, open_interval) == pytest.approx(mean, rel=1e-12)
    flows["discounting"] = 0
    assert mean_interval(flows, 300.0) == pytest.approx(800 / 6, rel=1e-12)


def test_discounting_raises_the_rate_sooner():
    """With discounting the rate recovers sooner (RFC 5348, section 5.5).

    Losses end at 60 s; a minute later the history has been left behind, without it less so.
    """
    rates = []
    for discounting in (1, 0):
        run = simulation("tfrc", periodic(0.01, until=60), discounting=discounting)
        run.advance(75.0)
        rates.append(float(run.state.flows[0].rate))
    assert rates[0] > 1.15 * rates[1]


def test_half_the_rate_after_five_events():
    """Four or five short loss intervals halve the rate.

    Losses once in 1000 packets, then one a round trip: each new interval of 38 packets or fewer counts for 1/6 of the
    mean, and the root of the mean halves only when it is a quarter: four or five such intervals.
    """
    run = simulation("tfrc", periodic(1e-3, until=300.0, then_every=0.12))
    run.advance(300.0)
    before = float(run.state.flows[0].rate)
    rounds = 0
    while run.state.flows[0].rate > before / 2:
        rounds += 1
        run.advance(300.0 + rounds * 0.12)
    assert 4 <= rounds <= 9


def test_no_feedback():
    """Without feedback the rate is halved (RFC 5348, section 4.4).

    Everything is lost from 60 s on: half the rate 4 R = 0.4 s after the last feedback, and again as long after that, or
    after the time of two packets.
    """
    run = simulation("tfrc", periodic(1e-3, dead_from=60.0))
    run.advance(60.0)
    before = float(run.state.flows[0].rate)
    seen = []
    for time in (60.4, 60.7, 61.1, 61.5):
        run.advance(time)
        seen.append(float(run.state.flows[0].rate) / before)
    assert seen == pytest.approx([1.0, 0.5, 0.25, 0.125], rel=0.03)


def rises(**parameters):
    """Return the growth of the rate in each round trip after losses have ended [packets per round trip]."""
    run = simulation("tfrc", periodic(0.02, until=60.0), **parameters)
    rates = []
    for k in range(80):
        run.advance(60.0 + 0.1 * k)
        rates.append(float(of_flow(run).allowed) * 0.1 / 1000)
    return np.diff(rates)


def test_limit_of_the_increase():
    """The growth of the rate is limited (ns-2.35, tfrc.cc, increase_rate()).

    Ns-2.35, tfrc.cc, increase_rate(), with 0.1 packets per round trip in each; feedback may come two of them apart.
    """
    assert max(rises()) > 0.25
    assert max(rises(increase=0.1)) <= 0.2 + 1e-6
    assert np.mean(rises(increase=0.1)) <= 0.1


def test_variant_of_ns():
    """With the parameters of ns-2 the timeout of the equation is srtt + 4 deviations.

    TCP's timeout is srtt + 4 deviations, here R: 1/(sqrt(2p/3) + 3 sqrt(3p/8) p (1 + 32 p^2)) at p = 0.05.
    """
    packets = 1 / (math.sqrt(0.1 / 3) + 3 * math.sqrt(0.15 / 8) * 0.05 * 1.08)
    assert mean_rate("tfrc", periodic(0.05), 500, **tfrc.NS) == pytest.approx(packets, rel=0.02)


def test_damping():
    """The paced rate falls as the round-trip time grows (RFC 5348, section 4.5).

    The paced rate is the rate times mean root over root of the round-trip time; off, the rate.
    """
    run = simulation("tfrc", periodic(0.01), damping=0)
    run.advance(20.05)
    assert run.state.flows[0].rate == of_flow(run).allowed


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"history": 9}, r"history = 9 intervals is out of range.*\[2, 8\]"),
        ({"reorder": 4}, r"reorder = 4 packets is out of range"),
        ({"rtt_gain": 0}, "rtt_gain = 0 is out of range"),
        ({"weights": 1}, "weights"),
    ],
)
def test_bad_input(given, message):
    with pytest.raises(ValueError, match=message):
        simulation("tfrc", periodic(0), **given)

"""TFRC: its equation, traces made by hand, loss history against a plain implementation, rates at steady loss."""

import math

import numba
import numpy as np
import pytest

from longfat.sim.schemes import tfrc
from tests.sim.own import of_flow
from tests.sim.schemes.losses import Diary, drop_acks, drop_numbers
from tests.sim.schemes.steady import mean_rate, periodic, simulation

equation = numba.njit(lambda p: tfrc.equation_rate(1.0, 1.0, p))
add_received = numba.njit(lambda flows, now, received: tfrc.update_received(flows[0], now, received))
largest_received = numba.njit(lambda flows: tfrc.largest_received(flows[0]))
mean_interval = numba.njit(lambda flows, open_interval: tfrc.mean_interval(flows[0], open_interval))
RATES = {1e-4: 122.0, 1e-3: 38.4, 1e-2: 11.2, 0.05: 3.69, 0.1: 1.77}  # RFC 5348, section 3.1; packets per round trip


def test_equation():
    """The throughput equation (RFC 5348, section 3.1), evaluated with 50 digits.

    With b = 1 and t_RTO = 4 R, 1/(sqrt(1/3) + 4 x 3 sqrt(3/16) 0.5 (1 + 8)) = 1/(0.57735 + 23.3827).
    """
    for p, packets in RATES.items():
        assert equation(p) == pytest.approx(packets, rel=5e-3)
        assert math.sqrt(1.5 / p) == pytest.approx({1e-4: 122.5, 1e-3: 38.7}.get(p, math.sqrt(1.5 / p)), rel=2e-3)
    assert equation(0.5) == pytest.approx(1 / 23.96004, rel=1e-6)


@pytest.mark.parametrize("p", RATES)
def test_rate_at_periodic_loss(p):
    """Every interval is 1/p packets and more than a round trip, so that the rate is the equation's."""
    assert mean_rate("tfrc", periodic(p), max(300, 20 / p / RATES[p] * 0.1)) == pytest.approx(RATES[p], rel=0.01)


def departures(*rates, until):
    """Return the departures of a greedy flow [s], from pairs (time, packets per round trip of 0.1 s)."""
    times = []
    for (begin, packets), end in zip(rates, [*(begin for begin, _ in rates[1:]), until], strict=True):
        times += [begin + 0.1 / packets * k for k in range(math.ceil((end - begin) * packets / 0.1 - 1e-6))]
    return times


def test_start():
    """Slow start doubles the rate once per round trip, limited by the receive rate (RFC 5348, sections 4.2 and 4.3).

    First feedback at 0.1 s: four packets a round trip (4380 B are allowed, four packets have 4000 B), and X_recv_set
    has infinity. At 0.2 s, one packet has come, and infinity limits nothing: 8. At 0.3 s, 4 have come since 0.2 s: at
    most 8. At 0.4 s, 8 have come: 16. At 0.5 s, 8 have come (those of 0.3125 to 0.4 s): at most 16. At 0.6 s, 16: 32.
    """
    diary = Diary("tfrc", until=0.63)
    expected = departures((0.1, 4), (0.2, 8), (0.4, 16), (0.6, 32), until=0.631)
    assert [entry.time for entry in diary.entries] == pytest.approx([0, *expected], abs=1e-7)


@pytest.mark.filterwarnings("ignore::numba.NumbaExperimentalFeatureWarning")  # a row given from outside
def test_set_of_receive_rates_by_hand():
    """X_recv_set keeps the values of two round trips (RFC 5348, section 4.3), here of 0.1 s."""
    flows = np.zeros(1, tfrc.TFRC.columns.dtype)
    flows["rtt"] = 0.1
    largest = []
    for now, received in ((0.1, math.inf), (0.2, 10.0), (0.3, 40.0), (0.4, 20.0), (0.45, 5.0), (0.5, 8.0), (0.7, 1.0)):
        add_received(flows, now, received)
        largest.append(largest_received(flows))
    # Infinity is two round trips old at 0.3 s, 40 at 0.5 s (20, 5 and 8 are left), all of them at 0.7 s.
    assert largest == [math.inf, math.inf, 40.0, 40.0, 40.0, 20.0, 1.0]


def test_limit_by_the_largest_receive_rate():
    """The largest receive rate of two round trips limits the rate (RFC 5348, section 4.3).

    As in `test_start` until 0.5 s. Of the 16 acknowledgments until 0.6 s (packets 22 to 37, sent from 0.40625 to 0.5 s)
    twelve are lost: four come in this round trip, eight came in the one before: twice 8.
    """
    diary = Diary("tfrc", back=drop_acks(*range(22, 34)), until=0.55)
    assert diary.flow.rate * 0.1 / 1000 == pytest.approx(16, rel=1e-6)
    diary.advance(0.65)
    assert diary.flow.rate * 0.1 / 1000 == pytest.approx(16, rel=1e-6)


def test_first_loss():
    """The first loss interval follows from the largest receive rate so far (RFC 5348, section 6.3.1).

    Packet 30 of the 16 per round trip, sent at 0.45625 s, is lost; the third behind it, of 0.475 s, is acknowledged at
    0.575 s. Reports of 1, 4, 8 and 8 packets per round trip came from 0.2 to 0.5 s: the first interval is that of the p
    at which the equation gives 8, half of what was sent. That is also the rate.
    """
    diary = Diary("tfrc", drop_numbers(30), 0.574)
    assert diary.flow.rate * 0.1 / 1000 == pytest.approx(16, rel=1e-6)
    diary.advance(0.58)
    assert equation(1 / float(diary.own.intervals[0])) == pytest.approx(8, rel=1e-6)
    assert diary.flow.rate * 0.1 / 1000 == pytest.approx(8, rel=1e-6)


def test_limit_after_a_loss():
    """Twice the largest receive rate of two round trips limits the equation's rate, too (RFC 5348, section 4.3).

    Eight packets per round trip follow from the loss of packet 30, as in `test_first_loss`. Six acknowledgments of
    eight are lost twice: three come between reports that are nine packets, 0.1125 s, apart.
    """
    lost = (*range(60, 66), *range(68, 74))
    diary = Diary("tfrc", drop_numbers(30), 0.9, back=drop_acks(*lost))
    for time, packets in ((0.95, 8), (1.05, 2 * 3 / 1.125), (1.15, 8)):
        diary.advance(time)
        assert diary.own.allowed * 0.1 / 1000 == pytest.approx(packets, rel=1e-6)


def test_first_loss_before_the_first_receive_rate():
    """Without any receive rate the first loss interval is that of 0.5 packets per round trip (RFC 5348, section 6.3.1).

    With `reorder` 1 the loss of packet 1, sent at 0.1 s, is found at 0.225 s, when packet 2 of 0.125 s is acknowledged;
    only the first feedback, without a receive rate, came before. At 0.4 s packet 1 leaves again, and at 0.5 s six
    transmissions are in the current interval, 1 to 6 (section 5.3), which is longer than the first one: p = 1/6.
    """
    diary = Diary("tfrc", drop_numbers(1), 0.23, reorder=1)
    assert equation(1 / float(diary.own.intervals[0])) == pytest.approx(0.5, rel=1e-6)
    assert diary.own.allowed * 0.1 / 1000 == pytest.approx(0.5, rel=1e-6)
    diary.advance(0.51)
    assert diary.own.p == pytest.approx(1 / 6, rel=1e-12)


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


def test_loss_history_against_a_plain_one():
    """Ten losses, by number; packets retransmitted count as transmissions of their own."""
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


def mean_of(ended, open_interval, **given):
    """Return the mean loss interval of a flow with these ended intervals, newest first."""
    flows = np.zeros(1, tfrc.TFRC.columns.dtype).view(np.recarray)
    flows["discounts"] = 1
    for name, value in given.items():
        flows[name] = value
    kept = ended[: flows["intervals"].shape[1]]
    flows["intervals"][0, : len(kept)] = kept
    return mean_interval(flows, float(open_interval))


@pytest.mark.plain
@pytest.mark.parametrize(
    ("ended", "open_interval", "mean"),
    [
        ([300], 100, 300),
        ([100], 300, 300),
        ([100, 40], 200, 300 / 2),
        ([300, 100], 50, 400 / 2),
        ([10, 20, 30, 40, 50, 60, 70], 100, 246 / 5.8),
        ([10, 20, 30, 40, 50, 60, 70, 80], 100, 260 / 6),
        ([10, 20, 30, 40, 50, 60, 70, 80, 90], 100, 260 / 6),
    ],
)
def test_mean_of_few_intervals_by_hand(ended, open_interval, mean):
    """The mean with the open interval leaves out the oldest of k ended intervals (RFC 5348, section 5.4).

    Newest first. With k = 7 and weights of 1, 1, 1, 1, 0.8, 0.6, 0.4, 5.8 in all, I_tot0 = 100 + 10 + 20 + 30 + 0.8 x
    40 + 0.6 x 50 + 0.4 x 60 = 246, and I_tot1 = 10 + 20 + 30 + 40 + 0.8 x 50 + 0.6 x 60 + 0.4 x 70 = 204. With k = 8
    there is 0.2 x 70 in addition; the state of a flow has no ninth interval.
    """
    assert mean_of(ended, open_interval) == pytest.approx(mean, rel=1e-12)


@pytest.mark.plain
def test_discounting_by_hand():
    """Older intervals are discounted while the open one is long (RFC 5348, section 5.5).

    Eight intervals of 100: up to an open one of 200 all count in full, the open one with weight 1 and seven of the
    others with 1, 1, 1, 0.8, 0.6, 0.4, 0.2 (5 in all). An open one of 300 discounts them by 200/300, one of 1000 by a
    half. A single ended interval is left out, whatever its factor.

    A new one of 200 and seven of 100 that were discounted by a half: 200 + 0.5 x 100 x 5 = 450, weights 1 + 0.5 x 5.
    Without the oldest 200 + 0.5 x 100 x 4 = 400 with 1 + 0.5 x 4; 450 discounts them by 2 x 450/3.5/450 = 4/7.
    """
    for open_interval, factor in ((200, 1), (201, 200 / 201), (300, 2 / 3), (1000, 1 / 2)):
        expected = (open_interval + 500 * factor) / (1 + 5 * factor)
        assert mean_of([100] * 8, open_interval, discounting=1) == pytest.approx(expected, rel=1e-12)
    assert mean_of([100] * 8, 300) == pytest.approx(800 / 6, rel=1e-12)
    assert mean_of([100], 300, discounting=1) == pytest.approx(300, rel=1e-12)
    for open_interval, expected in ((50, 450 / 3.5), (250, 650 / 4), (450, (450 + 400 * 4 / 7) / (1 + 3 * 4 / 7))):
        mean = mean_of([200] + [100] * 7, open_interval, discounts=[1] + [0.5] * 7, discounting=1)
        assert mean == pytest.approx(expected, rel=1e-12)


def test_no_feedback_in_slow_start():
    """Without a loss the rate itself is halved (RFC 5348, section 4.4: "If p==0").

    Packets from 0.25 s on are lost. As in `test_start` eight packets per round trip are allowed at the last feedback,
    at 0.3 s; halved at 0.7, 1.1 and 1.5 s. X_recv_set keeps what it had at 0.3 s: 4 and 1 packets per round trip.
    """
    run = simulation("tfrc", periodic(0, dead_from=0.25))
    for time, packets in ((0.65, 8), (0.75, 4), (1.05, 4), (1.15, 2), (1.55, 1)):
        run.advance(time)
        assert of_flow(run).allowed * 0.1 / 1000 == pytest.approx(packets, rel=1e-6)
    assert of_flow(run).received[:3] * 0.1 / 1000 == pytest.approx([4, 1, 0], rel=1e-6)


def test_least_rate():
    """The rate is at least a packet in 64 s, not one a round trip (RFC 5348, sections 4.3 and 4.4: s/t_mbi)."""
    run = simulation("tfrc", periodic(1e-2, dead_from=10.0))
    run.advance(600.0)
    assert of_flow(run).allowed == 1000 / 64


def test_no_feedback_for_an_idle_sender_in_slow_start():
    """The no-feedback timer spares an idle sender below twice the initial rate (RFC 5348, section 4.4).

    A file of two packets, the second one lost: four packets per round trip from 0.1 s on. That packet leaves after the
    timer is set, so that the sender is not idle, and the rate is halved at 0.5 s. Nothing leaves until 0.9, 1.3 and 1.7
    s (the retransmission timer of 5 s expires later).
    """
    diary = Diary("tfrc", drop_numbers(1), 0.3, file=2000, min_rto=5)
    for time, expected in ((0.45, 4), (0.55, 2), (0.95, 2), (1.35, 2), (1.75, 2)):
        diary.advance(time)
        assert diary.own.allowed * 0.1 / 1000 == pytest.approx(expected, rel=1e-6)


def test_no_feedback_for_an_idle_sender_after_a_loss():
    """The no-feedback timer reduces X_recv_set of an idle sender down to the initial rate (RFC 5348, section 4.4).

    A file of 60 packets; the losses of packet 30 (rate 8, see `test_first_loss`) and of the last one, sent at 0.7125 s.
    Last feedback at 0.8 s. At 1.2 s X_Bps = 8, below twice any receive rate: timer_limit = X_Bps/2 = 4, X_recv_set
    becomes {2}, X = 4. At 1.6 s and later 2 is below the initial rate of 4: neither changes.
    """
    diary = Diary("tfrc", drop_numbers(30, 59), 1.19, file=60000, min_rto=5)
    assert diary.own.allowed * 0.1 / 1000 == pytest.approx(8, rel=1e-6)
    for time in (1.21, 1.61, 2.01, 2.41):
        diary.advance(time)
        assert diary.own.allowed * 0.1 / 1000 == pytest.approx(4, rel=1e-6)
        assert diary.own.received * 0.1 / 1000 == pytest.approx([2, 0, 0, 0, 0, 0, 0, 0], rel=1e-6)


@pytest.mark.parametrize(("lost", "at_once"), [((30, 60), True), ((30, 60, 107), False)])
def test_report_of_a_loss_event(lost, at_once):
    """A loss event is reported at once only if it raises p (RFC 5348, section 6.1).

    After the loss of packet 30 the first interval has 57.3 packets (that of p at 8 packets per round trip). The next
    one has 60 - 30 + 1 = 31 transmissions (30 is sent again): the mean falls to 44.1, and p rises. The next one has 107
    - 60 + 1 = 48: the mean rises to 45.4. No report of a round trip is due with this one.
    """
    diary = Diary("tfrc", drop_numbers(*lost), 0.58)
    while diary.own.intervals[len(lost) - 1] == 0 and diary.run.state.row.now < 4e9:
        diary.advance(diary.run.state.row.now * 1e-9 + 0.005)
    assert diary.own.intervals[: len(lost)].tolist() == pytest.approx([48, 31, 57.3][-len(lost) :], abs=0.05)
    assert (diary.own.feedback_at == diary.own.acked_at[0]) == at_once


def test_damping():
    """The paced rate is the rate times mean root over root of the round-trip time; off, the rate (RFC 5348, 4.5)."""
    run = simulation("tfrc", periodic(0.01), damping=0)
    run.advance(20.05)
    assert run.state.flows[0].rate == of_flow(run).allowed

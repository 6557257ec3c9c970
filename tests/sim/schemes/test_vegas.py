"""Vegas, against traces made by hand: a round trip is 100 ms, and a window leaves at once; and its queue."""

import pytest

from longfat.sim import run
from tests.sim.lab import one_link
from tests.sim.schemes.losses import Diary, drop_numbers


def test_slow_start_every_other_round():
    """Twice the window every second round trip; the first one is passive (Brakmo and Peterson, III-C)."""
    diary = Diary("vegas", until=0.75)
    assert diary.rounds == {
        0.0: [0],
        0.1: [1],
        0.2: [2, 3],
        0.3: [4, 5],
        0.4: [6, 7, 8, 9],
        0.5: [10, 11, 12, 13],
        0.6: [*range(14, 22)],
        0.7: [*range(22, 30)],
    }
    assert diary.own.minimum_rtt == pytest.approx(0.1, abs=1e-9)


def test_avoidance():
    """The window grows by a packet per round trip while the backlog is below alpha.

    With ssthresh 2 and nothing queued the window of 4 grows by 1/4 for each of the 4 acknowledgments, that of 5 by 1/5
    five times; with alpha 0 it holds.
    """
    diary = Diary("vegas", until=0.25, initial_window=4, initial_ssthresh=2)
    assert [len(diary.sent(t)) for t in (0.0, 0.1, 0.2)] == [4, 5, 6]
    assert diary.flow.window == pytest.approx(6.0, abs=1e-12)
    assert Diary("vegas", until=0.25, initial_window=4, initial_ssthresh=2, alpha=0).flow.window == 4.0


def test_fine_timer_on_the_first_duplicate():
    """The first duplicate retransmits if the fine-grained timer has expired (Brakmo and Peterson, III-A).

    13, of 10..13 at 0.5 s, is lost; 10, 11, 12 make the window 7. 14, sent at 0.6 s, brings the first duplicate at 0.7
    s, when 13 is 0.2 s old, and 12 and 14 were sent 0.1 s apart: 0.15 s. The fine timer, after 13 round trips of 0.1 s,
    is (0.1 + 2 x 0.05 x 0.75^12) 17/16 = 0.110 s: 13 goes, window 3/4 of 7, inflation 1. Five more duplicates make it
    6: 13 + 5.25 + 6 = 24.25.
    """
    diary = Diary("vegas", drop_numbers(13), 0.75)
    assert diary.sent(0.7) == [13, 20, 21, 22, 23]
    again = diary.all(13)[1]
    assert (again.window, again.inflation) == (5.25, 1.0)
    assert diary.all(23)[0].inflation == 6.0
    assert diary.flow.timeouts == 0


def test_fine_timer():
    """The fine-grained timeout follows round-trip time and deviation (ns-2.35, tcp-vegas.cc, recv()).

    After 13 round trips of 0.1 s, the first of which sets the variation to 0.05 s.
    """
    diary = Diary("vegas", until=0.55)
    assert diary.flow.una == 10
    assert diary.own.fine == pytest.approx((0.1 + 2 * 0.05 * 0.75**9) * 17 / 16, rel=1e-6)


def test_first_acknowledgment_after_a_retransmission():
    """The first new acknowledgment checks the timer of the next packet (Brakmo and Peterson, III-A).

    14 and 16 of 14..21 are lost; 15 brings 14 at 0.7 s: 3/4 of 8. The new acknowledgment, 16, at 0.8 s, finds 16 older
    than the fine timer: it goes at once, without another reduction.
    """
    diary = Diary("vegas", drop_numbers(14, 16), 0.85)
    assert diary.all(14)[1].time == 0.7
    assert diary.all(14)[1].window == 6.0
    assert diary.all(16)[1].time == 0.8
    assert diary.all(16)[1].window >= 6.0
    assert (diary.flow.timeouts, diary.flow.retransmitted) == (0, 2)


def test_one_reduction_for_what_was_sent_before_it():
    """Losses of packets sent before a reduction do not reduce again (ns-2.35, tcp-vegas.cc, recv()).

    14 is lost twice; retransmitted at 0.7 s, it is 0.1 s old at 0.8 s, less than 0.109 x 9/8 s, and 0.2 s at 0.9 s: it
    goes, and the fine timer doubles; it was not sent after the reduction, at 0.7 s.
    """
    diary = Diary("vegas", drop_numbers(14, 14), 0.95, min_rto=1)
    assert [entry.time for entry in diary.all(14)] == [0.6, 0.7, 0.9]
    assert [entry.window for entry in diary.all(14)] == [5.0, 6.0, 6.0]
    fine = (0.1 + 2 * 0.05 * 0.75**13) * 17 / 16
    assert diary.own.fine == pytest.approx(fine * 9 / 8 * 2, rel=1e-6)


def test_half_for_a_retransmission_lost():
    """A lost retransmission halves the window (ns-2.35, tcp-vegas.cc, recv()).

    30 and 38 of 30..45, at 0.8 s, are lost: 3/4 of 16 at 0.9 s, and 38 is retransmitted at 1 s, as the first
    acknowledgment after it shows. It is lost again, 0.1 s old at 1.1 s and 0.2 s old at 1.2 s; it was sent after the
    reduction: half the window.
    """
    diary = Diary("vegas", drop_numbers(30, 38, 38), 1.25, min_rto=1)
    assert [entry.time for entry in diary.all(30)] == [0.8, 0.9]
    assert diary.all(30)[1].window == 12.0
    assert [entry.time for entry in diary.all(38)] == [0.8, 1.0, 1.2]
    assert diary.all(38)[2].window == pytest.approx(diary.all(38)[1].window / 2, rel=1e-12)


def test_small_windows_become_two():
    """A window of 3 becomes 2 and not 2.25 (ns-2.35, tcp-vegas.cc, recv()). 6 of 6, 7, 8 is lost."""
    diary = Diary("vegas", drop_numbers(6), 0.35, initial_window=3, initial_ssthresh=2, alpha=0, min_rto=1)
    assert (diary.all(6)[1].time, diary.flow.window) == (0.3, 2.0)


def test_timeout():
    """All of 14..21 are lost: window 2, ssthresh floor(8/2) (ns-2.35, tcp-vegas.cc, timeout())."""
    diary = Diary("vegas", drop_numbers(*range(14, 22)), 1.65, min_rto=1)
    assert diary.sent(1.6) == [14, 15]
    assert (diary.all(14)[1].window, diary.all(14)[1].ssthresh) == (2.0, 4.0)


def settled(count, **parameters):
    """Return a run of flows with a BDP of 50 packets each; all start within some round trips."""
    net = one_link("vegas", rate=2.5e6, delay=0.02, buffer=1000, count=count, stagger=0.2, parameters=parameters)
    return run(net, duration=60, warm_up=30, rng=1, progress=False)


@pytest.mark.parametrize(("alpha", "beta"), [(1, 3), (2, 4), (6, 8)])
def test_queue_of_one_flow(alpha, beta):
    """One flow keeps alpha to beta packets in the queue (Brakmo and Peterson, III-B)."""
    data = settled(1, alpha=alpha, beta=beta)
    assert alpha <= float(data.mean_queue[0]) <= beta
    assert float(data.utilisation[0]) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("count", [2, 4, 8])
def test_queue_of_many_flows(count):
    """Many flows, n, keep n alpha to n beta packets in the queue, without losses (Brakmo and Peterson, III-B)."""
    data = settled(count)
    assert count <= float(data.mean_queue[0]) <= 3 * count
    assert float(data.retransmitted.sum()) == 0


def test_slow_start_ends_before_the_queue_is_long():
    """Slow start ends at a backlog of gamma (Brakmo and Peterson, III-C).

    Gamma = 1 packet ends slow start; the window doubles at most once more: the queue is below one bandwidth-delay
    product, 101 packets, where Reno's slow start queues more than one.
    """
    queues = {}
    for scheme in ("vegas", "reno"):
        net = one_link(scheme, rate=2.5e6, delay=0.02, buffer=1000)
        queues[scheme] = float(run(net, duration=2.0, rng=1, progress=False).max_queue[0])
    assert queues["vegas"] < 50
    assert queues["reno"] > 101

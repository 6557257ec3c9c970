"""Reno, against traces made by hand: a round trip is 100 ms, and a window leaves at once."""

import pytest

from tests.sim.schemes.losses import Diary, drop_numbers


def test_fast_recovery():
    """Fast retransmit and fast recovery (RFC 5681, section 3.2, steps 2 to 6).

    Packet 10 of 7..14 is lost; 7, 8, 9 make the window 11 and let 15..20 go; the third duplicate halves the 11 in
    flight: ssthresh = window = 5, inflation 3, packet 10 goes. The duplicates of 14..20 inflate to 10: packet 10 + 5 +
    10 = 25 is the first not sent. The new acknowledgment, 21, ends it: 5 + 1/5.
    """
    diary = Diary("reno", drop_numbers(10), 0.65)
    assert diary.sent(0.4) == [15, 16, 17, 18, 19, 20, 10]
    again = diary.all(10)[1]
    assert (again.window, again.ssthresh, again.inflation) == (5.0, 5.0, 3.0)
    assert [entry.inflation for entry in diary.entries if entry.number in (21, 22, 23, 24)] == [7.0, 8.0, 9.0, 10.0]
    assert diary.sent(0.5) == [21, 22, 23, 24, 25]
    last = diary.all(25)[0]
    assert (last.window, last.inflation) == (pytest.approx(5.2, rel=1e-15), 0.0)
    assert diary.flow.timeouts == 0


def test_second_hole_waits_for_the_timer():
    """With `bugfix` a second loss in a window waits for the timer (RFC 6582, section 3.2, step 2).

    10 and 12 are lost. The acknowledgment 12, at 0.5 s, ends recovery with a window of 5.2 and 12..23 in flight; 21,
    22, 23 are its three duplicates, for data sent before the reduction: nothing happens until the timer expires, 1 s
    after 0.5 s. ssthresh = max(2, floor(5.2/2)) = 2.
    """
    diary = Diary("reno", drop_numbers(10, 12), 1.65, min_rto=1)
    assert diary.sent(0.5) == [21, 22, 23]
    assert diary.sent(0.6) == []
    assert diary.sent(1.5) == [12]
    again = diary.all(12)[1]
    assert (again.window, again.ssthresh) == (1.0, 2.0)
    assert diary.sent(1.6) == [24, 25]
    assert diary.flow.timeouts == 1


def test_second_hole_without_bugfix():
    """Without `bugfix` the 12 packets 12..23 in flight are halved: window 6, then 6 + 1/6 after packet 12."""
    diary = Diary("reno", drop_numbers(10, 12), 0.75, min_rto=1, bugfix=0)
    assert diary.sent(0.6) == [12]
    assert (diary.all(12)[1].window, diary.all(12)[1].inflation) == (6.0, 3.0)
    assert diary.sent(0.7) == [24, 25, 26, 27, 28, 29]
    assert diary.flow.window == pytest.approx(6 + 1 / 6, rel=1e-15)
    assert diary.flow.timeouts == 0


def test_threshold_of_one():
    """With a threshold of 1 the inflation begins with 1: floor(11/2) + 1 + 9 more duplicates, as with 3."""
    diary = Diary("reno", drop_numbers(10), 0.55, duplicate_threshold=1)
    assert diary.all(10)[1].inflation == 1.0
    assert diary.sent(0.5) == [21, 22, 23, 24, 25]


def test_timeout():
    """A timeout ends inflation and resends from the first missing packet on (ns-2.35, tcp-reno.cc, timeout())."""
    # 10 is lost twice. Its duplicates let 21..24 go at 0.5 s, these 25..28, and so on to 53..56 at 1.3 s; nothing new
    # is acknowledged, and the timer, restarted at 0.4 s, expires at 1.4 s.
    diary = Diary("reno", drop_numbers(10, 10), 1.55, min_rto=1)
    assert diary.sent(0.5) == [21, 22, 23, 24]
    assert diary.sent(1.4) == [10]
    again = diary.all(10)[2]
    # floor(min(5, 57 - 10)/2) = 2
    assert (again.window, again.inflation, again.ssthresh) == (1.0, 0.0, 2.0)
    assert diary.sent(1.5) == [57, 58]

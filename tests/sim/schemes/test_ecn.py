"""Explicit congestion notification (RFC 3168), over all schemes that halve a window."""

import pytest

from tests.sim.schemes.losses import Diary, drop_numbers

TCP = ["tahoe", "reno", "newreno", "sack"]
PLAIN = {"tahoe": {}, "reno": {}, "newreno": {"limited_transmit": 0}, "sack": {}}


def diary_of(scheme, *drop, mark, until, **parameters):
    return Diary(scheme, drop_numbers(*drop, mark=mark), until, **{"ecn": 1, **PLAIN[scheme], **parameters})


@pytest.mark.parametrize("scheme", TCP)
def test_a_mark_halves_once_a_window(scheme):
    """Marks halve the window once per round trip (RFC 3168, sections 6.1.2 and 6.1.3).

    7, 8, 9 make the window 11, 15..20 go, and the marked 10 makes it 5.5. The receiver repeats the mark until packet
    21, the first new one, tells it of the reduction: at 0.5 s there is no growth, 20 + 1 + 5 = 26; at 0.6 s there is:
    5.5 + 1/5.5 + ... = 6.36, 26 + 6 = 32. Nothing is sent twice.
    """
    diary = diary_of(scheme, mark=(10,), until=0.65)
    assert diary.sent(0.4) == [*range(15, 21)]
    assert diary.sent(0.5) == [*range(21, 26)]
    assert {entry.window for entry in diary.entries if entry.time == 0.5} == {5.5}
    assert diary.sent(0.6) == [*range(26, 32)]
    assert (diary.own.ssthresh, diary.flow.retransmitted) == (5.5, 0)
    assert diary.flow.window == pytest.approx(6.356, abs=0.001)


@pytest.mark.parametrize("scheme", TCP)
def test_without_ecn_nothing_is_marked(scheme):
    """Packets of a flow without ECN are not marked (RFC 3168, section 5)."""
    diary = diary_of(scheme, mark=(10,), until=0.45, ecn=0)
    assert diary.sent(0.4) == [*range(15, 31)]
    assert diary.flow.marks == 0


@pytest.mark.parametrize("scheme", TCP)
def test_a_second_mark_in_the_next_window(scheme):
    """RFC 3168, section 6.1.2. The reduction for 10 covers up to 20; a mark on 21 is new: 5.5/2. One on 20 is not."""
    assert diary_of(scheme, mark=(10, 21), until=0.65).flow.window == 2.75
    assert diary_of(scheme, mark=(10, 20), until=0.65).flow.window == pytest.approx(6.356, abs=0.001)


@pytest.mark.parametrize("scheme", ["reno", "newreno", "sack"])
def test_a_loss_after_a_mark(scheme):
    """10 is marked, 12, of the same window, is lost: no second reduction (RFC 3168, section 6.1.2)."""
    diary = diary_of(scheme, 12, mark=(10,), until=0.55)
    assert diary.all(12)[1].time == 0.5
    assert (diary.all(12)[1].window, diary.all(12)[1].ssthresh) == (5.5, 5.5)


def test_tahoe_starts_over_after_a_mark():
    """A loss after a mark brings Tahoe back to one packet; ssthresh stays as the mark left it (ns-2.35)."""
    diary = diary_of("tahoe", 12, mark=(10,), until=0.55)
    assert (diary.all(12)[1].window, diary.all(12)[1].ssthresh) == (1.0, 5.5)


@pytest.mark.parametrize(("scheme", "half"), [("tahoe", 5.0), ("reno", 5.0), ("newreno", 5.0), ("sack", 5.5)])
def test_a_mark_after_a_loss(scheme, half):
    """10 is lost, and found out at 0.4 s; 16, of the same window, is marked: nothing (RFC 3168, section 6.1.2)."""
    diary = diary_of(scheme, 10, mark=(16,), until=0.55)
    assert diary.own.ssthresh == half
    assert diary.flow.marks == 1


@pytest.mark.parametrize("scheme", ["reno", "newreno", "sack"])
def test_a_mark_on_a_duplicate(scheme):
    """10 is lost; the duplicate of 11 is marked: it halves the 11, and the third duplicate does not again."""
    diary = diary_of(scheme, 10, mark=(11,), until=0.45)
    assert diary.all(10)[1].window == 5.5


@pytest.mark.parametrize("scheme", TCP)
def test_window_of_one(scheme):
    """At a window of one packet a mark backs the timer off (RFC 3168, section 6.1.2).

    Packet 0 is marked: the window stays 1, and the timer, after one round trip of 0.1 s 0.1 + 4 x 0.05 = 0.3 s, is
    twice that. The next acknowledgment ends it, and opens the window.
    """
    diary = diary_of(scheme, mark=(0,), until=0.15)
    assert diary.sent(0.1) == [1]
    assert diary.flow.backoff == 2.0
    assert diary.due() == pytest.approx(0.7, abs=1e-8)
    assert diary.advance(0.25).sent(0.2) == [2, 3]
    assert diary.flow.backoff == 1.0


@pytest.mark.parametrize("scheme", TCP)
def test_a_mark_after_a_timeout(scheme):
    """A mark after a timeout halves (ns-2.35, tcp.cc, ecn()).

    7..14 are lost; 8, retransmitted after 7, is marked though it is of the window of the timeout: 2/2 = 1.
    """
    diary = diary_of(scheme, *range(7, 15), mark=(8,), until=1.55, min_rto=1)
    assert diary.sent(1.4) == [8, 9]
    assert min(entry.window for entry in diary.entries if entry.time == 1.5) == 1.0
    # ... and no growth by 9, whose acknowledgment repeats the mark: 9 + 1 + 1 = 11.
    assert diary.sent(1.5) == [10]


@pytest.mark.parametrize("scheme", ["reno", "newreno", "sack"])
def test_cwr_after_a_reduction(scheme):
    """CWR goes with the first new packet after any reduction (RFC 3168, section 6.1.2).

    CWR goes with the first new packet after any reduction, here at 0.5 s; the mark of 9 is news at 0.4 s and halves, 10
    is lost in the same window; without CWR the echo would never end.
    """
    diary = diary_of(scheme, 10, mark=(9,), until=0.85)
    assert diary.flow.echo_ce == 0
    assert diary.flow.cwr == 0


def test_vegas_halves():
    """RFC 3168, section 6.1.2. Of 14..21, at 0.6 s in slow start, 14 is marked: 8/2, and growth of avoidance."""
    diary = Diary("vegas", drop_numbers(mark=(14,)), 0.75, ecn=1)
    assert (diary.flow.window, diary.own.ssthresh) == (4.0, 4.0)
    assert diary.sent(0.7) == [22, 23, 24, 25]
    assert diary.flow.retransmitted == 0

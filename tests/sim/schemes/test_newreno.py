"""NewReno, against traces made by hand: a round trip is 100 ms, and a window leaves at once."""

import pytest

from tests.sim.schemes.losses import Diary, drop_acks, drop_numbers


def test_partial_acknowledgment():
    """A partial acknowledgment retransmits the next missing packet (RFC 6582, section 3.2, step 3).

    10 and 12 are lost; 15..20 go; after the duplicates of 11, 13, 14 the window is 5 + 3, and those of 15..20 make it 5
    + 9: 21, 22, 23. Packet 10 brings the acknowledgment 12, partial: 12 goes at once, inflation 9 - (2 - 1) = 8, 12 + 5
    + 8 = 25: packet 24, too. 21, 22, 23 inflate to 11: 25, 26, 27. Packet 12 brings 24, beyond the 20 sent before:
    window 5, inflation 0: 28; the acknowledgment of 24 makes it 5.2: 29.
    """
    diary = Diary("newreno", drop_numbers(10, 12), 0.65, limited_transmit=0)
    assert diary.sent(0.4) == [15, 16, 17, 18, 19, 20, 10]
    assert diary.sent(0.5) == [21, 22, 23, 12, 24]
    assert (diary.all(12)[1].window, diary.all(12)[1].inflation) == (5.0, 8.0)
    assert diary.sent(0.6) == [25, 26, 27, 28, 29]
    assert diary.all(27)[0].inflation == 11.0
    assert (diary.all(28)[0].window, diary.all(28)[0].inflation) == (5.0, 0.0)
    assert diary.all(29)[0].window == pytest.approx(5.2, rel=1e-15)
    assert diary.flow.timeouts == 0


def test_limited_transmit():
    """Packets sent by limited transmit do not count for ssthresh (RFC 3042; RFC 5681, section 3.2, step 2).

    The first two duplicates let 21 and 22 go; RFC 5681, section 3.2, step 2: they do not count, ssthresh is floor(11/2)
    = 5 and not floor(13/2) = 6.
    """
    diary = Diary("newreno", drop_numbers(10), 0.45, limited_transmit=1)
    assert diary.sent(0.4) == [15, 16, 17, 18, 19, 20, 21, 22, 10]
    assert (diary.all(10)[1].ssthresh, diary.all(10)[1].inflation) == (5.0, 3.0)


def test_limited_transmit_ends_with_new_data():
    """A single duplicate, of packet 14, lets one packet more go; the acknowledgment of new data takes that back."""
    diary = Diary("newreno", drop_numbers(13), 0.55, min_rto=1)
    # 0.4 s: 7..12 make the window 14 and let 15..26 go, the duplicate packet 27; its inflation is 1.
    assert diary.sent(0.4) == [*range(15, 28)]
    assert diary.all(27)[0].inflation == 1.0
    # 0.5 s: the duplicates of 15 and 16 are the second and third: packet 28, and recovery.
    assert diary.sent(0.5)[:2] == [28, 13]


def test_excess_deflation():
    """Where the inflation is too small, the window shrinks (RFC 6582, section 3.2, step 3).

    10 and 20 are lost: the acknowledgment 20 acknowledges 10 packets with an inflation of 9: what lacks, 1, is taken
    from the window: 4 + 1, and 20..24 are in flight.
    """
    diary = Diary("newreno", drop_numbers(10, 20), 0.65, limited_transmit=0)
    assert diary.sent(0.5) == [21, 22, 23, 20, 24]
    assert (diary.all(20)[1].window, diary.all(20)[1].inflation) == (4.0, 1.0)
    # Inflated by 21, 22, 23; then the full acknowledgment, 24, with 24..27 in flight: back to ssthresh.
    assert diary.sent(0.6) == [25, 26, 27, 28, 29]
    assert diary.all(28)[0].window == 5.0
    assert diary.flow.window == pytest.approx(5.2, rel=1e-15)  # above ssthresh


@pytest.mark.parametrize("impatient", [1, 0])
def test_impatient_timer(impatient):
    """Only the first partial acknowledgment restarts the timer (RFC 6582, section 3.2, step 3).

    10, 12, 14, 16 are lost: recovery begins at 0.5 s, with the duplicate of 15; partial acknowledgments, 12, 14 and 16,
    come at 0.6, 0.7 and 0.8 s, the full one at 0.9 s. Only the first restarts the timer of 1 s.
    """
    diary = Diary("newreno", drop_numbers(10, 12, 14, 16), 0.55, min_rto=1, impatient=impatient)
    dues = [diary.due()]
    for end in (0.65, 0.75, 0.85, 0.95):
        dues.append(diary.advance(end).due())
    assert dues == pytest.approx([1.5, 1.6, 1.6, 1.6, 1.9] if impatient else [1.5, 1.6, 1.7, 1.8, 1.9], abs=1e-8)
    assert [diary.all(number)[1].time for number in (10, 12, 14, 16)] == [0.5, 0.6, 0.7, 0.8]  # one a round trip


@pytest.mark.parametrize(("careful", "burst"), [(0, [21, 22, 23, 24, 25]), (1, [21, 22])])
def test_careful_exit(careful, burst):
    """At the end of recovery a burst is avoided (RFC 6582, section 3.2, step 3, option 1).

    The duplicates of 15..20 are lost, so that nothing is in flight when packet 10 is acknowledged: five packets at
    once, or max(0, 1) + 1 = 2 (option 1).
    """
    back = drop_acks(*range(15, 21))
    diary = Diary("newreno", drop_numbers(10), 0.55, back=back, careful_exit=careful, limited_transmit=0)
    assert diary.sent(0.5) == burst


def test_burst_limit():
    """In recovery each duplicate releases at most two packets (ns-2.35, tcp-newreno.cc, recv()).

    Two packets per duplicate. The mark of 10 halves the window of 11: 5.5; 21..24 go at 0.5 s, and 20 is lost. Its
    third duplicate, of the same window as the mark, does not halve again (RFC 3168, section 6.1.2), so that 20 + 5 + 3
    = 28 would let 25, 26, 27 go at once with packet 20; two may. 27 follows with the fourth duplicate, when the
    inflation is 4.
    """
    diary = Diary("newreno", drop_numbers(20, mark=(10,)), 0.65, ecn=1, limited_transmit=0)
    assert diary.sent(0.5) == [21, 22, 23, 24]
    assert diary.sent(0.6) == [20, 25, 26, 27, 28]
    assert [diary.all(number)[-1].inflation for number in (20, 25, 26, 27, 28)] == [3.0, 3.0, 3.0, 4.0, 4.0]


@pytest.mark.parametrize(("bugfix", "last"), [(1, [63, 64, 65, 66, 67]), (0, [63, 64, 65, 66, 67, 63])])
def test_careful_variant(bugfix, last):
    """Packets resent in vain after a timeout start no recovery (RFC 6582, section 3.2, step 2).

    A timeout resends what test_tahoe.test_bugfix does, and 39, 40, 41, which have arrived, give three duplicates
    for data sent before it. The threshold is out of reach until the timer, 1 s after 0.5 s, has expired.
    """
    lost = drop_numbers(31, 32, 34, 38)
    diary = Diary("newreno", lost, 0.65, min_rto=1, bugfix=bugfix, limited_transmit=0, duplicate_threshold=1e6)
    diary.own.duplicate_threshold = 3.0
    diary.advance(1.95)
    assert [diary.sent(t) for t in (1.5, 1.6, 1.7, 1.8)] == [[31], [32, 33], [34, 35, 36], [38, 39, 40, 41]]
    assert diary.sent(1.9) == last
    assert diary.flow.window == (5.0 if bugfix else 2.0)


def test_timeout_ends_recovery():
    """A timeout ends recovery (RFC 6582, section 3.2, step 4).

    10 is lost twice; after the timeout the window opens at once, with every acknowledgment.
    """
    diary = Diary("newreno", drop_numbers(10, 10), 1.65, min_rto=1, limited_transmit=0)
    assert diary.sent(1.4) == [10]
    # 25..56 have gone meanwhile, as in test_reno.test_timeout. From ssthresh = floor(5/2) = 2 on by 1/2 and 1/2.5.
    assert diary.sent(1.5) == [57, 58]
    assert diary.sent(1.6) == [59, 60]

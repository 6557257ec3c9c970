"""SACK, against traces made by hand: a round trip is 100 ms, and a window leaves at once."""

import pytest

from tests.sim.schemes.losses import Diary, drop_numbers


def test_two_losses_in_one_round_trip():
    """Two losses in a window are repaired in one round trip (RFC 6675, section 5).

    10 and 12 of 7..14 are lost. 7, 8, 9 make the window 11 and let 15..20 go; 11 and 13 leave the pipe, so that 21 and
    22 follow (RFC 3042). 14 is the third behind 10: window min(11, 23 - 10)/2 = 5.5, and packet 10 goes at once. Pipe
    then: 12, 15..22, 10: ten.

    0.5 s: 15 is the third behind 12, pipe 8; 16, 17, 18 make it 5, and with 19 it is 4 < 5.5 - 1: 12; with 20, 21, 22:
    23, 24, 25; with 10, acknowledged up to 12: 26. 0.6 s: 12 acknowledges up to 23, beyond 22: recovery is over, and
    packet 27 goes; 23..26 then make the window 5.5 + 1/5.5 + ... = 6.19: a sixth packet.
    """
    diary = Diary("sack", drop_numbers(10, 12), 0.65)
    assert diary.sent(0.4) == [15, 16, 17, 18, 19, 20, 21, 22, 10]
    assert (diary.all(10)[1].window, diary.all(10)[1].ssthresh) == (5.5, 5.5)
    assert diary.sent(0.5) == [12, 23, 24, 25, 26]
    assert diary.sent(0.6) == [27, 28, 29, 30, 31, 32]
    assert diary.all(27)[0].window == 5.5
    window = 5.5
    for _ in range(4):
        window += 1 / window
    assert diary.flow.window == pytest.approx(window, rel=1e-15)
    assert (diary.flow.timeouts, diary.flow.retransmitted) == (0, 2)


def test_no_growth_in_recovery():
    """In recovery the window does not grow, and is reduced once for one window (RFC 6675, section 5)."""
    diary = Diary("sack", drop_numbers(10, 12, 15, 20), 0.55)
    assert {entry.window for entry in diary.entries if entry.time == 0.5} == {5.5}


def test_recovery_ends_beyond_the_last_packet_sent_before_it():
    """Recovery ends when all packets sent before it are acknowledged (RFC 6675, section 5, step A).

    22, the last one sent before the loss of 10 is found, is lost, too: an acknowledgment up to it, at 0.5 s, is
    partial. It is retransmitted at 0.6 s, between 27 and 28. Its acknowledgment ends recovery and does not grow; 28,
    29, 30 do, from 5.5 on. One reduction for both.
    """
    diary = Diary("sack", drop_numbers(10, 22), 0.75, min_rto=1)
    assert diary.sent(0.6) == [27, 22, 28, 29, 30]
    window = 5.5
    for _ in range(3):
        window += 1 / window
    assert diary.flow.window == pytest.approx(window, rel=1e-15)


def test_pipe():
    """The pipe counts packets sent that are neither acknowledged nor lost (RFC 6675, section 4).

    The pipe counts what was sent, and is neither acknowledged nor lost. 31, 32, 34, 38, 45, 50 of 31..62 are lost. 33
    and 35 let 63 and 64 go; 36 is the third behind 31 and 32: 34 packets in flight, 3 of them arrived, 2 lost, and 31
    retransmitted: pipe 30, window min(32, 65 - 31)/2 = 16. 37 (with it 34 is lost): 28; 39, 40: 26; 41 (38): 24; 42,
    43, 44, 46, 47: 19; 48 (45): 17; 49: 16; 51: 15: now 32 may go. 52: 34. 53 (50): 14: 38 and 45. 54: 50. Then one new
    packet for each of 55..62. All six are repaired in one round trip.
    """
    diary = Diary("sack", drop_numbers(31, 32, 34, 38, 45, 50), 0.75)
    assert diary.sent(0.6) == [63, 64, 31, 32, 34, 38, 45, 50, *range(65, 73)]
    assert {entry.window for entry in diary.entries if entry.time == 0.6} == {32.0, 16.0}
    assert diary.flow.una == 73
    assert diary.flow.retransmitted == 6


def test_lost_again():
    """A retransmission that is lost is found and reduces the window again, beyond RFC 6675.

    Beyond RFC 6675: 10 is lost twice. Of what was sent behind it the second time, 23, 24, 25 arrive at 0.6 s: it is
    retransmitted, and the window of 5.5 is halved again. 0.7 s: 27 and 28 leave the pipe, and 29 goes; 10 acknowledges
    up to 29, beyond 28: 30.
    """
    diary = Diary("sack", drop_numbers(10, 10), 0.75, min_rto=1)
    assert diary.sent(0.4) == [15, 16, 17, 18, 19, 20, 21, 22, 10]
    assert diary.sent(0.5) == [23, 24, 25, 26]
    assert diary.sent(0.6) == [27, 28, 10]
    assert diary.all(10)[2].window == 2.75
    assert diary.sent(0.7) == [29, 30]
    assert diary.flow.timeouts == 0


def test_timeout():
    """All of 7..14 are lost; slow start from 1 up to floor(8/2) = 4, lowest number first (RFC 6675, section 5.1)."""
    diary = Diary("sack", drop_numbers(*range(7, 15)), 1.65, min_rto=1)
    assert [diary.sent(t) for t in (1.3, 1.4, 1.5)] == [[7], [8, 9], [10, 11, 12, 13]]
    assert diary.all(7)[1].ssthresh == 4.0
    assert diary.sent(1.6) == [14, 15, 16, 17]  # as test_tahoe.test_timeout
    assert diary.flow.timeouts == 1


def test_timeout_remembers_what_has_arrived():
    """9, of 7..14, arrives; nothing else does. It is not retransmitted (in RFC 6675 it may be)."""
    diary = Diary("sack", drop_numbers(7, 8, *range(10, 15)), 1.85, min_rto=1)
    # The acknowledgment of 9 leaves room for 15, by limited transmit, at 0.4 s, and that of 15 for 16, ...
    assert diary.sent(0.4) == [15]
    # ... so that 16 is sent at 0.5 s, and with it the third behind 7 and 8 arrives at 0.6 s.
    assert diary.sent(0.5) == [16]
    assert 7 in diary.sent(0.6)
    assert len(diary.all(9)) == 1


@pytest.mark.parametrize("rack", [0, 1])
def test_timeout_while_a_retransmission_is_outstanding(rack):
    """After a timeout the earliest packet leaves first (RFC 6298, rule 5.4), also if it was retransmitted before.

    7 and 11..14 of 7..14 are lost. 8 and 9 let 15 and 16 go, 10 is the third behind 7: it is retransmitted at 0.4 s,
    after all of these, and all are lost. The window is 8/2 then, so that ssthresh is 4/2 when the timer, restarted by
    that, expires at 1.4 s. 7 is acknowledged up to 10: a window of 2. 11 and 12 make it 2 + 1/2 + 1/2.5 = 2.9.
    """
    diary = Diary("sack", drop_numbers(7, 7, *range(11, 17)), 1.65, min_rto=1, rack=rack)
    assert diary.sent(0.4) == [15, 16, 7]
    assert [diary.sent(t) for t in (1.4, 1.5, 1.6)] == [[7], [11, 12], [13, 14]]

"""Tahoe, against traces made by hand: a round trip is 100 ms, and a window leaves at once."""

import pytest

from tests.sim.schemes.losses import Diary, drop_numbers


def test_slow_start():
    """RFC 5681, section 3.1: in slow start every acknowledgment releases two packets."""
    diary = Diary("tahoe", until=0.35)
    assert diary.rounds == {0.0: [0], 0.1: [1, 2], 0.2: [3, 4, 5, 6], 0.3: [*range(7, 15)]}


def test_initial_window_and_ssthresh():
    """Slow start ends at ssthresh (RFC 5681, section 3.1).

    A window of 2, growth by 1 up to 4, by 1/window from there: 4 + 1/4 = 4.25, + 1/4.25 = 4.485, ...
    """
    diary = Diary("tahoe", until=0.25, initial_window=2, initial_ssthresh=4)
    # 0.1 s: 0 and 1 give 3 and 4. 0.2 s: 4.25, 4.4853, 4.7082, 4.9206: packet 6 + 4 = 10 is the first not sent.
    assert diary.rounds == {0.0: [0, 1], 0.1: [2, 3, 4, 5], 0.2: [6, 7, 8, 9]}
    window = 4.0
    for _ in range(4):
        window += 1 / window
    assert diary.flow.window == pytest.approx(window, rel=1e-15)


def test_fast_retransmit():
    """The third duplicate brings a slow start from one packet (ns-2.35, tcp.cc, dupack_action()).

    Packet 10 is lost out of 7..14. 7, 8, 9 make the window 11 and let 15..20 go; the duplicates of 11, 12, 13 make
    ssthresh floor(11/2) = 5 and the window 1; those of 14..20 do nothing. Packet 10 then covers all to 20: the window
    is 2, and opens by 1 per acknowledgment until 5, then by 1/5, 1/5.2, 1/5.39.
    """
    diary = Diary("tahoe", drop_numbers(10), 0.75)
    assert diary.sent(0.4) == [15, 16, 17, 18, 19, 20, 10]
    assert diary.all(10)[1].ssthresh == 5.0
    assert diary.all(10)[1].window == 1.0
    assert diary.sent(0.5) == [21, 22]
    assert diary.sent(0.6) == [23, 24, 25, 26]
    # Acknowledgments of 23..26: windows 5, 5.2, 5.39, 5.58, first packets missing 24..27.
    assert diary.sent(0.7) == [27, 28, 29, 30, 31]
    assert not any(entry.inflation > 0 for entry in diary.entries)  # Tahoe has no fast recovery
    assert diary.flow.timeouts == 0


def test_duplicate_threshold():
    """With a threshold of 1 the duplicate of 11 is enough."""
    diary = Diary("tahoe", drop_numbers(10), 0.45, duplicate_threshold=1)
    assert diary.sent(0.4) == [15, 16, 17, 18, 19, 20, 10]
    diary = Diary("tahoe", drop_numbers(13), 0.45, duplicate_threshold=1)  # only 14 is behind it
    assert diary.sent(0.4)[-1] == 13


@pytest.mark.parametrize(("bugfix", "last"), [(1, [63, 64, 65, 66, 67]), (0, [63, 64, 65, 66, 67, 63])])
def test_bugfix(bugfix, last):
    """With `bugfix`, packets resent in vain bring no second reduction (RFC 6582, section 3.2, step 2).

    Of 31..62 four are lost, 31, 32, 34 and 38. Going back sends 31; 32, 33; 34, 35, 36; 38..41: what has arrived
    already gives duplicates, 39, 40, 41 the third one, for data sent before the reduction.
    """
    diary = Diary("tahoe", drop_numbers(31, 32, 34, 38), 1.05, bugfix=bugfix)
    assert [diary.sent(t) for t in (0.6, 0.7, 0.8, 0.9)] == [[31], [32, 33], [34, 35, 36], [38, 39, 40, 41]]
    assert diary.sent(1.0) == last
    assert diary.own.ssthresh == (16.0 if bugfix else 2.0)  # floor(32/2); max(2, floor(5/2))


def test_timeout():
    """A timeout sets ssthresh to half of the flight and goes back (RFC 5681, section 3.1, equation 4).

    All of 7..14 are lost; the timer, 1 s here, was last set at 0.3 s. ssthresh floor(8/2) = 4; the window goes 1; 2; 3,
    4; 4.25, ...
    """
    diary = Diary("tahoe", drop_numbers(*range(7, 15)), 1.65, min_rto=1)
    assert list(diary.rounds)[4:] == [1.3, 1.4, 1.5, 1.6]
    assert [diary.sent(t) for t in (1.3, 1.4, 1.5)] == [[7], [8, 9], [10, 11, 12, 13]]
    assert diary.all(7)[1].ssthresh == 4.0
    assert diary.sent(1.6) == [14, 15, 16, 17]  # packets missing 11, 12, 13, 14 and windows 4.25, 4.49, 4.71, 4.92
    assert diary.flow.timeouts == 1


def test_ssthresh_floor():
    """The slow-start threshold has a floor of two packets (RFC 5681, section 3.1, equation 4).

    Packet 1 is lost with a window of 2, floor(2/2) = 1: ssthresh is 2, or what the parameter says.
    """
    for floor in (1, 2, 7):
        diary = Diary("tahoe", drop_numbers(1, 2), 1.25, min_rto=1, ssthresh_floor=floor)
        assert diary.all(1)[1].ssthresh == max(floor, 1)

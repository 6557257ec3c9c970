"""Profiles of the retransmission timer (RFC 6298), in flows."""

import pytest

from longfat.sim.schemes import profile, timers
from tests.sim.schemes.losses import Diary, drop_numbers


@pytest.mark.parametrize(
    ("name", "granularity", "floor", "first"),
    [
        ("ns", 0.010, 0.2, 3.0),
        ("rfc", 0.001, 1.0, 1.0),
        ("linux", 0.2, 0.2, 1.0),
        ("bsd", 0.5, 1.0, 3.0),
        ("fine", 0.001, 0.002, 3.0),
    ],
)
def test_table(name, granularity, floor, first):
    """The profiles have the timers of ns-2.35, RFC 6298, Linux and 4.4BSD-Lite.

    The profiles; the first timeout is 3 s in old code, 1 s in RFC 6298.
    """
    chosen = profile(name)
    assert set(chosen) == set(timers.PARAMETERS)
    assert (chosen["granularity"], chosen["min_rto"], chosen["first_rto"]) == (granularity, floor, first)
    diary = Diary("reno", until=0.05, **chosen)
    flow = diary.flow
    assert (flow.granularity, flow.min_rto, flow.rto) == (granularity, floor, first)
    assert (flow.max_rto, flow.tick, flow.timestamps) == tuple(chosen[k] for k in ("max_rto", "tick", "timestamps"))
    assert diary.due() == pytest.approx(first, abs=1e-8)


def test_default():
    assert profile("ns") == {name: one.default for name, one in timers.PARAMETERS.items()}


def test_a_profile_cannot_be_changed():
    profile("ns")["min_rto"] = 7.0
    profile("bsd")["min_rto"] = 7.0
    assert (profile("ns")["min_rto"], profile("bsd")["min_rto"]) == (0.2, 1.0)


@pytest.mark.parametrize(
    ("name", "changed", "until", "rto"),
    [
        # BSD, in whole ticks of 0.5 s: round trips of 0.1 s are read as one tick: 0.5 s, variation 0.25 s: 1.5 s, three
        # ticks. After 0, 1 and 3 (one packet is timed at a time) the variation is 0.25 x 0.75^2 = 0.14 s: 0.5 + 0.56 s,
        # three ticks again; after 7 it is 0.105 s, below a quarter of a tick: 0.5 + 0.5 s.
        ("bsd", {}, 0.35, 1.5),
        ("bsd", {}, 0.45, 1.0),
        # 0.1 + 4 x 0.05 x 0.75^k s after k + 1 round trips of 0.1 s: of one packet each in `ns`, of all in `fine`.
        ("ns", {"min_rto": 0.01}, 0.35, 0.1 + 0.2 * 0.75**2),  # 0, 1, 3
        ("fine", {}, 0.35, 0.1 + 0.2 * 0.75**6),  # 0..6
        ("ns", {}, 0.35, 0.2125),
        ("rfc", {}, 0.35, 1.0),
        # Linux: the lower bound of 200 ms is one of the term 4 rttvar, after the first round trip 0.2 s, and later
        # 0.2 x 0.75^k s: 0.1 + 0.2 s after seven round trips. RFC 6298 takes at least 1 s for the sum.
        ("linux", {}, 0.35, 0.3),
    ],
)
def test_timeouts_by_hand(name, changed, until, rto):
    """The timeout follows round-trip time and deviation (RFC 6298, rules 2.2 and 2.3), with the rules of a profile."""
    assert Diary("tahoe", until=until, **{**profile(name), **changed}).flow.rto == pytest.approx(rto, rel=1e-9)


@pytest.mark.parametrize(
    ("given", "times"),
    [
        # 3, 6, 12, 24, 48 s, and from there on 60 s (RFC 6298, rules 5.5 and 2.5)
        ({}, [0, 3, 9, 21, 45, 93, 153, 213, 273]),
        # Doubling ends at 64, where the longest timeout does not: 0.5, 1, ..., 32, 32 s (ns-2.35, rtt_backoff()).
        ({"first_rto": 0.5, "max_rto": 1e6}, [0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 63.5, 95.5, 127.5]),
    ],
)
def test_backoff(given, times):
    """Packet 0 is lost eight or nine times: the timeout doubles up to its upper bound."""
    diary = Diary("reno", drop_numbers(*[0] * (len(times) - 1)), times[-1] + 0.05, **given)
    assert [entry.time for entry in diary.all(0)] == pytest.approx(times, abs=1e-6)


@pytest.mark.parametrize("timestamps", [0, 1])
def test_karn(timestamps):
    """A retransmitted packet is timed only with timestamps: Karn's algorithm (RFC 6298, section 3).

    Packet 0 goes at 0 and at 3 s. Its acknowledgment at 3.1 s is a sample only with timestamps, and ends the backoff:
    0.1 + 4 x 0.05 s; without, 6 s hold until 3.2 s.
    """
    diary = Diary("reno", drop_numbers(0), 3.15, timestamps=timestamps)
    assert diary.due() == pytest.approx(3.1 + (0.3 if timestamps else 6.0), abs=1e-6)
    assert diary.flow.backoff == (1.0 if timestamps else 2.0)
    diary.advance(3.25)
    assert diary.flow.backoff == 1.0
    if not timestamps:
        assert diary.flow.srtt == pytest.approx(0.1, abs=1e-9)
        assert diary.due() == pytest.approx(3.5, abs=1e-6)


def test_karn_of_a_packet_timed():
    """A timed packet that is retransmitted is timed no longer: Karn's algorithm (RFC 6298, section 3).

    Packet 7, the first of its round, is timed when it is lost; retransmitted, it is timed no longer.
    """
    diary = Diary("reno", drop_numbers(7), 0.65, min_rto=1)
    assert diary.all(7)[1].time == 0.4
    # Samples: 0, 1, 3 and, after 7 was dropped from timing, 0.1 s again: at no time 0.2 s.
    assert diary.flow.srtt == pytest.approx(0.1, abs=1e-9)


@pytest.mark.parametrize("name", ["tahoe", "reno", "newreno", "sack", "vegas"])
def test_a_fast_retransmission_restarts_the_timer(name):
    """A fast retransmission restarts the timer.

    13 is lost; 12 is acknowledged at 0.4 s, and 16, sent at 0.4 s, brings the third duplicate at 0.5 s. (Vegas: 12 at
    0.6 s, and 14 makes it send 13 again at 0.7 s.)
    """
    when = 0.7 if name == "vegas" else 0.5
    diary = Diary(name, drop_numbers(13), when + 0.05, min_rto=1)
    assert diary.all(13)[1].time == when
    assert diary.due() == pytest.approx(when + 1, abs=1e-8)


def test_timer_restarts_and_stops():
    """The timer runs while packets are in flight (RFC 6298, rules 5.1 to 5.3).

    Runs from the first packet, anew from each new acknowledgment, and no longer than something is in flight.
    """
    diary = Diary("reno", until=0.05, file=3000)
    assert diary.due() == pytest.approx(3.0, abs=1e-8)
    assert diary.advance(0.15).due() == pytest.approx(0.1 + 0.3, abs=1e-8)
    assert diary.advance(0.25).due() is None
    diary = Diary("reno", drop_numbers(1, 2), 0.15)
    assert diary.due() == pytest.approx(0.4, abs=1e-8)

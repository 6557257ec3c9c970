"""Careful Resume (RFC 9959) by hand; a round trip of the diary is 100 ms, and packets have 1000 bytes."""

import math

import pytest

from longfat.sim.schemes import careful_resume as resume
from tests.sim.schemes.losses import Diary, drop_numbers

pytestmark = pytest.mark.plain

#: Every packet is acknowledged, and slow start doubles the window.
EACH = {"delayed_ack": 1, "growth_limit": math.inf, "hystart": 0, "saved_window": 200}


def test_the_jump_by_hand():
    """0 to 9 are acknowledged at 0.1 s: the window, 20, jumps to 100, half of 200, and packets leave over 0.1 s.

    PipeSize is what is in flight then: 18 packets, 10 to 27, that the first nine acknowledgments have released; 28 to
    109 are those of the jump. At 0.2 s 10 is acknowledged, and the window of 100 has been sent: it becomes 99, what is
    in flight, and slow start goes on, to 116 with 11 to 27, and to 198 with 109, the last packet of the jump.
    """
    diary = Diary("cubic-resume", until=0.105, **EACH)
    assert diary.own.phase == resume.UNVALIDATED
    assert (diary.flow.window, diary.own.pipe_size) == (100, 18)
    assert diary.flow.rate == pytest.approx(100 * 1000 / 0.1)
    before = int(diary.flow.high)
    diary.advance(0.155)
    assert int(diary.flow.high) - before == pytest.approx(50, abs=1)
    diary.advance(0.1999)
    assert (diary.own.phase, diary.own.first, diary.flow.in_flight) == (resume.UNVALIDATED, 28, 100)
    diary.advance(0.2001)
    assert (diary.own.phase, diary.own.last, diary.flow.window) == (resume.VALIDATING, 109, 116)
    while diary.own.phase == resume.VALIDATING:
        diary.advance(diary.run.now + 0.0005)
    assert diary.own.phase == resume.NORMAL
    assert diary.flow.window == pytest.approx(198, abs=1)


@pytest.mark.parametrize(
    ("saved", "jumps"), [(0.0, True), (0.1, True), (0.19, True), (0.21, False), (0.0101, True), (0.0099, False)]
)
def test_the_round_trip_time_confirms_the_path(saved, jumps):
    """A round trip of 0.1 s is above half of the saved one, and at most ten times of it."""
    diary = Diary("cubic-resume", until=0.105, **EACH, saved_rtt=saved)
    assert diary.own.phase == (resume.UNVALIDATED if jumps else resume.NORMAL)
    assert diary.flow.window == (100 if jumps else 20)


def test_a_jump_is_limited_and_never_down():
    assert Diary("cubic-resume", until=0.105, **EACH, max_jump=50).flow.window == 50
    assert Diary("cubic-resume", until=0.105, **{**EACH, "saved_window": 30}).own.phase == resume.NORMAL


def test_a_loss_of_the_initial_data_ends_it():
    diary = Diary("cubic-resume", drop_numbers(3), 0.25, **EACH)
    assert diary.own.phase == resume.NORMAL
    assert diary.flow.window < 20


def test_the_safe_retreat():
    """60, a packet of the jump, is lost: the window is half of PipeSize, and does not grow before the jump is through.

    Then ssthresh is 0.7 PipeSize.
    """
    diary = Diary("cubic-resume", drop_numbers(60), 0.2, **EACH)
    while diary.own.phase != resume.RETREAT:
        diary.advance(diary.run.now + 0.0005)
    held = float(diary.flow.window)
    assert held == pytest.approx(diary.own.pipe_size / 2, abs=2)
    assert diary.own.ssthresh == held < 50
    while diary.own.phase == resume.RETREAT:
        assert diary.flow.window == held
        diary.advance(diary.run.now + 0.0005)
    assert diary.own.phase == resume.NORMAL
    assert diary.own.ssthresh == pytest.approx(0.7 * diary.own.pipe_size, abs=2)
    assert diary.flow.timeouts == 0

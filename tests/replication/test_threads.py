"""Parallel calls: the order of results, callbacks during the calls, and every way to end early."""

import _thread
import threading
import time

import pytest

from longfat.replication import threads
from longfat.replication.threads import side_by_side

PATIENCE = 10.0  # s, far more than anything here takes


def test_results_are_in_the_order_of_the_items():
    def slow_first(k):
        time.sleep(0.05 * (k == 0))
        return k * k

    assert side_by_side(slow_first, iter(range(5)), threads=3) == [0, 1, 4, 9, 16]
    assert side_by_side(slow_first, []) == []


def test_calls_run_at_the_same_time_and_no_more_than_asked_for():
    meeting, lock, counts = threading.Barrier(3), threading.Lock(), [0, 0]

    def meet(_):
        with lock:
            counts[0] += 1
            counts[1] = max(counts)
        meeting.wait(PATIENCE)
        with lock:
            counts[0] -= 1

    side_by_side(meet, range(9), threads=3)
    assert counts == [0, 3]


def test_what_is_said_on_the_way(monkeypatch):
    """`done` is called once per call, and `look` while the only call runs, in the caller's thread."""
    monkeypatch.setattr(threads, "LOOK", 0.01)
    ended, looks = [], []

    def until_looked_at(_):
        begin = time.monotonic()
        while len(looks) < 3 and time.monotonic() < begin + PATIENCE:
            time.sleep(0.001)

    side_by_side(
        until_looked_at,
        range(4),
        done=lambda: ended.append(threading.current_thread()),
        look=lambda: looks.append(threading.current_thread()),
    )
    assert len(ended) == 4
    assert len(looks) >= 3
    assert set(ended + looks) == {threading.current_thread()}


class Waiting:
    """A function that runs until it is told to stop, except for one item; all calls must have begun."""

    def __init__(self, calls, other=None):
        self.stop_event, self.begun, self.ended = threading.Event(), threading.Barrier(calls), []
        self.other = other

    def __call__(self, k):
        if k < self.begun.parties:
            self.begun.wait(PATIENCE)
        if k == 0 and self.other is not None:
            return self.other()
        assert self.stop_event.wait(PATIENCE)
        self.ended.append(k)
        return k


def fail():
    raise ValueError("of the first call")


def test_an_error_ends_the_others():
    """Running calls are stopped and waited for; pending calls never begin."""
    waiting = Waiting(2, fail)
    with pytest.raises(ValueError, match="of the first call"):
        side_by_side(waiting, range(10), threads=2, stop=waiting.stop_event.set)
    assert set(waiting.ended) in ({1}, {1, 2})  # the thread of the first call may have begun another one


def test_without_a_stop_nobody_waits():
    waiting, begin = Waiting(2, fail), time.monotonic()
    with pytest.raises(ValueError, match="of the first call"):
        side_by_side(waiting, range(2), threads=2)
    assert time.monotonic() < begin + PATIENCE / 2
    assert waiting.ended == []
    waiting.stop_event.set()


def test_a_timeout_of_the_function_is_its_own():
    def late(_):
        raise TimeoutError("of the function")

    with pytest.raises(TimeoutError, match="of the function"):
        side_by_side(late, range(2))


def interrupt():
    _thread.interrupt_main()
    time.sleep(2 * threads.LOOK)


def test_ctrl_c_ends_all_at_once():
    waiting, begin = Waiting(2, interrupt), time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        side_by_side(waiting, range(2), threads=2, stop=waiting.stop_event.set)
    assert time.monotonic() < begin + PATIENCE / 2
    assert waiting.ended == [1]


def test_ctrl_c_ends_calls_inside_calls():
    """The outer calls have no `stop` of their own; their nested calls are stopped for them."""
    inner, ended = Waiting(2), threading.Event()

    def outer(k):
        if k == 0:
            inner.begun.wait(PATIENCE)
            interrupt()
            return
        try:
            side_by_side(inner, [0], stop=inner.stop_event.set)
        except KeyboardInterrupt:
            ended.set()
            raise

    with pytest.raises(KeyboardInterrupt):
        side_by_side(outer, range(2), threads=2)
    assert ended.wait(PATIENCE / 2)
    assert inner.ended == [0]


@pytest.mark.parametrize("same", [True, False])
def test_the_first_may_stand_for_all(same):
    """`alone` is called once, after the first call has ended, and the other calls are cancelled."""
    asked = []

    def is_valid_for_all():
        asked.append(True)
        return same

    waiting = Waiting(2, lambda: "first")
    if not same:
        waiting.stop_event.set()
    found = side_by_side(waiting, range(3), threads=2, stop=waiting.stop_event.set, alone=is_valid_for_all)
    assert found == (["first"] if same else ["first", 1, 2])
    assert asked == [True]


def test_a_single_call_is_not_asked_whether_it_is_valid_for_all():
    assert side_by_side(abs, [-1], alone=fail) == [1]

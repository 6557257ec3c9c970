"""Repeated jobs: the order of results, calls of the progress function, and every way to end early."""

import _thread
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from longfat.replication import repeating, replicate
from longfat.replication.repeating import stopping
from tests.replication.common import Backwards

PATIENCE = 10.0  # s, far more than anything here takes


def test_results_are_in_the_order_of_the_seeds():
    def slow_first(k):
        time.sleep(0.05 * (k == 0))
        return k * k

    assert replicate(slow_first, iter(range(5)), 3) == [0, 1, 4, 9, 16]
    assert replicate(slow_first, []) == []
    assert replicate(abs, range(-7, 0), Backwards()) == [7, 6, 5, 4, 3, 2, 1]


def test_processes_give_the_same():
    factor = 3
    assert replicate(lambda k: factor * k, range(4), "processes") == [0, 3, 6, 9]


def test_calls_run_at_the_same_time_and_no_more_than_asked_for():
    meeting, lock, counts = threading.Barrier(3), threading.Lock(), [0, 0]

    def meet(_):
        with lock:
            counts[0] += 1
            counts[1] = max(counts)
        meeting.wait(PATIENCE)
        with lock:
            counts[0] -= 1

    replicate(meet, range(9), 3)
    assert counts == [0, 3]


def test_progress(monkeypatch):
    """It is called in the caller's thread, after each call, and while the only call runs."""
    monkeypatch.setattr(repeating, "POLL", 0.01)
    told, threads = [], set()

    def until_looked_at(_):
        begin = time.monotonic()
        while len(told) < 3 and time.monotonic() < begin + PATIENCE:
            time.sleep(0.001)

    def tell(new):
        told.append(new)
        threads.add(threading.current_thread())

    replicate(until_looked_at, range(4), progress=tell)
    assert sum(told) == 4
    assert told[:3] == [0, 0, 0]
    assert threads == {threading.current_thread()}


class Waiting:
    """A job that runs until it is told to stop, except for one seed; all calls must have begun."""

    def __init__(self, calls, other=None):
        self.begun, self.ended, self.other = threading.Barrier(calls), [], other

    def __call__(self, k):
        if k < self.begun.parties:
            self.begun.wait(PATIENCE)
        if k == 0 and self.other is not None:
            return self.other()
        stop, begin = stopping(), time.monotonic()
        while not stop[0]:
            assert time.monotonic() < begin + PATIENCE
            time.sleep(0.001)
        self.ended.append(k)
        return k


def fail():
    raise ValueError("of the first call")


@pytest.mark.parametrize("own", [True, False])
def test_an_error_ends_the_others(own):
    """Running calls are told to end and waited for; pending calls never begin."""
    waiting = Waiting(2, fail)
    with ThreadPoolExecutor(2) as pool, pytest.raises(ValueError, match="of the first call"):
        replicate(waiting, range(10), 2 if own else pool)
    assert set(waiting.ended) in ({1}, {1, 2})  # the thread of the first call may have begun another one
    assert not stopping()[0]


def test_nobody_waits_for_a_job_that_does_not_end(monkeypatch):
    monkeypatch.setattr(repeating, "GRACE", 0.1)
    begun, may_end, begin = threading.Barrier(2), threading.Event(), time.monotonic()

    def deaf(k):
        begun.wait(PATIENCE)
        return fail() if k == 0 else may_end.wait(PATIENCE)

    with pytest.raises(ValueError, match="of the first call"):
        replicate(deaf, range(2), 2)
    assert time.monotonic() < begin + PATIENCE / 2
    may_end.set()


def test_a_timeout_of_the_job_is_its_own():
    def late(_):
        raise TimeoutError("of the job")

    with pytest.raises(TimeoutError, match="of the job"):
        replicate(late, range(2))


def interrupt():
    _thread.interrupt_main()
    time.sleep(2 * repeating.POLL)


def test_ctrl_c_ends_all_at_once():
    waiting, begin = Waiting(2, interrupt), time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        replicate(waiting, range(2), 2)
    assert time.monotonic() < begin + PATIENCE / 2
    assert waiting.ended == [1]


def test_ctrl_c_ends_calls_inside_calls():
    inner, ended = Waiting(2), threading.Event()

    def outer(k):
        if k == 0:
            inner.begun.wait(PATIENCE)
            interrupt()
            return
        try:
            replicate(inner, [0])
        except KeyboardInterrupt:
            ended.set()
            raise

    with pytest.raises(KeyboardInterrupt):
        replicate(outer, range(2), 2)
    assert ended.wait(PATIENCE / 2)
    assert inner.ended == [0]


@pytest.mark.parametrize(
    ("workers", "error"),
    [
        ("cluster", "workers 'cluster' is unknown; available: processes, threads"),
        (1.5, "workers must be None"),
        (0, r"workers = 0 threads is out of range: must be an integer in \[1, 1024\]"),
    ],
)
def test_other_workers_are_refused(workers, error):
    with pytest.raises((TypeError, ValueError), match=error):
        replicate(abs, [1], workers)

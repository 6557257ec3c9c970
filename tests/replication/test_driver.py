"""Runs in progress: their order, their number, and what happens when one fails or on Ctrl-C."""

import itertools
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from longfat.replication import SweepError, repeating, sweep
from longfat.replication.store import Store
from tests.replication.common import QUIET, Aside, Backwards, exponential, run


def test_few_futures_are_pending_at_a_time(monkeypatch):
    monkeypatch.setattr(repeating, "MAX_IN_PROGRESS", 5)
    most, waiting, lock = 0, 0, threading.Lock()

    class Counting(ThreadPoolExecutor):
        def submit(self, *args, **kwargs):
            nonlocal most, waiting
            with lock:
                waiting += 1
                most = max(most, waiting)
            future = super().submit(*args, **kwargs)
            future.add_done_callback(self.over)
            return future

        def over(self, future):
            nonlocal waiting
            with lock:
                waiting -= 1

    with Counting(2) as pool:
        data = sweep(exponential, {"load": [0.5]}, replications=50, rng=1, executor=pool, **QUIET)
    assert most <= 5
    assert data.identical(sweep(exponential, {"load": [0.5]}, replications=50, rng=1, **QUIET))


def test_the_earliest_failure_is_named_and_the_rest_is_stored(tmp_path):
    def picky(load, rng):
        if load in (0.5, 0.7):
            raise ValueError("no such load")
        return load

    grid = {"load": [0.1, 0.2, 0.5, 0.7, 0.8, 0.9, 0.95]}
    # Seven runs are over, the last first, before the first of them is looked at.
    with pytest.raises(SweepError, match=r"^sweep: load = 0.5, replication 0: ValueError: no such load"):
        sweep(picky, grid, executor=Backwards(), store=tmp_path, rng=1, **QUIET)
    assert sorted(path.name for path in tmp_path.glob("*.npz")) == [f"p{k}_r0.npz" for k in (0, 1, 4, 5, 6)]


def test_pending_runs_are_cancelled_after_a_failure():
    calls = []

    def fails(load, rng):
        calls.append(load)
        time.sleep(0.002)
        raise ValueError

    with ThreadPoolExecutor(1) as pool, pytest.raises(SweepError, match=r"load = 0.5, replication 0: ValueError"):
        sweep(fails, {"load": [0.5]}, replications=500, executor=pool, **QUIET)
    assert len(calls) < 500


# An interrupt between the opening of a file and its `with` leaves the file to the collector, which warns.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_reports_the_stored_runs(tmp_path):
    aside = Aside(begun=threading.Event(), calls=itertools.count())

    def slow(load, rng):
        if next(aside.calls) == 20:
            # Again after 5 s, because Python ignores an interrupt that falls into a callback of a weak reference.
            for _ in range(2):
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
                if aside.begun.wait(5):  # a long run: the sweep does not wait for its end
                    break
        return rng.random()

    grid, began = {"load": [0.5]}, time.monotonic()
    with pytest.raises(KeyboardInterrupt, match=r"sweep stopped: \d+ of 9000 runs are done and stored in") as error:
        sweep(slow, grid, replications=9000, rng=1, store=tmp_path, **QUIET)
    done = int(str(error.value).split()[2])
    aside.begun.set()
    assert time.monotonic() - began < 10
    assert 0 < done < 9000
    assert len(list(tmp_path.glob("*.npz"))) == done
    for path in list(tmp_path.glob("p0_r[0-9]??*.npz")):  # the first hundred are enough
        path.unlink()
    data = sweep(slow, grid, replications=100, rng=1, store=tmp_path, **QUIET)
    assert data.equals(sweep(lambda load, rng: rng.random(), grid, replications=100, rng=1, **QUIET))


def test_ctrl_c_while_a_run_is_being_stored(tmp_path, monkeypatch, counted):
    save, saved = Store.save, itertools.count()

    def interrupted(*given):
        if next(saved) == 5:
            raise KeyboardInterrupt
        save(*given)

    monkeypatch.setattr(Store, "save", interrupted)
    with pytest.raises(KeyboardInterrupt) as error:
        run(counted, tmp_path)
    assert int(str(error.value).split()[2]) == len(list(tmp_path.glob("*.npz"))) >= 6


def test_ctrl_c_without_a_store():
    def slow(load, rng):
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        time.sleep(0.1)
        return load

    with pytest.raises(KeyboardInterrupt, match=r"0 of 5 runs are done and lost; with store= they would be kept"):
        sweep(slow, {"load": [0.5]}, replications=5, rng=1, **QUIET)

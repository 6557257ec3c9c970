"""Functions, grids and executors for several tests."""

import functools
import itertools
import os
import signal
import time
from concurrent.futures import Executor, Future

import numpy as np

from longfat.replication import sweep

GRID = {"load": [0.5, 0.9], "scheme": ["reno", "cubic", "bic"]}
QUIET = {"progress": False}


def queue(load, scheme, rng):
    """Return a number, and an array, that depend on the point and on every bit of the stream."""
    noise = rng.standard_normal(3)
    return {"wait": load + len(scheme) + noise[0], "trace": noise * load}


class Aside:
    """State of a test function that is not part of its identity in a store."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)

    def __getstate__(self):
        return {}


class Counting:
    """`queue` with a count of its calls, which is not part of its identity in a store."""

    calls = 0

    def __call__(self, load, scheme, rng):
        self.calls += 1
        return queue(load, scheme, rng)

    def __getstate__(self):
        return {}


def exponential(load, rng):
    return rng.exponential(load)


def broken(load, rng):
    raise LookupError(f"nothing at\n {load}")


def by_hand(seed, grid, replications):
    """Compute the documented result: a plain loop over runs, each with its own stream."""
    loads, schemes = grid["load"], grid["scheme"]
    waits = np.empty((len(loads), len(schemes), replications))
    traces = np.empty((len(loads), len(schemes), replications, 3))
    for i, j, r in itertools.product(range(len(loads)), range(len(schemes)), range(replications)):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(i, j, r)))
        returned = queue(loads[i], schemes[j], rng)
        waits[i, j, r], traces[i, j, r] = returned["wait"], returned["trace"]
    return waits, traces


class Backwards(Executor):
    """Executor that runs calls in groups of seven, the last call of a group first."""

    def __init__(self):
        self.tasks = []

    def submit(self, function, /, *args, **kwargs):
        future = Future()
        self.tasks.append((future, functools.partial(function, *args, **kwargs)))
        if len(self.tasks) == 7:
            self.flush()
        return future

    def flush(self):
        while self.tasks:
            future, task = self.tasks.pop()
            future.set_result(task())

    def shutdown(self, wait=True, *, cancel_futures=False):
        raise AssertionError("an executor that was given is not shut down")


class Flushing(Backwards):
    """Executor that runs each call when it is submitted: for plans that wait for the runs that they requested."""

    def submit(self, function, /, *args, **kwargs):
        future = super().submit(function, *args, **kwargs)
        self.flush()
        return future


def run(function, store, grid=GRID, **changes):
    return sweep(function, grid, **({"replications": 4, "rng": 7, "store": store} | QUIET | changes))


def logged_run(load, rng, file):
    """Run for a while, and write to a file that it ran and in which process: one line for each run."""
    value = rng.random()
    time.sleep(0.02)
    append_line(file, f"{os.getpid()} {load}")
    return value


def append_line(file, text):
    """Append a line to a file, complete even if several processes write."""
    place = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(place, f"{text}\n".encode())
    finally:
        os.close(place)


def once_killed(load, rng, file):
    """Kill the own process where the load is 3, the first time."""
    try:
        if load == 3:
            os.close(os.open(f"{file}.killed", os.O_CREAT | os.O_EXCL))
            os.kill(os.getpid(), signal.SIGKILL)
    except FileExistsError:
        pass
    return logged_run(load, rng, file)

"""Functions, grids and executors that several of the tests use."""

import functools
import itertools
import os
import signal
import time
from concurrent.futures import Executor, Future

import numpy as np

from longfat.sweeping import sweep

GRID = {"load": [0.5, 0.9], "scheme": ["reno", "cubic", "bic"]}
QUIET = {"progress": False}


def queue(load, scheme, rng):
    """A number, and an array, that depend on the point and on every bit of the stream."""
    noise = rng.standard_normal(3)
    return {"wait": load + len(scheme) + noise[0], "trace": noise * load}


class Aside:
    """What a function needs for the test alone: no part of what a store knows it by."""

    def __init__(self, **held):
        self.__dict__.update(held)

    def __getstate__(self):
        return {}


class Counting:
    """`queue`, and the number of times that it was called, which is no part of what a store knows it by."""

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
    """What the documentation says: a plain loop over places, each with the stream of its own."""
    loads, schemes = grid["load"], grid["scheme"]
    waits = np.empty((len(loads), len(schemes), replications))
    traces = np.empty((len(loads), len(schemes), replications, 3))
    for i, j, r in itertools.product(range(len(loads)), range(len(schemes)), range(replications)):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(i, j, r)))
        returned = queue(loads[i], schemes[j], rng)
        waits[i, j, r], traces[i, j, r] = returned["wait"], returned["trace"]
    return waits, traces


class Backwards(Executor):
    """Runs nothing until it must, and then the last first."""

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
    """Backwards, and as many at a time as there are: for plans that wait for what they have asked for."""

    def submit(self, function, /, *args, **kwargs):
        future = super().submit(function, *args, **kwargs)
        self.flush()
        return future


def run(function, store, grid=GRID, **changes):
    return sweep(function, grid, **({"replications": 4, "rng": 7, "store": store} | QUIET | changes))


def noted(load, rng, file):
    """Takes a while, and says in a file that it ran, and where: one line for each run, in whatever process."""
    value = rng.random()
    time.sleep(0.02)
    note(file, f"{os.getpid()} {load}")
    return value


def note(file, text):
    """A line at the end of a file, whole even if several processes write."""
    place = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(place, f"{text}\n".encode())
    finally:
        os.close(place)


def once_killed(load, rng, file):
    """Kills its own process where the load is 3, the first time."""
    try:
        if load == 3:
            os.close(os.open(f"{file}.killed", os.O_CREAT | os.O_EXCL))
            os.kill(os.getpid(), signal.SIGKILL)
    except FileExistsError:
        pass
    return noted(load, rng, file)


def always_killed(load, rng):
    """Kills every process that runs it where the load is 3."""
    if load == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return load + rng.random()

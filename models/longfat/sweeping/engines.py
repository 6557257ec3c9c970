"""Executors of runs: threads, processes, or any executor of the caller."""

from __future__ import annotations

import os
import pickle
import reprlib
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from longfat.base.domains import unknown, wrong_type
from longfat.sweeping.cluster import ClusterExecutor
from longfat.sweeping.outcomes import Failure
from longfat.sweeping.processes import Processes

# `longfat.replication.threads` is not used: a sweep accepts any executor, does not know all runs at the beginning
# (`until`), and stores the runs that have ended when another one fails.
OURS = {"threads": ThreadPoolExecutor, "processes": Processes}


@dataclass(frozen=True)
class Portable:
    """A pickled function for other processes, which may be from a notebook or a lambda.

    >>> twice = pickle.loads(pickle.dumps(Portable.of(lambda value: 2 * value)))
    >>> twice(value=3)
    6
    """

    pickled: bytes

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Portable:
        """Pickle a function: by name if it belongs to a module, else with everything that it refers to."""
        import cloudpickle

        try:
            return cls(cloudpickle.dumps(function))
        except Exception as error:  # a class may raise any exception when it is pickled
            raise ValueError(
                f"function = {reprlib.repr(function)} cannot be sent to another process ({Failure.of(error).text}): "
                "must be a function that holds no locks, open files and the like. Threads take any function"
            ) from None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function and return its result."""
        return _function(self.pickled)(*args, **kwargs)


@lru_cache(maxsize=8)
def _function(pickled: bytes) -> Any:
    return pickle.loads(pickled)


def adopt(executor: Any) -> Executor | str:
    """Return the executor to be used, or raise an error.

    A dask Client is replaced by an executor that uses it, with equal calls treated as different runs.
    """
    if executor is None:
        return "threads"
    if isinstance(executor, str) and executor in OURS:
        return executor
    if not isinstance(executor, Executor | type | str) and callable(getattr(executor, "get_executor", None)):
        executor = ClusterExecutor(executor)
    if not isinstance(executor, Executor):
        if isinstance(executor, str):
            raise unknown("executor", executor, OURS)
        expected = (
            "None, a concurrent.futures.Executor (threads, processes, loky, mpi4py, ...), a dask Client, 'threads' "
            "or 'processes'"
        )
        raise wrong_type("executor", executor, expected)
    return executor


def portable(function: Callable[..., Any], executor: Executor | str) -> Callable[..., Any]:
    """Return the function in a form that the executor can pickle."""
    if executor == "processes" or isinstance(executor, ProcessPoolExecutor | Processes):
        return Portable.of(function)
    return Portable.of(function) if type(executor).__module__.partition(".")[0] == "mpi4py" else function


@contextmanager
def opened(executor: Executor | str) -> Iterator[Executor]:
    """Provide an executor: one of ours is shut down at the end, without waiting; one of the caller's is not."""
    if isinstance(executor, Executor):
        yield executor
        return
    pool = OURS[executor](os.cpu_count())
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)

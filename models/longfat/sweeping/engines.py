"""Where runs go: threads, processes, or any executor of the user's own."""

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

from longfat.domains import unknown, wrong_type
from longfat.sweeping.processes import Processes
from longfat.sweeping.records import Failure

# Not `longfat.threads`: runs of a sweep go to any executor, are not all known at the beginning (`until`), and those
# that have ended when another one fails are stored.
OURS = {"threads": ThreadPoolExecutor, "processes": Processes}


@dataclass(frozen=True)
class Portable:
    """A function on its way to other processes, those of notebooks and lambdas among them.

    >>> twice = pickle.loads(pickle.dumps(Portable.of(lambda value: 2 * value)))
    >>> twice(value=3)
    6
    """

    pickled: bytes

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Portable:
        """The function as bytes: by its name if it has one in a module, else with all that belongs to it."""
        import cloudpickle

        try:
            return cls(cloudpickle.dumps(function))
        except Exception as error:  # whatever a class of somebody's raises
            raise ValueError(
                f"function = {reprlib.repr(function)} cannot be sent to another process ({Failure.of(error).text}): "
                "must be a function that holds no locks, open files and the like. Threads take any function"
            ) from None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function returns."""
        return _function(self.pickled)(*args, **kwargs)


@lru_cache(maxsize=8)
def _function(pickled: bytes) -> Any:
    return pickle.loads(pickled)


def adopt(executor: Any) -> Executor | str:
    """What was given, if runs can go there; of a dask Client, its own, told that equal calls are different runs."""
    if executor is None:
        return "threads"
    if isinstance(executor, str) and executor in OURS:
        return executor
    if not isinstance(executor, Executor | type | str) and callable(getattr(executor, "get_executor", None)):
        executor = executor.get_executor(pure=False)
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
    """The function as it is to be given to the executor, if that pickles it with no help; else itself."""
    if executor == "processes" or isinstance(executor, ProcessPoolExecutor | Processes):
        return Portable.of(function)
    return Portable.of(function) if type(executor).__module__.partition(".")[0] == "mpi4py" else function


@contextmanager
def opened(executor: Executor | str) -> Iterator[Executor]:
    """An executor for a while: one of ours ends with it, without waiting; one that was given is not shut down."""
    if isinstance(executor, Executor):
        yield executor
        return
    pool = OURS[executor](os.cpu_count())
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)

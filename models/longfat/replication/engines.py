"""Executors of runs: threads, processes, or any executor of the caller."""

from __future__ import annotations

import os
import pickle
import reprlib
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property, lru_cache, partial
from typing import Any

from longfat.base.domains import unknown, wrong_type
from longfat.replication.outcomes import Failure
from longfat.replication.processes import Processes

OURS: dict[str, Callable[[int | None], Executor]] = {
    "threads": partial(ThreadPoolExecutor, thread_name_prefix="longfat-run"),
    "processes": Processes,
}


class Portable:
    """A function, which may be from a notebook or a lambda, that is pickled with everything it refers to.

    Executors that do not pickle, such as threads, call the function itself.

    >>> twice = pickle.loads(pickle.dumps(Portable(lambda value: 2 * value)))
    >>> twice(value=3)
    6
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function and return its result."""
        return self._function(*args, **kwargs)

    def __reduce__(self) -> tuple[Callable[[bytes], Any], tuple[bytes]]:
        """Let pickle write the function once, and read it once in each process."""
        return _unpickled, (self.pickled,)

    @cached_property
    def pickled(self) -> bytes:
        """The pickled function: by name if it belongs to a module, else with everything that it refers to."""
        import cloudpickle

        try:
            return cloudpickle.dumps(self._function)  # type: ignore[no-any-return]
        except Exception as error:  # a class may raise any exception when it is pickled
            raise ValueError(
                f"function = {reprlib.repr(self._function)} cannot be sent to another process "
                f"({Failure.of(error).text}): "
                "must be a function that holds no locks, open files and the like. Threads take any function"
            ) from None


@lru_cache(maxsize=8)
def _unpickled(pickled: bytes) -> Any:
    return pickle.loads(pickled)


def adopt(executor: Any) -> Executor | str:
    """Return the executor to be used, or raise an error."""
    if executor is None:
        return "threads"
    if isinstance(executor, Executor) or (isinstance(executor, str) and executor in OURS):
        return executor
    if isinstance(executor, str):
        raise unknown("executor", executor, OURS)
    expected = (
        "None, a concurrent.futures.Executor (threads, processes, loky, mpi4py, a dask client's get_executor(), ...), "
        "'threads' or 'processes'"
    )
    raise wrong_type("executor", executor, expected)


def portable(function: Callable[..., Any], executor: Executor | str | int) -> Portable:
    """Return the function in a form that every executor can pickle; refuse functions that no process can receive."""
    sent = Portable(function)
    if executor == "processes" or isinstance(executor, ProcessPoolExecutor | Processes):
        sent.pickled  # noqa: B018, raises
    return sent


@contextmanager
def opened(executor: Executor | str | int) -> Iterator[Executor]:
    """Provide an executor: a new one is shut down at the end, without waiting; the caller's own is left open.

    A number is a number of threads.
    """
    if isinstance(executor, Executor):
        yield executor
        return
    kind, count = ("threads", executor) if isinstance(executor, int) else (executor, os.cpu_count())
    pool = OURS[kind](count)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)

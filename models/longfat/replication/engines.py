"""Executors of runs: threads, processes, or any executor of the caller."""

from __future__ import annotations

import os
import pickle
import reprlib
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property, lru_cache, partial
from multiprocessing import get_context, parent_process
from typing import Any

from longfat.base.domains import unknown, wrong_type
from longfat.replication.outcomes import Failure


class Processes(ProcessPoolExecutor):
    """Pool of new processes, by default one for each processor; Ctrl-C and the end of their parent end them at once.

    Parameters
    ----------
    workers : int, optional
        Number of processes; by default one for each processor.

    Examples
    --------
    >>> with Processes(1) as pool:
    ...     pool.submit(len, "abc").result()
    3
    """

    def __init__(self, workers: int | None = None) -> None:
        super().__init__(workers, get_context("spawn"), _begin)  # a fork would inherit locks

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Schedule a call (see `concurrent.futures.Executor.submit`).

        The processes that this starts inherit a blocked SIGINT, which could end them before `_begin`.
        """
        if not hasattr(signal, "pthread_sigmask"):
            return super().submit(fn, *args, **kwargs)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the executor (see `concurrent.futures.Executor.shutdown`).

        If futures are cancelled, the calls that are running are ended as well.
        """
        if cancel_futures:
            for process in list((getattr(self, "_processes", None) or {}).values()):
                process.terminate()
        super().shutdown(wait, cancel_futures=cancel_futures)

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        """Wait for all calls; after an exception, such as KeyboardInterrupt, end the running calls instead."""
        self.shutdown(cancel_futures=kind is not None)


def _begin() -> None:
    """Initialise a worker, which ignores Ctrl-C and ends with its parent, even if the parent is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


OURS: dict[str, Callable[[int | None], Executor]] = {
    "threads": partial(ThreadPoolExecutor, thread_name_prefix="longfat-run"),
    "processes": Processes,
}


class Portable:
    """Callable that pickles a function, even a lambda or one of a notebook, with everything to which it refers.

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
                "must be a function that refers to no locks, open files and the like; executor='threads' accepts any"
            ) from None


@lru_cache(maxsize=8)
def _unpickled(pickled: bytes) -> Any:
    return pickle.loads(pickled)


def adopt(executor: Any, name: str = "executor") -> Executor | str:
    """Check an executor given as the argument ``name``; return it, or "threads" if it is None."""
    if executor is None:
        return "threads"
    if isinstance(executor, Executor) or (isinstance(executor, str) and executor in OURS):
        return executor
    if isinstance(executor, str):
        raise unknown(name, executor, OURS)
    expected = (
        "None, a concurrent.futures.Executor (threads, processes, loky, mpi4py, a dask client's get_executor(), ...), "
        "'threads' or 'processes'"
    )
    raise wrong_type(name, executor, expected)


def portable(function: Callable[..., Any], executor: Executor | str | int) -> Portable:
    """Wrap a function as a `Portable`; raise a ValueError if it must be sent to processes and cannot be pickled."""
    sent = Portable(function)
    if executor == "processes" or isinstance(executor, ProcessPoolExecutor):
        sent.pickled  # noqa: B018, raises
    return sent


@contextmanager
def opened(executor: Executor | str | int) -> Iterator[Executor]:
    """Provide an executor in a context: the caller's, which stays open, or a new one, which is shut down at the end.

    An integer is the number of threads of a new executor. The shutdown does not wait for calls that are still running.
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

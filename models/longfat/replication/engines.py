"""Executors of runs: threads, processes that are replaced when they die, or any executor of the caller."""

from __future__ import annotations

import os
import pickle
import reprlib
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cached_property, lru_cache, partial
from multiprocessing import get_context, parent_process
from typing import Any

from longfat.base.domains import unknown, wrong_type
from longfat.replication.outcomes import Failure


class WorkerDied(RuntimeError):
    """Error of a call whose process died twice, the second time without any other call in progress."""


class Processes(Executor):
    """Executor of processes, by default one for each processor, that repeats a call whose process has died.

    A `concurrent.futures.ProcessPoolExecutor` of several processes is unusable once one of them has been killed, and
    does not report which call this process was running. Here each thread of a pool runs calls in its own process, and
    replaces a dead one. The call is repeated while no other call runs, because too many calls at once may have filled
    the memory. If its process dies again, the call fails with `WorkerDied`.

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
        self._workers = workers or os.cpu_count() or 1
        self._threads = ThreadPoolExecutor(self._workers, "longfat-process")
        self._here = threading.local()  # its `pool` has the process of this thread
        self._pools: list[ProcessPoolExecutor] = []
        # A call takes one place while it runs, a repeated call all places; only the holder of `_turn` takes any.
        self._turn, self._places = threading.Lock(), threading.Semaphore(self._workers)
        self._cancelled = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Schedule a call (see `concurrent.futures.Executor.submit`)."""
        return self._threads.submit(self._call, partial(fn, *args, **kwargs))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the executor (see `concurrent.futures.Executor.shutdown`).

        If futures are cancelled, the calls that are running are ended as well.
        """
        self._threads.shutdown(wait=False, cancel_futures=cancel_futures)
        if cancel_futures:
            self._cancelled = True
            for pool in list(self._pools):
                _terminate(pool)
        if wait:
            self._threads.shutdown()
            for pool in list(self._pools):
                pool.shutdown()

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        """Wait for all calls; after an exception, such as KeyboardInterrupt, end the running calls instead."""
        self.shutdown(cancel_futures=kind is not None)

    def _call(self, call: partial[Any]) -> Any:
        """Run a call, and run it again if its process dies."""
        with self._turn:
            self._places.acquire()
        try:
            return self._run(call)
        except BrokenProcessPool:
            pass
        finally:
            self._places.release()
        with self._turn:
            for _ in range(self._workers):
                self._places.acquire()
            try:
                return self._run(call)
            except BrokenProcessPool:
                raise WorkerDied(
                    "the process of this call died twice: it was killed, crashed, ran out of memory, or did not "
                    "start, as in a script with calls outside of `if __name__ == '__main__':`"
                ) from None
            finally:
                self._places.release(self._workers)

    def _run(self, call: partial[Any]) -> Any:
        """Run a call in the process of this thread; start the process if there is none."""
        if self._cancelled:
            raise CancelledError
        pool = getattr(self._here, "pool", None)
        if pool is None:
            pool = self._here.pool = ProcessPoolExecutor(1, get_context("spawn"), _begin)  # a fork would inherit locks
            self._pools.append(pool)
            _disable_interrupts()
        try:
            future = pool.submit(call)
            if self._cancelled:  # the process may have started after `shutdown` ended all others
                _terminate(pool)
            return future.result()
        except BrokenProcessPool:
            self._here.pool = None
            self._pools.remove(pool)
            raise


def _disable_interrupts() -> None:
    """Disable SIGINT in this thread, and so in the processes that it starts: SIGINT could end them before `_begin`.

    Call it after a pool has been made: Python 3.11 unblocks SIGINT when the first pool starts the tracker of semaphores
    (multiprocessing.resource_tracker).
    """
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _terminate(pool: ProcessPoolExecutor) -> None:
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        process.terminate()


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
    if executor == "processes" or isinstance(executor, ProcessPoolExecutor | Processes):
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

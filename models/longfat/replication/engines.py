"""Executors of runs: threads, processes, or any executor of the caller.

`Processes` is a pool of processes that replaces dead workers and repeats their calls.
"""

from __future__ import annotations

import os
import pickle
import reprlib
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from multiprocessing import get_context, parent_process
from queue import SimpleQueue
from typing import Any

from longfat.base.domains import unknown, wrong_type
from longfat.replication.outcomes import Failure


class WorkerDied(RuntimeError):
    """Error of a call whose process died twice, the second time without any other call in progress."""


@dataclass(eq=False)
class _Task:
    serial: int
    work: tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
    future: Future[Any] = field(default_factory=Future)


class Processes(Executor):
    """Executor that spawns worker processes, by default one for each processor, and replaces all workers when one dies.

    A `concurrent.futures.ProcessPoolExecutor` is unusable once one of its workers has been killed, and does not report
    which call this worker was running. This executor makes a new pool and repeats the calls that had begun; those that
    may have been running come first, one at a time. If the process of a call dies again, the call fails with
    `WorkerDied`; the others continue.

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
        self._pool = self._new()
        self._serial = 0
        self._running: dict[Future[Any], _Task] = {}  # future in the current pool -> its call
        self._returned: list[_Task] = []  # tasks that a broken pool returned
        self._retries: deque[_Task] = deque()  # tasks to be run alone
        self._retrying = False  # whether a retried task is running
        self._pending: list[_Task] = []  # tasks that wait until the retries have ended
        self._closed = self._ending = False
        # Only the thread `_supervise` changes the attributes above; other threads send messages to it. Locks instead of
        # messages could deadlock, because the pool runs callbacks while it holds locks.
        self._messages: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._thread = threading.Thread(target=self._supervise, daemon=True)
        self._thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Schedule a call (see `concurrent.futures.Executor.submit`)."""
        if self._closed:
            raise RuntimeError("cannot schedule new futures after shutdown")
        self._serial += 1
        task = _Task(self._serial, (fn, args, kwargs))
        self._messages.put(lambda: self._pending.append(task) if self._retrying else self._start(task))
        return task.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the executor (see `concurrent.futures.Executor.shutdown`).

        If futures are cancelled, the calls that are running are ended as well.
        """
        self._closed = True
        self._messages.put(self._cancel_all if cancel_futures else self._end)
        if wait:
            self._thread.join()

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        """Wait for all calls; after an exception, such as KeyboardInterrupt, end the running calls instead."""
        self.shutdown(cancel_futures=kind is not None)

    def _supervise(self) -> None:
        # Block SIGINT in this thread, which starts the workers: a worker inherits the signal mask. Otherwise Ctrl-C
        # would end a worker that has not yet run `_begin`, and this worker would print a traceback.
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        while not self._ending or self._running or self._retries or self._pending or self._returned:
            self._messages.get()()
        self._pool.shutdown(wait=True)

    def _end(self) -> None:
        self._ending = True

    def _cancel_all(self) -> None:
        self._ending = True
        for task in [*self._running.values(), *self._retries, *self._pending, *self._returned]:
            task.future.cancel()
        for container in (self._running, self._retries, self._pending, self._returned):
            container.clear()  # type: ignore[attr-defined]
        for process in list((getattr(self._pool, "_processes", None) or {}).values()):
            process.terminate()

    def _new(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._workers, get_context("spawn"), _begin)  # a fork would inherit locks

    def _start(self, task: _Task) -> None:
        function, args, kwargs = task.work
        try:
            pool_future = self._pool.submit(function, *args, **kwargs)
        except BrokenProcessPool:  # the pool broke, and no callback has reported it yet
            self._returned.append(task)
            self._replace_pool()
            return
        except Exception as error:  # no process can be started: without an exception the caller would wait for ever
            if task.future.set_running_or_notify_cancel():
                task.future.set_exception(error)
            if self._retrying:
                self._next()
            return
        self._running[pool_future] = task
        # Callers get `task.future` instead of `pool_future`, so they cannot cancel the latter: a pool with a cancelled
        # future prints a traceback when its processes end.
        pool_future.add_done_callback(lambda pool_future: self._messages.put(lambda: self._ended(pool_future)))

    def _ended(self, pool_future: Future[Any]) -> None:
        task = self._running.pop(pool_future, None)
        if task is None:  # cancelled
            return
        error = pool_future.exception()  # futures of the pool are never cancelled
        if isinstance(error, BrokenProcessPool):
            self._returned.append(task)
        elif task.future.set_running_or_notify_cancel():
            if error is None:
                task.future.set_result(pool_future.result())
            else:
                task.future.set_exception(error)
        if self._returned:
            self._replace_pool()
        elif self._retrying:
            self._next()

    def _replace_pool(self) -> None:
        """Replace the broken pool after it has returned all its calls, and start these calls again."""
        if self._running:
            return
        back = sorted(self._returned, key=lambda task: task.serial)
        self._returned.clear()
        self._pool = self._new()  # the old pool ends by itself
        if self._retrying:
            (task,) = back
            if task.future.set_running_or_notify_cancel():
                task.future.set_exception(
                    WorkerDied(
                        "the process of this call died twice: it was killed, crashed, ran out of memory, or did not "
                        "start, as in a script with calls outside of `if __name__ == '__main__':`"
                    )
                )
        else:  # calls start in order, so only the first ones can have been running
            self._retries.extend(back[: self._workers])
            self._pending += back[self._workers :]
        self._next()

    def _next(self) -> None:
        """Start the next call that must run alone; if there is none, start all pending calls."""
        self._retrying = bool(self._retries)
        if self._retrying:
            self._start(self._retries.popleft())
            return
        later, self._pending = self._pending, []
        for task in later:
            if self._retrying:  # the new pool has broken in the meantime
                self._pending.append(task)
            else:
                self._start(task)


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

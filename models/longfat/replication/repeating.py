"""Repeated calls of a function by threads, processes or any executor, with results in order; Ctrl-C ends them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import numpy as np

from longfat.base.domains import integer
from longfat.replication import engines

POLL = 0.2  # s, interval at which progress and the flag of an outer job are polled
GRACE = 1.0  # s, time for calls in threads to end: several times POLL, the interval at which nested jobs check a flag
MAX_IN_PROGRESS = 1024  # more than any executor has workers, and few enough for the memory

Key = TypeVar("Key")
Seed = TypeVar("Seed")
Result = TypeVar("Result")

_here = threading.local()  # its `flag` is the stop flag of the job that this thread executes
_NEVER = np.zeros(1, np.bool_)


class ExecutorFailed(RuntimeError):
    """Error of an executor that refuses calls or has lost some; ``__cause__`` is the executor's exception."""


def stopping() -> np.ndarray:
    """Return the stop flag of the job in this thread: an array of one boolean, which compiled code polls."""
    flag: np.ndarray = getattr(_here, "flag", _NEVER)
    return flag


def replicate(
    job: Callable[[Seed], Result],
    seeds: Iterable[Seed],
    workers: int | str | Executor | None = None,
    *,
    progress: Callable[[int], Any] | None = None,
) -> list[Result]:
    """Call a function once for each seed, or setting, and return the results in the order of the seeds.

    If a call fails, and on Ctrl-C, pending calls are cancelled. Simulations in threads end immediately, also those of a
    job that calls `replicate` itself; other calls that have begun continue to their end, and their results are lost.

    Parameters
    ----------
    job : callable
        Called with one seed. In threads it should release the interpreter's lock, as compiled kernels do.
    seeds : iterable
        Arguments of the calls.
    workers : None, int, "threads", "processes" or concurrent.futures.Executor
        Executor of the calls, or the number of threads, in [1, 1024]; by default one thread for each processor. An
        executor object is not shut down.
    progress : callable, optional
        Called with the number of calls that have ended since the last time, about five times a second.

    Raises
    ------
    BaseException
        The exception of the first call to fail, or KeyboardInterrupt on Ctrl-C.
    ExecutorFailed
        If the executor accepts no calls.

    Examples
    --------
    >>> replicate(abs, [-3, 1, -2])
    [3, 1, 2]
    """
    given = list(seeds)
    if isinstance(workers, int):
        engine: Executor | str | int = integer("workers", workers, "threads", "[1, 1024]")
    else:
        engine = engines.adopt(workers, "workers")
    function = engines.portable(job, engine)
    places = iter(range(len(given)))
    results: dict[int, Result] = {}

    def following() -> tuple[int, Callable[..., Any], tuple[Seed]] | None:
        place = next(places, None)
        return None if place is None else (place, function, (given[place],))

    def ended(place: int, future: Future[Any]) -> None:
        results[place] = future.result()

    with engines.opened(engine) as executor:
        supervise(executor, following, ended, progress)
    return [results[place] for place in range(len(given))]


def supervise(
    executor: Executor,
    following: Callable[[], tuple[Key, Callable[..., Any], tuple[Any, ...]] | None],
    ended: Callable[[Key, Future[Any]], None],
    progress: Callable[[int], Any] | None = None,
) -> None:
    """Run the calls that ``following`` returns, and pass each to ``ended`` as soon as it has finished.

    Parameters
    ----------
    executor : concurrent.futures.Executor
        Executor of the calls.
    following : callable
        Returns key, function and arguments of the next call; None if there is none before another call has ended.
    ended : callable
        Called with the key and the future of a call. If it raises an exception, and on Ctrl-C, the other calls are
        abandoned; calls that have ended already are still passed to ``ended``.
    progress : callable, optional
        See `replicate`.
    """
    in_progress: dict[Future[Any], Key] = {}
    done: SimpleQueue[Future[Any]] = SimpleQueue()
    outer, flag = stopping(), np.zeros(1, np.bool_)
    threads = isinstance(executor, ThreadPoolExecutor)

    def start(key: Key, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        call = (_flagged, flag, function, *arguments) if threads else (function, *arguments)
        try:
            future = executor.submit(*call)
        except Exception as error:  # broken, shut down, or out of reach: every executor has its own exception
            raise ExecutorFailed(f"the executor accepts no calls: {error}") from error
        in_progress[future] = key
        future.add_done_callback(done.put)

    try:
        while True:
            while len(in_progress) < MAX_IN_PROGRESS and (call := following()) is not None:
                start(*call)
            if not in_progress:
                return
            new = 0
            with suppress(Empty):
                future = done.get(timeout=POLL)
                new = 1
            if new:
                ended(in_progress[future], future)
                del in_progress[future]  # not earlier, so that the loop below passes it to `ended` after an interrupt
            if outer[0]:
                raise KeyboardInterrupt
            if progress is not None:
                progress(new)
    except BaseException:
        flag[0] = True
        running = [future for future in in_progress if not future.cancel()]
        with suppress(KeyboardInterrupt):
            wait(running, GRACE if threads else 0)
        for future in filter(Future.done, running):
            with suppress(Exception, KeyboardInterrupt):  # the first error is raised
                ended(in_progress[future], future)
        raise


def _flagged(flag: np.ndarray, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in this thread, and let `stopping` return ``flag`` during the call."""
    before, _here.flag = stopping(), flag
    try:
        return function(*arguments)
    finally:
        _here.flag = before

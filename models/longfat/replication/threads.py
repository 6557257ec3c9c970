"""Parallel calls of a function in threads, with results in order and an immediate end on Ctrl-C."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from typing import Any, TypeVar

LOOK = 0.2  # interval at which keyboard and progress are polled [s]

Item = TypeVar("Item")
Result = TypeVar("Result")

_here = threading.local()  # in a worker thread: the event that ends its nested calls


def side_by_side(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    threads: int | None = None,
    done: Callable[[], Any] | None = None,
    look: Callable[[], Any] | None = None,
    stop: Callable[[], Any] | None = None,
    alone: Callable[[], bool] | None = None,
) -> list[Result]:
    """Call a function with each item, on all cores, and return its results in the order of the items.

    The function should release the interpreter's lock, as compiled kernels do. If it calls `side_by_side` itself,
    stopping the outer calls stops the inner ones, too.

    Parameters
    ----------
    function : callable
        Called with one item, in a thread.
    items : iterable
        Arguments of the calls.
    threads : int, optional
        Number of concurrent calls, at least 1; by default the number of cores.
    done : callable, optional
        Called in the caller's thread after each call that has ended.
    look : callable, optional
        Called in the caller's thread about five times a second, for a progress bar.
    stop : callable, optional
        Called in the caller's thread to end the running calls early; `side_by_side` then waits for them. Without it
        they run to their end, and `side_by_side` does not wait.
    alone : callable, optional
        Called when the call with the first item has ended. If it returns True, that result is valid for all items, and
        the other calls are cancelled.

    Returns
    -------
    list
        One result for each item, or a single one that is valid for all.

    Raises
    ------
    BaseException
        The exception of the first call to fail, or KeyboardInterrupt on Ctrl-C. Pending calls are cancelled.

    Examples
    --------
    >>> side_by_side(abs, [-3, 1, -2])
    [3, 1, 2]
    """
    given = list(items)
    if not given:
        return []
    outer: threading.Event | None = getattr(_here, "ending", None)
    ending = threading.Event()
    pool = ThreadPoolExecutor(
        threads or min(len(given), os.cpu_count() or 1), initializer=setattr, initargs=(_here, "ending", ending)
    )
    complete = False
    try:
        futures = [pool.submit(function, item) for item in given]
        waiting = set(futures)
        while waiting:
            for future in _ended(waiting):
                future.result()
                waiting.discard(future)
                if done is not None:
                    done()
                if future is futures[0] and len(futures) > 1 and alone is not None and alone():
                    return [future.result()]
            if outer is not None and outer.is_set():
                raise KeyboardInterrupt
            if look is not None:
                look()
        complete = True
        return [future.result() for future in futures]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # first, so that no more calls begin
        if not complete:
            ending.set()
            if stop is not None:
                stop()
        if complete or stop is not None:
            pool.shutdown()


def _ended(waiting: set[Future[Any]]) -> Iterator[Future[Any]]:
    """Yield calls as they end, until the next look at keyboard and progress is due."""
    with suppress(TimeoutError):
        yield from as_completed(waiting, timeout=LOOK)

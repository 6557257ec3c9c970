"""Calls of a function side by side on threads: their results in order, and an end at once on Ctrl-C."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from typing import Any, TypeVar

LOOK = 0.2  # s between two looks at the keyboard and at what was done

Item = TypeVar("Item")
Result = TypeVar("Result")

_here = threading.local()  # in a thread of ours: the event that says that its calls are to end


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

    The function should run without the interpreter's lock, as compiled kernels do. If it calls `side_by_side` in turn,
    what stops the outer calls stops the inner ones, too.

    Parameters
    ----------
    function : callable
        Called with one item, in a thread.
    items : iterable
        What it is called with.
    threads : int, optional
        Calls at a time, at least 1; by default as many as there are cores.
    done : callable, optional
        Called in the caller's thread after each call that has ended.
    look : callable, optional
        Called there about five times a second, for a progress bar.
    stop : callable, optional
        Called there if the calls under way are to end early, and has to bring this about; then they are waited for.
        Without it they end when they do, and nobody waits.
    alone : callable, optional
        Asked when the call with the first item has ended: True if its result stands for all, which are given up then.

    Returns
    -------
    list
        A result for each item; one if the first stands for all.

    Raises
    ------
    BaseException
        What the first call to fail raised, or KeyboardInterrupt on Ctrl-C. Calls that have not begun never will.

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
        pool.shutdown(wait=False, cancel_futures=True)  # first, so that nothing more begins
        if not complete:
            ending.set()
            if stop is not None:
                stop()
        if complete or stop is not None:
            pool.shutdown()


def _ended(waiting: set[Future[Any]]) -> Iterator[Future[Any]]:
    """Return calls as they end, until it is time to look."""
    with suppress(TimeoutError):
        yield from as_completed(waiting, timeout=LOOK)

"""A pool of processes that outlives its workers: a dead one is replaced, and what it did is done again."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context, parent_process
from queue import SimpleQueue
from typing import Any


class WorkerDied(RuntimeError):
    """The process of a call died twice, the second time with no other call beside it."""


@dataclass(eq=False)
class _Task:
    serial: int
    work: tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
    outer: Future[Any] = field(default_factory=Future)


class Processes(Executor):
    """As many processes as processors, started afresh; when one dies, all are replaced.

    A `concurrent.futures.ProcessPoolExecutor` is of no use any more when one of its workers has been killed, and does
    not say which call killed it. This one makes itself a new pool and begins again what had begun: first each call
    that may have been running, by itself. One whose process dies even then fails with `WorkerDied`; the rest go on.

    Parameters
    ----------
    workers : int, optional
        How many processes; by default one for each processor.

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
        self._under_way: dict[Future[Any], _Task] = {}  # by the future of the pool that there is now
        self._back: list[_Task] = []  # what a broken pool gave back
        self._alone: deque[_Task] = deque()  # what is to be run by itself
        self._trial = False  # one of them is under way
        self._later: list[_Task] = []  # what waits for that
        self._closed = self._ending = False
        # All of this belongs to one thread: a pool calls back with locks of its own held, ours would meet them.
        self._messages: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._thread = threading.Thread(target=self._supervise, daemon=True)
        self._thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `concurrent.futures.Executor.submit`."""
        if self._closed:
            raise RuntimeError("cannot schedule new futures after shutdown")
        self._serial += 1
        task = _Task(self._serial, (fn, args, kwargs))
        self._messages.put(lambda: self._later.append(task) if self._trial else self._start(task))
        return task.outer

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """See `concurrent.futures.Executor.shutdown`; to cancel ends the calls that are running as well."""
        self._closed = True
        self._messages.put(self._give_up if cancel_futures else self._end)
        if wait:
            self._thread.join()

    def _supervise(self) -> None:
        while not self._ending or self._under_way or self._alone or self._later or self._back:
            self._messages.get()()
        self._pool.shutdown(wait=True)

    def _end(self) -> None:
        self._ending = True

    def _give_up(self) -> None:
        self._ending = True
        for task in [*self._under_way.values(), *self._alone, *self._later, *self._back]:
            task.outer.cancel()
        for waiting in (self._under_way, self._alone, self._later, self._back):
            waiting.clear()  # type: ignore[attr-defined]
        for process in list((getattr(self._pool, "_processes", None) or {}).values()):
            process.terminate()

    def _new(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._workers, get_context("spawn"), _begin)  # a fork would inherit locks

    def _start(self, task: _Task) -> None:
        function, args, kwargs = task.work
        try:
            inner = self._pool.submit(function, *args, **kwargs)
        except BrokenProcessPool:  # noticed here first
            self._back.append(task)
            self._mend()
            return
        except Exception as error:  # no process can be begun: the caller is told, or would wait for ever
            if task.outer.set_running_or_notify_cancel():
                task.outer.set_exception(error)
            if self._trial:
                self._next()
            return
        self._under_way[inner] = task
        # The inner one is not cancelled: a pool whose processes are then ended fails at that, by a thread's traceback.
        inner.add_done_callback(lambda inner: self._messages.put(lambda: self._ended(inner)))

    def _ended(self, inner: Future[Any]) -> None:
        task = self._under_way.pop(inner, None)
        if task is None:  # given up
            return
        error = inner.exception()  # inner ones are never cancelled
        if isinstance(error, BrokenProcessPool):
            self._back.append(task)
        elif task.outer.set_running_or_notify_cancel():
            if error is None:
                task.outer.set_result(inner.result())
            else:
                task.outer.set_exception(error)
        if self._back:
            self._mend()
        elif self._trial:
            self._next()

    def _mend(self) -> None:
        """A new pool, when the broken one has given everything back."""
        if self._under_way:
            return
        back = sorted(self._back, key=lambda task: task.serial)
        self._back.clear()
        self._pool = self._new()  # the old one ends by itself
        if self._trial:
            (task,) = back
            if task.outer.set_running_or_notify_cancel():
                task.outer.set_exception(
                    WorkerDied(
                        "the process that ran it died: killed, out of memory, crashed, or never begun, as in a script "
                        "that does not keep its own calls under `if __name__ == '__main__':`"
                    )
                )
        else:  # calls are begun in their order: no other than these can have been running
            self._alone.extend(back[: self._workers])
            self._later += back[self._workers :]
        self._next()

    def _next(self) -> None:
        """The next call by itself, or everything else again."""
        self._trial = bool(self._alone)
        if self._trial:
            self._start(self._alone.popleft())
            return
        later, self._later = self._later, []
        for task in later:
            if self._trial:  # the new pool broke meanwhile
                self._later.append(task)
            else:
                self._start(task)


def _begin() -> None:
    """What a worker does first: it leaves Ctrl-C to its parent, and ends with it even if that is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

"""Repeated calls of a function by threads, processes or any executor, with results in order; Ctrl-C ends them."""

from __future__ import annotations

import os
import pickle
import reprlib
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import cached_property, lru_cache, partial
from multiprocessing import get_context, parent_process
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import numpy as np

from longfat.base.domains import integer, unknown, wrong_type
from longfat.replication.outcomes import Failure

POLL = 0.2  # interval [s] at which progress is reported, and the stop flag of an outer job is checked
GRACE = 1.0  # time [s] for calls in threads to end: several times POLL, at which nested jobs check the flag
MAX_IN_PROGRESS = 1024  # more calls than an executor has workers, but few enough for the memory

Key = TypeVar("Key")
Seed = TypeVar("Seed")
Result = TypeVar("Result")

_here = threading.local()  # the attribute `flag` is the stop flag of the job that this thread executes
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
        engine = adopt(workers, "workers")
    function = Portable(job, engine)
    places = iter(range(len(given)))
    results: dict[int, Result] = {}

    def following() -> tuple[int, Callable[..., Any], tuple[Seed]] | None:
        place = next(places, None)
        return None if place is None else (place, function, (given[place],))

    def ended(place: int, future: Future[Any]) -> None:
        results[place] = future.result()

    with opened(engine) as executor:
        supervise(executor, following, ended, progress)
    return [results[place] for place in range(len(given))]


def supervise(
    executor: Executor,
    following: Callable[[], tuple[Key, Callable[..., Any], tuple[Any, ...]] | None],
    ended: Callable[[Key, Future[Any]], None],
    progress: Callable[[int], Any] | None = None,
) -> None:
    """Run the calls that ``following`` returns, and pass key and future of each to ``ended`` when it has finished.

    ``following`` returns key, function and arguments of the next call; None if there is none before another call has
    ended. If ``ended`` raises an exception, and on Ctrl-C, the other calls are abandoned; calls that have ended already
    are still passed to ``ended``. For ``progress`` see `replicate`.
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
                del in_progress[future]  # not before `ended`, which the loop below calls again if it is interrupted
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
            with suppress(Exception, KeyboardInterrupt):  # only the first error is raised
                ended(in_progress[future], future)
        raise


def _flagged(flag: np.ndarray, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in this thread, and let `stopping` return ``flag`` during the call."""
    before, _here.flag = stopping(), flag
    try:
        return function(*arguments)
    finally:
        _here.flag = before


class Processes(ProcessPoolExecutor):
    """Pool of new processes, by default one for each processor; Ctrl-C and the end of their parent end them at once.

    >>> with Processes(1) as pool:
    ...     pool.submit(len, "abc").result()
    3
    """

    def __init__(self, workers: int | None = None) -> None:
        super().__init__(workers, get_context("spawn"), _begin)  # a fork would inherit locks

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Schedule a call (see `concurrent.futures.Executor.submit`).

        SIGINT is blocked meanwhile. Processes that start here inherit this: SIGINT cannot end them before `_begin`.
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
    """Callable that is pickled with its function, be it a lambda or of a notebook, and all that the function uses.

    Executors that do not pickle, such as threads, call the function itself. With a pool of processes as ``executor``, a
    function that cannot be pickled raises a ValueError at once.

    >>> twice = pickle.loads(pickle.dumps(Portable(lambda value: 2 * value)))
    >>> twice(value=3)
    6
    """

    def __init__(self, function: Callable[..., Any], executor: Executor | str | int = "threads") -> None:
        self._function = function
        if executor == "processes" or isinstance(executor, ProcessPoolExecutor):
            self.pickled  # noqa: B018, raises

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function and return its result."""
        return self._function(*args, **kwargs)

    def __reduce__(self) -> tuple[Callable[[bytes], Any], tuple[bytes]]:
        """Let pickle write the function, which each process reads only once."""
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

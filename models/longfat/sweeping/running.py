"""Runs of a function on an executor: a bounded number under way, each one handed over as soon as it ends."""

from __future__ import annotations

import pickle
import reprlib
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from longfat.sweeping.points import Grid, Streams
from longfat.sweeping.records import Record, record

UNDER_WAY = 1024  # more futures than any machine at hand has workers, and few enough to forget about

Place = tuple[int, int]  # index of the point, replication


class SweepError(RuntimeError):
    """The function failed at a point, which is named."""

    place: Place = (0, 0)


@dataclass(frozen=True)
class Failure:
    """An error in a run, as text: not every error survives the way from one process to another."""

    text: str
    traceback: str

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """What is to be said of an error."""
        said = " ".join(str(error).split())
        name = type(error).__name__
        return cls(f"{name}: {said}" if said else name, "".join(traceback.format_exception(error)))


def call(
    function: Callable[..., Any], point: dict[str, Any], streams: Streams, positions: tuple[int, ...], replication: int
) -> Record | Failure:
    """One run, wherever the executor does its work."""
    try:
        return record(function(**point, rng=streams.generator(positions, replication)))
    except Exception as error:
        return Failure.of(error)


def adopt(executor: Any, function: Callable[..., Any]) -> Executor:
    """The executor that was given; of a dask Client, its own, told that equal calls are different runs."""
    if not isinstance(executor, Executor) and callable(getattr(executor, "get_executor", None)):
        executor = executor.get_executor(pure=False)
    if not isinstance(executor, Executor):
        raise ValueError(
            f"executor = {reprlib.repr(executor)} is out of range: allowed are None, a concurrent.futures.Executor "
            "(threads, processes, loky, mpi4py, ...) and a dask Client"
        )
    if isinstance(executor, ProcessPoolExecutor):
        try:
            pickle.dumps(function)
        except Exception as error:  # whatever a class of somebody's raises
            raise ValueError(
                f"function = {reprlib.repr(function)} cannot be sent to another process ({Failure.of(error).text}): "
                "allowed is a function defined at the top of a module. Threads, loky and dask take any function"
            ) from None
    return executor


def where(grid: Grid, place: Place) -> str:
    """The name of a run in a message."""
    said = [f"{name} = {value!r}" for name, value in grid.point(place[0]).items()]
    return ", ".join([*said, f"replication {place[1]}"])


def run(
    executor: Executor,
    function: Callable[..., Any],
    grid: Grid,
    streams: Streams,
    places: Iterable[Place],
    arrived: Callable[[Place, Record], None],
) -> None:
    """Run the function at every place and hand over what it returns, in any order.

    If a run fails, or on Ctrl-C, those that wait are cancelled, those that have ended are handed over, and the error
    of the earliest place among them is raised.
    """
    under_way: dict[Future[Any], Place] = {}
    ended: SimpleQueue[Future[Any]] = SimpleQueue()

    def take() -> None:
        future = ended.get()
        _hand_over(future, under_way[future], grid, arrived)
        del under_way[future]  # only now: what was interrupted here is handed over below

    try:
        for place in places:
            while len(under_way) >= UNDER_WAY:
                take()
            future = executor.submit(call, function, grid.point(place[0]), streams, grid.positions(place[0]), place[1])
            under_way[future] = place
            future.add_done_callback(ended.put)
        while under_way:
            take()
    except BaseException as error:
        for future in under_way:
            future.cancel()
        failed = []
        for future in [future for future in under_way if future.done()]:
            try:
                _hand_over(future, under_way[future], grid, arrived)
            except SweepError as another:
                failed.append(another)
            except (CancelledError, BrokenExecutor, OSError, KeyboardInterrupt):
                continue  # the first of them is on its way already
        if isinstance(error, SweepError):
            raise min(failed, key=lambda one: one.place) from None
        raise


def _hand_over(future: Future[Any], place: Place, grid: Grid, arrived: Callable[[Place, Record], None]) -> None:
    try:
        outcome = future.result()
        if isinstance(outcome, Record):
            arrived(place, outcome)
            return
    except (BrokenExecutor, CancelledError, OSError):
        raise  # of the executor or of the store, not of the function
    except Exception as error:
        outcome = Failure(Failure.of(error).text, "")  # of ours: where in here is of no interest
    failed = SweepError(f"sweep: {where(grid, place)}: {outcome.text}")
    failed.place = place
    if outcome.traceback:
        failed.add_note(outcome.traceback)
    raise failed

"""Runs of a function on an executor: a bounded number under way, each one handed over as soon as it ends."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from queue import SimpleQueue
from typing import Any

from longfat.sweeping.grid import Grid, Streams
from longfat.sweeping.planning import Place
from longfat.sweeping.records import Failure, Record, record

UNDER_WAY = 1024  # more futures than any machine at hand has workers, and few enough to forget about


class SweepError(RuntimeError):
    """The function failed at a point, which is named, or the executor did."""

    place: Place = (0, 0)

    @classmethod
    def at(cls, grid: Grid, place: Place, failure: Failure) -> SweepError:
        """The error for what a run failed with."""
        said = [f"{name} = {value!r}" for name, value in grid.point(place[0]).items()]
        error = cls(f"sweep: {', '.join([*said, f'replication {place[1]}'])}: {failure.text}")
        error.place = place
        if failure.traceback:
            error.add_note(failure.traceback)
        return error


class ExecutorFailed(Exception):
    """The executor takes no runs, or has lost some; what it said is the cause."""


def call(
    function: Callable[..., Any], point: dict[str, Any], streams: Streams, positions: tuple[int, ...], replication: int
) -> Record | Failure:
    """One run, wherever the executor does its work."""
    try:
        return record(function(**point, rng=streams.generator(positions, replication)))
    except (Exception, SystemExit) as error:
        return Failure.of(error)


def run(
    executor: Executor,
    function: Callable[..., Any],
    grid: Grid,
    streams: Streams,
    take: Callable[[], Place | None],
    arrived: Callable[[Place, Record | Failure], None],
) -> None:
    """Run the function at every place that is taken and hand over what comes of it, in any order.

    ``take`` gives None when there is nothing to run before something arrives. If ``arrived`` raises, or on Ctrl-C,
    those that wait are cancelled, those that have ended are handed over, and of all SweepErrors the one of the earliest
    place is raised.
    """
    under_way: dict[Future[Any], Place] = {}
    ended: SimpleQueue[Future[Any]] = SimpleQueue()

    def start(place: Place) -> None:
        given = (function, grid.point(place[0]), streams, grid.positions(place[0]), place[1])
        try:
            future = executor.submit(call, *given)
        except Exception as error:  # broken, shut down, or out of reach: every executor has its own word for it
            raise ExecutorFailed from error
        under_way[future] = place
        future.add_done_callback(ended.put)

    try:
        while True:
            while len(under_way) < UNDER_WAY and (place := take()) is not None:
                start(place)
            if not under_way:
                return
            future = ended.get()
            _hand_over(future, under_way[future], grid, arrived)
            del under_way[future]  # only now: what was interrupted here is handed over below
    except BaseException as error:
        for future in under_way:
            future.cancel()
        failed = [error] if isinstance(error, SweepError) else []
        for future in [future for future in under_way if future.done()]:
            try:
                _hand_over(future, under_way[future], grid, arrived)
            except SweepError as another:
                failed.append(another)
            except (ExecutorFailed, OSError, KeyboardInterrupt):
                continue  # the first of them is on its way already
        if isinstance(error, SweepError):
            raise min(failed, key=lambda one: one.place) from None
        raise


def _hand_over(
    future: Future[Any], place: Place, grid: Grid, arrived: Callable[[Place, Record | Failure], None]
) -> None:
    try:
        outcome = future.result()
    except (BrokenExecutor, CancelledError, OSError) as error:  # of the executor: the function's are caught in `call`
        raise ExecutorFailed from error
    except Exception as error:  # what came could not be sent, or was given up
        outcome = Failure.of(error, where=False)
    try:
        arrived(place, outcome)
    except ValueError as error:  # it does not fit what other runs returned
        raise SweepError.at(grid, place, Failure.of(error, where=False)) from None

"""Execution of runs with a bounded number in progress; each outcome is recorded as soon as its run ends."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from queue import SimpleQueue
from typing import Any

from longfat.replication.grid import Grid, Streams
from longfat.replication.outcomes import Failure, Record, record
from longfat.replication.planning import RunIndex

MAX_IN_PROGRESS = 1024  # more than any executor has workers, few enough to take little memory


class SweepError(RuntimeError):
    """Failure of the function at a point, which is named, or of the executor."""

    run_index: RunIndex = (0, 0)

    @classmethod
    def at(cls, grid: Grid, run_index: RunIndex, failure: Failure) -> SweepError:
        """Return the error for a failed run."""
        arguments = [f"{name} = {value!r}" for name, value in grid.point(run_index[0]).items()]
        error = cls(f"sweep: {', '.join([*arguments, f'replication {run_index[1]}'])}: {failure.text}")
        error.run_index = run_index
        if failure.traceback:
            error.add_note(failure.traceback)
        return error


class ExecutorFailed(Exception):
    """Failure of the executor: it accepts no runs, or has lost some. The cause is chained."""


def call(
    function: Callable[..., Any], point: dict[str, Any], streams: Streams, positions: tuple[int, ...], replication: int
) -> Record | Failure:
    """Execute one run and return its record or failure; this function is what the executor calls."""
    try:
        return record(function(**point, rng=streams.generator(positions, replication)))
    except (Exception, SystemExit) as error:
        return Failure.of(error)


def run(
    executor: Executor,
    function: Callable[..., Any],
    grid: Grid,
    streams: Streams,
    next_run: Callable[[], RunIndex | None],
    record_outcome: Callable[[RunIndex, Record | Failure], None],
) -> None:
    """Run the function for every index that ``next_run`` returns, and record the outcomes in any order.

    ``next_run`` returns None if no run is needed before another outcome is recorded. If ``record_outcome`` raises, or
    on Ctrl-C, pending runs are cancelled, outcomes of finished runs are recorded, and the SweepError of the earliest
    run is raised.
    """
    in_progress: dict[Future[Any], RunIndex] = {}
    ended: SimpleQueue[Future[Any]] = SimpleQueue()

    def start(run_index: RunIndex) -> None:
        arguments = (function, grid.point(run_index[0]), streams, grid.positions(run_index[0]), run_index[1])
        try:
            future = executor.submit(call, *arguments)
        except Exception as error:  # broken, shut down, or out of reach: every executor has its own exception
            raise ExecutorFailed from error
        in_progress[future] = run_index
        future.add_done_callback(ended.put)

    try:
        while True:
            while len(in_progress) < MAX_IN_PROGRESS and (run_index := next_run()) is not None:
                start(run_index)
            if not in_progress:
                return
            future = ended.get()
            _hand_over(future, in_progress[future], grid, record_outcome)
            del in_progress[future]  # only now: if this was interrupted, the outcome is recorded below
    except BaseException as error:
        for future in in_progress:
            future.cancel()
        failed = [error] if isinstance(error, SweepError) else []
        for future in [future for future in in_progress if future.done()]:
            try:
                _hand_over(future, in_progress[future], grid, record_outcome)
            except SweepError as another:
                failed.append(another)
            except (ExecutorFailed, OSError, KeyboardInterrupt):
                continue  # the first error is raised below
        if isinstance(error, SweepError):
            raise min(failed, key=lambda one: one.run_index) from None
        raise


def _hand_over(
    future: Future[Any], run_index: RunIndex, grid: Grid, record_outcome: Callable[[RunIndex, Record | Failure], None]
) -> None:
    try:
        outcome = future.result()
    except (
        BrokenExecutor,
        CancelledError,
        OSError,
    ) as error:  # raised by the executor: `call` catches those of the function
        raise ExecutorFailed from error
    except Exception as error:  # the result could not be sent, or the run was given up
        outcome = Failure.of(error, where=False)
    try:
        record_outcome(run_index, outcome)
    except ValueError as error:  # the record does not match those of other runs
        raise SweepError.at(grid, run_index, Failure.of(error, where=False)) from None

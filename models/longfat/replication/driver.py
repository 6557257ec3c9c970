"""Execution of a sweep: the executor executes the runs of the plan; store and collector receive their records."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from typing import Any

from longfat.base.progress import bar
from longfat.replication.collecting import Collector
from longfat.replication.grid import Grid, Streams
from longfat.replication.outcomes import Failure, Record, record
from longfat.replication.planning import Plan, RunIndex
from longfat.replication.repeating import ExecutorFailed, supervise
from longfat.replication.store import Store


class SweepError(RuntimeError):
    """Error of a sweep: its function failed at a point, which the message names, or its executor failed."""

    run_index: RunIndex = (0, 0)

    @classmethod
    def at(cls, grid: Grid, run_index: RunIndex, failure: Failure) -> SweepError:
        """Return an error that names the point, the replication and the failure of a failed run."""
        arguments = [f"{name} = {value!r}" for name, value in grid.point(run_index[0]).items()]
        error = cls(f"sweep: {', '.join([*arguments, f'replication {run_index[1]}'])}: {failure.text}")
        error.run_index = run_index
        if failure.traceback:
            error.add_note(failure.traceback)
        return error


def call(
    function: Callable[..., Any], point: dict[str, Any], streams: Streams, positions: tuple[int, ...], replication: int
) -> Record | Failure:
    """Execute one run and return its record or failure; the executor calls this function."""
    try:
        return record(function(**point, rng=streams.generator(positions, replication)))
    except (Exception, SystemExit) as error:
        return Failure.of(error)


def execute_plan(
    executor: Executor,
    function: Callable[..., Any],
    grid: Grid,
    streams: Streams,
    plan: Plan,
    collector: Collector,
    store: Store | None,
    *,
    continue_on_error: bool,
    progress: bool,
) -> None:
    """Load finished runs from the store, execute the other runs, and collect the records of all runs.

    If the function fails and ``continue_on_error`` is True, the other points are still computed; if it is False, the
    SweepError of the first failed run, in the order of the grid, is raised.
    """
    done = 0
    failed: list[SweepError] = []

    def collect(run_index: RunIndex, outcome: Record | Failure) -> None:
        if isinstance(outcome, Record):
            collector.check(outcome)
        elif not continue_on_error and plan.is_required(run_index):
            raise SweepError.at(grid, run_index, outcome)
        end = plan.record_outcome(run_index, outcome)
        if end is None:
            return
        if end.failure is not None and not continue_on_error:
            raise SweepError.at(grid, (end.index, len(end.records)), end.failure)
        collector.summarise(end.index, end.records, end.status, failed=end.failure is not None)

    def count_run() -> None:
        nonlocal done
        done += 1
        shown.total = max(plan.expected, done)
        shown.update()

    def following() -> tuple[RunIndex, Callable[..., Any], tuple[Any, ...]] | None:
        while (run_index := plan.next_run()) is not None:
            stored = None if store is None else store.load(*run_index)
            if stored is None:
                index, replication = run_index
                return run_index, call, (function, grid.point(index), streams, grid.positions(index), replication)
            collect(run_index, stored)
            count_run()
        return None

    def ended(run_index: RunIndex, future: Future[Any]) -> None:
        outcome = _outcome(future)
        try:
            collect(run_index, outcome)
            if store is not None and isinstance(outcome, Record):  # stored after the collector's check
                store.save(*run_index, outcome)
        except SweepError as error:
            failed.append(error)
            raise
        except ValueError as error:  # the record does not match those of other runs
            failed.append(SweepError.at(grid, run_index, Failure.of(error, where=False)))
            raise failed[-1] from None
        count_run()

    def so_far() -> str:
        fate = (
            "lost; with store= they would be kept"
            if store is None
            else f"stored in {store.directory}; the same call takes them from there and computes the rest"
        )
        return f"{done} of {max(plan.expected, done)} runs are done and {fate}"

    with bar(task="sweeping", unit="run", shown=progress, total=plan.expected) as shown:
        try:
            supervise(executor, following, ended)
        except SweepError as error:
            raise min([error, *failed], key=lambda one: one.run_index) from None
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"sweep stopped: {so_far()}") from None
        except ExecutorFailed as error:
            message = Failure.of(error.__cause__ or error).text
            raise SweepError(f"sweep: the executor failed: {message}; {so_far()}") from error.__cause__


def _outcome(future: Future[Any]) -> Record | Failure:
    """Return the record or failure of a run that has ended; raise ExecutorFailed if the executor has lost the run."""
    try:
        outcome: Record | Failure = future.result()
    except (BrokenExecutor, CancelledError, OSError) as error:  # `call` catches errors of the function
        raise ExecutorFailed from error
    except Exception as error:  # the result could not be sent, or the executor gave up the run
        return Failure.of(error, where=False)
    return outcome

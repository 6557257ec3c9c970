"""Connection of plan, executor, store and collector to one sweep."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

from longfat.base.progress import bar
from longfat.replication import execution
from longfat.replication.collecting import Collector
from longfat.replication.execution import ExecutorFailed, SweepError
from longfat.replication.grid import Grid, Streams
from longfat.replication.outcomes import Failure, Record
from longfat.replication.planning import Plan, RunIndex
from longfat.replication.store import Store


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
    """Collect all runs: those in the store, and the others from the executor.

    If the function fails, ``continue_on_error`` says whether the other points are still computed.
    """
    done = 0

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

    def record_outcome(run_index: RunIndex, outcome: Record | Failure) -> None:
        collect(run_index, outcome)
        if store is not None and isinstance(outcome, Record):  # after the collector has checked it
            store.save(*run_index, outcome)
        count_run()

    def next_run() -> RunIndex | None:
        while (run_index := plan.next_run()) is not None:
            record = None if store is None else store.load(*run_index)
            if record is None:
                return run_index
            collect(run_index, record)
            count_run()
        return None

    def so_far() -> str:
        fate = (
            "lost; with store= they would be kept"
            if store is None
            else f"stored in {store.directory}; the same call takes them from there and computes the rest"
        )
        return f"{done} of {max(plan.expected, done)} runs are done and {fate}"

    with bar(task="sweeping", unit="run", shown=progress, total=plan.expected) as shown:
        try:
            execution.run(executor, function, grid, streams, next_run, record_outcome)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"sweep stopped: {so_far()}") from None
        except ExecutorFailed as error:
            message = Failure.of(error.__cause__ or error).text
            raise SweepError(f"sweep: the executor failed: {message}; {so_far()}") from error.__cause__

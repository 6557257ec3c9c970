"""A whole sweep: what is needed, where it is run, what is kept and what is summed up."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

from longfat.progress import bar
from longfat.sweeping import execution
from longfat.sweeping.collecting import Collector
from longfat.sweeping.execution import ExecutorFailed, SweepError
from longfat.sweeping.grid import Grid, Streams
from longfat.sweeping.planning import Place, Plan
from longfat.sweeping.records import Failure, Record
from longfat.sweeping.store import Store


def carry_out(
    executor: Executor,
    function: Callable[..., Any],
    grid: Grid,
    streams: Streams,
    plan: Plan,
    collector: Collector,
    store: Store | None,
    *,
    go_on: bool,
    progress: bool,
) -> None:
    """All runs into the collector: those of the store, and the others on the executor.

    Where the function fails, ``go_on`` says whether the other points are wanted none the less.
    """
    done = 0

    def collect(place: Place, outcome: Record | Failure) -> None:
        if isinstance(outcome, Record):
            collector.look(outcome)
        elif not go_on and plan.counts(place):
            raise SweepError.at(grid, place, outcome)
        end = plan.arrived(place, outcome)
        if end is None:
            return
        if end.failure is not None and not go_on:
            raise SweepError.at(grid, (end.index, len(end.records)), end.failure)
        collector.sum_up(end.index, end.records, end.status, failed=end.failure is not None)

    def count() -> None:
        nonlocal done
        done += 1
        shown.total = max(plan.expected, done)
        shown.update()

    def arrived(place: Place, outcome: Record | Failure) -> None:
        collect(place, outcome)
        if store is not None and isinstance(outcome, Record):  # after the collector has looked at it
            store.save(*place, outcome)
        count()

    def take() -> Place | None:
        while (place := plan.take()) is not None:
            record = None if store is None else store.load(*place)
            if record is None:
                return place
            collect(place, record)
            count()
        return None

    def so_far() -> str:
        kept = (
            "lost; with store= they would be kept"
            if store is None
            else f"stored in {store.directory}; the same call takes them from there and computes the rest"
        )
        return f"{done} of {max(plan.expected, done)} runs are done and {kept}"

    with bar(task="sweeping", unit="run", shown=progress, total=plan.expected) as shown:
        try:
            execution.run(executor, function, grid, streams, take, arrived)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"sweep stopped: {so_far()}") from None
        except ExecutorFailed as error:
            said = Failure.of(error.__cause__ or error).text
            raise SweepError(f"sweep: the executor failed: {said}; {so_far()}") from error.__cause__

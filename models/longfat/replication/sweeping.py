"""Sweeps: replicated runs of a function at every point of a grid, with means and confidence intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from longfat._version import __version__
from longfat.base import files
from longfat.base.domains import choice, integer, number, wrong_type
from longfat.base.progress import bar
from longfat.replication import identity
from longfat.replication.grid import Grid, Streams
from longfat.replication.outcomes import Collector, Failure, Record, record
from longfat.replication.planning import Plan, RunIndex, as_text, half_widths
from longfat.replication.repeating import ExecutorFailed, Portable, adopt, opened, supervise
from longfat.replication.store import Store

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["SweepError", "sweep"]


class SweepError(RuntimeError):
    """Error of a sweep: its function failed at a point, which the message names, or its executor failed."""

    run_index: RunIndex = (0, 0)

    @classmethod
    def at(cls, grid: Grid, run_index: RunIndex, failure: Failure) -> SweepError:
        """Return an error with the arguments, the replication and the failure of a run."""
        arguments = [f"{name} = {value!r}" for name, value in grid.point(run_index[0]).items()]
        error = cls(f"sweep: {', '.join([*arguments, f'replication {run_index[1]}'])}: {failure.text}")
        error.run_index = run_index
        if failure.traceback:
            error.add_note(failure.traceback)
        return error


def sweep(
    function: Callable[..., Any],
    grid: Mapping[str, Any],
    *,
    replications: int | None = None,
    until: str | Mapping[str, float | str] | None = None,
    at_most: int = 1000,
    executor: Any = None,
    store: str | Path | None = None,
    errors: Literal["raise", "keep"] = "raise",
    rng: Any = None,
    confidence: float = 0.95,
    keep: bool = False,
    progress: bool = True,
) -> xr.Dataset:
    r"""Run a function at every point of a grid, several times, and return means and confidence intervals.

    .. math:: \bar x \pm t_{n-1,\,(1+c)/2} \, s / \sqrt n

    Parameters
    ----------
    function : callable
        Called as ``function(load=0.5, ..., rng=generator)`` with a ``numpy.random.Generator``. It returns a number, a
        mapping of names to numbers or arrays, or an xarray Dataset or DataArray of numbers, with the same names,
        shapes and coordinates in every run. Runs are executed concurrently in threads, so the function must not modify
        shared objects.
    grid : mapping
        Mapping of the name of each parameter to a sequence of different numbers, strings or booleans, or to a
        coordinate of an xarray object, whose unit is kept, such as ``law.symbols["load"].grid(5)``. A single value is
        passed on and makes no dimension.
    replications : int, optional
        Runs of each point [runs], at least 1, by default 1; from 2 on there are intervals. With ``until`` the smallest
        number of runs of each point: at least 2, by default 10.
    until : None, str or mapping
        Largest half width of the confidence intervals, which determines the number of runs of each point: a percentage
        of the mean for all variables, ``"5 %"``; or a mapping for some variables, ``{"wait": "5 %", "queue": 0.2}``,
        where a number is in the unit of the variable. For arrays it applies to every element.
    at_most : int
        Largest number of runs of a point [runs], whatever its interval; used with ``until`` only.
    executor : None, "threads", "processes", or concurrent.futures.Executor
        Executor of the runs; by default one thread for each processor. An executor object is not shut down.
    store : None, str or Path
        Directory for finished runs. Repeating the call loads these and computes the others; so does a call with more
        replications, or with more values at the end of an axis.
    errors : "raise" or "keep"
        If the function raises an exception, "raise" ends the sweep, and "keep" continues with the other points: the
        means of the failed point are NaN, its ``status`` has the error, and with a store the next call repeats the
        failed run.
    rng : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Source of randomness. None takes the seed of an existing store, otherwise one from the operating system.
    confidence : float
        Confidence of each interval [probability], in (0, 1): Student's t over the replications.
    keep : bool
        Whether to return every replication as well.
    progress : bool
        Show a progress bar when the sweep takes more than two seconds.

    Returns
    -------
    xarray.Dataset
        For each variable ``x`` that the function returns (a number without a name is ``result``) its mean ``x``, with
        ``x_lower`` and ``x_upper`` if there are two replications or more, and, with ``keep``, ``x_samples`` along
        ``replication``; and ``replications`` [runs], the number of runs behind the mean. With ``until`` or
        ``errors="keep"`` also ``status``, a text for each point: "done", "not narrow enough", or "failed: " with the
        first replication that failed and its error. If the function itself returns ``x_lower`` and ``x_upper`` beside
        ``x``, as `longfat.segments.simulate` does, these are returned for a single replication, and replaced by the
        limits over the replications otherwise. Dimensions are those of the grid, then those of the variable.
        Attributes of variables and of their coordinates are kept; ``attrs`` have all that is needed to repeat the
        sweep: function, seed, replications, confidence and version.

    Raises
    ------
    ValueError
        For a store of another sweep; the message lists the differences.
    SweepError
        If the function fails (the message has point, replication and error), or if the executor fails, such as a
        ``ProcessPoolExecutor`` with a killed worker. Finished runs stay in the store.
    OSError
        If the store can no longer be written to. Finished runs stay in it.
    KeyboardInterrupt
        On Ctrl-C; the message has the number of finished runs. Pending runs are cancelled. Simulations in threads end
        immediately; any other run that has begun in a thread continues to its end, but its result is discarded.

    Notes
    -----
    Run r of the point at positions i, j, ... of the axes draws its random numbers from
    ``numpy.random.SeedSequence(entropy, spawn_key=(*spawn_key, i, j, ..., r))``. ``entropy`` and ``spawn_key`` are in
    ``attrs``; for a seed, ``spawn_key`` is empty. So the random numbers of a run depend only on the seed and its own
    position: not on the executor, the order in which runs end, the stored runs, the length of the axes or the number of
    replications. A new axis, or another order of axes, changes the random numbers of all runs.

    A seed gives the same sweep every time; a Generator is advanced, so the next sweep with it differs. NaN in one
    replication makes the mean NaN.

    A store identifies the function by its name, its code and everything that it carries: the object of a method,
    attributes, arguments of a partial function, closures, defaults, and the global variables, functions and classes
    that it names, with their own code. A changed function is refused, and so is one that cannot be compared, for
    example because it holds an open file. Installed packages and modules (``module.function``) are identified by their
    names. An object may exclude state that does not affect the results, such as a counter, by its ``__getstate__``.

    Damaged files in a store are reported by a warning and computed anew. A kill loses no stored run. A power failure
    loses runs that the system has not yet written to the disk, by Linux's defaults those of the last 40 s. The overhead
    is about 0.1 ms per run, and 1 ms with a store or processes, so runs should take longer than that.

    With ``until``, n is the first number of replications, from ``replications`` on, at which all intervals are narrow
    enough. The rule examines replications 0 to n - 1 in their order and nothing else, so the result does not depend on
    the executor; runs computed beyond n do not count, but stay in the store. A fraction :math:`\gamma` refers to the
    true mean, so the half width must be at most :math:`\gamma / (1 + \gamma)` of the sample mean. Such an interval
    covers the mean a little less often than its confidence, because sampling stops where the sample variance happens
    to be small; the coverage tends to the confidence as the width goes to 0 (Chow and Robbins). For normal samples the
    coverage at a confidence of 0.95 is at worst 0.935 if ``replications`` is 10, and 0.88 if it is 2; at 0.9 it is 0.88
    and 0.79. For skewed samples it is less. Choose ``replications`` large enough for rare events to occur: ten zeros
    have an interval of width 0. The confidence holds for each interval separately; the probability that all intervals
    cover their means is smaller.

    A process that dies ends the sweep; with a store the next call computes what is missing. dask repeats a run three
    times, but a run whose worker dies while its result is fetched has failed. Processes import the script that called
    them: keep the script's own calls under ``if __name__ == "__main__":``. docs/sweeps.md has the calls for dask and
    MPI. Only the process that calls ``sweep`` writes to the store; workers need not see it.

    Examples
    --------
    >>> def delay(load, rng):
    ...     return {"wait": rng.exponential(1 / (1 - load), size=1000).mean()}
    >>> data = sweep(delay, {"load": [0.5, 0.75]}, replications=10, rng=1)
    >>> data.wait.dims, bool((data.wait_lower < [2, 4]).all()), bool((data.wait_upper > [2, 4]).all())
    (('load',), True, True)
    >>> data = sweep(delay, {"load": [0.5, 0.75]}, until="1 %", rng=1)
    >>> bool((data.wait_upper - data.wait <= 0.01 * data.wait).all()), data.status.values.tolist()
    (True, ['done', 'done'])

    References
    ----------
    Law, Simulation Modeling and Analysis, 5th ed., section 9.4.1: fixed-sample-size and sequential procedures.
    Chow and Robbins, On the asymptotic theory of fixed-width sequential confidence intervals for the mean, Annals of
    Mathematical Statistics 36 (1965), 457-462.
    """
    if not callable(function):
        raise wrong_type("function", function, "a function")
    points = Grid.parse(grid)
    widths = None if until is None else half_widths(until)
    least = 1 if widths is None else 10
    if replications is not None:
        least = integer("replications", replications, "runs", "[1, 1e9]" if widths is None else "[2, 1e9]")
    most = least if widths is None else integer("at_most", at_most, "runs", f"[{least}, 1e9]")
    confidence = number("confidence", confidence, "probability", "(0, 1)")
    directory = None if store is None else files.directory("store", store)
    choice("errors", errors, ("raise", "keep"))
    chosen = adopt(executor)
    portable = Portable(function, chosen)

    kept = None if directory is None else Store(directory)
    first = None if kept is None else kept.first
    streams = Streams.parse(rng) if rng is not None or first is None else Streams.from_attributes(first["sweep"]["rng"])
    provenance = {"function": identity.name(function), "version": __version__}
    if kept is not None:
        kept.open({**provenance, **_identity(function, kept.directory), "rng": streams.attributes()}, points)

    collector = Collector(points, confidence, intervals=least > 1, keep=keep)
    plan = Plan(len(points), least, most, widths, confidence, collector.names)
    with opened(chosen) as pool:
        _execute(
            pool, portable, points, streams, plan, collector, kept,
            continue_on_error=errors == "keep", progress=progress,
        )  # fmt: skip
    data = collector.dataset(status=widths is not None or errors == "keep")
    seed = {name: str(value) for name, value in streams.attributes().items()}
    requested = {} if widths is None else {"until": as_text(widths), "at_most": most}
    made_by = {"made_by": "longfat.sweep"}  # attribute that `longfat.plot.show` reads
    data.attrs = {**made_by, **provenance, "replications": least, **requested, "confidence": confidence, **seed}
    return data


def _identity(function: Callable[..., Any], directory: Path) -> dict[str, Any]:
    try:
        return identity.of(function)
    except identity.Unknowable as error:
        raise ValueError(
            f"store = {directory} cannot be used with function = {identity.name(function)}: {error}, and the next "
            "call could not detect a change of this object. Leave out store, or create the object inside the function"
        ) from None


def _run(
    function: Callable[..., Any], point: dict[str, Any], streams: Streams, positions: tuple[int, ...], replication: int
) -> Record | Failure:
    """Execute one run; return its record or failure. The executor calls this function."""
    try:
        return record(function(**point, rng=streams.generator(positions, replication)))
    except (Exception, SystemExit) as error:
        return Failure.of(error)


def _execute(
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
                return run_index, _run, (function, grid.point(index), streams, grid.positions(index), replication)
            collect(run_index, stored)
            count_run()
        return None

    def ended(run_index: RunIndex, future: Future[Any]) -> None:
        outcome = _outcome(future)
        try:
            collect(run_index, outcome)
            if store is not None and isinstance(outcome, Record):  # a record that `collect` has checked
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
            if isinstance(error.__cause__, BrokenProcessPool):
                message += (
                    " It was killed, crashed, ran out of memory, or did not start, as in a script with calls outside "
                    "of `if __name__ == '__main__':`"
                )
            raise SweepError(f"sweep: the executor failed: {message}; {so_far()}") from error.__cause__


def _outcome(future: Future[Any]) -> Record | Failure:
    """Return the record or failure of a run that has ended; raise ExecutorFailed if the executor has lost the run."""
    try:
        outcome: Record | Failure = future.result()
    except (BrokenExecutor, CancelledError, OSError) as error:
        # The executor raised it: `_run` catches errors of the function.
        raise ExecutorFailed from error
    except Exception as error:  # the result could not be sent, or the executor gave up the run
        return Failure.of(error, where=False)
    return outcome

"""Sweeps: a function at every point of a grid, again and again, to means with intervals.

Points and streams are in `points`, what functions return in `records`, its summing up in `collecting`, the executors
in `running`, finished runs on disk in `store`.
"""

from __future__ import annotations

import os
import reprlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longfat._version import __version__
from longfat.domains import number, whole_number
from longfat.sweeping import identity, running
from longfat.sweeping import store as stores
from longfat.sweeping.collecting import Collector
from longfat.sweeping.points import Grid, Streams
from longfat.sweeping.records import Record
from longfat.sweeping.running import Place, SweepError

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["SweepError", "sweep"]


def sweep(
    function: Callable[..., Any],
    grid: Mapping[str, Any],
    *,
    replications: int = 1,
    executor: Any = None,
    store: str | Path | None = None,
    rng: Any = None,
    confidence: float = 0.95,
    keep: bool = False,
    progress: bool = True,
) -> xr.Dataset:
    r"""Run a function at every point of a grid, several times, and sum up what it returns.

    .. math:: \bar x \pm t_{n-1,\,(1+c)/2} \, s / \sqrt n

    Parameters
    ----------
    function : callable
        Called as ``function(load=0.5, ..., rng=generator)`` with a ``numpy.random.Generator``. It returns a number, a
        mapping of names to numbers or arrays, or an xarray Dataset or DataArray: of numbers, with the same names,
        shapes and coordinates in every run. Runs go on side by side in threads, so it must not change what they
        share.
    grid : mapping
        Names of parameters to sequences of different numbers, texts or booleans, or the coordinates of an xarray
        object, whose units are kept. A single value is passed on and makes no dimension.
    replications : int
        Runs of each point [runs], at least 1; from 2 on there are intervals.
    executor : None, concurrent.futures.Executor or dask Client
        Where the runs go: by default to a thread for each processor. One that is given is not shut down.
    store : None, str or Path
        A directory for finished runs. The same call again takes what is there and computes the rest; so does one
        with more replications, or with more values at the end of an axis.
    rng : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Source of randomness. None is a seed of the system's, or the one of a store that is there already.
    confidence : float
        Confidence of each interval [probability], in (0, 1): Student's t over the replications.
    keep : bool
        Return every replication as well.
    progress : bool
        Show a progress bar when the sweep takes more than two seconds.

    Returns
    -------
    xarray.Dataset
        For each variable ``x`` of the function (a number without a name is ``result``) its mean ``x``, with
        ``x_lower`` and ``x_upper`` if there are two replications or more, and, with ``keep``, ``x_samples`` along
        ``replication``; and ``replications`` [runs]. Where the function returns ``x_lower`` and ``x_upper`` of its own
        beside ``x``, as `longfat.sim.segments.simulate` does, these stand for a single replication and give way to
        ours for more. Dimensions are those of the grid, then the variable's own. Labels
        of variables and of their coordinates are kept; ``attrs`` say what is needed to run it again: function, seed,
        replications, confidence and version.

    Raises
    ------
    ValueError
        For an argument outside its range, by name, value and range, and for a store of another sweep, by what
        differs.
    SweepError
        If the function fails: by the point, the replication and the error. Finished runs stay in the store.
    OSError
        If the store can no longer be written to. Finished runs stay in it.
    KeyboardInterrupt
        On Ctrl-C, with the number of finished runs. Those that wait are cancelled; a run that has begun in a thread
        goes on to its end, unheard.

    Notes
    -----
    Run r of the point at positions i, j, ... of the axes draws from
    ``numpy.random.SeedSequence(entropy, spawn_key=(*spawn_key, i, j, ..., r))``, with the two that are in ``attrs``;
    for a seed, ``spawn_key`` is empty. So its numbers depend on the seed and its own place alone: not on the
    executor, the order in which runs end, what was stored, the length of the axes or the number of replications. A
    new axis changes them all, and so does a change of the order of axes.

    A seed gives the same sweep every time; a Generator is advanced, and the next sweep with it is another one. NaN
    in one replication makes the mean NaN. A store knows the function by its name, its arguments if it is partial, and
    its own code: not by the functions it calls or the global variables it uses. Damaged files in a store are
    reported by a warning and computed anew. To hand a run over costs about 0.1 ms, to store it 1 ms: make runs longer.

    Examples
    --------
    >>> def delay(load, rng):
    ...     return {"wait": rng.exponential(1 / (1 - load), size=1000).mean()}
    >>> data = sweep(delay, {"load": [0.5, 0.75]}, replications=10, rng=1)
    >>> data.wait.dims, bool((data.wait_lower < [2, 4]).all()), bool((data.wait_upper > [2, 4]).all())
    (('load',), True, True)

    References
    ----------
    Law, Simulation Modeling and Analysis, 5th ed., section 9.4.1: fixed-sample-size procedure.
    """
    if not callable(function):
        raise ValueError(f"function = {reprlib.repr(function)} is out of range: allowed is what can be called")
    points = Grid.parse(grid)
    replications = whole_number("replications", replications, "runs", "[1, 1e9]")
    confidence = number("confidence", confidence, "probability", "(0, 1)")
    if store is not None and not (isinstance(store, str | Path) and str(store)):
        raise ValueError(f"store = {reprlib.repr(store)} is out of range: allowed are None and the path of a directory")
    chosen = None if executor is None else running.adopt(executor, function)

    directory = None if store is None else Path(store)
    found = None if directory is None else stores.manifest(directory)
    streams = (
        Streams.parse(rng) if rng is not None or found is None else Streams.from_attributes(found["identity"]["rng"])
    )
    who = {"function": identity.name(function), "version": __version__}
    kept = None
    if directory is not None:
        whole = {**who, "code": identity.code(function), "rng": streams.attributes()}
        kept = stores.Store(directory, whole, points)

    collector = Collector(points, replications, confidence, keep)
    _run(function, points, streams, replications, chosen, kept, collector, progress)
    data = collector.dataset()
    seed = {name: str(value) for name, value in streams.attributes().items()}
    data.attrs = {**who, "replications": replications, "confidence": confidence, **seed}
    return data


def _run(
    function: Callable[..., Any],
    grid: Grid,
    streams: Streams,
    replications: int,
    executor: Executor | None,
    store: stores.Store | None,
    collector: Collector,
    progress: bool,
) -> None:
    """All runs into the collector: those of the store, and the others on the executor."""
    from tqdm import tqdm

    total = len(grid) * replications

    def collect(place: Place, record: Record) -> None:
        collector.add(*place, record)
        bar.update()

    def arrived(place: Place, record: Record) -> None:
        collect(place, record)
        if store is not None:  # after the collector has looked at it
            store.save(*place, record)

    def missing() -> Iterator[Place]:
        for place in ((index, replication) for index in range(len(grid)) for replication in range(replications)):
            record = None if store is None else store.load(*place)
            if record is None:
                yield place
            else:
                collect(place, record)

    pool = ThreadPoolExecutor(os.cpu_count()) if executor is None else executor
    with tqdm(total=total, desc="sweeping", unit="run", delay=2, leave=False, disable=not progress) as bar:
        try:
            running.run(pool, function, grid, streams, missing(), arrived)
        except KeyboardInterrupt:
            kept = (
                "lost; with store= they would be kept"
                if store is None
                else f"stored in {store.directory}; the same call takes them from there and computes the rest"
            )
            raise KeyboardInterrupt(f"sweep stopped: {collector.done} of {total} runs are done and {kept}") from None
        finally:
            if executor is None:
                pool.shutdown(wait=False, cancel_futures=True)

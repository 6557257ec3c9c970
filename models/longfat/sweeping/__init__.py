"""Sweeps: a function at every point of a grid, again and again, to means with intervals.

Points and streams are in `points`, what functions return in `records`, its summing up in `collecting`, which runs are
needed in `planning` and `stopping`, how they are run in `running`, where in `engines` and `processes`, finished runs on
disk in `store`; `working` puts these together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from longfat._version import __version__
from longfat.domains import choice, integer, number, out_of_range, wrong_type
from longfat.sweeping import engines, identity
from longfat.sweeping import store as stores
from longfat.sweeping.collecting import Collector
from longfat.sweeping.execution import SweepError
from longfat.sweeping.grid import Grid, Streams
from longfat.sweeping.planning import Plan
from longfat.sweeping.stopping import Until
from longfat.sweeping.working import carry_out

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["SweepError", "sweep"]


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
    replications : int, optional
        Runs of each point [runs], at least 1, by default 1; from 2 on there are intervals. With ``until`` the fewest
        runs of each point: at least 2, by default 10.
    until : None, str or mapping
        How wide an interval may be: each point has so many runs that the half width is at most a share of the mean,
        ``"5 %"``, for all variables, or what a mapping says for some: ``{"wait": "5 %", "queue": 0.2}``, a number
        being in the variable's own unit. For arrays, every element.
    at_most : int
        Runs [runs] after which a point is given up as it is; with ``until`` alone.
    executor : None, "threads", "processes", concurrent.futures.Executor or dask Client
        Where the runs go: by default to a thread for each processor. One that is given is not shut down.
    store : None, str or Path
        A directory for finished runs. The same call again takes what is there and computes the rest; so does one
        with more replications, or with more values at the end of an axis.
    errors : "raise" or "keep"
        What to do if the function raises: end the sweep, or go on with the other points. Then the means of that point
        are NaN, its ``status`` says what was raised, and with a store the next call tries again what failed.
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
        ``replication``; and ``replications`` [runs], how many the mean is over. With ``until`` or ``errors="keep"``
        also ``status``, a text for each point: "done", "not narrow enough", or "failed: " with the first replication
        that failed and its error. Where the function returns ``x_lower`` and ``x_upper`` of its own beside ``x``, as
        `longfat.segments.simulate` does, these stand for a single replication and give way to ours for more.
        Dimensions are those of the grid, then the variable's own. Labels of variables and of their coordinates are
        kept; ``attrs`` say what is needed to run it again: function, seed, replications, confidence and version.

    Raises
    ------
    ValueError
        For an argument outside its range, by name, value and range, and for a store of another sweep, by what
        differs.
    SweepError
        If the function fails: by the point, the replication and the error; or if the executor does, as a
        ``ProcessPoolExecutor`` of which a worker was killed. Finished runs stay in the store.
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
    in one replication makes the mean NaN.

    A store knows the function by its name, its code and all that it carries: the object of a method, attributes,
    arguments of a partial function, closures, defaults, and the global variables, functions and classes that it names,
    with their own code. What has changed is refused, and so is what cannot be compared, such as an open file. Installed
    packages and modules (``module.function``) count by their names. An object may leave out what does not matter to
    the results, a counter say, by its ``__getstate__``.

    Damaged files in a store are reported by a warning and computed anew. Finished runs are synced to the disk in
    batches, while others run: a kill or a power failure loses those of some milliseconds, at most 128 runs. To hand a
    run over costs about 0.1 ms, to store it 1 ms: make runs longer.

    With ``until``, n is the first number of replications, from the fewest on, at which all intervals are narrow
    enough. This looks at replications 0 to n - 1 in their order and at nothing else, so the result is again the same
    wherever the runs are made; what was computed beyond n does not count, but stays in the store. A share
    :math:`\gamma` is one of the true mean, for which the half width must be :math:`\gamma / (1 + \gamma)` of ours.
    Such an interval covers a little less often than its confidence, for it ends where the sample variance happens to
    be small; the coverage tends to the confidence as the width goes to 0 (Chow and Robbins). For normal samples it is
    at worst 0.935 for 0.95 and 0.88 for 0.9 if the fewest are 10, but 0.88 and 0.79 if they are 2; for skewed ones it
    is less. Let the fewest be enough that rare events have a chance: ten zeros have an interval of width 0.
    Each interval has its confidence by itself; that all of them cover is less probable.

    ``"processes"`` puts a new process in the place of one that dies, and begins its runs again; a run that takes its
    process with it twice has failed. So does dask, three times. Processes begin with importing the script that called
    them: keep its own calls under ``if __name__ == "__main__":``. On a cluster, with dask::

        $ dask scheduler --port 8786                       # on one machine
        $ dask worker tcp://head:8786 --nthreads 1         # on each of the others, as often as it has processors

        client = distributed.Client("tcp://head:8786")
        data = lf.sweep(function, grid, replications=100, executor=client, store="runs")

    with MPI, the script being run as ``mpirun -n 64 python -m mpi4py.futures script.py``::

        if __name__ == "__main__":
            with mpi4py.futures.MPIPoolExecutor() as pool:
                data = lf.sweep(function, grid, replications=100, executor=pool, store="runs")

    Only the process that calls ``sweep`` writes to the store; workers need not see it.

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
    widths = None if until is None else Until.parse(until)
    least = 1 if widths is None else 10
    if replications is not None:
        least = integer("replications", replications, "runs", "[1, 1e9]" if widths is None else "[2, 1e9]")
    most = least if widths is None else integer("at_most", at_most, "runs", f"[{least}, 1e9]")
    confidence = number("confidence", confidence, "probability", "(0, 1)")
    if store is not None and not isinstance(store, str | Path):
        raise wrong_type("store", store, "None or the path of a directory")
    if store is not None and not str(store):
        raise out_of_range("store", "''", "1", "the path of a directory")
    choice("errors", errors, ("raise", "keep"))
    chosen = engines.adopt(executor)
    sent = engines.portable(function, chosen)

    directory = None if store is None else Path(store)
    found = None if directory is None else stores.manifest(directory)
    streams = (
        Streams.parse(rng) if rng is not None or found is None else Streams.from_attributes(found["identity"]["rng"])
    )
    who = {"function": identity.name(function), "version": __version__}
    kept = None
    if directory is not None:
        kept = stores.Store(directory, {**who, **_identity(function, directory), "rng": streams.attributes()}, points)

    collector = Collector(points, confidence, intervals=least > 1, keep=keep)
    plan = Plan(len(points), least, most, widths, confidence, collector.names)
    with kept or nullcontext(), engines.opened(chosen) as pool:
        carry_out(pool, sent, points, streams, plan, collector, kept, go_on=errors == "keep", progress=progress)
    data = collector.dataset(status=widths is not None or errors == "keep")
    seed = {name: str(value) for name, value in streams.attributes().items()}
    asked = {} if widths is None else {"until": widths.attribute(), "at_most": most}
    data.attrs = {**who, "replications": least, **asked, "confidence": confidence, **seed}
    return data


def _identity(function: Callable[..., Any], directory: Path) -> dict[str, Any]:
    try:
        return identity.of(function)
    except identity.Unknowable as error:
        raise ValueError(
            f"store = {directory} cannot be used with function = {identity.name(function)}: {error}, and the next call "
            "could not tell whether that has changed. Leave out store, or let the function make it itself"
        ) from None

"""Runs of the benchmark: results of schemes in experiments, with replications."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat._version import __version__
from longfat.base.domains import conflict, integer, number
from longfat.base.files import directory
from longfat.benchmark import measuring
from longfat.benchmark.entries import ENTRIES, Entry, entry
from longfat.benchmark.experiments import Variant, variants
from longfat.replication import SweepError, interval, repeating, replicate, sweep
from longfat.sim.runs.engine import SchemeError

if TYPE_CHECKING:
    import xarray as xr

    from longfat.sim.schemes import Scheme


#: Variable of the result -> (unit, description).
VARIABLES = {
    "transfer_time": ("s", "from the start to the acknowledgment of the last byte"),
    "delay_mean": (
        "s",
        "mean round-trip time of the probe packets while connection 1 lasts, less that of the empty network",
    ),
    "delay_std": ("s", "standard deviation of the probe packets' round-trip times within a run"),
    "dropped": ("packets", "packets of the measured connections dropped until these are complete"),
    "timeouts": ("1", "retransmission timeouts of the measured connections until these are complete"),
}


def run(
    experiments: Iterable[str] | None = None,
    schemes: Iterable[str | Entry | Scheme] | None = None,
    *,
    replications: int = 10,
    rng: int = 0,
    confidence: float = 0.95,
    executor: Any = None,
    store: str | Path | None = None,
    discipline: str = "fifo",
    progress: bool = True,
) -> xr.Dataset:
    r"""Run schemes in experiments; return transfer times and delays of single packets [s] with confidence intervals.

    .. math:: \bar T \pm t_{n-1,\,(1+c)/2} \, s / \sqrt n

    n replications have the mean T and the standard deviation s; c is the confidence, t a quantile of Student's
    distribution.

    Parameters
    ----------
    experiments : str or sequence of str, optional
        "1" to "10", or variants such as "3-20", "7-0.9-ramp", "9b"; by default the usual variants of all experiments.
    schemes : sequence of str, Entry or Scheme, optional
        Names in `longfat.benchmark.ENTRIES`, `TODAY` or `FURTHER`, names of other schemes, files that define
        one, or `longfat.sim.Scheme` objects; all of `ENTRIES` by default.
    replications : int
        Runs of each scheme in each variant [runs], at least 1; there is one run if the first draws no random number,
        because the others would be identical.
    rng : int
        Seed. The same replication of an experiment has the same traffic for every scheme.
    confidence : float
        Confidence of each interval [probability], in (0, 1).
    executor : None, "threads", "processes", or concurrent.futures.Executor
        Where the runs are computed, see `longfat.sweep`; by default in a thread for each processor.
    store : None, str or Path
        Directory for finished runs: the same call reads them and computes only the missing runs.
    discipline : str
        Queue discipline of the switches, for schemes that have no entry.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    xarray.Dataset
        Variables with the dimensions ``variant`` and ``scheme``, and ``connection`` for ``transfer_time`` [s]: means,
        ends ``_lower`` and ``_upper`` of the intervals (NaN without randomness), ``transfer_time_std`` over the
        replications [s]; ``delay_mean`` and ``delay_std`` [s] of single packets, ``dropped`` [packets], ``timeouts``,
        ``replications``. NaN: not measured in this experiment, or a transfer not complete after 400 s.

    Raises
    ------
    ValueError
        For a user's scheme that fails while it runs; finished runs stay in the store.

    Examples
    --------
    >>> data = run(["3-20"], ["explicit-feedback"], progress=False)
    >>> round(1e3 * float(data.transfer_time.sel(connection="1").item()), 1)
    63.2

    References
    ----------
    Kanakia, Keshav & Mishra (1992), section 4; only experiment 7 has "multiple simulation runs".
    """
    asked = variants(experiments)
    entries = [entry(one, discipline) for one in (ENTRIES if schemes is None else schemes)]
    if not asked or len({one.name for one in entries}) != len(entries) or not entries:
        raise ValueError("experiments and schemes must name at least one experiment and one scheme, each scheme once")
    if discipline != "fifo" and all(one.bottleneck != discipline for one in entries):
        raise conflict(
            f"discipline = {discipline!r}", "is used by none of the schemes", "all have settings of their own"
        )
    replications = integer("replications", replications, "runs", "[1, 1e6]")
    confidence = number("confidence", confidence, "probability", "(0, 1)")
    seed = integer("rng", rng, "1", "[0, 1e18]")

    def cell(variant: Variant, one: Entry) -> Cell:
        return Cell(
            f"experiment {variant.name}", f"{variant.name}_{one.name}", variant.text() + one.settings(),
            partial(measuring.measure, variant, one), replications,
        )  # fmt: skip

    cells = [cell(variant, one) for variant in asked for one in entries]
    found = run_cells(cells, seed, executor, store, progress)
    return _dataset(found, asked, entries, confidence, {"replications": replications, "seed": seed})


@dataclass(frozen=True)
class Cell:
    """Scheme in one situation (an experiment, or a case of a suite), with all inputs of its runs."""

    place: str  # the situation in error messages, such as "experiment 3-4"
    name: str  # beginning of the name of the cell's folder in a store
    settings: str  # text that identifies everything on which the runs depend
    measure: Callable[[np.random.SeedSequence], dict[str, float]]  # makes a run; "random" is 1 if it drew a number
    replications: int


def one_run(
    draw: int, rng: Any, *, measure: Callable[..., dict[str, float]], seed: int, settings: str
) -> dict[str, float]:
    """Make run number `draw` of a cell; its random numbers depend on `seed` and `draw`, not on the scheme.

    The digest `settings` is not used in the run: as an argument it lets `sweep` recognise the cell's runs in a store.
    """
    return measure(np.random.SeedSequence([seed, draw]))


def run_cells(
    cells: list[Cell], seed: int, executor: Any, store: str | Path | None, progress: bool
) -> list[xr.Dataset]:
    """Run all cells on the executor; return a Dataset for each cell, with replications along the dimension ``draw``.

    A cell whose first run draws no random number has one run, because the others would be identical.
    """
    import xarray as xr

    from longfat.base.progress import bar

    count = 0

    def tell(new: int) -> None:
        nonlocal count
        count += new
        shown.update(new)

    def runs(cell: Cell) -> xr.Dataset:
        settings = hashlib.sha256(cell.settings.encode()).hexdigest()
        function = partial(one_run, measure=cell.measure, seed=seed, settings=settings)
        folder = re.sub(r"[^.\w-]+", "-", f"{cell.name}_{settings[:8]}_{seed}")
        place = None if store is None else directory("store", store) / folder

        def draws(numbers: range) -> xr.Dataset:
            return sweep(function, {"draw": list(numbers)}, executor=pool, store=place, rng=0, progress=False)

        try:
            first = draws(range(1))
            if cell.replications == 1 or not first["random"].values.any():
                return first
            everything = range(cell.replications)
            return draws(everything) if place else xr.concat([first, draws(everything[1:])], "draw")
        except SweepError as error:
            raise _of_a_scheme(error, cell, store) from error

    opened = repeating.opened(repeating.adopt(executor))
    with opened as pool, bar(task="benchmark", unit="cell", shown=progress, total=len(cells)) as shown:
        try:
            return replicate(runs, cells, 2 * (os.cpu_count() or 1) + 2, progress=tell)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"benchmark stopped: {count} of {len(cells)} cells were done") from None


def _of_a_scheme(error: SweepError, cell: Cell, store: str | Path | None) -> Exception:
    """Return an error of a user's scheme with the name of the situation added; return any other error unchanged."""
    _, name, said = str(error).partition("SchemeError: ")
    if not name:
        return error
    kept = "" if store is None else f"; finished runs are kept in {store}"
    return SchemeError(f"{cell.place}: {said}{kept}")


def _dataset(
    found: list[Any], asked: list[Variant], entries: list[Entry], confidence: float, attrs: dict[str, Any]
) -> xr.Dataset:
    """Join the cells' Datasets into one of means over replications, with Student's intervals for two or more."""
    import xarray as xr

    shape, dims = (len(asked), len(entries)), ("variant", "scheme")
    made: dict[str, Any] = {}
    for name, (unit, words) in VARIABLES.items():
        parts = [f"{name}_{k}" for k in (1, 2)] if name == "transfer_time" else [name]
        columns = np.full((4, *shape, len(parts)), np.nan)  # mean, lower end, upper end, standard deviation
        for place, data in zip(np.ndindex(*shape), found, strict=True):
            samples = np.stack([data[part].values for part in parts], -1)  # (draw, connection)
            columns[:3, *place] = interval(samples, confidence)
            if len(samples) > 1:
                columns[3, *place] = samples.std(0, ddof=1)
        for end, values in zip(("", "_lower", "_upper", "_std"), columns, strict=True):
            one = (dims, values[..., 0]) if len(parts) == 1 else ((*dims, "connection"), values)
            made[name + end] = (*one, {"units": unit, "long_name": words})
    counts = np.array([data.sizes["draw"] for data in found]).reshape(shape)
    made["replications"] = (dims, counts, {"units": "runs"})
    coords = {"variant": [one.name for one in asked], "scheme": [one.name for one in entries], "connection": ["1", "2"]}
    labels = {
        "experiment": ("variant", [one.experiment for one in asked]),
        "case": ("variant", [one.case for one in asked]),
        "label": ("scheme", [one.label for one in entries]),
    }
    return xr.Dataset(made, {**coords, **labels}, attrs | {"confidence": confidence, "version": __version__})

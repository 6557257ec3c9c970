"""Runs of the benchmark that the assessments of its cells share."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from longfat import benchmark, sim
from longfat.benchmark.entries import ENTRIES, OPTIMAL
from longfat.benchmark.evaluation import may_be_random
from longfat.benchmark.experiments import VARIANTS, Variant
from longfat.benchmark.interpretations import Interpretation, interpretation, tried
from longfat.benchmark.printed import Cell
from longfat.student import half_width
from longfat.threads import side_by_side

if TYPE_CHECKING:
    import xarray as xr

    from longfat.verify.published.claims_table import Context

WITHIN = 0.1
RUNS_PRINTED = 10  # runs of the paper; not printed, ours is a usual number
PACKET = 4000  # bit
OVER_RUNS = "standard deviation of the run means"
#: Interpretations of all packet delays of a scheme, inferred from the printed numbers (`longfat.benchmark.
#: interpretations`). Of the paper's two simulators, the one with e2e-ef and hbh subtracted only the propagation delay.
#: hbh's probe packets pass its added switches, three times 0.043 ms, by which its delays exceed e2e-ef's in every table
#: but one.
COLUMNS: dict[str, tuple[str, ...]] = {}
LABELS = {one.label: name for name, one in ENTRIES.items()}


class Number(NamedTuple):
    """A mean with its interval, NaN in runs without randomness, in the unit of its context."""

    mean: float
    lower: float = math.nan
    upper: float = math.nan


def replications(context: Context) -> int:
    """Return the number of runs of each cell: ten at the default scale, at least two."""
    return max(2, min(10, int(context.packets / 1e6)))


def variant_of(cell: Cell) -> Variant:
    """Return the variant with which a cell is compared; experiment 9 uses scaled file sizes."""
    if cell.experiment == 9:
        return VARIANTS["9b"]
    return next(
        one for one in VARIANTS.values() if (one.experiment, one.case) == (cell.experiment, cell.load_or_size)
    )  # fmt: skip


@cache
def measured(variant: str, name: str, count: int, seed: int) -> xr.Dataset:
    """Run one scheme in one variant of the benchmark."""
    return benchmark.run([variant], [name], replications=count, rng=seed, progress=False)


class Seen(NamedTuple):
    """Result of an interpretation: its description and the numbers of each run (`longfat.benchmark.measure`)."""

    words: str
    runs: list[dict[str, float]]


def _draws(one: Interpretation, count: int) -> int:
    """Return the number of runs of an interpretation: ``count`` in experiment 7, ten elsewhere if it is random."""
    if not may_be_random(one.variant, one.entry):
        return 1
    return count if one.variant.experiment == 7 else RUNS_PRINTED


@cache
def seen(variant: str, name: str, count: int, seed: int) -> list[Seen]:
    """Run the benchmark's own setting, whose description is empty, and every other interpretation, in parallel.

    In experiment 7 each has ``count`` runs; elsewhere ten if the sources have send jitter.
    """
    asked = [Interpretation("", ENTRIES[name], VARIANTS[variant]), *tried(name, VARIANTS[variant])]
    jobs = [(k, draw) for k, one in enumerate(asked) for draw in range(_draws(one, count))]

    def job(k: int, draw: int) -> dict[str, float]:
        return benchmark.measure(asked[k].variant, asked[k].entry, np.random.SeedSequence([seed, draw]))

    made = side_by_side(lambda one: job(*one), jobs)
    found = [
        Seen(one.words, [run for (k, _), run in zip(jobs, made, strict=True) if k == row])
        for row, one in enumerate(asked)
    ]
    if VARIANTS[variant].experiment == 7:  # the paper's "standard deviation" may be that of the means of ten runs
        delays = [run["delay_mean"] for run in found[0].runs]
        found.append(Seen(OVER_RUNS, [{"delay_std": float(np.std(delays, ddof=1))}]))
    return found


def _number(cell: Cell, data: xr.Dataset, row: int = 0) -> Number:
    """Return the quantity of a cell [ms] from one scheme of a result."""
    at = data.isel(variant=0, scheme=row)
    if cell.metric.startswith("packet"):
        name = "delay_mean" if cell.metric.endswith("mean") else "delay_std"
    else:
        at = at.sel(connection=cell.connection)
        name = "transfer_time_std" if cell.metric.endswith("std") else "transfer_time"
        if name.endswith("std"):
            value = float(at[name])
            return Number(0.0 if cell.scheme == OPTIMAL else 1e3 * value)
    return Number(*(1e3 * float(at[name + end]) for end in ("", "_lower", "_upper")))


def cell(one: Cell, count: int, seed: int) -> Number:
    """Return our value [ms] for a printed cell."""
    return _number(one, measured(variant_of(one).name, LABELS[one.scheme], count, seed))


def shown(number: Number) -> str:
    """Format a number with half of its interval as text."""
    half = "" if math.isnan(number.upper) else f" ± {number.upper - number.mean:.2g}"
    return f"{number.mean:.4g}{half} ms"


def meets(one: Cell, ours: Number) -> bool:
    """Return whether a number agrees with the paper's, by the criteria of `longfat.verify.published.kkm`."""
    printed = one.milliseconds or 0.0
    if abs(ours.mean - printed) <= WITHIN * printed:
        return True
    if one.metric.startswith("packet"):
        rate = 1.5e6 if one.experiment == 9 else 40e6
        return abs(ours.mean - printed) <= 1e3 * PACKET / rate
    if one.metric.endswith("std") and printed > 0 and ours.mean > 0:
        ratio = max(ours.mean / printed, printed / ours.mean) ** 2
        return ratio < _f_quantile(RUNS_PRINTED - 1)
    return False


def _f_quantile(degrees: int) -> float:
    """Return the 97.5 % point of the F distribution with equal degrees of freedom n.

    sqrt(n)/2 (sqrt(F) - 1/sqrt(F)) has Student's distribution (Cacoullos, J. Am. Stat. Assoc. 60, 1965).

    >>> round(_f_quantile(9), 3)
    4.026
    """
    root = half_width(degrees, 0.95) / math.sqrt(degrees)
    return (root + math.sqrt(root**2 + 1)) ** 2


def of_runs(one: Cell, runs: list[dict[str, float]]) -> list[float]:
    """Return the quantity of a cell [ms] in each run; in experiment 7 one number over all runs."""
    if one.metric.startswith("packet"):
        name = "delay_mean" if one.metric.endswith("mean") else "delay_std"
    else:
        name = f"transfer_time_{one.connection}"
    found = [1e3 * run[name] for run in runs if name in run]
    if one.experiment == 7 and found:
        return [float(np.std(found, ddof=1))] if one.metric == "transfer_time_std" else [float(np.mean(found))]
    return found


class Explained(NamedTuple):
    """The interpretation that brings a cell to the printed number, if one does, and the reason as text."""

    by: str  # description of the interpretation, empty if none does
    text: str


def explained(one: Cell, count: int, seed: int) -> Explained:
    """Find the interpretation that brings a cell within 10 % of the printed number, or summarise what all give.

    The interpretation that is used for all packet delays of a scheme goes first (`COLUMNS`), then the nearest one.
    Interpretations with send jitter have many runs; the printed number may lie among them.
    """
    name, variant = LABELS[one.scheme], variant_of(one)
    printed = one.milliseconds or 0.0
    found = {each.words: of_runs(one, each.runs) for each in seen(variant.name, name, count, seed) if each.words}
    found = {words: [value for value in values if math.isfinite(value)] for words, values in found.items()}
    found = {words: values for words, values in found.items() if values}
    means = {words: sum(values) / len(values) for words, values in found.items()}
    hits = {words: value for words, value in means.items() if abs(value - printed) <= WITHIN * printed}
    for words in COLUMNS.get(name, ()):
        if words in hits and one.metric.startswith("packet"):
            return Explained(words, f"the interpretation '{words}' gives {hits[words]:.4g} ms")
    if hits:
        words = min(hits, key=lambda words: abs(hits[words] - printed))
        return Explained(words, f"the interpretation '{words}' gives {hits[words]:.4g} ms")
    among = {words: values for words, values in found.items() if min(values) <= printed <= max(values)}
    if among:  # only interpretations with send jitter have several runs here
        words = min(among, key=lambda words: max(among[words]) / min(among[words]))
        low, high, number = min(among[words]), max(among[words]), len(among[words])
        text = (
            f"{number} runs of the interpretation '{words}' give {low:.4g} to {high:.4g} ms; "
            "the printed value lies between them"
        )
        return Explained(words, text)
    low, high = (edge(value for values in found.values() for value in values) for edge in (min, max))
    nearest = min(means, key=lambda words: abs(math.log(max(means[words], 1e-9) / max(printed, 1e-9))))
    return Explained(
        "",
        f"none of {len(found)} interpretations comes within 10 %: they give {low:.4g} to {high:.4g} ms, the nearest, "
        f"'{nearest}', {means[nearest]:.4g} ms",
    )


def value(experiment: str, label: str, seed: int) -> float:
    """Return the transfer time of connection 1 [ms]."""
    data = measured(experiment, LABELS[label], 2, seed)
    return 1e3 * float(data.transfer_time.sel(connection="1").item())


def starts(seed: int) -> list[dict[str, float]]:
    """Run packet-pair in experiment 2 with its inverse-exponential start and with the full rate at once."""
    found = []
    for entry in (ENTRIES["packet-pair"], interpretation("packet-pair", "full rate at once (Keshav 1991)")):
        net = benchmark.build(VARIANTS["2"], entry)
        made = benchmark.measure(VARIANTS["2"], entry, seed)
        data = sim.run(net, duration=made["transfer_time_1"], rng=seed, progress=False)
        found.append(made | {"queue": float(data.mean_queue.sel(link="S1-S2"))})
    return found

"""Runs of the benchmark that the judges of its cells share."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from scipy import stats

from longfat import benchmark, sim
from longfat.benchmark.entries import ENTRIES, OPTIMAL
from longfat.benchmark.experiments import VARIANTS, Variant
from longfat.benchmark.printed import Cell
from longfat.benchmark.readings import READINGS, other_variants, reading

if TYPE_CHECKING:
    import xarray as xr

    from longfat.verify.published.rows import Context

WITHIN = 0.1
RUNS_PRINTED = 10  # not printed; the usual number
PACKET = 4000  # bit
LABELS = {one.label: name for name, one in ENTRIES.items()}


class Number(NamedTuple):
    """A mean with its interval, NaN where there is no chance, and its unit."""

    mean: float
    lower: float = math.nan
    upper: float = math.nan


def replications(context: Context) -> int:
    """Ten at the usual number of packets; two at least."""
    return max(2, min(10, int(context.packets / 1e6)))


def variant_of(cell: Cell) -> Variant:
    """The variant that a cell is compared with: the files of experiment 9 scaled."""
    if cell.experiment == 9:
        return VARIANTS["9b"]
    return next(
        one for one in VARIANTS.values() if (one.experiment, one.case) == (cell.experiment, cell.load_or_size)
    )  # fmt: skip


@cache
def measured(variant: str, name: str, count: int, seed: int) -> xr.Dataset:
    """One cell of the benchmark."""
    return benchmark.run([variant], [name], replications=count, rng=seed, progress=False)


@cache
def switched(variant: str, name: str, seed: int) -> xr.Dataset:
    """The same under every other reading, and under the entry's own."""
    entries = [reading(name, words) for words in READINGS.get(name, {})]
    return benchmark.run([variant], [ENTRIES[name], *entries], replications=2, rng=seed, progress=False)


def _number(cell: Cell, data: xr.Dataset, row: int = 0) -> Number:
    """The quantity of a cell [ms], of a row of a result."""
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
    """Ours [ms] for a printed cell."""
    return _number(one, measured(variant_of(one).name, LABELS[one.scheme], count, seed))


def shown(number: Number) -> str:
    """In words."""
    half = "" if math.isnan(number.upper) else f" ± {number.upper - number.mean:.2g}"
    return f"{number.mean:.4g}{half} ms"


def meets(one: Cell, ours: Number) -> bool:
    """Whether a number is that of the paper, see `longfat.verify.published.kkm`."""
    printed = one.milliseconds or 0.0
    if abs(ours.mean - printed) <= WITHIN * printed:
        return True
    if one.metric.startswith("packet"):
        rate = 1.5e6 if one.experiment == 9 else 40e6
        return abs(ours.mean - printed) <= 1e3 * PACKET / rate
    if one.metric.endswith("std") and printed > 0 and ours.mean > 0:
        ratio = max(ours.mean / printed, printed / ours.mean) ** 2
        return bool(ratio < stats.f.ppf(0.975, RUNS_PRINTED - 1, RUNS_PRINTED - 1))
    return False


def nearest(one: Cell, ours: float, seed: int) -> tuple[str, float]:
    """Which other reading comes nearest to the printed number, and its number [ms]; none if `ours` is nearer."""
    name, variant = LABELS[one.scheme], variant_of(one)
    found = {}
    data = switched(variant.name, name, seed)
    for row, words in enumerate(READINGS.get(name, {}), 1):
        found[words] = _number(one, data, row).mean
    for words, other in other_variants(variant).items():
        found[words] = _number(one, measured(other.name, name, 2, seed)).mean

    def distance(value: float) -> float:
        return abs(math.log(max(value, 1e-9) / max(one.milliseconds or 0.0, 1e-9)))

    found = {words: value for words, value in found.items() if distance(value) < distance(ours)}  # not NaN
    best = min(found, key=lambda words: distance(found[words]), default="")
    return best, found.get(best, math.nan)


def value(experiment: str, label: str, seed: int) -> float:
    """The transfer time of connection 1 [ms]."""
    data = measured(experiment, LABELS[label], 2, seed)
    return 1e3 * float(data.transfer_time.sel(connection="1").item())


def starts(seed: int) -> list[dict[str, float]]:
    """Packet-pair in experiment 2: rising as an inverse exponential, and all of the rate at once."""
    found = []
    for entry in (ENTRIES["packet-pair"], reading("packet-pair", "the whole rate at once, as in 1991")):
        net = benchmark.build(VARIANTS["2"], entry)
        made = benchmark.measure(VARIANTS["2"], entry, seed)
        data = sim.run(net, duration=made["transfer_time_1"], rng=seed, progress=False)
        found.append(made | {"queue": float(data.mean_queue.sel(link="S1-S2"))})
    return found

"""Sweeps and single simulated points that the assessments of Kim and Farber's claims share.

Greatest powers are log10 of bytes/s^2 with 90 % intervals over three runs or more; each run is evaluated at the load
that the other runs select, see `longfat.verify.published.blt_runs.greatest`.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import xarray as xr

from longfat.laws import power as laws
from longfat.sim.statistics import Interval
from longfat.verify.published import blt_runs as runs
from longfat.verify.published.blt_scenarios import SETS, Path
from longfat.verify.published.rows import Context

TOLERANCE = {"BLT": 0.2, "TCP": 0.3}  # difference from a printed power, in log10
RATIO_TOLERANCE = 0.2  # difference from a printed ratio, in log10
#: Files in a run of the paper; with this number the throughputs of both schemes come out as printed.
FILES = 200
RATIO_NAMES = ("1/5", "3/5", "1")
PRINTED = {
    ("BLT", "reference"): (6.9, 7.9, 8.3),
    ("BLT", "1 Gbit/s"): (8.4, 9.2, 9.4),
    ("TCP", "reference"): (6.4, 7.1, 7.4),
    ("TCP", "1 Gbit/s"): (7.5, 7.9, 8.1),
}
INCREASES = {"BLT": (1.5, 1.3, 1.1), "TCP": (1.1, 0.8, 0.7)}


def loads(context: Context, name: str) -> tuple[float, ...]:
    """Return the loads of the sweeps [capacities]."""
    if context.packets < 1e6:
        return {"reference": (0.1, 0.4, 0.6, 0.85), "1 Gbit/s": (0.4, 0.6, 0.85)}.get(name, (0.35, 0.6))
    return (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)


def _size(context: Context, file: float) -> dict[str, Any]:
    """Return the least packets and round trips of a run as keyword arguments; at most those of the figures."""
    if context.packets < 1e6:
        return {"packets": 2e4 if file < 1e6 else 6e4, "round_trips": 25.0}
    return {"packets": 3e5, "round_trips": runs.ROUND_TRIPS}


@functools.lru_cache(maxsize=256)
def swept(context: Context, label: str, name: str) -> xr.Dataset:
    """Simulate a scheme over the bottlenecks of a set of networks at all loads."""
    paths = SETS[name]
    count = 2 if context.packets < 1e6 and name not in ("reference", "1 Gbit/s") else 3
    size = _size(context, paths[0].file)
    return runs.powers([label], paths, loads(context, name), replications=count, rng=context.seed, **size)


@functools.lru_cache(maxsize=256)
def at_load(context: Context, label: str, path: Path, load: float) -> dict[str, np.ndarray]:
    """Simulate one point; return every quantity with a value from each run."""
    data = runs.powers([label], [path], [load], rng=context.seed, **_size(context, path.file))
    return {name: data[f"{name}_samples"].values.ravel() for name in runs.QUANTITIES}


@functools.lru_cache(maxsize=64)
def as_printed(context: Context, label: str, name: str, k: int) -> xr.Dataset:
    """Simulate the k-th bottleneck of a set in runs of `FILES` files, counted until the last file is complete."""
    few = (0.4, 0.8) if context.packets < 1e6 else (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    return runs.printed_powers(
        [label], SETS[name][k : k + 1], few, connections=FILES, replications=2 if context.packets < 1e6 else 6,
        rng=context.seed,
    )  # fmt: skip


def best(context: Context, label: str, name: str, k: int, what: str = "power") -> Interval:
    """Return log10 of the greatest power at the k-th bottleneck of a set, with its interval."""
    data = swept(context, label, name)
    return runs.greatest_power(data, label, float(data.bottleneck[k]), what)[0]


def best_as_printed(context: Context, label: str, name: str, k: int) -> tuple[Interval, float, float]:
    """Return log10 of the greatest power, throughput [bytes/s] and response time [s], counted as in the paper.

    Runs have `FILES` files and are counted until the last file is complete.
    """
    data = as_printed(context, label, name, k)
    found, load = runs.greatest_power(data, label, float(data.bottleneck[0]))
    here = data.isel(label=0, bottleneck=0).sel(load=load)
    return found, float(here.throughput), float(here.response_time)


def gap(context: Context, name: str, k: int, what: str = "power") -> float:
    """Return log10 of BLT's greatest power less that of TCP's."""
    return best(context, "BLT", name, k, what).mean - best(context, "TCP", name, k, what).mean


def gaps(context: Context, name: str) -> list[float]:
    """Return `gap` at the three bottlenecks of a set of networks."""
    return [gap(context, name, k) for k in range(3)]


def interval_text(found: Interval, digits: int = 2) -> str:
    """Format an interval as text."""
    return f"{found.mean:.{digits}f} ({found.lower:.{digits}f} .. {found.upper:.{digits}f})"


def numbers_text(values: Any, digits: int = 2) -> str:
    """Format numbers as text, separated by commas."""
    return ", ".join(f"{value:.{digits}f}" for value in values)


def ceiling(path: Path) -> float:
    """Return log10 of the upper bound of the power with first-come, first-served queues."""
    return float(np.log10(laws.first_come_ceiling(path.capacity, path.file, path.round_trip)))

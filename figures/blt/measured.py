"""Sweeps and single simulated points that the assessments of Kim and Farber's claims share.

Greatest powers are log10 of bytes/s^2 with 95 % intervals over the runs; each run is evaluated at the load that the
other runs select, see `figures.blt.runs.each_greatest`. `figures.blt` draws the same runs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import xarray as xr

from figures.blt import runs
from figures.blt.scenarios import SETS, Path
from figures.claims import Context
from figures.rule import Estimate, difference
from longfat.laws import power as laws
from longfat.sim.runs.statistics import Interval
from longfat.sim.runs.statistics import replications as interval

#: Files in a run that is counted as in the paper, which does not print their number. Fitted to one printed number, the
#: 605 Mbit/s of BLT in section 4.3.1, which 200 to 260 files give; all others that depend on it test it.
FILES = 240
FITTED = f"{FILES} files a run"
TCP_LITERAL = "TCP, every duplicate"  # every duplicate ACK is taken for a loss (footnote 5)
COUNTED = f"counted as in footnote 13 ({FITTED})"
RATIO_NAMES = ("1/5", "3/5", "1")
PRINTED = {
    ("BLT", "reference"): ("6.9", "7.9", "8.3"),
    ("BLT", "1 Gbit/s"): ("8.4", "9.2", "9.4"),
    ("TCP", "reference"): ("6.4", "7.1", "7.4"),
    ("TCP", "1 Gbit/s"): ("7.5", "7.9", "8.1"),
}
INCREASES = {"BLT": ("1.5", "1.3", "1.1"), "TCP": ("1.1", "0.8", "0.7")}
LOADS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)


def sweep_size(label: str, name: str, small: bool = False) -> dict[str, Any]:
    """Return loads, replications and length of a scheme's sweep of a set of networks, as arguments of `runs.powers`.

    On short and slow paths BLT's greatest powers are at loads of 0.5 and less, and it sends most packets beyond 0.6.
    """
    if small:
        loads = {"reference": (0.1, 0.4, 0.6, 0.85, 0.95), "1 Gbit/s": (0.4, 0.6, 0.85)}.get(name, (0.35, 0.6))
        return {"loads": loads, "replications": 3, "packets": 2e4 if SETS[name][0].file < 1e6 else 6e4,
                "round_trips": 25.0}  # fmt: skip
    last = {"reference": 0.95, "10 kB": 0.95, "1 Gbit/s": 0.9}.get(name, 0.8)
    if label.startswith("BLT"):
        last = {"3 ms": 0.6, "1.8 ms": 0.6, "15 Mbit/s": 0.6, "1 MB": 0.7}.get(name, last)
    size = {"replications": 8, "packets": 2e5} if SETS[name][0].file == 1e6 else {"replications": 6, "packets": 1.5e5}
    return {"loads": tuple(load for load in LOADS if load <= last), "round_trips": runs.ROUND_TRIPS, **size}


def counted_size(small: bool = False) -> dict[str, Any]:
    """Return loads, replications and files of the runs that are counted as in the paper."""
    if small:
        return {"loads": (0.4, 0.72), "replications": 3, "connections": FILES}
    return {"loads": (0.4, 0.5, 0.6, 0.72, 0.8, 0.9), "replications": 10, "connections": FILES}


def point_size(file: float, small: bool = False) -> dict[str, Any]:
    """Return replications and length of the runs at a single point."""
    if small:
        return {"replications": 3, "packets": 2e4 if file < 1e6 else 6e4, "round_trips": 25.0}
    return {"replications": 10, "packets": 2e5 if file < 1e6 else 3e5, "round_trips": 60.0}


def is_small(context: Context) -> bool:
    """Return whether the scale is that of a test."""
    return context.packets < 1e6


def scale_text(context: Context, name: str = "reference") -> str:
    """Return what a sweep runs, for the row of the table."""
    sizes = {label: sweep_size(label, name, is_small(context)) for label in ("TCP", "BLT")}
    ends = " and ".join(dict.fromkeys(f"{size['loads'][-1]:g}" for size in sizes.values()))
    size = sizes["TCP"]
    return (
        f"{size['replications']} runs of {size['packets']:.2g} packets or more at each load up to {ends}"
        f"{' (TCP and BLT)' if ' ' in ends else ''}, seed {context.seed}"
    )


def point_text(context: Context, file: float = 1e5) -> str:
    """Return what the runs at a single point are, for the row of the table."""
    size = point_size(file, is_small(context))
    return f"{size['replications']} runs of {size['packets']:.2g} packets or more at each load, seed {context.seed}"


def counted_text(context: Context) -> str:
    """Return what the runs counted as in the paper are, for the row of the table."""
    size = counted_size(is_small(context))
    return f"{size['replications']} times three runs of {FILES} files at each load, seed {context.seed}"


@functools.lru_cache(maxsize=256)
def swept(context: Context, label: str, name: str) -> xr.Dataset:
    """Simulate a scheme over the bottlenecks of a set of networks at all loads."""
    return runs.powers([label], SETS[name], rng=context.seed, **sweep_size(label, name, is_small(context)))


@functools.lru_cache(maxsize=256)
def at_load(context: Context, label: str, path: Path, load: float) -> dict[str, np.ndarray]:
    """Simulate one point; return every quantity with a value from each run."""
    data = runs.powers([label], [path], [load], rng=context.seed, **point_size(path.file, is_small(context)))
    return {name: data[f"{name}_samples"].values.ravel() for name in runs.QUANTITIES}


@functools.lru_cache(maxsize=64)
def as_printed(context: Context, label: str, name: str, k: int | None = None) -> xr.Dataset:
    """Simulate a set of networks, or its k-th, in runs of `FILES` files, counted as in footnote 13."""
    paths = SETS[name] if k is None else SETS[name][k : k + 1]
    return runs.printed_powers([label], paths, rng=context.seed, **counted_size(is_small(context)))


def estimate(found: Interval) -> Estimate:
    """Return an interval as an estimate.

    >>> estimate(Interval(2.0, 1.0, 3.0))
    Estimate(value=2.0, lower=1.0, upper=3.0)
    """
    return Estimate(found.mean, found.lower, found.upper)


def mean(samples: Any) -> Estimate:
    """Return the mean of independent runs with its interval."""
    return estimate(interval(samples, runs.CONFIDENCE))


def mapped(function: Callable[[float], float], one: Estimate) -> Estimate:
    """Return an increasing function of an estimate.

    >>> mapped(lambda x: 10**x, Estimate(1.0, 0.0, 2.0))
    Estimate(value=10.0, lower=1.0, upper=100.0)
    """
    return Estimate(function(one.value), function(one.low), function(one.high))


def power_of_ten(one: Estimate) -> Estimate:
    """Return the ratio whose log10 is given."""
    return mapped(lambda x: float(10.0**x), one)


def best(context: Context, label: str, name: str, k: int, what: str = "power") -> Estimate:
    """Return log10 of the greatest power at the k-th bottleneck of a set, with its interval."""
    data = swept(context, label, name)
    return estimate(runs.greatest_power(data, label, float(data.bottleneck[k]), what)[0])


def best_load(context: Context, label: str, name: str, k: int) -> float:
    """Return the load of the greatest power at the k-th bottleneck of a set [capacities]."""
    data = swept(context, label, name)
    return runs.greatest_power(data, label, float(data.bottleneck[k]))[1]


def best_counted(context: Context, label: str, name: str, k: int) -> Estimate:
    """Return log10 of the greatest power, counted as in the paper."""
    data = as_printed(context, label, name)
    return estimate(runs.greatest_power(data, label, float(data.bottleneck[k]))[0])


def counted(data: xr.Dataset, k: int) -> xr.Dataset:
    """Return the runs counted as in the paper over the k-th bottleneck, at the load of their greatest power."""
    load = runs.greatest_power(data, str(data.label[0].item()), float(data.bottleneck[k]))[1]
    return data.isel(label=0, bottleneck=k).sel(load=load)


def counted_interpretations(label: str, get: Callable[[str], Estimate]) -> dict[str, Estimate]:
    """Return an estimate from runs counted as in the paper, for TCP also with every duplicate taken for a loss."""
    found = {COUNTED: get(label)}
    if label == "TCP":
        found[f"{COUNTED}, every duplicate ACK a loss (footnote 5)"] = get(TCP_LITERAL)
    return found


def gap(context: Context, name: str, k: int, what: str = "power") -> Estimate:
    """Return log10 of BLT's greatest power less that of TCP's."""
    return difference(best(context, "BLT", name, k, what), best(context, "TCP", name, k, what))


def gap_counted(context: Context, name: str, k: int, tcp: str = "TCP") -> Estimate:
    """Return `gap` in runs counted as in the paper."""
    return difference(best_counted(context, "BLT", name, k), best_counted(context, tcp, name, k))


def gap_interpretations(get: Callable[[str], Estimate]) -> dict[str, Estimate]:
    """Return a comparison of BLT with TCP in runs counted as in the paper, for both interpretations of TCP."""
    return counted_interpretations("TCP", get)


def gaps(context: Context, name: str) -> list[Estimate]:
    """Return `gap` at the three bottlenecks of a set of networks."""
    return [gap(context, name, k) for k in range(3)]


def paired(context: Context, path: Path, load: float, what: str, one: str, other: str) -> Estimate:
    """Return the difference of a quantity between two schemes at one load, run by run (same arrivals)."""
    return mean(at_load(context, one, path, load)[what] - at_load(context, other, path, load)[what])


def text(found: Estimate, digits: int = 2) -> str:
    """Format an estimate and its interval as text."""
    return f"{found.value:.{digits}f} ({found.low:.{digits}f} .. {found.high:.{digits}f})"


def texts(found: Iterable[Estimate], digits: int = 2) -> str:
    """Format estimates as text, separated by commas."""
    return ", ".join(text(one, digits) for one in found)


def numbers_text(values: Any, digits: int = 2) -> str:
    """Format numbers as text, separated by commas."""
    return ", ".join(f"{value:.{digits}f}" for value in values)


def ceiling(path: Path) -> float:
    """Return log10 of the upper bound of the power with first-come, first-served queues."""
    return float(np.log10(laws.first_come_ceiling(path.capacity, path.file, path.round_trip)))

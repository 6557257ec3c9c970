"""Runs of the benchmark that the assessments of its cells share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from figures.kkm.choices import APART, OF_VARIANT
from figures.kkm.interpretations import interpretation, tried
from figures.rule import FOR_RANGE, Estimate, Spread, mean, of_one_run
from longfat import benchmark, sim
from longfat.benchmark.entries import ENTRIES, OPTIMAL, Entry
from longfat.benchmark.experiments import VARIANTS, Variant
from longfat.benchmark.tables import Cell
from longfat.replication import replicate

if TYPE_CHECKING:
    from figures.claims import Context

JITTER_RUNS = 10
GROUPS = 5  # groups of runs in experiment 7
PACKET = 4000  # bit
OVER_RUNS = "standard deviation of the run means"
#: Settings that the `perturbations` change.
JITTER = "up to a packet time of send jitter"
PROBES = "probe packets beside or not, less what they add to the optimum"
RANDOM = ("red", "loss-load")  # entries whose switches draw random numbers
LABELS = {one.label: name for name, one in ENTRIES.items()}
FIVE = ("hbh", "pp", "e2e-ef", "tcp (tahoe)", "decbit")  # labels of the schemes with printed numbers

Run = dict[str, float]  # the numbers of one run (`longfat.benchmark.measure`)
Job = tuple[Variant, Entry, int]  # variant, entry, number of the replication


def replications(context: Context) -> int:
    """Return the number of runs of each random cell: ten at the default scale, at least two."""
    return context.runs(2, 10)


def variant_of(cell: Cell) -> Variant:
    """Return the variant with which a cell is compared; experiment 9 uses scaled file sizes."""
    if cell.experiment == 9:
        return VARIANTS["9b"]
    return next(
        one for one in VARIANTS.values() if (one.experiment, one.case) == (cell.experiment, cell.load_or_size)
    )  # fmt: skip


def may_be_random(variant: Variant, entry: Entry) -> bool:
    """Return whether runs draw random numbers: for traffic, at the switches of an entry, or for jitter."""
    return entry.name != OPTIMAL and (
        variant.experiment == 7 or entry.name.partition(",")[0] in RANDOM or entry.send_jitter > 0
    )


def count_of(variant: Variant, entry: Entry, count: int) -> int:
    """Return the number of replications of a cell: one if the others would be identical."""
    return count if may_be_random(variant, entry) else 1


def simulate(jobs: Sequence[Job], seed: int) -> list[Run]:
    """Run all jobs in parallel; a replication has the same traffic for every scheme, as in `benchmark.run`."""
    return replicate(lambda one: benchmark.measure(one[0], one[1], np.random.SeedSequence([seed, one[2]])), jobs)


@cache
def measured(variant: str, name: str, count: int, seed: int) -> tuple[Run, ...]:
    """Run one scheme in one variant of the benchmark, as `longfat.benchmark.run` does.

    Experiment 7 has `GROUPS` times as many runs as a group has.
    """
    entry = ENTRIES[name]
    number = count_of(VARIANTS[variant], entry, count)
    jobs = [(VARIANTS[variant], entry, draw) for draw in range(number * GROUPS if number > 1 else 1)]
    return tuple(simulate(jobs, seed))


def groups(runs: Sequence[Run]) -> list[Sequence[Run]]:
    """Return `measured` runs in groups of equal size; a single run is a group."""
    size = max(1, len(runs) // GROUPS)
    return [runs[start : start + size] for start in range(0, len(runs), size)]


def statistic(cell: Cell) -> Callable[[Sequence[Run]], Estimate]:
    """Return the function that estimates the quantity of a cell, in the cell's unit, from runs of one setting.

    A standard deviation over runs is estimated without interval (`ours` has one).
    """
    if cell.metric.startswith("packet"):
        name = "delay_mean" if cell.metric.endswith("mean") else "delay_std"
    else:
        name = f"transfer_time_{cell.connection}"
    scale = 1.0 if unit(cell) == "s" else 1e3

    def estimate(runs: Sequence[Run]) -> Estimate:
        values = np.array([scale * run.get(name, math.nan) for run in runs])
        if cell.metric == "transfer_time_std":
            return Estimate(float(values.std(ddof=1)))
        return mean(values)

    return estimate


def unit(cell: Cell) -> str:
    """Return the unit of a cell; transfer times of table 4.9 are in ms, although its header says seconds."""
    return "s" if cell.unit == "s" and cell.metric.startswith("packet") else "ms"


def ours(cell: Cell, label: str, count: int, seed: int) -> Estimate:
    """Return our value for the quantity of a cell under a scheme, given by its label.

    It is estimated from all runs; a standard deviation over runs is the mean of those of the groups, since the paper's
    is that of a few runs.
    """
    runs = measured(variant_of(cell).name, LABELS[label], count, seed)
    if cell.metric != "transfer_time_std":
        return statistic(cell)(runs)
    return mean(np.array([statistic(cell)(group).value for group in groups(runs)]))


def alike(cell: Cell, count: int, seed: int) -> Estimate:
    """Return our value from the seeds that interpretations and other rules use: those of the first group."""
    return statistic(cell)(groups(measured(variant_of(cell).name, LABELS[cell.scheme], count, seed))[0])


def least(cell: Cell) -> float | None:
    """Return the least transfer time [ms] that a cell contains, None for other quantities."""
    if cell.metric not in ("transfer_time", "transfer_time_mean"):
        return None
    return 1e3 * float(benchmark.optimal(variant_of(cell))[cell.connection])


def beside_probes(cell: Cell) -> float:
    """Return the increase of a transfer's least time [ms] by probe packets beside it."""
    without, beside = (benchmark.optimal(variant_of(cell), probe=one)[cell.connection] for one in (False, True))
    return 1e3 * float(beside - without)


def packet_time(variant: Variant) -> float:
    """Return the transmission time of a data packet at the slow link [s]."""
    return PACKET / (1.5e6 if variant.experiment == 9 else 40e6)


def perturbations(variant: Variant, entry: Entry, count: int) -> dict[str, list[list[Job]]]:
    """Return samples of runs under settings that should not matter, or that the paper leaves open, by description.

    - Up to a packet time of send jitter, which removes phase effects (Floyd and Jacobson, On Traffic Phase Effects in
      Packet-Switched Gateways, Internetworking: Research and Experience 3, 1992).
    - Transfer times beside the probe packets, or without them if the benchmark measures beside them. Where measuring
      without them is a choice of ours (`figures.kkm.choices.APART`), measuring beside them is an interpretation
      (`seen`).

    One sample has as many runs as a group of `measured` ones.
    """
    jittered = replace(entry, send_jitter=packet_time(variant))
    settings = {}
    if variant.probed and APART not in OF_VARIANT.get(variant.name, ()):
        settings[PROBES] = (variant, replace(entry, probe_beside=not entry.probe_beside))
    if may_be_random(variant, entry):
        settings[JITTER] = (variant, jittered)
        return {words: [[(*one, draw) for draw in range(count)]] for words, one in settings.items()}
    alone = {words: [[(*one, 0)]] for words, one in settings.items()}
    return alone | {JITTER: [[(variant, jittered, draw)] for draw in range(FOR_RANGE)]}


@cache
def perturbed(variant: str, name: str, count: int, seed: int) -> dict[str, list[list[Run]]]:
    """Run the `perturbations` of a scheme in a variant; samples of runs by description."""
    asked = perturbations(VARIANTS[variant], ENTRIES[name], count)
    made = iter(simulate([job for samples in asked.values() for sample in samples for job in sample], seed))
    return {words: [[next(made) for _ in sample] for sample in samples] for words, samples in asked.items()}


def spread(cell: Cell, count: int, seed: int) -> Spread:
    """Return the range of a cell's quantity over the benchmark's setting and its `perturbations`.

    It has the single values, and 95 % of single runs with send jitter (`rule.of_one_run`). In experiment 7 each value
    is that of a group of runs, one of which has send jitter. A standard deviation over runs ranges over groups of runs
    alone. Probe packets beside a transfer change no delay; from a time with them, their addition to the optimum
    is subtracted (`beside_probes`). The words give the number of values below the printed one.
    """
    variant, name = variant_of(cell), LABELS[cell.scheme]
    first = groups(measured(variant.name, name, count, seed))
    several = len(first) > 1
    values = _values(cell, first)
    ends, over = [*values], ["other seeds"] * several
    if cell.metric != "transfer_time_std":
        for words, samples in perturbed(variant.name, name, count, seed).items():
            if words == PROBES and cell.metric.startswith("packet"):
                continue
            found = _values(cell, samples)
            if words == PROBES:
                found = [one - beside_probes(cell) for one in found]
            values += found
            ends += of_one_run(found) if len(found) > 1 else found
            over.append(words + ", 95 % of runs" * (len(samples) > 1))
    ends = [one for one in ends if math.isfinite(one)]
    below = sum(value < float(cell.value) for value in values)
    number = f"{len(values)} {f'groups of {count} runs' if several else 'runs'}"
    text = f"{number} ({', '.join(over)}), {below} of {len(values)} below the printed number"
    return Spread(min(ends, default=math.nan), max(ends, default=math.nan), text, unit(cell))


def _values(cell: Cell, samples: Sequence[Sequence[Run]]) -> list[float]:
    """Return the finite values of a cell's quantity, one for each sample of runs."""
    return [value for runs in samples if math.isfinite(value := statistic(cell)(runs).value)]


#: Fields of an entry that say what the scheme and its switches do; the others say what is measured.
_RULES = ("parameters", "bottleneck", "switch", "options")


@cache
def seen(variant: str, name: str, count: int, seed: int, *, of_scheme: bool) -> dict[str, tuple[Run, ...]]:
    """Run every other interpretation of a scheme in a variant, in parallel; runs by description.

    Either those that change a rule of the scheme or its switches, or those of the experiment and of what is measured.
    The `perturbations` are not among them: send jitter, and probe packets beside a transfer.
    """
    usual = ENTRIES[name]
    apart = APART in OF_VARIANT.get(variant, ())
    asked = [
        one for one in tried(name, VARIANTS[variant])
        if one.entry.send_jitter == 0.0 and (apart or one.entry.probe_beside == usual.probe_beside)
        and of_scheme == any(getattr(one.entry, rule) != getattr(usual, rule) for rule in _RULES)
    ]  # fmt: skip
    jobs = [
        (one.variant, one.entry, draw) for one in asked for draw in range(count_of(one.variant, one.entry, count))
    ]  # fmt: skip
    made = iter(simulate(jobs, seed))
    return {one.words: tuple(next(made) for _ in range(count_of(one.variant, one.entry, count))) for one in asked}


def interpreted(cell: Cell, count: int, seed: int) -> dict[str, Estimate]:
    """Return our value for a cell under each interpretation of the experiment and of what is measured.

    Rules of a scheme are not among them: "the values of the adjustable parameters of each control scheme were kept
    unchanged for all the experiments" (Kanakia, Keshav and Mishra 1992, section 4), so that none can be changed for one
    cell (`ruled`). The hops that are added for hop-by-hop are among them: section 4 has three "between the source and
    the bottleneck" and excludes "the exact details of the configurations". Changes without an effect on the cell are
    left out.
    """
    variant, name = variant_of(cell), LABELS[cell.scheme]
    usual = alike(cell, count, seed).value
    made = _estimates(cell, seen(variant.name, name, count, seed, of_scheme=False))
    found = {words: one for words, one in made.items() if one.value != usual}
    if variant.experiment == 7 and cell.metric == "packet_delay_std":  # that of the means of several runs
        means = [
            [1e3 * run.get("delay_mean", math.nan) for run in group]
            for group in groups(measured(variant.name, name, count, seed))
        ]
        found[OVER_RUNS] = mean(np.std(means, axis=1, ddof=1))
    return found


def at_40_ms(cell: Cell, count: int, seed: int) -> Estimate:
    """Return our value for a cell of experiment 3 at a round trip of 40 ms, which the text contradicts.

    The printed times of TCP and DECbit imply it (ERRATA.md, 001-4).
    """
    return statistic(cell)(measured(f"{variant_of(cell).name}-rtt40", LABELS[cell.scheme], count, seed))


def ruled(cell: Cell, count: int, seed: int) -> dict[str, Estimate]:
    """Return our values for a cell, each with another rule of its scheme changed that the paper leaves open."""
    return _estimates(cell, seen(variant_of(cell).name, LABELS[cell.scheme], count, seed, of_scheme=True))


def _estimates(cell: Cell, made: dict[str, tuple[Run, ...]]) -> dict[str, Estimate]:
    found = {words: statistic(cell)(runs) for words, runs in made.items()}
    return {words: one for words, one in found.items() if math.isfinite(one.value)}


def shown(number: Estimate, unit: str = "ms") -> str:
    """Format a number with half of its interval as text.

    >>> shown(Estimate(16961.2)), shown(Estimate(0.5, 0.4, 0.6))
    ('16961 ms', '0.5 ± 0.1 ms')
    """
    if math.isnan(number.value):
        return "not measured"
    half = "" if math.isnan(number.upper) else f" ± {number.upper - number.value:.2g}"
    return f"{digits(number.value)}{half} {unit}"


def digits(value: float) -> str:
    """Format a number with four digits, or all before the point.

    >>> digits(16961.2), digits(0.69381)
    ('16961', '0.6938')
    """
    return f"{value:.0f}" if abs(value) >= 999.95 else f"{value:.4g}"


def differences(experiment: str, labels: Sequence[str], seed: int) -> list[Estimate]:
    """Return the differences in time between each scheme and the one before it [ms], with intervals.

    The runs have up to a packet time of send jitter, with the same seeds for every scheme.
    """
    times = [_jittered(experiment, LABELS[one], seed) for one in labels]
    return [mean(after - before) for before, after in pairwise(times)]


@cache
def _jittered(experiment: str, name: str, seed: int) -> np.ndarray:
    variant = VARIANTS[experiment]
    entry = replace(ENTRIES[name], send_jitter=packet_time(variant))
    made = simulate([(variant, entry, draw) for draw in range(JITTER_RUNS)], seed)
    return np.array([1e3 * run["transfer_time_1"] for run in made])


@cache
def starts(seed: int) -> dict[str, Estimate]:
    """Return the saving by packet-pair's inverse-exponential start in experiment 2, against a start at the full rate.

    Mean queue and packets lost at the bottleneck until connection 1 is complete, each with its interval, over runs with
    up to a packet time of send jitter.
    """
    variant = VARIANTS["2"]
    jitter = packet_time(variant)
    entries = [
        replace(one, send_jitter=jitter)
        for one in (ENTRIES["packet-pair"], interpretation("packet-pair", "full rate at once (Keshav 1991)"))
    ]

    def once(job: tuple[Entry, int]) -> tuple[float, float]:
        entry, draw = job
        duration = benchmark.measure(variant, entry, np.random.SeedSequence([seed, draw]))["transfer_time_1"]
        net = benchmark.build(variant, entry, probe=False)
        data = sim.run(net, duration=duration, rng=np.random.SeedSequence([seed, draw]), progress=False)
        return float(data.mean_queue.sel(link="S1-S2")), float(data.link_dropped.sel(link="S1-S2"))

    found = replicate(once, [(entry, draw) for entry in entries for draw in range(JITTER_RUNS)])
    slow, fast = (np.array(found[k * JITTER_RUNS : (k + 1) * JITTER_RUNS]) for k in range(2))
    return {name: mean(fast[:, k] - slow[:, k]) for k, name in enumerate(("queue", "dropped"))}

"""One run of a case: samples of the tested flow's fields, counters of the run, and the value of each expectation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from longfat.benchmark.suites.case import Case, Expectation, Find, Probe, Suite, suite
from longfat.sim.runs import peek, results
from longfat.sim.runs.engine import Simulation

#: Values of samples of a field.
SAMPLED: dict[str, Callable[[np.ndarray], Any]] = {
    "first": lambda x: x[0], "next": lambda x: x[0], "last": lambda x: x[-1], "change": lambda x: x[-1] - x[0],
    "min": np.min, "max": np.max, "mean": np.mean,
}  # fmt: skip
PHASE = "phase"  # field of a scheme that has phases


@dataclass(frozen=True)
class Observed:
    """Results of a run: times of the samples [s], the first flow's fields at these times, and the counters."""

    times: np.ndarray
    fields: dict[str, np.ndarray]
    counts: dict[str, np.ndarray]
    flows: list[str]
    links: list[str]
    phases: tuple[str, ...]
    random: bool

    def visits(self, after: float = 0.0) -> list[tuple[str, int, int]]:
        """Return the visits of phases that begin at `after` or later: name, first and one more than the last sample."""
        if PHASE not in self.fields or not self.phases:
            return []
        numbers = self.fields[PHASE].astype(int)
        changes = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
        return [(self.phases[numbers[a]], a, b) for a, b in pairwise(changes) if self.times[a] >= after - 1e-9]


def measure(case: Case, tested: Any, reference: Any, seed: list[int]) -> dict[str, float]:
    """Run a case once; return the value of each expectation as "e0", "e1" and so on, NaN where there is none.

    ``seed`` is a list of integers. "random" is 1 if a random number was drawn.
    """
    of = suite(case.suite)
    found: dict[str, str] = {}
    for k in range(len(case.finds({}))):
        find = case.finds(found)[k]
        seen = observe(case, of, tested, reference, seed, found)
        value = _found(find, seen)
        if value is None:  # the phase is never entered: then the rest has no meaning
            return {f"e{k}": math.nan for k in range(len(case.expectations({})))} | {"random": float(seen.random)}
        found[find.name] = value
    seen = observe(case, of, tested, reference, seed, found)
    values = {f"e{k}": value_of(one, seen) for k, one in enumerate(case.expectations(found))}
    return values | {"random": float(seen.random)}


def observe(case: Case, of: Suite, tested: Any, reference: Any, seed: list[int], found: dict[str, str]) -> Observed:
    """Run a case with the values found by preliminary runs, and sample the fields of its first flow.

    The same seed gives the same run up to the first time that depends on a found value.
    """
    net, options = case.network(tested, reference, found)
    run = Simulation(net, rng=np.random.SeedSequence(seed))
    until, begin = float(options["duration"]), float(options.get("warm_up", 0.0))
    times: list[float] = []
    samples: list[dict[str, Any]] = []
    before = results.snapshot(run) if begin == 0 else None
    if case.sample:
        name, names = net.flows[0].names[0], case.fields()
        for k in range(1, round(until / case.sample) + 1):
            run.advance(min(k * case.sample, until))
            times.append(run.now)
            samples.append(_numbers(peek.flow(run, name), names))
            if before is None and run.now >= begin:
                before = results.snapshot(run)
    elif before is None:
        run.advance(begin)
        before = results.snapshot(run)
    run.advance(until)
    run.packet_counts()
    assert before is not None
    counts = results.measure(run, before, results.snapshot(run))
    made = {name: np.array([one[name] for one in samples]) for name in (samples[0] if samples else ())}
    made["time"] = np.array(times)
    return Observed(
        np.array(times), made, counts, run.assembly.flow_names, run.assembly.link_names, of.phases, run.drew
    )


def _numbers(flow: Any, names: set[str]) -> dict[str, float]:
    """Return the given fields that a flow has, by name, and BBR's bandwidth-delay product [packets]."""
    has = flow._kind.fields
    made = {name: float(getattr(flow, name)) for name in names if name in has}
    if "bdp" in names and {"max_bw", "min_rtt"} <= has.keys():
        made["bdp"] = float(flow.max_bw) * float(flow.min_rtt) / float(flow.packet_size)
    return made


def _found(find: Find, seen: Observed) -> str | None:
    """Return the time of a visit to a phase, or a field's value at that time; None if there is no such visit."""
    spans = [one for one in seen.visits(find.after) if one[0] == find.phase]
    if not -len(spans) <= find.visit - (find.visit > 0) < len(spans):
        return None
    first = spans[find.visit - (find.visit > 0)][1]
    value = float(seen.fields[find.field][first]) if find.field else float(seen.times[first])
    return f"{value + find.plus:.9g}"


def value_of(one: Expectation, seen: Observed) -> float:
    """Return the value that an expectation refers to; NaN if the run has no such value."""
    if one.visits or one.never:
        names = [name for name, _, _ in seen.visits(one.probe.after)]
        if not names:
            return math.nan
        if one.never:
            return float(sum(names.count(name) for name in one.never))
        length = len(one.visits)
        return float(any(_follow(names[k : k + length], one.visits) for k in range(len(names) - length + 1)))
    return _probed(one.probe, seen)


def _follow(names: list[str], wanted: tuple[str, ...]) -> bool:
    """Return whether phases match the expected ones, in which "A|B" stands for either of two."""
    return all(name in one.split("|") for name, one in zip(names, wanted, strict=True))


def _probed(probe: Probe, seen: Observed) -> float:
    """Return the value of a probe."""
    value = _counted(probe, seen) if probe.count else _sampled(probe, seen)
    per = _probed(probe.per, seen) if isinstance(probe.per, Probe) else probe.per
    return value / per if per else math.nan


def _sampled(probe: Probe, seen: Observed) -> float:
    """Return the value of a field over its samples."""
    chosen = (seen.times >= probe.begin - 1e-9) & (seen.times <= probe.end + 1e-9)
    if probe.during:
        spans = [one for one in seen.visits(probe.after) if one[0] in probe.during.split("|")]
        k = probe.visit - (probe.visit > 0)
        if not -len(spans) <= k < len(spans):
            return math.nan
        chosen = np.zeros(len(seen.times), bool)
        first, end = spans[k][1:]
        if probe.how == "next":
            first, end = end, end + 1
        chosen[first:end] = True
    if probe.how == "time":
        return float(chosen.sum() * (seen.times[1] - seen.times[0])) if len(seen.times) > 1 else math.nan
    values = seen.fields.get(probe.field, np.array([]))
    if not len(values) or not chosen.any():
        return math.nan
    values = values[chosen].astype(float)
    return float(SAMPLED[probe.how](values))


def _counted(probe: Probe, seen: Observed) -> float:
    """Return a quantity of flows or links."""
    dimension = results.QUANTITIES[probe.count][0]
    names = seen.flows if dimension == "flow" else seen.links
    every = np.atleast_1d(seen.counts[probe.count])
    values = np.array([x for name, x in zip(names, every, strict=True) if name.startswith(probe.of)])
    values = values[~np.isnan(values)]
    if not len(values):
        return math.nan
    total = values.sum()
    ways = {"sum": total, "mean": values.mean(), "min": values.min(), "max": values.max(), "last": values[-1],
            "share": total / np.nansum(every) if np.nansum(every) else math.nan,
            "jain": total**2 / (len(values) * (values**2).sum()) if (values**2).sum() else math.nan}  # fmt: skip
    return float(ways[probe.how])

"""Runs of a test suite: measurements of single runs, intervals and verdicts over replications, and reports."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from longfat.base import domains
from longfat.benchmark import tables
from longfat.benchmark.entries import Entry, entry
from longfat.benchmark.evaluation import Cell, run_cells
from longfat.benchmark.suites.case import Case, Expectation, Probe, suite
from longfat.replication import interval
from longfat.sim import schemes
from longfat.sim.runs import peek, results
from longfat.sim.runs.engine import Simulation
from longfat.sim.schemes import Scheme

#: `Probe.how` -> function that computes one value from the samples of a field.
SAMPLED: dict[str, Callable[[np.ndarray], Any]] = {
    "first": lambda x: x[0], "next": lambda x: x[0], "last": lambda x: x[-1], "change": lambda x: x[-1] - x[0],
    "min": np.min, "max": np.max, "mean": np.mean,
}  # fmt: skip
PHASE = "phase"  # field of a scheme that has phases


@dataclass(frozen=True)
class Observed:
    """Results of one run: the first flow's fields in samples, "time" [s] among them, and counters by name."""

    fields: dict[str, np.ndarray]
    counts: dict[str, np.ndarray]
    flows: list[str]
    links: list[str]
    phases: tuple[str, ...]
    random: bool

    @property
    def times(self) -> np.ndarray:
        """Times of the samples [s]."""
        return self.fields["time"]

    def visits(self, after: float = 0.0) -> list[tuple[str, int, int]]:
        """Return the visits that begin at `after` [s] or later: phase, index of first sample, index after the last."""
        if PHASE not in self.fields or not self.phases:
            return []
        numbers = self.fields[PHASE].astype(int)
        changes = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
        return [(self.phases[numbers[a]], a, b) for a, b in pairwise(changes) if self.times[a] >= after - 1e-9]


def measure(case: Case, tested: Entry, reference: Entry, rng: np.random.SeedSequence) -> dict[str, float]:
    """Run a case once; return the value of each expectation as "e0", "e1" and so on, NaN if the run has no such value.

    The result "random" is 1 if the run drew a random number, else 0.
    """
    both = schemes.scheme(tested.scheme), schemes.scheme(reference.scheme)
    found: dict[str, str] = {}
    for name in case.finds({}):
        seen = observe(case, *both, rng, found)
        value = _probed(case.finds(found)[name], seen)
        if math.isnan(value):  # the phase is never entered, so that no expectation has a value
            return {f"e{k}": math.nan for k in range(len(case.expectations({})))} | {"random": float(seen.random)}
        found[name] = f"{value:.9g}"
    seen = observe(case, *both, rng, found)
    values = {f"e{k}": value_of(one, seen) for k, one in enumerate(case.expectations(found))}
    return values | {"random": float(seen.random)}


def observe(
    case: Case, tested: Scheme, reference: Scheme | None, rng: np.random.SeedSequence, found: dict[str, str]
) -> Observed:
    """Run a case with the values that preliminary runs have found, and sample the fields of its first flow.

    The same seed gives the same run up to the first time that depends on a found value.
    """
    net, options = case.network(tested, reference, found)
    run = Simulation(net, rng=deepcopy(rng))
    until, begin = float(options["duration"]), float(options.get("warm_up", 0.0))
    samples: list[dict[str, float]] = []
    before = results.snapshot(run) if begin == 0 else None
    if case.sample:
        name, names = net.flows[0].names[0], case.fields()
        for k in range(1, round(until / case.sample) + 1):
            run.advance(min(k * case.sample, until))
            samples.append(_numbers(peek.flow(run, name), names) | {"time": run.now})
            if before is None and run.now >= begin:
                before = results.snapshot(run)
    elif before is None:
        run.advance(begin)
        before = results.snapshot(run)
    run.advance(until)
    run.packet_counts()
    assert before is not None
    counts = results.measure(run, before, results.snapshot(run))
    fields = {name: np.array([one[name] for one in samples]) for name in (samples[0] if samples else ["time"])}
    flows, links, phases = run.state.flow_names, run.state.link_names, suite(case.suite).phases
    return Observed(fields, counts, flows, links, phases, run.drew)


def _numbers(flow: Any, names: set[str]) -> dict[str, float]:
    """Return the flow's fields among `names`, with their values; "bdp" is max_bw times min_rtt [packets]."""
    has = flow._kind.fields
    made = {name: float(getattr(flow, name)) for name in names if name in has}
    if "bdp" in names and {"max_bw", "min_rtt"} <= has.keys():
        made["bdp"] = float(flow.max_bw) * float(flow.min_rtt) / float(flow.packet_size)
    return made


def value_of(one: Expectation, seen: Observed) -> float:
    """Return the value of an expectation's measurement; NaN if the run has no such value."""
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
    """Return whether each phase is the expected phase of the same position; the expectation "A|B" allows A and B."""
    return all(name in one.split("|") for name, one in zip(names, wanted, strict=True))


def _probed(probe: Probe, seen: Observed) -> float:
    """Return a probe's value in a run, divided by the value of its `per`, plus its `plus`; NaN if `per` is 0."""
    value = _counted(probe, seen) if probe.count else _sampled(probe, seen)
    per = _probed(probe.per, seen) if isinstance(probe.per, Probe) else probe.per
    return value / per + probe.plus if per else math.nan


def _sampled(probe: Probe, seen: Observed) -> float:
    """Return one value of a field from the samples that the probe selects; NaN if there are no samples."""
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
    """Return one value from the counters of the flows or links that a probe selects, or NaN if it selects none."""
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
            "jain": results.jain_index(values)}  # fmt: skip
    return float(ways[probe.how])


PASS, FAIL, OPEN, REPORTED, NO_VALUE, NOT_RUN = "pass", "fail", "open", "reported", "no value", "not run"


@dataclass(frozen=True)
class Result:
    """Line of the report: an expectation with its value, interval, bounds and verdict.

    ``verdict`` is "pass" or "fail" if the value is inside or outside the bounds (with replications, the whole
    interval), "open" if the interval contains a bound, "reported" without bounds, "no value" if the scheme never enters
    the phase or has no such field, "not run" with the reason in `rule`.
    """

    case: str
    section: str
    title: str
    scheme: str
    step: str = ""
    rule: str = ""
    measured: str = ""
    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    unit: str = ""
    least: float | None = None
    most: float | None = None
    verdict: str = ""
    reference: float | None = None
    ours: str = ""


def run(
    name: str,
    scheme: Any = None,
    cases: list[str] | None = None,
    *,
    reference: Any = None,
    replications: int | None = None,
    rng: int = 0,
    confidence: float = 0.95,
    executor: Any = None,
    store: str | Path | None = None,
    progress: bool = True,
) -> list[Result]:
    """Run the cases of a suite with a scheme, and return a result for each expectation of each case.

    Parameters
    ----------
    name : str
        "bbr" or "bcp133".
    scheme : str or Scheme, optional
        Tested scheme: a name, a file that defines a scheme, or a `longfat.sim.Scheme`; by default the suite's scheme.
    cases : list of str, optional
        Names of cases, or beginnings of names up to a hyphen; all by default.
    reference : str or Scheme, optional
        Scheme with which the tested scheme is compared; the report has its values, too. By default the suite's
        reference.
    replications : int, optional
        Runs of each case [runs]; by default the suite's number. A case that draws no random number has one run.
    rng : int
        Seed.
    confidence : float
        Confidence of each interval [probability], in (0, 1).
    executor, store, progress
        As for `longfat.benchmark.run`.
    """
    of = suite(name)
    chosen = of.chosen(cases)
    count = domains.integer(
        "replications", of.replications if replications is None else replications, "runs", "[1, 1e6]"
    )
    confidence = domains.number("confidence", confidence, "probability", "(0, 1)")
    seed = domains.integer("rng", rng, "1", "[0, 1e18]")
    tested = entry(scheme or of.scheme)
    if not tested.scheme:
        raise domains.conflict(
            f"scheme = {tested.name!r}", "is a fluid model without packets", "name a scheme of longfat.sim.schemes"
        )
    beside = entry(reference or of.reference) if reference or of.reference else tested
    both = [tested] if tested.settings() == beside.settings() else [tested, beside]

    def cell(one: Case, which: Entry) -> Cell:
        text = "\n".join((one.text, repr(one.values), which.settings(), beside.settings()))
        once = partial(measure, one, which, beside)
        return Cell(f"case {one.name}", f"{name}_{one.name}_{which.name}", text, once, count)

    pairs = [(one, which) for one in chosen if not one.not_run for which in both]
    runs = run_cells([cell(*pair) for pair in pairs], seed, executor, store, progress)
    found = {(one.name, which.name): data for (one, which), data in zip(pairs, runs, strict=True)}
    lines = []
    for one in chosen:
        head = Result(one.name, one.section, one.title, tested.name, rule=one.not_run, verdict=NOT_RUN)
        if one.not_run:
            lines.append(head)
            continue
        data, other = found[one.name, tested.name], found[one.name, beside.name] if len(both) > 1 else None
        lines += [_line(head, k, each, data, other, confidence) for k, each in enumerate(one.expectations({}))]
    return lines


def _line(head: Result, k: int, one: Expectation, data: Any, other: Any, confidence: float) -> Result:
    """Return the report's line of expectation number `k`, with its interval over the replications."""
    samples = data[f"e{k}"].values
    value, *ends = map(float, interval(samples, confidence))
    lower, upper = map(_finite, ends)
    reference = None if other is None else _finite(float(other[f"e{k}"].values.mean()))
    least, most = (None, None) if one.within is None else map(_finite, one.within)
    verdict = _verdict(value, value if lower is None else lower, value if upper is None else upper, one.within)
    return replace(
        head, step=one.step, rule=one.rule, measured=one.words(), value=_finite(value), lower=lower, upper=upper,
        unit=one.unit, least=least, most=most, verdict=verdict, reference=reference, ours=one.ours,
    )  # fmt: skip


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _verdict(value: float, lower: float, upper: float, within: tuple[float, float] | None) -> str:
    """Return "pass" if the interval is inside the bounds, "fail" if it is outside, "open" if it contains a bound.

    >>> _verdict(1.0, 0.9, 1.1, (0.9, 2.0)), _verdict(1.0, 0.8, 1.2, (0.9, 2.0)), _verdict(1.0, 0.9, 1.1, (1.2, 2.0))
    ('pass', 'open', 'fail')
    """
    if math.isnan(value):
        return NO_VALUE
    if within is None:
        return REPORTED
    slack = 1e-9 * max(1.0, abs(value))
    if within[0] - slack <= lower and upper <= within[1] + slack:
        return PASS
    return FAIL if upper < within[0] or lower > within[1] else OPEN


HEADS = ["step", "rule", "measured", "value", "bounds", "reference", "verdict"]


def rows_to_csv(found: list[Result]) -> str:
    """Format results as CSV, a line for each expectation."""
    return tables.to_csv(found, Result)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _cells(one: Result) -> list[str]:
    """Format a result as the cells of a line, in the order of `HEADS`."""
    value = _number(one.value)
    if one.value is not None and one.lower is not None and one.upper is not None:
        value += f" ± {_number(one.upper - one.value)}"
    if one.value is not None and one.unit != "1":
        value += f" {one.unit}"
    bounds = "" if one.least is None and one.most is None else f"[{_number(one.least)}, {_number(one.most)}]"
    rule = one.rule + (f" (Ours: {one.ours}.)" if one.ours else "")
    return [one.step, rule, one.measured, value, bounds, _number(one.reference), one.verdict]


def summary(name: str, found: list[Result]) -> str:
    """Return a line with the count of each verdict, and a line for each expectation failed, open or without value."""
    of = suite(name)
    counts = {word: sum(one.verdict == word for one in found) for word in dict.fromkeys(one.verdict for one in found)}
    cases = len({one.case for one in found})
    lines = [
        f"{of.title}: scheme {found[0].scheme}, {cases} case{'s' * (cases != 1)}; "
        + ", ".join(f"{count} {word}" for word, count in counts.items())
    ]
    for one in found:
        if one.verdict in ("fail", "open", "no value"):
            step = f", step {one.step}" if one.step else ""
            lines.append(f"{one.verdict}: {one.case}, section {one.section}{step}: {one.rule} ({one.measured}: "
                         f"{_number(one.value)})")  # fmt: skip
    return "\n".join(lines)


def to_text(name: str, found: list[Result]) -> str:
    """Format results for a terminal: a line for each expectation, then the summary."""
    lines = []
    for one in found:
        cells = _cells(one)
        lines.append(f"{one.case:12} {one.verdict:9} {cells[3]:>16}  {cells[4]:16} {one.measured or one.rule}")
    return "\n".join([*lines, "", summary(name, found)])


def to_markdown(name: str, found: list[Result]) -> str:
    """Format results as Markdown: the summary, then a table for each case."""
    of = suite(name)
    said = "\n".join(f"- {line}" for line in summary(name, found).splitlines())
    made = []
    for _, group in groupby(found, key=lambda one: one.case):
        mine = list(group)
        title = f"{mine[0].case}: {mine[0].title} (section {mine[0].section})"
        if mine[0].verdict == NOT_RUN:
            made.append(tables.Table(f"{title}; not run: {mine[0].rule}", ["verdict"], [[NOT_RUN]]))
        else:
            made.append(tables.Table(title, HEADS, [_cells(one) for one in mine]))
    return f"# {of.title}\n\n{of.document}.\n\n{said}\n\n{tables.to_markdown(made)}"

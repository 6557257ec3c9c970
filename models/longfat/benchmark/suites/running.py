"""Runs of a suite: cases times replications, intervals and verdicts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from longfat.base import domains
from longfat.benchmark.entries import Entry, entry
from longfat.benchmark.evaluation import Cell, run_cells
from longfat.benchmark.suites.case import Case, Expectation, suite
from longfat.benchmark.suites.observing import measure
from longfat.replication import interval

PASS, FAIL, OPEN, REPORTED, NO_VALUE, NOT_RUN = "pass", "fail", "open", "reported", "no value", "not run"


@dataclass(frozen=True)
class Result:
    """A line of the report: an expectation with its value, interval, bounds and verdict.

    ``verdict`` is "pass" or "fail" where bounds decide (with replications, if the whole interval does), "open" where
    the interval contains a bound, "reported" without bounds, "no value" where the scheme never gets there or has no
    such field, "not run" with the reason in `rule`.
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


def one_run(
    draw: int, rng: Any, *, suite: str, case: str, tested: Any, reference: Any, seed: int, settings: str
) -> Any:
    """Run one replication of a case; its random numbers depend on seed and replication, not on the scheme."""
    return measure(_case(suite, case), _scheme(tested), _scheme(reference), [seed, draw])


def _case(of: str, name: str) -> Case:
    return next(one for one in suite(of).cases if one.name == name)


def _scheme(given: Any) -> Any:
    from longfat.sim import schemes

    return schemes.scheme(entry(given).scheme if not isinstance(given, Entry) else given.scheme)


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
    """Run a suite with a scheme, and return a result for each expectation of each case.

    Parameters
    ----------
    name : str
        "bbr" or "bcp133".
    scheme : str or Scheme, optional
        Tested scheme: a name, a file that defines one, or a `longfat.sim.Scheme`; by default that of the suite.
    cases : list of str, optional
        Names of cases, or beginnings of them up to a hyphen; all by default.
    reference : str or Scheme, optional
        Scheme beside the tested one, whose values stand in the report, too; by default that of the suite.
    replications : int, optional
        Runs of each case [runs]; by default the suite's number. A case that draws no random number has one.
    rng : int
        Seed.
    confidence : float
        Confidence of each interval [probability], in (0, 1).
    executor, store, progress
        As for `longfat.benchmark.run`.

    Returns
    -------
    list of Result
        Case by case.
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
        raise domains.conflict(f"scheme = {tested.name!r}", "has no packets", "name a scheme of longfat.sim.schemes")
    beside = entry(reference or of.reference) if reference or of.reference else tested
    both = [tested] if tested.settings() == beside.settings() else [tested, beside]

    def cell(one: Case, which: Entry) -> Cell:
        text = "\n".join((one.text, repr(one.values), which.settings(), beside.settings()))
        given, other = (each.name if not each.source else each for each in (which, beside))
        function = partial(one_run, suite=name, case=one.name, tested=given, reference=other)
        return Cell(f"case {one.name}", f"{name}_{one.name}_{which.name}", text, function, count)

    pairs = [(one, which) for one in chosen if not one.not_run for which in both]
    runs = run_cells([cell(*pair) for pair in pairs], seed, executor, store, progress)
    found = {(one.name, which.name): data for (one, which), data in zip(pairs, runs, strict=True)}
    return [
        line for one in chosen for line in _lines(one, tested, both[-1] if len(both) > 1 else None, found, confidence)
    ]


def _lines(one: Case, tested: Entry, beside: Entry | None, found: dict[Any, Any], confidence: float) -> list[Result]:
    """Return the lines of a case."""
    head = Result(one.name, one.section, one.title, tested.name, rule=one.not_run, verdict=NOT_RUN)
    if one.not_run:
        return [head]
    data, other = found[one.name, tested.name], None if beside is None else found[one.name, beside.name]
    return [_line(head, k, expected, data, other, confidence) for k, expected in enumerate(one.expectations({}))]


def _line(head: Result, k: int, one: Expectation, data: Any, other: Any, confidence: float) -> Result:
    """Return the line of an expectation."""
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
    """Return the verdict on a value with its interval.

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

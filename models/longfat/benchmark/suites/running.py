"""Runs of a suite: cases times replications, intervals and verdicts; reports as text, Markdown and CSV."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from longfat.base import domains
from longfat.benchmark import tables
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


HEADS = ["step", "rule", "measured", "value", "bounds", "reference", "verdict"]


def rows_to_csv(found: list[Result]) -> str:
    """Format results as CSV, a line for each expectation."""
    return tables.records_to_csv(Result, found)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _cells(one: Result) -> list[str]:
    """Return the cells of a line of a case's table."""
    value = _number(one.value)
    if one.value is not None and one.lower is not None and one.upper is not None:
        value += f" ± {_number(one.upper - one.value)}"
    if one.value is not None and one.unit != "1":
        value += f" {one.unit}"
    bounds = "" if one.least is None and one.most is None else f"[{_number(one.least)}, {_number(one.most)}]"
    rule = one.rule + (f" (Ours: {one.ours}.)" if one.ours else "")
    return [one.step, rule, one.measured, value, bounds, _number(one.reference), one.verdict]


def _tables(found: list[Result]) -> list[tables.Table]:
    """Return a table for each case."""
    made = []
    for name in dict.fromkeys(one.case for one in found):
        mine = [one for one in found if one.case == name]
        title = f"{mine[0].case}: {mine[0].title} (section {mine[0].section})"
        if mine[0].verdict == NOT_RUN:
            made.append(tables.Table(f"{title}; not run: {mine[0].rule}", ["verdict"], [[NOT_RUN]]))
        else:
            made.append(tables.Table(title, HEADS, [_cells(one) for one in mine]))
    return made


def summary(name: str, found: list[Result]) -> str:
    """Return a sentence that counts the verdicts, and a line for each expectation that failed or has no value."""
    of = suite(name)
    counts = {word: sum(one.verdict == word for one in found) for word in dict.fromkeys(one.verdict for one in found)}
    lines = [
        f"{of.title}: scheme {found[0].scheme}, {len({one.case for one in found})} cases; "
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
    return f"# {of.title}\n\n{of.document}.\n\n{said}\n\n{tables.to_markdown(_tables(found))}"

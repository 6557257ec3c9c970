"""Reports of a suite: text for a terminal, Markdown and CSV."""

from __future__ import annotations

from longfat.benchmark import tables
from longfat.benchmark.suites.case import suite
from longfat.benchmark.suites.running import NOT_RUN, Result

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

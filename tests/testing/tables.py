"""Tables of the errors that `longfat.testing` finds.

``python -m tests.testing.tables`` writes them to docs/testing.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from tests.testing.law_mutants import Search, chosen, search
from tests.testing.printed_formulas import FORMULAS, OTHERS, Printed

PAGE = Path(__file__).parents[2] / "docs" / "testing.md"
WIDE = 60  # letters of a change


def point(given) -> str:
    """Return a point with numbers of four digits."""
    return ", ".join(f"{name} = {value:.4g}" for name, value in given.items())


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    lines = [list(heads), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def printed_row(one: Printed) -> list[str]:
    """Find the error of a printed formula; return its row."""
    seen, shrunk = one.found()
    found = shrunk.comparison
    spent = sum(some.replications for some in seen)
    packets = sum(some.cost for some in seen)
    cells = [one.erratum, one.what, point(found.point), *(f"{x:.4g}" for x in (found.formula, found.estimate))]
    return [*cells, str(spent), f"{packets:.2g}"]


def mutant_row(one: Search) -> list[str]:
    """Return the row of a mutant."""
    law, change, last = one.mutant.law.public_name, one.mutant.change.replace("|", "/"), one.seen[-1]
    change = change if len(change) <= WIDE else f"{change[: WIDE - 4]} ..."
    where, values = point(last.point), [f"{last.formula:.4g}", f"{last.estimate:.4g}"]
    if one.outcome in ("inside", "survived"):
        share = float((one.deviations > 1).mean())
        where, values = f"off by {one.deviations.max():.2g} accuracies at most", ["", ""]
        where += f", by more than one in {100 * share:.2g} % of the domain" if share else ""
    spent, packets = sum(some.replications for some in one.seen), sum(some.cost for some in one.seen)
    return [f"`{law}`", one.mutant.kind, f"`{change}`", where, *values, str(spent), f"{packets:.2g}", one.outcome]


def written(page: str, name: str, text: str) -> str:
    """Return a page with a text between the two comments that have a name."""
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    assert pattern.search(page), name
    return pattern.sub(lambda found: f"{found[1]}\n{text}\n{found[2]}", page)


def main() -> None:
    """Search all errors and write the tables."""
    page = PAGE.read_text(encoding="utf-8")
    heads = ["erratum", "as printed", "simplest point", "printed", "simulated", "replications", "packets"]
    page = written(page, "printed formulas", table(heads, map(printed_row, FORMULAS)))
    others = ([str(len(some)), reason, ", ".join(some)] for reason, some in OTHERS.items())
    page = written(page, "other errata", table(["errata", "are", "namely"], others))
    heads = ["law", "mistake", "change", "where", "mutant", "simulated", "replications", "packets", "outcome"]
    page = written(page, "mutants", table(heads, (mutant_row(search(one)) for one in chosen())))
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

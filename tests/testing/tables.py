"""Tables of the errors that `longfat.testing` finds, and of its own error rates.

``python -m tests.testing.tables [TABLE]...`` writes all, or those that are named, to CSV files of docs/data.
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from longfat.testing.comparing import HEAVY, decision, weighed
from longfat.testing.evidence import Normal
from longfat.testing.seeded_runs import looks
from tests.testing.law_mutants import Search, chosen, search
from tests.testing.printed_formulas import FORMULAS, OTHERS, Printed

DATA = Path(__file__).parents[2] / "docs" / "data"
WIDE = 60  # letters of a change


def point(given) -> str:
    """Return a point with numbers of four digits."""
    return ", ".join(f"{name} = {value:.4g}" for name, value in given.items())


def printed_row(one: Printed) -> list[str]:
    """Find the error of a printed formula; return its row."""
    seen, found = one.found()
    spent = sum(some.replications for some in seen)
    packets = sum(some.cost for some in seen)
    cells = [
        one.erratum,
        one.what.replace("`", ""),
        point(found.point),
        *(f"{x:.4g}" for x in (found.formula, found.estimate)),
    ]
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
    return [law, one.mutant.kind, change, where, *values, str(spent), f"{packets:.2g}", one.outcome]


#: Results of single replications: how they are drawn, their mean, and eight times the accuracy: the standard deviation,
#: or the mean where that is infinite. With a wider accuracy fewer replications decide, and the errors are smaller.
SAMPLERS: dict[str, tuple[Callable[[np.random.Generator, int], np.ndarray], float, float]] = {
    "normal": (lambda rng, count: rng.normal(size=count), 0.0, 1.0),
    "exponential, skewness 2": (lambda rng, count: rng.exponential(size=count), 1.0, 1.0),
    **{
        f"lognormal, s = {s:g}, skewness {(math.exp(s**2) + 2) * math.sqrt(math.expm1(s**2)):.2g}": (
            lambda rng, count, s=s: rng.lognormal(0.0, s, size=count), math.exp(s**2 / 2),
            math.exp(s**2 / 2) * math.sqrt(math.expm1(s**2)),
        )
        for s in (1.0, 1.5)
    },
    "Pareto, index 2.1, skewness infinite": (
        lambda rng, count: 1 + rng.pareto(2.1, size=count), 2.1 / 1.1, math.sqrt(2.1 / 0.1) / 1.1
    ),
    "Pareto, index 1.5, variance infinite": (lambda rng, count: 1 + rng.pareto(1.5, size=count), 3.0, 3.0),
}  # fmt: skip
ERROR, COMPARISONS, MOST = 0.01, 4000, 20_000  # each error; comparisons of a cell; replications of each


def skewed_row(name: str) -> list[str]:
    """Return the error rates of comparisons with skewed results, on the worse side, and the number of remarks."""
    draw, mean, unit = SAMPLERS[name]
    cells = []
    for wrong, away in (("differs", 1), ("agrees", 2)):
        sides = []
        for side in (1, -1):
            errors = remarked = both = 0
            for seed in range(COMPARISONS):
                verdict, skewness = compared(draw, mean + side * away * unit / 8, unit / 8, seed)
                errors += verdict == wrong
                remarked += skewness > HEAVY
                both += verdict == wrong and skewness > HEAVY
            sides.append((errors, remarked, both))
        errors, remarked, both = max(sides)
        cells += [f"{100 * errors / COMPARISONS:.2g} %", f"{100 * remarked / COMPARISONS:.2g} %", f"{both} of {errors}"]
    return [name, *cells]


def compared(draw: Callable, formula: float, within: float, seed: int) -> tuple[str, float]:
    """Return the verdict of `longfat.testing.compare` on a formula, and the skewness of the sample that decided."""
    rng, values = np.random.default_rng(seed), np.empty(0)
    for size in looks(MOST):
        values = np.concatenate((values, draw(rng, size - len(values))))
        sample = Normal(values)
        verdict, _ = decision(*weighed(sample, formula, within, 2.0), ERROR, 1 - ERROR, size)
        if verdict != "undecided":
            break
    return verdict, abs(sample.skewness)


#: Heads and rows of each table.
TABLES: dict[str, tuple[list[str], Callable[[], Iterable[Iterable[str]]]]] = {
    "skewed_results": (
        ["results", 'wrong "differs"', "remarked", "of the wrong", 'wrong "agrees"', "remarked", "of the wrong"],
        lambda: map(skewed_row, SAMPLERS),
    ),
    "printed_formulas": (
        ["erratum", "as printed", "simplest point", "printed", "simulated", "replications", "packets"],
        lambda: map(printed_row, FORMULAS),
    ),
    "other_errata": (
        ["errata", "are", "namely"],
        lambda: ([str(len(some)), reason, ", ".join(some)] for reason, some in OTHERS.items()),
    ),
    "law_mutants": (
        ["law", "mistake", "change", "where", "mutant", "simulated", "replications", "packets", "outcome"],
        lambda: (mutant_row(search(one)) for one in chosen()),
    ),
}


def main(names: list[str]) -> None:
    """Search all errors, or those of some tables, and write the tables."""
    for name in names or TABLES:
        heads, rows = TABLES[name]
        with (DATA / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([heads, *rows()])


if __name__ == "__main__":
    main(sys.argv[1:])

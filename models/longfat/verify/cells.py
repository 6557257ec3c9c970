"""Fixed partition of the domain in which a law is simulated: cells, with one point each."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from longfat.law import Law, Symbol
from longfat.verify import points

if TYPE_CHECKING:
    from longfat.verify.simulated import SimulatorCheck

#: Where in a part of a range the point of a cell is looked for, as shares: the middle first. Ours.
PLACES = (0.5, 0.25, 0.75)

Place = tuple[int, ...]


@dataclass(frozen=True)
class Partition:
    """Cells of a law's domain: each parameter's range in equal parts on its own scale.

    Parameters
    ----------
    parts : mapping
        By parameter, the parts of its range as text; one part for a parameter that is not varied.
    cells : mapping
        By place (the number of the part along each parameter) the point of the cell, as near to its middle as the law
        is valid; a cell without such a point is absent.
    """

    parts: Mapping[str, tuple[str, ...]]
    cells: Mapping[Place, points.Point]


def partition(law: Law, check: SimulatorCheck) -> Partition:
    """Return the cells of the ranges in which a law is checked: 4, 3 or 2 parts of each of up to 2, 3 or more ranges.

    >>> from longfat.laws.queues import mm1_wait, md1k_wait
    >>> from longfat.verify.simulated import check_of
    >>> found = partition(mm1_wait, check_of(mm1_wait))
    >>> found.parts["load"], found.cells[0,]
    (('0.05 to 0.126', '0.126 to 0.316', '0.316 to 0.632', '0.632 to 0.8'), {'load': 0.1})
    """
    given = {name: check.ranges.get(name, symbol.typical) for name, symbol in law.symbols.items()}
    varied = sum(isinstance(one, list | tuple) for one in given.values())
    count = {0: 1, 1: 4, 2: 4, 3: 3}.get(varied, 2)
    split = {name: _parts(law.symbols[name], one, count) for name, one in given.items()}
    cells = {}
    for place in itertools.product(*(range(len(one)) for one in split.values())):
        options = zip(split.items(), place, strict=True)
        choices = {name: parts[index][1] for (name, parts), index in options}
        point = next((one for one in _candidates(choices) if law.validity is None or law.validity(**one)), None)
        if point is not None:
            cells[place] = point
    return Partition({name: tuple(words for words, _ in parts) for name, parts in split.items()}, cells)


def _parts(symbol: Symbol, given: Any, count: int) -> list[tuple[str, list[float]]]:
    """Return the parts of a range: in words, and the values in it that a cell may have."""
    if isinstance(given, list):
        size = min(count, len(given))
        runs = [given[len(given) * k // size : len(given) * (k + 1) // size] for k in range(size)]
        return [(f"{run[0]:.3g} to {run[-1]:.3g}", [float(run[len(run) // 2])]) for run in runs]
    if not isinstance(given, tuple):
        return [(f"{given:.3g}", [float(given)])]
    found: dict[float, tuple[str, list[float]]] = {}
    for k in range(count):
        ends = [points.between(symbol, given, (k + share) / count) for share in (0.0, 1.0)]
        values = list(dict.fromkeys(points.between(symbol, given, (k + share) / count) for share in PLACES))
        found.setdefault(values[0], (f"{ends[0]:.3g} to {ends[1]:.3g}", values))  # of integers two may coincide
    return list(found.values())


def _candidates(choices: Mapping[str, list[float]]) -> Any:
    """Yield the points of a cell, its middle first, then those that differ from it in ever more parameters."""
    every = list(itertools.product(*(enumerate(values) for values in choices.values())))
    for one in sorted(every, key=lambda values: sum(index > 0 for index, _ in values)):
        yield dict(zip(choices, (value for _, value in one), strict=True))

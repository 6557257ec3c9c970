"""Points at which laws are checked: arguments at which naive formulas fail, and seeded samples of typical ranges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longfat.base.quantity import Scale
from longfat.law import Law, Symbol
from longfat.testing.domain import Axis, latin_hypercube

Point = dict[str, float]

#: Corners of the parameters, by the letter of a parameter in the papers. A corner is a value at which a naive formula
#: loses digits or fails.
CORNERS: dict[str, list[float]] = {
    "p": [0.0, 1e-300, 1e-16, 1e-8, 0.3, 0.74, 0.86, 0.99, 1 - 1e-12],
    "s": [1.0, 2.0, 15.0, 16.0, 17.0, 1e4, 1e9],
    "w_a": [0.0, 1e-6, 1e6],
    "B": [1.0, 2.0, 24.0, 1e6],
    "W": [1.0, 1.0 + 1e-9, 1e6],
    r"\rho": [0.0, 1e-16, 1e-8, 0.02, 0.25, 1 - 1e-9, 1 - 2**-53, 1.0, 1 + 2**-52, 1 + 1e-9, 2.0, 4.0, 50.0, 1e6],
    "K": [1.0, 2.0, 3.0, 95.0, 96.0, 97.0, 98.0],
    "f": [1e-9, 0.5, 1e6],
    "a": [-1.0, -0.5, -1e-9, 0.0, 1e-9, 1e6],
    "b": [0.0, 1e-30, 1e-9, 2.0],
    "k": [1.0, 2.0, 50.0],
}


def corners(symbol: Symbol) -> list[float]:
    """Return a parameter's values in `CORNERS` within its domain; if it has none, the low end of its typical range.

    >>> corners(Symbol("p", "probability", "(0, 0.5]", typical=(1e-6, 0.1)))
    [1e-300, 1e-16, 1e-08, 0.3]
    """
    found = CORNERS.get(symbol.letter, [float(symbol.typical[0])])
    return [x for x in found if symbol.contains(x)]


def ends(symbol: Symbol) -> list[float]:
    """Return the ends of a parameter's domain and of its typical range, without ends excluded by an open domain."""
    return [float(x) for x in (*symbol.interval.ends, *symbol.typical) if symbol.interval.contains(x)]


def middle(symbol: Symbol) -> float:
    """Return the middle of a parameter's typical range on its `scale`: the geometric mean if that is logarithmic."""
    return between(symbol, symbol.typical, 0.5)


def typical(law: Law, count: int, seed: int, ranges: Mapping[str, Any] | None = None) -> list[Point]:
    """Return a Latin hypercube sample of points from the typical ranges of a law's parameters, or from given ranges.

    ``ranges`` maps a parameter's name to (low, high), a list of values, or a number, which replaces the typical range.

    >>> from longfat.laws.queues import mm1k_loss
    >>> [sorted(point) for point in typical(mm1k_loss, 2, 0)]
    [['capacity', 'load'], ['capacity', 'load']]
    >>> {point["load"] for point in typical(mm1k_loss, 5, 0, {"load": 0.5})}
    {0.5}
    """
    axes = axes_of(law, ranges)
    return [
        {axis.name: _float(axis.at(share)) for axis, share in zip(axes, row, strict=True)}
        for row in latin_hypercube(len(axes), count, seed)
    ]


def axes_of(law: Law, ranges: Mapping[str, Any] | None = None) -> tuple[Axis, ...]:
    """Return an axis for each parameter of a law: its range in ``ranges`` (see `typical`), or its typical range."""
    given = {name: symbol.typical for name, symbol in law.symbols.items()} | dict(ranges or {})
    return tuple(
        Axis(name, scale(symbol, given[name])) if isinstance(given[name], tuple) else Axis.parse(name, given[name])
        for name, symbol in law.symbols.items()
    )


def for_symbols(law: Law, count: int, seed: int, *, at_ends: bool) -> list[Point]:
    """Return points in the typical ranges; with ``at_ends`` also points with one parameter at an end of its range."""
    centre = {name: middle(symbol) for name, symbol in law.symbols.items()}
    special = [centre | {name: value} for name, one in law.symbols.items() for value in ends(one)] if at_ends else []
    return typical(law, count, seed) + special


def everywhere(law: Law, count: int, seed: int) -> list[Point]:
    """Return points with one parameter at an end or corner and the others in mid-range, and ``count`` random points."""
    symbols = law.symbols
    centre = {name: middle(symbol) for name, symbol in symbols.items()}
    special = {name: list(dict.fromkeys(corners(one) + ends(one))) for name, one in symbols.items()}
    points = [centre] + [centre | {name: value} for name in symbols for value in special[name]]
    size = len(symbols)
    for row in latin_hypercube(2 * size, count, seed):
        point = {}
        for k, (name, symbol) in enumerate(symbols.items()):
            which, share = row[k], row[size + k]
            if which < 1 / 3 and special[name]:
                point[name] = special[name][min(int(share * len(special[name])), len(special[name]) - 1)]
            else:
                point[name] = between(symbol, symbol.typical, share, logarithmic=which < 2 / 3)
        points.append(point)
    return points


def _float(value: float) -> float:
    return float(value) if isinstance(value, int) else value


def between(symbol: Symbol, range_: tuple[float, float], share: float, logarithmic: bool = True) -> float:
    """Return the value at the fraction ``share`` of a range, rounded if the parameter is an integer, in its domain."""
    return _float(scale(symbol, range_, logarithmic).at(share))


def scale(symbol: Symbol, range_: tuple[float, float], logarithmic: bool = True) -> Scale:
    """Return the scale of a range; with ``logarithmic`` it is logarithmic if 0 < low and high > 4 low."""
    low, high = map(float, range_)
    return Scale(symbol, low, high, logarithmic and low > 0 and high > 4 * low)

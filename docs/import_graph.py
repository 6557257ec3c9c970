"""Drawing of `docs/architecture.md`: which subpackages import which, computed from the imports, as SVG.

The subpackages of the highest layer come first. A dot means that the subpackage of its row imports that of its column:
all dots are to the right of the diagonal, because a subpackage imports those of lower layers only. Colours are those of
Okabe and Ito; the legend names them.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from docs import size

WIDTH, TOP, CELL = 1000, 126, 26
#: Kind of subpackage -> colour, and names; subpackages without a kind are of the last one.
KINDS = {
    "formulas": ("#dceaf5", {"law", "laws", "fluid"}),
    "simulators": ("#fdf0d0", {"sim", "segments"}),
    "other subpackages": ("#f4f4f4", set[str]()),
}


def ordered(graph: Mapping[str, set[str]]) -> list[str]:
    """Return the subpackages, those of the highest layer first.

    >>> ordered({"a": {"c"}, "b": {"a", "c"}, "c": set(), "d": {"c"}})
    ['b', 'a', 'd', 'c']
    """
    layers = size.layers(graph)
    return sorted(graph, key=lambda name: (-layers[name], name))


def _matrix(graph: Mapping[str, set[str]], left: int, title: str) -> list[str]:
    """Return the SVG elements of a matrix: a row and a column for each subpackage, and a dot for each import."""
    names, begin = ordered(graph), left + 110
    parts = [f'<text x="{left}" y="20" font-weight="bold">{title}</text>']
    for k, name in enumerate(names):
        x, y = begin + CELL * k, TOP + CELL * k
        fill = next((colour for colour, known in KINDS.values() if name in known), KINDS["other subpackages"][0])
        parts += [
            f'<rect x="{begin}" y="{y}" width="{CELL * len(names)}" height="{CELL}" fill="{fill}" stroke="#ccc"/>',
            f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="#ccc"/>',
            f'<text x="{begin - 8}" y="{y + 18}" text-anchor="end">{escape(name)}</text>',
            f'<text transform="translate({x + 18} {TOP - 8}) rotate(-90)">{escape(name)}</text>',
        ]
        parts += [
            f'<circle cx="{begin + CELL * names.index(one) + CELL // 2}" cy="{y + CELL // 2}" r="6" fill="#0072b2"/>'
            for one in sorted(graph[name])
        ]
    return parts


def svg() -> str:
    """Return the drawing: the package on the left, the simulator's subpackages on the right."""
    package, inside = size.dependencies(), size.dependencies(inside="sim")
    package = {name: others - {"_version"} for name, others in package.items() if name != "_version"}
    height = TOP + CELL * len(package) + 50
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'role="img" aria-labelledby="title description">',
        '<title id="title">Subpackages of the package and of its simulator</title>',
        '<desc id="description">Two tables of subpackages; a dot means that the subpackage of its row imports that of '
        "its column.</desc>",
        "<style>text{font-family:Helvetica,Arial,sans-serif;fill:#111;font-size:14px}</style>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        *_matrix(package, 20, "models/longfat"),
        *_matrix(inside, 620, "models/longfat/sim"),
    ]
    for k, (kind, (colour, _)) in enumerate(KINDS.items()):
        parts += [
            f'<rect x="{20 + 130 * k}" y="{height - 28}" width="16" height="16" fill="{colour}" stroke="#444"/>',
            f'<text x="{42 + 130 * k}" y="{height - 15}">{kind}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])

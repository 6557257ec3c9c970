"""Drawing of `docs/architecture.md`: the subpackages in their layers, computed from the imports, as SVG.

An arrow means "imports". Arrows that follow from others are left out: where A imports B, B imports C, and A imports C,
the arrow from A to C is not drawn. Colours are those of Okabe and Ito; the legend names them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from html import escape
from itertools import combinations, pairwise
from statistics import fmean

from docs import size

WIDTH, TOP, STEP, HEIGHT = 1000, 70, 74, 34
#: Subpackages by content: formulas, simulators; all others use both, or neither.
KINDS = {
    "formulas": ("#dceaf5", {"law", "laws", "fluid"}),
    "simulators": ("#fdf0d0", {"sim", "segments"}),
    "other subpackages": ("#ffffff", set[str]()),
}
SWEEPS, GAP = 30, 16  # passes over the layers; least distance between subpackages

Node = tuple[str, int]  # a subpackage, or an arrow that passes: its number
Place = tuple[int, Node]  # with the layer


def reduced(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return the arrows that do not follow from others.

    >>> reduced({"a": {"b", "c"}, "b": {"c"}, "c": set()})
    {'a': {'b'}, 'b': {'c'}, 'c': set()}
    """
    below = {name: size.reached(graph, name) for name in graph}
    return {
        name: {one for one in others if not any(one in below[other] for other in others - {one})}
        for name, others in graph.items()
    }


def half(name: str) -> float:
    """Return half the width of a subpackage's box, or, without a name, of the gap for an arrow that passes a layer."""
    return 8 + 4.6 * len(name) if name else 5


def _order(rows: dict[int, list[Node]], near: Mapping[Place, list[Place]]) -> None:
    """Sort each layer by the mean position of the neighbours below, then above; keep the order with least crossings."""
    best, least = {layer: list(row) for layer, row in rows.items()}, math.inf
    for sweep in range(SWEEPS):
        step = -1 if sweep % 2 else 1
        for layer in sorted(rows, reverse=step < 0)[1:]:
            position = {node: k for k, node in enumerate(rows[layer - step])}
            own = {node: k for k, node in enumerate(rows[layer])}
            mean = {
                node: fmean(
                    [position[other] for there, other in near[layer, node] if there == layer - step] or [own[node]]
                )
                for node in rows[layer]
            }
            rows[layer].sort(key=lambda node: (mean[node], own[node]))
        if (crossed := _crossings(rows, near)) < least:
            best, least = {layer: list(row) for layer, row in rows.items()}, crossed
    rows.update(best)


def _crossings(rows: Mapping[int, list[Node]], near: Mapping[Place, list[Place]]) -> int:
    """Return the number of crossings of arrows between neighbouring layers."""
    position = {(layer, node): k for layer, row in rows.items() for k, node in enumerate(row)}
    found = 0
    for layer, row in rows.items():
        ends = [
            (k, position[other]) for k, node in enumerate(row) for other in near[layer, node] if other[0] == layer - 1
        ]
        found += sum((one[0] - two[0]) * (one[1] - two[1]) < 0 for one, two in combinations(ends, 2))
    return found


def _spread(rows: Mapping[int, list[Node]], near: Mapping[Place, list[Place]], width: float) -> dict[Place, float]:
    """Return places across: near the mean of the neighbours, in order, and apart from each other."""
    across = {(layer, node): width * (k + 0.5) / len(row) for layer, row in rows.items() for k, node in enumerate(row)}
    for _ in range(SWEEPS):
        for layer, row in rows.items():
            wanted = [fmean([across[other] for other in near[layer, node]] or [across[layer, node]]) for node in row]
            left, right = 0.0, width
            for k, node in enumerate(row):
                wanted[k] = max(wanted[k], left + GAP + half(node[0]))
                left = wanted[k] + half(node[0])
            for k, node in reversed([*enumerate(row)]):
                across[layer, node] = wanted[k] = min(wanted[k], right - GAP - half(node[0]))
                right = wanted[k] - half(node[0])
    return across


def placed(graph: Mapping[str, set[str]], width: float) -> tuple[dict[str, list[float]], list[list[tuple[int, float]]]]:
    """Return the place of each subpackage, (across, layer), and the courses of the arrows, as layers and places across.

    An arrow over several layers has a place of its own in each of them, so that it passes between the subpackages. In a
    layer the order follows the mean place of the neighbours above and below (barycentre method of layered drawings).
    """
    layers = size.layers(graph)
    rows: dict[int, list[Node]] = {layer: [] for layer in range(1, max(layers.values()) + 1)}
    for name in sorted(graph):
        rows[layers[name]].append((name, 0))
    near: dict[Place, list[Place]] = defaultdict(list)
    courses = []
    for number, (name, other) in enumerate((one, two) for one in sorted(graph) for two in sorted(graph[one])):
        passed = [(layer, ("", number)) for layer in range(layers[name] - 1, layers[other], -1)]
        course = [(layers[name], (name, 0)), *passed, (layers[other], (other, 0))]
        for layer, node in passed:
            rows[layer].append(node)
        for one, two in pairwise(course):
            near[one].append(two)
            near[two].append(one)
        courses.append(course)
    _order(rows, near)
    across = _spread(rows, near, width)
    places = {name: [across[layer, (name, 0)], layer] for name, layer in layers.items()}
    return places, [[(layer, across[layer, node]) for layer, node in course] for course in courses]


def _panel(graph: Mapping[str, set[str]], left: float, width: float, highest: int) -> list[str]:
    """Return the SVG elements of the subpackages and arrows between ``left`` and ``left + width``."""
    places, courses = placed(reduced(graph), width)
    parts = []
    for course in courses:
        points = [(left + x, TOP + STEP * (highest - layer)) for layer, x in course]
        path = f"M{points[0][0]:.0f} {points[0][1] + HEIGHT / 2:.0f}"
        for k, ((x, y), (to_x, to_y)) in enumerate(pairwise(points)):
            y, to_y = y + HEIGHT / 2, to_y - HEIGHT / 2
            middle = (y + to_y) / 2
            path += f"C{x:.0f} {middle:.0f} {to_x:.0f} {middle:.0f} {to_x:.0f} {to_y:.0f}"
            path += f"V{to_y + HEIGHT:.0f}" if k < len(points) - 2 else ""
        parts.append(f'<path d="{path}" fill="none" stroke="#0072b2" stroke-width="1.2" marker-end="url(#head)"/>')
    for name, (across, layer) in places.items():
        x, y, wide = left + across, TOP + STEP * (highest - layer), half(name)
        fill = next((colour for colour, names in KINDS.values() if name in names), "#ffffff")
        parts += [
            f'<rect x="{x - wide:.0f}" y="{y - HEIGHT / 2:.0f}" width="{2 * wide:.0f}" height="{HEIGHT}" rx="6" '
            f'fill="{fill}" stroke="#444"/>',
            f'<text x="{x:.0f}" y="{y + 5:.0f}" text-anchor="middle">{escape(name)}</text>',
        ]
    return parts


def svg() -> str:
    """Return the drawing: the package on the left, the simulator's subpackages on the right."""
    package, inside = size.dependencies(), size.dependencies(inside="sim")
    package.pop("_version")
    package = {name: others - {"_version"} for name, others in package.items()}
    highest = max(max(size.layers(graph).values()) for graph in (package, inside))
    height = TOP + STEP * highest
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'role="img" aria-labelledby="title description">',
        '<title id="title">Subpackages of the package and of its simulator</title>',
        '<desc id="description">Subpackages as boxes in layers; an arrow leads from a subpackage to one that it '
        "imports.</desc>",
        "<style>text{font-family:Helvetica,Arial,sans-serif;fill:#111;font-size:14px}</style>",
        '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#0072b2"/></marker>',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<path d="M{0.72 * WIDTH:.0f} 30V{height - 30}" stroke="#aaa" stroke-dasharray="4 4"/>',
        '<text x="20" y="24" font-weight="bold">models/longfat</text>',
        f'<text x="{0.74 * WIDTH:.0f}" y="24" font-weight="bold">models/longfat/sim</text>',
        *_panel(package, 0, 0.72 * WIDTH, highest),
        *_panel(inside, 0.73 * WIDTH, 0.27 * WIDTH, highest),
    ]
    for k, (kind, (colour, _)) in enumerate(KINDS.items()):
        parts += [
            f'<rect x="{20 + 130 * k}" y="{height - 28}" width="16" height="16" fill="{colour}" stroke="#444"/>',
            f'<text x="{42 + 130 * k}" y="{height - 15}">{kind}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])

"""Drawing of `docs/architecture.md`: the rooms of the package on their floors, made from its imports, as SVG.

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
#: Rooms by what they hold: formulas, simulators; all others use both, or neither.
KINDS = {
    "formulas": ("#dceaf5", {"law", "laws", "fluid"}),
    "simulators": ("#fdf0d0", {"sim", "segments"}),
    "other rooms": ("#ffffff", set[str]()),
}
SWEEPS, GAP = 30, 16  # passes over the floors; least distance between rooms

Node = tuple[str, int]  # a room, or an arrow that passes: its number
Place = tuple[int, Node]  # with the floor


def reduced(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return the arrows that do not follow from others.

    >>> reduced({"a": {"b", "c"}, "b": {"c"}, "c": set()})
    {'a': {'b'}, 'b': {'c'}, 'c': set()}
    """
    below = {room: size.reached(graph, room) for room in graph}
    return {
        room: {one for one in others if not any(one in below[other] for other in others - {one})}
        for room, others in graph.items()
    }


def half(room: str) -> float:
    """Return half the width of a room's box, or, without a name, of the gap for an arrow that passes a floor."""
    return 8 + 4.6 * len(room) if room else 5


def _order(rows: dict[int, list[Node]], near: Mapping[Place, list[Place]]) -> None:
    """Sort each floor by the mean position of the neighbours below, then above; keep the order with least crossings."""
    best, least = {floor: list(row) for floor, row in rows.items()}, math.inf
    for sweep in range(SWEEPS):
        step = -1 if sweep % 2 else 1
        for floor in sorted(rows, reverse=step < 0)[1:]:
            position = {node: k for k, node in enumerate(rows[floor - step])}
            own = {node: k for k, node in enumerate(rows[floor])}
            mean = {
                node: fmean(
                    [position[other] for there, other in near[floor, node] if there == floor - step] or [own[node]]
                )
                for node in rows[floor]
            }
            rows[floor].sort(key=lambda node: (mean[node], own[node]))
        if (crossed := _crossings(rows, near)) < least:
            best, least = {floor: list(row) for floor, row in rows.items()}, crossed
    rows.update(best)


def _crossings(rows: Mapping[int, list[Node]], near: Mapping[Place, list[Place]]) -> int:
    """Return the number of crossings of arrows between neighbouring floors."""
    position = {(floor, node): k for floor, row in rows.items() for k, node in enumerate(row)}
    found = 0
    for floor, row in rows.items():
        ends = [
            (k, position[other]) for k, node in enumerate(row) for other in near[floor, node] if other[0] == floor - 1
        ]
        found += sum((one[0] - two[0]) * (one[1] - two[1]) < 0 for one, two in combinations(ends, 2))
    return found


def _spread(rows: Mapping[int, list[Node]], near: Mapping[Place, list[Place]], width: float) -> dict[Place, float]:
    """Return places across: near the mean of the neighbours, in order, and apart from each other."""
    across = {(floor, node): width * (k + 0.5) / len(row) for floor, row in rows.items() for k, node in enumerate(row)}
    for _ in range(SWEEPS):
        for floor, row in rows.items():
            wanted = [fmean([across[other] for other in near[floor, node]] or [across[floor, node]]) for node in row]
            left, right = 0.0, width
            for k, node in enumerate(row):
                wanted[k] = max(wanted[k], left + GAP + half(node[0]))
                left = wanted[k] + half(node[0])
            for k, node in reversed([*enumerate(row)]):
                across[floor, node] = wanted[k] = min(wanted[k], right - GAP - half(node[0]))
                right = wanted[k] - half(node[0])
    return across


def placed(graph: Mapping[str, set[str]], width: float) -> tuple[dict[str, list[float]], list[list[tuple[int, float]]]]:
    """Return the place of each room, (across, floor), and the courses of the arrows, as floors and places across.

    An arrow over several floors has a place of its own on each of them, so that it passes between the rooms. The order
    on a floor follows the mean place of the neighbours above and below (the barycentre method of layered drawings).
    """
    floors = size.floors(graph)
    rows: dict[int, list[Node]] = {floor: [] for floor in range(1, max(floors.values()) + 1)}
    for room in sorted(graph):
        rows[floors[room]].append((room, 0))
    near: dict[Place, list[Place]] = defaultdict(list)
    courses = []
    for number, (room, other) in enumerate((one, two) for one in sorted(graph) for two in sorted(graph[one])):
        passed = [(floor, ("", number)) for floor in range(floors[room] - 1, floors[other], -1)]
        course = [(floors[room], (room, 0)), *passed, (floors[other], (other, 0))]
        for floor, node in passed:
            rows[floor].append(node)
        for one, two in pairwise(course):
            near[one].append(two)
            near[two].append(one)
        courses.append(course)
    _order(rows, near)
    across = _spread(rows, near, width)
    places = {room: [across[floor, (room, 0)], floor] for room, floor in floors.items()}
    return places, [[(floor, across[floor, node]) for floor, node in course] for course in courses]


def _panel(graph: Mapping[str, set[str]], left: float, width: float, highest: int) -> list[str]:
    """Return the SVG elements of the rooms and arrows between ``left`` and ``left + width``."""
    places, courses = placed(reduced(graph), width)
    parts = []
    for course in courses:
        points = [(left + x, TOP + STEP * (highest - floor)) for floor, x in course]
        path = f"M{points[0][0]:.0f} {points[0][1] + HEIGHT / 2:.0f}"
        for k, ((x, y), (to_x, to_y)) in enumerate(pairwise(points)):
            y, to_y = y + HEIGHT / 2, to_y - HEIGHT / 2
            middle = (y + to_y) / 2
            path += f"C{x:.0f} {middle:.0f} {to_x:.0f} {middle:.0f} {to_x:.0f} {to_y:.0f}"
            path += f"V{to_y + HEIGHT:.0f}" if k < len(points) - 2 else ""
        parts.append(f'<path d="{path}" fill="none" stroke="#0072b2" stroke-width="1.2" marker-end="url(#head)"/>')
    for room, (across, floor) in places.items():
        x, y, wide = left + across, TOP + STEP * (highest - floor), half(room)
        fill = next((colour for colour, rooms in KINDS.values() if room in rooms), "#ffffff")
        parts += [
            f'<rect x="{x - wide:.0f}" y="{y - HEIGHT / 2:.0f}" width="{2 * wide:.0f}" height="{HEIGHT}" rx="6" '
            f'fill="{fill}" stroke="#444"/>',
            f'<text x="{x:.0f}" y="{y + 5:.0f}" text-anchor="middle">{escape(room)}</text>',
        ]
    return parts


def svg() -> str:
    """Return the drawing: the package on the left, the simulator's rooms on the right."""
    house, inside = size.arrows(), size.arrows(inside="sim")
    house.pop("_version")
    house = {room: others - {"_version"} for room, others in house.items()}
    highest = max(max(size.floors(graph).values()) for graph in (house, inside))
    height = TOP + STEP * highest
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'role="img" aria-labelledby="title description">',
        '<title id="title">Rooms of the package and of its simulator</title>',
        '<desc id="description">Folders of the package as boxes on floors; an arrow leads from a folder to one that it '
        "imports.</desc>",
        "<style>text{font-family:Helvetica,Arial,sans-serif;fill:#111;font-size:14px}</style>",
        '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#0072b2"/></marker>',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<path d="M{0.72 * WIDTH:.0f} 30V{height - 30}" stroke="#aaa" stroke-dasharray="4 4"/>',
        '<text x="20" y="24" font-weight="bold">models/longfat</text>',
        f'<text x="{0.74 * WIDTH:.0f}" y="24" font-weight="bold">models/longfat/sim</text>',
        *_panel(house, 0, 0.72 * WIDTH, highest),
        *_panel(inside, 0.73 * WIDTH, 0.27 * WIDTH, highest),
    ]
    for k, (kind, (colour, _)) in enumerate(KINDS.items()):
        parts += [
            f'<rect x="{20 + 130 * k}" y="{height - 28}" width="16" height="16" fill="{colour}" stroke="#444"/>',
            f'<text x="{42 + 130 * k}" y="{height - 15}">{kind}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])

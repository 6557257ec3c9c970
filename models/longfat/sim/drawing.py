"""Pictures of networks: SVG, put together as text."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape
from itertools import pairwise

from longfat.quantities import text
from longfat.sim.network import Flow, Link, Network

#: Okabe and Ito's colours, which colour-blind people can tell apart; the flows are listed by name beside them.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
LISTED = 14  # flows; more are counted
_COLUMN, _ROW, _MARGIN, _LINE = 190.0, 74.0, 30.0, 18.0  # px
_CHARACTER = 6.7  # px, of a letter at 12 px, with some room

Place = tuple[float, float]


def svg(net: Network) -> str:
    """A picture of a network: nodes, links with rate, delay and buffer, flows with scheme and path.

    Parameters
    ----------
    net : Network
        Laid out along its flows, from left to right.

    Returns
    -------
    str
        SVG.

    Examples
    --------
    >>> net = Network.chain(2, rate="10 Mbit/s", delay="5 ms", buffer=20).flow("reno", path=["n0", "n1", "n2"])
    >>> picture = svg(net)
    >>> picture[:4], "10 Mbit/s, 5 ms" in picture, "20 packets" in picture, "n0 → n1 → n2" in picture
    ('<svg', True, True, True)
    """
    places = _pixels(net, layout(net))
    rows = _list(net.flows)
    widths = [max((len(row[k]) for row in rows), default=0) * _CHARACTER for k in range(3)]
    right = max((x + _half(node) for node, (x, _) in places.items()), default=0)
    bottom = max((y for _, y in places.values()), default=0) + 44
    width = max(right + _MARGIN, 2 * _MARGIN + 30 + sum(widths) + 32, _MARGIN * 2 + len(net.name) * 8.5)
    height = bottom + _LINE * len(rows) + _MARGIN / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" font-size="12" role="img">',
        f"<title>{_safe(net.name or repr(net))}</title>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    if net.name:
        parts.append(f'<text x="{_MARGIN:.0f}" y="24" font-size="14" font-weight="bold">{_safe(net.name)}</text>')
    parts += _wires(net, places)
    parts += _paths(net.flows[: len(COLOURS)], places)
    parts += [part for node, place in places.items() for part in _node(node, place)]
    parts += _labels(net, places)
    for k, row in enumerate(rows):
        y = bottom + _LINE * (k + 0.7)
        if k < min(len(net.flows), len(COLOURS)):
            parts.append(_line([(_MARGIN, y - 4), (_MARGIN + 20, y - 4)], COLOURS[k], 2.5))
        x = _MARGIN + 30
        for word, room in zip(row, widths, strict=True):
            parts.append(f'<text x="{x:.0f}" y="{y:.0f}">{_safe(word)}</text>')
            x += room + 16
    return "\n".join([*parts, "</svg>\n"])


def layout(net: Network) -> dict[str, Place]:
    """Column and row of each node: columns along the flows, rows centred in their column.

    >>> layout(Network.dumbbell(["reno", "vegas"], rate=1e6))["sink-2"]
    (3, 0.5)
    """
    columns: dict[str, int] = {}
    for path in sorted((flow.path for flow in net.flows), key=len, reverse=True):
        _lay(path, columns)
    for tail, head in [*net.links] * 2:  # what no flow visits stands beside its neighbours
        _lay((tail, head), columns)
    first = min(columns.values(), default=0)
    order = {node: columns[node] - first for node in net.nodes if node in columns}
    stacks: dict[int, list[str]] = {}
    for node, column in order.items():
        stacks.setdefault(column, []).append(node)
    return {
        node: (column, stacks[column].index(node) - (len(stacks[column]) - 1) / 2) for node, column in order.items()
    }


def _lay(path: tuple[str, ...], columns: dict[str, int]) -> None:
    """Columns for the nodes of a path, beside those that have one."""
    known = [k for k, node in enumerate(path) if node in columns]
    if not known:
        known = [0]
        columns[path[0]] = max(columns.values(), default=-1) + 1 if columns else 0
    first, last = known[0], known[-1]
    step = -1 if columns[path[last]] < columns[path[first]] else 1
    for k in range(first - 1, -1, -1):
        columns[path[k]] = columns[path[k + 1]] - step
    for k in range(first + 1, len(path)):
        if path[k] not in columns:
            columns[path[k]] = columns[path[k - 1]] + step


def _pixels(net: Network, places: dict[str, Place]) -> dict[str, Place]:
    """Places in the picture, with columns as wide as the links' labels need."""
    longest = max((len(words) for pair in _once(net) for words in _said(net, *pair)), default=0)
    column_width = max(_COLUMN, longest * 6.2 + 2 * max(map(_half, places), default=0) + 12)
    left = max((_half(node) for node, (column, _) in places.items() if column == 0), default=0)
    top = min((row for _, row in places.values()), default=0)
    return {
        node: (_MARGIN + left + column_width * column, 76 + _ROW * (row - top))
        for node, (column, row) in places.items()
    }


def _half(node: str) -> float:
    """Half of the width of a node's box."""
    return max(16.0, len(_short(node)) * _CHARACTER / 2 + 8)


def _short(word: str, most: int = 18) -> str:
    return word if len(word) <= most else word[: most - 1] + "…"


def _safe(words: str) -> str:
    """Text for XML, which knows no control characters and no lone surrogates."""
    printable = "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in words)
    return escape(printable)


def _node(node: str, place: Place) -> list[str]:
    (x, y), half = place, _half(node)
    return [
        f'<rect x="{x - half:.1f}" y="{y - 12:.1f}" width="{2 * half:.1f}" height="24" rx="6" fill="#f4f4f4" '
        'stroke="#333"/>',
        f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">{_safe(_short(node))}</text>',
    ]


def _line(points: Iterable[Place], colour: str, width: float, more: str = "") -> str:
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="{width}"{more}/>'


def _wires(net: Network, places: dict[str, Place]) -> list[str]:
    """A line for each two nodes that are joined."""
    return [_line((places[tail], places[head]), "#999", 3) for tail, head in _once(net)]


def _once(net: Network) -> list[tuple[str, str]]:
    """Each two joined nodes, in the order of the first link between them."""
    pairs: list[tuple[str, str]] = []
    seen: set[frozenset[str]] = set()
    for pair in net.links:
        if frozenset(pair) not in seen:
            seen.add(frozenset(pair))
            pairs.append(pair)
    return pairs


def _paths(flows: list[Flow], places: dict[str, Place]) -> list[str]:
    """Flows' ways, a little below the links, each in the first lane that is free all along."""
    parts = []
    taken: set[tuple[int, frozenset[str]]] = set()
    for k, flow in enumerate(flows):
        links = [frozenset(pair) for pair in pairwise(flow.path)]
        lane = next(lane for lane in range(len(flows)) if not any((lane, link) in taken for link in links))
        taken.update((lane, link) for link in links)
        points = [(places[node][0], places[node][1] + 5 + 4 * lane) for node in flow.path]
        parts.append(_line(points, COLOURS[k], 2, ' stroke-linejoin="round"'))
    return parts


def _labels(net: Network, places: dict[str, Place]) -> list[str]:
    """What each link is, above its middle; said once if both directions are alike."""
    parts = []
    for tail, head in _once(net):
        lines = _said(net, tail, head, places[tail][0] <= places[head][0])
        (x0, y0), (x1, y1) = places[tail], places[head]
        for k, words in enumerate(reversed(lines)):
            place = f'x="{(x0 + x1) / 2:.1f}" y="{(y0 + y1) / 2 - 6 - 13 * k:.1f}" font-size="11" text-anchor="middle"'
            parts.append(f'<text {place} stroke="white" stroke-width="4" aria-hidden="true">{_safe(words)}</text>')
            parts.append(f"<text {place}>{_safe(words)}</text>")
    return parts


def _said(net: Network, tail: str, head: str, rightwards: bool = True) -> list[str]:
    """The lines above a link: what it is, or what each direction is."""
    there, back = net.links[tail, head], net.links.get((head, tail))
    lines = _about(there)
    if back is not None and _about(back) == lines:
        return lines
    arrows = "→←" if rightwards else "←→"
    both = zip(arrows, (there, back), strict=True)
    return [f"{arrow} {', '.join(_about(one)) or 'no limit'}" for arrow, one in both if one is not None]


def _about(link: Link) -> list[str]:
    """Rate and delay, buffer and discipline, loss: what there is of it."""
    line = [text(link.rate, "bytes/s")] if link.rate < math.inf else []
    line += [text(link.delay, "s")] if link.delay else []
    room = []
    if link.buffer_packets < math.inf:
        room.append(f"{link.buffer_packets:.0f} packets")
    elif link.buffer_bytes < math.inf:
        room.append(text(link.buffer_bytes, "bytes"))
    room += [link.discipline.name] if link.discipline.name != "fifo" else []
    room += [f"loss {link.loss:.3g}"] if link.loss else []
    room += [f"jitter {text(link.jitter, 's')}"] if link.jitter else []
    return [", ".join(words) for words in (line, room) if words]


def _list(flows: list[Flow]) -> list[tuple[str, str, str]]:
    """Name, scheme and path of each flow, and how many more there are."""
    rows = []
    for flow in flows[:LISTED]:
        kind = [made.name for made in (flow.traffic, flow.scheme) if made is not None]
        if flow.file is not None:
            kind.append(text(flow.file, "bytes"))
        copies = f"{flow.count} times " if flow.count > 1 else ""
        path = " → ".join(map(_short, flow.path[:8])) + (" → …" if len(flow.path) > 8 else "")
        rows.append((_short(flow.name, 30), copies + ", ".join(kind), path))
    if len(flows) > LISTED:
        rows.append((f"and {len(flows) - LISTED} more", "", ""))
    return rows

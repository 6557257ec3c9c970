"""Drawings of networks as SVG: boxes in columns along the paths of flows, links with labels, a line for each flow."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

from longfat.base.quantities import text
from longfat.sim.network.elements import Flow, Link

if TYPE_CHECKING:
    from longfat.sim.network.network import Network

APART = 8  # flows; up to this number each has a line, beyond it the flows of one kind share a line
#: Fields that `_kind` does not compare; it compares the names of schemes, and the nodes that several flows visit.
OWN = ("name", "path", "start", "stagger", "scheme")
COLUMN, GAP, MARGIN, LINE = 190.0, 50.0, 30.0, 18.0  # px
CHARACTER, LETTER = 7.0, 13.0  # width of a letter with some margin, and distance between lines of a label [px]
LANE = 6.0  # distance between lines of flows [px]
LEAST_WIDTH = 900.0  # px; narrower drawings are padded at the right, because notebooks stretch a drawing to their width
#: Colours of Okabe and Ito, which colour-blind people can distinguish; the flows are also listed by name.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
BAND = 'class="link" stroke="#ddd" stroke-width="10"'
DASHES = ("", "9 3", "3 3", "9 3 3 3", "15 4", "15 4 3 4")  # dashes of the first seven lines, the next seven, and so on

Place = tuple[float, float]
Pair = tuple[str, str]
Edges = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True)
class Bundle:
    """Flows that share a line of the drawing: one flow, or several of one kind over links of one kind."""

    flow: Flow
    names: tuple[str, ...]

    @property
    def words(self) -> tuple[str, str]:
        """Two texts: the names of the flows; and their number, traffic, scheme and file size."""
        kind = [made.name for made in (self.flow.traffic, self.flow.scheme) if made is not None]
        if self.flow.file is not None:
            kind.append(text(self.flow.file, "bytes"))
        copies = f"{self.flow.count} times " if self.flow.count > 1 else ""
        several = f"{len(self.names)} flows, each " if len(self.names) > 1 else ""
        return _first_to_last(self.names), several + copies + ", ".join(kind)


@dataclass(frozen=True)
class Sketch:
    """Contents of a drawing: boxes with their labels, links between them, and lines of flows."""

    boxes: dict[str, str]
    links: dict[Pair, Link]
    bundles: list[Bundle]


def sketch(net: Network) -> Sketch:
    """Return the contents of a drawing; above `APART` flows only the first flow of each kind, with its hosts.

    >>> from longfat.sim import Network
    >>> two = sketch(Network.dumbbell(["reno"] * 30 + ["vegas"], rate=1e6))
    >>> list(two.boxes.values())[2:4], [one.words for one in two.bundles]
    (['source-1 … source-30', 'sink-1 … sink-30'], [('reno-1 … reno-30', '30 flows, each reno'), ('vegas-31', 'vegas')])
    """
    boxes = {node: short(node) for node in net.nodes}
    groups: dict[object, list[Flow]] = {}
    own = _own_nodes(net)
    for flow in net.flows:
        groups.setdefault(_kind(net, flow, own) if len(net.flows) > APART else flow.name, []).append(flow)
    gone: set[str] = set()
    for first, *others in groups.values():
        gone.update(node for flow in others for node in flow.path if node in own)
        for k, node in enumerate(first.path):
            if node in own and others:
                boxes[node] = _first_to_last([node, *(flow.path[k] for flow in others)])
    return Sketch(
        {node: words for node, words in boxes.items() if node not in gone},
        {pair: link for pair, link in net.links.items() if not gone & set(pair)},
        [Bundle(one[0], tuple(flow.name for flow in one)) for one in groups.values()],
    )


def _own_nodes(net: Network) -> set[str]:
    """Return the nodes that only one flow visits and that have no links other than those of its path."""
    visits: dict[str, list[Flow]] = {}
    for flow in net.flows:
        for node in flow.path:
            visits.setdefault(node, []).append(flow)
    own = {node for node, flows in visits.items() if len(flows) == 1}
    for tail, head in net.links:
        for node, other in ((tail, head), (head, tail)):
            if node in own and frozenset((node, other)) not in set(map(frozenset, pairwise(visits[node][0].path))):
                own.discard(node)
    return own


def _kind(net: Network, flow: Flow, own: set[str]) -> object:
    """Return the key of a flow's kind: its fields except `OWN`, its nodes except those in `own`, and its links."""
    ways = [tuple(tuple(about(net.links[one])) if one in net.links else None for one in (pair, pair[::-1]))
            for pair in pairwise(flow.path)]  # fmt: skip
    nodes = tuple("" if node in own else node for node in flow.path)
    rest = [repr(getattr(flow, one.name)) for one in fields(flow) if one.name not in OWN]
    return (*rest, flow.scheme.name if flow.scheme else "", nodes, tuple(ways))


def _first_to_last(names: Iterable[str]) -> str:
    """Return one name, or the first and the last of several.

    >>> _first_to_last(["a"]), _first_to_last(["a", "b", "c"])
    ('a', 'a … c')
    """
    one, *others = names
    return f"{short(one, 16)} … {short(others[-1], 16)}" if others else one


def short(word: str, most: int = 18) -> str:
    """Return a label, shortened with dots if it is too long.

    >>> short("bottleneck", 5)
    'bott…'
    """
    return word if len(word) <= most else word[: most - 1] + "…"


def grid(nodes: Iterable[str], links: Iterable[Pair], paths: Iterable[tuple[str, ...]]) -> dict[str, Place]:
    """Return column and row of each node of a graph; columns follow the paths, and rows are centred in their column.

    >>> grid(["a", "b", "c"], [("a", "b"), ("b", "c")], [("a", "b", "c")])["c"]
    (2, 0.0)
    """
    columns: dict[str, int] = {}
    for path in (*sorted(paths, key=len, reverse=True), *links, *links):  # nodes that no flow visits follow others
        _lay(path, columns)
    first = min(columns.values(), default=0)
    stacks: dict[int, list[str]] = {}
    for node in nodes:
        stacks.setdefault(columns[node] - first, []).append(node)
    return {
        node: (column, row - (len(stack) - 1) / 2) for column, stack in stacks.items() for row, node in enumerate(stack)
    }


def _lay(path: tuple[str, ...], columns: dict[str, int]) -> None:
    """Assign columns to the nodes of a path that have none, next to the columns of their neighbours."""
    known = [k for k, node in enumerate(path) if node in columns]
    if not known:
        known = [0]
        columns[path[0]] = max(columns.values(), default=-1) + 1
    first, last = known[0], known[-1]
    step = -1 if columns[path[last]] < columns[path[first]] else 1
    for k in range(first - 1, -1, -1):
        columns[path[k]] = columns[path[k + 1]] - step
    for k in range(first + 1, len(path)):
        if path[k] not in columns:
            columns[path[k]] = columns[path[k - 1]] + step


def once(links: Iterable[Pair]) -> list[Pair]:
    """Return each pair of linked nodes once, in the order of the first link between them."""
    return list({frozenset(pair): pair for pair in reversed(list(links))}.values())[::-1]


def said(links: dict[Pair, Link], pair: Pair, rightwards: bool = True) -> list[str]:
    """Return the lines of text above a link: the properties of both directions, or of each direction if they differ."""
    there, back = links[pair], links.get(pair[::-1])
    lines = about(there)
    if back is not None and about(back) == lines:
        return lines
    both = zip("→←" if rightwards else "←→", (there, back), strict=True)
    return [f"{arrow} {', '.join(about(one)) or 'no limit'}" for arrow, one in both if one is not None]


def about(link: Link) -> list[str]:
    """Return at most two lines of text on a link: its rate and delay; its buffer, discipline, loss and jitter."""
    line = [text(link.rate, "bytes/s")] if link.rate < math.inf else []
    line += [text(link.delay, "s")] if link.delay else []
    room = []
    if link.buffer_packets < math.inf:
        room.append(f"{link.buffer_packets:.0f} packet{'s' * (link.buffer_packets != 1)}")
    elif link.buffer_bytes < math.inf:
        room.append(text(link.buffer_bytes, "bytes"))
    room += [link.discipline.name] if link.discipline.name != "fifo" else []
    room += [f"loss {link.loss:.3g}"] if link.loss else []
    room += [f"jitter {text(link.jitter, 's')}"] if link.jitter else []
    return [", ".join(words) for words in (line, room) if words]


@dataclass
class Box:
    """Box of a node: its label, the numbers of the lines that visit it, and its centre [px]."""

    words: str
    lines: list[int]
    x: float = 0.0
    y: float = 0.0

    @property
    def half(self) -> Place:
        """Half of the width and of the height [px], with room for label and lines."""
        lines = LANE * len(self.lines) / 2 + 4
        return max(16.0, len(self.words) * CHARACTER / 2 + 8, lines), max(12.0, lines)

    def lane(self, k: int, other: Box) -> Place:
        """Return the point [px] where line `k` from this box to another begins; the lines of a box lie side by side."""
        shift = LANE * (self.lines.index(k) - (len(self.lines) - 1) / 2) if k in self.lines else 0.0
        return (self.x + shift, self.y) if other.x == self.x else (self.x, self.y + shift)

    @property
    def edges(self) -> Edges:
        """Edges of the box [px]."""
        wide, high = self.half
        return self.x - wide, self.y - high, self.x + wide, self.y + high


def placed(drawn: Sketch, top: float) -> dict[str, Box]:
    """Return the boxes of a drawing whose upper edge is at `top` [px]."""
    paths = [one.flow.path for one in drawn.bundles]
    boxes = {
        node: Box(words, [k for k, path in enumerate(paths) if node in path]) for node, words in drawn.boxes.items()
    }
    wide, high = (max((box.half[k] for box in boxes.values()), default=0.0) for k in (0, 1))
    longest = max((len(line) for pair in drawn.links for line in said(drawn.links, pair)), default=0)
    places = grid(boxes, drawn.links, paths)
    lowest = max((row for _, row in places.values()), default=0.0)
    for node, (column, row) in places.items():
        boxes[node].x = MARGIN + wide + column * max(COLUMN, longest * CHARACTER + 2 * wide + 12)
        boxes[node].y = top + GAP / 2 + high + (lowest + row) * (2 * high + GAP)
    return boxes


def svg(net: Network) -> str:
    """Return a drawing of a network as SVG: nodes, links with rate, delay and buffer, flows with scheme and path.

    If there are more than eight flows, flows of one scheme over equal links share a line, labelled with their number.

    Parameters
    ----------
    net : Network
        Network, drawn along its flows from left to right.

    Examples
    --------
    >>> from longfat.sim import Network
    >>> net = Network.chain(2, rate="10 Mbit/s", delay="5 ms", buffer=20).flow("reno", path=["n0", "n1", "n2"])
    >>> picture = svg(net)
    >>> picture[:4], "10 Mbit/s, 5 ms" in picture, "20 packets" in picture, "n0 → n1 → n2" in picture
    ('<svg', True, True, True)
    """
    drawn = sketch(net)
    boxes = placed(drawn, 44.0 if net.name else 20.0)
    bands, lines, labels, listed = [], [], [], []
    for k, one in enumerate(drawn.bundles):
        for node, other in pairwise(one.flow.path):
            ends = [boxes[node].lane(k, boxes[other]), boxes[other].lane(k, boxes[node])]
            bands.append(_line(ends, BAND))
            lines.append(_line(ends, f'class="flow" {_look(k)}', f"<title>{_safe(': '.join(one.words))}</title>"))
    lanes = Counter(frozenset(pair) for one in drawn.bundles for pair in pairwise(one.flow.path))
    taken = [box.edges for box in boxes.values()]
    for pair in once(drawn.links):
        tail, head = (boxes[node] for node in pair)
        if not lanes[frozenset(pair)]:
            bands.append(_line([(tail.x, tail.y), (head.x, head.y)], BAND))
        words = said(drawn.links, pair, tail.x <= head.x)
        x, wide = (tail.x + head.x) / 2, max(map(len, words), default=0) * CHARACTER / 2
        y = (tail.y + head.y) / 2 - LANE * lanes[frozenset(pair)] / 2 - 6
        box = (x - wide, y - LETTER * (len(words) - 1) - 10, x + wide, y + 2)
        if words and not any(_overlap(box, edges) for edges in taken):
            taken.append(box)
            labels += [_label(line, x, y - LETTER * k) for k, line in enumerate(reversed(words))]
        elif words:
            listed.append(("", f"{tail.words} - {head.words}", "; ".join(words)))
    rows = [(*one.words, " → ".join(short(drawn.boxes[node], 34) for node in one.flow.path[:8])
             + (" → …" if len(one.flow.path) > 8 else "")) for one in drawn.bundles]  # fmt: skip
    rows = [(short(name, 34), kind, path) for name, kind, path in rows] + listed
    widths = [max((len(row[k]) for row in rows), default=0) * CHARACTER for k in range(3)]
    right, top = (max((edges[k] for edges in taken), default=0.0) + 20 for k in (2, 3))
    width = max(right + 10, 2 * MARGIN + 62 + sum(widths), MARGIN * 2 + len(net.name) * 8.5, LEAST_WIDTH)
    for k, row in enumerate(rows):
        y = top + LINE * (k + 0.7)
        if k < len(drawn.bundles):
            labels.append(_line([(MARGIN, y - 4), (MARGIN + 24, y - 4)], f'class="swatch" {_look(k)}'))
        places = (MARGIN + 30 + sum(widths[:j]) + 16 * j for j in range(3))
        labels += [f'<text x="{x:.1f}" y="{y:.1f}">{_safe(word)}</text>' for x, word in zip(places, row, strict=True)]
    top_lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="100%" '
        f'viewBox="0 0 {width:.0f} {top + LINE * len(rows) + MARGIN / 2:.0f}" '
        'font-family="sans-serif" font-size="12" role="img">',
        f"<title>{_safe(net.name or repr(net))}</title>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    if net.name:
        top_lines.append(f'<text x="{MARGIN:.0f}" y="24" font-size="14" font-weight="bold">{_safe(net.name)}</text>')
    return "\n".join([*top_lines, *bands, *lines, *map(_node, boxes.values()), *labels, "</svg>\n"])


def _overlap(one: Edges, other: Edges) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _safe(words: str) -> str:
    """Return text escaped for XML, without the control characters and lone surrogates that XML does not allow."""
    return escape("".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in words))


def _look(k: int) -> str:
    """Return the SVG attributes of the k-th line of flows: seven colours, each repeated with other dashes."""
    dashes = DASHES[k // len(COLOURS) % len(DASHES)]
    return f'stroke="{COLOURS[k % len(COLOURS)]}" stroke-width="2.5"' + (
        f' stroke-dasharray="{dashes}"' if dashes else ""
    )


def _line(points: Iterable[Place], look: str, inside: str = "") -> str:
    return (
        f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" fill="none" {look}>{inside}</polyline>'
    )


def _node(box: Box) -> str:
    """Return the SVG elements of a node."""
    left, top, *_ = box.edges
    wide, high = box.half
    return (
        f'<rect class="node" x="{left:.1f}" y="{top:.1f}" width="{2 * wide:.1f}" height="{2 * high:.1f}" '
        f'rx="6" fill="#f4f4f4" stroke="#333"/>\n'
        f'<text x="{box.x:.1f}" y="{box.y + 4:.1f}" text-anchor="middle">{_safe(box.words)}</text>'
    )


def _label(words: str, x: float, y: float) -> str:
    """Return the SVG elements of one line of text of a link's label, centred at `x`, with a white border."""
    place = f'x="{x:.1f}" y="{y:.1f}" font-size="11" text-anchor="middle"'
    border = f'<text {place} stroke="white" stroke-width="4" aria-hidden="true">{_safe(words)}</text>'
    return f"{border}\n<text {place}>{_safe(words)}</text>"

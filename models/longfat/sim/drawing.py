"""Pictures of networks: SVG, put together as text."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from html import escape
from itertools import pairwise

from longfat.quantities import text
from longfat.sim.network import Flow, Link, Network

#: Okabe and Ito's colours, which colour-blind people can tell apart; the flows are listed by name beside them.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("", "9 3", "3 3", "9 3 3 3", "15 4", "15 4 3 4")  # of the first seven flows, of the next seven, and so on
APART = 8  # flows that are always drawn one by one; of more, those of one kind are drawn as one line
OWN = ("name", "path", "start", "stagger", "scheme")  # fields that differ within a kind, or that are compared by name
LEAST_WIDTH = 900.0  # px; narrower pictures have room at the right, as a notebook stretches each to its own width
COLUMN, ROW, MARGIN, LINE = 190.0, 74.0, 30.0, 18.0  # px
CHARACTER, SMALL = 7.0, 7.0  # px, of a letter at 12 px and at 11 px, with some room
LANE, LETTER = 6.0, 13.0  # px, between flows on a link, and between the lines of its label

Place = tuple[float, float]
Pair = tuple[str, str]
Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True)
class Bundle:
    """Flows that are drawn as one line: one, or several of one kind over links of one kind."""

    flow: Flow
    names: tuple[str, ...]

    @property
    def words(self) -> tuple[str, str]:
        """Return the names, and what the flows are."""
        kind = [made.name for made in (self.flow.traffic, self.flow.scheme) if made is not None]
        if self.flow.file is not None:
            kind.append(text(self.flow.file, "bytes"))
        copies = f"{self.flow.count} times " if self.flow.count > 1 else ""
        several = f"{len(self.names)} flows, each " if len(self.names) > 1 else ""
        return _first_to_last(self.names), several + copies + ", ".join(kind)


@dataclass(frozen=True)
class Sketch:
    """What is drawn of a network: boxes with their words, links between them, lines."""

    boxes: dict[str, str]
    links: dict[Pair, Link]
    bundles: list[Bundle]


def svg(net: Network) -> str:
    """Return a picture of a network: nodes, links with rate, delay and buffer, flows with scheme and path.

    Of more than eight flows, those of one kind over hosts of their own and links of one kind are one line with their
    number.

    Parameters
    ----------
    net : Network
        Laid out along its flows, from left to right.

    Returns
    -------
    str
        SVG as wide as its page.

    Examples
    --------
    >>> net = Network.chain(2, rate="10 Mbit/s", delay="5 ms", buffer=20).flow("reno", path=["n0", "n1", "n2"])
    >>> picture = svg(net)
    >>> picture[:4], "10 Mbit/s, 5 ms" in picture, "20 packets" in picture, "n0 → n1 → n2" in picture
    ('<svg', True, True, True)
    """
    from longfat.sim.placing import Placed

    drawn = sketch(net)
    placed = Placed(drawn, 44.0 if net.name else 20.0)
    parts = [part for pair in once(drawn.links) for part in _wire(placed.band(pair))]
    for k, one in enumerate(drawn.bundles):
        title = f"<title>{_safe(': '.join(one.words))}</title>"
        parts += [_line(placed.lane(k, pair), _look(k), title) for pair in pairwise(one.flow.path)]
    for node, words in drawn.boxes.items():
        parts += _node(words, placed.boxes[node])
    listed = []
    for pair in once(drawn.links):
        lines = said(drawn, *pair, placed.rightwards(pair))
        where = placed.label(pair, lines)
        if where is not None:
            parts += _label(lines, where)
        elif lines:
            listed.append(("", " - ".join(drawn.boxes[node] for node in pair), "; ".join(lines)))
    rows = [(*one.words, " → ".join(_short(drawn.boxes[node], 34) for node in one.flow.path[:8])
             + (" → …" if len(one.flow.path) > 8 else "")) for one in drawn.bundles]  # fmt: skip
    rows = [(_short(name, 34), kind, path) for name, kind, path in rows] + listed
    widths = [max((len(row[k]) for row in rows), default=0) * CHARACTER for k in range(3)]
    top = placed.bottom + 20
    width = max(
        placed.right + MARGIN, 2 * MARGIN + 30 + sum(widths) + 32, MARGIN * 2 + len(net.name) * 8.5, LEAST_WIDTH
    )
    height = top + LINE * len(rows) + MARGIN / 2
    for k, row in enumerate(rows):
        y = top + LINE * (k + 0.7)
        if k < len(drawn.bundles):
            parts.append(_line([(MARGIN, y - 4), (MARGIN + 24, y - 4)], _look(k), kind="swatch"))
        x = MARGIN + 30
        for word, room in zip(row, widths, strict=True):
            parts.append(f'<text x="{x:.1f}" y="{y:.1f}">{_safe(word)}</text>' if word else "")
            x += room + 16
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="100%" viewBox="0 0 {width:.0f} {height:.0f}" '
        'font-family="sans-serif" font-size="12" role="img">',
        f"<title>{_safe(net.name or repr(net))}</title>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    if net.name:
        head.append(f'<text x="{MARGIN:.0f}" y="24" font-size="14" font-weight="bold">{_safe(net.name)}</text>')
    return "\n".join([*head, *filter(None, parts), "</svg>\n"])


def sketch(net: Network) -> Sketch:
    """Return what is drawn: all of a small network, and of many flows one of each kind with its hosts.

    >>> two = sketch(Network.dumbbell(["reno"] * 30 + ["vegas"], rate=1e6))
    >>> list(two.boxes.values())[2:4], [one.words for one in two.bundles]
    (['source-1 … source-30', 'sink-1 … sink-30'], [('reno-1 … reno-30', '30 flows, each reno'), ('vegas-31', 'vegas')])
    """
    boxes = {node: _short(node) for node in net.nodes}
    links = dict(net.links)
    if len(net.flows) <= APART:
        return Sketch(boxes, links, [Bundle(flow, (flow.name,)) for flow in net.flows])
    groups: dict[object, list[Flow]] = {}
    own = _own_nodes(net)
    for flow in net.flows:
        groups.setdefault(_kind(net, flow, own), []).append(flow)
    gone: set[str] = set()
    for first, *others in groups.values():
        gone.update(node for flow in others for node in flow.path if node in own)
        for k, node in enumerate(first.path):
            if node in own and others:
                boxes[node] = _first_to_last([node, *(flow.path[k] for flow in others)])
    return Sketch(
        {node: words for node, words in boxes.items() if node not in gone},
        {pair: link for pair, link in links.items() if not gone & set(pair)},
        [Bundle(one[0], tuple(flow.name for flow in one)) for one in groups.values()],
    )


def _own_nodes(net: Network) -> set[str]:
    """Return the nodes that one flow visits and no other, and that are linked with nothing beside its path."""
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
    """Return what flows of one kind have in common: all but when they begin, and what their own nodes are called."""
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
    return f"{_short(one, 16)} … {_short(others[-1], 16)}" if others else one


def layout(net: Network) -> dict[str, Place]:
    """Return column and row of each node: columns along the flows, rows centred in their column.

    >>> layout(Network.dumbbell(["reno", "vegas"], rate=1e6))["sink-2"]
    (3, 0.5)
    """
    return grid(list(net.nodes), list(net.links), [flow.path for flow in net.flows])


def grid(nodes: list[str], links: list[Pair], paths: list[tuple[str, ...]]) -> dict[str, Place]:
    """Return column and row of nodes, see `layout`."""
    columns: dict[str, int] = {}
    for path in sorted(paths, key=len, reverse=True):
        _lay(path, columns)
    for tail, head in links * 2:  # what no flow visits stands beside its neighbours
        _lay((tail, head), columns)
    first = min(columns.values(), default=0)
    order = {node: columns[node] - first for node in nodes if node in columns}
    stacks: dict[int, list[str]] = {}
    for node, column in order.items():
        stacks.setdefault(column, []).append(node)
    return {
        node: (column, stacks[column].index(node) - (len(stacks[column]) - 1) / 2) for node, column in order.items()
    }


def _lay(path: tuple[str, ...], columns: dict[str, int]) -> None:
    """Give columns to the nodes of a path, beside those that have one."""
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


def half_width(words: str) -> float:
    """Return half of the width of a node's box."""
    return max(16.0, len(words) * CHARACTER / 2 + 8)


def _short(word: str, most: int = 18) -> str:
    return word if len(word) <= most else word[: most - 1] + "…"


def _safe(words: str) -> str:
    """Text for XML, which knows no control characters and no lone surrogates."""
    printable = "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in words)
    return escape(printable)


def _node(words: str, box: Box) -> list[str]:
    left, top, right, bottom = box
    x, y = (left + right) / 2, (top + bottom) / 2 + 4
    return [
        f'<rect class="node" x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}" '
        'rx="6" fill="#f4f4f4" stroke="#333"/>',
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{_safe(words)}</text>',
    ]


def _look(k: int) -> str:
    """Return colour and dashes of a flow's line: seven colours, and each again with other dashes."""
    dashes = DASHES[k // len(COLOURS) % len(DASHES)]
    return f'stroke="{COLOURS[k % len(COLOURS)]}" stroke-width="2.5"' + (
        f' stroke-dasharray="{dashes}"' if dashes else ""
    )


def _line(points: Iterable[Place], look: str, inside: str = "", kind: str = "flow") -> str:
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline class="{kind}" points="{joined}" fill="none" {look}>{inside}</polyline>'


def _wire(band: list[Place]) -> list[str]:
    """Return a link as a grey band, as wide as the flows on it need."""
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in band)
    return [f'<polygon class="link" points="{joined}" fill="#ddd" stroke="#ddd"/>']


def once(links: Iterable[Pair]) -> list[Pair]:
    """Return each two joined nodes, in the order of the first link between them."""
    pairs: list[Pair] = []
    seen: set[frozenset[str]] = set()
    for pair in links:
        if frozenset(pair) not in seen:
            seen.add(frozenset(pair))
            pairs.append(pair)
    return pairs


def _label(lines: list[str], where: Place) -> list[str]:
    """Return what a link is, line by line, the last line's middle at a place."""
    parts = []
    for k, words in enumerate(reversed(lines)):
        place = f'x="{where[0]:.1f}" y="{where[1] - LETTER * k:.1f}" font-size="11" text-anchor="middle"'
        parts.append(f'<text {place} stroke="white" stroke-width="4" aria-hidden="true">{_safe(words)}</text>')
        parts.append(f"<text {place}>{_safe(words)}</text>")
    return parts


def said(net: Network | Sketch, tail: str, head: str, rightwards: bool = True) -> list[str]:
    """Return the lines above a link: what it is, or what each direction is."""
    there, back = net.links[tail, head], net.links.get((head, tail))
    lines = about(there)
    if back is not None and about(back) == lines:
        return lines
    arrows = "→←" if rightwards else "←→"
    both = zip(arrows, (there, back), strict=True)
    return [f"{arrow} {', '.join(about(one)) or 'no limit'}" for arrow, one in both if one is not None]


def about(link: Link) -> list[str]:
    """Return rate and delay, buffer and discipline, loss: what there is of it."""
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

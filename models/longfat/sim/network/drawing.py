"""Drawings of networks as SVG: positions of boxes, links, lines and labels, and the text of the file."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

from longfat.sim.network.sketching import Box, Pair, Place, Sketch, grid, once, said, short, sketch

if TYPE_CHECKING:
    from longfat.sim.network.network import Network


COLUMN, ROW, MARGIN, LINE = 190.0, 74.0, 30.0, 18.0  # px
CHARACTER, SMALL = 7.0, 7.0  # px, width of a letter with some margin: of size 12 px, and of size 11 px
LANE, LETTER = 6.0, 13.0  # px, distance between flows on a link, and between lines of text in its label
ALONG = (0.5, 0.35, 0.65, 0.2, 0.8)  # fractions of a link's length at which its label may be


class Placed:
    """Positions of boxes, lines of flows and labels in a drawing [px].

    The height of a box depends on the number of lines that end at a side of it. On each side every link has a slot, in
    the order of the boxes at the other ends of the links, and every line on the link has a lane in the slot.

    Parameters
    ----------
    drawn : Sketch
        Boxes, links and flows to draw.
    top : float
        Upper edge of the drawing [px].
    """

    def __init__(self, drawn: Sketch, top: float) -> None:
        self._drawn = drawn
        self._on = {frozenset(pair): [] for pair in drawn.links}  # type: dict[frozenset[str], list[int]]
        for k, one in enumerate(drawn.bundles):
            for pair in pairwise(one.flow.path):
                self._on[frozenset(pair)].append(k)
        paths = [one.flow.path for one in drawn.bundles]
        self._grid = grid(list(drawn.boxes), list(drawn.links), paths)
        self._slots = {node: self._sides(node) for node in drawn.boxes}
        self.boxes = self._boxes(top)
        self.right = max((box[2] for box in self.boxes.values()), default=0.0)
        self.bottom = max((box[3] for box in self.boxes.values()), default=top)
        self._taken = list(self.boxes.values())

    def rightwards(self, pair: Pair) -> bool:
        """Return whether the head of a link is to the right of its tail or in the same column."""
        return self._grid[pair[0]][0] <= self._grid[pair[1]][0]

    def _side(self, node: str, other: str) -> str:
        """Return the side of a node's box at which the link to another node ends."""
        (column, row), (column_2, row_2) = self._grid[node], self._grid[other]
        if column != column_2:
            return "right" if column_2 > column else "left"
        return "below" if row_2 > row else "above"

    def _sides(self, node: str) -> dict[str, dict[str, tuple[int, int]]]:
        """Return for each side of a box: neighbour -> first lane of the link to it, and number of lanes of the side."""
        others: dict[str, list[str]] = {}
        for pair in once(self._drawn.links):
            if node in pair:
                other = pair[1] if pair[0] == node else pair[0]
                others.setdefault(self._side(node, other), []).append(other)
        found = {}
        for side, several in others.items():
            several.sort(key=lambda other: (self._grid[other][1], self._grid[other][0]))
            sizes = [max(1, len(self._on[frozenset((node, other))])) for other in several]
            found[side] = {other: (sum(sizes[:k]), sum(sizes)) for k, other in enumerate(several)}
        return found

    def _lanes(self, node: str, *sides: str) -> int:
        """Return the greatest number of lanes on any of the given sides of a node's box."""
        return max((lanes for side in sides for _, lanes in self._slots[node].get(side, {}).values()), default=1)

    def _boxes(self, top: float) -> dict[str, Box]:
        """Return the box of each node: left, top, right, bottom [px]."""
        boxes, words = self._drawn.boxes, self._drawn.boxes.values()
        longest = max((len(line) for pair in once(self._drawn.links) for line in said(self._drawn, *pair)), default=0)
        column_width = max(COLUMN, longest * SMALL + 2 * max(map(half_width, words), default=0) + 12)
        heights = {node: max(24.0, LANE * self._lanes(node, "left", "right") + 8) for node in boxes}
        halves = {node: max(half_width(boxes[node]), LANE * self._lanes(node, "above", "below") / 2 + 4)
                  for node in boxes}  # fmt: skip
        stacks: dict[float, list[str]] = {}
        for node in sorted(self._grid, key=lambda node: self._grid[node][1]):
            stacks.setdefault(self._grid[node][0], []).append(node)
        gap = ROW - 24
        tall = {column: sum(heights[node] + gap for node in several) for column, several in stacks.items()}
        middle = top + max(tall.values(), default=0.0) / 2 + gap / 2
        left = max((halves[node] for node in stacks.get(0, [])), default=0.0)
        found: dict[str, Box] = {}
        for column, several in stacks.items():
            x, y = MARGIN + left + column_width * column, middle - tall[column] / 2 + gap / 2
            for node in several:
                found[node] = (x - halves[node], y, x + halves[node], y + heights[node])
                y += heights[node] + gap
        return found

    def _port(self, node: str, other: str, lane: float) -> Place:
        """Return the point [px] on a box's border where a lane of the link to another box begins."""
        side = self._side(node, other)
        first, lanes = self._slots[node][side][other]
        off = (first + lane - (lanes - 1) / 2) * LANE
        left, top, right, bottom = self.boxes[node]
        if side in ("left", "right"):
            return (left if side == "left" else right), (top + bottom) / 2 + off
        return (left + right) / 2 + off, (top if side == "above" else bottom)

    def lane(self, k: int, pair: Pair) -> list[Place]:
        """Return both end points [px] of the lane of line `k` on the link between a pair of boxes."""
        at = self._on[frozenset(pair)].index(k)
        return [self._port(*pair, at), self._port(*pair[::-1], at)]

    def band(self, pair: Pair) -> list[Place]:
        """Return the corners of the band that represents a link [px]."""
        last = max(1, len(self._on[frozenset(pair)])) - 1
        tail, head = pair
        return [self._port(tail, head, -0.3), self._port(head, tail, -0.3),
                self._port(head, tail, last + 0.3), self._port(tail, head, last + 0.3)]  # fmt: skip

    def label(self, pair: Pair, lines: list[str]) -> Place | None:
        """Return the position of the last line of a link's label; None if every position overlaps another label."""
        corners = self.band(pair)
        over, under = corners[:2], corners[:1:-1]
        wide = max(map(len, lines), default=0) * SMALL
        for t in ALONG:
            x, y = ((1 - t) * over[0][i] + t * over[1][i] for i in (0, 1))
            y = min(y, (1 - t) * under[0][1] + t * under[1][1]) - 6
            box = (x - wide / 2, y - LETTER * (len(lines) - 1) - 10, x + wide / 2, y + 2)
            if lines and not any(_overlap(box, other) for other in self._taken):
                self._taken.append(box)
                self.right, self.bottom = max(self.right, box[2]), max(self.bottom, box[3])
                return x, y
        return None


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def half_width(words: str) -> float:
    """Return half the width [px] of a node's box with the label `words`."""
    return max(16.0, len(words) * CHARACTER / 2 + 8)


#: Colours of Okabe and Ito, which colour-blind people can distinguish; the flows are also listed by name.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("", "9 3", "3 3", "9 3 3 3", "15 4", "15 4 3 4")  # for the first seven flows, the next seven, and so on
LEAST_WIDTH = 900.0  # px; narrower drawings are padded at the right, because notebooks stretch a drawing to their width


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
    placed = Placed(drawn, 44.0 if net.name else 20.0)
    bands = [_points(placed.band(pair)) for pair in once(drawn.links)]
    parts = [f'<polygon class="link" points="{band}" fill="#ddd" stroke="#ddd"/>' for band in bands]
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
    rows = [(*one.words, " → ".join(short(drawn.boxes[node], 34) for node in one.flow.path[:8])
             + (" → …" if len(one.flow.path) > 8 else "")) for one in drawn.bundles]  # fmt: skip
    rows = [(short(name, 34), kind, path) for name, kind, path in rows] + listed
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


def _safe(words: str) -> str:
    """Return text escaped for XML, without the control characters and lone surrogates that XML does not allow."""
    printable = "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in words)
    return escape(printable)


def _node(words: str, box: Box) -> list[str]:
    """Return the SVG elements of a node."""
    left, top, right, bottom = box
    x, y = (left + right) / 2, (top + bottom) / 2 + 4
    return [
        f'<rect class="node" x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}" '
        'rx="6" fill="#f4f4f4" stroke="#333"/>',
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{_safe(words)}</text>',
    ]


def _look(k: int) -> str:
    """Return the SVG attributes of the k-th line of flows: seven colours, each repeated with other dashes."""
    dashes = DASHES[k // len(COLOURS) % len(DASHES)]
    return f'stroke="{COLOURS[k % len(COLOURS)]}" stroke-width="2.5"' + (
        f' stroke-dasharray="{dashes}"' if dashes else ""
    )


def _line(points: Iterable[Place], look: str, inside: str = "", kind: str = "flow") -> str:
    return f'<polyline class="{kind}" points="{_points(points)}" fill="none" {look}>{inside}</polyline>'


def _points(points: Iterable[Place]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _label(lines: list[str], where: Place) -> list[str]:
    """Return the SVG elements of a link's label, whose last line is centred at `where`."""
    parts = []
    for k, words in enumerate(reversed(lines)):
        place = f'x="{where[0]:.1f}" y="{where[1] - LETTER * k:.1f}" font-size="11" text-anchor="middle"'
        parts.append(f'<text {place} stroke="white" stroke-width="4" aria-hidden="true">{_safe(words)}</text>')
        parts.append(f"<text {place}>{_safe(words)}</text>")
    return parts

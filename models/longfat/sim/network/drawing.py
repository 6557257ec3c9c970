"""Drawings of networks as SVG."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

from longfat.sim.network.placing import CHARACTER, LETTER, LINE, MARGIN, Placed
from longfat.sim.network.sketching import Box, Place, once, said, short, sketch

if TYPE_CHECKING:
    from longfat.sim.network.network import Network

#: Colours of Okabe and Ito, which colour-blind people can distinguish; the flows are also listed by name.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("", "9 3", "3 3", "9 3 3 3", "15 4", "15 4 3 4")  # for the first seven flows, the next seven, and so on
LEAST_WIDTH = 900.0  # px; narrower drawings are padded at the right, because notebooks stretch a drawing to their width


def svg(net: Network) -> str:
    """Return a drawing of a network: nodes, links with rate, delay and buffer, flows with scheme and path.

    With more than eight flows, those of the same scheme over equal links are drawn as one line with their number.

    Parameters
    ----------
    net : Network
        Network, drawn along its flows from left to right.

    Returns
    -------
    str
        SVG, as wide as the page.

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
    """Return text escaped for XML, without control characters and lone surrogates, which XML does not allow."""
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
    """Return colour and dashes of a flow's line: seven colours, each repeated with other dashes."""
    dashes = DASHES[k // len(COLOURS) % len(DASHES)]
    return f'stroke="{COLOURS[k % len(COLOURS)]}" stroke-width="2.5"' + (
        f' stroke-dasharray="{dashes}"' if dashes else ""
    )


def _line(points: Iterable[Place], look: str, inside: str = "", kind: str = "flow") -> str:
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline class="{kind}" points="{joined}" fill="none" {look}>{inside}</polyline>'


def _wire(band: list[Place]) -> list[str]:
    """Return the SVG element of a link, a grey band as wide as the flows on it need."""
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in band)
    return [f'<polygon class="link" points="{joined}" fill="#ddd" stroke="#ddd"/>']


def _label(lines: list[str], where: Place) -> list[str]:
    """Return the SVG elements of a link's label, whose last line is centred at a place."""
    parts = []
    for k, words in enumerate(reversed(lines)):
        place = f'x="{where[0]:.1f}" y="{where[1] - LETTER * k:.1f}" font-size="11" text-anchor="middle"'
        parts.append(f'<text {place} stroke="white" stroke-width="4" aria-hidden="true">{_safe(words)}</text>')
        parts.append(f"<text {place}>{_safe(words)}</text>")
    return parts

"""Contents of a drawing of a network: its nodes, links and flows, their order and their labels."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import TYPE_CHECKING

from longfat.base.quantities import text
from longfat.sim.network.elements import Flow, Link

if TYPE_CHECKING:
    from longfat.sim.network.network import Network

APART = 8  # flows; up to this number each has a line, beyond it the flows of one kind share a line
# Fields that `_kind` does not compare; for schemes it compares the names, for paths the nodes that several flows visit.
OWN = ("name", "path", "start", "stagger", "scheme")
Place = tuple[float, float]
Pair = tuple[str, str]
Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True)
class Bundle:
    """Flows that are drawn as one line: one flow, or several of one kind over links of one kind."""

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
    """Return the contents of a drawing; of more than `APART` flows only the first of each kind, with its hosts.

    >>> from longfat.sim import Network
    >>> two = sketch(Network.dumbbell(["reno"] * 30 + ["vegas"], rate=1e6))
    >>> list(two.boxes.values())[2:4], [one.words for one in two.bundles]
    (['source-1 … source-30', 'sink-1 … sink-30'], [('reno-1 … reno-30', '30 flows, each reno'), ('vegas-31', 'vegas')])
    """
    boxes = {node: short(node) for node in net.nodes}
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
    """Return the key of a flow's kind: fields except `OWN`, nodes of the path except `own`, and properties of links."""
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


def grid(nodes: list[str], links: list[Pair], paths: list[tuple[str, ...]]) -> dict[str, Place]:
    """Return column and row of each node of a graph: columns follow the paths of flows, rows are centred in a column.

    >>> grid(["a", "b", "c"], [("a", "b"), ("b", "c")], [("a", "b", "c")])["c"]
    (2, 0.0)
    """
    columns: dict[str, int] = {}
    for path in sorted(paths, key=len, reverse=True):
        _lay(path, columns)
    for tail, head in links * 2:  # nodes that no flow visits are placed beside their neighbours
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
    """Assign columns to the nodes of a path that have none, next to the columns of their neighbours."""
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


def short(word: str, most: int = 18) -> str:
    """Return a label, shortened with dots if it is too long.

    >>> short("bottleneck", 5)
    'bott…'
    """
    return word if len(word) <= most else word[: most - 1] + "…"


def once(links: Iterable[Pair]) -> list[Pair]:
    """Return each pair of linked nodes once, in the order of the first link between them."""
    pairs: list[Pair] = []
    seen: set[frozenset[str]] = set()
    for pair in links:
        if frozenset(pair) not in seen:
            seen.add(frozenset(pair))
            pairs.append(pair)
    return pairs


def said(net: Network | Sketch, tail: str, head: str, rightwards: bool = True) -> list[str]:
    """Return the lines of text above a link: its properties, or the properties of each direction if they differ."""
    there, back = net.links[tail, head], net.links.get((head, tail))
    lines = about(there)
    if back is not None and about(back) == lines:
        return lines
    arrows = "→←" if rightwards else "←→"
    both = zip(arrows, (there, back), strict=True)
    return [f"{arrow} {', '.join(about(one)) or 'no limit'}" for arrow, one in both if one is not None]


def about(link: Link) -> list[str]:
    """Return up to two lines of text on a link: rate and delay; buffer, discipline, loss and jitter, where present."""
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

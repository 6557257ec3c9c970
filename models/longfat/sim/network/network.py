"""Networks: nodes, links and flows; common topologies."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from longfat.base import domains
from longfat.base.argument import documented, read_all
from longfat.sim import schemes
from longfat.sim.network import drawing
from longfat.sim.network.elements import OF_FLOW, OF_LINK, Flow, Link
from longfat.sim.network.scenario import writing
from longfat.sim.network.traffic import Traffic, check_application, check_pace
from longfat.sim.schemes.scheme import Scheme

MOST_PLACES = 2**20  # greatest buffer of services whose workspace grows with the buffer [packets]


class _Taken:
    """Cache of the names in a growing collection, so that a name is found without a visit of every element.

    `add` records one more element. If the length of the collection has changed in another way, `among` reads all names
    again.
    """

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._count = 0

    def among(self, count: int, groups: Iterable[Iterable[str]]) -> set[str]:
        """Return the names in a collection of `count` elements; `groups` has the names of each element."""
        if count != self._count:
            self._known, self._count = {name for group in groups for name in group}, count
        return self._known

    def add(self, group: Iterable[str]) -> None:
        """Record the names of an element that was added to the collection."""
        self._known.update(group)
        self._count += 1


class Network:
    """Network of nodes, links and flows, for `longfat.sim.run`.

    A network is built with `link` and `flow`, which return it for chained calls; `dumbbell`, `chain` and
    `parking_lot` return common topologies. Quantities are numbers in SI units (s, bytes, bytes/s) or text with a unit,
    such as "40 Mbit/s".

    Parameters
    ----------
    name : str
        Title of the network in tables and drawings.

    Attributes
    ----------
    links : dict of (str, str) to Link
        Links by the names of their tail and head nodes, in the order in which they were added.
    flows : list of Flow
        Flows in the order in which they were added.

    Examples
    --------
    >>> net = Network("one bottleneck")
    >>> _ = net.link("left", "right", rate="40 Mbit/s", delay="22 ms", buffer="440 packets", duplex=True)
    >>> _ = net.flow("reno", path=["left", "right"], packet="500 B", file="2 MB", count=2)
    >>> net
    Network('one bottleneck', 2 nodes, 2 links, 2 flows)
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.links: dict[tuple[str, str], Link] = {}
        self.flows: list[Flow] = []
        self._link_names = _Taken()
        self._flow_names = _Taken()

    def __repr__(self) -> str:
        flows = sum(flow.count for flow in self.flows)
        return f"Network({self.name!r}, {len(self.nodes)} nodes, {len(self.links)} links, {flows} flows)"

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of the nodes, in the order in which links name them."""
        return tuple(dict.fromkeys(node for pair in self.links for node in pair))

    @documented(OF_LINK)
    def link(
        self,
        tail: str,
        head: str,
        *,
        duplex: bool = False,
        name: str | None = None,
        **arguments: Any,
    ) -> Network:
        """Add a link from one node to another, with `duplex` also one in the opposite direction; return the network.

        Parameters
        ----------
        tail, head : str
            Names of the nodes at the start and the end of the link; a new name creates a node.
        duplex : bool
            Whether to add an equal link from `head` to `tail` as well.
        name : str, optional
            Name of the link in results; "tail-head" by default.
        **arguments

        Examples
        --------
        >>> net = Network().link("a", "b", rate="10 Mbit/s", delay="5 ms", buffer="50 packets", discipline="red")
        >>> net.links["a", "b"].rate, net.links["a", "b"].discipline.name
        (1250000.0, 'red')
        """
        for what, node in (("tail", tail), ("head", head)):
            if not isinstance(node, str) or not node:
                raise domains.wrong_type(what, node, "a string that is not empty")
        if tail == head:
            raise domains.conflict(f"head = {head!r}", "is the same node as tail", "name two different nodes")
        of = f"link {tail}-{head}"
        made = Link(name or f"{tail}-{head}", tail, head, **read_all(OF_LINK, arguments, of))
        chosen, (packets, size), buffer = made.discipline, made.buffer, arguments.get("buffer")
        if chosen.needs_buffer and not (packets >= 1 and size >= 1):
            raise domains.conflict(
                f"buffer = {buffer} of {of}",
                f"excludes discipline {chosen.name!r}",
                "the discipline needs a buffer of at least one packet",
            )
        chosen.check_buffer(of, packets, size)
        if chosen.scheduler is not None and chosen.scheduler.bounded and not packets <= MOST_PLACES:
            raise domains.conflict(
                f"buffer = {buffer} of {of}",
                f"excludes discipline {chosen.name!r}",
                f"the discipline needs a number of packets in [1, {MOST_PLACES}]",
            )
        if made.rate_changes and (made.rate == math.inf or made.jitter > 0):
            raise domains.conflict(
                f"rate_changes of {of}",
                "needs a finite rate and no jitter",
                "another link, in front of this one, can have the jitter",
            )
        if made.jitter > 0 and chosen.scheduler is not None:
            raise ValueError(
                f"jitter of link {made.name!r} needs a discipline that sends in order of arrival: "
                f"{chosen.name!r} chooses packets at departure"
            )
        back = replace(made, name=f"{head}-{tail}" if name is None else f"{name}-back", tail=head, head=tail)
        for one in (made, back) if domains.flag("duplex", duplex) else (made,):
            if (one.tail, one.head) in self.links:
                raise ValueError(f"there is a link from {one.tail!r} to {one.head!r} already: must be a new pair")
            if one.name in self._link_names.among(len(self.links), ((each.name,) for each in self.links.values())):
                raise ValueError(f"name = {one.name!r} is taken by another link: must be a new name")
            self.links[one.tail, one.head] = one
            self._link_names.add((one.name,))
        return self

    @documented(OF_FLOW)
    def flow(
        self,
        scheme: str | Scheme | Traffic,
        *,
        path: Sequence[str],
        name: str | None = None,
        **arguments: Any,
    ) -> Network:
        """Add a flow, which is a transfer controlled by a scheme or uncontrolled traffic; return the network.

        Parameters
        ----------
        scheme : str, Scheme or Traffic
            Congestion-control scheme or its name (see `longfat.sim.schemes.names`), with values of its parameters as in
            ``scheme(beta=0.8)``, or a generator of `longfat.sim.traffic`.
        path : sequence of str
            Names of the nodes from the source to the destination; acknowledgments return over the same nodes.
        name : str, optional
            Name of the flow in results; by default the name of the scheme or generator and a number.
        **arguments

        Examples
        --------
        >>> net = Network().link("a", "b", rate="10 Mbit/s", delay="5 ms", duplex=True)
        >>> net = net.flow("reno", path=["a", "b"], file="2 MB").flow("vegas", path=["a", "b"], count=2, stagger="1 s")
        >>> [flow.names for flow in net.flows]
        [('reno-1',), ('vegas-2-1', 'vegas-2-2')]
        """
        traffic = scheme if isinstance(scheme, Traffic) else None
        own = chosen = schemes.scheme(scheme) if not isinstance(scheme, Traffic) else scheme.scheme
        kind = chosen.name if chosen else traffic.name if traffic else ""
        if chosen is not None and chosen.values:  # the flow keeps them as parameters, which scenarios can hold
            chosen = replace(chosen, values={})
            traffic = replace(traffic, scheme=chosen) if traffic is not None else None
        label = name or f"{kind}-{len(self.flows) + 1}"
        given = read_all(OF_FLOW, arguments, f"flow {label!r}")
        given["parameters"] = schemes.check_parameters(own, given.get("parameters"))
        both_ways = given.get("ack_path") != "ideal" and (traffic is None or traffic.acknowledged)
        made = Flow(label, self._connected(path, label, both_ways), chosen, traffic, **given)
        check_application(made.application, label, traffic, made.packet)
        check_pace(f"access_rate of flow {label!r}", made.access_rate, made.packet)
        check_pace(f"rate of flow {label!r}", traffic.rate if traffic is not None else 0.0, made.packet)
        for link in self.route(made):
            check_pace(f"rate of link {link.name!r}", link.fastest, made.packet)
        if chosen is not None and not chosen.acknowledged and made.file is not None:
            raise domains.conflict(
                f"file = {arguments['file']!r} of flow {label!r}",
                f"excludes scheme {chosen.name!r}",
                "without acknowledgments the sender does not know when a file has arrived",
            )
        last = made.start + made.stagger * (made.count - 1)
        if last > 1e9:
            raise domains.out_of_range("start + stagger*(count - 1)", last, "s", "[0, 1e9]")
        if made.stop <= last:
            raise domains.out_of_range("stop", made.stop, "s", f"({last:g}, inf)")
        taken = self._flow_names.among(len(self.flows), (flow.names for flow in self.flows))
        for one in made.names:
            if one in taken:
                raise ValueError(f"name = {one!r} is taken by another flow: must be a new name")
        self.flows.append(made)
        self._flow_names.add(made.names)
        return self

    def _connected(self, path: Sequence[str], label: str, both_ways: bool) -> tuple[str, ...]:
        nodes = tuple(path)
        if isinstance(path, str) or len(nodes) < 2 or len(set(nodes)) != len(nodes):
            raise domains.out_of_range(f"path of flow {label!r}", repr(path), "1", "two nodes or more, all different")
        for there in pairwise(nodes):
            for pair in (there, there[::-1])[: 1 + both_ways]:
                if pair not in self.links:
                    why = "" if pair == there else " for the acknowledgments (duplex=True, or ack_path='ideal')"
                    raise ValueError(
                        f"path = {' -> '.join(map(str, nodes))} of flow {label!r} does not connect: "
                        f"no link from {pair[0]!r} to {pair[1]!r}{why}"
                    )
        return nodes

    def route(self, flow: Flow) -> list[Link]:
        """Return the links of a flow's path, from source to destination."""
        return [self.links[pair] for pair in pairwise(flow.path)]

    def way_back(self, flow: Flow) -> list[Link]:
        """Return the links of a flow's return path: none for ``ack_path="ideal"`` or without acknowledgments."""
        if flow.ack_path == "ideal" or (flow.traffic is not None and not flow.traffic.acknowledged):
            return []
        nodes = flow.path[::-1]
        return [self.links[pair] for pair in pairwise(nodes)]

    def __eq__(self, other: object) -> bool:
        """Return whether both networks have equal links and flows in the same order, whatever their titles."""
        if not isinstance(other, Network):
            return NotImplemented
        return (list(self.links.values()), self.flows) == (list(other.links.values()), other.flows)

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def dumbbell(
        cls,
        schemes: Sequence[str | Scheme | Traffic],
        *,
        name: str = "dumbbell",
        rate: float | str,
        delay: float | str = 0.0,
        buffer: int | str | None = None,
        discipline: Any = "fifo",
        access_rate: float | str = math.inf,
        access_delay: float | str | Sequence[float | str] = 0.0,
        **flow: Any,
    ) -> Network:
        """Return a dumbbell: pairs of hosts, one flow for each pair, and a bottleneck from "left" to "right".

        Parameters
        ----------
        schemes : sequence of str, Scheme or Traffic
            Scheme or generator of each flow; flow k goes from "source-k" through "left" and "right" to "sink-k".
        name : str
            Title of the network.
        rate, delay, buffer, discipline
            Properties of the bottleneck in both directions, as in `Network.link`.
        access_rate : float or str
            Rate of the hosts' links [bytes/s]; these links have unbounded buffers.
        access_delay : float, str or a sequence of these, one for each pair
            Propagation delay of each of the hosts' links [s], of which a path has two.
        **flow
            Arguments of `Network.flow` for all flows.

        Examples
        --------
        >>> Network.dumbbell(["reno", "vegas"], rate="10 Mbit/s", delay="20 ms", access_delay=["1 ms", "30 ms"])
        Network('dumbbell', 6 nodes, 10 links, 2 flows)
        """
        if isinstance(schemes, str):
            schemes = [schemes]
        delays = [access_delay] * len(schemes) if isinstance(access_delay, str | int | float) else list(access_delay)
        if len(delays) != len(schemes):
            raise domains.out_of_range(
                "access_delay", repr(access_delay), "1", f"one delay or {len(schemes)}, one for each scheme"
            )
        net = cls(name)
        net.link("left", "right", rate=rate, delay=delay, buffer=buffer, discipline=discipline, duplex=True)
        for k, (scheme, own) in enumerate(zip(schemes, delays, strict=True), 1):
            net.link(f"source-{k}", "left", rate=access_rate, delay=own, duplex=True)
            net.link("right", f"sink-{k}", rate=access_rate, delay=own, duplex=True)
            net.flow(scheme, path=[f"source-{k}", "left", "right", f"sink-{k}"], **flow)
        return net

    @classmethod
    def chain(cls, hops: int, *, name: str = "chain", **link: Any) -> Network:
        """Return a chain without flows: nodes n0, n1, ..., and equal links in both directions between neighbours.

        Parameters
        ----------
        hops : int
            Number of links in each direction.
        name : str
            Title of the network.
        **link
            Properties of each link, as in `Network.link`.

        Examples
        --------
        >>> Network.chain(3, rate="10 Mbit/s", delay="5 ms", buffer=20).nodes
        ('n0', 'n1', 'n2', 'n3')
        """
        hops = domains.integer("hops", hops, "links", "[1, 1e6]")
        net = cls(name)
        for tail, head in pairwise(f"n{k}" for k in range(hops + 1)):
            net.link(tail, head, **{"duplex": True} | link)
        return net

    @classmethod
    def parking_lot(
        cls,
        hops: int,
        scheme: str | Scheme,
        *,
        name: str = "parking lot",
        rate: float | str,
        delay: float | str = 0.0,
        buffer: int | str | None = None,
        discipline: Any = "fifo",
        cross: str | Scheme | Traffic | None = None,
        **flow: Any,
    ) -> Network:
        """Return a chain with one flow over all links ("long") and one flow over each link ("cross-1" and so on).

        Parameters
        ----------
        hops : int
            Number of links in each direction.
        scheme : str or Scheme
            Scheme of the long flow.
        name : str
            Title of the network.
        rate, delay, buffer, discipline
            Properties of each link in both directions, as in `Network.link`.
        cross : str, Scheme or Traffic, optional
            Scheme or traffic of the other flows; by default the scheme of the long flow.
        **flow
            Arguments of `Network.flow` for all flows.

        Examples
        --------
        >>> [flow.name for flow in Network.parking_lot(2, "reno", rate="10 Mbit/s", delay="5 ms").flows]
        ['long', 'cross-1', 'cross-2']
        """
        net = cls.chain(hops, name=name, rate=rate, delay=delay, buffer=buffer, discipline=discipline)
        net.flow(scheme, path=net.nodes, name="long", **flow)
        for k, pair in enumerate(pairwise(net.nodes), 1):
            net.flow(scheme if cross is None else cross, path=pair, name=f"cross-{k}", **flow)
        return net

    to_toml = writing.write
    draw = drawing.svg

    def _repr_svg_(self) -> str | None:
        """Return the drawing for a notebook; None if there are no nodes or more than 100 to draw."""
        return self.draw() if 0 < len(drawing.sketch(self).boxes) <= 100 else None

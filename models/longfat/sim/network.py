"""Networks: nodes, links, flows, and the usual shapes in one line each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from longfat import domains, quantities
from longfat.domains import integer, out_of_range
from longfat.sim import names, queues, schemes
from longfat.sim.buffers import read_buffer
from longfat.sim.elements import Flow, Link
from longfat.sim.queues import Discipline
from longfat.sim.schemes.scheme import Scheme
from longfat.sim.traffic import Traffic

MOST_PLACES = 2**20  # for packets that wait, where priorities decide which of them give way


class Network:
    """Nodes, links and flows, put together step by step.

    Parameters
    ----------
    name : str
        A title.

    Raises
    ------
    ValueError
        By `link` and `flow`, for what cannot be: by name, value, unit and range.

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
        self._link_names = names.Taken()
        self._flow_names = names.Taken()

    def __repr__(self) -> str:
        flows = sum(flow.count for flow in self.flows)
        return f"Network({self.name!r}, {len(self.nodes)} nodes, {len(self.links)} links, {flows} flows)"

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of the nodes, in the order of their appearance."""
        return tuple(dict.fromkeys(node for pair in self.links for node in pair))

    def link(
        self,
        tail: str,
        head: str,
        *,
        rate: float | str,
        delay: float | str = 0.0,
        buffer: int | str | None = None,
        discipline: str | Discipline = "fifo",
        duplex: bool = False,
        name: str | None = None,
        loss: float | str = 0.0,
        jitter: float | str = 0.0,
        counter_refresh: float | str = 0.0,
        coarse_clock: bool = False,
        stamps: bool = True,
    ) -> Network:
        """Add a line from one node to another, or with `duplex` one each way.

        Parameters
        ----------
        tail, head : str
            Nodes, made by being named.
        rate : float or str
            [bytes/s] or text with a unit; ``math.inf`` for a line without transmission time.
        delay : float or str
            Propagation delay [s].
        buffer : int or str, optional
            Packets that may wait, the one in transmission not counted: a number, "440 packets" or "64 KiB"; unbounded
            if absent.
        discipline : str or Discipline
            How packets are queued, dropped and marked: see `longfat.sim.queues`.
        duplex : bool
            Add the opposite direction, too.
        name : str, optional
            By default "tail-head".
        loss : float or str
            Probability that a packet is lost [probability], independently of others.
        jitter : float or str
            Random extra time before each transmission, uniform in [0, jitter) [s]; keeps the order.
        counter_refresh : float or str
            How often the byte counter is brought up to date that requests for it see [s]; 0: it always is.
        coarse_clock : bool
            Requests see the time of that refresh instead of the time at which they pass.
        stamps : bool
            Whether the link answers requests at all.

        Returns
        -------
        Network
            Itself.

        Raises
        ------
        ValueError
            For values outside their ranges, and for a line that is there already.
        """
        for what, node in (("tail", tail), ("head", head)):
            if not isinstance(node, str) or not node:
                raise domains.wrong_type(what, node, "a string that is not empty")
        if tail == head:
            raise domains.conflict(f"head = {head!r}", "is the same node as tail", "name two different nodes")
        packets, size = read_buffer(buffer)
        chosen = queues.discipline(discipline)
        if chosen.needs_buffer and not (packets >= 1 and size >= 1):
            raise domains.conflict(
                f"buffer = {buffer} of link {tail}-{head}",
                f"excludes discipline {chosen.name!r}",
                "it needs a buffer of at least one packet",
            )
        if chosen.serving is not None and chosen.serving.bounded and not packets <= MOST_PLACES:
            raise domains.conflict(
                f"buffer = {buffer} of link {tail}-{head}",
                f"excludes discipline {chosen.name!r}",
                f"it needs a number of packets in [1, {MOST_PLACES}]",
            )
        made = Link(
            name=name or f"{tail}-{head}",
            tail=tail,
            head=head,
            rate=math.inf if rate == math.inf else quantities.rate(rate),
            delay=quantities.duration(delay, "delay", "[0, 1e6]"),
            buffer_packets=packets,
            buffer_bytes=size,
            discipline=chosen,
            loss=quantities.fraction(loss, "loss", "[0, 1]"),
            jitter=quantities.duration(jitter, "jitter", "[0, 1e6]"),
            counter_refresh=quantities.duration(counter_refresh, "counter_refresh", "[0, 1e6]"),
            coarse_clock=bool(coarse_clock),
            stamps=bool(stamps),
        )
        back = replace(made, name=f"{head}-{tail}" if name is None else f"{name}-back", tail=head, head=tail)
        for one in (made, back) if duplex else (made,):
            if (one.tail, one.head) in self.links:
                raise ValueError(f"there is a link from {one.tail!r} to {one.head!r} already")
            if one.name in self._link_names.among(len(self.links), ((each.name,) for each in self.links.values())):
                raise ValueError(f"name = {one.name!r} is taken by another link")
            self.links[one.tail, one.head] = one
            self._link_names.add((one.name,))
        return self

    def flow(
        self,
        scheme: str | Scheme | Traffic,
        *,
        path: Sequence[str],
        name: str | None = None,
        file: float | str | None = None,
        start: float | str = 0.0,
        stagger: float | str = 0.0,
        stop: float | str = math.inf,
        packet: int | str = 1000,
        ack: int | str = 40,
        access_rate: float | str = math.inf,
        ack_path: str = "reverse",
        count: int = 1,
        send_jitter: float | str = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Network:
        """Add a flow: a transfer controlled by a scheme, or traffic that nobody controls.

        Parameters
        ----------
        scheme : str, Scheme or Traffic
            A scheme or its name (see `longfat.sim.schemes.names`), or a generator of `longfat.sim.traffic`.
        path : sequence of str
            Nodes from source to destination; acknowledgments return over the same nodes backwards.
        name : str, optional
            By default the scheme's name and a number.
        file : float or str, optional
            Size of the transfer [bytes]; greedy if absent.
        start, stagger, stop : float or str
            Start of the first copy, time between the copies, end of sending [s].
        packet, ack : int or str
            Sizes of data packets and acknowledgments, headers included [bytes].
        access_rate : float or str
            Rate of the source's own line before the first node [bytes/s]. A sender waits until it is free, so that a
            packet is sent, and its round trip begins, when that line takes it; traffic that nobody controls queues
            before it, without a limit. Every connection of `longfat.sim.traffic.arrivals` has a line of its own.
        ack_path : {"reverse", "ideal"}
            Ideal: acknowledgments take the propagation delay and no bandwidth.
        count : int
            Copies, named name-1, name-2, ...
        send_jitter : float or str
            Uniform extra delay per packet, in order (schemes.md 0.2, convention 5) [s].
        parameters : mapping, optional
            The scheme's own parameters.

        Returns
        -------
        Network
            Itself.

        Raises
        ------
        ValueError
            For a path that does not connect, unknown schemes and parameters, and values outside their ranges.
        """
        traffic = scheme if isinstance(scheme, Traffic) else None
        chosen = schemes.scheme(scheme) if not isinstance(scheme, Traffic) else scheme.scheme
        kind = chosen.name if chosen else traffic.name if traffic else ""
        label = name or f"{kind}-{len(self.flows) + 1}"
        count = integer("count", count, "flows", "[1, 1e6]")
        made = Flow(
            name=label,
            path=self._connected(path, label, ack_path == "reverse" and (traffic is None or traffic.acknowledged)),
            scheme=chosen,
            traffic=traffic,
            file=None if file is None else quantities.size(file, "file", "[1, 1e18]"),
            start=quantities.duration(start, "start", "[0, 1e9]"),
            stagger=quantities.duration(stagger, "stagger", "[0, 1e9]"),
            stop=math.inf if stop == math.inf else quantities.duration(stop, "stop", "[0, 1e9]"),
            packet=integer("packet", quantities.size(packet, "packet", "[1, 1e6]"), "bytes", "[1, 1e6]"),
            ack=integer("ack", quantities.size(ack, "ack", "[1, 1e6]"), "bytes", "[1, 1e6]"),
            access_rate=math.inf if access_rate == math.inf else quantities.rate(access_rate, "access_rate"),
            ack_path=ack_path,
            count=count,
            send_jitter=quantities.duration(send_jitter, "send_jitter", "[0, 1e6]"),
            parameters=schemes.check_parameters(chosen, parameters or {}),
        )
        domains.choice(f"ack_path of flow {label!r}:", ack_path, ("reverse", "ideal"))
        if chosen is not None and not chosen.acknowledged and file is not None:
            raise domains.conflict(
                f"file = {file!r} of flow {label!r}",
                f"excludes scheme {chosen.name!r}",
                "without acknowledgments the sender does not know when a file has arrived",
            )
        last = made.start + made.stagger * (count - 1)
        if last > 1e9:
            raise out_of_range("start + stagger*(count - 1)", last, "s", "[0, 1e9]")
        if made.stop <= last:
            raise out_of_range("stop", made.stop, "s", f"({last:g}, inf)")
        taken = self._flow_names.among(len(self.flows), (flow.names for flow in self.flows))
        for one in made.names:
            if one in taken:
                raise ValueError(f"name = {one!r} is taken by another flow")
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
        """The links of a flow's path."""
        return [self.links[pair] for pair in pairwise(flow.path)]

    def way_back(self, flow: Flow) -> list[Link]:
        """The links of its acknowledgments; none with an ideal path."""
        if flow.ack_path == "ideal" or (flow.traffic is not None and not flow.traffic.acknowledged):
            return []
        nodes = flow.path[::-1]
        return [self.links[pair] for pair in pairwise(nodes)]

    def __eq__(self, other: object) -> bool:
        """The same links and flows in the same order; the title does not count."""
        if not isinstance(other, Network):
            return NotImplemented
        return (list(self.links.values()), self.flows) == (list(other.links.values()), other.flows)

    __hash__ = None  # type: ignore[assignment]

    def to_toml(self, **options: Any) -> str:
        """Return this network, and options of its run, as a scenario: see `longfat.sim.scenario`.

        >>> net = Network.chain(1, rate="1 Mbit/s").flow("reno", path=["n0", "n1"], file="10 kB")
        >>> Network.from_toml(net.to_toml(rng=1)) == net
        True
        """
        from longfat.sim.scenario import writing

        return writing.write(self, **options)

    @classmethod
    def from_toml(cls, text: str) -> Network:
        """Return the network of a scenario; `longfat.scenario` also returns the options of its run."""
        from longfat.sim.scenario import reading

        net = cls()
        reading.fill(net, text)
        return net

    @classmethod
    def dumbbell(cls, schemes: Sequence[str | Scheme | Traffic], *, name: str = "dumbbell", **options: Any) -> Network:
        """Return pairs of hosts around one bottleneck: see `longfat.sim.topologies.dumbbell`."""
        from longfat.sim import topologies

        return topologies.dumbbell(cls(name), schemes, **options)

    @classmethod
    def chain(cls, hops: int, *, name: str = "chain", **link: Any) -> Network:
        """Return links one behind the other: see `longfat.sim.topologies.chain`."""
        from longfat.sim import topologies

        return topologies.chain(cls(name), hops, **link)

    @classmethod
    def parking_lot(cls, hops: int, scheme: str | Scheme, *, name: str = "parking lot", **options: Any) -> Network:
        """Return a flow over all links of a chain and one over each: see `longfat.sim.topologies.parking_lot`."""
        from longfat.sim import topologies

        return topologies.parking_lot(cls(name), hops, scheme, **options)

    def draw(self) -> str:
        """Return a picture of nodes, links and flows as SVG text: see `longfat.sim.drawing`."""
        from longfat.sim import drawing

        return drawing.svg(self)

    def _repr_svg_(self) -> str | None:
        """Return the picture for a notebook; none of networks that no picture can show."""
        from longfat.sim.sketching import sketch

        return self.draw() if 0 < len(sketch(self).boxes) <= 100 else None

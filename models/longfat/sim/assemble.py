"""A network as the arrays that the kernel runs on, and more room in them when it asks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from longfat.domains import refuse
from longfat.sim import records
from longfat.sim.elements import Flow, Link
from longfat.sim.kernel import bit_round
from longfat.sim.kernel.events import INDICES
from longfat.sim.network import Network
from longfat.sim.queues import SERVICES, Discipline
from longfat.sim.records import FOREVER, NEVER, NONE, SECOND
from longfat.sim.schemes.scheme import Scheme, set_parameters
from longfat.sim.world import World, rows

_UNBOUNDED = 2**62
MOST_SAMPLES = 10**8  # rows of the traces: some gigabytes


@dataclass
class Assembly:
    """A world, and what its rows stand for."""

    world: World
    schemes: list[Scheme]
    disciplines: list[Discipline]
    flow_names: list[str]
    link_names: list[str]  # the first rows; internal lines follow
    copies: list[Flow]


class _Builder:
    def __init__(self, net: Network) -> None:
        self.net = net
        self.links: list[Link] = list(net.links.values())
        self.rows = {(link.tail, link.head): k for k, link in enumerate(self.links)}
        self.named = len(self.links)
        self.wires: dict[float, int] = {}
        self.hops: list[tuple[int, int, int, int]] = []
        self.queues: list[int] = []  # the link of each
        self.about: dict[int, int] = {}  # of notes to a switch: the last hop, and the flow's hop there
        self.schemes: list[Scheme] = []
        self.disciplines: list[Discipline] = []

    def line(self, rate: float, delay: float, jitter: float = 0.0) -> int:
        """A line of a flow's own, unbounded."""
        self.links.append(Link("", "", "", rate, delay, jitter=jitter))
        return len(self.links) - 1

    def wire(self, delay: float) -> int:
        """A line of pure delay; order is kept whoever shares it."""
        if delay not in self.wires:
            self.wires[delay] = self.line(math.inf, delay)
        return self.wires[delay]

    def place(self, things: list[Any], thing: Any) -> int:
        """The place of a scheme or discipline: the same for all that are alike; parameters stand in their rows."""
        for k, other in enumerate(things):
            if other == thing or (isinstance(thing, Discipline) and _hooks(other) == _hooks(thing)):
                return k
        things.append(thing)
        return len(things) - 1

    def queue(self, link: int) -> int:
        if SERVICES[self.links[link].discipline.service] < records.SELF_CLOCKED:
            return NONE
        self.queues.append(link)
        return len(self.queues) - 1

    def route(self, flow: Flow) -> int:
        """Lay out the hops of one copy of a flow; the first of them."""
        forward = [self.rows[link.tail, link.head] for link in self.net.route(flow)]
        back = [self.rows[link.tail, link.head] for link in self.net.way_back(flow)]
        own = []
        if flow.send_jitter > 0:
            own.append(self.line(math.inf, 0.0, flow.send_jitter))
        if flow.access_rate < math.inf and flow.scheme is None:  # a sender waits for its line: `kernel.access`
            own.append(self.line(flow.access_rate, 0.0))
        delays = [self.links[k].delay for k in forward]
        data = own + forward
        answers = back or [self.wire(math.fsum(delays))]
        first = len(self.hops)
        for k, link in enumerate(data):
            self.hops.append(
                (link, self.queue(link), records.RECEIVER if k == len(data) - 1 else records.NEXT_HOP, NONE)
            )
        for k, link in enumerate(answers):
            self.hops.append(
                (link, self.queue(link), records.SENDER if k == len(answers) - 1 else records.NEXT_HOP, NONE)
            )
        self._notes(flow, first, len(own), forward, back, delays)
        return first

    def _notes(
        self, flow: Flow, first: int, own: int, forward: list[int], back: list[int], delays: list[float]
    ) -> None:
        """Where a note of each switch enters: the way of the acknowledgments from there, or as much delay."""
        for k, link in enumerate(forward):
            if not self.links[link].discipline.has_hooks:
                continue
            row = first + own + k
            entry = first + own + len(forward) + (len(back) - k)
            before = [j for j in range(k) if self.links[forward[j]].discipline.hop_by_hop]
            if self.links[link].discipline.hop_by_hop and before:
                j, entry = before[-1], len(self.hops)
                way = back[len(back) - k : len(back) - j] or [self.wire(math.fsum(delays[j:k]))]
                for one in way:
                    self.hops.append((one, self.queue(one), records.NEXT_HOP, NONE))
                self.hops[-1] = (*self.hops[-1][:2], records.SWITCH, NONE)
                self.about[len(self.hops) - 1] = first + own + j
            elif not back or k == 0:
                entry = len(self.hops)
                self.hops.append((self.wire(math.fsum(delays[:k])), NONE, records.SENDER, NONE))
            self.hops[row] = (*self.hops[row][:3], entry)


def _hooks(one: Discipline) -> tuple[Any, ...]:
    return one.name, one.arrive, one.depart, one.tick


def assemble(net: Network, *, sample_every: float | None = None, duration: float = math.inf) -> Assembly:
    """Lay a network out in arrays."""
    if not net.flows:
        raise ValueError(f"{net!r} has no flow")
    builder = _Builder(net)
    copies: list[tuple[Flow, str, float, int]] = []
    for flow in net.flows:
        for k, name in enumerate(flow.names):
            copies.append((flow, name, flow.start + k * flow.stagger, builder.route(flow)))
    flows = rows(len(copies), records.FLOW)
    for f, (flow, _, start, first) in enumerate(copies):
        if f > 0 and copies[f - 1][0] is flow:
            flows[f] = flows[f - 1]
        else:
            _fill_flow(flows[f], flow, builder.place(builder.schemes, flow.scheme) if flow.scheme else 0)
        flows[f].first_hop, flows[f].start = first, round(start * SECOND)
    links = rows(len(builder.links), records.LINK)
    for k, link in enumerate(builder.links):
        hooked = link.discipline.has_hooks
        _fill_link(links[k], link, k, builder.place(builder.disciplines, link.discipline) if hooked else NONE)
    if max(len(links), len(flows), len(builder.queues)) >= INDICES:
        raise ValueError(f"{net!r} is too large: less than {INDICES} links, flows' own included, and flows are allowed")
    offset, own_queues = 0, np.bincount(np.array(builder.queues, int), minlength=len(links))
    for k in range(len(links)):
        links[k].offset = offset
        if links[k].service in (records.DISCARD_WORST, records.DISCARD_LAST):
            links[k].capacity = 1 << int(2 * links[k].limit_packets + 1).bit_length()
            offset += 3 * int(links[k].capacity)
        elif links[k].service >= records.SELF_CLOCKED:
            links[k].capacity = own_queues[k]
            offset += int(links[k].capacity)
    active = rows(max(1, offset), records.TURN)
    active["queue"] = NONE
    world = _world(links, flows, active, builder, sample_every, duration)
    keep_notes = [k for k, link in enumerate(builder.links) if link.discipline.notes]
    links["notes_stride"], links["notes_place"][keep_notes] = len(keep_notes), np.arange(len(keep_notes))
    world.notes = rows(len(flows) * len(keep_notes), records.NOTE)
    for f, (_, _, start, _) in enumerate(copies):
        world.schedule(records.CLOCK + records.PACE, f, round(start * SECOND))
        flows[f].armed[records.PACE] = flows[f].due[records.PACE] = round(start * SECOND)
    for k, link in enumerate(builder.links):
        if link.discipline.tick is not None:
            world.schedule(records.SWITCH_CLOCK, k, 0)
    if sample_every is not None:
        world.schedule(records.SAMPLING, 0, 0)
    names = [name for _, name, _, _ in copies]
    made = Assembly(
        world,
        builder.schemes,
        builder.disciplines,
        names,
        [link.name for link in builder.links[: builder.named]],
        [copy[0] for copy in copies],
    )
    for f, (flow, _, _, _) in enumerate(copies):
        if flow.traffic is not None and flow.traffic.kind == records.ARRIVALS:
            world.add_connections(f, 16)
    return made


def _bits(name: str, rate: float) -> tuple[int, int] | None:
    """A rate in bit/s as a fraction, None for an infinite one."""
    if rate == math.inf:
        return None
    if not 1 <= 8 * rate <= 1e15:
        raise refuse(name, rate, "bytes/s", "[0.125, 1.25e14]")
    exact = Fraction(8 * rate).limit_denominator(1000)
    return exact.numerator, exact.denominator


def _fill_link(row: Any, link: Link, number: int, slot: int) -> None:
    row.number = number
    row.head = row.tail = row.first = row.sending = row.queue_head = row.queue_tail = row.first_fluid = NONE
    row.delay = round(link.delay * SECOND)
    # A line without transmission time: the division's numerator is 0.
    row.rate, row.scale = _bits(f"rate of link {link.name}", link.rate) or (1 << 30, 0)
    row.length = NONE
    row.remainder = row.rate >> 1
    row.service = SERVICES[link.discipline.service]
    row.limit_packets = min(link.buffer_packets, _UNBOUNDED)
    row.limit_bytes = min(link.buffer_bytes, _UNBOUNDED)
    if link.jitter > 0 and row.service != records.FIFO:
        raise ValueError(
            f"jitter of link {link.name!r} needs a discipline that serves in order of arrival: "
            f"{link.discipline.name!r} decides at departure"
        )
    row.discipline = slot
    row.loss = link.loss
    row.jitter = round(link.jitter * SECOND)
    row.refresh = round(link.counter_refresh * SECOND)
    row.coarse, row.hidden = link.coarse_clock, not link.stamps or not link.name or link.rate == math.inf
    parameters = dict(link.discipline.parameters)
    for k, value in enumerate(parameters.values()):
        row.p[k] = value
    row.quantum = int(parameters.get("quantum", 0))


def _fill_flow(row: Any, flow: Flow, slot: int) -> None:
    traffic, scheme = flow.traffic, flow.scheme
    row.packets = FOREVER if flow.file is None else math.ceil(flow.file / flow.packet)
    row.window, row.rate = math.inf, math.inf
    row.resend = row.timed = NONE
    row.recover = -2
    row.packet_size, row.ack_size = flow.packet, flow.ack
    row.scheme = slot
    row.limited = 1e300
    row.pool = 1.0
    row.reorder = 1
    row.acknowledged = 1
    row.due[:] = row.armed[:] = NEVER
    row.rto, row.backoff = 1.0, 1.0
    row.min_rto, row.max_rto, row.max_backoff = 0.2, 60.0, 64.0
    row.timestamps = 1
    row.last_paced = -(2**62)
    row.nodes_head = row.nodes_tail = row.lost_head = row.lost_tail = row.stamps = NONE
    row.blocks_head = row.blocks_tail = NONE
    row.first_row = row.last_row = row.next_row = row.template = NONE
    row.alarm = -1.0
    row.on_line = NONE
    row.stop = NEVER if flow.stop == math.inf else round(flow.stop * SECOND)
    row.finish = NEVER
    if scheme is not None:
        row.window_decides = scheme.controls == "window"
        row.selective = scheme.recovery == "selective"
        row.every_loss, row.stamped = scheme.every_loss, scheme.stamped
        row.echo_once = scheme.echo == "once"
        row.acknowledged = scheme.acknowledged
        row.reorder = scheme.reorder
        if scheme.controls == "window":
            row.window = 1.0
        else:
            row.rate = flow.packet  # one packet a second, until its scheme says more
        set_parameters(row, scheme, flow.parameters)
        row.labelled = row.growth > 0
        row.access_rate, row.access_scale = _bits(f"access_rate of flow {flow.name}", flow.access_rate) or (0, 0)
        row.access_rest = row.access_rate >> 1
    if traffic is not None:
        row.traffic = traffic.kind
        row.acknowledged = traffic.acknowledged
        row.on_time, row.off_time = min(traffic.on_time, 1e9) * SECOND, traffic.off_time * SECOND
        row.shape_on, row.shape_off = traffic.shape_on, traffic.shape_off
        row.mean_size = flow.packet if traffic.exponential_sizes else 0.0
        gap = 1 / traffic.arrivals if traffic.arrivals else traffic.interval or flow.packet / traffic.rate
        row.gap = gap * SECOND


def _world(
    links: np.ndarray, flows: np.ndarray, active: np.ndarray, builder: _Builder, every: float | None, duration: float
) -> World:
    hops = rows(len(builder.hops), records.HOP)
    for k, hop in enumerate(builder.hops):
        hops[k].link, hops[k].queue, hops[k].then, hops[k].feedback = hop
        hops[k].about = builder.about.get(k, NONE)
    queues = rows(max(1, len(builder.queues)), records.QUEUE)
    queues["head"] = queues["tail"] = queues["place"] = NONE
    queues["rate"], queues["armed"], queues["next_fluid"] = math.inf, NEVER, bit_round.OUT
    queues["link"][: len(builder.queues)] = builder.queues
    world = World(links=links, flows=flows, hops=hops, queues=queues, active=active)
    row = world.row
    row.free_packet = row.free_block = row.free_node = NONE
    row.entering = row.sending = row.notify_flow = row.flow = row.callback = row.link = row.unfinished = NONE
    row.late = NONE
    for kind in (records.NO_PACKETS, records.NO_BLOCKS, records.NO_NODES):
        world.grow(kind)
    if every is not None:
        if not duration < math.inf:
            raise ValueError("sample_every needs a duration")
        row.sample_every = max(1, round(every * SECOND))
        least = (len(flows) + builder.named) * duration / MOST_SAMPLES
        if every < least:
            raise refuse("sample_every", every, "s", f"[{least:g}, inf)")
        row.samples_room = round(duration * SECOND) // int(row.sample_every) + 1
        row.sampled_flows, row.sampled_links = len(flows), builder.named
        world.flow_samples = rows(row.samples_room * len(flows), records.FLOW_SAMPLE)
        world.link_samples = rows(row.samples_room * builder.named, records.LINK_SAMPLE)
    return world

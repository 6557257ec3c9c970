"""A network as the arrays that the kernel runs on.

What many links or flows have in common is worked out once: a network of a thousand flows has few kinds of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from longfat.domains import refuse
from longfat.sim import records
from longfat.sim.elements import Flow, Link
from longfat.sim.kernel.events import INDICES, KIND_BITS, SERIAL_SHIFT
from longfat.sim.network import Network
from longfat.sim.queues import Discipline
from longfat.sim.records import FOREVER, NEVER, NONE, SECOND
from longfat.sim.schemes.scheme import Scheme, fill_own, set_fields
from longfat.sim.services import PER_FLOW, Service
from longfat.sim.world import World, rows

_UNBOUNDED = 2**62
MOST_SAMPLES = 10**8  # rows of the traces: some gigabytes


@dataclass
class Assembly:
    """A world, and what its rows stand for."""

    world: World
    schemes: list[Scheme]
    disciplines: list[Discipline]
    services: list[Service]
    flow_names: list[str]
    link_names: list[str]  # the first rows; internal lines follow
    copies: list[Flow]


class _Kinds:
    """Things that are alike, each of them once."""

    def __init__(self, key: Callable[[Any], Any]) -> None:
        self.all: list[Any] = []
        self._key = key
        self._known: dict[int, int] = {}  # of objects seen before

    def place(self, thing: Any) -> int:
        """Return the place of a thing among all that are not alike."""
        found = self._known.get(id(thing))
        if found is None:
            keys = [self._key(one) for one in self.all]
            found = keys.index(self._key(thing)) if self._key(thing) in keys else len(keys)
            if found == len(keys):
                self.all.append(thing)
            self._known[id(thing)] = found
        return found


def _code(one: Discipline) -> tuple[Any, ...]:
    """Return what makes two disciplines the same code: their values stand in records of the links."""
    service = None if one.serving is None else one.serving.name
    hooks = one.enqueue, one.dequeue, one.feedback, one.tick
    return one.name, hooks, service, one.own.dtype, one.of_flow.dtype


class _Builder:
    def __init__(self, net: Network) -> None:
        self.net = net
        self.links: list[Link] = list(net.links.values())
        self.rows = {pair: k for k, pair in enumerate(net.links)}
        self.named = len(self.links)
        self.wires: dict[float, int] = {}
        self.hops: list[tuple[int, int, int, int]] = []
        self.queues: list[int] = []  # the link of each
        self.about: dict[int, int] = {}  # of feedback to a switch: the last hop, and the flow's hop there
        self.schemes = _Kinds(lambda one: one)
        self.disciplines = _Kinds(_code)
        self.services = _Kinds(lambda one: one)
        self.per_flow = [_has_queues_of_flows(link) for link in self.links]
        self.hooked = [link.discipline.has_hooks for link in self.links]

    def line(self, delay: float, rate: float = math.inf, jitter: float = 0.0) -> int:
        """Add a line of a flow's own, unbounded, or one of pure delay."""
        self.links.append(Link("", "", "", rate, delay, jitter=jitter))
        self.per_flow.append(False)
        self.hooked.append(False)
        return len(self.links) - 1

    def wire(self, delay: float) -> int:
        """Return a line of pure delay; order is kept whoever shares it."""
        if delay not in self.wires:
            self.wires[delay] = self.line(delay)
        return self.wires[delay]

    def queue(self, link: int) -> int:
        """Return a queue for one more flow, NONE where a link has none for each."""
        if not self.per_flow[link]:
            return NONE
        self.queues.append(link)
        return len(self.queues) - 1

    def route(self, flow: Flow) -> int:
        """Lay out the hops of one copy of a flow; return the first of them."""
        forward = [self.rows[pair] for pair in zip(flow.path, flow.path[1:], strict=False)]
        back = [self.rows[link.tail, link.head] for link in self.net.way_back(flow)]
        own = []
        if flow.send_jitter > 0:
            own.append(self.line(0.0, jitter=flow.send_jitter))
        if flow.access_rate < math.inf and flow.scheme is None:  # a sender waits for its line: `kernel.access`
            own.append(self.line(0.0, flow.access_rate))
        data = own + forward
        answers = back or [self.wire(math.fsum(self.links[k].delay for k in forward))]
        first = len(self.hops)
        for way, end in ((data, records.TO_RECEIVER), (answers, records.TO_SENDER)):
            for link in way:
                self.hops.append((link, self.queue(link), records.NEXT_HOP, NONE))
            self.hops[-1] = (*self.hops[-1][:2], end, NONE)
        for k, link in enumerate(forward):
            if self.hooked[link]:
                self._feedback(k, first + len(own), forward, back)
        return first

    def _feedback(self, k: int, first: int, forward: list[int], back: list[int]) -> None:
        """Lay out where feedback of a switch enters: the way of the acknowledgments from there, or as much delay."""
        entry = first + len(forward) + (len(back) - k)
        delays = [self.links[one].delay for one in forward]
        told = self.links[forward[k]].discipline
        before = [j for j in range(k) if self.links[forward[j]].discipline.hop_by_hop]
        if told.hop_by_hop and before:
            j, entry = before[-1], len(self.hops)
            way = back[len(back) - k : len(back) - j] or [self.wire(math.fsum(delays[j:k]))]
            for one in way:
                self.hops.append((one, self.queue(one), records.NEXT_HOP, NONE))
            self.hops[-1] = (*self.hops[-1][:2], records.TO_SWITCH, NONE)
            self.about[len(self.hops) - 1] = first + j
        elif not back or k == 0:
            entry = len(self.hops)
            self.hops.append((self.wire(math.fsum(delays[:k])), NONE, records.TO_SENDER, NONE))
        self.hops[first + k] = (*self.hops[first + k][:3], entry)


def _has_queues_of_flows(link: Link) -> bool:
    service = link.discipline.serving
    return service is not None and service.queues == PER_FLOW


def assemble(net: Network, *, sample_every: float | None = None, duration: float = math.inf) -> Assembly:
    """Lay a network out in arrays."""
    if not net.flows:
        raise ValueError(f"{net!r} has no flow")
    builder = _Builder(net)
    copies: list[tuple[Flow, str, float]] = []
    first_hops = []
    for flow in net.flows:
        for k, name in enumerate(flow.names):
            copies.append((flow, name, flow.start + k * flow.stagger))
            first_hops.append(builder.route(flow))
    world = World()
    flows = [flow for flow, _, _ in copies]
    starts = np.array([round(start * SECOND) for _, _, start in copies], np.int64)
    _lay_flows(world, builder, flows, starts)
    world.senders["first_hop"] = first_hops
    _lay_links(world, builder)
    if max(len(world.links), len(copies), len(world.queues)) >= INDICES:
        raise ValueError(f"{net!r} is too large: less than {INDICES} links, flows' own included, and flows are allowed")
    _lay_hops(world, builder)
    _lay_traces(world, len(copies), builder.named, sample_every, duration)
    world.begin()
    _schedule(world, builder, starts, sample_every)
    made = Assembly(
        world,
        builder.schemes.all,
        builder.disciplines.all,
        builder.services.all,
        [name for _, name, _ in copies],
        [link.name for link in builder.links[: builder.named]],
        flows,
    )
    for f, flow in enumerate(flows):
        if flow.traffic is not None and flow.traffic.kind == records.ARRIVALS:
            world.add_connections(f, 16)
    return made


# --- Kinds of rows, made once each ----------------------------------------------------------------------------------


def _by_kind(things: list[Any], key: Callable[[Any], Hashable], make: Callable[[Any], Any]) -> tuple[list[Any], Any]:
    """Return what `make` makes of each kind of thing, and which kind each of them is."""
    known: dict[Hashable, int] = {}
    made, which = [], np.empty(len(things), np.int64)
    for k, thing in enumerate(things):
        kind = key(thing)
        found = known.get(kind)
        if found is None:
            found = known[kind] = len(made)
            made.append(make(thing))
        which[k] = found
    return made, which


def _stretch(kinds: list[np.ndarray], which: np.ndarray) -> np.ndarray:
    """Return a row for each thing, of the rows of their kinds."""
    many = np.concatenate(kinds)[which] if kinds else rows(0, records.WORD)
    made = rows(len(many), many.dtype)
    made[:] = many
    return made


def _words(kinds: list[np.ndarray], which: np.ndarray) -> tuple[np.ndarray, int]:
    """Return records of words for each thing, as long as the longest, and that length."""
    words = max(map(len, kinds), default=0)
    padded = np.zeros((len(kinds), words), np.int64)
    for k, one in enumerate(kinds):
        padded[k, : len(one)] = one["x"]
    made = rows(words * len(which), records.WORD)
    made["x"] = padded[which].reshape(-1) if len(kinds) else 0
    return made, words


def _bits(name: str, rate: float) -> tuple[int, int] | None:
    """Return a rate in bit/s as a fraction, None for an infinite one."""
    if rate == math.inf:
        return None
    if not 1 <= 8 * rate <= 1e15:
        raise refuse(name, rate, "bytes/s", "[0.125, 1.25e14]")
    exact = Fraction(8 * rate).limit_denominator(1000)
    return exact.numerator, exact.denominator


# --- Links ----------------------------------------------------------------------------------------------------------


def _lay_links(world: World, builder: _Builder) -> None:
    def key(link: Link) -> Hashable:
        return (
            link.rate, link.delay, link.buffer_packets, link.buffer_bytes, id(link.discipline), link.loss, link.jitter,
            link.counter_refresh, link.coarse_clock, link.stamps, bool(link.name),
        )  # fmt: skip

    kinds, which = _by_kind(builder.links, key, lambda link: _link(link, builder))
    world.links = links = _stretch([one[0] for one in kinds], which)
    links["number"] = np.arange(len(links))
    world.link_own, world.row.link_own_words = _words([one[1] for one in kinds], which)
    world.service_own, world.row.service_own_words = _words([one[2] for one in kinds], which)
    _lay_flow_state(world, builder)
    _lay_queues(world, builder)
    world.lay_rings()


def _link(link: Link, builder: _Builder) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the row of a kind of link, and the records of its discipline and its service."""
    made = rows(1, records.LINK)
    row, discipline, service = made[0], link.discipline, link.discipline.serving
    row.head = row.tail = row.sending = row.queues = row.discipline = row.service = NONE
    row.delay = round(link.delay * SECOND)
    # A line without transmission time: the division's numerator is 0.
    row.rate, row.scale = _bits(f"rate of link {link.name}", link.rate) or (1 << 30, 0)
    row.bytes_per_second = link.rate
    row.length = NONE
    row.remainder = row.rate >> 1
    row.limit_packets = min(link.buffer_packets, _UNBOUNDED)
    row.limit_bytes = min(link.buffer_bytes, _UNBOUNDED)
    if link.jitter > 0 and service is not None:
        raise ValueError(
            f"jitter of link {link.name!r} needs a discipline that serves in order of arrival: "
            f"{discipline.name!r} decides at departure"
        )
    row.loss = link.loss
    row.jitter = round(link.jitter * SECOND)
    row.refresh = round(link.counter_refresh * SECOND)
    row.coarse, row.hidden = link.coarse_clock, not link.stamps or not link.name or link.rate == math.inf
    own, served = rows(discipline.own.words, records.WORD), rows(0, records.WORD)
    if discipline.has_hooks:
        row.discipline = builder.disciplines.place(discipline)
        discipline.own.fill(own, discipline.values)
    if service is not None:
        row.service = builder.services.place(service)
        row.work_conserving = service.work_conserving
        served = rows(service.own.words, records.WORD)
        service.own.fill(served, discipline.values)
    row.special = row.service != NONE or row.discipline != NONE or row.loss > 0 or row.jitter > 0 or row.refresh > 0
    return made, own, served


def _lay_flow_state(world: World, builder: _Builder) -> None:
    """Lay out what disciplines keep of every flow, with the values it begins with."""
    initial: list[np.ndarray] = []
    for k, hooked in enumerate(builder.hooked):
        of_flow = builder.links[k].discipline.of_flow
        if hooked and of_flow.words:
            world.links[k].flow_state = sum(map(len, initial))
            initial.append(rows(of_flow.words, records.WORD))
            of_flow.fill(initial[-1], {})
    world.initial_flow_state = np.concatenate([rows(0, records.WORD), *initial])
    world.row.flow_state_words = len(world.initial_flow_state)
    world.flow_state = np.tile(world.initial_flow_state, len(world.senders))


def _lay_queues(world: World, builder: _Builder) -> None:
    """Lay out the queues of each link with a service, next to each other, and its workspace."""
    links, of_flows = world.links, np.array(builder.queues, np.int64)
    served = np.flatnonzero(links["service"] != NONE)
    count = np.bincount(of_flows, minlength=len(links))
    services = {int(k): builder.services.all[int(links["service"][k])] for k in served}
    for k, service in services.items():
        if service.queues != PER_FLOW:
            count[k] = service.queues
    begin = np.concatenate(([0], np.cumsum(count)))
    links["queues"][served], links["queue_count"][served] = begin[served], count[served]
    order = np.argsort(of_flows, kind="stable")  # queues of flows in the order of their links
    world.queue_numbers = np.empty(len(of_flows), np.int64)
    ranks = np.arange(len(of_flows)) - np.searchsorted(of_flows[order], of_flows[order], "left")
    world.queue_numbers[order] = begin[of_flows[order]] + ranks
    world.queues = queues = rows(max(1, int(begin[-1])), records.QUEUE)
    queues["head"], queues["tail"], queues["armed"] = NONE, NONE, NEVER
    queues["number"] = np.arange(len(queues))
    queues["link"][: begin[-1]] = np.repeat(np.arange(len(links)), count)
    kinds, which, workspace = [rows(0, records.WORD)], np.zeros(len(queues), np.int64), 0
    for k, service in services.items():
        kinds.append(rows(service.of_queue.words, records.WORD))
        service.of_queue.fill(kinds[-1], {})
        which[begin[k] : begin[k + 1]] = len(kinds) - 1
        links["workspace"][k] = workspace
        if service.workspace is not None:
            workspace += service.workspace(float(links["limit_packets"][k]), int(count[k]))
    world.queue_own, world.row.queue_own_words = _words(kinds, which)
    world.workspace = rows(workspace, records.WORD)


def _lay_hops(world: World, builder: _Builder) -> None:
    table = np.array(builder.hops, np.int64).reshape(-1, 4)
    world.hops = hops = rows(len(table), records.HOP)
    mine = table[:, 1] != NONE
    table[mine, 1] = world.queue_numbers[table[mine, 1]]
    for k, name in enumerate(("link", "queue", "then", "feedback")):
        hops[name] = table[:, k]
    hops["about"] = NONE
    for k, hop in builder.about.items():
        hops["about"][k] = hop
    hops["ahead"] = _ahead(world)


def _ahead(world: World) -> np.ndarray:
    """Return what of the arrival at the far end of each hop may be worked out at admission: see `kernel.links.admit`."""
    hops, links = world.hops, world.links
    link, then = hops["link"], hops["then"]
    plain = (links["special"] == 0) & (links["service"] == NONE)
    goes_on = np.isin(then, (records.NEXT_HOP, records.TO_RECEIVER))
    # What feeds each link: the link before it, or many, or a sender, a source, or the feedback of a switch.
    feeder = np.full(len(links), NONE)
    several = np.zeros(len(links), bool)
    entered = np.flatnonzero(goes_on) + 1
    first_of = np.full(len(links), NONE)
    first_of[link[entered][::-1]] = link[entered - 1][::-1]
    np.logical_or.at(several, link[entered], link[entered - 1] != first_of[link[entered]])
    feeder[:] = first_of
    begins = np.ones(len(hops), bool)
    begins[entered] = False
    several[link[begins]] = True
    told = hops["feedback"][hops["feedback"] != NONE]
    several[link[told]] = True
    ahead = np.full(len(hops), records.AT_ARRIVAL, np.int32)
    mine = np.flatnonzero(goes_on & plain[link])
    following = link[mine + 1]
    alone = plain[following] & ~several[following] & (feeder[following] == link[mine])
    ahead[mine[then[mine] == records.TO_RECEIVER]] = records.RECEIVE_AHEAD
    ahead[mine[alone]] = records.ENTER_AHEAD
    return ahead


# --- Flows ----------------------------------------------------------------------------------------------------------


def _lay_flows(world: World, builder: _Builder, flows: list[Flow], starts: np.ndarray) -> None:
    def key(flow: Flow) -> Hashable:
        return (
            id(flow.scheme), id(flow.traffic), flow.file, flow.stop, flow.packet, flow.ack, flow.access_rate,
            tuple(flow.parameters.items()),
        )  # fmt: skip

    kinds, which = _by_kind(flows, key, lambda flow: _flow(flow, builder))
    lines = any(flow.access_rate < math.inf and flow.scheme is not None for flow in flows)
    needed = {"lines": lines, "sources": any(flow.traffic is not None for flow in flows)}
    for name in records.OF_FLOWS:
        if needed.get(name, True):
            setattr(world, name, _stretch([one[name] for one, _ in kinds], which))
    world.tallies["start"] = starts
    world.flow_own, world.row.flow_own_words = _words([own for _, own in kinds], which)


def _flow(flow: Flow, builder: _Builder) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return the rows of a kind of flow, and the record of its scheme."""
    made = {name: rows(1, dtype) for name, dtype in records.OF_FLOWS.items()}
    row = {name: one[0] for name, one in made.items()}
    sender, timer, receiver, recovery = (row[name] for name in ("senders", "timers", "receivers", "recoveries"))
    tally, line, source = row["tallies"], row["lines"], row["sources"]
    sender.packets = FOREVER if flow.file is None else math.ceil(flow.file / flow.packet)
    sender.window, sender.rate = math.inf, math.inf
    sender.resend = sender.timed = NONE
    sender.packet_size, receiver.ack_size = flow.packet, flow.ack
    sender.limited = 1e300
    sender.due[:] = sender.armed[:] = NEVER
    sender.timestamps = 1
    sender.last_paced = -(2**62)
    tally.stop = sender.sends_until = NEVER if flow.stop == math.inf else round(flow.stop * SECOND)
    tally.finish = NEVER
    tally.stamps = tally.template = NONE
    timer.rto, timer.backoff = 1.0, 1.0
    timer.min_rto, timer.max_rto, timer.max_backoff = 0.2, 60.0, 64.0
    receiver.blocks_head = receiver.blocks_tail = NONE
    receiver.answers = receiver.in_order = sender.acknowledged = 1
    recovery.recover = -2
    recovery.pool, recovery.reorder, recovery.alarm = 1.0, 1, -1.0
    recovery.blocks_head = recovery.blocks_tail = NONE
    recovery.nodes_head = recovery.nodes_tail = recovery.lost_head = recovery.lost_tail = NONE
    line.packet = source.first_row = source.last_row = source.next_row = NONE
    own = rows(0, records.WORD)
    if flow.scheme is not None:
        own = _by_scheme(flow, builder.schemes.place(flow.scheme), row)
    if flow.traffic is not None:
        _by_traffic(flow, row)
    if not receiver.answers:
        receiver.in_order = 0
    return made, own


def _by_scheme(flow: Flow, place: int, row: dict[str, Any]) -> np.ndarray:
    """Fill in what a flow has from its scheme; return the scheme's own record."""
    scheme = flow.scheme
    assert scheme is not None
    sender, receiver, recovery, line = (row[name] for name in ("senders", "receivers", "recoveries", "lines"))
    sender.scheme = place
    sender.transfer = 1
    sender.window_decides = scheme.controls == "window"
    sender.acknowledged = receiver.answers = scheme.acknowledged
    sender.labelled, sender.alarmed = scheme.send is not None, scheme.alarm is not None
    receiver.echo_once = scheme.echo == "once"
    recovery.every_loss, recovery.reorder = scheme.every_loss, scheme.reorder
    if scheme.controls == "window":
        sender.window = 1.0
    else:
        sender.rate = flow.packet  # one packet a second, until its scheme says more
    set_fields(row, scheme, flow.parameters)
    sender.repair = records.SELECTIVE if scheme.recovery == "selective" else records.SKIPS if recovery.skips else records.OWN
    receiver.tells_time = recovery.arrival_times
    sender.stamped = 1 if scheme.stamped else 2 if receiver.tells_time else 0
    line.rate, line.scale = _bits(f"access_rate of flow {flow.name}", flow.access_rate) or (0, 0)
    line.remainder = line.rate >> 1
    sender.line = line.rate > 0
    own = rows(scheme.own.words, records.WORD)
    fill_own(own, scheme, flow.parameters)
    return own


def _by_traffic(flow: Flow, row: dict[str, Any]) -> None:
    """Fill in what a flow has from its generator."""
    traffic = flow.traffic
    assert traffic is not None
    sender, receiver, source = row["senders"], row["receivers"], row["sources"]
    row["tallies"].traffic = traffic.kind
    sender.transfer = 0
    receiver.in_order = traffic.kind == records.ARRIVALS  # of its connections
    receiver.answers = sender.acknowledged = traffic.acknowledged
    source.on_time, source.off_time = min(traffic.on_time, 1e9) * SECOND, traffic.off_time * SECOND
    source.shape_on, source.shape_off = traffic.shape_on, traffic.shape_off
    source.mean_size = flow.packet if traffic.exponential_sizes else 0.0
    gap = 1 / traffic.arrivals if traffic.arrivals else traffic.interval or flow.packet / traffic.rate
    source.gap = gap * SECOND


# --- What happens first ---------------------------------------------------------------------------------------------


def _lay_traces(world: World, flows: int, links: int, every: float | None, duration: float) -> None:
    if every is None:
        return
    if not duration < math.inf:
        raise ValueError("sample_every needs a duration")
    row = world.row
    row.sample_every = max(1, round(every * SECOND))
    least = (flows + links) * duration / MOST_SAMPLES
    if every < least:
        raise refuse("sample_every", every, "s", f"[{least:g}, inf)")
    row.samples_room = round(duration * SECOND) // int(row.sample_every) + 1
    row.sampled_flows, row.sampled_links = flows, links
    world.flow_samples = rows(row.samples_room * flows, records.FLOW_SAMPLE)
    world.link_samples = rows(row.samples_room * links, records.LINK_SAMPLE)


def _schedule(world: World, builder: _Builder, starts: np.ndarray, every: float | None) -> None:
    """Schedule the flows' starts, then the clocks of disciplines, then the samples: in this order at equal times."""
    world.senders["due"][: len(starts), records.PACE] = starts
    world.senders["armed"][: len(starts), records.PACE] = starts
    ticks = [k for k, hooked in enumerate(builder.hooked) if hooked and builder.links[k].discipline.tick is not None]
    kinds = [records.CLOCK + records.PACE] * len(starts) + [records.SWITCH_CLOCK] * len(ticks)
    indices = [*range(len(starts)), *ticks]
    times = [*starts.tolist(), *[0] * len(ticks)]
    if every is not None:
        kinds, indices, times = [*kinds, records.SAMPLING], [*indices, 0], [*times, 0]
    serials = np.arange(1, len(kinds) + 1, dtype=np.int64)
    keys = (serials << SERIAL_SHIFT) | (np.array(kinds, np.int64) << (SERIAL_SHIFT - KIND_BITS)) | np.array(indices)
    order = np.lexsort((keys, times))  # in order, they are a heap
    world.clocks["time"][: len(keys)], world.clocks["key"][: len(keys)] = np.array(times)[order], keys[order]
    world.row.clocks = world.row.serial = len(keys)

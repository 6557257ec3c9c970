"""Assembly of a network: conversion of its links and flows into the arrays of a run.

Links with equal options are of one kind, and so are flows. The row of a kind is built once, and copied.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from longfat.base.domains import conflict, out_of_range, wrong_type
from longfat.sim.kernel import records
from longfat.sim.kernel.callbacks import CALLBACKS
from longfat.sim.kernel.events import INDICES, KIND_BITS, SERIAL_SHIFT
from longfat.sim.kernel.records import FOREVER, NEVER, NONE, SECOND
from longfat.sim.network.elements import OF_LINK, Flow, Link, flow_values, link_values
from longfat.sim.network.network import Network
from longfat.sim.network.options import Number
from longfat.sim.network.traffic import Traffic
from longfat.sim.plugin.plug_in import names_used
from longfat.sim.plugin.view_fields import INITIAL
from longfat.sim.queues import Discipline
from longfat.sim.runs.routes import Kinds, Routes, lay_hops
from longfat.sim.runs.run_state import RunState, rows
from longfat.sim.switch import ptp

MOST_SAMPLES = 10**8  # greatest number of rows of the traces of a run, which take some gigabytes
_UNBOUNDED = 2**62
_NO_WORDS = np.zeros(0, np.int64)


def assemble(net: Network, *, sample_every: float | None = None, duration: float = math.inf) -> RunState:
    """Assemble a network into the arrays of a run, with samples every `sample_every` [s] if given."""
    if not isinstance(net, Network):
        raise wrong_type("net", net, "a Network")
    if not net.flows:
        raise ValueError(f"{net!r} has no flow: must have one or more")
    routes, state = Routes(net), RunState()
    state.copies, state.flow_names, starts, first_hops = [], [], [], []
    for flow in net.flows:
        for k, name in enumerate(flow.names):
            state.copies.append(flow)
            state.flow_names.append(name)
            starts.append(round((flow.start + k * flow.stagger) * SECOND))
            first_hops.append(routes.route(flow))
    lay_flows(state, routes, starts)
    state.senders["first_hop"] = first_hops
    queue_rows = lay_links(state, routes)
    if max(len(state.links), len(starts), len(state.queues)) >= INDICES:
        raise ValueError(
            f"{net!r} is too large: must have fewer than {INDICES} of each: links (with internal ones), flows, queues"
        )
    lay_hops(state, routes, queue_rows)
    state.link_names = [link.name for link in routes.links[: routes.named]]
    state.schemes, state.disciplines, state.services = routes.schemes.all, routes.disciplines.all, routes.services.all
    _lay_traces(state, sample_every, duration)
    state.begin()
    _schedule(state, routes, starts, sample_every)
    for f, flow in enumerate(state.copies):
        if flow.traffic is not None and flow.traffic.kind == records.ARRIVALS:
            state.add_connections(f, 16)
    return state


def _lay_traces(state: RunState, every: float | None, duration: float) -> None:
    """Allocate rows for samples every `every` [s]; do nothing if `every` is None."""
    if every is None:
        return
    if not duration < math.inf:
        raise conflict("sample_every", "needs a duration", "give duration [s]")
    row, flows, links = state.row, len(state.flow_names), len(state.link_names)
    row.sample_every = max(1, round(every * SECOND))
    least = (flows + links) * duration / MOST_SAMPLES
    if every < least:
        raise out_of_range("sample_every", every, "s", f"[{least:g}, inf)")
    row.samples_room = round(duration * SECOND) // int(row.sample_every) + 1
    row.sampled_flows, row.sampled_links = flows, links
    state.flow_samples = rows(row.samples_room * flows, records.FLOW_SAMPLE)
    state.link_samples = rows(row.samples_room * links, records.LINK_SAMPLE)


def _schedule(state: RunState, routes: Routes, starts: list[int], every: float | None) -> None:
    """Schedule the starts of flows, then the ticks of disciplines, then the samples: in this order at equal times."""
    state.senders["due_ns"][: len(starts), records.PACE] = starts
    state.senders["armed_ns"][: len(starts), records.PACE] = starts
    ticks = [k for k, hooked in enumerate(routes.hooked) if hooked and routes.links[k].discipline.tick is not None]
    kinds = [records.CLOCK + records.PACE] * len(starts) + [records.SWITCH_CLOCK] * len(ticks)
    indices = [*range(len(starts)), *ticks]
    times = [*starts, *[0] * len(ticks)]
    if every is not None:
        kinds, indices, times = [*kinds, records.SAMPLING], [*indices, 0], [*times, 0]
    entries = sorted(
        (time, (serial << SERIAL_SHIFT) | (kind << (SERIAL_SHIFT - KIND_BITS)) | index)
        for serial, (time, kind, index) in enumerate(zip(times, kinds, indices, strict=True), 1)
    )  # sorted entries are a heap
    state.clocks["time"][: len(entries)], state.clocks["key"][: len(entries)] = zip(*entries, strict=True)
    state.row.clocks = state.row.serial = len(entries)


@dataclass(frozen=True)
class Keyed:
    """Object that is compared by a key, for use as the argument of a cached function.

    A key may hold the `id` of a part of `thing`, because the cache entry keeps `thing` alive.
    """

    key: Hashable
    thing: Any = field(compare=False)


def _by_kind(
    things: list[Any], key: Callable[[Any], Hashable], make: Callable[[Keyed], Any]
) -> tuple[list[Any], list[Any], Any]:
    """Group objects by key into kinds; return the first object of each kind, its rows, and the kind of each object.

    `make` returns the rows of a kind; kinds are numbers from 0 on.
    """
    kinds = Kinds(key)
    which = np.array([kinds.place(thing) for thing in things])
    return kinds.all, [make(Keyed(key(first), first)) for first in kinds.all], which


def _stretch(made: np.ndarray, kinds: list[np.ndarray], which: np.ndarray) -> None:
    """Copy into each row of `made` the row of its kind, whose number is in `which`; there is at least one kind."""
    plain = np.dtype((np.void, made.itemsize))  # copies bytes, which is faster than NumPy's copy of each field
    raw = np.ndarray(len(made), plain, made)
    raw[:] = kinds[0].view(plain) if len(kinds) == 1 else np.concatenate([one.view(plain) for one in kinds])[which]


def _words(kinds: list[np.ndarray], which: np.ndarray) -> tuple[np.ndarray, int]:
    """Return an array with the record of each object's kind, and the length of a record [words].

    All records are as long as the longest kind. `which` has the index of each object's kind in `kinds`.
    """
    words = records.aligned_size(8 * max(map(len, kinds), default=0)) // 8
    if not words:
        return rows(0, records.WORD), 0
    padded = np.zeros((len(kinds), words), np.int64)
    for k, one in enumerate(kinds):
        padded[k, : len(one)] = one
    made = rows(words * len(which), records.WORD)
    made["x"] = padded[which].reshape(-1)
    return made, words


def _bits(name: str, rate: float) -> tuple[int, int] | None:
    """Return a rate [bytes/s] as a fraction of bit/s, numerator and denominator; None for an infinite rate."""
    if rate == math.inf:
        return None
    if not 1 <= 8 * rate <= 1e15:
        raise out_of_range(name, rate, "bytes/s", "[0.125, 1.25e14]")
    return _nearest_fraction(*(8 * rate).as_integer_ratio(), 1000)


def _nearest_fraction(top: int, bottom: int, most: int) -> tuple[int, int]:
    """Return the fraction nearest to top/bottom, in lowest terms, whose denominator is at most ``most``.

    The algorithm is that of `fractions.Fraction.limit_denominator`, which takes ten times as long because it makes
    objects; a link may have a hundred thousand rates.

    >>> _nearest_fraction(314159, 100000, 100)
    (311, 99)
    """
    if bottom <= most:
        return top, bottom
    dividend, divisor = top, bottom
    p0, q0, p1, q1 = 0, 1, 1, 0
    while True:
        quotient = dividend // divisor
        if q0 + quotient * q1 > most:
            break
        p0, q0, p1, q1 = p1, q1, p0 + quotient * p1, q0 + quotient * q1
        dividend, divisor = divisor, dividend - quotient * divisor
    steps = (most - q0) // q1
    if 2 * divisor * (q0 + steps * q1) <= bottom:  # p1/q1 is as near as the semiconvergent
        return p1, q1
    return p0 + steps * p1, q0 + steps * q1


def lay_links(state: RunState, routes: Routes) -> np.ndarray:
    """Lay out the rows of links, queues, disciplines and services; return the row of each flow's queue."""

    def key(link: Link) -> Hashable:
        return id(link.discipline), bool(link.name), *link_values(link)

    called = (getattr(scheme, name) for scheme in routes.schemes.all for name in CALLBACKS)
    if any(_sends_requests(one) for one in called if one is not None):
        routes.responder = ptp.responder()
    firsts, kinds, which = _by_kind(routes.links, key, _link)
    state.allocate({"links": len(which)})
    links = state.links
    _stretch(links, [one[0] for one in kinds], which)
    links["number"] = np.arange(len(links))
    links["discipline"], links["service"] = np.array([_places(one.discipline, routes) for one in firsts])[which].T
    _lay_rate_changes(state, routes.links)
    state.link_own, state.row.link_own_words = _words([one[1] for one in kinds], which)
    state.service_own, state.row.service_own_words = _words([one[2] for one in kinds], which)
    if routes.responder is not None:
        state.row.responder = routes.disciplines.place(routes.responder)
        _lay_responder(state, routes.responder, firsts, which)
    _lay_flow_state(state, routes)
    queue_rows = _lay_queues(state, routes)
    state.allocate_circular_buffers()
    return queue_rows


def _lay_rate_changes(state: RunState, links: list[Link]) -> None:
    """Lay out the rate changes of links; the changes of one link are adjacent."""
    changing = [k for k, link in enumerate(links) if link.rate_changes]
    if not changing:
        return
    state.rate_changes = rows(sum(len(links[k].rate_changes) + 1 for k in changing), records.RATE_CHANGE)
    following = 0
    for k in changing:
        row = state.links[k]
        row.next_rate = row.next_shown_rate = following
        times, rates = np.array(links[k].rate_changes).T
        made = state.rate_changes[following : following + len(times)]
        made["time"], made["bytes_per_second"] = np.rint(times * SECOND), rates
        name = f"rate of link {links[k].name}"
        made["rate"], made["scale"] = np.array([_bits(name, one) or (1, 0) for one in rates.tolist()]).T
        row.rate_until = row.shown_rate_until = state.rate_changes[following].time
        following += len(links[k].rate_changes) + 1
        state.rate_changes[following - 1].time = NEVER


def _places(discipline: Discipline, routes: Routes) -> tuple[int, int]:
    """Return the numbers that a discipline and its service have in the lists of `routes`; NONE if absent."""
    service = discipline.scheduler
    return (
        routes.disciplines.place(discipline) if discipline.callbacks else NONE,
        NONE if service is None else routes.services.place(service),
    )


@functools.lru_cache(maxsize=256)  # enough for one large network, or for many small ones that share kinds
def _link(kind: Keyed) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the row of a kind of link, without the numbers of its plug-ins, and the records of these."""
    link: Link = kind.thing
    made = rows(1, records.LINK)
    row, discipline, service = made[0], link.discipline, link.discipline.scheduler
    for name, one in OF_LINK.items():
        if isinstance(one, Number) and one.row:
            value = getattr(link, name)
            setattr(row, one.row, round(value * SECOND) if one.unit == "s" else value)
    # A link without transmission times has `scale` 0. The numerator of the division is then 0, and `rate` may be any
    # divisor.
    row.rate, row.scale = _bits(f"rate of link {link.name}", link.rate) or (1 << 30, 0)
    row.bytes_per_second = link.rate
    row.carried_remainder = row.rate >> 1
    row.limit_packets = min(link.buffer_packets, _UNBOUNDED)
    row.limit_bytes = min(link.buffer_bytes, _UNBOUNDED)
    own, of_service = discipline.columns.filled(discipline.values), _NO_WORDS
    if service is not None:
        row.work_conserving, row.may_push_out = service.work_conserving, service.may_push_out
        of_service = service.columns.filled(discipline.values)
    row.special = service is not None or bool(discipline.callbacks) or row.loss > 0 or row.jitter > 0
    return made, own, of_service


def _lay_responder(state: RunState, responder: Discipline, firsts: list[Link], which: np.ndarray) -> None:
    """Lay out the records of `responder`, which answers requests, and mark the links where it sees every packet."""
    state.responder_own, state.row.responder_own_words = _words(
        [_of_responder(one, responder) for one in firsts], which
    )
    refreshing = np.array([one.counter_refresh > 0 for one in firsts])[which]
    state.links["shows_all"] = refreshing
    state.links["special"] |= refreshing


def _of_responder(link: Link, responder: Discipline) -> np.ndarray:
    """Return the record of the run's responder for a link."""
    stamps = ptp.BY_OUTGOING
    if not link.stamps or not link.name or link.rate == math.inf:
        stamps = ptp.BY_NOBODY
    elif link.stamps == "incoming":
        stamps = ptp.BY_INCOMING
    return responder.columns.filled(
        {"refresh": link.counter_refresh, "coarse_clock": link.coarse_clock, "stamps": stamps}
    )


@functools.lru_cache(maxsize=512)
def _sends_requests(function: Callable[..., Any]) -> bool:
    """Return whether a callback of a scheme, or a helper that it calls, sets the field ``request`` of its flow."""
    return "request" in names_used(function)


def _lay_flow_state(state: RunState, routes: Routes) -> None:
    """Lay out the state variables that disciplines have for each flow, with their initial values."""
    initial: list[np.ndarray] = []
    for k, hooked in enumerate(routes.hooked):
        of_flow = routes.links[k].discipline.flow_columns
        if hooked and of_flow.words:
            state.links[k].flow_state = sum(map(len, initial))
            initial.append(of_flow.filled({}))
    if not initial:
        return
    state.initial_flow_state = np.concatenate(initial).view(records.WORD)
    state.row.flow_state_words = len(state.initial_flow_state)
    state.flow_state = np.tile(state.initial_flow_state, len(state.senders))


def _lay_queues(state: RunState, routes: Routes) -> np.ndarray:
    """Lay out the queues and the workspace of links with a service; return the row of each flow's queue."""
    links, of_flows = state.links, np.array(routes.queues, np.int64)
    with_service = np.flatnonzero(links["service"] != NONE)
    if not len(with_service):
        state.queues = rows(1, records.QUEUE)
        return of_flows
    count = np.bincount(of_flows, minlength=len(links))
    services = {int(k): routes.services.all[int(links["service"][k])] for k in with_service}
    for k, service in services.items():
        fixed = service.queue_count(routes.links[k].discipline.values)
        if fixed is not None:
            count[k] = fixed
    begin = np.concatenate(([0], np.cumsum(count)))
    links["first_queue"][with_service], links["queue_count"][with_service] = begin[with_service], count[with_service]
    order = np.argsort(of_flows, kind="stable")  # queues of flows in the order of their links
    queue_rows = np.empty(len(of_flows), np.int64)
    ranks = np.arange(len(of_flows)) - np.searchsorted(of_flows[order], of_flows[order], "left")
    queue_rows[order] = begin[of_flows[order]] + ranks
    state.queues = queues = rows(max(1, int(begin[-1])), records.QUEUE)
    queues["number"] = np.arange(len(queues))
    queues["link"][: begin[-1]] = np.repeat(np.arange(len(links)), count)
    kinds, which, workspace = [_NO_WORDS], np.zeros(len(queues), np.int64), 0
    for k, service in services.items():
        kinds.append(service.queue_columns.filled({}))
        which[begin[k] : begin[k + 1]] = len(kinds) - 1
        links["workspace"][k] = workspace
        if service.workspace is not None:
            links["workspace_words"][k] = service.workspace(float(links["limit_packets"][k]), int(count[k]))
            workspace += int(links["workspace_words"][k])
    state.queue_own, state.row.queue_own_words = _words(kinds, which)
    state.workspace = rows(workspace, records.WORD)
    return queue_rows


def lay_flows(state: RunState, routes: Routes, starts: list[int]) -> None:
    """Lay out the rows of all flows, and the records of their schemes."""

    def key(flow: Flow) -> Hashable:
        things = id(flow.scheme), id(flow.traffic), id(flow.application)
        return *things, tuple(flow.parameters.items()), *flow_values(flow)

    flows = state.copies
    firsts, kinds, which = _by_kind(flows, key, _flow)
    lines = any(flow.access_rate < math.inf and flow.scheme is not None for flow in flows)
    sources = any(flow.traffic is not None or flow.application is not None for flow in flows)
    needed = {"access_links": lines, "sources": sources, "traced": False}
    needed["delayed_acks"] = any(one["receivers"]["delays"][0] for one, _ in kinds)
    found = [name for name in records.OF_FLOWS if needed.get(name, True)]
    state.allocate(dict.fromkeys(found, len(flows)))
    for name in found:
        _stretch(getattr(state, name), [one[name] for one, _ in kinds], which)
    places = [0 if one.scheme is None else routes.schemes.place(one.scheme.assembled(one.parameters)) for one in firsts]
    state.senders["scheme"] = np.array(places)[which]
    state.tallies["start"] = starts
    if sources:
        state.sources["next_write"] = starts
    state.flow_own, state.row.flow_own_words = _words([own for _, own in kinds], which)


@functools.lru_cache(maxsize=256)
def _flow(kind: Keyed) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return the rows of a kind of flow, without the number of its scheme, and the record of the scheme."""
    flow: Flow = kind.thing
    made = {name: rows(1, dtype) for name, dtype in records.OF_FLOWS.items()}
    row = {name: one[0] for name, one in made.items()}
    sender, receiver, tally = row["senders"], row["receivers"], row["tallies"]
    sender.packets = FOREVER if flow.file is None else math.ceil(flow.file / flow.packet)
    sender.packet_size, receiver.ack_size = flow.packet, flow.ack
    tally.stop = sender.sends_until_ns = NEVER if flow.stop == math.inf else round(flow.stop * SECOND)
    own = _NO_WORDS
    if flow.scheme is not None:
        own = _by_scheme(flow, row)
    if flow.traffic is not None:
        _by_traffic(flow, row)
    if flow.application is not None:
        _by_application(flow, row)
    if not receiver.acknowledges:
        receiver.in_order = 0
    notified = receiver.delays == records.BY_SCHEME or receiver.reports_arrival or receiver.echo == records.ACCURATE
    receiver.plain = receiver.acknowledges and not notified
    return made, own


def _by_scheme(flow: Flow, row: dict[str, Any]) -> np.ndarray:
    """Set the fields of a flow that depend on its scheme; return the record of the scheme."""
    scheme = flow.scheme
    assert scheme is not None
    sender, receiver, recovery, line = (row[name] for name in ("senders", "receivers", "recoveries", "access_links"))
    sender.transfer = 1
    sender.window_decides = scheme.controls == "window"
    sender.acknowledged = receiver.acknowledges = scheme.acknowledged
    sender.has_send_callback, sender.has_alarm_callback = scheme.send is not None, scheme.alarm is not None
    receiver.echo = records.ECHO_MODES.index(scheme.echo)
    recovery.every_loss, recovery.reorder = scheme.every_loss, scheme.reorder
    if scheme.controls == "window":
        sender.window = 1.0
    else:
        sender.rate = flow.packet  # one packet per second, until its scheme sets another rate
    recovery.sampled, recovery.least_rtt = scheme.delivery_rate, 2**62
    recovery.skips = scheme.delivery_rate
    values = {**scheme.settings, **flow.parameters}
    for name, parameter in scheme.parameters.items():
        if parameter.field:
            setattr(row[INITIAL[parameter.field]], parameter.field, values[name])
    if recovery.rack:
        recovery.skips = 1
    sender.repair = records.SKIPS if recovery.skips else records.OWN
    if scheme.recovery == "selective":
        sender.repair = records.SELECTIVE
    receiver.reports_arrival = recovery.arrival_times
    receiver.delays = records.DELAYED_ACKS if row["delayed_acks"].delayed_ack > 1 else records.AT_ONCE
    if scheme.receive is not None:
        receiver.delays = records.BY_SCHEME
    sender.stamped = records.UNSTAMPED
    if scheme.stamped:
        sender.stamped = records.STAMPED_BOTH_WAYS
    elif receiver.echo == records.ACCURATE:
        sender.stamped = records.COUNTED_MARKS
    elif receiver.reports_arrival or scheme.receive is not None:
        sender.stamped = records.STAMPED_ACKS
    line.rate, line.scale = _bits(f"access_rate of flow {flow.name}", flow.access_rate) or (0, 0)
    line.carried_remainder = line.rate >> 1
    sender.access_link = line.rate > 0
    return scheme.columns.filled(values)


def _by_traffic(flow: Flow, row: dict[str, Any]) -> None:
    """Set the fields of a flow that depend on its traffic generator."""
    traffic = flow.traffic
    assert traffic is not None
    sender, receiver, source = row["senders"], row["receivers"], row["sources"]
    row["tallies"].traffic = traffic.kind
    sender.transfer = 0
    receiver.in_order = traffic.kind == records.ARRIVALS  # connections that it starts copy this row
    receiver.acknowledges = sender.acknowledged = traffic.acknowledged
    if traffic.kind == records.INJECTED:  # the flow has a return path, but no simulated source or receiver
        receiver.acknowledges = sender.acknowledged = sender.packets = 0
        return
    source.mean_size = flow.packet if traffic.exponential_sizes else 0.0
    _set_pace(source, traffic, flow.packet)


def _set_pace(source: Any, traffic: Traffic, packet: int) -> None:
    """Set the mean gap and the mean on and off times [ns] of a generator or application."""
    source.on_time, source.off_time = min(traffic.on_time, 1e9) * SECOND, traffic.off_time * SECOND
    source.shape_on, source.shape_off = traffic.shape_on, traffic.shape_off
    gap = 1 / traffic.arrivals if traffic.arrivals else traffic.interval or packet / traffic.rate
    source.gap = gap * SECOND


def _by_application(flow: Flow, row: dict[str, Any]) -> None:
    """Set the fields of a flow whose data an application writes."""
    assert flow.application is not None
    sender, source = row["senders"], row["sources"]
    source.total, sender.packets = sender.packets, 0
    sender.transfer = records.FROM_APPLICATION
    _set_pace(source, flow.application, flow.packet)
    if flow.application.kind == records.CONSTANT:
        source.on, source.off_at = 1, NEVER

"""Assembly of a network: conversion of its links and flows into the arrays of a run."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from longfat.base.domains import conflict, out_of_range, wrong_type
from longfat.sim.kernel import records
from longfat.sim.kernel.events import INDICES, KIND_BITS, SERIAL_SHIFT
from longfat.sim.kernel.records import SECOND
from longfat.sim.network.elements import Flow
from longfat.sim.network.network import Network
from longfat.sim.queues import Discipline
from longfat.sim.runs.kinds import lay_flows, lay_links
from longfat.sim.runs.routes import Routes, lay_hops
from longfat.sim.runs.run_state import RunState, rows
from longfat.sim.schemes.scheme import Scheme
from longfat.sim.services import Service

MOST_SAMPLES = 10**8  # greatest number of rows of all traces, which take some gigabytes


@dataclass
class Assembly:
    """Arrays of a network for a run, with the plug-ins and names to which the rows refer."""

    state: RunState
    schemes: list[Scheme]
    disciplines: list[Discipline]
    services: list[Service]
    flow_names: list[str]
    link_names: list[str]  # of the network's links, the first rows; rows of internal links follow
    copies: list[Flow]


def assemble(net: Network, *, sample_every: float | None = None, duration: float = math.inf) -> Assembly:
    """Assemble a network into the arrays of a run, with samples every `sample_every` [s] if given."""
    if not isinstance(net, Network):
        raise wrong_type("net", net, "a Network")
    if not net.flows:
        raise ValueError(f"{net!r} has no flow: must have one or more")
    routes = Routes(net)
    copies: list[tuple[Flow, str, float]] = []
    first_hops = []
    for flow in net.flows:
        for k, name in enumerate(flow.names):
            copies.append((flow, name, flow.start + k * flow.stagger))
            first_hops.append(routes.route(flow))
    state = RunState()
    flows = [flow for flow, _, _ in copies]
    starts = np.array([round(start * SECOND) for _, _, start in copies], np.int64)
    lay_flows(state, routes, flows, starts)
    state.senders["first_hop"] = first_hops
    queue_rows = lay_links(state, routes)
    if max(len(state.links), len(copies), len(state.queues)) >= INDICES:
        raise ValueError(
            f"{net!r} is too large: must have fewer than {INDICES} of each: links (with internal ones), flows, queues"
        )
    lay_hops(state, routes, queue_rows)
    _lay_traces(state, len(copies), routes.named, sample_every, duration)
    state.begin()
    _schedule(state, routes, starts, sample_every)
    made = Assembly(
        state,
        routes.schemes.all,
        routes.disciplines.all,
        routes.services.all,
        [name for _, name, _ in copies],
        [link.name for link in routes.links[: routes.named]],
        flows,
    )
    for f, flow in enumerate(flows):
        if flow.traffic is not None and flow.traffic.kind == records.ARRIVALS:
            state.add_connections(f, 16)
    return made


def _lay_traces(state: RunState, flows: int, links: int, every: float | None, duration: float) -> None:
    """Allocate rows for samples every `every` [s]; do nothing if `every` is None."""
    if every is None:
        return
    if not duration < math.inf:
        raise conflict("sample_every", "needs a duration", "give duration [s]")
    row = state.row
    row.sample_every = max(1, round(every * SECOND))
    least = (flows + links) * duration / MOST_SAMPLES
    if every < least:
        raise out_of_range("sample_every", every, "s", f"[{least:g}, inf)")
    row.samples_room = round(duration * SECOND) // int(row.sample_every) + 1
    row.sampled_flows, row.sampled_links = flows, links
    state.flow_samples = rows(row.samples_room * flows, records.FLOW_SAMPLE)
    state.link_samples = rows(row.samples_room * links, records.LINK_SAMPLE)


def _schedule(state: RunState, routes: Routes, starts: np.ndarray, every: float | None) -> None:
    """Schedule the starts of flows, then the ticks of disciplines, then the samples: in this order at equal times."""
    state.senders["due_ns"][: len(starts), records.PACE] = starts
    state.senders["armed_ns"][: len(starts), records.PACE] = starts
    ticks = [k for k, hooked in enumerate(routes.hooked) if hooked and routes.links[k].discipline.tick is not None]
    kinds = [records.CLOCK + records.PACE] * len(starts) + [records.SWITCH_CLOCK] * len(ticks)
    indices = [*range(len(starts)), *ticks]
    times = [*starts.tolist(), *[0] * len(ticks)]
    if every is not None:
        kinds, indices, times = [*kinds, records.SAMPLING], [*indices, 0], [*times, 0]
    entries = sorted(
        (time, (serial << SERIAL_SHIFT) | (kind << (SERIAL_SHIFT - KIND_BITS)) | index)
        for serial, (time, kind, index) in enumerate(zip(times, kinds, indices, strict=True), 1)
    )  # sorted entries are a heap
    state.clocks["time"][: len(entries)], state.clocks["key"][: len(entries)] = zip(*entries, strict=True)
    state.row.clocks = state.row.serial = len(entries)

"""Paths of packets through a network: hops, queues, feedback, and which arrivals can be computed in advance."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from operator import attrgetter
from typing import Any

import numpy as np

from longfat.sim.kernel import records
from longfat.sim.kernel.records import NONE
from longfat.sim.network.elements import Flow, Link
from longfat.sim.network.network import Network
from longfat.sim.queues import Discipline
from longfat.sim.runs.run_state import RunState, rows
from longfat.sim.services import PER_FLOW


class Kinds:
    """List of distinct objects; objects with equal keys share a position."""

    def __init__(self, key: Callable[[Any], Hashable]) -> None:
        self.all: list[Any] = []
        self._key = key
        self._places: dict[Hashable, int] = {}

    def place(self, thing: Any) -> int:
        """Return the position of an object in the list; append the object if none in the list has its key."""
        found = self._places.setdefault(self._key(thing), len(self.all))
        if found == len(self.all):
            self.all.append(thing)
        return found


class Routes:
    """Links of a network, including internal links for single flows, and the hops of all flows."""

    def __init__(self, net: Network) -> None:
        self.net = net
        self.links: list[Link] = list(net.links.values())
        self.rows = {pair: k for k, pair in enumerate(net.links)}
        self.named = len(self.links)
        self.delay_links: dict[float, int] = {}
        self.hops: list[tuple[int, int, int, int]] = []
        self.queues: list[int] = []  # link of each queue
        #: Rows of hops, for hop-by-hop feedback: last hop of the feedback -> hop of the flow at the switch that gets
        #: the feedback; hop of the flow at that switch -> hop of the flow at the switch that sends the feedback.
        self.switch_hops: dict[int, int] = {}
        # Plug-ins with equal code are one kind; their parameters, which may differ, are in the rows of flows and links.
        self.schemes, self.disciplines = Kinds(attrgetter("code")), Kinds(attrgetter("code"))
        self.services = Kinds(id)
        self.responder: Discipline | None = None  # answers requests; None if no scheme sends any
        services = [link.discipline.scheduler for link in self.links]
        # For each link, whether each flow has a queue of its own, and whether the discipline has callbacks.
        self.per_flow = [one is not None and one.queues == PER_FLOW for one in services]
        self.hooked = [bool(link.discipline.callbacks) for link in self.links]

    def own_link(self, delay: float, rate: float = math.inf, jitter: float = 0.0) -> int:
        """Add an internal link with an unlimited buffer, by default without transmission time; return its number."""
        self.links.append(Link("", "", "", rate, delay, jitter=jitter))
        self.per_flow.append(False)
        self.hooked.append(False)
        return len(self.links) - 1

    def delay_link(self, delay: float) -> int:
        """Return the row number of an internal link with only a delay [s]; several flows may share the link."""
        if delay not in self.delay_links:
            self.delay_links[delay] = self.own_link(delay)
        return self.delay_links[delay]

    def queue(self, link: int) -> int:
        """Add a queue for one more flow to a link, and return its number; NONE if the link has no queue per flow."""
        if not self.per_flow[link]:
            return NONE
        self.queues.append(link)
        return len(self.queues) - 1

    def route(self, flow: Flow) -> int:
        """Lay out the hops of a flow, or of one of its copies; return the row number of the first hop."""
        forward = [self.rows[pair] for pair in zip(flow.path, flow.path[1:], strict=False)]
        back = [self.rows[link.tail, link.head] for link in self.net.way_back(flow)]
        own = []
        if flow.send_jitter > 0:
            own.append(self.own_link(0.0, jitter=flow.send_jitter))
        if flow.access_rate < math.inf and flow.scheme is None:  # with a scheme, see `kernel.sender`
            own.append(self.own_link(0.0, flow.access_rate))
        data = own + forward
        acks = back or [self.delay_link(math.fsum(self.links[k].delay for k in forward))]
        first = len(self.hops)
        ends = records.TO_RECEIVER, records.TO_SENDER
        if flow.traffic is not None and flow.traffic.kind == records.INJECTED:
            ends = records.TO_HOST, records.TO_HOST
        for path, end in zip((data, acks), ends, strict=True):
            for link in path:
                self.hops.append((link, self.queue(link), records.NEXT_HOP, NONE))
            self.hops[-1] = (*self.hops[-1][:2], end, NONE)
        for k, link in enumerate(forward):
            if self.hooked[link]:
                self._feedback(k, first + len(own), forward, back)
        return first

    def _feedback(self, k: int, first: int, forward: list[int], back: list[int]) -> None:
        """Lay out the path of feedback from the switch at hop k of a flow.

        The first hop of the flow has row `first`; `forward` and `back` are the links of its path and its return path.
        Feedback takes the path of the acknowledgments from this switch to the sender. Without a return path it takes an
        internal link with the delay of the path from the sender to the switch. Hop-by-hop feedback ends at the previous
        switch with a hop-by-hop discipline.
        """
        entry = first + len(forward) + (len(back) - k)
        delays = [self.links[one].delay for one in forward]
        discipline = self.links[forward[k]].discipline
        before = [j for j in range(k) if self.links[forward[j]].discipline.hop_by_hop]
        if discipline.hop_by_hop and before:
            j, entry = before[-1], len(self.hops)
            path = back[len(back) - k : len(back) - j] or [self.delay_link(math.fsum(delays[j:k]))]
            for one in path:
                self.hops.append((one, self.queue(one), records.NEXT_HOP, NONE))
            self.hops[-1] = (*self.hops[-1][:2], records.TO_SWITCH, NONE)
            self.switch_hops[len(self.hops) - 1] = first + j
            self.switch_hops[first + j] = first + k
        elif not back or k == 0:
            entry = len(self.hops)
            self.hops.append((self.delay_link(math.fsum(delays[:k])), NONE, records.TO_SENDER, NONE))
        self.hops[first + k] = (*self.hops[first + k][:3], entry)


def lay_hops(state: RunState, routes: Routes, queue_rows: np.ndarray) -> None:
    """Lay out the rows of all hops; `queue_rows` has the row of each flow's queue."""
    table = np.array(routes.hops, np.int64).reshape(-1, 4)
    state.hops = hops = rows(len(table), records.HOP)
    if len(queue_rows):
        mine = table[:, 1] != NONE
        table[mine, 1] = queue_rows[table[mine, 1]]
    for k, name in enumerate(("link", "queue", "far_end", "feedback")):
        hops[name] = table[:, k]
    for k, hop in routes.switch_hops.items():
        hops["switch_hop"][k] = hop
    hops["in_advance"] = _in_advance(state)


def _in_advance(state: RunState) -> np.ndarray:
    """Return for each hop which steps of an arrival may be computed in advance, see `records.HOP`."""
    hops, links = state.hops, state.links
    link, far_end = hops["link"], hops["far_end"]
    plain = (links["special"] == 0) & (links["service"] == NONE)
    goes_on = (far_end == records.NEXT_HOP) | (far_end == records.TO_RECEIVER)
    if len(state.delayed_acks):
        # Receptions are not computed in advance at two kinds of receivers: where the scheme's `receive` decides when a
        # reply leaves; and where delayed acknowledgments echo the state of the last packet, because two acknowledgments
        # leave together when the mark changes.
        owner = np.searchsorted(state.senders["first_hop"], np.arange(len(hops)), "right") - 1
        delays = np.where(far_end == records.TO_RECEIVER, state.receivers["delays"][owner], records.AT_ONCE)
        changes = (delays != records.AT_ONCE) & (state.receivers["echo"][owner] == records.STATE_OF_LAST)
        goes_on &= ~(changes | (delays == records.BY_SCHEME))
    # `feeder`: for each link, a link from which packets enter it. `several`: whether packets enter the link from more
    # than one link, or from a sender, a source or a switch that sends feedback.
    several = np.zeros(len(links), bool)
    entered = np.flatnonzero(goes_on) + 1
    feeder = np.full(len(links), NONE)
    feeder[link[entered][::-1]] = link[entered - 1][::-1]
    np.logical_or.at(several, link[entered], link[entered - 1] != feeder[link[entered]])
    begins = np.ones(len(hops), bool)
    begins[entered] = False
    several[link[begins]] = True
    feedback = hops["feedback"][hops["feedback"] != NONE]
    several[link[feedback]] = True
    found = np.full(len(hops), records.AT_ARRIVAL, np.int32)
    # A link with a service also sends packets one after the other: the next arrival is known when a transmission ends.
    mine = np.flatnonzero(goes_on & (plain | (links["service"] != NONE))[link])
    following = link[mine + 1]
    alone = plain[following] & ~several[following] & (feeder[following] == link[mine])
    found[mine[far_end[mine] == records.TO_RECEIVER]] = records.RECEIVE_IN_ADVANCE
    found[mine[alone]] = records.ENTER_IN_ADVANCE
    # On a link to a receiver that delays acknowledgments, either all arrivals are computed in advance or none, because
    # acknowledgments may leave between two arrivals.
    if len(state.delayed_acks):
        delaying, late = np.zeros((2, len(links)), bool)
        delaying[link[delays == records.DELAYED_ACKS]] = True
        late[link[found == records.AT_ARRIVAL]] = True
        found[(delaying & late)[link]] = records.AT_ARRIVAL
    return found

"""Exact fluid schedule of file transfers: max-min fair rates, constant between events."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from longfat.base import domains
from longfat.laws.fair_share import filling
from longfat.laws.fair_share.filling import fill
from longfat.laws.fair_share.network import Load, Network
from longfat.laws.fair_share.result import Schedule

PATIENCE = 100_000  # largest number of successive changes of loads during which no file is served


def transfer_times(network: Network, until: Any = math.inf) -> Schedule:
    r"""Return the schedule of files that always have max-min fair rates: rates and finishing times.

    .. math:: T_i = f_i - s_i + D_i, \qquad \int_{s_i}^{f_i} x_i(t) \, dt = F_i

    with x(t) the weighted max-min fair rates (`max_min_rates`) of the active files in the capacity that the loads
    leave.

    Parameters
    ----------
    network : Network
        Links, flows and loads.
    until : float or Fraction
        Time [s] at which the schedule ends; files that are not complete by then finish at inf. It must be finite if
        a flow without an end shares a link with a periodic load.

    Returns
    -------
    Schedule
        `finish` f [s], `transfer_time` T [s], `rates` x [bytes/s] between `times` [s]; fractions if the numbers of the
        network contain a Fraction and neither they nor ``until`` contain a float other than inf.

    Raises
    ------
    ValueError
        For a value outside its domain, or if ``until`` has to be finite and is not.

    Notes
    -----
    Traffic is a fluid: the whole file is at each of its links from its start on; there are no packets, no buffer
    limits and no delays inside the network. The capacity that a load takes from a link is not available to flows; where
    loads exceed the capacity of a link, flows get nothing. Acknowledgments take `ack` times the rate of the data from
    the links of the reverse path at the same instant. The schedule is exact, because rates change only when a file
    starts, a file is complete, or a load changes; fractions are not rounded, floats by a few units in the last place
    per event. Flows of equal weight, path and acknowledgments have equal rates, so a file is complete when its group's
    service per flow has grown by the file's size since its start: with many files on few paths, each file costs one
    operation on a heap.

    Examples
    --------
    >>> from longfat.laws.fair_share import Flow
    >>> files = [Flow("S1-S2", 2e6, round_trip_time=0.044)]
    >>> files += [Flow("S1-S2", 5e5, start=0.1 + 0.044 * j, round_trip_time=0.044) for j in range(10)]
    >>> schedule = transfer_times(Network({"S1-S2": 5e6}, files))
    >>> round(float(schedule.transfer_time[0]), 6)  # 7 MB at 5 MB/s, and the round trip
    1.444

    References
    ----------
    The optimal transfer times of H. Kanakia, S. Keshav and P. P. Mishra, "A Comparison of Reactive Host-based Flow
    Control Schemes in Reservationless Networks", 1992, section 4; derivations/fair_share.py.
    """
    if not isinstance(network, Network):
        raise domains.wrong_type("network", network, "a Network")
    end = filling.number("until", until, "s", "(-inf, inf]")
    again = {link for load in network.loads if load.period is not None and load.rate > 0 for link in load.path}
    for name, flow in zip(network.names, network.flows, strict=True):
        if end == math.inf and flow.size == math.inf and not again.isdisjoint(flow.usage()):
            raise domains.out_of_range("until", end, "s", f"finite, as {name} and the loads on its links never end")
    return _Run(network, end).schedule()


class _Group:
    """Flows of equal path, weight and acknowledgments, which have equal rates and equal service in every interval."""

    def __init__(self, weight: Any) -> None:
        self.weight = weight
        self.waiting: list[tuple[Any, int]] = []  # heap of (service at which a file is complete, flow)
        self.service: Any = 0
        self.rate: Any = 0

    def next_finish(self, now: Any) -> Any:
        """Return the time [s] at which the next file of the group is complete at the present rate."""
        if not self.waiting or not self.rate > 0:
            return math.inf
        return now + max(self.waiting[0][0] - self.service, 0) / self.rate

    def serve(self, duration: Any) -> None:
        """Add to the service the bytes that a flow of the group receives in ``duration`` [s] at the present rate."""
        if self.waiting:
            self.service += self.rate * duration

    def finished(self, through: bool) -> list[int]:
        """Remove the files whose transfer has ended, and return their flows.

        If ``through``, the next file has ended, even if rounding leaves a small remainder.
        """
        if through:
            self.service = self.waiting[0][0]
        flows = []
        while self.waiting and self.waiting[0][0] <= self.service:
            flows.append(heapq.heappop(self.waiting)[1])
        if not self.waiting:
            self.service = 0  # no file is waiting, so the count begins anew
        return flows


class _Traffic:
    """State of a load that is switched on and off at given times."""

    def __init__(self, load: Load, since: Any, convert: Callable[[Any], Any]) -> None:
        self.path, self.rate = load.path, convert(load.rate)
        self.on = not load.times
        self.touches: list[_Group] = []  # groups that cross a link of the load
        self._times = map(convert, load.switches(since))
        self.next = next(self._times, math.inf)

    def switch(self, now: Any) -> None:
        """Switch the load on or off at each switching time up to ``now``."""
        while self.next <= now:
            self.on = not self.on
            self.next = next(self._times, math.inf)


class _Run:
    """Computation of a schedule, with the state at the present event."""

    def __init__(self, network: Network, end: Any) -> None:
        self.network = network
        self.convert = convert = filling.kind([*network.numbers(), end])
        self.end = convert(end)
        self.size = [convert(flow.size) for flow in network.flows]
        self.start = [convert(flow.start) for flow in network.flows]
        self.coming = sorted(
            range(len(self.start)), key=lambda i: (self.start[i], i), reverse=True
        )  # in reverse order: the last element starts first
        self.finish: list[Any] = [math.inf] * len(self.start)
        self.now = self.start[self.coming[-1]]
        self.capacity = [convert(capacity) for capacity in network.links.values()]
        self.groups, self.group_of, self.links = _groups(network, convert)
        self.traffic = [_Traffic(load, self.now, convert) for load in network.loads if load.rate > 0]
        for traffic in self.traffic:
            links = (flows for link, flows in zip(network.links, self.links, strict=True) if link in traffic.path)
            traffic.touches = [self.groups[number] for flows in links for number, _ in flows]
        self.times = [self.now]
        self.rates: list[list[Any]] = []
        self.counts: list[list[int]] = []
        self.boundary = True  # whether a file has started or finished since the last record

    def schedule(self) -> Schedule:
        """Compute the events from the first start to the last finish, or to the end; return the schedule."""
        idle = 0
        if self.now <= self.end:
            self._change([False] * len(self.groups))
        while self.now < self.end and (self.coming or any(group.waiting for group in self.groups)):
            self._share()
            finishes = [group.next_finish(self.now) for group in self.groups]
            event = min(*finishes, self._next_change(), self.end)
            idle = 0 if self.coming or self.end < math.inf or min(finishes) < math.inf else idle + 1
            if idle > PATIENCE:
                raise domains.out_of_range(
                    "until", math.inf, "s", f"(-inf, inf), as no file is served in {idle} intervals"
                )
            self._record(event)
            if event < math.inf:
                for group in self.groups:
                    group.serve(event - self.now)
            self.now = event
            self._change([at == event < math.inf for at in finishes])
        return self._result()

    def _share(self) -> None:
        """Set the fair rates of all groups from the present event on."""
        weights = [group.weight * len(group.waiting) for group in self.groups]
        levels = fill(self.links, self._left() if self.traffic else self.capacity, weights)
        for group, level in zip(self.groups, levels, strict=True):
            group.rate = group.weight * level

    def _left(self) -> list[Any]:
        """Return, for each link, the capacity that active loads leave to the flows."""
        used = dict.fromkeys(self.network.links, self.convert(0))
        for traffic in self.traffic:
            for link in traffic.path if traffic.on else ():
                used[link] += traffic.rate
        return [max(capacity - load, 0) for capacity, load in zip(self.capacity, used.values(), strict=True)]

    def _next_change(self) -> Any:
        """Return the time [s] of the next start of a file, or of the next switching of a load that affects files."""
        start = self.start[self.coming[-1]] if self.coming else math.inf
        return min([start, *(t.next for t in self.traffic if any(group.waiting for group in t.touches))])

    def _change(self, through: list[bool]) -> None:
        """Apply the changes at the present event: complete files, switch loads on or off, start files."""
        for group, one in zip(self.groups, through, strict=True):
            for flow in group.finished(one):
                self.finish[flow] = self.now
                self.boundary = True
        if self.now < math.inf:
            for traffic in self.traffic:
                traffic.switch(self.now)
        while self.coming and self.start[self.coming[-1]] <= self.now:
            flow, self.boundary = self.coming.pop(), True
            if self.size[flow] > 0:
                group = self.groups[self.group_of[flow]]
                heapq.heappush(group.waiting, (group.service + self.size[flow], flow))
            else:
                self.finish[flow] = self.now

    def _record(self, event: Any) -> None:
        """Record the rates from the present event to the next; extend the previous interval if nothing has changed."""
        if not event > self.now:
            return
        rates, counts = [group.rate for group in self.groups], [len(group.waiting) for group in self.groups]
        if self.boundary or rates != self.rates[-1]:
            self.times.append(event)
            self.rates.append(rates)
            self.counts.append(counts)
        else:
            self.times[-1] = event
        self.boundary = False

    def _result(self) -> Schedule:
        shape = len(self.rates), len(self.groups)
        return Schedule(
            network=self.network,
            times=filling.array(self.times, self.convert, (len(self.times),)),
            finish=filling.array(self.finish, self.convert, (len(self.finish),)),
            groups=tuple(self.group_of),
            group_rates=filling.array(self.rates, self.convert, shape),
            group_flows=np.array(self.counts, dtype=int).reshape(shape),
        )


def _groups(
    network: Network, convert: Callable[[Any], Any]
) -> tuple[list[_Group], list[int], list[list[tuple[int, Any]]]]:
    """Return the groups, the index of each flow's group, and each link's pairs (group, bytes per byte of a flow)."""
    numbers = {name: i for i, name in enumerate(network.links)}
    links: list[list[tuple[int, Any]]] = [[] for _ in numbers]
    groups: list[_Group] = []
    group_of = []
    known: dict[Any, int] = {}
    for flow in network.flows:
        usage, weight = flow.usage(), convert(flow.weight)
        key = weight, frozenset(usage.items())
        if key not in known:
            known[key] = len(groups)
            groups.append(_Group(weight))
            for link, share in usage.items():
                links[numbers[link]].append((known[key], convert(share)))
        group_of.append(known[key])
    return groups, group_of, links

"""Max-min fair shares of links: rates at one instant, and transfer times of files that always have their fair rates.

Bytes, seconds and bytes/s. Transfer times are computed in fractions, without rounding. Proofs:
derivations/fair_share.py.
"""

from __future__ import annotations

import heapq
import math
import numbers
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from longfat.base import domains

__all__ = ["Flow", "Load", "Network", "max_min_rates", "transfer_times"]

Path = str | Sequence[str]
LARGEST = int(sys.float_info.max)
PATIENCE = 100_000  # largest number of successive changes of loads during which no file is served


def usage_table(name: str, values: Any, allowed: str = "[0, inf)") -> Any:
    """Return a table (links, flows) of the bytes that each link carries per byte of a flow; every flow needs a link."""
    found = domains.numbers(name, values, "1", allowed)
    if found.ndim != 2 or not found.size:
        raise domains.wrong_shape(name, found.shape, "(links, flows)")
    if not (found > 0).any(axis=0).all():
        flow = int(np.argmin((found > 0).any(axis=0)))
        raise domains.out_of_range(f"{name}[:, {flow}]", "no link", "1", f"one or more positive, all in {allowed}")
    return found


def max_min_rates(routes: Any, capacities: Any = 1, weights: Any = 1) -> Any:
    r"""Return the weighted max-min fair rates of flows over several links.

    .. math:: \sum_i a_{l i} x_i \le C_l, \qquad
        \forall i \; \exists l: \; a_{l i} > 0, \; \sum_j a_{l j} x_j = C_l, \;
        \frac{x_i}{w_i} = \max_{j: a_{l j} > 0} \frac{x_j}{w_j}

    Parameters
    ----------
    routes : array of shape (links, flows)
        a [1], in [0, inf): bytes that a link carries per byte of a flow. 1 or True where a flow passes a link, 0 where
        it does not; 0.08 where only its acknowledgments do, 40 bytes for 500 bytes of data. Every flow passes at least
        one link.
    capacities : float or array of shape (links,)
        C [bytes/s, or any unit], in [0, inf).
    weights : float or array of shape (flows,)
        w [1], in (0, inf): the number of flows that each acts like.

    Returns
    -------
    ndarray of shape (flows,)
        x, in the unit of the capacities.

    Notes
    -----
    A rate can grow only if another rate falls whose ratio to its weight is at most as large. There is one such
    allocation (derivations/fair_share.py), and the equation, the bottleneck condition, describes it: every flow has a
    full link on which no other flow has a larger rate relative to its weight. In the computation all rates grow in
    proportion to the weights, and a link that becomes full stops its flows. A flow's acknowledgments count towards its
    share, whereas fair queueing serves them as a separate flow.

    Examples
    --------
    >>> max_min_rates([[1, 1, 1, 0], [1, 0, 0, 1]]).round(3).tolist()
    [0.333, 0.333, 0.333, 0.667]
    >>> max_min_rates([[1, 0.08], [0.08, 1]], 5.4e6).round(3).tolist()  # one each way, with acknowledgments
    [5000000.0, 5000000.0]

    References
    ----------
    D. Bertsekas and R. Gallager, "Data Networks", 2nd edition, Prentice Hall, 1992, section 6.5.2;
    derivations/fair_share.py.
    """
    table = usage_table("routes", routes)
    links, flows = table.shape
    capacity = domains.numbers("capacities", capacities, "bytes/s", "[0, inf)", length=links)
    weight = domains.numbers("weights", weights, "1", "(0, inf)", length=flows)
    crossing = [[(flow, usage) for flow, usage in enumerate(row) if usage] for row in table.tolist()]
    return weight * np.array(fill(crossing, capacity.tolist(), weight.tolist()))


def fill(links: Sequence[Sequence[tuple[int, Any]]], capacities: Sequence[Any], weights: Sequence[Any]) -> list[Any]:
    """Return each flow's rate over its weight, by progressive filling; 0 for flows of weight 0, which are ignored.

    ``links`` has for each link a list of (flow, bytes carried per byte of the flow). Each link has a value, the rate
    over the weight at which it would be full. The value can only rise when other links stop some of its flows, so that
    an older value is a lower bound. The link with the lowest value is recomputed, and stops its flows if its value is
    still the lowest.
    """
    level: list[Any] = [None if weight > 0 else 0 for weight in weights]
    waiting = []
    for link, flows in enumerate(links):
        demand = sum(usage * weights[flow] for flow, usage in flows)
        if demand > 0:
            waiting.append((capacities[link] / demand, link))
    heapq.heapify(waiting)
    lowest: Any = 0
    while waiting:
        _, link = heapq.heappop(waiting)
        left, demand, open_flows = capacities[link], 0, []
        for flow, usage in links[link]:
            if level[flow] is None:
                demand += usage * weights[flow]
                open_flows.append(flow)
            else:
                left -= usage * weights[flow] * level[flow]
        if not open_flows:
            continue
        now = max(left / demand, lowest)  # because of rounding in earlier steps the quotient may be less
        if waiting and now > waiting[0][0]:
            heapq.heappush(waiting, (now, link))
            continue
        for flow in open_flows:
            level[flow] = now
        lowest = now
    return [math.inf if one is None else one for one in level]  # inf: the demand of the flow rounds to 0


def number(name: str, value: Any, unit: str, allowed: str) -> Fraction:
    """Return ``value`` as a Fraction; raise an error if it is not a finite number in ``allowed``.

    >>> number("start", Fraction(1, 10), "s", "(-inf, inf)"), number("start", 0.5, "s", "(-inf, inf)")
    (Fraction(1, 10), Fraction(1, 2))
    """
    if isinstance(value, Decimal) and value.is_finite():
        value = Fraction(value)
    if not isinstance(value, numbers.Rational):
        return Fraction(domains.number(name, value, unit, allowed))
    exact = Fraction(int(value.numerator), int(value.denominator))  # integers of NumPy may overflow
    interval = domains.Interval.parse(allowed)
    if not interval.contains(exact) or not -LARGEST <= exact <= LARGEST:
        raise domains.out_of_range(name, exact, unit, interval)
    return exact


@dataclass(frozen=True)
class Flow:
    """A file that crosses links at its max-min fair share.

    Parameters
    ----------
    path : str or sequence of str
        The link or links that the data cross.
    size : float or Fraction
        Bytes, in [0, inf).
    start : float or Fraction
        Time [s] at which the whole file is at its first link.
    round_trip_time : float or Fraction
        Round-trip propagation time [s], in [0, inf), of the last byte and its acknowledgment. It is added to the time
        that the fluid takes.
    weight : float or Fraction
        Number of flows that it acts like [1], in (0, inf).
    ack : float or Fraction
        Bytes of acknowledgments for each byte of data, in [0, inf); 40/500 in the benchmark of Kanakia, Keshav and
        Mishra.
    reverse_path : str or sequence of str
        The link or links that the acknowledgments cross.

    Examples
    --------
    >>> Flow("S1-S2", size=2e6, round_trip_time=0.044).path
    ('S1-S2',)
    """

    path: Path
    size: Any
    start: Any = 0
    round_trip_time: Any = 0
    weight: Any = 1
    ack: Any = 0
    reverse_path: Path = ()

    def __post_init__(self) -> None:
        _keep(self, "path", _path("path", self.path))
        _keep(self, "reverse_path", _path("reverse_path", self.reverse_path, empty=True))
        ack = self.ack
        for name, unit, allowed in (
            ("size", "bytes", "[0, inf)"),
            ("start", "s", "(-inf, inf)"),
            ("round_trip_time", "s", "[0, inf)"),
            ("weight", "1", "(0, inf)"),
            ("ack", "1", "[0, inf)"),
        ):
            _keep(self, name, number(name, getattr(self, name), unit, allowed))
        if self.ack and not self.reverse_path:
            raise domains.conflict(f"ack = {ack}", "needs a reverse_path")

    def usage(self) -> dict[str, Any]:
        """Return the bytes that each link carries per byte of the flow, by the name of the link."""
        carried: dict[str, Any] = {}
        for links, share in ((self.path, 1), (self.reverse_path, self.ack)):
            for link in links if share else ():
                carried[link] = carried.get(link, 0) + share
        return carried


@dataclass(frozen=True)
class Load:
    """Uncontrolled traffic, which sends at a constant rate over its links while it is on.

    Parameters
    ----------
    path : str or sequence of str
        The link or links that it crosses.
    rate : float or Fraction
        Bytes/s, in [0, inf), while it is on. The excess over a link's capacity is lost there; the links after it are
        charged with the whole rate, too.
    times : sequence of float or Fraction
        Increasing times [s] at which the load switches on, off, on, ...; without times it is always on.
    period : float or Fraction, optional
        Time [s] after which the pattern repeats itself, without end. The last of ``times`` must then switch the load
        off, at most one period after the first of them.

    Examples
    --------
    >>> import itertools
    >>> load = Load("S1-S2", rate=1.25e6, times=[0.0015, 0.004], period=0.004)
    >>> [f"{1e3 * time:.1f}" for time in itertools.islice(load.switches(0), 5)]
    ['1.5', '4.0', '5.5', '8.0', '9.5']
    """

    path: Path
    rate: Any
    times: Sequence[Any] = ()
    period: Any = None

    def __post_init__(self) -> None:
        _keep(self, "path", _path("path", self.path))
        _keep(self, "rate", number("rate", self.rate, "bytes/s", "[0, inf)"))
        try:
            given = list(self.times)
        except TypeError:
            raise domains.wrong_type("times", self.times, "a sequence of times", "s") from None
        times = tuple(number(f"times[{i}]", time, "s", "(-inf, inf)") for i, time in enumerate(given))
        for i in range(1, len(times)):
            if not times[i] > times[i - 1]:
                raise domains.out_of_range(f"times[{i}]", float(times[i]), "s", f"({float(times[i - 1]):g}, inf)")
        _keep(self, "times", times)
        if self.period is None:
            return
        if not times or len(times) % 2:
            raise domains.conflict(
                f"period = {self.period} s", "needs an even number of times, on and off in turn", f"got {len(times)}"
            )
        _keep(self, "period", number("period", self.period, "s", "(0, inf)"))
        if self.period < times[-1] - times[0]:
            shortest = float(times[-1] - times[0])
            raise domains.out_of_range("period", float(self.period), "s", f"[{shortest:g}, inf)")

    def switches(self, since: Any) -> Iterator[Any]:
        """Yield the times [s] at which the load goes on and off in turn; skip the periods that end before ``since``."""
        times: tuple[Any, ...] = tuple(self.times)
        if self.period is None:
            yield from times
            return
        turn = max(math.floor((since - times[0]) / self.period), 0)
        while True:
            for time in times:
                yield time + turn * self.period
            turn += 1


@dataclass(frozen=True)
class Network:
    """Links, the flows that share them, and uncontrolled traffic.

    Parameters
    ----------
    links : mapping of str to float or Fraction
        Capacities [bytes/s], in (0, inf), by the links' names. To limit a flow to a rate, let it alone cross a link
        of that capacity.
    flows : sequence of Flow
        Flows that share the links; at least one.
    loads : sequence of Load
        Uncontrolled traffic.

    Raises
    ------
    ValueError
        For a value outside its domain, or a path over unknown links.
    """

    links: Mapping[str, Any]
    flows: Sequence[Flow]
    loads: Sequence[Load] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.links, Mapping):
            raise domains.wrong_type("links", self.links, "a mapping of names to capacities", "bytes/s")
        links = {name: number(f"links[{name!r}]", c, "bytes/s", "(0, inf)") for name, c in self.links.items()}
        _keep(self, "links", links)
        _keep(self, "flows", _records("flows", self.flows, Flow))
        _keep(self, "loads", _records("loads", self.loads, Load))
        if not self.flows:
            raise domains.out_of_range("flows", "()", "1", "one Flow or more")
        paths = {f"flows[{i}].path": flow.path for i, flow in enumerate(self.flows)}
        paths |= {f"flows[{i}].reverse_path": flow.reverse_path for i, flow in enumerate(self.flows)}
        paths |= {f"loads[{i}].path": load.path for i, load in enumerate(self.loads)}
        for name, path in paths.items():
            for link in path:
                if link not in links:
                    raise domains.unknown(f"{name}: link", link, map(str, links))


def _keep(record: Any, name: str, value: Any) -> None:
    object.__setattr__(record, name, value)


def _path(name: str, value: Any, empty: bool = False) -> tuple[str, ...]:
    """Return the names of a path's links; a single name is a path of one link."""
    links = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else (value,)
    if not all(isinstance(link, str) for link in links):
        raise domains.wrong_type(name, value, "the name of a link or a sequence of names")
    if not links and not empty:
        raise domains.out_of_range(name, "()", "1", "one link or more")
    return links


def _records(name: str, values: Any, kind: type) -> tuple[Any, ...]:
    records = tuple(values) if isinstance(values, Iterable) else (values,)
    for i, one in enumerate(records):
        if not isinstance(one, kind):
            raise domains.wrong_type(f"{name}[{i}]", one, f"a {kind.__name__}")
    return records


def transfer_times(network: Network) -> Any:
    r"""Return the transfer times [s] of files that always have max-min fair rates.

    .. math:: T_i = f_i - s_i + D_i, \qquad \int_{s_i}^{f_i} x_i(t) \, dt = F_i

    with x(t) the weighted max-min fair rates (`max_min_rates`) of the active files in the capacity that the loads
    leave.

    Parameters
    ----------
    network : Network
        Links, flows and loads.

    Returns
    -------
    ndarray of shape (flows,)
        T [s] as fractions, inf for files that never are complete.

    Raises
    ------
    ValueError
        For a value outside its domain, or if loads that go on and off for ever starve a file.

    Notes
    -----
    Traffic is a fluid: the whole file is at each of its links from its start on; there are no packets, no buffer
    limits and no delays inside the network. The capacity that a load takes from a link is not available to flows; where
    loads exceed the capacity of a link, flows get nothing. Acknowledgments take `ack` times the rate of the data from
    the links of the reverse path at the same instant. The times are exact, because rates change only when a file
    starts, a file is complete, or a load changes, and all numbers are computed as fractions.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from longfat.laws.fair_share import Flow
    >>> trip = Fraction("0.044")
    >>> files = [Flow("S1-S2", 2e6, round_trip_time=trip)]
    >>> files += [Flow("S1-S2", 5e5, start=Fraction("0.1") + trip * j, round_trip_time=trip) for j in range(10)]
    >>> float(transfer_times(Network({"S1-S2": 5e6}, files))[0])  # 7 MB at 5 MB/s, and the round trip
    1.444

    References
    ----------
    The optimal transfer times of H. Kanakia, S. Keshav and P. P. Mishra, "A Comparison of Reactive Host-based Flow
    Control Schemes in Reservationless Networks", 1992, section 4; derivations/fair_share.py.
    """
    if not isinstance(network, Network):
        raise domains.wrong_type("network", network, "a Network")
    flows = network.flows
    usage = [flow.usage() for flow in flows]
    crossing = [[(i, one[link]) for i, one in enumerate(usage) if link in one] for link in network.links]
    starts, left = [flow.start for flow in flows], [flow.size for flow in flows]
    finish: list[Any] = [math.inf] * len(flows)
    now, idle, waiting = min(starts), 0, list(range(len(flows)))
    loads = [_Traffic(load, now) for load in network.loads if load.rate > 0]
    while True:
        for load in loads:
            load.switch(now)
        for i in waiting:
            if starts[i] <= now and left[i] == 0:
                finish[i] = now
        waiting = [i for i in waiting if finish[i] == math.inf]
        active = [i for i in waiting if starts[i] <= now]
        capacities = []
        for name, capacity in network.links.items():
            used = sum(load.rate * load.path.count(name) for load in loads if load.on)
            capacities.append(max(capacity - used, 0))
        weights = [flow.weight if i in active else 0 for i, flow in enumerate(flows)]
        rates = [w * x for w, x in zip(weights, fill(crossing, capacities, weights), strict=True)]
        ends = {i: now + left[i] / rates[i] for i in active if rates[i] > 0}
        coming = [starts[i] for i in waiting if starts[i] > now]
        changes = [load.next for load in loads if any(not usage[i].keys().isdisjoint(load.path) for i in active)]
        event = min([*ends.values(), *coming, *changes], default=math.inf)
        if event == math.inf:
            break
        idle = 0 if ends or coming else idle + 1
        if idle > PATIENCE:
            raise domains.conflict("loads", "must leave capacity to every file", f"none is served in {idle} intervals")
        for i in active:
            left[i] -= rates[i] * (event - now)
        now = event
    return np.array([end - flow.start + flow.round_trip_time for end, flow in zip(finish, flows, strict=True)], object)


class _Traffic:
    """State of a load that is switched on and off at given times."""

    def __init__(self, load: Load, since: Any) -> None:
        self.path: Any = load.path
        self.rate = load.rate
        self.on = not load.times
        self._times = load.switches(since)
        self.next = next(self._times, math.inf)

    def switch(self, now: Any) -> None:
        """Switch the load on or off at each switching time up to ``now``."""
        while self.next <= now:
            self.on = not self.on
            self.next = next(self._times, math.inf)

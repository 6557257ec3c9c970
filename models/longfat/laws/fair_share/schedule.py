"""Exact fluid schedule of file transfers: max-min fair rates, constant between events."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from longfat.base import domains
from longfat.laws.fair_share.filling import fill
from longfat.laws.fair_share.network import Load, Network

PATIENCE = 100_000  # largest number of successive changes of loads during which no file is served


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

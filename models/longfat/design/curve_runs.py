"""Simulation of one point of the design curves: long-lived flows at one switch, alone and beside short transfers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from longfat.base.domains import conflict
from longfat.design.bottleneck import Bottleneck
from longfat.design.long_flows import LongFlows
from longfat.design.replicating import sampling_interval
from longfat.design.senders import sender
from longfat.sim import Network, run
from longfat.sim.kernel.jit import inline
from longfat.sim.network import traffic
from longfat.sim.plugin.parameters import Parameter
from longfat.sim.schemes import Scheme

LINK = "switch-sinks"
#: Shortest observation in round trips and in seconds; the shortest warm-up is a quarter of it. Our choice: timeouts
#: last longer than the short sawtooth of many flows, for which twelve cycles are therefore not enough.
LEAST_ROUND_TRIPS, LEAST_TIME = 2000, 5.0  # s
LIMIT = "window_limit"
_made: dict[int, tuple[Scheme, Scheme]] = {}  # (scheme, bounded scheme) by identity, so that each is compiled once


@dataclass(frozen=True)
class CurvePath(Bottleneck):
    """Network path of the design curves, with methods that simulate it; SI units, buffers and windows in BDPs."""

    spread: float
    file: float | None  # bytes
    load: float  # load of the short transfers, relative to the capacity

    def packets(self, share: float) -> int:
        """Convert a buffer or window from bandwidth-delay products to packets, at least one packet."""
        return max(1, round(share * self.bandwidth_delay_product))

    def flows(self, scheme: str | Scheme, count: int, window: float = math.inf) -> LongFlows:
        """Return ``count`` long-lived flows, with windows up to ``window`` [bandwidth-delay products]."""
        chosen, parameters = sender(scheme)
        if window < math.inf:
            chosen, parameters = limited(chosen), parameters | {LIMIT: float(self.packets(window))}
        return LongFlows(
            rate=self.rate, round_trip_time=self.round_trip_time, packet=self.packet, flows=count, scheme=chosen,
            parameters=parameters, spread=self.spread, most=math.ceil(self.bandwidth_delay_product),
        )  # fmt: skip

    def watch(self, flows: LongFlows, buffer: float) -> tuple[float, float]:
        """Return the times at which the observation begins and ends [s]."""
        begin, until = flows.watch(self.packets(buffer))
        least = max(LEAST_ROUND_TRIPS * self.round_trip_time, LEAST_TIME)
        skipped = max(begin, least / 4)
        return skipped, skipped + max(until - begin, least)

    def simulate(
        self, scheme: str | Scheme, count: int, buffer: float, window: float, rng: np.random.Generator
    ) -> dict[str, float]:
        """Return the quantities of a run of the flows alone, and ``transfer_time`` [s] of a run with transfers."""
        flows = self.flows(scheme, count, window)
        begin, until = self.watch(flows, buffer)
        alone, beside = rng.spawn(2)
        every = sampling_interval(self.round_trip_time, until)
        net = flows.network(self.packets(buffer), alone)
        data = run(net, duration=until, warm_up=begin, sample_every=every, rng=alone, progress=False)
        link = data.sel(link=LINK)
        backlog = link.queue_trace.values[link.time.values >= begin]
        per_packet = self.packet / self.rate
        found = {
            "utilisation": float(link.utilisation),
            "queueing_delay": float(link.mean_queue) * per_packet,
            "queueing_delay_99": float(np.quantile(backlog, 0.99)) * per_packet,
            "loss": float(link.link_dropped) / float(link.arrived),
        }
        if self.file is not None:
            net = self.with_transfers(flows, flows.network(self.packets(buffer), beside))
            data = run(net, duration=until, warm_up=begin, rng=beside, progress=False)
            found["transfer_time"] = float(data.transfer_time.sel(flow="short"))
        return found

    def with_transfers(self, flows: LongFlows, net: Network) -> Network:
        """Add transfers that arrive at random: new connections of the same sender, with the mean round-trip time."""
        assert self.file is not None
        path = ["switch", "sinks"]
        if flows.flows > 1 and flows.spread > 0:  # the link of the switch has the delay of the shortest round trip
            net.link("sinks", "short", rate=math.inf, delay=flows.spread * self.round_trip_time / 2)
            path.append("short")
        size = math.ceil(self.file / self.packet) * self.packet
        return net.flow(
            traffic.arrivals(self.load * self.rate / size, flows.scheme), path=path, name="short", file=size,
            packet=self.packet, ack_path="ideal", parameters=flows.parameters,
        )  # fmt: skip


def limited(scheme: Scheme) -> Scheme:
    """Return the scheme with the parameter ``window_limit``, an upper bound of its window [packets].

    In Linux a socket buffer has this effect, because a window grows only while it is all in use (tcp_is_cwnd_limited).
    Here the limit bounds the amount in flight; packets that a receiver stores after a lost packet are neglected.

    >>> from longfat.sim.schemes import scheme
    >>> limited(scheme("reno")).parameters["window_limit"].unit
    'packets'
    """
    if id(scheme) in _made:
        return _made[id(scheme)][1]
    if scheme.controls != "window":
        raise conflict(f"scheme {scheme.name!r}", "has no window", "it sets a rate")
    # Limit the windows of these callbacks only: the callbacks for losses and timeouts only reduce the window.
    callbacks = {name: getattr(scheme, name) for name in ("start", "ack", "alarm")}
    bounded: dict[str, Any] = {name: _bounded(inline(one)) for name, one in callbacks.items() if one is not None}
    about = Parameter(math.inf, "packets", "[1, inf]", about="Upper bound of the congestion window")
    made = replace(scheme, parameters={**scheme.parameters, LIMIT: about}, **({"start": _start} | bounded))
    _made[id(scheme)] = (scheme, made)  # keeps the scheme, so that no other one gets its identity
    return made


def _start(flow: Any, event: Any) -> float:
    """Return the initial window [packets], at most ``window_limit``."""
    return min(flow.window, flow.window_limit)  # type: ignore[no-any-return]


def _bounded(inner: Callable[[Any, Any], float]) -> Callable[[Any, Any], float]:
    """Return a callback that returns the window of the callback ``inner``, but at most ``window_limit``."""

    def bounded(flow: Any, event: Any) -> float:
        return min(inner(flow, event), flow.window_limit)  # type: ignore[no-any-return]

    return bounded

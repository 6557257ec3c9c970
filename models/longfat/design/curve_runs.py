"""Simulation of one point of the design curves: long-lived flows at one switch, alone and beside short transfers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from longfat.design.bottleneck import Bottleneck
from longfat.design.long_flows import LongFlows
from longfat.design.senders import sender
from longfat.design.window_limit import LIMIT, limited
from longfat.sim import Network, run
from longfat.sim.network import traffic
from longfat.sim.schemes import Scheme

LINK = "switch-sinks"
SAMPLES = 20_000  # largest number of backlog samples in a run; kept in memory
ROUND_TRIP_SAMPLES = 20  # largest number of backlog samples in a round trip
#: Shortest observation in round trips and in seconds; the shortest warm-up is a quarter of it. Our choice: timeouts
#: last longer than the short sawtooth of many flows, so that a number of sawtooth cycles is not enough.
LEAST_ROUND_TRIPS, LEAST_TIME = 2000, 5.0  # s


@dataclass(frozen=True)
class CurvePath(Bottleneck):
    """Path of the design curves, with methods that simulate it; SI units, buffers and windows in BDPs."""

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
        """Return the quantities of a run of the flows alone, and ``transfer_time`` [s] of another with transfers."""
        flows = self.flows(scheme, count, window)
        begin, until = self.watch(flows, buffer)
        alone, beside = rng.spawn(2)
        every = max(self.round_trip_time / ROUND_TRIP_SAMPLES, until / SAMPLES)
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

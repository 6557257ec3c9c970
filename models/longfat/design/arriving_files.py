"""Files of one size that arrive at random at one switch: power over the load, and the load where it is greatest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from longfat.design.bottleneck import Bottleneck
from longfat.design.replicating import Effort, measured
from longfat.laws.power import network_power
from longfat.sim import Network
from longfat.sim.network import traffic
from longfat.sim.schemes import Scheme

ROUNDS = 10.0  # least time observed, in durations of a transfer without queueing
WARM_UP = 5.0  # time before it, in the same unit

QUANTITIES = {
    "power": ("bytes/s^2", "network power at the best load: throughput over response time"),
    "throughput": ("bytes/s", "throughput of completed files"),
    "response_time": ("s", "mean response time of completed transfers"),
    "queueing_delay": ("s", "mean queueing delay in the switch"),
    "transfers": ("transfers", "mean number of transfers in progress (Little's law)"),
}


@dataclass(frozen=True)
class ArrivingFiles(Bottleneck):
    """Poisson arrivals of equal files, each a new connection; SI units."""

    file: float
    scheme: Scheme
    loads: tuple[float, ...]
    parameters: Mapping[str, float] = field(default_factory=dict)
    arrivals: int = 1000  # observed in each run, or more if they arrive within ROUNDS

    criterion = "power"
    quantities = QUANTITIES
    fineness = 0.05  # relative tolerance of the smallest buffer

    @property
    def simulated_bdp(self) -> float:
        """Bandwidth-delay product that is simulated [packets]: the path's, because slow start does not scale."""
        return self.bandwidth_delay_product

    @property
    def bytes(self) -> float:
        """Bytes sent of each file: its size, rounded up to full packets."""
        return math.ceil(self.file / self.packet) * self.packet

    def network(self, buffer: int, load: float) -> Network:
        """Return a network of the switch and the arrivals; acknowledgments use no bandwidth."""
        one_way = self.round_trip_time / 2
        net = Network().link(
            "switch", "sinks", rate=self.rate, delay=one_way, buffer=buffer, discipline=self.discipline
        )
        return net.flow(
            traffic.arrivals(load * self.rate / self.bytes, self.scheme), path=["switch", "sinks"], file=self.bytes,
            packet=self.packet, ack_path="ideal", access_rate=self.access_rate, parameters=self.parameters,
        )  # fmt: skip

    def at(self, buffer: int, load: float, effort: Effort) -> dict[str, Any]:
        """Simulate one load; return power, throughput and delays of the transfers that end within the time observed."""
        rounds = 1 + math.log2(1 + self.bytes / self.packet)  # of slow start from one packet
        alone = self.round_trip_time * rounds + self.bytes / self.rate
        begin = WARM_UP * alone
        span = max(self.arrivals * self.bytes / (load * self.rate), ROUNDS * alone)
        net = self.network(buffer, load)
        runs = []
        for run in measured([net] * effort.replications, effort.streams(), begin, begin + span, effort.tell):
            completed, response = float(run["connections"].sum()), float(run["transfer_time"][0])
            throughput = completed * self.bytes / span
            power = network_power(throughput, response) if completed else 0.0
            runs.append(
                {
                    "power": float(power),
                    "throughput": throughput,
                    "response_time": response,
                    "queueing_delay": float(run["mean_wait"][0]),
                    "transfers": throughput / self.bytes * response,
                }
            )
        if any(math.isnan(run["response_time"]) for run in runs):  # nothing was completed
            nothing: dict[str, Any] = {
                f"{name}{end}": math.nan for name in QUANTITIES for end in ("", "_lower", "_upper")
            }
            return nothing | {"best_load": load, "samples": [0.0] * len(runs)}
        return {"best_load": load, "samples": [run["power"] for run in runs]} | effort.summed(runs, {})

    def simulate(self, buffer: int, effort: Effort) -> dict[str, Any]:
        """Simulate all loads; return the results at the load of greatest power, and ``powers`` at every load.

        ``samples`` are the powers of each run.
        """
        found = [self.at(buffer, load, effort) for load in self.loads]
        powers = [one["power"] for one in found]
        best = found[int(np.nanargmax(powers))] if not np.isnan(powers).all() else found[0]
        return best | {"powers": powers}

"""Files of one size that arrive at random at a switch: network power at each load, and the load of greatest power."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from longfat.base.labelled import ENDS, Labelled, attrs
from longfat.design.bottleneck import CURVE, MOST_PACKETS, Bottleneck, floor_of
from longfat.design.buffer_laws import Laws
from longfat.design.replicating import Effort, measured
from longfat.laws.power import first_come_ceiling, network_power, power_ceiling
from longfat.sim import Network
from longfat.sim.network import traffic
from longfat.sim.schemes import Scheme

ROUNDS = 10.0  # shortest observation, in units of the time of one transfer without queueing
WARM_UP = 5.0  # time from the start of a run to the observation, in the same unit

QUANTITIES = {
    "power": ("bytes/s^2", "network power at the best load: throughput over response time"),
    "throughput": ("bytes/s", "throughput of completed files"),
    "response_time": ("s", "mean response time of completed transfers"),
    "queueing_delay": ("s", "mean queueing delay in the switch"),
    "transfers": ("transfers", "mean number of transfers in progress (Little's law)"),
}


@dataclass(frozen=True)
class ArrivingFiles(Bottleneck):
    """Files of equal size that arrive as a Poisson process, each over a new connection; SI units."""

    file: float  # bytes
    scheme: Scheme
    loads: tuple[float, ...]  # offered loads, relative to the capacity
    parameters: Mapping[str, float] = field(default_factory=dict)
    arrivals: int = 1000  # least mean number of files that arrive while a run is observed

    criterion = "power"
    within: ClassVar[dict[str, tuple[float, float]]] = {}  # ranges of results; a result without one is in [0, inf)
    further: ClassVar[dict[str, tuple[str, str]]] = {"best_load": ("1", "load at which power is greatest")}
    quantities = QUANTITIES
    fineness = 0.05  # relative tolerance of the smallest buffer
    resized = False

    @property
    def simulated_bdp(self) -> float:
        """Bandwidth-delay product of the simulated path [packets]: as given, because slow start does not scale."""
        return self.bandwidth_delay_product

    @property
    def bytes(self) -> float:
        """Bytes sent for each file: its size, rounded up to full packets."""
        return math.ceil(self.file / self.packet) * self.packet

    @property
    def points(self) -> int:
        """Number of networks that are simulated at each buffer."""
        return len(self.loads)

    def ends(self) -> tuple[float, float, float]:
        """Return the smallest buffer that may be the answer, and both ends of the simulated curve [packets]."""
        size = self.bandwidth_delay_product
        floor = floor_of(self.scheme, self.discipline, size)
        return floor, max(floor, CURVE[0] * size), max(4 * size, 8 * self.bytes / self.packet)

    def competing(self, seen: Mapping[int, dict[str, Any]]) -> float:
        """Return the number of flows for the rules: the mean number of transfers in progress at the greatest power."""
        return float(self._greatest(seen)["transfers"])

    def attainable(self, seen: Mapping[int, dict[str, Any]]) -> list[float]:
        """Return the power [bytes/s^2] of each replication at the simulated buffer with the greatest mean power."""
        found: list[float] = self._greatest(seen)["samples"]
        return found

    def _greatest(self, seen: Mapping[int, dict[str, Any]]) -> dict[str, Any]:
        """Return the results of the simulated buffer with the greatest mean power."""
        useful = [one for one in seen.values() if min(one["samples"]) > 0]
        if not useful:
            raise ValueError(
                f"file = {self.file:g} bytes: no file was completed within the simulated time with buffers of "
                f"{', '.join(map(str, seen))} packets"
            )
        return max(useful, key=lambda one: float(one["power"]))

    @classmethod
    def further_data(cls, subjects: Sequence[ArrivingFiles], answers: Sequence[Any], laws: Laws) -> Labelled:
        """Return network powers at all loads, with attributes that describe the files and their greatest power."""
        one = subjects[0]
        ends = one.rate, one.bytes, one.round_trip_time
        powers = np.asarray([answer["powers"] for answer in answers], float)
        about = {
            "file": one.bytes,
            "attainable": answers[0]["attainable"],
            "power_ceiling": float(power_ceiling(*ends)),
            "first_come_ceiling": float(first_come_ceiling(*ends)),
        }
        return Labelled(
            {"curve_powers": (("flows", "point", "load"), powers, attrs("bytes/s^2", "network power"))},
            {"load": ("load", list(one.loads), attrs("1", "load offered"))},
            about,
        )

    def network(self, buffer: int, load: float) -> Network:
        """Return the network of the switch and the arriving files; acknowledgments use no bandwidth."""
        one_way = self.round_trip_time / 2
        net = Network().link(
            "switch", "sinks", rate=self.rate, delay=one_way, buffer=buffer, discipline=self.discipline
        )
        return net.flow(
            traffic.arrivals(load * self.rate / self.bytes, self.scheme), path=["switch", "sinks"], file=self.bytes,
            packet=self.packet, ack_path="ideal", access_rate=self.access_rate, parameters=self.parameters,
        )  # fmt: skip

    def watch(self, load: float) -> tuple[float, float]:
        """Return the time at which the observation of a load begins, and the length of the observation [s]."""
        rounds = 1 + math.log2(1 + self.bytes / self.packet)  # round trips of slow start from one packet
        alone = self.round_trip_time * rounds + self.bytes / self.rate
        return WARM_UP * alone, max(self.arrivals * self.bytes / (load * self.rate), ROUNDS * alone)

    def refuse_too_long(self, runs: int) -> None:
        """Raise a ValueError if the simulation of ``runs`` runs at each load would take hours."""
        packets = runs * sum(load * sum(self.watch(load)) for load in self.loads) * self.rate / self.packet
        if packets > MOST_PACKETS:
            raise ValueError(
                f"file = {self.file:g} bytes takes too long: {self.arrivals} files or more at each load are about "
                f"{packets:.2g} packets in total, more than {MOST_PACKETS:.2g}; give a smaller file, fewer loads or "
                "fewer points"
            )

    def at(self, buffer: int, load: float, effort: Effort) -> dict[str, Any]:
        """Simulate one load; return power, throughput and delays of the transfers that end in the observed time."""
        begin, span = self.watch(load)
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
            nothing: dict[str, Any] = {f"{name}{end}": math.nan for name in QUANTITIES for end in ENDS}
            return nothing | {"best_load": load, "samples": [0.0] * len(runs)}
        return {"best_load": load, "samples": [run["power"] for run in runs]} | effort.summed(runs, {})

    def simulate(self, buffer: int, effort: Effort, runs: Any = None) -> dict[str, Any]:
        """Simulate all loads; return the results at the load of greatest power, and ``powers`` at every load.

        ``samples`` has the power of each run at that load. ``runs`` is not used, because each buffer has new runs.
        """
        found = [self.at(buffer, load, effort) for load in self.loads]
        powers = [one["power"] for one in found]
        best = found[int(np.nanargmax(powers))] if not np.isnan(powers).all() else found[0]
        return best | {"powers": powers}

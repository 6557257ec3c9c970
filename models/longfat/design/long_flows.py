"""Flows without end over one switch, on a path that is scaled down where only ratios count."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from longfat.design.replicating import Effort, measured
from longfat.sim import Network, queues
from longfat.sim.queues import Discipline
from longfat.sim.schemes import Scheme

SMALLEST_BDP = 200  # packets that are simulated at least, if the path has so many: the sawtooth errs by 1/product
EACH = 40  # packets of the product for every flow, so that timeouts are as rare as on the path itself
#: Disciplines without a threshold in packets or seconds: a slower link is the same link in slow motion.
SCALE_FREE_DISCIPLINES = ("fifo", "fair", "round-robin", "bit-round")
MOST_PACKETS = 2e9  # that an answer may simulate where the path cannot be scaled: half an hour of two cores
CYCLES = 12.0  # of the sawtooth that are watched
SETTLING = 3.0  # of them before

QUANTITIES = {
    "utilisation": ("1", "share of the time for which the link sends"),
    "goodput": ("1", "new data that arrive over the capacity"),
    "queueing_delay": ("s", "mean wait in the switch"),
}


@dataclass(frozen=True)
class LongFlows:
    """Equal flows with data at every moment; SI units."""

    rate: float
    round_trip_time: float
    packet: int
    flows: int
    scheme: Scheme
    discipline: Discipline | str = "fifo"
    access_rate: float = math.inf
    parameters: Mapping[str, float] = field(default_factory=dict)
    spread: float = 0.0  # of the round-trip times: evenly in R (1 - spread) to R (1 + spread)
    most: int | None = None  # packets: the product that is simulated, if the path's is larger, scale-free or not

    criterion = "utilisation"
    quantities = QUANTITIES
    fineness = 0.02  # to which the smallest buffer is found

    @property
    def bandwidth_delay_product(self) -> float:
        """Bandwidth-delay product of the path [packets]."""
        return self.rate * self.round_trip_time / self.packet

    @property
    def scale_free(self) -> bool:
        """Whether utilisation depends on the buffer over the bandwidth-delay product only."""
        return self.scheme.scale_free and queues.discipline(self.discipline).name in SCALE_FREE_DISCIPLINES

    @property
    def simulated_bdp(self) -> float:
        """Bandwidth-delay product of the path that is simulated [packets].

        A slower one with the same round-trip time where all is scale-free or a product was given; else the path's own.
        """
        if self.most is not None:
            return min(self.bandwidth_delay_product, float(self.most))
        return (
            min(self.bandwidth_delay_product, float(max(SMALLEST_BDP, EACH * self.flows)))
            if self.scale_free
            else self.bandwidth_delay_product
        )

    def network(self, buffer: int, stream: Any) -> Network:
        """The switch, and flows that are caught in the middle of their sawtooth."""
        random = np.random.default_rng(stream)
        scale = self.simulated_bdp / self.bandwidth_delay_product
        rate, one_way = self.rate * scale, self.round_trip_time / 2
        spread = self.spread if self.flows > 1 else 0.0
        # Evenly spread with some chance inside each part, so that the mean hardly varies.
        places = (np.arange(self.flows) + random.random(self.flows)) / self.flows
        net = Network().link(
            "switch", "sinks", rate=rate, delay=one_way * (1 - spread), buffer=buffer, discipline=self.discipline
        )
        largest = (self.simulated_bdp + buffer) / self.flows
        for k, place in enumerate(places):
            path = ["switch", "sinks"]
            if spread > 0:
                net.link(f"source-{k}", "switch", rate=math.inf, delay=2 * one_way * spread * place)
                path.insert(0, f"source-{k}")
            begun = max(2.0, largest * random.uniform(0.5, 1.0))
            known = {"initial_ssthresh": begun} if "initial_ssthresh" in self.scheme.parameters else {}
            net.flow(
                self.scheme, path=path, name=f"flow-{k}", packet=self.packet, ack_path="ideal",
                start=self.round_trip_time * random.random(), access_rate=self.access_rate * scale,
                parameters=known | dict(self.parameters),
            )  # fmt: skip
        return net

    def watch(self, buffer: int) -> tuple[float, float]:
        """Return when counting begins and ends [s]: after some cycles of the sawtooth, and for some more."""
        relative = buffer / self.simulated_bdp
        rounds = max(1.0, (1 + relative) * self.simulated_bdp / self.flows / 2)
        cycle = rounds * self.round_trip_time * (1 + 0.75 * relative)  # as long as round trips are at most
        begin = SETTLING * cycle + 20 * self.round_trip_time
        return begin, begin + CYCLES * cycle + 20 * self.round_trip_time

    def refuse_too_long(self, runs: int) -> None:
        """Refuse a path that is not scale-free and so large that simulating it as it is would take hours."""
        simulated = self.simulated_bdp
        packets = runs * self.watch(round(simulated))[1] * simulated / self.round_trip_time
        if self.most is None and not self.scale_free and packets > MOST_PACKETS:
            raise ValueError(
                f"scheme {self.scheme.name!r} with discipline {queues.discipline(self.discipline).name!r} is not known "
                f"to be scale-free, so that the path's own {simulated:.6g} packets in flight would be simulated: about "
                f"{packets:.2g} packets in all, more than {MOST_PACKETS:.2g}; bandwidth_delay_product = 200 "
                "(--bdp 200) simulates a slower path, for which alone the answer then holds"
            )

    def simulate(self, buffer: int, effort: Effort) -> dict[str, Any]:
        """Utilisation (``samples``: of each run), goodput and mean wait [s]; a buffer of so many packets."""
        begin, until = self.watch(buffer)
        streams = effort.streams()
        nets = [self.network(buffer, stream) for stream in streams]
        capacity = self.rate * self.simulated_bdp / self.bandwidth_delay_product
        runs = [
            {
                "utilisation": float(run["utilisation"][0]),
                "goodput": float(run["goodput"].sum()) / capacity,
                "queueing_delay": float(run["mean_wait"][0]),
            }
            for run in measured(nets, [one.spawn(1)[0] for one in streams], begin, until, effort.tell)
        ]
        found: dict[str, Any] = {"samples": [run["utilisation"] for run in runs]}
        return found | effort.summed(runs, {"utilisation": (0.0, 1.0), "goodput": (0.0, 1.0)})

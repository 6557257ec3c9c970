"""File transfers of loss-load sources over one link, by simulation and by the law of their equilibrium."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from longfat.design.replicating import Effort
from longfat.laws.loss_load import equilibrium_load
from longfat.replication import replicate
from longfat.sim import Network, run
from longfat.sim.queues import loss_load

SILENT = 2.0  # our choice: round trips without a packet after which a switch drops a source's state


@dataclass(frozen=True)
class Transfers:
    """Transfers of files of equal size over one link; SI units, the buffer in packets."""

    rate: float
    round_trip_time: float
    sources: int
    file: float
    packet: int
    stagger: float
    buffer: int | None

    @property
    def buffer_packets(self) -> int:
        """Buffer of the switch [packets]: by default a bandwidth-delay product, at least 10 packets."""
        if self.buffer is not None:
            return self.buffer
        return max(10, math.ceil(self.rate * self.round_trip_time / self.packet))

    @property
    def bytes(self) -> float:
        """Bytes sent of each file: its size, rounded up to full packets."""
        return math.ceil(self.file / self.packet) * self.packet

    def described(self) -> dict[str, float]:
        """Return the parameters as attributes of a Dataset."""
        return {
            "rate": self.rate, "round_trip_time": self.round_trip_time, "sources": self.sources, "file": self.file,
            "packet": self.packet, "stagger": self.stagger, "buffer": self.buffer_packets,
        }  # fmt: skip

    def network(self, k: float, v: float) -> Network:
        """Return the network: a link behind a loss-load switch, and a reverse link of the same rate."""
        switch = loss_load(k, v, silence=SILENT * self.round_trip_time)
        net = Network().link(
            "sources", "sinks", rate=self.rate, delay=self.round_trip_time / 2, buffer=self.buffer_packets,
            discipline=switch,
        )  # fmt: skip
        net.link("sinks", "sources", rate=self.rate, delay=self.round_trip_time / 2)
        return net.flow(
            "loss-load", path=["sources", "sinks"], packet=self.packet, file=self.file, count=self.sources,
            stagger=self.stagger, parameters={"k": k},
        )  # fmt: skip

    def simulate(self, k: float, v: float, effort: Effort) -> dict[str, float]:
        """Simulate the transfers; return packet loss and mean transfer time [s], with confidence limits."""
        net = self.network(k, v)

        def one(stream: np.random.SeedSequence) -> dict[str, float]:
            data = run(net, rng=stream, progress=False)
            return {
                "loss": float(data.dropped.sum() / data.sent.sum()),
                "transfer_time": float(data.transfer_time.mean()),
            }

        return effort.summed(replicate(one, effort.streams(), progress=effort.tell), {})


def in_equilibrium(transfers: Transfers, k: float, v: float) -> float:
    """Return the mean transfer time [s], one round trip included, of sources that are in equilibrium at every moment.

    Each of m sources has 1/m of the throughput. The throughput is the rate of the link times the load (k + 1) v/k, or
    the rate of the link if this load is above 1. A single source uses the fraction v of the link.

    >>> path = Transfers(rate=5e6, round_trip_time=0.004, sources=2, file=2e6, packet=500, stagger=0.0, buffer=None)
    >>> round(in_equilibrium(path, 2, 2 / 3), 9)  # 2 x 2 MB over 40 Mbit/s, and 4 ms
    0.804
    """
    together = min(1.0, float(equilibrium_load(k, v))) * transfers.rate
    left: list[float] = []  # bytes that remain of each transfer in progress; they end in the order of their starts
    now, total, started = 0.0, 0.0, 0
    while started < transfers.sources or left:
        each = (together if len(left) > 1 else v * transfers.rate) / max(1, len(left))
        ends = now + left[0] / each if left else math.inf
        begins = started * transfers.stagger if started < transfers.sources else math.inf
        then = min(ends, begins)
        left = [size - each * (then - now) for size in left]
        now = then
        if begins <= ends:
            left.append(transfers.bytes)
            started += 1
            total -= now
        else:
            left.pop(0)
            total += now
    return total / transfers.sources + transfers.round_trip_time

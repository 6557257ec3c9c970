"""Links and flows of a network, as `Network.link` and `Network.flow` create them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from longfat.sim import queues
from longfat.sim.network.traffic import Traffic
from longfat.sim.queues import Discipline
from longfat.sim.schemes.scheme import Scheme


@dataclass(frozen=True)
class Link:
    """Link from one node to another, in SI units; created by `Network.link`, which explains the fields."""

    name: str
    tail: str
    head: str
    rate: float  # bytes/s; math.inf for a link without transmission time
    delay: float  # s
    buffer_packets: float = math.inf
    buffer_bytes: float = math.inf
    discipline: Discipline = queues.FIFO
    loss: float = 0.0
    jitter: float = 0.0  # s
    counter_refresh: float = 0.0  # s
    coarse_clock: bool = False
    stamps: bool | str = True  # or "incoming"
    rate_changes: tuple[tuple[float, float], ...] = ()  # times [s] and rates from then on [bytes/s]


@dataclass(frozen=True)
class Flow:
    """Flow along a path, in SI units: a transfer or traffic; created by `Network.flow`, which explains the fields."""

    name: str
    path: tuple[str, ...]
    scheme: Scheme | None
    traffic: Traffic | None = None
    file: float | None = None  # bytes
    start: float = 0.0
    stagger: float = 0.0
    stop: float = math.inf
    packet: int = 1000
    ack: int = 40
    access_rate: float = math.inf  # bytes/s
    ack_path: str = "reverse"
    count: int = 1
    send_jitter: float = 0.0
    application: Traffic | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the copies of the flow."""
        return (self.name,) if self.count == 1 else tuple(f"{self.name}-{k + 1}" for k in range(self.count))

"""Services (schedulers) of links by name; users may define others with `Service`."""

from __future__ import annotations

from longfat.sim.kernel.records import NOTHING
from longfat.sim.plugin.functions import (
    append,
    behind,
    drop_more,
    first_waiting,
    queue,
    queue_of,
    take,
    take_first,
    take_last,
    waiting,
)
from longfat.sim.plugin.service import PER_FLOW, SERVICES, Service

__all__ = [
    "NOTHING", "PER_FLOW", "SERVICES", "Service", "append", "behind", "drop_more", "first_waiting", "queue", "queue_of",
    "take", "take_first", "take_last", "waiting",
]  # fmt: skip

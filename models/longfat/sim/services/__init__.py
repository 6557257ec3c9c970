"""Services (schedulers) of links, one file each; `Service` is the form in which a user adds another."""

from __future__ import annotations

from typing import Any

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
from longfat.sim.plugin.plug_in import Registry
from longfat.sim.services.service import PER_FLOW, Service

__all__ = [
    "NOTHING", "PER_FLOW", "SERVICES", "Service", "append", "behind", "drop_more", "first_waiting", "queue", "queue_of",
    "take", "take_first", "take_last", "waiting",
]  # fmt: skip

#: All services by the names that disciplines use. None: first in, first out, with departure times computed at arrival.
SERVICES: Registry[Any] = Registry(__name__, Service, {"fifo": None})

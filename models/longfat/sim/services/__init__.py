"""Services, the orders in which links send, one file each, and the form in which anyone adds another: `Service`."""

from __future__ import annotations

from longfat.sim.records import NOTHING
from longfat.sim.seam import append, behind, first_waiting, queue, queue_of, take, take_first, take_last, waiting
from longfat.sim.services.bit_round import BIT_ROUND
from longfat.sim.services.departures import DEPARTURES
from longfat.sim.services.push_out import DISCARD_LAST, DISCARD_WORST
from longfat.sim.services.rate_controlled import RATED
from longfat.sim.services.round_robin import ROUND_ROBIN
from longfat.sim.services.self_clocked import SELF_CLOCKED
from longfat.sim.services.service import PER_FLOW, Service

__all__ = [
    "NOTHING", "PER_FLOW", "SERVICES", "Service", "append", "behind", "first_waiting", "queue", "queue_of", "take",
    "take_first", "take_last", "waiting",
]  # fmt: skip

#: By the names that disciplines use; None: in order of arrival, decided when a packet arrives.
SERVICES: dict[str, Service | None] = {
    "fifo": None,
    **{one.name: one for one in (DEPARTURES, DISCARD_WORST, DISCARD_LAST, SELF_CLOCKED, ROUND_ROBIN, RATED, BIT_ROUND)},
}

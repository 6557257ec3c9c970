"""First-in, first-out service that is decided when a packet departs, so that waiting packets can be dropped."""

from longfat.sim.plugin.functions import append, queue, take_first
from longfat.sim.services.service import Service


def enqueue(link, packet, now):
    """Append the packet to the queue."""
    append(link, queue(link, 0), packet)
    return 0


def dequeue(link, now):
    """Take the first packet of the queue."""
    return take_first(link, queue(link, 0))


DEPARTURES = Service(
    "departures",
    enqueue=enqueue,
    dequeue=dequeue,
    in_order=True,
    may_push_out=True,
    source="Ours, because first-in, first-out service needs no source; it differs from 'fifo' in its cost alone",
)

"""In order of arrival, decided when a packet leaves."""

from longfat.sim.seam import append, queue, take_first
from longfat.sim.services.service import Service


def enqueue(link, packet, now):
    """Put it at the end."""
    append(link, queue(link, 0), packet)
    return 0


def dequeue(link, now):
    """Take the first one."""
    return take_first(link, queue(link, 0))


DEPARTURES = Service("departures", enqueue=enqueue, dequeue=dequeue, in_order=True, may_push_out=True)

"""Last in, first out as a plug-in: the packet that arrived last is sent first, and a full buffer drops the oldest."""

from longfat.sim import Discipline, Service, append, queue, take_first, take_last


def enqueue(link, packet, now):
    """Append the packet to the only queue."""
    append(link, queue(link, 0), packet)
    return 0


def dequeue(link, now):
    """Take the last packet; NOTHING if the queue is empty."""
    return take_last(link, queue(link, 0))


def evict(link, packet, now):
    """Take the oldest packet, which would wait longest."""
    return take_first(link, queue(link, 0))


STACK = Discipline("stack", Service("last in, first out", enqueue=enqueue, dequeue=dequeue, evict=evict))

"""Two queues as a plug-in: packets up to some size, such as acknowledgments, are sent before larger ones."""

from longfat.sim import Discipline, Parameter, Service, append, queue, take_first


def enqueue(link, packet, now):
    """Append the packet to the queue of small packets, 0, or of large ones, 1."""
    append(link, queue(link, 0 if packet.size <= link.small else 1), packet)
    return 0


def dequeue(link, now):
    """Take the first small packet, else the first large one; NOTHING if none waits."""
    return take_first(link, queue(link, 0 if queue(link, 0).packets > 0 else 1))


SMALL = Parameter(100.0, "bytes", "[0, 1e15]", about="Largest size of a small packet")
SERVICE = Service("small first", enqueue=enqueue, dequeue=dequeue, queues=2, parameters={"small": SMALL})
SMALL_FIRST = Discipline("small-first", SERVICE)

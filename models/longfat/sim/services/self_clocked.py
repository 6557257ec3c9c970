"""Self-clocked fair queueing (Golestani, INFOCOM 1994), with the longest queue giving way.

Tags are bytes and whole numbers: virtual time v is the tag of the packet in service, and a packet's finish tag is
F = max(last F of the flow, v) + size.
"""

from longfat.sim.records import NOTHING
from longfat.sim.seam import append, queue_of, waiting
from longfat.sim.services import tags
from longfat.sim.services.service import PER_FLOW, Service
from longfat.sim.services.tags import activate, first_queue, first_tag, tag_packet, take_from_longest, take_smallest


def enqueue(link, packet, now):
    """Golestani, eq. (2): the packet's finish tag."""
    queue = queue_of(link, packet)
    queue.tag = max(queue.tag, link.tag) + packet.size
    tag_packet(link, packet, queue.tag)
    append(link, queue, packet)
    if queue.packets == 1:
        activate(link, queue)
    return 0


def dequeue(link, now):
    """Serve the smallest tag, which is virtual time from now on."""
    if link.active == 0:
        return NOTHING
    queue = first_queue(link)
    link.tag = first_tag(link, queue)
    return take_smallest(link, queue)


def evict(link, packet, now):
    """Take the last packet of the longest queue, with its part of the queue's tag."""
    victim, queue = take_from_longest(link, packet)
    if victim != NOTHING:
        queue.tag -= waiting(link, victim).size
    return victim


SELF_CLOCKED = Service(
    "self-clocked",
    enqueue=enqueue,
    dequeue=dequeue,
    evict=evict,
    queues=PER_FLOW,
    state={**tags.STATE, "tag": 0},
    queue_state={"tag": 0},
    workspace=tags.room,
)

"""Self-clocked fair queueing: packets depart in the order of their finish tags.

A packet's finish tag is F = max(F of the flow's previous packet, v) + size, where the virtual time v is the tag of the
packet in service.

Our choice: all flows have the same weight, tags are integers [bytes], and a full buffer drops the last packet of the
flow with the most bytes.
"""

from longfat.sim.kernel.records import NOTHING
from longfat.sim.plugin.discipline import PER_FLOW, Discipline, Service
from longfat.sim.plugin.functions import queue_of, tag_of, waiting
from longfat.sim.switch import tags
from longfat.sim.switch.tags import append_tagged, take_from_longest, take_smallest


# Golestani (1994): F = max(F of the flow's previous packet, v) + size, for equal weights.
def enqueue(link, packet, now):
    """Give the packet its finish tag and append it to its flow's queue."""
    queue = queue_of(link, packet)
    queue.tag = max(queue.tag, link.tag) + packet.size
    append_tagged(link, queue, packet, queue.tag)
    return 0


# Golestani (1994): the packet with the smallest tag departs next, and the virtual time becomes its tag.
def dequeue(link, now):
    """Take the packet with the smallest finish tag, and set virtual time to this tag."""
    taken = take_smallest(link)
    if taken != NOTHING:
        link.tag = tag_of(link, taken)
    return taken


# Our choice, because the paper has no buffer limit: the size of a dropped packet is subtracted from the last tag of its
# flow.
def evict(link, packet, now):
    """Take the last packet of the queue with the most bytes, and subtract its size from that queue's last tag."""
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
    source='S. J. Golestani, "A Self-Clocked Fair Queueing Scheme for Broadband Applications", INFOCOM 1994, '
    "doi:10.1109/INFCOM.1994.337677",
)
FAIR = Discipline("fair", SELF_CLOCKED, needs_buffer=True)

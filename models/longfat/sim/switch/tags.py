"""Heap of the backlogged queues by the finish tags of their first packets, for the services that sort by finish tags.

Equal tags (ours, because the papers leave ties open): the queue whose packet became its first packet earlier is served
first, as if each packet had taken a moment longer than its tag says, so that no flow waits longer than one round.

State of the link: `active`, the number of queues in the heap, and `heads`, how many packets have become the first of
their queue so far.
"""

from longfat.sim.kernel.jit import part
from longfat.sim.kernel.records import NOTHING
from longfat.sim.plugin.functions import (
    heap_entry,
    heap_insert,
    heap_remove,
    heap_replace,
    number_of,
    queue_numbered,
    queue_of,
    set_tag,
    tag_of,
    take_first,
    take_last,
)

NUMBER = 20  # bits of a heap key that hold the number of the queue
STATE = {"active": 0, "heads": 0}


def room(limit: float, queues: int) -> int:
    """Return the size of the heap [words of 8 bytes]."""
    return 2 * queues


@part
def first_tag(link, queue):
    """Return the finish tag of the first packet of a queue."""
    return tag_of(link, queue.head)


@part
def new_key(link, queue):
    """Return the heap key of a queue that has a new first packet."""
    link.heads += 1
    return (link.heads << NUMBER) | queue.number


@part
def activate(link, queue):
    """Insert a queue into the heap, by the finish tag of its first packet."""
    heap_insert(link, link.active, first_tag(link, queue), new_key(link, queue))
    link.active += 1


@part
def tag_packet(link, packet, tag):
    """Store the finish tag of a packet."""
    set_tag(link, number_of(link, packet), tag)


@part
def first_queue(link):
    """Return the queue with the smallest finish tag."""
    return queue_in(link, 0)


@part
def take_smallest(link, queue):
    """Take the first packet of the queue at the top of the heap, and sort that queue in again by its next packet."""
    taken = take_first(link, queue)
    if queue.packets == 0:
        remove_queue(link, 0)
    else:
        heap_replace(link, link.active, first_tag(link, queue), new_key(link, queue))
    return taken


@part
def queue_in(link, place):
    """Return the queue at a position of the heap."""
    return queue_numbered(link, heap_entry(link, link.active, place) & ((1 << NUMBER) - 1))


@part
def remove_queue(link, place):
    """Remove the queue at a position of the heap, since its last packet has been taken."""
    heap_remove(link, link.active, place)
    link.active -= 1


# McKenney, "Stochastic Fairness Queueing", INFOCOM 1990: a full buffer that all flows share drops from the longest
# queue, which protects the flows that stay below their share. Ours: longest by bytes, and the last packet of it is
# dropped.
@part
def take_from_longest(link, packet):
    """Take the last packet of the queue with the most bytes, and return its number and the queue.

    Return NOTHING and the arriving packet's queue if that one would be the longest with this packet. The search over
    all backlogged queues costs time only when a packet is dropped.
    """
    longest = queue_of(link, packet)
    most, found = longest.bytes + packet.size, NOTHING
    for place in range(link.active):
        queue = queue_in(link, place)
        if queue.bytes > most:
            longest, most, found = queue, queue.bytes, place
    if found == NOTHING:
        return NOTHING, longest
    victim = take_last(link, longest)
    if longest.packets == 0:
        remove_queue(link, found)
    return victim, longest

"""Heap of the backlogged queues, sorted by the finish tags of their first packets, for services that use finish tags.

Of queues with equal tags, the one whose first packet came to its head earlier is served first, so that no flow waits
longer than one round. Our choice, because the papers have no rule for equal tags.

State of the link: `active`, the number of queues in the heap, and `heads`, the number of packets that have become the
first packet of their queue so far.
"""

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import NOTHING
from longfat.sim.plugin.functions import (
    append,
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
from longfat.sim.plugin.parameters import Table

ROWS = Table.MOST
NUMBER = 20  # bits of a heap key that hold the number of the queue
STATE = {"active": 0, "heads": 0}


def room(limit: float, queues: int) -> int:
    """Return the size of the heap [words of 8 bytes]."""
    return 2 * queues


@inline
def first_tag(link, queue):
    """Return the finish tag of the first packet of a queue."""
    return tag_of(link, queue.head)


@inline
def new_key(link, queue):
    """Return the heap key of a queue that has a new first packet."""
    link.heads += 1
    return (link.heads << NUMBER) | queue.number


@inline
def activate(link, queue):
    """Insert a queue into the heap, by the finish tag of its first packet."""
    heap_insert(link, link.active, first_tag(link, queue), new_key(link, queue))
    link.active += 1


@inline
def append_tagged(link, queue, packet, tag):
    """Append the arriving packet to a queue with its finish tag; the queue joins the heap if it was empty."""
    set_tag(link, number_of(link, packet), tag)
    append(link, queue, packet)
    if queue.packets == 1:
        activate(link, queue)


@inline
def take_smallest(link):
    """Take the packet with the smallest finish tag, and update its queue's place in the heap; NOTHING if none waits."""
    if link.active == 0:
        return NOTHING
    queue = queue_in(link, 0)
    taken = take_first(link, queue)
    if queue.packets == 0:
        remove_queue(link, 0)
    else:
        heap_replace(link, link.active, first_tag(link, queue), new_key(link, queue))
    return taken


@inline
def take_tail(link, place):
    """Take the last packet of the queue at a position of the heap."""
    queue = queue_in(link, place)
    taken = take_last(link, queue)
    if queue.packets == 0:
        remove_queue(link, place)
    return taken


@inline
def queue_in(link, place):
    """Return the queue at a position of the heap."""
    return queue_numbered(link, heap_entry(link, link.active, place) & ((1 << NUMBER) - 1))


@inline
def remove_queue(link, place):
    """Remove the queue at a position of the heap, because its last packet has been taken."""
    heap_remove(link, link.active, place)
    link.active -= 1


# McKenney, "Stochastic Fairness Queueing", INFOCOM 1990: a full buffer that all flows share drops a packet of the
# longest queue, which protects flows below their fair share. Our choice: the longest queue is the queue with the most
# bytes, and its last packet is dropped.
@inline
def take_from_longest(link, packet):
    """Take the last packet of the queue with the most bytes; return the packet's number and the queue.

    Return NOTHING and the arriving packet's queue if this queue, with the packet, would be the longest. The search over
    all backlogged queues costs time only when a packet is dropped.
    """
    longest = queue_of(link, packet)
    most, found = longest.bytes + packet.size, NOTHING
    for place in range(link.active):
        queue = queue_in(link, place)
        if queue.bytes > most:
            longest, most, found = queue, queue.bytes, place
    return (NOTHING if found == NOTHING else take_tail(link, found)), longest


@inline
def in_table(table, flow, otherwise):
    """Return the value of a flow in a table with the columns flow and value, or `otherwise` if it has no row."""
    for k in range(ROWS):
        if table[2 * k] < 0.0:
            break
        if table[2 * k] == flow:
            return table[2 * k + 1]
    return otherwise

"""What services by finish tags share: a heap of the queues that have packets, by the tags of their first packets.

Of equal tags the one is served first that became the first of its queue before, as if each packet had taken a moment
more than its tag says: nobody then waits more than a round. State of the link: `active`, the queues in the heap, and
`heads`, how often a packet has become the first of its queue.
"""

from longfat.sim.jit import part
from longfat.sim.kernel.heap import pop, remove, rise, sink
from longfat.sim.memory import entry_at, queued_at, workspace
from longfat.sim.records import NOTHING
from longfat.sim.seam import number_of, queue_numbered, queue_of, take_first, take_last

NUMBER = 20  # bits of a key for the number of the queue
STATE = {"active": 0, "heads": 0}


def room(limit: float, queues: int) -> int:
    """Return the words that the heap needs."""
    return 2 * queues


@part
def heap(link):
    """Return where the heap begins."""
    return workspace(link._state, link._link)


@part
def tag_of(link, number):
    """Return the row with the finish tag of a waiting packet."""
    return queued_at(link._state, number)


@part
def first_tag(link, queue):
    """Return the finish tag of the first packet of a queue."""
    return tag_of(link, queue._queue.head).tag


@part
def new_key(link, queue):
    """Return the key of a queue of which another packet is the first now."""
    link.heads += 1
    return (link.heads << NUMBER) | queue._queue.number


@part
def activate(link, queue):
    """Put a queue into the heap, by the tag of its first packet."""
    rise(heap(link), link.active, first_tag(link, queue), new_key(link, queue))
    link.active += 1


@part
def tag_packet(link, packet, tag):
    """Write down the finish tag of the packet in hand."""
    tag_of(link, number_of(link, packet)).tag = tag


@part
def first_queue(link):
    """Return the queue with the smallest tag."""
    return queue_numbered(link, entry_at(heap(link), 0).key & ((1 << NUMBER) - 1))


@part
def take_smallest(link, queue):
    """Take the first packet of the queue at the top of the heap, which then goes where its next packet belongs."""
    taken = take_first(link, queue)
    if queue.packets == 0:
        pop(heap(link), link.active)
        link.active -= 1
    else:
        sink(heap(link), link.active, 0, first_tag(link, queue), new_key(link, queue))
    return taken


@part
def queue_in(link, place):
    """Return the queue at a place of the heap."""
    return queue_numbered(link, entry_at(heap(link), place).key & ((1 << NUMBER) - 1))


@part
def take_from_longest(link, packet):
    """Take the last packet of the longest queue, if that is longer than the one that asks would be; with its queue.

    The cost follows the drops, not the packets that pass.
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
        remove(heap(link), link.active, found)
        link.active -= 1
    return victim, longest

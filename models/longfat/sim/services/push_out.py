"""Push-out by priority: in order of arrival, where a full buffer gives up a worse packet for a better one.

Kim & Farber, MS-CIS-94-55 (1994), sec. 3.3. A packet that waits has a place, later ones a higher one, and a binary
tree over the places holds the greatest priority below each of its nodes. Of its leaves the last one above a bound is
found in one walk down: with the newcomer's priority as the bound it is the last packet that is worse; with one less
than the greatest priority, the last of the worst. Places are not used twice; when they run out, the packets that wait
move together. There are at least twice as many as the buffer holds, so that this costs a constant for each packet, and
all else the depth of the tree.

The workspace has the tree, whose node k has its children at 2 k and 2 k + 1, and then the packet at each place.
"""

from longfat.sim.jit import part
from longfat.sim.memory import packet_at, word_at, workspace
from longfat.sim.records import NONE, NOTHING
from longfat.sim.seam import append, number_of, queue, take, waiting
from longfat.sim.services.service import Service


def room(limit: float, queues: int) -> int:
    """Return the words that the tree and the places need."""
    return 3 * places(int(limit))


def places(limit: int) -> int:
    """Return how many places there are, a power of two.

    >>> places(3), places(4)
    (8, 16)
    """
    return 1 << (2 * limit + 1).bit_length()


@part
def node(link, k):
    """Return node k of the tree, 1 its root: the greatest priority below, NONE if nothing waits there."""
    return word_at(workspace(link._state, link._link), k)


@part
def packet_in(link, place):
    """Return the word with the packet at a place, if one stands there."""
    return word_at(workspace(link._state, link._link), 2 * link.places + place)


@part
def set_priority(link, place, priority):
    """Set a leaf, and what follows for the nodes above it."""
    k = link.places + place
    node(link, k).x = priority
    while k > 1:
        k >>= 1
        worst = max(node(link, 2 * k).x, node(link, 2 * k + 1).x)
        if node(link, k).x == worst:
            return
        node(link, k).x = worst


@part
def last_above(link, bound):
    """Return the last place with a priority above the bound, NONE if there is none."""
    if link.places == 0 or node(link, 1).x <= bound:
        return NONE
    k = 1
    while k < link.places:
        k = 2 * k + 1
        if node(link, k).x <= bound:
            k -= 1
    return k - link.places


@part
def close_ranks(link):
    """Move the packets that wait to the first places, in their order."""
    if link.places == 0:
        link.places = 1
        while link.places <= 2 * link.limit_packets + 1:
            link.places *= 2
    for k in range(1, 2 * link.places):
        node(link, k).x = NONE
    link.first = 0
    link.next = 0
    i = int(queue(link, 0)._queue.head)
    while i != NONE:
        packet_in(link, link.next).x = i
        node(link, link.places + link.next).x = waiting(link, i).priority
        link.next += 1
        i = int(packet_at(link._state, i).next)
    for k in range(link.places - 1, 0, -1):
        node(link, k).x = max(node(link, 2 * k).x, node(link, 2 * k + 1).x)


@part
def take_from(link, place):
    """Take the packet at a place out of the queue."""
    set_priority(link, place, NONE)
    return take(link, queue(link, 0), int(packet_in(link, place).x))


def enqueue(link, packet, now):
    """Let a packet wait behind all others."""
    if link.next == link.places:
        close_ranks(link)
    append(link, queue(link, 0), packet)
    packet_in(link, link.next).x = number_of(link, packet)
    set_priority(link, link.next, packet.priority)
    link.next += 1
    return 0


def dequeue(link, now):
    """Take the first packet."""
    if link.backlog == 0:
        return NOTHING
    while node(link, link.places + link.first).x == NONE:
        link.first += 1
    link.first += 1
    return take_from(link, link.first - 1)


def evict_last_of_the_worst(link, packet, now):
    """Kim & Farber, sec. 3.3, as meant: the last of the worst packets gives way to a better one."""
    worst = node(link, 1).x if link.places > 0 else NONE
    place = last_above(link, max(packet.priority, worst - 1))
    return NOTHING if place == NONE else take_from(link, place)


def evict_last_worse(link, packet, now):
    """The same as published: the last packet that is worse than the new one."""
    place = last_above(link, packet.priority)
    return NOTHING if place == NONE else take_from(link, place)


# How many places there are; the first one where a packet may stand, and the next one to be taken.
_STATE = {"places": 0, "first": 0, "next": 0}
DISCARD_WORST = Service(
    "discard-worst",
    enqueue=enqueue,
    dequeue=dequeue,
    evict=evict_last_of_the_worst,
    state=_STATE,
    workspace=room,
    bounded=True,
    in_order=True,
)
DISCARD_LAST = Service(
    "discard-last",
    enqueue=enqueue,
    dequeue=dequeue,
    evict=evict_last_worse,
    state=_STATE,
    workspace=room,
    bounded=True,
    in_order=True,
)

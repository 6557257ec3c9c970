"""First-in, first-out service in which a full buffer drops a queued packet to admit a packet of better priority.

Priority 0 is best; priorities decide which packet is dropped, not the order of service.

Each queued packet occupies a place, in order of arrival, and a binary tree over the places holds the greatest (worst)
priority below each node. One descent of the tree finds the last place whose priority exceeds a bound: with the arriving
packet's priority as the bound, this is the last packet of a worse priority; with the greatest priority minus 1, it is
the last packet of the worst priority. Places are not used twice; when they run out, the queued packets move to the
first places. There are more than twice as many places as packets in a full buffer, so that the moves take constant time
per packet; the time of every other operation grows with the depth of the tree.

The workspace holds the tree, whose node k has its children at 2 k and 2 k + 1, followed by the packet at each place.
"""

import dataclasses

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import NONE, NOTHING
from longfat.sim.plugin.discipline import Discipline, Service
from longfat.sim.plugin.functions import append, behind, memory, number_of, queue, set_memory, take, waiting


def room(limit: float, queues: int) -> int:
    """Return the size of the workspace, the tree and the packet at each place [words of 8 bytes]."""
    return 3 * places(int(limit))


def places(limit: int) -> int:
    """Return the number of leaves (places) of the tree: a power of two above twice the buffer `limit` [packets].

    >>> places(3), places(4)
    (8, 16)
    """
    return 1 << (2 * limit + 1).bit_length()


@inline
def node(link, k):
    """Return the greatest priority below node `k` of the tree (the root is 1), or NONE if no packet is below it."""
    return memory(link, k)


@inline
def set_priority(link, place, priority):
    """Set the priority at place `place`, and update the nodes above it."""
    k = link.places + place
    set_memory(link, k, priority)
    while k > 1:
        k >>= 1
        worst = max(node(link, 2 * k), node(link, 2 * k + 1))
        if node(link, k) == worst:
            return
        set_memory(link, k, worst)


@inline
def last_above(link, bound):
    """Return the last place with a priority above `bound`, or NONE."""
    if link.places == 0 or node(link, 1) <= bound:
        return NONE
    k = 1
    while k < link.places:
        k = 2 * k + 1
        if node(link, k) <= bound:
            k -= 1
    return k - link.places


@inline
def close_ranks(link):
    """Move the queued packets to the first places of the tree, in order of arrival."""
    if link.places == 0:
        link.places = 1
        while link.places <= 2 * link.limit_packets + 1:
            link.places *= 2
    for k in range(1, 2 * link.places):
        set_memory(link, k, NONE)
    link.first = 0
    link.next = 0
    i = int(queue(link, 0).head)
    while i != NONE:
        set_memory(link, 2 * link.places + link.next, i)
        set_memory(link, link.places + link.next, waiting(link, i).priority)
        link.next += 1
        i = behind(link, i)
    for k in range(link.places - 1, 0, -1):
        set_memory(link, k, max(node(link, 2 * k), node(link, 2 * k + 1)))


@inline
def take_from(link, place):
    """Take the packet at place `place` out of the queue, and return its number."""
    set_priority(link, place, NONE)
    return take(link, queue(link, 0), memory(link, 2 * link.places + place))


def enqueue(link, packet, now):
    """Append the packet to the queue, at the next place."""
    if link.next == link.places:
        close_ranks(link)
    append(link, queue(link, 0), packet)
    set_memory(link, 2 * link.places + link.next, number_of(link, packet))
    set_priority(link, link.next, packet.priority)
    link.next += 1
    return 0


def dequeue(link, now):
    """Take the first packet of the queue."""
    if link.backlog == 0:
        return NOTHING
    while node(link, link.places + link.first) == NONE:
        link.first += 1
    link.first += 1
    return take_from(link, link.first - 1)


# Kim & Farber (1994), section 3.3.2, recommend this fairer rule in place of their algorithm: drop a packet of the
# lowest priority in the entire queue. Our choice: if several packets have this priority, drop the last of them.
def evict_last_of_the_worst(link, packet, now):
    """Take the last packet of the worst priority in the queue, if this priority is worse than the arriving packet's."""
    worst = node(link, 1) if link.places > 0 else NONE
    place = last_above(link, max(packet.priority, worst - 1))
    return NOTHING if place == NONE else take_from(link, place)


# Kim & Farber (1994), section 3.3.2, step 2b: drop the packet with the greatest position j for which P(pkt) < P(Q[j]).
def evict_last_worse(link, packet, now):
    """Take the last packet in the queue that has a worse priority than the arriving packet."""
    place = last_above(link, packet.priority)
    return NOTHING if place == NONE else take_from(link, place)


_KIM_FARBER = (
    'H. Kim and D. J. Farber, "Congestion control by bandwidth-delay tradeoff in very high-speed networks: the case of '
    'window-based control", University of Pennsylvania, MS-CIS-94-55, 1994, section 3.3.2'
)
DISCARD_WORST = Service(
    "discard-worst",
    enqueue=enqueue,
    dequeue=dequeue,
    evict=evict_last_of_the_worst,
    # `places` is the number of places in the queue, `first` the first place that may hold a packet, and `next` the next
    # place to be taken.
    state={"places": 0, "first": 0, "next": 0},
    workspace=room,
    bounded=True,
    in_order=True,
    source=f"{_KIM_FARBER}, corrected: the worst packet is dropped, not the last that is worse than the arriving one",
)
DISCARD_LAST = dataclasses.replace(DISCARD_WORST, name="discard-last", evict=evict_last_worse, source=_KIM_FARBER)
PRIORITY_DISCARD = Discipline("priority-discard", DISCARD_WORST, needs_buffer=True)
PRIORITY_DISCARD_PUBLISHED = Discipline("priority-discard-published", DISCARD_LAST, needs_buffer=True)

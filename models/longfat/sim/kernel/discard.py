"""Priority discard: in order of arrival, where a full buffer gives up a worse packet for a better one (schemes.md 8.4).

A packet that waits has a place, later ones a higher one, and a binary tree over the places holds the greatest priority
below each of its nodes. Of its leaves the last one above a bound is found in one walk down: with the newcomer's
priority as the bound it is the last packet that is worse; with one less than the greatest priority, the last of the
worst. Places are not used twice; when they run out, the packets that wait move together. There are at least twice as
many as the buffer holds, so that this costs a constant for each packet, and all else the depth of the tree.

In `active` a link has the tree, whose node k has its children at 2 k and 2 k + 1, and then the packet at each place.
"""

from longfat.sim.jit import part
from longfat.sim.kernel.waiting import line_up, wait_changed
from longfat.sim.memory import packet_at, turn_at
from longfat.sim.records import DISCARD_WORST, NONE


@part
def tree_at(world, link, k):
    """Node k of the tree, 1 its root: the greatest priority below, NONE if nothing waits there."""
    return turn_at(world, link.offset + k)


@part
def packet_of(world, link, place):
    """The packet at a place, if one stands there."""
    return turn_at(world, link.offset + 2 * link.capacity + place)


@part
def set_priority(world, link, place, priority):
    """A leaf, and what follows for the nodes above it."""
    k = link.capacity + place
    tree_at(world, link, k).queue = priority
    while k > 1:
        k >>= 1
        worst = max(tree_at(world, link, 2 * k).queue, tree_at(world, link, 2 * k + 1).queue)
        if tree_at(world, link, k).queue == worst:
            return
        tree_at(world, link, k).queue = worst


@part
def last_above(world, link, bound):
    """The last place with a priority above the bound, NONE if there is none."""
    if tree_at(world, link, 1).queue <= bound:
        return NONE
    k = 1
    while k < link.capacity:
        k = 2 * k + 1
        if tree_at(world, link, k).queue <= bound:
            k -= 1
    return k - link.capacity


@part
def close_ranks(world, link):
    """The packets that wait move to the first places, in their order."""
    for k in range(1, 2 * link.capacity):
        tree_at(world, link, k).queue = NONE
    link.tag = 0
    link.turn = 0
    i = link.queue_head
    while i != NONE:
        packet_of(world, link, link.turn).queue = i
        tree_at(world, link, link.capacity + link.turn).queue = packet_at(world, i).priority
        link.turn += 1
        i = packet_at(world, i).next
    for k in range(link.capacity - 1, 0, -1):
        worst = max(tree_at(world, link, 2 * k).queue, tree_at(world, link, 2 * k + 1).queue)
        tree_at(world, link, k).queue = worst


@part
def stand(world, link, i):
    """A packet waits behind all others."""
    if link.turn == link.capacity:
        close_ranks(world, link)
    packet = packet_at(world, i)
    packet.time = link.queue_tail
    line_up(world, link, i)
    packet_of(world, link, link.turn).queue = i
    set_priority(world, link, link.turn, packet.priority)
    link.turn += 1


@part
def take(world, link, place):
    """Take the packet at a place out of the queue."""
    i = packet_of(world, link, place).queue
    set_priority(world, link, place, NONE)
    before, behind = int(packet_at(world, i).time), packet_at(world, i).next
    if before == NONE:
        link.queue_head = behind
    else:
        packet_at(world, before).next = behind
    if behind == NONE:
        link.queue_tail = before
    else:
        packet_at(world, behind).time = before
    return i


@part
def take_first(world, link):
    """The packet that is served next."""
    while tree_at(world, link, link.capacity + link.tag).queue == NONE:
        link.tag += 1
    link.tag += 1
    return take(world, link, link.tag - 1)


@part
def give_way(world, link, priority):
    """Take the packet out that gives way to one of this priority, NONE if none does."""
    bound = priority
    if link.service == DISCARD_WORST:
        bound = max(bound, tree_at(world, link, 1).queue - 1)
    place = last_above(world, link, bound)
    if place == NONE:
        return NONE
    victim = take(world, link, place)
    wait_changed(world, link, -1, packet_at(world, victim).length)
    return victim

"""Fair queueing: a queue per flow, served by finish tags (Golestani 1994) or by turns (Shreedhar & Varghese 1995).

Tags are bytes and whole numbers: v = tag of the packet in service, F = max(last F of the flow, v) + size. For those of
a fluid see `bit_round`. Of equal tags the one is served first that became the first of its queue before, as if each
packet had taken a moment more than its tag says: nobody then waits more than a round. A full buffer takes the last
packet of the flow with most bytes in it.
"""

from longfat.sim.jit import part
from longfat.sim.kernel.bit_round import finish_tag, shorten
from longfat.sim.kernel.waiting import join, take_head, wait_changed
from longfat.sim.memory import packet_at, queue_at, turn_at
from longfat.sim.records import BIT_ROUND, NONE, RATED, ROUND_ROBIN, SELF_CLOCKED


@part
def first_tag(world, queue):
    """Finish tag of the packet at the head of a queue."""
    return packet_at(world, queue_at(world, queue).head).time


@part
def comes_before(world, a, b):
    """Smaller tag first; of equal tags the one that has been the first of its queue for longer."""
    tag_a, tag_b = first_tag(world, a), first_tag(world, b)
    return tag_a < tag_b or (tag_a == tag_b and queue_at(world, a).head_since < queue_at(world, b).head_since)


@part
def has_new_head(link, queue):
    """Another packet is the first of a queue now."""
    link.heads += 1
    queue.head_since = link.heads


@part
def slot(link, k):
    """Where the k-th active queue of a link stands: a heap, or a ring that begins at `turn`."""
    k += link.turn
    if k >= link.capacity:
        k -= link.capacity
    return link.offset + k


@part
def put(world, link, place, queue):
    """A queue stands at this place of the list of active ones."""
    turn_at(world, slot(link, place)).queue = queue
    queue_at(world, queue).place = place


@part
def up(world, link, place):
    """Restore the heap upwards."""
    queue = turn_at(world, slot(link, place)).queue
    while place > 0:
        above = (place - 1) >> 1
        if not comes_before(world, queue, turn_at(world, slot(link, above)).queue):
            break
        put(world, link, place, turn_at(world, slot(link, above)).queue)
        place = above
    put(world, link, place, queue)


@part
def down(world, link, place):
    """Restore the heap downwards."""
    queue = turn_at(world, slot(link, place)).queue
    while True:
        child = 2 * place + 1
        if child >= link.active:
            break
        if child + 1 < link.active and comes_before(
            world, turn_at(world, slot(link, child + 1)).queue, turn_at(world, slot(link, child)).queue
        ):
            child += 1
        if not comes_before(world, turn_at(world, slot(link, child)).queue, queue):
            break
        put(world, link, place, turn_at(world, slot(link, child)).queue)
        place = child
    put(world, link, place, queue)


@part
def enqueue(world, link, q, i):
    """A packet joins its flow's queue."""
    packet, queue = packet_at(world, i), queue_at(world, q)
    if link.service == BIT_ROUND:
        packet.time = finish_tag(world, link, q, packet.length)
    else:
        packet.time = max(queue.tag, link.tag) + packet.length
        queue.tag = packet.time
    if not join(world, q, i):
        return
    has_new_head(link, queue)
    queue.deficit = link.quantum  # its first turn
    put(world, link, link.active, q)
    link.active += 1
    if link.service != ROUND_ROBIN:
        up(world, link, link.active - 1)


@part
def leave(world, link, q):
    """A queue that is empty leaves the list."""
    link.active -= 1
    if link.service != ROUND_ROBIN:
        place = queue_at(world, q).place
        if place < link.active:
            moved = turn_at(world, slot(link, link.active)).queue
            put(world, link, place, moved)
            up(world, link, place)
            down(world, link, queue_at(world, moved).place)
    elif turn_at(world, slot(link, 0)).queue == q:
        link.turn += 1
        if link.turn == link.capacity:
            link.turn = 0
    else:  # only after a drop: turns keep their order
        place = 0
        while turn_at(world, slot(link, place)).queue != q:
            place += 1
        for k in range(place, link.active):
            turn_at(world, slot(link, k)).queue = turn_at(world, slot(link, k + 1)).queue
    queue_at(world, q).place = NONE


@part
def end_rest(world, link, q):
    """The queue leaves the far end of the list; the one that came last takes its place."""
    last = turn_at(world, slot(link, link.capacity - link.resting)).queue
    put(world, link, queue_at(world, q).place, last)
    queue_at(world, q).place = NONE
    link.resting -= 1


@part
def choose(world, link):
    """Take the packet that is served next out of its queue."""
    q = turn_at(world, slot(link, 0)).queue
    if link.service == SELF_CLOCKED:
        link.tag = first_tag(world, q)
    elif link.service == ROUND_ROBIN:
        while queue_at(world, q).deficit < packet_at(world, queue_at(world, q).head).length:
            queue_at(world, q).deficit += link.quantum  # for its next turn
            turn_at(world, slot(link, link.active)).queue = q
            link.turn += 1
            if link.turn == link.capacity:
                link.turn = 0
            q = turn_at(world, slot(link, 0)).queue
    queue = queue_at(world, q)
    i = take_head(world, q)
    queue.deficit -= packet_at(world, i).length
    if queue.head == NONE:
        leave(world, link, q)
    elif link.service != ROUND_ROBIN:
        has_new_head(link, queue)
        down(world, link, 0)
    return i


@part
def make_room(world, link, q, size):
    """Take the last packet of the longest queue out, if that is longer than the one that asks would be.

    The cost follows the drops, not the packets that pass.
    """
    longest, most = q, queue_at(world, q).bytes + size
    for k in range(link.active + link.resting):
        place = k if k < link.active else link.capacity - 1 - (k - link.active)  # the resting ones are at the end
        other = turn_at(world, slot(link, place)).queue
        if queue_at(world, other).bytes > most:
            longest, most = other, queue_at(world, other).bytes
    if longest == q:
        return NONE
    queue = queue_at(world, longest)
    victim, before = queue.head, NONE
    while packet_at(world, victim).next != NONE:
        before, victim = victim, packet_at(world, victim).next
    taken = packet_at(world, victim).length
    queue.packets -= 1
    queue.bytes -= taken
    rests = link.service == RATED and queue.place >= link.active
    if link.service == BIT_ROUND:
        shorten(world, link, longest, taken)
    elif link.service != RATED or (before == NONE and not rests):  # else it has no tag yet
        queue.tag -= taken
    queue.tail = before
    if before == NONE:
        queue.head = NONE
        if rests:
            end_rest(world, link, longest)
        else:
            leave(world, link, longest)
    else:
        packet_at(world, before).next = NONE
    wait_changed(world, link, -1, taken)
    return victim

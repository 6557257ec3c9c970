"""Deficit round robin (Shreedhar & Varghese, IEEE/ACM ToN 4 (1996), fig. 3), with the longest queue giving way.

The queues with packets stand in a list; the first one has its turn. A queue has a deficit counter: it may send as many
bytes as that says, and gets a quantum more when its turn is over.
"""

from longfat.sim.jit import part
from longfat.sim.own import Integer
from longfat.sim.records import NONE, NOTHING
from longfat.sim.seam import append, queue_numbered, queue_of, take_first, take_last, waiting
from longfat.sim.services.service import PER_FLOW, Service


@part
def join_list(link, queue):
    """Put a queue at the end of the list."""
    queue.behind = NONE
    if link.active == 0:
        link.turn = queue._queue.number
    else:
        queue_numbered(link, link.last).behind = queue._queue.number
    link.last = queue._queue.number
    link.active += 1


@part
def leave_list(link, queue):
    """Take a queue out of the list."""
    number, before, one = queue._queue.number, NONE, link.turn
    while one != number:
        before, one = one, queue_numbered(link, one).behind
    if before == NONE:
        link.turn = queue.behind
    else:
        queue_numbered(link, before).behind = queue.behind
    if link.last == number:
        link.last = before
    link.active -= 1


def enqueue(link, packet, now):
    """Fig. 3, Enqueue: a queue that was empty joins the list, with a quantum for its first turn."""
    queue = queue_of(link, packet)
    append(link, queue, packet)
    if queue.packets == 1:
        queue.deficit = int(link.quantum)
        join_list(link, queue)
    return 0


def dequeue(link, now):
    """Fig. 3, Dequeue: the queue whose turn it is sends while its deficit allows."""
    if link.active == 0:
        return NOTHING
    queue = queue_numbered(link, link.turn)
    while queue.deficit < waiting(link, queue._queue.head).size:
        queue.deficit += int(link.quantum)
        leave_list(link, queue)
        join_list(link, queue)
        queue = queue_numbered(link, link.turn)
    taken = take_first(link, queue)
    queue.deficit -= waiting(link, taken).size
    if queue.packets == 0:
        leave_list(link, queue)
    return taken


def evict(link, packet, now):
    """Take the last packet of the longest queue, if that is longer than the one that asks would be."""
    longest = queue_of(link, packet)
    most = longest.bytes + packet.size
    own, number = longest._queue.number, link.turn
    for _ in range(link.active):
        queue = queue_numbered(link, number)
        if queue.bytes > most:
            longest, most = queue, queue.bytes
        number = queue.behind
    if longest._queue.number == own:
        return NOTHING
    victim = take_last(link, longest)
    if longest.packets == 0:
        leave_list(link, longest)
    return victim


QUANTUM = Integer(500.0, "bytes", "[1, 1e9]", about="what a queue may send in its turn")
ROUND_ROBIN = Service(
    "round-robin",
    enqueue=enqueue,
    dequeue=dequeue,
    evict=evict,
    queues=PER_FLOW,
    parameters={"quantum": QUANTUM},
    # queues in the list; the one whose turn it is, and the last one
    state={"active": 0, "turn": NONE, "last": NONE},
    queue_state={"deficit": 0, "behind": NONE},
)

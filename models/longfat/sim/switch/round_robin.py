"""Deficit round robin: backlogged queues take turns, and may send a quantum of bytes per turn.

The backlogged queues form a list whose first queue has the turn. A queue may send as many bytes as its deficit counter
says; when its first packet is larger, the counter is raised by a quantum and the queue moves to the end of the list.
"""

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import NONE, NOTHING
from longfat.sim.plugin.discipline import PER_FLOW, Discipline, Service
from longfat.sim.plugin.functions import append, queue_numbered, queue_of, take_first, take_last, waiting
from longfat.sim.plugin.parameters import Parameter


@inline
def join_list(link, queue):
    """Append a queue to the list of backlogged queues."""
    queue.behind = NONE
    if link.active == 0:
        link.turn = queue.number
    else:
        queue_numbered(link, link.last).behind = queue.number
    link.last = queue.number
    link.active += 1


@inline
def leave_list(link, queue):
    """Remove a queue from the list of backlogged queues."""
    number, before, one = queue.number, NONE, link.turn
    while one != number:
        before, one = one, queue_numbered(link, one).behind
    if before == NONE:
        link.turn = queue.behind
    else:
        queue_numbered(link, before).behind = queue.behind
    if link.last == number:
        link.last = before
    link.active -= 1


# Shreedhar & Varghese (1996), "Enqueuing module": a queue that was empty joins the end of the list. Its deficit is set
# to one quantum here, while the paper adds the quantum at the start of the queue's first turn.
def enqueue(link, packet, now):
    """Append the packet to its flow's queue; a queue that was empty joins the list of backlogged queues."""
    queue = queue_of(link, packet)
    append(link, queue, packet)
    if queue.packets == 1:
        queue.deficit = int(link.quantum)
        join_list(link, queue)
    return 0


# Shreedhar & Varghese (1996), "Dequeuing module": the first queue of the list sends while its deficit is at least the
# size of its first packet; otherwise its turn ends. A queue that becomes empty loses its deficit.
def dequeue(link, now):
    """Take the first packet of the queue whose turn it is."""
    if link.active == 0:
        return NOTHING
    queue = queue_numbered(link, link.turn)
    while queue.deficit < waiting(link, queue.head).size:
        queue.deficit += int(link.quantum)
        leave_list(link, queue)
        join_list(link, queue)
        queue = queue_numbered(link, link.turn)
    taken = take_first(link, queue)
    queue.deficit -= waiting(link, taken).size
    if queue.packets == 0:
        leave_list(link, queue)
    return taken


# Shreedhar & Varghese (1996), "buffer stealing": a full buffer drops a packet of the queue with the most bytes. Our
# choice: the last packet of that queue (ns-2.35, drr.cc, drops the first one).
def evict(link, packet, now):
    """Take the last packet of the queue with the most bytes, unless the arriving packet belongs to that queue."""
    longest = queue_of(link, packet)
    most = longest.bytes + packet.size
    own, number = longest.number, link.turn
    for _ in range(link.active):
        queue = queue_numbered(link, number)
        if queue.bytes > most:
            longest, most = queue, queue.bytes
        number = queue.behind
    if longest.number == own:
        return NOTHING
    victim = take_last(link, longest)
    if longest.packets == 0:
        leave_list(link, longest)
    return victim


QUANTUM = Parameter(500.0, "bytes", "[1, 1e9]", about="Bytes that a queue may send in one turn", integer=True)
ROUND_ROBIN = Service(
    "round-robin",
    enqueue=enqueue,
    dequeue=dequeue,
    evict=evict,
    queues=PER_FLOW,
    parameters={"quantum": QUANTUM},
    # `active` is the number of queues in the list of backlogged queues; `turn` is the first of these queues, which
    # sends next, and `last` is the last one.
    state={"active": 0, "turn": NONE, "last": NONE},
    queue_state={"deficit": 0, "behind": NONE},
    source='M. Shreedhar and G. Varghese, "Efficient Fair Queuing Using Deficit Round-Robin", IEEE/ACM Transactions on '
    "Networking 4(3), 1996, doi:10.1109/90.502236",
)
round_robin = Discipline("round-robin", ROUND_ROBIN, needs_buffer=True)

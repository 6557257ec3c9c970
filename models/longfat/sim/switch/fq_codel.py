"""FQ-CoDel: flows are hashed into queues, which take turns, newly active queues first; CoDel controls each queue.

A queue that becomes active joins the list of new queues; when its credits are used up it goes to the end of the list of
old queues, which are served when there are no new queues.

The discipline drops at departure, and returns the credits of dropped packets; the service without the
discipline is fair queueing with a quantum. The packet and memory limits of section 5.2.3 are the buffer of the link:
``buffer=10240`` is the default of Linux.

Our choices, where RFC 8290 has no rule or contradicts itself:

- A queue ends its turn when its credits are 0 or less. Section 4.2 says "a negative number", but also "at least a
  quantum"; Linux (sch_fq_codel.c) has 0 or less.
- The hash is the last step of MurmurHash3 (32 bits) of flow, direction and perturbation. Section 4.1 adds the random
  number to the value of the hash, which would not change which flows collide.
- An overload drops half the packets of the queue with the most bytes, rounded up, as Linux does with packets of equal
  size.
"""

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import ACK, NONE, NOTHING
from longfat.sim.plugin.discipline import DROP, Parameter, Service, flag
from longfat.sim.plugin.functions import append, drop_more, queue, queue_numbered, random, take_first, waiting
from longfat.sim.switch.codel import STATE, TIMES, Controlled, control, enqueue, found_empty

NEW, OLD = 0, 1  # lists of active queues
MOST_DROPPED = 64  # packets; RFC 8290, section 4.1
BITS = 0xFFFFFFFF


@inline
def mixed(key):
    """Return the hash of a 32-bit integer: the last step of MurmurHash3."""
    key ^= key >> 16
    key = (key * 0x85EBCA6B) & BITS
    key ^= key >> 13
    key = (key * 0xC2B2AE35) & BITS
    return key ^ (key >> 16)


# RFC 8290, section 4.1: the queue is the hash of the flow, salted by a random value, modulo the number of queues.
@inline
def queue_of_hash(link, packet):
    """Return the queue of a packet; the two directions of a connection are two flows."""
    if link.perturbation == NONE:
        link.perturbation = int(random(link) * (BITS + 1.0))
    key = 2 * int(packet.flow) + (1 if packet.kind == ACK else 0)
    return queue(link, mixed((key + link.perturbation) & BITS) % int(link.queues))


@inline
def join_list(link, which, queue):
    """Append a queue to the list of new or old queues."""
    number = queue.number
    queue.behind = NONE
    if link.first[which] == NONE:
        link.first[which] = number
    else:
        queue_numbered(link, link.last[which]).behind = number
    link.last[which] = number


# RFC 8290, section 4.1: a queue that is in neither list joins the list of new queues, with a quantum of credits.
@inline
def activate(link, queue):
    """Append a queue that is in neither list to the list of new queues."""
    if not queue.active:
        queue.active = True
        queue.credits = int(link.quantum)
        join_list(link, NEW, queue)


# Our choice: empty queues leave the lists here, because the simulator does not call `dequeue` on an empty link, where
# RFC 8290, section 4.2, would remove them one after the other.
@inline
def empty_lists(link):
    """Remove all queues from both lists; no queue of the link may have a packet."""
    for which in range(2):
        while link.first[which] != NONE:
            queue = queue_numbered(link, link.first[which])
            found_empty(queue)
            queue.active = False
            link.first[which] = queue.behind


def join(link, packet, now):
    """Append the packet to the queue that its hash selects, and activate the queue."""
    if link.backlog == 0 and link.transmitting == NONE:
        empty_lists(link)
    queue = queue_of_hash(link, packet)
    activate(link, queue)
    append(link, queue, packet)
    return 0


# RFC 8290, section 4.2: the first new queue has the turn or, if there is none, the first old queue. If its credits are
# used up, it gets a quantum and goes to the end of the old queues. If it is empty, an old queue leaves its list, but a
# new queue goes to the end of the old queues, so that it cannot return as a new queue before these had their turns.
def serve(link, now):
    """Take the first packet of the queue whose turn it is."""
    while True:
        which = NEW if link.first[NEW] != NONE else OLD
        if link.first[which] == NONE:
            return NOTHING
        link.turn = link.first[which]
        queue = queue_numbered(link, link.turn)
        spent = queue.credits <= 0
        if not spent and queue.packets > 0:
            taken = take_first(link, queue)
            queue.credits -= waiting(link, taken).size
            return taken
        link.first[which] = queue.behind
        if spent:
            queue.credits += int(link.quantum)
        else:
            found_empty(queue)
        if spent or which == NEW:
            join_list(link, OLD, queue)
        else:
            queue.active = False


@inline
def find_fattest(link, own, size):
    """Store the queue with the most bytes, the arriving packet included, and the number of packets to drop from it."""
    most = 0
    for k in range(int(link.queues)):
        one = queue(link, k)
        number = one.number
        arriving = 1 if number == own else 0
        if one.bytes + arriving * size > most:
            most = one.bytes + arriving * size
            link.fattest = number
            link.left = min(MOST_DROPPED, (one.packets + arriving + 1) // 2)


# RFC 8290, section 4.1: if the limit is exceeded, half the packets of the queue with the most bytes, but at most 64,
# are dropped from its head. The arriving packet counts in bytes and in packets, because the RFC appends it before it
# tests the limit.
def evict(link, packet, now):
    """Take the first packet of the queue with the most bytes; request another call until enough are dropped."""
    own = queue_of_hash(link, packet)
    activate(link, own)
    if link.left == 0:
        find_fattest(link, own.number, packet.size)
    link.left -= 1
    victim = take_first(link, queue_numbered(link, link.fattest))
    return drop_more(victim) if link.left > 0 else victim


_RFC = (
    'T. Hoeiland-Joergensen, P. McKenney, D. Taht, J. Gettys and E. Dumazet, "The Flow Queue CoDel Packet Scheduler '
    'and Active Queue Management Algorithm", RFC 8290, 2018'
)
_DOI = "doi:10.17487/RFC8290"
FQ_CODEL = Service(
    "fq-codel",
    enqueue=join,
    dequeue=serve,
    evict=evict,
    queues="queues",
    parameters={
        "queues": Parameter(1024.0, "queues", "[1, 65536]", about="Queues into which flows are hashed", integer=True),
        "quantum": Parameter(
            1514.0, "bytes", "[1, 1e9]", about="Bytes that a queue may send in one turn", integer=True
        ),
    },
    # `first` and `last` have the first and the last queue of two lists, new queues and old queues. `turn` is the queue
    # that sent last, `perturbation` the random number in the hash. While an overload drops packets, `fattest` is the
    # queue from which they are dropped, and `left` the number of packets still to be dropped.
    state={
        "first": [NONE, NONE], "last": [NONE, NONE], "turn": NONE, "perturbation": NONE, "fattest": NONE, "left": 0,
    },
    queue_state={"active": False, "credits": 0, "behind": NONE, **STATE},
    settable=("credits", *STATE),
    source=f"{_RFC}, section 4, {_DOI}",
)  # fmt: skip


# RFC 8290, section 4.2: CoDel is invoked on the queue; only a packet that is sent uses credits.
def dequeue(link, packet, now):
    """Drop or send the packet that the service has taken; give a dropped packet's credits back to its queue."""
    queue = queue_numbered(link, link.turn)
    verdict = control(queue, link, packet, now)
    if verdict == DROP:
        queue.credits += packet.size
    return verdict


fq_codel = Controlled(
    "fq-codel",
    FQ_CODEL,
    enqueue=enqueue,
    dequeue=dequeue,
    parameters={**TIMES, "ecn": flag(True, "Mark ECN-capable packets instead of dropping them")},
    state={"largest_packet": 0},
    needs_buffer=True,
    source=f"{_RFC}, sections 4 and 5.2, {_DOI}",
)

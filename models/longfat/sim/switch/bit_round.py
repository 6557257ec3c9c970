"""Bit-round fair queueing: packets depart in the order in which bit-by-bit round robin would finish them.

In the fluid system, in which all backlogged flows share the link at every moment, virtual time R grows at the link's
rate divided by the number of flows that are backlogged in this system. A packet's finish tag is F = max(F of the flow's
previous packet, R) + size. With weights, as in generalised processor sharing (A. K. Parekh and R. G. Gallager, IEEE/ACM
Transactions on Networking 1(3), 1993), flows share the link in proportion to their weights: R grows at the rate divided
by the sum of the weights, and a packet adds size/weight to its flow's tag.

Tags are integers, in units of 1/`FRACTION` bytes. The flows that are backlogged in the fluid system form a list sorted
by their last tags; the computing time of a packet therefore grows with the number of flows before its own.

Our choice: a full buffer drops the last packet of the flow with the most bytes, and removes it from the fluid system,
too; the parameter delta of the paper, which favours flows that send little, is 0.
"""

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import NONE, NOTHING
from longfat.sim.plugin.discipline import PER_FLOW, Discipline, Service
from longfat.sim.plugin.functions import capacity, now_ns, queue_numbered, queue_of, waiting
from longfat.sim.plugin.parameters import Table
from longfat.sim.switch import tags
from longfat.sim.switch.tags import append_tagged, in_table, take_from_longest, take_smallest

FRACTION = 1 << 16  # units of a tag per byte; tags reach 1.4e14 bytes of service
UNIT = 1 << 10  # units of a weight, a power of two so that weights of 1 give the same tags as no weights
OUT = -2  # value of `behind` for a queue that is empty in the fluid system; else it is the next queue


@inline
def share(queue, size):
    """Return the amount by which a packet of `size` bytes raises its flow's tag: size/weight, in units of tags."""
    return int(size) * FRACTION * UNIT // int(queue.weight)


# Demers et al. (1989), section 2: dR/dt is the rate divided by the number of flows backlogged in the fluid system.
# Parekh and Gallager (1993), virtual time of PGPS: the rate is divided by the sum of these flows' weights
# (`link.fluid`).
@inline
def roll(link):
    """Advance virtual time to the present time, in exact integer arithmetic."""
    now = now_ns(link)
    left = FRACTION * UNIT * capacity(link, now - link.rolled)
    link.rolled = now
    while link.first != NONE:
        queue = queue_numbered(link, link.first)
        need = float((queue.tag - link.tag) * link.fluid)
        if need > left:
            link.tag += int(left / link.fluid)
            return
        left -= need
        link.tag = queue.tag
        link.first = queue.behind
        link.fluid -= queue.weight
        queue.behind = OUT


@inline
def take_out(link, queue):
    """Remove a queue from the list of queues backlogged in the fluid system, if the list contains it."""
    if queue.behind == OUT:
        return
    link.fluid -= queue.weight
    number = queue.number
    if link.first == number:
        link.first = queue.behind
    else:
        before = queue_numbered(link, link.first)
        while before.behind != number:
            before = queue_numbered(link, before.behind)
        before.behind = queue.behind
    queue.behind = OUT


@inline
def insert(link, queue):
    """Insert a queue into the list, sorted by last tag, of the queues that are backlogged in the fluid system."""
    before, behind = NONE, link.first
    while behind != NONE and queue_numbered(link, behind).tag <= queue.tag:
        before, behind = behind, queue_numbered(link, behind).behind
    queue.behind = behind
    if before == NONE:
        link.first = queue.number
    else:
        queue_numbered(link, before).behind = queue.number
    link.fluid += queue.weight


# Demers et al. (1989), section 2: F = max(F of the flow's previous packet, R) + size. Parekh and Gallager (1993) divide
# the size by the flow's weight.
def enqueue(link, packet, now):
    """Give the packet its finish tag and append it to its flow's queue."""
    roll(link)
    queue = queue_of(link, packet)
    if queue.weight == 0:
        # Parekh and Gallager (1993): flows have weights phi. A flow without a row in the table of weights has weight 1,
        # as all flows do in Demers et al. (1989).
        queue.weight = round(in_table(link.weights, packet.flow, 1.0) * UNIT)
    begin = link.tag if queue.behind == OUT else queue.tag
    take_out(link, queue)
    queue.tag = begin + share(queue, packet.size)
    insert(link, queue)
    append_tagged(link, queue, packet, queue.tag)
    return 0


# Demers et al. (1989), section 2: without preemption, the packet with the smallest tag departs next.
def dequeue(link, now):
    """Take the packet with the smallest finish tag."""
    return take_smallest(link)


# Our choice: a dropped packet leaves the fluid system, too. Otherwise it would keep its flow backlogged there and raise
# the tags of the flow's later packets.
def evict(link, packet, now):
    """Take the last packet of the queue with the most bytes, and remove it from the fluid system."""
    victim, queue = take_from_longest(link, packet)
    if victim != NOTHING:
        roll(link)
        if queue.behind != OUT:
            take_out(link, queue)
            queue.tag -= share(queue, waiting(link, victim).size)
            if queue.tag > link.tag:
                insert(link, queue)
    return victim


SERVICE = Service(
    "bit-round",
    enqueue=enqueue,
    dequeue=dequeue,
    evict=evict,
    queues=PER_FLOW,
    parameters={
        "weights": Table(
            columns=(("flow", "1", "[0, 1e9]"), ("weight", "1", "[1e-3, 1e6]")),
            about="Weights of flows (0 is the first), in steps of 1/1024; unlisted flows have weight 1",
        )
    },
    # `tag` is the virtual time, and `rolled` is the simulated time of its last update [ns]. Of the queues backlogged in
    # the fluid system, `first` is the one that empties first, and `fluid` is the sum of their weights.
    state={**tags.STATE, "tag": 0, "rolled": 0, "first": NONE, "fluid": 0},
    queue_state={"tag": 0, "behind": OUT, "weight": 0},  # weight 0: not yet known
    workspace=tags.room,
    source='A. Demers, S. Keshav and S. Shenker, "Analysis and Simulation of a Fair Queueing Algorithm", SIGCOMM 1989, '
    "section 2, doi:10.1145/75246.75248",
)
#: The computing time of a packet grows with the number of backlogged flows; with `FAIR` it grows with the logarithm of
#: this number.
BIT_ROUND = Discipline("bit-round", SERVICE, needs_buffer=True)

"""Fair queueing over the flows whose time has come: each queue has a rate, at which its packets may leave at most.

A queue with packets either is active, and then its first packet has a tag and the queue stands in the heap of `fair`,
or rests until that packet may go. Resting queues stand at the far end of the link's list. A packet that has to wait for
those of others loses nothing by it: the next one's time counts from when it might have gone, up to one packet's time.
"""

from longfat.sim.jit import part
from longfat.sim.kernel.events import schedule
from longfat.sim.kernel.fair import down, end_rest, first_tag, has_new_head, leave, put, slot, up
from longfat.sim.kernel.waiting import join, take_head
from longfat.sim.memory import packet_at, queue_at, turn_at
from longfat.sim.records import ELIGIBLE, NONE

LONGEST = 4e18  # ns


@part
def span(queue, size):
    """Time that a packet takes at the queue's rate [ns]."""
    return int(min(size * 1e9 / queue.rate, LONGEST)) if queue.rate > 0.0 else int(LONGEST)


@part
def eligible(queue):
    """When the first packet may go."""
    return queue.counted + span(queue, queue.charge)


@part
def pay(world, queue, size):
    """A packet goes: the time of the next one."""
    queue.counted = max(min(eligible(queue), world.now), world.now - span(queue, size))
    queue.charge = size


@part
def activate(world, link, q):
    """The first packet may go: it gets its tag."""
    queue = queue_at(world, q)
    first = packet_at(world, queue.head)
    first.time = max(queue.tag, link.tag) + first.length
    queue.tag = first.time
    has_new_head(link, queue)
    put(world, link, link.active, q)
    link.active += 1
    up(world, link, link.active - 1)


@part
def wait_for_time(world, queue, q):
    """The clock of a queue that rests; an entry that stands later is ignored when it comes."""
    time = eligible(queue)
    if time < queue.armed:
        queue.armed = time
        schedule(world, ELIGIBLE, q, time)


@part
def rest(world, link, q):
    """The first packet may not go yet."""
    link.resting += 1
    put(world, link, link.capacity - link.resting, q)
    wait_for_time(world, queue_at(world, q), q)


@part
def is_resting(link, queue):
    """Whether packets wait for their time."""
    return queue.head != NONE and queue.place >= link.active


@part
def may_pass(world, q):
    """Whether a packet that arrives may go at once; a time that passed while nothing waited is forgotten."""
    queue = queue_at(world, q)
    if queue.head != NONE:
        return False
    if eligible(queue) < world.now:
        queue.counted = world.now
        queue.charge = 0
    return eligible(queue) <= world.now


@part
def pass_by(world, link, q, size):
    """A packet goes that has not waited."""
    queue = queue_at(world, q)
    link.tag = max(queue.tag, link.tag) + size
    queue.tag = link.tag
    pay(world, queue, size)


@part
def append_rated(world, link, q, i):
    """A packet joins its flow's queue."""
    now = may_pass(world, q)
    if not join(world, q, i):
        return
    if now:
        activate(world, link, q)
    else:
        rest(world, link, q)


@part
def choose_rated(world, link):
    """Take the packet that is served next out of its queue; only if a queue is active."""
    q = turn_at(world, slot(link, 0)).queue
    link.tag = first_tag(world, q)
    queue = queue_at(world, q)
    i = take_head(world, q)
    pay(world, queue, packet_at(world, i).length)
    if queue.head == NONE:
        leave(world, link, q)
    elif eligible(queue) <= world.now:
        first = packet_at(world, queue.head)
        first.time = max(queue.tag, link.tag) + first.length
        queue.tag = first.time
        has_new_head(link, queue)
        down(world, link, 0)
    else:
        leave(world, link, q)
        rest(world, link, q)
    return i


@part
def its_time(world, link, q):
    """The clock of a queue, or another rate: whether its first packet is there to be sent now and was not before."""
    queue = queue_at(world, q)
    if not is_resting(link, queue):
        return False
    if eligible(queue) > world.now:
        wait_for_time(world, queue, q)
        return False
    end_rest(world, link, q)
    activate(world, link, q)
    return True

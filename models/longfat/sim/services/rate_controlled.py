"""Fair queueing over the flows whose time has come: each queue has a rate, at which its packets may leave at most.

Rate-controlled service (Zhang & Ferrari, INFOCOM 1993) in front of self-clocked fair queueing. A queue with packets
either is active, and then its first packet has a tag and the queue stands in the heap, or rests until that packet may
go. A packet that has to wait for those of others loses nothing by it: the next one's time counts from when it might
have gone, up to one packet's time.
"""

import math

from longfat.sim.jit import part
from longfat.sim.kernel.events import schedule
from longfat.sim.kernel.heap import pop, remove, sink
from longfat.sim.memory import word_at
from longfat.sim.records import NONE, NOTHING, PASSES, WAKE
from longfat.sim.seam import append, queue_numbered, queue_of, take_first, take_last, waiting
from longfat.sim.services import tags
from longfat.sim.services.service import PER_FLOW, Service
from longfat.sim.services.tags import activate, first_queue, first_tag, heap, new_key, queue_in, tag_of

LONGEST = 4e18  # ns


def room(limit: float, queues: int) -> int:
    """Return the words of the heap, and of the list of queues that rest."""
    return 3 * queues


@part
def span(queue, size):
    """Return the time that a packet takes at the queue's rate [ns]."""
    return int(min(size * 1e9 / queue.rate, LONGEST)) if queue.rate > 0.0 else int(LONGEST)


@part
def eligible(queue):
    """Return when the first packet may go [ns]."""
    return queue.counted + span(queue, queue.charge)


@part
def pay(link, queue, size):
    """Let a packet go: the time of the next one follows."""
    now = link._state.now
    queue.counted = max(min(eligible(queue), now), now - span(queue, size))
    queue.charge = size


@part
def tag_first(link, queue):
    """Give the first packet of a queue its tag: it may go."""
    number = queue._queue.head
    tag = max(queue.tag, link.tag) + waiting(link, number).size
    tag_of(link, number).tag = tag
    queue.tag = tag


@part
def wait_for_time(link, queue):
    """Ask to be called when the time of a resting queue has come; an entry that stands later is ignored then."""
    time = eligible(queue)
    if time < queue._queue.armed:
        queue._queue.armed = time
        schedule(link._state, WAKE, queue._queue.number, time)


@part
def resting_at(link, k):
    """Return the word with the number of the k-th queue that rests."""
    return word_at(heap(link), 2 * link._link.queue_count + k)


@part
def rest(link, queue):
    """Let a queue rest, whose first packet may not go yet."""
    resting_at(link, link.resting).x = queue._queue.number
    queue.place = link.resting
    link.resting += 1
    wait_for_time(link, queue)


@part
def end_rest(link, queue):
    """Let a queue rest no longer; the one that came last takes its place."""
    link.resting -= 1
    last = queue_numbered(link, resting_at(link, link.resting).x)
    resting_at(link, queue.place).x = last._queue.number
    last.place = queue.place
    queue.place = NONE


@part
def may_pass(link, queue):
    """Return whether a packet that arrives may go at once; a time that passed while nothing waited is forgotten."""
    now = link._state.now
    if queue.packets > 0:
        return False
    if eligible(queue) < now:
        queue.counted = now
        queue.charge = 0
    return eligible(queue) <= now


def enqueue(link, packet, now):
    """Put a packet into its flow's queue, which is active or rests."""
    queue = queue_of(link, packet)
    at_once = may_pass(link, queue)
    append(link, queue, packet)
    if queue.packets > 1:
        return 0
    if at_once:
        tag_first(link, queue)
        activate(link, queue)
    else:
        rest(link, queue)
    return 0


def dequeue(link, now):
    """Serve the smallest tag; the next packet of that queue gets its own, or rests."""
    if link.active == 0:
        return NOTHING
    queue = first_queue(link)
    link.tag = first_tag(link, queue)
    taken = take_first(link, queue)
    pay(link, queue, waiting(link, taken).size)
    if queue.packets > 0 and eligible(queue) <= link._state.now:
        tag_first(link, queue)
        sink(heap(link), link.active, 0, first_tag(link, queue), new_key(link, queue))
        return taken
    pop(heap(link), link.active)
    link.active -= 1
    if queue.packets > 0:
        rest(link, queue)
    return taken


def evict(link, packet, now):
    """Take the last packet of the longest queue, active or not; nobody, if the packet may go at once."""
    longest = queue_of(link, packet)
    if link._link.transmitting == NONE and may_pass(link, longest):
        return PASSES
    most, found = longest.bytes + packet.size, NOTHING
    for k in range(link.active + link.resting):
        queue = queue_in(link, k) if k < link.active else queue_numbered(link, resting_at(link, k - link.active).x)
        if queue.bytes > most:
            longest, most, found = queue, queue.bytes, k
    if found == NOTHING:
        return NOTHING
    victim = take_last(link, longest)
    rests = found >= link.active
    if longest.packets > 0:
        return victim
    if rests:
        end_rest(link, longest)
    else:
        longest.tag -= waiting(link, victim).size  # the others have no tag yet
        remove(heap(link), link.active, found)
        link.active -= 1
    return victim


def wake(link, queue, now):
    """The time of a queue has come, or its rate has changed."""
    if queue.place == NONE:
        return 0
    if eligible(queue) > link._state.now:
        wait_for_time(link, queue)
        return 0
    end_rest(link, queue)
    tag_first(link, queue)
    activate(link, queue)
    return 0


RATED = Service(
    "rated",
    enqueue=enqueue,
    dequeue=dequeue,
    evict=evict,
    wake=wake,
    queues=PER_FLOW,
    state={**tags.STATE, "tag": 0, "resting": 0},
    # last tag; bytes/s; the next packet may go as much time after `counted` [ns] as `charge` bytes take; place in the
    # list of those that rest
    queue_state={"tag": 0, "rate": math.inf, "counted": 0, "charge": 0, "place": NONE},
    settable=("rate",),
    work_conserving=False,
    workspace=room,
)

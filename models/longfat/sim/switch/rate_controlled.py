"""Rate-controlled fair queueing: the queue of each flow is served at most at the rate of the flow.

Each flow has a rate regulator in front of a scheduler, as in H. Zhang and D. Ferrari, "Rate-Controlled Static-Priority
Queueing", INFOCOM 1993. Our choice in place of their static priorities: the scheduler is self-clocked fair queueing
(Golestani, INFOCOM 1994) over the flows whose first packet is eligible.

A backlogged queue is either active (its first packet is eligible and has a finish tag, and the queue is in the heap) or
rests until its first packet becomes eligible. If an eligible packet had to wait for packets of other flows, the next
packet of its queue becomes eligible earlier by this waiting time, but at most by the transmission time of the packet at
the queue's rate.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import NONE, NOTHING, PASSES
from longfat.sim.plugin.discipline import PER_FLOW, Service
from longfat.sim.plugin.functions import (
    append,
    heap_replace,
    memory,
    now_ns,
    queue_numbered,
    queue_of,
    schedule_wake,
    set_memory,
    set_tag,
    take_first,
    take_last,
    waiting,
)
from longfat.sim.switch import tags
from longfat.sim.switch.tags import activate, first_tag, new_key, queue_in, remove_queue

LONGEST = 4e18  # longest transmission time at a queue's rate [ns]


def room(limit: float, queues: int) -> int:
    """Return the size of the heap and of the list of resting queues [words of 8 bytes]."""
    return 3 * queues


@inline
def span(queue, size):
    """Return the transmission time of `size` bytes at the queue's rate [ns]."""
    return int(min(size * 1e9 / queue.rate, LONGEST)) if queue.rate > 0.0 else int(LONGEST)


@inline
def eligible(queue):
    """Return the time at which the first packet of a queue becomes eligible [ns]."""
    return queue.counted + span(queue, queue.charge)


@inline
def pay(link, queue, size):
    """Record the departure of a packet of `size` bytes, which determines when the next packet becomes eligible."""
    now = now_ns(link)
    queue.counted = max(min(eligible(queue), now), now - span(queue, size))
    queue.charge = size


@inline
def tag_first(link, queue):
    """Give the eligible first packet of a queue its finish tag."""
    number = queue.head
    tag = max(queue.tag, link.tag) + waiting(link, number).size
    set_tag(link, number, tag)
    queue.tag = tag


@inline
def resting_at(link, k):
    """Return the number of the k-th resting queue."""
    return memory(link, 2 * link.queue_count + k)


@inline
def set_resting(link, k, queue):
    """Store a queue as the k-th resting queue."""
    set_memory(link, 2 * link.queue_count + k, queue.number)
    queue.place = k


@inline
def rest(link, queue):
    """Add a queue whose first packet is not yet eligible to the list of resting queues."""
    set_resting(link, link.resting, queue)
    link.resting += 1
    schedule_wake(link, queue, eligible(queue))


@inline
def end_rest(link, queue):
    """Remove a queue from the list of resting queues; the last queue of the list takes its position."""
    link.resting -= 1
    set_resting(link, queue.place, queue_numbered(link, resting_at(link, link.resting)))
    queue.place = NONE


@inline
def may_pass(link, queue):
    """Return whether an arriving packet is eligible immediately; a queue that has been idle loses its credit."""
    now = now_ns(link)
    if queue.packets > 0:
        return False
    if eligible(queue) < now:
        queue.counted = now
        queue.charge = 0
    return eligible(queue) <= now


def enqueue(link, packet, now):
    """Append the packet to its flow's queue; a queue that was empty becomes active or begins to rest."""
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
    """Take the packet with the smallest finish tag; its queue stays active if its next packet is eligible."""
    if link.active == 0:
        return NOTHING
    queue = queue_in(link, 0)
    link.tag = first_tag(link, queue)
    taken = take_first(link, queue)
    pay(link, queue, waiting(link, taken).size)
    if queue.packets > 0 and eligible(queue) <= now_ns(link):
        tag_first(link, queue)
        heap_replace(link, link.active, first_tag(link, queue), new_key(link, queue))
        return taken
    remove_queue(link, 0)
    if queue.packets > 0:
        rest(link, queue)
    return taken


def evict(link, packet, now):
    """Take the last packet of the queue with the most bytes, unless the arriving packet departs immediately."""
    longest = queue_of(link, packet)
    if link.transmitting == NONE and may_pass(link, longest):
        return PASSES
    most, found = longest.bytes + packet.size, NOTHING
    for k in range(link.active + link.resting):
        queue = queue_in(link, k) if k < link.active else queue_numbered(link, resting_at(link, k - link.active))
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
        longest.tag -= waiting(link, victim).size  # only an active queue's first packet has a tag
        remove_queue(link, found)
    return victim


def wake(link, queue, now):
    """Activate a resting queue if its first packet has become eligible, by time or by a change of the queue's rate."""
    if queue.place == NONE:
        return 0
    if eligible(queue) > now_ns(link):
        schedule_wake(link, queue, eligible(queue))  # an entry for a later time is ignored when its time comes
        return 0
    end_rest(link, queue)
    tag_first(link, queue)
    activate(link, queue)
    return 0


RATE_CONTROLLED = Service(
    "rate-controlled",
    enqueue=enqueue,
    dequeue=dequeue,
    evict=evict,
    wake=wake,
    queues=PER_FLOW,
    state={**tags.STATE, "tag": 0, "resting": 0},
    # `tag` is the tag of the queue's last packet, `rate` its rate [bytes/s]. The next packet is eligible when `charge`
    # bytes could have been sent at this rate since the time `counted` [ns]. `place` is the queue's position in the list
    # of resting queues.
    queue_state={"tag": 0, "rate": math.inf, "counted": 0, "charge": 0, "place": NONE},
    settable=("rate",),
    work_conserving=False,
    workspace=room,
    source='H. Zhang and D. Ferrari, "Rate-Controlled Static-Priority Queueing", INFOCOM 1993, '
    'doi:10.1109/INFCOM.1993.253355 (the regulators); S. J. Golestani, "A Self-Clocked Fair Queueing Scheme for '
    'Broadband Applications", INFOCOM 1994, doi:10.1109/INFCOM.1994.337677 (the scheduler)',
)

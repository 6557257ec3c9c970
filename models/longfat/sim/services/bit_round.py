"""Bit-round fair queueing: by the tags that packets have in a fluid where all flows share the line at every moment.

Demers, Keshav & Shenker (SIGCOMM 1989): virtual time R grows at the line's rate over the number of flows that are not
empty in that fluid, and a packet's tag is F = max(last F of the flow, R) + size. Tags are bytes times `FRACTION`. The
flows that are not empty stand in a list by their last tags, so that a packet costs a step for each flow before its own
there.
"""

import math

from longfat.sim.jit import part
from longfat.sim.records import NONE, NOTHING
from longfat.sim.seam import append, queue_numbered, queue_of, waiting
from longfat.sim.services import tags
from longfat.sim.services.service import PER_FLOW, Service
from longfat.sim.services.tags import activate, first_queue, tag_packet, take_from_longest, take_smallest

FRACTION = 1 << 16  # of a byte; tags reach 1.4e14 bytes of service
OUT = -2  # `behind` of a queue that is empty in the fluid


@part
def roll(link):
    """Let virtual time go on to now; exact, so in the core's own units."""
    now, row, left = link._state.now, link._link, math.inf
    if row.scale > 0:
        left = FRACTION * float(now - link.rolled) * row.rate / (8e9 * row.scale)
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
        link.fluid -= 1
        queue.behind = OUT


@part
def take_out(link, queue):
    """Take a queue out of the list, if it is there."""
    if queue.behind == OUT:
        return
    link.fluid -= 1
    number = queue._queue.number
    if link.first == number:
        link.first = queue.behind
    else:
        before = queue_numbered(link, link.first)
        while before.behind != number:
            before = queue_numbered(link, before.behind)
        before.behind = queue.behind
    queue.behind = OUT


@part
def put_in(link, queue):
    """Put a queue behind those with smaller last tags, and equal ones."""
    before, behind = NONE, link.first
    while behind != NONE and queue_numbered(link, behind).tag <= queue.tag:
        before, behind = behind, queue_numbered(link, behind).behind
    queue.behind = behind
    if before == NONE:
        link.first = queue._queue.number
    else:
        queue_numbered(link, before).behind = queue._queue.number
    link.fluid += 1


def enqueue(link, packet, now):
    """Demers et al., sec. 2.1: the packet's tag."""
    roll(link)
    queue = queue_of(link, packet)
    begin = link.tag if queue.behind == OUT else queue.tag
    take_out(link, queue)
    queue.tag = begin + packet.size * FRACTION
    put_in(link, queue)
    tag_packet(link, packet, queue.tag)
    append(link, queue, packet)
    if queue.packets == 1:
        activate(link, queue)
    return 0


def dequeue(link, now):
    """Serve the smallest tag."""
    return NOTHING if link.active == 0 else take_smallest(link, first_queue(link))


def evict(link, packet, now):
    """Take the last packet of the longest queue, which leaves the fluid, too."""
    victim, queue = take_from_longest(link, packet)
    if victim != NOTHING:
        roll(link)
        if queue.behind != OUT:
            take_out(link, queue)
            queue.tag -= waiting(link, victim).size * FRACTION
            if queue.tag > link.tag:
                put_in(link, queue)
    return victim


BIT_ROUND = Service(
    "bit-round",
    enqueue=enqueue,
    dequeue=dequeue,
    evict=evict,
    queues=PER_FLOW,
    # virtual time, and when it was that [ns]; in the fluid: the queue that will be empty first, and how many are not
    state={**tags.STATE, "tag": 0, "rolled": 0, "first": NONE, "fluid": 0},
    queue_state={"tag": 0, "behind": OUT},
    workspace=tags.room,
)

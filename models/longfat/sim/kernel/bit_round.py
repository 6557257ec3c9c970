"""Tags of bit-round fair queueing: when packets would be done if all flows shared the line at every moment.

Demers, Keshav & Shenker (1989): virtual time R grows at the line's rate over the number of flows that are not empty in
that fluid, and a packet's tag is F = max(last F of the flow, R) + size. Tags are bytes times `FRACTION`. The flows that
are not empty stand in a list by their last tags, so that a packet costs a step for each flow before its own there.
"""

import math

from longfat.sim.jit import part
from longfat.sim.memory import queue_at
from longfat.sim.records import NONE

FRACTION = 1 << 16  # of a byte; tags reach 1.4e14 bytes of service
OUT = -2  # `next_fluid` of a queue that is empty in the fluid


@part
def roll(world, link):
    """Virtual time now."""
    left = math.inf
    if link.scale > 0:
        left = FRACTION * float(world.now - link.counted) * link.rate / (8e9 * link.scale)
    link.counted = world.now
    while link.first_fluid != NONE:
        queue = queue_at(world, link.first_fluid)
        need = float((queue.tag - link.tag) * link.fluid)
        if need > left:
            link.tag += int(left / link.fluid)
            return
        left -= need
        link.tag = queue.tag
        link.first_fluid = queue.next_fluid
        link.fluid -= 1
        queue.next_fluid = OUT


@part
def take_out(world, link, q):
    """The queue leaves the list, if it is there."""
    queue = queue_at(world, q)
    if queue.next_fluid == OUT:
        return
    link.fluid -= 1
    if link.first_fluid == q:
        link.first_fluid = queue.next_fluid
    else:
        before = link.first_fluid
        while queue_at(world, before).next_fluid != q:
            before = queue_at(world, before).next_fluid
        queue_at(world, before).next_fluid = queue.next_fluid
    queue.next_fluid = OUT


@part
def put_in(world, link, q):
    """The queue goes behind those with smaller last tags, and equal ones."""
    queue = queue_at(world, q)
    before, behind = NONE, link.first_fluid
    while behind != NONE and queue_at(world, behind).tag <= queue.tag:
        before, behind = behind, queue_at(world, behind).next_fluid
    queue.next_fluid = behind
    if before == NONE:
        link.first_fluid = q
    else:
        queue_at(world, before).next_fluid = q
    link.fluid += 1


@part
def finish_tag(world, link, q, size):
    """The tag of a packet that arrives now."""
    roll(world, link)
    queue = queue_at(world, q)
    begin = link.tag if queue.next_fluid == OUT else queue.tag
    take_out(world, link, q)
    queue.tag = begin + size * FRACTION
    put_in(world, link, q)
    return queue.tag


@part
def shorten(world, link, q, size):
    """The last packet of a queue has been dropped: it leaves the fluid, too."""
    roll(world, link)
    queue = queue_at(world, q)
    if queue.next_fluid == OUT:
        return
    take_out(world, link, q)
    queue.tag -= size * FRACTION
    if queue.tag > link.tag:
        put_in(world, link, q)

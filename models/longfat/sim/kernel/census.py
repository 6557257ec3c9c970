"""What is counted when somebody looks: links up to this moment, and every packet in the network."""

from longfat.sim.jit import entry, part
from longfat.sim.kernel.lines import advance
from longfat.sim.memory import (
    census_at,
    line_at,
    link_at,
    packet_at,
    queue_at,
    state_at,
    wait_at,
)
from longfat.sim.records import NONE


@part
def untransmitted(state, link):
    """Return the transmission time [ns] that a link has counted and that lies ahead."""
    if link.jitter == 0 and link.hold == 0:
        return max(0, link.free - state.now)
    # Packets are held back between transmissions: each for itself, to a nanosecond.
    ahead, i = 0, link.head
    while i != NONE:
        packet = packet_at(state, i)
        time = int(packet.length) * 8_000_000_000 * link.scale // link.rate
        ahead += min(max(0, packet.arrival - link.delay - state.now), time)
        i = packet.next
    return ahead


@part
def count_link(state, k):
    """Count what a link has done until now; what was counted ahead of its time is taken back.

    On a link that serves in order of arrival a packet's wait and transmission are counted when it is admitted.
    """
    link, count = link_at(state, k), census_at(state, k)
    count.transmitted = link.busy - untransmitted(state, link)
    count.waited = link.wait
    count.begun = link.wait
    count.served = link.served
    count.served_bytes = link.served_bytes
    count.arrived = link.served + link.dropped
    if link.service != NONE:
        count.waited = link.area + float(link.waiting) * (state.now - link.changed)
        count.arrived += link.waiting
        return
    advance(state, link)
    for k in range(link.waiting):
        wait = wait_at(state, link.ring + ((link.first + k) & link.ring_mask))
        count.waited -= wait.begin - state.now
        count.begun -= wait.begin - wait.since
        count.served -= 1
        count.served_bytes -= wait.length


@part
def count_list(state, i, room):
    """Count the packets of a list by kind; return how many there are, more than `room` if it has no end."""
    found = 0
    while i != NONE and found <= room:
        packet = packet_at(state, i)
        state.in_use[packet.kind] += 1
        i = packet.next
        found += 1
    return found


@entry(".", "..")
def count(address, named, links, queues, lines):
    """Count the first links, and the packets on all links, in all queues and on lines; return how many packets."""
    state = state_at(address)
    for k in range(named):
        count_link(state, k)
    for kind in range(3):
        state.in_use[kind] = 0
    room, found = state.packets_room, 0
    for k in range(links):
        link = link_at(state, k)
        found += count_list(state, link.head, room)
        if link.sending != NONE:
            found += 1
            state.in_use[packet_at(state, link.sending).kind] += 1
    for q in range(queues):
        found += count_list(state, queue_at(state, q).head, room)
    for f in range(lines):
        i = line_at(state, f).packet
        if i != NONE:
            found += 1
            state.in_use[packet_at(state, i).kind] += 1
    return found

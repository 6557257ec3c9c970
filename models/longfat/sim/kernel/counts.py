"""Counters at the present moment: of each link, and of the packets in the network."""

from longfat.sim.kernel.jit import entry, part
from longfat.sim.kernel.memory import (
    access_link_at,
    backlog_entry_at,
    census_at,
    link_at,
    packet_at,
    queue_at,
    receiver_at,
    state_at,
)
from longfat.sim.kernel.records import ACK, NONE
from longfat.sim.kernel.transmitter import update_backlog


@part
def untransmitted(state, link):
    """Return the transmission time [ns] that a link has counted already, but that lies in the future."""
    if link.jitter == 0 and link.hold_until == 0:
        return max(0, link.free - state.now)
    # Packets are held back between transmissions, so each is counted by itself, to a nanosecond.
    left, i = 0, link.head
    while i != NONE:
        packet = packet_at(state, i)
        time = int(packet.length) * 8_000_000_000 * link.scale // link.rate
        left += min(max(0, packet.arrival - link.delay - state.now), time)
        i = packet.next
    return left


@part
def count_link(state, k):
    """Update the counters of a link to the present, excluding packets that were counted in advance.

    A link without service counts the waiting time and the transmission of a packet at admission.
    """
    link, count = link_at(state, k), census_at(state, k)
    count.transmitted = link.busy - untransmitted(state, link)
    count.waiting_time = link.waiting_time
    count.started_waiting_time = link.waiting_time
    count.served = link.served
    count.served_bytes = link.served_bytes
    count.arrived = link.served + link.dropped
    if link.service != NONE:
        count.waiting_time = link.backlog_area + float(link.backlog) * (state.now - link.changed_at)
        count.arrived += link.backlog
        return
    update_backlog(state, link)
    for k in range(link.backlog):
        entry = backlog_entry_at(state, link.circular_base + ((link.circular_head + k) & link.circular_mask))
        count.waiting_time -= entry.start - state.now
        count.started_waiting_time -= entry.start - entry.arrival
        count.served -= 1
        count.served_bytes -= entry.length


@part
def count_list(state, i, room):
    """Count the packets of a list by kind; return their number, more than `room` if the list is a cycle."""
    found = 0
    while i != NONE and found <= room:
        packet = packet_at(state, i)
        state.in_use[packet.kind] += 1
        i = packet.next
        found += 1
    return found


@entry(".")
def count(address, named, links, queues, lines, delaying):
    """Update the counters of the first `named` links, and count the packets in the network; return that count."""
    state = state_at(address)
    for k in range(named):
        count_link(state, k)
    for kind in range(3):
        state.in_use[kind] = 0
    room, found = state.packets_room, 0
    for k in range(links):
        link = link_at(state, k)
        found += count_list(state, link.head, room)
        if link.transmitting != NONE:
            found += 1
            state.in_use[packet_at(state, link.transmitting).kind] += 1
    for q in range(queues):
        found += count_list(state, queue_at(state, q).head, room)
    for f in range(lines):
        i = access_link_at(state, f).packet
        if i != NONE:
            found += 1
            state.in_use[packet_at(state, i).kind] += 1
    for f in range(delaying):
        if receiver_at(state, f).waiting != NONE:
            found += 1
            state.in_use[ACK] += 1
    return found

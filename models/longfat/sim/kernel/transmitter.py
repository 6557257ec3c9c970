"""Transmitter of a link: transmission times, the backlog of links without service, drops, packets on the link."""

from longfat.sim.kernel.events import remove_arrival, replace_arrival, schedule_arrival
from longfat.sim.kernel.injected import record_end
from longfat.sim.kernel.jit import part, routine
from longfat.sim.kernel.memory import (
    backlog_entry_at,
    changing_rate_at,
    packet_at,
    prefetch_packet,
    queued_at,
    rate_change_at,
    tally_at,
)
from longfat.sim.kernel.packets import release_packet
from longfat.sim.kernel.records import ACK, DATA, INJECTED, NO_BACKLOG_ENTRIES, NONE, REQUEST
from longfat.sim.kernel.recovery import release_nodes


@routine
def change_rate(state, link, begin):
    """Set the rate of a transmission that begins at `begin`, where the rate changes by then.

    Transmissions begin in order, also if they are decided in advance. One that has begun ends at the rate at which it
    began (ours: a transmitter changes its rate between packets).
    """
    changing = changing_rate_at(state, link.changing_rate)
    while changing.until <= begin:
        change = rate_change_at(state, changing.next)
        link.rate = change.rate
        link.scale = change.scale
        link.carried_remainder = link.rate >> 1
        changing.next += 1
        changing.until = rate_change_at(state, changing.next).time


@routine
def show_rate(state, link):
    """Bring the rate that plug-ins see to the present, at a link whose rate changes."""
    changing = changing_rate_at(state, link.changing_rate)
    while changing.shown_until <= state.now:
        link.bytes_per_second = rate_change_at(state, changing.shown_next).bytes_per_second
        changing.shown_next += 1
        changing.shown_until = rate_change_at(state, changing.shown_next).time


@part
def transmission_time(state, link, size, fresh, begin):
    """Return the time [ns] of a transmission that begins at `begin`.

    Its remainder is carried over, so that k packets take round(8 k size/rate).
    """
    if size != link.length:
        link.length = size
        if link.changing_rate != NONE:
            change_rate(state, link, begin)
            link.length = NONE  # the next packet comes here, too
        numerator = int(size) * 8_000_000_000 * link.scale
        link.quotient = numerator // link.rate
        link.remainder = numerator - link.quotient * link.rate
    if fresh:
        link.carried_remainder = link.rate >> 1
    time = link.quotient
    remainder = link.carried_remainder + link.remainder
    if remainder >= link.rate:
        remainder -= link.rate
        time += 1
    link.carried_remainder = remainder
    return time


@part
def update_backlog(state, link):
    """Remove the packets whose transmission has begun from the backlog of a link without service."""
    while link.backlog > 0 and link.next_start <= state.now:
        link.backlog_bytes -= backlog_entry_at(
            state, link.circular_base + (link.circular_head & link.circular_mask)
        ).length
        link.backlog -= 1
        link.circular_head += 1
        link.next_start = backlog_entry_at(state, link.circular_base + (link.circular_head & link.circular_mask)).start


@part
def join_backlog(state, link, begin, size):
    """Add a packet to the backlog of a link without service until its transmission begins."""
    now = state.now
    entry = backlog_entry_at(state, link.circular_base + ((link.circular_head + link.backlog) & link.circular_mask))
    entry.start = begin
    entry.arrival = now
    entry.length = size
    if link.backlog == 0:
        link.next_start = begin
    link.backlog += 1
    link.backlog_bytes += size
    link.waiting_time += begin - now
    if link.backlog > link.largest_backlog:
        link.largest_backlog = link.backlog
        if link.backlog > link.circular_mask:
            state.link = link.number
            state.shortage = NO_BACKLOG_ENTRIES
            state.attention = 1


@routine
def drop(state, link, i):
    """Drop a packet at a link, and count it."""
    packet = packet_at(state, i)
    tally = tally_at(state, packet.flow)
    link.dropped += 1
    link.dropped_bytes += packet.length
    if tally.traffic == INJECTED:
        record_end(state, i, 1)
    if packet.kind == DATA:
        tally.dropped += 1
    elif packet.kind == ACK:
        tally.acks_dropped += 1
    else:
        state.feedback_dropped += 1
        tally.feedback_in_flight -= 1
        if packet.marks & REQUEST:
            release_nodes(state, queued_at(state, i).stamps)
    release_packet(state, i)


@part
def append_to_link(state, link, i, packet):
    """Append a packet to those on the link, and schedule its arrival if it is the only one."""
    packet.next = NONE
    if link.tail == NONE:
        link.head = i
        if link.has_arrival_event == 0:
            link.has_arrival_event = 1
            schedule_arrival(state, link.number, packet.arrival)
    else:
        packet_at(state, link.tail).next = i
    link.tail = i


@part
def take_arrived(state, link):
    """Take the packet that has reached the far end off the link; return NONE if it was computed in advance."""
    i = link.head
    if i != NONE and packet_at(state, i).arrival > state.now:
        replace_arrival(state, link.number, packet_at(state, i).arrival)
        return NONE
    following = NONE
    if i != NONE:
        following = packet_at(state, i).next
        link.head = following
    if following == NONE:
        link.tail = NONE
        link.has_arrival_event = 0
        remove_arrival(state)
    else:
        behind = packet_at(state, following)
        prefetch_packet(state, behind.next)
        replace_arrival(state, link.number, behind.arrival)
    return i

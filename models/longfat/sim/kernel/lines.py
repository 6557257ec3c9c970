"""What stands on a link and waits for it: the time of a transmission, the buffer, the way to the far end."""

from longfat.sim.jit import part, routine
from longfat.sim.kernel.events import next_arrival, no_arrival, schedule_arrival
from longfat.sim.kernel.packets import give_back
from longfat.sim.kernel.recovery import return_nodes
from longfat.sim.memory import packet_at, prefetch_packet, queued_at, tally_at, wait_at
from longfat.sim.records import ACK, DATA, NO_WAITS, NONE, REQUEST


@part
def transmission_time(link, size, fresh):
    """Return whole nanoseconds; the rest of the division is carried on, so that k packets take round(8 k size/rate)."""
    if size != link.length:
        numerator = int(size) * 8_000_000_000 * link.scale
        link.length = size
        link.quotient = numerator // link.rate
        link.rest = numerator - link.quotient * link.rate
    if fresh:
        link.remainder = link.rate >> 1
    time = link.quotient
    remainder = link.remainder + link.rest
    if remainder >= link.rate:
        remainder -= link.rate
        time += 1
    link.remainder = remainder
    return time


@part
def advance(state, link):
    """Let packets whose transmission has begun wait no longer: amortised one step a packet; in order of arrival."""
    while link.waiting > 0 and link.begin <= state.now:
        link.waiting_bytes -= wait_at(state, link.ring + (link.first & link.ring_mask)).length
        link.waiting -= 1
        link.first += 1
        link.begin = wait_at(state, link.ring + (link.first & link.ring_mask)).begin


@part
def line_up(state, link, begin, size):
    """Let a packet wait, in order of arrival, until its transmission begins."""
    now = state.now
    wait = wait_at(state, link.ring + ((link.first + link.waiting) & link.ring_mask))
    wait.begin = begin
    wait.since = now
    wait.length = size
    if link.waiting == 0:
        link.begin = begin
    link.waiting += 1
    link.waiting_bytes += size
    link.wait += begin - now
    if link.waiting > link.largest:
        link.largest = link.waiting
        if link.waiting > link.ring_mask:
            state.link = link.number
            state.short = NO_WAITS
            state.attention = 1


@routine
def drop(state, link, i):
    """Drop a packet at a link's switch."""
    packet = packet_at(state, i)
    tally = tally_at(state, packet.flow)
    link.dropped += 1
    link.dropped_bytes += packet.length
    if packet.kind == DATA:
        tally.dropped += 1
    elif packet.kind == ACK:
        tally.acks_dropped += 1
    else:
        state.fed_dropped += 1
        tally.feedback -= 1
        if packet.marks & REQUEST:
            return_nodes(state, queued_at(state, i).stamps)
    give_back(state, i)


@part
def append(state, link, i, packet):
    """Put a packet behind all others on the link."""
    packet.next = NONE
    if link.tail == NONE:
        link.head = i
        if link.scheduled == 0:
            link.scheduled = 1
            schedule_arrival(state, link.number, packet.arrival)
    else:
        packet_at(state, link.tail).next = i
    link.tail = i


@part
def take_arrived(state, link):
    """Take the packet that has reached the far end off the link; NONE if it was worked out ahead meanwhile."""
    i = link.head
    if i != NONE and packet_at(state, i).arrival > state.now:
        next_arrival(state, link.number, packet_at(state, i).arrival)
        return NONE
    following = NONE
    if i != NONE:
        following = packet_at(state, i).next
        link.head = following
    if following == NONE:
        link.tail = NONE
        link.scheduled = 0
        no_arrival(state)
    else:
        behind = packet_at(state, following)
        prefetch_packet(state, behind.next)
        next_arrival(state, link.number, behind.arrival)
    return i

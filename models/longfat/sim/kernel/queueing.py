"""Transmitter and backlog of a link: transmission times, drops, the packets on a link, and calls of its service."""

from longfat.sim.kernel import records
from longfat.sim.kernel.callbacks import (
    DEQUEUE,
    EVICT,
    OF_SERVICES,
    PUT,
    TAKE,
    WAKE_UP,
    dequeue_at,
    hook_at,
    verb_at,
    wake_at,
)
from longfat.sim.kernel.events import remove_arrival, replace_arrival, schedule_arrival, schedule_departure
from longfat.sim.kernel.jit import part, routine
from longfat.sim.kernel.memory import (
    backlog_entry_at,
    changing_rate_at,
    extra_at,
    hop_at,
    is_full,
    link_at,
    link_own,
    packet_at,
    prefetch_packet,
    queue_at,
    queue_own,
    rate_change_at,
    release_packet,
    responder_own,
    service_own,
    tally_at,
    unlink,
)
from longfat.sim.kernel.records import NONE
from longfat.sim.kernel.recovery import release_nodes
from longfat.sim.kernel.trace_rows import record_end

# --- Transmitter -----------------------------------------------------------------------------------------------------


@routine
def change_rate(state, link, begin):
    """Set a link's rate to its value at `begin` [ns], the time at which a transmission begins.

    Transmissions begin in order, even if they are computed in advance. Each keeps the rate at which it began (our
    choice, because a transmitter changes its rate between packets).
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
    """Set the rate that plug-ins see to its present value, on a link whose rate changes."""
    changing = changing_rate_at(state, link.changing_rate)
    while changing.shown_until <= state.now:
        link.bytes_per_second = rate_change_at(state, changing.shown_next).bytes_per_second
        changing.shown_next += 1
        changing.shown_until = rate_change_at(state, changing.shown_next).time


@part
def transmission_time(state, link, size, fresh, begin):
    """Return the transmission time [ns] of a packet of `size` bytes whose transmission begins at `begin` [ns].

    The remainder of the division by the rate is carried over, so that k packets take round(8e9 k size/rate) ns for a
    rate in bit/s. If `fresh`, the link was idle, and the remainder is reset.
    """
    if size != link.length:
        link.length = size
        if link.changing_rate != NONE:
            change_rate(state, link, begin)
            link.length = NONE  # makes the next packet check the rate again
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
    """Remove from the backlog of a link without service the packets whose transmission has begun."""
    while link.backlog > 0 and link.next_start <= state.now:
        link.backlog_bytes -= backlog_entry_at(
            state, link.circular_base + (link.circular_head & link.circular_mask)
        ).length
        link.backlog -= 1
        link.circular_head += 1
        link.next_start = backlog_entry_at(state, link.circular_base + (link.circular_head & link.circular_mask)).start


@part
def join_backlog(state, link, begin, size):
    """Count a packet in the backlog of a link without service until its transmission begins, at `begin` [ns]."""
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
            state.shortage = records.NO_BACKLOG_ENTRIES
            state.attention = 1


@routine
def drop(state, link, i):
    """Drop packet i at a link: update the counters, and release the packet's row."""
    packet = packet_at(state, i)
    tally = tally_at(state, packet.flow)
    link.dropped += 1
    link.dropped_bytes += packet.length
    if tally.traffic == records.INJECTED:
        record_end(state, i, 1)
    if packet.kind == records.DATA:
        tally.dropped += 1
    elif packet.kind == records.ACK:
        tally.acks_dropped += 1
    else:
        state.feedback_dropped += 1
        tally.feedback_in_flight -= 1
        if packet.flag_bits & records.REQUEST:
            release_nodes(state, extra_at(state, i).stamps)
    release_packet(state, i)


@part
def append_to_link(state, link, i, packet):
    """Append a packet to the list of packets on a link; schedule its arrival if the link has no scheduled arrival."""
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
    """Remove and return the packet that has arrived at a link's far end, or NONE if it was handled in advance."""
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


# --- Links with a service --------------------------------------------------------------------------------------------
#
# Links with a service, which chooses the next packet whenever the transmitter is free: see `longfat.sim.services`.
#
# There the end of a transmission is an event, as is the arrival at the far end. The core contains no service: it calls
# the four functions of a service by their addresses, and counts the backlog.


@part
def call(state, link, function, i):
    """Call a function of a link's discipline or service for packet i, and return its result."""
    k = link.number
    state.link = k
    if link.changing_rate != NONE:
        show_rate(state, link)
    return int(
        function(
            state,
            link,
            link_own(state, k),
            service_own(state, k),
            packet_at(state, i),
            extra_at(state, i),
            state.now * 1e-9,
        )
    )


@part
def call_discipline(state, link, hook, i):
    """Call a callback of a link's discipline for packet i, and return its result."""
    state.hook = hook
    return call(state, link, hook_at(state, link.discipline, hook), i)


@part
def call_service(state, link, verb, i):
    """Call a callback of a link's service for packet i, and return its result."""
    state.hook = OF_SERVICES + verb
    return call(state, link, verb_at(state, link.service, verb), i)


@routine
def call_responder(state, link, hook, i, time):
    """Call a callback of the run's responder, if there is one, for packet i at `time` [ns].

    The responder is a plug-in that answers requests, in addition to the disciplines of the links. It is called for
    requests, and for every packet on links with `shows_all`. Its `enqueue` is called before a request is admitted,
    `dequeue` with the time at which the transmission begins, and `feedback`, for the last link, when the request has
    reached the receiver.
    """
    if state.responder == NONE:
        return
    k = link.number
    hook_at(state, state.responder, hook)(
        state,
        link,
        responder_own(state, k),
        service_own(state, k),
        packet_at(state, i),
        extra_at(state, i),
        time * 1e-9,
    )


@part
def collect_feedback(state, link, i):
    """Store the feedback of a discipline that has set `send_feedback`; the event loop then sends it.

    Only data packets cause feedback, because acknowledgments do not lead to a sender that could receive it.
    """
    if link.send_feedback:
        link.send_feedback = 0
        hop = hop_at(state, packet_at(state, i).hop).feedback
        if hop != NONE:
            state.attention = 1
            state.feedback_link = link.number
            state.feedback_flow = packet_at(state, i).flow
            state.feedback_hop = hop


@part
def change_backlog(state, link, packets, size):
    """Add `packets` packets of `size` bytes to a link's backlog, and update the backlog's integral over time."""
    now = state.now
    link.backlog_area += float(link.backlog) * (now - link.changed_at)
    link.changed_at = now
    link.backlog += packets
    link.backlog_bytes += packets * size


@part
def admit_queued(state, link, queue, i):
    """Admit packet i to a link with a service; if the buffer is full, `evict` chooses the packet to drop."""
    size = packet_at(state, i).length
    extra_at(state, i).queued_at = state.now
    extra_at(state, i).queue = queue if queue != NONE else link.first_queue
    idle, more = link.transmitting == NONE, False
    while more or (not (idle and link.work_conserving and link.backlog == 0) and is_full(link, size)):
        victim = call_service(state, link, EVICT, i)
        if victim == records.PASSES:
            break
        if victim == records.NOTHING:
            drop(state, link, i)
            return
        more = victim < records.PASSES  # see `longfat.sim.drop_more`
        if more:
            victim = records.PASSES - 1 - victim
        leave_backlog(state, link, victim)
        drop(state, link, victim)
    call_service(state, link, PUT, i)
    if queue_at(state, extra_at(state, i).queue).tail != i:
        raise ValueError("enqueue of the service did not queue the packet: must call append(link, queue, packet)")
    change_backlog(state, link, 1, size)
    if idle:
        send_next(state, link)
    if link.backlog > link.largest_backlog:
        link.largest_backlog = link.backlog


@part
def leave_backlog(state, link, i):
    """Remove packet i from a link's backlog after the service has removed the packet from its queue."""
    if not 0 <= i < state.packets_room:
        raise ValueError("the service returned an invalid packet number: must be that of a packet waiting at this link")
    q = extra_at(state, i).queue
    if q == NONE or queue_at(state, q).link != link.number:
        raise ValueError("the service returned a packet that is not waiting at this link: must be a waiting packet")
    extra_at(state, i).queue = NONE
    change_backlog(state, link, -1, packet_at(state, i).length)


@routine
def push_out(state, link, victim):
    """Drop the waiting packet that a discipline pushes out; the link must have a service with `may_push_out`."""
    allowed = link.service != NONE and link.may_push_out and 0 <= victim < state.packets_room
    if not allowed or extra_at(state, victim).queue != link.first_queue:
        raise ValueError(
            "enqueue pushed out a packet that is not waiting: "
            "must be a packet that waits at a link with service='departures'"
        )
    unlink(state, link.first_queue, victim)
    leave_backlog(state, link, victim)
    drop(state, link, victim)


@part
def transmit(state, link, i):
    """Begin the transmission of packet i, and schedule its end; return False if the discipline drops the packet."""
    packet = packet_at(state, i)
    if link.discipline != NONE:
        verdict = call_discipline(state, link, DEQUEUE, i)
        collect_feedback(state, link, i)
        if verdict == records.DROP:
            drop(state, link, i)
            return False
        if verdict != records.SEND:
            raise ValueError("dequeue returned neither SEND nor DROP: must return one of them")
    fresh = link.free < state.now
    if fresh:
        link.free = state.now
    if link.shows_all or packet.flag_bits & records.REQUEST:
        call_responder(state, link, DEQUEUE, i, state.now)
    time = transmission_time(state, link, packet.length, fresh, state.now)
    link.free += time
    link.busy += time
    link.served += 1
    link.served_bytes += packet.length
    link.transmitting = i
    schedule_departure(state, link.number, link.free)
    return True


@part
def send_next(state, link):
    """Let the service choose a packet, and begin its transmission; the transmitter must be idle."""
    k = link.number
    if link.changing_rate != NONE:
        show_rate(state, link)
    while link.backlog > 0:
        state.link = k
        state.hook = OF_SERVICES + TAKE
        take = dequeue_at(state, link.service, TAKE)
        i = int(take(state, link, link_own(state, k), service_own(state, k), state.now * 1e-9))
        if i == records.NOTHING:
            return
        leave_backlog(state, link, i)
        waited = state.now - extra_at(state, i).queued_at
        if transmit(state, link, i):
            link.waiting_time += waited
            return


@routine
def wake_queue(state, q):
    """Call a service's `wake` for queue q, at the time that the service set or when the queue's rate has changed."""
    queue = queue_at(state, q)
    link, k = link_at(state, queue.link), queue.link
    state.link = k
    state.hook = OF_SERVICES + WAKE_UP
    if link.changing_rate != NONE:
        show_rate(state, link)
    wake = wake_at(state, link.service, WAKE_UP)
    wake(state, link, link_own(state, k), service_own(state, k), queue, queue_own(state, q), state.now * 1e-9)
    if link.transmitting == NONE:
        send_next(state, link)

"""Links: transmission, drops, queues of services, admission, propagation to the far end, and the counters of links.

On a link that sends in order of arrival, everything is known when a packet is admitted: its transmission begins when
the packets before it have been sent. So only the arrival at the far end is an event, and only the first packet on the
link needs an entry in the heap. A link with a service, or with a discipline that is called at dequeue, needs a second
event, the end of the transmission; the arrival at its far end may be computed in advance, too.
"""

from longfat.sim.kernel import callbacks, events, records
from longfat.sim.kernel.jit import entry, inline, routine
from longfat.sim.kernel.memory import is_full, new_packet, prefetch, release_packet, state_at, uniform, unlink
from longfat.sim.kernel.receiver import receive, take_delayed
from longfat.sim.kernel.records import NEVER, NONE
from longfat.sim.kernel.recovery import release_nodes
from longfat.sim.kernel.trace_rows import record_end

# --- Transmitter -----------------------------------------------------------------------------------------------------


@routine
def change_rate(state, link, begin):
    """Set a link's rate to its value at `begin` [ns], the time at which a transmission begins.

    Transmissions begin in order, even if they are computed in advance. Each keeps the rate at which it began (our
    choice, because a transmitter changes its rate between packets).
    """
    while link.rate_until <= begin:
        change = state.rate_changes[link.next_rate]
        link.rate = change.rate
        link.scale = change.scale
        link.carried_remainder = link.rate >> 1
        link.next_rate += 1
        link.rate_until = state.rate_changes[link.next_rate].time


@inline
def transmission_time(state, link, size, fresh, begin):
    """Return the transmission time [ns] of a packet of `size` bytes whose transmission begins at `begin` [ns].

    The remainder of the division by the rate is carried over, so that k packets take round(8e9 k size/rate) ns for a
    rate in bit/s. If `fresh`, the link was idle, and the remainder is reset.
    """
    if size != link.length:
        link.length = size
        if link.rate_until != NEVER:
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


@inline
def update_backlog(state, link):
    """Remove from the backlog of a link without service the packets whose transmission has begun."""
    while link.backlog > 0 and link.next_start <= state.now:
        link.backlog_bytes -= state.backlog_entries[
            link.circular_base + (link.circular_head & link.circular_mask)
        ].length
        link.backlog -= 1
        link.circular_head += 1
        link.next_start = state.backlog_entries[link.circular_base + (link.circular_head & link.circular_mask)].start


@inline
def join_backlog(state, link, begin, size):
    """Count a packet in the backlog of a link without service until its transmission begins, at `begin` [ns]."""
    now = state.now
    entry = state.backlog_entries[link.circular_base + ((link.circular_head + link.backlog) & link.circular_mask)]
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
    packet = state.packets[i]
    tally = state.tallies[packet.flow]
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
            release_nodes(state, state.extras[i].stamps)
    release_packet(state, i)


@inline
def append_to_link(state, link, i, packet):
    """Append a packet to the list of packets on a link; schedule its arrival if the link has no scheduled arrival."""
    packet.next = NONE
    if link.tail == NONE:
        link.head = i
        if link.has_arrival_event == 0:
            link.has_arrival_event = 1
            events.schedule_arrival(state, link.number, packet.arrival)
    else:
        state.packets[link.tail].next = i
    link.tail = i


@inline
def take_arrived(state, link):
    """Remove and return the packet that has arrived at a link's far end, or NONE if it was handled in advance."""
    i = link.head
    if i != NONE and state.packets[i].arrival > state.now:
        events.replace_arrival(state, link.number, state.packets[i].arrival)
        return NONE
    following = NONE
    if i != NONE:
        following = state.packets[i].next
        link.head = following
    if following == NONE:
        link.tail = NONE
        link.has_arrival_event = 0
        events.remove_arrival(state)
    else:
        behind = state.packets[following]
        prefetch(state.packets[behind.next], 0)
        events.replace_arrival(state, link.number, behind.arrival)
    return i


# --- Links with a service --------------------------------------------------------------------------------------------
#
# A service chooses the next packet whenever the transmitter is free: see `longfat.sim.services`. On a link with a
# service, the end of a transmission is an event, as is the arrival at the far end.
#
# Services are plug-ins. The kernel calls their four functions by address, and counts the backlog itself.


@inline
def collect_feedback(state, link, i):
    """Request that the event loop sends the feedback of a link whose discipline has set `send_feedback`.

    Only data packets cause feedback, because acknowledgments do not lead to a sender that could receive it.
    """
    if link.send_feedback:
        link.send_feedback = 0
        hop = state.hops[state.packets[i].hop].feedback
        if hop != NONE:
            state.attention = 1
            state.feedback_link = link.number
            state.feedback_flow = state.packets[i].flow
            state.feedback_hop = hop


@inline
def change_backlog(state, link, packets, size):
    """Add `packets` packets of `size` bytes to a link's backlog, and update the backlog's integral over time."""
    now = state.now
    link.backlog_area += float(link.backlog) * (now - link.changed_at)
    link.changed_at = now
    link.backlog += packets
    link.backlog_bytes += packets * size


@inline
def admit_queued(state, link, queue, i):
    """Admit packet i to a link with a service; if the buffer is full, `evict` chooses the packet to drop."""
    size = state.packets[i].length
    state.extras[i].queued_at = state.now
    state.extras[i].queue = queue if queue != NONE else link.first_queue
    idle, more = link.transmitting == NONE, False
    while more or (not (idle and link.work_conserving and link.backlog == 0) and is_full(link, size)):
        victim = callbacks.call_link(state, link, callbacks.EVICT, i)
        if victim == records.PASSES:
            break
        if victim == records.NOTHING:
            state.extras[i].queue = NONE  # the packet does not wait, so no later call may return its row
            drop(state, link, i)
            return
        more = victim < records.PASSES  # see `longfat.sim.drop_more`
        if more:
            victim = records.PASSES - 1 - victim
        leave_backlog(state, link, victim)
        drop(state, link, victim)
    callbacks.call_link(state, link, callbacks.PUT, i)
    if state.queues[state.extras[i].queue].tail != i:
        raise ValueError("enqueue of the service did not queue the packet: must call append(link, queue, packet)")
    change_backlog(state, link, 1, size)
    if idle:
        send_next(state, link)
    if link.backlog > link.largest_backlog:
        link.largest_backlog = link.backlog


@inline
def leave_backlog(state, link, i):
    """Remove packet i from a link's backlog after the service has removed the packet from its queue."""
    if not 0 <= i < state.packets_room:
        raise ValueError("the service returned an invalid packet number: must be that of a packet waiting at this link")
    q = state.extras[i].queue
    if q == NONE or state.queues[q].link != link.number:
        raise ValueError("the service returned a packet that is not waiting at this link: must be a waiting packet")
    state.extras[i].queue = NONE
    change_backlog(state, link, -1, state.packets[i].length)


@routine
def push_out(state, link, victim):
    """Drop the waiting packet that a discipline pushes out; the link must have a service with `may_push_out`."""
    allowed = link.service != NONE and link.may_push_out and 0 <= victim < state.packets_room
    if not allowed or state.extras[victim].queue != link.first_queue:
        raise ValueError(
            "enqueue pushed out a packet that is not waiting: "
            "must be a packet that waits at a link with service='departures'"
        )
    unlink(state, link.first_queue, victim)
    leave_backlog(state, link, victim)
    drop(state, link, victim)


@inline
def transmit(state, link, i):
    """Begin the transmission of packet i, and schedule its end; return False if the discipline drops the packet."""
    packet = state.packets[i]
    if link.discipline != NONE:
        verdict = callbacks.call_link(state, link, callbacks.DEQUEUE, i)
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
        callbacks.call_responder(state, link, callbacks.DEQUEUE, i, state.now)
    time = transmission_time(state, link, packet.length, fresh, state.now)
    link.free += time
    link.busy += time
    link.served += 1
    link.served_bytes += packet.length
    link.transmitting = i
    events.schedule_departure(state, link.number, link.free)
    return True


@inline
def send_next(state, link):
    """Let the service choose a packet, and begin its transmission; the transmitter must be idle."""
    while link.backlog > 0:
        i = callbacks.call_take(state, link)
        if i == records.NOTHING:
            return
        leave_backlog(state, link, i)
        waited = state.now - state.extras[i].queued_at
        if transmit(state, link, i):
            link.waiting_time += waited
            return


@routine
def wake_queue(state, q):
    """Call a service's `wake` for queue q, because its time has come or because feedback may have changed the queue."""
    link = state.links[state.queues[q].link]
    callbacks.call_wake(state, link, q)
    if link.transmitting == NONE:
        send_next(state, link)


# --- Admission and propagation ---------------------------------------------------------------------------------------


@routine
def admit(state, i):
    """Admit packet i to the link of its hop, or drop it.

    This function is not inlined, which keeps the compiled code small.
    """
    admit_inline(state, i)


@inline
def admit_inline(state, i):
    """Admit packet i to the link of its hop, or drop it.

    The packet's next steps are computed in advance, up to the `horizon`, if no other packet can interfere:
    docs/engine.md, "Computing in advance".
    """
    now = state.now
    while i != NONE:
        packet = state.packets[i]
        hop = state.hops[packet.hop]
        link = state.links[hop.link]
        if link.special or packet.flag_bits & records.REQUEST:
            admit_special(state, link, hop.queue, i)
            break
        update_backlog(state, link)
        if not transmit_in_order(state, link, i, packet, False):
            break
        i = travel(state, link, i, packet, hop)
    state.now = now


@inline
def travel(state, link, i, packet, hop):
    """Put a packet with a known arrival time on its link, and compute its arrival in advance if possible.

    Return the packet if it then enters the next link, otherwise NONE.
    """
    if hop.in_advance != records.AT_ARRIVAL:
        if link.deferred == 0 and is_known(state, link, packet.arrival):
            return arrive_in_advance(state, link, i, packet, hop)
        link.deferred += 1
    append_to_link(state, link, i, packet)
    return NONE


@inline
def is_known(state, link, time):
    """Return whether the next arrival at a link's far end, at `time` [ns], may be computed in advance.

    Delayed acknowledgments that are due at the far end before that time are sent first, also in advance.
    """
    if time > state.horizon:
        return False
    f = link.first_delayed
    return f == NONE or is_known_after(state, f, link, time)


@inline
def is_known_after(state, f, link, time):
    """Send the delayed acknowledgments due before `time` [ns], the first from flow f; return whether all are sent."""
    return state.delayed_acks[f].due_ns >= time or send_delayed(state, link, time)


@routine
def send_delayed(state, link, time):
    """Send in advance the delayed acknowledgments that are due at a link's far end before `time` [ns].

    The clock is set to the due time of each. Return False if an array is nearly full; the remaining acknowledgments are
    then sent by their own events.
    """
    # This function is needed because receptions with delayed acknowledgments are computed in advance. Without that, a
    # run of CUBIC takes 1.0 (one flow), 1.1 (ten) and 1.2 (a hundred) times as long in a dumbbell, and 1.2 times (ten)
    # in a star (measured).
    while state.shortage == records.DONE:
        f = link.first_delayed
        if f == NONE or state.delayed_acks[f].due_ns >= time:
            return True
        state.now = state.delayed_acks[f].due_ns
        i = take_delayed(state, f)
        packet = state.packets[i]
        if state.hops[packet.hop - 1].in_advance == records.ENTER_IN_ADVANCE:
            admit_special(state, state.links[state.hops[packet.hop].link], NONE, i)
        else:
            packet.arrival = state.now
            append_to_link(state, link, i, packet)
    return False


@inline
def arrive_in_advance(state, link, i, packet, hop):
    """Compute a packet's arrival in advance; return the packet if it then enters the next link, otherwise NONE."""
    state.now = packet.arrival
    if hop.far_end == records.TO_RECEIVER:
        if not receive(state, i):
            return NONE
    else:
        packet.hop += 1
    if hop.in_advance == records.ENTER_IN_ADVANCE:
        return i
    append_to_link(state, link, i, packet)  # `loop.arrive` lets it enter the next link
    return NONE


@routine
def end_of_transmission(state, k):
    """End a transmission on link k, which has a service: start the propagation and the next transmission."""
    link, now = state.links[k], state.now
    i = link.transmitting
    link.transmitting = NONE
    packet = state.packets[i]
    packet.arrival = now + link.delay
    entering = travel(state, link, i, packet, state.hops[packet.hop])
    if entering != NONE:
        admit_inline(state, entering)
    state.now = now
    send_next(state, link)


@routine
def process_deferred(state, k):
    """Compute the deferred arrivals on link k in advance, in order, as far as they lie before the horizon.

    The first packet beyond the horizon and all packets behind it stay deferred until they arrive; if an array is nearly
    full, so do the remaining packets. All packets stay deferred if a delayed acknowledgment is due before the first of
    them arrives, because the next event of the link is at that arrival.
    """
    link = state.links[k]
    f, now, i = link.first_delayed, state.now, link.head
    blocked = link.deferred == 0 or (f != NONE and state.delayed_acks[f].due_ns < state.packets[i].arrival)
    link.head = NONE
    link.tail = NONE
    while i != NONE:
        packet = state.packets[i]
        following = packet.next
        hop = state.hops[packet.hop]
        late = hop.link == k and hop.in_advance != records.AT_ARRIVAL
        if late and not blocked and (state.shortage != records.DONE or not is_known(state, link, packet.arrival)):
            blocked = True  # the packets behind it stay deferred, too
        if blocked or not late:
            append_to_link(state, link, i, packet)
        else:
            link.deferred -= 1
            entering = arrive_in_advance(state, link, i, packet, hop)
            if entering != NONE:
                admit(state, entering)
        i = following
    state.now = now


@inline
def transmit_in_order(state, link, i, packet, special):
    """Admit a packet to a link without service and compute its arrival; return False if the packet is dropped."""
    now = state.now
    size = int(packet.length)
    begin = link.free
    fresh = begin < now
    if fresh:
        begin = now
    elif begin > now and is_full(link, size):
        drop(state, link, i)
        return False
    if special and (link.shows_all or packet.flag_bits & records.REQUEST):
        callbacks.call_responder(state, link, callbacks.DEQUEUE, i, begin)
    first_bit = begin
    if special:
        if link.hold_until > begin:  # the packet counts as in transmission until then, as with jitter below
            first_bit = max(begin, min(link.hold_until, records.HORIZON))
        if link.jitter > 0:  # random delay before transmission; the packets behind this one wait, too
            first_bit = max(first_bit, now + int(uniform(state) * link.jitter))
    time = transmission_time(state, link, size, fresh, first_bit)
    free = first_bit + time
    if free > records.HORIZON:  # ends the run before a sum of times exceeds 63 bits
        state.link = link.number
        state.shortage = records.TOO_LATE
        state.attention = 1
    link.free = free
    link.busy += time
    link.served += 1
    link.served_bytes += size
    if begin > now:
        join_backlog(state, link, begin, size)
    packet.arrival = free + link.delay
    return True


@routine
def admit_special(state, link, queue, i):
    """Admit or drop a packet at a link with random loss, a discipline or a service, or a request at any link."""
    packet = state.packets[i]
    if link.service == NONE:
        update_backlog(state, link)
    if link.loss > 0.0 and uniform(state) < link.loss:
        drop(state, link, i)
        return
    if link.discipline != NONE:
        verdict = callbacks.call_link(state, link, callbacks.ENQUEUE, i)
        collect_feedback(state, link, i)
        if verdict == records.DROP:
            drop(state, link, i)
            return
        if verdict < records.DROP:
            raise ValueError("enqueue returned less than DROP: must be ENQUEUE, DROP or push_out(number of a packet)")
        if verdict > 0:
            push_out(state, link, verdict - 1)
    if packet.flag_bits & records.REQUEST:
        callbacks.call_responder(state, link, callbacks.ENQUEUE, i, state.now)
    if link.service != NONE:
        admit_queued(state, link, queue, i)
    elif transmit_in_order(state, link, i, packet, True):
        if state.hops[packet.hop].in_advance != records.AT_ARRIVAL:
            link.deferred += 1
        append_to_link(state, link, i, packet)


@routine
def send_feedback(state):
    """Send feedback from a switch to the sender of a flow, along the path of the flow's acknowledgments."""
    link, f = state.links[state.feedback_link], int(state.feedback_flow)
    i = new_packet(state, f, records.FEEDBACK, state.receivers[f].ack_size, state.feedback_hop)
    state.packets[i].number = link.number
    for k in range(4):
        state.extras[i].header[k] = link.feedback[k]
    state.feedback_flow = NONE
    state.feedback_sent += 1
    state.tallies[f].feedback_in_flight += 1
    events.request_admission(state, i)


@routine
def deliver_to_switch(state, i):
    """Deliver feedback to a switch, whose discipline may change the rate of the queue of the flow."""
    packet = state.packets[i]
    packet.hop = state.hops[packet.hop].switch_hop
    hop = state.hops[packet.hop]
    link = state.links[hop.link]
    callbacks.call_link(state, link, callbacks.ON_FEEDBACK, i)
    link.send_feedback = 0
    state.feedback_received += 1
    state.tallies[packet.flow].feedback_in_flight -= 1
    q = hop.queue
    release_packet(state, i)
    if q != NONE:
        wake_queue(state, q)


# --- Counters at the present time ------------------------------------------------------------------------------------


@inline
def untransmitted(state, link):
    """Return the part [ns] of a link's counted transmission time that lies in the future."""
    if link.jitter == 0 and link.hold_until == 0:
        return max(0, link.free - state.now)
    # With jitter or `hold_until` the transmitter pauses between packets. The remaining time of each packet is therefore
    # computed separately, to 1 ns.
    left, i = 0, link.head
    while i != NONE:
        packet = state.packets[i]
        time = int(packet.length) * 8_000_000_000 * link.scale // link.rate
        left += min(max(0, packet.arrival - link.delay - state.now), time)
        i = packet.next
    return left


@inline
def count_link(state, k):
    """Compute the counters of link k up to the present time.

    A link without service counts the waiting time and transmission time of a packet when it admits the packet; the
    parts that lie in the future are subtracted here.
    """
    link, count = state.links[k], state.census[k]
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
        entry = state.backlog_entries[link.circular_base + ((link.circular_head + k) & link.circular_mask)]
        count.waiting_time -= entry.start - state.now
        count.started_waiting_time -= entry.start - entry.arrival
        count.served -= 1
        count.served_bytes -= entry.length


@inline
def count_list(state, i, room):
    """Count the packets of a linked list by kind; return their number, which exceeds `room` if the list is a cycle."""
    found = 0
    while i != NONE and found <= room:
        packet = state.packets[i]
        state.in_use[packet.kind] += 1
        i = packet.next
        found += 1
    return found


@entry
def count(address, named, links, queues, lines, delaying):
    """Update the counters of the first `named` links; return the number of packets in the network.

    The number is the sum of the packets on the first `links` links, in the first `queues` queues and on the first
    `lines` access links, and of the delayed acknowledgments at the first `delaying` receivers.
    """
    state = state_at(address)
    for k in range(named):
        count_link(state, k)
    for kind in range(3):
        state.in_use[kind] = 0
    room, found = state.packets_room, 0
    for k in range(links):
        link = state.links[k]
        found += count_list(state, link.head, room)
        if link.transmitting != NONE:
            found += 1
            state.in_use[state.packets[link.transmitting].kind] += 1
    for q in range(queues):
        found += count_list(state, state.queues[q].head, room)
    for f in range(lines):
        i = state.access_links[f].packet
        if i != NONE:
            found += 1
            state.in_use[state.packets[i].kind] += 1
    for f in range(delaying):
        if state.receivers[f].waiting != NONE:
            found += 1
            state.in_use[records.ACK] += 1
    return found

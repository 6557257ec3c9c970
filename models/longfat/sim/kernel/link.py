"""Links: admission of packets, their propagation to the far end, and the counters of links at the present time.

On a link that sends in order of arrival, everything is known when a packet is admitted: its transmission begins when
the packets before it have been sent. So only the arrival at the far end is an event, and only the first packet on the
link needs an entry in the heap. A link with a service (`kernel.queueing`), or with a discipline that is called at
dequeue, needs a second event, the end of the transmission; the arrival at its far end may be computed in advance, too.
"""

from longfat.sim.kernel import records
from longfat.sim.kernel.callbacks import DEQUEUE as ON_DEQUEUE
from longfat.sim.kernel.callbacks import ENQUEUE as ON_ENQUEUE
from longfat.sim.kernel.callbacks import ON_FEEDBACK
from longfat.sim.kernel.events import request_admission
from longfat.sim.kernel.jit import entry, part, routine
from longfat.sim.kernel.memory import (
    access_link_at,
    backlog_entry_at,
    census_at,
    delayed_ack_at,
    extra_at,
    hop_at,
    is_full,
    link_at,
    new_packet,
    packet_at,
    queue_at,
    receiver_at,
    release_packet,
    state_at,
    tally_at,
    uniform,
)
from longfat.sim.kernel.queueing import (
    admit_queued,
    append_to_link,
    call_discipline,
    call_responder,
    collect_feedback,
    drop,
    join_backlog,
    push_out,
    send_next,
    transmission_time,
    update_backlog,
    wake_queue,
)
from longfat.sim.kernel.receiver import receive, take_delayed
from longfat.sim.kernel.records import NONE


@routine
def admit(state, i):
    """Admit packet i to the link of its hop, or drop it.

    This function is not inlined, which keeps the compiled code small.
    """
    admit_inline(state, i)


@part
def admit_inline(state, i):
    """Admit packet i to the link of its hop, or drop it.

    The packet's next steps are computed in advance, up to the `horizon`, if no other packet can interfere:
    docs/engine.md, "Computing in advance".
    """
    now = state.now
    while i != NONE:
        packet = packet_at(state, i)
        hop = hop_at(state, packet.hop)
        link = link_at(state, hop.link)
        if link.special or packet.flag_bits & records.REQUEST:
            admit_special(state, link, hop.queue, i)
            break
        update_backlog(state, link)
        if not transmit_in_order(state, link, i, packet, False):
            break
        i = travel(state, link, i, packet, hop)
    state.now = now


@part
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


@part
def is_known(state, link, time):
    """Return whether the state at a link's far end is known up to `time` [ns], the arrival of the next packet.

    Delayed acknowledgments that are due at the far end before that time are sent in advance.
    """
    if time > state.horizon:
        return False
    f = link.first_delayed
    return f == NONE or is_known_after(state, f, link, time)


@part
def is_known_after(state, f, link, time):
    """Send the delayed acknowledgments due before `time` [ns], the first from flow f; return whether all are sent."""
    return delayed_ack_at(state, f).due_ns >= time or send_delayed(state, link, time)


@routine
def send_delayed(state, link, time):
    """Send in advance the delayed acknowledgments that are due at a link's far end before `time` [ns].

    The clock is set to the due time of each. Return False if an array is nearly full; the remaining acknowledgments are
    then sent by their own events.
    """
    while state.shortage == records.DONE:
        f = link.first_delayed
        if f == NONE or delayed_ack_at(state, f).due_ns >= time:
            return True
        state.now = delayed_ack_at(state, f).due_ns
        i = take_delayed(state, f)
        packet = packet_at(state, i)
        if hop_at(state, packet.hop - 1).in_advance == records.ENTER_IN_ADVANCE:
            admit_special(state, link_at(state, hop_at(state, packet.hop).link), NONE, i)
        else:
            packet.arrival = state.now
            append_to_link(state, link, i, packet)
    return False


@part
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
    link, now = link_at(state, k), state.now
    i = link.transmitting
    link.transmitting = NONE
    packet = packet_at(state, i)
    packet.arrival = now + link.delay
    entering = travel(state, link, i, packet, hop_at(state, packet.hop))
    if entering != NONE:
        admit_inline(state, entering)
    state.now = now
    send_next(state, link)


@routine
def process_deferred(state, k):
    """Compute the deferred arrivals on link k in advance, in order, as far as they lie before the horizon.

    The first packet beyond the horizon and all behind it stay deferred until they arrive; if an array is nearly full,
    so do the rest. All packets stay deferred if a delayed acknowledgment is due before the first of them arrives: the
    link has an event at that arrival, and none before it.
    """
    link = link_at(state, k)
    f, now, i = link.first_delayed, state.now, link.head
    blocked = link.deferred == 0 or (f != NONE and delayed_ack_at(state, f).due_ns < packet_at(state, i).arrival)
    link.head = NONE
    link.tail = NONE
    while i != NONE:
        packet = packet_at(state, i)
        following = packet.next
        hop = hop_at(state, packet.hop)
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


@part
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
        call_responder(state, link, ON_DEQUEUE, i, begin)
    first_bit = begin
    if special:
        if link.hold_until > begin:  # meanwhile the packet counts as in transmission, as with jitter below
            first_bit = max(begin, min(link.hold_until, records.HORIZON))
        if link.jitter > 0:  # random delay before transmission, which the packets behind wait for, too
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
    packet = packet_at(state, i)
    if link.service == NONE:
        update_backlog(state, link)
    if link.loss > 0.0 and uniform(state) < link.loss:
        drop(state, link, i)
        return
    if link.discipline != NONE:
        verdict = call_discipline(state, link, ON_ENQUEUE, i)
        collect_feedback(state, link, i)
        if verdict == records.DROP:
            drop(state, link, i)
            return
        if verdict < records.DROP:
            raise ValueError("enqueue returned less than DROP: must be ENQUEUE, DROP or push_out(number of a packet)")
        if verdict > 0:
            push_out(state, link, verdict - 1)
    if packet.flag_bits & records.REQUEST:
        call_responder(state, link, ON_ENQUEUE, i, state.now)
    if link.service != NONE:
        admit_queued(state, link, queue, i)
    elif transmit_in_order(state, link, i, packet, True):
        if hop_at(state, packet.hop).in_advance != records.AT_ARRIVAL:
            link.deferred += 1
        append_to_link(state, link, i, packet)


@routine
def send_feedback(state):
    """Send feedback from a switch to the sender of a flow, along the path of the flow's acknowledgments."""
    link, f = link_at(state, state.feedback_link), int(state.feedback_flow)
    i = new_packet(state, f, records.FEEDBACK, receiver_at(state, f).ack_size, state.feedback_hop)
    packet_at(state, i).number = link.number
    for k in range(4):
        extra_at(state, i).header[k] = link.feedback[k]
    state.feedback_flow = NONE
    state.feedback_sent += 1
    tally_at(state, f).feedback_in_flight += 1
    request_admission(state, i)


@routine
def deliver_to_switch(state, i):
    """Deliver feedback to a switch, whose discipline may change the rate of the queue of the flow."""
    packet = packet_at(state, i)
    packet.hop = hop_at(state, packet.hop).switch_hop
    hop = hop_at(state, packet.hop)
    link = link_at(state, hop.link)
    call_discipline(state, link, ON_FEEDBACK, i)
    link.send_feedback = 0
    state.feedback_received += 1
    tally_at(state, packet.flow).feedback_in_flight -= 1
    q = hop.queue
    release_packet(state, i)
    if q != NONE:
        wake_queue(state, q)


# --- Counters at the present time ------------------------------------------------------------------------------------


@part
def untransmitted(state, link):
    """Return the part [ns] of a link's counted transmission time that lies in the future."""
    if link.jitter == 0 and link.hold_until == 0:
        return max(0, link.free - state.now)
    # With jitter or `hold_until` the transmitter pauses between packets. The remaining time of each packet is therefore
    # computed separately, to 1 ns.
    left, i = 0, link.head
    while i != NONE:
        packet = packet_at(state, i)
        time = int(packet.length) * 8_000_000_000 * link.scale // link.rate
        left += min(max(0, packet.arrival - link.delay - state.now), time)
        i = packet.next
    return left


@part
def count_link(state, k):
    """Update the counters of link k to the present, without packets that were counted in advance.

    A link without service counts the waiting time and transmission time of a packet when it admits the packet.
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
    """Count the packets of a linked list by kind; return their number, which exceeds `room` if the list is a cycle."""
    found = 0
    while i != NONE and found <= room:
        packet = packet_at(state, i)
        state.in_use[packet.kind] += 1
        i = packet.next
        found += 1
    return found


@entry(".")
def count(address, named, links, queues, lines, delaying):
    """Update the counters of the first `named` links; return the number of packets in the network.

    The packets counted are on the first `links` links, in the first `queues` queues, on the first `lines` access links,
    and, as delayed acknowledgments, at the first `delaying` receivers.
    """
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
            state.in_use[records.ACK] += 1
    return found

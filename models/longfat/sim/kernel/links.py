"""Links: how a packet enters one, and what follows from that.

On a link that serves in order of arrival everything is known when a packet is admitted: it starts when the packets
before it have been sent, so that only its arrival at the far end is an event, and of the packets on the link only the
first needs an entry in the heap. A link with a service (`kernel.serving`), or with a discipline that looks at packets
which leave, takes a second event, the end of the transmission.
"""

from longfat.sim.calls import ENQUEUE as ON_ENQUEUE
from longfat.sim.calls import ON_FEEDBACK
from longfat.sim.jit import part, routine
from longfat.sim.kernel.events import enter_soon
from longfat.sim.kernel.lines import advance, append, drop, is_full, line_up, transmission_time
from longfat.sim.kernel.packets import give_back, take_packet
from longfat.sim.kernel.receiver import receive
from longfat.sim.kernel.requests import lengthen, refresh_counter, stamp
from longfat.sim.kernel.service import admit_queued, ask_discipline, push_out, take_feedback, wake_queue
from longfat.sim.memory import header_at, hop_at, link_at, packet_at, receiver_at, tally_at, uniform
from longfat.sim.records import (
    AT_ARRIVAL,
    DONE,
    DROP,
    ENTER_AHEAD,
    FEEDBACK,
    HORIZON,
    NONE,
    REQUEST,
    TO_RECEIVER,
    TOO_LATE,
)


@routine
def admit(state, i):
    """Let a packet enter the queue of the link of its hop, or drop it: `admit_here`, called and not copied."""
    admit_here(state, i)


@part
def admit_here(state, i):
    """Let a packet enter the queue of the link of its hop, or drop it.

    What happens next is worked out at once, as far as nobody else can come between: on a link that serves in order of
    arrival, and does nothing else, the time of arrival at the far end is known; where all that enters the next link
    comes from this one, it enters that link in the same order, and so at this time, whatever happens elsewhere
    meanwhile. In the same way a receiver takes its packets in the order of its link. Nobody can tell the difference:
    nothing is worked out beyond the next moment at which somebody looks (`horizon`).
    """
    now = state.now
    while i != NONE:
        packet = packet_at(state, i)
        hop = hop_at(state, packet.hop)
        link = link_at(state, hop.link)
        if link.service == NONE:
            advance(state, link)
        if link.special or packet.marks & REQUEST:
            admit_special(state, link, hop.queue, i)
            break
        if not transmit_in_order(state, link, i, packet, False):
            break
        if hop.ahead == AT_ARRIVAL:
            append(state, link, i, packet)
            break
        if packet.arrival > state.horizon or link.late > 0:
            link.late += 1
            append(state, link, i, packet)
            break
        i = arrive_ahead(state, link, i, packet, hop)
    state.now = now


@part
def arrive_ahead(state, link, i, packet, hop):
    """Let a packet arrive at the far end ahead of its time; return it if it enters the next link then, else NONE."""
    state.now = packet.arrival
    if hop.then == TO_RECEIVER:
        if not receive(state, i):
            return NONE
    else:
        packet.hop += 1
    if hop.ahead == ENTER_AHEAD:
        return i
    append(state, link, i, packet)  # it enters the next link when it has arrived, see `loop.arrive`
    return NONE


@routine
def catch_up(state, k):
    """Work out ahead what has been left for later on a link, since nobody looked: its packets in their order.

    As far as there are rows: what is left then stays late, and its own arrivals come back here.
    """
    link = link_at(state, k)
    now, i, rest = state.now, link.head, link.late
    link.head = NONE
    link.tail = NONE
    while i != NONE:
        packet = packet_at(state, i)
        following = packet.next
        hop = hop_at(state, packet.hop)
        if rest == 0 or hop.link != k or hop.ahead == AT_ARRIVAL or packet.arrival > state.horizon:
            if hop.link == k and hop.ahead != AT_ARRIVAL:
                rest = 0  # those behind it, too
            append(state, link, i, packet)
        elif state.short != DONE:
            rest = 0
            append(state, link, i, packet)
        else:
            link.late -= 1
            entering = arrive_ahead(state, link, i, packet, hop)
            if entering != NONE:
                admit(state, entering)
        i = following
    state.now = now


@part
def transmit_in_order(state, link, i, packet, special):
    """Admit a packet where it is known at once when it will have been sent; return False if it is dropped."""
    now = state.now
    size = int(packet.length)
    begin = link.free
    fresh = begin < now
    if fresh:
        begin = now
    elif begin > now and is_full(link, size):
        drop(state, link, i)
        return False
    if special:
        if link.refresh > 0:
            refresh_counter(link, now)
        if packet.marks & REQUEST:
            stamp(state, link, i, begin)
    time = transmission_time(link, size, fresh)
    free = begin + time
    if special:
        if link.hold > begin:  # as with jitter, below: it counts as in transmission
            free = max(begin, min(link.hold, HORIZON)) + time
        if link.jitter > 0:  # the transmitter holds it back; the packets behind it wait meanwhile
            free = max(begin, now + int(uniform(state) * link.jitter)) + time
    if free > HORIZON:  # the loop ends here, before a sum of times wraps
        state.link = link.number
        state.short = TOO_LATE
        state.attention = 1
    link.free = free
    link.busy += time
    link.served += 1
    link.served_bytes += size
    if begin > now:
        line_up(state, link, begin, size)
    packet.arrival = free + link.delay
    return True


@routine
def admit_special(state, link, queue, i):
    """Admit a packet where chance, a discipline or a service has to be asked, or a request is stamped."""
    packet = packet_at(state, i)
    if link.loss > 0.0 and uniform(state) < link.loss:
        drop(state, link, i)
        return
    if link.discipline != NONE:
        verdict = ask_discipline(state, link, ON_ENQUEUE, i)
        take_feedback(state, link, i)
        if verdict == DROP:
            drop(state, link, i)
            return
        if verdict < DROP:
            raise ValueError("enqueue returned less than DROP: must be ENQUEUE, DROP or push_out(number of a packet)")
        if verdict > 0:
            push_out(state, link, verdict - 1)
    if packet.marks & REQUEST:
        lengthen(state, link, i)
    if link.service != NONE:
        admit_queued(state, link, queue, i)
    elif transmit_in_order(state, link, i, packet, True):
        if hop_at(state, packet.hop).ahead != AT_ARRIVAL:
            link.late += 1
        append(state, link, i, packet)


@routine
def send_feedback(state):
    """Send a packet from a switch to a sender, by the way that acknowledgments take from there."""
    link = link_at(state, state.feedback_link)
    i = take_packet(state)
    packet = packet_at(state, i)
    packet.flow = state.feedback_flow
    packet.kind = FEEDBACK
    packet.marks = 0
    packet.length = receiver_at(state, packet.flow).ack_size
    packet.hop = state.feedback_hop
    packet.sent = state.now
    packet.number = link.number
    packet.priority = 0
    for k in range(4):
        header_at(state, i).x[k] = link.feedback[k]
    state.feedback_flow = NONE
    state.fed += 1
    tally_at(state, packet.flow).feedback += 1
    enter_soon(state, i)


@routine
def tell_switch(state, i):
    """Take feedback for a switch: its discipline may give the queue that it is about another rate."""
    packet = packet_at(state, i)
    packet.hop = hop_at(state, packet.hop).about
    hop = hop_at(state, packet.hop)
    link = link_at(state, hop.link)
    ask_discipline(state, link, ON_FEEDBACK, i)
    link.send_feedback = 0
    state.fed_received += 1
    tally_at(state, packet.flow).feedback -= 1
    q = hop.queue
    give_back(state, i)
    if q != NONE:
        wake_queue(state, q)

"""Links: admission, transmission, departure.

On a link that serves in order of arrival everything is known when a packet is admitted: it starts when the packets
before it have been sent, so that only its arrival at the far end is an event, and of the packets on the link only the
first needs an entry in the heap. A link with a service (`longfat.sim.services`), or with a discipline that looks at
packets which leave, takes a second event, the end of the transmission.
"""

from longfat.sim.calls import DEQUEUE, EVICT, ON_FEEDBACK, PUT, TAKE, WAKE_UP, dequeue_at, hook_at, verb_at, wake_at
from longfat.sim.calls import ENQUEUE as ON_ENQUEUE
from longfat.sim.jit import part, routine
from longfat.sim.kernel.events import next_arrival, no_arrival, schedule_arrival, schedule_departure
from longfat.sim.kernel.packets import give_back, take_packet
from longfat.sim.kernel.receiver import receive
from longfat.sim.kernel.recovery import return_nodes
from longfat.sim.kernel.requests import lengthen, refresh_counter, stamp
from longfat.sim.memory import (
    header_at,
    hop_at,
    link_at,
    link_own,
    packet_at,
    prefetch_packet,
    queue_at,
    queue_own,
    queued_at,
    receiver_at,
    service_own,
    since_at,
    tally_at,
    uniform,
    unlink,
    wait_at,
)
from longfat.sim.records import (
    ACK,
    AT_ARRIVAL,
    DATA,
    DROP,
    ENTER_AHEAD,
    FEEDBACK,
    HORIZON,
    NO_WAITS,
    NONE,
    NOTHING,
    PASSES,
    REQUEST,
    SEND,
    TO_RECEIVER,
    TOO_LATE,
)


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
def advance(world, link):
    """Let packets whose transmission has begun wait no longer: amortised one step a packet; in order of arrival."""
    while link.waiting > 0 and link.begin <= world.now:
        link.waiting_bytes -= wait_at(world, link.ring + (link.first & link.ring_mask)).length
        link.waiting -= 1
        link.first += 1
        link.begin = wait_at(world, link.ring + (link.first & link.ring_mask)).begin


@part
def line_up(world, link, begin, size):
    """Let a packet wait, in order of arrival, until its transmission begins."""
    now = world.now
    wait = wait_at(world, link.ring + ((link.first + link.waiting) & link.ring_mask))
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
            world.link = link.number
            world.short = NO_WAITS
            world.attention = 1


@routine
def drop(world, link, i):
    """Drop a packet at a link's switch."""
    packet = packet_at(world, i)
    tally = tally_at(world, packet.flow)
    link.dropped += 1
    link.dropped_bytes += packet.length
    if packet.kind == DATA:
        tally.dropped += 1
    elif packet.kind == ACK:
        tally.acks_dropped += 1
    else:
        world.fed_dropped += 1
        tally.feedback -= 1
        if packet.marks & REQUEST:
            return_nodes(world, queued_at(world, i).stamps)
    give_back(world, i)


@part
def append(world, link, i, packet):
    """Put a packet behind all others on the link."""
    packet.next = NONE
    if link.tail == NONE:
        link.head = i
        if link.scheduled == 0:
            link.scheduled = 1
            schedule_arrival(world, link.number, packet.arrival)
    else:
        packet_at(world, link.tail).next = i
    link.tail = i


@part
def take_arrived(world, link):
    """Take the packet that has reached the far end off the link; NONE if it was worked out ahead meanwhile."""
    i = link.head
    if i != NONE and packet_at(world, i).arrival > world.now:
        next_arrival(world, link.number, packet_at(world, i).arrival)
        return NONE
    following = NONE
    if i != NONE:
        following = packet_at(world, i).next
        link.head = following
    if following == NONE:
        link.tail = NONE
        link.scheduled = 0
        no_arrival(world)
    else:
        behind = packet_at(world, following)
        prefetch_packet(world, behind.next)
        next_arrival(world, link.number, behind.arrival)
    return i


@part
def is_full(link, size):
    """Return whether a packet that has to wait finds no room."""
    return link.waiting >= link.limit_packets or link.waiting_bytes + size > link.limit_bytes


@routine
def admit(world, i):
    """Let a packet enter the queue of the link of its hop, or drop it.

    What happens next is worked out at once, as far as nobody else can come between: on a link that serves in order of
    arrival, and does nothing else, the time of arrival at the far end is known; where all that enters the next link
    comes from this one, it enters that link in the same order, and so at this time, whatever happens elsewhere
    meanwhile. In the same way a receiver takes its packets in the order of its link. Nobody can tell the difference:
    nothing is worked out beyond the next moment at which somebody looks (`horizon`).
    """
    now = world.now
    while i != NONE:
        packet = packet_at(world, i)
        hop = hop_at(world, packet.hop)
        link = link_at(world, hop.link)
        if link.service == NONE:
            advance(world, link)
        if link.special or packet.marks & REQUEST:
            admit_special(world, link, hop.queue, i)
            break
        if not transmit_in_order(world, link, i, packet, False):
            break
        if hop.ahead == AT_ARRIVAL:
            append(world, link, i, packet)
            break
        if packet.arrival > world.horizon or link.late > 0:
            link.late += 1
            append(world, link, i, packet)
            break
        i = arrive_ahead(world, link, i, packet, hop)
    world.now = now


@part
def arrive_ahead(world, link, i, packet, hop):
    """Let a packet arrive at the far end ahead of its time; return it if it enters the next link then, else NONE."""
    world.now = packet.arrival
    if hop.then == TO_RECEIVER:
        if not receive(world, i):
            return NONE
    else:
        packet.hop += 1
    if hop.ahead == ENTER_AHEAD:
        return i
    append(world, link, i, packet)  # it enters the next link when it has arrived, see `loop.arrive`
    return NONE


@routine
def catch_up(world, k):
    """Work out ahead what has been left for later on a link, since nobody looked: its packets in their order."""
    link = link_at(world, k)
    now, i, rest = world.now, link.head, link.late
    link.head = NONE
    link.tail = NONE
    while i != NONE:
        packet = packet_at(world, i)
        following = packet.next
        hop = hop_at(world, packet.hop)
        if rest == 0 or hop.link != k or hop.ahead == AT_ARRIVAL or packet.arrival > world.horizon:
            if hop.link == k and hop.ahead != AT_ARRIVAL:
                rest = 0  # those behind it, too
            append(world, link, i, packet)
        else:
            link.late -= 1
            entering = arrive_ahead(world, link, i, packet, hop)
            if entering != NONE:
                admit(world, entering)
        i = following
    world.now = now


@part
def transmit_in_order(world, link, i, packet, special):
    """Admit a packet to a link that serves in order of arrival: its departure is known at once. False: it is dropped."""
    now = world.now
    size = int(packet.length)
    begin = link.free
    fresh = begin < now
    if fresh:
        begin = now
    elif begin > now and is_full(link, size):
        drop(world, link, i)
        return False
    if special:
        if link.refresh > 0:
            refresh_counter(link, now)
        if packet.marks & REQUEST:
            stamp(world, link, i, begin)
    time = transmission_time(link, size, fresh)
    free = begin + time
    if special:
        if link.hold > begin:  # as with jitter, below: it counts as in transmission
            free = max(begin, min(link.hold, HORIZON)) + time
        if link.jitter > 0:  # the transmitter holds it back; the packets behind it wait meanwhile
            free = max(begin, now + int(uniform(world) * link.jitter)) + time
    if free > HORIZON:  # the loop ends here, before a sum of times wraps
        world.link = link.number
        world.short = TOO_LATE
        world.attention = 1
    link.free = free
    link.busy += time
    link.served += 1
    link.served_bytes += size
    if begin > now:
        line_up(world, link, begin, size)
    packet.arrival = free + link.delay
    return True


@routine
def admit_special(world, link, queue, i):
    """Admit a packet where chance, a discipline or a service has to be asked, or a request is stamped."""
    packet = packet_at(world, i)
    if link.loss > 0.0 and uniform(world) < link.loss:
        drop(world, link, i)
        return
    if link.discipline != NONE:
        verdict = ask_discipline(world, link, ON_ENQUEUE, i)
        take_feedback(world, link, i)
        if verdict == DROP:
            drop(world, link, i)
            return
        if verdict < DROP:
            raise ValueError("enqueue returned less than DROP; allowed are ENQUEUE, DROP, push_out(number of a packet)")
        if verdict > 0:
            push_out(world, link, verdict - 1)
    if packet.marks & REQUEST:
        lengthen(world, link, i)
    if link.service != NONE:
        admit_queued(world, link, queue, i)
    elif transmit_in_order(world, link, i, packet, True):
        if hop_at(world, packet.hop).ahead != AT_ARRIVAL:
            link.late += 1
        append(world, link, i, packet)


@routine
def ask_discipline(world, link, hook, i):
    """Return the answer of a link's discipline about a packet."""
    k = link.number
    world.link = k
    return int(
        hook_at(world, link.discipline, hook)(
            world,
            link,
            link_own(world, k),
            service_own(world, k),
            packet_at(world, i),
            header_at(world, i),
            since_at(world, i),
            world.now * 1e-9,
        )
    )


@routine
def ask_service(world, link, verb, i):
    """Return the answer of a link's service about a packet."""
    k = link.number
    world.link = k
    return int(
        verb_at(world, link.service, verb)(
            world,
            link,
            link_own(world, k),
            service_own(world, k),
            packet_at(world, i),
            header_at(world, i),
            since_at(world, i),
            world.now * 1e-9,
        )
    )


@part
def take_feedback(world, link, i):
    """Note that a discipline has filled in `feedback` and set `send_feedback`; the loop sends it.

    On their way back packets have nobody to be told: acknowledgments and feedback cause none.
    """
    if link.send_feedback:
        link.send_feedback = 0
        hop = hop_at(world, packet_at(world, i).hop).feedback
        if hop != NONE:
            world.attention = 1
            world.feedback_link = link.number
            world.feedback_flow = packet_at(world, i).flow
            world.feedback_hop = hop


@routine
def send_feedback(world):
    """Send a packet from a switch to a sender, by the way that acknowledgments take from there."""
    link = link_at(world, world.feedback_link)
    i = take_packet(world)
    packet = packet_at(world, i)
    packet.flow = world.feedback_flow
    packet.kind = FEEDBACK
    packet.marks = 0
    packet.length = receiver_at(world, packet.flow).ack_size
    packet.hop = world.feedback_hop
    packet.sent = world.now
    packet.number = link.number
    packet.priority = 0
    for k in range(4):
        header_at(world, i).x[k] = link.feedback[k]
    world.feedback_flow = NONE
    world.fed += 1
    tally_at(world, packet.flow).feedback += 1
    admit(world, i)


@part
def wait_changed(world, link, packets, size):
    """Note that so many packets more wait, in their number integrated over time, too."""
    now = world.now
    link.area += float(link.waiting) * (now - link.changed)
    link.changed = now
    link.waiting += packets
    link.waiting_bytes += packets * size


@routine
def admit_queued(world, link, queue, i):
    """Admit a packet where the service decides at departure what is sent."""
    size = packet_at(world, i).length
    since_at(world, i).x = world.now
    queued_at(world, i).queue = queue if queue != NONE else link.queues
    idle = link.sending == NONE
    while not (idle and link.work_conserving) and is_full(link, size):
        victim = ask_service(world, link, EVICT, i)
        if victim == PASSES:
            break
        if victim == NOTHING:
            drop(world, link, i)
            return
        no_longer_waits(world, link, victim)
        drop(world, link, victim)
    ask_service(world, link, PUT, i)
    wait_changed(world, link, 1, size)
    if idle:
        send_next(world, link)
    if link.waiting > link.largest:
        link.largest = link.waiting


@part
def no_longer_waits(world, link, i):
    """Take a packet out of those that wait, after its service has taken it out of its queue."""
    if not 0 <= i < world.packets_room:
        raise ValueError("the service returned a number that no packet has")
    q = queued_at(world, i).queue
    if q == NONE or queue_at(world, q).link != link.number:
        raise ValueError("the service returned a packet that does not wait at this link")
    queued_at(world, i).queue = NONE
    wait_changed(world, link, -1, packet_at(world, i).length)


@routine
def push_out(world, link, victim):
    """Drop a waiting packet, as a discipline wants; only where one plain queue is all that the service knows."""
    if link.service == NONE or link.queue_count != 1 or not 0 <= victim < world.packets_room:
        raise ValueError("enqueue pushes out a packet that does not wait; that needs service='departures'")
    if queued_at(world, victim).queue != link.queues:
        raise ValueError("enqueue pushes out a packet that does not wait; that needs service='departures'")
    unlink(world, link.queues, victim)
    no_longer_waits(world, link, victim)
    drop(world, link, victim)


@routine
def transmit(world, link, i):
    """Let the transmitter take a packet; the end of the transmission is an event. False if the discipline drops it."""
    packet = packet_at(world, i)
    if link.discipline != NONE:
        verdict = ask_discipline(world, link, DEQUEUE, i)
        take_feedback(world, link, i)
        if verdict == DROP:
            drop(world, link, i)
            return False
        if verdict != SEND:
            raise ValueError("dequeue returned neither SEND nor DROP")
    fresh = link.free < world.now
    if fresh:
        link.free = world.now
    if link.refresh > 0:
        refresh_counter(link, world.now)
    if packet.marks & REQUEST:
        stamp(world, link, i, world.now)
    time = transmission_time(link, packet.length, fresh)
    link.free += time
    link.busy += time
    link.served += 1
    link.served_bytes += packet.length
    link.sending = i
    schedule_departure(world, link.number, link.free)
    return True


@routine
def end_of_transmission(world, k):
    """Put the packet on its way; the service chooses the next one."""
    link = link_at(world, k)
    i = link.sending
    link.sending = NONE
    packet_at(world, i).arrival = world.now + link.delay
    append(world, link, i, packet_at(world, i))
    send_next(world, link)


@routine
def send_next(world, link):
    """Let the transmitter, which is free, take the packet that the service chooses, if any may go."""
    k = link.number
    while link.waiting > 0:
        world.link = k
        take = dequeue_at(world, link.service, TAKE)
        i = int(take(world, link, link_own(world, k), service_own(world, k), world.now * 1e-9))
        if i == NOTHING:
            return
        no_longer_waits(world, link, i)
        waited = world.now - since_at(world, i).x
        if transmit(world, link, i):
            link.wait += waited
            return


@routine
def wake_queue(world, q):
    """Let the service look at a queue: the time has come that it asked for, or the queue's rate has changed."""
    queue = queue_at(world, q)
    link, k = link_at(world, queue.link), queue.link
    world.link = k
    wake = wake_at(world, link.service, WAKE_UP)
    wake(world, link, link_own(world, k), service_own(world, k), queue, queue_own(world, q), world.now * 1e-9)
    if link.sending == NONE:
        send_next(world, link)


@routine
def tell_switch(world, i):
    """Take feedback for a switch: its discipline may give the queue that it is about another rate."""
    packet = packet_at(world, i)
    packet.hop = hop_at(world, packet.hop).about
    hop = hop_at(world, packet.hop)
    link = link_at(world, hop.link)
    ask_discipline(world, link, ON_FEEDBACK, i)
    link.send_feedback = 0
    world.fed_received += 1
    tally_at(world, packet.flow).feedback -= 1
    q = hop.queue
    give_back(world, i)
    if q != NONE:
        wake_queue(world, q)

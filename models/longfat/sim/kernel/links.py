"""Links: admission, transmission, departure.

On a link that serves in order of arrival everything is known when a packet is admitted: it starts when the
packets before it have been sent, so that only its arrival at the far end is an event, and of the packets on
the link only the first needs an entry in the heap. Disciplines that decide at departure (fair queueing,
push-out, stamps) take a second event, the end of the transmission.
"""

from longfat.sim.calls import DEQUEUE, ON_FEEDBACK, hook_at
from longfat.sim.calls import ENQUEUE as ON_ENQUEUE
from longfat.sim.jit import part
from longfat.sim.kernel.bit_round import finish_tag
from longfat.sim.kernel.discard import give_way, stand, take_first
from longfat.sim.kernel.events import new_key, push, sooner
from longfat.sim.kernel.fair import choose, enqueue, make_room
from longfat.sim.kernel.rated import append_rated, choose_rated, its_time, may_pass, pass_by
from longfat.sim.kernel.recovery import return_nodes
from longfat.sim.kernel.requests import lengthen, refresh_counter, stamp
from longfat.sim.kernel.waiting import line_up, wait_changed
from longfat.sim.memory import (
    flow_at,
    header_at,
    hop_at,
    link_at,
    link_own,
    packet_at,
    queue_at,
    service_own,
    since_at,
    uniform,
)
from longfat.sim.records import (
    ACK,
    ARRIVAL,
    BIT_ROUND,
    DATA,
    DEPARTURE,
    DEPARTURES,
    DROP,
    FEEDBACK,
    FIFO,
    HORIZON,
    NONE,
    RATED,
    REQUEST,
    SELF_CLOCKED,
    SEND,
)


@part
def take_packet(world):
    """A row for a packet: the one that has been free for longest.

    Taken in this order, packets that follow each other on a link tend to stand behind each other in memory.
    """
    i = world.free_packet
    world.free_packet = packet_at(world, i).next
    world.free_packets -= 1
    return i


@part
def give_back(world, i):
    """A packet is no longer needed."""
    packet_at(world, world.last_free_packet).next = i
    world.last_free_packet = i
    world.free_packets += 1


@part
def transmission_time(link, size, fresh):
    """Whole nanoseconds; the rest of the division is carried on, so that k packets take round(8 k size/rate)."""
    if size != link.length:
        numerator = int(size) * 8_000_000_000 * link.scale
        link.length = size
        link.quotient = numerator // link.rate
        link.rest = numerator - link.quotient * link.rate
    if fresh:
        link.remainder = link.rate >> 1
    time = link.quotient
    link.remainder += link.rest
    if link.remainder >= link.rate:
        link.remainder -= link.rate
        time += 1
    return time


@part
def advance(world, link):
    """Packets whose transmission has begun wait no longer: amortised one step a packet."""
    while link.waiting > 0 and link.begin <= world.now:
        first = packet_at(world, link.first)
        link.begin = first.time - link.delay
        link.waiting -= 1
        link.waiting_bytes -= first.length
        link.first = first.next


@part
def drop(world, link, i, early):
    """A packet is dropped by a link's switch."""
    packet = packet_at(world, i)
    flow = flow_at(world, packet.flow)
    link.dropped += 1
    if early:
        link.dropped_early += 1
    if packet.kind == DATA:
        flow.dropped += 1
    elif packet.kind == ACK:
        flow.acks_dropped += 1
    else:
        world.fed_dropped += 1
        flow.notes -= 1
        if packet.marks & REQUEST:
            return_nodes(world, packet.transmission)
    give_back(world, i)


@part
def append(world, link, i, time):
    """Behind all others on the link; it arrives at `time`."""
    packet = packet_at(world, i)
    packet.next = NONE
    packet.time = time
    if link.tail == NONE:
        link.head = i
        push(world.arrivals_base, world.arrivals, time, new_key(world, ARRIVAL, link.number))
        world.arrivals += 1
    else:
        packet_at(world, link.tail).next = i
    link.tail = i


@part
def is_full(link, size):
    """Whether a packet that has to wait finds no room."""
    return link.waiting >= link.limit_packets or link.waiting_bytes + size > link.limit_bytes


@part
def take_note(world, link, i):
    """A discipline that filled in `feedback` and set `send_feedback` tells the sender of packet i; the loop sends it.

    On their way back packets have nobody to be told: acknowledgments and notes cause none.
    """
    if link.send_feedback:
        link.send_feedback = 0
        hop = hop_at(world, packet_at(world, i).hop).feedback
        if hop != NONE:
            world.notify_link = link.number
            world.notify_flow = packet_at(world, i).flow
            world.notify_hop = hop


@part
def send_note(world):
    """A packet from a switch to a sender, by the way that acknowledgments take from there."""
    link = link_at(world, world.notify_link)
    i = take_packet(world)
    packet = packet_at(world, i)
    packet.flow = world.notify_flow
    packet.kind = FEEDBACK
    packet.marks = 0
    packet.length = flow_at(world, packet.flow).ack_size
    packet.hop = world.notify_hop
    packet.sent = world.now
    packet.number = link.number
    packet.echo = 0
    packet.priority = 0
    for k in range(4):
        header_at(world, i).x[k] = link.feedback[k]
    world.notify_flow = NONE
    world.fed += 1
    flow_at(world, packet.flow).notes += 1
    world.entering = i


@part
def ask_discipline(world, link, hook, i):
    """Return the answer of a link's discipline about a packet."""
    k = link.number
    world.link = k
    call = hook_at(world, link.discipline, hook)
    return int(
        call(
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
def admit(world, i):
    """A packet enters the queue of the link of its hop, or is dropped."""
    packet = packet_at(world, i)
    hop = hop_at(world, packet.hop)
    link = link_at(world, hop.link)
    now = world.now
    size = int(packet.length)
    link.arrived += 1
    link.arrived_bytes += size
    if link.service == FIFO:
        advance(world, link)
    if link.loss > 0.0 and uniform(world) < link.loss:
        drop(world, link, i, True)
        return
    if link.discipline != NONE:
        verdict = ask_discipline(world, link, ON_ENQUEUE, i)
        take_note(world, link, i)
        if verdict == DROP:
            drop(world, link, i, True)
            return
        if verdict < DROP:
            raise ValueError("enqueue returned less than DROP; allowed are ENQUEUE, DROP and push_out(number of a waiting packet)")
        if verdict > 0:
            push_out(world, link, verdict - 1)
    if packet.marks & REQUEST:
        lengthen(world, link, packet)
        size = int(packet.length)
    if link.service == FIFO:
        begin = link.free
        fresh = begin < now
        if fresh:
            begin = now
        elif begin > now and is_full(link, size):
            drop(world, link, i, False)
            return
        if link.refresh > 0:
            refresh_counter(link, now)
        if packet.marks & REQUEST:
            stamp(world, link, packet, begin)
        time = transmission_time(link, size, fresh)
        link.free = begin + time
        if link.hold > begin:  # as with jitter, below: it counts as in transmission
            link.free = max(begin, min(link.hold, HORIZON)) + time
        if link.jitter > 0:  # the transmitter holds it back; the packets behind it wait meanwhile
            link.free = max(begin, now + int(uniform(world) * link.jitter)) + time
        if link.free > HORIZON:
            world.late = link.number  # the loop ends here, before a sum of times wraps
        link.busy += time
        link.served += 1
        link.served_bytes += size
        if begin > now:
            link.wait += begin - now
            since_at(world, i).x = now
            if link.waiting == 0:
                link.first = i
                link.begin = begin
            link.waiting += 1
            link.waiting_bytes += size
            if link.waiting > link.largest:
                link.largest = link.waiting
        append(world, link, i, link.free + link.delay)
    else:
        admit_by_discipline(world, link, hop.queue, i)


@part
def admit_by_discipline(world, link, queue, i):
    """The same where the link decides at departure what it sends."""
    size = packet_at(world, i).length
    since_at(world, i).x = world.now
    if link.sending == NONE and (link.service != RATED or may_pass(world, queue)):
        transmit(world, link, i, queue)
        return
    while is_full(link, size):
        victim = NONE
        if link.service >= SELF_CLOCKED:
            victim = make_room(world, link, queue, size)
        elif link.service != DEPARTURES:
            victim = give_way(world, link, packet_at(world, i).priority)
        if victim == NONE:
            drop(world, link, i, False)
            return
        drop(world, link, victim, False)
    wait_changed(world, link, 1, size)
    if link.waiting > link.largest:
        link.largest = link.waiting
    if link.service == RATED:
        append_rated(world, link, queue, i)
        return
    if link.service >= SELF_CLOCKED:
        enqueue(world, link, queue, i)
        return
    if link.service != DEPARTURES:
        stand(world, link, i)
        return
    line_up(world, link, i)


@part
def push_out(world, link, victim):
    """A waiting packet gives way to another one."""
    before, i = NONE, link.queue_head if link.service == DEPARTURES else NONE
    while i != NONE and i != victim:
        before, i = i, packet_at(world, i).next
    if i == NONE:
        raise ValueError("enqueue pushes out a packet that does not wait; that needs service='departures'")
    behind = packet_at(world, i).next
    if before == NONE:
        link.queue_head = behind
    else:
        packet_at(world, before).next = behind
    if behind == NONE:
        link.queue_tail = before
    wait_changed(world, link, -1, packet_at(world, i).length)
    drop(world, link, i, False)


@part
def transmit(world, link, i, queue):
    """The transmitter takes a packet; the end of the transmission is an event."""
    packet = packet_at(world, i)
    if link.service == SELF_CLOCKED and queue != NONE:  # it did not wait, so that it has no tag yet
        link.tag = max(queue_at(world, queue).tag, link.tag) + packet.length
        queue_at(world, queue).tag = link.tag
    if link.service == BIT_ROUND and queue != NONE:
        finish_tag(world, link, queue, packet.length)
    if link.service == RATED and queue != NONE:
        pass_by(world, link, queue, packet.length)
    fresh = link.free < world.now
    if fresh:
        link.free = world.now
    if link.discipline != NONE:
        verdict = ask_discipline(world, link, DEQUEUE, i)
        take_note(world, link, i)
        if verdict == DROP:
            drop(world, link, i, True)
            return False
        if verdict != SEND:
            raise ValueError("dequeue returned neither SEND nor DROP")
    if link.refresh > 0:
        refresh_counter(link, world.now)
    if packet.marks & REQUEST:
        stamp(world, link, packet, world.now)
    time = transmission_time(link, packet.length, fresh)
    link.free += time
    link.busy += time
    link.served += 1
    link.served_bytes += packet.length
    link.sending = i
    push(world.arrivals_base, world.arrivals, link.free, sooner(new_key(world, DEPARTURE, link.number)))
    world.arrivals += 1
    return True


@part
def end_of_transmission(world, link):
    """The packet is on its way; the discipline chooses the next one."""
    i = link.sending
    link.sending = NONE
    append(world, link, i, world.now + link.delay)
    send_next(world, link)


@part
def send_next(world, link):
    """The transmitter is free: the packet that the discipline chooses, if any may go."""
    while link.waiting > 0 and not (link.service == RATED and link.active == 0):
        if link.service == RATED:
            following = choose_rated(world, link)
        elif link.service >= SELF_CLOCKED:
            following = choose(world, link)
        elif link.service != DEPARTURES:
            following = take_first(world, link)
        else:
            following = link.queue_head
            link.queue_head = packet_at(world, following).next
            if link.queue_head == NONE:
                link.queue_tail = NONE
        wait_changed(world, link, -1, packet_at(world, following).length)
        waited = world.now - since_at(world, following).x
        if transmit(world, link, following, NONE):
            link.wait += waited
            return


@part
def queue_wakes(world, q):
    """Perhaps the time has come for a queue's first packet."""
    link = link_at(world, queue_at(world, q).link)
    if its_time(world, link, q) and link.sending == NONE:
        send_next(world, link)


@part
def tell_switch(world, i):
    """A note for a switch has arrived: its discipline may give the queue that the note is about another rate."""
    packet = packet_at(world, i)
    packet.hop = hop_at(world, packet.hop).about
    hop = hop_at(world, packet.hop)
    link = link_at(world, hop.link)
    ask_discipline(world, link, ON_FEEDBACK, i)
    link.send_feedback = 0
    world.fed_received += 1
    flow_at(world, packet.flow).notes -= 1
    q = hop.queue
    give_back(world, i)
    if link.service == RATED:
        queue_wakes(world, q)

"""Links with a service, which decides when the transmitter is free what it sends: see `longfat.sim.services`.

The end of a transmission is an event here, as is the arrival at the far end. The core knows no service: it calls the
four verbs of each by their addresses, and counts what waits.
"""

from longfat.sim.calls import DEQUEUE, EVICT, PUT, TAKE, WAKE_UP, dequeue_at, hook_at, verb_at, wake_at
from longfat.sim.jit import part, routine
from longfat.sim.kernel.events import schedule_departure
from longfat.sim.kernel.lines import append, drop, is_full, transmission_time
from longfat.sim.kernel.requests import refresh_counter, stamp
from longfat.sim.memory import (
    header_at,
    hop_at,
    link_at,
    link_own,
    packet_at,
    queue_at,
    queue_own,
    queued_at,
    service_own,
    since_at,
    unlink,
)
from longfat.sim.records import DROP, NONE, NOTHING, PASSES, REQUEST, SEND


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
    while not (idle and link.work_conserving and link.waiting == 0) and is_full(link, size):
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
    if link.service == NONE or not link.may_push_out or not 0 <= victim < world.packets_room:
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

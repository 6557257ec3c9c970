"""Links with a service, which decides at each departure which packet is sent next: see `longfat.sim.services`.

Here the end of a transmission is an event, as is the arrival at the far end. The core knows no service: it calls the
four functions of each by their addresses, and keeps the backlog.
"""

from longfat.sim.kernel.calls import (
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
from longfat.sim.kernel.events import schedule_departure
from longfat.sim.kernel.jit import part, routine
from longfat.sim.kernel.memory import (
    header_at,
    hop_at,
    is_full,
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
from longfat.sim.kernel.records import DROP, NONE, NOTHING, PASSES, REQUEST, SEND
from longfat.sim.kernel.requests import refresh_counter, write_stamp
from longfat.sim.kernel.transmitter import drop, show_rate, transmission_time


@part
def call(state, link, function, i):
    """Call a function of a link's discipline or service for a packet, and return what it returns."""
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
            header_at(state, i),
            since_at(state, i),
            state.now * 1e-9,
        )
    )


@part
def call_discipline(state, link, hook, i):
    """Call a hook of a link's discipline for a packet, and return what it returns."""
    state.hook = hook
    return call(state, link, hook_at(state, link.discipline, hook), i)


@part
def call_service(state, link, verb, i):
    """Call a function of a link's service for a packet, and return what it returns."""
    state.hook = OF_SERVICES + verb
    return call(state, link, verb_at(state, link.service, verb), i)


@part
def collect_feedback(state, link, i):
    """Record the feedback that a discipline has filled in with `send_feedback`; the loop sends it.

    Only data packets cause feedback: on the path of acknowledgments there is no sender to be told.
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
    """Add `packets` packets to the backlog, and bring its integral over time up to date."""
    now = state.now
    link.backlog_area += float(link.backlog) * (now - link.changed_at)
    link.changed_at = now
    link.backlog += packets
    link.backlog_bytes += packets * size


@part
def admit_queued(state, link, queue, i):
    """Admit a packet to a link with a service; where the buffer is full, `evict` chooses what is dropped."""
    size = packet_at(state, i).length
    since_at(state, i).x = state.now
    queued_at(state, i).queue = queue if queue != NONE else link.first_queue
    idle, more = link.transmitting == NONE, False
    while more or (not (idle and link.work_conserving and link.backlog == 0) and is_full(link, size)):
        victim = call_service(state, link, EVICT, i)
        if victim == PASSES:
            break
        if victim == NOTHING:
            drop(state, link, i)
            return
        more = victim < PASSES  # see `seam.drop_more`
        if more:
            victim = PASSES - 1 - victim
        leave_backlog(state, link, victim)
        drop(state, link, victim)
    call_service(state, link, PUT, i)
    if queue_at(state, queued_at(state, i).queue).tail != i:
        raise ValueError("enqueue of the service queued no packet: it must call append(link, queue, packet)")
    change_backlog(state, link, 1, size)
    if idle:
        send_next(state, link)
    if link.backlog > link.largest_backlog:
        link.largest_backlog = link.backlog


@part
def leave_backlog(state, link, i):
    """Remove a packet from the backlog after its service has taken it out of its queue."""
    if not 0 <= i < state.packets_room:
        raise ValueError("the service returned a number that no packet has")
    q = queued_at(state, i).queue
    if q == NONE or queue_at(state, q).link != link.number:
        raise ValueError("the service returned a packet that is not waiting at this link")
    queued_at(state, i).queue = NONE
    change_backlog(state, link, -1, packet_at(state, i).length)


@routine
def push_out(state, link, victim):
    """Drop a waiting packet chosen by a discipline; allowed only where the service has one plain queue."""
    if link.service == NONE or not link.may_push_out or not 0 <= victim < state.packets_room:
        raise ValueError("enqueue pushed out a packet that is not waiting; push_out needs service='departures'")
    if queued_at(state, victim).queue != link.first_queue:
        raise ValueError("enqueue pushed out a packet that is not waiting; push_out needs service='departures'")
    unlink(state, link.first_queue, victim)
    leave_backlog(state, link, victim)
    drop(state, link, victim)


@part
def transmit(state, link, i):
    """Begin the transmission of a packet, and schedule its end; return False if the discipline drops the packet."""
    packet = packet_at(state, i)
    if link.discipline != NONE:
        verdict = call_discipline(state, link, DEQUEUE, i)
        collect_feedback(state, link, i)
        if verdict == DROP:
            drop(state, link, i)
            return False
        if verdict != SEND:
            raise ValueError("dequeue returned neither SEND nor DROP")
    fresh = link.free < state.now
    if fresh:
        link.free = state.now
    if link.refresh > 0:
        refresh_counter(link, state.now)
    if packet.marks & REQUEST:
        write_stamp(state, link, i, state.now)
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
    """Begin the transmission of the packet that the service chooses, if any may leave; the transmitter is idle."""
    k = link.number
    if link.changing_rate != NONE:
        show_rate(state, link)
    while link.backlog > 0:
        state.link = k
        state.hook = OF_SERVICES + TAKE
        take = dequeue_at(state, link.service, TAKE)
        i = int(take(state, link, link_own(state, k), service_own(state, k), state.now * 1e-9))
        if i == NOTHING:
            return
        leave_backlog(state, link, i)
        waited = state.now - since_at(state, i).x
        if transmit(state, link, i):
            link.waiting_time += waited
            return


@routine
def wake_queue(state, q):
    """Call `wake` of a service for a queue: at the time that it asked for, or because the queue's rate has changed."""
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

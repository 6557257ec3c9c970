"""The sender: what it may send, what an acknowledgment tells it, and the questions it asks its scheme.

Two ways of recovering what was lost. *Selective* (schemes.md 0.3 and 1.6): the sender keeps its
transmissions in order; one that was made `reorder` acknowledged transmissions ago and is not acknowledged is
lost, is sent again before anything new, and the scheme is told. *Own*: the scheme sees every acknowledgment
and says itself what is sent again (`resend`, `next`).
"""

import math

from longfat.sim.calls import callback_at, send_at
from longfat.sim.jit import part
from longfat.sim.kernel.access import leave
from longfat.sim.kernel.echoes import first_unknown, note_echo
from longfat.sim.kernel.events import arm
from longfat.sim.kernel.links import give_back, take_packet
from longfat.sim.kernel.recovery import account, forget, give_up, next_lost, remember
from longfat.sim.kernel.timing import restart_timer, take_round_trip, timeout_ns
from longfat.sim.memory import event_of, flow_at, flow_own, header_at, packet_at, since_at
from longfat.sim.records import (
    ALARM,
    CWR,
    DATA,
    ECE,
    ECT,
    FEEDBACK,
    GREEN,
    LAST,
    NEVER,
    NONE,
    ON_ACK,
    ON_ALARM,
    ON_LOSS,
    ON_SEND,
    ON_TIMEOUT,
    PACE,
    REQUEST,
    RTO,
    STAMPED,
    START,
    TRANSFER,
)

LATEST = 4e9  # s; later is never
IMPATIENCE = 1000  # alarms in a row that a scheme may want at once
MOST_AT_ONCE = 2**25  # packets: more than the memory that a run may take (`world.MOST_ROWS`)


@part
def clear(event, now):
    """An event of which nothing is known but its time."""
    event.now = now * 1e-9
    event.rtt = 0.0
    event.acked = 0
    event.number = NONE
    event.transmission = NONE
    event.lost = 0
    event.marked = 0
    event.duplicate = 0
    event.restart_timer = 0
    event.packet_size = 0
    for k in range(4):
        event.header[k] = 0.0


@part
def obey(world, f, value):
    """What a callback returned is the new window or rate; False if it is none."""
    flow = flow_at(world, f)
    if flow.window_decides:
        flow.window = value
    else:
        flow.rate = value
    if value >= 0.0 and flow.rate >= 0.0 and flow.window >= 0.0:  # False for NaN
        return not is_boundless(flow)
    world.value = flow.rate if value >= 0.0 and flow.window >= 0.0 else flow.window if value >= 0.0 else value
    return False


@part
def is_boundless(flow):
    """Whether all that is left may leave at once, and is more than any run can hold.

    Nothing paces it, neither a rate nor a line of its own nor a limit on account of this event.
    """
    if flow.window <= MOST_AT_ONCE or flow.packets - flow.next <= MOST_AT_ONCE:
        return False
    return flow.rate >= 1e300 and flow.limited >= 1e300 and flow.access_rate == 0


@part
def ask(world, f, number):
    """Ask a flow's scheme; the state says whom and what, in case it fails."""
    flow = flow_at(world, f)
    world.flow = f
    world.callback = number
    if not obey(world, f, callback_at(world, flow.scheme, number)(world, flow, flow_own(world, f), event_of(world))):
        return False
    world.callback = NONE  # it neither raised nor answered nonsense
    return True


@part
def ring(world, f):
    """Set the clock that the scheme asked for; it rings a nanosecond from now or later, so that time goes on."""
    flow = flow_at(world, f)
    if flow.alarm >= 0.0:
        if flow.alarm < LATEST:
            arm(world, f, ALARM, max(int(flow.alarm * 1e9), world.now + 1))
        else:  # infinite: never
            flow.due[ALARM] = NEVER
        flow.alarm = -1.0


@part
def begin(world, f):
    """The first packet may go."""
    clear(event_of(world), world.now)
    flow_at(world, f).begun = 1
    fine = ask(world, f, START)
    ring(world, f)
    world.sending = f
    return fine


@part
def acknowledge(world, i):
    """An acknowledgment has come back; False if the scheme answered nonsense."""
    event = event_of(world)
    packet = packet_at(world, i)
    f = packet.flow
    flow = flow_at(world, f)
    now = world.now
    flow.acks_received += 1
    clear(event, now)
    outstanding = flow.high > flow.una
    acked = packet.number - flow.una
    if acked > 0:
        flow.una = packet.number
        if flow.next < flow.una:
            flow.next = flow.una
    else:
        acked = 0
    take_round_trip(flow, now, packet.sent, packet.echo, acked)
    if flow.finish != NEVER or flow.traffic != TRANSFER:  # of a packet that was sent twice; of a probe
        give_back(world, i)
        return True
    lost, fresh = 0, False
    if flow.selective:
        lost, fresh = account(world, flow, i)
    elif flow.skips:
        note_echo(world, flow, packet.echo)
    event.rtt = (now - packet.sent) * 1e-9
    event.acked = acked
    event.number = packet.echo
    event.transmission = packet.transmission
    event.marked = 1 if packet.marks & ECE else 0
    event.duplicate = 1 if acked == 0 and outstanding else 0
    event.restart_timer = 1 if acked > 0 else 0
    event.packet_size = flow.packet_size
    if flow.stamped or flow.arrival_times:
        for k in range(4):
            event.header[k] = header_at(world, i).x[k]
    give_back(world, i)
    fine = True
    if lost > 0:
        fine = tell_losses(world, f, lost, fresh)
    if fine:
        fine = ask(world, f, ON_ACK)
    if event.restart_timer:
        restart_timer(world, f)
    ring(world, f)
    if flow.una >= flow.packets:
        finish(world, f)
    world.sending = f
    return fine


@part
def finish(world, f):
    """Everything is acknowledged: its clocks stop, and what it remembers of its transmissions is given back."""
    flow = flow_at(world, f)
    flow.finish = world.now
    if flow.template == NONE and world.unfinished > 0:
        world.unfinished -= 1
    for k in range(3):
        if k != PACE or flow.on_line == NONE:  # what is on its own line still arrives
            flow.due[k] = NEVER
    forget(world, flow)


@part
def tell_losses(world, f, lost, fresh):
    """The scheme is told of every loss, or once of all losses of one window."""
    flow, event = flow_at(world, f), event_of(world)
    flow.losses += lost
    event.lost = lost
    event.number, echoed = world.lost_number, event.number
    fine = True
    if flow.every_loss or fresh:
        if fresh:
            flow.recover = flow.transmission
        fine = ask(world, f, ON_LOSS)
    event.number = echoed
    return fine


@part
def time_out(world, f):
    """The timer went off: double it (RFC 6298, 5.5); everything under way counts as lost."""
    flow = flow_at(world, f)
    flow.timeouts += 1
    flow.backoff = min(2 * flow.backoff, flow.max_backoff)
    flow.timed = NONE
    flow.due[RTO] = NEVER
    if flow.selective and flow.nodes_head != NONE:
        give_up(world, flow)
        flow.recover = flow.transmission
    clear(event_of(world), world.now)
    fine = ask(world, f, ON_TIMEOUT)
    if flow.due[RTO] == NEVER:
        arm(world, f, RTO, world.now + timeout_ns(flow))
    ring(world, f)
    world.sending = f
    return fine


@part
def alarm_rings(world, f):
    """The clock that the scheme set."""
    event = event_of(world)
    clear(event, world.now)
    fine = ask(world, f, ON_ALARM)
    flow = flow_at(world, f)
    flow.impatience = flow.impatience + 1 if 0.0 <= flow.alarm <= event.now else 0
    if flow.impatience >= IMPATIENCE:
        world.callback = ON_ALARM
        fine = False
    ring(world, f)
    world.sending = f
    return fine


@part
def hear(world, i):
    """A note of a switch has arrived: an acknowledgment of nothing, with header fields."""
    event = event_of(world)
    packet = packet_at(world, i)
    f = packet.flow
    world.fed_received += 1
    flow_at(world, f).notes -= 1
    clear(event, world.now)
    if packet.echo == 1:  # the answer to a request
        event.rtt = (world.now - packet.sent) * 1e-9
    for k in range(4):
        event.header[k] = header_at(world, i).x[k]
    give_back(world, i)
    if flow_at(world, f).finish != NEVER or flow_at(world, f).traffic != TRANSFER:
        return True
    fine = ask(world, f, ON_ACK)
    ring(world, f)
    world.sending = f
    return fine


@part
def next_number(world, flow):
    """The packet to be sent now, NONE if there is none."""
    if flow.selective:
        # A scheme that sets `resend` lets one packet go whatever the window (RFC 6675, 5, step 4.3).
        if flow.in_flight + 1 > flow.window and flow.resend == NONE:
            return NONE
        flow.resend = NONE
        number = next_lost(world, flow)
        if number != NONE:
            return number
    elif flow.resend != NONE:
        number = flow.resend
        flow.resend = NONE
        return number if 0 <= number < flow.high else NONE
    elif flow.next + 1 > flow.una + flow.window + flow.inflation:
        return NONE
    if flow.skips and not flow.selective:
        flow.next = first_unknown(world, flow, flow.next)
    if flow.next >= flow.packets:
        return NONE
    flow.next += 1
    return flow.next - 1


@part
def send(world, f):
    """Make the packet that a flow may send now; False if there is none.

    Called until there is none, because how many may go is known only when they have gone.
    """
    flow = flow_at(world, f)
    if flow.on_line != NONE:  # it is asked again when its own line is free
        return False
    now = world.now
    if flow.request and flow.finish == NEVER and now < flow.stop:
        flow.request = 0
        transmit_request(world, f)
        return True
    if flow.finish == NEVER and now < flow.stop and flow.limited >= 1.0:
        due, saved = now, now
        if flow.rate < 1e300:  # a finite rate paces
            gap = flow.paced_size / flow.rate * 1e9 if flow.rate > 0.0 else math.inf
            last = min(flow.last_paced, int(LATEST) * 1_000_000_000)  # a scheme may have set it
            due = last + int(gap) if gap < LATEST * 1e9 else NEVER
            if flow.pool > 1.0 and due <= now:  # tokens not used, as many as the pool holds, are time put by
                unused = min((flow.pool - 1.0) * flow.packet_size / flow.rate * 1e9, LATEST * 1e9)
                saved = max(due, now - int(unused))
        if due <= now:
            number = next_number(world, flow)
            if number != NONE:
                flow.limited -= 1.0
                flow.last_paced = saved
                transmit_data(world, f, number)
                return True
        elif due != NEVER and flow.due[PACE] != due:
            arm(world, f, PACE, due)
    flow.limited = 1e300
    return False


@part
def transmit_request(world, f):
    """A request for the counters of the links leaves (schemes.md 9.2): 32 bytes, which grow."""
    i = take_packet(world)
    packet = packet_at(world, i)
    packet.flow = f
    packet.kind = FEEDBACK
    packet.marks = REQUEST
    packet.length = 32
    packet.hop = flow_at(world, f).first_hop
    packet.sent = world.now
    packet.number = NONE
    packet.echo = 0
    packet.transmission = NONE
    packet.colour = GREEN
    packet.priority = 0
    world.fed += 1
    flow_at(world, f).notes += 1
    leave(world, f, i)


@part
def transmit_data(world, f, number):
    """One data packet leaves."""
    flow = flow_at(world, f)
    now = world.now
    i = take_packet(world)
    packet = packet_at(world, i)
    packet.flow = f
    packet.number = number
    packet.sent = now
    packet.transmission = flow.transmission
    packet.length = flow.packet_size
    packet.hop = flow.first_hop
    packet.kind = DATA
    packet.marks = ECT if flow.ect else 0
    packet.colour = GREEN
    packet.priority = 0
    if flow.cwr and number >= flow.high:
        packet.marks |= CWR
        flow.cwr = 0
    if flow.stamped:
        packet.marks |= STAMPED
        for k in range(4):
            header_at(world, i).x[k] = flow.header[k]
    flow.sent += 1
    if number < flow.high:
        flow.retransmitted += 1
        if number == flow.timed:
            flow.timed = NONE  # Karn: its round trip would be ambiguous
    else:
        flow.high = number + 1
        if flow.timed == NONE:
            flow.timed = number
            flow.timed_at = now
    if flow.selective:
        remember(world, flow, number)
    flow.transmission += 1
    if flow.next >= flow.packets and flow.lost_head == NONE:
        packet.marks |= LAST
    if flow.asked_on_send:
        world.flow = f
        world.callback = ON_SEND
        send_at(world, flow.scheme, ON_SEND)(world, flow, flow_own(world, f), packet, header_at(world, i), since_at(world, i))
        world.callback = NONE
    flow.paced_size = flow.packet_size
    if flow.acknowledged and flow.due[RTO] == NEVER:
        arm(world, f, RTO, now + timeout_ns(flow))
    leave(world, f, i)

"""What a sender hears, and the questions it asks its scheme: acknowledgments, losses, timeouts, alarms, feedback."""

from longfat.sim.calls import callback_at
from longfat.sim.jit import part, routine
from longfat.sim.kernel.connections import disconnect
from longfat.sim.kernel.events import IN_USE, arm, send_soon
from longfat.sim.kernel.packets import give_back
from longfat.sim.kernel.ranges import forget_below, keep
from longfat.sim.kernel.recovery import account, forget, give_up
from longfat.sim.kernel.sender import ANY, LATEST, send_here
from longfat.sim.kernel.timing import restart_timer, take_round_trip, timeout_ns
from longfat.sim.memory import (
    event_of,
    flow_own,
    header_at,
    packet_at,
    recovery_at,
    sender_at,
    tally_at,
    timer_at,
)
from longfat.sim.records import (
    ALARM,
    ANSWERED,
    ECE,
    NEVER,
    NONE,
    ON_ACK,
    ON_ALARM,
    ON_LOSS,
    ON_TIMEOUT,
    PACE,
    RTO,
    SELECTIVE,
    SKIPS,
    START,
)

IMPATIENCE = 1000  # alarms in a row that a scheme may want at once
MOST_AT_ONCE = 2**25  # packets: more than the memory that a run may take (`world.MOST_ROWS`)


@part
def clear(world, event, sender):
    """Make an event of which nothing is known but its time."""
    event.now = world.now * 1e-9
    event.rtt = 0.0
    event.acked = 0
    event.number = NONE
    event.transmission = NONE
    event.lost = 0
    event.marked = 0
    event.duplicate = 0
    event.restart_timer = 0
    event.packet_size = sender.packet_size
    clear_header(world, event)


@part
def clear_header(world, event):
    """Forget what the packet of the last event brought."""
    if world.told:
        world.told = 0
        for k in range(4):
            event.header[k] = 0.0


@part
def take_header(world, event, i):
    """Let the event bring the header of a packet."""
    world.told = 1
    for k in range(4):
        event.header[k] = header_at(world, i).x[k]


@routine
def is_boundless(world, f, sender):
    """Return whether all that is left may leave at once, and is more than any run can hold.

    Nothing paces it, neither a rate nor a line of its own nor a limit on account of this event.
    """
    if sender.window <= MOST_AT_ONCE or sender.packets - sender.next <= MOST_AT_ONCE:
        return False
    return sender.rate >= ANY and sender.limited >= ANY and sender.line == 0


@part
def ask(world, f, sender, number):
    """Ask a flow's scheme for its window or rate; False if the answer is none. The state says whom, if it fails."""
    world.flow = f
    world.callback = number
    call = callback_at(world, sender.scheme, number)
    value = call(world, sender, timer_at(world, f), recovery_at(world, f), flow_own(world, f), event_of(world))
    if sender.window_decides:
        sender.window = value
    else:
        sender.rate = value
    if value >= 0.0 and sender.rate >= 0.0 and sender.window >= 0.0:  # False for NaN
        if sender.window > MOST_AT_ONCE and is_boundless(world, f, sender):
            return False
        world.callback = NONE  # it neither raised nor answered nonsense
        return True
    world.value = sender.rate if value >= 0.0 and sender.window >= 0.0 else sender.window if value >= 0.0 else value
    return False


@routine
def set_alarm(world, f):
    """Set the clock that the scheme asked for; it rings a nanosecond from now or later, so that time goes on."""
    own = recovery_at(world, f)
    if own.alarm >= 0.0:
        if own.alarm < LATEST:
            arm(world, f, ALARM, max(int(own.alarm * 1e9), world.now + 1))
        else:  # infinite: never
            sender_at(world, f).due[ALARM] = NEVER
        own.alarm = -1.0


@routine
def begin(world, f):
    """Let the first packet go."""
    sender = sender_at(world, f)
    clear(world, event_of(world), sender)
    tally_at(world, f).begun = 1
    fine = ask(world, f, sender, START)
    set_alarm(world, f)
    if fine:
        send_soon(world, f)
    return fine


@part
def acknowledge(world, i):
    """Take an acknowledgment that has come back; False if the scheme answered nonsense."""
    packet = packet_at(world, i)
    f = packet.flow
    sender = sender_at(world, f)
    now = world.now
    sender.acks_received += 1
    outstanding = sender.high > sender.una
    acked = packet.number - sender.una
    if acked > 0:
        sender.una = packet.number
        if sender.next < sender.una:
            sender.next = sender.una
    else:
        acked = 0
    take_round_trip(world, f, sender, packet.sent, acked)
    if not sender.transfer:  # of a packet that was sent twice; of a probe
        give_back(world, i)
        return True
    lost, fresh = 0, False
    if sender.repair == SELECTIVE:
        lost, fresh = account(world, recovery_at(world, f), sender.una, i)
    elif sender.repair == SKIPS:
        note_echo(world, f, sender.una, packet.echo)
    event = event_of(world)
    event.now = now * 1e-9
    event.rtt = (now - packet.sent) * 1e-9
    event.acked = acked
    event.number = packet.echo
    event.transmission = packet.transmission
    event.lost = 0
    event.marked = 1 if packet.marks & ECE else 0
    event.duplicate = 1 if acked == 0 and outstanding else 0
    event.restart_timer = 1 if acked > 0 else 0
    event.packet_size = sender.packet_size
    if sender.stamped:
        take_header(world, event, i)
    else:
        clear_header(world, event)
    give_back(world, i)
    fine = True
    if lost > 0:
        fine = tell_losses(world, f, lost, fresh)
    if fine:
        fine = ask(world, f, sender, ON_ACK)
    if event.restart_timer:
        restart_timer(world, f)
    if sender.alarmed:
        set_alarm(world, f)
    if sender.una >= sender.packets:
        finish(world, f)
    if fine:
        send_here(world, f)
    return fine


@routine
def note_echo(world, f, una, number):
    """Remember that a packet has arrived, for flows that do not send such packets again."""
    own = recovery_at(world, f)
    forget_below(world, own, una)
    if number >= una:
        keep(world, own, number)


@routine
def finish(world, f):
    """Everything is acknowledged: stop the flow's clocks, and give back what it remembers of its transmissions."""
    sender, tally, own = sender_at(world, f), tally_at(world, f), recovery_at(world, f)
    tally.finish = world.now
    sender.transfer = 0
    if tally.template == NONE and world.unfinished > 0:
        world.unfinished -= 1
        world.attention = 1
    for k in range(3):
        if k != PACE or sender.line != IN_USE:  # what is on its own line still arrives
            sender.due[k] = NEVER
    forget(world, own)
    forget_below(world, own, NEVER)
    if tally.template != NONE:
        disconnect(world, f)


@routine
def tell_losses(world, f, lost, fresh):
    """Tell the scheme of every loss, or once of all losses of one window."""
    sender, own, event = sender_at(world, f), recovery_at(world, f), event_of(world)
    tally_at(world, f).losses += lost
    event.lost = lost
    event.number, echoed = world.lost_number, event.number
    fine = True
    if own.every_loss or fresh:
        if fresh:
            own.recover = sender.transmission
        fine = ask(world, f, sender, ON_LOSS)
    event.number = echoed
    return fine


@routine
def time_out(world, f):
    """The timer went off: double it (RFC 6298, 5.5); everything under way counts as lost."""
    sender, timer, own = sender_at(world, f), timer_at(world, f), recovery_at(world, f)
    tally_at(world, f).timeouts += 1
    timer.backoff = min(2 * timer.backoff, timer.max_backoff)
    sender.timed = NONE
    sender.due[RTO] = NEVER
    if sender.repair == SELECTIVE and own.nodes_head != NONE:
        give_up(world, own)
        own.recover = sender.transmission
    clear(world, event_of(world), sender)
    fine = ask(world, f, sender, ON_TIMEOUT)
    if sender.due[RTO] == NEVER:
        arm(world, f, RTO, world.now + timeout_ns(timer))
    set_alarm(world, f)
    if fine:
        send_soon(world, f)
    return fine


@routine
def alarm_rings(world, f):
    """The clock rings that the scheme set."""
    sender, own, event = sender_at(world, f), recovery_at(world, f), event_of(world)
    clear(world, event, sender)
    fine = ask(world, f, sender, ON_ALARM)
    own.impatience = own.impatience + 1 if 0.0 <= own.alarm <= event.now else 0
    if own.impatience >= IMPATIENCE:
        world.callback = ON_ALARM
        fine = False
    set_alarm(world, f)
    if fine:
        send_soon(world, f)
    return fine


@routine
def take_feedback(world, i):
    """Take what a switch says: an acknowledgment of nothing, with header fields."""
    event = event_of(world)
    packet = packet_at(world, i)
    f = packet.flow
    sender = sender_at(world, f)
    world.fed_received += 1
    tally_at(world, f).feedback -= 1
    clear(world, event, sender)
    if packet.marks & ANSWERED:  # the answer to a request
        event.rtt = (world.now - packet.sent) * 1e-9
    take_header(world, event, i)
    give_back(world, i)
    if not sender.transfer:
        return True
    fine = ask(world, f, sender, ON_ACK)
    set_alarm(world, f)
    if fine:
        send_soon(world, f)
    return fine

"""The loop: take the earliest event, let its module deal with it, until a time, a number of events, or want of room."""

from longfat.sim.calls import ON_TICK, tick_at
from longfat.sim.jit import entry, part, routine
from longfat.sim.kernel.access import reach_first_node
from longfat.sim.kernel.acknowledgments import IMPATIENCE, acknowledge, alarm_rings, begin, take_feedback, time_out
from longfat.sim.kernel.connections import connect
from longfat.sim.kernel.events import (
    IN_USE,
    INDEX_BITS,
    INDICES,
    KINDS,
    arm,
    first_of_both,
    next_clock,
    no_arrival,
    schedule,
    send_soon,
    set_clock,
)
from longfat.sim.kernel.lines import advance, take_arrived
from longfat.sim.kernel.links import admit, catch_up, send_feedback, tell_switch
from longfat.sim.kernel.receiver import receive
from longfat.sim.kernel.sender import BURST, LATEST, send
from longfat.sim.kernel.serving import end_of_transmission, wake_queue
from longfat.sim.kernel.sources import emit
from longfat.sim.memory import (
    flow_sample_at,
    hop_at,
    link_at,
    link_own,
    link_sample_at,
    packet_at,
    prefetch_flow,
    queue_at,
    receiver_at,
    sender_at,
    service_own,
    tally_at,
    timer_at,
    world_at,
)
from longfat.sim.records import (
    ACK,
    ARRIVAL,
    ARRIVALS,
    AT_ARRIVAL,
    BAD_VALUE,
    CLOCK,
    DEPARTURE,
    DONE,
    NEVER,
    NEXT_HOP,
    NO_FLOWS,
    NONE,
    PACE,
    PAUSED,
    RTO,
    SAMPLING,
    SWITCH_CLOCK,
    TO_RECEIVER,
    TO_SWITCH,
    TRANSFER,
    WAKE,
)


@part
def leave_late(world, link, hop):
    """Count a packet that was not worked out ahead; those behind it may be now, if the horizon has moved."""
    if hop.ahead != AT_ARRIVAL:
        link.late -= 1
        if link.late > 0:
            catch_up(world, link.number)


@part
def arrive(world, k):
    """Let the first packet on a link reach its far end; False if a scheme answered nonsense."""
    link = link_at(world, k)
    i = take_arrived(world, link)
    if i == NONE:
        return True
    packet = packet_at(world, i)
    hop = hop_at(world, packet.hop)
    then = hop.then
    if hop.link != k:  # the receiver has had it ahead of its time: now its acknowledgment enters the next link
        admit(world, i)
    elif then == NEXT_HOP:
        packet.hop += 1
        admit(world, i)
        leave_late(world, link, hop)
    elif then == TO_RECEIVER:
        if receive(world, i):
            admit(world, i)
        leave_late(world, link, hop)
    elif then == TO_SWITCH:
        tell_switch(world, i)
    elif packet.kind == ACK:
        if link.head != NONE:
            prefetch_flow(world, packet_at(world, link.head).flow)
        return acknowledge(world, i)
    else:
        return take_feedback(world, i)
    return True


@routine
def ring(world, which, f, time):
    """Let a clock of a flow ring; entries that were put off or left behind cost nothing else. False: as `arrive`."""
    sender = sender_at(world, f)
    if time != sender.armed[which]:
        return True
    sender.armed[which] = NEVER
    due = sender.due[which]
    if due > time:
        if due != NEVER:
            set_clock(world, f, which, due)
        return True
    sender.due[which] = NEVER
    if which == RTO:
        return time_out(world, f)
    if which == PACE:
        return pace(world, f, time)
    return alarm_rings(world, f)


@routine
def pace(world, f, time):
    """It is time for a packet: the one on the flow's own line, the next one of its rate, or of its generator."""
    sender, tally = sender_at(world, f), tally_at(world, f)
    if sender.line == IN_USE:
        reach_first_node(world, f)
        if sender.transfer:
            send_soon(world, f)
    elif tally.traffic == ARRIVALS:
        row = connect(world, f)
        if row == NONE:
            world.flow = f
            world.short_of_flows = 1
            arm(world, f, PACE, time)
        elif row != f:
            return begin(world, row)
    elif tally.traffic != TRANSFER:
        emit(world, f)
    elif tally.begun == 0:
        return begin(world, f)
    else:
        send_soon(world, f)
    return True


@routine
def switch_clock(world, k):
    """Let the clock of a link's discipline ring; it says when it wants the next call."""
    link = link_at(world, k)
    if link.service == NONE:
        advance(world, link)  # it may look at what waits
    world.link = k
    now = world.now * 1e-9
    seconds = tick_at(world, link.discipline, ON_TICK)(world, link, link_own(world, k), service_own(world, k), now)
    if not seconds >= 0.0:  # or NaN
        raise ValueError("tick returned no time [s] in [0, inf]")
    link.impatience = link.impatience + 1 if seconds <= now else 0
    if link.impatience >= IMPATIENCE:
        raise ValueError("tick asked 1000 times in a row to be called at once; return the next time [s]")
    if seconds < LATEST:
        schedule(world, SWITCH_CLOCK, k, max(int(seconds * 1e9 + 0.5), world.now + 1))


@routine
def take_samples(world):
    """Write one row of each trace, and schedule the next."""
    if world.samples >= world.samples_room:
        return
    for f in range(world.sampled_flows):
        sender, row = sender_at(world, f), flow_sample_at(world, world.samples * world.sampled_flows + f)
        row.window = sender.window + sender.inflation
        row.rate = sender.rate
        row.received_bytes = receiver_at(world, f).received_bytes
        row.srtt = timer_at(world, f).srtt
    for k in range(world.sampled_links):
        link, line = link_at(world, k), link_sample_at(world, world.samples * world.sampled_links + k)
        line.arrived_bytes = link.served_bytes + link.dropped_bytes - link.stamped_bytes
        if link.service == NONE:
            advance(world, link)
        else:
            line.arrived_bytes += link.waiting_bytes
        line.waiting = link.waiting
        line.served_bytes = link.served_bytes
        line.dropped = link.dropped
    world.samples += 1
    if world.horizon >= 0:
        world.horizon = min(world.until, world.now + world.sample_every - 1)
    schedule(world, SAMPLING, 0, world.now + world.sample_every)


@routine
def clock(world, kind, index, time):
    """Deal with an event among the clocks; False as `arrive`."""
    if kind == SWITCH_CLOCK:
        switch_clock(world, index)
    elif kind == SAMPLING:
        take_samples(world)
    elif kind == WAKE:
        if queue_at(world, index).armed == time:
            queue_at(world, index).armed = NEVER
            wake_queue(world, index)
    else:
        return ring(world, kind - CLOCK, index, time)
    return True


@part
def look_around(world):
    """Let a packet enter, send feedback of a switch, let a flow send; return what rows are short of, DONE or PAUSED."""
    while world.entering != NONE or world.feedback_flow != NONE:
        if world.entering != NONE:
            i = world.entering
            world.entering = NONE
            admit(world, i)
        else:
            send_feedback(world)
    if world.short != DONE:
        return world.short
    if world.sending != NONE:
        f = world.sending
        world.sending = NONE
        world.attention = 0
        send(world, f)
        world.attention = 1  # whether all files are done has not been asked yet
        return PAUSED
    world.attention = 0
    return DONE if world.unfinished == 0 else PAUSED


@entry(".", "..")
def run(address, until, budget):
    """Run until a time [ns], or for `budget` events; return what it ends with."""
    world = world_at(address)
    world.attention = 1
    world.until = until
    # Somebody looks at the end, or at the next sample; a run that ends with its files may end before.
    world.horizon = until if world.unfinished < 0 else -1
    if world.samples < world.samples_room and world.unfinished < 0:
        world.horizon = min(until, world.samples * world.sample_every - 1)
    while True:
        while world.attention:
            if world.sending != NONE:
                budget -= BURST
            ends = look_around(world)
            if ends != PAUSED:
                return ends
            if budget < 0:
                return PAUSED
        if budget <= 0:
            return PAUSED
        budget -= 1
        time, key = first_of_both(world)
        if time > until:
            world.now = until
            return DONE
        world.events += 1
        world.now = time
        index = key & (INDICES - 1)
        kind = (key >> INDEX_BITS) & (KINDS - 1)
        fine = True
        if kind == ARRIVAL:
            fine = arrive(world, index)
        elif kind == DEPARTURE:
            no_arrival(world)
            end_of_transmission(world, index)
        else:
            next_clock(world)
            fine = clock(world, kind, index, time)
            if world.short_of_flows:
                world.short_of_flows = 0
                return NO_FLOWS
        if not fine:
            return BAD_VALUE

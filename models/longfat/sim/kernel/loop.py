"""The loop: take the earliest event, let its module deal with it, until a time, a number of events, or want of room."""

from longfat.sim.calls import ON_TICK, tick_at
from longfat.sim.jit import entry, part
from longfat.sim.kernel.access import arrive as reach_first_node
from longfat.sim.kernel.events import INDEX_BITS, INDICES, KINDS, arm, new_key, pop, schedule, set_clock, sink
from longfat.sim.kernel.links import admit, advance, end_of_transmission, queue_wakes, send_note, tell_switch
from longfat.sim.kernel.receiver import receive
from longfat.sim.kernel.sender import IMPATIENCE, LATEST, acknowledge, alarm_rings, begin, hear, send, time_out
from longfat.sim.kernel.traffic import connect, disconnect, emit
from longfat.sim.memory import (
    entry_at,
    flow_at,
    flow_sample_at,
    hop_at,
    link_at,
    link_own,
    link_sample_at,
    packet_at,
    queue_at,
    service_own,
    world_at,
)
from longfat.sim.records import (
    ACK,
    ARRIVAL,
    ARRIVALS,
    BAD_VALUE,
    CLOCK,
    DONE,
    ELIGIBLE,
    FIFO,
    NEVER,
    NEXT_HOP,
    NO_BLOCKS,
    NO_CONNECTIONS,
    NO_FLOWS,
    NO_NODES,
    NO_PACKETS,
    NO_TIMERS,
    NONE,
    PACE,
    PAUSED,
    RECEIVER,
    ROOM,
    RTO,
    SAMPLING,
    SWITCH,
    SWITCH_CLOCK,
    TOO_LATE,
    TRANSFER,
)


@part
def room(world):
    """What is short, DONE if nothing."""
    if world.late != NONE:
        return TOO_LATE
    if world.free_packets < ROOM:
        return NO_PACKETS
    if world.free_blocks < ROOM:
        return NO_BLOCKS
    if world.free_nodes < ROOM:
        return NO_NODES
    if world.timers + ROOM > world.timers_room:
        return NO_TIMERS
    if world.connections + ROOM > world.connections_room:
        return NO_CONNECTIONS
    return DONE


@part
def arrival(world, k):
    """The first packet on a link has reached its far end; False if a scheme answered nonsense."""
    link = link_at(world, k)
    i = link.head
    packet = packet_at(world, i)
    following = packet.next
    link.head = following
    if i == link.first and link.waiting > 0:  # it began before it arrived, and nobody has looked since
        link.waiting -= 1
        link.waiting_bytes -= packet.length
        link.first = following
        link.begin = packet.time - link.delay
    if following == NONE:
        link.tail = NONE
        pop(world.arrivals_base, world.arrivals)
        world.arrivals -= 1
    else:
        sink(world.arrivals_base, world.arrivals, packet_at(world, following).time, new_key(world, ARRIVAL, k))
    then = hop_at(world, packet.hop).then
    if then == NEXT_HOP:
        packet.hop += 1
        world.entering = i
    elif then == RECEIVER:
        receive(world, i)
    elif then == SWITCH:
        tell_switch(world, i)
    elif packet.kind == ACK:
        return acknowledge(world, i)
    else:
        return hear(world, i)
    return True


@part
def clock(world, which, f, time):
    """A clock of a flow; entries that were put off or left behind cost nothing else. True, or what is wrong."""
    flow = flow_at(world, f)
    if time != flow.armed[which]:
        return True
    flow.armed[which] = NEVER
    due = flow.due[which]
    if due > time:
        if due != NEVER:
            set_clock(world, f, which, due)
        return True
    flow.due[which] = NEVER
    if which == RTO:
        return time_out(world, f)
    if which == PACE:
        if flow.on_line != NONE:
            reach_first_node(world, f)
            if flow.finish == NEVER:
                world.sending = f
        elif flow.traffic == ARRIVALS:
            row = connect(world, f)
            if row == NONE:
                world.flow = f
                world.short_of_flows = 1
                arm(world, f, PACE, time)
            elif row != f:
                return begin(world, row)
        elif flow.traffic != TRANSFER:
            emit(world, f)
        elif flow.begun == 0:
            return begin(world, f)
        else:
            world.sending = f
        return True
    return alarm_rings(world, f)


@part
def switch_clock(world, k):
    """The timer of a link's discipline; it says when it wants the next call."""
    link = link_at(world, k)
    if link.service == FIFO:
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


@part
def take_samples(world):
    """One row of each trace, and the time of the next."""
    if world.samples >= world.samples_room:
        return
    for f in range(world.sampled_flows):
        flow, row = flow_at(world, f), flow_sample_at(world, world.samples * world.sampled_flows + f)
        row.window = flow.window + flow.inflation
        row.rate = flow.rate
        row.received_bytes = flow.received_bytes
        row.srtt = flow.srtt
    for k in range(world.sampled_links):
        link, line = link_at(world, k), link_sample_at(world, world.samples * world.sampled_links + k)
        if link.service == FIFO:
            advance(world, link)
        line.waiting = link.waiting
        line.arrived_bytes = link.arrived_bytes
        line.served_bytes = link.served_bytes
        line.dropped = link.dropped
    world.samples += 1
    schedule(world, SAMPLING, 0, world.now + world.sample_every)


@entry(".", "..")
def run(address, until, budget):
    """Run until a time [ns], or for `budget` events and packets sent; what it ends with."""
    world = world_at(address)
    while True:
        if world.entering != NONE:
            i = world.entering
            world.entering = NONE
            admit(world, i)
        if world.notify_flow != NONE:
            send_note(world)
            continue
        short = room(world)
        if short != DONE:
            return short
        if budget <= 0:
            return PAUSED
        budget -= 1
        if world.sending != NONE:
            f = world.sending
            if send(world, f):
                continue
            world.sending = NONE
            if flow_at(world, f).template != NONE and flow_at(world, f).finish != NEVER:
                disconnect(world, f)
        if world.unfinished == 0:
            return DONE
        # The earlier of the two heaps' first entries.
        time, key, is_timer = NEVER, 0, False
        if world.arrivals > 0:
            first = entry_at(world.arrivals_base, 0)
            time, key = first.time, first.key
        if world.timers > 0:
            other = entry_at(world.timers_base, 0)
            if other.time < time or (other.time == time and other.key < key):
                time, key, is_timer = other.time, other.key, True
        if time > until:
            world.now = until
            return DONE
        world.events += 1
        world.now = time
        index = key & (INDICES - 1)
        kind = (key >> INDEX_BITS) & (KINDS - 1)
        fine = True
        if kind == ARRIVAL:
            fine = arrival(world, index)
        elif is_timer:
            pop(world.timers_base, world.timers)
            world.timers -= 1
            if kind == SWITCH_CLOCK:
                switch_clock(world, index)
            elif kind == SAMPLING:
                take_samples(world)
            elif kind == ELIGIBLE:
                if queue_at(world, index).armed == time:
                    queue_at(world, index).armed = NEVER
                    queue_wakes(world, index)
            else:
                fine = clock(world, kind - CLOCK, index, time)
                if world.short_of_flows:
                    world.short_of_flows = 0
                    return NO_FLOWS
        else:
            pop(world.arrivals_base, world.arrivals)
            world.arrivals -= 1
            end_of_transmission(world, link_at(world, index))
        if not fine:
            return BAD_VALUE

"""Traffic that no scheme controls, and connections that come and go."""

import math

from longfat.sim.jit import part
from longfat.sim.kernel.events import arm
from longfat.sim.kernel.links import take_packet
from longfat.sim.kernel.recovery import return_nodes
from longfat.sim.memory import connection_at, flow_at, flow_own, header_at, packet_at, traffic_uniform, word_at
from longfat.sim.records import DATA, ECT, FLOW, NEVER, NONE, ON_OFF, PACE, POISSON

WORDS = FLOW.itemsize // 8
LONGEST = 5e18  # ns; what lasts longer outlasts every run


@part
def exponential(world, mean):
    """An exponential variate by inversion: the same bits with jit on and off."""
    return -mean * math.log1p(-traffic_uniform(world))


@part
def duration(world, mean, shape):
    """Fixed (shape 0), exponential (shape 1) or Pareto (shape above 1) with this mean."""
    if shape <= 0.0:
        return mean
    if shape == 1.0:
        return exponential(world, mean)
    least = mean * (shape - 1.0) / shape
    return least * math.exp(exponential(world, 1.0 / shape))  # (1 - U)^(-1/shape)


@part
def whole(time):
    """The nearest whole nanosecond."""
    return int(min(time, LONGEST) + 0.5)


@part
def begins(world, f):
    """Whether a random process has begun; if not, it does, and what comes first does after a gap like all others."""
    flow = flow_at(world, f)
    if flow.begun:
        return True
    flow.begun = 1
    arm(world, f, PACE, world.now + whole(exponential(world, flow.gap)))
    return False


@part
def put_off(world, f, time):
    """An on-off source's next packet, at `time` if it is still on then; what is left of the gap waits otherwise.

    So the gaps run on from one on-time to the next, and the mean rate is right whatever the gap.
    """
    flow = flow_at(world, f)
    if time >= flow.off_at:
        flow.on = 0
        flow.left = time - flow.off_at
        time = min(flow.off_at, NEVER - int(LONGEST)) + whole(duration(world, flow.off_time, flow.shape_off))
    arm(world, f, PACE, time)


@part
def emit(world, f):
    """One packet of an uncontrolled flow, and the time of the next."""
    flow = flow_at(world, f)
    now = world.now
    if now >= flow.stop or flow.sent >= flow.packets:
        flow.finish = now
        return
    if flow.traffic == POISSON and not begins(world, f):
        return
    if flow.traffic == ON_OFF and flow.on == 0:
        flow.on = 1
        flow.off_at = now + max(1, whole(duration(world, flow.on_time, flow.shape_on)))
        if flow.left > 0:
            put_off(world, f, now + flow.left)
            return
    i = take_packet(world)
    packet = packet_at(world, i)
    size = flow.packet_size
    if flow.mean_size > 0.0:
        size = min(max(1, int(exponential(world, flow.mean_size) + 0.5)), 1_000_000)
    packet.flow = f
    packet.number = flow.high
    packet.sent = now
    packet.transmission = flow.transmission
    packet.length = size
    packet.hop = flow.first_hop
    packet.kind = DATA
    packet.marks = ECT if flow.ect else 0
    packet.colour = 0
    packet.priority = 0
    if flow.stamped:
        for k in range(4):
            header_at(world, i).x[k] = flow.header[k]
    flow.high += 1
    flow.next = flow.high
    flow.transmission += 1
    flow.sent += 1
    if flow.traffic == POISSON:
        arm(world, f, PACE, now + whole(exponential(world, flow.gap)))
    else:
        gap = min(flow.gap, LONGEST)
        flow.slack += gap - int(gap)  # gaps in whole ns, right on average
        following = now + int(gap) + int(flow.slack)
        flow.slack -= int(flow.slack)
        if flow.traffic == ON_OFF:
            put_off(world, f, following)
        else:
            arm(world, f, PACE, following)
    world.entering = i


@part
def is_silent(flow):
    """Nothing of this flow is on its way."""
    answered = flow.acks_sent == flow.acks_received + flow.acks_dropped and flow.notes == 0
    return answered and flow.sent == flow.received + flow.dropped


@part
def fold(total, flow):
    """Add what a connection counted to what its template counts."""
    total.sent += flow.sent
    total.retransmitted += flow.retransmitted
    total.received += flow.received
    total.received_bytes += flow.received_bytes
    total.duplicate += flow.duplicate
    total.dropped += flow.dropped
    total.delay += flow.delay
    total.last_arrival = max(total.last_arrival, flow.last_arrival)
    total.acks_sent += flow.acks_sent
    total.acks_received += flow.acks_received
    total.acks_dropped += flow.acks_dropped
    total.losses += flow.losses
    total.timeouts += flow.timeouts
    total.marks += flow.marks


@part
def row_for(world, t):
    """A row for a connection of template t: one that ended and of which no packet is on its way, NONE if none."""
    template = flow_at(world, t)
    f = template.first_row
    if f == NONE or not is_silent(flow_at(world, f)):
        return NONE
    template.first_row = flow_at(world, f).next_row
    if template.first_row == NONE:
        template.last_row = NONE
    return f


@part
def copy_flow(world, t, f):
    """Row f becomes what row t is."""
    size = 8 * WORDS
    for k in range(WORDS):
        word_at(world.flows_base + f * size, k).x = word_at(world.flows_base + t * size, k).x
    for k in range(world.flow_own_words):
        word_at(flow_own(world, f), k).x = word_at(flow_own(world, t), k).x


@part
def connect(world, t):
    """A connection of template t begins; its row, or NONE if rows have to be added first."""
    now = world.now
    template = flow_at(world, t)
    if now >= template.stop or not begins(world, t):
        return t
    f = row_for(world, t)
    if f == NONE:
        return NONE
    fold(template, flow_at(world, f))
    hop = flow_at(world, f).first_hop
    rto, pace, alarm = flow_at(world, f).armed[0], flow_at(world, f).armed[1], flow_at(world, f).armed[2]
    flow = flow_at(world, f)
    return_nodes(world, flow.stamps)
    copy_flow(world, t, f)
    clear_counts(flow)
    flow.traffic = 0
    flow.template = t
    flow.first_hop = hop
    for k in range(3):
        flow.due[k] = NEVER
    flow.armed[0] = rto  # what stands in the heap still rings, and is ignored
    flow.armed[1] = pace
    flow.armed[2] = alarm
    flow.start = now
    flow.stop = NEVER
    flow.next_row = NONE
    arm(world, t, PACE, now + whole(exponential(world, template.gap)))
    return f


@part
def clear_counts(flow):
    """As the template was before its first connection."""
    flow.sent = 0
    flow.retransmitted = 0
    flow.received = 0
    flow.received_bytes = 0
    flow.duplicate = 0
    flow.dropped = 0
    flow.delay = 0.0
    flow.last_arrival = 0
    flow.acks_sent = 0
    flow.acks_received = 0
    flow.acks_dropped = 0
    flow.losses = 0
    flow.timeouts = 0
    flow.marks = 0


@part
def disconnect(world, f):
    """A connection is complete: write it down; its row may be used again."""
    flow = flow_at(world, f)
    template = flow_at(world, flow.template)
    entry = connection_at(world, world.connections)
    entry.flow = flow.template
    entry.start = flow.start
    entry.finish = flow.finish
    entry.sent = flow.sent
    entry.dropped = flow.dropped
    world.connections += 1
    if template.last_row == NONE:
        template.first_row = f
    else:
        flow_at(world, template.last_row).next_row = f
    template.last_row = f
    flow.next_row = NONE

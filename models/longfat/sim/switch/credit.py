"""Link-by-link credit flow control (FCVC): a node sends a flow's cells only if the next switch has buffers for them.

A switch sends a credit cell to its upstream neighbour after each N2 cells of a flow that it has forwarded; the credit
cell carries the number of cells forwarded so far. The neighbour may have sent at most N2 + N3 cells (the allocation)
that are not yet forwarded: with N3 = rate x round trip of the link, a flow can reach that rate. The scheduler (service
`credit`) sends within these limits: a flow without credit waits and lets other flows pass, so that a blocked flow does
not block the link. Our choice, because the paper leaves the order to the switch: the flows with credit take turns
packet by packet. Acknowledgments, and packets of other schemes, need no credit.

Cells are counted by their transmission numbers, so that a cell that arrives also returns the credit of the cells lost
before it. A flow that is blocked for a time `check` and gets no credit cell sends one cell without credit, which the
next node answers immediately with its counts; both rules are our choice, in place of the paper's credit check cells.
Buffers never overflow as long as a switch forwards N2 cells of each flow within `check`. The last switch of a path is
not limited, because its receiver takes every cell.

Adaptive allocation (`adaptive`): after each `interval` a switch shares its pool of M cells among the flows in
proportion to the cells that they have forwarded: with TQ queued cells and N flows, a flow that has forwarded V of TV
cells gets 1 + (M/2 - TQ - N) V/TV, reported in credit cells. Our choice, because the paper could not be read and
buffers must not overflow: the sum of the allocations never exceeds the free part of the pool if all flows use their
latest reported allocations, and a flow that is silent for an interval returns to an allocation of one cell without a
message, at both ends of the link.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import NONE, NOTHING
from longfat.sim.plugin.discipline import ENQUEUE, PER_FLOW, SEND, Discipline, Parameter, Service, flag
from longfat.sim.plugin.feedback import ALLOCATION, CHECK, FORWARDED, LEFT, OF_CREDIT, OWNER, belongs
from longfat.sim.plugin.functions import (
    append,
    flow_state,
    has_next_switch,
    now_ns,
    queue,
    queue_numbered,
    queue_of,
    schedule_wake,
    take_first,
)
from longfat.sim.switch.round_robin import join_list, leave_list


# Kung, Blackwell and Chapman (1994), credit update protocol: Crd_Bal = Buf_Alloc - (Tx_Cnt - Fwd_Cnt). Our addition: an
# allocation falls to one cell if it is not used for its lifetime.
@inline
def has_credit(queue, now):
    """Return whether the flow of a queue has credit for its next packet."""
    if not queue.limited:
        return True
    if now - queue.used_at > queue.lifetime:
        queue.allocation = 1.0
    return queue.sent - queue.forwarded < queue.allocation


@inline
def may_check(link, queue):
    """Return whether a blocked queue may send a packet without credit; schedule a call at the time when it may."""
    if math.isinf(queue.check):
        return False
    time = int((queue.used_at + queue.check) * 1e9) + 1
    schedule_wake(link, queue, time)
    return now_ns(link) >= time


def join(link, packet, now):
    """Append the packet to its flow's queue; a queue that was empty joins the list of backlogged queues."""
    queue = queue_of(link, packet)
    append(link, queue, packet)
    if queue.packets == 1:
        join_list(link, queue)
    return 0


def serve(link, now):
    """Take the first packet of the next queue that has credit; this queue then goes to the end of the list."""
    for _ in range(link.active):
        queue = queue_numbered(link, link.turn)
        leave_list(link, queue)
        if has_credit(queue, now) or may_check(link, queue):
            taken = take_first(link, queue)
            if queue.packets > 0:
                join_list(link, queue)
            return taken
        join_list(link, queue)
    return NOTHING


CREDIT = Service(
    "credit",
    enqueue=join,
    dequeue=serve,
    queues=PER_FLOW,
    # `active` is the number of queues in the list of backlogged queues; `turn` is the first of these queues, which
    # sends next, and `last` is the last one.
    state={"active": 0, "turn": NONE, "last": NONE},
    # At the upstream end of the next link: `limited`, whether the flow needs credit; `check`, time without a credit
    # cell after which one packet leaves without credit [s]; `sent`, packets sent; `forwarded`, packets that the next
    # node has forwarded; `allocation`, the flow's allocation at the next node, with its `lifetime` [s] and the time
    # `used_at` of its last use or confirmation [s]. At the downstream end of the previous link: `granted`, present
    # allocation at this node; `announced`, allocation in the last credit cell, sent at `announced_at` [s];
    # `announced_before`, greatest earlier allocation that may still be in use; `arrived_at`, time of the last arrival
    # [s]; `usage`, packets forwarded in this interval.
    queue_state={
        "limited": False, "check": math.inf, "sent": 0, "forwarded": 0, "allocation": 0.0,
        "lifetime": math.inf, "used_at": 0.0, "behind": NONE,
        "granted": 0.0, "announced": 0.0, "announced_before": 0.0, "announced_at": 0.0, "arrived_at": 0.0, "usage": 0,
    },
    settable=(
        "limited", "check", "sent", "forwarded", "allocation", "lifetime", "used_at", "granted", "announced",
        "announced_before", "announced_at", "arrived_at", "usage",
    ),
    work_conserving=False,
    source='H. T. Kung, T. Blackwell and A. Chapman, "Credit-Based Flow Control for ATM Networks: Credit Update '
    'Protocol, Adaptive Credit Allocation and Statistical Multiplexing", SIGCOMM 1994, '
    'doi:10.1145/190314.190324 (after summaries; not checked against the original)',
)  # fmt: skip


# Our choice: the upstream node may still use the largest of several announced allocations. An allocation announced
# before the last one counts for one more interval, within which the last credit cell reaches the upstream node, and
# the cells that the upstream node sent before reach this switch.
@inline
def reserved(link, queue, now):
    """Return the number of cells of a flow for which this switch must keep buffers, by the allocations announced."""
    # An allocation of a flow that was silent for longer has expired upstream.
    if now - max(queue.arrived_at, queue.announced_at) > 2.0 * link.interval:
        queue.announced = queue.granted = 1.0
        queue.announced_before = 0.0
    recent = now - queue.announced_at < link.interval
    return max(queue.announced, queue.announced_before) if recent else queue.announced


# Kung, Blackwell and Chapman (1994), adaptive credit allocation: (M/2 - TQ - N) V/TV. Our choice: the pool is at most
# the part that `reserved` leaves free, and every flow gets at least one cell, because it could not begin otherwise.
@inline
def share_pool(link, now):
    """Share the pool among the flows in proportion to their use of the link in the last interval."""
    used, waiting, kept, flows = 0, 0, 0.0, int(link.queue_count)
    for k in range(flows):
        one = queue(link, k)
        used += one.usage
        waiting += one.packets
        kept += max(float(one.packets), reserved(link, one, now))
    room = min(link.pool, float(link.limit_packets))
    pool = min(room / 2.0 - waiting, room - kept) - flows
    for k in range(flows):
        one = queue(link, k)
        if one.usage > 0:
            one.granted = 1.0 + max(0.0, pool * one.usage // used)
        one.usage = 0
    link.shared_at = now


@inline
def send_credit(link, flow, queue, now):
    """Send the upstream node a credit cell with the number of cells forwarded so far and the allocation."""
    queue.announced_at = now
    flow.reported = flow.forwarded
    link.feedback[FORWARDED] = float(flow.forwarded)
    link.feedback[ALLOCATION] = queue.announced
    link.feedback[OWNER] = OF_CREDIT
    link.send_feedback = 1


# N23 (Kung and Chapman 1993): a credit cell is sent after N2 forwarded cells. Our choice: a credit cell is sent after
# fewer forwarded cells if the allocation is below N2, and immediately if the allocation has changed.
@inline
def return_credit(link, flow, queue, now):
    """Send a credit cell to the upstream node if it is due."""
    changed = link.adaptive > 0.0 and queue.granted != queue.announced
    if flow.forwarded - flow.reported < min(link.n2, queue.announced) and not changed:
        return
    if changed:
        before = queue.announced_before if now - queue.announced_at < link.interval else 0.0
        queue.announced_before = max(before, queue.announced)
        queue.announced = queue.granted
    send_credit(link, flow, queue, now)


def enqueue(link, packet, now):
    """Record the arrival; give a new flow its first allocation."""
    if not belongs(packet, OF_CREDIT):
        return ENQUEUE
    mine, flow = queue_of(link, packet), flow_state(link, packet.flow)
    if not flow.seen:
        flow.seen = True
        mine.limited = has_next_switch(link, packet)
        mine.check = link.check
        # Both ends of a link assume this allocation before the first credit cell.
        mine.allocation = mine.granted = mine.announced = 1.0 if link.adaptive else link.n2 + link.n3
        if link.adaptive:
            mine.lifetime = link.interval
        mine.sent = mine.forwarded = packet.transmission
    left = packet.header[LEFT] if packet.header[LEFT] > 0.0 else packet.sent
    if link.adaptive and 2.0 * (now - left) > link.interval:
        raise ValueError("interval =", link.interval, "s is out of range: must be at least the round trip of a link,",
                         2.0 * (now - left), "s, because a reduced credit must arrive within it")  # fmt: skip
    mine.arrived_at = now
    if packet.header[CHECK] > 0.0:
        send_credit(link, flow, mine, now)
    return ENQUEUE


def dequeue(link, packet, now):
    """Count the packet as sent downstream and as forwarded for the upstream node; send a credit cell if it is due."""
    if not belongs(packet, OF_CREDIT):
        return SEND
    mine, flow = queue_of(link, packet), flow_state(link, packet.flow)
    packet.header[CHECK] = 1.0 if mine.limited and mine.sent - mine.forwarded >= mine.allocation else 0.0
    mine.sent = flow.forwarded = packet.transmission + 1
    mine.used_at = now
    packet.header[LEFT] = now
    mine.usage += 1
    if link.adaptive and now >= link.shared_at + link.interval:
        share_pool(link, now)
    return_credit(link, flow, mine, now)
    return SEND


# Kung, Blackwell and Chapman (1994), credit update protocol: a credit cell carries an absolute count, so that the next
# cell replaces a lost cell.
def feedback(link, packet, now):
    """Read the counts of a credit cell; the service then sends the packets that they allow."""
    if packet.header[OWNER] == OF_CREDIT:
        mine = queue_of(link, packet)
        mine.forwarded = max(mine.forwarded, int(packet.header[FORWARDED]))
        mine.allocation = packet.header[ALLOCATION]
        mine.used_at = now
    return 0


credit = Discipline(
    "credit",
    CREDIT,
    enqueue=enqueue,
    dequeue=dequeue,
    feedback=feedback,
    parameters={
        "n2": Parameter(
            10.0, "packets", "[1, 1e6]", about="Forwarded packets of a flow per credit packet", integer=True
        ),
        "n3": Parameter(
            30.0,
            "packets",
            "[0, 1e9]",
            about="Packets of a flow that fill the round trip to the next switch",
            integer=True,
        ),
        "check": Parameter(
            1.0, "s", "(0, inf]", about="Time without credit packets after which a blocked flow sends one packet to ask"
        ),
        "adaptive": flag(False, "Share a pool by use; otherwise every flow has n2 + n3 at every switch"),
        "pool": Parameter(
            400.0, "packets", "[1, 1e9]", about="Packets to share, at most the buffer; if adaptive", integer=True
        ),
        "interval": Parameter(
            0.02, "s", "(0, 1e3]", about="Time between two allocations, at least a round trip of the links; if adaptive"
        ),
    },
    state={"shared_at": 0.0},
    # `seen`: whether a packet of the flow has arrived. `forwarded`: number of transmissions forwarded so far.
    # `reported`: the value of `forwarded` in the last credit cell.
    flow_state={"seen": False, "forwarded": 0, "reported": 0},
    needs_buffer=True,
    hop_by_hop=True,
    source='H. T. Kung, T. Blackwell and A. Chapman, "Credit-Based Flow Control for ATM Networks: Credit Update '
    'Protocol, Adaptive Credit Allocation and Statistical Multiplexing", SIGCOMM 1994, doi:10.1145/190314.190324; '
    'H. T. Kung and A. Chapman, "The FCVC (Flow-Controlled Virtual Channels) Proposal for ATM Networks", ICNP 1993, '
    "doi:10.1109/ICNP.1993.340926 (both after summaries; not checked against the originals)",
)

"""Round robin over the flows that have credit: the sending side of link-by-link credit flow control.

H. T. Kung, T. Blackwell and A. Chapman, "Credit-Based Flow Control for ATM Networks: Credit Update Protocol, Adaptive
Credit Allocation and Statistical Multiplexing", SIGCOMM 1994. A cell of a flow may leave only while the next node has
room for it in the flow's own allocation. The credit balance is the allocation less the cells that were sent and that
the next node has not yet forwarded, by the count in its last credit cell. A flow without credit waits and lets others
pass, so that a blocked flow does not block the link.

The discipline `longfat.sim.queues.credit` keeps the counts. Ours, because the paper leaves the order to the switch: the
flows with credit take turns packet by packet. Packets of other schemes and acknowledgments need no credit.

If all credit cells are lost, a blocked flow would never receive new credit. The paper has credit check cells for that.
Ours: one packet of a flow that has waited for `check` since its last packet or credit cell leaves without credit, and
the next node answers immediately.
"""

import math

from longfat.sim.kernel.jit import part
from longfat.sim.kernel.records import NONE, NOTHING
from longfat.sim.plugin.functions import append, now_ns, queue_numbered, queue_of, schedule_wake, take_first
from longfat.sim.services.round_robin import join_list, leave_list
from longfat.sim.services.service import PER_FLOW, Service


# Kung, Blackwell and Chapman (1994), credit update protocol: Crd_Bal = Buf_Alloc - (Tx_Cnt - Fwd_Cnt). Ours: an
# allocation that is not used for its lifetime is one cell.
@part
def has_credit(queue, now):
    """Return whether the next packet of a queue may leave."""
    if not queue.limited:
        return True
    if now - queue.used_at > queue.lifetime:
        queue.allocation = 1.0
    return queue.sent - queue.forwarded < queue.allocation


@part
def may_check(link, queue):
    """Return whether a blocked queue may send a packet without credit, and schedule a call for when it may."""
    if math.isinf(queue.check):
        return False
    time = int((queue.used_at + queue.check) * 1e9) + 1
    schedule_wake(link, queue, time)
    return now_ns(link) >= time


def enqueue(link, packet, now):
    """Append the packet to its flow's queue, which joins the list if it was empty."""
    queue = queue_of(link, packet)
    append(link, queue, packet)
    if queue.packets == 1:
        join_list(link, queue)
    return 0


def dequeue(link, now):
    """Take the first packet of the next queue that has credit, which then goes to the end of the list."""
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
    enqueue=enqueue,
    dequeue=dequeue,
    queues=PER_FLOW,
    # number of queues in the list, the queue that has the turn, and the last queue
    state={"active": 0, "turn": NONE, "last": NONE},
    # Whether the flow needs credit; time without a credit packet after which one packet leaves all the same [s];
    # packets sent, packets forwarded by the next node, and its allocation there, for how long that lasts and when it
    # was last used or confirmed [s]. Of this node's own allocation to the flow: the present one, that of the last
    # credit cell and the greatest of those before that may still be in use, when that changed [s]; when a packet last
    # arrived [s], packets forwarded of late.
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
    'doi:10.1145/190314.190324 (from summaries '
    "and memory: it could not be read)",
)  # fmt: skip

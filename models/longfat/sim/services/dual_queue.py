"""The two queues of a DualQ Coupled AQM (RFC 9332): L4S first, as long as the Classic queue is not starved.

Queue 0 is the L4S queue, queue 1 the Classic one. The scheduler is weighted round robin, which RFC 9332, appendix A.2
recommends, or a time-shifted FIFO.
"""

from longfat.sim.kernel.jit import part
from longfat.sim.kernel.records import CE, DATA, ECT1, NOTHING
from longfat.sim.plugin.functions import append, queue, take_first, waiting
from longfat.sim.plugin.parameters import Parameter, flag
from longfat.sim.services.service import Service

L4S, CLASSIC = 0, 1


# RFC 9332, appendix A.1, figure 3, line 6: ECT(1) and CE go to the L4S queue (RFC 9331, section 5.1). Acknowledgments
# are Not-ECT (RFC 3168, section 6.1.4).
@part
def class_of(packet):
    """Return the number of the queue that a packet belongs to."""
    return L4S if packet.kind == DATA and packet.marks & (ECT1 | CE) else CLASSIC


# RFC 9332, appendix A.1: the current queuing delay is that of the first packet, and 0 if the queue is empty.
@part
def delay_of(link, k, now):
    """Return how long the first packet of a queue has been waiting [s]."""
    head = queue(link, k).head
    return max(0.0, now - waiting(link, head).enqueued_at) if head >= 0 else 0.0


# RFC 9332, appendix A.1, end of the walk-through: the credit of the reference implementation is reset in favour of the
# L4S queue when the link is idle.
def enqueue(link, packet, now):
    """Append the packet to the queue of its class."""
    if link.backlog == 0 and link.free_at <= now:
        link.credit = 0.0
    append(link, queue(link, class_of(packet)), packet)
    return 0


# RFC 9332, appendix B, figure 10, `scheduler`: the L4S queue if its delay plus the time shift is at least that of the
# Classic queue. Appendix A.2 recommends weighted round robin and does not spell it out. Ours, after the description of
# the reference implementation in appendix A.1: a credit in bytes, which changes only while both queues have packets.
# The L4S queue is served while the credit is not positive; a byte of L4S adds `classic_weight`, one of Classic takes
# 1 - `classic_weight`.
@part
def chosen(link, now):
    """Return the number of the queue whose first packet is sent next; both have packets."""
    if link.time_shifted:
        return L4S if delay_of(link, L4S, now) + link.time_shift >= delay_of(link, CLASSIC, now) else CLASSIC
    if link.credit <= 0.0:
        link.credit += link.classic_weight * waiting(link, queue(link, L4S).head).size
        return L4S
    link.credit -= (1.0 - link.classic_weight) * waiting(link, queue(link, CLASSIC).head).size
    return CLASSIC


def dequeue(link, now):
    """Take the first packet of the queue that the scheduler chooses."""
    low_latency, classic = queue(link, L4S), queue(link, CLASSIC)
    if low_latency.packets == 0:
        return take_first(link, classic) if classic.packets > 0 else NOTHING
    if classic.packets == 0:
        return take_first(link, low_latency)
    return take_first(link, queue(link, chosen(link, now)))


DUAL_QUEUE = Service(
    "dual-queue",
    enqueue=enqueue,
    dequeue=dequeue,
    queues=2,
    parameters={
        "classic_weight": Parameter(
            0.0625, "1", "(0, 1)", about="Share of the Classic queue under weighted round robin while both have packets"
        ),
        "time_shifted": flag(False, "Schedule by time-shifted FIFO; otherwise by weighted round robin"),
        "time_shift": Parameter(
            0.05, "s", "[0, 1e3]", about="Delay of the Classic queue by which the L4S queue has precedence"
        ),
    },
    state={"credit": 0.0},  # bytes, weighted
    source='RFC 9332 (2023), "Dual-Queue Coupled Active Queue Management (AQM) for Low Latency, Low Loss, and Scalable '
    'Throughput (L4S)", sections 2.4 and 4.2.2, appendices A and B',
)

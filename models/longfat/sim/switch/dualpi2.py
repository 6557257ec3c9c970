"""DualPI2: two queues with coupled marking, for L4S and for Classic traffic (RFC 9332, appendix A).

Queue 0 is the L4S queue, queue 1 the Classic one. The scheduler (service `dual-queue`) is weighted round robin, which
appendix A.2 recommends.

A PI controller on the queuing delay keeps a base probability p'. Classic packets are dropped or marked with p'^2, L4S
packets are marked with k p' (k is `coupling`), or with the probability of a ramp on their own delay if that is greater.
Neither decision is random: a counter for each queue adds up the probabilities. The algorithm is that of figures 2 to 5
of the RFC, with the overload handling of figures 7 and 8.
"""

from __future__ import annotations

from longfat.base.domains import conflict
from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import CE, DATA, ECT, ECT1, NOTHING
from longfat.sim.plugin.discipline import DROP, ENQUEUE, SEND, Discipline, Parameter, Service
from longfat.sim.plugin.functions import append, mark, queue, take_first, waiting

MOST_L4S_MARKS = 1.0  # p_Lmax, figure 2, line 21
L4S, CLASSIC = 0, 1


# RFC 9332, appendix A.1, figure 3, line 6: ECT(1) and CE go to the L4S queue (RFC 9331, section 5.1). Acknowledgments
# are Not-ECT (RFC 3168, section 6.1.4).
@inline
def class_of(packet):
    """Return the number of a packet's queue: L4S or CLASSIC."""
    return L4S if packet.kind == DATA and packet.flags & (ECT1 | CE) else CLASSIC


# RFC 9332, appendix A.1: the current queuing delay of a queue is the waiting time of its first packet, or 0 if the
# queue is empty.
@inline
def delay_of(link, k, now):
    """Return the waiting time of the first packet of queue `k` [s], 0 if the queue is empty."""
    head = queue(link, k).head
    return max(0.0, now - waiting(link, head).enqueued_at) if head >= 0 else 0.0


# RFC 9332, appendix A.1, end of the walk-through: when the link is idle, the reference implementation resets the credit
# in favour of the L4S queue.
def join(link, packet, now):
    """Append the packet to the queue of its class."""
    if link.backlog == 0 and link.free_at <= now:
        link.credit = 0.0
    append(link, queue(link, class_of(packet)), packet)
    return 0


# RFC 9332, appendix A.2, recommends weighted round robin without defining it. Our choice, after the description of the
# reference implementation in appendix A.1: a credit in bytes, which changes only while both queues have packets. The
# L4S queue is served while the credit is not positive. A byte of the L4S queue adds `classic_weight` to the credit; a
# byte of the Classic queue subtracts 1 - `classic_weight`.
@inline
def chosen(link):
    """Return the number of the queue to be served next, given that both queues have packets, and update the credit."""
    if link.credit <= 0.0:
        link.credit += link.classic_weight * waiting(link, queue(link, L4S).head).size
        return L4S
    link.credit -= (1.0 - link.classic_weight) * waiting(link, queue(link, CLASSIC).head).size
    return CLASSIC


def serve(link, now):
    """Take the first packet of the queue that the scheduler chooses."""
    low_latency, classic = queue(link, L4S), queue(link, CLASSIC)
    if low_latency.packets == 0:
        return take_first(link, classic) if classic.packets > 0 else NOTHING
    if classic.packets == 0:
        return take_first(link, low_latency)
    return take_first(link, queue(link, chosen(link)))


DUAL_QUEUE = Service(
    "dual-queue",
    enqueue=join,
    dequeue=serve,
    queues=2,
    parameters={
        "classic_weight": Parameter(
            0.0625, "1", "(0, 1)", about="Share of the Classic queue under weighted round robin while both have packets"
        ),
    },
    state={"credit": 0.0},  # bytes, weighted
    source='RFC 9332 (2023), "Dual-Queue Coupled Active Queue Management (AQM) for Low Latency, Low Loss, and Scalable '
    'Throughput (L4S)", sections 2.4 and 4.2.2, appendix A',
)


# This is the test of RFC 9332, appendix A.1, figure 3, lines 2 and 3. The limit [s] is multiplied by the link's rate,
# as in figure 2, line 5.
def enqueue(link, packet, now):
    """Drop the packet if both queues together leave less buffer space than the largest packet."""
    return DROP if link.backlog_bytes + link.largest_packet > link.limit * link.rate else ENQUEUE


# RFC 9332, appendix A.1, figure 4, lines 23 to 30: marks and drops are deterministic, because a counter adds up their
# probabilities.
@inline
def recurs(link, k, probability):
    """Add the probability to the counter of queue `k`; if the counter exceeds 1, subtract 1 and return True."""
    link.count[k] += probability
    if link.count[k] > 1.0:
        link.count[k] -= 1.0
        return True
    return False


# RFC 9332, appendix A.1, figure 5: the probability rises linearly over the range above the threshold. With a range of 0
# it jumps from 0 to 1 (note c).
@inline
def native_probability(link, delay):
    """Return p'_L, the marking probability that follows from the delay of the L4S queue [s]."""
    if delay >= link.threshold + link.range:
        return 1.0
    return (delay - link.threshold) / link.range if delay > link.threshold else 0.0


# RFC 9332, appendix A.2, figure 7, lines 4b to 8j. The figure removes the packet before it tests length and delay of
# the queue, but the text counts the packet in the length ("only 1 packet") and uses its delay (appendix A.1, note a).
# Here length and delay include the packet.
@inline
def treat_low_latency(link, packet, now):
    """Mark an L4S packet, or drop it in overload; return SEND or DROP."""
    coupled, classic = link.coupling * link.probability, link.probability * link.probability
    if coupled < MOST_L4S_MARKS:
        native = 0.0
        if queue(link, L4S).packets + 1 > link.exempt_packets:
            native = native_probability(link, now - packet.enqueued_at)
        if recurs(link, L4S, max(native, coupled)):
            mark(link, packet)
        return SEND
    if recurs(link, L4S, classic):
        return DROP
    if recurs(link, L4S, coupled):
        mark(link, packet)
    return SEND


# This is the rule of RFC 9332, appendix A.2, figure 7, lines 11 to 17. If the probability reaches p_Cmax =
# min(1/k^2, 1) of figure 2, line 11, Classic packets are dropped even if they are ECN-capable.
@inline
def treat_classic(link, packet):
    """Drop or mark a Classic packet with the probability p'^2; return SEND or DROP."""
    classic = link.probability * link.probability
    if not recurs(link, CLASSIC, classic):
        return SEND
    if not packet.flags & ECT or classic >= min(1.0 / (link.coupling * link.coupling), 1.0):
        return DROP
    mark(link, packet)
    return SEND


def dequeue(link, packet, now):
    """Mark or drop the packet that the scheduler has chosen."""
    return treat_low_latency(link, packet, now) if class_of(packet) == L4S else treat_classic(link, packet)


# This is the update of RFC 9332, appendix A.2, figure 8, with the constants of figure 2, lines 12 to 14. Appendix A.1:
# p' is in [0, 1].
def tick(link, now):
    """Update the base probability p', and return the time of the next update."""
    interval = min(link.target, link.largest_round_trip / 3.0)
    integral = 0.1 * interval / (link.largest_round_trip * link.largest_round_trip)
    proportional = 0.3 / link.largest_round_trip
    delay = max(delay_of(link, CLASSIC, now), delay_of(link, L4S, now))
    change = integral * (delay - link.target) + proportional * (delay - link.last_delay)
    link.probability = min(max(link.probability + change, 0.0), 1.0)
    link.last_delay = delay
    return now + interval


class _DualPi2(Discipline):
    """Discipline that requires threshold + range <= target < limit."""

    def __post_init__(self) -> None:
        super().__post_init__()
        values = self.values
        top = values["threshold"] + values["range"]
        if top > values["target"]:
            raise conflict(
                f"threshold + range = {top:g} s of discipline {self.name!r}",
                f"exceeds target = {values['target']:g} s",
                "the L4S queue has to be shorter than the Classic queue",
            )
        if values["target"] >= values["limit"]:
            raise conflict(
                f"target = {values['target']:g} s of discipline {self.name!r}",
                f"must be below limit = {values['limit']:g} s",
                "the queuing delay would never reach the target",
            )


dualpi2 = _DualPi2(
    "dualpi2",
    DUAL_QUEUE,
    enqueue=enqueue,
    dequeue=dequeue,
    tick=tick,
    parameters={
        "target": Parameter(0.015, "s", "(0, 10]", about="Target of the queuing delay of the Classic queue"),
        "coupling": Parameter(2.0, "1", "(0, 100]", about="Coupling factor k between L4S and Classic probability"),
        "largest_round_trip": Parameter(
            0.1, "s", "(0, 100]", about="Largest round-trip time for which the PI controller is stable (RTT_max)"
        ),
        "threshold": Parameter(0.0008, "s", "[0, 10]", about="Delay from which on L4S packets are marked (minTh)"),
        "range": Parameter(0.0004, "s", "[0, 10]", about="Width of the ramp above `threshold`; 0: a step"),
        "exempt_packets": Parameter(
            1.0, "packets", "[0, 1e6]", about="L4S backlog up to which delay marks no packet (Th_len)", integer=True
        ),
        "limit": Parameter(0.25, "s", "(0, 1e3]", about="Buffer of both queues, as a delay at the link rate"),
        "largest_packet": Parameter(
            1500.0, "bytes", "[1, 1e6]", about="Room that the buffer keeps for one more packet", integer=True
        ),
    },
    # `probability` is the base probability p', `last_delay` the queuing delay at its last update [s]. `count` has a
    # counter for each queue, to which probabilities are added; a mark or drop subtracts 1.
    state={"probability": 0.0, "last_delay": 0.0, "count": [0.0, 0.0]},
    source='K. De Schepper, B. Briscoe and G. White, RFC 9332 (2023), "Dual-Queue Coupled Active Queue Management '
    '(AQM) for Low Latency, Low Loss, and Scalable Throughput (L4S)", appendix A, figures 2 to 5, 7 and 8',
)

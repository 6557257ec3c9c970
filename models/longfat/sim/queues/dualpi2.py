"""DualPI2: two queues with coupled marking, for L4S and for Classic traffic (RFC 9332, appendix A).

A PI controller on the queuing delay keeps a base probability p'. Classic packets are dropped or marked with p'^2, L4S
packets are marked with k p', or with the probability of a ramp on their own delay if that is greater. Neither is
random: a counter for each queue adds the probabilities up. Figures 2 to 5 of the RFC, and 7 and 8 with overload.

>>> dualpi2(target="20 ms").values["target"]
0.02
"""

from __future__ import annotations

from longfat.base.domains import conflict
from longfat.sim.kernel.jit import part
from longfat.sim.kernel.records import ECT
from longfat.sim.plugin.functions import mark, queue
from longfat.sim.queues.discipline import DROP, ENQUEUE, SEND, Discipline, Parameter
from longfat.sim.services.dual_queue import CLASSIC, L4S, class_of, delay_of

MOST_L4S_MARKS = 1.0  # p_Lmax, figure 2, line 21


# RFC 9332, appendix A.1, figure 3, lines 2 and 3. The limit is a delay at the rate of the link (figure 2, line 5).
def enqueue(link, packet, now):
    """Drop the packet if both queues together leave no room for the largest packet."""
    return DROP if link.backlog_bytes + link.largest_packet > link.limit * link.rate else ENQUEUE


# RFC 9332, appendix A.1, figure 4, lines 23 to 30.
@part
def recurs(link, k, probability):
    """Return whether the sum of the probabilities of a queue has passed one more packet."""
    link.count[k] += probability
    if link.count[k] > 1.0:
        link.count[k] -= 1.0
        return True
    return False


# RFC 9332, appendix A.1, figure 5. With range 0 it is a step (note c).
@part
def native_probability(link, delay):
    """Return p'_L, the marking probability that follows from the delay of the L4S queue [s]."""
    if delay >= link.threshold + link.range:
        return 1.0
    return (delay - link.threshold) / link.range if delay > link.threshold else 0.0


# RFC 9332, appendix A.2, figure 7, lines 4b to 8j. The figure takes the packet out before it asks for length and delay
# of the queue, but the text has "only 1 packet" in it and the delay of the packet that is sent (appendix A.1, note a):
# here both include that packet.
@part
def treat_low_latency(link, packet, now):
    """Mark an L4S packet, or in overload drop it, and return the verdict."""
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


# RFC 9332, appendix A.2, figure 7, lines 11 to 17; figure 2, line 11: p_Cmax = min(1/k^2, 1).
@part
def treat_classic(link, packet):
    """Drop or mark a Classic packet with the probability p'^2, and return the verdict."""
    classic = link.probability * link.probability
    if not recurs(link, CLASSIC, classic):
        return SEND
    if not packet.marks & ECT or classic >= min(1.0 / (link.coupling * link.coupling), 1.0):
        return DROP
    mark(link, packet)
    return SEND


def dequeue(link, packet, now):
    """Mark or drop the packet that the scheduler has chosen."""
    return treat_low_latency(link, packet, now) if class_of(packet) == L4S else treat_classic(link, packet)


# RFC 9332, appendix A.2, figure 8, with the constants of figure 2, lines 12 to 14. Appendix A.1: p' is bounded to
# [0, 1].
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
    """Discipline that refuses a ramp above the target of the Classic queue, and a target above the limit."""

    def __post_init__(self) -> None:
        super().__post_init__()
        values = self.values
        top = values["threshold"] + values["range"]
        if top > values["target"]:
            raise conflict(
                f"threshold + range = {top:g} s of discipline {self.name!r}",
                f"exceeds target = {values['target']:g} s",
                "the L4S queue has to be shorter than the Classic one",
            )
        if values["target"] >= values["limit"]:
            raise conflict(
                f"target = {values['target']:g} s of discipline {self.name!r}",
                f"must be below limit = {values['limit']:g} s",
                "the buffer would never reach the target",
            )


dualpi2 = _DualPi2(
    "dualpi2",
    service="dual-queue",
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
        "range": Parameter(0.0004, "s", "[0, 10]", about="Width of the ramp above it; 0: a step"),
        "exempt_packets": Parameter(
            1.0, "packets", "[0, 1e6]", about="L4S queue up to which its delay marks no packet (Th_len)", integer=True
        ),
        "limit": Parameter(0.25, "s", "(0, 1e3]", about="Buffer of both queues, as a delay at the link rate"),
        "largest_packet": Parameter(
            1500.0, "bytes", "[1, 1e6]", about="Room that the buffer keeps for one more packet", integer=True
        ),
    },
    # base probability p', delay at its last update [s], sums of the probabilities of both queues
    state={"probability": 0.0, "last_delay": 0.0, "count": [0.0, 0.0]},
    source='K. De Schepper, B. Briscoe and G. White, RFC 9332 (2023), "Dual-Queue Coupled Active Queue Management '
    '(AQM) for Low Latency, Low Loss, and Scalable Throughput (L4S)", appendix A, figures 2 to 5, 7 and 8',
)

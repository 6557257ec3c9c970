"""PIE (proportional integral controller enhanced): packets are dropped at arrival, by the queueing delay and its trend.

Every `update` seconds the drop probability changes by alpha (delay - target) + beta (delay - delay before), scaled down
while it is small.

The rules are those of appendix A, which measures the delay of departing packets; `ecn`, `derandomize` and `cap` are
options of section 5.

Our choices, where RFC 8033 has no rule or contradicts itself:

- The delay is 0 once the queue is empty, as in Linux (pie.h). Appendix A keeps the delay of the last packet, so that
  the probability would grow on an idle link.
- MEAN_PKTSIZE, which has no value in RFC 8033, is that of RFC 8034, 1024 bytes.
- The allowance for bursts is a whole number of updates (section 4.4: "MAY effectively round MAX_BURST up").
- No random number is drawn for a packet that the buffer drops, and the packet is not marked (appendix B: tail drop
  comes first).
- A mark resets the accumulated probability as a drop does (section 5.4 speaks of drops only).
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.discipline import DROP, ENQUEUE, SEND, Discipline, Parameter, flag
from longfat.sim.plugin.functions import is_full, mark, random

FEW_PACKETS = 2.0  # in mean packet sizes; RFC 8033, section 4.1
LOW_LOSS = 0.2  # RFC 8033, section 4.1
LOW, HIGH = 0.85, 8.5  # accumulated probabilities; RFC 8033, section 5.4
DECAY = 0.98  # RFC 8033, section 4.2
STEP, CAPPED_FROM = 0.02, 0.1  # RFC 8033, section 5.5


@inline
def is_drawn(link):
    """Return whether the arriving packet is to be dropped or marked."""
    # RFC 8033, appendix A, `drop_early`: packets are spared if the link might otherwise idle ("Safeguard PIE to be work
    # conserving").
    if link.delay_before < link.target / 2.0 and link.probability < LOW_LOSS:
        return False
    if link.backlog_bytes <= FEW_PACKETS * link.packet:
        return False
    # RFC 8033, section 5.4 and appendix B, `drop_early`: successive drops are neither too close to each other nor too
    # far apart.
    if link.derandomize:
        if link.probability == 0.0:
            link.accumulated = 0.0
        link.accumulated += link.probability
        if link.accumulated < LOW:
            return False
        if link.accumulated >= HIGH:
            return True
    return random(link) < link.probability


# The order of tests is that of RFC 8033, appendix A, `enque`. Section 5.1: ECN-capable packets are marked, not dropped,
# while the probability is below mark_ecnth.
def enqueue(link, packet, now):
    """Drop or mark the packet with the drop probability if the burst allowance is used up."""
    if is_full(link, packet, now):
        link.accumulated = 0.0
        return ENQUEUE
    half = link.target / 2.0
    if link.probability == 0.0 and link.queue_delay < half and link.delay_before < half:
        link.burst_left = math.ceil(link.burst / link.update - 1e-9)
    if link.burst_left > 0 or not is_drawn(link):
        return ENQUEUE
    link.accumulated = 0.0
    return ENQUEUE if link.ecn and link.probability < link.mark_below and mark(link, packet) else DROP


# RFC 8033, appendix A, `deque`, records the queuing delay. Linux, pie.h, `pie_process_dequeue`: the delay is set to 0
# if the departure leaves the queue empty.
def dequeue(link, packet, now):
    """Record the queueing delay of the departing packet [s]."""
    link.queue_delay = now - packet.enqueued_at if link.backlog > 0 else 0.0
    return SEND


# RFC 8033, section 4.2: the smaller the drop probability, the smaller the step by which it changes.
@inline
def scaled(step, probability):
    """Return the step of the drop probability, divided by a power of two while the probability is small."""
    if probability < 0.000001:
        return step / 2048.0
    if probability < 0.00001:
        return step / 512.0
    if probability < 0.0001:
        return step / 128.0
    if probability < 0.001:
        return step / 32.0
    if probability < 0.01:
        return step / 8.0
    return step / 2.0 if probability < 0.1 else step


# This is the update of RFC 8033, appendix A, `calculate_drop_prob`. Section 5.5 limits the step if `cap` is set.
def tick(link, now):
    """Update the drop probability, and return the time of the next update [s]."""
    delay, before = link.queue_delay, link.delay_before
    step = scaled(link.alpha * (delay - link.target) + link.beta * (delay - before), link.probability)
    if link.cap and link.probability >= CAPPED_FROM and step > STEP:
        step = STEP
    probability = link.probability + step
    if delay == 0.0 and before == 0.0:
        probability *= DECAY
    link.probability = min(max(probability, 0.0), 1.0)
    link.delay_before = delay
    link.burst_left = max(0, link.burst_left - 1)
    return now + link.update


pie = Discipline(
    "pie",
    service="departures",
    enqueue=enqueue,
    dequeue=dequeue,
    tick=tick,
    parameters={
        "target": Parameter(0.015, "s", "(0, 10]", about="Target of the queueing delay (QDELAY_REF)"),
        "update": Parameter(0.015, "s", "[1e-6, 10]", about="Time between two updates of the probability (T_UPDATE)"),
        "alpha": Parameter(0.125, "1/s", "[0, 1e6]", about="Weight of the deviation from the target"),
        "beta": Parameter(1.25, "1/s", "[0, 1e6]", about="Weight of the change of the delay"),
        "burst": Parameter(0.15, "s", "[0, 100]", about="Duration of a burst that loses no packet (MAX_BURST)"),
        "packet": Parameter(1024.0, "bytes", "[1, 1e6]", about="Mean packet size; no drop at a backlog of up to two"),
        "ecn": flag(False, "Mark ECN-capable packets instead of dropping them, below `mark_below`"),
        "mark_below": Parameter(0.1, "probability", "[0, 1]", about="Probability from which on no packet is marked"),
        "derandomize": flag(False, "Keep drops from being too close together or too far apart"),
        "cap": flag(False, "Let a probability of 0.1 or more grow by at most 0.02 per update"),
    },
    # `probability` is the drop probability. `queue_delay` is the delay of the last departed packet [s], `delay_before`
    # its value at the last update [s]. `burst_left` is the number of updates for which a burst is still allowed.
    # `accumulated` is the sum of the probabilities since the last drop.
    state={"probability": 0.0, "queue_delay": 0.0, "delay_before": 0.0, "burst_left": 0, "accumulated": 0.0},
    needs_buffer=True,
    source='R. Pan, P. Natarajan, F. Baker and G. White, "Proportional Integral Controller Enhanced (PIE): A '
    'Lightweight Control Scheme to Address the Bufferbloat Problem", RFC 8033, 2017, sections 4 and 5 and appendix A, '
    "doi:10.17487/RFC8033",
)

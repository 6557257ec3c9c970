"""Packet-pair: the gap between the acknowledgments of two packets sent back to back is the service time of the flow.

All packets leave as pairs, `2/rate` apart. A fair queue separates the packets of a pair by the reciprocal of the flow's
service rate: every pair measures the flow's share of the bottleneck. A controller that predicts the backlog one
round trip in advance keeps a few packets in the flow's queue. Without fair queueing the gap measures the aggregate of
all flows.

A pair leaves when the integral of the rate, which may grow meanwhile, reaches two packets; ``flow.allowance`` releases
exactly the packets of a pair. The rules with their sources: docs/rules/rate-based.md.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.parameters import flag
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme

RAMP_CONSTANTS = 5.0  # duration of the start in time constants, after which the flow sends at the controller's rate
TRUST, DISTRUST = 0.9, 0.1  # weights of the old estimate if its smoothed error is SMALL, and if it is LARGE
SMALL, LARGE = 0.2, 0.7  # relative errors of the estimate
LONG_AGO = -4.6e9  # s: so early that pacing does not delay the next packet
SAME_TIME = 0.5e-9  # s


@inline
def ramp(flow, time):
    """Return the factor that multiplies the controller's rate; it rises as 1 - exp(-t/tau) after the start."""
    # Kanakia, Keshav and Mishra (1992), section 5: at the start the rate grows as 1 - exp(-t / tau), because a jump to
    # the whole rate, as in Keshav (1991), fills buffers. Our choice, because the paper does not print tau: tau is one
    # round trip, which section 4.1 calls the fundamental time constant for reacting to changes in the network.
    age, constant = time - flow.began, flow.rise * flow.propagation
    if flow.jump > 0.0 or age >= RAMP_CONSTANTS * constant:
        return 1.0
    return -math.expm1(-age / constant)


@inline
def credit(flow, begin, end):
    """Return the integral of the controller's rate between two times [packets]."""
    constant = flow.rise * flow.propagation
    turn = flow.began + (0.0 if flow.jump > 0.0 else RAMP_CONSTANTS * constant)
    rest = max(0.0, end - max(begin, turn))
    begin, end = min(begin, turn), min(end, turn)
    if end > begin:
        lag = math.exp(-(begin - flow.began) / constant)
        rest += end - begin + constant * lag * math.expm1(-(end - begin) / constant)
    return flow.target * rest


@inline
def time_of_next_pair(flow, now):
    """Return the time [s] at which the integral of the rate will have grown to two packets."""
    missing = 2.0 - flow.credit
    step = missing / flow.target
    if ramp(flow, now) >= 1.0:
        return now + step
    low, high = now + step, now + 2.0 * step  # `low` would be the time at the controller's full rate
    while credit(flow, now, high) < missing:
        low, high = high, high + 2.0 * (high - now)
    for _ in range(40):
        middle = 0.5 * (low + high)
        if credit(flow, now, middle) < missing:
            low = middle
        else:
            high = middle
    return high


@inline
def release_pair(flow, now):
    """Release a pair if the integral of the rate and the window allow two packets; return the rate [bytes/s]."""
    flow.allowance = 0.0
    flow.credit += credit(flow, flow.until, now)
    flow.until = now
    # Our choice, because a rate alone does not bound the backlog: the window is the bandwidth-delay product plus two
    # set points.
    flow.window = flow.service * flow.round_trip + 2.0 * flow.set_point
    if flow.credit >= 2.0 - 1e-6:
        flow.credit = 2.0
        if flow.in_flight + 2 <= flow.window:
            flow.allowance = 2.0
            flow.last_sent = LONG_AGO  # with a pool of two packets, the pair may be sent back to back
            flow.credit = 0.0
    flow.alarm = math.inf if flow.credit >= 2.0 else time_of_next_pair(flow, now)
    return flow.target * ramp(flow, now) * flow.packet_size


@inline
def probe(flow):
    """Send one pair of packets back to back, and nothing else before its acknowledgments; return an infinite rate."""
    # Kanakia, Keshav and Mishra (1992), section 5: the flow begins with a single packet pair as a probe. Our choice,
    # because the service rate is not known earlier: the second pair leaves one round trip after the first pair.
    flow.pool = 2.0
    flow.window = 2.0
    flow.allowance = 2.0
    flow.last = -9
    return math.inf


def start(flow, event):
    """Return an infinite rate for the first pair, because nothing is known of the path."""
    return probe(flow)


def ack(flow, event):
    """Return the rate [bytes/s]; the second acknowledgment of a pair gives a sample of the service rate."""
    if event.number < 0:  # feedback of a switch, no acknowledgment
        flow.allowance = 0.0
        return flow.rate
    arrived = event.header[0] if flow.arrival_times else event.now
    left = event.now - event.rtt
    # Keshav (1991): a fair queue separates a pair by the reciprocal of the service rate of the flow.
    gap = arrived - flow.arrived
    together = event.transmission == flow.last + 1 and abs(left - flow.left) < SAME_TIME
    second = flow.may_be_first and together and gap > 0.0
    flow.may_be_first = not second
    flow.last, flow.left, flow.arrived = event.transmission, left, arrived
    if not second:
        flow.round_trip = event.rtt
        if flow.propagation == 0.0 or event.rtt < flow.propagation:
            flow.propagation = event.rtt
    if flow.service == 0.0 and not second:
        flow.allowance = 0.0
        return flow.rate
    if second:
        if flow.service == 0.0:  # the first sample begins the inverse-exponential start
            flow.service = 1.0 / gap
            flow.began, flow.until = event.now, event.now
        else:
            estimate(flow, 1.0 / gap)
        control(flow)
    return release_pair(flow, event.now)


@inline
def estimate(flow, sample):
    """Update the estimated service rate with a sample: a small error counts as noise, a large error as a change."""
    # Keshav (1991) estimates the service rate with fuzzy rules, which are simplified here. Our choice, because the
    # paper does not print all rules: the weight of the old estimate is 0.9 for smoothed relative errors below 0.2, and
    # falls linearly to 0.1 at an error of 0.7.
    service = flow.service
    error = abs(sample - service) / max(sample, service)
    flow.error += flow.smoothing * (error - flow.error)
    distrust = min(1.0, max(0.0, (flow.error - SMALL) / (LARGE - SMALL)))
    weight = TRUST + distrust * (DISTRUST - TRUST)
    if flow.average_rates > 0.0:
        flow.service = weight * service + (1.0 - weight) * sample
        return
    # Kanakia, Keshav and Mishra (1992), section 4.6: the estimate is computed from the gaps between acknowledgments. A
    # gap is the service time of a packet, so the reciprocal of the mean gap is the rate at which the queue serves the
    # flow. The mean of the reciprocals would be larger wherever the gap varies.
    flow.service = 1.0 / (weight / service + (1.0 - weight) / sample)


@inline
def control(flow):
    """Set the controller's rate, which moves the predicted backlog to the set point."""
    # Keshav (1991): the control law brings the backlog to the set point in two round trips. Here it has a continuous
    # form with the parameter `gain`; a gain of 1 is one-step control. Our choice, because the flow must not stop: the
    # rate is at least a tenth of the service rate.
    service = flow.service
    queue = max(0.0, flow.in_flight - service * flow.propagation)
    rate = service + flow.gain * (flow.set_point - queue) / flow.round_trip
    flow.target = max(rate, service / 10.0)


def alarm(flow, event):
    """Release the next pair, and return the rate [bytes/s]."""
    return release_pair(flow, event.now)


def timeout(flow, event):
    """Halve the estimated service rate, or without an estimate send the first pair again; return the rate [bytes/s].

    By default only a timeout reveals losses (see `reorder`); the simulator then retransmits all missing packets.
    """
    # Our choice, because Keshav (1991) does not treat losses: a timeout halves the estimate once.
    if flow.service == 0.0:
        return probe(flow)
    flow.service *= 0.5
    control(flow)
    return release_pair(flow, event.now)


PACKET_PAIR = Scheme(
    "packet-pair",
    start=start,
    ack=ack,
    timeout=timeout,
    alarm=alarm,
    controls="rate",
    parameters={
        "set_point": Parameter(
            10.0, "packets", "[1, 1e6]", about="Set point of the backlog of the flow at the bottleneck"
        ),
        "gain": Parameter(0.5, "1", "(0, 1]", about="Gain: share of the backlog error corrected within a round trip"),
        "rise": Parameter(1.0, "round trips", "[0.01, 1e3]", about="Time constant of the start"),
        "jump": flag(False, "1: full rate from the first sample on (Keshav 1991); 0: inverse-exponential start"),
        "average_rates": flag(False, "Estimate: weighted mean of the gaps (0) or of their reciprocals (1)"),
        "smoothing": Parameter(0.5, "1", "(0, 1]", about="Gain of a new sample in the smoothed estimator error"),
        "gap_at_receiver": flag(
            False, "Gaps of acknowledgments measured at the sender (0) or at the receiver (1)", "arrival_times"
        ),
        # Kanakia, Keshav and Mishra (1992), section 4: acknowledgments are cumulative; they do not show which packets
        # are missing. Our choice, because the paper does not describe retransmissions: the sender has TCP's
        # timer with the clock and the lower bound of ns, which began as a variant of REAL, the simulator of section 3.
        # Every packet is timed, because acknowledgments have to distinguish the packets of a pair.
        "reorder": Parameter(
            1e9, "packets", "[1, 1e9]", "reorder", about="Later packets acknowledged that signal a loss; 1e9: never"
        ),
        **{**timers.PARAMETERS, "timestamps": timers.parameters("fine")["timestamps"]},
    },
    state={
        "last": 0,  # transmission acknowledged last, its send time, and the arrival time that gaps count from [s]
        "left": 0.0,
        "arrived": 0.0,
        "may_be_first": False,  # whether that transmission may be the first packet of a pair
        "service": 0.0,  # estimates: service rate [packets/s], its smoothed error, round-trip times [s]
        "error": 0.0,
        "round_trip": 0.0,
        "propagation": 0.0,
        "target": 0.0,  # rate of the controller [packets/s], and the start of its ramp [s]
        "began": 0.0,
        "credit": 0.0,  # packets allowed by the rate since the last pair, and the time up to which they are counted [s]
        "until": 0.0,
    },
    source=(
        "S. Keshav, A Control-Theoretic Approach to Flow Control, Proc. ACM SIGCOMM 1991, pp. 3-15 (not checked "
        "against the original); H. Kanakia, S. Keshav and P. P. Mishra, A Comparison of Reactive Host-based Flow "
        "Control Schemes in Reservationless Networks, draft, AT&T Bell Laboratories, 1992, section 5; gains and start "
        "are ours, because they are not printed"
    ),
)

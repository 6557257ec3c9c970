"""Packet-pair: two packets sent back to back come back as far apart as a fair queue served them (schemes.md 3).

All packets leave as pairs, `2/rate` apart. The acknowledgments of a pair are as far apart as the bottleneck served its
packets, so that every pair tells the flow's share of the line; a controller that looks one round trip ahead keeps a few
packets waiting there. Without fair queueing the distance says something about all flows together.

Here the rate is integrated, so that pairs leave at the right time while it rises, and `flow.limited` lets exactly the
packets of a pair go. `longfat.sim.records.FLOW` calls the packets on their way `in_flight`.
"""

import math

from longfat.sim.jit import part
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme

# p
SET_POINT, GAIN, RISE, JUMP, SMOOTHING = range(5)
# u: packets/s and s. What the last acknowledgment told: its transmission, when that left and arrived, and 1 if it may
# be the first of a pair. Then the estimates, the smoothed error of the first of them, the controller's rate and when it
# began to rise; packets that the rate has earned since the last pair, and until when.
LAST, LEFT, ARRIVED, FIRST, SERVICE, ERROR, ROUND_TRIP, PROPAGATION, TARGET, BEGAN, EARNED, UNTIL = range(12)

PREFILL = 10.0  # packets at line rate, behind the first pair
RISES = 5.0  # time constants until the whole rate is sent
STEADY, NERVOUS = 0.9, 0.1  # weights of the past
SMALL, LARGE = 0.2, 0.7  # errors
LONG_AGO = -(2**62)
SAME = 0.5e-9  # s


@part
def risen(flow, time):
    """Share of the controller's rate that is sent: rule 6, the inverse exponential."""
    age, constant = time - flow.u[BEGAN], flow.p[RISE] * flow.u[PROPAGATION]
    if flow.p[JUMP] > 0.0 or age >= RISES * constant:
        return 1.0
    return -math.expm1(-age / constant)


@part
def earned(flow, begin, end):
    """Packets that the rate earns between two times: its integral."""
    constant = flow.p[RISE] * flow.u[PROPAGATION]
    turn = flow.u[BEGAN] + (0.0 if flow.p[JUMP] > 0.0 else RISES * constant)
    rest = max(0.0, end - max(begin, turn))
    begin, end = min(begin, turn), min(end, turn)
    if end > begin:
        lag = math.exp(-(begin - flow.u[BEGAN]) / constant)
        rest += end - begin + constant * lag * math.expm1(-(end - begin) / constant)
    return flow.u[TARGET] * rest


@part
def time_of_next_pair(flow, now):
    """When the rate will have earned two packets."""
    missing = 2.0 - flow.u[EARNED]
    step = missing / flow.u[TARGET]
    if risen(flow, now) >= 1.0:
        return now + step
    low, high = now + step, now + 2.0 * step  # it is not faster than at the whole rate
    while earned(flow, now, high) < missing:
        low, high = high, high + 2.0 * (high - now)
    for _ in range(40):
        middle = 0.5 * (low + high)
        if earned(flow, now, middle) < missing:
            low = middle
        else:
            high = middle
    return high


@part
def proceed(flow, now):
    """Let a pair go if the rate has earned one and the window has room for both; the rate."""
    flow.limited = 0.0
    flow.u[EARNED] += earned(flow, flow.u[UNTIL], now)
    flow.u[UNTIL] = now
    flow.window = flow.u[SERVICE] * flow.u[ROUND_TRIP] + 2.0 * flow.p[SET_POINT]  # rule 7
    if flow.u[EARNED] >= 2.0 - 1e-6:
        flow.u[EARNED] = 2.0
        if flow.in_flight + 2 <= flow.window:
            flow.limited = 2.0
            flow.last_paced = LONG_AGO  # with a pool of two, both may go at once
            flow.u[EARNED] = 0.0
    flow.alarm = math.inf if flow.u[EARNED] >= 2.0 else time_of_next_pair(flow, now)
    return flow.u[TARGET] * risen(flow, now) * flow.packet_size


@part
def probe(flow):
    """Rule 1: a pair at line rate, and then nothing."""
    flow.pool = 2.0
    flow.window = 2.0
    flow.limited = 2.0
    flow.u[LAST] = -9.0
    return math.inf


def start(flow, event):
    """Nothing is known."""
    return probe(flow)


def ack(flow, event):
    """Rules 2 to 5."""
    if event.number < 0:  # a note of some switch
        flow.limited = 0.0
        return flow.rate
    arrived = event.header[0] if flow.arrival_times else event.now
    left = event.now - event.rtt
    gap = arrived - flow.u[ARRIVED]
    together = event.transmission == flow.u[LAST] + 1.0 and abs(left - flow.u[LEFT]) < SAME
    second = flow.u[FIRST] > 0.0 and together and gap > 0.0
    flow.u[FIRST] = 0.0 if second else 1.0
    flow.u[LAST], flow.u[LEFT], flow.u[ARRIVED] = event.transmission, left, arrived
    if not second:
        flow.u[ROUND_TRIP] = event.rtt
        if flow.u[PROPAGATION] == 0.0 or event.rtt < flow.u[PROPAGATION]:
            flow.u[PROPAGATION] = event.rtt
    if flow.u[SERVICE] == 0.0:
        if second:
            return begin(flow, event.now, 1.0 / gap)
        flow.limited = 0.0
        return flow.rate
    if second:
        estimate(flow, 1.0 / gap)
        control(flow)
    return proceed(flow, event.now)


@part
def begin(flow, now, sample):
    """Rule 3: the first sample, and packets at line rate until the next event, a nanosecond from now."""
    flow.u[SERVICE] = sample
    flow.u[BEGAN], flow.u[UNTIL] = now, now
    control(flow)
    flow.limited = min(flow.p[SET_POINT], PREFILL)
    flow.window = math.inf
    flow.alarm = now
    return math.inf


@part
def estimate(flow, sample):
    """Rule 4, and 3.3: small errors are noise, large ones a change."""
    service = flow.u[SERVICE]
    error = abs(sample - service) / max(sample, service)
    flow.u[ERROR] += flow.p[SMOOTHING] * (error - flow.u[ERROR])
    nervous = min(1.0, max(0.0, (flow.u[ERROR] - SMALL) / (LARGE - SMALL)))
    weight = STEADY + nervous * (NERVOUS - STEADY)
    flow.u[SERVICE] = weight * service + (1.0 - weight) * sample


@part
def control(flow):
    """Rule 5: what makes good in a round trip what the queue at the bottleneck lacks."""
    service = flow.u[SERVICE]
    queue = max(0.0, flow.in_flight - service * flow.u[PROPAGATION])
    rate = service + flow.p[GAIN] * (flow.p[SET_POINT] - queue) / flow.u[ROUND_TRIP]
    flow.u[TARGET] = max(rate, service / 10.0)


def alarm(flow, event):
    """Time for the next pair."""
    return proceed(flow, event.now)


def loss(flow, event):
    """Rule 8: sent again in its turn. The acknowledgment that told it follows."""
    return flow.rate


def timeout(flow, event):
    """Rule 8: half the estimate, and what is lost goes again; or the first pair once more."""
    if flow.u[SERVICE] == 0.0:
        return probe(flow)
    flow.u[SERVICE] *= 0.5
    control(flow)
    return proceed(flow, event.now)


PACKET_PAIR = Scheme(
    "packet-pair",
    start=start,
    ack=ack,
    loss=loss,
    timeout=timeout,
    alarm=alarm,
    controls="rate",
    parameters={
        "set_point": Parameter(10.0, "packets", "[1, 1e6]"),
        "gain": Parameter(0.5, "1", "(0, 1]"),
        "rise": Parameter(2.0, "round trips", "[0.01, 1e3]"),  # time constant of the start
        "jump": Parameter(0.0, "1", "[0, 1]"),  # 0: the rate rises inverse-exponentially, 1: all of it at once (1991)
        "smoothing": Parameter(0.5, "1", "(0, 1]"),  # of the estimator's error
        "gap_at_receiver": Parameter(0.0, "1", "[0, 1]", "arrival_times"),  # where gaps are measured; 0: at the sender
        **timers.parameters("fine"),
    },
    source="Keshav, SIGCOMM 1991; Kanakia, Keshav & Mishra, sec. 5; schemes.md 3, whose gains are a reconstruction",
)

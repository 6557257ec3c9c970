"""Packet-pair: two packets sent back to back come back as far apart as a fair queue served them (schemes.md 3).

All packets leave as pairs, `2/rate` apart. The acknowledgments of a pair are as far apart as the bottleneck served its
packets, so that every pair tells the flow's share of the line; a controller that looks one round trip ahead keeps a few
packets waiting there. Without fair queueing the distance says something about all flows together.

Here the rate is integrated, so that pairs leave at the right time while it rises, and `flow.limited` lets exactly the
packets of a pair go.
"""

import math

from longfat.sim.jit import part
from longfat.sim.own import flag
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme

PREFILL = 10.0  # packets at line rate, behind the first pair
RISES = 5.0  # time constants until the whole rate is sent
STEADY, NERVOUS = 0.9, 0.1  # weights of the past
SMALL, LARGE = 0.2, 0.7  # errors
LONG_AGO = -4.6e9  # s: before any time from which a pace could reach now
SAME = 0.5e-9  # s


@part
def risen(flow, time):
    """Share of the controller's rate that is sent: rule 6, the inverse exponential."""
    age, constant = time - flow.began, flow.rise * flow.propagation
    if flow.jump > 0.0 or age >= RISES * constant:
        return 1.0
    return -math.expm1(-age / constant)


@part
def earned(flow, begin, end):
    """Packets that the rate earns between two times: its integral."""
    constant = flow.rise * flow.propagation
    turn = flow.began + (0.0 if flow.jump > 0.0 else RISES * constant)
    rest = max(0.0, end - max(begin, turn))
    begin, end = min(begin, turn), min(end, turn)
    if end > begin:
        lag = math.exp(-(begin - flow.began) / constant)
        rest += end - begin + constant * lag * math.expm1(-(end - begin) / constant)
    return flow.target * rest


@part
def time_of_next_pair(flow, now):
    """When the rate will have earned two packets."""
    missing = 2.0 - flow.earned
    step = missing / flow.target
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
    flow.earned += earned(flow, flow.until, now)
    flow.until = now
    flow.window = flow.service * flow.round_trip + 2.0 * flow.set_point  # rule 7
    if flow.earned >= 2.0 - 1e-6:
        flow.earned = 2.0
        if flow.in_flight + 2 <= flow.window:
            flow.limited = 2.0
            flow.last_sent = LONG_AGO  # with a pool of two, both may go at once
            flow.earned = 0.0
    flow.alarm = math.inf if flow.earned >= 2.0 else time_of_next_pair(flow, now)
    return flow.target * risen(flow, now) * flow.packet_size


@part
def probe(flow):
    """Rule 1: a pair at line rate, and then nothing."""
    flow.pool = 2.0
    flow.window = 2.0
    flow.limited = 2.0
    flow.last = -9
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
    gap = arrived - flow.arrived
    together = event.transmission == flow.last + 1 and abs(left - flow.left) < SAME
    second = flow.may_be_first and together and gap > 0.0
    flow.may_be_first = not second
    flow.last, flow.left, flow.arrived = event.transmission, left, arrived
    if not second:
        flow.round_trip = event.rtt
        if flow.propagation == 0.0 or event.rtt < flow.propagation:
            flow.propagation = event.rtt
    if flow.service == 0.0:
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
    flow.service = sample
    flow.began, flow.until = now, now
    control(flow)
    flow.limited = min(flow.set_point, PREFILL)
    flow.window = math.inf
    flow.alarm = now
    return math.inf


@part
def estimate(flow, sample):
    """Rule 4, and 3.3: small errors are noise, large ones a change."""
    service = flow.service
    error = abs(sample - service) / max(sample, service)
    flow.error += flow.smoothing * (error - flow.error)
    nervous = min(1.0, max(0.0, (flow.error - SMALL) / (LARGE - SMALL)))
    weight = STEADY + nervous * (NERVOUS - STEADY)
    flow.service = weight * service + (1.0 - weight) * sample


@part
def control(flow):
    """Rule 5: what makes good in a round trip what the queue at the bottleneck lacks."""
    service = flow.service
    queue = max(0.0, flow.in_flight - service * flow.propagation)
    rate = service + flow.gain * (flow.set_point - queue) / flow.round_trip
    flow.target = max(rate, service / 10.0)


def alarm(flow, event):
    """Time for the next pair."""
    return proceed(flow, event.now)


def timeout(flow, event):
    """Rule 8: half the estimate, and what is lost goes again; or the first pair once more.

    What an acknowledgment tells lost is sent again in its turn, at the same rate.
    """
    if flow.service == 0.0:
        return probe(flow)
    flow.service *= 0.5
    control(flow)
    return proceed(flow, event.now)


PACKET_PAIR = Scheme(
    "packet-pair",
    start=start,
    ack=ack,
    timeout=timeout,
    alarm=alarm,
    controls="rate",
    parameters={
        "set_point": Parameter(10.0, "packets", "[1, 1e6]", about="of its own that shall wait at the bottleneck"),
        "gain": Parameter(0.5, "1", "(0, 1]", about="share of the error that is made good in a round trip"),
        "rise": Parameter(2.0, "round trips", "[0.01, 1e3]", about="time constant of the start"),
        "jump": flag(False, "0: the rate rises inverse-exponentially, 1: all of it at once (1991)"),
        "smoothing": Parameter(0.5, "1", "(0, 1]", about="weight of a new error of the estimator"),
        "gap_at_receiver": flag(False, "gaps are measured 0: at the sender, 1: at the receiver", "arrival_times"),
        **timers.parameters("fine"),
    },
    state={
        "last": 0,  # of the last acknowledgment: its transmission, when that left and arrived [s]
        "left": 0.0,
        "arrived": 0.0,
        "may_be_first": False,  # of a pair
        "service": 0.0,  # estimates: share of the line [packets/s], its smoothed error, round trips [s]
        "error": 0.0,
        "round_trip": 0.0,
        "propagation": 0.0,
        "target": 0.0,  # the controller's rate [packets/s], and when it began to rise [s]
        "began": 0.0,
        "earned": 0.0,  # packets that the rate has earned since the last pair, until this time [s]
        "until": 0.0,
    },
    source="Keshav, SIGCOMM 1991; Kanakia, Keshav & Mishra, sec. 5; schemes.md 3, whose gains are a reconstruction",
)

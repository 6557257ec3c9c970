"""TFRC: the rate that TCP would have at the loss rate seen (schemes.md 12; RFC 3448 and 5348; ns-2.35 tfrc.cc).

The rules of the receiver (loss events, intervals between them, the rate received) are run at the sender, on the times
at which acknowledgments come: the same, half a round trip later. Feedback is that acknowledgment, one per round trip,
which the receiver would have answered with a report, or one that reveals a loss event. Further:

* The engine finds losses, by `reorder` later packets; of several found at once the last one is that just before the
  first of these. When it would have arrived is interpolated (RFC 3448, 5.2).
* The engine's timer goes off when nothing comes back for long. Everything out then is one loss event, if the last one
  is a round trip ago.
* A report's rate is over the time since the last one; if that is shorter than a round trip, together with the one
  before. Where an acknowledgment is lost, its packet is not counted.

u: see the names below. Defaults: the RFCs; `NS` has those of ns-2 that differ.
"""

import math

from longfat.sim.jit import part
from longfat.sim.schemes.paced import SLACK, TIMERS
from longfat.sim.schemes.scheme import Parameter, Scheme

# p
DELAYED, RTO_RTTS, CAPPED, RTT_GAIN, HISTORY, DISCOUNTING, DAMPING, INCREASE, RECEIVED_FLOOR = range(9)
LONGEST, SILENT_RTTS, SILENT_PACKETS, INITIAL = range(9, 13)
# u: rate [bytes/s], round trip [s], mean of its root, last feedback [s], packets acknowledged since and before it
RATE, RTT, ROOT, FED, COUNT, COUNT_BEFORE, SPAN_BEFORE = range(7)
FIRST, EVENT_AT, NEW_EVENT = 7, 8, 9  # the last loss event: its first transmission, its time [s]; not yet reported
INTERVALS, DISCOUNTS = 10, 18  # eight each, newest first; an interval is 0 until there is one
ACKED = 26  # the last three acknowledgments, newest first: transmission, time [s]


@part
def equation_rate(size, rtt, p, b, rto, capped):
    """Rule 1 [bytes/s]. `capped`: a packet in a window is lost at most once, as in ns-2."""
    share = 3.0 * math.sqrt(3.0 * b * p / 8.0)
    if capped > 0.0:
        share = min(1.0, share)
    return size / (rtt * math.sqrt(2.0 * b * p / 3.0) + share * rto * p * (1.0 + 32.0 * p * p))


@part
def allowed_rate(flow, p):
    """The equation, with this flow's round trip and its idea of TCP's timeout."""
    rtt = flow.u[RTT]
    rto = flow.p[RTO_RTTS] * rtt
    if rto == 0.0:
        rto = flow.srtt + 4.0 * flow.rttvar
    return equation_rate(flow.packet_size, rtt, p, flow.p[DELAYED], rto, flow.p[CAPPED])


@part
def loss_rate_of(flow, rate):
    """The p at which the equation gives a rate, between 1e-10 and 1."""
    low, high = math.log(1e-10), 0.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if allowed_rate(flow, math.exp(middle)) > rate:
            low = middle
        else:
            high = middle
    return math.exp(0.5 * (low + high))


@part
def weight(flow, i):
    """Rule 6: 1 for the newer half of the history, then falling evenly: 0.8, 0.6, 0.4, 0.2 of eight."""
    n = flow.p[HISTORY]
    return min(1.0, 2.0 * (n - i) / (n + 2.0))


@part
def closed_mean(flow):
    """The weighted mean of the intervals that have ended [packets]."""
    total, weights = 0.0, 0.0
    for i in range(int(flow.p[HISTORY])):
        if flow.u[INTERVALS + i] > 0.0:
            w = weight(flow, i) * flow.u[DISCOUNTS + i]
            total += w * flow.u[INTERVALS + i]
            weights += w
    return total / weights


@part
def discount(flow, open_interval):
    """Rule 7: how much less the older intervals count while the open one is long."""
    mean = closed_mean(flow)
    if flow.p[DISCOUNTING] == 0.0 or open_interval <= 2.0 * mean:
        return 1.0
    return max(0.5, 2.0 * mean / open_interval)


@part
def mean_interval(flow, open_interval):
    """Rule 6: with or without the open interval, whichever is more."""
    less = discount(flow, open_interval)
    total, weights = open_interval, 1.0
    for i in range(int(flow.p[HISTORY]) - 1):
        if flow.u[INTERVALS + i] > 0.0:
            w = weight(flow, i + 1) * flow.u[DISCOUNTS + i] * less
            total += w * flow.u[INTERVALS + i]
            weights += w
    return max(closed_mean(flow), total / weights)


def start(flow, event):
    """One packet a second until a round trip is known; half of it when 2 s pass without feedback (RFC 3448, 4.2)."""
    flow.u[RATE] = flow.packet_size
    flow.u[FED] = event.now
    flow.u[FIRST] = -1.0
    for k in range(3):
        flow.u[ACKED + 2 * k] = -1.0
        flow.u[ACKED + 2 * k + 1] = event.now
    flow.alarm = event.now + 2.0
    return flow.u[RATE]


def ack(flow, event):
    """A packet has arrived: feedback, if it is time for it or a loss event is new (rules 2 and 8)."""
    for k in range(4, 0, -2):
        flow.u[ACKED + k] = flow.u[ACKED + k - 2]
        flow.u[ACKED + k + 1] = flow.u[ACKED + k - 1]
    flow.u[ACKED] = event.transmission
    flow.u[ACKED + 1] = event.now
    event.restart_timer = 1
    flow.u[COUNT] += 1.0
    if flow.u[NEW_EVENT] == 0.0 and event.now + SLACK < flow.u[FED] + flow.u[RTT]:
        return flow.rate
    smooth(flow, event.rtt)
    received, span = received_rate(flow, event.now), event.now - flow.u[FED]
    if flow.u[FIRST] >= 0.0:
        congestion_avoidance(flow, received, span, event.transmission - flow.u[FIRST])
    elif flow.u[COUNT_BEFORE] > 0.0:
        slow_start(flow, received)
    else:  # the first feedback tells the round trip, and no rate
        flow.u[RATE] = initial_rate(flow)
    if span + SLACK < flow.u[RTT]:
        flow.u[COUNT] += flow.u[COUNT_BEFORE]
        span += flow.u[SPAN_BEFORE]
    flow.u[COUNT_BEFORE], flow.u[SPAN_BEFORE] = flow.u[COUNT], span
    flow.u[COUNT] = 0.0
    flow.u[FED] = event.now
    flow.u[NEW_EVENT] = 0.0
    flow.alarm = event.now + silence(flow)
    if flow.p[DAMPING] > 0.0:  # rule 3
        return flow.u[RATE] * flow.u[ROOT] / math.sqrt(event.rtt)
    return flow.u[RATE]


@part
def smooth(flow, rtt):
    """The round trip of each feedback."""
    if flow.u[RTT] == 0.0:
        flow.u[RTT] = rtt
        flow.u[ROOT] = math.sqrt(rtt)
    else:
        flow.u[RTT] += flow.p[RTT_GAIN] * (rtt - flow.u[RTT])
        flow.u[ROOT] += flow.p[RTT_GAIN] * (math.sqrt(rtt) - flow.u[ROOT])


@part
def received_rate(flow, now):
    """Bytes acknowledged per second since the last feedback, or over a round trip at least."""
    count, span = flow.u[COUNT], now - flow.u[FED]
    if span + SLACK < flow.u[RTT]:
        count += flow.u[COUNT_BEFORE]
        span += flow.u[SPAN_BEFORE]
    return flow.packet_size * count / span


@part
def initial_rate(flow):
    """Four packets a round trip, of small packets (RFC 3390)."""
    if flow.p[INITIAL] > 0.0:
        return flow.p[INITIAL] * flow.packet_size / flow.u[RTT]
    return min(4.0 * flow.packet_size, max(2.0 * flow.packet_size, 4380.0)) / flow.u[RTT]


@part
def received_limit(flow, received):
    """Twice what arrived, and a packet a round trip in any case."""
    return max(2.0 * received, flow.p[RECEIVED_FLOOR] * flow.packet_size / flow.u[RTT])


@part
def slow_start(flow, received):
    """Rule 2, no loss so far: twice the rate each round trip, if it arrives."""
    flow.u[RATE] = max(min(2.0 * flow.u[RATE], received_limit(flow, received)), initial_rate(flow))


@part
def congestion_avoidance(flow, received, span, open_interval):
    """Rule 2, after a loss: the equation. `increase` limits how fast the rate grows, as in ns-2."""
    before = flow.u[RATE]
    wanted = min(allowed_rate(flow, 1.0 / mean_interval(flow, open_interval)), received_limit(flow, received))
    if flow.p[INCREASE] < 1e300:
        wanted = min(wanted, before + flow.p[INCREASE] * min(2.0, span / flow.u[RTT]) * flow.packet_size / flow.u[RTT])
    flow.u[RATE] = max(wanted, flow.packet_size / flow.p[LONGEST])


@part
def silence(flow):
    """How long without feedback is too long."""
    return max(flow.p[SILENT_RTTS] * flow.u[RTT], flow.p[SILENT_PACKETS] * flow.packet_size / flow.u[RATE])


def loss(flow, event):
    """Rule 5: when each packet found lost would have arrived."""
    if flow.u[RTT] == 0.0:
        smooth(flow, event.rtt)
    # `after` is the first acknowledged of the packets behind the hole, `before` the last one in front of it
    after, after_at = float(event.transmission), event.now
    place = ACKED + 2 * (flow.reorder - 1)
    if flow.reorder > 1:
        after, after_at = flow.u[place - 2], flow.u[place - 1]
    before, before_at = flow.u[place], flow.u[place + 1]
    for k in range(event.lost):
        lost = after - event.lost + k
        share = (lost - before) / (after - before) if after > before else 1.0
        note_loss(flow, event.now, lost, before_at + (after_at - before_at) * min(1.0, max(0.0, share)))
    return flow.rate


@part
def note_loss(flow, now, lost, time):
    """Rules 5 to 7: a loss later than a round trip after the last event's first one begins a new event."""
    if flow.u[FIRST] < 0.0:
        flow.u[COUNT] += 1.0  # the acknowledgment that has just come
        interval = 1.0 / loss_rate_of(flow, received_rate(flow, now))
        flow.u[COUNT] -= 1.0
    elif time > flow.u[EVENT_AT] + flow.u[RTT] and lost > flow.u[FIRST]:
        interval = lost - flow.u[FIRST]
        less = discount(flow, interval)
        for i in range(7, 0, -1):
            flow.u[INTERVALS + i] = flow.u[INTERVALS + i - 1]
            flow.u[DISCOUNTS + i] = less * flow.u[DISCOUNTS + i - 1]
    else:
        return
    flow.u[INTERVALS] = interval
    flow.u[DISCOUNTS] = 1.0
    flow.u[FIRST] = lost
    flow.u[EVENT_AT] = time
    flow.u[NEW_EVENT] = 1.0


def alarm(flow, event):
    """Rule 4: no feedback for too long, half the rate."""
    flow.u[RATE] = max(0.5 * flow.u[RATE], flow.packet_size / flow.p[LONGEST])
    flow.alarm = event.now + silence(flow)
    return flow.u[RATE]


def timeout(flow, event):
    """The engine gives up all that is out, which begins with the packet behind the last one acknowledged."""
    if flow.u[RTT] > 0.0:
        note_loss(flow, event.now, flow.u[ACKED] + 1.0, event.now)
    return flow.rate


#: What ns-2 does otherwise: ``flow("tfrc", parameters=tfrc.NS)``.
NS = {
    "reorder": 1.0,
    "rto_rtts": 0.0,
    "capped": 1.0,
    "rtt_gain": 0.05,
    "increase": 1.0,
    "silent_rtts": 2.0,
    "timestamps": 1.0,  # round trips for srtt and its deviation from every packet
}

TFRC = Scheme(
    "tfrc",
    start=start,
    ack=ack,
    loss=loss,
    timeout=timeout,
    alarm=alarm,
    controls="rate",
    every_loss=True,
    reorder=3,
    parameters={
        "delayed_acks": Parameter(1.0, "packets", "[1, 100]", f"p[{DELAYED}]"),
        "rto_rtts": Parameter(4.0, "1", "[0, 1e6]", f"p[{RTO_RTTS}]"),  # 0: srtt + 4 deviations
        "capped": Parameter(1.0, "1", "[0, 1]", f"p[{CAPPED}]"),
        "rtt_gain": Parameter(0.1, "1", "(0, 1]", f"p[{RTT_GAIN}]"),
        "history": Parameter(8.0, "intervals", "[2, 8]", f"p[{HISTORY}]"),
        "discounting": Parameter(1.0, "1", "[0, 1]", f"p[{DISCOUNTING}]"),
        "damping": Parameter(1.0, "1", "[0, 1]", f"p[{DAMPING}]"),
        "increase": Parameter(math.inf, "packets per round trip", "(0, inf]", f"p[{INCREASE}]"),
        "received_floor": Parameter(1.0, "packets per round trip", "[0, 1e6]", f"p[{RECEIVED_FLOOR}]"),
        "longest_interval": Parameter(64.0, "s", "(0, 1e6]", f"p[{LONGEST}]"),
        "silent_rtts": Parameter(4.0, "1", "[1, 1e6]", f"p[{SILENT_RTTS}]"),
        "silent_packets": Parameter(2.0, "packets", "[0, 1e6]", f"p[{SILENT_PACKETS}]"),
        "initial_window": Parameter(0.0, "packets", "[0, 1e6]", f"p[{INITIAL}]"),  # 0: of RFC 3390
        "reorder": Parameter(3.0, "packets", "[1, 3]", "reorder"),
        **TIMERS,
    },
    source="schemes.md 12; RFC 3448, RFC 5348; S. Floyd, M. Handley, J. Padhye and J. Widmer, SIGCOMM (2000); ns-2.35",
)

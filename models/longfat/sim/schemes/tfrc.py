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

Defaults: the RFCs; `NS` has those of ns-2 that differ.
"""

import math

from longfat.sim.jit import part
from longfat.sim.own import flag
from longfat.sim.schemes.paced import SLACK, TIMERS, silence
from longfat.sim.schemes.scheme import Parameter, Scheme

#: What it remembers.
STATE = {
    "allowed": 0.0,  # the rate before damping [bytes/s]
    "rtt": 0.0,  # mean round trip [s], and mean of its root
    "root": 0.0,
    "fed": 0.0,  # when feedback came last [s]
    "count": 0,  # packets acknowledged since then, and in the time before it [s]
    "count_before": 0,
    "span_before": 0.0,
    "first": -1,  # of the last loss event: its first transmission, its time [s], whether it is yet to be reported
    "event_at": 0.0,
    "new_event": False,
    "intervals": [0.0] * 8,  # between loss events, newest first [packets]; 0: there was none
    "discounts": [0.0] * 8,  # how much each of them counts
    "acked": [-1] * 3,  # the last three acknowledgments, newest first: their transmissions and times [s]
    "acked_at": [0.0] * 3,
}


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
    rtt = flow.rtt
    rto = flow.rto_rtts * rtt
    if rto == 0.0:
        rto = flow.srtt + 4.0 * flow.rttvar
    return equation_rate(flow.packet_size, rtt, p, flow.delayed_acks, rto, flow.capped)


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
    n = flow.history
    return min(1.0, 2.0 * (n - i) / (n + 2.0))


@part
def closed_mean(flow):
    """The weighted mean of the intervals that have ended [packets]."""
    total, weights = 0.0, 0.0
    for i in range(int(flow.history)):
        if flow.intervals[i] > 0.0:
            w = weight(flow, i) * flow.discounts[i]
            total += w * flow.intervals[i]
            weights += w
    return total / weights


@part
def discount(flow, open_interval):
    """Rule 7: how much less the older intervals count while the open one is long."""
    mean = closed_mean(flow)
    if flow.discounting == 0.0 or open_interval <= 2.0 * mean:
        return 1.0
    return max(0.5, 2.0 * mean / open_interval)


@part
def mean_interval(flow, open_interval):
    """Rule 6: with or without the open interval, whichever is more."""
    less = discount(flow, open_interval)
    total, weights = open_interval, 1.0
    for i in range(int(flow.history) - 1):
        if flow.intervals[i] > 0.0:
            w = weight(flow, i + 1) * flow.discounts[i] * less
            total += w * flow.intervals[i]
            weights += w
    return max(closed_mean(flow), total / weights)


def start(flow, event):
    """One packet a second until a round trip is known; half of it when 2 s pass without feedback (RFC 3448, 4.2)."""
    flow.allowed = flow.packet_size
    flow.fed = event.now
    for k in range(3):
        flow.acked_at[k] = event.now
    flow.alarm = event.now + 2.0
    return flow.allowed


def ack(flow, event):
    """A packet has arrived: feedback, if it is time for it or a loss event is new (rules 2 and 8)."""
    for k in range(2, 0, -1):
        flow.acked[k] = flow.acked[k - 1]
        flow.acked_at[k] = flow.acked_at[k - 1]
    flow.acked[0] = event.transmission
    flow.acked_at[0] = event.now
    event.restart_timer = 1
    flow.count += 1
    if not flow.new_event and event.now + SLACK < flow.fed + flow.rtt:
        return flow.rate
    smooth(flow, event.rtt)
    received, span = received_rate(flow, event.now), event.now - flow.fed
    if flow.first >= 0:
        congestion_avoidance(flow, received, span, event.transmission - flow.first)
    elif flow.count_before > 0:
        slow_start(flow, received)
    else:  # the first feedback tells the round trip, and no rate
        flow.allowed = initial_rate(flow)
    if span + SLACK < flow.rtt:
        flow.count += flow.count_before
        span += flow.span_before
    flow.count_before, flow.span_before = flow.count, span
    flow.count = 0
    flow.fed = event.now
    flow.new_event = False
    flow.alarm = event.now + silence(flow, flow.allowed)
    if flow.damping > 0.0:  # rule 3
        return flow.allowed * flow.root / math.sqrt(event.rtt)
    return flow.allowed


@part
def smooth(flow, rtt):
    """The round trip of each feedback."""
    if flow.rtt == 0.0:
        flow.rtt = rtt
        flow.root = math.sqrt(rtt)
    else:
        flow.rtt += flow.rtt_gain * (rtt - flow.rtt)
        flow.root += flow.rtt_gain * (math.sqrt(rtt) - flow.root)


@part
def received_rate(flow, now):
    """Bytes acknowledged per second since the last feedback, or over a round trip at least."""
    count, span = flow.count, now - flow.fed
    if span + SLACK < flow.rtt:
        count += flow.count_before
        span += flow.span_before
    return flow.packet_size * count / span


@part
def initial_rate(flow):
    """Four packets a round trip, of small packets (RFC 3390)."""
    if flow.initial_window > 0.0:
        return flow.initial_window * flow.packet_size / flow.rtt
    return min(4.0 * flow.packet_size, max(2.0 * flow.packet_size, 4380.0)) / flow.rtt


@part
def received_limit(flow, received):
    """Twice what arrived, and a packet a round trip in any case."""
    return max(2.0 * received, flow.received_floor * flow.packet_size / flow.rtt)


@part
def slow_start(flow, received):
    """Rule 2, no loss so far: twice the rate each round trip, if it arrives."""
    flow.allowed = max(min(2.0 * flow.allowed, received_limit(flow, received)), initial_rate(flow))


@part
def congestion_avoidance(flow, received, span, open_interval):
    """Rule 2, after a loss: the equation. `increase` limits how fast the rate grows, as in ns-2."""
    before = flow.allowed
    wanted = min(allowed_rate(flow, 1.0 / mean_interval(flow, open_interval)), received_limit(flow, received))
    if flow.increase < 1e300:
        wanted = min(wanted, before + flow.increase * min(2.0, span / flow.rtt) * flow.packet_size / flow.rtt)
    flow.allowed = max(wanted, flow.packet_size / flow.longest_interval)


def loss(flow, event):
    """Rule 5: when each packet found lost would have arrived."""
    if flow.rtt == 0.0:
        smooth(flow, event.rtt)
    # `after` is the first acknowledged of the packets behind the hole, `before` the last one in front of it
    after, after_at = event.transmission, event.now
    place = flow.reorder - 1
    if place > 0:
        after, after_at = flow.acked[place - 1], flow.acked_at[place - 1]
    before, before_at = flow.acked[place], flow.acked_at[place]
    for k in range(event.lost):
        lost = after - event.lost + k
        share = (lost - before) / (after - before) if after > before else 1.0
        note_loss(flow, event.now, lost, before_at + (after_at - before_at) * min(1.0, max(0.0, share)))
    return flow.rate


@part
def note_loss(flow, now, lost, time):
    """Rules 5 to 7: a loss later than a round trip after the last event's first one begins a new event."""
    if flow.first < 0:
        flow.count += 1  # the acknowledgment that has just come
        interval = 1.0 / loss_rate_of(flow, received_rate(flow, now))
        flow.count -= 1
    elif time > flow.event_at + flow.rtt and lost > flow.first:
        interval = float(lost - flow.first)
        less = discount(flow, interval)
        for i in range(7, 0, -1):
            flow.intervals[i] = flow.intervals[i - 1]
            flow.discounts[i] = less * flow.discounts[i - 1]
    else:
        return
    flow.intervals[0] = interval
    flow.discounts[0] = 1.0
    flow.first = lost
    flow.event_at = time
    flow.new_event = True


def alarm(flow, event):
    """Rule 4: no feedback for too long, half the rate."""
    flow.allowed = max(0.5 * flow.allowed, flow.packet_size / flow.longest_interval)
    flow.alarm = event.now + silence(flow, flow.allowed)
    return flow.allowed


def timeout(flow, event):
    """The engine gives up all that is out, which begins with the packet behind the last one acknowledged."""
    if flow.rtt > 0.0:
        note_loss(flow, event.now, flow.acked[0] + 1, event.now)
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
        "delayed_acks": Parameter(1.0, "packets", "[1, 100]", about="that an ack of TCP covers (RFC 5348, 3.1)"),
        "rto_rtts": Parameter(4.0, "1", "[0, 1e6]", about="TCP's timeout in round trips; 0: srtt + 4 deviations"),
        "capped": flag(True, "1: a packet in a window is lost at most once, as in ns-2"),
        "rtt_gain": Parameter(0.1, "1", "(0, 1]", about="weight of a new round trip (RFC 5348, 4.3)"),
        "history": Parameter(8.0, "intervals", "[2, 8]", about="loss intervals that count (RFC 5348, 5.4)"),
        "discounting": flag(True, "1: old intervals count less while the open one is long (RFC 5348, 5.5)"),
        "damping": flag(True, "1: the rate falls as the root of the round trip grows (RFC 5348, 4.5)"),
        "increase": Parameter(math.inf, "packets per round trip", "(0, inf]", about="greatest growth after a loss"),
        "received_floor": Parameter(1.0, "packets per round trip", "[0, 1e6]", about="least limit by what arrived"),
        "longest_interval": Parameter(64.0, "s", "(0, 1e6]", about="between packets (RFC 5348, 4.3)"),
        "silent_rtts": Parameter(4.0, "1", "[1, 1e6]", about="without feedback until the rate is halved: round trips"),
        "silent_packets": Parameter(2.0, "packets", "[0, 1e6]", about="and times between packets, whichever is more"),
        "initial_window": Parameter(0.0, "packets", "[0, 1e6]", about="first window; 0: of RFC 3390"),
        "reorder": Parameter(3.0, "packets", "[1, 3]", "reorder", about="later packets acknowledged that mean a loss"),
        **TIMERS,
    },
    state=STATE,
    source="schemes.md 12; RFC 3448, RFC 5348; S. Floyd, M. Handley, J. Padhye and J. Widmer, SIGCOMM (2000); ns-2.35",
)

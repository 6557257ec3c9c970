"""TFRC: the rate that TCP would have at the measured loss event rate (RFC 5348; rules in docs/rules/rate-based.md).

The rules of the receiver (loss events, loss intervals, receive rate) run at the sender, on the times at which
acknowledgments arrive: the same times, half a round trip later. Feedback is the acknowledgment, one per round trip, for
which the receiver would have sent a report, or one that reveals a loss event. Further deviations:

* The simulator finds a loss when `reorder` later packets are acknowledged. If it finds several at once, they are taken
  to be the packets just before the first of these later packets. Their arrival times are interpolated (RFC 5348,
  section 5.2).
* The simulator's timer expires when no acknowledgment arrives for long. All packets then in flight are one loss event,
  if the last loss event is more than a round trip ago.
* The receive rate is measured since the last feedback or, if that is less than a round trip ago, since the one before
  it. A packet whose acknowledgment is lost is not counted.

Defaults are those of the RFC; `NS` has those of ns-2.35, tfrc.cc, that differ.
"""

import math

from longfat.sim.jit import part
from longfat.sim.own import flag
from longfat.sim.schemes.paced import SLACK, TIMERS, silence
from longfat.sim.schemes.scheme import Parameter, Scheme

#: State of a flow.
STATE = {
    "allowed": 0.0,  # the rate before damping [bytes/s]
    "rtt": 0.0,  # mean round-trip time [s], and mean of its square root
    "root": 0.0,
    "feedback_at": 0.0,  # time of the last feedback [s]
    "count": 0,  # packets acknowledged since then, and in the interval before it [s]
    "count_before": 0,
    "span_before": 0.0,
    "first": -1,  # last loss event: its first transmission, its time [s], whether it is not yet reported
    "event_at": 0.0,
    "new_event": False,
    "intervals": [0.0] * 8,  # loss intervals, newest first [packets]; 0: there was none
    "discounts": [0.0] * 8,  # discount factor of each of them
    "acked": [-1] * 3,  # the last three acknowledgments, newest first: their transmissions and times [s]
    "acked_at": [0.0] * 3,
}


@part
def equation_rate(size, rtt, p, b, rto, capped):
    """Return the rate of the TCP throughput equation [bytes/s]; `capped`: at most one loss per window, as in ns-2."""
    # RFC 5348, section 3.1: X = s / (R sqrt(2bp/3) + t_RTO 3 sqrt(3bp/8) p (1 + 32 p^2)). ns-2.35, formula.h: the
    # factor 3 sqrt(3bp/8) is at most 1.
    share = 3.0 * math.sqrt(3.0 * b * p / 8.0)
    if capped > 0.0:
        share = min(1.0, share)
    return size / (rtt * math.sqrt(2.0 * b * p / 3.0) + share * rto * p * (1.0 + 32.0 * p * p))


@part
def allowed_rate(flow, p):
    """Return the rate of the throughput equation for this flow's round-trip time and timeout [bytes/s]."""
    rtt = flow.rtt
    rto = flow.rto_rtts * rtt
    if rto == 0.0:
        rto = flow.srtt + 4.0 * flow.rttvar
    return equation_rate(flow.packet_size, rtt, p, flow.delayed_acks, rto, flow.capped)


@part
def loss_rate_of(flow, rate):
    """Return the loss event rate, between 1e-10 and 1, at which the throughput equation gives a rate."""
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
    """Return the weight of a loss interval: 1 in the newer half of the history, then 0.8, 0.6, 0.4, 0.2 of eight."""
    # RFC 5348, section 5.4: w_i = 1 for i < n/2, else 2 (n - i) / (n + 2).
    n = flow.history
    return min(1.0, 2.0 * (n - i) / (n + 2.0))


@part
def closed_mean(flow):
    """Return the weighted mean of the loss intervals that have ended [packets]."""
    total, weights = 0.0, 0.0
    for i in range(int(flow.history)):
        if flow.intervals[i] > 0.0:
            w = weight(flow, i) * flow.discounts[i]
            total += w * flow.intervals[i]
            weights += w
    return total / weights


@part
def discount(flow, open_interval):
    """Return the factor by which older loss intervals count less while the open one is long."""
    # RFC 5348, section 5.5: if l_0 > 2 I_mean, DF = max(2 I_mean / l_0, 0.5).
    mean = closed_mean(flow)
    if flow.discounting == 0.0 or open_interval <= 2.0 * mean:
        return 1.0
    return max(0.5, 2.0 * mean / open_interval)


@part
def mean_interval(flow, open_interval):
    """Return the mean loss interval [packets]: with or without the open interval, whichever is more."""
    # RFC 5348, section 5.4: I_mean is the larger of the means over l_1 .. l_n and over l_0 .. l_(n-1).
    less = discount(flow, open_interval)
    total, weights = open_interval, 1.0
    for i in range(int(flow.history) - 1):
        if flow.intervals[i] > 0.0:
            w = weight(flow, i + 1) * flow.discounts[i] * less
            total += w * flow.intervals[i]
            weights += w
    return max(closed_mean(flow), total / weights)


def start(flow, event):
    """Return the initial rate of one packet per second [bytes/s], halved after 2 s without feedback."""
    # RFC 5348, section 4.2: one packet per second before the first feedback, and a no-feedback timer of two seconds.
    flow.allowed = flow.packet_size
    flow.feedback_at = event.now
    for k in range(3):
        flow.acked_at[k] = event.now
    flow.alarm = event.now + 2.0
    return flow.allowed


def ack(flow, event):
    """Return the rate [bytes/s]; an acknowledgment is feedback once per round trip, or for a new loss event."""
    for k in range(2, 0, -1):
        flow.acked[k] = flow.acked[k - 1]
        flow.acked_at[k] = flow.acked_at[k - 1]
    flow.acked[0] = event.transmission
    flow.acked_at[0] = event.now
    event.restart_timer = 1
    flow.count += 1
    # RFC 5348, sections 6.1 and 6.2: feedback at once for a new loss event, otherwise once per round trip.
    if not flow.new_event and event.now + SLACK < flow.feedback_at + flow.rtt:
        return flow.rate
    smooth(flow, event.rtt)
    received, span = received_rate(flow, event.now), event.now - flow.feedback_at
    if flow.first >= 0:
        congestion_avoidance(flow, received, span, event.transmission - flow.first)
    elif flow.count_before > 0:
        slow_start(flow, received)
    else:  # RFC 5348, section 4.3: the first feedback brings a round-trip time, and no receive rate
        flow.allowed = initial_rate(flow)
    if span + SLACK < flow.rtt:
        flow.count += flow.count_before
        span += flow.span_before
    flow.count_before, flow.span_before = flow.count, span
    flow.count = 0
    flow.feedback_at = event.now
    flow.new_event = False
    flow.alarm = event.now + silence(flow, flow.allowed)
    if flow.damping > 0.0:  # RFC 5348, section 4.5: X_inst = X R_sqmean / sqrt(R_sample)
        return flow.allowed * flow.root / math.sqrt(event.rtt)
    return flow.allowed


@part
def smooth(flow, rtt):
    """Update the mean round-trip time and the mean of its square root with the sample of a feedback."""
    # RFC 5348, section 4.3, step 2: R = q R + (1 - q) R_sample with q = 0.9.
    if flow.rtt == 0.0:
        flow.rtt = rtt
        flow.root = math.sqrt(rtt)
    else:
        flow.rtt += flow.rtt_gain * (rtt - flow.rtt)
        flow.root += flow.rtt_gain * (math.sqrt(rtt) - flow.root)


@part
def received_rate(flow, now):
    """Return the receive rate since the last feedback, over at least a round trip [bytes/s]."""
    count, span = flow.count, now - flow.feedback_at
    if span + SLACK < flow.rtt:
        count += flow.count_before
        span += flow.span_before
    return flow.packet_size * count / span


@part
def initial_rate(flow):
    """Return the rate after the first feedback [bytes/s]: the initial window of RFC 3390 per round trip."""
    # RFC 5348, section 4.2: W_init = min(4 s, max(2 s, 4380 bytes)).
    if flow.initial_window > 0.0:
        return flow.initial_window * flow.packet_size / flow.rtt
    return min(4.0 * flow.packet_size, max(2.0 * flow.packet_size, 4380.0)) / flow.rtt


@part
def received_limit(flow, received):
    """Return twice the receive rate, and at least `received_floor` packets per round trip [bytes/s]."""
    return max(2.0 * received, flow.received_floor * flow.packet_size / flow.rtt)


@part
def slow_start(flow, received):
    """Double the rate once per round trip while there is no loss, limited by the receive rate."""
    # RFC 5348, section 4.3, step 4, slow start: X = max(min(2 X, recv_limit), W_init / R).
    flow.allowed = max(min(2.0 * flow.allowed, received_limit(flow, received)), initial_rate(flow))


@part
def congestion_avoidance(flow, received, span, open_interval):
    """Set the rate to that of the throughput equation; `increase` limits its growth, as in ns-2."""
    # RFC 5348, section 4.3, step 4: X = max(min(X_Bps, recv_limit), s / t_mbi). ns-2.35, tfrc.cc, increase_rate():
    # the rate grows by one packet per round trip for each round trip since the last change, at most for two.
    before = flow.allowed
    wanted = min(allowed_rate(flow, 1.0 / mean_interval(flow, open_interval)), received_limit(flow, received))
    if flow.increase < 1e300:
        wanted = min(wanted, before + flow.increase * min(2.0, span / flow.rtt) * flow.packet_size / flow.rtt)
    flow.allowed = max(wanted, flow.packet_size / flow.longest_interval)


def loss(flow, event):
    """Return the rate, unchanged, after recording when each lost packet would have arrived."""
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
        record_loss(flow, event.now, lost, before_at + (after_at - before_at) * min(1.0, max(0.0, share)))
    return flow.rate


@part
def record_loss(flow, now, lost, time):
    """Record a loss: later than a round trip after the first loss of the last event, it begins a new event."""
    # RFC 5348, section 5.2: losses within one round trip of the first one of an event belong to it. Section 6.3.1: the
    # first loss interval is that at which the equation gives the receive rate.
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
    """Return half the rate [bytes/s]: the no-feedback timer has expired."""
    # RFC 5348, section 4.4: halve the rate when the no-feedback timer expires.
    flow.allowed = max(0.5 * flow.allowed, flow.packet_size / flow.longest_interval)
    flow.alarm = event.now + silence(flow, flow.allowed)
    return flow.allowed


def timeout(flow, event):
    """Return the rate, unchanged: all packets in flight are lost, from the one after the last acknowledged on."""
    if flow.rtt > 0.0:
        record_loss(flow, event.now, flow.acked[0] + 1, event.now)
    return flow.rate


#: Parameters of ns-2.35, tfrc.cc and tfrc-sink.cc, that differ: ``flow("tfrc", parameters=tfrc.NS)``.
NS = {
    "reorder": 1.0,
    "rto_rtts": 0.0,
    "capped": 1.0,
    "rtt_gain": 0.05,
    "increase": 1.0,
    "silent_rtts": 2.0,
    "timestamps": 1.0,  # smoothed round-trip time and deviation from every packet
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
        "delayed_acks": Parameter(
            1.0, "packets", "[1, 100]", about="Packets that an acknowledgment of TCP covers, b (RFC 5348, section 3.1)"
        ),
        "rto_rtts": Parameter(
            4.0, "1", "[0, 1e6]", about="Retransmission timeout of TCP in round trips; 0: srtt + 4 deviations"
        ),
        "capped": flag(True, "1: at most one loss event per window in the equation, as ns-2; 0: no limit"),
        "rtt_gain": Parameter(
            0.1, "1", "(0, 1]", about="Gain of a new sample in the mean round-trip time (RFC 5348, section 4.3)"
        ),
        "history": Parameter(8.0, "intervals", "[2, 8]", about="Loss intervals in the mean (RFC 5348, section 5.4)"),
        "discounting": flag(
            True,
            "1: history discounting of older loss intervals (RFC 5348, section 5.5); 0: none",
        ),
        "damping": flag(
            True, "1: rate scaled by the square root of the round-trip time (RFC 5348, section 4.5); 0: not scaled"
        ),
        "increase": Parameter(
            math.inf, "packets per round trip", "(0, inf]", about="Upper bound of the growth of the rate after a loss"
        ),
        "received_floor": Parameter(
            1.0, "packets per round trip", "[0, 1e6]", about="Lower bound of the limit by the receive rate"
        ),
        "longest_interval": Parameter(
            64.0, "s", "(0, 1e6]", about="Longest interval between packets, t_mbi (RFC 5348, section 4.3)"
        ),
        "silent_rtts": Parameter(
            4.0, "1", "[1, 1e6]", about="Round trips without feedback after which the rate is halved"
        ),
        "silent_packets": Parameter(
            2.0,
            "packets",
            "[0, 1e6]",
            about="Packet intervals without feedback after which the rate is halved, if longer",
        ),
        "initial_window": Parameter(0.0, "packets", "[0, 1e6]", about="Initial window; 0: that of RFC 3390"),
        "reorder": Parameter(
            3.0, "packets", "[1, 3]", "reorder", about="Later packets acknowledged that signal a loss"
        ),
        **TIMERS,
    },
    state=STATE,
    source=(
        "S. Floyd, M. Handley, J. Padhye and J. Widmer, RFC 5348 (2008), TCP Friendly Rate Control (TFRC): Protocol "
        "Specification, sections 3 to 6, and Equation-Based Congestion Control for Unicast Applications, Proc. ACM "
        "SIGCOMM 2000, doi:10.1145/347059.347397; ns-2.35, tfrc.cc, tfrc-sink.cc and formula.h"
    ),
)

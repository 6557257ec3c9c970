"""TFRC: the rate that TCP would have at the measured loss event rate (RFC 5348; rules in docs/rules/rate-based.md).

The rules of the receiver (loss events, loss intervals, receive rate) run at the sender, on the times at which
acknowledgments arrive: the same times, half a round trip later. An acknowledgment counts as feedback if the receiver
would have sent a report: once per round trip, or when it reveals a higher loss event rate. Further deviations:

* The report of a round trip comes with the first acknowledgment after the round trip, not at its end.
* The simulator finds a loss when `reorder` later packets are acknowledged. Losses that it finds together are assumed to
  be the packets immediately before the first of these later packets. Their arrival times are interpolated (RFC 5348,
  section 5.2).
* The simulator's timer expires when no acknowledgment arrives for long. All packets then in flight are one loss event,
  if the last loss event is more than a round trip ago.
* The receive rate is measured since the last feedback or, if that is less than a round trip ago, since the one before
  it (RFC 5348, section 6.2, allows this). A packet whose acknowledgment is lost is not counted.
* No interval is data-limited (RFC 5348, section 4.3, step 4), because a flow cannot save unused rate: whenever a packet
  left, the sender had sent all that it was allowed to send (section 8.2.1). A flow is idle only at the end of a file.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.parameters import flag
from longfat.sim.schemes import timers
from longfat.sim.schemes.paced import SLACK, silence
from longfat.sim.schemes.scheme import Parameter, Scheme

LONGEST_INTERVAL = 64.0  # s between packets: t_mbi of RFC 5348, section 4.3
#: Weights of eight loss intervals, newest first (RFC 5348, section 5.4).
WEIGHTS = (1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2)
#: Argument `factors` of `mean_of` and `larger_mean` that leaves the weights unchanged.
EQUAL = (1.0,) * 8
#: State of a flow.
STATE = {
    "allowed": 0.0,  # the rate before damping, X [bytes/s]
    "doubled_at": -1.0,  # time last doubled, tld [s]; negative: there was no feedback
    "equation": 0.0,  # the rate of the throughput equation at the last feedback, X_Bps [bytes/s]; 0: p = 0
    "p": 0.0,  # the receiver's loss event rate when it was last computed
    "received": [0.0] * 8,  # X_recv_set, newest first [bytes/s], 0: deleted; and the times of its values [s]
    "received_at": [0.0] * 8,
    "most_received": 0.0,  # the largest receive rate so far [bytes/s]
    "sent_before": 0,  # transmissions when the no-feedback timer was set
    "rtt": 0.0,  # mean round-trip time [s], and mean of its square root
    "root": 0.0,
    "feedback_at": 0.0,  # time of the last feedback [s]
    "count": 0,  # packets acknowledged since the last feedback; packets and time [s] of its receive rate
    "count_before": 0,
    "span_before": 0.0,
    "first": -1,  # last loss event: its first lost transmission, its time [s], whether it is not yet reported
    "event_at": 0.0,
    "new_event": False,
    "intervals": [0.0] * 8,  # loss intervals, newest first [packets]; 0: there was none
    "discounts": [0.0] * 8,  # discount factor of each interval
    "acked": [-1] * 3,  # the last three acknowledgments, newest first: their transmissions and times [s]
    "acked_at": [0.0] * 3,
}


@inline
def equation_rate(size, rtt, p):
    """Return the rate [bytes/s] of the TCP throughput equation at a loss event rate p, with t_RTO = 4 R and b = 1."""
    # RFC 5348, section 3.1: X = s / (R sqrt(2bp/3) + t_RTO 3 sqrt(3bp/8) p (1 + 32 p^2)).
    share = 3.0 * math.sqrt(3.0 * p / 8.0)
    return size / (rtt * math.sqrt(2.0 * p / 3.0) + share * (4.0 * rtt) * p * (1.0 + 32.0 * p * p))


@inline
def loss_rate_of(flow, rate):
    """Return the loss event rate, between 1e-10 and 1, at which the throughput equation gives `rate` [bytes/s]."""
    low, high = math.log(1e-10), 0.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if equation_rate(flow.packet_size, flow.rtt, math.exp(middle)) > rate:
            low = middle
        else:
            high = middle
    return math.exp(0.5 * (low + high))


@inline
def mean_of(values, factors):
    """Return the mean of eight `values` (newest first; 0: none), with the weights `WEIGHTS` times `factors`."""
    total, weights = 0.0, 0.0
    for i in range(8):
        if values[i] > 0.0:
            w = WEIGHTS[i] * factors[i]
            total += w * values[i]
            weights += w
    return total / weights


@inline
def larger_mean(newest, values, factors, less, keep_oldest):
    """Return the larger of two weighted means: of `values`, and of `newest` and `values` without the oldest one.

    In the second mean the weights of `values` are multiplied by `less`. With `keep_oldest`, the oldest value is left
    out only if there are eight values.
    """
    # RFC 5348, section 5.4: I_mean is the larger of the means over l_1 .. l_k and over l_0 .. l_(k-1). With k values,
    # I_tot0 is the sum of w_0 l_0 to w_(k-1) l_(k-1); l_k is left out for any k, so that I_tot0 and I_tot1 have the
    # same weights, W_tot. Linux agrees (net/dccp/ccids/lib/loss_interval.c, tfrc_lh_calc_i_mean()).
    total, weights = newest, 1.0
    for i in range(7):
        if values[i] > 0.0 and (keep_oldest or values[i + 1] > 0.0):
            w = WEIGHTS[i + 1] * factors[i] * less
            total += w * values[i]
            weights += w
    return max(mean_of(values, factors), total / weights)


@inline
def discount(flow, open_interval):
    """Return the factor that reduces the weights of older loss intervals if the open interval is long."""
    # RFC 5348, section 5.5: if l_0 > 2 I_mean, DF = max(2 I_mean / l_0, 0.5).
    mean = mean_of(flow.intervals, flow.discounts)
    if flow.discounting == 0.0 or open_interval <= 2.0 * mean:
        return 1.0
    return max(0.5, 2.0 * mean / open_interval)


@inline
def mean_interval(flow, open_interval):
    """Return the mean loss interval [packets]: the larger of the means with and without the open interval."""
    return larger_mean(open_interval, flow.intervals, flow.discounts, discount(flow, open_interval), False)


@inline
def largest_received(flow):
    """Return the largest value in X_recv_set [bytes/s]."""
    most = 0.0
    for k in range(8):
        most = max(most, flow.received[k])
    return most


@inline
def update_received(flow, now, received):
    """Add a receive rate to X_recv_set, and delete rates that are two round trips old."""
    # RFC 5348, section 4.3, "Update X_recv_set()". The initial value, infinity, is treated like the other values. Two
    # round trips bring at most four reports, so an array of eight values is long enough.
    for k in range(7, 0, -1):
        kept = flow.received_at[k - 1] + 2.0 * flow.rtt > now + SLACK
        flow.received[k] = flow.received[k - 1] if kept else 0.0
        flow.received_at[k] = flow.received_at[k - 1]
    flow.received[0] = received
    flow.received_at[0] = now


@inline
def set_received(flow, now, received):
    """Replace X_recv_set by a single receive rate."""
    for k in range(8):
        flow.received[k] = 0.0
    flow.received[0] = received
    flow.received_at[0] = now


@inline
def least_rate(flow):
    """Return the lower bound of all rates, one packet per maximum backoff interval [bytes/s]."""
    return flow.packet_size / LONGEST_INTERVAL  # RFC 5348, section 4.3, step 4: s/t_mbi


@inline
def set_no_feedback_timer(flow, now):
    """Set the no-feedback timer, and record the packets sent until now, to find out whether the sender is idle."""
    # RFC 5348, section 4.3, steps 3 and 6, and section 4.4, step 2: the timer expires after max(4 R, 2 s/X).
    flow.alarm = now + silence(flow, flow.allowed)
    flow.sent_before = flow.transmission


def start(flow, event):
    """Return the initial rate of one packet per second [bytes/s], with a no-feedback timer of 2 s."""
    # RFC 5348, section 4.2: before the first feedback the rate is one packet per second, and the no-feedback timer 2 s.
    flow.allowed = flow.packet_size
    flow.feedback_at = event.now
    for k in range(3):
        flow.acked_at[k] = event.now
    flow.alarm = event.now + 2.0
    return flow.allowed


def ack(flow, event):
    """Return the rate [bytes/s], updated once per round trip and whenever the loss event rate rises."""
    for k in range(2, 0, -1):
        flow.acked[k] = flow.acked[k - 1]
        flow.acked_at[k] = flow.acked_at[k - 1]
    flow.acked[0] = event.transmission
    flow.acked_at[0] = event.now
    event.restart_timer = 1
    flow.count += 1
    # RFC 5348, section 5.3: the current interval has S_C - S_A + 1 packets, from the first lost to the newest one.
    open_interval = event.transmission - flow.first + 1
    urgent = False
    if flow.new_event:
        # RFC 5348, section 6.1, steps 3 and 4: send feedback immediately if a new loss event has raised p.
        before, flow.p = flow.p, 1.0 / mean_interval(flow, open_interval)
        urgent = flow.p > before
        flow.new_event = False
    # RFC 5348, section 6.2: otherwise feedback comes once per round trip.
    if not urgent and event.now + SLACK < flow.feedback_at + flow.rtt:
        return flow.rate
    smooth(flow, event.rtt)
    received, span = received_rate(flow, event.now), event.now - flow.feedback_at
    if flow.doubled_at < 0.0:
        # RFC 5348, section 4.2: the first feedback sets the initial rate. Section 4.3: X_recv_set begins with infinity,
        # so that the first receive rate, that of a single packet, does not limit the rate. Our choice, because
        # no round-trip time was known before: infinity is deleted two round trips from now.
        flow.allowed = initial_rate(flow)
        flow.doubled_at = event.now
        set_received(flow, event.now, math.inf)
    else:
        flow.most_received = max(flow.most_received, received)
        update_received(flow, event.now, received)
        # RFC 5348, section 4.3, step 4: recv_limit is twice the largest value in X_recv_set.
        limit = 2.0 * largest_received(flow)
        if flow.first < 0:
            # RFC 5348, section 4.3, step 4: if t_now - tld >= R, X = max(min(2 X, recv_limit), initial_rate), tld =
            # t_now.
            if event.now + SLACK >= flow.doubled_at + flow.rtt:
                flow.allowed = max(min(2.0 * flow.allowed, limit), initial_rate(flow))
                flow.doubled_at = event.now
        else:
            flow.p = 1.0 / mean_interval(flow, open_interval)
            flow.equation = equation_rate(flow.packet_size, flow.rtt, flow.p)
            # RFC 5348, section 4.3, step 4: X = max(min(X_Bps, recv_limit), s/t_mbi).
            flow.allowed = max(min(flow.equation, limit), least_rate(flow))
    if span + SLACK < flow.rtt:
        flow.count += flow.count_before
        span += flow.span_before
    flow.count_before, flow.span_before = flow.count, span
    flow.count = 0
    flow.feedback_at = event.now
    set_no_feedback_timer(flow, event.now)
    if flow.damping > 0.0:  # RFC 5348, section 4.5: X_inst = max(X R_sqmean / sqrt(R_sample), s/t_mbi)
        return max(flow.allowed * flow.root / math.sqrt(event.rtt), least_rate(flow))
    return flow.allowed


@inline
def smooth(flow, rtt):
    """Update the mean round-trip time and the mean of its square root with the sample of a feedback packet."""
    # RFC 5348, section 4.3, step 2: R = q R + (1 - q) R_sample with q = 0.9.
    if flow.rtt == 0.0:
        flow.rtt = rtt
        flow.root = math.sqrt(rtt)
    else:
        flow.rtt += 0.1 * (rtt - flow.rtt)
        flow.root += 0.1 * (math.sqrt(rtt) - flow.root)


@inline
def received_rate(flow, now):
    """Return the receive rate since the last feedback, over at least a round trip [bytes/s]."""
    # RFC 5348, section 6.2, step 2: the receive rate counts the packets of the last R seconds. After a round trip
    # without packets, the next packet causes a report immediately (section 6.1, step 4), and is the only packet of the
    # last R seconds.
    if flow.rtt > 0.0 and now + SLACK >= flow.acked_at[1] + flow.rtt:
        return flow.packet_size / flow.rtt
    count, span = flow.count, now - flow.feedback_at
    if span + SLACK < flow.rtt:
        count += flow.count_before
        span += flow.span_before
    return flow.packet_size * count / span


@inline
def initial_rate(flow):
    """Return the rate after the first feedback [bytes/s]: the initial window of RFC 3390 per round trip."""
    # RFC 5348, section 4.2: W_init = min(4 s, max(2 s, 4380 bytes)).
    if flow.initial_window > 0.0:
        return flow.initial_window * flow.packet_size / flow.rtt
    return min(4.0 * flow.packet_size, max(2.0 * flow.packet_size, 4380.0)) / flow.rtt


def loss(flow, event):
    """Record when each lost packet would have arrived; return the rate [bytes/s] unchanged."""
    if flow.rtt == 0.0:
        smooth(flow, event.rtt)
    # `after` is the first acknowledged packet after the lost packets, `before` the last acknowledged packet before them
    after, after_at = event.transmission, event.now
    place = flow.reorder - 1
    if place > 0:
        after, after_at = flow.acked[place - 1], flow.acked_at[place - 1]
    before, before_at = flow.acked[place], flow.acked_at[place]
    for k in range(event.lost):
        lost = after - event.lost + k
        share = (lost - before) / (after - before) if after > before else 1.0
        record_loss(flow, lost, before_at + (after_at - before_at) * min(1.0, max(0.0, share)))
    return flow.rate


@inline
def record_loss(flow, lost, time):
    """Record a loss; it begins a new event if it is more than a round trip after the first loss of the last event."""
    # RFC 5348, section 5.2: losses within one round trip of the first loss of an event belong to this event.
    if flow.first < 0:
        # RFC 5348, section 6.3.1: the first interval is the one at which the throughput equation gives the largest
        # receive rate so far, and at least 0.5 packets per round trip.
        interval = 1.0 / loss_rate_of(flow, max(flow.most_received, 0.5 * flow.packet_size / flow.rtt))
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
    """Return the rate after the no-feedback timer has expired [bytes/s]: half the rate, unless the sender is idle."""
    # RFC 5348, section 4.4, step 1: recover_rate is the initial rate.
    idle = flow.transmission == flow.sent_before
    received = largest_received(flow)
    if flow.doubled_at < 0.0:  # neither X_Bps nor recover_rate is known
        if not idle:
            flow.allowed = max(0.5 * flow.allowed, least_rate(flow))
    elif flow.equation == 0.0:  # p = 0
        if not idle or flow.allowed >= 2.0 * initial_rate(flow):
            flow.allowed = max(0.5 * flow.allowed, least_rate(flow))
    elif idle and received < initial_rate(flow):
        pass
    elif flow.equation > 2.0 * received:  # the receive rate limited the rate
        update_limits(flow, event.now, received)
    else:
        update_limits(flow, event.now, 0.5 * flow.equation)
    set_no_feedback_timer(flow, event.now)
    return flow.allowed


@inline
def update_limits(flow, now, limit):
    """Limit the rate to `limit` [bytes/s], and reduce X_recv_set, after the no-feedback timer has expired."""
    # RFC 5348, section 4.4, Update_Limits(timer_limit): X_recv_set becomes {timer_limit/2}, and X is recalculated as in
    # section 4.3, step 4.
    limit = max(limit, least_rate(flow))
    set_received(flow, now, 0.5 * limit)
    flow.allowed = max(min(flow.equation, limit), least_rate(flow))


def timeout(flow, event):
    """Record all packets after the last acknowledged packet as one loss event; return the rate [bytes/s] unchanged."""
    if flow.rtt > 0.0:
        record_loss(flow, flow.acked[0] + 1, event.now)
    return flow.rate


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
        "discounting": flag(True, "1: history discounting of older loss intervals (RFC 5348, section 5.5); 0: none"),
        "damping": flag(
            True, "1: rate scaled by the square root of the round-trip time (RFC 5348, section 4.5); 0: not scaled"
        ),
        "initial_window": Parameter(0.0, "packets", "[0, 1e6]", about="Initial window; 0: that of RFC 3390"),
        "reorder": Parameter(
            3.0, "packets", "[1, 3]", "reorder", about="Later packets acknowledged that signal a loss"
        ),
        **timers.PARAMETERS,
    },
    state=STATE,
    source=(
        "S. Floyd, M. Handley, J. Padhye and J. Widmer, RFC 5348 (2008), TCP Friendly Rate Control (TFRC): Protocol "
        "Specification, sections 3 to 6 (after implementations; not checked against the original), and Equation-Based "
        "Congestion Control for Unicast Applications, Proc. ACM SIGCOMM 2000, doi:10.1145/347059.347397"
    ),
)

"""Vegas: the flow keeps a few packets in the bottleneck queue, and detects losses with a fine-grained timer.

Rules after ns-2.35, tcp-vegas.cc, and Brakmo and Peterson (1995), section III; see docs/rules/tcp.md. Round-trip times
are exact, because timestamps identify the transmission. As in ns-2, the packets in flight include the one just
acknowledged, ``next - una + 1``; without it, one packet more would remain in the queue. Deviations from ns-2:

* Round-trip times of retransmitted packets count, too: they are exact here (ns-2 leaves them out). The first sample of
  a round counts in the round that it ends.
* Send times are not kept for each packet. The time of the first missing packet is interpolated between those of the
  packets acknowledged before and after it: see `sent_at`.
* The number of retransmissions is known for the first missing packet only; packets that a timeout resends count as sent
  once.
* After a timeout a new round begins with the retransmitted packet; in ns-2 growth waits for the end of the old round.
* 3/4 of the window is not rounded.
"""

from longfat.sim.kernel.jit import inline
from longfat.sim.schemes.scheme import Parameter, Scheme
from longfat.sim.schemes.tcp import LOSS, PARAMETERS, STATE, TIMEOUT, go_back, react_to_mark, record_reduction


def ack(flow, event):
    """Return the window [packets]: adjusted once per round trip, and reduced by losses that duplicates reveal."""
    if event.marked:
        before = flow.window
        react_to_mark(flow)
        if flow.window < before:
            flow.reduced_time = event.now
    if event.acked > 0:
        new_data(flow, event)
    elif event.duplicate:
        duplicate(flow, event)
    return flow.window


@inline
def new_data(flow, event):
    """Update round-trip times and window for an acknowledgment of new data, and check the next packet for a loss."""
    if flow.duplicates >= flow.duplicate_threshold:
        flow.ssthresh = 2.0  # ns-2.35, tcp-vegas.cc, recv(): slow start is over after a loss
    flow.inflation = 0.0
    flow.duplicates = 0
    flow.retransmissions = 0
    record_send_times(flow, event)
    sample(flow, event.rtt)
    if flow.una > flow.round_end:
        end_of_round(flow)
    if flow.growth == 1.0 and flow.window >= flow.ssthresh:
        flow.growth = 0.0
    # ns-2.35, tcp-vegas.cc, recv(): the window grows only if all but two of its packets are in flight. RFC 3168,
    # section 6.1.2: it does not grow on a marked acknowledgment.
    if not event.marked and flow.window - outstanding(flow) <= 2.0:
        flow.window += flow.growth
    # Brakmo and Peterson (1995), section III-A: the first and the second acknowledgment after a retransmission also
    # check whether the timer of the next packet has expired. Then that packet is resent, but the window is not reduced
    # again.
    if flow.checks_left > 0.0:
        flow.checks_left -= 1.0
        if expired(flow, event.now):
            resend(flow, event.now)
            flow.duplicates = int(flow.duplicate_threshold)
        else:
            flow.checks_left = 0.0


@inline
def outstanding(flow):
    """Return the number of packets in flight before this acknowledgment: t_seqno - last_ack of ns-2."""
    return flow.next - flow.una + 1.0


@inline
def sample(flow, rtt):
    """Update the mean round-trip time of the round, the minimum, and the fine-grained timeout with a new sample."""
    flow.rtt_sum += rtt
    flow.rtt_count += 1
    if flow.minimum_rtt == 0.0:
        flow.minimum_rtt = rtt
        flow.smoothed = rtt
        flow.variation = rtt / 2
    else:
        flow.minimum_rtt = min(flow.minimum_rtt, rtt)
        error = rtt - flow.smoothed
        flow.smoothed += error / 8
        flow.variation += (abs(error) - flow.variation) / 4
    # The gains are 1/8 and 1/4 as in RFC 6298, section 2. ns-2.35, tcp-vegas.cc, recv(): the timeout is (srtt + 2
    # deviations) 17/16. Our choice, because ns-2 initialises srtt and deviation with the clock time: the first sample
    # sets both as in RFC 6298, rule 2.2.
    flow.fine = (flow.smoothed + 2 * flow.variation) * 17 / 16


@inline
def end_of_round(flow):
    """Adjust the window once per round trip, by the difference of expected and actual throughput."""
    # Brakmo and Peterson (1995), section III-B: compare the expected with the actual throughput of one round trip.
    rtt = flow.rtt_sum / flow.rtt_count
    sent = flow.next - flow.round_end
    if rtt < flow.minimum_rtt or sent <= 1.0:
        flow.minimum_rtt = rtt
    # ns-2.35, tcp-vegas.cc, recv(): `delta` is (expected - actual) baseRTT, rounded, which is the backlog of this flow
    # [packets].
    delta = int(outstanding(flow) - sent * flow.minimum_rtt / rtt + 0.5)
    flow.rtt_sum = 0.0
    flow.rtt_count = 0
    flow.round_end = flow.next
    flow.growth = 0.0
    # Brakmo and Peterson (1995), section III-C: in slow start the window grows in every second round trip only, until
    # the backlog exceeds gamma.
    if flow.window < flow.ssthresh:
        flow.active = not flow.active
        if not flow.active:
            return
        if delta > flow.gamma:
            flow.ssthresh = 2.0
            flow.window = max(2.0, flow.window - flow.window / 8)
        else:
            flow.growth = 1.0
    elif delta > flow.beta:
        flow.window = max(2.0, flow.window - 1.0)
    elif delta < flow.alpha:
        flow.growth = 1.0 / flow.window


@inline
def duplicate(flow, event):
    """Retransmit on a duplicate acknowledgment if the fine-grained timer has expired or the threshold is reached."""
    flow.duplicates += 1
    record_send_times(flow, event)
    if expired(flow, event.now) or flow.duplicates == flow.duplicate_threshold:
        # ns-2.35, `bugFix_`: packets sent before a timeout are not retransmitted for duplicates.
        if flow.reduced_for == TIMEOUT and flow.una - 1 <= flow.reduced_at and flow.bugfix > 0.0:
            return
        # Brakmo and Peterson (1995), section III-A; ns-2.35, tcp-vegas.cc, recv(): reduce the window, to 3/4 or, if
        # the lost packet had been retransmitted before, to 1/2, but only if it was sent after the last reduction.
        if flow.reduced_time < sent_at(flow):
            if flow.window <= 3.0:
                flow.window = 2.0
            elif flow.retransmissions > 0:
                flow.window /= 2
            else:
                flow.window *= 0.75
            flow.reduced_time = event.now
        record_reduction(flow, LOSS)
        flow.fine *= 2.0 if flow.retransmissions > 0 else 1.125  # ns-2.35, tcp-vegas.cc, recv(): back off
        flow.checks_left = min(2.0, outstanding(flow))
        flow.inflation = float(flow.duplicates)
        resend(flow, event.now)
        # If the fine-grained timer has found a loss, the third duplicate must not count as a second loss.
        flow.duplicates = max(flow.duplicates, int(flow.duplicate_threshold))
        event.restart_timer = 1
    elif flow.duplicates > flow.duplicate_threshold:
        flow.inflation += 1.0


@inline
def resend(flow, now):
    """Retransmit the first missing packet immediately."""
    flow.resend = flow.una
    flow.retransmissions += 1
    flow.resent_at = now


@inline
def record_send_times(flow, event):
    """Record the send times of the acknowledged packets before and after the missing packets.

    These are the last acknowledged packet before the missing packets, and the last one after them in the same window.
    """
    if event.acked > 0:
        if event.number == flow.una - 1:
            flow.before = event.number
            flow.before_sent = event.now - event.rtt
            flow.behind = flow.before
            flow.behind_sent = flow.before_sent
    elif event.number > flow.behind and (flow.una > flow.reduced_at or event.number <= flow.reduced_at):
        flow.behind = event.number
        flow.behind_sent = event.now - event.rtt


@inline
def sent_at(flow):
    """Return the time at which the first missing packet was sent [s]; 1e300 if it is unknown.

    For a retransmitted packet, this is the time of the retransmission. Otherwise the time is interpolated linearly
    between the two recorded send times, or extrapolated beyond them.
    """
    if flow.retransmissions > 0:
        return flow.resent_at
    if flow.behind < flow.una and (flow.una > flow.reduced_at or flow.reduced_for != LOSS):
        return 1e300
    if flow.behind == flow.before:
        return flow.before_sent
    slope = (flow.behind_sent - flow.before_sent) / (flow.behind - flow.before)
    return flow.before_sent + (flow.una - flow.before) * slope


@inline
def expired(flow, now):
    """Return whether the first missing packet is older than the fine-grained timeout."""
    return now - sent_at(flow) >= flow.fine


def start(flow, event):
    """Return the initial window [packets], and record the start of the flow as the first send time."""
    flow.before_sent = event.now
    return flow.window


def timeout(flow, event):
    """Return a window of two packets, with ssthresh at half of the packets in flight, and begin a new round."""
    go_back(flow)
    flow.reduced_time = event.now
    flow.checks_left = 0.0
    flow.retransmissions = 0
    flow.before = flow.una - 1
    flow.before_sent = event.now
    flow.behind = flow.before
    flow.round_end = flow.una
    flow.rtt_sum = 0.0
    flow.rtt_count = 0
    flow.growth = 0.0
    return 2.0


VEGAS = Scheme(
    "vegas",
    start=start,
    ack=ack,
    timeout=timeout,
    recovery="own",
    parameters={
        **PARAMETERS,
        "alpha": Parameter(1.0, "packets", "[0, 1e9]", about="Backlog of the flow below which the window grows"),
        "beta": Parameter(3.0, "packets", "[0, 1e9]", about="Backlog of the flow above which the window shrinks"),
        "gamma": Parameter(1.0, "packets", "[0, 1e9]", about="Backlog of the flow above which slow start ends"),
    },
    state={
        **STATE,
        "minimum_rtt": 0.0,  # baseRTT of the paper [s]
        "rtt_sum": 0.0,  # round-trip times of this round [s], their number, and the packet that ends the round
        "rtt_count": 0,
        "round_end": 0,
        "growth": 0.0,  # packets per acknowledgment
        "active": True,  # whether the window grows in this round of slow start; the first round sets it to False
        "smoothed": 0.0,  # smoothed round-trip time, its deviation, and the fine-grained timeout [s]
        "variation": 0.0,
        "fine": 1e300,
        "reduced_time": -1.0,  # time of the last reduction of the window [s]
        "before": -1,  # packets before and after the missing ones, and when they were sent [s]
        "before_sent": 0.0,
        "behind": -1,
        "behind_sent": 0.0,
        "checks_left": 0.0,  # acknowledgments of new data that still check the fine-grained timer
        "retransmissions": 0,  # retransmissions of the first missing packet, and time of the latest [s]
        "resent_at": 0.0,
    },
    source=(
        "L. S. Brakmo and L. L. Peterson, TCP Vegas: End to End Congestion Avoidance on a Global Internet, IEEE J. "
        "Sel. Areas Commun. 13 (1995), pp. 1465-1480, section III, doi:10.1109/49.464716; ns-2.35, tcp-vegas.cc"
    ),
)

"""Vegas: keeps a few packets of its own in the queue, and times losses finely (schemes.md 1.7; ns-2.35).

Round trips are exact, by time stamps that name the transmission. Where this differs from section 1.7 and ns-2:

* The packets under way are counted with the one just acknowledged, ``next - una + 1``, as ns counts them; literally
  as in 1.7 rule 2 it is one less, and one packet more would stand in the queue.
* Round trips of packets that were sent again count, too: they are exact (rule 1 leaves them out), and a round's
  first sample counts in the round that it ends.
* Send times are not kept for each packet. That of the first packet missing lies between those of the packets
  acknowledged before and behind it, and is taken from them: see `sent_at`.
* How often a packet was sent is known for the first one missing; what a timeout sent again counts as sent once.
* After a timeout a new round begins with the packet sent again; in ns the growth waits for the old round's end.
* 3/4 of the window is not rounded.
"""

from longfat.sim.jit import part
from longfat.sim.schemes.scheme import Parameter, Scheme
from longfat.sim.schemes.tcp import LOSS, PARAMETERS, STATE, TIMEOUT, go_back, note_reduction, take_mark


def ack(flow, event):
    """The events of a round trip on new data, the fine timer on duplicates."""
    if event.marked:
        before = flow.window
        take_mark(flow)
        if flow.window < before:
            flow.reduced_time = event.now
    if event.acked > 0:
        new_data(flow, event)
    elif event.duplicate:
        duplicate(flow, event)
    return flow.window


@part
def new_data(flow, event):
    """Rules 1 to 4 and 6."""
    if flow.duplicates >= flow.duplicate_threshold:
        flow.ssthresh = 2.0  # slow start is over after a loss
    flow.inflation = 0.0
    flow.duplicates = 0
    flow.tries = 0
    witness(flow, event)
    sample(flow, event.rtt)
    if flow.una > flow.round_end:
        end_of_round(flow)
    if flow.growth == 1.0 and flow.window >= flow.ssthresh:
        flow.growth = 0.0
    # Rule 4: no growth of a window that is not used; 1.9: nor by a marked acknowledgment.
    if not event.marked and flow.window - under_way(flow) <= 2.0:
        flow.window += flow.growth
    if flow.worried > 0.0:  # rule 6
        flow.worried -= 1.0
        if expired(flow, event.now):
            send_again(flow, event.now)
            flow.duplicates = int(flow.duplicate_threshold)
        else:
            flow.worried = 0.0


@part
def under_way(flow):
    """Packets sent and not acknowledged before this acknowledgment: ns's t_seqno - last_ack."""
    return flow.next - flow.una + 1.0


@part
def sample(flow, rtt):
    """Rules 1 and 7. The first sample sets the fine timer as in RFC 6298 (1.7 does not say)."""
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
    flow.fine = (flow.smoothed + 2 * flow.variation) * 17 / 16


@part
def end_of_round(flow):
    """Rules 2 to 4: compare what the window should carry with what it did."""
    rtt = flow.rtt_sum / flow.rtt_count
    sent = flow.next - flow.round_end
    if rtt < flow.minimum_rtt or sent <= 1.0:
        flow.minimum_rtt = rtt
    # (expected - actual) * baseRTT, rounded: the packets of this flow that wait.
    delta = int(under_way(flow) - sent * flow.minimum_rtt / rtt + 0.5)
    flow.rtt_sum = 0.0
    flow.rtt_count = 0
    flow.round_end = flow.next
    flow.growth = 0.0
    if flow.window < flow.ssthresh:  # rule 3: every other round
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


@part
def duplicate(flow, event):
    """Rule 5."""
    flow.duplicates += 1
    witness(flow, event)
    if expired(flow, event.now) or flow.duplicates == flow.duplicate_threshold:
        # ns's `bugfix`: not for what was sent before a timeout.
        if flow.reduced_for == TIMEOUT and flow.una - 1 <= flow.reduced_at and flow.bugfix > 0.0:
            return
        if flow.reduced_time < sent_at(flow):
            if flow.window <= 3.0:
                flow.window = 2.0
            elif flow.tries > 0:
                flow.window /= 2
            else:
                flow.window *= 0.75
            flow.reduced_time = event.now
        note_reduction(flow, LOSS)
        flow.fine *= 2.0 if flow.tries > 0 else 1.125  # rule 7
        flow.worried = min(2.0, under_way(flow))
        flow.inflation = float(flow.duplicates)
        send_again(flow, event.now)
        # So that what the fine timer found is not found again by the third duplicate.
        flow.duplicates = max(flow.duplicates, int(flow.duplicate_threshold))
        event.restart_timer = 1
    elif flow.duplicates > flow.duplicate_threshold:
        flow.inflation += 1.0


@part
def send_again(flow, now):
    """The first packet missing goes at once."""
    flow.resend = flow.una
    flow.tries += 1
    flow.sent_again = now


@part
def witness(flow, event):
    """Remember when packets around a hole were sent: the last one before it, the last one behind it of its window."""
    if event.acked > 0:
        if event.number == flow.una - 1:
            flow.before = event.number
            flow.before_sent = event.now - event.rtt
            flow.behind = flow.before
            flow.behind_sent = flow.before_sent
    elif event.number > flow.behind and (flow.una > flow.reduced_at or event.number <= flow.reduced_at):
        flow.behind = event.number
        flow.behind_sent = event.now - event.rtt


@part
def sent_at(flow):
    """When the first packet missing was sent; never (1e300) if nothing is known.

    If it was sent again, then. Otherwise as if the packets between the witnesses, and those behind them that were under
    way at the loss, had left evenly.
    """
    if flow.tries > 0:
        return flow.sent_again
    if flow.behind < flow.una and (flow.una > flow.reduced_at or flow.reduced_for != LOSS):
        return 1e300
    if flow.behind == flow.before:
        return flow.before_sent
    slope = (flow.behind_sent - flow.before_sent) / (flow.behind - flow.before)
    return flow.before_sent + (flow.una - flow.before) * slope


@part
def expired(flow, now):
    """Whether the first packet missing is older than the fine timer allows."""
    return now - sent_at(flow) >= flow.fine


def start(flow, event):
    """Nothing has arrived yet."""
    flow.before_sent = event.now
    return flow.window


def timeout(flow, event):
    """Rule 7: half of what was under way becomes ssthresh, two packets the window; a new round begins."""
    go_back(flow)
    flow.reduced_time = event.now
    flow.worried = 0.0
    flow.tries = 0
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
        "alpha": Parameter(1.0, "packets", "[0, 1e9]", about="fewer of its own that wait: the window grows"),
        "beta": Parameter(3.0, "packets", "[0, 1e9]", about="more: it shrinks"),
        "gamma": Parameter(1.0, "packets", "[0, 1e9]", about="more: slow start ends"),
    },
    state={
        **STATE,
        "minimum_rtt": 0.0,  # the baseRTT of the paper [s]
        "rtt_sum": 0.0,  # of the round: its round trips [s], how many, and the packet that ends it
        "rtt_count": 0,
        "round_end": 0,
        "growth": 0.0,  # packets per acknowledgment
        "active": True,  # whether slow start grows this round; the first one does not
        "smoothed": 0.0,  # the fine timer [s]
        "variation": 0.0,
        "fine": 1e300,
        "reduced_time": -1.0,  # when the window was last reduced [s]
        "before": -1,  # packets in front of and behind a hole, and when they left [s]
        "before_sent": 0.0,
        "behind": -1,
        "behind_sent": 0.0,
        "worried": 0.0,  # new acknowledgments that still look at the fine timer
        "tries": 0,  # how often the first packet missing was sent again, and when last [s]
        "sent_again": 0.0,
    },
    source="schemes.md 1.7; L. Brakmo and L. Peterson, IEEE JSAC 13 (1995); ns-2.35 tcp-vegas.cc",
)

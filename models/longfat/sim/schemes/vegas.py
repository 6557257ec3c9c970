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

u: see the names below; ``flow.minimum_rtt`` is 1.7's baseRTT.
"""

from longfat.sim.jit import part
from longfat.sim.schemes.scheme import Parameter, Scheme
from longfat.sim.schemes.tcp import LOSS, PARAMETERS, TIMEOUT, duplicate_threshold, go_back, note_reduction, take_mark

ALPHA, BETA, GAMMA = 3, 4, 5  # in p
SUM, COUNT, ROUND_END, GROWTH, ACTIVE = 0, 1, 2, 3, 4  # the round: its round trips, its end, growth per packet
SMOOTHED, VARIATION, FINE = 5, 6, 7  # the fine timer [s]
REDUCED_AT = 8  # s
FIRST, FIRST_SENT, LAST, LAST_SENT = 9, 10, 11, 12  # packets around a hole, and when they were sent
WORRIED = 13  # new acknowledgments that still look at the fine timer
TRIES, SENT_AGAIN = 14, 15  # of the first packet missing: how often it was sent again, and when last


def ack(flow, event):
    """The events of a round trip on new data, the fine timer on duplicates."""
    if event.marked:
        before = flow.window
        take_mark(flow)
        if flow.window < before:
            flow.u[REDUCED_AT] = event.now
    if event.acked > 0:
        new_data(flow, event)
    elif event.duplicate:
        duplicate(flow, event)
    return flow.window


@part
def new_data(flow, event):
    """Rules 1 to 4 and 6."""
    if flow.duplicates >= duplicate_threshold(flow):
        flow.ssthresh = 2.0  # slow start is over after a loss
    flow.inflation = 0.0
    flow.duplicates = 0
    flow.u[TRIES] = 0.0
    witness(flow, event)
    sample(flow, event.rtt)
    if flow.una > flow.u[ROUND_END]:
        end_of_round(flow)
    if flow.u[GROWTH] == 1.0 and flow.window >= flow.ssthresh:
        flow.u[GROWTH] = 0.0
    # Rule 4: no growth of a window that is not used; 1.9: nor by a marked acknowledgment.
    if not event.marked and flow.window - under_way(flow) <= 2.0:
        flow.window += flow.u[GROWTH]
    if flow.u[WORRIED] > 0.0:  # rule 6
        flow.u[WORRIED] -= 1.0
        if expired(flow, event.now):
            send_again(flow, event.now)
            flow.duplicates = int(duplicate_threshold(flow))
        else:
            flow.u[WORRIED] = 0.0


@part
def under_way(flow):
    """Packets sent and not acknowledged before this acknowledgment: ns's t_seqno - last_ack."""
    return flow.next - flow.una + 1.0


@part
def sample(flow, rtt):
    """Rules 1 and 7. The first sample sets the fine timer as in RFC 6298 (1.7 does not say)."""
    flow.u[SUM] += rtt
    flow.u[COUNT] += 1.0
    if flow.minimum_rtt == 0.0:
        flow.minimum_rtt = rtt
        flow.u[SMOOTHED] = rtt
        flow.u[VARIATION] = rtt / 2
    else:
        flow.minimum_rtt = min(flow.minimum_rtt, rtt)
        error = rtt - flow.u[SMOOTHED]
        flow.u[SMOOTHED] += error / 8
        flow.u[VARIATION] += (abs(error) - flow.u[VARIATION]) / 4
    flow.u[FINE] = (flow.u[SMOOTHED] + 2 * flow.u[VARIATION]) * 17 / 16


@part
def end_of_round(flow):
    """Rules 2 to 4: compare what the window should carry with what it did."""
    rtt = flow.u[SUM] / flow.u[COUNT]
    sent = flow.next - flow.u[ROUND_END]
    if rtt < flow.minimum_rtt or sent <= 1.0:
        flow.minimum_rtt = rtt
    # (expected - actual) * baseRTT, rounded: the packets of this flow that wait.
    delta = int(under_way(flow) - sent * flow.minimum_rtt / rtt + 0.5)
    flow.u[SUM] = 0.0
    flow.u[COUNT] = 0.0
    flow.u[ROUND_END] = flow.next
    flow.u[GROWTH] = 0.0
    if flow.window < flow.ssthresh:  # rule 3: every other round
        flow.u[ACTIVE] = 1.0 - flow.u[ACTIVE]
        if flow.u[ACTIVE] == 0.0:  # begins with 1, see `start`: the first round is passive
            return
        if delta > flow.p[GAMMA]:
            flow.ssthresh = 2.0
            flow.window = max(2.0, flow.window - flow.window / 8)
        else:
            flow.u[GROWTH] = 1.0
    elif delta > flow.p[BETA]:
        flow.window = max(2.0, flow.window - 1.0)
    elif delta < flow.p[ALPHA]:
        flow.u[GROWTH] = 1.0 / flow.window


@part
def duplicate(flow, event):
    """Rule 5."""
    flow.duplicates += 1
    witness(flow, event)
    if expired(flow, event.now) or flow.duplicates == duplicate_threshold(flow):
        # ns's `bugfix`: not for what was sent before a timeout.
        if flow.phase == TIMEOUT and flow.una - 1 <= flow.recover and flow.p[2] > 0.0:
            return
        if flow.u[REDUCED_AT] < sent_at(flow):
            if flow.window <= 3.0:
                flow.window = 2.0
            elif flow.u[TRIES] > 0.0:
                flow.window /= 2
            else:
                flow.window *= 0.75
            flow.u[REDUCED_AT] = event.now
        note_reduction(flow, LOSS)
        flow.u[FINE] *= 2.0 if flow.u[TRIES] > 0.0 else 1.125  # rule 7
        flow.u[WORRIED] = min(2.0, under_way(flow))
        flow.inflation = float(flow.duplicates)
        send_again(flow, event.now)
        # So that what the fine timer found is not found again by the third duplicate.
        flow.duplicates = max(flow.duplicates, int(duplicate_threshold(flow)))
        event.restart_timer = 1
    elif flow.duplicates > duplicate_threshold(flow):
        flow.inflation += 1.0


@part
def send_again(flow, now):
    """The first packet missing goes at once."""
    flow.resend = flow.una
    flow.u[TRIES] += 1.0
    flow.u[SENT_AGAIN] = now


@part
def witness(flow, event):
    """Remember when packets around a hole were sent: the last one before it, the last one behind it of its window."""
    if event.acked > 0:
        if event.number == flow.una - 1:
            flow.u[FIRST] = event.number
            flow.u[FIRST_SENT] = event.now - event.rtt
            flow.u[LAST] = flow.u[FIRST]
            flow.u[LAST_SENT] = flow.u[FIRST_SENT]
    elif event.number > flow.u[LAST] and (flow.una > flow.recover or event.number <= flow.recover):
        flow.u[LAST] = event.number
        flow.u[LAST_SENT] = event.now - event.rtt


@part
def sent_at(flow):
    """When the first packet missing was sent; never (1e300) if nothing is known.

    If it was sent again, then. Otherwise as if the packets between the witnesses, and those behind them that were under
    way at the loss, had left evenly.
    """
    if flow.u[TRIES] > 0.0:
        return flow.u[SENT_AGAIN]
    if flow.u[LAST] < flow.una and (flow.una > flow.recover or flow.phase != LOSS):
        return 1e300
    if flow.u[LAST] == flow.u[FIRST]:
        return flow.u[FIRST_SENT]
    slope = (flow.u[LAST_SENT] - flow.u[FIRST_SENT]) / (flow.u[LAST] - flow.u[FIRST])
    return flow.u[FIRST_SENT] + (flow.una - flow.u[FIRST]) * slope


@part
def expired(flow, now):
    """Whether the first packet missing is older than the fine timer allows."""
    return now - sent_at(flow) >= flow.u[FINE]


def start(flow, event):
    """The first round is passive; nothing has arrived, was reduced, or timed."""
    flow.u[ACTIVE] = 1.0
    flow.u[FIRST] = -1.0
    flow.u[FIRST_SENT] = event.now
    flow.u[LAST] = -1.0
    flow.u[REDUCED_AT] = -1.0
    flow.u[FINE] = 1e300
    return flow.window


def timeout(flow, event):
    """Rule 7: half of what was under way becomes ssthresh, two packets the window; a new round begins."""
    go_back(flow)
    flow.u[REDUCED_AT] = event.now
    flow.u[WORRIED] = 0.0
    flow.u[TRIES] = 0.0
    flow.u[FIRST] = flow.una - 1.0
    flow.u[FIRST_SENT] = event.now
    flow.u[LAST] = flow.u[FIRST]
    flow.u[ROUND_END] = float(flow.una)
    flow.u[SUM] = 0.0
    flow.u[COUNT] = 0.0
    flow.u[GROWTH] = 0.0
    return 2.0


VEGAS = Scheme(
    "vegas",
    start=start,
    ack=ack,
    timeout=timeout,
    recovery="own",
    parameters={
        **PARAMETERS,
        "alpha": Parameter(1.0, "packets", "[0, 1e9]", f"p[{ALPHA}]"),
        "beta": Parameter(3.0, "packets", "[0, 1e9]", f"p[{BETA}]"),
        "gamma": Parameter(1.0, "packets", "[0, 1e9]", f"p[{GAMMA}]"),
    },
    source="schemes.md 1.7; L. Brakmo and L. Peterson, IEEE JSAC 13 (1995); ns-2.35 tcp-vegas.cc",
)

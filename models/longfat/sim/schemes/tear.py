"""TEAR: the rate is the mean rate of a TCP window that is emulated with the arrivals of packets.

The rules with their sources: docs/rules/rate-based.md. The rules of the receiver run at the sender, on acknowledgments,
which are the same arrivals half a round trip later. A gap in the acknowledged transmissions freezes the window; the
simulator confirms the loss when three later packets are acknowledged. Interpretations, because the report could not be
read:

* A round adds the window with which it began to the packets of the epoch; an unfinished round adds the share
  of its window that has arrived.
* A timeout adds the simulator's retransmission timeout (RFC 6298) to the time of the epoch, but no packets to it.
* Until the first epoch ends, the rate is the window per round trip; before the first acknowledgment it
  is one packet per second.
* The interval between arrivals and its deviation are moving averages with TCP's gains, 1/8 and 1/4.
* Feedback is missing when no acknowledgment arrives, not when no round ends: a round may last longer than four round
  trips.
* A round begins where the window was reduced; losses among the `round_window` packets from the first missing packet on
  are ignored.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.schemes import timers
from longfat.sim.schemes.paced import SLACK, holes, silence
from longfat.sim.schemes.scheme import Parameter, Scheme
from longfat.sim.schemes.tfrc import EQUAL, larger_mean, mean_of

SLOW, AVOIDANCE = 0, 1  # phases; GAP is added while a packet is missing
GAP = 2
EPOCHS = 8  # number of epochs in the mean
#: State of a flow. Windows in packets, times in s, missing packets and arrivals after them in transmissions.
STATE = {
    "emulated": 1.0,  # window of the emulated TCP, and its slow-start threshold
    "threshold": math.inf,
    "round_window": 0.0,  # window at the start of this round, and arrivals in it
    "arrived": 0,
    "phase": SLOW,
    "missing": 0,  # the first missing transmission, and the number of arrivals after it
    "behind": 0,
    "last": -1,  # the last transmission acknowledged
    "ignored": 0,  # the first transmission whose loss counts
    "rtt": 0.0,
    "spacing": 0.0,  # interval between arrivals: mean and deviation
    "deviation": 0.0,
    "last_at": 0.0,
    "gap_ends": math.inf,  # times [s]: a gap becomes a timeout; the rate was last set; feedback becomes overdue
    "reported": 0.0,
    "silent_at": 0.0,
    "epoch_packets": 0.0,  # packets of the open epoch
    "epoch_time": 0.0,
    "epochs": [0.0] * EPOCHS,  # rates of the ended epochs, newest first [packets/s]; 0: there was none
}


def start(flow, event):
    """Return the initial rate of one packet per second [bytes/s], and begin slow start with a window of one packet."""
    flow.rate = flow.packet_size
    begin_round(flow)
    set_alarm(flow, event.now)
    return flow.rate


@inline
def begin_round(flow):
    """Begin a round, which ends after as many arrivals as the window has whole packets."""
    # Rhee, Ozdemir and Yi (2000): a round counts as one round-trip time, whatever its real duration, so that the
    # estimate does not depend on the sending rate.
    flow.round_window = flow.emulated
    flow.arrived = 0


def ack(flow, event):
    """Return the rate [bytes/s] after the acknowledgment of an arrival, which may reveal missing packets."""
    time_arrival(flow, event)
    number = event.transmission
    if flow.phase >= GAP:
        flow.behind += 1
        if number - flow.missing > flow.round_window - 1.0 and flow.behind < 3:
            time_out(flow)  # the window after the missing packet would bring TCP fewer than three duplicates
        elif flow.behind >= 3:  # no loss: the acknowledgment of the missing packet was lost or late
            flow.phase -= GAP
    elif number > flow.last + 1 and flow.last + 1 >= flow.ignored and holes(flow, event) > 0:
        flow.phase += GAP
        flow.missing = flow.last + 1
        flow.behind = 1
    flow.last = max(flow.last, number)
    ended = arrive(flow)
    event.restart_timer = 1
    report(flow, event.now, ended)
    set_alarm(flow, event.now)
    return flow.rate


@inline
def time_arrival(flow, event):
    """Update the smoothed round-trip time, and the interval between arrivals with its deviation."""
    if flow.rtt == 0.0:
        flow.rtt = event.rtt
    else:
        flow.rtt += flow.rtt_gain * (event.rtt - flow.rtt)
        spacing = event.now - flow.last_at
        if flow.spacing == 0.0:
            flow.spacing = spacing
        flow.deviation += (abs(spacing - flow.spacing) - flow.deviation) / 4
        flow.spacing += (spacing - flow.spacing) / 8
    flow.last_at = event.now


@inline
def arrive(flow):
    """Grow the emulated window for one arrival; return whether the round has ended. A gap freezes the window."""
    if flow.phase == SLOW:
        flow.emulated += 1.0
        if flow.emulated >= flow.threshold:
            flow.phase = AVOIDANCE
    elif flow.phase == AVOIDANCE:
        flow.emulated += 1.0 / flow.round_window
    flow.arrived += 1
    if flow.arrived < math.floor(flow.round_window):
        return False
    flow.epoch_packets += flow.round_window
    flow.epoch_time += flow.rtt
    begin_round(flow)
    return True


def loss(flow, event):
    """Halve the emulated window, or emulate a timeout if later packets arrived too late; return the rate unchanged."""
    if flow.phase >= GAP and flow.last >= flow.missing:
        if event.transmission - flow.missing <= flow.round_window - 1.0:
            halve(flow)
        else:
            time_out(flow)
    return flow.rate


@inline
def halve(flow):
    """Halve the emulated window, as TCP after three duplicate acknowledgments, and end the epoch."""
    # Rhee, Ozdemir and Yi (2000): after a loss the window and ssthresh are half of the window before, as in TCP.
    end_epoch(flow, 0.0)
    flow.emulated = max(1.0, flow.emulated / 2)
    flow.threshold = flow.emulated
    flow.phase = AVOIDANCE
    begin_round(flow)


@inline
def time_out(flow):
    """Emulate a timeout of TCP: add its duration to the epoch, and begin slow start with a window of one packet."""
    # Rhee, Ozdemir and Yi (2000): after a timeout ssthresh becomes half of the window, the window becomes 1, and the
    # epoch includes the timeout.
    end_epoch(flow, flow.rto)
    flow.threshold = max(2.0, flow.emulated / 2)
    flow.emulated = 1.0
    flow.phase = SLOW
    begin_round(flow)


@inline
def end_epoch(flow, charged):
    """End an epoch, and record its mean rate: emulated packets divided by the time that TCP would have taken.

    `charged` is the duration of the timeout that ends the epoch [s], 0 without a timeout.
    """
    flow.ignored = flow.missing + math.floor(flow.round_window)
    flow.gap_ends = math.inf
    share = flow.arrived / math.floor(flow.round_window)
    packets = flow.epoch_packets + share * flow.round_window
    time = flow.epoch_time + share * flow.rtt + charged
    flow.epoch_packets = 0.0
    flow.epoch_time = 0.0
    if packets > 0.0 and time > 0.0:
        for i in range(7, 0, -1):
            flow.epochs[i] = flow.epochs[i - 1]
        flow.epochs[0] = packets / time


@inline
def mean_rate(flow):
    """Return the larger of two mean rates [packets/s]: of the ended epochs, and of these plus the open epoch."""
    # Rhee, Ozdemir and Yi (2000) use the weights of Floyd et al. (2000) and RFC 5348, section 5.4, for loss intervals.
    share = flow.arrived / math.floor(flow.round_window)
    packets, time = flow.epoch_packets + share * flow.round_window, flow.epoch_time + share * flow.rtt
    # Our choice, because we could not obtain the technical report on TEAR: of the means with and without the open
    # epoch, the larger one counts, as for loss intervals in RFC 5348, section 5.4; but the oldest epoch stays while
    # there are fewer than eight.
    if time > 0.0:
        return larger_mean(packets / time, flow.epochs, EQUAL, 1.0, True)
    return mean_of(flow.epochs, EQUAL)


@inline
def report(flow, now, ended):
    """Set the rate if a round has `ended`, at most once per round trip; set a lower rate immediately."""
    # Our choice, because we could not obtain the technical report on TEAR: the receiver reports its rate at the end of
    # a round, but a lower rate immediately.
    if flow.epochs[0] > 0.0:
        rate = flow.packet_size * mean_rate(flow)
    else:
        rate = flow.packet_size * flow.round_window / flow.rtt
    due = ended and now + SLACK >= flow.reported + flow.rtt
    if due or rate < flow.rate:
        flow.rate = rate
        flow.reported = now


@inline
def set_alarm(flow, now):
    """Set the alarm to the end of the gap or to the time at which feedback is overdue, whichever is earlier."""
    flow.silent_at = now + silence(flow, flow.rate)
    flow.gap_ends = math.inf
    if flow.phase >= GAP:
        flow.gap_ends = now + flow.round_window * flow.spacing + 2.0 * flow.deviation
    flow.alarm = min(flow.silent_at, flow.gap_ends)


def alarm(flow, event):
    """Return the rate [bytes/s]: a gap that lasts too long counts as a timeout, missing feedback halves the rate."""
    if event.now + SLACK >= flow.gap_ends:
        time_out(flow)
        report(flow, event.now, False)
    if event.now + SLACK >= flow.silent_at:
        flow.rate /= 2
        flow.silent_at = event.now + silence(flow, flow.rate)
    flow.alarm = min(flow.silent_at, flow.gap_ends)
    return flow.rate


def timeout(flow, event):
    """Emulate a timeout of TCP when the simulator's retransmission timer expires; return the rate [bytes/s]."""
    if flow.rtt > 0.0:
        if flow.phase < GAP:
            flow.missing = flow.last + 1
        if flow.missing >= flow.ignored:
            time_out(flow)
            report(flow, event.now, False)
            flow.alarm = flow.silent_at
    return flow.rate


TEAR = Scheme(
    "tear",
    start=start,
    ack=ack,
    loss=loss,
    timeout=timeout,
    alarm=alarm,
    controls="rate",
    every_loss=True,
    reorder=3,
    parameters={
        "rtt_gain": Parameter(0.125, "1", "(0, 1]", about="Gain of a new sample in the smoothed round-trip time"),
        **timers.PARAMETERS,
    },
    state=STATE,
    source=(
        "I. Rhee, V. Ozdemir and Y. Yi, TEAR: TCP Emulation at Receivers - Flow Control for Multimedia Streaming, "
        "technical report, Department of Computer Science, North Carolina State University, 2000 "
        "(reconstructed; not checked against the original)"
    ),
)

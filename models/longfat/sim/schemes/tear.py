"""TEAR: the mean rate of a TCP window that is emulated on the packets that arrive (schemes.md 13; Rhee et al., 2000).

The rules of the receiver are run at the sender, on acknowledgments: the same arrivals, half a round trip later. A hole
seen in the acknowledgments freezes the window; the engine, which finds a loss when three later packets are
acknowledged, confirms it. Where section 13 is silent:

* A round counts with the window it began with, and one not finished with the part of it that has arrived.
* The timeout that a round is charged is the engine's, RFC 6298. Nothing arrives in it.
* While no epoch has ended, the rate is the window per round trip (`slow_start`), and one packet a second before that.
* Means of the time between arrivals and of its deviation have TCP's gains, 1/8 and 1/4.
* Feedback is missing when no acknowledgment comes: rounds may last longer than `silent_rtts` round trips.
* A round begins where the window was cut; what is lost of the `window` packets from the hole on is ignored.
"""

import math

from longfat.sim.jit import part
from longfat.sim.own import flag
from longfat.sim.schemes.paced import SLACK, TIMERS, holes, silence
from longfat.sim.schemes.scheme import Parameter, Scheme

SLOW, AVOIDANCE = 0, 1  # phases; a gap is GAP more
GAP = 2
#: What it remembers. Windows in packets, times in s, holes and what is behind them in transmissions.
STATE = {
    "emulated": 1.0,  # the window of the TCP that is emulated, and its slow-start threshold
    "threshold": math.inf,
    "round_window": 0.0,  # the window that this round began with, and how many of it have arrived
    "arrived": 0,
    "phase": SLOW,
    "missing": 0,  # the hole, and how many behind it came
    "behind": 0,
    "last": -1,  # the last one acknowledged
    "ignored": 0,  # the first one whose loss counts
    "rtt": 0.0,
    "spacing": 0.0,  # between arrivals: mean and deviation
    "deviation": 0.0,
    "last_at": 0.0,
    "gap_ends": math.inf,
    "reported": 0.0,
    "silent_at": 0.0,
    "epoch_packets": 0.0,  # of the open epoch
    "epoch_time": 0.0,
    "epochs": [0.0] * 8,  # rates of those that have ended, newest first [packets/s]; 0: there was none
}


def start(flow, event):
    """A window of one packet, slow start."""
    flow.rate = flow.packet_size
    begin_round(flow)
    set_clock(flow, event.now)
    return flow.rate


@part
def begin_round(flow):
    """Rule 1: as many arrivals as the window has whole packets."""
    flow.round_window = flow.emulated
    flow.arrived = 0


def ack(flow, event):
    """The signal: a packet has arrived, and packets before it may be missing."""
    time_arrival(flow, event)
    number = event.transmission
    if flow.phase >= GAP:
        flow.behind += 1
        if number - flow.missing > flow.round_window - 1.0 and flow.behind < 3:
            time_out(flow)  # rule 3: the window has passed
        elif flow.behind >= 3:  # not confirmed: its acknowledgment was lost, or came late
            flow.phase -= GAP
    elif number > flow.last + 1 and flow.last + 1 >= flow.ignored and holes(flow, event) > 0:
        flow.phase += GAP
        flow.missing = flow.last + 1
        flow.behind = 1
    flow.last = max(flow.last, number)
    ended = arrive(flow)
    event.restart_timer = 1
    report(flow, event.now, ended)
    set_clock(flow, event.now)
    return flow.rate


@part
def time_arrival(flow, event):
    """The round trip that rounds are charged (rule 2), and what to expect of the next arrival (rule 3)."""
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


@part
def arrive(flow):
    """Rules 1 and 2, the increase; whether the round has ended. A gap freezes the window."""
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
    """Rule 3: three packets behind the hole have arrived. If they are of one window, TCP would know of the loss."""
    if flow.phase >= GAP and flow.last >= flow.missing:
        if event.transmission - flow.missing <= flow.round_window - 1.0:
            halve(flow)
        else:
            time_out(flow)
    return flow.rate


@part
def halve(flow):
    """Rule 3, the decrease: triple duplicates."""
    end_epoch(flow, 0.0)
    flow.emulated = max(1.0, flow.emulated / 2)
    flow.threshold = flow.emulated
    flow.phase = AVOIDANCE
    begin_round(flow)


@part
def time_out(flow):
    """Rule 3, the decrease: too few arrivals for triple duplicates. Rule 2: TCP would have waited for its timer."""
    end_epoch(flow, flow.rto)
    flow.threshold = max(2.0, flow.emulated / 2)
    flow.emulated = 1.0
    flow.phase = SLOW
    begin_round(flow)


@part
def end_epoch(flow, charged):
    """Rule 4: what was emulated since the last cut, and the time that TCP would have taken."""
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


@part
def weight(i):
    """Rule 5: 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2."""
    return min(1.0, 0.2 * (8 - i))


@part
def mean_rate(flow):
    """Rule 5: of the epochs that have ended, or with the open one for the newest if that is more [packets/s]."""
    total, weights = 0.0, 0.0
    share = flow.arrived / math.floor(flow.round_window)
    packets, time = flow.epoch_packets + share * flow.round_window, flow.epoch_time + share * flow.rtt
    total_open, weights_open = 0.0, 0.0
    if time > 0.0:
        total_open, weights_open = packets / time, 1.0
    for i in range(8):
        if flow.epochs[i] > 0.0:
            total += weight(i) * flow.epochs[i]
            weights += weight(i)
            if i < 7:
                total_open += weight(i + 1) * flow.epochs[i]
                weights_open += weight(i + 1)
    mean = total / weights
    if flow.open_epoch > 0.0 and weights_open > 0.0:
        return max(mean, total_open / weights_open)
    return mean


@part
def report(flow, now, ended):
    """Rule 6: at the end of a round, once a round trip at most; at once when the rate falls."""
    if flow.epochs[0] > 0.0:
        rate = flow.packet_size * mean_rate(flow)
    elif flow.slow_start > 0.0:
        rate = flow.packet_size * flow.round_window / flow.rtt
    elif flow.epoch_time > 0.0:
        rate = flow.packet_size * flow.epoch_packets / flow.epoch_time
    else:
        rate = flow.packet_size / flow.rtt
    due = ended and now + SLACK >= flow.reported + flow.rtt
    if due or rate < flow.rate:
        flow.rate = rate
        flow.reported = now


@part
def set_clock(flow, now):
    """One clock for the gap, which ends when nothing arrives for long, and for missing feedback."""
    flow.silent_at = now + silence(flow, flow.rate)
    flow.gap_ends = math.inf
    if flow.phase >= GAP:
        flow.gap_ends = now + flow.round_window * flow.spacing + 2.0 * flow.deviation
    flow.alarm = min(flow.silent_at, flow.gap_ends)


def alarm(flow, event):
    """Rule 3: the gap is a timeout. Rule 6: no feedback, half the rate."""
    if event.now + SLACK >= flow.gap_ends:
        time_out(flow)
        report(flow, event.now, False)
    if event.now + SLACK >= flow.silent_at:
        flow.rate /= 2
        flow.silent_at = event.now + silence(flow, flow.rate)
    flow.alarm = min(flow.silent_at, flow.gap_ends)
    return flow.rate


def timeout(flow, event):
    """The engine's timer: nothing has arrived for as long as TCP would have waited."""
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
        "rtt_gain": Parameter(0.125, "1", "(0, 1]", about="weight of a new round trip"),
        "silent_rtts": Parameter(4.0, "1", "[1, 1e6]", about="without an ack until the rate is halved: round trips"),
        # At 0 the clock would ring before a round trip is known; within one packet's time nothing can be missing.
        "silent_packets": Parameter(2.0, "packets", "[1, 1e6]", about="and times between packets, whichever is more"),
        "open_epoch": flag(True, "1: the open epoch counts if it raises the rate"),
        "slow_start": flag(True, "1: the first epoch sends a window per round trip"),
        **TIMERS,
    },
    state=STATE,
    source="schemes.md 13; I. Rhee, V. Ozdemir and Y. Yi, North Carolina State University (2000)",
)

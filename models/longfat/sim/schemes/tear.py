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

u: see the names below; windows in packets, times in s, rates of epochs in packets/s, newest first.
"""

import math

from longfat.sim.jit import part
from longfat.sim.schemes.paced import SLACK, TIMERS, holes
from longfat.sim.schemes.scheme import Parameter, Scheme

GAIN, SILENT_RTTS, SILENT_PACKETS, OPEN_EPOCH, SLOW_START = range(5)  # p
WINDOW, THRESHOLD, ROUND_WINDOW, ARRIVED, STATE = range(5)  # the emulated TCP; ARRIVED: packets of this round
MISSING, BEHIND, LAST, IGNORED = 5, 6, 7, 8  # transmissions: the hole, how many behind it came; the last one; the first
RTT, SPACING, DEVIATION, LAST_AT, GAP_ENDS, REPORTED, SILENT_AT = range(9, 16)  # whose loss counts; s
RATE, PACKETS, TIME, EPOCH = 16, 17, 18, 19  # bytes/s; of the open epoch; where the epochs' eight rates begin
SLOW, AVOIDANCE = 0, 1  # states; a gap is GAP more
GAP = 2


def start(flow, event):
    """A window of one packet, slow start."""
    flow.u[WINDOW] = 1.0
    flow.u[THRESHOLD] = math.inf
    flow.u[LAST] = -1.0
    flow.u[RATE] = flow.packet_size
    flow.u[GAP_ENDS] = math.inf
    begin_round(flow)
    set_clock(flow, event.now)
    return flow.u[RATE]


@part
def begin_round(flow):
    """Rule 1: as many arrivals as the window has whole packets."""
    flow.u[ROUND_WINDOW] = flow.u[WINDOW]
    flow.u[ARRIVED] = 0.0


def ack(flow, event):
    """The signal: a packet has arrived, and packets before it may be missing."""
    time_arrival(flow, event)
    number = float(event.transmission)
    if flow.u[STATE] >= GAP:
        flow.u[BEHIND] += 1.0
        if number - flow.u[MISSING] > flow.u[ROUND_WINDOW] - 1.0 and flow.u[BEHIND] < 3.0:
            time_out(flow)  # rule 3: the window has passed
        elif flow.u[BEHIND] >= 3.0:  # not confirmed: its acknowledgment was lost, or came late
            flow.u[STATE] -= GAP
    elif number > flow.u[LAST] + 1.0 and flow.u[LAST] + 1.0 >= flow.u[IGNORED] and holes(flow, event) > 0:
        flow.u[STATE] += GAP
        flow.u[MISSING] = flow.u[LAST] + 1.0
        flow.u[BEHIND] = 1.0
    flow.u[LAST] = max(flow.u[LAST], number)
    ended = arrive(flow)
    event.restart_timer = 1
    report(flow, event.now, ended)
    set_clock(flow, event.now)
    return flow.u[RATE]


@part
def time_arrival(flow, event):
    """The round trip that rounds are charged (rule 2), and what to expect of the next arrival (rule 3)."""
    if flow.u[RTT] == 0.0:
        flow.u[RTT] = event.rtt
    else:
        flow.u[RTT] += flow.p[GAIN] * (event.rtt - flow.u[RTT])
        spacing = event.now - flow.u[LAST_AT]
        if flow.u[SPACING] == 0.0:
            flow.u[SPACING] = spacing
        flow.u[DEVIATION] += (abs(spacing - flow.u[SPACING]) - flow.u[DEVIATION]) / 4
        flow.u[SPACING] += (spacing - flow.u[SPACING]) / 8
    flow.u[LAST_AT] = event.now


@part
def arrive(flow):
    """Rules 1 and 2, the increase; whether the round has ended. A gap freezes the window."""
    if flow.u[STATE] == SLOW:
        flow.u[WINDOW] += 1.0
        if flow.u[WINDOW] >= flow.u[THRESHOLD]:
            flow.u[STATE] = AVOIDANCE
    elif flow.u[STATE] == AVOIDANCE:
        flow.u[WINDOW] += 1.0 / flow.u[ROUND_WINDOW]
    flow.u[ARRIVED] += 1.0
    if flow.u[ARRIVED] < math.floor(flow.u[ROUND_WINDOW]):
        return False
    flow.u[PACKETS] += flow.u[ROUND_WINDOW]
    flow.u[TIME] += flow.u[RTT]
    begin_round(flow)
    return True


def loss(flow, event):
    """Rule 3: three packets behind the hole have arrived. If they are of one window, TCP would know of the loss."""
    if flow.u[STATE] >= GAP and flow.u[LAST] >= flow.u[MISSING]:
        if event.transmission - flow.u[MISSING] <= flow.u[ROUND_WINDOW] - 1.0:
            halve(flow)
        else:
            time_out(flow)
    return flow.rate


@part
def halve(flow):
    """Rule 3, the decrease: triple duplicates."""
    end_epoch(flow, 0.0)
    flow.u[WINDOW] = max(1.0, flow.u[WINDOW] / 2)
    flow.u[THRESHOLD] = flow.u[WINDOW]
    flow.u[STATE] = AVOIDANCE
    begin_round(flow)


@part
def time_out(flow):
    """Rule 3, the decrease: too few arrivals for triple duplicates. Rule 2: TCP would have waited for its timer."""
    end_epoch(flow, flow.rto)
    flow.u[THRESHOLD] = max(2.0, flow.u[WINDOW] / 2)
    flow.u[WINDOW] = 1.0
    flow.u[STATE] = SLOW
    begin_round(flow)


@part
def end_epoch(flow, charged):
    """Rule 4: what was emulated since the last cut, and the time that TCP would have taken."""
    flow.u[IGNORED] = flow.u[MISSING] + math.floor(flow.u[ROUND_WINDOW])
    flow.u[GAP_ENDS] = math.inf
    share = flow.u[ARRIVED] / math.floor(flow.u[ROUND_WINDOW])
    packets = flow.u[PACKETS] + share * flow.u[ROUND_WINDOW]
    time = flow.u[TIME] + share * flow.u[RTT] + charged
    flow.u[PACKETS] = 0.0
    flow.u[TIME] = 0.0
    if packets > 0.0 and time > 0.0:
        for i in range(7, 0, -1):
            flow.u[EPOCH + i] = flow.u[EPOCH + i - 1]
        flow.u[EPOCH] = packets / time


@part
def weight(i):
    """Rule 5: 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2."""
    return min(1.0, 0.2 * (8 - i))


@part
def mean_rate(flow):
    """Rule 5: of the epochs that have ended, or with the open one for the newest if that is more [packets/s]."""
    total, weights = 0.0, 0.0
    share = flow.u[ARRIVED] / math.floor(flow.u[ROUND_WINDOW])
    packets, time = flow.u[PACKETS] + share * flow.u[ROUND_WINDOW], flow.u[TIME] + share * flow.u[RTT]
    total_open, weights_open = 0.0, 0.0
    if time > 0.0:
        total_open, weights_open = packets / time, 1.0
    for i in range(8):
        if flow.u[EPOCH + i] > 0.0:
            total += weight(i) * flow.u[EPOCH + i]
            weights += weight(i)
            if i < 7:
                total_open += weight(i + 1) * flow.u[EPOCH + i]
                weights_open += weight(i + 1)
    mean = total / weights
    if flow.p[OPEN_EPOCH] > 0.0 and weights_open > 0.0:
        return max(mean, total_open / weights_open)
    return mean


@part
def report(flow, now, ended):
    """Rule 6: at the end of a round, once a round trip at most; at once when the rate falls."""
    if flow.u[EPOCH] > 0.0:
        rate = flow.packet_size * mean_rate(flow)
    elif flow.p[SLOW_START] > 0.0:
        rate = flow.packet_size * flow.u[ROUND_WINDOW] / flow.u[RTT]
    elif flow.u[TIME] > 0.0:
        rate = flow.packet_size * flow.u[PACKETS] / flow.u[TIME]
    else:
        rate = flow.packet_size / flow.u[RTT]
    due = ended and now + SLACK >= flow.u[REPORTED] + flow.u[RTT]
    if due or rate < flow.u[RATE]:
        flow.u[RATE] = rate
        flow.u[REPORTED] = now


@part
def set_clock(flow, now):
    """One clock for the gap, which ends when nothing arrives for long, and for missing feedback."""
    flow.u[SILENT_AT] = now + silence(flow)
    flow.u[GAP_ENDS] = math.inf
    if flow.u[STATE] >= GAP:
        flow.u[GAP_ENDS] = now + flow.u[ROUND_WINDOW] * flow.u[SPACING] + 2.0 * flow.u[DEVIATION]
    flow.alarm = min(flow.u[SILENT_AT], flow.u[GAP_ENDS])


@part
def silence(flow):
    """How long without an acknowledgment is too long."""
    return max(flow.p[SILENT_RTTS] * flow.u[RTT], flow.p[SILENT_PACKETS] * flow.packet_size / flow.u[RATE])


def alarm(flow, event):
    """Rule 3: the gap is a timeout. Rule 6: no feedback, half the rate."""
    if event.now + SLACK >= flow.u[GAP_ENDS]:
        time_out(flow)
        report(flow, event.now, False)
    if event.now + SLACK >= flow.u[SILENT_AT]:
        flow.u[RATE] /= 2
        flow.u[SILENT_AT] = event.now + silence(flow)
    flow.alarm = min(flow.u[SILENT_AT], flow.u[GAP_ENDS])
    return flow.u[RATE]


def timeout(flow, event):
    """The engine's timer: nothing has arrived for as long as TCP would have waited."""
    if flow.u[RTT] > 0.0:
        if flow.u[STATE] < GAP:
            flow.u[MISSING] = flow.u[LAST] + 1.0
        if flow.u[MISSING] >= flow.u[IGNORED]:
            time_out(flow)
            report(flow, event.now, False)
            flow.alarm = flow.u[SILENT_AT]
    return flow.u[RATE]


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
        "rtt_gain": Parameter(0.125, "1", "(0, 1]", f"p[{GAIN}]"),
        "silent_rtts": Parameter(4.0, "1", "[1, 1e6]", f"p[{SILENT_RTTS}]"),
        # At 0 the clock would ring before a round trip is known; within one packet's time nothing can be missing.
        "silent_packets": Parameter(2.0, "packets", "[1, 1e6]", f"p[{SILENT_PACKETS}]"),
        "open_epoch": Parameter(1.0, "1", "[0, 1]", f"p[{OPEN_EPOCH}]"),
        "slow_start": Parameter(1.0, "1", "[0, 1]", f"p[{SLOW_START}]"),
        **TIMERS,
    },
    source="schemes.md 13; I. Rhee, V. Ozdemir and Y. Yi, North Carolina State University (2000)",
)

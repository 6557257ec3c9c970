"""Congestion window validation, a component of senders: reduction of windows that the application does not use.

RFC 7661; rules and choices: docs/rules/cubic.md. Names as in the RFC: pipeACK, the packets acknowledged in a round
trip, at most over the sampling period; a window is validated while pipeACK is at least half of it.
"""

import math
from typing import Any

from longfat.sim.kernel.jit import part
from longfat.sim.plugin.parameters import choice

PARAMETERS = {
    "cwv": choice(0, "1: a window that the application does not use is not kept for ever (RFC 7661); 0: it is"),
}

LEAST_SAMPLING_PERIOD = 1.0  # s, RFC 7661, section 4.2
PERIODS = 5  # measurement periods in a sampling period: RFC 7661, section 4.5.1
NON_VALIDATED_PERIOD = 300.0  # s, RFC 7661, section 4.4: at most five minutes
VALIDATED = -1.0  # value of non_validated_since in the validated phase

#: State of a flow: largest samples of the last measurement periods and beginning of the last one [s]; packets of the
#: present sample, the end of its round, and whether there was a sample; beginning of the non-validated phase [s];
#: initial window; in recovery from a loss in that phase, the window that was taken as used [packets], else 0, and the
#: losses before.
STATE: dict[str, Any] = {
    "pipe_acks": [0.0] * PERIODS,
    "pipe_period": 0.0,
    "pipe_sample": 0.0,
    "pipe_round_end": -1,
    "pipe_known": False,
    "non_validated_since": VALIDATED,
    "restart_window": 0.0,
    "used_window": 0.0,
    "lost_before": 0,
}


@part
def sampling_period(flow):
    """Return the sampling period [s]."""
    return max(3.0 * flow.srtt, LEAST_SAMPLING_PERIOD)  # RFC 7661, section 4.2


@part
def pipe_ack(flow):
    """Return pipeACK [packets], the largest sample."""
    largest = 0.0
    for k in range(PERIODS):
        largest = max(largest, flow.pipe_acks[k])
    return largest


@part
def discard_old_samples(flow, now):
    """Begin the measurement periods up to now, and discard samples older than the sampling period."""
    length = sampling_period(flow) / PERIODS
    count = math.floor((now - flow.pipe_period) / length)
    if count <= 0:
        return
    flow.pipe_period += count * length
    for k in range(PERIODS - 1, -1, -1):
        flow.pipe_acks[k] = flow.pipe_acks[k - count] if k >= count else 0.0


@part
def observe(flow, event):
    """Take an acknowledgment outside recovery into the sample, and judge the window once per round trip."""
    if flow.cwv == 0.0 or flow.recovering:
        return
    if flow.restart_window == 0.0:
        flow.restart_window = flow.window
    discard_old_samples(flow, event.now)
    # RFC 7661, section 4.2: what is acknowledged in a round trip. Ours: a round ends when a packet sent after its
    # beginning is acknowledged. In a slow start that fills its window, a sample is half of the window then.
    if flow.una > flow.pipe_round_end:
        flow.pipe_known = flow.pipe_known or flow.pipe_round_end >= 0
        judge(flow, event.now)
        flow.pipe_round_end = flow.high
        flow.pipe_sample = 0.0
    flow.pipe_sample += event.newly_delivered
    flow.pipe_acks[0] = max(flow.pipe_acks[0], flow.pipe_sample)
    if flow.non_validated_since >= 0.0:
        judge(flow, event.now)


@part
def judge(flow, now):
    """Enter or leave the non-validated phase, and set the alarm."""
    # RFC 7661, section 4.3: pipeACK < cwnd/2. Ours: of a window in whole packets, because pipeACK is.
    if not flow.pipe_known or 2.0 * pipe_ack(flow) >= math.floor(flow.window):
        flow.non_validated_since = VALIDATED
        flow.alarm = now + sampling_period(flow)
        return
    if flow.non_validated_since < 0.0:
        flow.non_validated_since = now
    flow.alarm = flow.non_validated_since + NON_VALIDATED_PERIOD


@part
def wake(flow, now):
    """Return the window [packets] at an alarm: halved after each non-validated period."""
    discard_old_samples(flow, now)
    flow.pipe_known = True  # a sampling period without a round trip is a measurement, too
    # Alarms are in whole nanoseconds.
    if flow.non_validated_since >= 0.0 and now > flow.non_validated_since + NON_VALIDATED_PERIOD - 1e-6:
        # RFC 7661, section 4.4.3, and section 4.5.2: one reduction for each period.
        flow.ssthresh = max(flow.ssthresh, 3.0 * flow.window / 4.0)
        flow.window = min(flow.window, max(flow.window / 2.0, flow.restart_window))
        flow.non_validated_since = now
    judge(flow, now)
    return flow.window


@part
def may_grow(flow, event):
    """Return whether the window may grow: in the non-validated phase only if it was in use."""
    # RFC 7661, section 4.4: a sender that is cwnd-limited may use the standard method; section 4.5.3: FlightSize is at
    # least cwnd.
    if flow.cwv == 0.0 or flow.non_validated_since < 0.0:
        return True
    return flow.in_flight + event.newly_delivered >= math.floor(flow.window)


@part
def used(flow, otherwise):
    """Return the window in use when congestion is found [packets], `otherwise` in the validated phase."""
    # RFC 7661, section 4.4.1: Max(pipeACK, LossFlightSize).
    if flow.non_validated_since < 0.0:
        return otherwise
    return max(pipe_ack(flow), float(flow.high - flow.una))


@part
def reset(flow):
    """Return to the validated phase, with pipeACK undefined: after a recovery, a timeout or a mark."""
    for k in range(PERIODS):
        flow.pipe_acks[k] = 0.0
    flow.pipe_known = False
    flow.pipe_round_end = -1
    flow.non_validated_since = VALIDATED
    flow.used_window = 0.0
    flow.alarm = math.inf


@part
def take_loss(flow, event, otherwise):
    """Return the window [packets] that a loss reduces, `otherwise` in the validated phase; enter that phase."""
    if flow.cwv == 0.0 or flow.recovering:  # a retransmission is lost
        return otherwise
    window, non_validated = used(flow, otherwise), flow.non_validated_since >= 0.0
    reset(flow)
    if non_validated:
        flow.used_window = window
        flow.lost_before = flow.lost - event.lost
    return window


@part
def take_mark(flow):
    """Set the window to its used part, which a mark then reduces, and enter the validated phase."""
    # Ours, because RFC 7661, section 4.4.1, has "congestion feedback" in its first sentence and packet drops later.
    if flow.cwv > 0.0 and flow.non_validated_since >= 0.0:
        flow.window = used(flow, flow.window)
        reset(flow)


@part
def end_recovery(flow, window):
    """Return the window [packets] after a recovery, given the window that applies without validation."""
    # RFC 7661, section 4.4.1: (Max(pipeACK, LossFlightSize) - R)/2 with R packets retransmitted, at least one packet.
    # Ours: with the factor of the scheme's reduction, which has made the `window` of the first term.
    if flow.cwv == 0.0:
        return window
    if flow.used_window > 0.0:
        retransmitted = min(float(flow.lost - flow.lost_before), flow.used_window)
        window = max(1.0, window * (1.0 - retransmitted / flow.used_window))
        flow.ssthresh = max(flow.ssthresh_floor, window)
    reset(flow)
    return window


@part
def forget(flow):
    """Return to the validated phase after a timeout, and stop the pacing."""
    if flow.cwv > 0.0:
        reset(flow)
        flow.rate = math.inf


@part
def pace(flow, window):
    """Set the rate, unless the sender paces anyway: in the non-validated phase, a window per round-trip time."""
    # RFC 7661, section 4.4.2.
    if flow.cwv == 0.0 or flow.pacing > 0.0:
        return
    flow.rate = math.inf
    if flow.non_validated_since >= 0.0 and flow.srtt > 0.0:
        flow.rate = window * flow.packet_size / flow.srtt

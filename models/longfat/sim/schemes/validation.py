"""Congestion window validation, a component of senders: reduction of windows that the application does not use.

RFC 7661; rules and choices: docs/rules/cubic.md. The names are those of the RFC: pipeACK is the largest number of
packets acknowledged in a round trip within the sampling period; a window is validated while pipeACK is at least half of
the window.
"""

import math
from typing import Any

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.parameters import choice

PARAMETERS = {
    "cwv": choice(0, "1: a window that the application does not use is reduced after a time (RFC 7661); 0: it is kept"),
}

LEAST_SAMPLING_PERIOD = 1.0  # s, RFC 7661, section 4.2
PERIODS = 5  # measurement periods in a sampling period: RFC 7661, section 4.5.1
NON_VALIDATED_PERIOD = 300.0  # s, RFC 7661, section 4.4: at most five minutes
VALIDATED = -1.0  # value of non_validated_since in the validated phase

#: State of a flow.
STATE: dict[str, Any] = {
    "pipe_acks": [0.0] * PERIODS,  # largest sample of each of the last measurement periods, newest first [packets]
    "pipe_period": 0.0,  # beginning of the newest measurement period [s]
    "pipe_sample": 0.0,  # packets acknowledged in the present round trip
    "pipe_round_end": -1,  # first packet sent after the beginning of the present round trip
    "pipe_known": False,  # whether there has been a sample
    "non_validated_since": VALIDATED,  # beginning of the non-validated phase [s]
    "restart_window": 0.0,  # initial window [packets]
    "used_window": 0.0,  # in recovery from a loss in the non-validated phase: used part of the window [packets]; else 0
    "lost_before": 0,  # packets lost before that loss
}


@inline
def sampling_period(flow):
    """Return the sampling period [s]: three round-trip times, at least one second."""
    return max(3.0 * flow.srtt, LEAST_SAMPLING_PERIOD)  # RFC 7661, section 4.2


@inline
def pipe_ack(flow):
    """Return pipeACK, the largest number of packets acknowledged in a round trip of the sampling period."""
    largest = 0.0
    for k in range(PERIODS):
        largest = max(largest, flow.pipe_acks[k])
    return largest


@inline
def discard_old_samples(flow, now):
    """Advance to the measurement period of the present time, and discard samples older than the sampling period."""
    length = sampling_period(flow) / PERIODS
    count = math.floor((now - flow.pipe_period) / length)
    if count <= 0:
        return
    flow.pipe_period += count * length
    for k in range(PERIODS - 1, -1, -1):
        flow.pipe_acks[k] = flow.pipe_acks[k - count] if k >= count else 0.0


@inline
def observe(flow, event):
    """Count the packets of an acknowledgment outside recovery, and call `judge` once per round trip."""
    if flow.cwv == 0.0 or flow.recovering:
        return
    if flow.restart_window == 0.0:
        flow.restart_window = flow.window
    discard_old_samples(flow, event.now)
    # RFC 7661, section 4.2: a sample is the data acknowledged in a round trip. Our choice: a round trip ends when a
    # packet sent after its beginning is acknowledged. If a flow fills its window in slow start, the sample is then half
    # of the window.
    if flow.una > flow.pipe_round_end:
        flow.pipe_known = flow.pipe_known or flow.pipe_round_end >= 0
        judge(flow, event.now)
        flow.pipe_round_end = flow.high
        flow.pipe_sample = 0.0
    flow.pipe_sample += event.newly_delivered
    flow.pipe_acks[0] = max(flow.pipe_acks[0], flow.pipe_sample)
    if flow.non_validated_since >= 0.0:
        judge(flow, event.now)


@inline
def judge(flow, now):
    """Enter or leave the non-validated phase, and set the alarm."""
    # RFC 7661, section 4.3: the phase is non-validated if pipeACK < cwnd/2. Our choice, because pipeACK is in whole
    # packets: cwnd is rounded down.
    if not flow.pipe_known or 2.0 * pipe_ack(flow) >= math.floor(flow.window):
        flow.non_validated_since = VALIDATED
        flow.alarm = now + sampling_period(flow)
        return
    if flow.non_validated_since < 0.0:
        flow.non_validated_since = now
    flow.alarm = flow.non_validated_since + NON_VALIDATED_PERIOD


def alarm(flow, event):
    """Return the window [packets], halved after each non-validated period, but not below the initial window."""
    now = event.now
    discard_old_samples(flow, now)
    flow.pipe_known = True  # a sampling period without a round trip is a measurement, too
    # The comparison has a tolerance of 1e-6 s, because the times of alarms are rounded to nanoseconds.
    if flow.non_validated_since >= 0.0 and now > flow.non_validated_since + NON_VALIDATED_PERIOD - 1e-6:
        # RFC 7661, sections 4.4.3 and 4.5.2: the window is reduced once per period.
        flow.ssthresh = max(flow.ssthresh, 3.0 * flow.window / 4.0)
        flow.window = min(flow.window, max(flow.window / 2.0, flow.restart_window))
        flow.non_validated_since = now
    judge(flow, now)
    pace(flow, flow.window)
    return flow.window


@inline
def may_grow(flow, event):
    """Return whether the window may grow: in the non-validated phase only if the whole window was in use."""
    # RFC 7661, section 4.4: a sender that is cwnd-limited may increase cwnd as usual; section 4.5.3: such a sender has
    # a FlightSize of at least cwnd.
    if flow.cwv == 0.0 or flow.non_validated_since < 0.0:
        return True
    return flow.in_flight + event.newly_delivered >= math.floor(flow.window)


@inline
def used(flow, otherwise):
    """Return the used part of the window [packets] at a congestion event, or `otherwise` in the validated phase."""
    # RFC 7661, section 4.4.1: the used part of the window is Max(pipeACK, LossFlightSize).
    if flow.non_validated_since < 0.0:
        return otherwise
    return max(pipe_ack(flow), float(flow.high - flow.una))


@inline
def reset(flow):
    """Enter the validated phase with pipeACK undefined, after a recovery, a timeout or a mark."""
    for k in range(PERIODS):
        flow.pipe_acks[k] = 0.0
    flow.pipe_known = False
    flow.pipe_round_end = -1
    flow.non_validated_since = VALIDATED
    flow.used_window = 0.0
    flow.alarm = math.inf


@inline
def take_loss(flow, event, otherwise):
    """Enter the validated phase; return the window that a loss reduces [packets]: its used part or `otherwise`."""
    if flow.cwv == 0.0 or flow.recovering:  # in recovery, the lost packet was a retransmission
        return otherwise
    window, non_validated = used(flow, otherwise), flow.non_validated_since >= 0.0
    reset(flow)
    if non_validated:
        flow.used_window = window
        flow.lost_before = flow.lost - event.lost
    return window


@inline
def take_mark(flow):
    """Set a non-validated window to its used part before a mark reduces it, and enter the validated phase."""
    # A mark acts like a drop. Our choice, because RFC 7661, section 4.4.1, first mentions "congestion feedback", but
    # later only packet drops.
    if flow.cwv > 0.0 and flow.non_validated_since >= 0.0:
        flow.window = used(flow, flow.window)
        reset(flow)


@inline
def end_recovery(flow, window):
    """Return the window [packets] after a recovery; `window` is the window without validation."""
    # RFC 7661, section 4.4.1: the window becomes (Max(pipeACK, LossFlightSize) - R)/2, where R is the number of packets
    # retransmitted, and is at least one packet. Our choice, because schemes reduce the window by factors other than
    # 1/2: the factor is that of the scheme, which `window` already contains.
    if flow.cwv == 0.0:
        return window
    if flow.used_window > 0.0:
        retransmitted = min(float(flow.lost - flow.lost_before), flow.used_window)
        window = max(1.0, window * (1.0 - retransmitted / flow.used_window))
        flow.ssthresh = max(flow.ssthresh_floor, window)
    reset(flow)
    return window


@inline
def forget(flow):
    """Enter the validated phase after a timeout, and stop pacing."""
    if flow.cwv > 0.0:
        reset(flow)
        flow.rate = math.inf


@inline
def pace(flow, window):
    """Set the pacing rate to a window per round-trip time in the non-validated phase, else to infinity.

    A sender with the parameter `pacing` keeps its pacing rate.
    """
    # RFC 7661, section 4.4.2: the sender avoids bursts in the non-validated phase.
    if flow.cwv == 0.0 or flow.pacing > 0.0:
        return
    flow.rate = math.inf
    if flow.non_validated_since >= 0.0 and flow.srtt > 0.0:
        flow.rate = window * flow.packet_size / flow.srtt

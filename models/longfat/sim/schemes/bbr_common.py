"""Rules that both versions of BBR share: round trips counted in packets, pacing, a maximum filter, and loss recovery.

Volumes of data are counted in packets of one size, rates in bytes/s; the send quantum is one packet. The rules with
their sources, and the points that draft-ietf-ccwg-bbr-06 leaves open: docs/rules/bbr.md.
"""

import math
from dataclasses import replace
from typing import Any

from longfat.sim.kernel.jit import inline
from longfat.sim.schemes import tcp, timers

#: Parameters of both versions. The initial window is ten packets (RFC 6928, section 2). The retransmission timer is
#: that of RFC 6298 with timestamps: every packet gives a round-trip time sample.
PARAMETERS = {
    "initial_window": replace(tcp.INITIAL_WINDOW, default=10.0),
    **{name: tcp.PARAMETERS[name] for name in ("delayed_ack", "ack_delay", "quick_acks")},
    **timers.parameters("rfc"),
}

MIN_PIPE_CWND = 4.0  # packets: BBR.MinPipeCwnd of draft-ietf-ccwg-bbr-06, section 2.8
PROBE_RTT_DURATION = 0.2  # s: BBR.ProbeRTTDuration of draft-ietf-ccwg-bbr-06, section 2.16.2
NO_RTT = 1e-3  # s: assumed round-trip time until there is a sample (draft-ietf-ccwg-bbr-06, section 5.6.2)

NOT_RECOVERING, FAST_RECOVERY, AFTER_TIMEOUT = range(3)

#: State variables of a flow that both versions have, named as in draft-ietf-ccwg-bbr-06, section 2.
STATE: dict[str, Any] = {
    "phase": 0,  # BBR.state
    "pacing_gain": 1.0,
    "cwnd_gain": 2.0,
    "initial_cwnd": 0.0,  # packets: C.InitialCwnd
    "next_round_delivered": 0,
    "round_start": False,
    "round_count": 0,
    "min_rtt": math.inf,  # s
    "min_rtt_stamp": 0.0,
    "idle_restart": False,
    "probe_rtt_done_stamp": 0.0,
    "probe_rtt_round_done": False,
    "full_bw": 0.0,  # bytes/s
    "full_bw_count": 0,
    "full_bw_reached": False,
    "prior_cwnd": 0.0,
    "recovering": NOT_RECOVERING,
    "recovery_point": -1,  # packets: highest packet sent when recovery began
    "has_rtt": False,
}


@inline
def start_round(flow):
    """Begin a round trip; it ends when a packet sent from now on is acknowledged (draft-ietf-ccwg-bbr-06, 5.5.1)."""
    flow.next_round_delivered = flow.delivered


@inline
def update_round(flow, event):
    """Begin a round trip when a packet sent in the current one is acknowledged (draft-ietf-ccwg-bbr-06, 5.5.1)."""
    flow.round_start = event.prior_delivered >= flow.next_round_delivered
    if flow.round_start:
        start_round(flow)
        flow.round_count += 1


@inline
def pipe(flow, bandwidth):
    """Return the bandwidth-delay product [packets] of a bandwidth [bytes/s] and the least round-trip time."""
    return bandwidth * flow.min_rtt / flow.packet_size


@inline
def set_gains(flow, phase, pacing_gain, cwnd_gain):
    """Enter a phase, and set the gains of pacing rate and window."""
    flow.phase = phase
    flow.pacing_gain = pacing_gain
    flow.cwnd_gain = cwnd_gain


@inline
def begin_pacing(flow, round_trip_time):
    """Set the pacing rate [bytes/s] that applies until the bandwidth has been sampled.

    draft-ietf-ccwg-bbr-06, section 5.6.2, InitPacingRate(): the gain times the initial window per 1 ms or, once known,
    per first round-trip time. The draft's pseudo-code calls the function at the start only, but its text requires a
    second call for the first sample: see docs/rules/bbr.md.
    """
    flow.rate = flow.pacing_gain * flow.initial_cwnd * flow.packet_size / round_trip_time


@inline
def pace(flow, rate):
    """Set the pacing rate [bytes/s]; ignore a lower rate until the pipe has been full.

    draft-ietf-ccwg-bbr-06, section 5.6.2, SetPacingRateWithGain().
    """
    if rate > 0.0 and (flow.full_bw_reached or rate > flow.rate):
        flow.rate = rate


@inline
def probe_rtt_is_over(flow, now, volume):
    """Run ProbeRTT; return whether it is over: 200 ms and a round trip after at most `volume` packets were in flight.

    HandleProbeRTT() of draft-ietf-ccwg-bbr-06, section 5.3.4.3, with the condition of its CheckProbeRTTDone().
    """
    # draft-ietf-ccwg-bbr-06, section 4.1.2.4: mark the delivery rates of packets in flight as application-limited.
    flow.app_limited_until = max(flow.delivered + flow.in_flight, 1)
    if flow.probe_rtt_done_stamp == 0.0:
        if flow.in_flight <= volume:
            flow.probe_rtt_done_stamp = now + PROBE_RTT_DURATION
            flow.probe_rtt_round_done = False
            start_round(flow)
        return False
    if flow.round_start:
        flow.probe_rtt_round_done = True
    return flow.probe_rtt_round_done and now > flow.probe_rtt_done_stamp


@inline
def grown_window(flow, event, window, most):
    """Return `window` [packets] plus the packets delivered; once the pipe has been full, return at most `most`.

    SetCwnd() of draft-ietf-ccwg-bbr-06, section 5.6.4.6, without its bounds.
    """
    if flow.full_bw_reached:
        window = min(window + event.newly_delivered, most)
    elif window < most or flow.delivered < flow.initial_cwnd:
        window += event.newly_delivered
    return max(window, MIN_PIPE_CWND)


@inline
def windowed_max(best, when, time, window, value):
    """Add a value to a windowed maximum; return the largest value of the last `window` units of `time`.

    Kathleen Nichols' algorithm, which draft-ietf-ccwg-bbr-06, section 5.5.5, names, keeps the values (`best`) and times
    (`when`) of three candidates: the largest value, the largest value after it, and the largest value after the second.
    If the second is missing after a quarter of the window, or the third after half, the new value takes its place.
    """
    if value >= best[0] or time - when[2] > window:
        for k in range(3):
            best[k] = value
            when[k] = time
        return value
    for k in range(1, 3):
        if value >= best[k]:
            for j in range(k, 3):
                best[j] = value
                when[j] = time
            break
    while time - when[0] > window:
        for k in range(2):
            best[k] = best[k + 1]
            when[k] = when[k + 1]
        best[2] = value
        when[2] = time
    if when[1] == when[0] and time - when[0] > window / 4:
        for k in range(1, 3):
            best[k] = value
            when[k] = time
    elif when[2] == when[1] and time - when[1] > window / 2:
        best[2] = value
        when[2] = time
    return best[0]


@inline
def save_window(flow, in_probe_rtt):
    """Save the window, to restore it after recovery or ProbeRTT: SaveCwnd() of draft-ietf-ccwg-bbr-06, 5.6.4.4."""
    if flow.recovering == NOT_RECOVERING and not in_probe_rtt:
        flow.prior_cwnd = flow.window
    else:
        flow.prior_cwnd = max(flow.prior_cwnd, flow.window)


@inline
def restore_window(flow):
    """Restore the saved window if it is larger: RestoreCwnd() of draft-ietf-ccwg-bbr-06, section 5.6.4.4."""
    flow.window = max(flow.window, flow.prior_cwnd)


@inline
def begin_recovery(flow, kind):
    """Begin loss recovery, which lasts until all packets sent before it are acknowledged (RFC 6675, section 5)."""
    flow.recovering = kind
    flow.recovery_point = flow.high - 1


@inline
def recovery_ends(flow):
    """Return whether loss recovery ends with this acknowledgment (RFC 6675, section 5, step A)."""
    return flow.recovering != NOT_RECOVERING and flow.una > flow.recovery_point

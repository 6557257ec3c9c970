"""Rules of ns-3 3.44 that differ from ours, as schemes and disciplines here, so that each can be switched.

ns-3's sources are named by their paths below src/ in its development repository, where these rules were read.
"""

import math
from dataclasses import replace

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.parameters import flag
from longfat.sim.schemes import bbr1, bbr_common, cubic, dctcp, deployed, tcp


# internet/model/tcp-socket-base.cc, ReceivedAck(), EnterCwr() and ProcessAck(): after a mark has reduced the window the
# sender is in state CA_CWR until more than the highest packet sent then is acknowledged, and the window does not grow
# in this state. RFC 8257, section 3.4: as RFC 5681, so that it grows with each acknowledgment.
def hold_after_mark(flow, event):
    """Return DCTCP's window [packets], which does not grow in the round trip after a mark reduced it."""
    if event.acked > 0:
        dctcp.estimate(flow, event)
    held = flow.reduced_for == tcp.MARK and flow.una <= flow.reduced_at
    if event.marked and not held:
        dctcp.react(flow)
        flow.reduced_at = flow.high  # more than this is acknowledged
        held = True
    if flow.recovering:
        return deployed.recover(flow, event, flow.ssthresh)
    if held or event.acked == 0 or event.marked or not deployed.uses_window(flow, event):
        return flow.window
    return deployed.grow(flow, event)


DCTCP = replace(dctcp.DCTCP, name="dctcp-holding", ack=hold_after_mark)


# internet/model/tcp-cubic.cc, Update() and IncreaseWindow(), after Linux, tcp_cubic.c: windows are whole packets. A
# packet is added after `limit` packets acknowledged; those that were not used before are kept, also over losses. The
# target is ahead by the least round-trip time. RFC 9438, sections 4.2 and 4.3, has real numbers, and the smoothed one.
@inline
def packets_per_growth(flow, event):
    """Return the number of packets acknowledged after which the window grows by one."""
    flow.acked_in_stage += event.acked
    if flow.epoch_start < 0.0:
        flow.epoch_start = event.now
        flow.acked_in_stage = event.acked
        flow.w_est = flow.window
        flow.origin = max(flow.w_max, flow.window)
        flow.k = ((flow.origin - flow.window) / flow.c) ** (1.0 / 3.0)
    time = event.now + flow.least_round_trip - flow.epoch_start
    distance = math.floor(flow.c * abs(time - flow.k) ** 3.0)
    target = flow.origin + (distance if time >= flow.k else -distance)
    limit = math.floor(flow.window / (target - flow.window)) if target > flow.window else 100.0 * flow.window
    if flow.w_max == 0.0:
        limit = min(limit, 20.0)  # CntClamp
    step = math.floor(flow.window * math.floor(8.0 * (1.0 + flow.beta) / (3.0 * (1.0 - flow.beta))) / 8.0)
    while flow.acked_in_stage > step:
        flow.acked_in_stage -= step
        flow.w_est += 1.0
    if flow.w_est > flow.window:
        limit = min(limit, math.floor(flow.window / (flow.w_est - flow.window)))
    return max(limit, 2.0)


# internet/model/tcp-socket-base.cc, ProcessAck(): the acknowledgment that ends recovery grows the window by all packets
# that it acknowledges, most of which SACK had reported in recovery; `exit_growth` switches that. Ours grows from the
# next acknowledgment on.
def grow_whole(flow, event):
    """Return CUBIC's window [packets] in whole packets."""
    if event.rtt < flow.least_round_trip:
        flow.least_round_trip = event.rtt
    if flow.recovering:
        window = deployed.recover(flow, event, flow.ssthresh)
        if flow.recovering or flow.exit_growth == 0.0:
            return window
        flow.window = window
    if event.acked == 0:
        return flow.window
    if flow.window < flow.ssthresh:
        deployed.slow_start(flow, event)
        return flow.window
    flow.unused += event.acked
    limit = packets_per_growth(flow, event)
    if flow.unused >= limit:
        flow.unused -= limit
        return flow.window + 1.0
    return flow.window


@inline
def reduce_whole(flow, cause):
    """Reduce the window and ssthresh as `cubic.reduce`, rounded down to whole packets."""
    window = flow.ssthresh if flow.recovering else flow.window
    flow.w_max = math.floor(window * (1.0 + flow.beta) / 2.0) if window < flow.w_max else window
    flow.ssthresh = max(2.0, math.floor(flow.beta * window))
    flow.epoch_start = -1.0
    tcp.record_reduction(flow, cause)


def lose_whole(flow, event):
    """Return the reduced window, and retransmit the first packet lost."""
    reduce_whole(flow, tcp.LOSS)
    return deployed.begin_recovery(flow, event, flow.ssthresh)


def time_out_whole(flow, event):
    """Return a window of one packet, and forget the window before the loss."""
    reduce_whole(flow, tcp.TIMEOUT)
    flow.w_max = 0.0
    flow.least_round_trip = math.inf
    flow.recovering = False
    return 1.0


CUBIC = replace(
    cubic.CUBIC,
    name="cubic-whole",
    ack=grow_whole,
    loss=lose_whole,
    timeout=time_out_whole,
    alarm=None,
    parameters={
        **cubic.CUBIC.parameters,
        "exit_growth": flag(True, "1: the acknowledgment that ends recovery grows the window"),
    },
    state={**cubic.CUBIC.state, "acked_in_stage": 0.0, "unused": 0.0, "origin": 0.0, "least_round_trip": math.inf},
)


bbr1_start, bbr1_ack, bbr1_loss = inline(bbr1.start), inline(bbr1.ack), inline(bbr1.loss)
PROBING_SEGMENTS = 2.0


@inline
def extra_segments(flow):
    """Return the segments that ns-3 adds to the volume in flight in the phase of gain 5/4 [packets]."""
    probing = flow.phase == bbr1.PROBE_BW and flow.cycle_index == 0
    return PROBING_SEGMENTS if flow.probing_segments > 0.0 and probing else 0.0


# internet/model/tcp-bbr.cc, InFlight(): in the phase of gain 5/4 two segments more, in the volume that ends the phase
# and in the target window; the draft of 2017 has none (section 4.2.3.2). Also Linux, tcp_bbr.c.
@inline
def probe_with_more(flow, event):
    """Return the window [packets] of `bbr1.ack` with two segments more in the phase of gain 5/4."""
    extra, began = extra_segments(flow), flow.cycle_stamp
    bandwidth = max(flow.max_bw, event.delivery_rate)
    volume = 1.25 * bbr_common.pipe(flow, bandwidth) + bbr1.OFFLOAD_BUDGET + extra
    goes_on = extra > 0.0 and event.lost == 0 and flow.in_flight + event.newly_delivered < volume
    if goes_on:
        flow.cycle_stamp = event.now  # no round trip has passed, so that the phase does not end
    window = bbr1_ack(flow, event)
    extra = extra_segments(flow)
    if goes_on and extra > 0.0:
        flow.cycle_stamp = began
    if extra > 0.0 and event.newly_delivered > 0 and flow.full_bw_reached and not flow.conserves:
        window = max(flow.window - event.lost, 1.0) + event.newly_delivered
        window = max(min(window, bbr1.target(flow) + extra), bbr_common.MIN_PIPE_CWND)
    return window


# internet/model/tcp-socket-base.cc, ProcessAck(): for each acknowledgment in fast recovery that acknowledges a part of
# what was sent before, DoRetransmit() sends a packet at once, whatever window and pacing, unless the first packet not
# acknowledged has been retransmitted (RFC 6582, section 3.2, step 3). Here without that condition, because a scheme
# does not see what has been retransmitted.
def ack_as_ns3(flow, event):
    """Return BBR's window [packets], and send a packet at once if this acknowledgment is a partial one."""
    window = probe_with_more(flow, event)
    if flow.partial > 0.0 and flow.recovering == bbr_common.FAST_RECOVERY and event.acked > 0:
        flow.resend = flow.una
        flow.last_sent = event.now - 1.0
    return window


# internet/model/tcp-bbr.cc, CongestionStateSet() and UpdateRound(): packets are conserved until the round trip ends in
# which recovery began. Here, as in Linux (tcp_bbr.c, bbr_set_cwnd_to_recover_or_restore()), a round trip begins then.
def lose_as_ns3(flow, event):
    """Return the volume in flight as the window, once per fast recovery."""
    ends = flow.next_round_delivered
    window = bbr1_loss(flow, event)
    if flow.new_round == 0.0:
        flow.next_round_delivered = ends
    return window


# internet/model/tcp-bbr.cc, CongestionStateSet(): the handshake at the start of the flow measures the first round-trip
# time, which ages from then on. With `handshake_rtt` of `bbr1` the handshakes of all flows are before time 0.
def start_as_ns3(flow, event):
    """Return the initial window [packets]; the round-trip time of a handshake is as old as the flow."""
    window = bbr1_start(flow, event)
    flow.min_rtt_stamp = event.now
    return window


BBR1 = replace(
    bbr1.BBR1,
    name="bbr1-ns3",
    start=start_as_ns3,
    ack=ack_as_ns3,
    loss=lose_as_ns3,
    parameters={
        **bbr1.BBR1.parameters,
        "partial": flag(False, "1: a partial acknowledgment sends a packet at once"),
        "probing_segments": flag(False, "1: two segments more in the phase of gain 5/4"),
        "new_round": flag(True, "1: a round trip begins with recovery, and ends the conservation of packets"),
    },
)

NAMED = {one.name: one for one in (DCTCP, CUBIC, BBR1)}

"""BBR version 3: pacing rate and window follow a model of the path (draft-ietf-ccwg-bbr-06; docs/rules/bbr.md).

This file has the state machine, the control parameters and the callbacks; `bbr_model` has the model. Deviations:

* The send quantum is one packet (draft, section 5.6.3, allows it); therefore the offload budget never sets the window.
* Acknowledgments identify transmissions: a loss is known to be spurious when the lost transmission is acknowledged.
* Packets are not ECN-capable (draft, section 3.7, leaves the response to marks open).
* An acknowledgment that reports no new delivery changes nothing.
"""

import math
from typing import Any

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.functions import random
from longfat.sim.schemes import bbr_common, bbr_model
from longfat.sim.schemes.bbr_common import AFTER_TIMEOUT, FAST_RECOVERY, MIN_PIPE_CWND, NOT_RECOVERING
from longfat.sim.schemes.bbr_model import BETA, CRUISE, DOWN, DRAIN, NO_PHASE, PROBE_RTT, REFILL, STARTUP, UP
from longfat.sim.schemes.scheme import Scheme

PACING_MARGIN = 0.99  # BBR.PacingMarginPercent of draft-ietf-ccwg-bbr-06, section 2.5: 1 % below the bandwidth
# Gains of the pacing rate and of the window in each phase: draft-ietf-ccwg-bbr-06, table of section 5.6.1.
STARTUP_PACING_GAIN = 2.77
DRAIN_PACING_GAIN = 0.5
DOWN_PACING_GAIN = 0.9
UP_PACING_GAIN = 1.25
DEFAULT_CWND_GAIN = 2.0
UP_CWND_GAIN = 2.25
PROBE_RTT_CWND_GAIN = 0.5

# Values of BBR.ack_phase, named as in draft-ietf-ccwg-bbr-06, section 2.14.
ACKS_INIT, ACKS_REFILLING, ACKS_PROBE_STARTING, ACKS_PROBE_FEEDBACK, ACKS_PROBE_STOPPING = range(5)

#: State variables of the state machine, named as in draft-ietf-ccwg-bbr-06, sections 2.7 and 2.14.
MACHINE: dict[str, Any] = {
    "drain_start_round": 0,
    "ack_phase": ACKS_INIT,
    "is_bw_probe_sample": False,
    "bw_probe_up_acked": 0.0,
    "probe_up_acked_per_inc": math.inf,
    "bw_probe_up_rounds": 0,
    "rounds_since_probe_up": 0,
    "bw_probe_wait": 0.0,
    "cycle_stamp": 0.0,
    "prev_probe_too_high": False,
    "prev_probe_precautionary": False,
}


# Phases of the state machine


@inline
def enter_startup(flow):
    """Enter Startup: EnterStartup() of draft-ietf-ccwg-bbr-06, section 5.3.1.1."""
    bbr_common.set_gains(flow, STARTUP, STARTUP_PACING_GAIN, DEFAULT_CWND_GAIN)


@inline
def start_down(flow, now):
    """Enter ProbeBW_DOWN, which drains the queue: StartProbeBW_DOWN() of draft-ietf-ccwg-bbr-06, section 5.3.3.9."""
    # ResetCongestionSignals() of draft-ietf-ccwg-bbr-06, section 5.5.10.3.
    flow.is_loss_in_round = False
    flow.bw_latest = 0.0
    flow.inflight_latest = 0.0
    flow.probe_up_acked_per_inc = math.inf
    # PickProbeWait() of draft-ietf-ccwg-bbr-06, section 5.3.3.8.3: the next probe begins after 62 or 63 round trips, or
    # after 2 to 3 s.
    flow.rounds_since_probe_up = 1 if random(flow) < 0.5 else 0
    flow.bw_probe_wait = 2.0 + random(flow)
    flow.cycle_stamp = now
    flow.ack_phase = ACKS_PROBE_STOPPING
    bbr_common.start_round(flow)
    bbr_common.set_gains(flow, DOWN, DOWN_PACING_GAIN, DEFAULT_CWND_GAIN)


@inline
def start_cruise(flow):
    """Enter ProbeBW_CRUISE, to send at the bandwidth: StartProbeBW_CRUISE() of draft-ietf-ccwg-bbr-06, 5.3.3.9."""
    bbr_common.set_gains(flow, CRUISE, 1.0, DEFAULT_CWND_GAIN)


@inline
def start_refill(flow):
    """Enter ProbeBW_REFILL, to refill the pipe: StartProbeBW_REFILL() of draft-ietf-ccwg-bbr-06, section 5.3.3.9."""
    bbr_model.reset_short_term_model(flow)
    flow.bw_probe_up_rounds = 0
    flow.bw_probe_up_acked = 0.0
    flow.prev_probe_precautionary = False
    flow.ack_phase = ACKS_REFILLING
    bbr_common.start_round(flow)
    bbr_common.set_gains(flow, REFILL, 1.0, DEFAULT_CWND_GAIN)


@inline
def start_up(flow, event):
    """Enter ProbeBW_UP, to probe for more bandwidth: StartProbeBW_UP() of draft-ietf-ccwg-bbr-06, section 5.3.3.9."""
    flow.ack_phase = ACKS_PROBE_STARTING
    bbr_common.start_round(flow)
    bbr_model.reset_full_bw(flow)
    flow.full_bw = event.delivery_rate
    bbr_common.set_gains(flow, UP, UP_PACING_GAIN, UP_CWND_GAIN)
    raise_slope(flow)


@inline
def raise_slope(flow):
    """Double the growth of inflight_longterm: RaiseInflightLongtermSlope() of draft-ietf-ccwg-bbr-06, 5.3.3.9."""
    growth = float(1 << flow.bw_probe_up_rounds)
    flow.bw_probe_up_rounds = min(flow.bw_probe_up_rounds + 1, 30)
    flow.probe_up_acked_per_inc = max(flow.window / growth, 1.0)


@inline
def probe_inflight_upward(flow, event):
    """Raise inflight_longterm if it limits the flow: ProbeInflightLongtermUpward(), draft-ietf-ccwg-bbr-06, 5.3.3.9."""
    if not bbr_model.is_cwnd_limited(flow) or flow.window < flow.inflight_longterm:
        return
    flow.bw_probe_up_acked += event.newly_delivered
    if flow.bw_probe_up_acked >= flow.probe_up_acked_per_inc:
        delta = math.floor(flow.bw_probe_up_acked / flow.probe_up_acked_per_inc)
        flow.bw_probe_up_acked -= delta * flow.probe_up_acked_per_inc
        flow.inflight_longterm += delta
    if flow.round_start:
        raise_slope(flow)


@inline
def adapt_long_term_model(flow, event):
    """Adapt inflight_longterm, the upper bound of the volume in flight, and return whether a new phase began.

    AdaptLongTermModel() of draft-ietf-ccwg-bbr-06, section 5.3.3.9.
    """
    if flow.ack_phase == ACKS_PROBE_STARTING and flow.round_start:
        flow.ack_phase = ACKS_PROBE_FEEDBACK
    if flow.ack_phase == ACKS_PROBE_STOPPING and flow.round_start:
        flow.is_bw_probe_sample = False
        flow.ack_phase = ACKS_INIT
        if bbr_model.in_probe_bw(flow) and not event.app_limited:
            # AdvanceMaxBwFilter() of draft-ietf-ccwg-bbr-06, section 5.5.6: a new ProbeBW cycle begins.
            flow.bw_of_last_cycle = flow.bw_of_cycle
            flow.bw_of_cycle = 0.0
        if bbr_model.in_probe_bw(flow) and flow.prev_probe_precautionary and not flow.prev_probe_too_high:
            start_refill(flow)
            return True
    if not bbr_model.is_inflight_too_high(event) and flow.inflight_longterm < math.inf:
        flow.inflight_longterm = max(flow.inflight_longterm, float(event.sent_in_flight))
        if flow.phase == UP:
            probe_inflight_upward(flow, event)
    return False


@inline
def is_time_to_go_down(flow, event):
    """Return whether ProbeBW_UP ends: IsTimeToGoDown() of draft-ietf-ccwg-bbr-06, section 5.3.3.9."""
    if flow.prev_probe_too_high and flow.in_flight >= flow.inflight_longterm:
        flow.prev_probe_precautionary = True
        return True
    if bbr_model.is_cwnd_limited(flow) and flow.window >= flow.inflight_longterm:
        bbr_model.reset_full_bw(flow)
        flow.full_bw = event.delivery_rate
        return False
    return flow.full_bw_now


@inline
def update_cycle_phase(flow, event):
    """Enter the next phase of ProbeBW if it is due: UpdateProbeBWCyclePhase() of draft-ietf-ccwg-bbr-06, 5.3.3.9."""
    if not flow.full_bw_reached or adapt_long_term_model(flow, event):
        return
    if flow.phase == DOWN or flow.phase == CRUISE:
        if bbr_model.is_time_to_probe(flow, event.now):
            start_refill(flow)
        elif flow.phase == DOWN and bbr_model.is_time_to_cruise(flow):
            start_cruise(flow)
    elif flow.phase == REFILL:
        if flow.round_start:
            flow.is_bw_probe_sample = True
            start_up(flow, event)
    elif flow.phase == UP and is_time_to_go_down(flow, event):
        flow.prev_probe_too_high = False
        start_down(flow, event.now)


@inline
def check_startup_and_drain(flow, event):
    """Leave Startup when the pipe is full, and Drain when the queue is drained or after three rounds.

    CheckStartupDone() and CheckDrainDone() of draft-ietf-ccwg-bbr-06, sections 5.3.1.1 and 5.3.2.
    """
    bbr_model.check_startup_high_loss(flow, event)
    if flow.phase == STARTUP and flow.full_bw_reached:
        bbr_common.set_gains(flow, DRAIN, DRAIN_PACING_GAIN, DEFAULT_CWND_GAIN)
        flow.drain_start_round = flow.round_count
    if flow.phase == DRAIN:
        drained = flow.in_flight <= bbr_model.quantized(flow, bbr_model.bdp_multiple(flow, 1.0))
        if drained or flow.round_count > flow.drain_start_round + 3:
            start_down(flow, event.now)


# ProbeRTT, draft-ietf-ccwg-bbr-06, section 5.3.4.


@inline
def probe_rtt_cwnd(flow):
    """Return the window in ProbeRTT [packets]: ProbeRTTCwnd() of draft-ietf-ccwg-bbr-06, section 5.6.4.5."""
    return max(bbr_model.bdp_multiple(flow, PROBE_RTT_CWND_GAIN), MIN_PIPE_CWND)


@inline
def check_probe_rtt(flow, event):
    """Enter ProbeRTT when it is due, and run it: CheckProbeRTT() of draft-ietf-ccwg-bbr-06, section 5.3.4.3."""
    if flow.phase != PROBE_RTT and flow.probe_rtt_expired and not flow.idle_restart:
        bbr_common.set_gains(flow, PROBE_RTT, 1.0, PROBE_RTT_CWND_GAIN)
        bbr_common.save_window(flow, True)
        flow.probe_rtt_done_stamp = 0.0
        flow.ack_phase = ACKS_PROBE_STOPPING
        bbr_common.start_round(flow)
    if flow.phase == PROBE_RTT and bbr_common.probe_rtt_is_over(flow, event.now, probe_rtt_cwnd(flow)):
        exit_probe_rtt(flow, event.now)
    flow.idle_restart = False


@inline
def exit_probe_rtt(flow, now):
    """Leave ProbeRTT: the end of CheckProbeRTTDone(), and ExitProbeRTT(), of draft-ietf-ccwg-bbr-06, section 5.3.4."""
    flow.probe_rtt_min_stamp = now
    bbr_common.restore_window(flow)
    bbr_model.reset_short_term_model(flow)
    if flow.full_bw_reached:
        start_down(flow, now)
        start_cruise(flow)
    else:
        enter_startup(flow)


# Control parameters, draft-ietf-ccwg-bbr-06, section 5.6.


@inline
def set_window(flow, event):
    """Return the window [packets]: SetCwnd() of draft-ietf-ccwg-bbr-06, section 5.6.4.6, with its bounds (5.6.4.7)."""
    volume = bbr_model.bdp_multiple(flow, flow.cwnd_gain) + flow.extra_acked
    window = bbr_common.grown_window(flow, event, flow.window, bbr_model.quantized(flow, volume))
    if flow.phase == PROBE_RTT:
        window = min(window, probe_rtt_cwnd(flow))
    cap = math.inf
    if flow.phase == PROBE_RTT or flow.phase == CRUISE:
        cap = bbr_model.inflight_with_headroom(flow)
    elif bbr_model.in_probe_bw(flow):
        cap = flow.inflight_longterm
    return min(window, max(min(cap, flow.inflight_shortterm), MIN_PIPE_CWND))


# Callbacks.


def start(flow, event):
    """Return the initial window [packets], and set the pacing rate: OnInit(), draft-ietf-ccwg-bbr-06, section 5.2.1."""
    flow.initial_cwnd = flow.window
    flow.min_rtt_stamp = event.now
    flow.probe_rtt_min_stamp = event.now
    flow.extra_acked_start = event.now
    enter_startup(flow)
    bbr_common.begin_pacing(flow, bbr_common.NO_RTT)
    return flow.window


def send(flow, packet):
    """Restart pacing at the bandwidth after idleness: HandleRestartFromIdle() of draft-ietf-ccwg-bbr-06, 5.4.1."""
    if flow.in_flight == 1 and flow.app_limited_until != 0:  # nothing was in flight before this packet
        flow.idle_restart = True
        flow.extra_acked_start = packet.sent
        if bbr_model.in_probe_bw(flow):
            bbr_common.pace(flow, flow.bw * PACING_MARGIN)
        elif flow.phase == PROBE_RTT and 0.0 < flow.probe_rtt_done_stamp < packet.sent:
            exit_probe_rtt(flow, packet.sent)
    return 0


@inline
def undo_recovery(flow):
    """Undo a spurious loss recovery: HandleSpuriousLossDetection() of draft-ietf-ccwg-bbr-06, section 5.5.11.2."""
    flow.recovering = NOT_RECOVERING
    flow.lost_in_recovery = 0
    bbr_common.restore_window(flow)
    flow.is_loss_in_round = False
    bbr_model.reset_full_bw(flow)
    flow.bw_shortterm = max(flow.bw_shortterm, flow.undo_bw_shortterm)
    flow.inflight_shortterm = max(flow.inflight_shortterm, flow.undo_inflight_shortterm)
    flow.inflight_longterm = max(flow.inflight_longterm, flow.undo_inflight_longterm)
    if flow.undo_state == STARTUP and flow.phase != STARTUP:
        flow.full_bw_reached = False
        if flow.phase != PROBE_RTT:
            enter_startup(flow)
    elif flow.undo_state == UP and flow.phase != UP and flow.phase != PROBE_RTT:
        start_refill(flow)
    flow.undo_state = NO_PHASE


@inline
def update_model(flow, event):
    """Update model and phase: UpdateModelAndState() of draft-ietf-ccwg-bbr-06, section 5.2.3."""
    if not flow.has_rtt:
        flow.has_rtt = True
        bbr_common.begin_pacing(flow, event.rtt)
    if flow.in_flight + event.newly_delivered + event.lost + 1 > flow.window:
        flow.limited_round = flow.round_count
    if bbr_common.recovery_ends(flow):
        flow.recovering = NOT_RECOVERING
        bbr_common.restore_window(flow)
    bbr_model.update_latest_signals(flow, event)
    bbr_model.update_congestion_signals(flow, event)
    bbr_model.update_ack_aggregation(flow, event)
    bbr_model.check_full_bw_reached(flow, event)
    check_startup_and_drain(flow, event)
    update_cycle_phase(flow, event)
    bbr_model.update_min_rtt(flow, event)
    check_probe_rtt(flow, event)
    # AdvanceLatestDeliverySignals() of draft-ietf-ccwg-bbr-06, section 5.5.10.3: both signals restart in a new round.
    if flow.loss_round_start:
        flow.bw_latest = event.delivery_rate
        flow.inflight_latest = float(flow.delivered - event.prior_delivered)


def ack(flow, event):
    """Return the window [packets], and set the pacing rate: UpdateOnACK() of draft-ietf-ccwg-bbr-06, section 5.2.3."""
    undone = event.spurious > 0 and bbr_model.is_recovery_spurious(flow, event)
    if undone:
        undo_recovery(flow)
    if event.newly_delivered > 0:
        update_model(flow, event)
    elif not undone:
        return flow.window
    # BoundBWForModel() of draft-ietf-ccwg-bbr-06, section 5.5.10.3.
    flow.bw = min(flow.max_bw, flow.bw_shortterm)
    flow.bdp = bbr_common.pipe(flow, flow.bw)
    bbr_common.pace(flow, flow.pacing_gain * flow.bw * PACING_MARGIN)
    return set_window(flow, event)


def loss(flow, event):
    """Return the window unchanged, and adapt the model to a lost packet.

    HandleLostPacket() and HandleInflightTooHigh() of draft-ietf-ccwg-bbr-06, section 5.5.10.2, and
    OnEnterFastRecovery() of its section 5.6.4.4.
    """
    bbr_model.record_loss(flow, event)
    if flow.recovering == NOT_RECOVERING:
        # SaveStateUponLoss() of draft-ietf-ccwg-bbr-06, section 5.5.11.1. The state is saved only when loss recovery
        # begins, as sections 2.15 and 5.5.11 say. NoteLoss() (section 5.5.10.2) would overwrite it at the next loss
        # after StartProbeBW_DOWN() has cleared `is_loss_in_round`.
        bbr_common.save_window(flow, flow.phase == PROBE_RTT)
        flow.undo_state = NO_PHASE
        flow.undo_bw_shortterm = flow.bw_shortterm
        flow.undo_inflight_shortterm = flow.inflight_shortterm
        flow.undo_inflight_longterm = flow.inflight_longterm
        bbr_common.begin_recovery(flow, FAST_RECOVERY)
        flow.first_lost = event.transmission
        flow.lost_in_recovery = 0
        flow.delivered_in_recovery = 0
    flow.lost_in_recovery += 1
    event.restart_timer = 1  # RFC 6675, section 6: re-arm on a retransmission
    if not flow.is_bw_probe_sample or not bbr_model.is_inflight_too_high(event):
        return flow.window
    flow.prev_probe_too_high = True
    flow.is_bw_probe_sample = False
    if not event.app_limited:
        flow.inflight_longterm = max(bbr_model.inflight_at_loss(event), bbr_model.target_inflight(flow) * BETA)
    if flow.phase == UP:
        flow.undo_state = UP
        start_down(flow, event.now)
    return flow.window


def timeout(flow, event):
    """Return the packets in flight plus one as the window: OnEnterRTO() of draft-ietf-ccwg-bbr-06, section 5.6.4.4."""
    bbr_common.save_window(flow, flow.phase == PROBE_RTT)  # `loss` was called before, and has saved the model
    bbr_common.begin_recovery(flow, AFTER_TIMEOUT)
    return flow.in_flight + 1.0


BBR = Scheme(
    "bbr",
    ack=ack,
    start=start,
    loss=loss,
    timeout=timeout,
    send=send,
    delivery_rate=True,
    reorder=3,
    parameters=bbr_common.PARAMETERS,
    state={**bbr_common.STATE, **bbr_model.STATE, **MACHINE},
    source=(
        "N. Cardwell, I. Swett and J. Beshay (editors), BBR Congestion Control, draft-ietf-ccwg-bbr-06 (2026), "
        "sections 4 and 5"
    ),
)

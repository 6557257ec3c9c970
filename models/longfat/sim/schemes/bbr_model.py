"""Network model of BBR version 3 (draft-ietf-ccwg-bbr-06, section 5.5), updated by acknowledgments and losses.

Volumes are in packets. Docstrings and comments name the functions of the draft's pseudo-code.
"""

import math
from typing import Any

from longfat.sim.kernel.jit import inline
from longfat.sim.schemes import bbr_common
from longfat.sim.schemes.bbr_common import FAST_RECOVERY, MIN_PIPE_CWND

# BBR.LossThresh, BBR.Beta and BBR.Headroom of draft-ietf-ccwg-bbr-06, section 2.8
LOSS_THRESH = 0.02
BETA = 0.7
HEADROOM = 0.15
FULL_LOSS_COUNT = 6  # BBRStartupFullLossCnt of draft-ietf-ccwg-bbr-06, section 5.3.1.3
EXTRA_ACKED_FILTER = 10  # rounds: BBR.ExtraAckedFilterLen of draft-ietf-ccwg-bbr-06, section 2.12
MIN_RTT_FILTER = 10.0  # s: BBR.MinRTTFilterLen of draft-ietf-ccwg-bbr-06, section 2.16.1
PROBE_RTT_INTERVAL = 5.0  # s: BBR.ProbeRTTInterval of draft-ietf-ccwg-bbr-06, section 2.16.2
MOST_RENO_ROUNDS = 63.0  # draft-ietf-ccwg-bbr-06, section 5.3.3.8.3, IsRenoCoexistenceProbeTime()

STARTUP, DRAIN, DOWN, CRUISE, REFILL, UP, PROBE_RTT = range(7)
NO_PHASE = -1

#: State variables of the model, named as in draft-ietf-ccwg-bbr-06, section 2.
STATE: dict[str, Any] = {
    "max_bw": 0.0,  # bytes/s
    "bw_of_cycle": 0.0,  # BBR.max_bw_filter: largest samples of this ProbeBW cycle and of the one before
    "bw_of_last_cycle": 0.0,
    "bw": 0.0,
    "bdp": math.inf,  # packets; infinite until there is a round-trip time
    "bw_shortterm": math.inf,
    "bw_latest": 0.0,
    "inflight_longterm": math.inf,
    "inflight_shortterm": math.inf,
    "inflight_latest": 0.0,
    "full_bw_now": False,
    "loss_round_delivered": 0,
    "loss_round_start": False,
    "is_loss_in_round": False,
    "loss_ranges": 0,  # discontiguous ranges of packets found lost in this round
    "last_lost": -2,
    "limited_round": -2,  # last round in which the window was fully used
    "probe_rtt_min_delay": math.inf,  # s
    "probe_rtt_min_stamp": 0.0,
    "probe_rtt_expired": False,
    "extra_acked": 0.0,
    "extra_acked_start": 0.0,
    "extra_acked_delivered": 0.0,
    "extra_of_round": 0.0,  # largest excess in this round, and in the rounds of the filter [packets]
    "extra_of_rounds": 0.0,
    "extra_best": [0.0, 0.0, 0.0],
    "extra_when": [0, 0, 0],
    "undo_state": NO_PHASE,
    "undo_bw_shortterm": math.inf,
    "undo_inflight_shortterm": math.inf,
    "undo_inflight_longterm": math.inf,
    "first_lost": 0,  # first transmission found lost in the present or most recent loss recovery
    "lost_in_recovery": 0,  # transmissions found lost in that recovery, and how many of them were delivered
    "delivered_in_recovery": 0,
}


@inline
def in_probe_bw(flow):
    """Return whether the flow is in ProbeBW: IsInAProbeBWState() of draft-ietf-ccwg-bbr-06, section 5.3.3.9."""
    return DOWN <= flow.phase <= UP


@inline
def is_cwnd_limited(flow):
    """Return whether the window was fully used in this round trip or in the previous one.

    C.is_cwnd_limited of draft-ietf-ccwg-bbr-06, section 2.2. Between two acknowledgments the volume in flight is
    largest just before the second; therefore each acknowledgment tests whether the window was full.
    """
    return flow.round_count - flow.limited_round <= 1


@inline
def bdp_multiple(flow, gain):
    """Return `gain` bandwidth-delay products [packets]: BDPMultiple() of draft-ietf-ccwg-bbr-06, section 5.6.4.2."""
    return flow.initial_cwnd if flow.bdp == math.inf else gain * flow.bdp


@inline
def quantized(flow, volume):
    """Return a volume [packets], raised to at least four packets, plus two packets in ProbeBW_UP.

    QuantizationBudget() of draft-ietf-ccwg-bbr-06, section 5.6.4.2. With a quantum of one packet, the offload
    budget of three quanta (section 5.5.8.1) is below those four packets.
    """
    volume = max(volume, MIN_PIPE_CWND)
    return volume + 2.0 if flow.phase == UP else volume


@inline
def inflight_with_headroom(flow):
    """Return inflight_longterm minus headroom [packets]: InflightWithHeadroom() of draft-ietf-ccwg-bbr-06, 5.3.3.9."""
    if flow.inflight_longterm == math.inf:
        return math.inf
    headroom = max(1.0, HEADROOM * flow.inflight_longterm)
    return max(flow.inflight_longterm - headroom, MIN_PIPE_CWND)


@inline
def target_inflight(flow):
    """Return the target of the volume in flight [packets]: TargetInflight() of draft-ietf-ccwg-bbr-06, 5.3.3.8.3."""
    return min(bdp_multiple(flow, 1.0), flow.window)


@inline
def is_time_to_probe(flow, now):
    """Return whether the next bandwidth probe is due: IsTimeToProbeBW() of draft-ietf-ccwg-bbr-06, 5.3.3.8.3."""
    rounds = min(target_inflight(flow), MOST_RENO_ROUNDS)
    return now > flow.cycle_stamp + flow.bw_probe_wait or flow.rounds_since_probe_up >= rounds


@inline
def is_time_to_cruise(flow):
    """Return whether ProbeBW_DOWN has drained the queue: IsTimeToCruise() of draft-ietf-ccwg-bbr-06, 5.3.3.9."""
    if flow.in_flight > inflight_with_headroom(flow):
        return False
    # Here the draft compares with Inflight(BBR.max_bw, 1.0), which uses the long-term bandwidth; all other
    # bandwidth-delay products use BBR.bw.
    return flow.in_flight <= quantized(flow, bbr_common.pipe(flow, flow.max_bw))


@inline
def is_inflight_too_high(event):
    """Return whether more than 2 % of the volume in flight is lost: IsInflightTooHigh(), draft-ietf-ccwg-bbr-06."""
    return event.lost_since_sent > event.sent_in_flight * LOSS_THRESH


@inline
def inflight_at_loss(event):
    """Return the volume in flight [packets] at which losses exceeded 2 %.

    InflightAtLoss() of draft-ietf-ccwg-bbr-06, section 5.5.10.2. Our choice: `prefix` is limited to between 0 and 1,
    because it is a part of the lost packet.
    """
    before, lost_before = event.sent_in_flight - 1.0, event.lost_since_sent - 1.0
    prefix = (LOSS_THRESH * before - lost_before) / (1.0 - LOSS_THRESH)
    return before + min(max(prefix, 0.0), 1.0)


@inline
def reset_short_term_model(flow):
    """Remove the short-term bounds of the model: ResetShortTermModel() of draft-ietf-ccwg-bbr-06, section 5.5.10.3."""
    flow.bw_shortterm = math.inf
    flow.inflight_shortterm = math.inf


@inline
def reset_full_bw(flow):
    """Restart the detection of a full pipe: ResetFullBW() of draft-ietf-ccwg-bbr-06, section 5.3.1.2."""
    flow.full_bw = 0.0
    flow.full_bw_count = 0
    flow.full_bw_now = False


@inline
def update_latest_signals(flow, event):
    """Update bw_latest and inflight_latest: UpdateLatestDeliverySignals(), draft-ietf-ccwg-bbr-06, section 5.5.10.3."""
    flow.loss_round_start = False
    flow.bw_latest = max(flow.bw_latest, event.delivery_rate)
    flow.inflight_latest = max(flow.inflight_latest, float(flow.delivered - event.prior_delivered))
    if event.prior_delivered >= flow.loss_round_delivered:
        flow.loss_round_delivered = flow.delivered
        flow.loss_round_start = True


@inline
def update_congestion_signals(flow, event):
    """Update max_bw, the largest delivery rate; lower the short-term bounds of the model once per round with losses.

    UpdateCongestionSignals(), AdaptLowerBoundsFromCongestion(), InitLowerBounds() and LossLowerBounds() of
    draft-ietf-ccwg-bbr-06, section 5.5.10.3.
    """
    # UpdateMaxBw() of draft-ietf-ccwg-bbr-06, section 5.5.5: the filter has two values, of the present ProbeBW cycle
    # and of the previous one (section 5.5.6).
    bbr_common.update_round(flow, event)
    if flow.round_start:
        flow.rounds_since_probe_up += 1
    if event.delivery_rate > 0.0 and (event.delivery_rate >= flow.max_bw or not event.app_limited):
        flow.bw_of_cycle = max(flow.bw_of_cycle, event.delivery_rate)
        flow.max_bw = max(flow.bw_of_cycle, flow.bw_of_last_cycle)
    if not flow.loss_round_start:
        return
    # IsProbingBW() of draft-ietf-ccwg-bbr-06, section 5.3.3.9
    probes = flow.phase == STARTUP or flow.phase == REFILL or flow.phase == UP
    if flow.is_loss_in_round and not probes:
        if flow.bw_shortterm == math.inf:
            flow.bw_shortterm = flow.max_bw
        if flow.inflight_shortterm == math.inf:
            flow.inflight_shortterm = flow.window
        flow.bw_shortterm = max(flow.bw_latest, BETA * flow.bw_shortterm)
        flow.inflight_shortterm = max(flow.inflight_latest, BETA * flow.inflight_shortterm)
    flow.is_loss_in_round = False


@inline
def update_ack_aggregation(flow, event):
    """Update extra_acked, the packets acknowledged in excess: UpdateACKAggregation(), draft-ietf-ccwg-bbr-06, 5.5.9."""
    expected = flow.bw * (event.now - flow.extra_acked_start) / flow.packet_size
    if flow.extra_acked_delivered <= expected:
        flow.extra_acked_delivered = 0.0
        flow.extra_acked_start = event.now
        expected = 0.0
    flow.extra_acked_delivered += event.newly_delivered
    extra = min(flow.extra_acked_delivered - expected, flow.window)
    if flow.round_start:  # the filter takes one value for each round
        window = EXTRA_ACKED_FILTER if flow.full_bw_reached else 1
        flow.extra_of_rounds = bbr_common.windowed_max(
            flow.extra_best, flow.extra_when, flow.round_count, window, flow.extra_of_round
        )
        flow.extra_of_round = 0.0
    flow.extra_of_round = max(flow.extra_of_round, extra)
    flow.extra_acked = max(flow.extra_of_rounds, flow.extra_of_round)


@inline
def check_full_bw_reached(flow, event):
    """Detect a full pipe by three rounds without growth: CheckFullBWReached() of draft-ietf-ccwg-bbr-06, 5.3.1.2."""
    if flow.full_bw_now or not flow.round_start or event.app_limited:
        return
    if event.delivery_rate >= flow.full_bw * 1.25:
        reset_full_bw(flow)
        flow.full_bw = event.delivery_rate
        return
    flow.full_bw_count += 1
    flow.full_bw_now = flow.full_bw_count >= 3
    if flow.full_bw_now:
        flow.full_bw_reached = True


@inline
def check_startup_high_loss(flow, event):
    """Leave Startup when losses are frequent: CheckStartupHighLoss() of draft-ietf-ccwg-bbr-06, section 5.3.1.3.

    The draft describes this test in words only. A loss round ends one round trip after its first loss; the flow has
    then been in fast recovery for one round trip.
    """
    if flow.phase != STARTUP or not flow.loss_round_start:
        return
    many = flow.loss_ranges >= FULL_LOSS_COUNT and flow.recovering == FAST_RECOVERY
    if many and not flow.full_bw_reached and is_inflight_too_high(event):
        flow.undo_state = STARTUP
        flow.full_bw_reached = True
        flow.inflight_longterm = max(bdp_multiple(flow, 1.0), flow.inflight_latest)
    flow.loss_ranges = 0


@inline
def is_recovery_spurious(flow, event):
    """Count a packet wrongly found lost; return whether all losses of this recovery have proved spurious.

    draft-ietf-ccwg-bbr-06, section 5.5.11: "no packets marked lost in that loss recovery episode were actually lost".
    """
    if event.transmission >= flow.first_lost:
        flow.delivered_in_recovery += event.spurious
    return 0 < flow.lost_in_recovery == flow.delivered_in_recovery


@inline
def record_loss(flow, event):
    """Record a lost packet, and count the ranges of lost packets: NoteLoss() of draft-ietf-ccwg-bbr-06, 5.5.10.2."""
    if not flow.is_loss_in_round:
        flow.loss_round_delivered = flow.delivered
        bbr_common.save_window(flow, flow.phase == PROBE_RTT)
    flow.is_loss_in_round = True
    if event.number != flow.last_lost + 1:
        flow.loss_ranges += 1
    flow.last_lost = event.number


@inline
def update_min_rtt(flow, event):
    """Update min_rtt and the minimum for ProbeRTT: UpdateMinRTT() of draft-ietf-ccwg-bbr-06, section 5.3.4.3."""
    now = event.now
    flow.probe_rtt_expired = now > flow.probe_rtt_min_stamp + PROBE_RTT_INTERVAL
    if event.rtt < flow.probe_rtt_min_delay or flow.probe_rtt_expired:
        flow.probe_rtt_min_delay = event.rtt
        flow.probe_rtt_min_stamp = now
    if flow.probe_rtt_min_delay < flow.min_rtt or now > flow.min_rtt_stamp + MIN_RTT_FILTER:
        flow.min_rtt = flow.probe_rtt_min_delay
        flow.min_rtt_stamp = flow.probe_rtt_min_stamp
        flow.bdp = bbr_common.pipe(flow, flow.bw)

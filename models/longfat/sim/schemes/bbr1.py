"""BBR version 1: the flow measures bandwidth and round-trip time in turn, whether packets are lost or not.

The rules with their sources: docs/rules/bbr.md.

The sources are Cardwell and others, ACM Queue 14(5), 2016, and draft-cardwell-iccrg-bbr-congestion-control-00, which
has the rules in pseudo-code. The send quantum is one packet. An acknowledgment that reports no new delivery changes
nothing.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.functions import random
from longfat.sim.plugin.parameters import choice
from longfat.sim.schemes import bbr_common
from longfat.sim.schemes.bbr_common import AFTER_TIMEOUT, FAST_RECOVERY, MIN_PIPE_CWND, NOT_RECOVERING
from longfat.sim.schemes.scheme import Parameter, Scheme

HIGH_GAIN = 2.0 / math.log(2.0)  # draft-cardwell-iccrg-bbr-congestion-control-00, section 4.1.1: 2.89
CWND_GAIN = 2.0
CYCLE = 8  # phases: one with gain 5/4, one with gain 3/4, six with gain 1
BANDWIDTH_FILTER = 10  # rounds
MIN_RTT_FILTER = 10.0  # s
OFFLOAD_BUDGET = 3.0  # packets: three quanta, draft-cardwell-iccrg-bbr-congestion-control-00, section 4.2.3.2
# Linux, net/ipv4/tcp_bbr.c: LINUX_QUANTUM is the least burst size at 1.2 Mbit/s or more (bbr_min_tso_segs()),
# LINUX_BUDGET an allowance of three bursts (bbr_quantization_budget()). Our choice: the larger bursts of
# bbr_tso_segs_goal() at high rates are left out.
LINUX_QUANTUM, LINUX_BUDGET = 2.0, 6.0  # packets
# Constants of Linux, net/ipv4/tcp_bbr.c, in this order: bbr_lt_loss_thresh, bbr_lt_bw_ratio, bbr_lt_bw_diff [bytes/s],
# bbr_lt_intvl_min_rtts, bbr_lt_bw_max_rtts; bbr_extra_acked_win_rtts, bbr_extra_acked_max_us.
POLICED_LOSS, POLICED_RATIO, POLICED_DIFFERENCE = 50.0 / 256.0, 1.0 / 8.0, 500.0
POLICED_LEAST, POLICED_MOST = 4, 48  # rounds
AGGREGATION_ROUNDS, LONGEST_AGGREGATION = 5, 0.1  # rounds, s

#: Parameters for rules of Linux's tcp_bbr.c that the draft of BBR version 1 does not have; by default they are off.
LINUX_RULES = {
    "pacing_margin": Parameter(
        0.0, "1", "[0, 1)", about="Share by which the pacing rate is below the estimated bandwidth; Linux: 0.01"
    ),
    "allowances": choice(
        0,
        "1: Linux's allowances in the window: six packets, rounding up to an even number, and the packets acknowledged "
        "in excess; 0: an allowance of three packets",
    ),
    "departures": choice(
        0, "1: phases end by the volume in flight at the next departure, as in Linux; 0: by the volume in flight now"
    ),
    "long_term": choice(
        0, "1: detect a policer by losses of a fifth or more, and keep its rate for 48 rounds, as in Linux; 0: do not"
    ),
    "long_recovery": choice(
        0,
        "1: fast recovery lasts while a packet found lost is missing, as in Linux; 0: until all packets sent before it "
        "are acknowledged",
    ),
    "handshake_rtt": Parameter(
        0.0, "s", "[0, 1e3]", about="Round-trip time of a handshake before time 0, as in Linux; 0: none is known"
    ),
    "equal_renews": choice(
        1, "1: a round-trip time equal to the minimum restarts its ten seconds; 0: only a lower one does, as in Linux"
    ),
    "timestamp_tick": Parameter(
        0.0, "s", "[0, 1]", about="Tick of the clock that times retransmissions; Linux: 0.001; 0: exact times"
    ),
}

STARTUP, DRAIN, PROBE_BW, PROBE_RTT = range(4)


@inline
def inflight(flow, gain):
    """Return the volume to keep in flight at a gain [packets]: BBRInflight(), draft-cardwell-...-00 (2017), 4.2.3.2."""
    if flow.min_rtt == math.inf:
        return flow.initial_cwnd
    volume = gain * bbr_common.pipe(flow, flow.max_bw)
    return volume + OFFLOAD_BUDGET if flow.allowances == 0.0 else quantized(flow, volume)


@inline
def quantized(flow, volume):
    """Return a volume [packets] increased by Linux's allowances for bursts."""
    # Linux, net/ipv4/tcp_bbr.c, bbr_quantization_budget(): add three bursts, round up to an even number, and add two
    # packets in the phase of gain 5/4.
    volume = 2.0 * math.ceil((math.ceil(volume) + LINUX_BUDGET) / 2.0)
    return volume + 2.0 if flow.phase == PROBE_BW and flow.cycle_index == 0 else volume


@inline
def at_departure(flow, event, volume):
    """Return the volume in flight [packets] at the departure of the next packet; `volume` is the present one."""
    if flow.departures == 0.0:
        return volume
    # Linux, net/ipv4/tcp_bbr.c, bbr_packets_in_net_at_edt(): from the packets in flight subtract those delivered until
    # the next departure, rounded down. In the phase of gain 5/4 and in Startup, add the burst that departs then.
    wait = max(0.0, flow.last_sent + flow.packet_size / flow.rate - event.now)
    delivered = math.floor(rate_in_use(flow) * wait / flow.packet_size)
    return max(0.0, volume + (LINUX_QUANTUM if flow.pacing_gain > 1.0 else 0.0) - delivered)


@inline
def update_aggregation(flow, event):
    """Update the packets acknowledged in excess of the bandwidth: Linux, tcp_bbr.c, bbr_update_ack_aggregation()."""
    if flow.round_start:
        flow.aggregation_rounds += 1
        if flow.aggregation_rounds >= AGGREGATION_ROUNDS:
            flow.aggregation_rounds = 0
            flow.older_excess = flow.excess
            flow.excess = 0.0
    expected = rate_in_use(flow) * (event.now - flow.epoch_start) / flow.packet_size
    if flow.epoch_delivered <= expected:
        flow.epoch_delivered = 0.0
        flow.epoch_start = event.now
        expected = 0.0
    flow.epoch_delivered += event.newly_delivered
    flow.excess = max(flow.excess, min(flow.epoch_delivered - math.floor(expected), flow.window))


@inline
def target(flow):
    """Return the target window [packets]: bandwidth-delay product times window gain, plus allowances."""
    if flow.allowances == 0.0 or flow.min_rtt == math.inf:
        return inflight(flow, flow.cwnd_gain)
    # Linux, net/ipv4/tcp_bbr.c, bbr_ack_aggregation_cwnd(): once the pipe has been full, increase the window by the
    # packets acknowledged in excess of the bandwidth, at most by 100 ms of data at the estimated bandwidth.
    excess = 0.0
    if flow.full_bw_reached:
        excess = min(max(flow.excess, flow.older_excess), rate_in_use(flow) * LONGEST_AGGREGATION / flow.packet_size)
    return quantized(flow, math.ceil(flow.cwnd_gain * bbr_common.pipe(flow, rate_in_use(flow))) + math.floor(excess))


@inline
def begin_interval(flow, event):
    """Begin an interval of long-term sampling: Linux, net/ipv4/tcp_bbr.c, bbr_reset_lt_bw_sampling_interval()."""
    flow.long_start = event.now
    flow.long_delivered = flow.delivered
    flow.long_lost = flow.lost
    flow.long_rounds = 0


@inline
def end_sampling(flow):
    """Stop long-term sampling and the use of its rate: Linux, net/ipv4/tcp_bbr.c, bbr_reset_lt_bw_sampling()."""
    flow.long_rate = 0.0
    flow.policed = False
    flow.long_samples = False


@inline
def sample_long_term(flow, event):
    """Detect a policer, and keep to its rate for 48 rounds: Linux, net/ipv4/tcp_bbr.c, bbr_lt_bw_sampling().

    Two successive intervals with high loss and nearly the same delivery rate indicate a policer; the mean of both rates
    is taken as the policer's rate.
    """
    if flow.policed:
        if flow.phase == PROBE_BW and flow.round_start:
            flow.long_rounds += 1
            if flow.long_rounds >= POLICED_MOST:
                end_sampling(flow)
                enter_probe_bw(flow, event.now)
        return
    if not flow.long_samples:
        if event.lost == 0:
            return
        begin_interval(flow, event)
        flow.long_samples = True
    if event.app_limited:
        end_sampling(flow)
        return
    if flow.round_start:
        flow.long_rounds += 1
    if flow.long_rounds > 4 * POLICED_LEAST:
        end_sampling(flow)
    elif flow.long_rounds >= POLICED_LEAST and event.lost > 0:
        end_interval(flow, event)


@inline
def end_interval(flow, event):
    """End a sampling interval if a fifth is lost: Linux, bbr_lt_bw_sampling(), bbr_lt_bw_interval_done()."""
    delivered = flow.delivered - flow.long_delivered
    if delivered <= 0 or flow.lost - flow.long_lost < POLICED_LOSS * delivered or event.now <= flow.long_start:
        return
    rate = delivered * flow.packet_size / (event.now - flow.long_start)
    difference = abs(rate - flow.long_rate)
    if flow.long_rate > 0.0 and difference <= max(POLICED_RATIO * flow.long_rate, POLICED_DIFFERENCE):
        flow.long_rate = (rate + flow.long_rate) / 2.0
        flow.policed = True
        flow.long_rounds = 0
        return
    flow.long_rate = rate
    begin_interval(flow, event)


@inline
def rate_in_use(flow):
    """Return the bandwidth that sets pacing rate and window [bytes/s]: Linux, net/ipv4/tcp_bbr.c, bbr_bw()."""
    return flow.long_rate if flow.policed else flow.max_bw


@inline
def enter_startup(flow):
    """Enter Startup (draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.2)."""
    bbr_common.set_gains(flow, STARTUP, HIGH_GAIN, HIGH_GAIN)


@inline
def enter_probe_bw(flow, now):
    """Enter ProbeBW in a random phase except that of gain 3/4 (draft-cardwell-...-00 (2017), section 4.3.4.3)."""
    flow.cycle_index = CYCLE - 1 - int(7.0 * random(flow))
    bbr_common.set_gains(flow, PROBE_BW, 1.0, CWND_GAIN)
    advance_cycle(flow, now)


@inline
def advance_cycle(flow, now):
    """Begin the next phase of the ProbeBW cycle (draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.4.3)."""
    flow.cycle_stamp = now
    flow.cycle_index = (flow.cycle_index + 1) % CYCLE
    flow.pacing_gain = 1.25 if flow.cycle_index == 0 else 0.75 if flow.cycle_index == 1 else 1.0


@inline
def check_cycle(flow, event):
    """Begin the next phase of the ProbeBW cycle if this phase is over (draft-cardwell-...-00 (2017), section 4.3.4.3).

    A phase lasts a round trip. The phase of gain 5/4 does not end before 5/4 of the bandwidth-delay product are in
    flight or a packet is lost; the phase of gain 3/4 ends earlier if the queue is drained.
    """
    if flow.phase != PROBE_BW:
        return
    prior = at_departure(flow, event, float(flow.in_flight + event.newly_delivered + event.lost))
    over = event.now - flow.cycle_stamp > flow.min_rtt
    if flow.pacing_gain > 1.0:
        over = over and (event.lost > 0 or prior >= inflight(flow, flow.pacing_gain))
    elif flow.pacing_gain < 1.0:
        over = over or prior <= inflight(flow, 1.0)
    if over:
        advance_cycle(flow, event.now)


@inline
def update_bandwidth(flow, event):
    """Update BtlBw, the largest delivery rate of ten rounds (draft-cardwell-...-00 (2017), section 4.1.1.5)."""
    bbr_common.update_round(flow, event)
    if flow.round_start:
        flow.conserves = False  # after one round trip in fast recovery
    if flow.long_term > 0.0:
        sample_long_term(flow, event)
    if event.delivery_rate > 0.0 and (event.delivery_rate >= flow.max_bw or not event.app_limited):
        flow.max_bw = bbr_common.windowed_max(
            flow.bw_best, flow.bw_when, flow.round_count, BANDWIDTH_FILTER, event.delivery_rate
        )


@inline
def check_full_pipe(flow, event):
    """Leave Startup after three rounds without growth by 25 % (draft-cardwell-...-00 (2017), section 4.3.2.2)."""
    if not flow.full_bw_reached and flow.round_start and not event.app_limited:
        if flow.max_bw >= flow.full_bw * 1.25:
            flow.full_bw = flow.max_bw
            flow.full_bw_count = 0
        else:
            flow.full_bw_count += 1
            flow.full_bw_reached = flow.full_bw_count >= 3
    if flow.phase == STARTUP and flow.full_bw_reached:
        bbr_common.set_gains(flow, DRAIN, 1.0 / HIGH_GAIN, HIGH_GAIN)
    # draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.3: Drain ends when the queue is drained.
    if flow.phase == DRAIN and at_departure(flow, event, float(flow.in_flight)) <= inflight(flow, 1.0):
        enter_probe_bw(flow, event.now)


@inline
def measured(flow, event):
    """Return the round-trip time that an acknowledgment measures [s], 0 if it measures none.

    Linux, net/ipv4/tcp_input.c, tcp_ack_update_rtt() and tcp_rtt_tsopt_us(): timestamps (RFC 7323; tcp_clock_ms(), at
    least one tick) time retransmissions, but only those that the cumulative acknowledgment covers.
    """
    # Our choice, because senders here do not mark retransmissions: a packet counts as a retransmission if its number
    # does not exceed the number of the highest packet found lost.
    if flow.timestamp_tick == 0.0 or event.number > flow.last_lost:
        return event.rtt
    if event.acked == 0:
        return 0.0
    ticks = math.floor(event.now / flow.timestamp_tick) - math.floor((event.now - event.rtt) / flow.timestamp_tick)
    return max(ticks, 1) * flow.timestamp_tick


@inline
def check_probe_rtt(flow, event):
    """Update RTprop; enter ProbeRTT if it is ten seconds old, and leave it (draft-cardwell-...-00, 4.1.2 and 4.3.5)."""
    now, sample = event.now, measured(flow, event)
    expired = now > flow.min_rtt_stamp + MIN_RTT_FILTER
    renews = sample < flow.min_rtt or (sample == flow.min_rtt and flow.equal_renews > 0.0) or expired
    if sample > 0.0 and renews:
        flow.min_rtt = sample
        flow.min_rtt_stamp = now
    if flow.phase != PROBE_RTT and expired and not flow.idle_restart:
        bbr_common.save_window(flow, False)
        bbr_common.set_gains(flow, PROBE_RTT, 1.0, 1.0)
        flow.probe_rtt_done_stamp = 0.0
    if flow.phase == PROBE_RTT and bbr_common.probe_rtt_is_over(flow, now, MIN_PIPE_CWND):
        flow.min_rtt_stamp = now
        bbr_common.restore_window(flow)
        if flow.full_bw_reached:
            enter_probe_bw(flow, now)
        else:
            enter_startup(flow)
    flow.idle_restart = False


@inline
def end_recovery(flow):
    """End loss recovery (draft-cardwell-...-00, section 4.2.3.4); with `long_recovery`, extend it as Linux does.

    Linux, net/ipv4/tcp_input.c, tcp_fastretrans_alert(): if a packet that was declared lost is still missing, the
    acknowledgment that ends a recovery begins the next one, and bbr_set_cwnd_to_recover_or_restore() treats the two
    recoveries as one.
    """
    if flow.long_recovery > 0.0 and flow.recovering == FAST_RECOVERY and flow.last_lost >= flow.una:
        bbr_common.save_window(flow, False)
        bbr_common.begin_recovery(flow, FAST_RECOVERY)
        return
    flow.recovering = NOT_RECOVERING
    flow.conserves = False
    bbr_common.restore_window(flow)


@inline
def set_window(flow, event):
    """Return the window [packets]: BBRSetCwnd() of draft-cardwell-iccrg-bbr-congestion-control-00, section 4.2.3."""
    aim, window = target(flow), max(flow.window - event.lost, 1.0)
    if flow.conserves:
        window = max(window, float(flow.in_flight + event.newly_delivered))
    else:
        window = bbr_common.grown_window(flow, event, window, aim)
    return min(window, MIN_PIPE_CWND) if flow.phase == PROBE_RTT else window


def start(flow, event):
    """Return the initial window [packets], and set the pacing rate (draft-cardwell-...-00 (2017), section 4.2.1)."""
    flow.initial_cwnd = flow.window
    flow.min_rtt_stamp = event.now
    enter_startup(flow)
    if flow.handshake_rtt > 0.0:
        # Linux, net/ipv4/tcp_bbr.c, bbr_init(), bbr_init_pacing_rate_from_rtt(): the first round-trip time sample is
        # that of the handshake.
        flow.min_rtt = flow.handshake_rtt
        flow.min_rtt_stamp = 0.0
        flow.has_rtt = True
        bbr_common.begin_pacing(flow, flow.handshake_rtt)
    else:
        bbr_common.begin_pacing(flow, bbr_common.NO_RTT)
    return flow.window


def send(flow, packet):
    """Restart pacing at the bandwidth after idleness (draft-cardwell-...-00 (2017), section 4.3.4.4)."""
    if flow.in_flight == 1 and flow.app_limited_until != 0:
        flow.idle_restart = True
        if flow.phase == PROBE_BW:
            bbr_common.pace(flow, (1.0 - flow.pacing_margin) * flow.max_bw)
    return 0


def ack(flow, event):
    """Return the window [packets], and set the pacing rate (draft-cardwell-...-00 (2017), section 3.5.2)."""
    if event.newly_delivered == 0:
        return flow.window
    if not flow.has_rtt:
        flow.has_rtt = True
        bbr_common.begin_pacing(flow, event.rtt)
    if bbr_common.recovery_ends(flow):
        end_recovery(flow)
    update_bandwidth(flow, event)
    if flow.allowances > 0.0:
        update_aggregation(flow, event)
    check_cycle(flow, event)
    check_full_pipe(flow, event)
    check_probe_rtt(flow, event)
    gain = 1.0 if flow.policed and flow.phase == PROBE_BW else flow.pacing_gain
    bbr_common.pace(flow, (1.0 - flow.pacing_margin) * gain * rate_in_use(flow))
    return set_window(flow, event)


def loss(flow, event):
    """Return the window [packets]; the first loss of a recovery reduces it to the volume in flight.

    draft-cardwell-iccrg-bbr-congestion-control-00 (2017), section 4.2.3.4: packet conservation for one round trip.
    """
    event.restart_timer = 1  # RFC 6675, section 6: re-arm on a retransmission
    flow.last_lost = max(flow.last_lost, event.number)
    if flow.recovering != NOT_RECOVERING:
        return flow.window
    bbr_common.save_window(flow, flow.phase == PROBE_RTT)
    bbr_common.begin_recovery(flow, FAST_RECOVERY)
    flow.conserves = True
    # Our choice, because the draft does not define its beginning: the round trip of conservation begins with the loss.
    bbr_common.start_round(flow)
    return float(flow.in_flight + max(event.newly_delivered, 1))


def timeout(flow, event):
    """Return a window of one packet (draft-cardwell-iccrg-bbr-congestion-control-00, section 4.2.3.4)."""
    bbr_common.save_window(flow, flow.phase == PROBE_RTT)
    bbr_common.begin_recovery(flow, AFTER_TIMEOUT)
    flow.last_lost = max(flow.last_lost, flow.high - 1)  # all packets in flight are sent again (RFC 5681, section 3.1)
    flow.conserves = False
    return 1.0


BBR1 = Scheme(
    "bbr1",
    ack=ack,
    start=start,
    loss=loss,
    timeout=timeout,
    send=send,
    delivery_rate=True,
    reorder=3,
    parameters={**bbr_common.PARAMETERS, **LINUX_RULES},
    state={
        **bbr_common.STATE,
        "max_bw": 0.0,  # BtlBw [bytes/s]
        "bw_best": [0.0, 0.0, 0.0],
        "bw_when": [0, 0, 0],
        **{"cycle_index": 0, "cycle_stamp": 0.0},
        "conserves": False,  # whether packets are conserved: in the first round trip of fast recovery
        "last_lost": -1,  # highest packet found lost
        # `excess` and `older_excess`: packets acknowledged in excess of the bandwidth in the present and in the
        # previous period of five rounds. `epoch_start`: time from which deliveries are counted [s]; `epoch_delivered`:
        # packets delivered since then. `aggregation_rounds`: rounds so far in the present period.
        **dict.fromkeys(("excess", "older_excess", "epoch_start", "epoch_delivered"), 0.0),
        "aggregation_rounds": 0,
        # Long-term sampling. `long_rate`: rate [bytes/s], in use if `policed`. `long_start`: start of the interval [s];
        # `long_samples`: whether an interval is being sampled. `long_rounds`: rounds in the interval; `long_delivered`
        # and `long_lost`: packets delivered and lost before the interval.
        **{"long_rate": 0.0, "long_start": 0.0, "long_samples": False, "policed": False},
        **dict.fromkeys(("long_rounds", "long_delivered", "long_lost"), 0),
    },
    source=(
        "N. Cardwell, Y. Cheng, C. S. Gunn, S. H. Yeganeh and V. Jacobson, BBR: Congestion-Based Congestion Control, "
        "ACM Queue 14(5), 2016; N. Cardwell, Y. Cheng, S. H. Yeganeh and V. Jacobson, BBR Congestion Control, "
        "draft-cardwell-iccrg-bbr-congestion-control-00 (2017), section 4"
    ),
)

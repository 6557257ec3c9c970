"""CUBIC (RFC 9438): the window between losses is a cubic function of time (docs/rules/cubic.md).

Windows, slow start, reduction, loss detection and validation are the components of `longfat.sim.schemes.deployed`, by
default those of a current host: an initial window of ten packets, byte counting, HyStart++, proportional rate reduction
and RACK-TLP.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.parameters import choice, flag
from longfat.sim.schemes import deployed, tcp, validation
from longfat.sim.schemes.scheme import Parameter, Scheme

GROWTH_PER_ROUND_TRIP = 1.5  # RFC 9438, section 4.2: the target is at most 1.5 cwnd
#: Linux, net/ipv4/tcp_cubic.c: LOW_WINDOW is hystart_low_window, LARGEST_GAP is hystart_ack_delta_us. In
#: hystart_ack_delay() the allowed delay is the time for four bursts of the largest size, at most 1 ms. The rate is that
#: of tcp_update_pacing_rate() in tcp_input.c, with PACING_GAIN; Linux computes it for senders that do not pace, too.
LOW_WINDOW, LARGEST_GAP, PACING_GAIN = 16.0, 0.002, 2.0  # packets, s, 1
BURSTS, LONGEST_BURSTS = 4.0 * 65536, 0.001  # bytes, s

validate = inline(validation.alarm)


@inline
def begin_stage(flow, now):
    """Begin a stage of congestion avoidance: set t_epoch, W_max, K and W_est."""
    # RFC 9438, section 4.2: t_epoch is the time at which the stage starts, cwnd_epoch is the window at that time, and K
    # = cbrt((W_max - cwnd_epoch)/C) (equation 2). As in Linux, tcp_cubic.c, bictcp_update(), a stage starts with the
    # first acknowledgment outside of recovery.
    flow.epoch_start = now
    # RFC 9438, sections 4.8 and 4.10: in the first stage after a timeout, or after a slow start without a loss, K = 0
    # and W_max is the window. The same holds if the window has passed W_max without a loss (as after HyStart++).
    flow.w_max = max(flow.w_max, flow.window)
    flow.k = ((flow.w_max - flow.window) / flow.c) ** (1.0 / 3.0)
    flow.w_est = flow.window  # section 4.3
    flow.reno_window = int(flow.window)
    flow.reno_credits = 0


@inline
def leave_out_unused_time(flow, event, used):
    """Shift the start of the stage by the time in which the application did not use the window.

    If the window is unused when an acknowledgment arrives, this time begins with the departure of the acknowledged
    packet, and ends with the departure of the packet that is acknowledged next.
    """
    departure = event.now - event.rtt
    if flow.unused and flow.epoch_start >= 0.0:
        flow.epoch_start += max(0.0, departure - flow.last_departure)
    flow.last_departure = departure
    # RFC 9438, section 4.2: t does not include periods in which the application limits the window. Linux,
    # net/ipv4/tcp_cubic.c, cubictcp_cwnd_event(): t does not include periods in which nothing is in flight.
    idle = flow.app_limited > 0 and flow.in_flight == 0
    flow.unused = idle or (not used and flow.cwnd_limited == 0.0)


@inline
def cubic_window(flow, time):
    """Return W_cubic [packets] at a time [s] after the beginning of the stage (RFC 9438, equation 1)."""
    x = time - flow.k
    return flow.c * x * x * x + flow.w_max


@inline
def avoid_congestion(flow, event, acked):
    """Return the window [packets] after an acknowledgment of `acked` packets in congestion avoidance."""
    if flow.epoch_start < 0.0:
        begin_stage(flow, event.now)
    return grow_integer(flow, event, int(acked)) if flow.integer_windows > 0.0 else grow(flow, event, acked)


@inline
def grow(flow, event, acked):
    """Return the window [packets] of RFC 9438 after an acknowledgment of `acked` packets in congestion avoidance."""
    # RFC 9438, section 4.3, equation 4: W_est += alpha * segments_acked / cwnd, with alpha = 3 (1 - beta)/(1 + beta)
    # until W_est has reached cwnd_prior, the window before the last reduction, and 1 from then on. RFC 8312, section
    # 4.2 (`full_reno` = 0), always uses the first value.
    alpha = 1.0
    if flow.w_est < flow.cwnd_prior or flow.full_reno == 0.0:
        alpha = 3.0 * (1.0 - flow.beta) / (1.0 + flow.beta)
    flow.w_est += alpha * acked / flow.window
    time = event.now - flow.epoch_start
    # RFC 9438, section 4.3: if W_cubic is below W_est, the window is W_est.
    if flow.reno_friendly > 0.0 and cubic_window(flow, time) < flow.w_est:
        return max(flow.window, flow.w_est)
    # RFC 9438, sections 4.2, 4.4 and 4.5: for each segment acknowledged cwnd grows by (target - cwnd)/cwnd. The target
    # is W_cubic a round-trip time ahead, at least cwnd and at most 1.5 cwnd. These sections of the RFC count
    # acknowledgments ("for each new ACK"), but section 4.3 counts segments. Here segments count, as in Linux, so that
    # delayed acknowledgments do not slow the growth.
    target = min(max(cubic_window(flow, time + flow.srtt), flow.window), GROWTH_PER_ROUND_TRIP * flow.window)
    return flow.window + min(float(acked), flow.window) * (target - flow.window) / flow.window


@inline
def grow_integer(flow, event, acked):
    """Return the window [whole packets] after an acknowledgment of `acked` packets in congestion avoidance."""
    # Linux, net/ipv4/tcp_cubic.c, bictcp_update(). Unlike Linux, this function does not round times to units of 1/1024
    # s.
    flow.reno_credits += acked
    window = int(flow.window)
    if flow.clock_tick > 0.0:
        tick = ticks(event.now, flow.clock_tick)
        # While the window is unchanged, Linux computes `per` once in HZ/32 ticks (rounded down). Within one tick, Linux
        # computes the cubic target at most once, but Reno's window after each acknowledgment.
        if window == flow.computed_for and tick - flow.computed_at <= ticks(1.0 / 32.0, flow.clock_tick):
            return deployed.step(flow, flow.per, acked)
        if tick == flow.computed_at and flow.epoch_start < event.now:
            flow.per = reno_friendly(flow, window, flow.per)
            return deployed.step(flow, flow.per, acked)
        flow.computed_for = window
        flow.computed_at = tick
        time = flow.clock_tick * (tick - ticks(flow.epoch_start, flow.clock_tick))
        time += flow.clock_tick * math.ceil(flow.least_rtt / flow.clock_tick)  # usecs_to_jiffies() rounds up
    else:
        time = event.now - flow.epoch_start + flow.least_rtt
    flow.per = reno_friendly(flow, window, packets_for_one(flow, window, time - flow.k))
    return deployed.step(flow, flow.per, acked)


@inline
def ticks(time, tick):
    """Return the number of whole ticks up to a time [s]."""
    return math.floor(time / tick + 1e-9)  # our choice, because 0.04/0.004 must be 10 in spite of rounding errors


@inline
def packets_for_one(flow, window, time):
    """Return the number of acknowledged packets that increase the window by one, at a time [s] relative to K."""
    change = math.floor(flow.c * abs(time) * abs(time) * abs(time))
    target = int(flow.w_max) + (change if time > 0.0 else -change)
    per = window // (target - window) if target > window else 100 * window
    return min(per, 20) if flow.last_w_max == 0.0 else per  # before the first loss: growth by at least 5 % per round


@inline
def reno_friendly(flow, window, per):
    """Return `per` [acknowledged packets per packet of growth], reduced if Reno's window is larger; at least 2."""
    if flow.reno_friendly > 0.0:
        # Linux's beta_scale is 8 (1 + beta)/(3 (1 - beta)), rounded down: 15 for beta = 717/1024.
        step = window * math.floor(8.0 * (1.0 + flow.beta) / (3.0 * (1.0 - flow.beta))) // 8
        while flow.reno_credits > step:
            flow.reno_credits -= step
            flow.reno_window += 1
        if flow.reno_window > window:
            per = min(per, window // (flow.reno_window - window))
    return max(per, 2)


@inline
def watch_train(flow, event):
    """End slow start if a train of acknowledgments lasts for half a round trip, or if round-trip times have grown.

    With pacing the train has to last for a whole round trip.
    """
    # These are the two tests of Linux, net/ipv4/tcp_cubic.c, hystart_update(); S. Ha and I. Rhee, Taming the Elephants:
    # New TCP Slow Start, Computer Networks 55 (2011), section 4, explain them.
    if flow.hystart != 2.0 or flow.window >= flow.ssthresh or event.rtt <= 0.0 or flow.found:
        return
    if flow.una > flow.round_end:  # bictcp_hystart_reset()
        flow.round_start = event.now
        flow.last_of_train = event.now
        flow.round_end = flow.next
        flow.round_rtt = math.inf
        flow.round_samples = 0
    if flow.window < LOW_WINDOW:
        return
    if event.now - flow.last_of_train <= LARGEST_GAP:
        flow.last_of_train = event.now
        bursts = min(LONGEST_BURSTS, BURSTS * flow.srtt / (PACING_GAIN * flow.window * flow.packet_size))
        # Linux, hystart_update(): "Pacing might have delayed packets up to RTT/2". With pacing the threshold is
        # therefore the least round-trip time plus the allowed delay, without pacing half of this sum.
        share = 1.0 if flow.pacing > 0.0 else 0.5
        flow.found = event.now - flow.round_start > share * (flow.least_rtt + bursts)
    flow.round_rtt = min(flow.round_rtt, event.rtt)
    if flow.round_samples < deployed.SAMPLES:
        flow.round_samples += 1
    elif flow.round_rtt > flow.least_rtt + deployed.hystart_threshold(flow.least_rtt):
        flow.found = True
    if flow.found:
        flow.ssthresh = flow.window


@inline
def reduce(flow, cause):
    """Set W_max and ssthresh for a `cause`: `tcp.LOSS`, `tcp.TIMEOUT` or `tcp.MARK`."""
    # A second reduction during recovery starts from ssthresh, which is the window at the end of recovery.
    window = flow.ssthresh if flow.recovering else flow.window
    flow.cwnd_prior = window
    # RFC 9438, section 4.7: fast convergence lowers W_max further if the window is below the last W_max.
    flow.w_max = window
    if flow.fast_convergence > 0.0 and window < flow.last_w_max:
        flow.w_max = deployed.scaled(flow, window, (1.0 + flow.beta) / 2.0)
    flow.last_w_max = flow.w_max
    # RFC 9438, section 4.6: ssthresh = flight_size * beta_cubic, at least 2; the RFC allows cwnd, which Linux uses, in
    # place of flight_size.
    flow.ssthresh = max(flow.ssthresh_floor, deployed.scaled(flow, window, flow.beta))
    flow.epoch_start = -1.0
    flow.unused = False
    tcp.record_reduction(flow, cause)


def ack(flow, event):
    """Return the window [packets] after an acknowledgment, and set the pacing rate."""
    validation.observe(flow, event)
    if event.rtt > 0.0:
        flow.least_rtt = min(flow.least_rtt, event.rtt)
    window = deployed.capped(flow, event, deployed.window_before(flow), respond(flow, event), GROWTH_PER_ROUND_TRIP)
    deployed.pace(flow, window)
    validation.pace(flow, window)
    return window


@inline
def respond(flow, event):
    """Return the window [packets] after an acknowledgment: reduced by a mark, set by recovery, or grown by new data."""
    if event.marked and tcp.mark_counts(flow):
        if flow.window <= 1.0:  # RFC 9438, section 4.6, last paragraph; as in `tcp.halve_on_mark`
            flow.backoff = min(2.0 * flow.backoff, flow.max_backoff)
        validation.take_mark(flow)
        reduce(flow, tcp.MARK)  # sets W_max and ssthresh, but leaves the window unchanged
        if not flow.recovering:
            # RFC 9438, section 4.6, figure 5: the window is at least one packet after a mark, but two after a loss.
            flow.window = max(1.0, deployed.scaled(flow, flow.window, flow.beta))
    if flow.recovering:
        window = deployed.recover(flow, event, flow.ssthresh)
        if flow.recovering:
            return window
        window = validation.end_recovery(flow, window)
        if flow.growth_at_exit == 0.0:  # the same test as in `deployed.leave_recovery`
            return window
        flow.window = window
        return avoid_congestion(flow, event, float(event.newly_delivered))
    if event.acked == 0 or event.marked:
        return flow.window
    watch_train(flow, event)
    # RFC 9438, section 5.8: a window that the application does not use does not grow.
    used = deployed.uses_window(flow, event)
    leave_out_unused_time(flow, event, used)
    if not used or not validation.may_grow(flow, event):
        return flow.window
    acked = float(event.acked)
    if flow.window < flow.ssthresh:
        acked = deployed.slow_start(flow, event)
    return avoid_congestion(flow, event, acked) if acked > 0.0 else flow.window


def loss(flow, event):
    """Begin a recovery that multiplies the window by beta, once per window of data; return the window [packets]."""
    # RFC 3168, section 6.1.2: if a mark has reduced the window, the loss of an earlier packet does not do so again.
    if flow.reduced_for != tcp.MARK or event.number > flow.reduced_at:
        flow.window = validation.take_loss(flow, event, flow.window)
        reduce(flow, tcp.LOSS)
    return deployed.begin_recovery(flow, event, flow.ssthresh)


def timeout(flow, event):
    """Return a window of one packet; ssthresh is beta times the window (RFC 9438, section 4.8)."""
    validation.forget(flow)
    reduce(flow, tcp.TIMEOUT)
    # RFC 9438, section 4.8: W_max is set to the window at the beginning of congestion avoidance. The last W_max, for
    # fast convergence (section 4.7), is deleted, too, as in Linux, tcp_cubic.c, cubictcp_state().
    flow.w_max = 0.0
    flow.last_w_max = 0.0
    flow.found = False
    flow.recovering = False
    return 1.0


def alarm(flow, event):
    """Return the window [packets], reduced after a period in which the application did not use it."""
    before = flow.window
    window = validate(flow, event)
    if window < before:
        flow.epoch_start = -1.0
    return window


CUBIC = Scheme(
    "cubic",
    ack=ack,
    loss=loss,
    timeout=timeout,
    alarm=alarm,
    reorder=3,
    parameters={
        **deployed.parameters(),
        "hystart": choice(
            1,
            "1: slow start ends when round-trip times grow (HyStart++, RFC 9406); 2: also by trains of "
            "acknowledgments, as in Linux; 0: only by a loss",
            "{0, 1, 2}",
        ),
        "clock_tick": Parameter(
            0.0,
            "s",
            "[0, 1]",
            about="Clock tick for the growth of integer windows, computed at most every 1/32 s, as in Linux; 0: at "
            "each acknowledgment",
        ),
        **validation.PARAMETERS,
        "c": Parameter(0.4, "packets/s^3", "(0, 1e6]", about="Constant C (RFC 9438, section 5.1)"),
        "beta": Parameter(0.7, "1", "(0, 1)", about="Factor of the window at a reduction (RFC 9438, section 4.6)"),
        "fast_convergence": flag(
            True, "1: W_max is lowered if the window is below the last W_max (RFC 9438, section 4.7)"
        ),
        "reno_friendly": flag(True, "1: at least the window that Reno would have (RFC 9438, section 4.3); 0: W_cubic"),
        "full_reno": flag(
            True, "1: above the window before the last reduction W_est grows as Reno's window (RFC 9438); 0: not so"
        ),
    },
    # `w_max` and `last_w_max`: W_max of this stage and of the previous one [packets]; `cwnd_prior` and `w_est`
    # [packets]; `epoch_start` (t_epoch) and `k` (K) [s]. `last_departure`: departure time of the packet acknowledged
    # last [s]; `unused`: whether the application left the window unused at that time. `least_rtt`: least round-trip
    # time [s]. For integer windows, `reno_window`: Reno's window; `reno_credits`: packets acknowledged towards its
    # growth; `per`: number of acknowledged packets that increase the window by one, computed for the window
    # `computed_for` at the clock tick `computed_at`. States read for every acknowledgment come first.
    state={
        "least_rtt": math.inf,
        **dict.fromkeys(("reno_window", "reno_credits", "per", "computed_for", "computed_at"), 0),
        **dict.fromkeys(("w_max", "last_w_max", "cwnd_prior", "w_est", "k", "last_departure"), 0.0),
        "unused": False,
        "epoch_start": -1.0,
        **deployed.STATE,
        # HyStart of Linux. `round_start`: beginning of the round [s]; `last_of_train`: time of the last acknowledgment
        # in the round's train [s]; `found`: whether HyStart has ended slow start.
        "round_start": 0.0,
        "last_of_train": 0.0,
        "found": False,
        **validation.STATE,
    },
    source=(
        "L. Xu, S. Ha, I. Rhee, V. Goel and L. Eggert, RFC 9438 (2023), CUBIC for Fast and Long-Distance Networks, "
        "section 4; RFC 6928, RFC 3465, RFC 9406, RFC 9937, RFC 6675 and RFC 8985 for the sender"
    ),
)

"""TCP sender as it is deployed today, assembled from components, and sets of its parameters (docs/rules/cubic.md).

Components: slow start (byte counting and HyStart++), windows, reduction, use of the window and pacing (this module),
loss detection (`rack`, in the simulator's kernel), and for some schemes validation. Parameters choose among the rules
of a component (`Choice`); compiled code contains only the chosen rules. By default `sack` has all options off, as in
its RFC; `cubic` and `dctcp` use HyStart++ and the values of `DEPLOYED`.
"""

import math
from dataclasses import replace
from typing import Any

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.parameters import choice
from longfat.sim.schemes import tcp, timers
from longfat.sim.schemes.scheme import Parameter

#: RFC 9406, section 4.3, recommended constants.
LEAST_THRESHOLD, GREATEST_THRESHOLD, THRESHOLD_DIVISOR = 0.004, 0.016, 8.0  # s, s, 1
SAMPLES = 8  # round-trip samples before a round is evaluated
GROWTH_DIVISOR = 4.0  # divisor of slow start's growth in conservative slow start
CONSERVATIVE_ROUNDS = 5

#: Parameters of every scheme with selective recovery. They omit `bugfix`, because the simulator knows which
#: transmission was lost.
PLAIN = {name: one for name, one in tcp.PARAMETERS.items() if name not in ("bugfix", "duplicate_threshold")}
#: The same, and parameters that choose options, all off by default. Our choice: pacing is off in `cubic` and `dctcp`,
#: too, because Linux paces these schemes only with the queue discipline fq at the host.
PARAMETERS = {
    **PLAIN,
    "growth_limit": Parameter(
        0.0,
        "packets",
        "[0, inf]",
        about="Largest increase by one acknowledgment in slow start, L (RFC 3465, section 2.2); 0: one packet; "
        "infinite: all packets acknowledged, as in Linux",
    ),
    "hystart": choice(0, "1: slow start ends when round-trip times grow (HyStart++, RFC 9406); 0: only by a loss"),
    "prr": choice(
        0,
        "1: proportional rate reduction (RFC 9937); 2: the same, but RecoverFS is the window before the loss, as in "
        "Linux; 0: the window is ssthresh immediately",
        "{0, 1, 2}",
    ),
    "growth_at_exit": choice(
        0, "1: the acknowledgment that ends a recovery makes the window grow, as in Linux; 0: it does not"
    ),
    # The simulator's kernel finds losses (`longfat.sim.kernel.recovery`).
    "rack": Parameter(
        0.0,
        "1",
        "{0, 1, 2}",
        "rack",
        about="1: losses are found by time, and a probe repairs a lost tail (RFC 8985); 2: with Linux's timer; "
        "0: after three later packets",
    ),
    "integer_windows": choice(0, "1: windows in whole packets, as in Linux; 0: with fractions"),
    "cwnd_limited": choice(
        0,
        "Growth of a window that the application does not fill. 0: by the scheme's own rule; 1: as in Linux, only if "
        "the window was full in the last round trip, or in slow start below twice the packets in flight; 2: the window "
        "is at most one round trip of growth above the largest number of packets in flight since the last reduction "
        "(draft-ietf-ccwg-ratelimited-increase); 3: the window stops growing at this limit, but is not reduced to it",
        "{0, 1, 2, 3}",
    ),
    "pacing": choice(0, "1: 2 windows per round-trip time in slow start, 1.2 later, as in Linux; 0: bursts"),
}
#: State: slow-start threshold [packets], last reduction of the window, and whether the sender is in loss recovery.
PLAIN_STATE: dict[str, Any] = {"ssthresh": "initial_ssthresh", **tcp.REDUCTION, "recovering": False}
STATE: dict[str, Any] = {
    **PLAIN_STATE,
    "credits": 0,  # number of acknowledged packets that have not yet made the window grow
    # The use of the window is measured in round trips. `use_end`: the packet that ends the present round trip;
    # `was_full`: whether the window was full in it; `most_used`: the largest number of packets in flight in it.
    "use_end": 0, "was_full": False, "most_used": 0,
    # `max_flight`: largest number of packets in flight since the last reduction (maxFS), negative if unknown;
    # `flight_since`: value of `reduced_at` for that reduction.
    "max_flight": -1.0, "flight_since": -2,
    # `prr_delivered`: packets delivered in this recovery. `prr_in_flight`: packets in flight at its beginning
    # (RecoverFS). `prr_transmission`: number of its first transmission.
    "prr_delivered": 0, "prr_in_flight": 1.0, "prr_transmission": 0,
    # HyStart and HyStart++. `round_end`: last packet of the present round. `round_rtt` and `last_round_rtt`: least
    # round-trip time of this round and of the previous round [s]; `round_samples`: number of samples in this round.
    # `baseline_rtt`: least round-trip time at the end of slow start [s], infinite outside conservative slow start;
    # `conservative_rounds`: rounds so far in conservative slow start.
    "round_end": 0, "round_rtt": math.inf, "last_round_rtt": math.inf, "round_samples": 0,
    "baseline_rtt": math.inf, "conservative_rounds": 0,
}  # fmt: skip

#: Values of parameters with which `sack` is Reno by current RFCs: an initial window of ten packets (RFC 6928, section
#: 2), every second packet acknowledged (RFC 5681, section 4.2), byte counting with L = 2 (RFC 3465, section 2.3),
#: proportional rate reduction (RFC 9937), losses found by time and probes (RFC 8985). HyStart++ is off, because in
#: Linux HyStart is a part of CUBIC.
DEPLOYED = {"initial_window": 10.0, "delayed_ack": 2.0, "growth_limit": 2.0, "prr": 1.0, "rack": 1.0}
#: Number of packets, fitted to measurements. Linux's receiver acknowledges each packet while the receive window grows
#: (tcp_input.c, tcp_grow_window()), in `longfat testbed` during the first 479 packets of each connection. The number
#: depends on the socket buffers and differs between hosts.
FITTED_QUICK_ACKS = 479.0
#: Values of parameters that bring a scheme nearest to Linux's defaults: Linux's timer, the values of `DEPLOYED`, the
#: growth of RFC 8312 in the Reno-friendly region of CUBIC (net/ipv4/tcp_cubic.c, bictcp_update()), windows in whole
#: packets, a clock with HZ = 250, and the rules of net/ipv4/tcp_bbr.c.
LINUX = {
    **timers.profile("linux"), **DEPLOYED,
    "growth_limit": math.inf, "cwnd_limited": 1.0, "quick_acks": FITTED_QUICK_ACKS, "full_reno": 0.0,
    "integer_windows": 1.0, "clock_tick": 0.004, "prr": 2.0, "rack": 2.0,
    "growth_at_exit": 1.0, "pacing_margin": 0.01, "allowances": 1.0, "equal_renews": 0.0, "long_term": 1.0,
    "departures": 1.0, "long_recovery": 1.0, "timestamp_tick": 0.001,
}  # fmt: skip
#: Further values for CUBIC, the only scheme of Linux that has HyStart.
LINUX_CUBIC = {"hystart": 2.0}


def parameters(**values: float) -> dict[str, Parameter]:
    """Return `PARAMETERS` with new defaults: those of `DEPLOYED`, then the given values, which decide.

    >>> parameters()["initial_window"].default
    10.0
    """
    chosen = {**DEPLOYED, **values}
    return {name: replace(one, default=chosen[name]) if name in chosen else one for name, one in PARAMETERS.items()}


@inline
def slow_start(flow, event):
    """Grow the window in slow start, up to ssthresh; return the acknowledged packets left for congestion avoidance.

    HyStart++ may set ssthresh to the window, but only in the slow start at the beginning of a flow, when ssthresh is
    infinite (RFC 9406, section 4.2).
    """
    # RFC 3465, section 2.2: cwnd grows by the data acknowledged, but at most by L segments. Without byte counting it
    # grows by one segment for each acknowledgment (RFC 5681, section 3.1).
    increase = min(float(event.acked), flow.growth_limit) if flow.growth_limit > 0.0 else 1.0
    # RFC 3465, section 2.3: L = 1 in slow start after a timeout.
    if flow.reduced_for == tcp.TIMEOUT and flow.growth_limit < math.inf:
        increase = min(increase, 1.0)
    if flow.hystart != 1.0 or flow.ssthresh < 1e300:
        wanted = flow.window + increase
        flow.window = min(wanted, flow.ssthresh)
        # Linux, net/ipv4/tcp_cong.c, tcp_slow_start(): packets acknowledged beyond ssthresh count in congestion
        # avoidance. The RFCs do not define this.
        return wanted - flow.window if flow.growth_limit > 0.0 else 0.0
    conservative = flow.baseline_rtt < math.inf
    flow.window += increase / GROWTH_DIVISOR if conservative else increase
    watch_round_trip(flow, event)
    return 0.0


@inline
def hystart_threshold(rtt):
    """Return the growth [s] of a round-trip time `rtt` [s] that ends slow start (RFC 9406, section 4.2; Linux)."""
    return max(LEAST_THRESHOLD, min(rtt / THRESHOLD_DIVISOR, GREATEST_THRESHOLD))


@inline
def watch_round_trip(flow, event):
    """Add a round-trip sample, and test whether round-trip times have grown (RFC 9406, section 4.2)."""
    if event.rtt > 0.0:
        flow.round_rtt = min(flow.round_rtt, event.rtt)
        flow.round_samples += 1
    if flow.round_samples >= SAMPLES and flow.last_round_rtt < math.inf:
        if flow.baseline_rtt == math.inf:
            if flow.round_rtt >= flow.last_round_rtt + hystart_threshold(flow.last_round_rtt):
                flow.baseline_rtt = flow.round_rtt
                flow.conservative_rounds = 0
        elif flow.round_rtt < flow.baseline_rtt:
            flow.baseline_rtt = math.inf  # the queue was transient: slow start continues
    if flow.una >= flow.round_end:
        begin_round(flow)


@inline
def begin_round(flow):
    """Begin the next round, which ends when all data sent so far is acknowledged."""
    if flow.baseline_rtt < math.inf:
        flow.conservative_rounds += 1
        if flow.conservative_rounds >= CONSERVATIVE_ROUNDS:
            flow.ssthresh = flow.window
    flow.round_end = flow.next
    flow.last_round_rtt = flow.round_rtt
    flow.round_rtt = math.inf
    flow.round_samples = 0


@inline
def scaled(flow, window, factor):
    """Return a window [packets] multiplied by a factor, rounded down if windows are in whole packets."""
    if flow.integer_windows == 0.0:
        return window * factor
    # Our choice: 1e-9 is added, because 0.7 has no exact binary representation; 0.7 x 90 would otherwise give 62.
    # Linux uses the factor 717/1024.
    return float(math.floor(window * factor + 1e-9))


@inline
def avoid_congestion(flow, acked):
    """Return Reno's window [packets] in congestion avoidance, after an acknowledgment of `acked` packets."""
    if flow.integer_windows > 0.0:
        return step(flow, int(flow.window), int(acked))
    # RFC 3465, section 2.1: the window grows by one packet per window of packets acknowledged.
    return flow.window + (float(acked) if flow.growth_limit > 0.0 else 1.0) / flow.window


@inline
def step(flow, per, acked):
    """Return the window [packets] after `acked` more packets; it grows by one for every `per` packets acknowledged."""
    # This is the rule of Linux, net/ipv4/tcp_cong.c, tcp_cong_avoid_ai().
    window = flow.window
    if flow.credits >= per:
        flow.credits = 0
        window += 1.0
    flow.credits += acked
    if flow.credits >= per:
        more = flow.credits // per
        flow.credits -= more * per
        window += float(more)
    return window


@inline
def grow(flow, event):
    """Return Reno's window [packets] after an acknowledgment of new data outside recovery."""
    if flow.growth_limit == 0.0 and flow.hystart == 0.0 and flow.integer_windows == 0.0:
        return tcp.grow(flow)
    acked = float(event.acked)
    if flow.window < flow.ssthresh:
        acked = slow_start(flow, event)
    return avoid_congestion(flow, acked) if acked > 0.0 else flow.window


@inline
def begin_recovery(flow, event, window):
    """Begin a recovery, retransmit the first packet found lost, and return the window [packets].

    The returned window is `window` or, with proportional rate reduction, the volume in flight, which recovery reduces
    to ``flow.ssthresh``. If a timer has found the loss, the returned window applies until the next acknowledgment.
    """
    tcp.record_reduction(flow, tcp.LOSS)
    flow.recovering = True
    flow.credits = 0
    flow.resend = event.number  # RFC 6675, section 5, step 4.3: the first lost packet is sent whatever the pipe is
    event.restart_timer = 1  # RFC 6675, section 6: re-arm on a retransmission
    if flow.prr == 0.0:
        return window
    # RFC 9937, section 6.1: prr_delivered = prr_out = 0. RecoverFS is the data sent and not delivered before the
    # acknowledgment that begins the recovery; it includes packets found lost. In Linux, net/ipv4/tcp_input.c,
    # tcp_init_cwnd_reduction(), it is the window before the reduction (prior_cwnd).
    flow.prr_delivered = 0
    in_flight = float(flow.high - flow.delivered + event.newly_delivered)
    flow.prr_in_flight = max(1.0, flow.window if flow.prr > 1.0 else in_flight)
    flow.prr_transmission = flow.transmission
    return float(flow.in_flight)


@inline
def recover(flow, event, target):
    """Return the window [packets] after an acknowledgment in recovery; it is `target` if recovery ends."""
    # RFC 6675, section 5, step A: recovery ends when everything sent before it (RecoveryPoint) is acknowledged.
    if event.acked == 0 or flow.una <= flow.reduced_at:
        return proportional(flow, event) if flow.prr > 0.0 else flow.window
    flow.recovering = False
    return target


@inline
def proportional(flow, event):
    """Return the window [packets] after an acknowledgment in recovery: packets in flight plus packets to send now."""
    # RFC 9937, section 6.2. The data in flight is the pipe of RFC 6675; prr_out counts transmissions of this recovery.
    if event.newly_delivered == 0:
        return flow.window
    flow.prr_delivered += event.newly_delivered
    sent = flow.transmission - flow.prr_transmission
    if flow.in_flight > flow.ssthresh:
        count = math.ceil(flow.prr_delivered * flow.ssthresh / flow.prr_in_flight) - sent
    else:
        count = max(flow.prr_delivered - sent, event.newly_delivered)  # conservative reduction bound (PRR-CRB)
        if event.acked > 0 and event.lost == 0:  # SafeACK: slow start reduction bound (PRR-SSRB)
            count += 1
        count = min(math.floor(flow.ssthresh) - flow.in_flight, count)
    # The first packet of a recovery is sent even if the bounds of RFC 9937 would allow no packet.
    return float(flow.in_flight + max(count, 1 if sent == 0 else 0))


@inline
def aim(flow):
    """Return the window that recovery aims at [packets]: ssthresh in proportional rate reduction, else the window."""
    return flow.ssthresh if flow.recovering and flow.prr > 0.0 else flow.window


@inline
def leave_recovery(flow, event, window):
    """Return Reno's window [packets] at the end of a recovery; `window` is the window before growth."""
    # Linux, net/ipv4/tcp_input.c, tcp_ack(): tcp_fastretrans_alert() ends the recovery. Then tcp_cong_control() lets
    # the window grow by the packets newly delivered.
    if flow.growth_at_exit == 0.0:
        return window
    flow.window = window
    return avoid_congestion(flow, event.newly_delivered)


@inline
def fills_window(flow, event):
    """Return whether the application filled the window before this acknowledgment, which is outside recovery."""
    return flow.app_limited == 0 or flow.in_flight + event.acked >= flow.window


@inline
def uses_window(flow, event):
    """Return whether an acknowledgment outside recovery may grow the window, because the application used it."""
    return fills_window(flow, event) if flow.cwnd_limited == 0.0 else is_cwnd_limited(flow, event)


@inline
def is_cwnd_limited(flow, event):
    """Return whether Linux's rule lets the window grow; True if that rule is not chosen."""
    if flow.cwnd_limited != 1.0:
        return True
    # Linux, net/ipv4/tcp_output.c, tcp_cwnd_validate(), and include/net/tcp.h, tcp_is_cwnd_limited(): a window that was
    # full counts as full until all packets sent by then are acknowledged. Linux measures the packets in flight at the
    # last departure; here they are computed when the next acknowledgment arrives.
    used, full = flow.in_flight + event.acked, fills_window(flow, event)
    if full or flow.una - event.acked >= flow.use_end or (not flow.was_full and used > flow.most_used):
        flow.was_full = full
        flow.most_used = used
        flow.use_end = flow.high
    return flow.was_full or (flow.window < flow.ssthresh and flow.window < 2.0 * flow.most_used)


@inline
def window_before(flow):
    """Return the window [packets] before an acknowledgment; in recovery, at least ssthresh, the window at its end."""
    return max(flow.window, flow.ssthresh) if flow.recovering else flow.window


@inline
def capped(flow, event, before, window, growth):
    """Return the window [packets] after an acknowledgment, capped by the largest flight if that rule is chosen.

    `before` is the window before the acknowledgment (`window_before`), and `window` the window after it without the
    cap. In congestion avoidance the cap is `growth` times the largest flight, and at least that flight plus one packet.
    """
    if flow.cwnd_limited < 2.0:
        return window
    # draft-ietf-ccwg-ratelimited-increase-03, section 3: maxFS is initcwnd at first, and later the largest FlightSize
    # since the last reduction of the window. FlightSize (RFC 5681, section 2) is taken before this acknowledgment
    # or, if this acknowledgment has reduced the window, after it.
    flight = float(flow.high - flow.una)
    if flow.max_flight < 0.0:
        flow.max_flight = before
    if flow.reduced_at != flow.flight_since:
        flow.flight_since = flow.reduced_at
        flow.max_flight = flight
    else:
        flow.max_flight = max(flow.max_flight, flight + event.acked)
    if flow.recovering:
        return window
    # draft-ietf-ccwg-ratelimited-increase-03, section 3: limit(maxFS) is 2 maxFS in slow start and maxFS + SMSS in
    # congestion avoidance. Our choice, because the draft has no limit for CUBIC: `growth` times maxFS.
    limit = 2.0 * flow.max_flight
    if before >= flow.ssthresh:
        limit = max(flow.max_flight + 1.0, growth * flow.max_flight)
    # draft-ietf-ccwg-ratelimited-increase-03, appendix A, "if (cwnd<2*maxFS)": the limit stops the growth of the
    # window, but does not reduce the window.
    return min(window, limit if flow.cwnd_limited == 2.0 else max(limit, before))


@inline
def pace(flow, window):
    """Set the pacing rate [bytes/s] from a window [packets] and the smoothed round-trip time."""
    # Linux, net/ipv4/tcp_input.c, tcp_update_pacing_rate(): the rate is 200 % of a window per round-trip time if the
    # window is below half of ssthresh, else 120 %. Before the first round-trip sample packets are not paced.
    if flow.pacing > 0.0 and flow.srtt > 0.0:
        gain = 2.0 if window < flow.ssthresh / 2.0 else 1.2
        flow.rate = gain * max(window, float(flow.in_flight)) * flow.packet_size / flow.srtt

"""Slow start of the senders in use today: byte counting (RFC 3465), HyStart++ (RFC 9406) and HyStart as in Linux."""

import math
from typing import Any

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.parameters import choice
from longfat.sim.schemes.scheme import Parameter
from longfat.sim.schemes.tcp import TIMEOUT

#: RFC 9406, section 4.3, recommended constants.
LEAST_THRESHOLD, GREATEST_THRESHOLD, THRESHOLD_DIVISOR = 0.004, 0.016, 8.0  # s, s, 1
SAMPLES = 8  # round-trip samples before a round is evaluated
GROWTH_DIVISOR = 4.0  # divisor of slow start's growth in conservative slow start
CONSERVATIVE_ROUNDS = 5
#: Linux, net/ipv4/tcp_cubic.c: LOW_WINDOW is hystart_low_window, LARGEST_GAP is hystart_ack_delta_us. In
#: hystart_ack_delay() the allowed delay is the time for four bursts of the largest size, at most 1 ms. The rate is that
#: of tcp_update_pacing_rate() in tcp_input.c, with PACING_GAIN; Linux computes it for senders that do not pace, too.
LOW_WINDOW, LARGEST_GAP, PACING_GAIN = 16.0, 0.002, 2.0  # packets, s, 1
BURSTS, LONGEST_BURSTS = 4.0 * 65536, 0.001  # bytes, s

PARAMETERS = {
    "growth_limit": Parameter(
        0.0,
        "packets",
        "[0, inf]",
        about="Largest increase by one acknowledgment in slow start, L (RFC 3465, section 2.2); 0: one packet; "
        "infinite: all packets acknowledged, as in Linux",
    ),
    "hystart": choice(0, "1: slow start ends when round-trip times grow (HyStart++, RFC 9406); 0: only by a loss"),
}
#: State of a flow. `round_end`: last packet of the present round. `round_rtt` and `last_round_rtt`: least round-trip
#: time of this round and of the previous round [s]; `round_samples`: number of samples in this round. `baseline_rtt`:
#: least round-trip time at the end of slow start [s], infinite outside conservative slow start; `conservative_rounds`:
#: rounds so far in conservative slow start.
STATE: dict[str, Any] = {
    "round_end": 0,
    "round_rtt": math.inf,
    "last_round_rtt": math.inf,
    "round_samples": 0,
    "baseline_rtt": math.inf,
    "conservative_rounds": 0,
}
#: State of Linux's form of HyStart. `round_start`: beginning of the round [s]; `last_of_train`: time of the last
#: acknowledgment in the round's train [s]; `found`: whether HyStart has ended slow start.
TRAIN_STATE: dict[str, Any] = {"round_start": 0.0, "last_of_train": 0.0, "found": False}


@inline
def grow(flow, event):
    """Grow the window in slow start, up to ssthresh; return the acknowledged packets left for congestion avoidance.

    HyStart++ may set ssthresh to the window, but only in the slow start at the beginning of a flow, when ssthresh is
    infinite (RFC 9406, section 4.2).
    """
    # RFC 3465, section 2.2: cwnd grows by the data acknowledged, but at most by L segments. Without byte counting it
    # grows by one segment for each acknowledgment (RFC 5681, section 3.1).
    increase = min(float(event.acked), flow.growth_limit) if flow.growth_limit > 0.0 else 1.0
    if flow.reduced_for == TIMEOUT and flow.growth_limit < math.inf:  # section 2.3: L = 1 in slow start after a timeout
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
def watch_round_trip(flow, event):
    """Add a round-trip sample, and test whether round-trip times have grown (RFC 9406, section 4.2)."""
    if event.rtt > 0.0:
        flow.round_rtt = min(flow.round_rtt, event.rtt)
        flow.round_samples += 1
    if flow.round_samples >= SAMPLES and flow.last_round_rtt < math.inf:
        if flow.baseline_rtt == math.inf:
            threshold = max(LEAST_THRESHOLD, min(flow.last_round_rtt / THRESHOLD_DIVISOR, GREATEST_THRESHOLD))
            if flow.round_rtt >= flow.last_round_rtt + threshold:
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
def watch_train(flow, event):
    """End slow start if a train of acknowledgments lasts for half a round trip, or if round-trip times have grown.

    With pacing the train has to last for a whole round trip.
    """
    # Linux, net/ipv4/tcp_cubic.c, hystart_update(), has these two tests; S. Ha and I. Rhee, Taming the Elephants: New
    # TCP Slow Start, Computer Networks 55 (2011), section 4, explain them.
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
    if flow.round_samples < SAMPLES:
        flow.round_samples += 1
    elif flow.round_rtt > flow.least_rtt + max(
        LEAST_THRESHOLD, min(flow.least_rtt / THRESHOLD_DIVISOR, GREATEST_THRESHOLD)
    ):
        flow.found = True
    if flow.found:
        flow.ssthresh = flow.window

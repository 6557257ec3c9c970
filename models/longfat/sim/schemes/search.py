"""SEARCH: CUBIC whose slow start ends when deliveries fall behind what was sent a round trip earlier.

Constants and test are those of draft-chung-ccwg-search-09, as neqo (Mozilla's QUIC, neqo-transport, cc/search.rs) has
them; the draft itself was read in excerpts. The drain is that of the authors' Linux module
(github.com/maryam-ataei/TCP_SS_SEARCH_ALG, tcp_cubic_search4.0.c). Rules: docs/rules/cubic.md.
"""

from dataclasses import replace

from longfat.sim.kernel.jit import part
from longfat.sim.schemes import cubic, deployed
from longfat.sim.schemes.scheme import Parameter

#: search.rs: W bins are a window, and EXTRA_BINS more allow for longer round trips; one for the count at the beginning.
BINS, EXTRA_BINS = 10, 15
ACKED_BINS, SENT_BINS = BINS + 1, BINS + 1 + EXTRA_BINS
#: tcp_cubic_search4.0.c, search_compute_target_cwnd(): bins of the first round trip, rounded up, and TCP_INIT_CWND;
#: SEARCH_DRAIN_ACKEDSEG_THRESH: in the drain a packet leaves for each three delivered.
BINS_OF_ROUND_TRIP, LEAST_TARGET, DELIVERED_PER_SENT = 3, 10.0, 3

respond = part(cubic.ack)
time_out = part(cubic.timeout)


@part
def update_bins(flow, passed):
    """Record the packets acknowledged and sent by the end of the last bin, and by the ends of bins without an event."""
    # search.rs, update_bins(): skipped bins repeat the count of the bin before them.
    for k in range(flow.index + 1, flow.index + passed):
        flow.acked_bins[k % ACKED_BINS] = flow.acked_bins[flow.index % ACKED_BINS]
        flow.sent_bins[k % SENT_BINS] = flow.sent_bins[flow.index % SENT_BINS]
    flow.index += passed
    flow.bin_end += passed * flow.bin_duration
    flow.acked_bins[flow.index % ACKED_BINS] = float(flow.delivered)
    flow.sent_bins[flow.index % SENT_BINS] = float(flow.transmission)


@part
def delivered_in(flow, bins):
    """Return the packets delivered in the last bins."""
    return flow.acked_bins[flow.index % ACKED_BINS] - flow.acked_bins[(flow.index - bins) % ACKED_BINS]


@part
def sent_until(flow, last):
    """Return the packets sent in the window of bins that ends with bin `last`."""
    return flow.sent_bins[last % SENT_BINS] - flow.sent_bins[(last - BINS) % SENT_BINS]


@part
def watch(flow, event):
    """Update the bins at the end of each, and begin the drain if deliveries have fallen behind what was sent."""
    if event.rtt <= 0.0:
        return
    passed = 0
    if flow.bin_duration > 0.0:
        if event.now <= flow.bin_end:
            return
        passed = int((event.now - flow.bin_end) / flow.bin_duration) + 1
    # search.rs, initialize(): a window is 3.5 first round-trip times. update_bins(): bins are begun again if the last
    # ones are too old, which the draft leaves open ("missed bins").
    if flow.bin_duration == 0.0 or passed > BINS:
        flow.bin_duration = flow.memory * event.rtt / BINS
        flow.bin_end = event.now
        flow.index, passed = -1, 1
    update_bins(flow, passed)
    # search.rs, calc_prev_idx() and compute_sent(): a window that ended a round trip ago, interpolated between two bins
    # (in the draft with the later one, by mistake, as a comment there says).
    back = int(event.rtt / flow.bin_duration)
    last = flow.index - back
    if last <= BINS or back >= EXTRA_BINS:
        return
    share = event.rtt / flow.bin_duration - back
    sent = share * sent_until(flow, last - 1) + (1.0 - share) * sent_until(flow, last)
    # search.rs, on_packets_acked(): norm_diff = (prev_sent - curr_delv) / prev_sent >= THRESH.
    if sent > 0.0 and sent - delivered_in(flow, BINS) >= flow.threshold * sent:
        flow.drain_target = max(delivered_in(flow, BINS_OF_ROUND_TRIP), LEAST_TARGET)
        flow.drain_credit = 0


@part
def drain(flow, event):
    """Return the window [packets] while the queue is drained to the window of the path, and end slow start then."""
    # tcp_cubic_search4.0.c, search_update(): max(packets in flight and those that may be sent now, target).
    flow.drain_credit += event.newly_delivered
    window = max(float(flow.in_flight + flow.drain_credit // DELIVERED_PER_SENT), flow.drain_target)
    flow.drain_credit %= DELIVERED_PER_SENT
    if window <= flow.drain_target:
        flow.ssthresh = window
        flow.drain_target = 0.0
    deployed.pace(flow, window)
    return window


def ack(flow, event):
    """Return the window [packets] after an acknowledgment: CUBIC's, or that of the drain at the end of slow start."""
    if flow.window < flow.ssthresh and not flow.recovering and not event.marked:
        if flow.drain_target > 0.0:
            return drain(flow, event)
        watch(flow, event)
    return respond(flow, event)


def timeout(flow, event):
    """Return a window of one packet; slow start begins again, with new bins."""
    flow.bin_duration = flow.drain_target = 0.0  # tcp_cubic_search4.0.c, cubictcp_state()
    return time_out(flow, event)


CUBIC_SEARCH = replace(
    cubic.CUBIC, name="cubic-search", ack=ack, timeout=timeout,
    parameters={
        **cubic.CUBIC.parameters, "hystart": replace(cubic.CUBIC.parameters["hystart"], default=0.0),
        "memory": Parameter(3.5, "1", "[1, 100]", about="Window, a multiple of the first round-trip time (search.rs)"),
        "threshold": Parameter(0.26, "1", "(0, 1)", about="Undelivered share that ends slow start (search.rs)"),
    },
    # Bins: duration and end of the last one [s], its number, packets acknowledged and sent by the end of each; drain:
    # window at its end, 0 outside, and packets delivered for which none was sent [packets]
    state={
        **cubic.CUBIC.state, "bin_duration": 0.0, "bin_end": 0.0, "index": 0,
        "acked_bins": [0.0] * ACKED_BINS, "sent_bins": [0.0] * SENT_BINS, "drain_target": 0.0, "drain_credit": 0,
    },
    source="J. Chung, M. Kachooei, F. Li and M. Claypool, SEARCH -- a New Slow Start Algorithm for TCP and QUIC, "
    "draft-chung-ccwg-search-09 (2026); neqo-transport, cc/search.rs; tcp_cubic_search4.0.c",
)  # fmt: skip

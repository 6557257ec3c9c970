"""SEARCH: CUBIC whose slow start ends when fewer packets are delivered than were sent one round trip earlier.

Constants and test are those of draft-chung-ccwg-search-09, as neqo (Mozilla's QUIC, neqo-transport, cc/search.rs) has
them; the draft itself was read in excerpts. The drain is that of the authors' Linux module
(github.com/maryam-ataei/TCP_SS_SEARCH_ALG, tcp_cubic_search4.0.c). Rules: docs/rules/cubic.md.
"""

from dataclasses import replace

from longfat.sim.kernel.jit import inline
from longfat.sim.schemes import cubic, deployed
from longfat.sim.schemes.scheme import Parameter

#: neqo, search.rs: a window consists of W bins (BINS). EXTRA_BINS further bins allow for longer round trips, and one
#: more bin has the count at the beginning of the window.
BINS, EXTRA_BINS = 10, 15
ACKED_BINS, SENT_BINS = BINS + 1, BINS + 1 + EXTRA_BINS
#: tcp_cubic_search4.0.c: BINS_OF_ROUND_TRIP is the number of bins in the first round trip, rounded up, in
#: search_compute_target_cwnd(); LEAST_TARGET is TCP_INIT_CWND, the least target [packets]; DELIVERED_PER_SENT is
#: SEARCH_DRAIN_ACKEDSEG_THRESH: in the drain one packet leaves for every three packets delivered.
BINS_OF_ROUND_TRIP, LEAST_TARGET, DELIVERED_PER_SENT = 3, 10.0, 3

respond = inline(cubic.ack)
time_out = inline(cubic.timeout)


@inline
def update_bins(flow, passed):
    """Record the numbers of packets delivered and sent by the end of each of the `passed` bins that have ended."""
    # neqo, search.rs, update_bins(): bins without an event repeat the counts of the bin before them.
    for k in range(flow.index + 1, flow.index + passed):
        flow.acked_bins[k % ACKED_BINS] = flow.acked_bins[flow.index % ACKED_BINS]
        flow.sent_bins[k % SENT_BINS] = flow.sent_bins[flow.index % SENT_BINS]
    flow.index += passed
    flow.bin_end += passed * flow.bin_duration
    flow.acked_bins[flow.index % ACKED_BINS] = float(flow.delivered)
    flow.sent_bins[flow.index % SENT_BINS] = float(flow.transmission)


@inline
def delivered_in(flow, bins):
    """Return the number of packets delivered in the last `bins` bins."""
    return flow.acked_bins[flow.index % ACKED_BINS] - flow.acked_bins[(flow.index - bins) % ACKED_BINS]


@inline
def sent_until(flow, last):
    """Return the number of packets sent in the window of bins that ends with bin `last`."""
    return flow.sent_bins[last % SENT_BINS] - flow.sent_bins[(last - BINS) % SENT_BINS]


@inline
def watch(flow, event):
    """Update the bins at the end of each bin; begin the drain if deliveries have fallen behind the packets sent."""
    if event.rtt <= 0.0:
        return
    passed = 0
    if flow.bin_duration > 0.0:
        if event.now <= flow.bin_end:
            return
        passed = int((event.now - flow.bin_end) / flow.bin_duration) + 1
    # neqo, search.rs, initialize(): a window is 3.5 times the first round-trip time. update_bins(): the bins start anew
    # if more than a window of bins has passed; the draft does not define this case ("missed bins").
    if flow.bin_duration == 0.0 or passed > BINS:
        flow.bin_duration = flow.memory * event.rtt / BINS
        flow.bin_end = event.now
        flow.index, passed = -1, 1
    update_bins(flow, passed)
    # neqo, search.rs, calc_prev_idx() and compute_sent(): take the packets sent in the window that ended one round trip
    # ago, and interpolate between two bins. A comment in search.rs says that the draft interpolates with the wrong bin.
    back = int(event.rtt / flow.bin_duration)
    last = flow.index - back
    if last <= BINS or back >= EXTRA_BINS:
        return
    share = event.rtt / flow.bin_duration - back
    sent = share * sent_until(flow, last - 1) + (1.0 - share) * sent_until(flow, last)
    # neqo, search.rs, on_packets_acked(): norm_diff = (prev_sent - curr_delv) / prev_sent >= THRESH.
    if sent > 0.0 and sent - delivered_in(flow, BINS) >= flow.threshold * sent:
        flow.drain_target = max(delivered_in(flow, BINS_OF_ROUND_TRIP), LEAST_TARGET)
        flow.drain_credit = 0


@inline
def drain(flow, event):
    """Return the window [packets] while the queue drains; end slow start when the window has reached its target."""
    # tcp_cubic_search4.0.c, search_update(): the window is max(packets in flight + packets to send now, target).
    flow.drain_credit += event.newly_delivered
    window = max(float(flow.in_flight + flow.drain_credit // DELIVERED_PER_SENT), flow.drain_target)
    flow.drain_credit %= DELIVERED_PER_SENT
    if window <= flow.drain_target:
        flow.ssthresh = window
        flow.drain_target = 0.0
    deployed.pace(flow, window)
    return window


def ack(flow, event):
    """Return the window [packets] after an acknowledgment, by CUBIC or by the drain at the end of slow start."""
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
        "memory": Parameter(3.5, "1", "[1, 100]", about="Window of the bins, in first round-trip times (search.rs)"),
        "threshold": Parameter(0.26, "1", "(0, 1)", about="Undelivered share that ends slow start (search.rs)"),
    },
    # Bins: `bin_duration` and `bin_end` are duration and end of the last bin [s], `index` is its number; `acked_bins`
    # and `sent_bins` have the packets delivered and the packets sent by the end of each bin. Drain: `drain_target` is
    # the target window [packets], 0 outside the drain; `drain_credit` counts packets delivered for which no packet was
    # sent.
    state={
        **cubic.CUBIC.state, "bin_duration": 0.0, "bin_end": 0.0, "index": 0,
        "acked_bins": [0.0] * ACKED_BINS, "sent_bins": [0.0] * SENT_BINS, "drain_target": 0.0, "drain_credit": 0,
    },
    source="J. Chung, M. Kachooei, F. Li and M. Claypool, SEARCH -- a New Slow Start Algorithm for TCP and QUIC, "
    "draft-chung-ccwg-search-09 (2026); neqo-transport, cc/search.rs; tcp_cubic_search4.0.c",
)  # fmt: skip

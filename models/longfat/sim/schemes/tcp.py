"""Rules that TCP schemes share: parameters, window growth, reductions, ECN, go-back-N after a timeout.

`STATE` is the state that these schemes keep for a flow. The simulator's field ``inflation`` holds the packets that fast
recovery adds to the window. The rules with their sources: docs/rules/tcp.md.
"""

import math
from typing import Any

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.parameters import flag
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter

INITIAL_WINDOW = Parameter(1.0, "packets", "[1, 1e9]", "window", about="Congestion window at the start of the flow")

#: Parameters, by their names in scenario files. Queues mark packets (ECN) only if `ecn` is 1.
#: `initial_window`: one packet, by Jacobson (1988), section 1; RFC 3390 allows up to four, ns-2.35 begins with two.
#: `bugfix`: at most one fast retransmit per window of data, as in ns-2.35 (tcp.cc, `bugFix_`) and RFC 6582, section
#: 3.2, step 2. BSD Tahoe (1988) and Reno (1990) had no such guard; comparisons with papers of that time, such as
#: Kanakia, Keshav and Mishra (1992), therefore set it to 0.
#: `ack_delay`: our choice, because RFC 5681 states only an upper bound of 0.5 s: the least delay of Linux, tcp.h,
#: TCP_DELACK_MIN.
PARAMETERS = {
    "initial_window": INITIAL_WINDOW,
    "initial_ssthresh": Parameter(1e300, "packets", "[1, inf]", about="Slow-start threshold at the start of the flow"),
    "duplicate_threshold": Parameter(
        3.0, "packets", "[1, 1e6]", about="Duplicate acknowledgments that signal a loss (RFC 5681, section 3.2)"
    ),
    "ssthresh_floor": Parameter(
        2.0, "packets", "[1, 1e9]", about="Lower bound of the slow-start threshold (RFC 5681, section 3.1)"
    ),
    "bugfix": flag(True, "1: at most one fast retransmit per window of data (RFC 6582); 0: no limit"),
    "ecn": flag(False, "1: ECN-capable transport, packets may be marked (RFC 3168); 0: packets are dropped", "ect"),
    "delayed_ack": Parameter(
        1.0, "packets", "[1, 1e6]", "delayed_ack", about="Packets per acknowledgment (RFC 5681, section 4.2: two)"
    ),
    "ack_delay": Parameter(
        0.04, "s", "(0, 0.5]", "ack_delay", about="Longest delay of an acknowledgment (RFC 5681, section 4.2)"
    ),
    "quick_acks": Parameter(
        0.0, "packets", "[0, 1e9]", "quick_acks", about="First packets, each acknowledged immediately, as in Linux"
    ),
    **timers.PARAMETERS,
}
#: `reduced_at`: highest packet sent when the window was last reduced. `reduced_for`: the cause of that reduction.
REDUCTION: dict[str, Any] = {"reduced_at": -2, "reduced_for": 0}
#: State of a flow: slow-start threshold [packets], last reduction of the window, and number of consecutive duplicate
#: acknowledgments.
STATE: dict[str, Any] = {"ssthresh": "initial_ssthresh", **REDUCTION, "duplicates": 0}

LOSS, TIMEOUT, MARK = 1, 2, 3  # causes of a reduction


@inline
def halved(flow, packets):
    """Return the new ssthresh [packets]: half of `packets`, rounded down, but at least `ssthresh_floor`."""
    # RFC 5681, section 3.1, equation 4: ssthresh = max(FlightSize / 2, 2 segments). ns-2.35, tcp.cc, slowdown(), rounds
    # the half down.
    return max(flow.ssthresh_floor, math.floor(packets / 2))


@inline
def grow(flow):
    """Return the window [packets] after an acknowledgment of new data, in slow start or congestion avoidance."""
    # RFC 5681, section 3.1: the window grows by one segment per acknowledgment of new data below ssthresh, and by about
    # one segment per round trip above. ns-2.35, tcp.cc, opencwnd(): 1/cwnd per acknowledgment.
    if flow.window < flow.ssthresh:
        return flow.window + 1.0
    return flow.window + 1.0 / flow.window


@inline
def may_retransmit(flow):
    """Return whether a fast retransmit is allowed: with `bugfix`, at most one for each window of data."""
    # RFC 6582, section 3.2, step 2: retransmit only if the cumulative acknowledgment covers more than `recover`, the
    # highest packet sent at the last reduction. Our choice: a reduction for a mark does not prevent a fast retransmit,
    # because a mark causes no retransmission.
    return flow.una - 1 > flow.reduced_at or flow.bugfix == 0.0 or flow.reduced_for == MARK


@inline
def already_reduced(flow):
    """Return whether a mark has already reduced the congestion window for the flight with the missing packet."""
    # RFC 3168, section 6.1.2: the window is reduced at most once per window of data, whether for marks or for losses.
    return flow.reduced_for == MARK and flow.una - 1 <= flow.reduced_at


@inline
def record_reduction(flow, cause):
    """Record that the window was reduced, and why; the next new packet carries CWR (RFC 3168, section 6.1.2)."""
    flow.reduced_at = flow.high - 1
    flow.reduced_for = cause
    flow.cwr = flow.ect


@inline
def mark_counts(flow):
    """Return whether a mark reduces the window: once per window of data, or at any time after a timeout."""
    # RFC 3168, section 6.1.2: marks reduce the window at most once per window of data. ns-2.35, tcp.cc, ecn(): a mark
    # always counts if a timeout caused the last reduction.
    return flow.una - 1 > flow.reduced_at or flow.reduced_for == TIMEOUT


@inline
def halve_on_mark(flow):
    """Halve the window and ssthresh for a mark, without a retransmission; at one packet, back off the timer instead.

    The backoff follows ns-2.35, tcp.cc, ecn(). At a window of one packet, RFC 3168, section 6.1.2, restarts the timer
    instead, and no packet is sent until it expires.
    """
    if flow.window <= 1.0:
        flow.backoff = min(2.0 * flow.backoff, flow.max_backoff)
    flow.window = max(1.0, flow.window / 2)
    flow.ssthresh = max(flow.ssthresh_floor, flow.window)


@inline
def react_to_mark(flow):
    """Halve the window for a marked acknowledgment, new or duplicate, at most once per window of data."""
    if mark_counts(flow):
        halve_on_mark(flow)
        record_reduction(flow, MARK)


@inline
def retransmit(flow, event, outstanding):
    """Start fast recovery: retransmit the missing packet, and set the window to half of `outstanding` [packets]."""
    # RFC 5681, section 3.2, steps 2 and 3: set ssthresh by equation 4, retransmit the missing segment, and set cwnd to
    # ssthresh plus three segments, which have left the network; here `inflation` holds these three segments.
    if not already_reduced(flow):
        flow.ssthresh = halved(flow, outstanding)
        flow.window = flow.ssthresh
    record_reduction(flow, LOSS)
    flow.inflation = flow.duplicate_threshold
    flow.resend = flow.una
    event.restart_timer = 1


@inline
def go_back(flow):
    """Set ssthresh to half of the packets in flight, and continue to send from the first unacknowledged packet on."""
    # RFC 5681, section 3.1: a timeout sets ssthresh by equation 4. ns-2.35, tcp.cc, slowdown() and timeout(): ssthresh
    # is half of the smaller of window and packets in flight; then go-back-N.
    flow.ssthresh = halved(flow, min(flow.window, float(flow.high - flow.una)))
    flow.inflation = 0.0
    flow.duplicates = 0
    record_reduction(flow, TIMEOUT)
    flow.next = flow.una


def start_over(flow, event):
    """Begin go-back-N from the first unacknowledged packet; return a window of one packet."""
    go_back(flow)
    return 1.0

"""What the TCP schemes share: parameters, growth, halving, marks, go-back-N after a timeout.

What they remember of a flow is `STATE`; of the simulator's fields they use ``inflation`` for what fast recovery adds.
"""

import math
from typing import Any

from longfat.sim.jit import part
from longfat.sim.own import flag
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter

INITIAL_WINDOW = Parameter(1.0, "packets", "[1, 1e9]", "window", about="window when the flow starts")

#: Names as in scenario files. Defaults: schemes.md 1.1. A mark (ECN) comes from queues only if `ecn` is 1.
#: `bugfix` (1.3 rule 6): one fast retransmit per window at most. On, as in ns-2 and RFC 6582; the code of 1988 and
#: 1990 had no such guard, so that for comparisons with papers of that time, KKM among them, it is set to 0.
PARAMETERS = {
    "initial_window": INITIAL_WINDOW,
    "initial_ssthresh": Parameter(1e300, "packets", "[1, inf]", about="slow-start threshold at first"),
    "duplicate_threshold": Parameter(3.0, "packets", "[1, 1e6]", about="duplicates that mean a loss (RFC 5681, 3.2)"),
    "ssthresh_floor": Parameter(2.0, "packets", "[1, 1e9]", about="least slow-start threshold (RFC 5681, 3.1)"),
    "bugfix": flag(True, "1: one fast retransmit per window at most (RFC 6582)"),
    "ecn": flag(False, "1: packets say that they can be marked (RFC 3168)", "ect"),
    **timers.PARAMETERS,
}
#: The highest packet sent when the window was last reduced, and what for.
REDUCTION: dict[str, Any] = {"reduced_at": -2, "reduced_for": 0}
#: What they remember: the slow-start threshold [packets], the last reduction, duplicates in a row.
STATE: dict[str, Any] = {"ssthresh": "initial_ssthresh", **REDUCTION, "duplicates": 0}

LOSS, TIMEOUT, MARK = 1, 2, 3  # what the window was last reduced for


@part
def halved(flow, packets):
    """Half of the packets under way, whole, and not below the floor (1.3 rule 3)."""
    return max(flow.ssthresh_floor, math.floor(packets / 2))


@part
def grow(flow):
    """Rule I: one packet per acknowledgment below ssthresh, one per window above."""
    if flow.window < flow.ssthresh:
        return flow.window + 1.0
    return flow.window + 1.0 / flow.window


@part
def may_retransmit(flow):
    """1.3 rule 6, 1.4 rule 1: not again for what was sent before the last reduction, unless that was for a mark."""
    return flow.una - 1 > flow.reduced_at or flow.bugfix == 0.0 or flow.reduced_for == MARK


@part
def already_reduced(flow):
    """1.9 rule 2: a mark and a loss of the same window reduce it once."""
    return flow.reduced_for == MARK and flow.una - 1 <= flow.reduced_at


@part
def note_reduction(flow, cause):
    """From here on one window is sent; the first new packet tells the receiver (RFC 3168, 6.1.2)."""
    flow.reduced_at = flow.high - 1
    flow.reduced_for = cause
    flow.cwr = flow.ect


@part
def heed_mark(flow):
    """Whether a mark is news: the last reduction is a window ago, or was a timeout (1.9 rule 2)."""
    return flow.una - 1 > flow.reduced_at or flow.reduced_for == TIMEOUT


@part
def halve_on_mark(flow):
    """1.9 rules 2 and 3: half the window and nothing sent again; at one packet the timer backs off instead.

    RFC 3168, 6.1.2, goes further at one packet: nothing is sent until the timer goes off.
    """
    if flow.window <= 1.0:
        flow.backoff = min(2.0 * flow.backoff, flow.max_backoff)
    flow.window = max(1.0, flow.window / 2)
    flow.ssthresh = max(flow.ssthresh_floor, flow.window)


@part
def take_mark(flow):
    """A marked acknowledgment, new or not."""
    if heed_mark(flow):
        halve_on_mark(flow)
        note_reduction(flow, MARK)


@part
def retransmit(flow, event, under_way):
    """1.4 rule 1 (RFC 5681, 3.2): resend what is missing, halve, and count what left the network."""
    if not already_reduced(flow):
        flow.ssthresh = halved(flow, under_way)
        flow.window = flow.ssthresh
    note_reduction(flow, LOSS)
    flow.inflation = flow.duplicate_threshold
    flow.resend = flow.una
    event.restart_timer = 1


@part
def go_back(flow):
    """1.3 rule 4 (RFC 5681, 3.1): half of what was under way becomes ssthresh, and all of it is sent again."""
    flow.ssthresh = halved(flow, min(flow.window, float(flow.high - flow.una)))
    flow.inflation = 0.0
    flow.duplicates = 0
    note_reduction(flow, TIMEOUT)
    flow.next = flow.una


def start_over(flow, event):
    """The timer went off: go back, with a window of one packet."""
    go_back(flow)
    return 1.0

"""What the TCP schemes share: growth, halving, go-back-N after a timeout, and their parameters."""

import math

from longfat.sim.jit import part
from longfat.sim.schemes.scheme import Parameter

#: Names as in scenario files. Defaults: schemes.md 1.1.
PARAMETERS = {
    "initial_window": Parameter(1.0, "packets", "[1, 1e9]", "window"),
    "initial_ssthresh": Parameter(1e300, "packets", "[1, inf]", "ssthresh"),
    "duplicate_threshold": Parameter(3.0, "packets", "[1, 1e6]", "p[0]"),
    "ssthresh_floor": Parameter(2.0, "packets", "[1, 1e9]", "p[1]"),
    "bugfix": Parameter(1.0, "1", "[0, 1]", "p[2]"),
    "ecn": Parameter(0.0, "1", "[0, 1]", "ect"),
}


@part
def duplicate_threshold(flow):
    """Duplicates that mean a loss (1.1)."""
    return flow.p[0]


@part
def halved(packets):
    """Half of the packets under way, whole, two at least (1.3 rule 3)."""
    return max(2.0, math.floor(packets / 2))


@part
def grow(flow):
    """Rule I: one packet per acknowledgment below ssthresh, one per window above."""
    if flow.window < flow.ssthresh:
        return flow.window + 1.0
    return flow.window + 1.0 / flow.window


@part
def reduce_on_mark(flow, event):
    """RFC 3168, 6.1.2: a mark halves the window once per window of data, and nothing is sent again."""
    if flow.una - 1 > flow.recover:
        flow.recover = flow.high - 1
        flow.ssthresh = max(flow.window / 2, 1.0)
        flow.cwr = 1
        return flow.ssthresh
    return flow.window


def start_over(flow, event):
    """1.3 rule 4 (RFC 5681, 3.1): half of what was under way becomes ssthresh, one packet the window, go-back-N."""
    flow.ssthresh = halved(min(flow.window, float(flow.high - flow.una)))
    flow.inflation = 0.0
    flow.duplicates = 0
    flow.recover = flow.high - 1
    flow.next = flow.una
    return 1.0

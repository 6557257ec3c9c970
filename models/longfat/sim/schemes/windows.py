"""Windows, a component of senders: windows are real numbers, or whole packets as in Linux (docs/rules/cubic.md)."""

import math
from typing import Any

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.parameters import choice

PARAMETERS = {
    "integer_windows": choice(0, "1: windows in whole packets, as in Linux; 0: with fractions"),
}
#: `credits`: number of acknowledged packets that have not yet made the window grow.
STATE: dict[str, Any] = {"credits": 0}


@inline
def scaled(flow, window, factor):
    """Return a window [packets] multiplied by a factor, rounded down if windows are in whole packets."""
    if flow.integer_windows == 0.0:
        return window * factor
    # Our choice: 1e-9 is added, because 0.7 has no exact binary representation; 0.7 x 90 would otherwise give 62.
    # Linux uses the factor 717/1024.
    return float(math.floor(window * factor + 1e-9))


@inline
def grow(flow, acked):
    """Return Reno's window [packets] in congestion avoidance, after an acknowledgment of `acked` packets."""
    if flow.integer_windows > 0.0:
        return step(flow, int(flow.window), int(acked))
    # RFC 3465, section 2.1: the window grows by one packet per window of packets acknowledged.
    return flow.window + (float(acked) if flow.growth_limit > 0.0 else 1.0) / flow.window


@inline
def step(flow, per, acked):
    """Return the window [packets], which grows by one packet for every `per` packets acknowledged."""
    # Linux, net/ipv4/tcp_cong.c, tcp_cong_avoid_ai(), has this rule.
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

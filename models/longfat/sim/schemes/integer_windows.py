"""Windows in whole packets, as Linux computes them: Reno's growth and CUBIC's (docs/rules/cubic.md)."""

import math
from typing import Any

from longfat.sim.jit import part
from longfat.sim.own import flag

PARAMETER = flag(False, "1: windows in whole packets, as in Linux; 0: with fractions")
#: Acknowledged packets that have not made the window grow yet.
STATE: dict[str, Any] = {"credits": 0}
#: Of CUBIC: least round-trip time [s], Reno's window and the packets acknowledged towards its growth.
CUBIC_STATE: dict[str, Any] = {"least_rtt": math.inf, "reno_window": 0, "reno_credits": 0}


@part
def scaled(window, factor):
    """Return a whole number of packets, at most the window times a factor."""
    # Ours, because 0.7 has no finite binary fraction, and 0.7 x 90 is less than 63: Linux has 717/1024.
    return math.floor(window * factor + 1e-9)


@part
def grow(flow, per, acked):
    """Return the window, one packet larger for each `per` packets acknowledged."""
    # Linux, net/ipv4/tcp_cong.c, tcp_cong_avoid_ai().
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


@part
def cubic(flow, event, acked):
    """Return CUBIC's window after an acknowledgment of `acked` packets in congestion avoidance.

    Linux, net/ipv4/tcp_cubic.c, bictcp_update(), without its clock: the target is computed with each acknowledgment,
    not each 1/32 s.
    """
    window = int(flow.window)
    flow.reno_credits += acked
    time = event.now - flow.epoch_start + flow.least_rtt - flow.k
    change = math.floor(flow.c * abs(time) * abs(time) * abs(time))
    target = int(flow.w_max) + (change if time > 0.0 else -change)
    per = window // (target - window) if target > window else 100 * window
    if flow.last_w_max == 0.0:  # no loss yet: 5 % in a round trip at least
        per = min(per, 20)
    if flow.reno_friendly > 0.0:
        # beta_scale is 8 (1 + beta)/(3 (1 - beta)), 15 for 717/1024.
        step = window * math.floor(8.0 * (1.0 + flow.beta) / (3.0 * (1.0 - flow.beta))) // 8
        while flow.reno_credits > step:
            flow.reno_credits -= step
            flow.reno_window += 1
        if flow.reno_window > window:
            per = min(per, window // (flow.reno_window - window))
    return grow(flow, max(per, 2), acked)

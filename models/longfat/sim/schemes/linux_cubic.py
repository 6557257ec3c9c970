"""Growth of CUBIC's window in whole packets, as Linux computes it in place of RFC 9438 (docs/rules/cubic.md)."""

import math
from typing import Any

from longfat.sim.kernel.jit import inline
from longfat.sim.schemes import windows
from longfat.sim.schemes.scheme import Parameter

CLOCK_TICK = Parameter(
    0.0,
    "s",
    "[0, 1]",
    about="Clock tick for the growth of integer windows, computed at most every 1/32 s, as in Linux; 0: at each "
    "acknowledgment",
)
#: `least_rtt`: least round-trip time [s]. `reno_window`: Reno's window; `reno_credits`: packets acknowledged towards
#: its growth. `per`: number of acknowledged packets that increase the window by one, computed for the window
#: `computed_for` at the clock tick `computed_at`.
STATE: dict[str, Any] = {
    "least_rtt": math.inf, "reno_window": 0, "reno_credits": 0, "per": 0, "computed_for": 0, "computed_at": 0,
}  # fmt: skip


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
            return windows.step(flow, flow.per, acked)
        if tick == flow.computed_at and flow.epoch_start < event.now:
            flow.per = reno_friendly(flow, window, flow.per)
            return windows.step(flow, flow.per, acked)
        flow.computed_for = window
        flow.computed_at = tick
        time = flow.clock_tick * (tick - ticks(flow.epoch_start, flow.clock_tick))
        time += flow.clock_tick * math.ceil(flow.least_rtt / flow.clock_tick)  # usecs_to_jiffies() rounds up
    else:
        time = event.now - flow.epoch_start + flow.least_rtt
    flow.per = reno_friendly(flow, window, packets_for_one(flow, window, time - flow.k))
    return windows.step(flow, flow.per, acked)


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
    """Return `per` [acknowledged packets per packet of growth], or less if Reno's window is larger; at least 2."""
    if flow.reno_friendly > 0.0:
        # Linux's beta_scale is 8 (1 + beta)/(3 (1 - beta)), rounded down: 15 for beta = 717/1024.
        step = window * math.floor(8.0 * (1.0 + flow.beta) / (3.0 * (1.0 - flow.beta))) // 8
        while flow.reno_credits > step:
            flow.reno_credits -= step
            flow.reno_window += 1
        if flow.reno_window > window:
            per = min(per, window // (flow.reno_window - window))
    return max(per, 2)

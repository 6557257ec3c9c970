"""Priorities that a source writes into its packets: the further ahead of an acknowledgment, the worse (schemes.md 8.2).

From the packet `burst` on, windows follow each other of sizes 1, g + a, g (g + a) + a, ... with g the `growth` and a
the `step`: powers of g without a step, an arithmetic series with g = 1. The priority is the number of the window.
"""

from longfat.sim.jit import part


@part
def begin_burst(flow, number):
    """Priorities begin anew at this packet, for what is sent from now on."""
    flow.burst = number
    flow.level = 0
    flow.level_size = 1.0
    flow.level_end = 1.0


@part
def priority_of(flow, number):
    """Of a packet that is sent now; numbers ascend until the next burst."""
    if flow.level_end == 0.0:
        begin_burst(flow, flow.burst)
    while number - flow.burst >= flow.level_end:
        flow.level_size = flow.growth * flow.level_size + flow.step
        flow.level_end += flow.level_size
        flow.level += 1
    return flow.level

"""What the paced schemes share: the timers of reliability, and what one acknowledgment tells of those before it.

Their rates follow from round trips and losses alone. Packets are repaired by the engine (schemes.md 0.3), whose
timer they restart with every acknowledgment: it then goes off only when none comes at all, not while a hole is open.
Transmissions are counted, not packets, so that a packet sent again is a new one, as in protocols that send nothing
again.
"""

from longfat.sim.jit import part
from longfat.sim.schemes import timers

TIMERS = timers.PARAMETERS
SLACK = 1e-9  # s; clocks are whole nanoseconds


@part
def holes(flow, event):
    """Transmissions before the one just acknowledged that are neither acknowledged nor found lost."""
    return max(0, flow.in_flight - (flow.transmission - 1 - event.transmission))


@part
def silence(flow, rate):
    """Return how long without an acknowledgment is too long [s]: in round trips, or packets at this rate."""
    return max(flow.silent_rtts * flow.rtt, flow.silent_packets * flow.packet_size / rate)


@part
def next_departure(flow, now, interval):
    """When the next packet leaves [s], if one does so `interval` seconds after the last one."""
    return max(now, flow.last_sent + interval)

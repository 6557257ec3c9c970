"""The line between a source and its first node, where a flow has one of its own (`access_rate`).

The source gives it one packet at a time and keeps back what it cannot send yet, so that a scheme which changes its mind
finds nothing of the old one queued. Each connection of a flow of arrivals has a line of its own.
"""

from longfat.sim.jit import part
from longfat.sim.kernel.events import arm
from longfat.sim.memory import flow_at, packet_at
from longfat.sim.records import NONE, PACE


@part
def leave(world, f, i):
    """A packet leaves its source: it is on the flow's own line until that has sent it, or at its first node at once."""
    flow = flow_at(world, f)
    if flow.access_rate == 0:
        world.entering = i
        return
    if flow.access_free < world.now:
        flow.access_free = world.now
        flow.access_rest = flow.access_rate >> 1
    # As `links.transmission_time`: k packets in a row take round(8 k size / rate).
    units = int(packet_at(world, i).length) * 8_000_000_000 * flow.access_scale + flow.access_rest
    time = units // flow.access_rate
    flow.access_rest = units - time * flow.access_rate
    flow.access_free += time
    flow.on_line = i
    arm(world, f, PACE, flow.access_free)


@part
def arrive(world, f):
    """The line has sent its packet."""
    flow = flow_at(world, f)
    world.entering = flow.on_line
    flow.on_line = NONE

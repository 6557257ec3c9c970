"""What disciplines ask of the line behind the queue."""

import math

from longfat.sim.jit import part


@part
def capacity(link):
    """Bytes/s; infinite for a line without transmission time."""
    return link.rate / (8.0 * link.scale) if link.scale > 0 else math.inf


@part
def finds_no_room(link, packet, now):
    """Whether the buffer will drop the packet that has just arrived."""
    if link.free * 1e-9 <= now:
        return False
    return link.waiting >= link.limit_packets or link.waiting_bytes + packet.length > link.limit_bytes

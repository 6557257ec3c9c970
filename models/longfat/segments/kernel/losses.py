"""Distance to the next lost packet, for independent and for listed losses (`longfat.segments.channel.parameters`)."""

from __future__ import annotations

from longfat.sim.kernel.jit import inline

NEVER = 1 << 60  # packets or packet times; the sum of two still fits into 64 bits


@inline
def packets_to_next_loss(rng, losses, state):
    """Return the number of packets delivered before the next loss; ``state[0]`` counts the listed losses."""
    if losses[0] == 0.0:
        return NEVER
    if losses[0] > 0.0:
        packets = rng.standard_exponential() / losses[0]
        return int(packets) if packets < NEVER else NEVER
    state[0] += 1
    return int(losses[state[0]]) if state[0] < len(losses) else NEVER


@inline
def lost_in_group(rng, losses, state, gap, packets):
    """Send a group of packets; return how many are lost, and how many packets follow the group before the next loss."""
    lost = 0
    while gap < packets:
        lost += 1
        packets -= gap + 1
        gap = packets_to_next_loss(rng, losses, state)
    return lost, gap - packets

"""Distance to the next lost packet, for each kind of channel of `longfat.segments.channel`."""

from __future__ import annotations

import numpy as np

from longfat.sim.kernel.jit import inline

NEVER = 1 << 60  # packets or packet times; the sum of two still fits into 64 bits

# Columns of the channel's parameters (exponential rates per packet); the columns of the channel's state follow.
GOOD_RATE, BAD_RATE, LEAVE_GOOD, LEAVE_BAD = range(4)
IN_BAD, LEFT_IN_STATE = range(2)

# A channel with a list of losses has other parameters: a negative number, then for each loss the number of packets
# delivered before it.
NEXT_LISTED = 0  # column of the state


@inline
def geometric(rng, rate):
    """Draw the number of packets before an event that occurs at each packet with probability 1 - exp(-rate)."""
    if rate <= 0.0:
        return NEVER
    packets = rng.standard_exponential() / rate
    return int(packets) if packets < NEVER else NEVER


@inline
def start_channel(rng, channel, state):
    """Draw the channel's initial state from its stationary distribution, or start with the first of listed losses."""
    if channel[GOOD_RATE] < 0.0:
        state[NEXT_LISTED] = 1
        return
    leave_good, leave_bad = -np.expm1(-channel[LEAVE_GOOD]), -np.expm1(-channel[LEAVE_BAD])
    state[IN_BAD] = 0
    if leave_good > 0.0 and rng.random() * (leave_good + leave_bad) < leave_good:
        state[IN_BAD] = 1
    state[LEFT_IN_STATE] = geometric(rng, channel[LEAVE_GOOD + state[IN_BAD]])


@inline
def packets_to_next_loss(rng, channel, state):
    """Draw the number of packets delivered before the next loss."""
    if channel[GOOD_RATE] < 0.0:
        if state[NEXT_LISTED] == len(channel):
            return NEVER
        state[NEXT_LISTED] += 1
        return int(channel[state[NEXT_LISTED] - 1])
    if channel[LEAVE_GOOD] <= 0.0:
        return geometric(rng, channel[GOOD_RATE])
    arrived = 0
    while arrived < NEVER:
        gap = geometric(rng, channel[GOOD_RATE + state[IN_BAD]])
        # After the next packet, LEFT_IN_STATE further packets are sent before the channel changes its state.
        if gap <= state[LEFT_IN_STATE]:
            spent, lost = gap + 1, True
        else:
            spent, lost = state[LEFT_IN_STATE] + 1, False
        state[LEFT_IN_STATE] -= spent
        if state[LEFT_IN_STATE] < 0:
            state[IN_BAD] = 1 - state[IN_BAD]
            state[LEFT_IN_STATE] = geometric(rng, channel[LEAVE_GOOD + state[IN_BAD]])
        if lost:
            return arrived + gap
        arrived += spent
    return NEVER


@inline
def lost_in_group(rng, channel, state, gap, packets):
    """Send a group of packets; return how many are lost, and how many packets follow the group before the next loss."""
    lost = 0
    while gap < packets:
        lost += 1
        packets -= gap + 1
        gap = packets_to_next_loss(rng, channel, state)
    return lost, gap - packets

"""A rate from what a queue said one loop ago: the law of the explicit feedback schemes, and how they begin.

A queue told its backlog and the rate at which it serves the flow. When the next packet arrives there, a loop later,
what was sent meanwhile has joined it and what was served has left; the rate is the one served, and what makes good in
one loop what the backlog then lacks (Mishra and Kanakia, SIGCOMM 1992; gain and set point are ours).
"""

import math

from longfat.sim.jit import part

SHORTEST = 1e-9  # s, of a loop: where neither lines nor packets take time


@part
def predicted_rate(service, backlog, sent, loop, gain, set_point):
    """Packets/s, from packets/s, packets, packets sent meanwhile, and seconds; one packet a loop at least.

    Without the floor nobody would be told that the rate may rise again.
    """
    expected = max(0.0, backlog + sent - service * loop)
    return max(1.0 / loop, service + gain * (set_point - expected) / loop)


@part
def held_back(row, rate, now, loop):
    """Return the rate, at first at most twice that of the loop before, until that is enough.

    `row`, a flow or what a switch keeps of one, has as its state `limit`, the rate of the start [packets/s], infinite
    once that is over, and `doubles`, when it doubles next [s].
    """
    if row.limit == math.inf:
        return rate
    if now >= row.doubles:
        row.limit *= 2.0
        row.doubles = now + loop
    if rate <= row.limit:
        row.limit = math.inf
        return rate
    return row.limit

"""Rate law of the explicit-feedback schemes: rate from a queue's backlog and service rate, and its limit at the start.

A switch reports the backlog of a flow and the rate at which it serves the flow. When the next packet reaches that
queue, one feedback delay later, the packets sent meanwhile have joined it and those served have left. The rate is the
service rate plus a share of what brings the predicted backlog to its set point within one feedback delay (Mishra and
Kanakia, SIGCOMM 1992). Ours, because the paper could not be read in full: gain and set point; see
docs/rules/explicit-feedback.md.
"""

import math

from longfat.sim.kernel.jit import part

SHORTEST_DELAY = 1e-9  # s; feedback takes at least that, even over links without delay and transmission time


@part
def predicted_rate(service, backlog, sent, delay, gain, set_point):
    """Return the rate [packets/s] that brings the predicted backlog to the set point, above a small lower bound.

    The arguments are the service rate [packets/s], the backlog [packets], the packets sent since it was measured, and
    the feedback delay [s]. Without the lower bound no packet would bring the feedback that the rate may grow again: one
    packet per delay, or a tenth of the service rate on paths so short that this is less.
    """
    # Mishra and Kanakia (1992): the backlog that the next packet will meet; a rate that corrects a share of its error.
    expected = max(0.0, backlog + sent - service * delay)
    return max(min(1.0 / delay, 0.1 * service), service + gain * (set_point - expected) / delay)


@part
def limited_at_start(row, rate, now, delay):
    """Return the rate, limited at the start; the limit doubles once per feedback delay, until the rate is below it.

    `row`, a flow or the record of a flow at a switch, has as its state `limit`, the limit of the rate [packets/s],
    infinite once the start is over, and `doubles`, the time at which it doubles next [s].
    """
    # Ours, because the start is not printed: the rate doubles at most once in a feedback delay.
    if row.limit == math.inf:
        return rate
    if now >= row.doubles:
        row.limit *= 2.0
        row.doubles = now + delay
    if rate <= row.limit:
        row.limit = math.inf
        return rate
    return row.limit

"""Rate law of the explicit-feedback schemes: the rate for a reported backlog and service rate, limited at the start.

A switch reports the backlog of a flow and the rate at which it serves the flow. When the next packet reaches that
queue, one feedback delay later, the packets sent meanwhile have joined it and those served have left. The rate is the
service rate plus a share of the rate that would bring the predicted backlog to its set point within one feedback delay
(Mishra and Kanakia, SIGCOMM 1992). Gain and set point are ours, because the paper could not be read in full: see
docs/rules/explicit-feedback.md.
"""

import math

from longfat.sim.kernel.jit import part

SHORTEST_DELAY = 1e-9  # s; lower bound of the feedback delay, for links without delay and transmission time


@part
def predicted_rate(service, backlog, sent, delay, gain, set_point):
    """Return the rate [packets/s] that moves the predicted backlog to the set point, at least a small lower bound.

    The arguments are the service rate [packets/s], the backlog [packets], the packets sent since it was measured,
    the feedback delay [s], the gain [1] and the set point [packets]. The lower bound is one packet per delay, or a
    tenth of the service rate if that is less, as on short paths. Without it no packet would be sent whose feedback
    lets the rate grow again.
    """
    # Mishra and Kanakia (1992): predict the backlog that the next packet finds, and correct a share of its error.
    expected = max(0.0, backlog + sent - service * delay)
    return max(min(1.0 / delay, 0.1 * service), service + gain * (set_point - expected) / delay)


@part
def limited_at_start(row, rate, now, delay):
    """Return the rate, limited at the start by a bound that doubles once per feedback delay until the rate is below it.

    `row`, a flow or the record of a flow at a switch, has as its state `limit`, the limit of the rate [packets/s],
    infinite once the start is over, and `doubles`, the time at which it doubles next [s].
    """
    # Ours, because the papers do not print a rule for the start: the rate doubles at most once per feedback delay.
    if row.limit == math.inf:
        return rate
    if now >= row.doubles:
        row.limit *= 2.0
        row.doubles = now + delay
    if rate <= row.limit:
        row.limit = math.inf
        return rate
    return row.limit

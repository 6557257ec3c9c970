"""Header fields by which sources and switches inform each other, and the rate law of explicit-feedback schemes.

The rate law: a switch reports the backlog of a flow and the rate at which it serves the flow. The next packet reaches
the flow's queue one feedback delay later; by then, packets sent meanwhile have joined the queue, and packets served
have left. The sending rate is the service rate plus the gain times the rate that would bring the predicted backlog to
its set point within one feedback delay (Mishra and Kanakia, SIGCOMM 1992). While a flow starts, a doubling bound limits
the rate. Gain and set point are our choice, because the paper could not be read in full: see
docs/rules/explicit-feedback.md.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import DATA, STAMPED

# A header has four fields, 0 to 3. Field 3 identifies the scheme by one of these negative numbers; headers of loss-load
# have a capacity there, which is not negative. XCP's number is HEEDED as soon as a router has written feedback.
OWNER = 3
UNHEEDED, HEEDED, OF_EXPLICIT_FEEDBACK, OF_HOP_BY_HOP = -1.0, -2.0, -3.0, -4.0
OF_CREDIT, OF_BECN, OF_DYNAMIC_WINDOW = -5.0, -6.0, -7.0
# XCP: round-trip time [s], 0 if not yet measured; window [bytes]; change of the window [bytes].
ROUND_TRIP, WINDOW, CHANGE = range(3)
# Explicit feedback: service rate of the flow [bytes/s]; backlog of the flow [packets].
SERVICE_RATE, BACKLOG = range(2)
# Hop-by-hop control and credit: the time at which the packet left the upstream node [s], 0 at its source. Then, of
# hop-by-hop control, the initial rate of the flow [bytes/s]; of credit, 1 if the packet left without credit, which
# requests the counts.
LEFT, START_RATE = range(2)
CHECK = 1
# Feedback of hop-by-hop control: the backlog minus the number of the next packet to arrive; the service rate [bytes/s];
# the time at which a packet that arrives now left the upstream node [s].
BALANCE, RATE, TIME = range(3)
# Credit cell: number of cells forwarded; allocation.
FORWARDED, ALLOCATION = range(2)
# Dynamic windows: the requested window, which each switch reduces to the window that it grants, 0 without a request;
# the window to which each switch reduces the flow's reservation, 0 without a release.
WANTED, KEPT = range(2)

SHORTEST_DELAY = 1e-9  # s; lower bound of the feedback delay, for links with neither delay nor transmission time


@inline
def belongs(packet, scheme):
    """Return whether a packet is a data packet whose header has the identifier `scheme`."""
    return packet.kind == DATA and packet.flags & STAMPED != 0 and packet.header[OWNER] == scheme


@inline
def predicted_rate(service, backlog, sent, delay, gain, set_point):
    """Return the sending rate [packets/s] that brings the predicted backlog to its set point, at least a lower bound.

    The arguments are the service rate [packets/s], the backlog [packets], the packets sent since the backlog was
    measured, the feedback delay [s], the gain [1] and the set point [packets]. The lower bound is one packet per delay,
    or a tenth of the service rate if that is less, as on short paths. Without a lower bound a flow could stop for ever,
    because only feedback on a packet lets its rate grow again.
    """
    # Mishra and Kanakia (1992): predict the backlog that the next packet finds, and multiply its deviation from the set
    # point by the gain.
    expected = max(0.0, backlog + sent - service * delay)
    return max(min(1.0 / delay, 0.1 * service), service + gain * (set_point - expected) / delay)


@inline
def limited_at_start(row, rate, now, delay):
    """Return the rate [packets/s], bounded while a flow starts; the bound doubles once per feedback delay.

    The start ends when `rate` is at most the bound. `row`, a flow or a switch's record of a flow, has two state
    variables: `limit`, the bound [packets/s], infinite after the start; and `doubles`, the time [s] at which the bound
    doubles next.
    """
    # Our choice, because the papers print no rule for the start of a flow: the upper bound of the rate doubles at most
    # once per feedback delay.
    if row.limit == math.inf:
        return rate
    if now >= row.doubles:
        row.limit *= 2.0
        row.doubles = now + delay
    if rate <= row.limit:
        row.limit = math.inf
        return rate
    return row.limit

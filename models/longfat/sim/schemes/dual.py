"""DUAL: Tahoe with a window reduction when the round-trip time exceeds the mean of its minimum and maximum.

Every acknowledgment of new data updates minimum and maximum. Every second round trip, their mean is compared with the
round-trip time of the first packet that was sent at least one round trip after the last comparison. The rules with
their sources: docs/rules/tcp.md.
"""

from longfat.sim.kernel.jit import inline
from longfat.sim.schemes import tahoe
from longfat.sim.schemes.scheme import Parameter, Scheme
from longfat.sim.schemes.tcp import PARAMETERS, STATE, go_back

as_tahoe = inline(tahoe.ack)


@inline
def reset_rtt_range(flow):
    """Reset minimum and maximum of the round-trip time, and begin a new round trip."""
    flow.least = 1e300
    flow.most = 0.0
    flow.rounds = 0
    flow.round_end = flow.una


@inline
def is_late(flow, rtt):
    """Return, in every second round trip, whether `rtt` [s] exceeds the mean of minimum and maximum; else False."""
    # Wang and Crowcroft (1992); Peterson and Davie, section 6.4: in every second round trip, compare the round-trip
    # time with the mean of the least and the greatest one so far; if it is longer, reduce the window by an eighth.
    flow.round_end = flow.next
    flow.rounds += 1
    if flow.rounds < 2:
        return False
    flow.rounds = 0
    return rtt > flow.least + flow.point * (flow.most - flow.least)


def ack(flow, event):
    """Return Tahoe's window [packets], times 7/8 if the round-trip time exceeds the mean of minimum and maximum."""
    window = as_tahoe(flow, event)
    if event.acked > 0:
        flow.least = min(flow.least, event.rtt)
        flow.most = max(flow.most, event.rtt)
        if flow.una > flow.round_end and is_late(flow, event.rtt):
            window = max(1.0, flow.decrease * window)
            flow.ssthresh = window  # our choice, because slow start would otherwise undo the reduction immediately
    return window


def start(flow, event):
    """Return the initial window [packets], and reset the range of the round-trip time."""
    reset_rtt_range(flow)
    return flow.window


def timeout(flow, event):
    """Return a window of one packet, and reset the range of the round-trip time, because the path may have changed."""
    go_back(flow)
    reset_rtt_range(flow)
    return 1.0


DUAL = Scheme(
    "dual",
    start=start,
    ack=ack,
    timeout=timeout,
    recovery="own",
    parameters={
        **PARAMETERS,
        "decrease": Parameter(
            0.875, "1", "(0, 1]", about="Multiplicative decrease factor of the window after a late round trip"
        ),
        "point": Parameter(
            0.5, "1", "[0, 1]", about="Limit of late round trips, between least (0) and greatest (1) round-trip time"
        ),
    },
    # `least` and `most`: least and greatest round-trip time [s]. `round_end`: the packet that ends the round trip.
    # `rounds`: round trips since the last comparison.
    state={**STATE, "least": 1e300, "most": 0.0, "round_end": 0, "rounds": 0},
    source=(
        "Z. Wang and J. Crowcroft, Eliminating Periodic Packet Losses in the 4.3-Tahoe BSD TCP Congestion Control "
        "Algorithm, ACM Comput. Commun. Rev. 22 (1992), no. 2, pp. 9-16; after L. Peterson and B. Davie, Computer "
        "Networks: A Systems Approach, 6th ed. (2021), section 6.4"
    ),
)

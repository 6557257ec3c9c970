"""Reno: fast retransmit and fast recovery, half the window after a loss (RFC 5681; rules in docs/rules/tcp.md)."""

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.parameters import flag
from longfat.sim.schemes import tcp
from longfat.sim.schemes.scheme import Scheme


@inline
def counts(flow, event):
    """Return whether a duplicate acknowledgment counts towards fast retransmit.

    With `ordered_duplicates`, it counts only if the packet that triggered it was sent after the last transmission of
    the missing packet. Since the last timeout, packets were sent in the order of their numbers, except the packet that
    was retransmitted last: for that packet transmissions are compared, for others a higher number shows a later one.
    """
    # Our choice, because with a duplicate threshold of one (Kim and Farber 1994, section 4) duplicates caused by
    # go-back-N, which resends packets that the receiver has, would be taken for losses.
    if flow.ordered_duplicates == 0.0:
        return True
    if event.number < flow.una or event.transmission < flow.first:
        return False
    return flow.una != flow.resent or event.transmission > flow.resent_as


def ack(flow, event):
    """Return the window [packets]: grown by new data, which ends fast recovery; halved by the third duplicate."""
    if event.marked:
        tcp.react_to_mark(flow)
    if event.acked > 0:
        # RFC 5681, section 3.2, step 6, and ns-2.35, tcp-reno.cc, recv(): any acknowledgment of new data, even a
        # partial acknowledgment, deflates the window and ends recovery.
        flow.inflation = 0.0
        flow.duplicates = 0
        return flow.window if event.marked else tcp.grow(flow)
    if event.duplicate and counts(flow, event):
        flow.duplicates += 1
        if flow.duplicates == flow.duplicate_threshold and tcp.may_retransmit(flow):
            tcp.retransmit(flow, event, flow.high - flow.una)
            flow.resent, flow.resent_as = flow.una, flow.transmission
        elif flow.duplicates > flow.duplicate_threshold and flow.inflation > 0.0:
            flow.inflation += 1.0  # RFC 5681, section 3.2, step 4: each further duplicate
    return flow.window


def timeout(flow, event):
    """End fast recovery and begin go-back-N after a timeout; return a window of one packet."""
    flow.first = flow.transmission
    tcp.go_back(flow)
    return 1.0


ORDERED = flag(False, "1: count only duplicates triggered by packets sent after the missing one; 0: count all")
RENO = Scheme(
    "reno",
    ack=ack,
    timeout=timeout,
    recovery="own",
    parameters={**tcp.PARAMETERS, "ordered_duplicates": ORDERED},
    # `first`: first transmission since the last timeout. `resent`: the packet retransmitted last. `resent_as`: number
    # of the transmission in which it was resent.
    state={**tcp.STATE, "first": 0, "resent": 0, "resent_as": 0},
    scale_free=True,
    source=(
        "M. Allman, V. Paxson and E. Blanton, RFC 5681 (2009), TCP Congestion Control, sections 3.1 and 3.2; "
        "ns-2.35, tcp-reno.cc, class RenoTcpAgent"
    ),
)

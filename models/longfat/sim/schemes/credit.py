"""Credit flow control at the source: the source sends only packets for which the first switch has granted credits.

The source is the first node of a chain in which every node receives credits from the next node. The scheme needs links
with the discipline of the same name (`longfat.sim.queues.credit`); without such a link the source stops after its first
allocation. The rules with their sources: docs/rules/explicit-feedback.md.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.feedback import ALLOCATION, FORWARDED, OF_CREDIT, OWNER
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme


def window(flow, event):
    """Return the window [packets] that the credit balance allows: the transmissions in flight plus the credits left."""
    # Our addition: if a flow sends no packet for `lifetime` seconds, both ends of a link reset its allocation to one
    # cell (`longfat.sim.queues.credit`).
    if flow.lifetime > 0.0:
        flow.alarm = max(flow.last_sent, flow.received_at) + flow.lifetime
        if event.now >= flow.alarm:
            flow.allocation, flow.alarm = 1.0, math.inf
    # Kung, Blackwell and Chapman (1994), credit update protocol: Crd_Bal = Buf_Alloc - (Tx_Cnt - Fwd_Cnt). The window
    # is this balance plus the packets in flight between source and receiver.
    return max(0.0, flow.in_flight + flow.allocation - (flow.transmission - flow.forwarded))


allowed = inline(window)


def start(flow, event):
    """Return the window [packets] of the first allocation."""
    flow.header[OWNER] = OF_CREDIT
    flow.allocation = 1.0 if flow.lifetime > 0.0 else flow.n2 + flow.n3
    return allowed(flow, event)


def ack(flow, event):
    """Return the window [packets] after a credit packet, which brings new counts, or after an acknowledgment."""
    if event.number < 0 and event.header[OWNER] == OF_CREDIT:
        flow.forwarded = max(flow.forwarded, int(event.header[FORWARDED]))
        flow.allocation = event.header[ALLOCATION]
        flow.received_at = event.now
    # Our addition: if nothing is in flight, no further credit packet will arrive. The acknowledgment then replaces lost
    # credit packets, because acknowledged packets have been forwarded.
    elif event.number >= 0 and flow.in_flight == 0:
        flow.forwarded = max(flow.forwarded, int(event.transmission) + 1)
    return allowed(flow, event)


def timeout(flow, event):
    """Return the window [packets], at least one packet, so that one packet leaves even without credit."""
    # Our choice, in place of the credit check cells of Kung, Blackwell and Chapman (1994): after a timeout one packet
    # may leave without credit. If all cells in flight or their credit cells are lost, only such a packet brings new
    # credit. If no link loses cells and `min_rto` exceeds the round-trip time with all buffers full, the timer does not
    # expire.
    return max(1.0, allowed(flow, event))


CREDIT = Scheme(
    "credit",
    start=start,
    ack=ack,
    loss=ack,
    timeout=timeout,
    alarm=window,
    stamped=True,
    parameters={
        "n2": Parameter(
            10.0, "packets", "[1, 1e6]", about="Forwarded packets per credit packet: the switches' `n2`", integer=True
        ),
        "n3": Parameter(
            30.0, "packets", "[0, 1e9]", about="Packets that fill a round trip to the switch, its `n3`", integer=True
        ),
        "lifetime": Parameter(
            0.0, "s", "[0, 1e3]", about="Idle time that resets the allocation (switches' `interval`); 0: always n2 + n3"
        ),
        **timers.parameters("rfc"),
    },
    # `forwarded`: packets that the first switch has forwarded, and `allocation`: its allocation, both from the last
    # credit packet, which arrived at `received_at` [s].
    state={"forwarded": 0, "allocation": 0.0, "received_at": 0.0},
    source=(
        "H. T. Kung, T. Blackwell and A. Chapman, Credit-Based Flow Control for ATM Networks: Credit Update Protocol, "
        "Adaptive Credit Allocation and Statistical Multiplexing, Proc. ACM SIGCOMM 1994, doi:10.1145/190314.190324 "
        "(after summaries; not checked against the original)"
    ),
)

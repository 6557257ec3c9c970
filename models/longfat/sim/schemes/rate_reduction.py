"""Proportional rate reduction (RFC 9937): the number of packets sent for each acknowledgment in loss recovery."""

import math
from typing import Any

from longfat.sim.kernel.jit import part
from longfat.sim.plugin.parameters import Parameter

PARAMETER = Parameter(
    0.0,
    "1",
    "{0, 1, 2}",
    about="1: proportional rate reduction (RFC 9937); 2: with Linux's RecoverFS, the window before the loss; 0: the "
    "window is ssthresh at once",
)
#: State of a flow: packets delivered in this recovery, data in flight at its beginning (RecoverFS) [packets], and
#: number of the first transmission in it.
STATE: dict[str, Any] = {"prr_delivered": 0, "prr_in_flight": 1.0, "prr_transmission": 0}


@part
def begin(flow, event):
    """Begin a recovery; the target is ``flow.ssthresh``."""
    # RFC 9937, section 6.1: prr_delivered = prr_out = 0; RecoverFS is the data sent and not delivered before the
    # acknowledgment that begins the recovery, packets found lost included. Linux, net/ipv4/tcp_input.c,
    # tcp_init_cwnd_reduction(): the window before the reduction (prior_cwnd).
    flow.prr_delivered = 0
    in_flight = float(flow.high - flow.delivered + event.newly_delivered)
    flow.prr_in_flight = max(1.0, flow.window if flow.prr > 1.0 else in_flight)
    flow.prr_transmission = flow.transmission


@part
def window(flow, event):
    """Return the window [packets] after an acknowledgment in recovery: packets in flight plus those allowed now."""
    # RFC 9937, section 6.2. The data in flight is the pipe of RFC 6675; prr_out counts transmissions of this recovery.
    if event.newly_delivered == 0:
        return flow.window
    flow.prr_delivered += event.newly_delivered
    sent = flow.transmission - flow.prr_transmission
    if flow.in_flight > flow.ssthresh:
        count = math.ceil(flow.prr_delivered * flow.ssthresh / flow.prr_in_flight) - sent
    else:
        count = max(flow.prr_delivered - sent, event.newly_delivered)  # conservative reduction bound (PRR-CRB)
        if event.acked > 0 and event.lost == 0:  # SafeACK: slow start reduction bound (PRR-SSRB)
            count += 1
        count = min(math.floor(flow.ssthresh) - flow.in_flight, count)
    # The first packet of a recovery leaves whatever the bounds.
    return float(flow.in_flight + max(count, 1 if sent == 0 else 0))

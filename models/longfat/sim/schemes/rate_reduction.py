"""Proportional rate reduction (RFC 6937): how many packets leave for each acknowledgment in loss recovery."""

import math
from typing import Any

from longfat.sim.jit import part
from longfat.sim.schemes.scheme import Parameter

PARAMETER = Parameter(
    0.0,
    "1",
    "{0, 1, 2}",
    about="Proportional rate reduction (RFC 6937), 1: PRR-SSRB, 2: PRR-CRB; 0: the window is ssthresh at once",
)
#: State of a flow: packets delivered in this recovery, data in flight at its beginning (RecoverFS) [packets], and
#: number of the first transmission in it.
STATE: dict[str, Any] = {"prr_delivered": 0, "prr_in_flight": 1.0, "prr_transmission": 0}


@part
def begin(flow):
    """Begin a recovery; the target is ``flow.ssthresh``."""
    # RFC 6937, section 3: prr_delivered = prr_out = 0, RecoverFS = snd.nxt - snd.una.
    flow.prr_delivered = 0
    flow.prr_in_flight = max(1.0, float(flow.high - flow.una))
    flow.prr_transmission = flow.transmission


@part
def window(flow, event):
    """Return the window [packets] after an acknowledgment in recovery: what is in flight, and what may leave now."""
    # RFC 6937, section 3. The data in flight is the pipe of RFC 6675; prr_out counts transmissions of this recovery.
    flow.prr_delivered += event.newly_delivered
    sent = flow.transmission - flow.prr_transmission
    if flow.in_flight > flow.ssthresh:
        count = math.ceil(flow.prr_delivered * flow.ssthresh / flow.prr_in_flight) - sent
    else:
        limit = flow.prr_delivered - sent  # conservative reduction bound (PRR-CRB)
        if flow.prr == 1.0:  # slow start reduction bound (PRR-SSRB)
            limit = max(limit, event.newly_delivered) + 1
        count = min(math.floor(flow.ssthresh) - flow.in_flight, limit)
    return float(flow.in_flight + max(0, count))

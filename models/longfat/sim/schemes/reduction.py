"""Reduction, a component of senders: the window during loss recovery, by RFC 6675, RFC 9937 or as in Linux."""

import math
from typing import Any

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.parameters import choice
from longfat.sim.schemes import tcp

PARAMETERS = {
    "prr": choice(
        0,
        "1: proportional rate reduction (RFC 9937); 2: the same, but RecoverFS is the window before the loss, as in "
        "Linux; 0: the window is ssthresh immediately",
        "{0, 1, 2}",
    ),
    "growth_at_exit": choice(
        0, "1: the acknowledgment that ends a recovery makes the window grow, as in Linux; 0: it does not"
    ),
}
#: State of a flow. `prr_delivered`: packets delivered in this recovery. `prr_in_flight`: packets in flight at its
#: beginning (RecoverFS). `prr_transmission`: number of its first transmission.
STATE: dict[str, Any] = {"prr_delivered": 0, "prr_in_flight": 1.0, "prr_transmission": 0}


@inline
def begin(flow, event, window):
    """Begin a recovery, retransmit the first packet found lost, and return the window [packets].

    The returned window is `window` or, with proportional rate reduction, the volume in flight, which recovery reduces
    to ``flow.ssthresh``. If a timer has found the loss, the returned window applies until the next acknowledgment.
    """
    tcp.record_reduction(flow, tcp.LOSS)
    flow.recovering = True
    flow.credits = 0
    flow.resend = event.number  # RFC 6675, section 5, step 4.3: the first lost packet is sent whatever the pipe is
    event.restart_timer = 1  # RFC 6675, section 6: re-arm on a retransmission
    if flow.prr == 0.0:
        return window
    # RFC 9937, section 6.1: prr_delivered = prr_out = 0. RecoverFS is the data sent and not delivered before the
    # acknowledgment that begins the recovery; it includes packets found lost. In Linux, net/ipv4/tcp_input.c,
    # tcp_init_cwnd_reduction(), it is the window before the reduction (prior_cwnd).
    flow.prr_delivered = 0
    in_flight = float(flow.high - flow.delivered + event.newly_delivered)
    flow.prr_in_flight = max(1.0, flow.window if flow.prr > 1.0 else in_flight)
    flow.prr_transmission = flow.transmission
    return float(flow.in_flight)


@inline
def recover(flow, event, target):
    """Return the window [packets] after an acknowledgment in recovery; it is `target` if recovery ends."""
    # RFC 6675, section 5, step A: recovery ends when everything sent before it (RecoveryPoint) is acknowledged.
    if event.acked == 0 or flow.una <= flow.reduced_at:
        return proportional(flow, event) if flow.prr > 0.0 else flow.window
    flow.recovering = False
    return target


@inline
def proportional(flow, event):
    """Return the window [packets] after an acknowledgment in recovery: packets in flight plus packets to send now."""
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
    # The first packet of a recovery is sent even if the bounds of RFC 9937 would allow no packet.
    return float(flow.in_flight + max(count, 1 if sent == 0 else 0))


@inline
def grows_at_exit(flow):
    """Return whether the acknowledgment that ends a recovery makes the window grow."""
    # Linux, net/ipv4/tcp_input.c, tcp_ack(): tcp_fastretrans_alert() ends the recovery. Then tcp_cong_control() lets
    # the window grow by the packets newly delivered.
    return flow.growth_at_exit > 0.0


@inline
def aim(flow):
    """Return ssthresh, the target, during proportional rate reduction, else the window [packets]."""
    return flow.ssthresh if flow.recovering and flow.prr > 0.0 else flow.window

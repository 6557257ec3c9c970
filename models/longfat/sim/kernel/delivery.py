"""Delivery-rate samples: how fast the network delivers what a flow sends (draft-ietf-ccwg-bbr-06, section 4.1).

Only flows whose scheme asks for them have samples; RACK (`kernel.rack`) needs the times of departure. A snapshot for
each transmission lies in an array beside the list nodes, in the same row, so that it stays with its transmission when
this is found lost.
"""

from longfat.sim.kernel.jit import part, routine
from longfat.sim.kernel.memory import snapshot_at, transmission_at
from longfat.sim.kernel.records import NONE


@routine
def take_snapshot(state, own, n, retransmitted):
    """Record the state of deliveries for a transmission, which is already in flight."""
    snapshot = snapshot_at(state, n)
    # draft-ietf-ccwg-bbr-06, section 4.1.2.2, OnPacketSent(): an interval that begins with nothing in flight begins
    # now. There, C.inflight does not include the packet in this condition, but does in P.tx_in_flight.
    if own.in_flight == 1:
        own.first_sent = state.now
        own.delivered_at = state.now
    snapshot.sent = state.now
    snapshot.first_sent = own.first_sent
    snapshot.delivered_at = own.delivered_at
    snapshot.delivered = own.delivered
    snapshot.lost = own.lost
    snapshot.in_flight = own.in_flight
    snapshot.app_limited = 1 if own.app_limited_until != 0 else 0
    snapshot.retransmitted = retransmitted


@part
def newer(state, n, other):
    """Return the later of two transmissions, given as list nodes; NONE is earlier than any."""
    if other == NONE:
        return n
    if n == NONE:
        return other
    return n if transmission_at(state, n).transmission > transmission_at(state, other).transmission else other


@part
def clear_sample(state, event):
    """Reset the fields of the event that describe a sample."""
    if state.sample_set:
        state.sample_set = 0
        event.delivery_rate = 0.0
        event.sample_interval = 0.0
        event.prior_delivered = NONE
        event.sent_in_flight = 0
        event.lost_since_sent = 0
        event.app_limited = 0


@part
def take_sample(state, own, event, n, sent):
    """Set the fields of the event to the sample of an acknowledgment whose newest packet is list node n.

    The order follows draft-ietf-ccwg-bbr-06, section 4.1.2.3: of the packets that an acknowledgment delivers, the one
    sent last gives the sample, so that only it is visited. The node may have been released, but not yet used again.
    The round trip is that of the transmission which triggered the acknowledgment and left at `sent`.
    """
    clear_sample(state, event)
    if n == NONE:
        return
    state.sample_set = 1
    snapshot = snapshot_at(state, n)
    own.delivered_at = state.now
    own.first_sent = snapshot.sent
    own.least_rtt = min(own.least_rtt, state.now - sent)
    if own.app_limited_until != 0 and own.delivered > own.app_limited_until:
        own.app_limited_until = 0
    event.prior_delivered = snapshot.delivered
    event.sent_in_flight = snapshot.in_flight
    event.lost_since_sent = own.lost - snapshot.lost
    event.app_limited = snapshot.app_limited
    # The longer of the times in which the flight was sent and acknowledged; none shorter than any round trip is true.
    interval = max(snapshot.sent - snapshot.first_sent, own.delivered_at - snapshot.delivered_at)
    if interval < own.least_rtt:
        return
    event.sample_interval = interval * 1e-9
    if interval > 0:
        event.delivery_rate = (own.delivered - snapshot.delivered) * event.packet_size / event.sample_interval


@routine
def describe_loss(state, event, n, lost):
    """Set the fields of the event to a lost transmission, list node n, with the losses up to and including it."""
    clear_sample(state, event)
    state.sample_set = 1
    snapshot = snapshot_at(state, n)
    event.number = transmission_at(state, n).number
    event.transmission = transmission_at(state, n).transmission
    event.lost = 1
    event.prior_delivered = snapshot.delivered
    event.sent_in_flight = snapshot.in_flight
    event.lost_since_sent = lost - snapshot.lost
    event.app_limited = snapshot.app_limited

"""Receiver that its scheme controls: it sees every packet that arrives, and makes the replies at times of its choice.

A reply counts as an acknowledgment. Its row holds the departure, the number and the transmission of the packet that
arrived last, so that the sender measures round-trip times.
"""

from longfat.sim.kernel.calls import receive_at
from longfat.sim.kernel.events import request_admission, schedule
from longfat.sim.kernel.jit import routine
from longfat.sim.kernel.memory import (
    delayed_ack_at,
    flow_own,
    header_at,
    packet_at,
    receiver_at,
    sender_at,
    since_at,
    tally_at,
)
from longfat.sim.kernel.packets import allocate_packet, release_packet
from longfat.sim.kernel.records import (
    ACK,
    ACK_SENT,
    CE,
    DELAYED,
    GREEN,
    HORIZON,
    NEVER,
    NO_DATA,
    NONE,
    ON_RECEIVE,
    ON_REPLY,
)
from longfat.sim.kernel.trace_rows import trace_packet, trace_reception


@routine
def arm(state, f, time):
    """Schedule the time at which a receiver has to act: an acknowledgment leaves, or its scheme is called."""
    delayed_ack_at(state, f).armed = time
    schedule(state, DELAYED, f, time)


@routine
def call_receiver(state, f, i, callback):
    """Call `receive` or `reply` of a flow's scheme with a packet; return its result."""
    state.flow = f
    state.callback = callback
    result = receive_at(state, sender_at(state, f).scheme, callback)(
        state,
        receiver_at(state, f),
        delayed_ack_at(state, f),
        flow_own(state, f),
        packet_at(state, i),
        header_at(state, i),
        since_at(state, i),
    )
    state.callback = NONE
    return result


@routine
def receive_by_scheme(state, i):
    """Let the scheme of a flow process a packet at the receiver, and release the packet."""
    packet = packet_at(state, i)
    f = packet.flow
    receiver, own, tally = receiver_at(state, f), delayed_ack_at(state, f), tally_at(state, f)
    number, marks = packet.number, int(packet.marks)
    if marks & CE:
        tally.marks += 1
    own.sent, own.triggered_by, own.transmission, own.hop = packet.sent, number, packet.transmission, packet.hop + 1
    tally.acks_merged += 1  # a reply takes this back
    if call_receiver(state, f, i, ON_RECEIVE) > 0:
        receiver.received_bytes += packet.length
    elif number != NO_DATA:
        tally.duplicate += 1
    if state.tracing:
        trace_reception(state, i, number, marks)
    release_packet(state, i)
    if own.due < own.armed:
        arm(state, f, max(own.due, state.now))


@routine
def reply(state, f):
    """Let the scheme of a flow make a reply, which leaves the receiver if the scheme says so."""
    receiver, own = receiver_at(state, f), delayed_ack_at(state, f)
    own.due = NEVER
    i = allocate_packet(state)
    packet, header = packet_at(state, i), header_at(state, i)
    packet.flow = f
    packet.kind = ACK
    packet.marks = 0
    packet.colour = GREEN
    packet.priority = 0
    packet.length = receiver.ack_size
    packet.hop = own.hop
    packet.sent, packet.triggered_by, packet.transmission = own.sent, own.triggered_by, own.transmission
    for k in range(4):
        header.x[k] = 0.0
    leaves = call_receiver(state, f, i, ON_REPLY) > 0
    packet.number = receiver.expect
    if own.due < HORIZON:  # a nanosecond from now at the earliest, so that time advances
        own.due = max(own.due, state.now + 1)
        if own.due < own.armed:
            arm(state, f, own.due)
    if not leaves:
        release_packet(state, i)
        return
    tally_at(state, f).acks_merged -= 1
    if state.tracing:
        trace_packet(state, ACK_SENT, i)
    request_admission(state, i)

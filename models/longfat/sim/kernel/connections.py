"""Connections that arrive at random: each reuses the row of a finished one that has no packet left in the network.

The *template* is the flow that starts them: the row of `longfat.sim.traffic.arrivals`.
"""

from longfat.sim.kernel.events import set_timer
from longfat.sim.kernel.jit import part, routine
from longfat.sim.kernel.memory import (
    access_link_at,
    connection_at,
    delayed_ack_at,
    flow_own,
    receiver_at,
    sender_at,
    source_at,
    tally_at,
    word_at,
)
from longfat.sim.kernel.records import (
    NEVER,
    NO_CONNECTIONS,
    NONE,
    PACE,
    RECEIVING,
    RECOVERY,
    ROWS_PER_EVENT,
    SENDER,
    TALLY,
    TIMER,
    TRANSFER,
)
from longfat.sim.kernel.recovery import release_nodes
from longfat.sim.kernel.sources import exponential, has_begun, rounded


@part
def has_nothing_in_flight(state, f):
    """Return whether no data packet, acknowledgment or feedback of a flow is in the network."""
    sender, receiver, tally = sender_at(state, f), receiver_at(state, f), tally_at(state, f)
    answered = (
        receiver.received == sender.acks_received + tally.acks_dropped + tally.acks_merged
        and tally.feedback_in_flight == 0
    )
    return answered and sender.transmission == receiver.received + tally.dropped


@routine
def add_to_template(state, t, f):
    """Add the counters of a finished connection to those of its template."""
    total, tally = tally_at(state, t), tally_at(state, f)
    total.sent += sender_at(state, f).transmission
    total.retransmitted += tally.retransmitted
    total.duplicate += tally.duplicate
    total.dropped += tally.dropped
    total.acks_dropped += tally.acks_dropped
    total.acks_merged += tally.acks_merged
    total.losses += tally.losses
    total.timeouts += tally.timeouts
    total.marks += tally.marks
    sender_at(state, t).acks_received += sender_at(state, f).acks_received
    mine, theirs = receiver_at(state, t), receiver_at(state, f)
    mine.received += theirs.received
    mine.received_bytes += theirs.received_bytes
    mine.delay += theirs.delay
    mine.last_arrival = max(mine.last_arrival, theirs.last_arrival)


@part
def reusable_row(state, t):
    """Return a row for a new connection of template t, NONE if there is none."""
    template = source_at(state, t)
    f = template.first_row
    if f == NONE or not has_nothing_in_flight(state, f):
        return NONE
    template.first_row = source_at(state, f).next_row
    if template.first_row == NONE:
        template.last_row = NONE
    return f


@part
def copy_row(base, words, source, target):
    """Copy a row of `words` words of eight bytes."""
    for k in range(words):
        word_at(base + 8 * words * target, k).x = word_at(base + 8 * words * source, k).x


SENDER_WORDS, TIMER_WORDS, RECEIVING_WORDS, RECOVERY_WORDS, TALLY_WORDS = (
    one.itemsize // 8 for one in (SENDER, TIMER, RECEIVING, RECOVERY, TALLY)
)


@routine
def initialise_connection(state, t, f):
    """Make row f a new connection of template t; timer entries of the old one expire and are ignored."""
    sender = sender_at(state, f)
    hop = sender.first_hop
    armed = sender.armed[0], sender.armed[1], sender.armed[2]
    release_nodes(state, tally_at(state, f).last_stamps)
    copy_row(state.senders_base, SENDER_WORDS, t, f)
    copy_row(state.timers_base, TIMER_WORDS, t, f)
    copy_row(state.receivers_base, RECEIVING_WORDS, t, f)
    copy_row(state.recoveries_base, RECOVERY_WORDS, t, f)
    copy_row(state.tallies_base, TALLY_WORDS, t, f)
    for k in range(state.flow_own_words):
        word_at(flow_own(state, f), k).x = word_at(flow_own(state, t), k).x
    sender.first_hop = hop
    for k in range(3):
        sender.due[k] = NEVER
    sender.armed[0] = armed[0]
    sender.armed[1] = armed[1]
    sender.armed[2] = armed[2]
    if sender.access_link:
        access_link_at(state, f).free = 0
    sender.transfer = 1
    sender.sends_until = NEVER
    sender.acks_received = 0
    receiver = receiver_at(state, f)
    receiver.received = 0
    receiver.received_bytes = 0
    receiver.delay = 0.0
    receiver.last_arrival = 0
    receiver.waiting = NONE
    if receiver.delays:
        delayed, given = delayed_ack_at(state, f), delayed_ack_at(state, t)
        delayed.delayed_ack = given.delayed_ack
        delayed.ack_delay = given.ack_delay
        delayed.quick_acks = given.quick_acks
        delayed.pending = 0
        delayed.due = NEVER
    tally = tally_at(state, f)
    tally.sent = 0
    tally.retransmitted = 0
    tally.duplicate = 0
    tally.dropped = 0
    tally.acks_dropped = 0
    tally.acks_merged = 0
    tally.losses = 0
    tally.timeouts = 0
    tally.marks = 0
    tally.traffic = TRANSFER
    tally.template = t
    tally.start = state.now
    tally.stop = NEVER


@routine
def start_connection(state, t):
    """Start a connection of template t; return its row, t if none is due, NONE if rows have to be added."""
    now = state.now
    if now >= tally_at(state, t).stop or not has_begun(state, t):
        return t
    f = reusable_row(state, t)
    if f == NONE:
        return NONE
    add_to_template(state, t, f)
    initialise_connection(state, t, f)
    source_at(state, f).next_row = NONE
    set_timer(state, t, PACE, now + rounded(exponential(state, source_at(state, t).gap)))
    return f


@routine
def end_connection(state, f):
    """Log a finished connection, and make its row available for another one."""
    tally = tally_at(state, f)
    template = source_at(state, tally.template)
    entry = connection_at(state, state.connections)
    entry.flow = tally.template
    entry.start = tally.start
    entry.finish = tally.finish
    entry.sent = sender_at(state, f).transmission
    entry.dropped = tally.dropped
    state.connections += 1
    if state.connections + ROWS_PER_EVENT > state.connections_room:
        state.shortage = NO_CONNECTIONS
        state.attention = 1
    if template.last_row == NONE:
        template.first_row = f
    else:
        source_at(state, template.last_row).next_row = f
    template.last_row = f
    source_at(state, f).next_row = NONE

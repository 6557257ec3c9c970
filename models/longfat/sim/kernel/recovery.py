"""Loss recovery: which transmissions are outstanding, which are lost, and what is retransmitted.

Two parts: delivery-rate samples, which are kept beside the list of transmissions; and the scoreboard of selective
recovery, which finds losses by counting later acknowledgments. `kernel.rack` finds losses by time.
"""

from longfat.sim.kernel.jit import part, routine
from longfat.sim.kernel.memory import extra_at, packet_at, snapshot_at, transmission_at
from longfat.sim.kernel.records import DELIVERED, NO_NODES, NONE, ROWS_PER_EVENT
from longfat.sim.kernel.records import SACK as HAS_BLOCKS

# --- Delivery-rate samples -------------------------------------------------------------------------------------------
#
# Delivery-rate samples: the rate at which the network delivers a flow's packets (draft-ietf-ccwg-bbr-06, section 4.1).
#
# Only flows whose scheme requests them have samples; RACK-TLP needs two fields of the snapshots. A snapshot and the
# list node of its transmission have the same row number, so the snapshot stays valid when the transmission is found
# lost.


@routine
def take_snapshot(state, own, n, retransmitted):
    """Record the flow's delivery state at the departure of a transmission, which already counts as in flight."""
    snapshot = snapshot_at(state, n)
    # draft-ietf-ccwg-bbr-06, section 4.1.2.2, OnPacketSent(): if nothing else is in flight, the sampling interval
    # begins now. C.inflight of the draft excludes the packet in this condition, but P.tx_in_flight includes it.
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
    """Return the later of two transmissions, given as list nodes; NONE counts as earlier than any node."""
    if other == NONE:
        return n
    if n == NONE:
        return other
    return n if transmission_at(state, n).transmission > transmission_at(state, other).transmission else other


@part
def clear_sample(state, event):
    """Reset the fields of the event that describe a delivery-rate sample."""
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
    """Set the event's delivery-rate sample for an acknowledgment whose newest delivered packet is list node n.

    Of the packets that an acknowledgment delivers, the one sent last gives the sample (draft-ietf-ccwg-bbr-06, section
    4.1.2.3). Its node may have been released, but not reused. The round-trip time begins at `sent` [ns], the departure
    of the transmission that triggered the acknowledgment.
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
    # The packets were sent during one interval and acknowledged during another; the sample uses the longer of the two.
    # An interval shorter than the least round-trip time makes the sample invalid.
    interval = max(snapshot.sent - snapshot.first_sent, own.delivered_at - snapshot.delivered_at)
    if interval < own.least_rtt:
        return
    event.sample_interval = interval * 1e-9
    if interval > 0:
        event.delivery_rate = (own.delivered - snapshot.delivered) * event.packet_size / event.sample_interval


@routine
def describe_loss(state, event, n, lost):
    """Set the event's fields for a lost transmission, list node n; `lost` counts the losses up to this one."""
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


# --- Selective recovery ----------------------------------------------------------------------------------------------
#
# A flow has two lists: outstanding transmissions in order of departure, and lost transmissions in order of detection.
# The list nodes come from a pool that also serves the stamps of requests.


@part
def allocate_node(state):
    """Take a list node from the pool, and return its row number."""
    n = state.free_node
    state.free_node = transmission_at(state, n).next
    state.free_nodes -= 1
    if state.free_nodes < ROWS_PER_EVENT:
        state.shortage = NO_NODES
        state.attention = 1
    return n


@part
def record_transmission(state, own, number, transmission, retransmitted):
    """Append a transmission to the list of outstanding transmissions."""
    n = allocate_node(state)
    node = transmission_at(state, n)
    node.number = number
    node.transmission = transmission
    node.next = NONE
    node.later_acked = 0
    if own.outstanding_tail == NONE:
        own.outstanding_head = n
    else:
        transmission_at(state, own.outstanding_tail).next = n
    own.outstanding_tail = n
    own.in_flight += 1
    if own.sampled:
        take_snapshot(state, own, n, retransmitted)
    elif own.rack:
        snapshot_at(state, n).sent = state.now
        snapshot_at(state, n).retransmitted = retransmitted


@part
def unlink(state, own, before, n):
    """Remove list node n, which follows `before`, from the outstanding transmissions."""
    following = transmission_at(state, n).next
    if before == NONE:
        own.outstanding_head = following
    else:
        transmission_at(state, before).next = following
    if following == NONE:
        own.outstanding_tail = before
    own.in_flight -= 1


@routine
def next_retransmission(state, own, una):
    """Take the next packet from the list of lost transmissions; return its number, or NONE."""
    while own.lost_head != NONE:
        n = own.lost_head
        number = transmission_at(state, n).number
        arrived = transmission_at(state, n).later_acked == DELIVERED
        if number < una and not arrived:
            own.delivered += 1
        own.lost_head = transmission_at(state, n).next
        if own.lost_head == NONE:
            own.lost_tail = NONE
        release_node(state, n)
        if number >= una and not (arrived and own.skips):
            return number
    return NONE


@routine
def forget_transmissions(state, own):
    """Release the list nodes of a finished flow."""
    release_nodes(state, own.outstanding_head)
    release_nodes(state, own.lost_head)
    own.outstanding_head = NONE
    own.outstanding_tail = NONE
    own.lost_head = NONE
    own.lost_tail = NONE
    own.in_flight = 0


@routine
def mark_all_lost(state, own):
    """Count every outstanding transmission as lost after a timeout; sort lost transmissions by packet number.

    RFC 6298, rule 5.4: the earliest packet is retransmitted first. Sorting is needed because a retransmission may
    follow higher numbers in the list.
    """
    outstanding, lost = own.outstanding_head, own.lost_head
    own.lost += own.in_flight
    own.outstanding_head = NONE
    own.outstanding_tail = NONE
    own.lost_head = NONE
    own.lost_tail = NONE
    own.in_flight = 0
    insert_lost(state, own, lost)
    insert_lost(state, own, outstanding)


@routine
def insert_lost(state, own, n):
    """Insert the nodes of a list into the list of lost transmissions, sorted by packet number.

    The search for a node's place starts at the node inserted before it, so that a sorted list is traversed once.
    """
    before = NONE
    while n != NONE:
        node = transmission_at(state, n)
        rest, after = node.next, own.lost_head
        if before != NONE and transmission_at(state, before).number <= node.number:
            after = transmission_at(state, before).next
        else:
            before = NONE
        while after != NONE and transmission_at(state, after).number <= node.number:
            before, after = after, transmission_at(state, after).next
        node.next = after
        if before == NONE:
            own.lost_head = n
        else:
            transmission_at(state, before).next = n
        if after == NONE:
            own.lost_tail = n
        before, n = n, rest


@part
def release_node(state, n):
    """Put list node n back into the pool."""
    transmission_at(state, n).next = state.free_node
    state.free_node = n
    state.free_nodes += 1


@part
def release_nodes(state, n):
    """Put all nodes of the list that begins at node n back into the pool."""
    while n != NONE:
        following = transmission_at(state, n).next
        release_node(state, n)
        n = following


@part
def is_covered(state, una, i, number):
    """Return whether acknowledgment i covers packet `number`: cumulatively, as its trigger, or by a SACK block."""
    if number < una or number == packet_at(state, i).triggered_by:
        return True
    if packet_at(state, i).flag_bits & HAS_BLOCKS:
        for k in range(0, 6, 2):
            if extra_at(state, i).blocks[k] <= number < extra_at(state, i).blocks[k + 1]:
                return True
    return False


@part
def update_scoreboard(state, own, una, acked, i):
    """Remove the transmissions that acknowledgment i covers, and find losses; four values are returned.

    The values are the number of losses; whether any loss is new; the newest transmission delivered, as a list node that
    may have been released; and whether the transmission that triggered the acknowledgment was outstanding. Lost
    transmissions are appended to the list of lost ones.

    A transmission is lost when `reorder` later transmissions have been acknowledged, as with the packet threshold of
    RFC 9002, section 6.1.1. Our choice: `reorder` is 1 unless the scheme sets it, because paths keep packets in order.
    With `rack` this function finds no losses: see `rack.detect_losses`. `lose` says which losses are new.

    Only transmissions up to the acknowledged one are visited, so the cost grows with the number of holes before it.
    """
    upto = packet_at(state, i).transmission
    lost, fresh = 0, False
    before_this = own.delivered
    triggered, newest = False, NONE
    before, n = NONE, own.outstanding_head
    while n != NONE and transmission_at(state, n).transmission <= upto:
        node = transmission_at(state, n)
        following = node.next
        covered = is_covered(state, una, i, node.number)
        node.later_acked += 1
        if not covered and (own.rack or node.later_acked < own.reorder):
            before, n = n, following
            continue
        unlink(state, own, before, n)
        if covered:
            own.delivered += 1
            newest = n
            if own.rack:
                record_order(state, own, n)
            triggered = triggered or node.number == packet_at(state, i).triggered_by
            release_node(state, n)
        else:
            lost += 1
            fresh = lose(state, own, n) or fresh
        n = following
    own.lost += lost
    if own.lost_head != NONE and (not triggered or acked > own.delivered - before_this):
        newest = newer(state, count_late_deliveries(state, own, una, i), newest)
    return lost, fresh, newest, triggered


@routine
def count_late_deliveries(state, own, una, i):
    """Count as delivered the lost packets that acknowledgment i covers; return the list node of the newest.

    The function is called only for an acknowledgment whose trigger was not outstanding, or that covers more packets
    than were outstanding. The packets stay in the list of lost ones, and `next_retransmission` decides whether they are
    retransmitted.
    """
    newest, n = NONE, own.lost_head
    while n != NONE:
        node = transmission_at(state, n)
        if node.later_acked != DELIVERED and is_covered(state, una, i, node.number):
            node.later_acked = DELIVERED
            own.delivered += 1
            if own.rack:
                record_order(state, own, n)
            newest = newer(state, n, newest)
        n = node.next
    return newest


@part
def record_order(state, own, n):
    """Record reordering if a later packet has overtaken the packet now delivered (RFC 8985, section 6.2, step 3)."""
    number = transmission_at(state, n).number
    if number > own.highest_delivered:
        own.highest_delivered = number
    elif number < own.highest_delivered and snapshot_at(state, n).retransmitted == 0:
        own.reordering_seen = 1


@part
def lose(state, own, n):
    """Append list node n to the list of lost transmissions; return whether the loss is new.

    A loss is new if the transmission left after the last new loss was found, and after the last timeout.
    """
    node = transmission_at(state, n)
    state.lost_number = node.number
    node.next = NONE
    if own.lost_tail == NONE:
        own.lost_head = n
    else:
        transmission_at(state, own.lost_tail).next = n
    own.lost_tail = n
    return node.transmission >= own.recover

"""Selective loss recovery: which transmissions are outstanding, which are lost, and what is retransmitted.

A flow has two lists: its outstanding transmissions in their order, and the lost ones in the order of their detection.
Their nodes come from the pool that the stamps of requests use, too (`kernel.requests`).
"""

from longfat.sim.kernel.delivery import newer, take_snapshot
from longfat.sim.kernel.jit import part, routine
from longfat.sim.kernel.memory import packet_at, sack_at, snapshot_at, transmission_at
from longfat.sim.kernel.records import DELIVERED, NO_NODES, NONE, ROWS_PER_EVENT
from longfat.sim.kernel.records import SACK as HAS_BLOCKS


@part
def allocate_node(state):
    """Return a free list node."""
    n = state.free_node
    state.free_node = transmission_at(state, n).next
    state.free_nodes -= 1
    if state.free_nodes < ROWS_PER_EVENT:
        state.shortage = NO_NODES
        state.attention = 1
    return n


@part
def record_transmission(state, own, number, transmission, retransmitted):
    """Append a transmission to the list of outstanding ones."""
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
    if own.sampled or own.rack:
        take_snapshot(state, own, n, retransmitted)


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
    """Return the number of the next packet to retransmit, NONE if there is none."""
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
    """Release all transmissions of a flow that is finished."""
    release_nodes(state, own.outstanding_head)
    release_nodes(state, own.lost_head)
    own.outstanding_head = NONE
    own.outstanding_tail = NONE
    own.lost_head = NONE
    own.lost_tail = NONE
    own.in_flight = 0


@routine
def mark_all_lost(state, own):
    """Count every outstanding transmission as lost after a timeout, the lowest packet number first.

    RFC 6298, rule 5.4: the earliest packet leaves first. A retransmission may be outstanding behind higher numbers.
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
    """Insert the nodes of a list into that of lost transmissions, in the order of numbers.

    The place of a node is searched for from that of the one before, so that a list in order is visited once.
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
    """Return a list node to the pool."""
    transmission_at(state, n).next = state.free_node
    state.free_node = n
    state.free_nodes += 1


@part
def release_nodes(state, n):
    """Return all nodes of a list to the pool."""
    while n != NONE:
        following = transmission_at(state, n).next
        release_node(state, n)
        n = following


@part
def is_covered(state, una, i, number):
    """Return whether acknowledgment i covers a packet: cumulatively, by what triggered it, or by a SACK block."""
    if number < una or number == packet_at(state, i).triggered_by:
        return True
    if packet_at(state, i).marks & HAS_BLOCKS:
        for k in range(0, 6, 2):
            if sack_at(state, i).x[k] <= number < sack_at(state, i).x[k + 1]:
                return True
    return False


@part
def update_scoreboard(state, own, una, acked, i):
    """Remove the transmissions that an acknowledgment covers; return how many are lost, and so on.

    The second value is whether a loss is new, the third the newest packet that it delivers: a list node that may have
    been released. The fourth is whether the transmission that triggered the acknowledgment was outstanding. The lost
    transmissions are the last ones of their list.

    A transmission is lost when `reorder` transmissions made after it have been acknowledged, as with the packet
    threshold of RFC 9002, section 6.1.1. Ours: paths keep the order of packets, so that one is enough unless the scheme
    says otherwise. With `rack` none is found here: see `rack.detect_losses`. A loss is new if it was transmitted after
    the last loss that the scheme was told of.

    Only transmissions up to the acknowledged one are visited, so that the cost is the number of holes before it.
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
            fresh = fresh or node.transmission >= own.recover
            state.lost_number = node.number
            append_lost(state, own, n)
        n = following
    own.lost += lost
    if own.lost_head != NONE and (not triggered or acked > own.delivered - before_this):
        newest = newer(state, count_late_deliveries(state, own, una, i), newest)
    return lost, fresh, newest, triggered


@routine
def count_late_deliveries(state, own, una, i):
    """Count packets as delivered that acknowledgment i covers although they had been found lost; return the newest.

    Only an acknowledgment that was not expected, or that covers more than outstanding packets, is searched for them.
    They stay in the list, because whether they are retransmitted is another question.
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
    """Record whether a packet that is delivered was overtaken by another one (RFC 8985, section 6.2, step 3)."""
    number = transmission_at(state, n).number
    if number > own.highest_delivered:
        own.highest_delivered = number
    elif number < own.highest_delivered and snapshot_at(state, n).retransmitted == 0:
        own.reordering_seen = 1


@part
def append_lost(state, own, n):
    """Append a transmission to the list of lost ones."""
    transmission_at(state, n).next = NONE
    if own.lost_tail == NONE:
        own.lost_head = n
    else:
        transmission_at(state, own.lost_tail).next = n
    own.lost_tail = n

"""Selective recovery: which transmissions are under way, which are lost, what is sent again.

A flow keeps its transmissions in order, and those found lost in the order of their numbers as far as known.
"""

from longfat.sim.jit import part, routine
from longfat.sim.memory import node_at, packet_at, sack_at
from longfat.sim.records import NO_NODES, NONE, ROOM
from longfat.sim.records import SACK as HAS_BLOCKS


@part
def take_node(state):
    """A row for a transmission."""
    n = state.free_node
    state.free_node = node_at(state, n).next
    state.free_nodes -= 1
    if state.free_nodes < ROOM:
        state.short = NO_NODES
        state.attention = 1
    return n


@routine
def remember(state, own, number, transmission):
    """A transmission is under way."""
    n = take_node(state)
    node = node_at(state, n)
    node.number = number
    node.transmission = transmission
    node.next = NONE
    node.passed = 0
    if own.nodes_tail == NONE:
        own.nodes_head = n
    else:
        node_at(state, own.nodes_tail).next = n
    own.nodes_tail = n
    own.in_flight += 1


@routine
def next_lost(state, own, una):
    """The next packet to be sent again, NONE if there is none."""
    while own.lost_head != NONE:
        n = own.lost_head
        number = node_at(state, n).number
        own.lost_head = node_at(state, n).next
        if own.lost_head == NONE:
            own.lost_tail = NONE
        return_node(state, n)
        if number >= una:
            return number
    return NONE


@routine
def forget(state, own):
    """The flow is done: no transmission matters any more."""
    return_nodes(state, own.nodes_head)
    return_nodes(state, own.lost_head)
    own.nodes_head = NONE
    own.nodes_tail = NONE
    own.lost_head = NONE
    own.lost_tail = NONE
    own.in_flight = 0


@routine
def give_up(state, own):
    """A timeout: all that is under way counts as lost; the lowest number goes first ."""
    under_way, lost = own.nodes_head, own.lost_head
    own.nodes_head = NONE
    own.nodes_tail = NONE
    own.lost_head = NONE
    own.lost_tail = NONE
    own.in_flight = 0
    while under_way != NONE or lost != NONE:
        if lost == NONE or (under_way != NONE and node_at(state, under_way).number < node_at(state, lost).number):
            n = under_way
            under_way = node_at(state, n).next
        else:
            n = lost
            lost = node_at(state, n).next
        resend_later(state, own, n)


@part
def return_node(state, n):
    """A transmission is accounted for."""
    node_at(state, n).next = state.free_node
    state.free_node = n
    state.free_nodes += 1


@part
def return_nodes(state, n):
    """All of a list."""
    while n != NONE:
        following = node_at(state, n).next
        return_node(state, n)
        n = following


@part
def is_acknowledged(state, una, i, number):
    """Whether acknowledgment i covers a packet."""
    if number < una or number == packet_at(state, i).echo:
        return True
    if packet_at(state, i).marks & HAS_BLOCKS:
        for k in range(0, 6, 2):
            if sack_at(state, i).x[k] <= number < sack_at(state, i).x[k + 1]:
                return True
    return False


@routine
def account(state, own, una, i):
    """Cross out the transmissions that an acknowledgment covers; return how many others are lost, and if that is news.

    It is where one of those was made after the last loss that the scheme was told of. An acknowledgment tells of losses
    among the transmissions made before its own alone.

    The walk ends at the transmission acknowledged: its length is the number of holes before it.
    """
    upto = packet_at(state, i).transmission
    lost, fresh = 0, False
    before, n = NONE, own.nodes_head
    while n != NONE and node_at(state, n).transmission <= upto:
        node = node_at(state, n)
        following = node.next
        covered = is_acknowledged(state, una, i, node.number)
        node.passed += 1
        if not covered and node.passed < own.reorder:
            before, n = n, following
            continue
        if before == NONE:
            own.nodes_head = following
        else:
            node_at(state, before).next = following
        if following == NONE:
            own.nodes_tail = before
        own.in_flight -= 1
        if covered:
            return_node(state, n)
        else:
            lost += 1
            fresh = fresh or node.transmission >= own.recover
            state.lost_number = node.number
            resend_later(state, own, n)
        n = following
    return lost, fresh


@part
def resend_later(state, own, n):
    """Behind what is already known to be lost."""
    node_at(state, n).next = NONE
    if own.lost_tail == NONE:
        own.lost_head = n
    else:
        node_at(state, own.lost_tail).next = n
    own.lost_tail = n

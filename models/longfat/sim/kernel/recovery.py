"""Selective recovery: which transmissions are under way, which are lost, what is sent again (schemes.md 0.3 and 1.6).

A flow keeps its transmissions in order, and those found lost in the order of their numbers as far as known.
"""

from longfat.sim.jit import part
from longfat.sim.memory import node_at, packet_at, sack_at
from longfat.sim.records import NONE
from longfat.sim.records import SACK as HAS_BLOCKS


@part
def take_node(world):
    """A row for a transmission."""
    n = world.free_node
    world.free_node = node_at(world, n).next
    world.free_nodes -= 1
    return n


@part
def remember(world, flow, number):
    """A transmission is under way."""
    n = take_node(world)
    node = node_at(world, n)
    node.number = number
    node.transmission = flow.transmission
    node.next = NONE
    node.passed = 0
    if flow.nodes_tail == NONE:
        flow.nodes_head = n
    else:
        node_at(world, flow.nodes_tail).next = n
    flow.nodes_tail = n
    flow.in_flight += 1


@part
def next_lost(world, flow):
    """The next packet to be sent again, NONE if there is none."""
    while flow.lost_head != NONE:
        n = flow.lost_head
        number = node_at(world, n).number
        flow.lost_head = node_at(world, n).next
        if flow.lost_head == NONE:
            flow.lost_tail = NONE
        return_node(world, n)
        if number >= flow.una:
            return number
    return NONE


@part
def forget(world, flow):
    """The flow is done: no transmission matters any more."""
    return_nodes(world, flow.nodes_head)
    return_nodes(world, flow.lost_head)
    flow.nodes_head = NONE
    flow.nodes_tail = NONE
    flow.lost_head = NONE
    flow.lost_tail = NONE
    flow.in_flight = 0


@part
def give_up(world, flow):
    """A timeout: all that is under way counts as lost; the lowest number goes first (0.3)."""
    under_way, lost = flow.nodes_head, flow.lost_head
    flow.nodes_head = NONE
    flow.nodes_tail = NONE
    flow.lost_head = NONE
    flow.lost_tail = NONE
    flow.in_flight = 0
    while under_way != NONE or lost != NONE:
        if lost == NONE or (under_way != NONE and node_at(world, under_way).number < node_at(world, lost).number):
            n = under_way
            under_way = node_at(world, n).next
        else:
            n = lost
            lost = node_at(world, n).next
        resend_later(world, flow, n)


@part
def return_node(world, n):
    """A transmission is accounted for."""
    node_at(world, n).next = world.free_node
    world.free_node = n
    world.free_nodes += 1


@part
def return_nodes(world, n):
    """All of a list."""
    while n != NONE:
        following = node_at(world, n).next
        return_node(world, n)
        n = following


@part
def is_acknowledged(world, flow, i, number):
    """Whether acknowledgment i covers a packet."""
    if number < flow.una or number == packet_at(world, i).echo:
        return True
    if packet_at(world, i).marks & HAS_BLOCKS:
        for k in range(0, 6, 2):
            if sack_at(world, i).x[k] <= number < sack_at(world, i).x[k + 1]:
                return True
    return False


@part
def account(world, flow, i):
    """Cross out the transmissions that an acknowledgment covers; how many others are lost, and whether one
    of them was made after the last loss that the scheme was told of (section 0.2, rule LI, with a threshold).

    The walk ends at the transmission acknowledged: its length is the number of holes before it.
    """
    upto = packet_at(world, i).transmission
    lost, fresh = 0, False
    before, n = NONE, flow.nodes_head
    while n != NONE and node_at(world, n).transmission <= upto:
        node = node_at(world, n)
        following = node.next
        covered = is_acknowledged(world, flow, i, node.number)
        node.passed += 1
        if not covered and node.passed < flow.reorder:
            before, n = n, following
            continue
        if before == NONE:
            flow.nodes_head = following
        else:
            node_at(world, before).next = following
        if following == NONE:
            flow.nodes_tail = before
        flow.in_flight -= 1
        if covered:
            return_node(world, n)
        else:
            lost += 1
            fresh = fresh or node.transmission >= flow.recover
            world.lost_number = node.number
            resend_later(world, flow, n)
        n = following
    return lost, fresh


@part
def resend_later(world, flow, n):
    """Behind what is already known to be lost."""
    node_at(world, n).next = NONE
    if flow.lost_tail == NONE:
        flow.lost_head = n
    else:
        node_at(world, flow.lost_tail).next = n
    flow.lost_tail = n

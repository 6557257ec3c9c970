"""What a sender knows to have arrived beyond the first hole, from the packets that acknowledgments name.

Only for flows that recover in their own way and do not want to send such packets again (`skips`): runs of them in
order, in the rows that selective recovery has for its transmissions; a run is from `number` to before `transmission`.
"""

from longfat.sim.jit import part
from longfat.sim.kernel.recovery import return_node, take_node
from longfat.sim.memory import node_at
from longfat.sim.records import NONE


@part
def first_unknown(world, flow, number):
    """The first packet from this one on that is not known to have arrived."""
    n = flow.nodes_head
    while n != NONE and node_at(world, n).number <= number:
        number = max(number, node_at(world, n).transmission)
        n = node_at(world, n).next
    return number


@part
def note_echo(world, flow, number):
    """A packet has arrived; runs that are acknowledged in order are forgotten."""
    while flow.nodes_head != NONE and node_at(world, flow.nodes_head).transmission <= flow.una:
        n = flow.nodes_head
        flow.nodes_head = node_at(world, n).next
        return_node(world, n)
    if flow.nodes_head == NONE:
        flow.nodes_tail = NONE
    if number < flow.una:
        return
    before = flow.nodes_tail  # the last run that begins at or before the packet: mostly the last of all
    if before != NONE and node_at(world, before).number > number:
        before, n = NONE, flow.nodes_head
        while node_at(world, n).number <= number:
            before, n = n, node_at(world, n).next
    behind = flow.nodes_head if before == NONE else node_at(world, before).next
    joins = behind != NONE and node_at(world, behind).number == number + 1
    if before != NONE and number <= node_at(world, before).transmission:
        if number < node_at(world, before).transmission:
            return
        node_at(world, before).transmission += 1
        if joins:
            node_at(world, before).transmission = node_at(world, behind).transmission
            node_at(world, before).next = node_at(world, behind).next
            if flow.nodes_tail == behind:
                flow.nodes_tail = before
            return_node(world, behind)
    elif joins:
        node_at(world, behind).number = number
    else:
        insert(world, flow, number, before, behind)


@part
def insert(world, flow, number, before, behind):
    """A run of one packet between two others."""
    n = take_node(world)
    node_at(world, n).number = number
    node_at(world, n).transmission = number + 1
    node_at(world, n).next = behind
    if before == NONE:
        flow.nodes_head = n
    else:
        node_at(world, before).next = n
    if behind == NONE:
        flow.nodes_tail = n

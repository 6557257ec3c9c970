"""Runs of packets that have arrived beyond a hole, so that memory and time follow the holes and not the window.

A receiver keeps them for its acknowledgments, and a sender that does not send again what it knows to have arrived. The
owner of a list of runs is a row with the fields `blocks_head` and `blocks_tail`.
"""

from longfat.sim.jit import part, routine
from longfat.sim.memory import block_at
from longfat.sim.records import NO_BLOCKS, NONE, ROOM


@routine
def remove_block(world, owner, b):
    """Unlink a run and give its row back."""
    block = block_at(world, b)
    if block.previous == NONE:
        owner.blocks_head = block.next
    else:
        block_at(world, block.previous).next = block.next
    if block.next == NONE:
        owner.blocks_tail = block.previous
    else:
        block_at(world, block.next).previous = block.previous
    block.next = world.free_block
    world.free_block = b
    world.free_blocks += 1


@routine
def new_block(world, owner, number, before):
    """Return a run of one packet behind the run `before`."""
    b = world.free_block
    block = block_at(world, b)
    world.free_block = block.next
    world.free_blocks -= 1
    if world.free_blocks < ROOM:
        world.short = NO_BLOCKS
        world.attention = 1
    block.low = number
    block.high = number + 1
    block.previous = before
    if before == NONE:
        block.next = owner.blocks_head
        owner.blocks_head = b
    else:
        block.next = block_at(world, before).next
        block_at(world, before).next = b
    if block.next == NONE:
        owner.blocks_tail = b
    else:
        block_at(world, block.next).previous = b
    return b


@routine
def keep(world, owner, number):
    """Put a packet beyond a hole into its run; return the run, and whether the packet is new."""
    b = owner.blocks_tail
    if b != NONE and number < block_at(world, b).low:  # a retransmission: likely near the first hole
        b = owner.blocks_head
        if number < block_at(world, b).low:
            b = NONE
        else:
            while block_at(world, block_at(world, b).next).low <= number:
                b = block_at(world, b).next
    # Now b is the last run that begins at or before the packet.
    if b != NONE and number < block_at(world, b).high:
        return b, False
    following = owner.blocks_head if b == NONE else block_at(world, b).next
    joins_next = following != NONE and block_at(world, following).low == number + 1
    if b != NONE and block_at(world, b).high == number:
        block_at(world, b).high += 1
        if joins_next:
            block_at(world, b).high = block_at(world, following).high
            remove_block(world, owner, following)
        return b, True
    if joins_next:
        block_at(world, following).low = number
        return following, True
    return new_block(world, owner, number, b), True


@part
def close_hole(world, owner, number):
    """Return the first packet from this one on that is missing, and forget the run that ends there."""
    block = block_at(world, owner.blocks_head)
    if block.low > number:
        return number
    number = block.high
    remove_block(world, owner, owner.blocks_head)
    return number


@part
def forget_below(world, owner, number):
    """Forget the runs that end at this packet or before it."""
    while owner.blocks_head != NONE and block_at(world, owner.blocks_head).high <= number:
        remove_block(world, owner, owner.blocks_head)


@part
def first_missing(world, owner, number):
    """Return the first packet from this one on that is in no run."""
    b = owner.blocks_head
    while b != NONE and block_at(world, b).low <= number:
        number = max(number, block_at(world, b).high)
        b = block_at(world, b).next
    return number

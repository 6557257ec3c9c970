"""Blocks of contiguous packets beyond a hole, so that memory and time grow with the holes and not with the window.

A receiver keeps them for its SACK blocks (RFC 2018), and so does a sender that does not retransmit what has arrived.
The owner of a list of blocks is a row with the fields `blocks_head` and `blocks_tail`.
"""

from longfat.sim.kernel.jit import part, routine
from longfat.sim.kernel.memory import block_at
from longfat.sim.kernel.records import NO_BLOCKS, NONE, ROWS_PER_EVENT


@routine
def remove_block(state, owner, b):
    """Remove a block from its list and release its row."""
    block = block_at(state, b)
    if block.previous == NONE:
        owner.blocks_head = block.next
    else:
        block_at(state, block.previous).next = block.next
    if block.next == NONE:
        owner.blocks_tail = block.previous
    else:
        block_at(state, block.next).previous = block.previous
    block.next = state.free_block
    state.free_block = b
    state.free_blocks += 1


@routine
def new_block(state, owner, number, before):
    """Insert a block of one packet behind the block `before`, and return it."""
    b = state.free_block
    block = block_at(state, b)
    state.free_block = block.next
    state.free_blocks -= 1
    if state.free_blocks < ROWS_PER_EVENT:
        state.shortage = NO_BLOCKS
        state.attention = 1
    block.low = number
    block.high = number + 1
    block.previous = before
    if before == NONE:
        block.next = owner.blocks_head
        owner.blocks_head = b
    else:
        block.next = block_at(state, before).next
        block_at(state, before).next = b
    if block.next == NONE:
        owner.blocks_tail = b
    else:
        block_at(state, block.next).previous = b
    return b


@routine
def insert_number(state, owner, number):
    """Insert a packet beyond a hole into the blocks; return its block, and whether the packet is new."""
    b = owner.blocks_tail
    if b != NONE and number < block_at(state, b).low:  # probably a retransmission, near the first hole
        b = owner.blocks_head
        if number < block_at(state, b).low:
            b = NONE
        else:
            while block_at(state, block_at(state, b).next).low <= number:
                b = block_at(state, b).next
    # Now b is the last run that begins at or before the packet.
    if b != NONE and number < block_at(state, b).high:
        return b, False
    following = owner.blocks_head if b == NONE else block_at(state, b).next
    joins_next = following != NONE and block_at(state, following).low == number + 1
    if b != NONE and block_at(state, b).high == number:
        block_at(state, b).high += 1
        if joins_next:
            block_at(state, b).high = block_at(state, following).high
            remove_block(state, owner, following)
        return b, True
    if joins_next:
        block_at(state, following).low = number
        return following, True
    return new_block(state, owner, number, b), True


@part
def skip_block(state, owner, number):
    """Return the first missing packet from this one on, and remove the block that ends there."""
    block = block_at(state, owner.blocks_head)
    if block.low > number:
        return number
    number = block.high
    remove_block(state, owner, owner.blocks_head)
    return number


@part
def remove_blocks_below(state, owner, number):
    """Remove the blocks that end at this packet or before it."""
    while owner.blocks_head != NONE and block_at(state, owner.blocks_head).high <= number:
        remove_block(state, owner, owner.blocks_head)


@part
def first_missing(state, owner, number):
    """Return the first packet from this one on that is in no block."""
    b = owner.blocks_head
    while b != NONE and block_at(state, b).low <= number:
        number = max(number, block_at(state, b).high)
        b = block_at(state, b).next
    return number

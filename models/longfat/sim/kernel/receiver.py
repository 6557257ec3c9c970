"""The receiver: takes packets in any order, acknowledges each (schemes.md 0.2, conventions 6 and 7).

What lies beyond a hole is kept as runs of packets, so that memory and time follow the holes and not the
window.
"""

from longfat.sim.jit import part
from longfat.sim.kernel.links import give_back
from longfat.sim.kernel.requests import answer
from longfat.sim.memory import block_at, flow_at, header_at, packet_at, sack_at
from longfat.sim.records import ACK, CE, CWR, ECE, FEEDBACK, NONE, TRANSFER
from longfat.sim.records import SACK as HAS_BLOCKS


@part
def receive(world, i):
    """A data packet has arrived; its acknowledgment is on its way when this returns."""
    packet = packet_at(world, i)
    if packet.kind == FEEDBACK:
        answer(world, i)
        return
    flow = flow_at(world, packet.flow)
    flow.received += 1
    flow.delay += world.now - packet.sent
    flow.last_arrival = world.now
    number = packet.number
    packet.marks &= ~HAS_BLOCKS & 0xFF
    if not flow.acknowledged:
        flow.received_bytes += packet.length
        flow.expect += 1
        if packet.marks & CE:
            flow.marks += 1
        give_back(world, i)
        return
    if flow.traffic != TRANSFER:  # a probe: each is answered for itself, and one that is lost is not waited for
        flow.received_bytes += packet.length
        flow.expect += 1
    elif number == flow.expect:
        flow.received_bytes += packet.length
        flow.expect += 1
        if flow.blocks_head != NONE:
            close_hole(world, flow)
            if flow.blocks_head != NONE:
                report_blocks(world, flow, i, NONE)
    elif number > flow.expect:
        block, new = keep(world, flow, number)
        if new:
            flow.received_bytes += packet.length
        else:
            flow.duplicate += 1
        report_blocks(world, flow, i, block)
    else:
        flow.duplicate += 1
        if flow.blocks_head != NONE:
            report_blocks(world, flow, i, NONE)
    # RFC 3168, 6.1.3: echo until the sender says that it has reduced; or once, for schemes that count bits.
    marked = packet.marks & CE
    if marked:
        flow.marks += 1
    if flow.echo_once:
        flow.echo_ce = marked
    else:
        if packet.marks & CWR:
            flow.echo_ce = 0
        if marked:
            flow.echo_ce = 1
    packet.marks &= HAS_BLOCKS
    if flow.echo_ce:
        packet.marks |= ECE
    if flow.arrival_times:
        header_at(world, i).x[0] = world.now * 1e-9
    packet.kind = ACK
    packet.priority = 0  # the best
    packet.echo = number
    packet.number = flow.expect
    packet.length = flow.ack_size
    packet.hop += 1
    flow.acks_sent += 1
    world.entering = i


@part
def close_hole(world, flow):
    """What follows the packet that was missing is now in order."""
    block = block_at(world, flow.blocks_head)
    if block.low > flow.expect:
        return
    flow.expect = block.high
    remove_block(world, flow, flow.blocks_head)


@part
def remove_block(world, flow, b):
    """Unlink a run and give its row back."""
    block = block_at(world, b)
    if block.previous == NONE:
        flow.blocks_head = block.next
    else:
        block_at(world, block.previous).next = block.next
    if block.next == NONE:
        flow.blocks_tail = block.previous
    else:
        block_at(world, block.next).previous = block.previous
    block.next = world.free_block
    world.free_block = b
    world.free_blocks += 1


@part
def new_block(world, flow, number, before):
    """A run of one packet behind the run `before`."""
    b = world.free_block
    block = block_at(world, b)
    world.free_block = block.next
    world.free_blocks -= 1
    block.low = number
    block.high = number + 1
    block.previous = before
    if before == NONE:
        block.next = flow.blocks_head
        flow.blocks_head = b
    else:
        block.next = block_at(world, before).next
        block_at(world, before).next = b
    if block.next == NONE:
        flow.blocks_tail = b
    else:
        block_at(world, block.next).previous = b
    return b


@part
def keep(world, flow, number):
    """Put a packet beyond a hole into its run; the run, and whether the packet is new."""
    b = flow.blocks_tail
    if b != NONE and number < block_at(world, b).low:  # a retransmission: likely near the first hole
        b = flow.blocks_head
        if number < block_at(world, b).low:
            b = NONE
        else:
            while block_at(world, block_at(world, b).next).low <= number:
                b = block_at(world, b).next
    # Now b is the last run that begins at or before the packet.
    if b != NONE and number < block_at(world, b).high:
        return b, False
    following = flow.blocks_head if b == NONE else block_at(world, b).next
    joins_next = following != NONE and block_at(world, following).low == number + 1
    if b != NONE and block_at(world, b).high == number:
        block_at(world, b).high += 1
        if joins_next:
            block_at(world, b).high = block_at(world, following).high
            remove_block(world, flow, following)
        return b, True
    if joins_next:
        block_at(world, following).low = number
        return following, True
    return new_block(world, flow, number, b), True


@part
def add_run(world, flow, i, count, low, high):
    """One more run in an acknowledgment, unless it is in order by now or part of one there; how many there are."""
    if high <= flow.expect:
        return count
    for k in range(count):
        if sack_at(world, i).x[2 * k] <= low and high <= sack_at(world, i).x[2 * k + 1]:
            return count
    sack_at(world, i).x[2 * count] = low
    sack_at(world, i).x[2 * count + 1] = high
    return count + 1


@part
def report_blocks(world, flow, i, newest):
    """RFC 2018, 4: the run of the packet that caused this acknowledgment, then those reported before, then any."""
    for k in range(6):
        sack_at(world, i).x[k] = 0
    count = 0
    if newest != NONE:
        sack_at(world, i).x[0] = block_at(world, newest).low
        sack_at(world, i).x[1] = block_at(world, newest).high
        count = 1
    for k in range(0, 6, 2):
        if count < 3:
            count = add_run(world, flow, i, count, flow.recent[k], flow.recent[k + 1])
    b = flow.blocks_tail
    while b != NONE and count < 3:
        count = add_run(world, flow, i, count, block_at(world, b).low, block_at(world, b).high)
        b = block_at(world, b).previous
    for k in range(6):
        flow.recent[k] = sack_at(world, i).x[k]
    if count > 0:
        packet_at(world, i).marks |= HAS_BLOCKS

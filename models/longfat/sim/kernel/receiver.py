"""The receiver: takes packets in any order, and acknowledges each (RFC 5681, 4.2, without delayed acknowledgments)."""

from longfat.sim.jit import part, routine
from longfat.sim.kernel.packets import give_back
from longfat.sim.kernel.ranges import close_hole, keep
from longfat.sim.kernel.requests import answer
from longfat.sim.memory import block_at, header_at, packet_at, receiver_at, sack_at, tally_at
from longfat.sim.records import ACK, CE, CWR, ECE, FEEDBACK, NONE
from longfat.sim.records import SACK as HAS_BLOCKS


@routine
def receive(world, i):
    """Take a data packet that has arrived; return whether it is an acknowledgment now, about to enter the next link."""
    packet = packet_at(world, i)
    if packet.kind == FEEDBACK:
        answer(world, i)
        return True
    f = packet.flow
    receiver = receiver_at(world, f)
    now, number = world.now, packet.number
    receiver.received += 1
    receiver.delay += now - packet.sent
    receiver.last_arrival = now
    marks = int(packet.marks)
    packet.marks = 0
    if number == receiver.expect or not receiver.in_order:
        receiver.received_bytes += packet.length
        receiver.expect += 1
        if receiver.blocks_head != NONE:
            receiver.expect = close_hole(world, receiver, receiver.expect)
            if receiver.blocks_head != NONE:
                report_blocks(world, f, i, NONE)
    else:
        out_of_order(world, f, i)
    if not receiver.answers:
        if marks & CE:
            tally_at(world, f).marks += 1
        give_back(world, i)
        return False
    # RFC 3168, 6.1.3: echo until the sender says that it has reduced; or once, for schemes that count bits.
    if marks & CE:
        tally_at(world, f).marks += 1
        receiver.echo_ce = 1
    elif receiver.echo_once or marks & CWR:
        receiver.echo_ce = 0
    if receiver.echo_ce:
        packet.marks |= ECE
    if receiver.tells_time:
        header_at(world, i).x[0] = now * 1e-9
    packet.kind = ACK
    packet.priority = 0  # the best
    packet.echo = number
    packet.number = receiver.expect
    packet.length = receiver.ack_size
    packet.hop += 1
    return True


@routine
def out_of_order(world, f, i):
    """Keep a packet beyond a hole, or count one that was here before."""
    packet, receiver = packet_at(world, i), receiver_at(world, f)
    block, new = NONE, False
    if packet.number > receiver.expect:
        block, new = keep(world, receiver, packet.number)
    if new:
        receiver.received_bytes += packet.length
    else:
        tally_at(world, f).duplicate += 1
    if receiver.blocks_head != NONE:
        report_blocks(world, f, i, block)


@part
def add_run(world, expect, i, count, low, high):
    """Add a run to an acknowledgment, unless it is in order by now or part of one there; return how many there are."""
    if high <= expect:
        return count
    for k in range(count):
        if sack_at(world, i).x[2 * k] <= low and high <= sack_at(world, i).x[2 * k + 1]:
            return count
    sack_at(world, i).x[2 * count] = low
    sack_at(world, i).x[2 * count + 1] = high
    return count + 1


@routine
def report_blocks(world, f, i, newest):
    """Report the run of the packet that causes this acknowledgment, then those reported before, then any (RFC 2018, 4)."""
    tally, receiver = tally_at(world, f), receiver_at(world, f)
    expect = receiver.expect
    for k in range(6):
        sack_at(world, i).x[k] = 0
    count = 0
    if newest != NONE:
        sack_at(world, i).x[0] = block_at(world, newest).low
        sack_at(world, i).x[1] = block_at(world, newest).high
        count = 1
    for k in range(0, 6, 2):
        if count < 3:
            count = add_run(world, expect, i, count, tally.recent[k], tally.recent[k + 1])
    b = receiver.blocks_tail
    while b != NONE and count < 3:
        count = add_run(world, expect, i, count, block_at(world, b).low, block_at(world, b).high)
        b = block_at(world, b).previous
    for k in range(6):
        tally.recent[k] = sack_at(world, i).x[k]
    if count > 0:
        packet_at(world, i).marks |= HAS_BLOCKS

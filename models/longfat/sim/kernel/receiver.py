"""Receiver: it takes packets in any order and acknowledges each, or some (RFC 5681, section 4.2)."""

from longfat.sim.kernel.delayed_acks import acknowledge_change, hold_back
from longfat.sim.kernel.jit import part, routine
from longfat.sim.kernel.memory import block_at, header_at, packet_at, receiver_at, sack_at, tally_at
from longfat.sim.kernel.packets import release_packet
from longfat.sim.kernel.ranges import insert_number, skip_block
from longfat.sim.kernel.records import (
    ACCURATE,
    ACK,
    ACK_SENT,
    BY_SCHEME,
    CE,
    CWR,
    ECE,
    FEEDBACK,
    LAST,
    LATCHED,
    MARKS_FIELD,
    NONE,
    STATE_OF_LAST,
)
from longfat.sim.kernel.records import SACK as HAS_BLOCKS
from longfat.sim.kernel.replies import receive_by_scheme
from longfat.sim.kernel.requests import answer_request
from longfat.sim.kernel.trace_rows import trace_packet, trace_reception


@part
def receive(state, i):
    """Receive a data packet or a request; return whether its row is an acknowledgment now, for the next link."""
    packet = packet_at(state, i)
    if packet.kind == FEEDBACK:
        answer_request(state, i)
        return True
    f = packet.flow
    receiver = receiver_at(state, f)
    now, number = state.now, packet.number
    receiver.received += 1
    receiver.delay += now - packet.sent
    receiver.last_arrival = now
    marks = int(packet.marks)
    if receiver.delays == BY_SCHEME:
        receive_by_scheme(state, i)
        return False
    packet.marks = 0
    expected = number == receiver.expect and receiver.blocks_head == NONE
    if number == receiver.expect or not receiver.in_order:
        receiver.received_bytes += packet.length
        receiver.expect += 1
        if receiver.blocks_head != NONE:
            receiver.expect = skip_block(state, receiver, receiver.expect)
            if receiver.blocks_head != NONE:
                report_blocks(state, f, i, NONE)
    else:
        receive_out_of_order(state, f, i)
    if not receiver.acknowledges:
        if marks & CE:
            tally_at(state, f).marks += 1
        if state.tracing:
            trace_reception(state, i, number, marks)
        release_packet(state, i)
        return False
    # RFC 3168, section 6.1.3: echo the mark until CWR arrives. RFC 8257, section 3.2: echo that of the last packet;
    # where every packet is acknowledged, that is to echo each mark once.
    if receiver.delays and expected and receiver.echo == STATE_OF_LAST:
        acknowledge_change(state, f, marks & CE)
    if marks & CE:
        tally_at(state, f).marks += 1
        receiver.echo_ce = 1
    elif receiver.echo != LATCHED or marks & CWR:
        receiver.echo_ce = 0
    if receiver.echo_ce:
        packet.marks |= ECE
    if receiver.echo == ACCURATE:
        header_at(state, i).x[MARKS_FIELD] = tally_at(state, f).marks
    if receiver.reports_arrival:
        header_at(state, i).x[0] = now * 1e-9
    packet.kind = ACK
    packet.priority = 0  # the highest
    packet.triggered_by = number
    packet.number = receiver.expect
    packet.length = receiver.ack_size
    packet.hop += 1
    if state.tracing:
        trace_reception(state, i, number, marks)
    if receiver.delays and hold_back(state, f, i, expected and marks & LAST == 0):
        return False
    if state.tracing:
        trace_packet(state, ACK_SENT, i)
    return True


@routine
def receive_out_of_order(state, f, i):
    """Store a packet beyond a hole, or count a duplicate; report SACK blocks."""
    packet, receiver = packet_at(state, i), receiver_at(state, f)
    block, new = NONE, False
    if packet.number > receiver.expect:
        block, new = insert_number(state, receiver, packet.number)
    if new:
        receiver.received_bytes += packet.length
    else:
        tally_at(state, f).duplicate += 1
    if receiver.blocks_head != NONE:
        report_blocks(state, f, i, block)


@part
def add_block(state, expect, i, count, low, high):
    """Add a block to an acknowledgment, unless it is empty or contained in another; return the number of blocks."""
    if high <= expect:
        return count
    for k in range(count):
        if sack_at(state, i).x[2 * k] <= low and high <= sack_at(state, i).x[2 * k + 1]:
            return count
    sack_at(state, i).x[2 * count] = low
    sack_at(state, i).x[2 * count + 1] = high
    return count + 1


@routine
def report_blocks(state, f, i, newest):
    """Report the newest block, then those reported before, then others, three at most (RFC 2018, sections 3 and 4)."""
    tally, receiver = tally_at(state, f), receiver_at(state, f)
    expect = receiver.expect
    for k in range(6):
        sack_at(state, i).x[k] = 0
    count = 0
    if newest != NONE:
        sack_at(state, i).x[0] = block_at(state, newest).low
        sack_at(state, i).x[1] = block_at(state, newest).high
        count = 1
    for k in range(0, 6, 2):
        if count < 3:
            count = add_block(state, expect, i, count, tally.reported_blocks[k], tally.reported_blocks[k + 1])
    b = receiver.blocks_tail
    while b != NONE and count < 3:
        count = add_block(state, expect, i, count, block_at(state, b).low, block_at(state, b).high)
        b = block_at(state, b).previous
    for k in range(6):
        tally.reported_blocks[k] = sack_at(state, i).x[k]
    if count > 0:
        packet_at(state, i).marks |= HAS_BLOCKS

"""Receiver: it accepts packets in any order and acknowledges every packet or only some (RFC 5681, section 4.2).

The module has four parts: blocks of packets beyond a hole, receivers that a scheme controls, delayed acknowledgments,
and the reception of a packet.
"""

from longfat.sim.kernel import records
from longfat.sim.kernel.callbacks import ON_FEEDBACK, call_receiver, call_responder
from longfat.sim.kernel.events import request_admission, schedule_delayed
from longfat.sim.kernel.jit import inline, routine
from longfat.sim.kernel.memory import new_packet, release_packet
from longfat.sim.kernel.records import NEVER, NONE
from longfat.sim.kernel.recovery import allocate_node, release_node
from longfat.sim.kernel.trace_rows import trace_packet

# --- Blocks beyond a hole --------------------------------------------------------------------------------------------
#
# Packets beyond a hole are stored as blocks of contiguous numbers: memory and time grow with the number of holes, not
# with the window.
#
# A receiver keeps blocks for its SACK blocks (RFC 2018). A sender that does not retransmit packets known to have
# arrived keeps blocks of them, too. The owner of a list of blocks has the fields `blocks_head` and `blocks_tail`.


@routine
def remove_block(state, owner, b):
    """Remove block b from its owner's list, and release its row."""
    block = state.blocks[b]
    if block.previous == NONE:
        owner.blocks_head = block.next
    else:
        state.blocks[block.previous].next = block.next
    if block.next == NONE:
        owner.blocks_tail = block.previous
    else:
        state.blocks[block.next].previous = block.previous
    release_node(state, b)


@routine
def new_block(state, owner, number, before):
    """Insert after block `before` a new block that holds only packet `number`; return the new block's row number."""
    b = allocate_node(state)
    block = state.blocks[b]
    block.low = number
    block.high = number + 1
    block.previous = before
    if before == NONE:
        block.next = owner.blocks_head
        owner.blocks_head = b
    else:
        block.next = state.blocks[before].next
        state.blocks[before].next = b
    if block.next == NONE:
        owner.blocks_tail = b
    else:
        state.blocks[block.next].previous = b
    return b


@routine
def insert_number(state, owner, number):
    """Insert a packet beyond a hole into the owner's blocks; return its block, and whether the packet is new."""
    b = owner.blocks_tail
    if b != NONE and number < state.blocks[b].low:  # probably a retransmission: search from the first block
        b = owner.blocks_head
        if number < state.blocks[b].low:
            b = NONE
        else:
            while state.blocks[state.blocks[b].next].low <= number:
                b = state.blocks[b].next
    # Block b is now the last block that begins at `number` or below it; b is NONE if there is no such block.
    if b != NONE and number < state.blocks[b].high:
        return b, False
    following = owner.blocks_head if b == NONE else state.blocks[b].next
    joins_next = following != NONE and state.blocks[following].low == number + 1
    if b != NONE and state.blocks[b].high == number:
        state.blocks[b].high += 1
        if joins_next:
            state.blocks[b].high = state.blocks[following].high
            remove_block(state, owner, following)
        return b, True
    if joins_next:
        state.blocks[following].low = number
        return following, True
    return new_block(state, owner, number, b), True


@inline
def skip_block(state, owner, number):
    """Return the first missing packet number from `number` on; remove the first block if it begins there."""
    block = state.blocks[owner.blocks_head]
    if block.low > number:
        return number
    number = block.high
    remove_block(state, owner, owner.blocks_head)
    return number


@inline
def remove_blocks_below(state, owner, number):
    """Remove the blocks that hold only packets below `number`."""
    while owner.blocks_head != NONE and state.blocks[owner.blocks_head].high <= number:
        remove_block(state, owner, owner.blocks_head)


@inline
def first_missing(state, owner, number):
    """Return the first packet number from `number` on that is in no block."""
    b = owner.blocks_head
    while b != NONE and state.blocks[b].low <= number:
        number = max(number, state.blocks[b].high)
        b = state.blocks[b].next
    return number


# --- Receivers that a scheme controls --------------------------------------------------------------------------------
#
# The scheme sees every packet that arrives, and sends replies at times of its choice.
#
# A reply counts as an acknowledgment. Its row holds the departure time, number and transmission of the packet that
# arrived last, so that the sender can measure round-trip times.


@routine
def arm(state, f, time):
    """Schedule an event at `time` [ns] for a receiver's delayed acknowledgment or its scheme's callback `reply`."""
    state.delayed_acks[f].armed_ns = time
    schedule_delayed(state, f, time)


@routine
def receive_by_scheme(state, i):
    """Call `receive` of a flow's scheme for packet i, which has arrived, and release the packet's row."""
    packet = state.packets[i]
    f = packet.flow
    receiver, own, tally = state.receivers[f], state.delayed_acks[f], state.tallies[f]
    number = packet.number
    if packet.flag_bits & records.CE:
        tally.marks += 1
    own.sent, own.triggered_by, own.transmission, own.hop = packet.sent, number, packet.transmission, packet.hop + 1
    tally.acks_merged += 1  # packets received minus replies sent
    if call_receiver(state, f, i, records.ON_RECEIVE) > 0:
        receiver.received_bytes += packet.length
    elif number != records.NO_DATA:
        tally.duplicate += 1
    release_packet(state, i)
    if own.due_ns < own.armed_ns:
        arm(state, f, max(own.due_ns, state.now))


@routine
def reply(state, f):
    """Create a reply and call the scheme's `reply` with it; send it if the callback returns a positive number."""
    receiver, own = state.receivers[f], state.delayed_acks[f]
    own.due_ns = NEVER
    i = new_packet(state, f, records.ACK, receiver.ack_size, own.hop)
    packet, extra = state.packets[i], state.extras[i]
    packet.sent, packet.triggered_by, packet.transmission = own.sent, own.triggered_by, own.transmission
    for k in range(4):
        extra.header[k] = 0.0
    leaves = call_receiver(state, f, i, records.ON_REPLY) > 0
    packet.number = receiver.expect
    if own.due_ns < records.HORIZON:  # at least 1 ns from now, so that time advances
        own.due_ns = max(own.due_ns, state.now + 1)
        if own.due_ns < own.armed_ns:
            arm(state, f, own.due_ns)
    if not leaves:
        release_packet(state, i)
        return
    state.tallies[f].acks_merged -= 1
    if state.tracing:
        trace_packet(state, records.ACK_SENT, i)
    request_admission(state, i)


# --- Delayed acknowledgments -----------------------------------------------------------------------------------------
#
# The receiver sends one acknowledgment for several packets, or after a time (RFC 5681, section 4.2).
#
# The acknowledgment of a packet is made when the packet arrives. The receiver keeps this acknowledgment until that of a
# later packet replaces it, or until it is due.


@inline
def is_due_after(one, f, other, g):
    """Return whether flow f's delayed acknowledgment is due after flow g's; at equal times the flow number decides."""
    return one.due_ns > other.due_ns or (one.due_ns == other.due_ns and f > g)


@inline
def join_delayed(state, f, delayed, link):
    """Insert flow f into a link's list of flows with a delayed acknowledgment, by due time, then by flow number."""
    before = link.last_delayed
    while before != NONE and is_due_after(state.delayed_acks[before], before, delayed, f):
        before = state.delayed_acks[before].previous
    delayed.previous = before
    if before == NONE:
        delayed.behind = link.first_delayed
        link.first_delayed = f
    else:
        delayed.behind = state.delayed_acks[before].behind
        state.delayed_acks[before].behind = f
    if delayed.behind == NONE:
        link.last_delayed = f
    else:
        state.delayed_acks[delayed.behind].previous = f


@inline
def leave_delayed(state, delayed, link):
    """Remove a flow from a link's list of flows with a delayed acknowledgment."""
    delayed.pending = 0
    delayed.due_ns = NEVER
    if delayed.previous == NONE:
        link.first_delayed = delayed.behind
    else:
        state.delayed_acks[delayed.previous].behind = delayed.behind
    if delayed.behind == NONE:
        link.last_delayed = delayed.previous
    else:
        state.delayed_acks[delayed.behind].previous = delayed.previous


@inline
def link_before(state, i):
    """Return the link over which the data packet of acknowledgment i has arrived."""
    return state.links[state.hops[state.packets[i].hop - 1].link]


@routine
def hold_back(state, f, i, may_wait):
    """Discard the flow's delayed acknowledgment in favour of acknowledgment i; return whether i is delayed, too."""
    receiver, delayed = state.receivers[f], state.delayed_acks[f]
    if receiver.waiting != NONE:
        release_packet(state, receiver.waiting)
        receiver.waiting = NONE
        state.tallies[f].acks_merged += 1
    delayed.pending += 1
    if delayed.quick_acks > 0:
        delayed.quick_acks -= 1
        may_wait = False
    # RFC 5681, section 4.2: acknowledge at least every second full-sized segment. Acknowledge immediately data that
    # arrive out of order and data that fill a gap. Our choice: acknowledge the sender's last data packet immediately,
    # because it carries FIN, which TCP acknowledges without delay.
    if not may_wait or delayed.pending >= delayed.delayed_ack:
        if delayed.pending > 1:
            leave_delayed(state, delayed, link_before(state, i))
        delayed.pending = 0
        return False
    receiver.waiting = i
    if delayed.pending == 1:  # RFC 5681, section 4.2: at most 500 ms after the first packet not acknowledged
        delayed.due_ns = state.now + int(delayed.ack_delay * 1e9)
        join_delayed(state, f, delayed, link_before(state, i))
        if delayed.due_ns < delayed.armed_ns:
            arm(state, f, delayed.due_ns)
    return True


@routine
def acknowledge_change(state, f, marked):
    """Send the delayed acknowledgment now if either the arriving packet or the last packet is marked, but not both."""
    # RFC 8257, section 3.2, figure 1: if the mark differs from that of the last packet, immediately send an
    # acknowledgment with the old mark; later acknowledgments have the new mark.
    receiver = state.receivers[f]
    if receiver.waiting != NONE and (marked != 0) != (receiver.echo_ce != 0):
        request_admission(state, take_delayed(state, f))


@routine
def take_delayed(state, f):
    """Remove and return the delayed acknowledgment of flow f, which is then sent."""
    receiver = state.receivers[f]
    i = receiver.waiting
    receiver.waiting = NONE
    leave_delayed(state, state.delayed_acks[f], link_before(state, i))
    if state.tracing:
        trace_packet(state, records.ACK_SENT, i)
    return i


@routine
def expire_delay(state, f, time):
    """Send flow f's delayed acknowledgment or reply if it is due, or schedule it anew; ignore an outdated entry."""
    delayed = state.delayed_acks[f]
    if time != delayed.armed_ns:
        return
    delayed.armed_ns = NEVER
    if delayed.due_ns <= time:
        if state.receivers[f].delays == records.BY_SCHEME:
            reply(state, f)
        else:
            request_admission(state, take_delayed(state, f))
    elif delayed.due_ns < records.HORIZON:
        arm(state, f, delayed.due_ns)


# --- Reception -------------------------------------------------------------------------------------------------------


@inline
def receive(state, i):
    """Receive a data packet or a request; return whether its row now holds an acknowledgment or answer to send."""
    packet = state.packets[i]
    receiver = state.receivers[packet.flow]
    if (
        receiver.plain == 0
        or packet.kind != records.DATA
        or packet.number != receiver.expect
        or receiver.blocks_head != NONE
        or packet.flag_bits & (records.CE | records.CWR)
        or receiver.echo_ce
        or state.tracing
    ):
        return receive_any(state, i)
    count_arrival(state, receiver, packet)
    receiver.received_bytes += packet.length
    receiver.expect += 1
    may_wait = packet.flag_bits & records.LAST == 0
    packet.flag_bits = 0
    make_acknowledgment(receiver, packet)
    return receiver.delays == records.AT_ONCE or leaves_now(state, packet.flow, i, may_wait)


@inline
def leaves_now(state, f, i, may_wait):
    """Return whether acknowledgment i is sent now rather than delayed.

    This is a separate `inline` function because it calls a routine (docs/engine.md).
    """
    return not hold_back(state, f, i, may_wait)


@inline
def count_arrival(state, receiver, packet):
    """Add an arriving data packet to the receiver's counters."""
    receiver.received += 1
    receiver.delay += state.now - packet.sent
    receiver.last_arrival = state.now


@inline
def make_acknowledgment(receiver, packet):
    """Turn the row of a data packet into that of its acknowledgment, on the next hop."""
    packet.kind = records.ACK
    packet.priority = 0  # the highest priority
    packet.triggered_by = packet.number
    packet.number = receiver.expect
    packet.length = receiver.ack_size
    packet.hop += 1


@routine
def receive_any(state, i):
    """Receive any packet; return whether its row now holds an acknowledgment or answer to send."""
    packet = state.packets[i]
    if packet.kind == records.FEEDBACK:
        answer_request(state, i)
        return True
    f = packet.flow
    receiver = state.receivers[f]
    number = packet.number
    flags = int(packet.flag_bits)
    expected = number == receiver.expect and receiver.blocks_head == NONE
    if receiver.delays == records.DELAYED_ACKS and expected and receiver.echo == records.STATE_OF_LAST:
        acknowledge_change(state, f, flags & records.CE)
    if state.tracing:
        trace_packet(state, records.RECEIVED, i)
    count_arrival(state, receiver, packet)
    if receiver.delays == records.BY_SCHEME:
        receive_by_scheme(state, i)
        return False
    packet.flag_bits = 0
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
        if flags & records.CE:
            state.tallies[f].marks += 1
        release_packet(state, i)
        return False
    # RFC 3168, section 6.1.3: echo a mark until CWR arrives. RFC 8257, section 3.2: echo the mark of the last packet;
    # thus each mark is echoed once if every packet is acknowledged.
    if flags & records.CE:
        state.tallies[f].marks += 1
        receiver.echo_ce = 1
    elif receiver.echo != records.LATCHED or flags & records.CWR:
        receiver.echo_ce = 0
    if receiver.echo_ce:
        packet.flag_bits |= records.ECE
    if receiver.echo == records.ACCURATE:
        state.extras[i].header[records.MARKS_FIELD] = state.tallies[f].marks
    if receiver.reports_arrival:
        state.extras[i].header[0] = state.now * 1e-9
    make_acknowledgment(receiver, packet)
    if receiver.delays and hold_back(state, f, i, expected and flags & records.LAST == 0):
        return False
    if state.tracing:
        trace_packet(state, records.ACK_SENT, i)
    return True


@routine
def answer_request(state, i):
    """Turn a request that has arrived into its answer; the run's responder fills in the header fields."""
    packet, extra = state.packets[i], state.extras[i]
    for k in range(4):
        extra.header[k] = 0.0
    call_responder(state, state.links[state.hops[packet.hop].link], ON_FEEDBACK, i, state.now)
    packet.flag_bits = records.ANSWERED  # distinguishes it from feedback of a switch
    packet.hop += 1


@routine
def receive_out_of_order(state, f, i):
    """Store packet i if it is new and lies beyond a hole, or count a duplicate; report SACK blocks."""
    packet, receiver = state.packets[i], state.receivers[f]
    block, new = NONE, False
    if packet.number > receiver.expect:
        block, new = insert_number(state, receiver, packet.number)
    if new:
        receiver.received_bytes += packet.length
    else:
        state.tallies[f].duplicate += 1
    if receiver.blocks_head != NONE:
        report_blocks(state, f, i, block)


@inline
def add_block(extra, expect, count, low, high):
    """Add SACK block [low, high) to the `count` blocks of an acknowledgment; return their number.

    A block is left out if it is below `expect` or contained in an earlier block.
    """
    if high <= expect:
        return count
    for k in range(count):
        if extra.blocks[2 * k] <= low and high <= extra.blocks[2 * k + 1]:
            return count
    extra.blocks[2 * count] = low
    extra.blocks[2 * count + 1] = high
    return count + 1


@routine
def report_blocks(state, f, i, newest):
    """Write up to three SACK blocks into acknowledgment i: the newest, then reported ones, then others.

    RFC 2018, sections 3 and 4.
    """
    tally, receiver, extra = state.tallies[f], state.receivers[f], state.extras[i]
    expect, count = receiver.expect, 0
    for k in range(6):
        extra.blocks[k] = 0
    if newest != NONE:
        extra.blocks[0] = state.blocks[newest].low
        extra.blocks[1] = state.blocks[newest].high
        count = 1
    for k in range(0, 6, 2):
        if count < 3:
            count = add_block(extra, expect, count, tally.reported_blocks[k], tally.reported_blocks[k + 1])
    b = receiver.blocks_tail
    while b != NONE and count < 3:
        count = add_block(extra, expect, count, state.blocks[b].low, state.blocks[b].high)
        b = state.blocks[b].previous
    for k in range(6):
        tally.reported_blocks[k] = extra.blocks[k]
    if count > 0:
        state.packets[i].flag_bits |= records.SACK

"""Receiver of SSTP: grants a window of segments, and answers each group of packets with a control packet.

A *group* is a whole segment that is sent for the first time, or the packets that one SNAK requests. Every packet
carries a shipment number, from which the receiver knows which shipments were lost, and a control number, from which it
knows which requests the sender has begun to serve. So it knows when the last packet of each group was shipped, even if
that packet is lost, and answers each group with one control packet: a PACK if the segment is complete, else a SNAK with
its missing packets.

For error control the paper refers to a report that could not be read (F. Gong and G. Parulkar, WUCS-92-37). Rules
marked as our choice replace that report. The rules with their sources: docs/rules/sstp.md.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.functions import NO_DATA

ROWS = 512  # segments of the largest window: length of the arrays of both ends
MOST = 48  # packets of the largest segment: a bitmap is an integer that a header field holds exactly

# Header fields of packets from the sender. `TYPE` has one of the values below. `SERVED` is the control number of the
# last SNAK whose packets are being shipped. `CONTEXT` is, in a keep-alive packet, the number of segments shipped so
# far and, in an end-of-stream packet, the number of packets of the stream.
TYPE, SHIPMENT, SERVED, CONTEXT = range(4)
DATA_PACKET, KEEP_ALIVE, END_STREAM = range(3)
# Header fields of control packets. `MISSING` is the bitmap of missing packets: a control packet with no bit set
# requests nothing (PACK). The number of the acknowledgment is the "ACK segment number", in packets.
CONTROL, LIMIT, SEGMENT, MISSING = range(4)

NOWHERE = -1

#: State of the receiver, see `Scheme.receiver_state`.
STATE = {
    "lower": 0,  # R_l: the first segment that the application has not accepted
    "upper": NOWHERE,  # R_h: the last segment that the sender may ship
    "stored": [0] * ROWS,  # bitmap of the received packets of each segment
    "complete": [0] * ROWS,  # 1: enough packets of the segment are stored
    "total": NOWHERE,  # packets of the stream, known from its end
    "shipment": 0,  # the next shipment
    "arrival": 0,  # shipment number of the present packet; a packet without data has the number of the next shipment
    "bytes": 0.0,  # size of a data packet
    "begun": 0,  # segments whose first group has begun
    "group": NOWHERE,  # segment of the group that is being shipped, and the packets of the group still to come
    "to_come": 0,
    "asked_segment": [0] * ROWS,  # requests in their order: segment, bitmap and control number
    "asked_bits": [0] * ROWS,
    "asked_control": [0] * ROWS,
    "first_asked": 0,
    "end_asked": 0,
    "ready_at": [0.0] * ROWS,  # queued control packets: when they leave [s], and their fields
    "ready_upper": [0] * ROWS,
    "ready_segment": [0] * ROWS,
    "ready_bits": [0] * ROWS,
    "first_ready": 0,
    "end_ready": 0,  # number of the control packet queued last; the first has number 1
    "last_control_at": 0.0,  # departure of the last control packet [s]
    "busy_until": 0.0,  # time until which the application processes a segment [s]
    "changed": False,  # `change_at` has passed
    "most_stored": 0,  # largest number of slots of the buffer in use [segments]
    "discarded": 0,  # packets that found no slot
    "overrun": 0,  # packets beyond the window
    "repeats": 0,  # control packets sent again
}


@inline
def size_of(receiver, segment):
    """Return the number of packets of a segment; the last one may be short."""
    size = int(receiver.segment)
    if receiver.total >= 0:
        size = min(size, receiver.total - segment * size)
    return max(0, size)


@inline
def ones(bits):
    """Return the number of set bits in a bitmap."""
    count = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count


@inline
def missing_of(receiver, segment):
    """Return the bitmap of a segment's missing packets; 0 if the application tolerates their loss."""
    if segment < receiver.lower or receiver.complete[segment % ROWS]:
        return 0
    bits = ((1 << size_of(receiver, segment)) - 1) & ~receiver.stored[segment % ROWS]
    # WUCS-92-38, section 3.4, "Receiver Window Operations": the tolerance checker compares the loss in a segment with
    # the application's tolerance, and requests packets only if the loss exceeds the tolerance.
    return bits if ones(bits) > receiver.tolerance else 0


@inline
def store(receiver, number):
    """Store a packet if its segment is inside the window and the buffer; return 1 if it is new, else 0."""
    size = int(receiver.segment)
    segment = number // size
    bit = 1 << (number - segment * size)
    if segment < receiver.lower:
        return 0
    # WUCS-92-38, section 3.4: "Only packets with segment numbers in the range [R_l, R_h] can be accepted."
    if segment > receiver.upper:
        receiver.overrun += 1
        return 0
    # WUCS-92-38, section 4.3.1, hard acknowledgment: a buffer smaller than the window stores the segments that are next
    # in order.
    if segment >= receiver.lower + (int(receiver.buffer) if receiver.buffer > 0.0 else ROWS):
        receiver.discarded += 1
        return 0
    if receiver.stored[segment % ROWS] & bit or receiver.complete[segment % ROWS]:
        return 0
    receiver.stored[segment % ROWS] |= bit
    receiver.most_stored = max(receiver.most_stored, segment - receiver.lower + 1)
    return 1


@inline
def answer(receiver, segment, at):
    """Queue a PACK for a segment, or a SNAK with its bitmap, to leave at the time `at` [s], but not before now."""
    if receiver.end_ready - receiver.first_ready >= ROWS:
        return
    bits = missing_of(receiver, segment)
    k = receiver.end_ready % ROWS
    receiver.ready_at[k] = max(at, receiver.now)
    # WUCS-92-38, section 3.4, "Sender Window Operations": R_l and R_h are copied into every PACK and SNAK. R_l is the
    # next packet expected, which the simulator itself writes into every acknowledgment.
    receiver.ready_upper[k] = receiver.upper
    receiver.ready_segment[k] = segment
    receiver.ready_bits[k] = bits
    receiver.end_ready += 1
    if bits and receiver.end_asked - receiver.first_asked < ROWS:
        k = receiver.end_asked % ROWS
        receiver.asked_segment[k] = segment
        receiver.asked_bits[k] = bits
        receiver.asked_control[k] = receiver.end_ready
        receiver.end_asked += 1


@inline
def processing_time(receiver):
    """Return the time [s] that the application needs to process a segment."""
    return receiver.processing_after if receiver.changed else receiver.processing


@inline
def window_of(receiver):
    """Return the window W [segments], reduced in proportion to the application's speed if `shrink` is set."""
    window, time = receiver.window_limit, processing_time(receiver)
    # WUCS-92-38, section 3.4, "Window Control Strategy": W_1 = (F_1/F) W_0, F_1 being the segments per second that a
    # slower application processes; the same rule increases the window again. Our choice: W_1 is rounded down, at least
    # 1, and at most W_0.
    if receiver.shrink and time > 0.0 and receiver.bytes > 0.0:
        segments = receiver.peak_rate / (receiver.segment * receiver.bytes)  # segments per second
        if receiver.burst_rate > 0.0:
            segments = receiver.burst_rate * receiver.burst_length / receiver.segment
        window = min(window, max(1.0, math.floor(window / (segments * time))))
    return int(window)


@inline
def run_application(receiver):
    """Let the application accept the complete segments that are next in order; return their number."""
    accepted = 0
    if not receiver.changed and receiver.now >= receiver.change_at:
        receiver.changed = True
    while receiver.complete[receiver.lower % ROWS] and receiver.now >= receiver.busy_until:
        receiver.complete[receiver.lower % ROWS] = 0
        receiver.stored[receiver.lower % ROWS] = 0
        receiver.next += size_of(receiver, receiver.lower)
        # WUCS-92-38, section 3.4, "Receiver Window Operations", rule 2: R_l = i + 1 after segment i is accepted.
        receiver.lower += 1
        accepted += 1
        # WUCS-92-38, section 3.4, "Window Control Strategy": the window does not advance while the application is busy.
        time = processing_time(receiver)
        if time > 0.0:
            receiver.busy_until = receiver.now + time
    # WUCS-92-38, section 3.4, rule 2: R_h = max(R_h, R_l + W - 1), so that segments once allowed stay allowed.
    receiver.upper = max(receiver.upper, receiver.lower + window_of(receiver) - 1)
    return accepted


@inline
def accept(receiver, segment):
    """Accept a segment if it is complete; return whether it has become complete now."""
    if segment < receiver.lower or receiver.complete[segment % ROWS] or missing_of(receiver, segment) != 0:
        return False
    receiver.complete[segment % ROWS] = 1
    run_application(receiver)
    return True


@inline
def close(receiver, shipment):
    """Close the group that ends with this shipment: accept its segment if it is complete, and queue the answer."""
    segment = receiver.group
    receiver.group = NOWHERE
    receiver.to_come = 0
    accept(receiver, segment)
    # WUCS-92-38, section 3.4, "Window Size Determination": the answer leaves three packet times t_p after the last
    # packet of the group. Our choice: the answer leaves at the same time if that packet was lost, which a later
    # shipment reveals; shipments are assumed to be t_p apart.
    spacing = receiver.bytes / receiver.peak_rate
    late = receiver.arrival - shipment
    answer(receiver, segment, receiver.now + (receiver.reply_delay - late) * spacing)


@inline
def open_next(receiver, served):
    """Open the group that the sender ships next: the oldest request that the sender serves, or a new segment."""
    k = receiver.first_asked % ROWS
    if receiver.first_asked < receiver.end_asked and receiver.asked_control[k] <= served:
        receiver.first_asked += 1
        receiver.group = receiver.asked_segment[k]
        receiver.to_come = ones(receiver.asked_bits[k])
    else:
        receiver.group = receiver.begun
        receiver.to_come = size_of(receiver, receiver.begun)
        receiver.begun += 1


# WUCS-92-38, section 3.2, "Data Packet": the shipment number serves to detect losses. Our design, because the paper
# does not say how: this function detects them.
@inline
def pass_lost(receiver, first, arrived, served):
    """Account for the lost shipments, from `first` to `arrived` - 1, and close the groups that end among them."""
    while first < arrived:
        if receiver.to_come <= 0:
            open_next(receiver, served)
            if receiver.to_come <= 0:  # beyond the end of the stream: the count of shipments is wrong
                return
        lost = min(receiver.to_come, arrived - first)
        first += lost
        receiver.to_come -= lost
        if receiver.to_come == 0:
            close(receiver, first - 1)


@inline
def close_served(receiver, served, keep):
    """Close all requested groups up to control number `served`, and the open group unless its segment is `keep`."""
    if receiver.to_come > 0 and receiver.group != keep:
        close(receiver, receiver.shipment - 1)
    while receiver.first_asked < receiver.end_asked and receiver.to_come <= 0:
        k = receiver.first_asked % ROWS
        if receiver.asked_control[k] > served:
            return
        receiver.first_asked += 1
        receiver.group = receiver.asked_segment[k]
        receiver.to_come = ones(receiver.asked_bits[k])
        if receiver.group == keep and receiver.asked_control[k] == served:
            return
        close(receiver, receiver.shipment - 1)


@inline
def take_data(receiver, packet, shipment, served):
    """Take a data packet; return 1 if its data is new and accepted, else 0."""
    first = receiver.shipment
    if shipment < first:  # overtaken by a later shipment
        return store(receiver, packet.number)
    receiver.shipment = shipment + 1
    receiver.arrival = shipment
    pass_lost(receiver, first, shipment, served)
    size = int(receiver.segment)
    segment = packet.number // size
    # The sender never serves a SNAK that was lost; the expected group may then be wrong: take the group of the packet
    # instead.
    if receiver.to_come <= 0 or receiver.group != segment:
        if segment >= receiver.begun:
            close_served(receiver, served, NOWHERE)
            while receiver.begun < segment and receiver.begun - receiver.lower < ROWS:
                receiver.group = receiver.begun
                receiver.begun += 1
                close(receiver, shipment - 1)
            receiver.begun = segment + 1
            receiver.group = segment
            receiver.to_come = size_of(receiver, segment) - (packet.number - segment * size)
        else:
            close_served(receiver, served, segment)
    new = store(receiver, packet.number)
    if receiver.to_come > 0 and receiver.group == segment:
        receiver.to_come -= 1
        if receiver.to_come == 0:
            close(receiver, shipment)
    return new


@inline
def take_pause(receiver, packet, shipment, served):
    """Take a keep-alive or end-of-stream packet, which shows that all earlier shipments have arrived or are lost."""
    # WUCS-92-38, section 3.2, "Keep-Alive Packet" and "EndStream Packet": both give the context for the detection of
    # losses in earlier transmissions; the EndStream packet also reveals losses "in the last portion" of the stream.
    begun, size = int(packet.header[CONTEXT]), int(receiver.segment)
    if int(packet.header[TYPE]) == END_STREAM:
        receiver.total = begun
        begun = -(-begun // size)
    first = receiver.shipment
    receiver.shipment = max(first, shipment + 1)
    receiver.arrival = receiver.shipment
    pass_lost(receiver, first, shipment + 1, served)
    close_served(receiver, served, NOWHERE)
    while receiver.begun < begun and receiver.begun - receiver.lower < ROWS:
        receiver.group = receiver.begun
        receiver.begun += 1
        close(receiver, receiver.shipment - 1)
    # The group of the last segment was closed before its length was known. Now that the length is known, the segment
    # may be complete.
    if int(packet.header[TYPE]) == END_STREAM and accept(receiver, begun - 1):
        answer(receiver, begun - 1, receiver.now)
    # Our choice, because the paper assumes that control packets are never lost: if the sender pauses although no
    # control packet is queued, it has missed the last one. Send that control packet again, at most once in `repeat`
    # seconds.
    if receiver.first_ready == receiver.end_ready and receiver.now >= receiver.last_control_at + receiver.repeat:
        receiver.repeats += 1
        if receiver.first_asked < receiver.end_asked:
            k = receiver.first_asked % ROWS
            receiver.first_asked += 1
            answer(receiver, receiver.asked_segment[k], receiver.now)
        else:
            answer(receiver, max(0, receiver.lower - 1), receiver.now)


@inline
def set_alarm(receiver):
    """Set the alarm to the departure of the next control packet or to the application's next read, if earlier."""
    due = math.inf
    if receiver.first_ready < receiver.end_ready:
        due = receiver.ready_at[receiver.first_ready % ROWS]
    if receiver.complete[receiver.lower % ROWS]:
        due = min(due, receiver.busy_until)
    receiver.alarm = due


def receive(receiver, packet):
    """Take a packet, and queue the control packets that answer it; return 1 if its data is accepted, else 0."""
    if receiver.bytes <= 0.0:
        receiver.upper = int(receiver.window_limit) - 1
    if packet.number != NO_DATA:
        receiver.bytes = float(packet.size)
    new, shipment, served = 0, int(packet.header[SHIPMENT]), int(packet.header[SERVED])
    if int(packet.header[TYPE]) == DATA_PACKET:
        new = take_data(receiver, packet, shipment, served)
    else:
        take_pause(receiver, packet, shipment, served)
    set_alarm(receiver)
    return new


def reply(receiver, packet):
    """Let the application read data, and fill in the next control packet; return 1 if one is due, else 0."""
    # WUCS-92-38, section 3, "Avoidance Of Adverse Interaction": separate messages advance the window.
    if run_application(receiver) > 0:
        spacing = receiver.bytes / receiver.peak_rate
        answer(receiver, receiver.lower - 1, receiver.now + receiver.reply_delay * spacing)
    k = receiver.first_ready % ROWS
    if receiver.first_ready == receiver.end_ready or receiver.ready_at[k] > receiver.now:
        set_alarm(receiver)
        return 0
    receiver.first_ready += 1
    packet.header[CONTROL] = receiver.first_ready
    packet.header[LIMIT] = receiver.ready_upper[k]
    packet.header[SEGMENT] = receiver.ready_segment[k]
    packet.header[MISSING] = receiver.ready_bits[k]
    receiver.last_control_at = receiver.now
    set_alarm(receiver)
    return 1

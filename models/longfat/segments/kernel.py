"""Compiled kernel of the segment simulator, whose time grows with losses and discards if the window never closes.

Sender and event loop: time is counted in packet times. A segment takes s, its acknowledgment arrives t_a later, and the
window is W segments. Segment i may start when all segments up to i - W are acknowledged. Only damaged segments, the
*holes*, have acknowledgments of their own here; segment i - W, if it was delivered at the first attempt, is
acknowledged s + t_a after its start. With (W - 1) s >= t_a the sender never waits for such a segment, so the segments
before the next loss are sent in one step. Otherwise the sender may wait for each segment, and they are sent one by one.

Receiver, with hard and soft acknowledgment (Gong & Parulkar, section 4.3.1): the buffer has `buffer` slots of a segment
each. It is empty while no segment is missing, because segments in order are consumed immediately. All packets of a
group find the same buffer, because nothing else arrives between them, so a group is kept or discarded as a unit.
Acknowledgments are sent at the ends of groups.

The list of holes is ordered by number and begins at `connection.head`. A hole stays in it until the sender knows that
everything up to it has arrived. New holes are appended, or inserted for a complete segment that is displaced from a
full buffer. All segments with larger numbers are holes already, so the position of the displaced segment in the list is
known.
"""

from __future__ import annotations

import numpy as np

from longfat.sim.kernel.jit import entry, inline

NONE = -1


def integers(*names: str) -> np.dtype:
    """Return the type of a record whose fields are integers of 64 bits."""
    return np.dtype([(name, np.int64) for name in names])


#: Segment. The index of its row is its number modulo the number of rows, a power of two that is at least the window
#: plus 1. `start` is the time at which it was first sent; it is stored for all segments only if the sender may wait for
#: its window or if segments may be displaced.
SEGMENT = integers("hole", "start", "received", "end", "following", "previous", "request_delayed")
#: Acknowledgment. `edge`: the first segment that was incomplete when the acknowledgment was sent. `missing`: number of
#: packets requested.
ACKNOWLEDGMENT = integers("time", "segment", "missing", "edge")
#: State of the connection at both ends. `first_open`: the first segment that is not complete. `slots`: number of
#: segments in the receive buffer, and `top`: the largest of their numbers, both for soft acknowledgment only.
#: `unrequested`: number of holes that have not been requested.
CONNECTION = integers(
    "head", "tail", "first_open", "slots", "top", "unrequested", "next", "first_ack", "end_ack", "delay_sum",
    "delay_max",
)  # fmt: skip
#: Arguments, see `simulating.Rules.row`.
RULES = integers(
    "window", "packets", "ack_delay", "tolerance", "buffer", "soft", "when_free", "first_measured", "end_measured"
)

# Outcomes of a group of packets at the receiver.
KEPT, LOST, DISCARDED, REPLACED = range(4)
NEVER = 1 << 60  # packets or packet times; the sum of two still fits into 64 bits

#: Result of a run; `status` has one of the values below.
RESULT = integers("elapsed", "delays", "longest", "sent", "lost_packets", "status", "traced")
DONE, STOPPED, STUCK = range(3)

#: Row of the trace: `count` new segments sent consecutively, or one group of requested packets if `count` is 0. `edge`:
#: the first segment that is incomplete afterwards.
TRACE = integers("start", "segment", "count", "packets", "verdict", "edge")


@inline
def row_of(segments, number):
    """Return the row of a segment."""
    return number & (len(segments) - 1)


@inline
def record_starts(segments, number, count, start, packets):
    """Record when ``count`` segments are first sent, without pauses; if there are fewer rows, only the last of them."""
    for i in range(max(0, count - len(segments)), count):
        segments[row_of(segments, number + i)].start = start + i * packets


@inline
def append_hole(segments, connection, number, received):
    """Append a segment to the holes; it was just sent for the first time, and is not complete."""
    at = row_of(segments, number)
    segments[at].hole, segments[at].received = number, received
    segments[at].following, segments[at].previous, segments[at].request_delayed = NONE, connection.tail, 0
    if connection.head == NONE:
        connection.head = number
    else:
        segments[row_of(segments, connection.tail)].following = number
    connection.tail = number
    if connection.first_open == NONE:
        connection.first_open = number


@inline
def insert_hole(segments, connection, number):
    """Insert a segment that is no longer complete; all segments above it are holes, and there is a hole below it."""
    at = row_of(segments, number)
    above = number + 1 if number + 1 < connection.next else NONE
    below = connection.tail if above == NONE else segments[row_of(segments, above)].previous
    segments[at].hole, segments[at].following, segments[at].previous = number, above, below
    segments[at].request_delayed = 0
    segments[row_of(segments, below)].following = number
    if above == NONE:
        connection.tail = number
    else:
        segments[row_of(segments, above)].previous = number


@inline
def close_holes(segments, connection, edge):
    """Remove the holes before segment `edge`: the sender now knows that everything before it has arrived."""
    while connection.head != NONE and connection.head < edge:
        connection.head = segments[row_of(segments, connection.head)].following
    if connection.head == NONE:
        connection.tail = NONE


@inline
def edge_of(connection):
    """Return the number of the first segment that is not complete at the receiver."""
    return connection.next if connection.first_open == NONE else connection.first_open


@inline
def send_ack(acks, connection, time, number, missing):
    """Send an acknowledgment; acknowledgments arrive in the order sent, because all have the same delay."""
    at = connection.end_ack & (len(acks) - 1)
    acks[at].time, acks[at].segment, acks[at].missing = time, number, missing
    acks[at].edge = edge_of(connection)
    connection.end_ack += 1


@inline
def room_left(connection, rules):
    """Return the number of new segments for which the buffer has room; valid only while a segment is missing."""
    if rules.soft:
        return rules.buffer - connection.slots
    return connection.first_open + rules.buffer - connection.next


@inline
def measured(rules, number):
    """Return whether segment `number` is among the measured segments."""
    return rules.first_measured <= number < rules.end_measured


@inline
def first_sent(segments, acks, connection, rules, start, arrived):
    """Receive `arrived` packets of the new segment connection.next, which is sent from the time `start` on."""
    number, now = connection.next, start + rules.packets
    missing = rules.packets - arrived
    verdict = KEPT if arrived > 0 else LOST
    if connection.first_open != NONE and room_left(connection, rules) <= 0 and (arrived > 0 or not rules.soft):
        verdict, missing = DISCARDED, rules.packets
    record_starts(segments, number, 1, start, rules.packets)
    if rules.soft and verdict == KEPT and (connection.first_open != NONE or missing > rules.tolerance):
        connection.slots += 1
        connection.top = number
    connection.next += 1
    if missing > rules.tolerance:
        if measured(rules, number):
            connection.delay_sum -= rules.packets  # `run` adds this for every measured segment
        append_hole(segments, connection, number, rules.packets - missing)
        delayed = verdict == DISCARDED and rules.when_free > 0
        acknowledge(segments, acks, connection, rules, number, missing, now, delayed)
    return verdict


@inline
def repeated(segments, acks, connection, rules, number, now, arrived):
    """Receive `arrived` retransmitted packets of an incomplete segment; `now` is the end of their transmission."""
    at = row_of(segments, number)
    verdict, replaced = LOST, NONE
    if not rules.soft:
        if number >= connection.first_open + rules.buffer:
            verdict = DISCARDED
        elif arrived > 0:
            verdict = KEPT
    elif arrived > 0:
        verdict = KEPT
        if segments[at].received == 0:
            if connection.slots < rules.buffer:
                connection.slots += 1
                connection.top = max(connection.top, number)
            elif number < connection.top:
                verdict, replaced = REPLACED, connection.top
            else:
                verdict = DISCARDED
    if arrived > 0 and verdict != DISCARDED:
        segments[at].received += arrived
    request_again = replaced != NONE and displace_largest(segments, connection, rules)
    missing = rules.packets - segments[at].received
    delivered = False
    if missing <= rules.tolerance:
        segments[at].end = now
        missing = 0
        if number == connection.first_open:
            deliver(segments, connection, rules)
            delivered = True
    delayed = verdict == DISCARDED and rules.when_free > 0
    acknowledge(segments, acks, connection, rules, number, missing, now, delayed)
    if request_again:
        acknowledge(segments, acks, connection, rules, replaced, rules.packets, now, rules.when_free > 0)
    if delivered and connection.unrequested > 0:
        send_delayed_requests(segments, acks, connection, rules, now)
    return verdict


@inline
def acknowledge(segments, acks, connection, rules, number, missing, now, delayed):
    """Acknowledge a segment, requesting its missing packets if any; if `delayed`, defer the request."""
    if delayed:
        segments[row_of(segments, number)].request_delayed = 1
        connection.unrequested += 1
    else:
        send_ack(acks, connection, now + rules.ack_delay, number, missing)


@inline
def displace_largest(segments, connection, rules):
    """Displace the segment with the largest number (soft acknowledgment); return whether it has to be requested.

    A complete segment has to be requested. If the segment is incomplete, packets of it are in flight, and their
    acknowledgment requests the others.
    """
    number = connection.top
    at = row_of(segments, number)
    if segments[at].hole != number:
        insert_hole(segments, connection, number)
        if measured(rules, number):
            connection.delay_sum -= rules.packets
        segments[at].received = rules.packets
    complete = rules.packets - segments[at].received <= rules.tolerance
    segments[at].received = 0
    below = number - 1
    while segments[row_of(segments, below)].hole == below and segments[row_of(segments, below)].received == 0:
        below -= 1
    connection.top = below
    return complete


@inline
def deliver(segments, connection, rules):
    """Let the application consume all segments up to the next incomplete one."""
    before, number = connection.first_open, connection.first_open
    while number != NONE:
        at = row_of(segments, number)
        if rules.packets - segments[at].received > rules.tolerance:
            break
        if measured(rules, number):
            delay = segments[at].end - segments[at].start
            connection.delay_sum += delay
            connection.delay_max = max(connection.delay_max, delay)
        number = segments[at].following
    connection.first_open = number
    if rules.soft:
        connection.slots -= edge_of(connection) - before


@inline
def send_delayed_requests(segments, acks, connection, rules, now):
    """Request discarded segments for which the buffer has slots again, lowest numbers first."""
    number, free = connection.first_open, rules.buffer - connection.slots
    while number != NONE and connection.unrequested > 0:
        at = row_of(segments, number)
        if (rules.soft and free == 0) or (not rules.soft and number >= connection.first_open + rules.buffer):
            break
        if segments[at].request_delayed:
            segments[at].request_delayed = 0
            connection.unrequested -= 1
            free -= 1
            send_ack(acks, connection, now + rules.ack_delay, number, rules.packets - segments[at].received)
        number = segments[at].following


@inline
def packets_to_next_loss(rng, losses, state):
    """Return the number of packets delivered before the next loss; ``state[0]`` counts the listed losses.

    ``losses`` is the array that `simulating.parameters` returns.
    """
    if losses[0] == 0.0:
        return NEVER
    if losses[0] > 0.0:
        packets = rng.standard_exponential() / losses[0]
        return int(packets) if packets < NEVER else NEVER
    state[0] += 1
    return int(losses[state[0]]) if state[0] < len(losses) else NEVER


@inline
def lost_in_group(rng, losses, state, gap, packets):
    """Send a group of packets; return the number lost, and the number of packets between group and next loss."""
    lost = 0
    while gap < packets:
        lost += 1
        packets -= gap + 1
        gap = packets_to_next_loss(rng, losses, state)
    return lost, gap - packets


@inline
def record_row(trace, row, start, number, count, packets, verdict, connection):
    """Write a row of the trace if the trace has rows left and packets were sent; return the next row's number."""
    if row >= len(trace) or packets == 0:
        return row
    trace[row].start, trace[row].segment, trace[row].count = start, number, count
    trace[row].packets, trace[row].verdict, trace[row].edge = packets, verdict, edge_of(connection)
    return row + 1


@inline
def to_next_mark(number, warm_up, last):
    """Return the number of segments until the measurement begins or, during it, until it ends; `NEVER` after it."""
    if number < warm_up:
        return warm_up - number
    if number < last:
        return last - number
    return NEVER


@inline
def segments_before_loss(bound, gap, segment):
    """Return the number of segments, at most `bound`, that are delivered completely before the next loss."""
    if bound > gap or bound * segment > gap:  # the first test keeps the product small
        return gap // segment
    return bound


@entry
def run(rng, losses, state, rules, segments, acks, connection, stop, trace, result):
    """Send segments until all measured segments have been accepted.

    ``rules`` is a record of `RULES`, in packets, packet times and segments. The arrays `segments` and `acks`
    are working memory, each with a power of two of rows; `connection` and `state` begin with zeros. The result holds
    the time from the first transmission of the first measured segment to that of the first segment after the measured
    ones, the sum and maximum of the measured segments' delays, and the packets sent and lost in the whole run. Another
    thread may set ``stop[0]`` to end the run early. `trace` is filled up to its last row.
    """
    window, segment, ack_delay = rules.window, rules.packets, rules.ack_delay
    warm_up, last = rules.first_measured, rules.end_measured
    gap = packets_to_next_loss(rng, losses, state)
    limited = (window - 1) * segment < ack_delay  # the sender waits for its window even without losses
    connection.head = connection.tail = connection.first_open = NONE
    connection.delay_max = segment

    now = 0  # time at which the sender has finished its last transmission
    began = ended = -1
    sent = lost = traced = 0
    result.status = DONE

    while ended < 0 or (connection.head != NONE and connection.head < last):
        if stop[0]:
            result.status = STOPPED
            break

        # 1. Acknowledgments that have arrived: requested packets are sent before new segments, oldest request first.
        number = connection.next
        next_ack = NEVER
        if connection.first_ack < connection.end_ack:
            at = connection.first_ack & (len(acks) - 1)
            next_ack = acks[at].time
        if next_ack <= now:
            connection.first_ack += 1
            close_holes(segments, connection, acks[at].edge)
            missing, number = acks[at].missing, acks[at].segment
            if missing > 0:
                now += missing
                sent += missing
                newly_lost, gap = lost_in_group(rng, losses, state, gap, missing)
                lost += newly_lost
                verdict = repeated(segments, acks, connection, rules, number, now, missing - newly_lost)
                traced = record_row(trace, traced, now - missing, number, 0, missing, verdict, connection)
            continue

        # 2. If nothing is requested, new segments are sent while the window is open.
        if connection.head != NONE and number >= connection.head + window:
            if next_ack == NEVER:
                result.status = STUCK
                break
            now = next_ack
            continue
        if limited and number >= window:
            earliest = segments[row_of(segments, number - window)].start + segment + ack_delay
            if next_ack <= earliest and now < earliest:
                now = next_ack
                continue
            now = max(now, earliest)

        # 3. The segments before the next event, which are all delivered and kept by the receiver, are sent in one step.
        if number == warm_up and began < 0:
            began = now
        if number == last and ended < 0:
            ended = now
            if connection.head == NONE or connection.head >= last:
                break
        # `bound`: segments that may be sent before the next event, if no packet is lost.
        bound = 1 if limited else to_next_mark(number, warm_up, last)
        kept = NEVER
        if connection.first_open != NONE:
            kept = room_left(connection, rules)
        if connection.head != NONE:
            bound = min(bound, connection.head + window - number)
        until_ack = next_ack - now
        if gap >= until_ack:  # the acknowledgment arrives before the loss
            bound = min(bound, (until_ack + segment - 1) // segment)
        if kept > 0:
            bound = min(bound, kept)
            undamaged = segments_before_loss(bound, gap, segment)
            if limited or (rules.soft and kept < NEVER):
                record_starts(segments, number, undamaged, now, segment)
            if rules.soft and kept < NEVER and undamaged > 0:
                connection.slots += undamaged
                connection.top = number + undamaged - 1
            connection.next += undamaged
            traced = record_row(trace, traced, now, number, undamaged, undamaged * segment, KEPT, connection)
            now += undamaged * segment
            gap -= undamaged * segment
            sent += undamaged * segment
            if undamaged == bound:
                continue

        # 4. The next segment loses packets, or finds the buffer full.
        newly_lost, gap = lost_in_group(rng, losses, state, gap, segment)
        sent += segment
        lost += newly_lost
        number = connection.next
        verdict = first_sent(segments, acks, connection, rules, now, segment - newly_lost)
        traced = record_row(trace, traced, now, number, 1, segment, verdict, connection)
        now += segment

    result.elapsed = ended - began
    result.delays = connection.delay_sum + (last - warm_up) * segment
    result.longest = connection.delay_max
    result.sent, result.lost_packets, result.traced = sent, lost, traced

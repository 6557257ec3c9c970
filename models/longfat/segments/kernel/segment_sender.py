"""Event loop of the segment simulator: transmissions of the sender.

Time is counted in packet times: a segment takes s, its acknowledgment arrives t_a later, and the window is W segments.
Segment i may start when all segments up to i - W are acknowledged. Only damaged segments, the *holes*, have
acknowledgments of their own here; segment i - W, if it was delivered at the first attempt, is acknowledged s + t_a
after its start. With (W - 1) s >= t_a the sender never waits for such a segment, so the segments before the next loss
are sent in one step. Otherwise the sender may wait for each segment, and they are sent one by one.
"""

from __future__ import annotations

from longfat.segments.kernel.segment_receiver import (
    KEPT,
    NONE,
    close_holes,
    edge_of,
    first_sent,
    integers,
    record_starts,
    repeated,
    room_left,
    row_of,
)
from longfat.sim.kernel.jit import entry, inline

NEVER = 1 << 60  # packets or packet times; the sum of two still fits into 64 bits

#: Result of a run; `status` has one of the values below.
RESULT = integers("elapsed", "delays", "longest", "sent", "lost_packets", "status", "traced")
DONE, STOPPED, STUCK = range(3)

#: Row of the trace: `count` new segments sent consecutively, or one group of requested packets if `count` is 0. `edge`:
#: the first segment that is incomplete afterwards.
TRACE = integers("start", "segment", "count", "packets", "verdict", "edge")


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

    ``rules`` is a record of `segment_receiver`, in packets, packet times and segments. The arrays `segments` and `acks`
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

"""Receiver of a group of packets: hard and soft acknowledgment (Gong & Parulkar, section 4.3.1).

The buffer has `buffer` slots of a segment each. It is empty while no segment is missing, because segments in order are
consumed immediately. All packets of a group find the same buffer, because nothing else arrives between them, so a group
is kept or discarded as a unit. Acknowledgments are sent at the ends of groups.
"""

from __future__ import annotations

from longfat.segments.kernel.holes import (
    DELAY_MAX,
    DELAY_SUM,
    END,
    FIRST_OPEN,
    FOLLOWING,
    HOLE,
    NEXT,
    NONE,
    RECEIVED,
    REQUEST_DELAYED,
    RUN,
    SLOTS,
    START,
    TOP,
    UNREQUESTED,
    append_hole,
    edge_of,
    insert_hole,
    row_of,
    send_ack,
)
from longfat.sim.kernel.jit import inline

# Columns of the row of arguments, see `replications.Rules.row`.
WINDOW, PACKETS, ACK_DELAY, TOLERANCE, BUFFER, SOFT, WHEN_FREE, FIRST_MEASURED, END_MEASURED = range(9)
RULES = 9

# Outcomes of a group of packets at the receiver.
KEPT, LOST, DISCARDED, REPLACED = range(4)


@inline
def room_left(connection, rules):
    """Return the number of new segments that the buffer has room for; valid only while a segment is missing."""
    if rules[SOFT]:
        return rules[BUFFER] - connection[SLOTS]
    return connection[FIRST_OPEN] + rules[BUFFER] - connection[NEXT]


@inline
def measured(rules, number):
    """Return whether segment `number` is among the measured segments."""
    return rules[FIRST_MEASURED] <= number < rules[END_MEASURED]


@inline
def begin_run(segments, number, start):
    """Record the start time of a sequence of new segments; `displace_largest` computes the start of each from it."""
    at = row_of(segments, number)
    segments[at, RUN], segments[at, START] = number, start


@inline
def first_sent(segments, acks, connection, rules, start, arrived):
    """Receive new segment number connection[NEXT], sent from `start` on, of which `arrived` packets were not lost."""
    number, now = connection[NEXT], start + rules[PACKETS]
    missing = rules[PACKETS] - arrived
    verdict = KEPT if arrived > 0 else LOST
    if connection[FIRST_OPEN] != NONE and room_left(connection, rules) <= 0 and (arrived > 0 or not rules[SOFT]):
        verdict, missing = DISCARDED, rules[PACKETS]
    if rules[SOFT]:
        begin_run(segments, number, start)
        if verdict == KEPT and (connection[FIRST_OPEN] != NONE or missing > rules[TOLERANCE]):
            connection[SLOTS] += 1
            connection[TOP] = number
    connection[NEXT] += 1
    if missing > rules[TOLERANCE]:
        if measured(rules, number):
            connection[DELAY_SUM] -= rules[PACKETS]  # `run` adds this for every measured segment
        append_hole(segments, connection, number, start, rules[PACKETS] - missing)
        delayed = verdict == DISCARDED and rules[WHEN_FREE] > 0
        acknowledge(segments, acks, connection, rules, number, missing, now, delayed)
    return verdict


@inline
def repeated(segments, acks, connection, rules, number, now, arrived):
    """Receive retransmitted packets of an incomplete segment, sent until `now`, of which `arrived` were not lost."""
    at = row_of(segments, number)
    verdict, replaced = LOST, NONE
    if not rules[SOFT]:
        if number >= connection[FIRST_OPEN] + rules[BUFFER]:
            verdict = DISCARDED
        elif arrived > 0:
            verdict = KEPT
    elif arrived > 0:
        verdict = KEPT
        if segments[at, RECEIVED] == 0:
            if connection[SLOTS] < rules[BUFFER]:
                connection[SLOTS] += 1
                connection[TOP] = max(connection[TOP], number)
            elif number < connection[TOP]:
                verdict, replaced = REPLACED, connection[TOP]
            else:
                verdict = DISCARDED
    if arrived > 0 and verdict != DISCARDED:
        segments[at, RECEIVED] += arrived
    request_again = replaced != NONE and displace_largest(segments, connection, rules)
    missing = rules[PACKETS] - segments[at, RECEIVED]
    delivered = False
    if missing <= rules[TOLERANCE]:
        segments[at, END] = now
        missing = 0
        if number == connection[FIRST_OPEN]:
            deliver(segments, connection, rules)
            delivered = True
    delayed = verdict == DISCARDED and rules[WHEN_FREE] > 0
    acknowledge(segments, acks, connection, rules, number, missing, now, delayed)
    if request_again:
        acknowledge(segments, acks, connection, rules, replaced, rules[PACKETS], now, rules[WHEN_FREE] > 0)
    if delivered and connection[UNREQUESTED] > 0:
        send_delayed_requests(segments, acks, connection, rules, now)
    return verdict


@inline
def acknowledge(segments, acks, connection, rules, number, missing, now, delayed):
    """Acknowledge a segment, requesting its missing packets if any; if `delayed`, defer the request."""
    if delayed:
        segments[row_of(segments, number), REQUEST_DELAYED] = 1
        connection[UNREQUESTED] += 1
    else:
        send_ack(acks, connection, now + rules[ACK_DELAY], number, missing)


@inline
def displace_largest(segments, connection, rules):
    """Displace the segment with the largest number (soft acknowledgment); return whether it has to be requested.

    A complete segment has to be requested. If the segment is incomplete, packets of it are in flight, and their
    acknowledgment requests the others.
    """
    number = connection[TOP]
    at = row_of(segments, number)
    if segments[at, HOLE] != number:
        first = number
        while segments[row_of(segments, first), RUN] != first:
            first -= 1
        segments[at, START] = segments[row_of(segments, first), START] + (number - first) * rules[PACKETS]
        insert_hole(segments, connection, number)
        if measured(rules, number):
            connection[DELAY_SUM] -= rules[PACKETS]
        segments[at, RECEIVED] = rules[PACKETS]
    complete = rules[PACKETS] - segments[at, RECEIVED] <= rules[TOLERANCE]
    segments[at, RECEIVED] = 0
    below = number - 1
    while segments[row_of(segments, below), HOLE] == below and segments[row_of(segments, below), RECEIVED] == 0:
        below -= 1
    connection[TOP] = below
    return complete


@inline
def deliver(segments, connection, rules):
    """Let the application consume all segments before the next one that is not complete."""
    before, number = connection[FIRST_OPEN], connection[FIRST_OPEN]
    while number != NONE:
        at = row_of(segments, number)
        if rules[PACKETS] - segments[at, RECEIVED] > rules[TOLERANCE]:
            break
        if measured(rules, number):
            delay = segments[at, END] - segments[at, START]
            connection[DELAY_SUM] += delay
            connection[DELAY_MAX] = max(connection[DELAY_MAX], delay)
        number = segments[at, FOLLOWING]
    connection[FIRST_OPEN] = number
    if rules[SOFT]:
        connection[SLOTS] -= edge_of(connection) - before


@inline
def send_delayed_requests(segments, acks, connection, rules, now):
    """Request discarded segments for which the buffer has slots again, lowest numbers first."""
    number, free = connection[FIRST_OPEN], rules[BUFFER] - connection[SLOTS]
    while number != NONE and connection[UNREQUESTED] > 0:
        at = row_of(segments, number)
        if (rules[SOFT] and free == 0) or (not rules[SOFT] and number >= connection[FIRST_OPEN] + rules[BUFFER]):
            break
        if segments[at, REQUEST_DELAYED]:
            segments[at, REQUEST_DELAYED] = 0
            connection[UNREQUESTED] -= 1
            free -= 1
            send_ack(acks, connection, now + rules[ACK_DELAY], number, rules[PACKETS] - segments[at, RECEIVED])
        number = segments[at, FOLLOWING]

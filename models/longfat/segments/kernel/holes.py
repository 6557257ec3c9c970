"""Holes, the segments that lack packets, in order of number; and the acknowledgments in flight to the sender.

A hole stays in the linked list until the sender knows that everything up to it has arrived. The list is ordered by
number and begins at `connection.head`. New holes are appended to it, or inserted for a complete segment that is
displaced from a full buffer. All segments with larger numbers are holes already, so the position of the displaced
segment in the list is known.
"""

from __future__ import annotations

import numpy as np

from longfat.sim.kernel.jit import inline

NONE = -1


def integers(*names: str) -> np.dtype:
    """Return the type of a record of integers of 64 bits."""
    return np.dtype([(name, np.int64) for name in names])


#: Segment. The index of its row is its number modulo the number of rows, a power of two that is at least the window
#: plus 1. `start`: when it was first sent; stored for all segments only if the sender may wait for its window or if
#: segments may be displaced.
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


@inline
def row_of(segments, number):
    """Return the row of a segment."""
    return number & (len(segments) - 1)


@inline
def record_starts(segments, number, count, start, packets):
    """Record when segments are first sent, without a pause; only the last of them if they are more than the rows."""
    for i in range(max(0, count - len(segments)), count):
        segments[row_of(segments, number + i)].start = start + i * packets


@inline
def append_hole(segments, connection, number, received):
    """Append a hole: a segment that was just sent for the first time and is not complete."""
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
    """Insert a hole: a segment that is no longer complete; all segments above it and one below it are holes."""
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
    """Return the first segment of which the receiver lacks packets."""
    return connection.next if connection.first_open == NONE else connection.first_open


@inline
def send_ack(acks, connection, time, number, missing):
    """Send an acknowledgment; acknowledgments arrive in the order sent, because all have the same delay."""
    at = connection.end_ack & (len(acks) - 1)
    acks[at].time, acks[at].segment, acks[at].missing = time, number, missing
    acks[at].edge = edge_of(connection)
    connection.end_ack += 1

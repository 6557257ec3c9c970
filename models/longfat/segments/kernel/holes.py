"""Holes, the segments that lack packets, in order of number; and the acknowledgments in flight to the sender.

A hole stays in the linked list until the sender knows that everything up to it has arrived. The list is ordered by
number and begins at `connection[HEAD]`. New holes are appended to it, or inserted for a complete segment that is
displaced from a full buffer. All segments with larger numbers are holes already, so the position of the displaced
segment in the list is known.
"""

from __future__ import annotations

from longfat.sim.kernel.jit import inline

NONE = -1

# Columns of a segment's row. The index of the row is the segment's number modulo the number of rows, a power of two
# that is at least the window plus 1. RUN (soft acknowledgment only): the segment's number if it is the first of new
# segments sent without a pause; START of the others in this run follows from its START.
HOLE, START, RECEIVED, END, FOLLOWING, PREVIOUS, REQUEST_DELAYED, RUN = range(8)
SEGMENT_COLUMNS = 8

# Columns of an acknowledgment. EDGE: the first segment that was incomplete when the acknowledgment was sent. MISSING:
# number of packets requested.
TIME, SEGMENT, MISSING, EDGE = range(4)
ACK_COLUMNS = 4

# State of the connection at both ends. FIRST_OPEN: the first segment that is not complete. SLOTS: number of segments in
# the receive buffer, and TOP: the largest of their numbers, both for soft acknowledgment only. UNREQUESTED: number of
# holes that have not been requested.
HEAD, TAIL, FIRST_OPEN, SLOTS, TOP, UNREQUESTED, NEXT = range(7)
FIRST_ACK, END_ACK, DELAY_SUM, DELAY_MAX = range(7, 11)
CONNECTION_COLUMNS = 11


@inline
def row_of(segments, number):
    """Return the row of a segment."""
    return number & (len(segments) - 1)


@inline
def append_hole(segments, connection, number, start, received):
    """Append a hole: a segment that was just sent for the first time and is not complete."""
    at = row_of(segments, number)
    segments[at, HOLE], segments[at, START], segments[at, RECEIVED] = number, start, received
    segments[at, FOLLOWING], segments[at, PREVIOUS], segments[at, REQUEST_DELAYED] = NONE, connection[TAIL], 0
    if connection[HEAD] == NONE:
        connection[HEAD] = number
    else:
        segments[row_of(segments, connection[TAIL]), FOLLOWING] = number
    connection[TAIL] = number
    if connection[FIRST_OPEN] == NONE:
        connection[FIRST_OPEN] = number


@inline
def insert_hole(segments, connection, number):
    """Insert a hole: a segment that is no longer complete; all segments above it and one below it are holes."""
    at = row_of(segments, number)
    above = number + 1 if number + 1 < connection[NEXT] else NONE
    below = connection[TAIL] if above == NONE else segments[row_of(segments, above), PREVIOUS]
    segments[at, HOLE], segments[at, FOLLOWING], segments[at, PREVIOUS] = number, above, below
    segments[at, REQUEST_DELAYED] = 0
    segments[row_of(segments, below), FOLLOWING] = number
    if above == NONE:
        connection[TAIL] = number
    else:
        segments[row_of(segments, above), PREVIOUS] = number


@inline
def close_holes(segments, connection, edge):
    """Remove the holes before segment `edge`: the sender now knows that everything before it has arrived."""
    while connection[HEAD] != NONE and connection[HEAD] < edge:
        connection[HEAD] = segments[row_of(segments, connection[HEAD]), FOLLOWING]
    if connection[HEAD] == NONE:
        connection[TAIL] = NONE


@inline
def edge_of(connection):
    """Return the first segment of which the receiver lacks packets."""
    return connection[NEXT] if connection[FIRST_OPEN] == NONE else connection[FIRST_OPEN]


@inline
def send_ack(acks, connection, time, number, missing):
    """Send an acknowledgment; acknowledgments arrive in the order sent, because all have the same delay."""
    at = connection[END_ACK] & (len(acks) - 1)
    acks[at, TIME], acks[at, SEGMENT], acks[at, MISSING] = time, number, missing
    acks[at, EDGE] = edge_of(connection)
    connection[END_ACK] += 1

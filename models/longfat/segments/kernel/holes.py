"""The segments that lack packets, or lacked some, in order of their number; and what comes back about them.

A hole stays in the list until the sender knows that everything up to it has arrived. The list is ordered by number
and begins at `book[HEAD]`. It grows at its end, and where a segment that had arrived is thrown out of a full buffer;
all segments above that one are holes already, which makes its place known.
"""

from __future__ import annotations

from longfat.sim.jit import part

NONE = -1

# Columns of a segment's row, at its number modulo the rows (a power of two, at least a window and one). RUN: its number
# if it was the first of several sent one after the other, while something was missing; these share one START.
HOLE, START, HELD, END, FOLLOWING, PREVIOUS, WAITING, RUN = range(8)
SEGMENT_COLUMNS = 8

# Columns of an answer. EDGE: the first segment not there when it was sent. MISSING: packets asked for.
TIME, SEGMENT, MISSING, EDGE = range(4)
ANSWER_COLUMNS = 4

# The book: what both ends know. FIRST_OPEN: the first segment that is not complete. SLOTS: segments in the receive
# buffer, and TOP the largest of them; kept by soft acknowledgment alone. UNASKED: holes nobody has asked for yet.
HEAD, TAIL, FIRST_OPEN, SLOTS, TOP, UNASKED, NEXT = range(7)
FIRST_ANSWER, END_ANSWER, DELAY_SUM, DELAY_MAX = range(7, 11)
BOOK_COLUMNS = 11


@part
def row_of(segments, number):
    """Where a segment's row is."""
    return number & (len(segments) - 1)


@part
def append_hole(segments, book, number, start, held):
    """A segment just sent for the first time that is not complete."""
    at = row_of(segments, number)
    segments[at, HOLE], segments[at, START], segments[at, HELD] = number, start, held
    segments[at, FOLLOWING], segments[at, PREVIOUS], segments[at, WAITING] = NONE, book[TAIL], 0
    if book[HEAD] == NONE:
        book[HEAD] = number
    else:
        segments[row_of(segments, book[TAIL]), FOLLOWING] = number
    book[TAIL] = number
    if book[FIRST_OPEN] == NONE:
        book[FIRST_OPEN] = number


@part
def insert_hole(segments, book, number):
    """A segment that was complete, and is no longer; all above it are holes, and one below it is."""
    at = row_of(segments, number)
    above = number + 1 if number + 1 < book[NEXT] else NONE
    below = book[TAIL] if above == NONE else segments[row_of(segments, above), PREVIOUS]
    segments[at, HOLE], segments[at, FOLLOWING], segments[at, PREVIOUS] = number, above, below
    segments[at, WAITING] = 0
    segments[row_of(segments, below), FOLLOWING] = number
    if above == NONE:
        book[TAIL] = number
    else:
        segments[row_of(segments, above), PREVIOUS] = number


@part
def close_holes(segments, book, edge):
    """The sender learns that everything before `edge` is there."""
    while book[HEAD] != NONE and book[HEAD] < edge:
        book[HEAD] = segments[row_of(segments, book[HEAD]), FOLLOWING]
    if book[HEAD] == NONE:
        book[TAIL] = NONE


@part
def edge_of(book):
    """The first segment that the receiver lacks packets of."""
    return book[NEXT] if book[FIRST_OPEN] == NONE else book[FIRST_OPEN]


@part
def answer(answers, book, time, number, missing):
    """Put an answer on its way; they come in order of time, because all take equally long."""
    at = book[END_ANSWER] & (len(answers) - 1)
    answers[at, TIME], answers[at, SEGMENT], answers[at, MISSING] = time, number, missing
    answers[at, EDGE] = edge_of(book)
    book[END_ANSWER] += 1

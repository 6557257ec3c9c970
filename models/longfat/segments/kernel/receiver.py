"""What the receiver does with a group of packets: section 4.3.1 of Gong & Parulkar, hard and soft acknowledgment.

The buffer has `buffer` slots of a segment each. While nothing is missing it is empty, because segments that are
there in order are consumed at once. Packets of one group meet the same buffer, because nothing else arrives between
them: so a group is kept or discarded whole. Answers are sent at the ends of groups.
"""

from __future__ import annotations

from longfat.segments.kernel.holes import (
    DELAY_MAX,
    DELAY_SUM,
    END,
    FIRST_OPEN,
    FOLLOWING,
    HELD,
    HOLE,
    NEXT,
    NONE,
    RUN,
    SLOTS,
    START,
    TOP,
    UNASKED,
    WAITING,
    answer,
    append_hole,
    edge_of,
    insert_hole,
    row_of,
)
from longfat.sim.jit import part

# Columns of the rules.
WINDOW, PACKETS, ACK_DELAY, TOLERANCE, BUFFER, SOFT, WHEN_FREE, FIRST_MEASURED, END_MEASURED = range(9)
RULES = 9

# What became of a group.
KEPT, LOST, DISCARDED, REPLACED = range(4)


@part
def room_left(book, rules):
    """New segments, the next one and those after it, that would be kept; only while something is missing."""
    if rules[SOFT]:
        return rules[BUFFER] - book[SLOTS]
    return book[FIRST_OPEN] + rules[BUFFER] - book[NEXT]


@part
def measured(rules, number):
    """Whether the segment counts."""
    return rules[FIRST_MEASURED] <= number < rules[END_MEASURED]


@part
def begin_run(segments, number, start):
    """Soft: when a segment was sent first, and those after it, in case they are thrown out."""
    at = row_of(segments, number)
    segments[at, RUN], segments[at, START] = number, start


@part
def first_sent(segments, answers, book, rules, start, through):
    """The segment book[NEXT] arrives, sent from `start` on; `through` of its packets were not lost."""
    number, now = book[NEXT], start + rules[PACKETS]
    missing = rules[PACKETS] - through
    verdict = KEPT if through > 0 else LOST
    if book[FIRST_OPEN] != NONE and room_left(book, rules) <= 0 and (through > 0 or not rules[SOFT]):
        verdict, missing = DISCARDED, rules[PACKETS]
    if rules[SOFT]:
        begin_run(segments, number, start)
        if verdict == KEPT and (book[FIRST_OPEN] != NONE or missing > rules[TOLERANCE]):
            book[SLOTS] += 1
            book[TOP] = number
    book[NEXT] += 1
    if missing > rules[TOLERANCE]:
        if measured(rules, number):
            book[DELAY_SUM] -= rules[PACKETS]  # counted with the undamaged ones at the end
        append_hole(segments, book, number, start, rules[PACKETS] - missing)
        late = verdict == DISCARDED and rules[WHEN_FREE] > 0
        ask(segments, answers, book, rules, number, missing, now, late)
    return verdict


@part
def repeated(segments, answers, book, rules, number, now, through):
    """A group of a hole's packets has been sent until `now`; `through` of them were not lost."""
    at = row_of(segments, number)
    verdict, replaced = LOST, NONE
    if not rules[SOFT]:
        if number >= book[FIRST_OPEN] + rules[BUFFER]:
            verdict = DISCARDED
        elif through > 0:
            verdict = KEPT
    elif through > 0:
        verdict = KEPT
        if segments[at, HELD] == 0:
            if book[SLOTS] < rules[BUFFER]:
                book[SLOTS] += 1
                book[TOP] = max(book[TOP], number)
            elif number < book[TOP]:
                verdict, replaced = REPLACED, book[TOP]
            else:
                verdict = DISCARDED
    if through > 0 and verdict != DISCARDED:
        segments[at, HELD] += through
    anew = replaced != NONE and throw_out(segments, book, rules)
    missing = rules[PACKETS] - segments[at, HELD]
    delivered = False
    if missing <= rules[TOLERANCE]:
        segments[at, END] = now
        missing = 0
        if number == book[FIRST_OPEN]:
            deliver(segments, book, rules)
            delivered = True
    late = verdict == DISCARDED and rules[WHEN_FREE] > 0
    ask(segments, answers, book, rules, number, missing, now, late)
    if anew:
        ask(segments, answers, book, rules, replaced, rules[PACKETS], now, rules[WHEN_FREE] > 0)
    if delivered and book[UNASKED] > 0:
        ask_late(segments, answers, book, rules, now)
    return verdict


@part
def ask(segments, answers, book, rules, number, missing, now, late):
    """The answer about a segment: nothing is missing, or something; or nothing is said for the time being."""
    if late:
        segments[row_of(segments, number), WAITING] = 1
        book[UNASKED] += 1
    else:
        answer(answers, book, now + rules[ACK_DELAY], number, missing)


@part
def throw_out(segments, book, rules):
    """Soft: the largest segment in the buffer makes room. Whether it has to be asked for, for nothing of it is under
    way."""
    number = book[TOP]
    at = row_of(segments, number)
    if segments[at, HOLE] != number:
        first = number
        while segments[row_of(segments, first), RUN] != first:
            first -= 1
        segments[at, START] = segments[row_of(segments, first), START] + (number - first) * rules[PACKETS]
        insert_hole(segments, book, number)
        if measured(rules, number):
            book[DELAY_SUM] -= rules[PACKETS]
        segments[at, HELD] = rules[PACKETS]
    complete = rules[PACKETS] - segments[at, HELD] <= rules[TOLERANCE]
    segments[at, HELD] = 0
    below = number - 1
    while segments[row_of(segments, below), HOLE] == below and segments[row_of(segments, below), HELD] == 0:
        below -= 1
    book[TOP] = below
    return complete


@part
def deliver(segments, book, rules):
    """Everything up to the next segment that is not complete is consumed."""
    before, number = book[FIRST_OPEN], book[FIRST_OPEN]
    while number != NONE:
        at = row_of(segments, number)
        if rules[PACKETS] - segments[at, HELD] > rules[TOLERANCE]:
            break
        if measured(rules, number):
            delay = segments[at, END] - segments[at, START]
            book[DELAY_SUM] += delay
            book[DELAY_MAX] = max(book[DELAY_MAX], delay)
        number = segments[at, FOLLOWING]
    book[FIRST_OPEN] = number
    if rules[SOFT]:
        book[SLOTS] -= edge_of(book) - before


@part
def ask_late(segments, answers, book, rules, now):
    """There is room again: ask for what was discarded, the lowest numbers first."""
    number, free = book[FIRST_OPEN], rules[BUFFER] - book[SLOTS]
    while number != NONE and book[UNASKED] > 0:
        at = row_of(segments, number)
        if (rules[SOFT] and free == 0) or (not rules[SOFT] and number >= book[FIRST_OPEN] + rules[BUFFER]):
            break
        if segments[at, WAITING]:
            segments[at, WAITING] = 0
            book[UNASKED] -= 1
            free -= 1
            answer(answers, book, now + rules[ACK_DELAY], number, rules[PACKETS] - segments[at, HELD])
        number = segments[at, FOLLOWING]

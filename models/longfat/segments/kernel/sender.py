"""The loop of the segment simulator: what the sender sends, and when.

How it can jump over packets that get through
---------------------------------------------
Time is counted in packet times. Let segment i be sent first at start(i) and put lag(i) = start(i) - i s,
which never decreases, and let slack = (W - 1) s - t_a be the time that a full window outlasts the
acknowledgment of its first segment. Segment i may start when all segments up to i - W are acknowledged. For
a segment that got through at once this says lag(i) >= lag(i - W) - slack. So

* with slack >= 0 it never binds (lag does not decrease): without losses the sender never waits, and only
  segments that lost packets, the *holes*, can close the window;
* with slack < 0 the lag repeats with period W, raised by -slack each time. It is a step function: its steps
  are kept, as many as there were interruptions in the last window, and whole periods without a loss are
  skipped at once. (After one period without interruption lag spans at most -slack over a window, so that
  max(lag(i - 1), lag(i - W) - slack) is the second term once per step: the pattern has become periodic.)
"""

from __future__ import annotations

from longfat.segments.kernel.holes import (
    DELAY_MAX,
    DELAY_SUM,
    EDGE,
    END_ANSWER,
    FIRST_ANSWER,
    FIRST_OPEN,
    HEAD,
    MISSING,
    NEXT,
    NONE,
    SEGMENT,
    SLOTS,
    TIME,
    TOP,
    close_holes,
    edge_of,
)
from longfat.segments.kernel.losses import NEVER, lost_in_group, packets_to_next_loss, start_channel
from longfat.segments.kernel.receiver import (
    ACK_DELAY,
    END_MEASURED,
    FIRST_MEASURED,
    KEPT,
    PACKETS,
    SOFT,
    WINDOW,
    begin_run,
    first_sent,
    repeated,
    room_left,
)
from longfat.sim.jit import entry, part

# What a run returns.
ELAPSED, DELAYS, LONGEST, SENT, LOST_PACKETS, STATUS, TRACED = range(7)
RESULTS = 7
DONE, STOPPED, STUCK = range(3)

# Columns of a step of lag, and of the trace: what was sent from when on, and the receiver's verdict. A row stands for
# COUNT segments first sent one after the other, or for one group of a segment. EDGE_AFTER: consumed up to here.
FROM, LAG = range(2)
TRACE_START, TRACE_SEGMENT, TRACE_COUNT, TRACE_PACKETS, TRACE_VERDICT, EDGE_AFTER = range(6)
TRACE_COLUMNS = 6


@part
def note(trace, row, start, number, count, packets, verdict, book):
    """Write a row of the trace if there is room and something was sent; return the next row."""
    if row >= len(trace) or packets == 0:
        return row
    trace[row, TRACE_START], trace[row, TRACE_SEGMENT] = start, number
    trace[row, TRACE_COUNT], trace[row, TRACE_PACKETS] = count, packets
    trace[row, TRACE_VERDICT], trace[row, EDGE_AFTER] = verdict, edge_of(book)
    return row + 1


@part
def to_next_mark(number, warm_up, last):
    """Return the segments up to where measuring begins or, after that, ends; NEVER after that."""
    if number < warm_up:
        return warm_up - number
    if number < last:
        return last - number
    return NEVER


@part
def step_at(steps, first_step, end_step, number):
    """Return the step of lag that holds for a segment, or the first one after it."""
    mask = len(steps) - 1
    while first_step + 1 < end_step and steps[(first_step + 1) & mask, FROM] <= number:
        first_step += 1
    return first_step


@part
def to_next_step(steps, first_step, end_step, number):
    """Return the segments from one on until the next step of lag; NEVER if there is none."""
    mask = len(steps) - 1
    if steps[first_step & mask, FROM] <= number:
        first_step += 1
    return steps[first_step & mask, FROM] - number if first_step < end_step else NEVER


@part
def skip_periods(steps, first_step, end_step, segments, lag):
    """Move all steps by whole periods: by so many segments, and so much more lag."""
    for step in range(first_step, end_step):
        steps[step & (len(steps) - 1), FROM] += segments
        steps[step & (len(steps) - 1), LAG] += lag


@part
def segments_through(bound, gap, segment):
    """Return how many of at most `bound` whole segments get through before the next loss."""
    if bound > gap or bound * segment > gap:  # the first test keeps the product small
        return gap // segment
    return bound


@entry(".")
def run(rng, channel, state, rules, segments, answers, steps, book, stop, trace, result):
    """Send segments until those measured have been accepted.

    ``rules`` are those of the receiver's module, in packets, packet times and segments. The arrays `segments`,
    `answers` and `steps` are memory, of powers of two rows; `book` and `state` begin with zeros. The result
    holds the packet times between the first transmissions of the first measured segment and the first one after them,
    the sum and maximum of the measured segments' delays, and the packets sent and lost in the whole run.
    ``stop[0]`` may be set by another thread to end the run early. `trace` is filled as far as it reaches.
    """
    window, segment, ack_delay = rules[WINDOW], rules[PACKETS], rules[ACK_DELAY]
    warm_up, last = rules[FIRST_MEASURED], rules[END_MEASURED]
    start_channel(rng, channel, state)
    gap = packets_to_next_loss(rng, channel, state)
    slack = (window - 1) * segment - ack_delay
    for column in range(TOP):
        book[column] = NONE
    book[SLOTS], book[DELAY_MAX] = 0, segment
    mask = len(steps) - 1
    first_step = end_step = 0

    now = 0  # the sender is free from now on
    quiet_since = 0  # the first segment sent after the last interruption
    began = ended = -1
    sent = lost = traced = 0
    result[STATUS] = DONE

    while ended < 0 or (book[HEAD] != NONE and book[HEAD] < last):
        if stop[0]:
            result[STATUS] = STOPPED
            break

        # 1. Answers that have come in: requests for lost packets go ahead of new segments, oldest first.
        number = book[NEXT]
        next_answer = NEVER
        if book[FIRST_ANSWER] < book[END_ANSWER]:
            at = book[FIRST_ANSWER] & (len(answers) - 1)
            next_answer = answers[at, TIME]
        if next_answer <= now:
            book[FIRST_ANSWER] += 1
            quiet_since = number
            close_holes(segments, book, answers[at, EDGE])
            missing, number = answers[at, MISSING], answers[at, SEGMENT]
            if missing > 0:
                now += missing
                sent += missing
                away, gap = lost_in_group(rng, channel, state, gap, missing)
                lost += away
                verdict = repeated(segments, answers, book, rules, number, now, missing - away)
                traced = note(trace, traced, now - missing, number, 0, missing, verdict, book)
            continue

        # 2. Nothing to repeat: new segments, as far as the window is open.
        if book[HEAD] != NONE and number >= book[HEAD] + window:
            if next_answer == NEVER:
                result[STATUS] = STUCK
                break
            now = next_answer
            continue
        steady = NEVER  # segments until the step of lag one window back changes
        if slack < 0:
            back = number - window
            first_step = step_at(steps, first_step, end_step, back)
            if first_step < end_step and steps[first_step & mask, FROM] <= back:
                earliest = steps[first_step & mask, LAG] - slack + number * segment
                if next_answer <= earliest and now < earliest:
                    now = next_answer
                    continue
                now = max(now, earliest)
            lag = now - number * segment
            if first_step == end_step or lag > steps[(end_step - 1) & mask, LAG]:
                steps[end_step & mask, FROM], steps[end_step & mask, LAG] = number, lag
                end_step += 1
            steady = to_next_step(steps, first_step, end_step, back)

        # 3. Segments that get through and are kept, all at once, up to whatever comes first.
        if number == warm_up and began < 0:
            began = now
        if number == last and ended < 0:
            ended = now
            if book[HEAD] == NONE or book[HEAD] >= last:
                break
        to_mark = to_next_mark(number, warm_up, last)
        bound = min(steady, to_mark)  # segments that may be sent before something other than a loss comes between
        kept = NEVER
        if book[FIRST_OPEN] != NONE:
            kept = room_left(book, rules)
        if book[HEAD] != NONE:
            bound = min(bound, book[HEAD] + window - number)
        elif slack < 0 and next_answer == NEVER and quiet_since + window <= number < last and len(trace) == 0:
            # Nothing was interrupted for a window: skip whole periods, which a trace has to show.
            periods = min(gap // segment, to_mark) // window
            if periods > 0:
                skip_periods(steps, first_step, end_step, periods * window, -periods * slack)
                now += periods * (window * segment - slack)
                book[NEXT] += periods * window
                gap -= periods * window * segment
                sent += periods * window * segment
                continue
        until_answer = next_answer - now
        if gap >= until_answer:  # the answer comes before the loss
            bound = min(bound, (until_answer + segment - 1) // segment)
        if kept > 0:
            bound = min(bound, kept)
            whole = segments_through(bound, gap, segment)
            if rules[SOFT] and kept < NEVER and whole > 0:
                begin_run(segments, number, now)
                book[SLOTS] += whole
                book[TOP] = number + whole - 1
            book[NEXT] += whole
            traced = note(trace, traced, now, number, whole, whole * segment, KEPT, book)
            now += whole * segment
            gap -= whole * segment
            sent += whole * segment
            if whole == bound:
                continue

        # 4. A segment that loses packets, or finds the buffer full.
        away, gap = lost_in_group(rng, channel, state, gap, segment)
        sent += segment
        lost += away
        number = book[NEXT]
        verdict = first_sent(segments, answers, book, rules, now, segment - away)
        traced = note(trace, traced, now, number, 1, segment, verdict, book)
        if book[HEAD] != NONE:
            quiet_since = book[NEXT]
        now += segment

    result[ELAPSED] = ended - began
    result[DELAYS] = book[DELAY_SUM] + (last - warm_up) * segment
    result[LONGEST] = book[DELAY_MAX]
    result[SENT], result[LOST_PACKETS], result[TRACED] = sent, lost, traced

"""Event loop of the segment simulator: transmissions of the sender.

How the loop skips packets that are delivered
---------------------------------------------
Time is counted in packet times: a segment takes s, its acknowledgment arrives t_a later, and the window is W segments.
Let lag(i) = start(i) - i s, where segment i is first sent at start(i); it never decreases. Let slack = (W - 1) s - t_a
be the time from the acknowledgment of a full window's first segment to the window's end. Segment i may start when all
segments up to i - W are acknowledged; if i - W was delivered at the first attempt, lag(i) >= lag(i - W) - slack. So

* with slack >= 0 this condition never binds, because lag does not decrease: without losses the sender never waits, and
  only segments that lost packets, the *holes*, can close the window;
* with slack < 0 the lag repeats with period W, raised by -slack each time. The lag is a step function: its steps are
  stored, as many as there were interruptions in the last window, and full periods without a loss are skipped at once.
  (After one period without interruption, lag grows by at most -slack within a window. Then lag(i), the maximum of
  lag(i - 1) and lag(i - W) - slack, is always the latter, so the pattern is periodic.)
"""

from __future__ import annotations

from longfat.segments.kernel.holes import NONE, close_holes, edge_of, integers
from longfat.segments.kernel.losses import NEVER, lost_in_group, packets_to_next_loss, start_channel
from longfat.segments.kernel.segment_receiver import KEPT, begin_run, first_sent, repeated, room_left
from longfat.sim.kernel.jit import entry, inline

#: Result of a run; `status` has one of the values below.
RESULT = integers("elapsed", "delays", "longest", "sent", "lost_packets", "status", "traced")
DONE, STOPPED, STUCK = range(3)

#: Step of the lag (see the top): the first segment to which it applies, and the lag.
STEP = integers("first", "lag")

#: Row of the trace: `count` new segments sent consecutively, or one group of requested packets if `count` is 0. `edge`:
#: the first segment that is incomplete afterwards.
TRACE = integers("start", "segment", "count", "packets", "verdict", "edge")


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
    """Return the number of segments until the measurement begins, or, once begun, until it ends; then NEVER."""
    if number < warm_up:
        return warm_up - number
    if number < last:
        return last - number
    return NEVER


@inline
def step_at(steps, first_step, end_step, number):
    """Return the step of lag that applies to a segment, or the first later step."""
    mask = len(steps) - 1
    while first_step + 1 < end_step and steps[(first_step + 1) & mask].first <= number:
        first_step += 1
    return first_step


@inline
def to_next_step(steps, first_step, end_step, number):
    """Return the number of segments from `number` to the next step of lag; NEVER if there is no further step."""
    mask = len(steps) - 1
    if steps[first_step & mask].first <= number:
        first_step += 1
    return steps[first_step & mask].first - number if first_step < end_step else NEVER


@inline
def skip_periods(steps, first_step, end_step, segments, lag):
    """Shift all steps of lag by a number of periods, together `segments` segments, and increase their lag by `lag`."""
    for step in range(first_step, end_step):
        steps[step & (len(steps) - 1)].first += segments
        steps[step & (len(steps) - 1)].lag += lag


@inline
def segments_before_loss(bound, gap, segment):
    """Return how many of at most `bound` segments are delivered completely before the next loss."""
    if bound > gap or bound * segment > gap:  # the first test keeps the product small
        return gap // segment
    return bound


@entry(".")
def run(rng, channel, state, rules, segments, acks, steps, connection, stop, trace, result):
    """Send segments until all measured segments have been accepted.

    ``rules`` is a record of `segment_receiver`, in packets, packet times and segments. The arrays `segments`, `acks`
    and `steps` are working memory, each with a power of two of rows; `connection` and `state` begin with zeros. The
    result holds the time from the first transmission of the first measured segment to that of the first segment after
    the measured ones, the sum and maximum of the measured segments' delays, and the packets sent and lost in the whole
    run. Another thread may set ``stop[0]`` to end the run early. `trace` is filled up to its last row.
    """
    window, segment, ack_delay = rules.window, rules.packets, rules.ack_delay
    warm_up, last = rules.first_measured, rules.end_measured
    start_channel(rng, channel, state)
    gap = packets_to_next_loss(rng, channel, state)
    slack = (window - 1) * segment - ack_delay
    connection.head = connection.tail = connection.first_open = NONE
    connection.delay_max = segment
    mask = len(steps) - 1
    first_step = end_step = 0

    now = 0  # time at which the sender has finished its last transmission
    quiet_since = 0  # the first segment sent after the last interruption
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
            quiet_since = number
            close_holes(segments, connection, acks[at].edge)
            missing, number = acks[at].missing, acks[at].segment
            if missing > 0:
                now += missing
                sent += missing
                newly_lost, gap = lost_in_group(rng, channel, state, gap, missing)
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
        until_step = NEVER  # segments until the lag of the segment one window back changes
        if slack < 0:
            back = number - window
            first_step = step_at(steps, first_step, end_step, back)
            if first_step < end_step and steps[first_step & mask].first <= back:
                earliest = steps[first_step & mask].lag - slack + number * segment
                if next_ack <= earliest and now < earliest:
                    now = next_ack
                    continue
                now = max(now, earliest)
            lag = now - number * segment
            if first_step == end_step or lag > steps[(end_step - 1) & mask].lag:
                steps[end_step & mask].first, steps[end_step & mask].lag = number, lag
                end_step += 1
            until_step = to_next_step(steps, first_step, end_step, back)

        # 3. The segments before the next event, which are all delivered and kept by the receiver, are sent in one step.
        if number == warm_up and began < 0:
            began = now
        if number == last and ended < 0:
            ended = now
            if connection.head == NONE or connection.head >= last:
                break
        to_mark = to_next_mark(number, warm_up, last)
        bound = min(until_step, to_mark)  # segments that may be sent before the next event other than a loss
        kept = NEVER
        if connection.first_open != NONE:
            kept = room_left(connection, rules)
        if connection.head != NONE:
            bound = min(bound, connection.head + window - number)
        elif slack < 0 and next_ack == NEVER and quiet_since + window <= number < last and len(trace) == 0:
            # If no loss interrupted the last window, skip whole periods of a window, unless the trace needs them.
            periods = min(gap // segment, to_mark) // window
            if periods > 0:
                skip_periods(steps, first_step, end_step, periods * window, -periods * slack)
                now += periods * (window * segment - slack)
                connection.next += periods * window
                gap -= periods * window * segment
                sent += periods * window * segment
                continue
        until_ack = next_ack - now
        if gap >= until_ack:  # the acknowledgment arrives before the loss
            bound = min(bound, (until_ack + segment - 1) // segment)
        if kept > 0:
            bound = min(bound, kept)
            undamaged = segments_before_loss(bound, gap, segment)
            if rules.soft and kept < NEVER and undamaged > 0:
                begin_run(segments, number, now)
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
        newly_lost, gap = lost_in_group(rng, channel, state, gap, segment)
        sent += segment
        lost += newly_lost
        number = connection.next
        verdict = first_sent(segments, acks, connection, rules, now, segment - newly_lost)
        traced = record_row(trace, traced, now, number, 1, segment, verdict, connection)
        if connection.head != NONE:
            quiet_since = connection.next
        now += segment

    result.elapsed = ended - began
    result.delays = connection.delay_sum + (last - warm_up) * segment
    result.longest = connection.delay_max
    result.sent, result.lost_packets, result.traced = sent, lost, traced

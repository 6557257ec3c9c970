"""The compiled heart of the segment simulator: cost follows losses, not packets.

All compiled functions of the simulator stand in this one file, because a cached kernel does not notice
that a function it calls changed in another file.

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

import numpy as np

from longfat.sim.jit import kernel

NEVER = 1 << 60  # packets or packet times; the sum of two still fits into 64 bits

# Columns of the channel's parameters (exponential rates per packet) and of its state.
GOOD_RATE, BAD_RATE, LEAVE_GOOD, LEAVE_BAD = range(4)
IN_BAD, LEFT_IN_STATE = range(2)

# What a run returns.
ELAPSED, DELAY_SUM, DELAY_MAX, SENT, LOST, INTERRUPTED = range(6)


@kernel
def geometric(rng, rate):
    """Packets before the first event of a kind that strikes each packet with 1 - exp(-rate)."""
    if rate <= 0.0:
        return NEVER
    packets = rng.standard_exponential() / rate
    return int(packets) if packets < NEVER else NEVER


@kernel
def start_channel(rng, channel, state):
    """Put the channel into its stationary state."""
    leave_good, leave_bad = -np.expm1(-channel[LEAVE_GOOD]), -np.expm1(-channel[LEAVE_BAD])
    state[IN_BAD] = 0
    if leave_good > 0.0 and rng.random() * (leave_good + leave_bad) < leave_good:
        state[IN_BAD] = 1
    state[LEFT_IN_STATE] = geometric(rng, channel[LEAVE_GOOD + state[IN_BAD]])


@kernel
def packets_to_next_loss(rng, channel, state):
    """Packets that get through before the next one that is lost."""
    if channel[LEAVE_GOOD] <= 0.0:
        return geometric(rng, channel[GOOD_RATE])
    through = 0
    while through < NEVER:
        gap = geometric(rng, channel[GOOD_RATE + state[IN_BAD]])
        # Besides the coming packet, LEFT_IN_STATE more are sent before the state changes.
        if gap <= state[LEFT_IN_STATE]:
            spent, lost = gap + 1, True
        else:
            spent, lost = state[LEFT_IN_STATE] + 1, False
        state[LEFT_IN_STATE] -= spent
        if state[LEFT_IN_STATE] < 0:
            state[IN_BAD] = 1 - state[IN_BAD]
            state[LEFT_IN_STATE] = geometric(rng, channel[LEAVE_GOOD + state[IN_BAD]])
        if lost:
            return through + gap
        through += spent
    return NEVER


@kernel
def lost_in_group(rng, channel, state, gap, packets):
    """Send a group of packets: how many of them are lost, and the gap to the next loss after it."""
    lost = 0
    while gap < packets:
        lost += 1
        packets -= gap + 1
        gap = packets_to_next_loss(rng, channel, state)
    return lost, gap - packets


@kernel
def run(rng, channel, window, segment, ack_delay, tolerance, warm_up, measured, stop, result):
    """Send segments until ``measured`` of them, after ``warm_up``, have been accepted.

    ``segment`` and ``tolerance`` are packets per segment, ``ack_delay`` is in packet times. The result
    holds the packet times between the first transmissions of segments warm_up and warm_up + measured, the
    sum and maximum of the measured segments' delays, and the packets sent and lost in the whole run.
    ``stop[0]`` may be set by another thread to end the run early.
    """
    state = np.zeros(2, np.int64)
    start_channel(rng, channel, state)
    gap = packets_to_next_loss(rng, channel, state)
    slack = (window - 1) * segment - ack_delay
    last = warm_up + measured

    # Holes: segments that lack packets, in order of their number; at most a window of them.
    # Groups: what was sent of holes and is not answered yet, in order of sending; at most one a hole.
    room = 2
    while room < window + 1:
        room *= 2
    mask = room - 1  # places in the arrays are serial numbers modulo a power of two
    hole_segment, hole_start = np.empty(room, np.int64), np.empty(room, np.int64)
    hole_open = np.zeros(room, np.bool_)
    group_answer, group_hole = np.empty(room, np.int64), np.empty(room, np.int64)
    group_missing = np.empty(room, np.int64)
    first_hole = end_hole = 0  # serial numbers
    first_group = end_group = 0
    # Steps of lag over the last window: lag(i) is step_lag from segment step_from on. Only for slack < 0.
    steps = room if slack < 0 else 2
    step_from, step_lag = np.empty(steps, np.int64), np.empty(steps, np.int64)
    first_step = end_step = 0

    now = 0  # the sender is free from now on
    segment_number = 0  # the next one never sent before
    quiet_since = 0  # the first segment sent after the last interruption
    began = ended = -1
    sent = lost = 0
    delay_sum, delay_max = 0, segment

    while ended < 0 or (first_hole < end_hole and hole_segment[first_hole & mask] < last):
        if stop[0]:
            result[INTERRUPTED] = 1
            break

        # 1. Answers that have come in: requests for lost packets go ahead of new segments, oldest first.
        if first_group < end_group and group_answer[first_group & mask] <= now:
            at = first_group & mask
            first_group += 1
            hole, missing, answer = group_hole[at], group_missing[at], group_answer[at]
            quiet_since = segment_number
            if missing > tolerance:
                now += missing
                sent += missing
                missing, gap = lost_in_group(rng, channel, state, gap, missing)
                lost += missing
                at = end_group & mask
                group_answer[at], group_hole[at], group_missing[at] = now + ack_delay, hole, missing
                end_group += 1
                continue
            hole_open[hole & mask] = False
            if warm_up <= hole_segment[hole & mask] < last:
                delay = answer - ack_delay - hole_start[hole & mask]
                delay_sum += delay
                delay_max = max(delay_max, delay)
            while first_hole < end_hole and not hole_open[first_hole & mask]:
                first_hole += 1
            continue

        # 2. Nothing to repeat: new segments, as far as the window is open.
        next_answer = group_answer[first_group & mask] if first_group < end_group else NEVER
        if first_hole < end_hole and segment_number >= hole_segment[first_hole & mask] + window:
            now = next_answer
            continue
        steady = NEVER  # segments until the step of lag one window back changes
        if slack < 0:
            back = segment_number - window
            while first_step + 1 < end_step and step_from[(first_step + 1) & mask] <= back:
                first_step += 1
            if first_step < end_step and step_from[first_step & mask] <= back:
                earliest = step_lag[first_step & mask] - slack + segment_number * segment
                if next_answer <= earliest and now < earliest:
                    now = next_answer
                    continue
                now = max(now, earliest)
            lag = now - segment_number * segment
            if first_step == end_step or lag > step_lag[(end_step - 1) & mask]:
                step_from[end_step & mask], step_lag[end_step & mask] = segment_number, lag
                end_step += 1
            following = first_step
            if step_from[first_step & mask] <= back:
                following += 1
            if following < end_step:
                steady = step_from[following & mask] - back

        # 3. Segments that get through, all at once, up to whatever comes first.
        if segment_number == warm_up and began < 0:
            began = now
        if segment_number == last and ended < 0:
            ended = now
            if first_hole == end_hole or hole_segment[first_hole & mask] >= last:
                break
        bound = steady  # segments that may be sent before something other than a loss comes between
        if segment_number < warm_up:
            bound = min(bound, warm_up - segment_number)
        elif segment_number < last:
            bound = min(bound, last - segment_number)
        if first_hole < end_hole:
            bound = min(bound, hole_segment[first_hole & mask] + window - segment_number)
        elif slack < 0 and first_group == end_group and quiet_since + window <= segment_number < last:
            # Nothing was interrupted for a window: skip whole periods.
            to_mark = warm_up - segment_number if segment_number < warm_up else last - segment_number
            periods = min(gap // segment, to_mark) // window
            if periods > 0:
                for step in range(first_step, end_step):
                    step_from[step & mask] += periods * window
                    step_lag[step & mask] -= periods * slack
                now += periods * (window * segment - slack)
                segment_number += periods * window
                gap -= periods * window * segment
                sent += periods * window * segment
                continue
        until_answer = next_answer - now
        if gap >= until_answer:  # the answer comes before the loss
            bound = min(bound, (until_answer + segment - 1) // segment)
        whole = bound
        if bound > gap or bound * segment > gap:  # the first test keeps the product small
            whole = gap // segment
        now += whole * segment
        segment_number += whole
        gap -= whole * segment
        sent += whole * segment
        if whole == bound:
            continue

        # 4. A segment that loses packets.
        missing, gap = lost_in_group(rng, channel, state, gap, segment)
        sent += segment
        lost += missing
        if missing > tolerance:
            at = end_hole & mask
            hole_segment[at], hole_start[at], hole_open[at] = segment_number, now, True
            at = end_group & mask
            group_answer[at], group_hole[at] = now + segment + ack_delay, end_hole
            group_missing[at] = missing
            end_hole += 1
            end_group += 1
            if warm_up <= segment_number < last:
                delay_sum -= segment  # counted with the undamaged ones below
            quiet_since = segment_number + 1
        now += segment
        segment_number += 1

    result[ELAPSED] = ended - began
    result[DELAY_SUM] = delay_sum + measured * segment
    result[DELAY_MAX] = delay_max
    result[SENT], result[LOST] = sent, lost

"""Handling of acknowledgments, losses, timeouts, alarms and feedback at a sender, and calls of its scheme."""

from longfat.sim.kernel import records, recovery
from longfat.sim.kernel.callbacks import as_ack, prepare_scheme
from longfat.sim.kernel.events import IN_USE, request_send, set_timer
from longfat.sim.kernel.jit import inline, routine
from longfat.sim.kernel.memory import flow_own, release_packet
from longfat.sim.kernel.receiver import insert_number, remove_blocks_below
from longfat.sim.kernel.records import NEVER, NONE
from longfat.sim.kernel.sender import ANY, LATEST, restart_timer, round_trip, sample_round_trip, send_inline, timeout_ns
from longfat.sim.kernel.source import all_written, check_application_limited, end_connection
from longfat.sim.kernel.trace_rows import trace_packet, trace_sender

MOST_IMMEDIATE_CALLS = 1000  # limit of consecutive alarms or ticks set to the present or the past
MOST_PACKETS_AT_ONCE = 2**25  # more packets than a run can hold (`run_state.MOST_ROWS`)


@inline
def clear_event(state, event, sender):
    """Reset the event for callbacks; set its time to the present and its packet size to that of the sender."""
    event.now = state.now * 1e-9
    event.rtt = 0.0
    event.acked = 0
    event.number = NONE
    event.transmission = NONE
    event.newly_delivered = 0
    event.lost = 0
    event.spurious = 0
    event.marked = 0
    event.marks = 0
    event.duplicate = 0
    event.restart_timer = 0
    event.packet_size = sender.packet_size
    if state.header_set:
        state.header_set = 0
        for k in range(4):
            event.header[k] = 0.0
    recovery.clear_sample(state, event)


@inline
def take_header(state, event, i):
    """Copy the header fields of a packet to the event."""
    state.header_set = 1
    for k in range(4):
        event.header[k] = state.extras[i].header[k]


@inline
def fail(state):
    """End the run, because a callback of a scheme has returned or set an invalid value."""
    state.failed = 1
    state.attention = 1


@routine
def is_unlimited(sender):
    """Return whether a flow may send more packets in one burst than the simulator can store.

    It may if its window and the rest of its file both exceed `MOST_PACKETS_AT_ONCE`, and neither a rate nor an access
    link nor `allowance` limits the burst.
    """
    if sender.window <= MOST_PACKETS_AT_ONCE or sender.packets - sender.next <= MOST_PACKETS_AT_ONCE:
        return False
    return sender.rate >= ANY and sender.allowance >= ANY and sender.access_link == 0


@inline
def call_scheme(state, f, sender, number):
    """Call a callback of a flow's scheme and store the returned window or rate; if it is invalid, end the run.

    The numbers of the flow and of the callback are stored in the state for the error message. After a failure no
    callback is called any more, and the event loop returns before the next event.
    """
    if state.failed:
        return
    call = as_ack(prepare_scheme(state, f, sender, number))
    value = call(state, sender, state.timers[f], state.recoveries[f], flow_own(state, f), state.event[0])
    if sender.window_decides:
        sender.window = value
    else:
        sender.rate = value
    valid = value >= 0.0 and sender.rate >= 0.0 and sender.window >= 0.0  # False for NaN
    if valid and (sender.window <= MOST_PACKETS_AT_ONCE or not is_unlimited(sender)):
        state.callback = NONE  # the callback neither raised an error nor returned an invalid value
        return
    state.bad_value = sender.rate if value >= 0.0 and sender.window >= 0.0 else sender.window if value >= 0.0 else value
    fail(state)


@routine
def set_alarm(state, f):
    """Set a flow's alarm timer to the time that its scheme requested, at least 1 ns from now so that time advances."""
    own = state.recoveries[f]
    if own.alarm >= 0.0:
        if own.alarm < LATEST:
            set_timer(state, f, records.ALARM, max(int(own.alarm * 1e9), state.now + 1))
        else:  # infinite: no alarm
            state.senders[f].due_ns[records.ALARM] = NEVER
        own.alarm = -1.0


@routine
def finish_callback(state, f):
    """Set the alarm that a callback requested, and let the flow send."""
    set_alarm(state, f)
    request_send(state, f)


@routine
def start_flow(state, f):
    """Call `start` of a flow's scheme and let the flow send."""
    sender = state.senders[f]
    clear_event(state, state.event[0], sender)
    state.tallies[f].begun = 1
    call_scheme(state, f, sender, records.START)
    if state.tracing:
        trace_sender(state, records.STARTED, f)
    finish_callback(state, f)


@inline
def acknowledge(state, i):
    """Process an acknowledgment at the sender.

    Steps that most flows do not need are in separate functions, because numba prepares every call in a function when
    the function begins, even if the call is not reached (docs/engine.md).
    """
    packet = state.packets[i]
    f = packet.flow
    sender = state.senders[f]
    sender.acks_received += 1
    outstanding = sender.high > sender.una
    acked = packet.number - sender.una
    if acked > 0:
        sender.una = packet.number
        if sender.next < sender.una:
            sender.next = sender.una
    else:
        acked = 0
    measured = sample_round_trip(state, f, sender, packet.sent, acked)
    if not sender.transfer:  # the transfer is finished, or the flow is a probe
        complete_acknowledgment(state, f, sender, i, 0)
        release_packet(state, i)
        return
    event = state.event[0]
    clear_event(state, event, sender)
    event.rtt = round_trip(state, packet.sent) * 1e-9
    event.acked = acked
    event.number = packet.triggered_by
    event.transmission = packet.transmission
    event.marked = 1 if packet.flag_bits & records.ECE else 0
    event.marks = acked if event.marked else 0
    event.duplicate = 1 if acked == 0 and outstanding else 0
    event.restart_timer = 1 if acked > 0 else 0
    if sender.stamped:
        read_header(state, f, sender, event, i)
    if sender.repair != records.OWN:
        recover(state, f, sender, event, i, acked, measured)
    release_packet(state, i)
    call_scheme(state, f, sender, records.ON_ACK)
    if event.restart_timer:
        restart_timer(state, f)
    armed = False
    if sender.repair == records.SELECTIVE or sender.has_alarm_callback or state.tracing or sender.una >= sender.packets:
        armed = complete_acknowledgment(state, f, sender, i, acked)
    send_inline(state, f, armed)


@inline
def recover(state, f, sender, event, i, acked, measured):
    """Find losses from acknowledgment i and report them to the scheme."""
    packet, own = state.packets[i], state.recoveries[f]
    if sender.repair == records.SKIPS:
        record_received(state, f, sender.una, packet.triggered_by)
        return
    sampled = own.sampled != 0
    if sampled:
        check_application_limited(state, f)
    before, last_lost = own.delivered, own.lost_tail
    lost, fresh, newest, expected, earlier = recovery.update_scoreboard(state, own, sender.una, acked, i)
    event.newly_delivered = own.delivered - before
    # Our choice, as in QUIC: an acknowledgment names the transmission that triggered it (draft-ietf-ccwg-bbr-06,
    # appendix A.18, step 3). If that transmission is no longer outstanding, it was found lost, or it was covered by an
    # acknowledgment that was sent later but arrived earlier.
    event.spurious = 1 if sampled and not expected and packet.number == sender.una else 0
    repaired = False
    if own.rack:
        lost, fresh, repaired = recovery.process_by_time(state, f, acked, i, newest, measured, earlier)
    if lost > 0:
        report_losses(state, f, lost, fresh, last_lost)
    if repaired:
        report_repaired_loss(state, f)
    if sampled:
        recovery.take_sample(state, own, event, newest, packet.sent)


@inline
def complete_acknowledgment(state, f, sender, i, acked):
    """Set the probe and alarm timers, trace the acknowledgment, and end a completely acknowledged transfer.

    Return True if the probe timer need not be set again for packets that the flow sends now.
    """
    own, armed = state.recoveries[f], False
    if sender.transfer:
        if sender.repair == records.SELECTIVE and acked > 0 and own.rack:
            recovery.arm_probe(state, f)
            armed = own.in_flight > 1  # with one packet in flight the timer allows for a delayed acknowledgment
        if sender.has_alarm_callback and own.alarm >= 0.0:
            set_alarm(state, f)
    if state.tracing:
        trace_packet(state, records.ACK_RECEIVED, i)  # the packet's row may have been released, but not reused
    if sender.transfer and sender.una >= sender.packets and all_written(state, f):
        finish_transfer(state, f)
    return armed


@inline
def read_header(state, f, sender, event, i):
    """Copy an acknowledgment's header fields to the event; with COUNTED_MARKS, count newly marked packets."""
    take_header(state, event, i)
    if sender.stamped == records.COUNTED_MARKS:
        count_marks(state, f, event)


@routine
def count_marks(state, f, event):
    """Set the number of newly marked packets: the acknowledgment's count minus the largest count so far."""
    # RFC 9000, section 13.4.2.1: a count below the largest one is ignored, because its acknowledgment was overtaken.
    own, reported = state.recoveries[f], int(event.header[records.MARKS_FIELD])
    event.marks = max(0, reported - own.marks_reported)
    event.marked = 1 if event.marks > 0 else 0
    own.marks_reported = max(own.marks_reported, reported)


@routine
def record_received(state, f, una, number):
    """Record at the sender that packet `number` has arrived, so that this packet is not retransmitted."""
    own = state.recoveries[f]
    remove_blocks_below(state, own, una)
    if number >= una:
        insert_number(state, own, number)


@routine
def finish_transfer(state, f):
    """End a completely acknowledged transfer: stop its timers, and release its list nodes and blocks."""
    sender, tally, own = state.senders[f], state.tallies[f], state.recoveries[f]
    tally.finish = state.now
    if state.tracing:
        trace_sender(state, records.FINISHED, f)
    sender.transfer = 0
    if tally.template == NONE and state.unfinished > 0:
        state.unfinished -= 1
        state.attention = 1
    for k in range(records.TIMERS):
        # The pacing timer also ends a transmission on the access link.
        if k != records.PACE or sender.access_link != IN_USE:
            sender.due_ns[k] = NEVER
    own.rack_purpose = recovery.IDLE
    recovery.forget_transmissions(state, own)
    remove_blocks_below(state, own, NEVER)
    if tally.template != NONE:
        end_connection(state, f)


@routine
def report_losses(state, f, lost, fresh, last_lost):
    """Count `lost` losses just found, and call `loss` of the scheme: for every loss, or once per window of data.

    If the scheme has delivery-rate samples, `loss` is called for each transmission behind node `last_lost` in the list
    of lost transmissions.
    """
    sender, own, event = state.senders[f], state.recoveries[f], state.event[0]
    state.tallies[f].losses += lost
    event.lost = lost
    event.number, acknowledged = state.lost_number, event.number
    if fresh:
        own.recover = sender.transmission
        recovery.enter_recovery(state, f)
    if own.sampled:
        first = own.lost_head if last_lost == NONE else state.transmissions[last_lost].next
        report_each_loss(state, f, first, own.lost - lost)
        event.lost = lost
    elif own.every_loss or fresh:
        call_scheme(state, f, sender, records.ON_LOSS)
    event.number = acknowledged


@routine
def report_each_loss(state, f, n, lost):
    """Call `loss` of the scheme for the transmission of list node n and of each node that follows it.

    `lost` is the number of losses of the flow before the transmission of node n.
    """
    sender, event = state.senders[f], state.event[0]
    acknowledged = event.transmission
    while n != NONE:
        lost += 1
        recovery.describe_loss(state, event, n, lost)
        call_scheme(state, f, sender, records.ON_LOSS)
        n = state.transmissions[n].next
    event.transmission = acknowledged


@routine
def expire_retransmission_timer(state, f):
    """Handle a retransmission timeout: back off the timer (RFC 6298, rule 5.5) and call `timeout` of the scheme.

    With selective recovery, all outstanding transmissions count as lost; with RACK-TLP, only the transmissions that RFC
    8985, section 6.3, selects.
    """
    sender, timer, own = state.senders[f], state.timers[f], state.recoveries[f]
    state.tallies[f].timeouts += 1
    timer.backoff = min(2 * timer.backoff, timer.max_backoff)
    timer.timed = NONE
    sender.due_ns[records.RTO] = NEVER
    if sender.repair == records.SELECTIVE and own.outstanding_head != NONE:
        if own.sampled:
            check_application_limited(state, f)
            clear_event(state, state.event[0], sender)
            report_each_loss(state, f, own.outstanding_head, own.lost)
        recovery.mark_lost_by_timeout(state, f)
        own.recover = sender.transmission
    recovery.enter_recovery(state, f)
    clear_event(state, state.event[0], sender)
    call_scheme(state, f, sender, records.ON_TIMEOUT)
    if state.tracing:
        trace_sender(state, records.TIMED_OUT, f)
    if sender.due_ns[records.RTO] == NEVER:
        set_timer(state, f, records.RTO, state.now + timeout_ns(timer))
    finish_callback(state, f)


@routine
def report_repaired_loss(state, f):
    """Call `loss` of the scheme for a lost packet that a probe has already replaced (RFC 8985, section 7.4.2)."""
    sender, own, event = state.senders[f], state.recoveries[f], state.event[0]
    event.lost, acknowledged = 1, event.number
    event.number = sender.una - 1
    state.tallies[f].losses += 1
    own.recover = sender.transmission
    recovery.enter_recovery(state, f)
    call_scheme(state, f, sender, records.ON_LOSS)
    sender.resend = NONE  # the probe was the retransmission
    event.number = acknowledged


@routine
def expire_alarm(state, f):
    """Handle the alarm timer of a flow: call `alarm` of its scheme, and let the flow send.

    The run ends if the scheme sets `MOST_IMMEDIATE_CALLS` alarms in a row to the present or the past.
    """
    sender, own, event = state.senders[f], state.recoveries[f], state.event[0]
    clear_event(state, event, sender)
    call_scheme(state, f, sender, records.ON_ALARM)
    if state.tracing:
        trace_sender(state, records.CHANGED, f)
    own.immediate_calls = own.immediate_calls + 1 if 0.0 <= own.alarm <= event.now else 0
    if own.immediate_calls >= MOST_IMMEDIATE_CALLS:
        state.callback = records.ON_ALARM
        fail(state)
    finish_callback(state, f)


@routine
def receive_feedback(state, i):
    """Process feedback from a switch, or the answer to a request, at the sender: call `ack` with its header fields."""
    event = state.event[0]
    packet = state.packets[i]
    f = packet.flow
    sender = state.senders[f]
    state.feedback_received += 1
    state.tallies[f].feedback_in_flight -= 1
    clear_event(state, event, sender)
    if packet.flag_bits & records.ANSWERED:  # the answer to a request of this flow
        event.rtt = round_trip(state, packet.sent) * 1e-9
    take_header(state, event, i)
    release_packet(state, i)
    if not sender.transfer:
        return
    call_scheme(state, f, sender, records.ON_ACK)
    if state.tracing:
        trace_sender(state, records.CHANGED, f)
    finish_callback(state, f)


# --- Timer of RACK-TLP -----------------------------------------------------------------------------------------------
#
# When the timer of RACK-TLP expires, the sender detects losses by time or sends a probe (RFC 8985, sections 6.2 and
# 7.3).


@routine
def probe_is_due(state, f):
    """Return whether a probe is due, which precedes a timeout at the same time (RFC 8985, section 7.2)."""
    return state.recoveries[f].rack_purpose == recovery.PROBE and state.senders[f].due_ns[records.RACK] <= state.now


@routine
def probe(state, f):
    """Send a tail loss probe, if allowed, and restart the retransmission timer (RFC 8985, section 7.3)."""
    own = state.recoveries[f]
    recovery.stop_rack_timer(state.senders[f], own)
    if own.probe_end == NONE and own.measured:
        own.probing = 1  # the flow's next packet becomes the probe
    if own.probing:
        request_send(state, f)
    restart_timer(state, f)


@routine
def expire_rack_timer(state, f):
    """Handle the RACK-TLP timer of a flow: find losses by time, or send a probe."""
    sender, own, event = state.senders[f], state.recoveries[f], state.event[0]
    if own.rack_purpose == recovery.PROBE:
        probe(state, f)
        return
    recovery.stop_rack_timer(sender, own)
    lost, fresh = recovery.detect_losses(state, f)
    if lost > 0:
        clear_event(state, event, sender)
        report_losses(state, f, lost, fresh, NONE)
        if event.restart_timer:
            restart_timer(state, f)
    if state.tracing:
        trace_sender(state, records.CHANGED, f)
    finish_callback(state, f)

"""Sender: retransmission timer (RFC 6298), access link, choice of the next packet, and creation of packets.

There are two forms of loss recovery. *Selective*: the sender keeps a list of its outstanding transmissions. A
transmission is lost when `reorder` later transmissions have been acknowledged; it is retransmitted before new data, and
the scheme is notified (`kernel.acknowledgment`). *Own*: the scheme sees every acknowledgment and decides which packets
are retransmitted (`resend`, `next`).
"""

import math

from longfat.sim.kernel import records
from longfat.sim.kernel.callbacks import call_send
from longfat.sim.kernel.events import IN_USE, request_admission, request_send, set_timer
from longfat.sim.kernel.jit import inline, routine
from longfat.sim.kernel.link import admit_inline
from longfat.sim.kernel.memory import new_data, new_packet
from longfat.sim.kernel.receiver import first_missing
from longfat.sim.kernel.records import NEVER, NONE
from longfat.sim.kernel.recovery import arm_probe, next_probe, next_retransmission, record_transmission
from longfat.sim.kernel.source import all_written, wait_for_data
from longfat.sim.kernel.trace_rows import trace_packet

# --- Retransmission timer --------------------------------------------------------------------------------------------
#
# Round-trip times and the retransmission timer of RFC 6298.

NEARLY = 1e-6  # tolerance, in ticks: three ticks of 0.1 s are 0.30000000000000004 s and must not round up to four


@routine
def update_rto(timer, seconds):
    """Update rttvar, then srtt, and rto [s] with a round-trip time [s] (RFC 6298, sections 2.2 and 2.3)."""
    if timer.tick > 0.0:  # a coarse clock as in BSD counts the ticks that have passed
        seconds = max(1.0, math.floor(seconds / timer.tick + NEARLY)) * timer.tick
    if timer.srtt == 0.0:
        timer.srtt = seconds
        timer.rttvar = seconds / 2
    else:
        timer.rttvar += (abs(timer.srtt - seconds) - timer.rttvar) / 4
        timer.srtt += (seconds - timer.srtt) / 8
    # RFC 6298, sections 2.2 to 2.5. Section 5, first note at its end: a new round-trip time sample ends the backoff.
    timeout = timer.srtt + max(timer.granularity, 4 * timer.rttvar)
    if timer.tick > 0.0:
        timeout = math.ceil(timeout / timer.tick - NEARLY) * timer.tick
    timer.rto = min(max(timeout, timer.min_rto), timer.max_rto)
    timer.backoff = 1.0


@inline
def timeout_ns(timer):
    """Return the retransmission timeout [ns], including the backoff."""
    return int(min(timer.rto * timer.backoff, timer.max_rto) * 1e9)


@inline
def restart_timer(state, f):
    """Restart the retransmission timer, or stop it if nothing is outstanding (RFC 6298, section 5, rules 5.2, 5.3)."""
    sender = state.senders[f]
    if sender.high > sender.una:
        set_timer(state, f, records.RTO, state.now + timeout_ns(state.timers[f]))
    else:
        sender.due_ns[records.RTO] = NEVER


@inline
def round_trip(state, sent):
    """Return the time [ns] since departure `sent` [ns], at least 1, because 0 stands for no round-trip time."""
    return max(1, state.now - sent)


@inline
def sample_round_trip(state, f, sender, sent, acked):
    """Take a round-trip sample from an acknowledgment (RFC 6298, section 3); return whether there is one.

    With timestamps every acknowledgment of new data gives a sample. Without timestamps one packet at a time is timed,
    and never a retransmitted packet (Karn's algorithm).
    """
    if acked <= 0:
        return False
    if sender.timestamps:
        update_rto(state.timers[f], round_trip(state, sent) * 1e-9)
        return True
    timer = state.timers[f]
    if timer.timed != NONE and sender.una > timer.timed:
        update_rto(timer, round_trip(state, timer.timed_at_ns) * 1e-9)
        timer.timed = NONE
        return True
    return False


# --- Access link -----------------------------------------------------------------------------------------------------
#
# A flow with `access_rate` has an access link between its source and the first node. The source passes one packet at a
# time to the access link and keeps the others, so that no packet made under an old window or rate waits there. Each
# connection that arrives at random has an access link of its own.


@inline
def leave_source(state, f, i):
    """Send packet i from its source: to the access link, or directly to the first link of the path."""
    if state.senders[f].access_link:
        enter_access_link(state, f, i)
    else:
        admit_inline(state, i)


@routine
def enter_access_link(state, f, i):
    """Begin the transmission of packet i on the flow's access link, which must be idle."""
    link = state.access_links[f]
    if link.free < state.now:
        link.free = state.now
        link.carried_remainder = link.rate >> 1
    # As in `link.transmission_time`, k packets in a row take round(8e9 k size/rate) ns for a rate in bit/s.
    units = int(state.packets[i].length) * 8_000_000_000 * link.scale + link.carried_remainder
    time = units // link.rate
    link.carried_remainder = units - time * link.rate
    link.free += time
    link.packet = i
    state.senders[f].access_link = IN_USE
    set_timer(state, f, records.PACE, link.free)


@routine
def reach_first_node(state, f):
    """End a transmission on the access link: let the packet enter the first link of the path."""
    link = state.access_links[f]
    i = link.packet
    link.packet = NONE
    state.senders[f].access_link = 1
    request_admission(state, i)


# --- Packets of the sender -------------------------------------------------------------------------------------------

LATEST = 4e9  # s; a time beyond it is never reached
ANY = 1e300  # a rate or limit of at least this value counts as unlimited
BURST = 1 << 12  # packets that a flow sends before the loop continues, so that an endless burst can be stopped


@routine
def next_by_scoreboard(state, f):
    """Return the next packet to send, NONE if there is none, for a flow that records which packets arrived.

    This is NextSeg() of RFC 6675, section 4, with the rule for losses of `recovery.update_scoreboard`.
    """
    sender, own = state.senders[f], state.recoveries[f]
    if sender.repair == records.SELECTIVE:
        if own.probing:
            return next_probe(state, f)
        # RFC 6675, section 5, step 4.3: the first lost packet is sent even if the window is full, if the scheme
        # requests it by `resend`.
        if own.in_flight + 1 > sender.window and sender.resend == NONE:
            return NONE
        sender.resend = NONE
        number = next_retransmission(state, own, sender.una)
        if number != NONE:
            return number
    else:
        sender.next = first_missing(state, own, sender.next)
    if sender.next >= sender.packets:
        return NONE
    sender.next += 1
    return sender.next - 1


@inline
def next_number(state, f, sender):
    """Return the number of the next packet to send; NONE if the window, the file size or loss recovery forbids it."""
    if sender.repair == records.SELECTIVE:
        return next_by_scoreboard(state, f)
    if sender.resend != NONE:
        number = sender.resend
        sender.resend = NONE
        return number if 0 <= number < sender.high or number == records.NO_DATA else NONE
    if sender.next + 1 > sender.una + sender.window + sender.inflation:
        return NONE
    if sender.repair == records.SKIPS:
        return next_by_scoreboard(state, f)
    if sender.next >= sender.packets:
        return NONE
    sender.next += 1
    return sender.next - 1


@inline
def next_departure(state, f):
    """Return two times [ns]: when the rate allows the next packet, and the departure to record if it is sent now.

    With unused tokens in the pool, the recorded departure is earlier than now by the time in which these tokens
    accrued.
    """
    sender, now = state.senders[f], state.now
    gap = sender.packet_size / sender.rate * 1e9 if sender.rate > 0.0 else math.inf
    last = min(sender.last_paced_ns, int(LATEST) * 1_000_000_000)  # a scheme may have set any time
    due = last + int(gap) if gap < LATEST * 1e9 else NEVER
    pool = state.recoveries[f].pool
    if pool > 1.0 and due <= now:  # subtract the time in which the unused tokens accrued, at most a full pool
        unused = min((pool - 1.0) * sender.packet_size / sender.rate * 1e9, LATEST * 1e9)
        return due, max(due, now - int(unused))
    return due, now


@inline
def sends_by_window(state, sender, own):
    """Return whether the window alone limits a flow, and its next packets are new data without flags or callbacks."""
    if sender.repair == records.SELECTIVE and (own.lost_head != NONE or own.probing):
        return False
    return (
        state.attention == 0
        and state.tracing == 0
        and sender.next == sender.high
        and sender.next + 1 < sender.packets
        and sender.repair != records.SKIPS
        and sender.resend == NONE
        and sender.transfer == 1
        and sender.rate >= ANY
        and sender.allowance == ANY
        and sender.sends_until_ns > state.now
        and sender.due_ns[records.RTO] != NEVER
        and sender.access_link == 0
        and sender.has_send_callback == 0
        and sender.stamped != records.STAMPED_BOTH_WAYS
        and sender.request == 0
        and sender.cwr == 0
    )


@inline
def send_inline(state, f, armed):
    """Send the packets that a flow may send now, in a fast loop if the window alone limits them.

    `armed` says whether the probe timer has already been set during this event.
    """
    sender, own = state.senders[f], state.recoveries[f]
    if not sends_by_window(state, sender, own):
        send(state, f)
        return
    selective = sender.repair == records.SELECTIVE
    allowed, left = sender.una + sender.window + sender.inflation, BURST
    while own.in_flight + 1 <= sender.window if selective else sender.next + 1 <= allowed:
        left -= 1
        if state.attention or left == 0 or sender.next + 1 >= sender.packets:
            request_send(state, f)  # the loop calls `send` before the next event
            break
        sender.next += 1
        sender.last_paced_ns = state.now
        i = new_data(state, f, sender, sender.next - 1)
        record_new_data(state, f, sender, sender.next - 1)
        if selective:
            record_transmission(state, own, sender.next - 1, sender.transmission - 1, 0)
        admit_inline(state, i)
    if selective and own.rack and left < BURST and not armed:
        arm_probe_once(state, f)


@inline
def arm_probe_once(state, f):
    """Set the probe timer once after a burst, because each packet of the burst would set it anew."""
    arm_probe(state, f)


@routine
def send(state, f):
    """Send the packets that a flow may send now; check all limits before each, because a packet may change the limits.

    Sending stops if an array is nearly full, a switch has feedback to send, or the burst is very long; the event loop
    then calls the function again.
    """
    sender = state.senders[f]
    now, left = state.now, BURST
    while sender.access_link != IN_USE:  # when a busy access link becomes idle, `send` is called again
        left -= 1
        if state.attention or left == 0:
            request_send(state, f)
            return
        if sender.request and sender.transfer and now < sender.sends_until_ns:
            sender.request = 0
            transmit_request(state, f)
            continue
        if now >= sender.sends_until_ns or not sender.transfer or sender.allowance < 1.0:
            break
        due, saved = now, now
        if sender.rate < ANY:  # a finite rate paces the packets
            due, saved = next_departure(state, f)
        if due > now:
            if due != NEVER and sender.due_ns[records.PACE] != due:
                set_timer(state, f, records.PACE, due)
            break
        number = next_number(state, f, sender)
        if number == NONE:
            if sender.transfer == records.FROM_APPLICATION and wait_for_data(state, f):
                continue
            break
        if sender.transfer == records.FROM_APPLICATION:
            state.recoveries[f].app_limited = 0
        sender.allowance -= 1.0
        sender.last_paced_ns = saved
        transmit_data(state, f, sender, number)
    else:
        return
    sender.allowance = ANY


@routine
def transmit_request(state, f):
    """Send a request along the path, where links may add stamps to it; the receiver returns it."""
    i = new_packet(state, f, records.FEEDBACK, records.REQUEST_SIZE, state.senders[f].first_hop)
    packet = state.packets[i]
    packet.flag_bits = records.REQUEST
    packet.number = NONE
    state.extras[i].stamps = NONE
    state.feedback_sent += 1
    state.tallies[f].feedback_in_flight += 1
    leave_source(state, f, i)


@inline
def record_new_data(state, f, sender, number):
    """Record the first transmission of packet `number`; without timestamps, time it unless a packet is being timed."""
    sender.high = number + 1
    if not sender.timestamps and state.timers[f].timed == NONE:
        state.timers[f].timed = number
        state.timers[f].timed_at_ns = state.now


@inline
def transmit_data(state, f, sender, number):
    """Create data packet `number` and send it."""
    i = new_data(state, f, sender, number)
    packet, own = state.packets[i], state.recoveries[f]
    flags = int(packet.flag_bits)
    again = 1 if number < sender.high else 0
    if sender.cwr and number >= sender.high:
        flags |= records.CWR
        sender.cwr = 0
    if number == records.NO_DATA:
        packet.length = state.receivers[f].ack_size
    elif again:
        state.tallies[f].retransmitted += 1
        if number == state.timers[f].timed:
            state.timers[f].timed = NONE  # Karn's algorithm (RFC 6298, section 3): its round trip would be ambiguous
    else:
        record_new_data(state, f, sender, number)
    if sender.repair == records.SELECTIVE:
        record_transmission(state, own, number, packet.transmission, again)
    if sender.next >= sender.packets and (sender.repair != records.SELECTIVE or own.lost_head == NONE):
        flags |= records.LAST if all_written(state, f) else 0
    if sender.stamped == records.STAMPED_BOTH_WAYS:
        flags |= records.STAMPED
        for k in range(4):
            state.extras[i].header[k] = own.header[k]
    packet.flag_bits = flags
    if sender.has_send_callback:
        call_send(state, f, i)
    if state.tracing:
        trace_packet(state, records.SENT, i)
    if sender.acknowledged and sender.due_ns[records.RTO] == NEVER:
        set_timer(state, f, records.RTO, state.now + timeout_ns(state.timers[f]))
    # RFC 8985, section 7.2: set the probe timer after new data is sent that is not itself a probe. `arm_probe` excludes
    # recovery.
    if sender.repair == records.SELECTIVE and own.rack and own.probe_end != number + 1:
        arm_probe(state, f)
    leave_source(state, f, i)

"""RACK-TLP (RFC 8985) for senders: detection of losses by time, and a probe when acknowledgments fail to arrive.

A transmission is lost when a later one has been delivered and the reordering window has passed. Here each transmission
has its own list node, in order of departure, and an acknowledgment names the transmission that triggered it. So the
order of transmissions breaks ties, where the RFC takes the sequence number. No acknowledgment is ambiguous, and the
checks of section 6.2, step 2, are therefore not needed.
"""

from longfat.sim.kernel.events import set_timer
from longfat.sim.kernel.jit import part, routine
from longfat.sim.kernel.memory import (
    delayed_ack_at,
    packet_at,
    receiver_at,
    recovery_at,
    sender_at,
    snapshot_at,
    timer_at,
    transmission_at,
)
from longfat.sim.kernel.records import NEVER, NONE, RACK, RTO
from longfat.sim.kernel.records import SACK as HAS_BLOCKS
from longfat.sim.kernel.recovery import lose, mark_all_lost, release_node, unlink

TICK, LINUX_MARGIN = 4_000_000, 2_000_000  # ns
IDLE, REORDERING, PROBE = range(3)  # purpose of the timer


@routine
def set_rack_timer(state, f, purpose, time):
    """Set the RACK-TLP timer of flow f to expire at `time` [ns], for one purpose only (RFC 8985, section 8).

    Our choice: the retransmission timer keeps running while this timer is set, because a probe is never due after it.
    """
    recovery_at(state, f).rack_purpose = purpose
    set_timer(state, f, RACK, time)


@routine
def stop_rack_timer(sender, own):
    """Stop a flow's RACK-TLP timer."""
    own.rack_purpose = IDLE
    sender.due_ns[RACK] = NEVER


@part
def in_recovery(sender, own):
    """Return whether the flow is in fast recovery, or in recovery from a timeout."""
    # RFC 6675, section 5, step A: recovery lasts until all data sent before its beginning are acknowledged.
    return sender.una < own.recovery_end


@routine
def enter_recovery(state, f):
    """Begin fast recovery or recovery from a timeout: stop the RACK-TLP timer and forget the probe in flight."""
    sender, own = sender_at(state, f), recovery_at(state, f)
    own.recovery_end = sender.high
    # RFC 8985, section 7.1, TLP_init(), and section 7.2: recovery ends the episode of the tail loss probe, and no probe
    # is sent during recovery.
    own.probe_end = NONE
    own.probing = 0
    stop_rack_timer(sender, own)


@part
def reported_beyond_gaps(sender, own):
    """Return the number of packets acknowledged selectively but not cumulatively (RACK.segs_sacked)."""
    return own.delivered - sender.una


@part
def reordering_window(state, f):
    """Return the reordering window [ns] (RFC 8985, section 6.2, step 4)."""
    sender, own = sender_at(state, f), recovery_at(state, f)
    if own.reordering_seen == 0:
        if in_recovery(sender, own):
            return 0
        if reported_beyond_gaps(sender, own) >= own.reorder:  # DupThresh
            return 0
    # The simulator's receivers send no DSACK, so RACK.reo_wnd_mult stays 1 and is left out.
    smoothed = timer_at(state, f).srtt
    window = own.least_rtt // 4
    return min(window, int(smoothed * 1e9)) if smoothed > 0.0 else window


@part
def linux_expiry(now, wait):
    """Return the time [ns] at which a timer of Linux expires if it is set at `now` to wait for `wait` [ns]."""
    # Linux, net/ipv4/tcp_recovery.c, tcp_rack_mark_lost(), adds 2 ms (TCP_TIMEOUT_MIN_US). The timer counts whole ticks
    # from the next tick on, so that it is never early (kernel/time/timer.c, calc_index()). Our choice: 250 ticks a
    # second, as in most distributions, with a tick at time 0.
    return -(-now // TICK) * TICK - (-(wait + LINUX_MARGIN) // TICK) * TICK


@routine
def detect_losses(state, f):
    """Find transmissions lost by time (RFC 8985, section 6.2, step 5); return their number and whether any is new.

    Lost transmissions are appended to the list of lost transmissions; `recovery.lose` says which losses are new. If
    other transmissions may still arrive within the reordering window, the timer is set to the time at which the window
    has passed for all of them.
    """
    sender, own, now = sender_at(state, f), recovery_at(state, f), state.now
    own.reordering_window = reordering_window(state, f)
    allowed = own.rack_rtt + own.reordering_window
    lost, fresh, wait = 0, False, 0
    before, n = NONE, own.outstanding_head
    while n != NONE and transmission_at(state, n).transmission < own.rack_newest:
        node = transmission_at(state, n)
        following = node.next
        remaining = snapshot_at(state, n).sent + allowed - now
        if remaining > 0:
            wait = max(wait, remaining)
            before = n
        else:
            unlink(state, own, before, n)
            lost += 1
            fresh = lose(state, own, n) or fresh
        n = following
    own.lost += lost
    if wait > 0:
        set_rack_timer(state, f, REORDERING, now + wait if own.rack == 1 else linux_expiry(now, wait))
    elif own.rack_purpose == REORDERING:
        stop_rack_timer(sender, own)
    return lost, fresh


@routine
def mark_lost_by_timeout(state, f):
    """Count as lost, after a timeout, the first packet and overdue transmissions (RFC 8985, section 6.3)."""
    sender, own = sender_at(state, f), recovery_at(state, f)
    allowed = own.rack_rtt + own.reordering_window
    first, last, kept = NONE, NONE, 0
    before, n = NONE, own.outstanding_head
    while n != NONE:
        following = transmission_at(state, n).next
        number = transmission_at(state, n).number
        if number == sender.una or snapshot_at(state, n).sent + allowed <= state.now:
            before = n
        else:
            unlink(state, own, before, n)
            transmission_at(state, n).next = NONE
            if last == NONE:
                first = n
            else:
                transmission_at(state, last).next = n
            last = n
            kept += 1
        n = following
    mark_all_lost(state, own)
    own.outstanding_head, own.outstanding_tail, own.in_flight = first, last, kept
    sender.resend = sender.una  # RFC 6298, rule 5.4: the first packet is sent, whatever is in flight


@routine
def arm_probe(state, f):
    """Set the timer to the time of the next probe, if the flow may send one (RFC 8985, section 7.2, TLP_calc_PTO())."""
    sender, own, timer = sender_at(state, f), recovery_at(state, f), timer_at(state, f)
    if own.rack_purpose == REORDERING:
        return
    stop_rack_timer(sender, own)
    # Our choice: the timer is not set before the first round-trip time is known. RFC 8985, section 7.2, would set it to
    # one second, but section 7.3 forbids the probe then.
    if sender.high == sender.una or timer.srtt == 0.0:
        return
    if in_recovery(sender, own) or reported_beyond_gaps(sender, own) > 0:
        return
    interval = 2.0 * timer.srtt
    if own.in_flight == 1 and receiver_at(state, f).delays:
        interval += delayed_ack_at(state, f).ack_delay
    set_rack_timer(state, f, PROBE, min(state.now + int(interval * 1e9), sender.due_ns[RTO]))


@routine
def may_probe(sender, own):
    """Return whether a probe may be sent (RFC 8985, section 7.3); if so, the flow's next packet becomes the probe."""
    stop_rack_timer(sender, own)
    if own.probe_end == NONE and own.measured:
        own.probing = 1
    return own.probing


@routine
def next_probe(state, f):
    """Return the number of the packet to send as a probe: new data, or else the last packet (RFC 8985, section 7.3)."""
    sender, own = sender_at(state, f), recovery_at(state, f)
    own.probing = 0
    own.measured = 0
    own.probe_repeats = 0
    if sender.next < sender.packets:
        sender.next += 1
        own.probe_end = sender.next
        return sender.next - 1
    own.probe_repeats = 1
    own.probe_end = sender.high
    # RFC 8985, section 6.1, keeps only the last transmission of each packet: remove the node of the packet's earlier
    # transmission.
    before, n = NONE, own.outstanding_head
    while n != NONE and transmission_at(state, n).number != sender.high - 1:
        before, n = n, transmission_at(state, n).next
    if n != NONE:
        unlink(state, own, before, n)
        release_node(state, n)
    return sender.high - 1


@routine
def has_repaired_loss(state, own, una, acked, i):
    """Return whether an acknowledgment shows that a probe has repaired a loss.

    RFC 8985, section 7.4.2, TLP_process_ack().
    """
    if own.probe_end == NONE or una < own.probe_end:
        return False
    if own.probe_repeats == 0:  # new data has arrived
        own.probe_end = NONE
    elif una > own.probe_end:
        own.probe_end = NONE
        return True
    elif acked == 0 and not packet_at(state, i).flag_bits & HAS_BLOCKS:  # case 2: original and probe arrived
        own.probe_end = NONE
    return False


@part
def process_by_time(state, f, acked, i, newest, measured):
    """Find losses by time (RFC 8985) after acknowledgment i, whose newest delivered packet is list node `newest`.

    Return the number of losses, whether any loss is new, and whether a probe has repaired a loss; the third is False if
    any loss is new.
    """
    own = recovery_at(state, f)
    if measured:
        own.measured = 1
    if acked > 0:
        own.probing = 0  # a probe delayed by pacing is no longer needed
    # RFC 8985, section 6.2, steps 1 and 2. Our choice, because the delays of paths do not change: the minimum is taken
    # over the whole connection. The node `newest` may have been released, but not reused.
    own.least_rtt = min(own.least_rtt, state.now - packet_at(state, i).sent)
    if newest != NONE:
        own.rack_rtt = state.now - snapshot_at(state, newest).sent
        own.rack_newest = max(own.rack_newest, transmission_at(state, newest).transmission)
    n = own.outstanding_head
    overtaken = n != NONE and transmission_at(state, n).transmission < own.rack_newest
    if overtaken or own.probe_end != NONE or own.rack_purpose == REORDERING:
        return find_losses(state, f, acked, i)
    own.reordering_window = reordering_window(state, f)
    return 0, False, False


@routine
def find_losses(state, f, acked, i):
    """Find losses by time if packets were overtaken or a probe is in flight; return values as `process_by_time`."""
    repaired = has_repaired_loss(state, recovery_at(state, f), sender_at(state, f).una, acked, i)
    lost, fresh = detect_losses(state, f)
    return lost, fresh, repaired and not fresh

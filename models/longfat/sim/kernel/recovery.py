"""Loss recovery: which transmissions are outstanding, which are lost, and what is retransmitted.

Three parts: delivery-rate samples, which are kept beside the list of transmissions; the scoreboard of selective
recovery, which finds losses by counting later acknowledgments; and RACK-TLP, which finds losses by time.
"""

from longfat.sim.kernel.events import set_timer
from longfat.sim.kernel.jit import inline, routine
from longfat.sim.kernel.memory import prefetch
from longfat.sim.kernel.records import DELIVERED, NEVER, NO_NODES, NONE, RACK, ROWS_PER_EVENT, RTO
from longfat.sim.kernel.records import SACK as HAS_BLOCKS

# --- Delivery-rate samples -------------------------------------------------------------------------------------------
#
# A sample is the rate at which the network delivers a flow's packets (draft-ietf-ccwg-bbr-06, section 4.1). Only flows
# whose scheme requests them have samples. A snapshot and the list node of its transmission have the same row number, so
# the snapshot stays valid when the transmission is found lost.


@routine
def take_snapshot(state, own, n):
    """Record the flow's delivery state at the departure of a transmission, which already counts as in flight."""
    snapshot = state.snapshots[n]
    # draft-ietf-ccwg-bbr-06, section 4.1.2.2, OnPacketSent(): if nothing else is in flight, the sampling interval
    # begins now. C.inflight of the draft excludes the packet in this condition, but P.tx_in_flight includes it.
    if own.in_flight == 1:
        own.first_sent = state.now
        own.delivered_at = state.now
    snapshot.first_sent = own.first_sent
    snapshot.delivered_at = own.delivered_at
    snapshot.delivered = own.delivered
    snapshot.lost = own.lost
    snapshot.in_flight = own.in_flight
    snapshot.app_limited = 1 if own.app_limited_until != 0 else 0


@inline
def newer(state, n, other):
    """Return the later of two transmissions, given as list nodes; NONE counts as earlier than any node."""
    if other == NONE:
        return n
    if n == NONE:
        return other
    return n if state.transmissions[n].transmission > state.transmissions[other].transmission else other


@inline
def clear_sample(state, event):
    """Reset the fields of the event that describe a delivery-rate sample."""
    if state.sample_set:
        state.sample_set = 0
        event.delivery_rate = 0.0
        event.sample_interval = 0.0
        event.prior_delivered = NONE
        event.sent_in_flight = 0
        event.lost_since_sent = 0
        event.app_limited = 0


@inline
def take_sample(state, own, event, n, sent):
    """Store the delivery-rate sample of an acknowledgment in the event.

    The sample is that of list node n: of the packets that the acknowledgment delivers, the packet that was sent last
    (draft-ietf-ccwg-bbr-06, section 4.1.2.3). The node may have been released, but not reused. The round-trip time
    begins at `sent` [ns], the departure of the transmission that triggered the acknowledgment.
    """
    clear_sample(state, event)
    if n == NONE:
        return
    state.sample_set = 1
    snapshot, departure = state.snapshots[n], state.transmissions[n].sent
    own.delivered_at = state.now
    own.first_sent = departure
    own.least_rtt = min(own.least_rtt, state.now - sent)
    if own.app_limited_until != 0 and own.delivered > own.app_limited_until:
        own.app_limited_until = 0
    event.prior_delivered = snapshot.delivered
    event.sent_in_flight = snapshot.in_flight
    event.lost_since_sent = own.lost - snapshot.lost
    event.app_limited = snapshot.app_limited
    # The packets were sent during one interval and acknowledged during another; the sample uses the longer of the two.
    # An interval shorter than the least round-trip time makes the sample invalid.
    interval = max(departure - snapshot.first_sent, own.delivered_at - snapshot.delivered_at)
    if interval < own.least_rtt:
        return
    event.sample_interval = interval * 1e-9
    if interval > 0:
        event.delivery_rate = (own.delivered - snapshot.delivered) * event.packet_size / event.sample_interval


@routine
def describe_loss(state, event, n, lost):
    """Describe the lost transmission of list node n in the event; `lost` counts the losses up to and including it."""
    clear_sample(state, event)
    state.sample_set = 1
    snapshot = state.snapshots[n]
    event.number = state.transmissions[n].number
    event.transmission = state.transmissions[n].transmission
    event.lost = 1
    event.prior_delivered = snapshot.delivered
    event.sent_in_flight = snapshot.in_flight
    event.lost_since_sent = lost - snapshot.lost
    event.app_limited = snapshot.app_limited


# --- Selective recovery ----------------------------------------------------------------------------------------------
#
# A flow has two lists: outstanding transmissions in order of departure, and lost transmissions in order of detection.
# The list nodes come from a pool that also serves the stamps of requests and the blocks of receivers.


@inline
def allocate_node(state):
    """Take a list node from the pool, and return its row number."""
    n = state.free_node
    state.free_node = state.transmissions[n].next
    state.free_nodes -= 1
    if state.free_nodes < ROWS_PER_EVENT:
        state.shortage = NO_NODES
        state.attention = 1
    return n


@inline
def record_transmission(state, own, number, transmission, retransmitted):
    """Append a transmission to the list of outstanding transmissions."""
    n = allocate_node(state)
    node = state.transmissions[n]
    node.number = number
    node.transmission = transmission
    node.later_acked = retransmitted if own.rack else 0
    node.sent = state.now
    append_outstanding(state, own, n)
    if own.sampled:
        take_snapshot(state, own, n)


@inline
def append_outstanding(state, own, n):
    """Append list node n to the outstanding transmissions."""
    state.transmissions[n].next = NONE
    if own.outstanding_tail == NONE:
        own.outstanding_head = n
    else:
        state.transmissions[own.outstanding_tail].next = n
    own.outstanding_tail = n
    own.in_flight += 1


@inline
def unlink(state, own, before, n):
    """Remove list node n, which follows `before`, from the outstanding transmissions."""
    following = state.transmissions[n].next
    if before == NONE:
        own.outstanding_head = following
    else:
        state.transmissions[before].next = following
    if following == NONE:
        own.outstanding_tail = before
    own.in_flight -= 1


@routine
def next_retransmission(state, own, una):
    """Take the next packet from the list of lost transmissions; return its number, or NONE."""
    while own.lost_head != NONE:
        n = own.lost_head
        number = state.transmissions[n].number
        arrived = state.transmissions[n].later_acked == DELIVERED
        if number < una and not arrived:
            own.delivered += 1
        own.lost_head = state.transmissions[n].next
        if own.lost_head == NONE:
            own.lost_tail = NONE
        release_node(state, n)
        if number >= una and not (arrived and own.skips):
            return number
    return NONE


@routine
def forget_transmissions(state, own):
    """Release the list nodes of a finished flow."""
    release_nodes(state, own.outstanding_head)
    release_nodes(state, own.lost_head)
    clear_lists(own)


@routine
def clear_lists(own):
    """Empty the lists of outstanding and lost transmissions of a flow."""
    own.outstanding_head = NONE
    own.outstanding_tail = NONE
    own.lost_head = NONE
    own.lost_tail = NONE
    own.in_flight = 0


@routine
def mark_lost_by_timeout(state, f):
    """Count outstanding transmissions as lost after a timeout, and sort all lost transmissions by packet number.

    All outstanding transmissions are lost, or with RACK-TLP those of the first packet and those that are overdue (RFC
    8985, section 6.3). RFC 6298, rule 5.4: the earliest packet is retransmitted first. Sorting is needed because a
    retransmission may follow higher numbers in the list.
    """
    sender, own = state.senders[f], state.recoveries[f]
    overdue = state.now - own.rack_rtt - own.reordering_window
    lost, n, before = own.lost_head, own.outstanding_head, NONE
    clear_lists(own)
    while lost != NONE:
        following = state.transmissions[lost].next
        insert_lost(state, own, before, lost)
        before, lost = lost, following
    while n != NONE:
        following = state.transmissions[n].next
        if not own.rack or state.transmissions[n].number == sender.una or state.transmissions[n].sent <= overdue:
            insert_lost(state, own, before, n)
            own.lost += 1
            before = n
        else:
            append_outstanding(state, own, n)
        n = following
    if own.rack:
        sender.resend = sender.una  # RFC 6298, rule 5.4: the first packet is sent, whatever is in flight


@routine
def insert_lost(state, own, before, n):
    """Insert list node n into the list of lost transmissions, which is sorted by packet number.

    The search for its place starts at node `before` of the list if that has no higher number, so that a sorted list is
    traversed once when its nodes are inserted one after the other.
    """
    node, after = state.transmissions[n], own.lost_head
    if before != NONE and state.transmissions[before].number <= node.number:
        after = state.transmissions[before].next
    else:
        before = NONE
    while after != NONE and state.transmissions[after].number <= node.number:
        before, after = after, state.transmissions[after].next
    node.next = after
    if before == NONE:
        own.lost_head = n
    else:
        state.transmissions[before].next = n
    if after == NONE:
        own.lost_tail = n


@inline
def release_node(state, n):
    """Put list node n back into the pool."""
    state.transmissions[n].next = state.free_node
    state.free_node = n
    state.free_nodes += 1


@inline
def release_nodes(state, n):
    """Put all nodes of the list that begins at node n back into the pool."""
    while n != NONE:
        following = state.transmissions[n].next
        release_node(state, n)
        n = following


@inline
def is_covered(state, una, i, number):
    """Return whether acknowledgment i covers packet `number`: cumulatively, as its trigger, or by a SACK block."""
    if number < una or number == state.packets[i].triggered_by:
        return True
    if state.packets[i].flag_bits & HAS_BLOCKS:
        for k in range(0, 6, 2):
            if state.extras[i].blocks[k] <= number < state.extras[i].blocks[k + 1]:
                return True
    return False


@inline
def update_scoreboard(state, own, una, acked, i):
    """Remove the transmissions that acknowledgment i covers, and find losses; return five values.

    The values are the number of losses; whether any loss is new; the newest transmission delivered, as a list node that
    may have been released; whether the transmission that triggered the acknowledgment was outstanding; and whether
    earlier transmissions are still outstanding. Lost transmissions are appended to the list of lost ones.

    A transmission is lost when `reorder` later transmissions have been acknowledged, as with the packet threshold of
    RFC 9002, section 6.1.1. Our choice: `reorder` is 1 unless the scheme sets it, because paths keep packets in order.
    With `rack` this function finds no losses: see `detect_losses`. `lose` says which losses are new.

    Only transmissions up to the acknowledged one are visited, so the cost grows with the number of holes before it.
    """
    upto = state.packets[i].transmission
    lost, fresh = 0, False
    before_this = own.delivered
    triggered, newest = False, NONE
    before, n = NONE, own.outstanding_head
    more = n != NONE and state.transmissions[n].transmission <= upto
    while more:
        node = state.transmissions[n]
        following = node.next
        # Numbers increase along the list, so that the row behind transmission `upto` need not be read; it is prefetched
        # below.
        more = node.transmission < upto and following != NONE and state.transmissions[following].transmission <= upto
        covered = is_covered(state, una, i, node.number)
        if not covered:
            if own.rack == 0:
                node.later_acked += 1
            if own.rack or node.later_acked < own.reorder:
                before, n = n, following
                continue
        unlink(state, own, before, n)
        if covered:
            own.delivered += 1
            newest = n
            if own.rack:
                record_order(state, own, n)
            triggered = triggered or node.number == state.packets[i].triggered_by
            release_node(state, n)
        else:
            lost += 1
            fresh = lose(state, own, n) or fresh
        n = following
    prefetch(state.transmissions[n], 0)  # the next acknowledgment will read this row
    own.lost += lost
    if own.lost_head != NONE and (not triggered or acked > own.delivered - before_this):
        newest = newer(state, count_late_deliveries(state, own, una, i), newest)
    return lost, fresh, newest, triggered, before != NONE


@routine
def count_late_deliveries(state, own, una, i):
    """Count as delivered the lost packets that acknowledgment i covers; return the list node of the newest.

    The function is called only for an acknowledgment whose trigger was not outstanding, or that covers more packets
    than were outstanding. The packets stay in the list of lost ones, and `next_retransmission` decides whether they are
    retransmitted.
    """
    newest, n = NONE, own.lost_head
    while n != NONE:
        node = state.transmissions[n]
        if node.later_acked != DELIVERED and is_covered(state, una, i, node.number):
            own.delivered += 1
            if own.rack:
                record_order(state, own, n)
            node.later_acked = DELIVERED
            newest = newer(state, n, newest)
        n = node.next
    return newest


@inline
def record_order(state, own, n):
    """Record reordering if a later packet has overtaken the packet now delivered (RFC 8985, section 6.2, step 3)."""
    number = state.transmissions[n].number
    if number > own.highest_delivered:
        own.highest_delivered = number
    elif number < own.highest_delivered and state.transmissions[n].later_acked == 0:
        own.reordering_seen = 1


@inline
def lose(state, own, n):
    """Append list node n to the list of lost transmissions; return whether the loss is new.

    A loss is new if the transmission left after the last new loss was found, and after the last timeout.
    """
    node = state.transmissions[n]
    state.lost_number = node.number
    node.next = NONE
    if own.lost_tail == NONE:
        own.lost_head = n
    else:
        state.transmissions[own.lost_tail].next = n
    own.lost_tail = n
    return node.transmission >= own.recover


# --- RACK-TLP --------------------------------------------------------------------------------------------------------
#
# The sender detects losses by time, and sends a probe when acknowledgments fail to arrive (RFC 8985).
#
# A transmission is lost when a later one has been delivered and the reordering window has passed. Here each
# transmission has its own list node, in order of departure, and an acknowledgment names the transmission that triggered
# it. So the order of transmissions breaks ties, where the RFC takes the sequence number. No acknowledgment is
# ambiguous, and the checks of section 6.2, step 2, are therefore not needed.

TICK, LINUX_MARGIN = 4_000_000, 2_000_000  # ns
IDLE, REORDERING, PROBE = range(3)  # purpose of the timer


@routine
def set_rack_timer(state, f, purpose, time):
    """Set the RACK-TLP timer of flow f to expire at `time` [ns]; it has one purpose at a time (RFC 8985, section 8).

    Our choice: the retransmission timer keeps running while this timer is set, because a probe is never due after it.
    """
    state.recoveries[f].rack_purpose = purpose
    set_timer(state, f, RACK, time)


@routine
def stop_rack_timer(sender, own):
    """Stop a flow's RACK-TLP timer."""
    own.rack_purpose = IDLE
    sender.due_ns[RACK] = NEVER


@inline
def in_recovery(sender, own):
    """Return whether the flow is in fast recovery, or in recovery from a timeout."""
    # RFC 6675, section 5, step A: recovery lasts until all data sent before its beginning are acknowledged.
    return sender.una < own.recovery_end


@routine
def enter_recovery(state, f):
    """Begin fast recovery or recovery from a timeout: stop the RACK-TLP timer and forget the probe in flight."""
    sender, own = state.senders[f], state.recoveries[f]
    own.recovery_end = sender.high
    # RFC 8985, section 7.1, TLP_init(), and section 7.2: recovery ends the episode of the tail loss probe, and no probe
    # is sent during recovery.
    own.probe_end = NONE
    own.probing = 0
    stop_rack_timer(sender, own)


@inline
def reported_beyond_gaps(sender, own):
    """Return the number of packets acknowledged selectively but not cumulatively (RACK.segs_sacked)."""
    return own.delivered - sender.una


@inline
def reordering_window(state, f):
    """Return the reordering window [ns] (RFC 8985, section 6.2, step 4)."""
    sender, own = state.senders[f], state.recoveries[f]
    if own.reordering_seen == 0:
        if in_recovery(sender, own):
            return 0
        if reported_beyond_gaps(sender, own) >= own.reorder:  # DupThresh
            return 0
    # The simulator's receivers send no DSACK, so RACK.reo_wnd_mult stays 1 and is left out.
    smoothed = state.timers[f].srtt
    window = own.least_rtt // 4
    return min(window, int(smoothed * 1e9)) if smoothed > 0.0 else window


@inline
def linux_expiry(now, wait):
    """Return the time [ns] at which a timer of Linux expires if it is set at `now` to wait for `wait` [ns]."""
    # Linux, net/ipv4/tcp_recovery.c, tcp_rack_mark_lost(), adds 2 ms (TCP_TIMEOUT_MIN_US). The timer counts whole ticks
    # from the next tick on, so that it is never early (kernel/time/timer.c, calc_index()). Our choice: 250 ticks a
    # second, as in most distributions, with a tick at time 0.
    return -(-now // TICK) * TICK - (-(wait + LINUX_MARGIN) // TICK) * TICK


@routine
def detect_losses(state, f):
    """Find transmissions lost by time (RFC 8985, section 6.2, step 5); return their number and whether any is new.

    Lost transmissions are appended to the list of lost transmissions; `lose` says which losses are new. If other
    transmissions may still arrive within the reordering window, the timer is set to the time at which the window has
    passed for all of them.
    """
    sender, own, now = state.senders[f], state.recoveries[f], state.now
    own.reordering_window = reordering_window(state, f)
    allowed = own.rack_rtt + own.reordering_window
    lost, fresh, wait = 0, False, 0
    before, n = NONE, own.outstanding_head
    while n != NONE and state.transmissions[n].transmission < own.rack_newest:
        node = state.transmissions[n]
        following = node.next
        remaining = node.sent + allowed - now
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
def arm_probe(state, f):
    """Set the timer to the time of the next probe, if the flow may send one (RFC 8985, section 7.2, TLP_calc_PTO())."""
    sender, own, timer = state.senders[f], state.recoveries[f], state.timers[f]
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
    if own.in_flight == 1 and state.receivers[f].delays:
        interval += state.delayed_acks[f].ack_delay
    set_rack_timer(state, f, PROBE, min(state.now + int(interval * 1e9), sender.due_ns[RTO]))


@routine
def next_probe(state, f):
    """Return the number of the packet to send as a probe: new data, or else the last packet (RFC 8985, section 7.3)."""
    sender, own = state.senders[f], state.recoveries[f]
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
    while n != NONE and state.transmissions[n].number != sender.high - 1:
        before, n = n, state.transmissions[n].next
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
    elif acked == 0 and not state.packets[i].flag_bits & HAS_BLOCKS:  # case 2: original and probe arrived
        own.probe_end = NONE
    return False


@inline
def process_by_time(state, f, acked, i, newest, measured, earlier):
    """Find losses by time (RFC 8985) after acknowledgment i, whose newest delivered packet is list node `newest`.

    `earlier` says whether transmissions before the one that triggered the acknowledgment are outstanding. Return the
    number of losses, whether any loss is new, and whether a probe has repaired a loss; the third is False if any loss
    is new.
    """
    own = state.recoveries[f]
    if measured:
        own.measured = 1
    if acked > 0:
        own.probing = 0  # a probe delayed by pacing is no longer needed
    # RFC 8985, section 6.2, steps 1 and 2. Our choice, because the delays of paths do not change: the minimum is taken
    # over the whole connection. The node `newest` may have been released, but not reused.
    own.least_rtt = min(own.least_rtt, state.now - state.packets[i].sent)
    if newest != NONE:
        own.rack_rtt = state.now - state.transmissions[newest].sent
        own.rack_newest = max(own.rack_newest, state.transmissions[newest].transmission)
    # If the newest transmission delivered triggered this acknowledgment, `earlier` tells whether it has overtaken
    # others, so that the row of the first outstanding transmission need not be read.
    n = own.outstanding_head
    overtaken = n != NONE and (earlier or own.rack_newest > state.packets[i].transmission)
    overtaken = overtaken and state.transmissions[n].transmission < own.rack_newest
    if overtaken or own.probe_end != NONE or own.rack_purpose == REORDERING:
        return find_losses(state, f, acked, i)
    own.reordering_window = reordering_window(state, f)
    return 0, False, False


@routine
def find_losses(state, f, acked, i):
    """Find losses by time if packets were overtaken or a probe is in flight; return the values of `process_by_time`."""
    repaired = has_repaired_loss(state, state.recoveries[f], state.senders[f].una, acked, i)
    lost, fresh = detect_losses(state, f)
    return lost, fresh, repaired and not fresh

"""Sources of packets: generators, applications, connections that arrive at random, hosts outside the simulator."""

import math

import numba

from longfat.sim.kernel import records
from longfat.sim.kernel.events import request_admission, set_timer
from longfat.sim.kernel.jit import COMPILED, entry, inline, routine
from longfat.sim.kernel.memory import flow_own, new_data, new_packet, release_packet, state_at, traffic_uniform, word_at
from longfat.sim.kernel.receiver import count_arrival
from longfat.sim.kernel.records import NEVER, NONE
from longfat.sim.kernel.recovery import release_nodes
from longfat.sim.kernel.trace_rows import record_end, trace_packet

# --- Generators and applications -------------------------------------------------------------------------------------
#
# Uncontrolled traffic (constant rate, Poisson, on-off), and applications that write the data of transfers.

LONGEST = 5e18  # ns; longer than any run


@inline
def exponential(state, mean):
    """Return an exponential variate, by inversion, which compiled and plain Python compute with equal results."""
    return -mean * math.log1p(-traffic_uniform(state))


@routine
def duration(state, mean, shape):
    """Return a random time with the given mean: fixed (shape 0), exponential (shape 1) or Pareto (shape above 1)."""
    if shape <= 0.0:
        return mean
    if shape == 1.0:
        return exponential(state, mean)
    least = mean * (shape - 1.0) / shape
    return least * math.exp(exponential(state, 1.0 / shape))  # (1 - U)^(-1/shape)


@inline
def rounded(time):
    """Return a time [ns] rounded to an integer, at most `LONGEST`."""
    return int(min(time, LONGEST) + 0.5)


@routine
def has_begun(state, f):
    """Return whether a Poisson process has begun; if not, begin it with an exponential gap."""
    tally = state.tallies[f]
    if tally.begun:
        return True
    tally.begun = 1
    set_timer(state, f, records.PACE, state.now + rounded(exponential(state, state.sources[f].gap)))
    return False


@inline
def while_on(state, source, time):
    """Return `time` [ns] if an on-off source is then on, otherwise the beginning of its next on-period.

    The rest of the gap between packets is carried over to the next on-period, so that the mean rate is exact for any
    gap.
    """
    if time >= source.off_at:
        source.on = 0
        source.gap_left = time - source.off_at
        time = min(source.off_at, NEVER - int(LONGEST)) + rounded(duration(state, source.off_time, source.shape_off))
    return time


@inline
def after_gap(source, time):
    """Return the time [ns] of the packet after the one at `time`; gaps are integers [ns] with the exact mean."""
    gap = min(source.gap, LONGEST)
    source.slack += gap - int(gap)
    following = time + int(gap) + int(source.slack)
    source.slack -= int(source.slack)
    return following


@inline
def switch_on(state, source, time):
    """Begin an on-period of an on-off source at `time` [ns]; return False if its first packet has to wait."""
    source.on = 1
    source.off_at = time + max(1, rounded(duration(state, source.on_time, source.shape_on)))
    return source.gap_left <= 0


@routine
def emit(state, f):
    """Send one packet of an uncontrolled flow, and schedule the next one."""
    sender, source, tally = state.senders[f], state.sources[f], state.tallies[f]
    now = state.now
    if now >= tally.stop or sender.high >= sender.packets:
        tally.finish = now
        return
    if tally.traffic == records.POISSON and not has_begun(state, f):
        return
    if tally.traffic == records.ON_OFF and source.on == 0 and not switch_on(state, source, now):
        set_timer(state, f, records.PACE, while_on(state, source, now + source.gap_left))
        return
    i = new_data(state, f, sender, sender.high)
    if source.mean_size > 0.0:
        state.packets[i].length = min(max(1, int(exponential(state, source.mean_size) + 0.5)), 1_000_000)
    sender.high += 1
    sender.next = sender.high
    if state.tracing:
        trace_packet(state, records.SENT, i)
    if tally.traffic == records.POISSON:
        set_timer(state, f, records.PACE, now + rounded(exponential(state, source.gap)))
    else:
        following = after_gap(source, now)
        if tally.traffic == records.ON_OFF:
            following = while_on(state, source, following)
        set_timer(state, f, records.PACE, following)
    request_admission(state, i)


@routine
def write(state, f):
    """Let the application of a flow write all packets that are due by now; return whether it wrote any.

    The function is called only when the sender has no data left, so that writing needs no events.
    """
    sender, source = state.senders[f], state.sources[f]
    before = sender.packets
    while source.next_write <= state.now and sender.packets < source.total:
        time = source.next_write
        if source.on == 0 and not switch_on(state, source, time):
            source.next_write = while_on(state, source, time + source.gap_left)
        else:
            sender.packets += 1
            source.next_write = while_on(state, source, after_gap(source, time))
    return sender.packets > before


@routine
def wait_for_data(state, f):
    """Let a flow's application write data; return whether it wrote any.

    Without new data, the flow is recorded as application-limited if its window allows another packet, and the pacing
    timer is set to the time at which the application writes the next packet.
    """
    if write(state, f):
        return True
    sender, source, own = state.senders[f], state.sources[f], state.recoveries[f]
    if sender.next >= sender.packets:
        sent, allowed = sender.next - sender.una, sender.window + sender.inflation
        if sender.repair == records.SELECTIVE:
            sent, allowed = own.in_flight, sender.window
        own.app_limited = 1 if sent + 1 <= allowed else 0
        check_application_limited(state, f)
        if sender.packets < source.total:
            set_timer(state, f, records.PACE, source.next_write)
    return False


@inline
def check_application_limited(state, f):
    """Mark delivery-rate samples as application-limited if the window allows more than there is to send.

    This is CheckIfApplicationLimited() of draft-ietf-ccwg-bbr-06, section 4.1.2.4. Data delayed only by the pacing rate
    count as data to send.
    """
    sender, own = state.senders[f], state.recoveries[f]
    if not own.sampled or sender.next < sender.packets or own.lost_head != NONE or own.in_flight + 1 > sender.window:
        return
    if sender.transfer != records.FROM_APPLICATION or not write(state, f):
        own.app_limited_until = max(own.delivered + own.in_flight, 1)


@routine
def all_written(state, f):
    """Return whether the application of a flow, if it has one, has written the whole file."""
    sender = state.senders[f]
    return sender.transfer != records.FROM_APPLICATION or sender.packets >= state.sources[f].total


# --- Connections -----------------------------------------------------------------------------------------------------
#
# A connection that arrives at random takes the row of a finished connection without packets in the network. The
# *template* is the flow that starts connections; `longfat.sim.traffic.arrivals` makes it.


SENDER_WORDS, TIMER_WORDS, RECEIVING_WORDS, RECOVERY_WORDS, TALLY_WORDS = (
    one.itemsize // 8 for one in (records.SENDER, records.TIMER, records.RECEIVING, records.RECOVERY, records.TALLY)
)
#: Counters in a row of `tallies`: the first word, the word behind the last one, and their names.
_NAMES = records.TALLY.names or ()
FIRST_COUNTER, END_OF_COUNTERS = _NAMES.index("sent"), _NAMES.index("reported_blocks")
COUNTERS = _NAMES[FIRST_COUNTER:END_OF_COUNTERS]


@inline
def has_nothing_in_flight(state, f):
    """Return whether no data packet, acknowledgment or feedback of a flow is in the network."""
    sender, receiver, tally = state.senders[f], state.receivers[f], state.tallies[f]
    answered = (
        receiver.received == sender.acks_received + tally.acks_dropped + tally.acks_merged
        and tally.feedback_in_flight == 0
    )
    return answered and sender.transmission == receiver.received + tally.dropped


@routine
def add_to_template(state, t, f):
    """Add the counters of a finished connection to those of its template."""
    for k in range(FIRST_COUNTER, END_OF_COUNTERS):
        word_at(state.tallies_base, TALLY_WORDS * t + k).x += word_at(state.tallies_base, TALLY_WORDS * f + k).x
    state.tallies[t].sent += state.senders[f].transmission
    state.senders[t].acks_received += state.senders[f].acks_received
    mine, theirs = state.receivers[t], state.receivers[f]
    mine.received += theirs.received
    mine.received_bytes += theirs.received_bytes
    mine.delay += theirs.delay
    mine.last_arrival = max(mine.last_arrival, theirs.last_arrival)


@inline
def reusable_row(state, t):
    """Take a finished connection's row for a new connection of template t; return NONE if there is none."""
    template = state.sources[t]
    f = template.first_row
    if f == NONE or not has_nothing_in_flight(state, f):
        return NONE
    template.first_row = state.sources[f].next_row
    if template.first_row == NONE:
        template.last_row = NONE
    return f


@inline
def copy_row(base, words, source, target):
    """Copy row `source` of an array to row `target`; rows have `words` words of eight bytes."""
    for k in range(words):
        word_at(base, words * target + k).x = word_at(base, words * source + k).x


@routine
def initialise_connection(state, t, f):
    """Initialise row f for a new connection of template t.

    Heap entries for timers of the row's previous connection stay: the first three timers use their entries again; the
    entry of the RACK-TLP timer is ignored when its time comes.
    """
    sender = state.senders[f]
    armed = sender.armed_ns[0], sender.armed_ns[1], sender.armed_ns[2], NEVER
    release_nodes(state, state.tallies[f].last_stamps)
    copy_row(state.senders_base, SENDER_WORDS, t, f)
    copy_row(state.timers_base, TIMER_WORDS, t, f)
    copy_row(state.receivers_base, RECEIVING_WORDS, t, f)
    copy_row(state.recoveries_base, RECOVERY_WORDS, t, f)
    copy_row(state.tallies_base, TALLY_WORDS, t, f)
    for k in range(state.flow_own_words):
        word_at(flow_own(state, f), k).x = word_at(flow_own(state, t), k).x
    for k in range(records.TIMERS):
        sender.due_ns[k] = NEVER
        sender.armed_ns[k] = armed[k]
    if sender.access_link:
        state.access_links[f].free = 0
    sender.transfer = 1
    sender.sends_until_ns = NEVER
    sender.acks_received = 0
    receiver = state.receivers[f]
    receiver.received = 0
    receiver.received_bytes = 0
    receiver.delay = 0.0
    receiver.last_arrival = 0
    receiver.waiting = NONE
    if receiver.delays:
        delayed, given = state.delayed_acks[f], state.delayed_acks[t]
        delayed.delayed_ack = given.delayed_ack
        delayed.ack_delay = given.ack_delay
        delayed.quick_acks = given.quick_acks
        delayed.pending = 0  # already out of the link's list: `has_nothing_in_flight` excludes a delayed acknowledgment
        delayed.due_ns = NEVER
    for k in range(FIRST_COUNTER, END_OF_COUNTERS):
        word_at(state.tallies_base, TALLY_WORDS * f + k).x = 0
    tally = state.tallies[f]
    tally.traffic = records.TRANSFER
    tally.template = t
    tally.start = state.now
    tally.stop = NEVER


@routine
def start_connection(state, t):
    """Start a connection of template t if one is due; return its row, t if none is due, or NONE if no row is free."""
    now = state.now
    if now >= state.tallies[t].stop or not has_begun(state, t):
        return t
    f = reusable_row(state, t)
    if f == NONE:
        return NONE
    add_to_template(state, t, f)
    initialise_connection(state, t, f)
    state.sources[f].next_row = NONE
    set_timer(state, t, records.PACE, now + rounded(exponential(state, state.sources[t].gap)))
    return f


@routine
def end_connection(state, f):
    """Log a finished connection, and make its row available for later connections."""
    tally = state.tallies[f]
    template = state.sources[tally.template]
    entry = state.finished_connections[state.connections]
    entry.flow = tally.template
    entry.start = tally.start
    entry.finish = tally.finish
    entry.sent = state.senders[f].transmission
    entry.dropped = tally.dropped
    state.connections += 1
    if state.connections + records.ROWS_PER_EVENT > state.connections_room:
        state.shortage = records.NO_CONNECTIONS
        state.attention = 1
    if template.last_row == NONE:
        template.first_row = f
    else:
        state.sources[template.last_row].next_row = f
    template.last_row = f
    state.sources[f].next_row = NONE


# --- Hosts outside the simulator -------------------------------------------------------------------------------------
#
# Packets of hosts outside the simulator enter the network at any time. A row of `left` records when each packet leaves
# the network, and whether it was dropped.
#
# The flow of injected packets has no events of its own. Its data and acknowledgments take the same links as the packets
# of a transfer, and compete there with all other packets.


@entry
def inject(address, f, hop, kind, length, number, transmission, flags):
    """Create a packet of flow f at a hop; the event loop admits it to the hop's link before the next event."""
    state = state_at(address)
    i = new_packet(state, f, kind, length, hop)
    packet = state.packets[i]
    packet.number = number
    packet.transmission = transmission
    packet.flag_bits = flags
    packet.triggered_by = 0
    if kind == records.DATA:
        state.senders[f].transmission += 1
    else:
        state.tallies[f].acks_injected += 1
    request_admission(state, i)


@routine
def reach_host(state, i):
    """Deliver an injected packet to a host outside the simulator; the event loop returns before the next event."""
    packet = state.packets[i]
    f = packet.flow
    record_end(state, i, 0)
    if packet.kind == records.DATA:
        receiver = state.receivers[f]
        count_arrival(state, receiver, packet)
        receiver.received_bytes += packet.length
        if packet.flag_bits & records.CE:
            state.tallies[f].marks += 1
    else:
        state.senders[f].acks_received += 1
    release_packet(state, i)


def compile_injection() -> None:
    """Compile `inject`, or load it from numba's cache."""
    if COMPILED:
        inject.compile((numba.int64,) * 8)

"""Event loop: take the earliest event, set the clock to its time, handle it, and admit and send packets.

The loop returns at a given time, after a number of events, or when an array has to grow. It may handle arrivals before
their time, up to `horizon`: docs/engine.md, "Computing in advance", describes the conditions and the gain.
"""

from longfat.sim.kernel import acknowledgment, events, records
from longfat.sim.kernel.callbacks import call_tick
from longfat.sim.kernel.jit import entry, inline, routine
from longfat.sim.kernel.link import (
    admit,
    admit_inline,
    deliver_to_switch,
    end_of_transmission,
    process_deferred,
    send_feedback,
    take_arrived,
    update_backlog,
    wake_queue,
)
from longfat.sim.kernel.memory import prefetch_flow, state_at
from longfat.sim.kernel.receiver import expire_delay, receive
from longfat.sim.kernel.records import NEVER, NONE
from longfat.sim.kernel.sender import BURST, LATEST, reach_first_node, send
from longfat.sim.kernel.source import emit, reach_host, start_connection


@inline
def arrive(state, k):
    """Move the first packet on a link to its far end."""
    link = state.links[k]
    i = take_arrived(state, link)
    if i == NONE:
        return
    packet = state.packets[i]
    hop = state.hops[packet.hop]
    here, far_end = hop.link == k, hop.far_end
    # If the hop of an arriving packet is at another link, the packet is an acknowledgment that was made in advance: it
    # only has to enter that link now.
    if not here or far_end <= records.TO_RECEIVER:
        enters = True
        if here and far_end == records.NEXT_HOP:
            packet.hop += 1
        elif here:
            enters = receive(state, i)
        if enters:
            admit_inline(state, i)
        if here and hop.in_advance != records.AT_ARRIVAL:  # this arrival was deferred; compute later ones if possible
            link.deferred -= 1
            if link.deferred > 0:
                process_deferred(state, link.number)
    elif far_end == records.TO_SENDER and packet.kind == records.ACK:
        if link.head != NONE:
            prefetch_flow(state, state.packets[link.head].flow)
        acknowledgment.acknowledge(state, i)
    else:
        arrive_elsewhere(state, i, far_end)


@routine
def arrive_elsewhere(state, i, far_end):
    """Deliver feedback to a switch or a sender, or an injected packet to its host."""
    if far_end == records.TO_SWITCH:
        deliver_to_switch(state, i)
    elif state.packets[i].kind == records.FEEDBACK:
        acknowledgment.receive_feedback(state, i)
    else:
        reach_host(state, i)


@inline
def expire_timer(state, which, f, time):
    """Handle a heap entry of a flow's timer.

    The entry of a postponed timer is replaced by an entry with the new time; that of a stopped timer is ignored.
    """
    sender = state.senders[f]
    if time != sender.armed_ns[which]:
        return
    sender.armed_ns[which] = NEVER
    due = sender.due_ns[which]
    if due > time:
        if due != NEVER:
            events.push_timer(state, f, which, due)
        return
    sender.due_ns[which] = NEVER
    if which == records.RTO and acknowledgment.probe_is_due(state, f):
        acknowledgment.probe(state, f)
    elif which == records.RTO:
        acknowledgment.expire_retransmission_timer(state, f)
    elif which == records.PACE:
        pace(state, f, time)
    elif which == records.RACK:
        acknowledgment.expire_rack_timer(state, f)
    else:
        acknowledgment.expire_alarm(state, f)


@inline
def pace(state, f, time):
    """Handle the pacing timer of a flow.

    The timer expires when the access link has sent its packet, when the rate allows the next packet, when a generator
    emits a packet, when a template starts its next connection, or when the flow starts.
    """
    sender, tally = state.senders[f], state.tallies[f]
    if sender.access_link == events.IN_USE:
        reach_first_node(state, f)
        if sender.transfer:
            events.request_send(state, f)
    elif tally.traffic == records.ARRIVALS:
        row = start_connection(state, f)
        if row == NONE:
            events.set_timer(state, f, records.PACE, time)
            state.flow = f
            state.shortage = records.NO_FLOWS
            state.attention = 1
        elif row != f:
            acknowledgment.start_flow(state, row)
    elif tally.traffic != records.TRANSFER:
        emit(state, f)
    elif tally.begun == 0:
        acknowledgment.start_flow(state, f)
    else:
        send(state, f)


@routine
def run_tick(state, k):
    """Call `tick` of a link's discipline, which returns a time [s], and schedule the next call at that time."""
    link = state.links[k]
    if link.service == NONE:
        update_backlog(state, link)  # tick may read the backlog
    seconds = call_tick(state, link)
    if not seconds >= 0.0:  # negative or NaN
        raise ValueError("tick returned a negative time or NaN: must return the time of its next call, in [0, inf] s")
    link.immediate_calls = link.immediate_calls + 1 if seconds <= state.now * 1e-9 else 0
    if link.immediate_calls >= acknowledgment.MOST_IMMEDIATE_CALLS:
        raise ValueError("tick returned a time that is not after now 1000 times in a row: must return a later time [s]")
    if seconds < LATEST:
        events.schedule(state, records.SWITCH_CLOCK, k, max(int(seconds * 1e9 + 0.5), state.now + 1))


@routine
def take_samples(state):
    """Write one sample row for each sampled flow and link, and schedule the next sample."""
    if state.samples >= state.samples_room:
        return
    for f in range(state.sampled_flows):
        sender, row = state.senders[f], state.flow_samples[state.samples * state.sampled_flows + f]
        row.window = sender.window + sender.inflation
        row.rate = sender.rate
        row.received_bytes = state.receivers[f].received_bytes
        row.srtt = state.timers[f].srtt
    for k in range(state.sampled_links):
        link, line = state.links[k], state.link_samples[state.samples * state.sampled_links + k]
        line.arrived_bytes = link.served_bytes + link.dropped_bytes - link.lengthened_bytes
        if link.service == NONE:
            update_backlog(state, link)
        else:
            line.arrived_bytes += link.backlog_bytes
        line.backlog = link.backlog
        line.served_bytes = link.served_bytes
        line.dropped = link.dropped
    state.samples += 1
    if state.unfinished < 0:
        state.horizon = min(state.until, state.now + state.sample_every - 1)
    events.schedule(state, records.SAMPLING, 0, state.now + state.sample_every)


@routine
def handle_clock_event(state, kind, index, time):
    """Handle an event of the heap of clocks."""
    if kind == records.SWITCH_CLOCK:
        run_tick(state, index)
    elif kind == records.SAMPLING:
        take_samples(state)
    elif kind == records.WAKE:
        if state.queues[index].armed_ns == time:
            state.queues[index].armed_ns = NEVER
            wake_queue(state, index)
    elif kind == records.DELAYED:
        expire_delay(state, index, time)
    else:
        expire_timer(state, kind - records.CLOCK, index, time)


@inline
def handle_pending(state):
    """Admit packets, send feedback and let a flow send before the next event, as requested.

    Return PAUSED if the loop may continue, DONE if all files are transferred, BAD_VALUE if a scheme has failed, or the
    code of the array that is too small.
    """
    if state.failed:
        state.failed = 0
        state.sending_flow = NONE
        return records.BAD_VALUE
    while state.shortage == records.DONE and (state.entering_packet != NONE or state.feedback_flow != NONE):
        if state.entering_packet != NONE:
            i = state.entering_packet
            state.entering_packet = NONE
            admit(state, i)
        else:
            send_feedback(state)
    if state.shortage != records.DONE:
        return state.shortage
    if state.sending_flow != NONE:
        f = state.sending_flow
        state.sending_flow = NONE
        state.attention = 0
        send(state, f)
        state.attention = 1  # the next call checks whether all files are transferred
        return records.PAUSED
    state.attention = 0
    return records.DONE if state.unfinished == 0 else records.PAUSED


@entry
def run(address, until, budget):
    """Run until time `until` [ns] or for `budget` events; return the reason for stopping (see `records.DONE`)."""
    state = state_at(address)
    state.attention = 1
    state.until = until
    # Results are read only at `until` and at samples, so earlier arrivals may be computed in advance. A run that ends
    # with its last file may end at any event, so no arrival may be computed in advance.
    state.horizon = until if state.unfinished < 0 else -1
    if state.samples < state.samples_room and state.unfinished < 0:
        state.horizon = min(until, state.samples * state.sample_every - 1)
    while True:
        while state.attention:
            ends = handle_pending(state)
            if ends != records.PAUSED:
                return ends
            if state.sending_flow != NONE:  # the flow has sent `BURST` packets and may send more
                budget -= BURST
            if budget < 0:
                return records.PAUSED
        if budget <= 0:
            return records.PAUSED
        budget -= 1
        time, key = events.earliest_event(state)
        if time > until:
            state.now = until
            return records.DONE
        state.events += 1
        state.now = time
        index = key & (events.INDICES - 1)
        kind = (key >> events.INDEX_BITS) & (events.KINDS - 1)
        if kind == records.ARRIVAL:
            arrive(state, index)
        elif kind == records.DEPARTURE:
            events.remove_arrival(state)
            end_of_transmission(state, index)
        else:
            events.remove_clock(state)
            handle_clock_event(state, kind, index, time)

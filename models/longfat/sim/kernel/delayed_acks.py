"""Delayed acknowledgments: one for several packets, or after a time (RFC 5681, section 4.2).

The acknowledgment of a packet is made when the packet arrives. The receiver delays it until another one replaces
it, or until it is due.
"""

from longfat.sim.kernel.events import request_admission
from longfat.sim.kernel.jit import routine
from longfat.sim.kernel.memory import delayed_ack_at, receiver_at, tally_at
from longfat.sim.kernel.packets import release_packet
from longfat.sim.kernel.records import ACK_SENT, BY_SCHEME, HORIZON, NEVER, NONE
from longfat.sim.kernel.replies import arm, reply
from longfat.sim.kernel.trace_rows import trace_packet


@routine
def hold_back(state, f, i, may_wait):
    """Delay an acknowledgment if that is allowed, in place of the one that waits; return whether it is delayed."""
    receiver, delayed = receiver_at(state, f), delayed_ack_at(state, f)
    if receiver.waiting != NONE:
        release_packet(state, receiver.waiting)
        receiver.waiting = NONE
        tally_at(state, f).acks_merged += 1
    delayed.pending += 1
    if delayed.quick_acks > 0:
        delayed.quick_acks -= 1
        may_wait = False
    # RFC 5681, section 4.2: at least one acknowledgment for every second full-sized segment; immediately for data out
    # of order, and for data that fills a gap. Ours: immediately for the last packet of the sender's data, because it
    # carries FIN, which TCP acknowledges without delay.
    if not may_wait or delayed.pending >= delayed.delayed_ack:
        delayed.pending = 0
        delayed.due = NEVER
        return False
    receiver.waiting = i
    if delayed.pending == 1:  # RFC 5681, section 4.2: within 500 ms of the first packet not acknowledged
        delayed.due = state.now + int(delayed.ack_delay * 1e9)
        if delayed.due < delayed.armed:
            arm(state, f, delayed.due)
    return True


@routine
def acknowledge_change(state, f, marked):
    """Send the acknowledgment that waits if the congestion mark of the next packet differs from the last one."""
    # RFC 8257, section 3.2, figure 1: an immediate acknowledgment with the old state, then the new state.
    receiver = receiver_at(state, f)
    if receiver.waiting != NONE and (marked != 0) != (receiver.echo_ce != 0):
        send_waiting(state, f)


@routine
def send_waiting(state, f):
    """Send the acknowledgment that waits."""
    receiver, delayed = receiver_at(state, f), delayed_ack_at(state, f)
    i = receiver.waiting
    receiver.waiting = NONE
    delayed.pending = 0
    delayed.due = NEVER
    if state.tracing:
        trace_packet(state, ACK_SENT, i)
    request_admission(state, i)


@routine
def expire_delay(state, f, time):
    """Handle the entry of a receiver in the heap: it may have been postponed, or is ignored."""
    delayed = delayed_ack_at(state, f)
    if time != delayed.armed:
        return
    delayed.armed = NEVER
    if delayed.due <= time:
        if receiver_at(state, f).delays == BY_SCHEME:
            reply(state, f)
        else:
            send_waiting(state, f)
    elif delayed.due < HORIZON:
        arm(state, f, delayed.due)

"""What happens next: two heaps of (time, key), the key being serial, kind and index in one number.

One heap holds what comes often (the head of each link, each transmission that ends), the other what is mostly put off
(clocks), so that the first stays small. A link has one entry, whatever is on it. Of equal times the event comes first
that was scheduled first; but a transmission ends before anything else of its time, and a packet whose source has sent
it is at its first node next.
"""

from longfat.sim.jit import part, routine
from longfat.sim.kernel.heap import pop, rise, sink
from longfat.sim.memory import entry_at, sender_at
from longfat.sim.records import ARRIVAL, CLOCK, DEPARTURE, NEVER, NO_CLOCKS, PACE, ROWS_PER_EVENT

INDEX_BITS, KIND_BITS = 20, 3
INDICES = 1 << INDEX_BITS
KINDS = 1 << KIND_BITS
SERIAL_SHIFT = KIND_BITS + INDEX_BITS
# Here the engine begins again with the entries it has: keys stay below `FIRST_AT_ITS_TIME` while a call goes on.
LAST_SERIAL = 1 << (61 - SERIAL_SHIFT)
FIRST_AT_ITS_TIME = 1 << 62  # taken from a key once or twice: before all others of its time


@part
def new_key(state, kind, index):
    """Return a key that orders equal times by when they were asked for."""
    state.serial += 1
    return (state.serial << SERIAL_SHIFT) | (kind << INDEX_BITS) | index


@part
def schedule_arrival(state, link, time):
    """Schedule the arrival of the only packet on a link at its far end."""
    rise(state.arrivals_base, state.arrivals, time, new_key(state, ARRIVAL, link))
    state.arrivals += 1


@routine
def schedule_departure(state, link, time):
    """Schedule the end of a transmission: before anything else of its time."""
    rise(
        state.arrivals_base,
        state.arrivals,
        time,
        new_key(state, DEPARTURE, link) - FIRST_AT_ITS_TIME - FIRST_AT_ITS_TIME,
    )
    state.arrivals += 1


@part
def replace_arrival(state, link, time):
    """Put the arrival of the next packet on a link in the place of the first entry, which was the one before."""
    sink(state.arrivals_base, state.arrivals, 0, time, new_key(state, ARRIVAL, link))


@part
def remove_arrival(state):
    """Take the first entry away."""
    pop(state.arrivals_base, state.arrivals)
    state.arrivals -= 1


@routine
def schedule(state, kind, index, time):
    """Schedule an event among the clocks."""
    push_clock(state, time, new_key(state, kind, index))


@part
def push_clock(state, time, key):
    rise(state.clocks_base, state.clocks, time, key)
    state.clocks += 1
    if state.clocks + ROWS_PER_EVENT > state.clocks_room:
        state.shortage = NO_CLOCKS
        state.attention = 1


@part
def remove_clock(state):
    """Take the first entry of the clocks away."""
    pop(state.clocks_base, state.clocks)
    state.clocks -= 1


@part
def set_timer(state, f, clock, time):
    """Let a flow's clock ring at `time`; an entry that stands later is left behind and ignored when it comes."""
    due = max(time, state.now)
    sender = sender_at(state, f)
    sender.due[clock] = due
    if due < sender.armed[clock]:
        push_timer(state, f, clock, due)


@routine
def push_timer(state, f, clock, time):
    """Put the clock's entry among the others."""
    sender = sender_at(state, f)
    sender.armed[clock] = time
    key = new_key(state, CLOCK + clock, f)
    if clock == PACE and sender.access_link == IN_USE:
        key -= FIRST_AT_ITS_TIME
    push_clock(state, time, key)


IN_USE = 2  # of `sender.access_link`: a packet is in transmission on the flow's own line


@part
def earliest_event(state):
    """Return time and key of the earliest event; `NEVER` if there is none."""
    time, key = NEVER, 0
    if state.arrivals > 0:
        first = entry_at(state.arrivals_base, 0)
        time, key = first.time, first.key
    if state.clocks > 0:
        other = entry_at(state.clocks_base, 0)
        if other.time < time or (other.time == time and other.key < key):
            time, key = other.time, other.key
    return time, key


@part
def request_admission(state, i):
    """Let a packet enter the link of its hop before the next event: see `loop.handle_pending`.

    To call what follows here would be as good, but numba would compile all of it into each of the callers.
    """
    state.entering_packet = i
    state.attention = 1


@part
def request_send(state, f):
    """Let a flow send what it may before the next event."""
    state.sending_flow = f
    state.attention = 1

"""Event queue: two heaps of (time [ns], key); a key encodes an event's serial number, kind and index.

The heap of arrivals holds the frequent events: the next arrival on each link and the end of each transmission. The heap
of clocks holds timers, most of which are postponed before they expire, and rarer events. The heap of arrivals therefore
stays small; it has at most one arrival of each link, however many packets the link carries. Among events at the same
time, ends of transmissions come first, then departures from access links, then other events in the order in which they
were scheduled, and last delayed acknowledgments in the order of flows.
"""

from longfat.sim.kernel.jit import inline, routine
from longfat.sim.kernel.memory import entry_at
from longfat.sim.kernel.records import ARRIVAL, CLOCK, DELAYED, DEPARTURE, NEVER, NO_CLOCKS, PACE, ROWS_PER_EVENT

# --- Heap ------------------------------------------------------------------------------------------------------------
#
# Binary heap of (time, key) in plain memory, for the event queue and for the queues of fair services.


@inline
def is_before(entry, time, key):
    """Return whether a heap entry precedes (time, key)."""
    return entry.time < time or (entry.time == time and entry.key < key)


@inline
def write(heap, place, time, key):
    """Write (time, key) to position `place` of a heap."""
    entry = entry_at(heap, place)
    entry.time = time
    entry.key = key


@inline
def rise(heap, place, time, key):
    """Insert (time, key) at position `place` of a heap, and sift it up."""
    while place > 0:
        above = entry_at(heap, (place - 1) >> 1)
        if is_before(above, time, key):
            break
        write(heap, place, above.time, above.key)
        place = (place - 1) >> 1
    write(heap, place, time, key)


@inline
def sink(heap, count, place, time, key):
    """Insert (time, key) at position `place` of a heap of `count` entries, and sift it down."""
    while True:
        child = 2 * place + 1
        if child >= count:
            break
        least = entry_at(heap, child)
        if child + 1 < count:
            other = entry_at(heap, child + 1)
            if is_before(other, least.time, least.key):
                child += 1
                least = other
        if not is_before(least, time, key):
            break
        write(heap, place, least.time, least.key)
        place = child
    write(heap, place, time, key)


@inline
def pop(heap, count):
    """Remove the first entry of a heap of `count` entries."""
    last = entry_at(heap, count - 1)
    if count > 1:
        sink(heap, count - 1, 0, last.time, last.key)


@inline
def remove(heap, count, place):
    """Remove the entry at position `place` of a heap of `count` entries; the last entry fills the gap."""
    last = entry_at(heap, count - 1)
    time, key = last.time, last.key
    if place == count - 1:
        return
    rise(heap, place, time, key)
    if entry_at(heap, place).key == key:
        sink(heap, count - 1, place, time, key)


# --- Events ----------------------------------------------------------------------------------------------------------

INDEX_BITS, KIND_BITS = 20, 4
INDICES = 1 << INDEX_BITS
KINDS = 1 << KIND_BITS
SERIAL_SHIFT = KIND_BITS + INDEX_BITS
# If the serial number exceeds this limit, `RunState.renumber` renumbers all events before the next call of the kernel,
# so that keys stay below `FIRST_AT_ITS_TIME` during a call.
LAST_SERIAL = 1 << (61 - SERIAL_SHIFT)
FIRST_AT_ITS_TIME = 1 << 62  # subtracted from a key, once or twice, to put it before other keys of the same time
LAST_AT_ITS_TIME = 1 << 62  # added to a key without a serial number, to put it after other keys of the same time


@inline
def new_key(state, kind, index):
    """Return a new key; events at equal times are handled in the order in which their keys were made."""
    state.serial += 1
    return (state.serial << SERIAL_SHIFT) | (kind << INDEX_BITS) | index


@inline
def schedule_arrival(state, link, time):
    """Schedule the next arrival at the far end of a link that has no entry in the heap of arrivals."""
    rise(state.arrivals_base, state.arrivals, time, new_key(state, ARRIVAL, link))
    state.arrivals += 1


@inline
def schedule_departure(state, link, time):
    """Schedule the end of a transmission on a link, to precede all other events at the same time."""
    rise(
        state.arrivals_base,
        state.arrivals,
        time,
        new_key(state, DEPARTURE, link) - FIRST_AT_ITS_TIME - FIRST_AT_ITS_TIME,
    )
    state.arrivals += 1


@inline
def replace_arrival(state, link, time):
    """Replace the first entry of the heap of arrivals, which belongs to `link`, by the link's next arrival."""
    sink(state.arrivals_base, state.arrivals, 0, time, new_key(state, ARRIVAL, link))


@inline
def remove_arrival(state):
    """Remove the first entry of the heap of arrivals."""
    pop(state.arrivals_base, state.arrivals)
    state.arrivals -= 1


@routine
def schedule(state, kind, index, time):
    """Schedule an event in the heap of clocks; `index` is the number of its flow, link or queue."""
    push_clock(state, time, new_key(state, kind, index))


@routine
def schedule_delayed(state, f, time):
    """Schedule the delayed acknowledgment of flow f, to follow all other events at the same time."""
    # Our choice: the flow number decides at equal times, as in `receiver.join_delayed`, because the order must be the
    # same whether or not acknowledgments are computed in advance.
    push_clock(state, time, LAST_AT_ITS_TIME | (DELAYED << INDEX_BITS) | int(f))


@inline
def push_clock(state, time, key):
    """Push (time, key) to the heap of clocks; if the heap is nearly full, request a larger one."""
    rise(state.clocks_base, state.clocks, time, key)
    state.clocks += 1
    if state.clocks + ROWS_PER_EVENT > state.clocks_room:
        state.shortage = NO_CLOCKS
        state.attention = 1


@inline
def remove_clock(state):
    """Remove the first entry of the heap of clocks."""
    pop(state.clocks_base, state.clocks)
    state.clocks -= 1


@inline
def set_timer(state, f, clock, time):
    """Set timer `clock` of flow f to expire at `time` [ns], or now if that time is past.

    The timer gets a new heap entry only if it has no entry at that time or earlier. If it has an entry for a later
    time, that entry stays in the heap, and is ignored when its time comes.
    """
    due = max(time, state.now)
    sender = state.senders[f]
    sender.due_ns[clock] = due
    if due < sender.armed_ns[clock]:
        push_timer(state, f, clock, due)


@routine
def push_timer(state, f, clock, time):
    """Push an entry for a timer of flow f to the heap of clocks."""
    sender = state.senders[f]
    sender.armed_ns[clock] = time
    key = new_key(state, CLOCK + clock, f)
    if clock == PACE and sender.access_link == IN_USE:
        key -= FIRST_AT_ITS_TIME
    push_clock(state, time, key)


IN_USE = 2  # value of `sender.access_link`: a packet is in transmission on the access link


@inline
def earliest_event(state):
    """Return time [ns] and key of the earliest event; the time is `NEVER` if there is no event."""
    time, key = NEVER, 0
    if state.arrivals > 0:
        first = entry_at(state.arrivals_base, 0)
        time, key = first.time, first.key
    if state.clocks > 0:
        other = entry_at(state.clocks_base, 0)
        if other.time < time or (other.time == time and other.key < key):
            time, key = other.time, other.key
    return time, key


@inline
def request_admission(state, i):
    """Request that the event loop admits packet i to a link before the next event (`loop.handle_pending`).

    A direct call of `link.admit` would give the same result, but numba would compile the code of `admit` into every
    caller.
    """
    state.entering_packet = i
    state.attention = 1


@inline
def request_send(state, f):
    """Request that the event loop lets flow f send before the next event (`loop.handle_pending`)."""
    state.sending_flow = f
    state.attention = 1

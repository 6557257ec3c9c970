"""What happens next: two heaps of (time, key), the key being serial, kind and index in one number.

One heap holds what comes often (the head of each link, each transmission that ends), the other what is mostly put off
(clocks), so that the first stays small. A link has one entry, whatever is on it. Of equal times the event comes first
that was scheduled first; but a transmission ends before anything else of its time, and a packet whose source has sent
it is at its first node next.
"""

from longfat.sim.jit import part, routine
from longfat.sim.kernel.heap import pop, rise, sink
from longfat.sim.memory import entry_at, sender_at
from longfat.sim.records import ARRIVAL, CLOCK, DEPARTURE, NEVER, NO_CLOCKS, PACE, ROOM

INDEX_BITS, KIND_BITS = 20, 3
INDICES = 1 << INDEX_BITS
KINDS = 1 << KIND_BITS
SERIAL_SHIFT = KIND_BITS + INDEX_BITS
LAST_SERIAL = 1 << (62 - SERIAL_SHIFT)  # here the engine begins again with the entries it has
FIRST = 1 << 62  # taken from a key once or twice: before all others of its time


@part
def new_key(world, kind, index):
    """Return a key that orders equal times by when they were asked for."""
    world.serial += 1
    return (world.serial << SERIAL_SHIFT) | (kind << INDEX_BITS) | index


@part
def schedule_arrival(world, link, time):
    """Schedule the arrival of the only packet on a link at its far end."""
    rise(world.arrivals_base, world.arrivals, time, new_key(world, ARRIVAL, link))
    world.arrivals += 1


@routine
def schedule_departure(world, link, time):
    """Schedule the end of a transmission: before anything else of its time."""
    rise(world.arrivals_base, world.arrivals, time, new_key(world, DEPARTURE, link) - FIRST - FIRST)
    world.arrivals += 1


@part
def next_arrival(world, link, time):
    """Put the arrival of the next packet on a link in the place of the first entry, which was the one before."""
    sink(world.arrivals_base, world.arrivals, 0, time, new_key(world, ARRIVAL, link))


@part
def no_arrival(world):
    """Take the first entry away."""
    pop(world.arrivals_base, world.arrivals)
    world.arrivals -= 1


@routine
def schedule(world, kind, index, time):
    """Schedule an event among the clocks."""
    _put(world, time, new_key(world, kind, index))


@part
def _put(world, time, key):
    rise(world.clocks_base, world.clocks, time, key)
    world.clocks += 1
    if world.clocks + ROOM > world.clocks_room:
        world.short = NO_CLOCKS
        world.attention = 1


@part
def next_clock(world):
    """Take the first entry of the clocks away."""
    pop(world.clocks_base, world.clocks)
    world.clocks -= 1


@part
def arm(world, f, clock, time):
    """Let a flow's clock ring at `time`; an entry that stands later is left behind and ignored when it comes."""
    due = max(time, world.now)
    sender = sender_at(world, f)
    sender.due[clock] = due
    if due < sender.armed[clock]:
        set_clock(world, f, clock, due)


@routine
def set_clock(world, f, clock, time):
    """Put the clock's entry among the others."""
    sender = sender_at(world, f)
    sender.armed[clock] = time
    key = new_key(world, CLOCK + clock, f)
    if clock == PACE and sender.line == IN_USE:
        key -= FIRST
    _put(world, time, key)


IN_USE = 2  # of `sender.line`: a packet is in transmission on the flow's own line


@part
def first_of_both(world):
    """Return time and key of the earliest event; `NEVER` if there is none."""
    time, key = NEVER, 0
    if world.arrivals > 0:
        first = entry_at(world.arrivals_base, 0)
        time, key = first.time, first.key
    if world.clocks > 0:
        other = entry_at(world.clocks_base, 0)
        if other.time < time or (other.time == time and other.key < key):
            time, key = other.time, other.key
    return time, key


@part
def enter_soon(world, i):
    """Let a packet enter the link of its hop before the next event: see `loop.look_around`.

    To call what follows here would be as good, but numba would compile all of it into each of the callers.
    """
    world.entering = i
    world.attention = 1


@part
def send_soon(world, f):
    """Let a flow send what it may before the next event."""
    world.sending = f
    world.attention = 1

"""What happens next: two heaps of (time, key), the key being serial, kind and index in one number.

One heap holds what comes often (the head of each link, each transmission that ends), the other what is
mostly put off (timers), so that the first stays small. A link has one entry, whatever is on it.
"""

from longfat.sim.jit import part
from longfat.sim.memory import entry_at, flow_at
from longfat.sim.records import CLOCK, NONE, PACE

INDEX_BITS, KIND_BITS = 20, 3
INDICES = 1 << INDEX_BITS
KINDS = 1 << KIND_BITS
SERIAL_SHIFT = KIND_BITS + INDEX_BITS
LAST_SERIAL = 1 << (62 - SERIAL_SHIFT)  # here the engine begins again with the entries it has


@part
def new_key(world, kind, index):
    """A key that orders equal times by when they were asked for."""
    world.serial += 1
    return (world.serial << SERIAL_SHIFT) | (kind << INDEX_BITS) | index


@part
def sooner(key):
    """The same, before all others of its time: departures come before arrivals (schemes.md 0.2, convention 4)."""
    return key - (1 << 62) - (1 << 62)


@part
def soon(key):
    """The same, but behind those: a packet that its source has sent is at its first node."""
    return key - (1 << 62)


@part
def is_before(entry, time, key):
    """Whether an entry comes before (time, key)."""
    return entry.time < time or (entry.time == time and entry.key < key)


@part
def write(heap, place, time, key):
    """Put (time, key) at a place of a heap."""
    entry = entry_at(heap, place)
    entry.time = time
    entry.key = key


@part
def push(heap, count, time, key):
    """Put (time, key) into a heap of `count` entries."""
    place = count
    while place > 0:
        above = entry_at(heap, (place - 1) >> 1)
        if is_before(above, time, key):
            break
        write(heap, place, above.time, above.key)
        place = (place - 1) >> 1
    write(heap, place, time, key)


@part
def sink(heap, count, time, key):
    """Put (time, key) into the place of the first of `count` entries."""
    place = 0
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


@part
def pop(heap, count):
    """Take the first of `count` entries away."""
    last = entry_at(heap, count - 1)
    if count > 1:
        sink(heap, count - 1, last.time, last.key)


@part
def schedule(world, kind, index, time):
    """An event among the timers."""
    push(world.timers_base, world.timers, time, new_key(world, kind, index))
    world.timers += 1


@part
def arm(world, f, clock, time):
    """A flow's clock shall ring at `time`; an entry that stands later is left behind and ignored when it comes."""
    due = max(time, world.now)
    flow = flow_at(world, f)
    flow.due[clock] = due
    if due < flow.armed[clock]:
        set_clock(world, f, clock, due)


@part
def set_clock(world, f, clock, time):
    """The clock's entry among the timers."""
    flow = flow_at(world, f)
    flow.armed[clock] = time
    key = new_key(world, CLOCK + clock, f)
    if clock == PACE and flow.on_line != NONE:
        key = soon(key)
    push(world.timers_base, world.timers, time, key)
    world.timers += 1

"""Binary heap of (time, key) in plain memory, for the event queue and for the queues of fair services."""

from longfat.sim.kernel.jit import part
from longfat.sim.kernel.memory import entry_at


@part
def is_before(entry, time, key):
    """Return whether an entry comes before (time, key)."""
    return entry.time < time or (entry.time == time and entry.key < key)


@part
def write(heap, place, time, key):
    """Write (time, key) to a place of a heap."""
    entry = entry_at(heap, place)
    entry.time = time
    entry.key = key


@part
def rise(heap, place, time, key):
    """Insert (time, key) at a place, and sift it up."""
    while place > 0:
        above = entry_at(heap, (place - 1) >> 1)
        if is_before(above, time, key):
            break
        write(heap, place, above.time, above.key)
        place = (place - 1) >> 1
    write(heap, place, time, key)


@part
def sink(heap, count, place, time, key):
    """Insert (time, key) at a place of a heap of `count` entries, and sift it down."""
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
    """Remove the first of `count` entries."""
    last = entry_at(heap, count - 1)
    if count > 1:
        sink(heap, count - 1, 0, last.time, last.key)


@part
def remove(heap, count, place):
    """Remove the entry at a place of a heap of `count` entries; the last entry takes its place."""
    last = entry_at(heap, count - 1)
    time, key = last.time, last.key
    if place == count - 1:
        return
    rise(heap, place, time, key)
    if entry_at(heap, place).key == key:
        sink(heap, count - 1, place, time, key)

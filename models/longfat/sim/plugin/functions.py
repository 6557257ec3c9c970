"""Functions for callbacks of plug-ins: random numbers, marks, queues, packets, and the memory and heaps of services.

Each waiting packet and each queue of a link has a number, which a plug-in may keep in its state.
"""

import math

from longfat.sim.kernel.events import remove, rise, schedule, sink
from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.memory import (
    ROWS,
    address_of,
    entry_at,
    flow_state_at,
    queue_own,
    uniform,
    unlink,
    word_at,
    workspace,
)
from longfat.sim.kernel.memory import is_full as exceeds_buffer
from longfat.sim.kernel.records import CE, ECT, NO_DATA, NONE, NOTHING, PASSES, WAKE
from longfat.sim.kernel.views import relative, row

__all__ = [
    "NONE", "NOTHING", "NO_DATA", "PASSES", "append", "behind", "capacity", "drop_more", "first_waiting",
    "flow_state", "has_next_switch", "heap_entry", "heap_insert", "heap_remove", "heap_replace", "is_full", "mark",
    "memory", "now_ns", "number_of", "push_out", "queue", "queue_numbered", "queue_of", "random", "schedule_wake",
    "set_memory", "set_tag", "tag_of", "take", "take_first", "take_last", "waiting",
]  # fmt: skip

state_of, link_row, queue_row, packet_row = map(row, ("state", "link", "queue", "packet"))
_flow_state, _queue, _packet = map(relative, ("flow_state", "queue", "packet"))
QUEUE_SIZE, PACKET_SIZE, EXTRA_SIZE = (ROWS[name].size for name in ("queues", "packets", "extras"))


@inline
def random(view):
    """Return a random number in [0, 1) from the random stream of the network; `view` is a flow or a link."""
    return uniform(state_of(view))


@inline
def flow_state(link, flow):
    """Return the view of the discipline's state for the flow with number `flow`, such as `packet.flow`."""
    return _flow_state(link, (flow_state_at(state_of(link), link_row(link), flow),))


@inline
def queue_of(link, packet):
    """Return the queue of a packet's flow at this link."""
    return queue_numbered(link, state_of(link).hops[packet_row(packet).hop].queue)


@inline
def has_next_switch(link, packet):
    """Return whether a later switch on the packet's path sends hop-by-hop feedback to this link."""
    return state_of(link).hops[packet_row(packet).hop].switch_hop != NONE


@inline
def queue(link, k):
    """Return queue k of a link, where k counts from 0."""
    return queue_numbered(link, link_row(link).first_queue + k)


@inline
def queue_numbered(link, q):
    """Return queue number q of a link."""
    if not 0 <= q - link_row(link).first_queue < link_row(link).queue_count:
        raise IndexError("the link has no queue of this number: must be the number of one of its queues")
    state = state_of(link)
    return _queue(link, (state.queues_base + QUEUE_SIZE * q, queue_own(state, q)))


@inline
def number_of(link, packet):
    """Return the number of the current packet, with which `take` and `waiting` are called."""
    return (address_of(packet_row(packet)) - state_of(link).packets_base) // PACKET_SIZE


@inline
def append(link, queue, packet):
    """Append the current packet to a queue of the link."""
    state, row, i = state_of(link), queue_row(queue), number_of(link, packet)
    packet_row(packet).next = NONE
    about = state.extras[i]
    about.previous = row.tail
    about.queue = row.number
    if row.tail == NONE:
        row.head = i
    else:
        state.packets[row.tail].next = i
    row.tail = i
    row.packets += 1
    row.bytes += packet_row(packet).length


@inline
def take(link, queue, number):
    """Remove packet `number` from its queue, and return the number."""
    unlink(state_of(link), queue.number, number)
    return number


@inline
def take_first(link, queue):
    """Remove the first packet from a queue, and return its number; NOTHING if the queue is empty."""
    return NOTHING if queue.head == NONE else take(link, queue, int(queue.head))


@inline
def take_last(link, queue):
    """Remove the last packet from a queue, and return its number; NOTHING if the queue is empty."""
    return NOTHING if queue.tail == NONE else take(link, queue, int(queue.tail))


@inline
def waiting(link, number):
    """Return the view of a waiting packet, given the number that `first_waiting` or `behind` returns."""
    state = state_of(link)
    return _packet(link, (state.packets_base + PACKET_SIZE * number, state.extras_base + EXTRA_SIZE * number))


@inline
def first_waiting(link):
    """Return the number of the first waiting packet, negative if none waits; needs a service other than "fifo"."""
    return int(queue(link, 0).head)


@inline
def behind(link, number):
    """Return the number of the waiting packet behind packet `number`, negative if there is none."""
    return int(state_of(link).packets[number].next)


@inline
def push_out(number):
    """Return the value that `enqueue` has to return to drop waiting packet `number` instead of the arriving one."""
    return number + 1


@inline
def drop_more(number):
    """Return the value that `evict` has to return to drop packet `number` and be called again.

    `evict` is called again even if the buffer has room by then.
    """
    return PASSES - 1 - number


@inline
def is_full(link, packet, now):
    """Return whether the buffer has no room for a packet arriving at time `now`; False if the link is idle."""
    if link.free_at <= now:
        return False
    return exceeds_buffer(link, packet.size)


@inline
def mark(link, packet):
    """Mark a packet if it is ECN-capable (RFC 3168, section 5); return whether the packet is ECN-capable."""
    if packet.flags & ECT:
        packet.flags |= CE
        link.marked += 1
        return True
    return False


@inline
def now_ns(view):
    """Return the simulated time as an integer [ns]; `view` is a flow or a link."""
    return state_of(view).now


@inline
def capacity(link, time):
    """Return the bytes that a link sends in `time` [ns] at the rate of its latest transmission; may be infinite."""
    row = link_row(link)
    return float(time) * row.rate / (8e9 * row.scale) if row.scale > 0 else math.inf


@inline
def tag_of(link, number):
    """Return the tag of a waiting packet, an integer by which a service may sort packets."""
    return _queued(link, number).tag


@inline
def set_tag(link, number, tag):
    """Set the tag of a waiting packet, or of the current one."""
    _queued(link, number).tag = tag


@inline
def _queued(link, number):
    """Return the row with the queue, tag and predecessor of a waiting packet."""
    if not 0 <= number < state_of(link).packets_room:
        raise IndexError("the service uses a number that no packet has: must be the number of a packet at this link")
    return state_of(link).extras[number]


@inline
def schedule_wake(link, queue, time):
    """Schedule a call of `wake` for a queue at `time` [ns], unless `time` is past or an earlier call is scheduled."""
    row = queue_row(queue)
    if state_of(link).now < time < row.armed_ns:
        row.armed_ns = time
        schedule(state_of(link), WAKE, row.number, time)


@inline
def memory(link, k):
    """Return word k, an integer, of the service's memory (see `workspace` of `Service`)."""
    return _word(link, k).x


@inline
def set_memory(link, k, value):
    """Set word k of the service's memory to an integer."""
    _word(link, k).x = value


@inline
def _word(link, k):
    """Return the row of word k of the service's memory."""
    if not 0 <= k < link_row(link).workspace_words:
        raise IndexError("the service uses memory beyond the words that its workspace returned: must use fewer words")
    return word_at(workspace(state_of(link), link_row(link)), k)


@inline
def _heap(link, count):
    """Return the address of the service's heap, after checking that its memory has room for `count` entries."""
    if not 0 <= 2 * count <= link_row(link).workspace_words:
        raise IndexError("the service uses memory beyond the words that its workspace returned: must use fewer words")
    return workspace(state_of(link), link_row(link))


@inline
def heap_entry(link, count, place):
    """Return the key at position `place` of the service's heap of `count` entries; the first entry has place 0."""
    if not 0 <= place < count:
        raise IndexError("the service uses an entry that its heap does not have: place must be in [0, count)")
    return entry_at(_heap(link, count), place).key


@inline
def heap_insert(link, count, time, key):
    """Insert (time, key) into the service's heap of `count` entries, whose first is the least; each takes two words."""
    rise(_heap(link, count + 1), count, time, key)


@inline
def heap_replace(link, count, time, key):
    """Replace the first entry of the service's heap of `count` entries by (time, key)."""
    sink(_heap(link, count), count, 0, time, key)


@inline
def heap_remove(link, count, place):
    """Remove the entry at position `place` of the service's heap of `count` entries."""
    if not 0 <= place < count:
        raise IndexError("the service uses an entry that its heap does not have: place must be in [0, count)")
    remove(_heap(link, count), count, place)

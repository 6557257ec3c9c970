"""What waits at a link: its count over time, and lists of packets, of the whole link or of a flow."""

from longfat.sim.jit import part
from longfat.sim.memory import packet_at, queue_at
from longfat.sim.records import NONE


@part
def wait_changed(world, link, packets, size):
    """Time-weighted count of the packets that wait."""
    now = world.now
    link.area += float(link.waiting) * (now - link.changed)
    link.changed = now
    link.waiting += packets
    link.waiting_bytes += packets * size


@part
def line_up(world, link, i):
    """A packet goes to the end of the link's one queue."""
    packet_at(world, i).next = NONE
    if link.queue_tail == NONE:
        link.queue_head = i
    else:
        packet_at(world, link.queue_tail).next = i
    link.queue_tail = i


@part
def join(world, q, i):
    """A packet goes to the end of its flow's queue; whether that was empty."""
    packet, queue = packet_at(world, i), queue_at(world, q)
    packet.next = NONE
    queue.packets += 1
    queue.bytes += packet.length
    empty = queue.tail == NONE
    if empty:
        queue.head = i
    else:
        packet_at(world, queue.tail).next = i
    queue.tail = i
    return empty


@part
def take_head(world, q):
    """Take the first packet out of a flow's queue."""
    queue = queue_at(world, q)
    i = queue.head
    packet = packet_at(world, i)
    queue.head = packet.next
    queue.packets -= 1
    queue.bytes -= packet.length
    if queue.head == NONE:
        queue.tail = NONE
    return i

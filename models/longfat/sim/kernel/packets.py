"""Rows of packets: taken, and given back."""

from longfat.sim.jit import part
from longfat.sim.memory import packet_at, prefetch_packet
from longfat.sim.records import NO_PACKETS, ROOM


@part
def take_packet(world):
    """Return a row for a packet: the one that has been free for longest.

    Taken in this order, packets that follow each other on a link tend to stand behind each other in memory.
    """
    i = world.free_packet
    world.free_packet = packet_at(world, i).next
    world.free_packets -= 1
    prefetch_packet(world, world.free_packet)
    if world.free_packets < ROOM:
        world.short = NO_PACKETS
        world.attention = 1
    return i


@part
def give_back(world, i):
    """Let a packet's row be used again."""
    packet_at(world, world.last_free_packet).next = i
    world.last_free_packet = i
    world.free_packets += 1

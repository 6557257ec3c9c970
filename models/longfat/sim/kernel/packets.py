"""Allocation of packet rows, and the ECN codepoint of packets."""

from longfat.sim.kernel.jit import part
from longfat.sim.kernel.memory import packet_at, prefetch_packet
from longfat.sim.kernel.records import ECT, ECT1, L4S_ECT, NO_PACKETS, NOT_ECT, ROWS_PER_EVENT


@part
def allocate_packet(state):
    """Return a free packet row, the one that has been free for longest.

    In this order packets that follow each other on a link tend to be neighbours in memory.
    """
    i = state.free_packet
    state.free_packet = packet_at(state, i).next
    state.free_packets -= 1
    prefetch_packet(state, state.free_packet)
    if state.free_packets < ROWS_PER_EVENT:
        state.shortage = NO_PACKETS
        state.attention = 1
    return i


@part
def release_packet(state, i):
    """Release a packet's row."""
    packet_at(state, state.last_free_packet).next = i
    state.last_free_packet = i
    state.free_packets += 1


@part
def ecn_field(sender):
    """Return the marks of a data packet that stand for the ECN codepoint of its flow."""
    if sender.ect == NOT_ECT:
        return 0
    return ECT | ECT1 if sender.ect == L4S_ECT else ECT

"""Counters of real connections in virtual time: data sent, retransmitted and newly received, and ends of files.

The counters follow from the headers of the packets, so that a goodput does not depend on when a process reads data.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from longfat.base.headers import SYN, Segment, complete_segment, difference
from longfat.sim.kernel.records import NEVER, NONE
from longfat.testbed.emulator import Delivery


@dataclass
class Account:
    """Counters of one connection; offsets are in bytes of data, and the first byte after the SYN has offset 0.

    Examples
    --------
    >>> account = Account()
    >>> account.insert(0, 10), account.insert(20, 30), account.insert(5, 25), account.in_order
    (10, 10, 10, 30)
    """

    begin: int = NONE  # sequence number of the first byte of data, modulo 2**32
    unit: int = 0  # bytes of data in a full packet
    sent: int = 0  # packets with data
    retransmitted: int = 0  # packets whose first byte of data had been sent before
    high: int = 0  # one more than the highest byte sent
    received: int = 0  # packets with data that have reached the receiver
    received_bytes: int = 0  # bytes of received packets with new data, headers included
    last_arrival_ns: int = 0  # arrival of the last packet with data at the receiver
    in_order: int = 0  # first byte that the receiver lacks
    goal: int = NEVER  # size of the file in bytes of data
    finish_ns: int = NEVER  # time at which the last byte's acknowledgment reached the sender
    blocks: list[tuple[int, int]] = field(default_factory=list)  # begin and end of data received beyond a gap, sorted

    def insert(self, begin: int, end: int) -> int:
        """Record the bytes from ``begin`` to ``end`` as received; return the number of bytes not received before."""
        begin = max(begin, self.in_order)
        if begin >= end:
            return 0
        first = bisect_left(self.blocks, begin, key=lambda block: block[1])
        last, new = first, end - begin
        low, high = begin, end
        while last < len(self.blocks) and self.blocks[last][0] <= end:
            one = self.blocks[last]
            new -= max(0, min(one[1], end) - max(one[0], begin))
            low, high = min(low, one[0]), max(high, one[1])
            last += 1
        self.blocks[first:last] = [(low, high)]
        if low <= self.in_order:
            self.in_order = high
            del self.blocks[0]
        return new

    def count_sent(self, back: bool, packet: bytes) -> int | None:
        """Count a packet that a host sent; return its sequence number [full packets], None if it has no data."""
        found = complete_segment(packet)
        if back or found is None:
            return None
        if found.flags & SYN:
            self.begin = (found.sequence + 1) % 2**32
        if found.payload <= 0:
            return None
        offset = self._offset(found)
        self.unit = max(self.unit, found.payload)
        self.sent += 1
        self.retransmitted += offset < self.high
        self.high = max(self.high, offset + found.payload)
        return offset // self.unit

    def count_received(self, delivery: Delivery) -> None:
        """Count a packet that has reached a host."""
        found = complete_segment(delivery.packet)
        if found is None:
            return
        if delivery.back:
            expected = self.high + difference(found.acknowledgment, (self.begin + self.high) % 2**32)
            if self.begin != NONE and min(expected, self.high) >= self.goal:
                self.finish_ns = min(self.finish_ns, delivery.time_ns)
        elif found.payload > 0:
            offset = self._offset(found)
            self.received += 1
            self.last_arrival_ns = delivery.time_ns
            if self.insert(offset, offset + found.payload):
                self.received_bytes += found.payload + found.begin

    def _offset(self, found: Segment) -> int:
        """Return the offset of a segment's first byte; if no SYN was seen, the first segment seen has offset 0."""
        if self.begin == NONE:
            self.begin = found.sequence
        return self.high + difference(found.sequence, (self.begin + self.high) % 2**32)

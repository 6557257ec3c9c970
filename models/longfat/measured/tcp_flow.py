"""Reader of packet captures: round-trip times, losses and windows of a connection from its TCP headers."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import islice
from operator import attrgetter

from longfat.base.headers import ACK, SYN
from longfat.measured.figures import Measurement
from longfat.measured.flow_figures import Transfer, measurement
from longfat.measured.pcap import MAGICS, Segment, segments
from longfat.measured.policing import Transmission

KIND = "pcap"
#: Largest number of packets that are read. Our choice: more would take too much memory; at 1 Gbit/s this number passes
#: in 20 s.
MOST = 2_000_000
#: A packet counts as lost if this number of later packets overtook it (RFC 5681, section 3.2), otherwise as reordered.
REORDERED = 3
#: Smallest maximum segment size that is accepted [bytes]: every link carries packets of 68 bytes (RFC 791, section
#: 3.2), of which 40 bytes are headers.
SMALLEST_MSS = 28
#: Largest number of open gaps; if there are more, the older half is closed. Our choice: no window has so many gaps, and
#: a search among more of them would be slow.
MOST_GAPS = 1 << 16
#: Smallest round-trip time of a handshake that is accepted [s]. Our choice: handshakes that `longfat simulate --pcap`
#: writes take no time, and must not count as a round-trip time.
LEAST = 1e-6
#: A capture was taken at the sender if the handshake's round trip from the capture to the sender is at most this
#: fraction of its round trip from the capture to the receiver (ours).
NEAR = 0.1
_Ends = tuple[tuple[bytes, int], tuple[bytes, int]]


def looks_like(head: bytes) -> bool:
    """Return whether a file begins with the magic number of pcap or pcapng."""
    return head[:4] in MAGICS


def read(path: str, _: bytes) -> Measurement:
    """Return the measurement of the connection and direction with the most data in a capture.

    A retransmission means that the previous transmission of its data was lost, unless the receiver reports the data as
    a duplicate (RFC 2883). A capture at the receiver does not contain lost packets; it has gaps in the sequence numbers
    instead, which retransmissions fill.
    """
    remarks: list[str] = []
    connections: dict[_Ends, list[Segment]] = defaultdict(list)
    for one in islice(segments(path, remarks), MOST):
        forth = one.source < one.target
        connections[(one.source, one.target) if forth else (one.target, one.source)].append(one)
    data: dict[_Ends, int] = defaultdict(int)
    for packets in connections.values():
        for one in packets:
            data[one.source, one.target] += one.payload
    if not any(data.values()):
        words = "the file holds no data of TCP: must be a capture of a TCP transfer, with at least 96 bytes a packet"
        raise ValueError("; ".join([words, *remarks]))
    ends = max(data, key=lambda one: data[one])
    found = _Reader(ends, connections.get(ends) or connections[ends[::-1]])
    flow = found.read()
    flow.remarks[:0] = remarks
    others = sum(size > 0 and {*one} != {*ends} for one, size in data.items())
    if found.is_cut or sum(map(len, connections.values())) == MOST:
        flow.remarks.append(f"packets after the first {MOST} are left out (pcap)")
    if others:
        flow.remarks.append(f"flows with less data that are left out: {others} (pcap)")
    return measurement(path, KIND, flow)


class _Gaps:
    """Ranges of sequence numbers that the capture skipped, in ascending order."""

    def __init__(self) -> None:
        self.begins: list[int] = []
        self.rest: list[tuple[int, int]] = []  # end of each gap, and number of transmissions before the gap

    def open(self, begin: int, end: int, before: int) -> None:
        """Add a gap, which begins above the ends of all others, after ``before`` transmissions."""
        if len(self.begins) == MOST_GAPS:
            self.close(self.begins[MOST_GAPS // 2])
        self.begins.append(begin)
        self.rest.append((end, before))

    def close(self, number: int) -> None:
        """Remove the gaps that end at or below a sequence number, because all data below it has arrived."""
        i = bisect_right(self.begins, number)
        i -= i > 0 and self.rest[i - 1][0] > number
        del self.begins[:i], self.rest[:i]

    def fill(self, begin: int, size: int) -> int | None:
        """Fill a part of a gap; return the number of transmissions before the gap, or None if there is no gap."""
        i = bisect_right(self.begins, begin) - 1
        if i < 0 or begin >= self.rest[i][0]:
            return None
        end, before = self.rest[i]
        left = [one for one in ((self.begins[i], begin), (begin + size, end)) if one[0] < one[1]]
        self.begins[i : i + 1] = [one[0] for one in left]
        self.rest[i : i + 1] = [(one[1], before) for one in left]
        return before


class _Reader:
    """Reader of one connection; its sequence numbers count from the first data, without wrapping."""

    def __init__(self, ends: _Ends, packets: Sequence[Segment]) -> None:
        self.source, self.packets = ends[0], sorted(packets, key=attrgetter("time_ns"))
        first = next(one for one in self.packets if one.source == self.source and one.payload)
        self.zero, self.begin_ns = first.sequence, self.packets[0].time_ns
        syns = [one for one in self.packets if one.flags & SYN]
        sizes = [one.mss for one in syns if one.mss and one.mss >= SMALLEST_MSS]
        largest = max(one.payload for one in self.packets if one.source == self.source)
        self.mss = min([*sizes, largest])
        theirs = next((one for one in syns if one.source != self.source), None)
        mine = next((one for one in syns if one.source == self.source), None)
        #: Shift of the peer's windows: 0 unless both sides offer scaling (RFC 7323, section 2.2); None if the
        #: peer's SYN is missing.
        self.shift = None if theirs is None else (theirs.scale or 0 if mine is None or mine.scale is not None else 0)
        self.sent: list[Transmission] = []
        self.next = self.acknowledged = 0
        self.edge: int | None = None
        self.gaps = _Gaps()
        self.latest: dict[int, int] = {}  # position in `sent` of unacknowledged transmissions, by sequence number
        self.waiting: list[tuple[int, int]] = []  # heap: end of each of these transmissions, position in `sent`
        self.again: set[int] = set()  # sequence numbers of retransmitted segments
        self.failed: dict[int, Transmission] = {}  # transmissions that count as lost, by sequence number
        # Packets lost upstream of the capture; each has the position in `sent` before which it was sent.
        self.unseen: list[tuple[int, Transmission]] = []
        self.is_cut = False  # whether packets are left out, because there are too many

    def read(self) -> Transfer:
        """Return the observations of the connection."""
        flow = Transfer()
        before: float | None = None
        for one in self.packets:
            time = (one.time_ns - self.begin_ns) / 1e9
            if before is not None and self.next > self.acknowledged:
                flow.busy += time - before
                if self.edge is not None and self.edge - self.next < self.mss:
                    flow.closed += time - before
            before = time
            if one.source == self.source:
                if one.payload:
                    self._data(time, one)
                    if len(self.sent) >= MOST:  # `_data` adds several if the capture precedes segmentation
                        self.is_cut = True
                        break
            elif one.flags & ACK and not one.flags & SYN:
                self._acknowledgment(time, one)
        at = 0
        for place, lost in sorted(self.unseen, key=lambda one: one[0]):
            flow.sent += [*self.sent[at:place], lost]
            at = place
        flow.sent += self.sent[at:]
        flow.acknowledged = self.acknowledged
        flow.take_round_trips()
        self._place(flow)
        return flow

    def _place(self, flow: Transfer) -> None:
        """Take the base round-trip time from the handshake, or drop it, unless the capture was taken at the sender."""
        here, there = self._handshake()
        is_known = here + there >= LEAST
        if is_known and here > NEAR * there:
            flow.base, flow.mean = here + there, None
            flow.lasted = self.sent[-1].time - self.sent[0].time
            for one in self.sent:
                one.round_trip_time = None
            flow.remarks.append(
                "round_trip_time: of the handshake (pcap), since the capture was not taken at the sender"
            )
        elif flow.base is not None and (flow.base < LEAST or (not is_known and len(self.unseen) > len(self.failed))):
            # A capture at the sender contains each lost packet twice. A gap shows a loss on the way to the capture, or
            # that the sender's host captures packets out of order.
            flow.base = flow.mean = None
            flow.lasted = self.sent[-1].time - self.sent[0].time
            flow.remarks.append("round_trip_time: not measured, the capture was taken at the receiver (pcap)")
        elif flow.base is not None:
            flow.remarks.append("round_trip_time: the smallest from a packet to its acknowledgment (pcap)")
            flow.remarks.append("queueing_delay: the mean of these times less the smallest (pcap)")

    def _handshake(self) -> tuple[float, float]:
        """Return the handshake's round-trip times from the capture to the sender and to the receiver [s].

        Both are 0 if a packet of the handshake was sent again, or is not in the file.
        """
        syns = [i for i, one in enumerate(self.packets) if one.flags & SYN]
        if len(syns) != 2 or not self.packets[syns[1]].flags & ACK:
            return 0.0, 0.0
        opened, answered = (self.packets[i] for i in syns)
        ends = (one for one in self.packets[syns[1] + 1 :] if one.source == opened.source and one.flags & ACK)
        end = next(ends, None)
        if end is None:
            return 0.0, 0.0
        there, back = (answered.time_ns - opened.time_ns) / 1e9, (end.time_ns - answered.time_ns) / 1e9
        return (back, there) if opened.source == self.source else (there, back)

    def _unwrapped(self, number: int) -> int:
        """Return the unwrapped value of a 32-bit sequence number, the one nearest to the highest number sent so far."""
        offset = (number - self.zero) % 2**32
        return offset + round((self.next - offset) / 2**32) * 2**32

    def _data(self, time: float, one: Segment) -> None:
        """Record a data packet, as several transmissions if it was captured before segmentation."""
        begin = self._unwrapped(one.sequence)
        end = begin + one.payload
        if begin < 0:
            return  # the data was sent before the capture
        while begin < end:
            size = min(self.mss, end - begin)
            self._packet(time, begin, size)
            begin += size

    def _packet(self, time: float, begin: int, size: int) -> None:
        new = begin >= self.next
        if begin > self.next:
            self.gaps.open(self.next, begin, len(self.sent))
        before = None if new else self.gaps.fill(begin, size)
        if before is not None:
            self._fill(before, begin, size)
        elif not new:
            before = self.latest.get(begin)
            if before is None or begin < self.acknowledged:
                return  # spurious, such as a zero-window probe or a tail loss probe
            self.sent[before].lost = True
            self.failed[begin] = self.sent[before]
            self.again.add(begin)
        self.latest[begin] = len(self.sent)
        heappush(self.waiting, (begin + size, len(self.sent)))
        self.sent.append(Transmission(time, begin, size))
        self.next = max(self.next, begin + size)

    def _fill(self, before: int, begin: int, size: int) -> None:
        """Record a packet that fills a gap: it was lost upstream of the capture and resent, or it was reordered."""
        if len(self.sent) - before >= REORDERED:
            at = self.sent[min(before, len(self.sent) - 1)].time
            self.unseen.append((before, Transmission(at, begin, size, lost=True)))
            self.again.add(begin)

    def _acknowledgment(self, time: float, one: Segment) -> None:
        number = self._unwrapped(one.acknowledgment)
        if self.shift is not None:
            edge = number + (one.window << self.shift)
            self.edge = edge if self.edge is None else max(self.edge, edge)
        if one.sacks:
            self._duplicate(one, number)
        if number <= self.acknowledged:
            return
        self.acknowledged = min(number, self.next)
        self.gaps.close(self.acknowledged)
        covered = []
        while self.waiting and self.waiting[0][0] <= number:
            covered.append(self.sent[heappop(self.waiting)[1]])
            self.latest.pop(int(covered[-1].offset), None)
        # If a retransmitted packet is among the acknowledged ones, the acknowledgment gives no round-trip time sample
        # (Karn's algorithm: RFC 6298, section 3).
        if covered and not any(int(one.offset) in self.again for one in covered):
            newest = max(covered, key=lambda one: one.offset)
            newest.round_trip_time = time - newest.time

    def _duplicate(self, one: Segment, number: int) -> None:
        """Count a transmission as not lost if its data was received twice (RFC 2883, section 4)."""
        left, right = (self._unwrapped(edge) for edge in one.sacks[0])
        inside = [tuple(map(self._unwrapped, block)) for block in one.sacks[1:2]]
        again = right <= number or any(low <= left and right <= high for low, high in inside)
        if again and (failed := self.failed.pop(left, None)) is not None:
            failed.lost = False

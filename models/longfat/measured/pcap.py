"""Reader of packet captures, pcap and pcapng: round-trip times, losses and windows of a TCP connection.

Formats: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng.
"""

from __future__ import annotations

import os
import struct
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import islice
from operator import attrgetter
from typing import BinaryIO, NamedTuple

from longfat.base import headers
from longfat.base.headers import ACK, SYN
from longfat.measured.fields import opened
from longfat.measured.figures import Measurement
from longfat.measured.flow_figures import Transfer, Transmission, measurement

KIND = "pcap"
_SECTION, _INTERFACE, _SIMPLE, _ENHANCED = 0x0A0D0D0A, 1, 3, 6  # blocks of pcapng
MAGICS = (*headers.PCAP_MAGICS, b"\x0a\x0d\x0d\x0a")
#: Largest length of a packet [bytes]; a record with a larger length is damaged. Our choice: Linux's longest packet has
#: 524,280 bytes (GSO_MAX_SIZE of linux/netdevice.h).
_LONGEST = 1 << 20
_LONGEST_BLOCK = 1 << 24  # largest block of pcapng [bytes], ours: names, keys and comments are longer than packets
#: Link types (tcpdump.org/linktypes.html), grouped by the kind of header before the IP header.
_NULL, _ETHERNET, _COOKED, _COOKED_2 = (0, 108), 1, 113, 276
_RAW = (12, 14, 101, 228, 229)
_VLAN = (0x8100, 0x88A8)
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


def read(path: str) -> Measurement:
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
    """Gaps: ranges of sequence numbers of which the capture has no packet, in ascending order."""

    def __init__(self) -> None:
        self.begins: list[int] = []
        self.rest: list[tuple[int, int]] = []  # end of each gap, and number of transmissions before the gap

    def open(self, begin: int, end: int, before: int) -> None:
        """Add a gap that ``before`` transmissions precede; it must begin above the ends of all others."""
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
        # Packets lost upstream of the capture, each with the position in `sent` of the transmission that followed it.
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
        """Correct the round-trip times if the capture was not taken at the sender, and add remarks on them.

        The base is then that of the handshake; without a handshake the round-trip times are unknown.
        """
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
            # At the sender, a capture contains each lost packet twice. A gap means that a packet was lost before it
            # reached the capture, or that the sender's host captures packets out of order.
            flow.base = flow.mean = None
            flow.lasted = self.sent[-1].time - self.sent[0].time
            flow.remarks.append("round_trip_time: not measured, the capture was taken at the receiver (pcap)")
        elif flow.base is not None:
            flow.remarks.append("round_trip_time: the smallest from a packet to its acknowledgment (pcap)")
            flow.remarks.append("queueing_delay: the mean of these times less the smallest (pcap)")

    def _handshake(self) -> tuple[float, float]:
        """Return the round-trip times of the handshake, from the capture to the sender and to the receiver [s].

        Both are 0 if a packet of the handshake was retransmitted or is missing in the file.
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
        """Return a 32-bit sequence number without wrapping: the value nearest to the highest number sent so far."""
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
        """Record a packet that fills a gap: retransmitted after a loss upstream of the capture, or reordered."""
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


class Segment(NamedTuple):
    """TCP segment (RFC 9293, section 3.1) of a captured packet."""

    time_ns: int
    source: tuple[bytes, int]
    target: tuple[bytes, int]
    sequence: int  # modulo 2**32
    acknowledgment: int
    flags: int
    window: int
    payload: int  # bytes
    mss: int | None
    scale: int | None
    sacks: tuple[tuple[int, int], ...]


class _Damage(Exception):
    """Error for an incomplete or damaged record, with the record's position in the file [bytes]."""

    def __init__(self, place: int, reason: str) -> None:
        super().__init__(reason)
        self.place = place


def segments(path: str, remarks: list[str] | None = None) -> Iterator[Segment]:
    """Yield the TCP segments of a capture, up to its end or to a record that is cut off or damaged.

    ``remarks`` receives remarks on packets left out: those from the first damaged record on, and those whose headers
    are truncated.
    """
    remarks = [] if remarks is None else remarks
    count = broken = 0
    with opened(path).open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        magic = file.read(4)
        records = (
            _classic(file, *headers.PCAP_MAGICS[magic]) if magic in headers.PCAP_MAGICS else _next_generation(file)
        )
        try:
            for time, link, data, length in records:
                count += 1
                try:
                    found = _segment(time, link, data, length)
                except (IndexError, struct.error):  # fewer bytes stored than the headers have
                    broken += 1
                    continue
                if found is not None:
                    yield found
        except _Damage as damage:
            left = (size - damage.place) / size
            remarks.append(
                f"the file is cut off or damaged at packet {count + 1} ({damage}): "
                f"the rest, {left:.2g} of the file, is left out (pcap)"
            )
    if broken:
        remarks.append(f"packets without whole headers, which are left out: {broken} of {count} (pcap)")


def _classic(file: BinaryIO, order: str, units: int) -> Iterator[tuple[int, int, bytes, int]]:
    """Yield time [ns], link type, stored bytes and original length [bytes] of each packet of a pcap file."""
    head = file.read(20)
    if len(head) < 20:
        raise _Damage(0, f"the header of the file has {4 + len(head)} of 24 bytes")
    link = struct.unpack(order + headers.PCAP_FILE, head)[5] & 0xFFFF
    record, scale, place = struct.Struct(order + headers.PCAP_RECORD), 10**9 // units, 24
    while head := file.read(16):
        if len(head) < 16:
            raise _Damage(place, f"the record's header has {len(head)} of 16 bytes")
        second, fraction, stored, length = record.unpack(head)
        if not 0 < stored <= length <= _LONGEST or fraction >= units:
            raise _Damage(
                place,
                f"the record's header has {stored} of {length} bytes stored, and a time of {fraction}/{units} s "
                "after the full second",
            )
        data = file.read(stored)
        if len(data) < stored:
            raise _Damage(place, f"the record has {len(data)} of {stored} stored bytes")
        yield (second * units + fraction) * scale, link, data, length
        place += 16 + stored


def _next_generation(file: BinaryIO) -> Iterator[tuple[int, int, bytes, int]]:
    """Yield time [ns], link type, stored bytes and original length [bytes] of each packet of a pcapng file."""
    file.seek(0)
    order, place = "<", 0
    links: list[tuple[int, int]] = []  # link type and units per second of each interface
    while head := file.read(12):
        if len(head) < 12:
            raise _Damage(place, f"the block's header has {len(head)} of 12 bytes")
        if head[:4] == b"\x0a\x0d\x0d\x0a":
            order, links = "<" if head[8:] == b"\x4d\x3c\x2b\x1a" else ">", []
        kind, total = struct.unpack(f"{order}II", head[:8])
        if not 12 <= total <= _LONGEST_BLOCK:
            raise _Damage(place, f"the block's header gives a length of {total} bytes")
        body = (head + file.read(total - 12))[8:]
        # A block has its length at its beginning and at its end (draft-ietf-opsawg-pcapng, section 3.1).
        if len(body) < total - 8 or body[-4:] != head[4:8]:
            raise _Damage(place, f"the block of {total} bytes is cut off or does not end with its length")
        if kind == _INTERFACE and len(body) >= 12:
            links.append((struct.unpack(f"{order}H", body[:2])[0], _resolution(body[8:-4], order)))
        elif kind == _SIMPLE:
            raise ValueError("the file holds packets without times (pcapng Simple Packet Blocks)")
        elif kind == _ENHANCED and len(body) >= 24:
            interface, high, low, stored, length = struct.unpack(f"{order}IIIII", body[:20])
            if interface >= len(links) or not 0 < stored <= min(length, len(body) - 24) or length > _LONGEST:
                raise _Damage(place, f"the block gives {stored} of {length} bytes stored, from interface {interface}")
            link, units = links[interface]
            yield ((high << 32) + low) * 10**9 // units, link, body[20 : 20 + stored], length
        place += total


def _resolution(options: bytes, order: str) -> int:
    """Return the time units per second of an interface, from its option if_tsresol (9); 10^6 without the option."""
    at = 0
    while at + 4 <= len(options):
        code, length = struct.unpack(f"{order}HH", options[at : at + 4])
        if code == 9 and length == 1 and at + 4 < len(options):
            value = options[at + 4]
            return 1 << (value & 63) if value & 128 else int(10 ** min(value, 18))
        at += 4 + length + -length % 4
    return 10**6


def _segment(time: int, link: int, data: bytes, length: int) -> Segment | None:
    """Return the TCP segment of a packet; None for another protocol; raise an error for truncated headers."""
    at = _network_layer(link, data)
    found = None if at is None else headers.segment(data, length, at)
    if found is None:
        return None
    source, target, sequence, acknowledgment, flags, window, payload, options, begin = found
    if flags & SYN and len(data) < begin:
        raise IndexError("the options of a SYN are cut off, so that the scale of all windows is unknown")
    return Segment(
        time, source, target, sequence, acknowledgment, flags, window, payload,
        *headers.options(data[options:begin]),
    )  # fmt: skip


def _network_layer(link: int, data: bytes) -> int | None:
    """Return the offset of the IP header in a packet [bytes]; None if the packet is of another protocol."""
    if link in _RAW:
        return 0
    if link in _NULL:
        return 4
    if link == _ETHERNET:
        if data[12:14] == b"\x08\x00":
            return 14
        at = 12
        while struct.unpack_from(">H", data, at)[0] in _VLAN:
            at += 4
    elif link == _COOKED:
        at = 14
    elif link == _COOKED_2:
        return 20 if struct.unpack_from(">H", data, 0)[0] in (0x0800, 0x86DD) else None
    else:
        raise ValueError(f"the file holds packets of the link type {link}, whose headers are unknown")
    return at + 2 if struct.unpack_from(">H", data, at)[0] in (0x0800, 0x86DD) else None

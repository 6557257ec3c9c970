"""Reader of the TCP segments in a packet capture of the format pcap or pcapng.

Formats: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from longfat.base import headers
from longfat.measured.fields import opened

_SECTION, _INTERFACE, _SIMPLE, _ENHANCED = 0x0A0D0D0A, 1, 3, 6  # blocks of pcapng
MAGICS = (*headers.PCAP_MAGICS, b"\x0a\x0d\x0d\x0a")
#: Largest length of a packet [bytes]; a record with a larger length is damaged. Our choice: Linux's longest packet has
#: 524,280 bytes (GSO_MAX_SIZE of linux/netdevice.h).
_LONGEST = 1 << 20
_LONGEST_BLOCK = 1 << 24  # of pcapng; ours, because blocks of names, keys and comments are longer than packets
#: Link types (tcpdump.org/linktypes.html), grouped by the kind of header before the IP header.
_NULL, _ETHERNET, _COOKED, _COOKED_2 = (0, 108), 1, 113, 276
_RAW = (12, 14, 101, 228, 229)
_VLAN = (0x8100, 0x88A8)


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
    if flags & headers.SYN and len(data) < begin:
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

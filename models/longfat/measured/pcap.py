"""Packets of a capture: the classic pcap format, pcapng, and the headers of TCP in them.

The formats are those of draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng. We read them ourselves: what we need of
them is this page, while dpkt has had no release since 2022 and scapy is large and under the GPL.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

__all__ = ["MAGICS", "Segment", "segments"]

#: The first bytes of a file: byte order and units of the times per second.
_CLASSIC = {
    b"\xd4\xc3\xb2\xa1": ("<", 10**6),
    b"\xa1\xb2\xc3\xd4": (">", 10**6),
    b"\x4d\x3c\xb2\xa1": ("<", 10**9),
    b"\xa1\xb2\x3c\x4d": (">", 10**9),
}
_SECTION, _INTERFACE, _SIMPLE, _ENHANCED = 0x0A0D0D0A, 1, 3, 6  # blocks of pcapng
MAGICS = (*_CLASSIC, b"\x0a\x0d\x0d\x0a")
_LONGEST = 1 << 20  # bytes of a packet or block that are believed; more is damage
#: Where the network layer begins, by link type (tcpdump.org/linktypes.html), and where its EtherType is.
_NULL, _ETHERNET, _COOKED, _COOKED_2 = (0, 108), 1, 113, 276
_RAW = (12, 14, 101, 228, 229)
_VLAN = (0x8100, 0x88A8)
_EXTENSIONS = (0, 43, 60)  # of IPv6 (RFC 8200, section 4): hop-by-hop, routing, destination options
_TCP = 6


class Segment(NamedTuple):
    """A TCP segment (RFC 9293, section 3.1)."""

    time: int  # ns
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


def segments(path: str) -> Iterator[Segment]:
    """Yield the TCP segments of a capture; one that is cut off ends the iteration, like the end of the file."""
    with Path(path).open("rb") as file:
        magic = file.read(4)
        records = _classic(file, *_CLASSIC[magic]) if magic in _CLASSIC else _next_generation(path, file)
        for time, link, data, length in records:
            found = _segment(time, link, data, length)
            if found is not None:
                yield found


def _classic(file: BinaryIO, order: str, units: int) -> Iterator[tuple[int, int, bytes, int]]:
    """Yield time [ns], link type, stored bytes and length of the packets of a classic file."""
    head = file.read(20)
    if len(head) < 20:
        return
    link = struct.unpack(f"{order}HHiIII", head)[5] & 0xFFFF
    record = struct.Struct(f"{order}IIII")
    while len(head := file.read(16)) == 16:
        second, fraction, stored, length = record.unpack(head)
        data = file.read(stored) if stored <= _LONGEST else b""
        if len(data) < stored or stored > _LONGEST:
            return
        yield (second * units + fraction) * (10**9 // units), link, data, length


def _next_generation(path: str, file: BinaryIO) -> Iterator[tuple[int, int, bytes, int]]:
    """Yield the same of a pcapng file."""
    file.seek(0)
    order = "<"
    links: list[tuple[int, int]] = []  # link type and units per second of each interface
    while len(head := file.read(8)) == 8:
        if head[:4] == b"\x0a\x0d\x0d\x0a":
            mark = file.read(4)
            order = "<" if mark == b"\x4d\x3c\x2b\x1a" else ">"
            file.seek(-4, 1)
            links = []
        kind, total = struct.unpack(f"{order}II", head)
        if not 12 <= total <= _LONGEST:
            return
        body = file.read(total - 8)
        if len(body) < total - 8:
            return
        if kind == _INTERFACE and len(body) >= 12:
            links.append((struct.unpack(f"{order}H", body[:2])[0], _resolution(body[8:-4], order)))
        elif kind == _SIMPLE:
            raise ValueError(f"{path}: holds packets without times (pcapng Simple Packet Blocks)")
        elif kind == _ENHANCED and len(body) >= 24:
            interface, high, low, stored, length = struct.unpack(f"{order}IIIII", body[:20])
            if interface >= len(links):
                return
            link, units = links[interface]
            yield ((high << 32) + low) * 10**9 // units, link, body[20 : 20 + stored], length


def _resolution(options: bytes, order: str) -> int:
    """Return the units of time per second of an interface, from its option if_tsresol (9); 10^6 without."""
    at = 0
    while at + 4 <= len(options):
        code, length = struct.unpack(f"{order}HH", options[at : at + 4])
        if code == 9 and length == 1 and at + 4 < len(options):
            value = options[at + 4]
            return 1 << (value & 63) if value & 128 else int(10 ** min(value, 18))
        at += 4 + length + -length % 4
    return 10**6


def _segment(time: int, link: int, data: bytes, length: int) -> Segment | None:
    """Return the TCP segment of a packet, None if it is none."""
    try:
        begin = _network_layer(link, data)
        if begin is None:
            return None
        version = data[begin] >> 4
        if version == 4:
            header = 4 * (data[begin] & 15)
            total, protocol = struct.unpack_from(">H", data, begin + 2)[0], data[begin + 9]
            fragment = struct.unpack_from(">H", data, begin + 6)[0] & 0x1FFF
            ends = data[begin + 12 : begin + 16], data[begin + 16 : begin + 20]
        elif version == 6:
            header, protocol, fragment = 40, data[begin + 6], 0
            total = struct.unpack_from(">H", data, begin + 4)[0] + 40
            ends = data[begin + 8 : begin + 24], data[begin + 24 : begin + 40]
            while protocol in _EXTENSIONS:
                protocol, header = data[begin + header], header + 8 * (data[begin + header + 1] + 1)
        else:
            return None
        if protocol != _TCP or fragment:
            return None
        # A host that leaves segmentation to its interface may store a total length of 0.
        total = total if total > header else length - begin
        return _tcp(time, ends, data[begin + header :], total - header)
    except (IndexError, struct.error):  # fewer bytes stored than the headers have
        return None


def _network_layer(link: int, data: bytes) -> int | None:
    """Return where the IP header begins, None for other protocols."""
    if link in _RAW:
        return 0
    if link in _NULL:
        return 4
    if link == _ETHERNET:
        at = 12
        while struct.unpack_from(">H", data, at)[0] in _VLAN:
            at += 4
    elif link == _COOKED:
        at = 14
    elif link == _COOKED_2:
        return 20 if struct.unpack_from(">H", data, 0)[0] in (0x0800, 0x86DD) else None
    else:
        raise ValueError(f"holds packets of the link type {link}, of which the headers are unknown")
    return at + 2 if struct.unpack_from(">H", data, at)[0] in (0x0800, 0x86DD) else None


def _tcp(time: int, ends: tuple[bytes, bytes], data: bytes, length: int) -> Segment | None:
    ports = struct.unpack_from(">HH", data, 0)
    sequence, acknowledgment, offset, flags, window = struct.unpack_from(">IIBBH", data, 4)
    begin = 4 * (offset >> 4)
    payload = length - begin
    if begin < 20 or payload < 0:
        return None
    mss, scale, sacks = _options(data[20:begin])
    return Segment(
        time,
        (ends[0], ports[0]),
        (ends[1], ports[1]),
        sequence,
        acknowledgment,
        flags,
        window,
        payload,
        mss,
        scale,
        sacks,
    )


def _options(data: bytes) -> tuple[int | None, int | None, tuple[tuple[int, int], ...]]:
    """Return maximum segment size, window scale (RFC 7323, section 2.2) and SACK blocks (RFC 2018, section 3)."""
    mss = scale = None
    sacks: tuple[tuple[int, int], ...] = ()
    at = 0
    while at < len(data) and data[at] != 0:
        if data[at] == 1:
            at += 1
            continue
        if at + 1 >= len(data) or data[at + 1] < 2 or at + data[at + 1] > len(data):
            break
        kind, value = data[at], data[at + 2 : at + data[at + 1]]
        if kind == 2 and len(value) == 2:
            mss = int.from_bytes(value, "big")
        elif kind == 3 and len(value) == 1:
            scale = min(value[0], 14)
        elif kind == 5 and len(value) % 8 == 0:
            edges = struct.unpack(f">{len(value) // 4}I", value)
            sacks = tuple(zip(edges[::2], edges[1::2], strict=True))
        at += data[at + 1]
    return mss, scale, sacks

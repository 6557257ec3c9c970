"""Packets of SSTP in bytes (Gong and Parulkar 1992, section 3.2, figure 5): encoded, and decoded with all checks.

Figure 5 has rows of 4 bytes. Every packet begins with the connection's identifier (4 bytes) and its type (2 bytes), and
ends with a checksum (2 bytes). To the receiver go the shipment sequence number (4 bytes), segment and packet number (2
bytes each) and the data; back come the control sequence number (4 bytes), the segment, the segment
below which all are acknowledged (2 bytes each), the upper limit of the window (4 bytes), and in a SNAK the bitmap.

Ours, because the paper does not say: the order of bytes is that of the network; the field beside the type is reserved
and 0; the checksum is that of the Internet (RFC 1071), over all bytes; data and bitmap are followed by zeros up to a
multiple of 4 bytes, and by the number of bytes that count, 2 bytes beside the checksum. Bit k of the bitmap, from the
highest bit of its first byte on, is packet k of the segment: 1 if it has arrived, 0 if it is requested (section 3.2).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from longfat.base import domains, headers

TYPES = ("data", "keep-alive", "end-of-stream", "pack", "snak")  # in the order of their codes, 0 to 4
DATA, PACK, SNAK = 0, 3, 4
HEAD = struct.Struct(">IHHIHH")  # connection, type, reserved, sequence number, two numbers of the segment
LIMIT = struct.Struct(">I")  # upper limit of the window, of a PACK and a SNAK
TAIL = struct.Struct(">HH")  # bytes of data or bitmap that count, and checksum
ROW = 4  # bytes
WIDTHS = {"connection": 32, "sequence": 32, "segment": 16, "number": 16, "limit": 32}  # bits


@dataclass(frozen=True)
class Packet:
    """A packet of SSTP.

    Parameters
    ----------
    kind : str
        One of `TYPES`.
    connection : int
        Connection identifier, below 2**32.
    sequence : int
        Shipment sequence number of the sender, control sequence number of the receiver, below 2**32.
    segment : int
        Segment of the data, or segment that is acknowledged, below 2**16.
    number : int
        Place of the packet in the segment; of a PACK or SNAK the segment below which all are acknowledged; below 2**16.
    limit : int
        Upper limit of the window, of a PACK or SNAK, below 2**32.
    body : bytes
        Data of a data packet, or the retransmission bitmap of a SNAK, below 2**16 bytes.
    """

    kind: str
    connection: int
    sequence: int
    segment: int = 0
    number: int = 0
    limit: int = 0
    body: bytes = b""

    def __post_init__(self) -> None:
        domains.choice("kind", self.kind, TYPES)
        for name, bits in WIDTHS.items():
            domains.integer(name, getattr(self, name), "1", f"[0, {2**bits - 1}]")
        if len(self.body) >= 2**16:
            raise domains.out_of_range("size of body", len(self.body), "bytes", "[0, 65535]", integer=True)
        if self.body and self.kind not in ("data", "snak"):
            raise domains.conflict(f"kind {self.kind!r}", "has neither data nor a bitmap")
        if self.limit and self.kind not in ("pack", "snak"):
            raise domains.conflict(f"kind {self.kind!r}", "has no upper limit of the window")


def checksum(data: bytes) -> int:
    """Return the checksum of an even number of bytes (RFC 1071)."""
    return int(headers.checksum(sum(struct.unpack(f">{len(data) // 2}H", data))))


def encode(packet: Packet) -> bytes:
    """Return a packet as bytes.

    >>> encode(Packet("pack", 7, 1, segment=2, number=2, limit=9)).hex(" ", 4)
    '00000007 00030000 00000001 00020002 00000009 0000ffe7'
    """
    code = TYPES.index(packet.kind)
    found = HEAD.pack(packet.connection, code, 0, packet.sequence, packet.segment, packet.number)
    if code in (PACK, SNAK):
        found += LIMIT.pack(packet.limit)
    found += packet.body + bytes(-len(packet.body) % ROW)
    return found + TAIL.pack(len(packet.body), checksum(found + TAIL.pack(len(packet.body), 0)))


def decode(data: bytes) -> Packet:
    """Return the packet that bytes encode; refuse bytes that are damaged, cut off, or no packet of SSTP.

    >>> decode(encode(Packet("data", 7, 1, body=b"abcde"))).body
    b'abcde'
    """
    if len(data) < HEAD.size + TAIL.size or len(data) % ROW:
        allowed = f"a multiple of {ROW}, at least {HEAD.size + TAIL.size}"
        raise domains.out_of_range("size of the packet", len(data), "bytes", allowed, integer=True)
    # All words with the checksum add up to -0 in ones' complement.
    if checksum(data) != 0:
        raise ValueError(f"checksum of the packet = {data[-2:].hex()} is wrong: the packet is damaged")
    connection, code, reserved, sequence, segment, number = HEAD.unpack_from(data)
    if reserved:
        raise domains.out_of_range("reserved field", reserved, "1", "0", integer=True)
    if code >= len(TYPES):
        raise domains.out_of_range("type", code, "1", f"[0, {len(TYPES) - 1}]", integer=True)
    start, limit = HEAD.size, 0
    if code in (PACK, SNAK):
        if len(data) < start + LIMIT.size + TAIL.size:
            raise domains.conflict(f"a packet of type {code}", "needs the upper limit of the window")
        (limit,) = LIMIT.unpack_from(data, start)
        start += LIMIT.size
    size, _ = TAIL.unpack_from(data, len(data) - TAIL.size)
    rest = data[start : len(data) - TAIL.size]
    if size + -size % ROW != len(rest) or any(rest[size:]):
        raise domains.conflict(f"size of data or bitmap = {size} bytes", f"does not fit a packet of {len(data)} bytes")
    return Packet(TYPES[code], connection, sequence, segment, number, limit, rest[:size])


def bitmap(missing: set[int], packets: int) -> bytes:
    """Return the bitmap of a segment of some packets: 0 for those that are requested, 1 for the others.

    >>> bitmap({0, 9}, 10).hex()
    '7f80'
    """
    packets = domains.integer("packets", packets, "packets", "[1, 524280]")
    if wrong := sorted(one for one in missing if not 0 <= one < packets):
        raise domains.out_of_range("missing packet", wrong[0], "1", f"[0, {packets - 1}]", integer=True)
    bits = "".join("0" if one in missing else "1" for one in range(packets))
    return int(bits.ljust(-(-packets // 8) * 8, "0"), 2).to_bytes(-(-packets // 8), "big")


def requested(body: bytes, packets: int) -> set[int]:
    """Return the packets that a bitmap requests.

    >>> sorted(requested(bytes.fromhex("7f80"), 10))
    [0, 9]
    """
    if len(body) != -(-packets // 8):
        raise domains.conflict(f"a bitmap of {len(body)} bytes", f"does not fit a segment of {packets} packets")
    return {one for one in range(packets) if not body[one // 8] >> (7 - one % 8) & 1}

"""Headers of packets and of pcap files: IPv4 (RFC 791), TCP (RFC 9293), UDP (RFC 768), draft-ietf-opsawg-pcap.

Arrays of packets are read by NumPy data types, single packets by `struct`, because NumPy takes ten times as long for
one packet. No library is used, because this module is all that longfat needs: dpkt has had no release since 2022, scapy
is large and under the GPL, and both create an object for each packet.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np

TCP, UDP = 6, 17
FIN, SYN, PSH, ACK, ECE, CWR = 1, 2, 8, 16, 64, 128
CONGESTION_EXPERIENCED = 3  # codepoint CE of the ECN field: RFC 3168, section 5
LONGEST = 65_535  # bytes: the largest IPv4 packet
EXTENSIONS = (0, 43, 60)  # IPv6 headers (RFC 8200, section 4): hop-by-hop, routing, destination options

#: First four bytes of five TCP options, of which the last four begin with padding (RFC 7323, appendix A): maximum
#: segment size, window scale, SACK permitted, timestamps, SACK blocks. To write an option, add its value to `MSS` or
#: `SCALE`, or its length to `SACK`.
MSS, SCALE, PERMIT, STAMPS, SACK = 0x0204_0000, 0x0103_0300, 0x0101_0402, 0x0101_080A, 0x0101_0500
_STAMPS = STAMPS.to_bytes(4, "big")

#: First four bytes of a pcap file -> (byte order, units of its timestamps per second). `pcap_header` writes the third
#: of these values.
PCAP_MAGICS = {
    b"\xd4\xc3\xb2\xa1": ("<", 10**6),
    b"\xa1\xb2\xc3\xd4": (">", 10**6),
    b"\x4d\x3c\xb2\xa1": ("<", 10**9),
    b"\xa1\xb2\x3c\x4d": (">", 10**9),
}
PCAP_FILE, PCAP_RECORD = "HHiIII", "IIII"  # headers of the file and of each packet
RAW = 101  # link type: IP without a link's header
_RECORD = struct.Struct(f"<{PCAP_RECORD}")
SECOND = 10**9  # ns


def _layout(**octets: int) -> np.dtype:
    """Return the NumPy data type of a header, in network byte order, from the number of bytes of each field."""
    return np.dtype([(name, f">u{count}") for name, count in octets.items()])


IPV4 = _layout(
    version=1, service=1, length=2, identification=2, fragment=2, lifetime=1, protocol=1, checksum=2, source=4, target=4
)
TCP_HEADER = _layout(
    source=2, target=2, sequence=4, acknowledgment=4, offset=1, flags=1, window=2, checksum=2, urgent=2
)


def _unpacker(layout: np.dtype, names: str) -> struct.Struct:
    """Return a `struct.Struct` that unpacks the named fields of a header and skips the others."""
    codes = ((layout[name].itemsize, name in names.split()) for name in layout.names or ())
    return struct.Struct(">" + "".join({1: "B", 2: "H", 4: "I"}[size] if read else f"{size}x" for size, read in codes))


_IPV4 = _unpacker(IPV4, "version length fragment protocol")
_TCP = _unpacker(TCP_HEADER, "source target sequence acknowledgment offset flags window")


class Segment(NamedTuple):
    """Header fields of a TCP segment, and the offsets of its options and its payload in the packet [bytes]."""

    source: tuple[bytes, int]  # address, port
    target: tuple[bytes, int]
    sequence: int  # modulo 2**32
    acknowledgment: int
    flags: int
    window: int
    payload: int  # bytes
    options: int
    begin: int  # offset of the payload: the size of all headers


def segment(packet: bytes, length: int, at: int = 0) -> Segment | None:
    """Return the TCP segment in an IPv4 or IPv6 packet; None for another protocol or a fragment without TCP header.

    Parameters
    ----------
    packet : bytes
        Stored bytes of the packet, which may be truncated.
    length : int
        Length of the packet before truncation [bytes].
    at : int
        Offset of its IP header [bytes].

    Raises
    ------
    IndexError, struct.error
        If the headers are truncated.

    Examples
    --------
    >>> segment(bytes(40), 40) is None
    True
    """
    version = packet[at] >> 4
    if version == 4:
        first, total, fragment, protocol = _IPV4.unpack_from(packet, at)
        header = 4 * (first & 15)
        fragment &= 0x1FFF
        source, target = packet[at + 12 : at + 16], packet[at + 16 : at + 20]
    elif version == 6:
        header, protocol, fragment = 40, packet[at + 6], 0
        total = struct.unpack_from(">H", packet, at + 4)[0] + 40
        source, target = packet[at + 8 : at + 24], packet[at + 24 : at + 40]
        while protocol in EXTENSIONS:
            protocol, header = packet[at + header], header + 8 * (packet[at + header + 1] + 1)
    else:
        return None
    if protocol != TCP or fragment:
        return None
    # In a capture on a host with segmentation offload, the IP header may have a total length of 0: use the captured
    # length then.
    total = total if total > header else length - at
    own, other, sequence, acknowledgment, offset, flags, window = _TCP.unpack_from(packet, at + header)
    begin = header + 4 * (offset >> 4)
    if begin < header + 20 or begin > total:
        raise IndexError("the TCP header is shorter than 20 bytes or longer than the packet")
    ends = _end(source, own), _end(target, other)
    return Segment(*ends, sequence, acknowledgment, flags, window, total - begin, at + header + 20, at + begin)


def complete_segment(packet: bytes) -> Segment | None:
    """Return the TCP segment of a complete packet; None for another protocol or truncated headers.

    >>> complete_segment(bytes([0x45])) is None
    True
    """
    try:
        return segment(packet, len(packet))
    except (IndexError, struct.error):
        return None


@lru_cache(1 << 12)
def _end(address: bytes, port: int) -> tuple[bytes, int]:
    """Return (address, port) as a cached tuple, which all packets of an endpoint share; this halves the memory."""
    return address, port


def options(data: bytes) -> tuple[int | None, int | None, tuple[tuple[int, int], ...]]:
    """Parse TCP options; return maximum segment size [bytes], window scale (each None if absent) and SACK blocks.

    Sources: RFC 9293, section 3.2; RFC 7323, section 2.2; RFC 2018, section 3.
    """
    mss = scale = None
    sacks: tuple[tuple[int, int], ...] = ()
    if len(data) == 12 and data[:4] == _STAMPS:  # time stamps, as in most packets
        return mss, scale, sacks
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


def difference(a: int, b: int) -> int:
    """Return a - b for sequence numbers modulo 2**32: the difference with the smallest absolute value.

    >>> difference(5, 2**32 - 5), difference(2**32 - 5, 5)
    (10, -10)
    """
    return (a - b + 2**31) % 2**32 - 2**31


Sum = TypeVar("Sum", int, np.ndarray)


def checksum(total: Sum) -> Sum:
    """Return the checksum of a header (RFC 1071) from the sum of its 16-bit words, which must be below 2**32."""
    for _ in range(2):
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def codepoint(packet: bytes) -> int:
    """Return the ECN field of an IPv4 packet; 0 for any other packet.

    >>> codepoint(bytes([0x45, 0x02])), codepoint(bytes([0x60, 0x02]))
    (2, 0)
    """
    return packet[1] & 3 if len(packet) > 1 and packet[0] >> 4 == 4 else 0


def mark(packet: bytes) -> bytes:
    """Mark an ECN-capable IPv4 packet with Congestion Experienced; return any other packet unchanged.

    The checksum is updated by RFC 1624, section 3, equation 3: HC' = ~(~HC + ~m + m'), in ones' complement, where m is
    the header's first word.
    """
    if codepoint(packet) in (0, CONGESTION_EXPERIENCED):
        return packet
    changed = bytearray(packet)
    changed[1] |= CONGESTION_EXPERIENCED
    before, after = (int.from_bytes(one[:2], "big") for one in (packet, changed))
    total = (~int.from_bytes(packet[10:12], "big") & 0xFFFF) + (~before & 0xFFFF) + after
    changed[10:12] = checksum(total).to_bytes(2, "big")
    return bytes(changed)


def pcap_header() -> bytes:
    """Return the header of a pcap file: version 2.4, time stamps in UTC and ns, IP packets without a link header."""
    return b"\x4d\x3c\xb2\xa1" + struct.pack(f"<{PCAP_FILE}", 2, 4, 0, 0, LONGEST, RAW)


def pcap_record(time: int, stored: bytes, length: int) -> bytes:
    """Return the pcap record of a packet from its time since the epoch [ns], stored bytes, and length [bytes]."""
    return _RECORD.pack(*divmod(time, SECOND), len(stored), length) + stored

"""Fields of IPv4 and TCP headers that the testbed needs, and marking by ECN."""

from __future__ import annotations

from typing import NamedTuple

TCP = 6
SYN = 2
CONGESTION_EXPERIENCED = 3  # of the ECN field: RFC 3168, section 5


class Segment(NamedTuple):
    """Fields of a TCP segment (RFC 9293, section 3.1)."""

    source: int  # port
    target: int
    sequence: int  # modulo 2**32
    acknowledgment: int
    flags: int
    payload: int  # bytes
    begin: int  # bytes of headers


def codepoint(packet: bytes) -> int:
    """Return the ECN field of an IPv4 packet, 0 of anything else.

    >>> codepoint(bytes([0x45, 0x02])), codepoint(bytes([0x60, 0x02]))
    (2, 0)
    """
    return packet[1] & 3 if len(packet) > 1 and packet[0] >> 4 == 4 else 0


def mark(packet: bytes) -> bytes:
    """Return an IPv4 packet with congestion experienced, if its transport is capable of ECN.

    The checksum is updated by RFC 1624, section 3, equation 3: HC' = ~(~HC + ~m + m'), in ones' complement, where m is
    the header's first word.
    """
    if codepoint(packet) in (0, CONGESTION_EXPERIENCED):
        return packet
    new = packet[1] | CONGESTION_EXPERIENCED
    old_sum = int.from_bytes(packet[10:12], "big")
    # ~m + m' of the words, which differ in the lower bytes only
    total = (~old_sum & 0xFFFF) + (~((packet[0] << 8) + packet[1]) & 0xFFFF) + (packet[0] << 8) + new
    total = (total & 0xFFFF) + (total >> 16)
    total = (total & 0xFFFF) + (total >> 16)
    changed = bytearray(packet)
    changed[1] = new
    changed[10:12] = (~total & 0xFFFF).to_bytes(2, "big")
    return bytes(changed)


def segment(packet: bytes) -> Segment | None:
    """Return the fields of a TCP segment in an IPv4 packet, None if the packet holds none.

    >>> segment(bytes(40)) is None
    True
    """
    if len(packet) < 40 or packet[0] >> 4 != 4 or packet[9] != TCP:
        return None
    tcp = 4 * (packet[0] & 15)
    if len(packet) < tcp + 20:
        return None
    begin = tcp + 4 * (packet[tcp + 12] >> 4)
    return Segment(
        int.from_bytes(packet[tcp : tcp + 2], "big"),
        int.from_bytes(packet[tcp + 2 : tcp + 4], "big"),
        int.from_bytes(packet[tcp + 4 : tcp + 8], "big"),
        int.from_bytes(packet[tcp + 8 : tcp + 12], "big"),
        packet[tcp + 13],
        int.from_bytes(packet[2:4], "big") - begin,
        begin,
    )


def difference(a: int, b: int) -> int:
    """Return a - b of sequence numbers modulo 2**32, as the value nearest to 0.

    >>> difference(5, 2**32 - 5), difference(2**32 - 5, 5)
    (10, -10)
    """
    return (a - b + 2**31) % 2**32 - 2**31

"""Plain reader of pcap files, packet by packet with `struct`: the referee of what `longfat.sim` writes."""

import struct
from dataclasses import dataclass

FLAGS = {1: "F", 2: "S", 8: "P", 16: "A", 64: "E", 128: "C"}


@dataclass
class Packet:
    time: int  # ns since the simulated time 0
    source: str
    target: str
    protocol: int
    length: int
    number: int  # identification of IP
    ecn: int
    ports: tuple
    payload: int
    flags: str = ""
    sequence: int = 0
    acknowledged: int = 0
    window: int = 0
    options: dict = None

    @property
    def stream(self):
        """The connection, the same in both directions."""
        return tuple(sorted(((self.source, self.ports[0]), (self.target, self.ports[1]))))


def total(octets):
    """The sum in ones' complement of RFC 1071, as in its C code."""
    octets += b"\0" * (len(octets) % 2)
    found = sum(struct.unpack(f">{len(octets) // 2}H", octets))
    while found >> 16:
        found = (found & 0xFFFF) + (found >> 16)
    return found


def options_of(octets):
    found, k = {}, 0
    while k < len(octets):
        kind = octets[k]
        if kind == 1:
            k += 1
            continue
        length = octets[k + 1]
        found[kind] = octets[k + 2 : k + length]
        k += length
    return found


def read(path):
    """All packets of a file; the length of each part and every checksum are asserted."""
    octets = path.read_bytes()
    magic, major, minor, zone, digits, most, link = struct.unpack_from("<IHHiIII", octets)
    assert (magic, major, minor, zone, digits, link) == (0xA1B23C4D, 2, 4, 0, 0, 101)
    place, found = 24, []
    while place < len(octets):
        seconds, nanoseconds, stored, length = struct.unpack_from("<IIII", octets, place)
        assert nanoseconds < 10**9
        assert stored <= min(length, most)
        packet = octets[place + 16 : place + 16 + stored]
        assert len(packet) == stored, "the file ends within a packet"
        found.append(decoded((seconds - 1) * 10**9 + nanoseconds, packet, length))
        place += 16 + stored
    return found


def decoded(time, packet, length):
    version, tos, whole, number, fragment, ttl, protocol, _, source, target = struct.unpack(
        ">BBHHHBBH4s4s", packet[:20]
    )
    assert (version, whole, fragment, ttl) == (0x45, length, 0x4000, 64)
    assert total(packet[:20]) == 0xFFFF
    inner = packet[20:]
    # The payload, which is not stored, is zeros: it counts in the pseudo-header only.
    assert total(source + target + struct.pack(">HH", protocol, length - 20) + inner) == 0xFFFF
    ports = struct.unpack(">HH", inner[:4])
    made = Packet(time, *(".".join(map(str, one)) for one in (source, target)), protocol, length, number, tos, ports, 0)
    if protocol == 17:
        assert len(inner) == 8
        assert struct.unpack(">H", inner[4:6])[0] == length - 20
        made.payload = length - 28
        return made
    assert protocol == 6
    made.sequence, made.acknowledged, offset, flags, made.window = struct.unpack(">IIBBH", inner[4:16])
    assert offset == len(inner) // 4 << 4
    made.flags = "".join(letter for bit, letter in FLAGS.items() if flags & bit)
    made.options = options_of(inner[20:])
    made.payload = length - 20 - len(inner)
    return made


def stamps(packet):
    """The time stamp and its echo."""
    return struct.unpack(">II", packet.options[8])


def blocks(packet):
    """The SACK blocks."""
    edges = packet.options.get(5, b"")
    return [struct.unpack(">II", edges[k : k + 8]) for k in range(0, len(edges), 8)]

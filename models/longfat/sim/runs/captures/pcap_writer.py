"""Packets as IPv4 with TCP or UDP headers, in the classic pcap format with nanoseconds.

The format is that of draft-ietf-opsawg-pcap (link type 101: raw IP). We write it ourselves, because a record is 16
bytes before the packet, and libraries (dpkt, scapy) make a Python object of each packet: NumPy makes a million packets
in a few seconds.

A flow's packets become TCP (RFC 9293) with sequence numbers in bytes; traffic without a scheme, and schemes without
acknowledgments or with a receiver of their own, become UDP. Headers only are stored, beside the length of the whole
packet: the payload is zeros, which the checksums cover.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from longfat.sim.kernel import records
from longfat.sim.runs.engine import Simulation

MAGIC = 0xA1B23C4D  # nanoseconds
RAW = 101
#: Simulated time 0 is one second after the epoch, because a handshake at time 0 begins before it.
EPOCH = records.SECOND
TICK_NS = 1_000_000  # of time stamps: RFC 7323, section 5.4, allows 1 ms to 1 s
LONGEST = 65_535  # bytes of an IPv4 packet
FIN, SYN, PSH, ACK, ECE, CWR = 1, 2, 8, 16, 64, 128
TCP, UDP = 6, 17
SHIFT = 14  # window scale (RFC 7323, section 2.3): the receivers of `longfat.sim` advertise no limit

#: Where the parts of a packet are in a row, before absent ones are taken out. All begin at an even byte, so that the
#: checksums can be computed in place.
WIDTHS = {"record": 16, "ip": 20, "ports": 8, "tcp": 12, "mss": 4, "scale": 4, "stamps": 12, "permit": 4, "sack": 28}
EDGES = np.cumsum([0, *WIDTHS.values()])
PLACE = {name: slice(*edges) for name, edges in zip(WIDTHS, pairwise(EDGES.tolist()), strict=True)}


def header() -> bytes:
    """Return the header of a file: version 2.4, times in UTC, snap length, link type."""
    return struct.pack("<IHHiIII", MAGIC, 2, 4, 0, 0, LONGEST, RAW)


@dataclass(frozen=True)
class Hosts:
    """Fields of the packets of each flow, an array entry for each row of flows."""

    source: np.ndarray
    target: np.ndarray
    udp: np.ndarray
    payload: np.ndarray  # bytes
    stamps: np.ndarray  # time stamps option
    sack: np.ndarray  # SACK option
    ecn: np.ndarray

    @classmethod
    def of(cls, run: Simulation) -> Hosts:
        """Return the hosts of a run: a node has the address 10.0.0.0 plus its number, counted from 1."""
        state, copies = run.state, run.assembly.copies
        nodes = {name: k for k, name in enumerate(dict.fromkeys(node for flow in copies for node in flow.path))}
        template, own = state.tallies["template"], np.arange(len(state.senders))
        template = np.where(template == records.NONE, own, template)
        ends = np.array([[nodes[flow.path[0]], nodes[flow.path[-1]]] for flow in copies])[template]
        senders, kinds = state.senders, state.tallies["traffic"]
        generated = (kinds != records.TRANSFER) & (kinds != records.ARRIVALS)
        stamps = senders["timestamps"] != 0
        length = np.minimum(senders["packet_size"], LONGEST)
        return cls(
            source=(10 << 24) + 1 + ends[:, 0],
            target=(10 << 24) + 1 + ends[:, 1],
            udp=generated | (state.receivers["acknowledges"] == 0) | (state.receivers["delays"] == records.BY_SCHEME),
            payload=np.maximum(length - 40 - 12 * stamps, 1).astype(np.int64),
            stamps=stamps,
            sack=senders["repair"] != records.OWN,
            ecn=senders["ect"] != 0,
        )


def expanded(rows: np.ndarray, hosts: Hosts) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of packets, and the step of each in a handshake: three of a connection that begins or ends.

    The simulator has no handshakes, its connections are open when they start. The three packets follow each other by
    1 ns, so that the initial round-trip time by Wireshark is less than any time between two packets: it compares with
    it to distinguish a retransmission from a packet out of order.
    """
    shakes = (rows["what"] == records.STARTED) | (rows["what"] == records.FINISHED)
    packets = rows["what"] < records.STARTED
    rows = rows[packets | (shakes & ~hosts.udp[rows["flow"]])]
    count = np.where(rows["what"] < records.STARTED, 1, 3)
    step = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    made = np.repeat(rows, count)
    made["time"] += np.where(made["what"] == records.STARTED, step - 2, 0)
    return made, step


def initial(connection: np.ndarray) -> np.ndarray:
    """Return the initial sequence number of a connection's sender: scattered, so that traces wrap around, too."""
    return (connection + 1) * 2654435761 % 2**32


def replying(connection: np.ndarray) -> np.ndarray:
    """Return the initial sequence number of a connection's receiver."""
    return (connection + 1) * 2246822519 % 2**32


@dataclass(frozen=True)
class Packets:
    """Packets of one file: rows of the trace, steps of handshakes, and which come after the end of their connection."""

    rows: np.ndarray
    step: np.ndarray
    late: np.ndarray
    hosts: Hosts

    def encode(self) -> bytes:
        """Return the packets as bytes of a file."""
        if not len(self.rows):
            return b""
        raw = np.zeros((len(self.rows), int(EDGES[-1])), np.uint8)
        self._ports(raw)
        self._numbers(raw)
        self._options(raw)
        self._ip(raw)
        self._checksums(raw)
        time = self.rows["time"] + EPOCH
        for k, words in enumerate((time // records.SECOND, time % records.SECOND, self.stored, self.length)):
            raw[:, 4 * k : 4 * k + 4] = words.astype("<u4").view(np.uint8).reshape(-1, 4)
        return bytes(raw[self._there()])

    def _is(self, *what: int) -> np.ndarray:
        return np.isin(self.rows["what"], what)

    def _of(self, name: str) -> Any:
        """Return a field of the hosts for each packet."""
        return getattr(self.hosts, name)[self.rows["flow"]]

    @cached_property
    def opening(self) -> np.ndarray:
        """Which packets belong to the handshake at the start of a connection."""
        return self._is(records.STARTED)

    @cached_property
    def closing(self) -> np.ndarray:
        """Which packets belong to the end of a connection."""
        return self._is(records.FINISHED)

    @cached_property
    def data(self) -> np.ndarray:
        """Which packets carry data."""
        return self._is(records.SENT, records.RECEIVED)

    @cached_property
    def forward(self) -> np.ndarray:
        """Which packets go from the sender to the receiver."""
        return np.asarray(self.data | ((self.opening | self.closing) & (self.step != 1)))

    @cached_property
    def blocks(self) -> np.ndarray:
        """Return the number of SACK blocks."""
        none = self._of("udp") | ~self._of("sack")
        return np.where(none, 0, (self.rows["blocks"][:, 1::2] > 0).sum(1))

    @cached_property
    def options(self) -> dict[str, np.ndarray]:
        """Masks of the packets that have each part of the header after the ports, except SACK blocks."""
        tcp, syn = ~self._of("udp"), self.opening & (self.step < 2)
        stamps, permit = tcp & self._of("stamps"), syn & self._of("sack")
        return {"tcp": tcp, "mss": syn, "scale": syn, "stamps": stamps, "permit": permit}

    @cached_property
    def sack_length(self) -> np.ndarray:
        """Return the length of the option with SACK blocks, two bytes of padding included."""
        return np.where(self.blocks > 0, 4 + 8 * self.blocks, 0)

    @cached_property
    def stored(self) -> np.ndarray:
        """Return the lengths of the headers [bytes]; only headers are stored."""
        each = [np.where(there, WIDTHS[name], 0) for name, there in self.options.items()]
        return np.asarray(np.sum(each, 0) + WIDTHS["ip"] + WIDTHS["ports"] + self.sack_length)

    @cached_property
    def length(self) -> np.ndarray:
        """Return the bytes of the whole packets."""
        tcp = self.stored + np.where(self.data, self._of("payload"), 0)
        return np.where(self._of("udp"), np.clip(self.rows["length"], 28, LONGEST), tcp)

    def _there(self) -> np.ndarray:
        """Return which bytes of the rows a file has."""
        present = {name: np.ones(len(self.rows), bool) for name in ("record", "ip", "ports")}
        present |= {**self.options, "sack": self.blocks > 0}
        there = np.repeat(np.stack(list(present.values()), 1), list(WIDTHS.values()), 1)
        there[:, PLACE["sack"]] = np.arange(WIDTHS["sack"]) < self.sack_length[:, None]
        return there

    def _ports(self, raw: np.ndarray) -> None:
        """Write the ports, which tell the connections between two hosts apart."""
        connection = self.rows["connection"]
        client, server = 1024 + connection % 64512, 5001 + connection // 64512
        put(raw, "ports", 0, np.where(self.forward, client, server), 2)
        put(raw, "ports", 2, np.where(self.forward, server, client), 2)
        put(raw, "ports", 4, self.length - 20, 2, self._of("udp"))

    def _numbers(self, raw: np.ndarray) -> None:
        """Write sequence and acknowledgment number, flags and window (RFC 9293, section 3.1)."""
        rows, step, opening, closing = self.rows, self.step, self.opening, self.closing
        mine, theirs = initial(rows["connection"]), replying(rows["connection"])
        data, last = mine + 1 + rows["number"] * self._of("payload"), closing & (step == 2)
        # The receiver sends no data: its sequence number moves with SYN and FIN only.
        sequence = np.where(self.forward, data + last, theirs + 1 + self.late)
        number = np.where(self.forward, theirs + 1 + last, data + (closing | self.late))
        sequence = np.where(opening, np.choose(step, [mine, theirs, mine + 1]), sequence)
        number = np.where(opening, np.choose(step, [0 * mine, mine + 1, theirs + 1]), number)
        flags = np.full(len(rows), ACK)
        for bit, flag in ((records.LAST, PSH), (records.CWR, CWR), (records.ECE, ECE)):
            flags |= np.where((rows["marks"] & bit) != 0, flag, 0)
        flags[opening] = np.choose(step, [SYN, SYN | ACK, ACK])[opening]
        # RFC 3168, section 6.1.1: the SYN has ECE and CWR, the reply has ECE.
        flags |= np.where(opening & self._of("ecn"), np.choose(step, [ECE | CWR, ECE, 0]), 0)
        flags[closing] = np.choose(step, [FIN | ACK, FIN | ACK, ACK])[closing]
        put(raw, "ports", 4, sequence % 2**32, 4, ~self._of("udp"))
        put(raw, "tcp", 0, number % 2**32, 4)
        put(raw, "tcp", 4, ((self.stored - 20) // 4 << 12) + flags, 2)
        put(raw, "tcp", 6, LONGEST, 2)

    def _options(self, raw: np.ndarray) -> None:
        """Write the options: segment size, window scale, SACK permitted, time stamps, SACK blocks (RFC 2018, 7323)."""
        rows, syn = self.rows, self.options["mss"]
        # RFC 6691: the segment size is without options.
        put(raw, "mss", 0, 0x02040000 + self._of("payload") + 12 * self._of("stamps"), 4, syn)
        put(raw, "scale", 0, 0x01030300 + SHIFT, 4, syn)
        put(raw, "permit", 0, 0x01010402, 4, self.options["permit"])
        packet, stamps = rows["what"] < records.STARTED, self.options["stamps"]
        value = np.where(packet, np.where(self.data, rows["sent"], rows["echo"]), rows["time"])
        reply = np.where(packet, np.where(self.data, rows["echo"], rows["sent"]), rows["time"])
        reply = np.where(self.opening & (self.step == 0), -EPOCH, reply)
        put(raw, "stamps", 0, 0x0101080A, 4, stamps)
        put(raw, "stamps", 4, (value + EPOCH) // TICK_NS % 2**32, 4, stamps)
        put(raw, "stamps", 8, (reply + EPOCH) // TICK_NS % 2**32, 4, stamps)
        put(raw, "sack", 0, 0x01010500 + 2 + 8 * self.blocks, 4, self.blocks > 0)
        begin = initial(rows["connection"]) + 1
        for k in range(6):
            edge = begin + rows["blocks"][:, k] * self._of("payload")
            put(raw, "sack", 4 + 4 * k, edge % 2**32, 4, self.blocks > k // 2)

    def _ip(self, raw: np.ndarray) -> None:
        """Write the IPv4 header: RFC 791; RFC 3168, section 5, and RFC 9331, section 2, for the codepoints of ECN."""
        marks = self.rows["marks"]
        scalable = (marks & records.ECT1) != 0
        codepoint = np.where((marks & records.CE) != 0, 3, np.where(scalable, 1, 2))
        capable = self.data & ((marks & (records.ECT | records.CE)) != 0)
        put(raw, "ip", 0, 0x4500 + np.where(capable | (self.data & scalable), codepoint, 0), 2)
        put(raw, "ip", 2, self.length, 2)
        put(raw, "ip", 4, self.rows["transmission"] % 2**16, 2)
        put(raw, "ip", 6, 0x4000, 2)  # do not fragment
        put(raw, "ip", 8, (64 << 8) + np.where(self._of("udp"), UDP, TCP), 2)
        source, target = self._of("source"), self._of("target")
        put(raw, "ip", 12, np.where(self.forward, source, target), 4)
        put(raw, "ip", 16, np.where(self.forward, target, source), 4)

    def _checksums(self, raw: np.ndarray) -> None:
        """Write the checksums of IP and of TCP or UDP with its pseudo-header; the payload of zeros adds nothing."""
        words, udp = raw.view(">u2").astype(np.int64), self._of("udp")
        ip, ports, tcp = (PLACE[name].start // 2 for name in ("ip", "ports", "tcp"))
        put(raw, "ip", 10, complement(words[:, ip:ports].sum(1)), 2)
        total = words[:, ip + 6 : ip + 10].sum(1) + np.where(udp, UDP, TCP) + self.length - 20
        total = complement(total + words[:, ports:tcp].sum(1) + np.where(udp, 0, words[:, tcp:].sum(1)))
        put(raw, "tcp", 8, total, 2, ~udp)
        put(raw, "ports", 6, np.where(total == 0, 0xFFFF, total), 2, udp)  # RFC 768: 0 means that there is none


def put(raw: np.ndarray, part: str, offset: int, values: Any, width: int, where: Any = True) -> None:
    """Write integers of `width` bytes in network order to a part of the packets `where`."""
    begin = PLACE[part].start + offset
    words = np.broadcast_to(np.asarray(values, np.int64), len(raw)).astype(f">u{width}")
    octets = np.ascontiguousarray(words).view(np.uint8).reshape(-1, width)
    np.copyto(raw[:, begin : begin + width], octets, where=np.broadcast_to(where, len(raw))[:, None])


def complement(total: np.ndarray) -> np.ndarray:
    """Return the complement of a sum of 16-bit words in ones' complement (RFC 1071)."""
    while (total >> 16).any():
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF

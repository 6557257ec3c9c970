"""Packets as bytes of a file: IPv4 with TCP or UDP headers, in the classic pcap format with nanoseconds.

NumPy makes a million packets in a few seconds. The layouts of headers are those of `longfat.base.headers`.

A flow's packets become TCP (RFC 9293) with sequence numbers in bytes; traffic without a scheme becomes UDP, as do
schemes without acknowledgments or with their own receiver. Only headers are stored, with the length of the whole
packet: the payload consists of zeros, which the checksums cover.
"""

from __future__ import annotations

import numpy as np

from longfat.base import headers
from longfat.base.headers import ACK, CWR, ECE, FIN, LONGEST, PSH, SYN, TCP, UDP
from longfat.sim.kernel import records
from longfat.sim.runs.engine import Simulation

#: Timestamp of simulated time 0: one second after the epoch, because the handshake of a flow that starts at time
#: 0 begins earlier.
EPOCH = records.SECOND
TICK_NS = 1_000_000  # unit of time stamps [ns]: RFC 7323, section 5.4, allows 1 ms to 1 s
SHIFT = 14  # largest window scale (RFC 7323, section 2.3): receivers of `longfat.sim` do not limit the window

#: Parts of a packet in the file; parts that a packet lacks are removed afterwards. All parts begin at an even byte, so
#: that the checksums can be computed in place.
PARTS = {
    "record": np.dtype(("<u4", 4)), "ip": headers.IPV4, "tcp": headers.TCP_HEADER, "mss": np.dtype(">u4"),
    "scale": np.dtype(">u4"), "stamps": np.dtype((">u4", 3)), "permit": np.dtype(">u4"), "sack": np.dtype((">u4", 7)),
}  # fmt: skip
PACKET = np.dtype(list(PARTS.items()))


#: Header fields of the packets of a flow.
HOST = np.dtype([
    ("source", np.int64), ("target", np.int64),  # addresses
    ("payload", np.int64),  # bytes
    ("udp", bool), ("ecn", bool),
    ("stamps", bool), ("sack", bool),  # options of TCP
])  # fmt: skip


def hosts_of(run: Simulation) -> np.ndarray:
    """Return a row of `HOST` for each flow; a node has the address 10.0.0.0 plus its number, counted from 1."""
    state, copies = run.state, run.state.copies
    nodes = {name: k for k, name in enumerate(dict.fromkeys(node for flow in copies for node in flow.path))}
    template, own = state.tallies["template"], np.arange(len(state.senders))
    template = np.where(template == records.NONE, own, template)
    ends = np.array([[nodes[flow.path[0]], nodes[flow.path[-1]]] for flow in copies])[template]
    senders, kinds = state.senders, state.tallies["traffic"]
    generated = (kinds != records.TRANSFER) & (kinds != records.ARRIVALS)
    made = np.empty(len(own), HOST)
    made["source"], made["target"] = (10 << 24) + 1 + ends.T
    made["udp"] = generated | (state.receivers["acknowledges"] == 0) | (state.receivers["delays"] == records.BY_SCHEME)
    made["stamps"] = senders["timestamps"] != 0
    made["payload"] = np.maximum(np.minimum(senders["packet_size"], LONGEST) - 40 - 12 * made["stamps"], 1)
    made["sack"] = senders["repair"] != records.OWN
    made["ecn"] = senders["ect"] != 0
    return made


def expanded(rows: np.ndarray, hosts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of packets and their handshake steps; a connection's start and its end become three packets each.

    The simulator has no handshakes: its connections are open when they start. The three packets are 1 ns
    apart. Wireshark measures the initial round-trip time between them, by which it distinguishes a retransmission
    from a packet out of order; this time is then less than the time between any two packets.
    """
    shakes = (rows["what"] == records.STARTED) | (rows["what"] == records.FINISHED)
    packets = rows["what"] < records.STARTED
    rows = rows[packets | (shakes & ~hosts["udp"][rows["flow"]])]
    count = np.where(rows["what"] < records.STARTED, 1, 3)
    step = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    made = np.repeat(rows, count)
    made["time"] += np.where(made["what"] == records.STARTED, step - 2, 0)
    return made, step


def initial(connection: np.ndarray) -> np.ndarray:
    """Return a sender's initial sequence number, scattered so that the numbers of some connections wrap around."""
    return (connection + 1) * 2654435761 % 2**32


def replying(connection: np.ndarray) -> np.ndarray:
    """Return the initial sequence number of a connection's receiver."""
    return (connection + 1) * 2246822519 % 2**32


class Packets:
    """Packets of one file, given as rows of the trace and their handshake steps, which `expanded` returns.

    `late` says whether each packet follows the end of its connection; `hosts` has a row of `HOST` for each flow.
    """

    def __init__(self, rows: np.ndarray, step: np.ndarray, late: np.ndarray, hosts: np.ndarray) -> None:
        what, host = rows["what"], hosts[rows["flow"]]
        self.rows, self.step, self.late, self.host = rows, step, late, host
        self.opening, self.closing = what == records.STARTED, what == records.FINISHED
        self.data = (what == records.SENT) | (what == records.RECEIVED)
        self.forward = self.data | ((self.opening | self.closing) & (step != 1))  # true if sent from sender to receiver
        self.blocks = np.where(host["udp"] | ~host["sack"], 0, (rows["blocks"][:, 1::2] > 0).sum(1))
        syn = self.opening & (step < 2)
        #: Sizes [bytes] of the parts of each packet; the SACK option includes two bytes of padding.
        self.sizes = {
            "record": np.full(len(rows), 16),
            "ip": np.full(len(rows), 20),
            "tcp": np.where(host["udp"], 8, 20),
            "mss": 4 * syn,
            "scale": 4 * syn,
            "stamps": 12 * (~host["udp"] & host["stamps"]),
            "permit": 4 * (syn & host["sack"]),
            "sack": np.where(self.blocks > 0, 4 + 8 * self.blocks, 0),
        }
        self.stored = sum(self.sizes.values()) - self.sizes["record"]  # size of the headers [bytes]
        length = self.stored + np.where(self.data, host["payload"], 0)
        self.length = np.where(host["udp"], np.clip(rows["length"], 28, LONGEST), length)  # bytes, payload included

    def encode(self) -> bytes:
        """Return the packets as bytes of a file."""
        packets = np.zeros(len(self.rows), PACKET)
        time = self.rows["time"] + EPOCH
        packets["record"] = np.stack((time // records.SECOND, time % records.SECOND, self.stored, self.length), 1)
        self._ip(packets["ip"])
        self._tcp(packets["tcp"])
        self._options(packets)
        raw = packets.view(np.uint8).reshape(len(packets), PACKET.itemsize)
        there = np.concatenate(
            [np.arange(PARTS[name].itemsize) < size[:, None] for name, size in self.sizes.items()], 1
        )
        raw *= there
        self._checksums(packets, raw)
        return bytes(raw[there])

    def _tcp(self, tcp: np.ndarray) -> None:
        """Write the headers of TCP and UDP; UDP has its length and checksum where TCP has the sequence number.

        The ports distinguish the connections between two hosts.
        """
        rows, connection = self.rows, self.rows["connection"]
        client, server = 1024 + connection % 64512, 5001 + connection // 64512
        tcp["source"] = np.where(self.forward, client, server)
        tcp["target"] = np.where(self.forward, server, client)
        step, opening, closing = self.step, self.opening, self.closing
        mine, theirs = initial(connection), replying(connection)
        data, last = mine + 1 + rows["number"] * self.host["payload"], closing & (step == 2)
        # The receiver sends no data: only SYN and FIN increase its sequence number.
        sequence = np.where(self.forward, data + last, theirs + 1 + self.late)
        number = np.where(self.forward, theirs + 1 + last, data + (closing | self.late))
        sequence = np.where(opening, np.choose(step, [mine, theirs, mine + 1]), sequence)
        number = np.where(opening, np.choose(step, [0 * mine, mine + 1, theirs + 1]), number)
        flags = np.full(len(rows), ACK)
        for bit, flag in ((records.LAST, PSH), (records.CWR, CWR), (records.ECE, ECE)):
            flags |= np.where((rows["flag_bits"] & bit) != 0, flag, 0)
        flags[opening] = np.choose(step, [SYN, SYN | ACK, ACK])[opening]
        # RFC 3168, section 6.1.1: the SYN has ECE and CWR, the reply has ECE.
        flags |= np.where(opening & self.host["ecn"], np.choose(step, [ECE | CWR, ECE, 0]), 0)
        flags[closing] = np.choose(step, [FIN | ACK, FIN | ACK, ACK])[closing]
        tcp["sequence"] = np.where(self.host["udp"], self.length - 20 << 16, sequence % 2**32)
        tcp["acknowledgment"] = number % 2**32
        tcp["offset"] = (self.stored - 20) // 4 << 4
        tcp["flags"] = flags
        tcp["window"] = LONGEST

    def _options(self, packets: np.ndarray) -> None:
        """Write the options: segment size, window scale, SACK permitted, time stamps, SACK blocks (RFC 2018, 7323)."""
        rows, payload = self.rows, self.host["payload"]
        packets["mss"] = headers.MSS + payload + 12 * self.host["stamps"]  # RFC 6691: options do not count
        packets["scale"] = headers.SCALE + SHIFT
        packets["permit"] = headers.PERMIT
        packet = rows["what"] < records.STARTED
        value = np.where(packet, np.where(self.data, rows["sent"], rows["echo"]), rows["time"])
        reply = np.where(packet, np.where(self.data, rows["echo"], rows["sent"]), rows["time"])
        reply = np.where(self.opening & (self.step == 0), -EPOCH, reply)
        packets["stamps"][:, 0] = headers.STAMPS
        packets["stamps"][:, 1:] = (np.stack((value, reply), 1) + EPOCH) // TICK_NS % 2**32
        packets["sack"][:, 0] = headers.SACK + 2 + 8 * self.blocks
        edges = initial(rows["connection"])[:, None] + 1 + rows["blocks"] * payload[:, None]
        packets["sack"][:, 1:] = edges % 2**32

    def _ip(self, ip: np.ndarray) -> None:
        """Write the IPv4 header (RFC 791) with ECN codepoints (RFC 3168, section 5, and RFC 9331, section 2)."""
        bits = self.rows["flag_bits"]
        scalable = (bits & records.ECT1) != 0
        codepoint = np.where((bits & records.CE) != 0, 3, np.where(scalable, 1, 2))
        capable = self.data & ((bits & (records.ECT | records.CE)) != 0)
        ip["version"] = 0x45
        ip["service"] = np.where(capable | (self.data & scalable), codepoint, 0)
        ip["length"] = self.length
        ip["identification"] = self.rows["transmission"] % 2**16
        ip["fragment"] = 0x4000  # do not fragment
        ip["lifetime"] = 64
        ip["protocol"] = np.where(self.host["udp"], UDP, TCP)
        source, target = self.host["source"], self.host["target"]
        ip["source"] = np.where(self.forward, source, target)
        ip["target"] = np.where(self.forward, target, source)

    def _checksums(self, packets: np.ndarray, raw: np.ndarray) -> None:
        """Write the checksums of IP and of TCP or UDP with its pseudo-header; the payload of zeros adds nothing."""
        ip, tcp, udp = packets["ip"], packets["tcp"], self.host["udp"]
        words = (
            raw[:, PARTS["record"].itemsize :].view(">u2").astype(np.int64)
        )  # ten words of 16 bits are the IP header, the last four its addresses
        ip["checksum"] = headers.checksum(words[:, :10].sum(1))
        total = headers.checksum(words[:, 6:].sum(1) + ip["protocol"] + self.length - 20)
        tcp["checksum"] = total
        # RFC 768: a checksum of 0 means no checksum, so a computed 0 is sent as 0xFFFF.
        tcp["sequence"] = tcp["sequence"] + np.where(udp, np.where(total == 0, 0xFFFF, total), 0)

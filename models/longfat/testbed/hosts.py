"""Applications at both ends of all connections: they open, write, read, stop and sample connections in virtual time.

The process of the emulator calls the applications at virtual times; no other process takes part in a run. A separate
process for the applications would lock a connection while it writes or reads. If that process then had to wait for a
processor, all packets that reach the connection would also wait, however punctual the emulator is. A sample is a row
of the type `record`, with the fields of struct tcp_info.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import resource
import socket
import struct
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from longfat.testbed.network_namespaces import Host, call
from longfat.testbed.plan import RECEIVERS, SENDERS, Connection

if TYPE_CHECKING:
    import numpy as np

SIOCINQ, SIOCOUTQNSD = 0x541B, 0x894B  # linux/sockios.h: bytes to read; bytes that wait to be sent for the first time

#: With n receivers, a receiver empties its buffer when it has min(WAITING, ALL_WAITING / n) unread bytes, at least
#: 65536. Our choice: WAITING is a sixteenth of the smallest buffer. Linux acknowledges all data when a buffer is
#: emptied, so a receiver that reads every packet at once changes the result: a utilisation fell from 0.81 to 0.63. Once
#: SO_RCVLOWAT bytes are unread, Linux sends no acknowledgment before the application reads (__tcp_ack_snd_check()). To
#: prevent this, SO_RCVLOWAT is NEVER_WAITING times the number of unread bytes at which the buffer is emptied.
WAITING, ALL_WAITING, NEVER_WAITING = 1_000_000, 16_000_000, 8
#: UNSENT is the number of unsent bytes that a sender's buffer should contain; CHUNK is the number of bytes of one
#: write, which takes about 0.05 ms (our choice).
UNSENT, CHUNK = 1_000_000, 1 << 16
FIRST = 1 << 18  # approximate number of bytes written at the start
#: In one call `Senders.serve` examines at most LOOKS connections, and writes at most CHUNKS chunks or empties as many
#: receive buffers. Our choice: the call then takes less time than the emulator may be late.
LOOKS, CHUNKS = 64, 4
READ = 1 << 22  # bytes that a receiver reads in one call
FORCED = {"SO_SNDBUF": 32, "SO_RCVBUF": 33}  # SO_SNDBUFFORCE and SO_RCVBUFFORCE, asm-generic/socket.h
LENGTH = 256  # bytes of a sample of TCP_INFO; Linux fills in the fields that its version has, and all others stay 0

#: NumPy type -> names of the fields of struct tcp_info (linux/tcp.h), in order. Spaces follow a type that occurs again,
#: because keys must differ. Two names stand for bytes that contain several bit fields: "wscale" for the window scales
#: of sender and receiver; "limits" for delivery_rate_app_limited and the reason for which TCP Fast Open failed.
FIELDS = {
    "u1": "state ca_state retransmits probes backoff options wscale limits",
    "u4": (
        "rto ato snd_mss rcv_mss unacked sacked lost retrans fackets last_data_sent last_ack_sent last_data_recv "
        "last_ack_recv pmtu rcv_ssthresh rtt rttvar snd_ssthresh snd_cwnd advmss reordering rcv_rtt rcv_space "
        "total_retrans"
    ),
    "u8": "pacing_rate max_pacing_rate bytes_acked bytes_received",
    "u4 ": "segs_out segs_in notsent_bytes min_rtt data_segs_in data_segs_out",
    "u8 ": "delivery_rate busy_time rwnd_limited sndbuf_limited",
    "u4  ": "delivered delivered_ce",
    "u8  ": "bytes_sent bytes_retrans",
    "u4   ": "dsack_dups reord_seen rcv_ooopack snd_wnd rcv_wnd rehash",
    "u2": "total_rto total_rto_recoveries",
    "u4    ": "total_rto_time",
}


class Senders:
    """All connections between two hosts, of senders and of receivers, with the applications at both ends.

    Senders and listeners are the unconnected sockets of both hosts, one of each for a connection (`sockets`). The
    options are those of all sockets, by their names in `longfat.testbed.settings.SOCKET_OPTIONS`.
    """

    def __init__(
        self, connections: Sequence[Connection], senders: list[socket.socket], listeners: Sequence[socket.socket],
        options: Mapping[str, int] | None = None,
    ) -> None:  # fmt: skip
        self.connections = connections
        self.opened = os.eventfd(0)  # becomes readable after all handshakes
        self.samples: list[bytes] = []  # samples of TCP_INFO, rows of `record`
        # `looks` counts how often `serve` examined a connection with unlimited data, `dry` how often the send buffer
        # was empty then, because the application was late.
        self.looks = self.dry = 0
        self.written = [0] * len(connections)  # bytes
        self.receivers: list[socket.socket] = []
        self._waiting = (options or {}).get("SO_RCVLOWAT", min(max(ALL_WAITING // len(connections), 1 << 16), WAITING))
        self._sockets, self._listeners = senders, deque(listeners)
        self._served: deque[int] = deque()  # connections that have begun, in the order in which `serve` examines them
        self._stopped: set[int] = set()
        # Chunks are whole packets, so that no packet is smaller than the others.
        self._chunks = [memoryview(bytes(max(CHUNK // one.payload, 1) * one.payload)) for one in connections]
        self._discarded = bytearray(READ)  # never written: MSG_TRUNC copies nothing

    def open(self) -> None:
        """Begin the handshakes of all connections."""
        for connection, sender in zip(self.connections, self._sockets, strict=True):
            sender.setblocking(False)
            sender.connect_ex((connection.address(RECEIVERS), connection.port))

    def accept(self) -> None:
        """Accept, in order, connections whose handshakes have ended; make ``opened`` readable after the last one."""
        with contextlib.suppress(BlockingIOError):
            while self._listeners:
                receiver, _ = self._listeners[0].accept()
                self._listeners.popleft().close()
                receiver.setblocking(False)
                receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, NEVER_WAITING * self._waiting)
                self.receivers.append(receiver)
            os.eventfd_write(self.opened, 1)

    def check(self) -> None:
        """Raise an error unless each connection is open and has the specified congestion control (tcp(7))."""
        if self._listeners:
            raise RuntimeError(f"{len(self._listeners)} handshakes did not end in time")
        for connection, sender in zip(self.connections, self._sockets, strict=True):
            found, asked = control_of(sender), connection.control
            if found != asked:
                raise RuntimeError(f"connection {connection.name!r} is controlled by {found!r}: must be {asked!r}")

    def start(self, k: int) -> None:
        """Write the first data of connection ``k``; `serve` writes the rest."""
        connection = self.connections[k]
        most = max(FIRST, 2 * connection.initial_window * connection.payload)
        self._write(k, memoryview(bytes(most // connection.payload * connection.payload)))
        self._served.append(k)

    def stop(self, time: int, k: int) -> None:
        """Sample connection ``k`` at virtual time ``time`` [ns], and reset it (ABORT, RFC 9293, section 3.10.5)."""
        self.sample(time, k)
        self._stopped.add(k)
        unspecified = ctypes.create_string_buffer(struct.pack("H14x", socket.AF_UNSPEC))
        call("connect", self._sockets[k].fileno(), unspecified, 16)  # AF_UNSPEC dissolves the association (connect(2))

    def sample(self, time: int, only: int | None = None) -> None:
        """Store TCP_INFO of all connections, or of connection ``only``, with the virtual time ``time`` [ns]."""
        for k in range(len(self._sockets)) if only is None else (only,):
            if k not in self._stopped:
                info = self._sockets[k].getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, LENGTH)
                self.samples.append(struct.pack("<qii", time, k, len(info)) + info.ljust(LENGTH, b"\0"))

    def serve(self) -> None:
        """Write data to connections with little unsent data, and empty receive buffers with much unread data."""
        budget = emptied = CHUNKS
        for _ in range(min(len(self._served), LOOKS)):
            k = self._served.popleft()
            if k in self._stopped:
                continue  # the rest of the data stays in the receiver's buffer
            self._served.append(k)
            if emptied and _buffered(self.receivers[k], SIOCINQ) >= self._waiting:
                self.receivers[k].recv_into(self._discarded, 0, socket.MSG_TRUNC)
                emptied -= 1
            if self._left(k):
                budget = self._fill(k, budget)

    def _fill(self, k: int, budget: int) -> int:
        """Write up to ``budget`` chunks, until connection ``k`` has enough unsent data; return the unused budget."""
        unsent = _buffered(self._sockets[k], SIOCOUTQNSD)
        if self.connections[k].file is None:
            self.looks += 1
            self.dry += unsent == 0
        while budget and unsent < UNSENT and (count := self._write(k, self._chunks[k])):
            unsent, budget = unsent + count, budget - 1
        return budget

    def _left(self, k: int) -> int:
        """Return the number of bytes that the application of a connection still has to write."""
        file = self.connections[k].file
        return sys.maxsize if file is None else file - self.written[k]

    def _write(self, k: int, data: memoryview) -> int:
        """Write as much data to a connection as its file and its buffer allow; return the number of bytes written."""
        try:
            count = self._sockets[k].send(data[: min(len(data), self._left(k))])
        except BlockingIOError:
            return 0
        except OSError as error:
            raise ConnectionError(f"connection {self.connections[k].name!r} broke: {error.strerror}") from None
        self.written[k] += count
        return count


def sockets(
    hosts: Sequence[Host], connections: Sequence[Connection], options: Mapping[str, int]
) -> tuple[list[socket.socket], list[socket.socket]]:
    """Return the sockets of all senders, and the listening sockets of all receivers."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    hosts[1].enter()
    listeners = [_socket(one, RECEIVERS, options) for one in connections]
    for one in listeners:
        one.setblocking(False)
        one.listen(1)
    hosts[0].enter()
    return [_socket(one, SENDERS, options) for one in connections], listeners


def _buffered(connection: socket.socket, what: int) -> int:
    """Return the number of unread (`SIOCINQ`) or unsent (`SIOCOUTQNSD`) bytes in a buffer of a connection."""
    return int.from_bytes(fcntl.ioctl(connection, what, bytes(4)), sys.byteorder)


def _socket(connection: Connection, prefix: str, options: Mapping[str, int]) -> socket.socket:
    """Return a new socket for a connection, bound to the connection's address in a prefix."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    for name, forced in FORCED.items():
        if name in options:
            # SO_SNDBUFFORCE and SO_RCVBUFFORCE ignore net.core.wmem_max and rmem_max, which belong to the machine
            # (socket(7)).
            made.setsockopt(socket.SOL_SOCKET, forced, options[name])
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, connection.control.encode())
    # With SO_LINGER (socket(7)) a closed socket discards unsent data, also after kill -9. Without it, Linux would
    # retransmit for minutes, and would keep the namespace and megabytes of the memory that all connections of the
    # machine share (tcp_mem); a lack of this memory would reduce buffers and windows of later runs. Receivers inherit
    # the option from their listeners.
    made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    made.bind((connection.address(prefix), connection.port))
    return made


def control_of(connection: socket.socket) -> str:
    """Return Linux's name of the congestion control of a connection."""
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode()


def record() -> np.dtype:
    """Return the NumPy type of a sample: virtual time [ns], connection, length [bytes], fields of TCP_INFO."""
    import numpy as np

    fields = [("time", "<i8"), ("connection", "<i4"), ("length", "<i4")]
    fields += [(name, f"<{kind.strip()}") for kind, names in FIELDS.items() for name in names.split()]
    rest = 16 + LENGTH - np.dtype(fields).itemsize
    return np.dtype([*fields, ("rest", f"V{rest}")])


def table(rows: bytes) -> np.ndarray:
    """Return samples as an array of the type `record`, from the bytes that `Senders` collects.

    Times are in microseconds, except for `last_data_sent` and the other fields `last_...`, which are in milliseconds;
    rates are in bytes/s, windows in packets.
    """
    import numpy as np

    return np.frombuffer(rows, record())

"""The connections of both hosts: opened, started, fed, emptied, stopped and sampled in virtual time.

The process of the emulator does all of this, at virtual times: no other process takes part in a run. A separate process
that keeps buffers full or empty locks a connection while it writes or reads; where it had to wait for a processor with
the lock, all that reached the connection meanwhile waited with it, however punctual the emulator.
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

from longfat.testbed.connection import RECEIVERS, SENDERS, Connection
from longfat.testbed.network_namespaces import Host, call
from longfat.testbed.tcp_info import LENGTH

__all__ = ["Senders"]

SIOCINQ, SIOCOUTQNSD = 0x541B, 0x894B  # linux/sockios.h: bytes to read; bytes that wait to be sent for the first time

#: Ours: bytes that wait before a receiver is emptied, of one connection and of all together; a sixteenth of the
#: smallest buffer. Emptying a receiver makes it acknowledge all data received so far, so that a reader of every packet
#: turned a utilisation of 0.81 into 0.63. Where as much waits as an application has asked for (SO_RCVLOWAT), Linux
#: leaves acknowledgments to the reader (__tcp_ack_snd_check()): SO_RCVLOWAT is set to a size that is never reached.
WAITING, ALL_WAITING, NEVER_WAITING = 1_000_000, 16_000_000, 8
#: Ours: bytes that are written to a connection ahead of transmission, in one call of about 0.05 ms.
UNSENT, CHUNK = 1_000_000, 1 << 16
FIRST = 1 << 18  # approximate number of bytes written at the start
#: Ours: connections examined in one call of `Senders.serve`, and chunks written or receivers emptied: a call takes less
#: time than the emulator may be late.
LOOKS, CHUNKS = 64, 4
READ = 1 << 22  # bytes that a receiver reads in one call
FORCED = {"SO_SNDBUF": 32, "SO_RCVBUF": 33}  # SO_SNDBUFFORCE and SO_RCVBUFFORCE, asm-generic/socket.h


class Senders:
    """Connections between two hosts, with the applications at both ends.

    Parameters
    ----------
    hosts : sequence of Host
        That of the senders and that of the receivers.
    connections : sequence of Connection
        Connections in the order of their numbers.
    options : mapping of str to int
        Options of all sockets, `longfat.testbed.settings.SOCKET_OPTIONS`.

    Attributes
    ----------
    opened : int
        File descriptor from which something can be read after all handshakes.
    written : list of int
        Bytes that each connection has been given to send.
    samples : list of bytes
        Samples of TCP_INFO, rows of `longfat.testbed.tcp_info.record`.
    looks, dry : int
        How often `serve` has looked at a connection whose application has more to write, and how often it found
        nothing left to send: then the application was late.
    """

    def __init__(
        self, hosts: Sequence[Host], connections: Sequence[Connection], options: Mapping[str, int] | None = None
    ) -> None:
        options = options or {}
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        hosts[1].enter()
        listeners = [_socket(one, RECEIVERS, options) for one in connections]
        for one in listeners:
            one.setblocking(False)
            one.listen(1)
        hosts[0].enter()
        self._take(connections, [_socket(one, SENDERS, options) for one in connections], listeners, options)

    def _take(
        self, connections: Sequence[Connection], senders: list[socket.socket], listeners: Sequence[socket.socket],
        options: Mapping[str, int] | None = None,
    ) -> None:  # fmt: skip
        """Begin with sockets that are not connected yet."""
        self.connections = connections
        self.opened = os.eventfd(0)
        self.samples: list[bytes] = []
        self.looks = self.dry = 0
        self.written = [0] * len(connections)
        self.receivers: list[socket.socket] = []
        self._waiting = (options or {}).get("SO_RCVLOWAT", min(max(ALL_WAITING // len(connections), 1 << 16), WAITING))
        self._sockets, self._listeners = senders, deque(listeners)
        self._served: deque[int] = deque()  # connections that have begun, the next to be looked at first
        self._stopped: set[int] = set()
        # Whole packets, so that none is smaller than the others.
        self._chunks = [memoryview(bytes(max(CHUNK // one.payload, 1) * one.payload)) for one in connections]
        self._discarded = bytearray(READ)  # never written: MSG_TRUNC copies nothing

    def open(self) -> None:
        """Begin all handshakes."""
        for connection, sender in zip(self.connections, self._sockets, strict=True):
            sender.setblocking(False)
            sender.connect_ex((connection.address(RECEIVERS), connection.port))

    def accept(self) -> None:
        """Accept the connections whose handshakes have ended, in order; report when the last one is accepted."""
        with contextlib.suppress(BlockingIOError):
            while self._listeners:
                receiver, _ = self._listeners[0].accept()
                self._listeners.popleft().close()
                receiver.setblocking(False)
                receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, NEVER_WAITING * self._waiting)
                self.receivers.append(receiver)
            os.eventfd_write(self.opened, 1)

    def check(self) -> None:
        """Raise an error unless each connection is open and has the congestion control that was asked for (tcp(7))."""
        if self._listeners:
            raise RuntimeError("the handshakes did not end in time")
        for connection, sender in zip(self.connections, self._sockets, strict=True):
            found = control_of(sender)
            if found != connection.control:
                raise RuntimeError(f"connection {connection.name!r} has {found!r} instead of {connection.control!r}")

    def start(self, k: int) -> None:
        """Write the first data of a connection; `serve` writes the rest."""
        connection = self.connections[k]
        most = max(FIRST, 2 * connection.initial_window * connection.payload)
        self._write(k, memoryview(bytes(most // connection.payload * connection.payload)))
        self._served.append(k)

    def stop(self, time: int, k: int) -> None:
        """End a connection with a reset (ABORT, RFC 9293, section 3.10.5), which arrives after the data sent before."""
        self.sample(time, k)
        self._stopped.add(k)
        unspecified = ctypes.create_string_buffer(struct.pack("H14x", socket.AF_UNSPEC))
        call("connect", self._sockets[k].fileno(), unspecified, 16)  # to nobody: connect(2) ends the association

    def sample(self, time: int, only: int | None = None) -> None:
        """Record TCP_INFO of all connections, or of one, for a virtual time [ns]."""
        for k in range(len(self._sockets)) if only is None else (only,):
            if k not in self._stopped:
                info = self._sockets[k].getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, LENGTH)
                self.samples.append(struct.pack("<qii", time, k, len(info)) + info.ljust(LENGTH, b"\0"))

    def serve(self) -> None:
        """Let every connection have data to send, and empty the receivers that have enough."""
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
        """Write chunks until a connection has enough to send; return the remaining number of chunks."""
        unsent = _buffered(self._sockets[k], SIOCOUTQNSD)
        if self.connections[k].file is None:
            self.looks += 1
            self.dry += unsent == 0
        while budget and unsent < UNSENT and (count := self._write(k, self._chunks[k])):
            unsent, budget = unsent + count, budget - 1
        return budget

    def _left(self, k: int) -> int:
        """Return the number of bytes that a connection's application still has to write."""
        file = self.connections[k].file
        return sys.maxsize if file is None else file - self.written[k]

    def _write(self, k: int, data: memoryview) -> int:
        """Write data of a connection, limited by its file and its buffer; return the number of bytes."""
        try:
            count = self._sockets[k].send(data[: min(len(data), self._left(k))])
        except BlockingIOError:
            return 0
        except OSError as error:
            raise ConnectionError(f"connection {self.connections[k].name!r} broke: {error.strerror}") from None
        self.written[k] += count
        return count


def _buffered(connection: socket.socket, what: int) -> int:
    """Return the number of bytes in one buffer of a connection, by `SIOCINQ` or `SIOCOUTQNSD`."""
    return int.from_bytes(fcntl.ioctl(connection, what, bytes(4)), sys.byteorder)


def _socket(connection: Connection, prefix: str, options: Mapping[str, int]) -> socket.socket:
    """Return a socket of a connection, bound to its address in a prefix."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    for name, forced in FORCED.items():
        if name in options:
            # As with net.core.rmem_max and wmem_max raised: these belong to the machine and are left alone (socket(7)).
            made.setsockopt(socket.SOL_SOCKET, forced, options[name])
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, connection.control.encode())
    # With SO_LINGER (socket(7)) a closed socket discards unsent data, also after kill -9. Otherwise Linux keeps trying
    # for minutes, and keeps the namespace and megabytes of the memory that all connections of the machine share
    # (tcp_mem): short of it, it shrinks buffers and windows of later runs. Receivers inherit it from their listeners.
    made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    made.bind((connection.address(prefix), connection.port))
    return made


def control_of(connection: socket.socket) -> str:
    """Return Linux's name of the congestion control that a connection has."""
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode()

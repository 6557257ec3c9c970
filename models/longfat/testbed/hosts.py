"""The applications of both hosts: a process of its own that opens, fills and empties every connection."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import resource
import select
import socket
import struct
import time
from collections.abc import Callable, Sequence
from typing import Any

from longfat.testbed.connection import RECEIVERS, SENDERS, Connection
from longfat.testbed.namespaces import Host, die_with_parent
from longfat.testbed.tcp_info import LENGTH

__all__ = ["Applications", "start"]

SECOND = 1_000_000_000
#: Ours: bytes that wait before a receiver is woken, of all connections together. No acknowledgment depends on when the
#: receiver is scheduled then; a reader of every packet turned a utilisation of 0.81 into 0.63.
WAITING = 16_000_000
CHUNK = 1 << 16  # bytes, about, of one write
SPIN = 0.002  # s before an action in which only the clock counts; a call of epoll may return a millisecond late
PATIENCE = 60.0  # s for all handshakes
#: Abort a connection on close: RST instead of FIN (SO_LINGER with a time of 0, RFC 9293, section 3.9.1, ABORT).
ABORT = struct.pack("ii", 1, 0)


def start(hosts: Sequence[Host], connections: Sequence[Connection]) -> tuple[int, Any]:
    """Start the applications' process, and return its number and the pipe to it.

    For a process with one thread, because it is forked. The pipe takes ("open",), then ("run", time of the start [ns of
    the monotonic clock], time of the end, interval of samples or None), and answers ("opened",) and ("done", samples,
    bytes written), or ("failed", message).
    """
    from multiprocessing import Pipe

    here, there = Pipe()
    parent = os.getpid()
    process = os.fork()
    if process:
        there.close()
        return process, here
    try:  # pragma: no cover - a process of its own
        here.close()
        die_with_parent(parent)
        _serve(there, hosts, connections)
    except BaseException as error:
        with contextlib.suppress(OSError):
            there.send(("failed", f"{type(error).__name__}: {error}"))
    finally:
        os._exit(0)


def _serve(pipe: Any, hosts: Sequence[Host], connections: Sequence[Connection]) -> None:
    applications = Applications(hosts, connections)
    for message in iter(pipe.recv, None):
        if message[0] == "open":
            applications.open()
            pipe.send(("opened",))
        else:
            applications.run(*message[1:])
            pipe.send(("done", b"".join(applications.samples), applications.written))


class Applications:
    """Senders and receivers of all connections.

    Parameters
    ----------
    hosts : sequence of Host
        That of the senders and that of the receivers.
    connections : sequence of Connection
        Connections in the order of their numbers.
    """

    def __init__(self, hosts: Sequence[Host], connections: Sequence[Connection]) -> None:
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        self.connections = connections
        self.written = [0] * len(connections)
        self.samples: list[bytes] = []
        self._discarded = bytearray(1 << 22)  # recv's length; MSG_TRUNC copies nothing into it
        # Whole packets, so that none is smaller than the others.
        self._chunks = [memoryview(bytes(max(CHUNK // one.payload, 1) * one.payload)) for one in connections]
        self._stopped: set[int] = set()
        self._serve: dict[int, tuple[Callable[[select.epoll, int], None], int]] = {}
        self._began = 0
        hosts[1].enter()
        self._listeners = [self._listener(one) for one in connections]
        hosts[0].enter()
        self.senders = [self._sender(one) for one in connections]
        self.receivers: list[socket.socket] = []

    def _socket(self, connection: Connection, prefix: str) -> socket.socket:
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, connection.control.encode())
        made.bind((connection.address(prefix), connection.port))
        return made

    def _listener(self, connection: Connection) -> socket.socket:
        """Return the socket on which the receiver of a connection listens."""
        made = self._socket(connection, RECEIVERS)
        made.listen(1)
        return made

    def _sender(self, connection: Connection) -> socket.socket:
        """Return the socket of the sender of a connection."""
        made = self._socket(connection, SENDERS)
        made.setblocking(False)
        return made

    def open(self) -> None:
        """Open all connections."""
        for connection, sender in zip(self.connections, self.senders, strict=True):
            sender.connect_ex((connection.address(RECEIVERS), connection.port))
        for listener in self._listeners:
            listener.settimeout(PATIENCE)
            receiver, _ = listener.accept()
            receiver.setblocking(False)
            lowest = max(WAITING // len(self.connections), 1 << 16)
            receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, lowest)
            self.receivers.append(receiver)
            listener.close()

    def run(self, begin: int, end: int, sample_every: float | None, sample_at: Sequence[int] = ()) -> None:
        """Send from the connections' starts on, receive, and take samples until the end.

        Parameters
        ----------
        begin, end : int
            Start and end of the run [ns of the monotonic clock].
        sample_every : float or None
            Interval between samples of TCP_INFO [s].
        sample_at : sequence of int
            Other times of samples since the start [ns].
        """
        self._began = begin
        span = end - begin
        plan: list[tuple[int, int, Callable[[], None]]] = [(at, 2, self._sample) for at in (*sample_at, span)]
        if sample_every is not None:
            step = round(sample_every * SECOND)
            plan += [(at, 2, self._sample) for at in range(0, span, step)]
        with select.epoll() as poll:
            self._serve = {sock.fileno(): (self._discard, k) for k, sock in enumerate(self.receivers)}
            self._serve |= {sock.fileno(): (self._fill, k) for k, sock in enumerate(self.senders)}
            for k, connection in enumerate(self.connections):
                poll.register(self.receivers[k], select.EPOLLIN)
                plan.append((round(connection.start * SECOND), 0, functools.partial(self._start, poll, k)))
                if connection.stop < math.inf:
                    plan.append((round(connection.stop * SECOND), 1, functools.partial(self._stop, poll, k)))
            for due, _, action in sorted(plan, key=lambda one: one[:2]):
                if due > span:
                    break
                self._wait(poll, begin + due)
                action()

    def _wait(self, poll: select.epoll, until: int) -> None:
        """Serve sockets until a time [ns of the monotonic clock]."""
        while (left := (until - time.monotonic_ns()) / SECOND) > 0:
            if left < SPIN:
                time.sleep(left)
                return
            for number, _ in poll.poll(left - SPIN / 2):
                serve, k = self._serve[number]
                serve(poll, k)

    def _start(self, poll: select.epoll, k: int) -> None:
        """Let a connection's application write."""
        poll.register(self.senders[k], select.EPOLLOUT)
        self._fill(poll, k)

    def _stop(self, poll: select.epoll, k: int) -> None:
        """Abort a connection; what it has sent arrives before the reset does."""
        self._sample(k)
        self._stopped.add(k)
        self.senders[k].setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
        self.senders[k].close()  # epoll forgets it

    def _fill(self, poll: select.epoll, k: int) -> None:
        """Write until the send buffer is full or the file ends."""
        connection, chunk = self.connections[k], self._chunks[k]
        left = math.inf if connection.file is None else connection.file - self.written[k]
        while left > 0:
            try:
                count = self.senders[k].send(chunk if left >= len(chunk) else chunk[: int(left)])
            except BlockingIOError:
                return
            except OSError as error:
                raise ConnectionError(f"connection {connection.name!r}: {error.strerror}") from None
            self.written[k] += count
            left -= count
        poll.unregister(self.senders[k])

    def _discard(self, poll: select.epoll, k: int) -> None:
        """Take everything that a receiver has, without copying it."""
        with contextlib.suppress(BlockingIOError, ConnectionResetError):
            while count := self.receivers[k].recv_into(self._discarded, 0, socket.MSG_TRUNC):
                if count < len(self._discarded):
                    return
        poll.unregister(self.receivers[k])  # aborted by its sender

    def _sample(self, only: int | None = None) -> None:
        """Record TCP_INFO of all senders, or of one."""
        for k in range(len(self.senders)) if only is None else (only,):
            if k not in self._stopped:
                info = self.senders[k].getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, LENGTH)
                now = time.monotonic_ns() - self._began
                self.samples.append(struct.pack("<qii", now, k, len(info)) + info.ljust(LENGTH, b"\0"))

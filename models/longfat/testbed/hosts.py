"""The connections of both hosts: opened, started, stopped and sampled here, filled and emptied by another process.

What decides results happens in virtual time: the emulator's process calls `Senders.start`, `stop` and `sample` when the
emulated network has reached the time for it. The other process keeps send buffers full and receive buffers empty. Both
are large, so that it does not matter when it is scheduled.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import functools
import math
import os
import resource
import select
import socket
import struct
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from longfat.testbed.connection import RECEIVERS, SENDERS, Connection
from longfat.testbed.namespaces import Host, call, die_with_parent
from longfat.testbed.tcp_info import LENGTH

__all__ = ["Senders"]

SIOCOUTQNSD = 0x894B

#: Ours: bytes that wait before a receiver is woken, of one connection and of all together; a sixteenth of the smallest
#: buffer. No acknowledgment depends on when the receiver is scheduled then; a reader of every packet turned a
#: utilisation of 0.81 into 0.63.
WAITING, ALL_WAITING = 1_000_000, 16_000_000
#: Ours: connections that are looked at in one call of `Senders.watch`.
WATCHED = 16
FIRST = 1 << 20  # bytes, about, that are written at the start; the other process writes the rest
ENDED = "the process of the applications ended without an answer"
READ = 1 << 22  # bytes that a receiver takes at once
FORCED = {"SO_SNDBUF": 32, "SO_RCVBUF": 33}  # SO_SNDBUFFORCE and SO_RCVBUFFORCE, asm-generic/socket.h


class Senders:
    """Senders of all connections, and the process that fills them and empties the receivers.

    For a process with one thread, because it is forked.

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
    pipe : multiprocessing.connection.Connection
        From it comes ("opened",) after the handshakes; ("written", bytes of each connection) at the end; or ("failed",
        message).
    samples : list of bytes
        Samples of TCP_INFO, rows of `longfat.testbed.tcp_info.record`.
    looks, dry : int
        How often `watch` has looked at a connection whose application has more to write, and how often it found
        nothing left to send: then the application was late.
    """

    def __init__(
        self, hosts: Sequence[Host], connections: Sequence[Connection], options: Mapping[str, int] | None = None
    ) -> None:
        options = options or {}
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        self.connections = connections
        self.samples: list[bytes] = []
        self.looks = self.dry = 0
        self._watched: deque[int] = deque()
        self._stopped: set[int] = set()
        hosts[1].enter()
        listeners = [_socket(one, RECEIVERS, options) for one in connections]
        for one in listeners:
            one.listen(1)
        hosts[0].enter()
        self._sockets = [_socket(one, SENDERS, options) for one in connections]
        lowest = options.get("SO_RCVLOWAT", min(max(ALL_WAITING // len(connections), 1 << 16), WAITING))
        self.pipe, self._process = _fork(
            lambda pipe: _Filler(pipe, connections, self._sockets, listeners, lowest).serve()
        )
        for one in listeners:
            one.close()

    def open(self) -> None:
        """Begin all handshakes."""
        for connection, sender in zip(self.connections, self._sockets, strict=True):
            sender.setblocking(False)
            sender.connect_ex((connection.address(RECEIVERS), connection.port))

    def check_controls(self) -> None:
        """Raise an error unless each connection has the congestion control that was asked for (tcp(7))."""
        for connection, sender in zip(self.connections, self._sockets, strict=True):
            found = control_of(sender)
            if found != connection.control:
                raise RuntimeError(f"connection {connection.name!r} has {found!r} instead of {connection.control!r}")

    def start(self, k: int) -> None:
        """Write the first data of a connection; the rest follows from the other process."""
        connection = self.connections[k]
        most = max(FIRST, 2 * connection.initial_window * connection.payload)
        left = most // connection.payload * connection.payload
        if connection.file is not None:
            left = min(left, connection.file)
        self._tell("fill", k, self._sockets[k].send(bytes(left)))
        if connection.file is None:
            self._watched.append(k)

    def stop(self, time: int, k: int) -> None:
        """End a connection with a reset (ABORT, RFC 9293, section 3.10.5), which arrives after what it has sent."""
        self.sample(time, k)
        self._stopped.add(k)
        self._tell("stop", k)
        unspecified = ctypes.create_string_buffer(struct.pack("H14x", socket.AF_UNSPEC))
        call("connect", self._sockets[k].fileno(), unspecified, 16)  # to nobody: connect(2) ends the association

    def sample(self, time: int, only: int | None = None) -> None:
        """Record TCP_INFO of all connections, or of one, for a virtual time [ns]."""
        for k in range(len(self._sockets)) if only is None else (only,):
            if k not in self._stopped:
                info = self._sockets[k].getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, LENGTH)
                self.samples.append(struct.pack("<qii", time, k, len(info)) + info.ljust(LENGTH, b"\0"))

    def watch(self) -> None:
        """Look whether connections without an end have data to send (SIOCOUTQNSD, linux/sockios.h)."""
        for _ in range(min(len(self._watched), WATCHED)):
            k = self._watched.popleft()
            if k not in self._stopped:
                self._watched.append(k)
                unsent = fcntl.ioctl(self._sockets[k], SIOCOUTQNSD, bytes(4))
                self.looks += 1
                self.dry += unsent == bytes(4)

    def _tell(self, *message: Any) -> None:
        """Give the other process an instruction."""
        try:
            self.pipe.send(message)
        except ConnectionError:
            raise RuntimeError(ENDED) from None

    def answer(self, expected: str) -> Any:
        """Return the other process's answer, without its name."""
        if expected == "opened" and not self.pipe.poll():
            raise RuntimeError("the handshakes did not end in time")
        try:
            name, *rest = self.pipe.recv()
        except EOFError:
            raise RuntimeError(ENDED) from None
        if name != expected:
            raise RuntimeError(f"the applications failed: {rest[0]}")
        return rest

    def end(self) -> list[int]:
        """End the other process, and return how many bytes each connection has written."""
        self._tell("end")
        (written,) = self.answer("written")
        os.waitpid(self._process, 0)
        return written  # type: ignore[no-any-return]


def _socket(connection: Connection, prefix: str, options: Mapping[str, int]) -> socket.socket:
    """Return a socket of a connection, bound to its address in a prefix."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    for name, forced in FORCED.items():
        if name in options:
            # As with net.core.rmem_max and wmem_max raised: these belong to the machine and are left alone (socket(7)).
            made.setsockopt(socket.SOL_SOCKET, forced, options[name])
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, connection.control.encode())
    # Closed, also by kill -9, it forgets what it has not sent (socket(7), SO_LINGER). Otherwise Linux keeps trying for
    # minutes, and keeps the namespace and megabytes of the memory that all connections of the machine share (tcp_mem):
    # short of it, it shrinks buffers and windows of later runs. Receivers inherit it from their listeners.
    made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    made.bind((connection.address(prefix), connection.port))
    return made


def control_of(connection: socket.socket) -> str:
    """Return Linux's name of the congestion control that a connection has."""
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode()


def _fork(serve: Callable[[Any], None]) -> tuple[Any, int]:
    """Start a process that serves a pipe; return the other end and the number of the process."""
    from multiprocessing import Pipe

    here, there = Pipe()
    parent = os.getpid()
    process = os.fork()
    if process:
        there.close()
        return here, process
    try:
        here.close()
        die_with_parent(parent)
        with contextlib.suppress(AttributeError, OSError):
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(9))
        serve(there)
    except BaseException as error:
        with contextlib.suppress(OSError):
            there.send(("failed", f"{type(error).__name__}: {error}"))
    os._exit(0)


class _Filler:
    """The other process: it opens the receivers, keeps send buffers full and receive buffers empty."""

    def __init__(
        self,
        pipe: Any,
        connections: Sequence[Connection],
        senders: Sequence[socket.socket],
        listeners: Sequence[socket.socket],
        lowest: int,
    ) -> None:
        self._lowest = lowest
        self._pipe, self._connections, self._senders, self._listeners = pipe, connections, senders, listeners
        # Whole packets, so that none is smaller than the others.
        self._chunks = [memoryview(bytes(max((1 << 16) // one.payload, 1) * one.payload)) for one in connections]
        self._written = [0] * len(connections)
        self._stopped: set[int] = set()
        self.receivers: list[socket.socket] = []
        self._discarded = bytearray(READ)  # never written: MSG_TRUNC copies nothing

    def serve(self) -> None:
        """Serve all sockets until the pipe says that it is the end."""
        with select.epoll() as poll:
            self._poll = poll
            self._actions: dict[int, Callable[[], None]] = {self._pipe.fileno(): self._follow}
            poll.register(self._pipe, select.EPOLLIN)
            self.receivers = self._accept()
            for k, receiver in enumerate(self.receivers):
                self._actions[receiver.fileno()] = functools.partial(self._discard, receiver)
                self._actions[self._senders[k].fileno()] = functools.partial(self._fill, k)
                poll.register(receiver, select.EPOLLIN)
            self._pipe.send(("opened",))
            self._ended = False
            while not self._ended:
                for number, _ in poll.poll():
                    self._actions[number]()
            self._pipe.send(("written", self._written))

    def _accept(self) -> list[socket.socket]:
        """Return the receivers' sockets, once all connections are open."""
        made = []
        for listener in self._listeners:
            receiver, _ = listener.accept()
            receiver.setblocking(False)
            receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, self._lowest)
            made.append(receiver)
        return made

    def _follow(self) -> None:
        """Follow an instruction of the emulator's process."""
        what, *rest = self._pipe.recv()
        self._ended = what == "end"
        if what == "fill":
            k, count = rest
            self._written[k] += count
            self._poll.register(self._senders[k], select.EPOLLOUT)
        elif what == "stop":
            self._stopped.add(rest[0])

    def _fill(self, k: int) -> None:
        """Write until the send buffer is full or the file ends."""
        connection, chunk = self._connections[k], self._chunks[k]
        left = math.inf if connection.file is None else connection.file - self._written[k]
        while left > 0:
            try:
                count = self._senders[k].send(chunk if left >= len(chunk) else chunk[: int(left)])
            except BlockingIOError:
                return
            except OSError as error:
                self._check_stopped(k, error)
                break
            self._written[k] += count
            left -= count
        self._poll.unregister(self._senders[k])

    def _check_stopped(self, k: int, error: OSError) -> None:
        """Raise an error unless the connection has been stopped, or will be by an instruction in the pipe."""
        while k not in self._stopped and self._pipe.poll(0.1):
            self._follow()
        if k not in self._stopped:
            raise ConnectionError(f"connection {self._connections[k].name!r} broke: {error.strerror}")

    def _discard(self, receiver: socket.socket) -> None:
        """Take everything that a receiver has, without copying it."""
        try:
            while count := receiver.recv_into(self._discarded, 0, socket.MSG_TRUNC):
                if count < READ:
                    return
        except BlockingIOError:
            return
        except ConnectionResetError:
            pass
        self._poll.unregister(receiver)  # aborted by its sender

"""The process that keeps send buffers full and receive buffers empty, here in a thread and over the loopback device."""

import contextlib
import socket
import sys
import threading
import time
from collections import deque
from multiprocessing import Pipe

import pytest

from longfat.testbed import hosts
from longfat.testbed.connection import Connection

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="epoll is Linux's")

PATIENCE = 10.0  # s


class Filled:
    """Connections over the loopback device, served by the thread of a filler."""

    def __init__(self, *files):
        self.connections = [Connection(k, f"flow-{k}", "reno", 1500, 1460, file=file) for k, file in enumerate(files)]
        listeners = [socket.create_server(("127.0.0.1", 0)) for _ in files]
        self.senders = [socket.create_connection(one.getsockname()) for one in listeners]
        for one in self.senders:
            one.setblocking(False)
        self.pipe, there = Pipe()
        self.filler = hosts._Filler(there, self.connections, self.senders, listeners)
        self.error = None
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()
        assert self.pipe.recv() == ("opened",)
        self.listeners, self.there = listeners, there

    def _serve(self):
        try:
            self.filler.serve()
        except ConnectionError as error:
            self.error = error

    def received(self, k):
        """Return how many bytes the receiver of a connection has acknowledged: tcpi_bytes_acked, less the SYN."""
        info = self.senders[k].getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 128)
        return int.from_bytes(info[120:128], sys.byteorder) - 1

    def wait(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition() and time.monotonic() < end:
            time.sleep(0.005)
        return condition()

    def close(self):
        self.thread.join(PATIENCE)
        for one in (*self.senders, *self.listeners, self.pipe, self.there, *self.filler.receivers):
            one.close()


def test_a_file_is_written_to_its_last_byte_and_no_further():
    """Of 3,000,000 bytes 1,000 are written before; of the other connection, which is not started, none."""
    one = Filled(3_000_000, None)
    one.senders[0].send(bytes(1000))
    one.pipe.send(("fill", 0, 1000))
    assert one.wait(lambda: one.received(0) == 3_000_000)
    one.pipe.send(("end",))
    assert one.pipe.recv() == ("written", [3_000_000, 0])
    assert one.received(1) == 0
    one.close()
    assert one.error is None


def test_endless_data_are_written_and_discarded_until_the_end():
    """Far more than any buffer holds passes, so both ends are served."""
    one = Filled(None)
    one.pipe.send(("fill", 0, 0))
    assert one.wait(lambda: one.received(0) > 200_000_000)
    one.pipe.send(("end",))
    assert one.pipe.recv()[1][0] > 200_000_000
    one.close()


def test_a_stopped_connection_may_break_and_the_others_go_on():
    one = Filled(None, 2_000_000)
    one.pipe.send(("fill", 0, 0))
    assert one.wait(lambda: one.received(0) > 1_000_000)
    one.senders[0].shutdown(socket.SHUT_RDWR)  # before the instruction, which is on its way
    one.pipe.send(("stop", 0))
    one.pipe.send(("fill", 1, 0))
    assert one.wait(lambda: one.received(1) == 2_000_000)
    one.pipe.send(("end",))
    assert one.pipe.recv()[1][1] == 2_000_000
    one.close()
    assert one.error is None


def test_a_connection_that_breaks_by_itself_ends_the_run():
    one = Filled(None)
    one.pipe.send(("fill", 0, 0))
    assert one.wait(lambda: one.received(0) > 1_000_000)
    one.senders[0].shutdown(socket.SHUT_RDWR)
    one.thread.join(PATIENCE)
    assert str(one.error) == "connection 'flow-0' broke: Broken pipe"
    one.close()


def test_a_sender_without_data_to_send_is_seen():
    """A receiver that takes nothing leaves data unsent; once the buffer is empty, the application was late."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        sender = socket.create_connection(listener.getsockname())
        receiver, _ = listener.accept()
    watching = hosts.Senders.__new__(hosts.Senders)  # without hosts, which need rights
    watching._sockets, watching._stopped, watching._watched = [sender], set(), deque([0])
    watching.looks = watching.dry = 0
    watching.watch()
    assert (watching.looks, watching.dry) == (1, 1)
    sender.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while sender.send(bytes(1 << 20)):
            pass
    watching.watch()
    assert (watching.looks, watching.dry) == (2, 1)
    watching._stopped.add(0)
    watching.watch()
    assert (watching.looks, len(watching._watched)) == (2, 0)
    sender.close()
    receiver.close()

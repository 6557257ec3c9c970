"""The process that keeps send buffers full and receive buffers empty, here in a thread and over the loopback device."""

import contextlib
import socket
import sys
import threading
import time
from collections import deque
from multiprocessing import Pipe

import pytest

from longfat.testbed import hosts, missing
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


TCP_CC_INFO = 26  # linux/tcp.h


def open_with(control):
    """Return a connection over the loopback device that was asked for a congestion control."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        sender = socket.socket()
        try:
            sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
        except OSError:
            sender.close()
            raise
        sender.connect(listener.getsockname())
        listener.accept()[0].close()
    return sender


@pytest.mark.parametrize(("control", "length"), [("reno", 0), ("cubic", 0), ("bbr", 20)])
def test_the_congestion_control_that_was_asked_for_is_in_force(control, length):
    """What Linux tells of it: nothing of Reno and CUBIC, 20 bytes of BBR (struct tcp_bbr_info of linux/inet_diag.h).

    They are five words of 4 bytes: two of the bandwidth, the least round-trip time, and both gains.
    """
    try:
        sender = open_with(control)
    except (FileNotFoundError, PermissionError) as error:
        pytest.skip(f"{control}: {error.strerror}")
    with sender:
        assert hosts.control_of(sender) == control
        told = sender.getsockopt(socket.IPPROTO_TCP, TCP_CC_INFO, 64)
    assert len(told) == length


def test_a_connection_with_another_congestion_control_ends_the_run():
    watching = hosts.Senders.__new__(hosts.Senders)
    watching.connections = [Connection(0, "one", "cubic", 1500, 1460)]
    with open_with("reno") as sender:
        watching._sockets = [sender]
        with pytest.raises(RuntimeError, match="connection 'one' has 'reno' instead of 'cubic'"):
            watching.check_controls()


def test_an_instruction_to_a_process_that_has_ended_says_so():
    watching = hosts.Senders.__new__(hosts.Senders)
    watching.pipe, there = Pipe()
    there.close()
    with pytest.raises(RuntimeError, match="the process of the applications ended without an answer"):
        watching.end()
    watching.pipe.close()


def test_what_linux_answers_without_a_congestion_control():
    """ENOENT, tcp(7); `missing` names it before."""
    with pytest.raises(FileNotFoundError):
        open_with("no-such")
    if not missing():
        (words,) = missing(["reno", "no-such"])
        assert words.startswith("congestion control 'no-such' is not available in Linux ")
        assert words.endswith(": load the module tcp_no-such")


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

"""The applications at both ends of connections, here over the loopback device."""

import os
import select
import socket
import sys
import time

import pytest

from longfat.testbed import hosts, missing
from longfat.testbed.plan import Connection

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="TCP_INFO is Linux's")

PATIENCE = 10.0  # s


class Filled:
    """Connections over the loopback device."""

    def __init__(self, *files):
        connections = [Connection(k, f"flow-{k}", "reno", 1500, 1460, file=file) for k, file in enumerate(files)]
        listeners = [socket.create_server(("127.0.0.1", 0)) for _ in files]
        self.senders = [socket.create_connection(one.getsockname()) for one in listeners]
        for one in (*self.senders, *listeners):
            one.setblocking(False)
        self.hosts = hosts.Senders(connections, self.senders, listeners)
        assert self.wait(self.opened, self.hosts.accept)

    def opened(self):
        return bool(select.select([self.hosts.opened], [], [], 0)[0])

    def received(self, k):
        """Return how many bytes the receiver of a connection has acknowledged: tcpi_bytes_acked, less the SYN."""
        info = self.senders[k].getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 128)
        return int.from_bytes(info[120:128], sys.byteorder) - 1

    def wait(self, condition, act=None):
        end = time.monotonic() + PATIENCE
        while not condition() and time.monotonic() < end:
            (act or self.hosts.serve)()
        return condition()

    def close(self):
        for one in (*self.senders, *self.hosts.receivers):
            one.close()
        os.close(self.hosts.opened)


@pytest.fixture
def filled():
    """Return a function that makes connections, closed at the end."""
    made = []
    yield lambda *files: made.append(Filled(*files)) or made[-1]
    for one in made:
        one.close()


def test_fields_are_those_of_linux():
    """The offsets are those of struct tcp_info in linux/tcp.h, after 16 bytes of the sample's own."""
    offsets = {name: offset - 16 for name, (_, offset) in hosts.record().fields.items()}
    expected = {
        "state": 0, "options": 5, "limits": 7, "rto": 8, "ato": 12, "snd_mss": 16, "unacked": 24, "sacked": 28,
        "lost": 32, "retrans": 36, "rtt": 68, "rttvar": 72, "snd_ssthresh": 76, "snd_cwnd": 80, "total_retrans": 100,
        "pacing_rate": 104, "bytes_acked": 120, "segs_out": 136, "notsent_bytes": 144, "min_rtt": 148,
        "delivery_rate": 160, "busy_time": 168, "delivered": 192, "delivered_ce": 196, "bytes_retrans": 208,
    }  # fmt: skip
    assert {name: offsets[name] for name in expected} == expected


def test_a_file_is_written_to_its_last_byte_and_no_further(filled):
    """Nothing is written to the other connection, which is not started."""
    one = filled(3_000_000, None)
    one.hosts.start(0)
    assert 0 < one.hosts.written[0] < hosts.FIRST
    assert one.hosts.written[0] % 1460 == 0  # whole packets
    assert one.wait(lambda: one.received(0) == 3_000_000)
    one.hosts.serve()
    assert one.hosts.written == [3_000_000, 0]
    assert one.received(1) == 0


def test_a_small_file_is_written_at_its_start(filled):
    one = filled(4000)
    one.hosts.start(0)
    assert one.hosts.written == [4000]


def test_endless_data_are_written_and_discarded_until_the_end(filled):
    """More than any buffer holds passes, so both ends are served: net.ipv4.tcp_rmem and tcp_wmem, 4 and 6 MB, twice."""
    one = filled(None)
    one.hosts.start(0)
    assert one.wait(lambda: one.received(0) > 30_000_000)
    assert one.hosts.written[0] > 30_000_000
    waiting = [hosts._buffered(receiver, hosts.SIOCINQ) for receiver in one.hosts.receivers]
    assert waiting[0] < hosts.WAITING + hosts.CHUNKS * hosts.CHUNK + hosts.UNSENT


def test_acknowledgments_do_not_wait_for_the_application(filled):
    """With more data waiting than SO_RCVLOWAT, Linux leaves the acknowledgment to the reader: __tcp_ack_snd_check()."""
    one = filled(None)
    assert one.hosts.receivers[0].getsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT) >= 2 * hosts.WAITING


def test_a_call_writes_no_more_than_it_has_time_for(filled):
    """Four chunks of 65,536 bytes: 44 packets of 1460 bytes each."""
    one = filled(None, None)
    for k in range(2):
        one.hosts._served.append(k)
    one.hosts.serve()
    assert sum(one.hosts.written) == 4 * 44 * 1460


def test_a_stopped_connection_is_left_alone_and_the_others_go_on(filled):
    one = filled(None, 2_000_000)
    one.hosts.start(0)
    assert one.wait(lambda: one.received(0) > 1_000_000)
    one.hosts.stop(7, 0)
    before = one.hosts.written[0]
    one.hosts.start(1)
    assert one.wait(lambda: one.received(1) == 2_000_000)
    assert one.hosts.written == [before, 2_000_000]
    assert len(one.hosts.samples) == 1


def test_a_connection_that_breaks_by_itself_ends_the_run(filled):
    one = filled(None)
    one.hosts.start(0)
    one.senders[0].shutdown(socket.SHUT_RDWR)
    with pytest.raises(ConnectionError, match="connection 'flow-0' broke: Broken pipe"):
        one.wait(lambda: False)


def test_handshakes_that_do_not_end_are_refused(filled):
    one = filled(None)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        one.hosts._listeners.append(listener)
        one.hosts.accept()
        with pytest.raises(RuntimeError, match="handshakes did not end in time"):
            one.hosts.check()


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
    """Linux reports nothing for Reno and CUBIC, and 20 bytes for BBR (struct tcp_bbr_info of linux/inet_diag.h).

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


def test_a_connection_with_another_congestion_control_ends_the_run(filled):
    one = filled(None)
    with open_with("cubic") as sender:
        one.hosts._sockets = [sender]
        with pytest.raises(RuntimeError, match="connection 'flow-0' is controlled by 'cubic': must be 'reno'"):
            one.hosts.check()


def test_linux_without_the_congestion_control():
    """ENOENT, tcp(7); `missing` names it before."""
    with pytest.raises(FileNotFoundError):
        open_with("no-such")
    if not missing():
        (words,) = missing(["reno", "no-such"])
        assert words.startswith("congestion control 'no-such' is not available in Linux ")
        assert words.endswith(": load the module tcp_no-such")


def test_a_sender_without_data_to_send_is_seen(filled):
    """A connection whose receiver has acknowledged all has waited for its application."""
    one = filled(None)
    one.hosts.start(0)
    first = one.hosts.written[0]
    assert one.wait(lambda: one.received(0) == first, lambda: None)
    one.hosts.serve()
    assert (one.hosts.looks, one.hosts.dry) == (1, 1)
    one.hosts._stopped.add(0)
    one.hosts.serve()
    assert (one.hosts.looks, len(one.hosts._served)) == (1, 0)

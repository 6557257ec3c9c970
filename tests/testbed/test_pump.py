"""Carrying packets between two file descriptors: in a time that the test controls, and in real time."""

import os
import socket
import time
from types import SimpleNamespace

import numpy as np
import pytest

from longfat.sim import Network
from longfat.testbed import pump as module
from longfat.testbed.emulator import Emulator
from longfat.testbed.network_namespaces import CannotRun
from longfat.testbed.pump import NAMES, Captures, Pump, prompt
from tests.processes import files_of_at_most

MS = 1_000_000  # ns


def path(rate="8 Mbit/s", delay="5 ms", **options):
    """One link of 1 us for each byte; the way back is the same."""
    return Network().link("a", "b", rate=rate, delay=delay, duplex=True, **options).flow("sack", path=["a", "b"])


@pytest.fixture(autouse=True)
def uncollected(monkeypatch):
    """Keep the pump from collecting garbage before it starts: after a thousand tests that takes a second each time."""
    monkeypatch.setattr(module.gc, "collect", lambda: None)


@pytest.fixture
def hosts():
    """Two hosts: the pump's ends and the hosts' ends."""
    pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(2)]
    for _, far in pairs:
        far.setblocking(False)
    yield [near.fileno() for near, _ in pairs], [far for _, far in pairs]
    for pair in pairs:
        for one in pair:
            one.close()


class Machine:
    """Clock, scheduler and hosts of a test: it wakes the pump late, and hosts answer within the write."""

    def __init__(self, monkeypatch, near, far, answers, late=0, busy=100):
        self.now, self.near, self.far, self.answers, self.late, self.busy = 10**9, near, far, answers, late, busy
        self.got = []  # host, time by the clock and packet
        self.events = []  # times and functions: what hosts do by themselves
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic_ns=self.clock))
        monkeypatch.setattr(module, "select", SimpleNamespace(select=self.select))
        changed = SimpleNamespace(**{name: getattr(os, name) for name in ("read", "set_blocking")}, write=self.write)
        monkeypatch.setattr(module, "os", changed)

    def clock(self):
        self.now += self.busy
        return self.now

    def select(self, watched, _writing, _failing, pause):
        end = self.now + round(pause * 1e9)
        if self.events and self.events[0][0] <= end:
            at, act = self.events.pop(0)
            self.now = max(self.now, at)
            act()
        else:
            self.now = end
        self.now += self.late
        return self.near, [], []

    def write(self, host, packet):
        side = self.near.index(host)
        self.got.append((side, self.now, packet))
        for answer in self.answers(side, packet):
            self.far[side].send(answer)
        return len(packet)


@pytest.mark.parametrize("late", [0, 300_000, 3_000_000])
def test_answers_enter_when_their_cause_was_due(monkeypatch, hosts, late):
    """A host answers each packet at once: n round trips take exactly n round-trip times, however late the pump is.

    1000 bytes there take 1 ms + 5 ms, 40 bytes back 40 us + 5 ms: a round trip of 11.04 ms.
    """
    near, far = hosts
    deliveries = []
    account = SimpleNamespace(count_sent=lambda *_: None, count_received=deliveries.append)
    machine = Machine(monkeypatch, near, far, lambda side, _: [bytes(40) if side else bytes(1000)], late)
    machine.events.append((0, lambda: far[0].send(bytes(1000))))
    emulator = Emulator(path())
    pump = Pump(emulator, tuple(near), lambda packet: 0, accounts=[account])
    pump.run(500 * MS)
    begin = deliveries[0].time_ns - 6 * MS
    assert late <= begin < late + 0.1 * MS  # the first packet enters when the clock says
    expected = [begin + k * 11_040_000 + (6 * MS if not back else 11_040_000) for k in range(50) for back in (0, 1)]
    assert [one.time_ns for one in deliveries] == expected[: len(deliveries)]
    assert len(deliveries) >= 86
    assert [one.back for one in deliveries] == [k % 2 == 1 for k in range(len(deliveries))]
    assert (pump.refused, pump.unknown) == (0, 0)
    assert all(abs(one - late) < 0.1 * MS for one in pump.lateness)
    assert pump.late == (late > 2 * MS)
    assert pump.stood == (sum(pump.lateness) if late > 2 * MS else 0)


def test_the_network_stands_still_while_the_machine_does(monkeypatch, hosts):
    """After a delivery 3 ms late the host never sees an answer sooner than the round-trip time of the path, 11.04 ms.

    If virtual time went on, the answer to the late packet would be back after 8.04 ms by the host's clock.
    """
    near, far = hosts
    machine = Machine(monkeypatch, near, far, lambda side, _: [bytes(40) if side else bytes(1000)], late=3 * MS)
    machine.events.append((0, lambda: far[0].send(bytes(1000))))
    emulator = Emulator(path())

    def recover():
        machine.late = 0

    Pump(emulator, tuple(near), lambda packet: 0).run(200 * MS, [(50 * MS, recover)])
    times = np.array([at for side, at, _ in machine.got if side == 0])
    trips = np.diff(times)
    assert len(trips) > 10
    assert trips.min() > 11.04 * MS - 0.1 * MS  # `AWAKE_NS` and the clock's steps
    assert np.median(trips) < 11.2 * MS


def test_packets_of_timers_enter_by_the_clock(monkeypatch, hosts):
    """Packets that answer nothing: at 20 and 30 ms, each delivered 6 ms after the pump has noticed it."""
    near, far = hosts
    machine = Machine(monkeypatch, near, far, lambda side, packet: [], late=50_000)
    for at in (20, 30):
        machine.events.append((10**9 + at * MS, lambda: far[0].send(bytes(1000))))
    deliveries = []
    account = SimpleNamespace(count_sent=lambda *_: None, count_received=deliveries.append)
    emulator = Emulator(path())
    Pump(emulator, tuple(near), lambda packet: 0, accounts=[account]).run(100 * MS)
    for at, one in zip((20, 30), deliveries, strict=True):
        assert at * MS + 6.05 * MS <= one.time_ns < at * MS + 6.06 * MS
    assert emulator.now == 100 * MS


def test_calls_and_control(monkeypatch, hosts):
    """A call at a time comes after the deliveries of that time; something to read at `control` ends the pump."""
    near, far = hosts
    machine = Machine(monkeypatch, near, far, lambda side, packet: [], late=7 * MS)
    emulator, seen = Emulator(path()), []
    emulator.inject(0, False, 0, bytes(1000))
    calls = [(at * MS, lambda: seen.append((emulator.now, len(machine.got)))) for at in (20, 0, 6, 5)]
    Pump(emulator, tuple(near), lambda packet: 0).run(20 * MS, calls)
    assert seen == [(0, 0), (5 * MS, 0), (6 * MS, 1), (20 * MS, 1)]


def test_packets_that_a_call_causes_enter_at_its_time(monkeypatch, hosts):
    """A call at 20 ms lets a host send 1000 bytes: they arrive at 26 ms, though the pump is 400 us late."""
    near, far = hosts
    machine = Machine(monkeypatch, near, far, lambda side, packet: [], late=400_000)
    deliveries = []
    account = SimpleNamespace(count_sent=lambda *_: None, count_received=deliveries.append)
    calls = [(20 * MS, lambda: far[0].send(bytes(1000)))]
    Pump(Emulator(path()), tuple(near), lambda packet: 0, accounts=[account]).run(100 * MS, calls)
    assert [one.time_ns for one in deliveries] == [26 * MS]
    assert machine.got[0][1] > 26 * MS


def test_control_ends_the_pump(hosts):
    near, _ = hosts
    reader, writer = os.pipe()
    emulator = Emulator(path())
    Pump(emulator, tuple(near), lambda packet: 0).run(60_000 * MS, [(MS, lambda: os.write(writer, b"x"))], reader)
    assert MS <= emulator.now < 10_000 * MS
    os.close(reader)
    os.close(writer)


def test_strangers_and_full_devices(monkeypatch, hosts):
    """A packet of no connection is dropped and counted; a device that takes no packet spoils the run."""
    near, far = hosts
    machine = Machine(monkeypatch, near, far, lambda side, packet: [])

    def refuse(host, packet):
        raise BlockingIOError

    module.os.write = refuse
    far[0].send(b"stranger")
    far[0].send(bytes(1000))
    pump = Pump(Emulator(path()), tuple(near), lambda packet: -1 if packet == b"stranger" else 0)
    pump.run(10 * MS)
    assert (pump.unknown, pump.refused) == (1, 1)
    assert machine.got == []


def test_lateness_is_counted(hosts):
    """Later than 2 ms: one of 100. The network stands still for what is later than 0.3 ms: 3 + 0.4 ms."""
    pump = Pump(Emulator(path()), tuple(hosts[0]), lambda packet: 0)
    assert (pump.late, pump.stood) == (0.0, 0)
    pump.lateness.extend([3 * MS, 400_000, 300_000] + [0] * 97)
    assert (pump.late, pump.stood) == (0.01, 3_400_000)


def test_priority_is_given_back():
    before = os.sched_getscheduler(0)
    with prompt() as allowed:
        assert os.sched_getscheduler(0) == (os.SCHED_FIFO if allowed else before)
    assert os.sched_getscheduler(0) == before


def test_captures_on_a_full_disk(tmp_path):
    """One line with option and directory, for the header of 24 bytes and for a packet larger than the buffer."""
    for room, write in ((10, Captures.close), (24, lambda one: one.write(0, 0, bytes(100_000)))):
        captures = Captures(*(tmp_path / name for name in NAMES))
        words = f"^pcap = {tmp_path} cannot be written to: File too large$"
        with files_of_at_most(room), pytest.raises(CannotRun, match=words):
            write(captures)
        captures.close()


def test_captures_have_virtual_times(monkeypatch, tmp_path, hosts):
    """Both hosts' files: a packet enters at one and is due at the other, with the headers and the whole length."""
    from tests.testbed.test_headers import tcp

    near, far = hosts
    data, answer = tcp(sequence=1, payload=1000), tcp(acknowledgment=1001)
    machine = Machine(monkeypatch, near, far, lambda side, packet: [answer] if side else [], late=400_000)
    machine.events.append((0, lambda: far[0].send(data)))
    captures = Captures(*(tmp_path / name for name in NAMES))
    Pump(Emulator(path()), tuple(near), lambda packet: 0, captures=captures).run(100 * MS)
    captures.close()
    found = {name: records_of(tmp_path / name) for name in NAMES}
    (sent, one), (acknowledged, two) = found["senders.pcap"]
    (received, three), (answered, four) = found["receivers.pcap"]
    assert received - sent == 5 * MS + 1_052_000
    assert answered == received
    assert acknowledged - answered == 5 * MS + 52_000
    assert one == three == (data[:52], 1052)
    assert two == four == (answer, 52)


def records_of(file):
    """Times after the first hour [ns], and stored bytes with the length of the packet (draft-ietf-opsawg-pcap)."""
    raw, made, k = file.read_bytes(), [], 24
    assert raw[:4] == 0xA1B23C4D.to_bytes(4, "little")
    while k < len(raw):
        second, rest, stored, length = (int.from_bytes(raw[k + 4 * j : k + 4 * j + 4], "little") for j in range(4))
        made.append(((second - 3600) * 10**9 + rest, (raw[k + 16 : k + 16 + stored], length)))
        k += 16 + stored
    return made


@pytest.mark.filterwarnings("ignore:os.fork")  # of JAX, if another test has imported it: the child never uses it
def test_real_time_round_trips(hosts):
    """A short look at real time: the answer to a ping takes 11.04 ms by the clock, or longer on a busy machine."""
    near, far = hosts
    for one in far:
        one.setblocking(True)
    child = os.fork()
    if child == 0:
        times = []
        for one in far:
            one.settimeout(5.0)  # what the parent no longer carries would be waited for without end
        for _ in range(5):
            begin = time.monotonic_ns()
            far[0].send(bytes(1000))
            far[1].send(far[1].recv(2048)[:40])
            far[0].recv(2048)
            times.append(time.monotonic_ns() - begin)
        os._exit(0 if min(times) >= 11_040_000 else 1)
    pump = Pump(Emulator(path()), tuple(near), lambda packet: 0)
    pump.run(500 * MS)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(pump.lateness) == 10
    assert min(pump.lateness) >= 0

"""Loop that carries packets between two hosts in real time through an emulated network.

A host is a file descriptor that transfers one packet per read and write: a TUN device, or a socket that preserves
message boundaries. The loop writes a packet to its host when the packet is due by the clock. If the host answers it
with another packet, this answer enters the network at the time at which the first packet was due, not later: a host
answers immediately, and the lateness of this process is not a property of the network. All other packets, from timers,
pacing and applications, enter the network at the time of the clock.
"""

from __future__ import annotations

import ctypes
import gc
import os
import select
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from longfat.base.headers import complete_segment, pcap_header, pcap_record
from longfat.sim.kernel.records import NEVER, SECOND
from longfat.testbed.emulator import Delivery, Emulator
from longfat.testbed.ledger import Account
from longfat.testbed.network_namespaces import CannotRun

LATE_NS = 2_000_000  # our choice: a packet counts as late if it is written more than this time after it is due
#: If a packet is more than this time late [ns], virtual time stands still for as long as the packet is late, so that
#: all later packets are equally late. Our choice: otherwise the answers to late packets, which enter the network at the
#: times at which those packets were due, would arrive after less than the round-trip time of the path. A sender that
#: stores the smallest round-trip time (BBR) would store this value, which is too small.
STANDSTILL_NS = 300_000
AWAKE_NS = 30_000  # our choice: a wait ends this long before a packet is due; waking up takes as long (measured)
PRIORITY = 10  # priority among real-time processes: above the default of 0, below the kernel's own threads
TIMER_SLACK = 29  # PR_SET_TIMERSLACK of prctl(2)


@contextmanager
def prompt() -> Iterator[bool]:
    """Give this process a real-time priority, if allowed, and disable garbage collection in a `with` block.

    The context manager yields True if the priority was allowed.
    """
    allowed, before = False, None
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(TIMER_SLACK, 1, 0, 0, 0)
    try:
        with suppress(AttributeError, OSError):
            before = os.sched_getscheduler(0), os.sched_getparam(0)
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
            allowed = True
        yield allowed
    finally:
        if allowed and before is not None:
            os.sched_setscheduler(0, *before)
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).prctl(TIMER_SLACK, 0, 0, 0, 0)
        if collecting:
            gc.enable()


class Pump:
    """Carrier of packets between two hosts in real time, which records how late it writes each packet.

    Parameters
    ----------
    emulator : Emulator
        Network between the hosts.
    hosts : tuple of int
        File descriptors of the host of all senders and of that of all receivers.
    classify : callable
        Returns the number of the connection of a packet, a negative number if the packet belongs to none.
    accounts : sequence of Account, optional
        Counters of each connection.
    captures : Captures, optional
        Writes the packets to files.
    """

    def __init__(
        self,
        emulator: Emulator,
        hosts: tuple[int, int],
        classify: Callable[[bytes], int],
        *,
        accounts: Sequence[Account] | None = None,
        captures: Captures | None = None,
    ) -> None:
        self.emulator, self.hosts, self.classify = emulator, hosts, classify
        self.accounts, self.captures = accounts, captures
        self.calls: list[tuple[int, Callable[[], Any]]] = []
        self.called = 0  # number of calls that have been made
        self.lateness = array("q")  # lateness of each packet [ns]
        self.origin = 0  # clock time at virtual time 0 [ns]
        self.refused = 0  # number of packets that a device refused
        self.unknown = 0  # number of packets of no connection, which were dropped
        self.real_time = False  # whether the process had a real-time priority
        # If packets are small, read at most 4 KiB at once: each read of 64 KiB would clear 64 KiB of memory.
        self.longest = 4096 if all(one.packet < 4000 for one in emulator.flows) else 65_536
        for host in hosts:
            os.set_blocking(host, False)

    @property
    def late(self) -> float:
        """Fraction of packets that were more than 2 ms late."""
        return sum(one > LATE_NS for one in self.lateness) / max(len(self.lateness), 1)

    @property
    def stood(self) -> int:
        """Total time for which the network stood still [ns]."""
        return sum(one for one in self.lateness if one > STANDSTILL_NS)

    def run(self, until: int, calls: Iterable[tuple[int, Callable[[], Any]]] = (), control: int | None = None) -> None:
        """Carry packets until the virtual time ``until`` [ns], or until the file descriptor ``control`` is readable.

        Each of the calls is made at its virtual time [ns], after all events of the network and the hosts until then;
        packets that the hosts send because of a call enter the network at the time of the call.
        """
        self.calls = sorted(calls, key=lambda call: call[0])
        with prompt() as self.real_time:
            self._carry(until, control)

    def _carry(self, until: int, control: int | None) -> None:
        emulator, first, second = self.emulator, *self.hosts
        self.origin = time.monotonic_ns() - emulator.now
        watched = [first, second] if control is None else [first, second, control]
        ready = [first, second]
        while True:
            sent = [(host == second, one) for host in ready for one in self._read(host)]
            present = self._deliver(until)
            for back, packet in sent:
                self._inject(back, packet)
            if present >= until:
                return
            wake = min(emulator.due, self._next_call(), until)
            pause = wake + self.origin - time.monotonic_ns() - AWAKE_NS
            ready = select.select(watched, [], [], max(pause, 0) / SECOND)[0]
            if control in ready:
                return

    def _deliver(self, until: int) -> int:
        """Write the packets and make the calls that are due, up to ``until`` [ns]; return the present time [ns]."""
        emulator = self.emulator
        while True:
            present = max(min(time.monotonic_ns() - self.origin, until), emulator.now)
            call = self._next_call()
            found = emulator.step(min(present, call))
            if not found:
                if call > present:
                    return present
                self.calls[self.called][1]()
                self.called += 1
                for back, host in enumerate(self.hosts):  # packets that the call caused enter at its time
                    for packet in self._read(host):
                        self._inject(bool(back), packet)
            for delivery in found:
                self._write(delivery)

    def _write(self, delivery: Delivery) -> None:
        """Write a packet to its host; inject the host's answers with the time at which the packet was due."""
        host = self.hosts[not delivery.back]
        late = time.monotonic_ns() - self.origin - delivery.time_ns
        self.lateness.append(late)
        if late > STANDSTILL_NS:
            self.origin += late
        try:
            os.write(host, delivery.packet)
        except OSError:
            self.refused += 1
        if self.accounts is not None:
            self.accounts[delivery.connection].count_received(delivery)
        if self.captures is not None:
            self.captures.write(int(not delivery.back), delivery.time_ns, delivery.packet)
        for packet in self._read(host):
            self._inject(not delivery.back, packet)

    def _read(self, host: int) -> list[bytes]:
        """Return the packets that a host has sent since the previous read."""
        found: list[bytes] = []
        try:
            while packet := os.read(host, self.longest):
                found.append(packet)
        except BlockingIOError:
            pass
        return found

    def _inject(self, back: bool, packet: bytes) -> None:
        """Send a packet into the network at the present virtual time."""
        connection = self.classify(packet)
        if connection < 0:
            self.unknown += 1
            return
        number = None if self.accounts is None else self.accounts[connection].count_sent(back, packet)
        if self.captures is not None:
            self.captures.write(int(back), self.emulator.now, packet)
        self.emulator.inject(connection, back, self.emulator.now, packet, number)

    def _next_call(self) -> int:
        """Return the virtual time of the next call [ns]; `NEVER` if there is none."""
        return self.calls[self.called][0] if self.called < len(self.calls) else NEVER


NAMES = ("senders.pcap", "receivers.pcap")
#: Timestamp of virtual time 0 in a capture: an hour after the epoch, because the handshakes precede time 0.
EPOCH = 3600 * SECOND


class Captures:
    """Capture files of the senders' host and of the receivers' host, in the format of `longfat.sim.runs.captures`.

    A record has the headers of a packet and its original length. The time of a record is the virtual time at which the
    packet enters the network or is due, not the time at which a busy machine has carried the packet.
    """

    def __init__(self, senders: Path, receivers: Path) -> None:
        self.files: list[BinaryIO] = [path.open("wb") for path in (senders, receivers)]
        self.directory = senders.parent
        self.shift_ns = 0  # added to all times, negative for a handshake
        for host in range(len(self.files)):
            self._put(host, pcap_header())

    def write(self, host: int, time: int, packet: bytes) -> None:
        """Write a record of a packet that host 0 (senders) or 1 (receivers) sends or gets at a virtual time [ns]."""
        found = complete_segment(packet)
        stored = packet if found is None else packet[: found.begin]
        self._put(host, pcap_record(max(0, EPOCH + self.shift_ns + time), stored, len(packet)))

    def _put(self, host: int, content: bytes) -> None:
        try:
            self.files[host].write(content)
        except OSError as error:
            raise self._refusal(error) from None

    def close(self) -> None:
        """Close both files; raise a `CannotRun` if their content cannot be written."""
        try:
            for file in self.files:
                file.close()
        except OSError as error:
            raise self._refusal(error) from None

    def _refusal(self, error: OSError) -> CannotRun:
        return CannotRun(f"pcap = {self.directory} cannot be written to: {error.strerror}")

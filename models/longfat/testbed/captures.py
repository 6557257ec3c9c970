"""Packets at both hosts as pcap, with the times of the emulated network."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from longfat.base.headers import SECOND, complete_segment, pcap_header, pcap_record
from longfat.testbed.emulator import Delivery
from longfat.testbed.network_namespaces import CannotRun

NAMES = ("senders.pcap", "receivers.pcap")
#: Virtual time 0 is an hour after the epoch, because a handshake precedes it.
EPOCH = 3600 * SECOND


class Captures:
    """A file for the senders' host and one for the receivers', in the format of `longfat.sim.runs.captures`.

    Headers only are stored, beside the length of the whole packet. Packets are stamped with the virtual times at which
    they enter the network and at which they are due, not with the times at which a busy machine has carried them.
    """

    def __init__(self, senders: Path, receivers: Path) -> None:
        self.files: list[BinaryIO] = [path.open("wb") for path in (senders, receivers)]
        self.directory = senders.parent
        self.shift_ns = 0  # added to all times, negative for a handshake
        for host in range(len(self.files)):
            self._put(host, pcap_header())

    def sent(self, connection: int, back: bool, time: int, packet: bytes) -> None:
        """Write a packet that a host has sent."""
        self._write(int(back), time, packet)

    def received(self, delivery: Delivery) -> None:
        """Write a packet that reaches a host."""
        self._write(int(not delivery.back), delivery.time_ns, delivery.packet)

    def _write(self, host: int, time: int, packet: bytes) -> None:
        """Write the record of a packet."""
        found = complete_segment(packet)
        stored = packet if found is None else packet[: found.begin]
        self._put(host, pcap_record(max(0, EPOCH + self.shift_ns + time), stored, len(packet)))

    def _put(self, host: int, content: bytes) -> None:
        try:
            self.files[host].write(content)
        except OSError as error:
            raise self._refusal(error) from None

    def close(self) -> None:
        """Close the files."""
        try:
            for file in self.files:
                file.close()
        except OSError as error:
            raise self._refusal(error) from None

    def _refusal(self, error: OSError) -> CannotRun:
        return CannotRun(f"pcap = {self.directory} cannot be written to: {error.strerror}")

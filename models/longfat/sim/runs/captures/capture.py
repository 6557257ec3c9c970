"""Packet trace of a run: rows are taken from the kernel, sorted by time and written to files in chunks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base.domains import integer
from longfat.base.files import AtomicFiles, GrowingFiles
from longfat.base.headers import pcap_header
from longfat.sim.kernel import records
from longfat.sim.plugin.parameters import Columns
from longfat.sim.runs.captures import pcap_writer
from longfat.sim.runs.captures.qlog_writer import Log
from longfat.sim.runs.engine import Simulation
from longfat.sim.runs.run_state import rows

if TYPE_CHECKING:
    from pathlib import Path

MOST = 10**6  # packets
ROOM = 1 << 14  # rows for which the trace has room; `drain` empties the trace
HANDSHAKE_NS = 2  # time from a connection's first packet in the file, the SYN, to the connection's start


class Capture:
    """Capture of a run that has not begun: pcap files of its packets, qlog files of the windows of its senders.

    `captures` is the folder for senders.pcap and receivers.pcap, and `logs` that for the qlog files, one for each flow
    with a scheme; None writes no such files.
    The trace ends after `most` packets in senders.pcap, which are sent data and received acknowledgments.
    """

    def __init__(self, run: Simulation, captures: AtomicFiles | None, logs: AtomicFiles | None, most: int) -> None:
        self.run, self.most, self.packets, self.until, self.end = run, most, 0, 0.0, ""
        state = run.state
        state.traced = _traced(run)
        state.trace = rows(ROOM, records.TRACE)
        state.row.trace_room, state.row.traced_connections, state.row.tracing = ROOM, len(state.senders), 1
        self.files = GrowingFiles()
        self.sides: list[Side] = []
        if captures is not None:
            for name, kinds in SIDES.items():
                self.sides.append(Side(self.files, captures.path(name), kinds))
        self.log = Log(run, self.files, logs) if logs is not None else None
        run.capture = self

    def drain(self) -> None:
        """Take the rows of the trace from the kernel, and write the rows that precede all rows of later calls."""
        row = self.run.state.row
        found = self.run.state.trace[: row.trace_rows].copy()
        row.trace_rows = 0
        if row.tracing:
            self._write(found, int(row.now))

    def finish(self) -> None:
        """Write the remaining rows at the end of the run."""
        self.drain()
        if self.run.state.row.tracing:
            self._write(self.run.state.trace[:0], records.NEVER)
            self.until = self.run.now

    def _write(self, found: np.ndarray, now: int) -> None:
        """Write rows up to time `now` [ns], including rows kept by earlier calls; stop when the trace is full."""
        at_sender = np.isin(found["what"], (records.SENT, records.ACK_RECEIVED))
        left = self.most - self.packets
        full = int(at_sender.sum()) >= left
        if full:  # end both files at the time of the last packet; the senders' rows are in order of time
            now = int(found["time"][np.flatnonzero(at_sender)[left - 1]])
            beyond = np.arange(len(found)) > np.flatnonzero(at_sender)[left - 1]
            found = found[~beyond | ~np.isin(found["what"], SIDES["senders.pcap"])]
            self.end = f"the trace ends at {now / records.SECOND:.6g} s, after {self.most} packets (trace_packets)"
        hosts = pcap_writer.hosts_of(self.run)
        try:
            for side in self.sides:
                side.write(found, now + HANDSHAKE_NS if full else now, hosts)
            if self.log is not None:
                self.log.write(found)
        except OSError as error:
            self.end = f"the trace ends at {self.until:.6g} s: {error.strerror}"
            full = True
        else:
            self.packets += min(int(at_sender.sum()), left)
            self.until = min(now, int(self.run.state.row.now)) / records.SECOND
        if full:
            self.run.state.row.tracing = 0


def _traced(run: Simulation) -> np.ndarray:
    """Return a row for each flow: its connection number, and the position of `ssthresh` in the scheme's record."""
    state = run.state
    made = rows(len(state.senders), records.TRACED)
    words = [_word(one.columns, "ssthresh") for one in run.state.schemes] or [records.NONE]
    made["connection"] = np.arange(len(made))
    made["ssthresh"] = np.array(words)[state.senders["scheme"]]
    return made


def _word(own: Columns, name: str) -> int:
    """Return the position of a floating-point state in a scheme's record [words]; NONE if there is no such state."""
    found = own.dtype.fields.get(name) if own.dtype is not None and own.dtype.fields else None
    return int(found[1]) // 8 if found and found[0] == np.float64 and name in own.state else records.NONE


SIDES = {
    "senders.pcap": (
        records.SENT, records.ACK_RECEIVED, records.STARTED, records.FINISHED, records.TIMED_OUT, records.CHANGED
    ),
    "receivers.pcap": (records.RECEIVED, records.ACK_SENT, records.STARTED, records.FINISHED),
}  # fmt: skip


class Side:
    """Capture at the senders or at the receivers: packets in the order of their times.

    `kinds` are the values of ``what`` in the rows of the trace that belong to the capture. The kernel computes arrivals
    in advance (`kernel.link`); therefore rows of receivers may be in the trace before rows with earlier times.
    """

    def __init__(self, files: GrowingFiles, path: Path, kinds: tuple[int, ...]) -> None:
        self.files, self.path, self.kinds = files, files.begin(path), kinds
        self.waiting, self.step = rows(0, records.TRACE), np.zeros(0, np.int64)
        self.ends: dict[int, int] = {}  # connection number -> end [ns]; packets may still follow the end
        self.begin = pcap_header()

    def write(self, found: np.ndarray, now: int, hosts: np.ndarray) -> None:
        """Add rows to those not written yet, and write all rows before time `now` [ns]."""
        made, step = pcap_writer.expanded(found[np.isin(found["what"], self.kinds)], hosts)
        made, step = np.concatenate((self.waiting, made)), np.concatenate((self.step, step))
        order = np.argsort(made["time"], kind="stable")
        made, step = made[order], step[order]
        ripe = int(np.searchsorted(made["time"], now - HANDSHAKE_NS, side="right"))
        self.waiting, self.step = made[ripe:].copy(), step[ripe:].copy()
        made, step = made[:ripe], step[:ripe]
        closing = made[made["what"] == records.FINISHED]
        self.ends.update(zip(closing["connection"].tolist(), closing["time"].tolist(), strict=True))
        end: Any = records.NEVER
        if self.ends:
            end = np.array([self.ends.get(one, records.NEVER) for one in made["connection"].tolist()], np.int64)
        late = (made["time"] > end) & np.isin(made["what"], (records.ACK_RECEIVED, records.ACK_SENT))
        self.files.append(self.path, self.begin + pcap_writer.Packets(made, step, late, hosts).encode())
        self.begin = b""


@contextmanager
def captured(run: Simulation, captures: Any, logs: Any, most: Any) -> Iterator[Capture | None]:
    """Trace a run that is simulated in this context, and keep the files when the context ends.

    The context's value is the capture, or None if no directory is given.
    """
    most = integer("trace_packets", most, "packets", "[1, 1e12]")
    if captures is None and logs is None:
        yield None
        return
    simulated, capture = False, None
    try:
        with ExitStack() as stack:
            folders = [
                None if place is None else stack.enter_context(AtomicFiles(place, name))
                for name, place in (("pcap", captures), ("qlog", logs))
            ]
            capture = Capture(run, folders[0], folders[1], most)
            yield capture
            simulated = True
            capture.finish()
            for path in capture.files.empty():
                for folder in folders:
                    if folder is not None:
                        folder.forget(path)
    except OSError as error:
        if not simulated or capture is None:
            raise
        capture.packets, capture.until, capture.end = 0, 0.0, f"no trace was written: {error.strerror or error}"

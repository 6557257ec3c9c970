"""Windows, losses and round trips of the senders as qlog 0.3, which qvis reads: JSON text sequences (RFC 7464).

The schema is draft-ietf-quic-qlog-main-schema-02 with the events of draft-ietf-quic-qlog-quic-events-01. Events have
the names of QUIC, whose packet numbers count transmissions. TCP does not number transmissions: here a packet number is
the serial number of a transmission in the flow, or of an acknowledgment at the sender. Sequence numbers are `offset`
and `length` of a stream. Fields that a TCP sender does not know are absent; `pto_count` counts its consecutive
retransmission timeouts.
"""

from __future__ import annotations

import json
import math
import re
from collections import namedtuple
from typing import Any

import numpy as np

from longfat._version import __version__
from longfat.base.files import AtomicFiles, GrowingFiles
from longfat.sim.kernel import records
from longfat.sim.runs.engine import Simulation

VERSION = "0.3"
PACKET_TYPE = "1RTT"  # qvis draws packets of this type in its congestion diagram
ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
KINDS = (records.SENT, records.ACK_RECEIVED, records.TIMED_OUT, records.CHANGED, records.STARTED, records.FINISHED)


#: Fields of a trace row that the events need, as Python numbers, which are ten times faster than NumPy's.
Row = namedtuple(
    "Row",
    ["time", "connection", "number", "transmission", "sent", "window", "rate", "ssthresh", "srtt", "rttvar",
     "in_flight", "length", "what"],
)  # fmt: skip


class Log:
    """A qlog file for each flow with a scheme; the connections of a generator of arrivals are groups in one file."""

    def __init__(self, run: Simulation, files: GrowingFiles, folder: AtomicFiles) -> None:
        self.run, self.files = run, files
        names = run.state.flow_names
        self.paths = {
            f: files.begin(folder.path(file_name(names[f], f)))
            for f, flow in enumerate(run.state.copies)
            if flow.scheme is not None
        }
        self.begun: set[int] = set()  # flows whose file has a header
        self.connections: dict[int, Connection] = {}

    def write(self, found: np.ndarray) -> None:
        """Write the events of rows of the trace, to the file of each flow."""
        found = found[np.isin(found["what"], KINDS)]
        template = self.run.state.tallies["template"]
        of = np.where(template == records.NONE, np.arange(len(template)), template)[found["flow"]]
        for f in np.unique(of).tolist():
            if f in self.paths:
                self.files.append(self.paths[f], self._events(f, found[of == f]))

    def _events(self, f: int, found: np.ndarray) -> bytes:
        """Return the events of one flow as JSON texts."""
        sender = self.run.state.senders[f]
        made = []
        if f not in self.begun:
            self.begun.add(f)
            made.append(_opening(self.run.state.flow_names[f], self.run.state.schemes[sender["scheme"]].name))
        for row in map(Row, *(found[name].tolist() for name in Row._fields)):
            connection = self.connections.get(row.connection)
            if connection is None:
                connection = Connection(int(sender["packet_size"]), bool(sender["acknowledged"]))
                self.connections[row.connection] = connection
            made += connection.events(row)
            if row.what == records.FINISHED:
                del self.connections[row.connection]
        return "".join(f"\x1e{one}\n" for one in made).encode()


def file_name(flow: str, f: int) -> str:
    """Return the name of a flow's file; if characters had to be replaced, the flow's number is appended.

    >>> file_name("reno-1", 0), file_name("to/from", 1)
    ('reno-1.sqlog', 'to_from.2.sqlog')
    """
    plain = re.sub(r"[^\w.+-]", "_", flow, flags=re.ASCII).lstrip(".")
    return f"{plain}.sqlog" if plain == flow else f"{plain}.{f + 1}.sqlog"


def _opening(name: str, scheme: str) -> str:
    """Return the first JSON text of a flow's file, which describes the trace."""
    return _text(
        {
            "qlog_format": "JSON-SEQ",
            "qlog_version": VERSION,
            "title": f"flow {name}",
            "description": f"simulated by longfat {__version__}; scheme {scheme}",
            "trace": {
                "vantage_point": {"name": "sender", "type": "client"},
                "title": f"flow {name}, scheme {scheme}",
                "common_fields": {"time_format": "relative", "reference_time": 0.0, "protocol_type": ["TCP"]},
            },
        }
    )


class Connection:
    """Connection as its sender sees it: last transmission of each outstanding packet, and the values logged last."""

    def __init__(self, packet: int, acknowledged: bool) -> None:
        self.packet, self.acknowledged = packet, acknowledged
        self.timeouts, self.acks, self.least = 0, 0, math.inf
        self.outstanding: dict[int, int] = {}  # transmission by packet number
        self.una = 0
        self.logged: dict[str, Any] = {}

    def events(self, row: Row) -> list[str]:
        """Return the events of a row of the trace."""
        what = row.what
        made: list[tuple[str, dict[str, Any]]] = []
        rtt = None
        if what == records.SENT:
            made = self._sent(row)
        elif what == records.ACK_RECEIVED:
            made = [("transport:packet_received", self._received(row))]
            rtt = (row.time - row.sent) / 1e6
            self.timeouts = 0
        elif what == records.TIMED_OUT:
            self.timeouts += 1
            made = [("recovery:loss_timer_updated", {"timer_type": "pto", "event_type": "expired"})]
        if changed := self._changed(row, rtt):
            made.append(("recovery:metrics_updated", changed))
        time, group = row.time / 1e6, str(row.connection)
        return [_text({"time": time, "name": name, "data": data, "group_id": group}) for name, data in made]

    def _sent(self, row: Row) -> list[tuple[str, dict[str, Any]]]:
        """Return the events of a sent data packet; for a retransmission the first event is the loss of the packet."""
        number, size = row.number, self.packet
        frame: dict[str, Any] = {"frame_type": "stream", "stream_id": 0, "offset": number * size, "length": size}
        if number == records.NO_DATA:
            frame = {"frame_type": "ping"}
        sent = (
            "transport:packet_sent",
            {**_header(row.transmission), "raw": {"length": row.length}, "frames": [frame]},
        )
        if not self.acknowledged or number == records.NO_DATA:
            return [sent]
        before = self.outstanding.get(number)
        self.outstanding[number] = row.transmission
        if before is None:
            return [sent]
        trigger = "pto_expired" if self.timeouts else "reordering_threshold"
        return [("recovery:packet_lost", {**_header(before), "trigger": trigger}), sent]

    def _received(self, row: Row) -> dict[str, Any]:
        """Return the data of an acknowledgment: the ranges of transmissions that it acknowledges.

        The acknowledgment covers the transmission that triggered it, and the last transmission of each packet that no
        earlier acknowledgment has covered cumulatively. A transmission that arrived out of order is therefore in two
        acknowledgments: the one that it triggered, and the first whose number is above that of the packet. QUIC, too,
        repeats ranges until the peer is known to have them (RFC 9000, section 13.2.3), and a sender counts a packet
        once (RFC 9002, section 5).
        """
        covered = {row.transmission}
        for each in range(self.una, row.number):
            if (transmission := self.outstanding.pop(each, None)) is not None:
                covered.add(transmission)
        self.una = max(self.una, row.number)
        ranges: list[list[int]] = []
        for one in sorted(covered):
            if ranges and ranges[-1][1] == one - 1:
                ranges[-1][1] = one
            else:
                ranges.append([one, one])
        self.acks += 1
        frame = {"frame_type": "ack", "acked_ranges": ranges}
        return {**_header(self.acks - 1), "raw": {"length": row.length}, "frames": [frame]}

    def _changed(self, row: Row, rtt: float | None) -> dict[str, Any]:
        """Return the metrics that have changed since the last log entry."""
        size = self.packet
        known: dict[str, float] = {
            "congestion_window": row.window * size,
            "ssthresh": row.ssthresh * size,
            "bytes_in_flight": row.in_flight * size,
            "packets_in_flight": row.in_flight,
            "pacing_rate": 8 * row.rate,
            "pto_count": self.timeouts,
        }
        # The draft's metrics are integers of 64 bits; JavaScript represents integers below 2**53 exactly.
        now: dict[str, Any] = {name: round(value) for name, value in known.items() if 0 <= value < 2**53}
        if rtt is not None:
            self.least = min(self.least, rtt)
            now |= {"latest_rtt": rtt, "min_rtt": self.least}
        if row.srtt > 0:
            now |= {"smoothed_rtt": 1e3 * row.srtt, "rtt_variance": 1e3 * row.rttvar}
        changed = {name: value for name, value in now.items() if self.logged.get(name) != value}
        self.logged |= changed
        return changed


def _header(number: int) -> dict[str, Any]:
    return {"header": {"packet_type": PACKET_TYPE, "packet_number": number}}


def _text(value: dict[str, Any]) -> str:
    return ENCODER.encode(value)

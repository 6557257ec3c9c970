"""Reader of qlog 0.3 (JSON, NDJSON or JSON text sequences) from `longfat simulate` and from QUIC stacks.

The schema is draft-ietf-quic-qlog-main-schema; draft-ietf-quic-qlog-quic-events defines the events. Times are in
milliseconds. Later drafts name the events "quic:packet_sent" instead of "transport:packet_sent", with the same data.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from typing import Any

from longfat.measured.fields import Field
from longfat.measured.figures import Measurement
from longfat.measured.flow_figures import Transfer, Transmission, measurement

KIND = "qlog"
_EVENTS = {"packet_sent", "packet_received", "packet_lost", "metrics_updated", "recovery_metrics_updated"}
_DATA = ("1RTT", "1rtt", "short", None)  # types of packets with data of the application


def looks_like(content: Any) -> bool:
    """Return whether the content of a JSON file, or the list of its lines, has the keys of qlog."""
    first = content[0] if isinstance(content, list) and content else content
    return isinstance(first, dict) and ("qlog_version" in first or "file_schema" in first)


def read(path: str, content: Any) -> Measurement:
    """Return the measurement from the trace with the most sent packets, which must be the trace of a sender."""
    head = content[0] if isinstance(content, list) else content
    groups: dict[str, list[Field]] = defaultdict(list)
    for trace, event in _events(path, content):
        name = str(event["name"].value).rpartition(":")[2]
        if name in _EVENTS:
            groups[f"{trace} {event.entries().get('group_id', '')}"].append(event)
    flows = [_Reader().read(events) for events in groups.values()]
    flow = max(flows, key=lambda one: len(one.sent), default=Transfer())
    if not flow.sent:
        raise ValueError("the file holds no packet that was sent: must be the qlog of a sender")
    if len(flows) > 1:
        flow.remarks.append(f"traces with fewer packets that are left out: {len(flows) - 1} (qlog)")
    if "'TCP'" in str(head.get("trace", {})):  # protocol_type of our simulator; sizes are of IP packets
        flow.transport, flow.layer = "TCP", "IP"
    else:  # packets of QUIC, which UDP carries: RawInfo of draft-ietf-quic-qlog-main-schema
        flow.transport = ""
    return measurement(path, KIND, flow)


def _events(path: str, content: Any) -> list[tuple[int, Field]]:
    """Return all events, each with the number of its trace."""
    if isinstance(content, list):
        return [(0, Field(path, f"line {i + 2}", event)) for i, event in enumerate(content[1:])]
    traces = Field(path, "", content)["traces"].elements()
    return [(i, event) for i, trace in enumerate(traces) for event in trace["events"].elements()]


class _Reader:
    """Reader of the events of one sender."""

    def __init__(self) -> None:
        self.flow = Transfer()
        self.numbers: dict[int, int] = {}  # index in `sent` by packet number
        self.unacknowledged: list[int] = []  # sorted packet numbers, including those declared lost
        self.outstanding: set[int] = set()
        self.least: list[float] = []
        self.trips: list[float] = []
        self.bytes = 0.0

    def read(self, events: list[Field]) -> Transfer:
        """Return the observations of the flow from its events."""
        flow = self.flow
        before: float | None = None
        for event in events:
            time = event["time"].number("ms", "[0, inf)") / 1000
            if before is not None and self.outstanding:
                flow.busy += max(0.0, time - before)
            before = time
            name, data = str(event["name"].value).rpartition(":")[2], event["data"]
            if name.endswith("metrics_updated"):
                self._metrics(data)
            elif _type(data) in _DATA:
                self._packet(name, time, data)
        if self.trips and not any(one.round_trip_time for one in flow.sent):
            flow.base, flow.mean = min(self.trips), sum(self.trips) / len(self.trips)
        else:
            flow.take_round_trips()
        flow.base = min([*self.least, *([flow.base] if flow.base else [])], default=None)
        if flow.base is not None:
            flow.remarks.append("round_trip_time: the smallest from a packet to its acknowledgment (qlog)")
        return flow

    def _packet(self, name: str, time: float, data: Field) -> None:
        if name == "packet_received":
            self._received(time, data)
        elif name == "packet_sent":
            self._sent(time, data)
        else:
            self._lost(data)

    def _metrics(self, data: Field) -> None:
        for name, found in (("min_rtt", self.least), ("latest_rtt", self.trips)):
            if name in data.entries():
                found += [value] if (value := data[name].number("ms", "[0, inf)") / 1000) > 0 else []

    def _sent(self, time: float, data: Field) -> None:
        number = int(data["header"]["packet_number"].number("packets", "[0, inf)"))
        frames = data.entries().get("frames")
        kinds = [one.get("frame_type") for one in frames if isinstance(one, dict)] if isinstance(frames, list) else []
        if kinds and all(kind == "ack" for kind in kinds):
            return  # acknowledgments alone are not acknowledged (RFC 9000, section 13.2)
        size = data["raw"]["length"].number("bytes", "[0, inf)")
        if number not in self.numbers:
            insort(self.unacknowledged, number)
        self.numbers[number] = len(self.flow.sent)
        self.outstanding.add(number)
        self.flow.sent.append(Transmission(time, self.bytes, size))
        self.bytes += size

    def _lost(self, data: Field) -> None:
        number = int(data["header"]["packet_number"].number("packets", "[0, inf)"))
        self.outstanding.discard(number)
        if number in self.numbers:
            self.flow.sent[self.numbers[number]].lost = True

    def _received(self, time: float, data: Field) -> None:
        frames = data.entries().get("frames") or []
        for frame in frames if isinstance(frames, list) else ():
            if not isinstance(frame, dict) or frame.get("frame_type") != "ack":
                continue
            newly = sorted(number for low, high in _ranges(frame) for number in self._taken(low, high))
            for number in newly:
                sent = self.flow.sent[self.numbers.pop(number)]
                self.outstanding.discard(number)
                self.flow.acknowledged += sent.size
                sent.lost = False  # the packet was declared lost although it arrived
            if newly:
                # Only the largest newly acknowledged packet number gives a round-trip time sample (RFC 9002, section
                # 5.1).
                sent.round_trip_time = time - sent.time

    def _taken(self, low: int, high: int) -> list[int]:
        """Remove the numbers ``low`` to ``high`` from the unacknowledged packet numbers; return the removed numbers."""
        begin, end = bisect_left(self.unacknowledged, low), bisect_right(self.unacknowledged, high)
        taken = self.unacknowledged[begin:end]
        del self.unacknowledged[begin:end]
        return taken


def _ranges(frame: dict[str, Any]) -> list[tuple[int, int]]:
    ranges = frame.get("acked_ranges")
    ranges = ranges if isinstance(ranges, list) else []
    known = (one for one in ranges if isinstance(one, list) and one and all(isinstance(i, int) for i in one))
    return [(one[0], one[-1]) for one in known]


def _type(data: Field) -> Any:
    header = data.entries().get("header")
    return header.get("packet_type") if isinstance(header, dict) else None

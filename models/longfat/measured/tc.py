"""Reader of the output of ``tc -s qdisc``: the fraction of packets that a queue dropped, and its backlog."""

from __future__ import annotations

import re
from dataclasses import dataclass

from longfat.measured.counting import loss_interval
from longfat.measured.fields import BINARY, PREFIXES, printed
from longfat.measured.figures import Measurement, PathFigures

KIND = "tc -s qdisc"
_QDISC = re.compile(r"^qdisc (\S+) (\S+) (?:dev (\S+) )?(root|parent \S+|ingress|clsact)?(.*)$", re.MULTILINE)
_SENT = re.compile(r"Sent (\d+) bytes (\d+) pkts? \(dropped (\d+), overlimits (\d+)")
_BACKLOG = re.compile(r"backlog (\d+)([KMG]?)b (\d+)p")
#: tc prints rates with SI prefixes unless it is run with -iec (tc(8), "UNITS").
_RATE = re.compile(r"\b(?:rate|bandwidth) (\d+(?:\.\d+)?)([KMGT]?)bit\b")
_MARKED = re.compile(r"\b(?:ecn_mark|marked) (\d+)")


@dataclass(frozen=True)
class Queue:
    """Values that tc reports for one queue discipline."""

    kind: str  # such as "tbf"
    handle: str  # such as "1:"
    device: str  # such as "eth0"; "" if tc was run for a single device, whose name it then omits
    root: bool  # whether the discipline is the root of the device, not attached to a class
    sent: int  # packets
    dropped: int  # packets
    marked: int  # packets marked with congestion experienced
    sent_bytes: int
    backlog: int | None  # bytes waiting; None if the output has no line "backlog"
    rate: float | None  # configured rate [bytes/s]


def looks_like(text: str) -> bool:
    """Return whether a text may be the output of ``tc qdisc``."""
    return text.startswith("qdisc ")


def queues(path: str, text: str) -> list[Queue]:
    """Return the queue disciplines in the output of tc, each with its counters."""
    found, starts = [], list(_QDISC.finditer(text))
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        body = text[start.end() : following.start() if following else len(text)]
        sent = _SENT.search(body)
        if sent is None:
            raise ValueError(
                f"{path}: qdisc {start[1]} {start[2]} has no line 'Sent ...': must be the output of tc -s qdisc"
            )
        name = f"{path}: qdisc {start[1]} {start[2]}"
        for counter in sent.groups():
            printed(name, counter)
        backlog = _BACKLOG.search(body)
        rate = _RATE.search(start[5])
        marked = _MARKED.search(body)
        found.append(
            Queue(
                start[1],
                start[2],
                start[3] or "",
                start[4] == "root",
                int(sent[2]),
                int(sent[3]),
                int(marked[1]) if marked else 0,
                int(sent[1]),
                int(printed(name, backlog[1])) * BINARY[backlog[2]] if backlog else None,  # print_size() of tc_util.c
                printed(name, rate[1]) * PREFIXES[rate[2]] / 8 if rate else None,
            )
        )
    return found


def read(path: str, text: str) -> Measurement:
    """Return the measurement from the queue that has sent the most bytes, preferably the root queue of a device.

    The counters begin when the queue is created. The loss is the fraction of packets that this queue dropped: the whole
    loss of the path if the queue is at the bottleneck, else a part of it.
    """
    known = queues(path, text)
    candidates = [one for one in known if one.root and one.sent] or [one for one in known if one.sent]
    if not candidates:
        raise ValueError(f"{path}: the file holds no queue that has sent a packet: run tc -s qdisc on the sending host")
    queue = max(candidates, key=lambda one: one.sent_bytes)
    offered = queue.sent + queue.dropped
    name = f"qdisc {queue.kind} {queue.handle}" + (f" of {queue.device}" if queue.device else "")
    remarks = [f"loss: {queue.dropped} of {offered} packets dropped by {name} since it was made (tc)"]
    delay = None
    if queue.rate:
        remarks.append(f"rate: configured for {name} (tc), headers of the link included")
    if queue.rate and queue.backlog is not None:
        delay = queue.backlog / queue.rate
        remarks.append(f"queueing_delay: {queue.backlog} bytes waiting at that rate, at one moment (tc)")
    if queue.marked:
        remarks.append(f"{name} marked {queue.marked} packets with congestion experienced (tc)")
    if others := [one for one in candidates if one is not queue]:
        remarks.append(f"left out: {', '.join(f'{one.kind} {one.handle} {one.device}'.strip() for one in others)} (tc)")
    figures = PathFigures(
        queue.rate,
        None,
        queue.dropped / offered,
        tuple(remarks),
        queueing_delay=delay,
        packets_sent=offered,
        loss_interval=loss_interval(queue.dropped, offered),
        rate_layer="tc",
    )
    return Measurement(path, KIND, figures)

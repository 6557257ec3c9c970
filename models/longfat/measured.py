"""Figures of a path from measurements: the output of ``iperf3 --json`` and ``ping``.

Three numbers describe a path to the models: rate, round-trip time, and the loss of packets of a certain size. No tool
measures them directly, so that every figure comes with a remark that says what was measured instead.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

from longfat.domains import number, unknown

_FIGURES = {
    "rate": ("bytes/s", "(0, inf)"), "round_trip_time": ("s", "(0, inf)"), "loss": ("probability", "[0, 1)"),
    "packet": ("bytes", "(0, inf)"),
}  # fmt: skip


@dataclass(frozen=True)
class PathFigures:
    """Figures of a path; None for a figure that is not known.

    Parameters
    ----------
    rate : float, optional
        Rate at which data arrived [bytes/s], in (0, inf).
    round_trip_time : float, optional
        Round-trip time [s], in (0, inf).
    loss : float, optional
        Probability that a packet is lost [probability], in [0, 1).
    remarks : tuple of str
        Source of each figure; a remark on a figure begins with its name and a colon.
    packet : float, optional
        Size of the packets that were sent, without headers [bytes], in (0, inf): the loss is theirs.
    transport : str
        "TCP" or "UDP" where the measurement was one of these, else empty.

    Raises
    ------
    ValueError
        If a figure lies outside its domain.

    Examples
    --------
    >>> both = PathFigures(rate=1.25e8, loss=1e-3).merged(PathFigures(rate=1e6, round_trip_time=0.1))
    >>> both.rate, both.round_trip_time, both.loss
    (125000000.0, 0.1, 0.001)
    """

    rate: float | None = None
    round_trip_time: float | None = None
    loss: float | None = None
    remarks: tuple[str, ...] = ()
    packet: float | None = None
    transport: str = ""

    def __post_init__(self) -> None:
        for name, (unit, allowed) in _FIGURES.items():
            if getattr(self, name) is not None:
                number(name, getattr(self, name), unit, allowed)

    def merged(self, other: PathFigures) -> PathFigures:
        """Return these figures, with those that are missing taken from the other record.

        Parameters
        ----------
        other : PathFigures
            The record to fill the gaps from.

        Returns
        -------
        PathFigures
            The remarks of both, less those on a figure that was taken from the other of the two.

        Examples
        --------
        >>> ping = PathFigures(round_trip_time=0.02, remarks=("round_trip_time: ping",))
        >>> iperf = PathFigures(1e6, 0.03, 1e-3, remarks=("rate: iperf3", "round_trip_time: iperf3"))
        >>> ping.merged(iperf).remarks
        ('round_trip_time: ping', 'rate: iperf3')
        """
        mine = {name: getattr(self, name) for name in _FIGURES if getattr(self, name) is not None}
        taken = {name: getattr(other, name) for name in _FIGURES if getattr(other, name) is not None}
        missing = tuple(f"{name}:" for name in taken.keys() - mine.keys())
        remarks = [remark for remark in self.remarks if not remark.startswith(missing)]
        known = tuple(f"{name}:" for name in mine)
        remarks += [remark for remark in other.remarks if not remark.startswith(known) and remark not in remarks]
        return PathFigures(**(taken | mine), remarks=tuple(remarks), transport=self.transport or other.transport)


def read_iperf3(path: str | PathLike[str]) -> PathFigures:
    """Read the figures of one ``iperf3 --json`` (or ``--json-stream``) run, as the client wrote them.

    TCP: the rate is what the receiver saw; the round-trip time is the sender's mean over the run, queueing
    included, which only the sending side writes (not with ``-R``); the loss is retransmissions per segment
    sent, an estimate that counts drops from the flow's own overflows and segments resent in vain.
    UDP: the rate is what the receiver saw, never more than what was offered; the loss is the share of
    datagrams that did not arrive; there is no round-trip time. Parallel streams count together.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    PathFigures
        Rate [bytes/s], round-trip time [s], loss [probability] of packets of a size [bytes], with a remark on each.

    Raises
    ------
    ValueError
        If the file cannot be read, is the server's, reports an error or a run in both directions
        (``--bidir``), lacks a field or holds an impossible value; the message names file and field.

    Examples
    --------
    >>> read_iperf3("no-such-file.json")
    Traceback (most recent call last):
    ValueError: no-such-file.json: cannot be read (No such file or directory)
    """
    content = _content(path)
    run = _Field(str(path), "", content)
    if "error" in run.entries():
        raise ValueError(f"{path}: iperf3 reports an error: {' '.join(str(content['error']).split())}")
    start, end = run["start"], run["end"]
    if "accepted_connection" in start.entries():
        raise ValueError(f"{path}: was written by the iperf3 server: must be the output of the client")
    if any("bidir" in key for key in end.entries()):
        raise ValueError(f"{path}: holds a run in both directions: measure each direction alone, without --bidir")
    protocol = start["test_start"]["protocol"]
    if protocol.value == "TCP":
        return _tcp(start, end)
    if protocol.value == "UDP":
        return _udp(start, end)
    raise unknown(f"{path}: {protocol.name}", protocol.value, ("TCP", "UDP"))


def _content(path: str | PathLike[str]) -> Any:
    """Return the JSON of a run: one object, or of ``--json-stream`` the events "start", "end" and "error" put together.

    Each line of a stream is an object with ``event`` and ``data``; "interval" events hold nothing that is used here.
    """
    text = _read(path)
    try:
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            lines = [json.loads(line) for line in text.splitlines() if line.strip()]
            if len(lines) < 2 or not all(isinstance(line, dict) and {"event", "data"} <= set(line) for line in lines):
                raise
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}: is not the JSON of one iperf3 run (line {error.lineno}: {error.msg})") from None
    except (ValueError, RecursionError):  # Python's own limits
        raise ValueError(f"{path}: is not the JSON of one iperf3 run (too many digits or levels)") from None
    kept = ("start", "end", "error")
    events = [line["event"] for line in lines]
    for name in kept:
        if events.count(name) > 1:
            raise ValueError(f"{path}: holds {events.count(name)} runs of iperf3 --json-stream, must hold one")
    return {line["event"]: line["data"] for line in lines if line["event"] in kept}


def _tcp(start: _Field, end: _Field) -> PathFigures:
    mss = start["tcp_mss" if "tcp_mss" in start.entries() else "tcp_mss_default"].number("bytes", "(0, inf)")
    segments = end["sum_sent"]["bytes"].number("bytes", "(0, inf)") / mss
    resent = end["sum_sent"]["retransmits"]
    loss = resent.number("segments", "[0, inf)") / segments
    if not loss < 1:
        raise ValueError(
            f"{resent.path}: {resent.name} = {resent.value} is out of range: "
            f"must be below the {segments:.6g} segments sent"
        )
    remarks = [
        "rate: an estimate, what the TCP receiver saw (iperf3); the path may carry more",
        f"loss: an estimate, {resent.value} of {segments:.0f} segments retransmitted (iperf3), own overflows included",
        f"packet: {mss:g} bytes, the maximum segment size of the TCP connection (iperf3)",
    ]
    measured = [s["sender"]["mean_rtt"].number("us", "[0, inf)") for s in end["streams"].elements()]
    known = [rtt for rtt in measured if rtt > 0]  # iperf3 writes 0 where the sender is the remote side
    if known:
        remarks.append("round_trip_time: an estimate, the TCP sender's mean (iperf3), queueing included")
    else:
        remarks.append("round_trip_time: not measured, iperf3 did not run on the sending side; take it from ping")
    return PathFigures(
        end["sum_received"]["bits_per_second"].number("bit/s", "(0, inf)") / 8,
        sum(known) / len(known) / 1e6 if known else None,
        loss,
        tuple(remarks),
        packet=mss,
        transport="TCP",
    )


def _udp(start: _Field, end: _Field) -> PathFigures:
    size = start["test_start"]["blksize"].number("bytes", "(0, inf)")
    loss = end["sum"]["lost_percent"].number("%", "[0, 100)") / 100
    if "sum_received" in end.entries():
        rate = end["sum_received"]["bits_per_second"].number("bit/s", "(0, inf)") / 8
    else:  # before version 3.12 there is only "sum", and its rate is the sender's
        rate = end["sum"]["bits_per_second"].number("bit/s", "(0, inf)") / 8 * (1 - loss)
    return PathFigures(
        rate,
        None,
        loss,
        (
            "rate: an estimate, what the UDP receiver saw (iperf3), never more than what was offered",
            "loss: an estimate, the share of UDP datagrams lost (iperf3), overflows of queues included",
            f"packet: {size:g} bytes, the datagrams of iperf3",
        ),
        packet=size,
        transport="UDP",
    )


@dataclass(frozen=True)
class _Field:
    """A value in the file, with its path in the JSON for error messages."""

    path: str
    name: str
    value: Any

    def __getitem__(self, key: str) -> _Field:
        entries = self.entries()
        name = f"{self.name}.{key}".lstrip(".")
        if key not in entries:
            raise ValueError(f"{self.path}: key {name!r} is missing")
        return _Field(self.path, name, entries[key])

    def entries(self) -> dict[str, Any]:
        return self.value if isinstance(self.value, dict) else self._refuse("an object")

    def elements(self) -> list[_Field]:
        values = self.value if isinstance(self.value, list) and self.value else self._refuse("a list of streams")
        return [_Field(self.path, f"{self.name}[{i}]", value) for i, value in enumerate(values)]

    def number(self, unit: str, allowed: str) -> float:
        # Python takes true for 1 and "7" for 7; iperf3 writes neither
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            self._refuse(f"a number ({unit})")
        try:
            return number(f"{self.path}: {self.name}", float(self.value), unit, allowed)
        except OverflowError:  # an integer of more than 308 digits
            self._refuse(f"a number in {allowed} {unit}")

    def _refuse(self, expected: str) -> NoReturn:
        shown = type(self.value).__name__ if isinstance(self.value, dict | list) else f"{self.value!r:.40}"
        raise ValueError(f"{self.path}: {self.name or 'the file'} holds {shown}, must hold {expected}")


# iputils: "rtt min/avg/max/mdev = "; BSD, macOS: "round-trip min/avg/max/stddev = "; busybox: without the last
_SUMMARY = re.compile(r"(?:rtt|round-trip)\s+min/avg/max\S*\s*=\s*([0-9]+(?:\.[0-9]+)?)/[0-9./]+\s*ms\b")
_REPLY = re.compile(r"\btime=([0-9]+(?:\.[0-9]+)?)\s*ms\b")
_LOST = re.compile(r"([0-9]+(?:\.[0-9]+)?)% packet loss")


def read_ping(path: str | PathLike[str]) -> PathFigures:
    """Read the smallest round-trip time from the output of ``ping``: the one with the least queueing.

    Loss is reported in a remark and not used as the loss of the path: a few dozen packets cannot distinguish 1e-3 from
    0, and many hosts limit the rate of their replies.

    Parameters
    ----------
    path : str or path
        Output of one run of ping on Linux, BSD, macOS or busybox. If the summary is missing, the replies are read one
        by one.

    Returns
    -------
    PathFigures
        Round-trip time [s] of small packets; rate and loss are None.

    Raises
    ------
    ValueError
        If the file cannot be read, holds no reply, or holds several runs.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "ping.txt")
    ...     _ = file.write_text("round-trip min/avg/max = 20.1/20.5/21.0 ms")
    ...     read_ping(file).round_trip_time
    0.0201
    """
    text = _read(path)
    summaries = _SUMMARY.findall(text)
    if len(summaries) > 1:
        raise ValueError(f"{path}: holds {len(summaries)} runs of ping, must hold one")
    times = summaries or _REPLY.findall(text)
    if not times:
        raise ValueError(f"{path}: holds no round-trip time: must be the output of ping with at least one reply")
    smallest = number(f"{path}: round-trip time", min(map(float, times)), "ms", "(0, inf)")
    remarks = ["round_trip_time: an estimate, the smallest (ping), of small packets in empty queues"]
    lost = _LOST.search(text)
    if lost and float(lost[1]) > 0:
        remarks.append(f"ping lost {lost[1]}% of its packets: too few to tell, not used as the path's loss")
    return PathFigures(round_trip_time=smallest / 1000, remarks=tuple(remarks))


def _read(path: str | PathLike[str]) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path}: cannot be read (not UTF-8 text)") from None

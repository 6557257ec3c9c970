"""Figures of a path from the output of ``iperf3 --json`` and ``--json-stream``."""

from __future__ import annotations

import json
from os import PathLike
from typing import Any

from longfat.domains import unknown
from longfat.measured.counting import loss_interval
from longfat.measured.fields import Field, text_of
from longfat.measured.figures import PathFigures


def read_iperf3(path: str | PathLike[str]) -> PathFigures:
    """Read the figures of one ``iperf3 --json`` (or ``--json-stream``) run, as the client wrote them.

    TCP: the rate is what the receiver saw; the round-trip time is the smallest that the sender saw, which only the
    sending side writes (not with ``-R``), and the queueing delay what its mean is above it; the loss is
    retransmissions per segment sent, an estimate that counts drops from the flow's own overflows and segments resent
    in vain.
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
    run = Field(str(path), "", content)
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
    text = text_of(path)
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


def _tcp(start: Field, end: Field) -> PathFigures:
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
    base, mean = _round_trips(end)
    if base is None:
        remarks.append("round_trip_time: not measured, iperf3 did not run on the sending side; take it from ping")
    else:
        which = "mean" if mean is None else "smallest"
        remarks.append(f"round_trip_time: an estimate, the TCP sender's {which} (iperf3), queueing included")
    if mean is not None:
        remarks.append("queueing_delay: the TCP sender's mean round-trip time less the smallest (iperf3)")
    return PathFigures(
        end["sum_received"]["bits_per_second"].number("bit/s", "(0, inf)") / 8,
        base,
        loss,
        tuple(remarks),
        packet=mss,
        transport="TCP",
        queueing_delay=None if base is None or mean is None else max(0.0, mean - base),
        packets_sent=segments,
        loss_interval=loss_interval(loss * segments, segments),
    )


def _round_trips(end: Field) -> tuple[float | None, float | None]:
    """Return the smallest round-trip time [s] and the mean one; where the smallest is not written, the mean and None.

    iperf3 samples Linux's smoothed round-trip time at the end of each interval. It writes 0 where the sender is the
    remote side.
    """
    senders = [stream["sender"] for stream in end["streams"].elements()]
    means = [one["mean_rtt"].number("us", "[0, inf)") / 1e6 for one in senders]
    known = [mean for mean in means if mean > 0]
    if not known:
        return None, None
    mean = sum(known) / len(known)
    if not all("min_rtt" in one.entries() for one in senders):
        return mean, None
    least = [one["min_rtt"].number("us", "[0, inf)") / 1e6 for one in senders]
    return min([one for one in least if one > 0], default=mean), mean


def _udp(start: Field, end: Field) -> PathFigures:
    size = start["test_start"]["blksize"].number("bytes", "(0, inf)")
    loss = end["sum"]["lost_percent"].number("%", "[0, 100)") / 100
    datagrams = end["sum"]["packets"].number("datagrams", "(0, inf)")
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
        packets_sent=datagrams,
        loss_interval=loss_interval(loss * datagrams, datagrams),
    )

"""Reader of the output of ``iperf3 --json`` and ``--json-stream``.

TCP: the loss is the ratio of retransmissions to segments sent, an estimate that includes drops in queues that the flow
itself filled, and spurious retransmissions. UDP: the rate is never more than the offered one, and there is no
round-trip time. A file of the server only has the rate and, with ``-R``, the round-trip time.
"""

from __future__ import annotations

import re
from collections import defaultdict
from statistics import median
from typing import Any, NamedTuple

from longfat.base.domains import unknown
from longfat.measured.counting import loss_interval
from longfat.measured.fields import Field
from longfat.measured.figures import Measurement, PathFigures, Series
from longfat.measured.limits import by_processor, by_windows, queued_or_lost

KIND = "iperf3 --json"
#: First version of iperf3 that has a thread for each stream (its release notes, 3.16).
_THREADED = (3, 16)
_EVENTS = ("start", "end", "error")  # events of --json-stream that occur once; "interval" occurs many times


def looks_like(content: Any) -> bool:
    """Return whether the content of a JSON file, or the list of its lines, has two keys or more of a run of iperf3."""
    if isinstance(content, dict):
        return len(content.keys() & {"start", "intervals", "end", "error"}) >= 2
    return (
        bool(content)
        and isinstance(content, list)
        and all(isinstance(one, dict) and {"event", "data"} <= one.keys() for one in content)
    )


def read(path: str, content: Any) -> Measurement:
    """Return the measurement of a run from its JSON, or from the list of the events of ``--json-stream``."""
    intervals: list[Any] = []
    if isinstance(content, list):
        intervals = [event["data"] for event in content if event["event"] == "interval"]
        content = _assembled(path, content)
    run = Field(path, "", content)
    if "error" in run.entries():
        raise ValueError(f"{path}: iperf3 reports an error: {' '.join(str(content['error']).split())}")
    start, end = run["start"], run["end"]
    if any("bidir" in key for key in end.entries()):
        raise ValueError(f"{path}: the file holds a run in both directions: measure each alone, without --bidir")
    protocol = start["test_start"]["protocol"]
    if protocol.value not in ("TCP", "UDP"):
        raise unknown(f"{path}: {protocol.name}", protocol.value, ("TCP", "UDP"))
    if "intervals" in run.entries():
        intervals = run["intervals"].value
    samples = _samples(Field(path, "intervals", intervals))
    if "accepted_connection" in start.entries():
        figures = _server(start, end, samples)
    else:
        figures = _tcp(start, end, samples) if protocol.value == "TCP" else _udp(start, end)
        if "server_output_json" in run.entries():  # --get-server-output: the server's values, which -R lacks
            theirs = run["server_output_json"]
            figures = figures.merged(_server(theirs["start"], theirs["end"], []))
    return Measurement(path, KIND, figures, _series(samples))


def _assembled(path: str, lines: list[Any]) -> dict[str, Any]:
    """Assemble the document that ``--json`` would have written from the events of ``--json-stream``."""
    events = [line["event"] for line in lines]
    for name in _EVENTS:
        if events.count(name) > 1:
            raise ValueError(f"{path}: the file holds {events.count(name)} runs of iperf3 --json-stream, must hold one")
    return {line["event"]: line["data"] for line in lines if line["event"] in _EVENTS}


class _Sample(NamedTuple):
    """Values that iperf3 reports for one stream in one interval; None for a value that it does not report."""

    time: float  # end of the interval [s]
    rate: float  # bytes/s
    round_trip_time: float | None  # s
    window: float | None  # bytes
    receive_window: float | None  # bytes
    resent: float | None  # segments


def _samples(intervals: Field) -> list[_Sample]:
    """Return a sample for each stream and interval, without the intervals that ``--omit`` excludes."""
    made = []
    for interval in intervals.elements() if intervals.value else ():
        for stream in interval["streams"].elements() if interval["streams"].value else ():
            if stream.entries().get("omitted"):
                continue

            def known(name: str, unit: str, scale: float = 1.0, stream: Field = stream) -> float | None:
                if name not in stream.entries():
                    return None
                return stream[name].number(unit, "[0, inf)") * scale or None

            made.append(
                _Sample(
                    stream["end"].number("s", "[0, inf)"),
                    stream["bits_per_second"].number("bit/s", "[0, inf)") / 8,
                    known("rtt", "us", 1e-6),
                    known("snd_cwnd", "bytes"),
                    known("snd_wnd", "bytes"),
                    known("retransmits", "segments"),
                )
            )
    return made


def _tcp(start: Field, end: Field, samples: list[_Sample]) -> PathFigures:
    # The TCP option with the maximum segment size has 16 bits (RFC 9293, section 3.2).
    mss = start["tcp_mss" if "tcp_mss" in start.entries() else "tcp_mss_default"].number("bytes", "[1, 65535]")
    segments = end["sum_sent"]["bytes"].number("bytes", "[1, inf)") / mss
    resent = end["sum_sent"]["retransmits"]
    loss = resent.number("segments", "[0, inf)") / segments
    if not loss < 1:
        raise ValueError(
            f"{resent.path}: {resent.name} = {resent.value} is out of range: "
            f"must be below the {segments:.6g} segments sent"
        )
    remarks = [
        "rate: an estimate, what the TCP receiver saw (iperf3); the path may carry more",
        f"loss: an estimate, {resent.value} of {segments:.0f} segments retransmitted (iperf3), queue drops included",
        f"packet: {mss:g} bytes, the maximum segment size of the TCP connection (iperf3)",
    ]
    base, mean = _round_trips(end)
    if base is None:
        remarks.append(
            "round_trip_time: not measured, iperf3 writes it with --json on the sending side; take it from ping"
        )
    figures = PathFigures(
        end["sum_received"]["bits_per_second"].number("bit/s", "(0, inf)") / 8,
        None,
        loss,
        tuple(remarks),
        packet=mss,
        transport="TCP",
        packets_sent=segments,
        loss_interval=loss_interval(loss * segments, segments, _burst(samples)),
        policed=queued_or_lost(base, mean, loss),
        flows=len(end["streams"].elements()),
        loss_events=_loss_events(samples),
    )
    return figures.merged(_trips(base, mean, "iperf3")).merged(_limit(start, end, samples))


def _round_trips(end: Field) -> tuple[float | None, float | None]:
    """Return the smallest and the mean round-trip time [s]; if the file lacks the smallest, return the mean and None.

    iperf3 samples Linux's smoothed round-trip time at the end of each interval. It writes 0 if the sender is the remote
    side.
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


def _trips(base: float | None, mean: float | None, source: str) -> PathFigures:
    """Return a record of the round-trip times that `_round_trips` returned; ``source`` names the file in remarks."""
    if base is None:
        return PathFigures()
    which = "mean" if mean is None else "smallest"
    remarks = [f"round_trip_time: an estimate, the TCP sender's {which} ({source}), queueing included"]
    if mean is not None:
        remarks.append(f"queueing_delay: the TCP sender's mean round-trip time less the smallest ({source})")
    delay = None if mean is None else max(0.0, mean - base)
    return PathFigures(round_trip_time=base, queueing_delay=delay, remarks=tuple(remarks))


def _burst(samples: list[_Sample]) -> float | None:
    """Return the index of dispersion (variance / mean) of retransmissions per interval: 1 for independent losses.

    Losses in bursts of n packets have an index of n. The index widens the interval of the loss (quasi-Poisson variance
    of McCullagh and Nelder, Generalized Linear Models, 2nd edition, 1989). The result is None if there are fewer than
    three intervals, or no retransmissions.
    """
    counts: dict[float, float] = {}
    for one in samples:
        counts[one.time] = counts.get(one.time, 0.0) + (one.resent or 0.0)
    if len(counts) < 3 or not sum(counts.values()):
        return None
    mean = sum(counts.values()) / len(counts)
    variance = sum((count - mean) ** 2 for count in counts.values()) / (len(counts) - 1)
    return max(1.0, variance / mean)


def _loss_events(samples: list[_Sample]) -> int | None:
    """Return the number of intervals with retransmissions; None if it is 0 or there are fewer than three intervals."""
    times = {one.time for one in samples}
    return (len({one.time for one in samples if one.resent}) or None) if len(times) > 2 else None


def _limit(start: Field, end: Field, samples: list[_Sample]) -> PathFigures:
    """Return a record with the limit of the flow: a processor, or a limit inferred from windows and data in flight."""
    control = str(end.entries().get("sender_tcp_congestion") or "") or None
    asked = start["target_bitrate"].number("bit/s", "[0, inf)") / 8 if "target_bitrate" in start.entries() else 0.0
    processor, taken = _processor(start, end)
    if processor:
        words = f"limited_by: iperf3 took {taken:.1%} of a processor's time on that side"
        return PathFigures(limited_by=processor, processor=taken, control=control, remarks=(words,))
    windows = [
        (one.rate * one.round_trip_time, one.window, one.receive_window)
        for one in samples
        if one.round_trip_time and one.window
    ]
    found = by_windows(windows, half_empty=(control or "").startswith("bbr"))
    if not found:
        return PathFigures(control=control)
    words = ", and -b asked for no more" if found == "sender" and asked else ""
    closed = [rwnd for _, cwnd, rwnd in windows if rwnd and cwnd and rwnd < cwnd]
    streams = len(end["streams"].elements())
    return PathFigures(
        limited_by=found,
        receive_window=streams * median(closed) if found == "receiver window" else None,
        offered=asked or None if found == "sender" else None,
        control=control,
        remarks=(f"limited_by: flight and windows at the ends of {len(windows)} intervals (iperf3){words}",),
    )


def _processor(start: Field, end: Field) -> tuple[str | None, float | None]:
    """Return the side whose processor was the limit, and its processor time per duration of the transfer [1]."""
    if "cpu_utilization_percent" not in end.entries():
        return None, None
    shares = end["cpu_utilization_percent"]
    here, there = (shares[name].number("%", "[0, inf)") / 100 for name in ("host_total", "remote_total"))
    version = re.search(r"(\d+)\.(\d+)", str(start.entries().get("version", "")))
    threaded = version is not None and tuple(map(int, version.groups())) >= _THREADED
    threads = len(end["streams"].elements()) if threaded else 1
    is_server = "accepted_connection" in start.entries()
    reverse = bool(start["test_start"].entries().get("reverse"))
    sender, receiver = (here, there) if reverse == is_server else (there, here)
    found = by_processor(sender, receiver, threads)
    return found, None if found is None else sender if found.startswith("sender") else receiver


def _udp(start: Field, end: Field) -> PathFigures:
    size = start["test_start"]["blksize"].number("bytes", "[1, 65535]")
    loss = end["sum"]["lost_percent"].number("%", "[0, 100)") / 100
    datagrams = end["sum"]["packets"].number("datagrams", "[1, inf)")
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
            "loss: an estimate, the fraction of UDP datagrams lost (iperf3), queue drops included",
            f"packet: {size:g} bytes, the datagrams of iperf3",
        ),
        packet=size,
        transport="UDP",
        packets_sent=datagrams,
        loss_interval=loss_interval(loss * datagrams, datagrams),
    )


def _server(start: Field, end: Field, samples: list[_Sample]) -> PathFigures:
    """Return the figures in the output of an iperf3 server: the rate and, with -R, the round-trip time.

    The server writes 0 for all other figures.
    """
    protocol = start["test_start"]["protocol"].value
    rates = [
        end[name]["bits_per_second"].number("bit/s", "[0, inf)") / 8
        for name in ("sum_received", "sum_sent")
        if name in end.entries()
    ]
    rate = next((one for one in rates if one > 0), None)
    if rate is None:
        raise ValueError(
            f"{start.path}: the iperf3 server that wrote this file counted no data: take the output of the client"
        )
    received = rate == rates[0]
    which = f"what the {protocol} {'receiver saw' if received else 'sender sent'}"
    remark = f"rate: an estimate, {which} (iperf3's server); the path may carry more"
    figures = PathFigures(rate, remarks=(remark,), transport=str(protocol))
    if protocol == "TCP" and not received:
        figures = figures.merged(_trips(*_round_trips(end), "iperf3's server"))
    return figures.merged(_limit(start, end, samples)) if protocol == "TCP" else figures


def _series(samples: list[_Sample]) -> tuple[Series, ...]:
    """Return series over time; rates of parallel streams are added, other values come from the first stream."""
    rates: dict[float, float] = defaultdict(float)
    first: dict[float, _Sample] = {}
    for one in samples:
        rates[one.time] += one.rate
        first.setdefault(one.time, one)
    times = sorted(rates)

    def points(field: str) -> list[tuple[float, float]]:
        return [(time, getattr(first[time], field) or 0.0) for time in times]

    return Series.of(
        ("rate", "bytes/s", [(time, rates[time]) for time in times]),
        ("round-trip time", "s", points("round_trip_time")),
        ("congestion window", "bytes", points("window")),
        ("retransmissions", "packets", points("resent")),
    )

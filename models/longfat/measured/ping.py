"""Reader of the output of ``ping``."""

from __future__ import annotations

import re

from longfat.base.domains import number
from longfat.measured.fields import printed
from longfat.measured.figures import Measurement, PathFigures, Series

KIND = "ping"

# Summaries begin "rtt min/avg/max/mdev = " (iputils) or "round-trip min/avg/max/stddev = " (BSD, macOS); busybox prints
# no deviation.
_NUMBER = r"([0-9]+(?:\.[0-9]+)?)"
_SUMMARY = re.compile(rf"(?:rtt|round-trip)\s+min/avg/max\S*\s*=\s*{_NUMBER}/{_NUMBER}/[0-9./]+\s*ms\b")
#: Pattern of the line of a reply. With the option -D of ping the line begins with a time; "(DUP!)" marks a duplicate
#: reply.
_REPLY = re.compile(rf"^(?:\[{_NUMBER}\] )?(.*)\btime=([0-9]+(?:\.[0-9]+)?)\s*ms\b(.*)$", re.MULTILINE)
#: Summary of Windows' ping, whose times are whole milliseconds.
_WINDOWS = re.compile(r"Minimum = ([0-9]+)ms, Maximum = [0-9]+ms, Average = ([0-9]+)ms")
#: Line of Windows' ping for a reply within less than a millisecond, which has "time<1ms" in place of the time.
_BELOW = re.compile(r"\btime<[0-9]+\s*ms\b")
_LOST = re.compile(r"(?<![0-9])([0-9]+(?:\.[0-9]+)?)% (?:packet )?loss")
_RECEIVED = re.compile(r"transmitted, ([0-9]+) (?:packets )?received")


def looks_like(text: str) -> bool:
    """Return whether a text may be the output of ping."""
    return bool(
        _SUMMARY.search(text)
        or _REPLY.search(text)
        or _BELOW.search(text)
        or _LOST.search(text)
        or text.startswith("PING ")
    )


def read(path: str, text: str) -> Measurement:
    """Return the measurement from the replies and the summary of one run of ping.

    The loss appears in a remark only, not as the loss of the path: a few dozen packets cannot distinguish 1e-3 from 0,
    and many hosts limit the rate of their replies.
    """
    windows = _WINDOWS.findall(text)
    summaries = _SUMMARY.findall(text) + windows
    if len(summaries) > 1:
        raise ValueError(f"{path}: the file holds {len(summaries)} runs of ping, must hold one")
    replies = [(at, printed(f"{path}: time", time)) for at, _, time, rest in _REPLY.findall(text) if "DUP" not in rest]
    times = [time for _, time in replies]
    if _BELOW.search(text):
        below = "holds round-trip times that are only bounded, as time<1ms: run ping on Linux or macOS, or ss -tin"
        raise ValueError(f"{path}: the file {below}")
    if not summaries and not times:
        wanted = "must be the output of ping, in English (LC_ALL=C ping HOST), with a reply"
        raise ValueError(f"{path}: the file holds no round-trip time: {wanted}")
    least, mean = (
        (printed(f"{path}: round-trip time", one) for one in summaries[0])
        if summaries
        else (min(times), sum(times) / len(times))
    )
    smallest = number(f"{path}: round-trip time", least, "ms", "(0, inf)")
    remarks = ["round_trip_time: an estimate, the smallest (ping), of small packets in empty queues"]
    if windows:
        remarks.append("round_trip_time: in whole milliseconds, as Windows prints it (ping)")
    remarks.append("queueing_delay: the mean less the smallest (ping)")
    received = _RECEIVED.search(text)
    if not summaries:
        remarks.append(f"the file is cut off, or ping was killed: it has {len(times)} replies and no summary (ping)")
    elif times and received and int(received[1]) != len(times):
        remarks.append(f"lines are missing or damaged: {len(times)} replies of the {received[1]} received (ping)")
    lost = _LOST.search(text)
    if lost and float(lost[1]) > 0:
        remarks.append(f"ping lost {lost[1]}% of its packets: too few for an estimate, not used as the path's loss")
    figures = PathFigures(
        round_trip_time=smallest / 1000, queueing_delay=max(0.0, mean - smallest) / 1000, remarks=tuple(remarks)
    )
    return Measurement(path, KIND, figures, _series(replies))


def _series(replies: list[tuple[str, float]]) -> tuple[Series, ...]:
    """Return the round-trip times [s], over time if ``ping -D`` printed times, else over the number of the reply."""
    timed = all(at for at, _ in replies)
    times = [float(at) - float(replies[0][0]) if timed else float(i) for i, (at, _) in enumerate(replies)]
    trips = [trip / 1000 for _, trip in replies]
    return Series.of(("round-trip time", "s", list(zip(times, trips, strict=True))), timed=timed)

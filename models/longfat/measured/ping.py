"""Figures of a path from the output of ``ping``."""

from __future__ import annotations

import re
from os import PathLike

from longfat.domains import number
from longfat.measured.fields import text_of
from longfat.measured.figures import PathFigures

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
    text = text_of(path)
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

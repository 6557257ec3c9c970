"""Comparison of a user's trace of congestion windows with a test vector."""

from __future__ import annotations

import csv
import math
import re
from typing import NamedTuple

import numpy as np

from longfat.base import domains
from longfat.benchmark.vectors import Row

#: Column -> units that its heading may name, with factors to seconds or bytes. The first unit applies if the heading
#: names none.
UNITS = {
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6},
    "window": {"bytes": 1.0, "kB": 1e3, "KiB": 1024.0, "packets": math.nan},
}
HEADS = 'a header with "time [s]" and "window [bytes]"; other units: ms, us, kB, KiB, packets'
SLACK = 1e-9  # s: times of a vector are rounded to nanoseconds


class Seen(NamedTuple):
    """One window of a trace: number of the line in the file, time [s] and window [bytes]."""

    line: int
    time: float
    window: float


class Judged(NamedTuple):
    """Result of the comparison of a trace with a test vector.

    ``compared`` is the number of windows within the time span of the vector. ``largest`` is the largest excess over the
    bounds of the vector [bytes], 0 if there is none. ``first`` is the first window outside its bounds, ``low`` and
    ``high`` [bytes].
    """

    compared: int
    largest: float
    first: Seen | None
    low: float
    high: float


def read(text: str, packet: int, name: str = "check") -> list[Seen]:
    r"""Parse a trace of windows given as CSV with a header; lines that begin with # are comments.

    >>> read("time [ms],window [packets]\n40,12\n", 1200)
    [Seen(line=2, time=0.04, window=14400.0)]
    """
    lines = [(k, line) for k, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]
    if not lines:
        raise domains.out_of_range(name, "an empty file", "1", "a CSV file with a header and a line of data")
    cells = list(csv.reader(line for _, line in lines))
    places = [_column(what, cells[0], packet, name) for what in UNITS]
    found: list[Seen] = []
    for (k, line), row in zip(lines[1:], cells[1:], strict=True):
        try:
            time, window = (float(row[place]) * scale for place, scale in places)
        except (ValueError, IndexError):
            time = window = math.nan
        if not (math.isfinite(time) and 0 <= window < math.inf):
            raise domains.wrong_type(f"line {k} of {name}", line.strip()[:40], "a finite time and a window >= 0")
        if found and time < found[-1].time:
            raise domains.out_of_range(f"time in line {k} of {name}", time, "s", f"[{found[-1].time:g}, inf)")
        found.append(Seen(k, time, window))
    if not found:
        raise domains.out_of_range(name, "a header alone", "1", "a CSV file with a header and a line of data")
    return found


def _column(what: str, heads: list[str], packet: int, name: str) -> tuple[int, float]:
    """Return the index of a column in the header, and the factor that converts its values to seconds or bytes."""
    units = UNITS[what]
    for place, head in enumerate(heads):
        named = re.fullmatch(rf"{what}(?: \[(\w+)\])?", head.strip())
        if named and (named[1] or next(iter(units))) in units:
            scale = units[named[1] or next(iter(units))]
            return place, packet if math.isnan(scale) else scale
    raise domains.wrong_type(f"header of {name}", ",".join(heads)[:60], HEADS)


def judge(rows: list[Row], seen: list[Seen], jitter: float, name: str = "check") -> Judged:
    """Compare each window of a trace with the windows that the vector has up to ``jitter`` [s] earlier or later.

    A window must lie between the smallest and the largest of these windows, extended by their tolerances. With a jitter
    of 0 the n-th window at a time is compared with the n-th window of the vector at that time. Windows before the first
    acknowledgment or after the last one are left out.
    """
    times = np.array([row.time for row in rows])
    floor, ceiling = (np.array([row.window + sign * row.tolerance for row in rows]) for sign in (-1, 1))
    within = [one for one in seen if times[0] - SLACK <= one.time <= times[-1] + SLACK]
    if not within:
        raise domains.out_of_range(
            f"times in {name}", f"{seen[0].time:g} to {seen[-1].time:g}", "s",
            f"[{times[0]:g}, {times[-1]:g}] in at least one line, counted from the departure of the first packet",
        )  # fmt: skip
    first, at, largest = None, (math.nan, math.nan), 0.0
    rank, before = 0, -math.inf
    for one in within:
        end = int(np.searchsorted(times, one.time + jitter + SLACK, "right"))
        # At the time `one.time - jitter` the window has the value that the last acknowledgment before it has set.
        begin = max(0, int(np.searchsorted(times, one.time - jitter + SLACK, "right")) - 1)
        if jitter == 0:
            rank = rank + 1 if one.time <= before + SLACK else 0
            before = one.time
            begin = min(int(np.searchsorted(times, one.time - SLACK, "left")) + rank, end - 1)
            end = begin + 1
        low, high = float(floor[begin:end].min()), float(ceiling[begin:end].max())
        excess = max(low - one.window, one.window - high)
        largest = max(largest, excess)
        if excess > 0 and first is None:
            first, at = one, (low, high)
    return Judged(len(within), largest, first, *at)

"""Test vectors of senders: the window after each acknowledgment, on a path with given losses; checks of traces.

The rows are computed from the qlog of a run, so that they agree with `longfat simulate --qlog`.
"""

from __future__ import annotations

import csv
import json
import math
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from longfat.base import domains
from longfat.base.progress import bar
from longfat.sim import queues
from longfat.sim.network.network import Network
from longfat.sim.runs.captures import captured
from longfat.sim.runs.engine import Simulation

MOST = 50_000  # largest number of packets and acknowledgments of a vector
UNLIMITED = 1e9  # size of a buffer [packets] in which only the given losses occur
#: Longest time for which a receiver delays the acknowledgment of a single packet [s]. LONE is max_ack_delay of RFC
#: 9000, section 18.2. LONE_AT_ONCE applies to a link of unlimited rate. Our choice: it is nearly 0, so that the
#: round-trip time is constant.
LONE, LONE_AT_ONCE = 0.025, 1e-6
#: Coarsest clock resolution [s] of another implementation that the tolerance of CUBIC's window covers (our choice).
CLOCK = 1e-3
BETA, C = 0.7, 0.4  # RFC 9438, sections 4.6 and 5.1


@dataclass(frozen=True)
class Subject:
    """Sender that a test vector describes, with the defaults of its scenario."""

    scheme: str  # name of the simulated scheme
    parameters: dict[str, float]  # parameters of the scheme, without initial window and acknowledgments
    rules: str  # documents whose rules the scheme follows
    losses: tuple[int, ...] = ()  # transmissions that are lost, unless others are given
    rate: float = math.inf  # rate of the link [bytes/s], unless another is given
    round_trips: float = 25  # length of the vector, unless another is given
    tolerance: str = (  # the reason for the tolerance
        "1 byte, because windows are rounded here, and 1 byte for each acknowledgment since the first "
        "reduction, because integers of bytes round each increase"
    )


#: Text for tolerances. RFC 9002, appendix B.5: acknowledged packets increase the window even after a gap, until the
#: packets in the gap are declared lost. TCP's cumulative acknowledgment does not advance there (RFC 5681, section 3.1).
ON_GAPS = (
    "; and the growth by packets acknowledged after a lost one, before the loss was found, which RFC 9002, appendix "
    "B.5, has and TCP has not"
)


ALONE = {"prr": 0.0, "rack": 0.0, "hystart": 0.0}
PACKET_EACH = "one packet, because {}"
SUBJECTS = {
    "newreno": Subject("sack", ALONE, "RFC 5681, equations 2, 3 and 4; RFC 6582 and RFC 6675: once per window", (30,)),
    "newreno-quic": Subject(
        "sack", ALONE | {"growth_limit": math.inf}, "RFC 9002, section 7 and appendix B: bytes acknowledged count",
        (30,), tolerance=Subject.tolerance + ON_GAPS,
    ),
    "cubic": Subject(
        "cubic", ALONE | {"growth_limit": math.inf},
        "RFC 9438, section 4: fast convergence, Reno-friendly region, target one smoothed round trip ahead",
        (100, 2500), round_trips=75,
        tolerance=f"{Subject.tolerance}; the growth of W_cubic in {1e3 * CLOCK:g} ms, the resolution of clocks"
        + ON_GAPS,
    ),
    "prr": Subject(
        "sack", {**ALONE, "prr": 1.0, "growth_limit": math.inf}, "RFC 9937 in loss recovery, otherwise as newreno-quic",
        (60, 62, 75, 80), round_trips=12,
        tolerance=PACKET_EACH.format("the bounds of RFC 9937 are rounded up to whole packets"),
    ),
    "hystart++": Subject(
        "sack", {**ALONE, "hystart": 1.0, "growth_limit": math.inf}, "RFC 9406, section 4, with L infinite (paced)",
        rate=1.25e6, round_trips=40,
        tolerance=PACKET_EACH.format("a round-trip time that is rounded may end a phase an acknowledgment later"),
    ),
    "bbr": Subject(
        "bbr", {}, "draft-ietf-ccwg-bbr-06: Startup, Drain and the beginning of ProbeBW", rate=1.25e6, round_trips=12,
        tolerance="2 packets and 2 %, because samples of the delivery rate depend on when a packet leaves (ours)",
    ),
}  # fmt: skip


class Row(NamedTuple):
    """State of the sender after an acknowledgment: `window`, `ssthresh` [bytes], `rate` [bytes/s], NaN if unknown.

    `acked` and `lost` are numbers of packets, `sent` is the number of packets sent until the next row, and `tolerance`
    [bytes] is how far the window of another implementation may differ.
    """

    time: float
    acked: str
    lost: str
    window: float
    ssthresh: float
    rate: float
    tolerance: float
    sent: int


class Vector(NamedTuple):
    """Test vector: its scenario in words and as TOML, and a row for each acknowledgment."""

    scenario: dict[str, Any]
    rows: list[Row]


def vector(
    name: str, round_trip_time: float, acks: int = 2, packet: int = 1200, initial_window: int = 10,
    rate: float | None = None, losses: list[int] | None = None, duration: float | None = None, progress: bool = False,
) -> Vector:  # fmt: skip
    """Simulate a sender on a path with given losses, and return its test vector.

    >>> made = vector("newreno", 0.04, duration=0.09)
    >>> [round(row.window) for row in made.rows][:6], made.rows[0].acked
    ([13200, 14400, 15600, 16800, 18000, 19200], '0-1')
    """
    subject = SUBJECTS[name]
    rate = subject.rate if rate is None else rate
    lost = list(subject.losses) if losses is None else losses
    if len(set(lost)) < len(lost):
        raise domains.out_of_range("losses", ",".join(map(str, lost)), "1", "numbers of transmissions, each given once")
    until = subject.round_trips * round_trip_time if duration is None else duration
    own = subject.parameters | {"initial_window": initial_window, "delayed_ack": acks}
    own["ack_delay"] = alone = LONE if rate < math.inf else LONE_AT_ONCE
    lossy = queues.discipline("scripted-loss")(transmissions=[[0, k] for k in lost]) if lost else "fifo"
    net = Network(f"vector of {name}")
    net.link("sender", "receiver", rate=rate, delay=round_trip_time / 2, buffer=UNLIMITED, discipline=lossy)
    net.link("receiver", "sender", rate=math.inf, delay=round_trip_time / 2)
    net.flow(subject.scheme, path=["sender", "receiver"], packet=packet, parameters=own, name="flow")
    run = Simulation(net, rng=1)
    with tempfile.TemporaryDirectory() as folder:
        with captured(run, None, folder, MOST) as capture:
            assert capture is not None
            # Check the number of packets after each round trip, because on an unlimited link without losses the window
            # doubles in each.
            for k in bar(range(math.ceil(until / round_trip_time)), task=name, unit="round trip", shown=progress):
                run.advance(min(until, (k + 1) * round_trip_time))
                if capture.end:
                    raise ValueError(
                        f"duration = {until:g} s is out of range: must be less than {capture.until:.3g} s, after which "
                        f"the test vector has more than {MOST} packets; limit the sender by losses or a rate"
                    )
        texts = Path(folder, "flow.sqlog").read_text(encoding="utf-8").split("\x1e")[2:]
    found = rows([json.loads(text) for text in texts], packet, name)
    scenario = {
        "sender": name,
        "rules": subject.rules,
        "round_trip_time [s]": round_trip_time,
        "rate [bytes/s]": rate if rate < math.inf else None,
        "packet [bytes]": packet,
        "initial_window [packets]": initial_window,
        "packets per acknowledgment": acks,
        "delay of other acknowledgments [s]": alone,
        "lost transmissions": lost,
        "duration [s]": until,
        "random numbers": "drawn, with seed 1: a shorter duration draws none" if run.drew else "none",
        "tolerance": subject.tolerance,
        "network": net.to_toml(),
    }
    return Vector(scenario, found)


def rows(events: list[dict[str, Any]], packet: int, name: str) -> list[Row]:
    """Convert qlog events to one row for each acknowledgment, with the packets lost and sent until the next row."""
    made: list[Row] = []
    state = {"congestion_window": math.nan, "ssthresh": math.nan, "pacing_rate": math.nan}
    known: set[int] = set()  # qlog repeats packets acknowledged out of order
    steps, reduced = 0, False
    settled, missing = set[int](), 0  # packets acknowledged or declared lost, and the first packet that is neither
    further, newest = 0.0, 0.0  # growth by packets after a gap (`ON_GAPS`) in earlier rows, and in this row [bytes]
    for event in events:
        kind, data = event["name"].rpartition(":")[2], event["data"]
        if kind == "metrics_updated":
            fall = min(1.0, data.get("congestion_window", math.inf) / state["congestion_window"])
            reduced, further = reduced or fall < 1, further * fall if name == "newreno-quic" else further
            state |= {key: float(data[key]) for key in state if key in data}
        elif kind == "packet_received":
            steps += reduced
            covered = [range(one[0], one[-1] + 1) for one in data["frames"][0]["acked_ranges"]]
            new = [number for one in covered for number in one if number not in known]
            further += newest
            each = growth_of_one(name, state["congestion_window"], state["ssthresh"], packet)
            known.update(new)
            settled.update(new)
            while missing in settled:
                missing += 1
            newest = each * sum(number > missing for number in new)
            made.append(Row(round(event["time"] / 1e3, 9), ranges(new), "", math.nan, math.nan, math.nan, 0.0, 0))
        if not made:
            continue
        row, (window, threshold, rate) = made[-1], state.values()
        found = str(data["header"]["packet_number"]) if kind == "packet_lost" else ""
        if found:  # RFC 9002, appendix A.7: losses are found before the window increases
            settled.add(int(found))
            newest = 0.0
        lost = ";".join(filter(None, (row.lost, found)))
        near = tolerance(name, window, threshold, steps, packet) + math.ceil(further + newest)
        sent = row.sent + (kind == "packet_sent")
        made[-1] = Row(row.time, row.acked, lost, window, threshold, rate / 8, near, sent)
    return made


def growth_of_one(name: str, window: float, ssthresh: float, packet: int) -> float:
    """Return the largest increase of the window [bytes] by one acknowledged packet; 0 if `ON_GAPS` does not apply.

    RFC 9002, section 7.3, and RFC 9438, section 4.4, whose target is at most 1.5 windows.

    >>> growth_of_one("cubic", 12000, math.nan, 1200), growth_of_one("newreno-quic", 12000, 9000, 1200)
    (1200, 120.0)
    """
    if name not in ("newreno-quic", "cubic"):
        return 0.0
    if math.isnan(ssthresh) or window < ssthresh:
        return packet
    return packet / 2 if name == "cubic" else packet * packet / window


def ranges(numbers: list[int]) -> str:
    """Format increasing integers as text in which consecutive integers form a range.

    >>> ranges([4, 5, 6, 9])
    '4-6;9'
    """
    ends: list[list[int]] = []
    for one in numbers:
        if ends and ends[-1][-1] == one - 1:
            ends[-1][1:] = [one]
        else:
            ends.append([one])
    return ";".join("-".join(map(str, pair)) for pair in ends)


def tolerance(name: str, window: float, ssthresh: float, steps: int, packet: int) -> float:
    """Return the largest allowed difference of another implementation's window [bytes]; `SUBJECTS` gives the reasons.

    >>> tolerance("newreno", 14400, math.nan, 7, 1200), tolerance("newreno", 15096, 15000, 1, 1200)
    (1.0, 2.0)
    """
    if name == "bbr":
        return 2 * packet + math.ceil(0.02 * window)
    if name in ("prr", "hystart++"):
        return float(packet)
    if math.isnan(ssthresh):  # slow start, in whole bytes
        return 1.0
    growth = 0.0
    if name == "cubic":  # steepest at time 0, until 2 K: slope 3 C K^2, with C K^3 = (1/beta - 1) ssthresh
        growth = 3 * C ** (1 / 3) * ((1 / BETA - 1) * ssthresh / packet) ** (2 / 3) * packet * CLOCK
    return 1.0 + steps + math.ceil(growth)


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

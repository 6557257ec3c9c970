"""Reader of the output of ``ss -ti``, which has one or more samples of Linux's TCP sockets."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from statistics import median

from longfat.base.domains import number
from longfat.measured.counting import loss_interval
from longfat.measured.fields import PREFIXES, printed
from longfat.measured.figures import DOUBT, Measurement, PathFigures, Series
from longfat.measured.limits import by_time, of_busy, queued_or_lost

KIND = "ss -ti"
_STATES = "ESTAB|CLOSE-WAIT|FIN-WAIT-1|FIN-WAIT-2|CLOSING|LAST-ACK|TIME-WAIT|SYN-SENT|SYN-RECV|LISTEN|UNCONN"
#: Pattern of the line of a socket: state, two queues, local and peer address. ss omits the state if it lists sockets of
#: one state only.
_END = r"(\S{1,99}:\S{1,99})"  # bounded: a search in a line of many colons would take quadratic time
_SOCKET = re.compile(rf"^(?:(?:{_STATES})\s+)?\d+\s+\d+\s+{_END}\s+{_END}")
_COUNTER = re.compile(r"(?:^|\s)(\w+):([0-9.]+)(?:/([0-9.]+))?(ms)?(?=[\s(]|$)")
_RATE = re.compile(r"(?:^|\s)(send|pacing_rate|delivery_rate) ([0-9.]+)([KMGT]?)bps")
#: Least number of segments that a socket has sent. Our choice: sockets with fewer segments, such as control
#: connections, are too short to measure a path.
_LEAST = 10  # segments
#: Counters that never decrease during a connection (struct tcp_info of linux/tcp.h). ss omits counters of 0.
_RISING = ("bytes_acked", "data_segs_out", "retrans", "busy", "rwnd_limited", "sndbuf_limited")
#: Pairs of counters or times of which the first cannot exceed the second: bytes sent include retransmitted bytes, and
#: the smoothed round-trip time is a mean of times that are at least the minimum (net/ipv4/tcp_input.c).
_ORDERED = (("bytes_retrans", "bytes_sent"), ("minrtt", "rtt"))


#: Values that ss reports for a socket at one time, 0 for one that it omits; rates in bytes/s, times in ms as printed.
#: "app_limited" is 1 if the application had too little data to send.
_Sample = defaultdict[str, float]


def looks_like(text: str) -> bool:
    """Return whether a text may be the output of ss with details of TCP."""
    return bool(re.search(r"\bcwnd:\d+", text) and re.search(r"\brtt:[0-9.]+/[0-9.]+", text))


def read(path: str, text: str) -> Measurement:
    """Return the measurement of the path to the peer that acknowledged the most data, from samples of its sockets.

    The base round-trip time is Linux's minimum; the rate is the ratio of the acknowledged data to the time with data
    outstanding. Parallel sockets to the same peer count together.
    """
    sockets: dict[tuple[str, str], list[_Sample]] = defaultdict(list)
    remarks: list[str] = []
    for name, sample in _samples(path, text, remarks):
        before = sockets[name][-1:]
        for one in before:
            _check_rising(f"{path}: {name[0]} {name[1]}, sample {len(sockets[name]) + 1}", one, sample)
        sockets[name].append(sample)
    senders = {name: found for name, found in sockets.items() if _segments(found[-1]) >= _LEAST}
    if not senders:
        words = f"the file holds no socket that has sent {_LEAST} segments: run ss -tin on the sender in a transfer"
        raise ValueError(f"{path}: {'; '.join([words, *remarks])}")
    busiest = max(senders, key=lambda name: senders[name][-1]["bytes_acked"])
    peer = busiest[1].rpartition(":")[0]
    chosen = {name: found for name, found in senders.items() if name[1].rpartition(":")[0] == peer}
    if others := len(senders) - len(chosen):
        remarks.append(f"{others} sockets to other hosts than {peer} are left out (ss)")
    return Measurement(path, KIND, _figures(path, list(chosen.values()), remarks), _series(senders[busiest]))


def _samples(path: str, text: str, remarks: list[str]) -> Iterator[tuple[tuple[str, str], _Sample]]:
    """Yield (local and peer address, sample) of each socket; its details are on its line (ss -O) or on the next.

    A last line without a line break may be cut off within a number: it is left out, with a remark.
    """
    name: tuple[str, str] | None = None
    lines = text.splitlines()
    if not text.endswith("\n"):
        remarks.append(f"the file is cut off in line {len(lines)}, which has no end and is left out (ss)")
        lines.pop()
    for line in lines:
        if found := _SOCKET.match(line):
            name = (found[1], found[2])
            line = line[found.end() :]
        if name is not None and " cwnd:" in line:
            yield name, _sample(path, line)
            name = None
    # A socket that is opening or closing has no details, so missing details do not mean that the output is damaged.
    if name is not None and not remarks and lines[-1].startswith(("ESTAB", *"0123456789")):
        remarks.append(f"the file is cut off after line {len(lines)}: the details of its last socket are missing (ss)")


def _check_rising(name: str, before: _Sample, after: _Sample) -> None:
    """Raise a ValueError if a counter that cannot decrease is smaller than in the previous sample."""
    for key in _RISING:
        if after[key] < before[key]:
            raise ValueError(
                f"{name}: {key} falls from {before[key]:g} to {after[key]:g}, must not fall: "
                "is the line damaged, or are these two connections?"
            )


def _sample(path: str, line: str) -> _Sample:
    made = _Sample(float, app_limited=float(" app_limited" in line))
    for key, value, second, _ in _COUNTER.findall(line):
        made[key] = printed(f"{path}: {key}", second if key == "retrans" and second else value)
    for key, value, unit in _RATE.findall(line):
        made[key] = printed(f"{path}: {key}", value) * PREFIXES[unit] / 8
    return made


def _segments(sample: _Sample) -> float:
    return sample["data_segs_out"] or (sample["bytes_acked"] / sample["mss"] if sample["mss"] else 0.0)


def _figures(path: str, sockets: list[list[_Sample]], remarks: list[str]) -> PathFigures:
    last = [found[-1] for found in sockets]
    trips = [one["rtt"] / 1000 for found in sockets for one in found if one["rtt"] > 0]
    least = [one["minrtt"] / 1000 for found in sockets for one in found if one["minrtt"] > 0]
    base = min(least or trips, default=None)
    mean = sum(trips) / len(trips) if trips else None
    if base is not None:
        number(f"{path}: minrtt", base, "s", "(0, inf)")
        remarks.append(f"round_trip_time: Linux's {'minimum' if least else 'smallest smoothed one'} (ss)")
        remarks.append(f"queueing_delay: the mean of {len(trips)} smoothed round-trip times less the base (ss)")
    for less, more in _ORDERED:
        if any(one[less] > one[more] > 0 for found in sockets for one in found):
            remarks.append(f"{DOUBT}{less} exceeds {more} in a sample, which is impossible: is the line damaged? (ss)")
    rate = sum(_rate(found) for found in sockets)
    if rate:
        remarks.append(
            "rate: an estimate, what was acknowledged per time with data outstanding (ss); the path may carry more"
        )
    sent = sum(_segments(one) for one in last)
    lost = min(sum(one["retrans"] for one in last), sent)
    if lost < sent:
        remarks.append(f"loss: an estimate, {lost:.0f} of {sent:.0f} segments retransmitted (ss), queue drops included")
    mss = median(one["mss"] for one in last)
    limit, shares, buffer = _limit(sockets)
    if limit:
        remarks.append(f"limited_by: {shares} (ss)")
    return PathFigures(
        rate or None,
        base,
        lost / sent if lost < sent else None,
        tuple(remarks),
        packet=mss or None,
        transport="TCP",
        queueing_delay=None if base is None or mean is None else max(0.0, mean - base),
        packets_sent=sent if lost < sent else None,
        loss_interval=loss_interval(lost, sent) if lost < sent else None,
        policed=queued_or_lost(base, mean, lost),
        limited_by=limit,
        limited_share=buffer if limit == "send buffer" else None,
        flows=len(sockets) if rate else None,
    )


def _rate(found: list[_Sample]) -> float:
    """Return the rate of a socket [bytes/s] from its busy time (Linux 4.10 or later), or else from delivery_rate."""
    last = found[-1]
    if last["busy"] > 0:
        return 1000 * last["bytes_acked"] / last["busy"]
    rates = [one["delivery_rate"] for one in found if one["delivery_rate"] > 0]
    return median(rates) if rates else 0.0


def _limit(sockets: list[list[_Sample]]) -> tuple[str | None, str, float]:
    """Return the limit of the sockets, a text with its fractions of the busy time, and that of the send buffer [1]."""
    last = [found[-1] for found in sockets]
    busy, window, buffer = (sum(one[name] for one in last) for name in ("busy", "rwnd_limited", "sndbuf_limited"))
    every = [one["app_limited"] for found in sockets for one in found]
    idle = sum(every) > len(every) / 2
    if not busy:
        return None, "", 0.0
    words = of_busy(busy, window, buffer) + (", often without data to send" if idle else "")
    return by_time(busy, window, buffer, idle), words, buffer / busy


def _series(found: list[_Sample]) -> tuple[Series, ...]:
    """Return the series of a socket over the number of the sample, because ss prints no times."""
    return Series.of(
        ("round-trip time", "s", [(i, one["rtt"] / 1000) for i, one in enumerate(found)]),
        ("rate", "bytes/s", [(i, one["delivery_rate"]) for i, one in enumerate(found)]),
        ("congestion window", "bytes", [(i, one["cwnd"] * one["mss"]) for i, one in enumerate(found)]),
        timed=False,
    )

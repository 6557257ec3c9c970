"""Figures of a path from the transmissions of one flow in a packet capture or a qlog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median

from longfat.base.layers import full_headers, rate_at
from longfat.base.quantities import rounded
from longfat.measured.counting import loss_interval
from longfat.measured.figures import Measurement, PathFigures, Series
from longfat.measured.limits import QUEUED, SHARE
from longfat.measured.policing import Transmission, policer

PARTS = 50  # number of intervals of the series of rate and losses over time; our choice


@dataclass
class Transfer:
    """Observations of one flow in a packet capture or a qlog."""

    sent: list[Transmission] = field(default_factory=list)  # all transmissions in order of time
    acknowledged: float = 0.0  # bytes
    busy: float = 0.0  # time with data outstanding [s]
    #: Time from the first data to the last [s], if the capture was not taken at the sender. It replaces `busy`, which
    #: would be too short: in a capture at the receiver, acknowledgments follow their data at once.
    lasted: float | None = None
    closed: float = 0.0  # part of `busy` in which the receiver's window had no room for a packet [s]
    base: float | None = None  # smallest round-trip time [s]
    mean: float | None = None  # mean round-trip time [s]
    transport: str = "TCP"  # or "" for QUIC
    layer: str = "data"  # layer whose bytes the sizes count, a name in `longfat.measured.LAYERS`
    remarks: list[str] = field(default_factory=list)  # by the reader of the file

    @cached_property
    def packet(self) -> float:
        """Median size of the packets, without headers [bytes]; 0 if there are none."""
        return median(one.size for one in self.sent) if self.sent else 0.0

    def take_round_trips(self) -> None:
        """Set `base` and `mean` from the round-trip times of the transmissions; to None if there are none."""
        trips = [one.round_trip_time for one in self.sent if one.round_trip_time is not None]
        self.base, self.mean = (min(trips), sum(trips) / len(trips)) if trips else (None, None)


def measurement(path: str, source: str, flow: Transfer) -> Measurement:
    """Return the measurement of the path of a flow; ``source`` is the kind of file, which remarks name."""
    sent, remarks = flow.sent, list(flow.remarks)
    lost = sum(one.lost for one in sent)
    bursts = _bursts(sent)
    time = flow.busy if flow.lasted is None else flow.lasted
    rate = flow.acknowledged / time if time > 0 and flow.acknowledged else None
    if rate:
        within = "with data outstanding" if flow.lasted is None else "from the first data to the last, with all pauses"
        remarks.append(f"rate: an estimate, bytes acknowledged per time {within} ({source})")
    remarks.append(f"loss: {lost} of {len(sent)} packets ({source}), queue drops included")
    burst = lost / bursts if bursts else None
    if burst:
        remarks.append(f"loss_burst: the mean of {bursts} bursts ({source})")
    verdict = policer(sent)
    words = f"{verdict.reason} ({source}; Flach et al., SIGCOMM 2016)"
    if verdict.policed:
        least = "at least " if verdict.is_least else ""
        rate_of, bucket = (rounded(one, unit) for one, unit in ((verdict.rate, "bytes/s"), (verdict.bucket, "bytes")))
        words = f"{least}{rate_of} of {flow.layer}{_at_ip(flow, verdict.rate)} with a bucket of {bucket}: {words}"
    if lost:
        remarks.append(f"policed: {words}")
    limit = _limit(flow, lost)
    if limit:
        closed = flow.closed / flow.busy if flow.busy else 0.0
        words = f"the receiver's window was closed for {closed:.0%} of the time"
        if limit == "network":
            words = "losses or a queue" + (f", and {words}" if closed else "")
        remarks.append(f"limited_by: {words} ({source})")
    figures = PathFigures(
        rate,
        flow.base,
        lost / len(sent) if lost < len(sent) else None,
        tuple(remarks),
        packet=flow.packet or None,
        transport=flow.transport,
        queueing_delay=None if flow.base is None or flow.mean is None else max(0.0, flow.mean - flow.base),
        loss_burst=burst,
        packets_sent=len(sent),
        loss_interval=loss_interval(lost, len(sent), burst) if lost < len(sent) else None,
        policed=verdict.policed,
        limited_by=limit,
        loss_events=bursts or None if lost < len(sent) else None,
        rate_layer=flow.layer,
    )
    return Measurement(path, source, figures, _series(sent))


def _at_ip(flow: Transfer, rate: float) -> str:
    """Convert a rate of TCP data to that of IP packets, which policers count; return it as text, "" for other rates."""
    if flow.layer != "data" or flow.transport != "TCP" or not flow.packet:
        return ""
    at_ip = rate_at(rate, "data", "IP", data=flow.packet, **full_headers(flow.packet))
    return f" ({rounded(at_ip, 'bytes/s')} of IP)"


def _bursts(sent: Sequence[Transmission]) -> int:
    """Return the number of bursts of losses, each a sequence of consecutive lost packets."""
    return sum(one.lost and (i == 0 or not sent[i - 1].lost) for i, one in enumerate(sent))


def _limit(flow: Transfer, lost: int) -> str | None:
    """Return what limited the flow: "receiver window", "network" (losses or a queue), or None if unknown."""
    if flow.busy and flow.closed / flow.busy > SHARE:
        return "receiver window"
    queued = flow.base is not None and flow.mean is not None and flow.mean > QUEUED * flow.base
    return "network" if lost or queued else None


def _series(sent: Sequence[Transmission]) -> tuple[Series, ...]:
    """Return the series of rate [bytes/s], round-trip time [s] and losses [packets] of a flow over time."""
    if len(sent) < 2 or sent[-1].time <= sent[0].time:
        return ()
    begin, width = sent[0].time, (sent[-1].time - sent[0].time) / PARTS
    rate, lost = [0.0] * PARTS, [0.0] * PARTS
    for one in sent:
        part = min(int((one.time - begin) / width), PARTS - 1)
        rate[part] += 0.0 if one.lost else one.size / width
        lost[part] += one.lost
    times = [(i + 0.5) * width for i in range(PARTS)]
    trips = [(one.time - begin, one.round_trip_time) for one in sent if one.round_trip_time is not None]
    return Series.of(
        ("rate", "bytes/s", list(zip(times, rate, strict=True))),
        ("round-trip time", "s", trips[:: max(1, len(trips) // (20 * PARTS))]),
        ("losses", "packets", list(zip(times, lost, strict=True))),
    )

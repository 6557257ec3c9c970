"""Figures of a path from the transmissions of one flow in a packet capture or a qlog, and detection of policers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush, heappushpop
from statistics import mean, median

from longfat.base.layers import full_headers, rate_at
from longfat.base.quantities import rounded
from longfat.measured.counting import loss_interval
from longfat.measured.figures import Measurement, PathFigures, Series
from longfat.measured.limits import QUEUED, SHARE

PARTS = 50  # number of intervals of the series of rate and losses over time; our choice
LOSSES, PASSES = 15, 15  # least numbers of lost and of delivered packets for a verdict
ROUNDS_WITH_LOSS = 3
LATEST_FIRST_LOSS = 2e6  # bytes; if the flow sent more before its first loss, there is no verdict
#: Bounds for a bucket that explains the losses, as multiples of the tokens that arrive in a round trip. EMPTY bounds
#: the difference of the tokens at a loss from the median of the tokens at losses. FULL bounds the amount by which the
#: tokens at a packet that passed may be below this median.
EMPTY, FULL = 2.0, 0.75
LOSSES_ASIDE, PASSES_ASIDE = 0.1, 0.03  # fractions of losses and of passes that need not fit a bucket
SILENCE = 1.25  # round trips; a longer time without a transmission is a pause
#: Smallest bucket, in round trips at its rate, for which the rate of delivered packets is reported as the policer's
#: rate. Our choice, fitted to 29 simulated transfers. Of these, 16 had a larger bucket, and their rate was within 0.5 %
#: of the policer's. Of the 13 others, nine had a rate 5 to 74 % below the policer's, because a smaller bucket overflows
#: while the flow is slow after a loss. Ten transfers that were simulated later had a larger bucket, and their rates
#: were at most 6 % below the policer's.
SURE = 2.0
#: A queue caused a loss if the round trip before the loss is not below the median, exceeds LONGER times the 10th
#: percentile and is at least SHORTEST [s]. If the fraction of such losses exceeds LATE_LOSSES, the losses of the flow
#: are not attributed to a policer.
LONGER, SHORTEST, LATE_LOSSES = 1.3, 0.020, 0.2


@dataclass(slots=True)
class Transmission:
    """Transmission of a packet, first or repeated, with its loss or its round-trip time."""

    time: float  # s
    offset: float  # bytes of the flow before the packet
    size: float  # bytes
    lost: bool = False
    round_trip_time: float | None = None  # time to the acknowledgment [s]; None if that gives no valid sample


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
    transport: str = "TCP"  # protocol of the flow; "" for QUIC
    layer: str = "data"  # layer whose bytes the sizes count, a name in `longfat.measured.LAYERS`
    remarks: list[str] = field(default_factory=list)  # remarks by the reader of the file

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


@dataclass(frozen=True)
class Verdict:
    """Result of the test for a policer, with its reason."""

    policed: bool | None  # whether a policer caused losses; False also if nothing was lost, None if uncertain
    reason: str
    rate: float = 0.0  # rate of the policer [bytes/s], headers not counted; 0 if there is none
    bucket: float = 0.0  # bucket of the policer [bytes], headers not counted; 0 if there is none
    is_least: bool = False  # whether `rate` is only a lower bound of the policer's rate, perhaps far below it


def policer(sent: Sequence[Transmission]) -> Verdict:
    """Return the verdict on whether a policer caused the losses of a flow; ``sent`` is in order of time.

    A policer is a token bucket that drops excess packets without a queue. The test is that of Flach, Papageorge,
    Terzis, Pedrosa, Cheng, Karim, Katz-Bassett and Govindan, An Internet-Wide Analysis of Traffic Policing, SIGCOMM
    2016, with the thresholds of the code that its authors published. The test replays the transmissions from the first
    loss on through a token bucket that fills at the rate of the packets that arrived. There is a policer if the bucket
    is empty at losses and not empty where packets pass, and if round trips before losses are not longer than others.
    The test misses policers whose bucket fills up again between losses; therefore only a queue before the losses rules
    a policer out.
    """
    lost = [i for i, one in enumerate(sent) if one.lost]
    if not lost:
        return Verdict(False, "nothing was lost")
    late = _inflated(sent, lost)
    if late == 1 or (late > LATE_LOSSES and len(lost) >= LOSSES):  # ours: few losses must all follow long round trips
        return Verdict(False, "losses after long round trips, as of a full queue")
    if len(lost) < LOSSES:
        return Verdict(None, f"{len(lost)} losses are too few for a verdict, which takes {LOSSES}")
    first, last = sent[lost[0]], sent[lost[-1]]
    trips = [one.round_trip_time for one in sent if one.round_trip_time is not None]
    if not trips or last.time <= first.time:
        return Verdict(None, "no round-trip times to compare with")
    if first.offset > LATEST_FIRST_LOSS:
        return Verdict(None, "the first loss came too late for a verdict")
    passed = sum(one.size for one in sent[lost[0] : lost[-1]] if not one.lost)
    rate = passed / (last.time - first.time)
    trip = median(trips)
    start = sent[_start(sent[: lost[0] + 1], trip)]
    if first.offset - start.offset - rate * (first.time - start.time) < -FULL * trip * rate:
        return Verdict(None, "not found: the flow was slower before the first loss than after it")
    return _replayed(sent[lost[0] :], rate, trip, _bucket(sent[: lost[0]], rate))


def _start(sent: Sequence[Transmission], trip: float) -> int:
    """Return the index of the packet after the last pause before the first loss; 0 if there is no pause.

    Our choice, because a program such as iperf3 sends a few bytes first, and its data once the bucket is full; the
    authors count from the first packet of the flow.
    """
    return max((i for i in range(1, len(sent)) if sent[i].time - sent[i - 1].time > SILENCE * trip), default=0)


def _bucket(sent: Sequence[Transmission], rate: float) -> float:
    """Return the estimated size of the bucket [bytes]: the tokens that it lacks just before the first loss.

    Our choice: the authors take all bytes before the first loss, although tokens have arrived meanwhile.
    """
    taken, before = 0.0, 0.0
    for one in sent:
        taken = max(0.0, taken - rate * (one.time - before)) + one.size
        before = one.time
    return taken


def _replayed(sent: Sequence[Transmission], rate: float, trip: float, bucket: float) -> Verdict:
    """Replay the transmissions from the first loss on through a token bucket, and return the verdict."""
    begin, used, rounds, end = sent[0].time, 0.0, 1, sent[0].time + trip
    at_loss, at_pass = [], []
    for one in sent:
        tokens = rate * (one.time - begin) - used
        if one.lost:
            at_loss.append(tokens)
            if one.time > end:
                rounds, end = rounds + 1, one.time + trip
        else:
            at_pass.append(tokens)
            used += one.size
    if rounds < ROUNDS_WITH_LOSS or len(at_pass) < PASSES:
        return Verdict(None, f"losses in {rounds} round trips are too few for a verdict")
    empty = median(at_loss)
    if mean(at_loss) >= mean(at_pass) or empty >= median(at_pass):
        return Verdict(None, "not found: more tokens at losses than where packets passed")
    if _share(abs(one - empty) > EMPTY * trip * rate for one in at_loss) > LOSSES_ASIDE:
        return Verdict(None, "not found: losses while a bucket would have had tokens")
    if _share(one - empty < -FULL * trip * rate for one in at_pass) > PASSES_ASIDE:
        return Verdict(None, "not found: packets passed while a bucket would have been empty")
    said = "losses fit a token bucket, and round trips before them are short"
    return Verdict(True, said, rate, bucket, bucket < SURE * trip * rate)


def _inflated(sent: Sequence[Transmission], lost: Sequence[int]) -> float:
    """Return the fraction of losses that follow a long round-trip time, and thus a queue."""
    trips: list[float] = []
    tenth, middle = _Ranked(), _Ranked()
    count, at = 0, 0
    for i in lost:
        for one in sent[at:i]:
            if one.round_trip_time is not None:
                trips.append(one.round_trip_time)
                tenth.add(one.round_trip_time)
                middle.add(one.round_trip_time)
        at = i
        if len(trips) > 1:
            before, last = trips[-2], len(trips) - 1
            half = middle.at(last // 2)
            half = (half + middle.high[0]) / 2 if last % 2 else half
            count += before >= half and before > LONGER * tenth.at(int(0.1 * last)) and before >= SHORTEST
    return count / len(lost)


class _Ranked:
    """Container of numbers that finds the one of a given rank in logarithmic time; ranks must not decrease."""

    def __init__(self) -> None:
        self.low: list[float] = []  # heap of the smallest values, negated
        self.high: list[float] = []  # heap of the other values

    def add(self, value: float) -> None:
        heappush(self.high, -heappushpop(self.low, -value))

    def at(self, rank: int) -> float:
        """Return the value of a rank; the smallest value has rank 0."""
        while len(self.low) <= rank:
            heappush(self.low, -heappop(self.high))
        return -self.low[0]


def _share(conditions: Iterable[bool]) -> float:
    values = list(conditions)
    return sum(values) / len(values)

"""Detection of policers: test of whether a token bucket, which drops excess packets without a queue, caused losses.

The test is that of Flach, Papageorge, Terzis, Pedrosa, Cheng, Karim, Katz-Bassett and Govindan, An Internet-Wide
Analysis of Traffic Policing, SIGCOMM 2016, with the thresholds of the code that its authors published. It replays the
transmissions from the first loss on through a token bucket that fills at the rate of the packets that arrived. There is
a policer if the bucket is empty at losses and not empty where packets pass, and if the round trips before losses are
not longer than others. The test misses policers whose bucket fills up again between losses; therefore only a queue
before the losses rules a policer out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush, heappushpop
from statistics import mean, median

LOSSES, PASSES = 15, 15  # least numbers of lost and of delivered packets for a verdict
ROUNDS_WITH_LOSS = 3
LATEST_FIRST_LOSS = 2e6  # bytes; if the flow sent more before its first loss, there is no verdict
#: Bounds for a bucket that explains the losses, as multiples of the tokens that arrive in a round trip. EMPTY bounds
#: the difference of the tokens at a loss from the median of the tokens at losses. FULL bounds the amount by which the
#: tokens at a packet that passed may be below this median.
EMPTY, FULL = 2.0, 0.75
LOSSES_ASIDE, PASSES_ASIDE = 0.1, 0.03  # fractions of losses and of passes that may contradict a bucket
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
    round_trip_time: float | None = None  # s, to the acknowledgment; None if that gives no valid sample


@dataclass(frozen=True)
class Verdict:
    """Result of the test for a policer, with its reason."""

    policed: bool | None  # whether a policer caused losses; False also if nothing was lost, None if uncertain
    reason: str
    rate: float = 0.0  # of the policer [bytes/s], headers not counted; 0 if there is none
    bucket: float = 0.0  # of the policer [bytes], headers not counted; 0 if there is none
    is_least: bool = False  # whether `rate` is only a lower bound of the policer's rate, perhaps far below it


def policer(sent: Sequence[Transmission]) -> Verdict:
    """Return the verdict on whether a policer caused the losses of a flow; ``sent`` is in order of time."""
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
    """Container that returns the value of a rank in logarithmic time; the rank must not decrease from call to call."""

    def __init__(self) -> None:
        self.low: list[float] = []  # heap of the smallest values, negated
        self.high: list[float] = []  # heap of the others

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

"""Checked arguments of the segment simulator, and its parallel replications."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np

from longfat.base.domains import choice, conflict, integer, number, out_of_range
from longfat.replication.repeating import replicate, stopping
from longfat.segments.channel import Loss, parameters
from longfat.segments.kernel import holes, segment_receiver, segment_sender

LEAST_WINDOWS = 10  # least number of windows measured in each replication
Strategy = Literal["hard", "soft"]
AskAgain = Literal["at once", "when free"]


@dataclass(frozen=True)
class Rules:
    """Arguments of the simulation for one window and buffer; the caller has checked the window.

    >>> Rules(24, 16, 369 / 16, receive_buffer=6).buffer
    6
    >>> Rules(24, 16, 369 / 16, receive_buffer=25)
    Traceback (most recent call last):
    ValueError: receive_buffer = 25 segments is out of range: must be an integer in [1, 24]
    """

    window: int
    segment_packets: int
    ack_segments: float
    tolerance: int = 0
    receive_buffer: int | None = None
    ack: Strategy = "hard"
    ask_again: AskAgain = "at once"

    def __post_init__(self) -> None:
        packets = integer("segment_packets", self.segment_packets, "packets", "[1, 1e9]")
        delay = number("ack_segments", self.ack_segments, "segments", "[0, 1e9]") * packets
        if abs(delay - round(delay)) > 1e-9 * max(1.0, delay):
            raise conflict(
                f"ack_segments = {self.ack_segments} segments",
                f"does not fit segment_packets = {packets}",
                f"their product must be an integer, got {delay:.12g}",
            )
        integer("tolerance", self.tolerance, "packets", f"[0, {packets - 1}]")
        if self.receive_buffer is not None:
            integer("receive_buffer", self.receive_buffer, "segments", f"[1, {self.window}]")
        for name, allowed in (("ack", get_args(Strategy)), ("ask_again", get_args(AskAgain))):
            choice(name, getattr(self, name), allowed)

    @property
    def ack_delay(self) -> int:
        """Acknowledgment delay [packet times]."""
        return round(self.ack_segments * self.segment_packets)

    @property
    def buffer(self) -> int:
        """Slots of the receive buffer [segments]."""
        return self.window if self.receive_buffer is None else int(self.receive_buffer)

    def row(self, warm_up: int, measured: int) -> np.record:
        """Return the arguments as the record of integers that the kernel reads."""
        row: np.record = records(1, segment_receiver.RULES)[0]
        row.window, row.packets = self.window, self.segment_packets
        row.ack_delay, row.tolerance, row.buffer = self.ack_delay, self.tolerance, self.buffer
        # With a buffer of at least one window no segment is discarded, and hard acknowledgment gives the same result
        # faster.
        row.soft = self.ack == "soft" and self.buffer < self.window
        row.when_free = self.ask_again == "when free"
        row.first_measured, row.end_measured = warm_up, warm_up + measured
        return row

    def attrs(self) -> dict[str, Any]:
        """Return the arguments as attributes of a Dataset."""
        delay = self.ack_delay / self.segment_packets
        return asdict(self) | {"ack_segments": delay, "receive_buffer": self.buffer}


def records(count: int, kind: np.dtype) -> np.recarray:
    """Return records of zeros, whose fields are attributes in plain Python as they are in compiled code."""
    return np.zeros(count, kind).view(np.recarray)


def run_one(
    rng: np.random.Generator, loss: Loss, rules: Rules, warm_up: int, measured: int, stop: np.ndarray,
    trace: np.ndarray | None = None,
) -> np.record:  # fmt: skip
    """Run one replication; return its result, and write its trace to `trace` until this is full."""
    result: np.record = records(1, segment_sender.RESULT)[0]
    rows = 2
    while rows < rules.window + 1:
        rows *= 2
    segments = records(rows, holes.SEGMENT)
    segments.hole = holes.NONE
    segment_sender.run(
        rng,
        parameters(loss),
        np.zeros(1, np.int64),
        rules.row(warm_up, measured),
        segments,
        records(2 * rows, holes.ACKNOWLEDGMENT),
        records(1, holes.CONNECTION)[0],
        stop,
        records(0, segment_sender.TRACE) if trace is None else trace,
        result,
    )
    if result.status == segment_sender.STUCK:
        raise RuntimeError(f"the sender has stopped: nothing is in flight and the window is closed, with {rules}")
    return result


def replicated(
    losses: list[Loss], settings: list[Rules], segments: int, replications: int, generator: np.random.Generator, *,
    progress: bool = False,
) -> dict[str, np.ndarray]:  # fmt: skip
    """Return the results of every replication by their names in the dataset of `simulate`, without the dataset.

    Each array has a row for each loss and setting, in this order, with a column for each replication.
    """
    from longfat.base.progress import bar

    # The number of segments is a multiple of the window, because results for a part of a window would depend on which
    # part it is.
    enough = [max(-(-segments // replications), LEAST_WINDOWS * rules.window) for rules in settings]
    measured = [-(-one // rules.window) * rules.window for one, rules in zip(enough, settings, strict=True)]
    packets = settings[0].segment_packets
    cycle = packets + settings[0].ack_delay
    if max(measured) * cycle > 1e17:
        raise out_of_range("segments", segments, "segments", f"[1, {1e17 / cycle:.3g})", integer=True)
    points = [(loss, *one) for loss in losses for one in zip(settings, measured, strict=True)]
    streams = generator.spawn(len(points) * replications)
    raw: Any = records(len(streams), segment_sender.RESULT)

    def one(job: int) -> None:
        loss, rules, count = points[job // replications]
        warm_up = max(5 * rules.window, count // 10)
        raw[job] = run_one(streams[job], loss, rules, warm_up, count, stopping())

    with bar(task="simulating", unit="run", shown=progress, total=len(streams)) as shown:
        replicate(one, range(len(streams)), progress=shown.update)
    raw = raw.reshape(len(points), replications)
    each = np.broadcast_to(np.array([count for _, _, count in points])[:, np.newaxis], raw.shape)
    return {
        "throughput_efficiency": each * packets / raw.elapsed,
        "mean_delay": raw.delays / each,
        "max_delay": raw.longest,
        "sent_packets": raw.sent,
        "lost_packets": raw.lost_packets,
        "segments": each,
    }

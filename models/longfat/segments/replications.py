"""Checked arguments of the segment simulator, and its parallel replications."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from longfat.base.domains import choice, conflict, integer, number, out_of_range
from longfat.replication.repeating import replicate, stopping
from longfat.segments.channel import GilbertElliott, IndependentLoss, ListedLosses
from longfat.segments.kernel import holes, segment_receiver, segment_sender

Channel = IndependentLoss | GilbertElliott | ListedLosses
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
        return {
            "window": self.window,
            "segment_packets": self.segment_packets,
            "ack_segments": self.ack_delay / self.segment_packets,
            "tolerance": self.tolerance,
            "receive_buffer": self.buffer,
            "ack": self.ack,
            "ask_again": self.ask_again,
        }


def records(count: int, kind: np.dtype) -> np.recarray:
    """Return records of zeros, whose fields are attributes in plain Python as they are in compiled code."""
    return np.zeros(count, kind).view(np.recarray)


def run_one(
    rng: np.random.Generator,
    channel: Channel,
    rules: Rules,
    warm_up: int,
    measured: int,
    stop: np.ndarray,
    trace: np.ndarray | None = None,
) -> np.record:
    """Run one replication; return its result, and write its trace to `trace` until this is full."""
    result: np.record = records(1, segment_sender.RESULT)[0]
    rows = 2
    while rows < rules.window + 1:
        rows *= 2
    segments = records(rows, holes.SEGMENT)
    segments.hole = segments.run = holes.NONE
    # If the sender waits for its window, the kernel stores steps of lag (`kernel.segment_sender`), which need rows.
    window_limited = (rules.window - 1) * rules.segment_packets < rules.ack_delay
    segment_sender.run(
        rng,
        channel.parameters(),
        np.zeros(2, np.int64),
        rules.row(warm_up, measured),
        segments,
        records(2 * rows, holes.ACKNOWLEDGMENT),
        records(rows if window_limited else 2, segment_sender.STEP),
        records(1, holes.CONNECTION)[0],
        stop,
        records(0, segment_sender.TRACE) if trace is None else trace,
        result,
    )
    if result.status == segment_sender.STUCK:
        raise RuntimeError(f"the sender has stopped: nothing is in flight and the window is closed, with {rules}")
    return result


def run_all(
    channels: list[Channel],
    settings: list[Rules],
    measured: np.ndarray,
    replications: int,
    generator: np.random.Generator,
    progress: bool,
) -> np.recarray:
    """Simulate all points and replications on all cores; return a record of results for each; stop on Ctrl-C."""
    from longfat.base.progress import bar

    points = [(channel, k) for channel in channels for k in range(len(settings))]
    streams = generator.spawn(len(points) * replications)
    results = records(len(streams), segment_sender.RESULT)

    def one(job: int) -> None:
        channel, k = points[job // replications]
        count = int(measured[k])
        warm_up = max(5 * settings[k].window, count // 10)
        results[job] = run_one(streams[job], channel, settings[k], warm_up, count, stopping())

    with bar(task="simulating", unit="run", shown=progress, total=len(streams)) as shown:
        replicate(one, range(len(streams)), progress=shown.update)
    return results


def is_sequence(value: Any) -> bool:
    """Return whether the value is a sequence of values rather than a single value."""
    return not isinstance(value, Channel) and np.ndim(value) > 0


def listed(name: str, value: Any) -> list[Any]:
    """Return the given value or values as a list."""
    if not is_sequence(value):
        return [value]
    if len(value) == 0 or (not isinstance(value, Sequence) and np.ndim(value) != 1):
        raise out_of_range(name, repr(value), "1", "one value or a sequence of at least one")
    return list(value)

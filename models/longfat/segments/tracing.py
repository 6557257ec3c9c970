"""Trace of the segment simulator: every group of packets sent, and its outcome at the receiver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base import domains
from longfat.base.domains import integer
from longfat.segments.channel import IndependentLoss
from longfat.segments.kernel import segment_receiver, segment_sender
from longfat.segments.replications import AskAgain, Channel, Rules, Strategy, run_one

if TYPE_CHECKING:
    import xarray as xr

VERDICTS = {
    segment_receiver.KEPT: "kept",
    segment_receiver.LOST: "lost",
    segment_receiver.DISCARDED: "discarded",
    segment_receiver.REPLACED: "replaced",
}


def trace(
    *,
    window: int,
    loss: float | Channel,
    segment_packets: int,
    ack_segments: float,
    receive_buffer: int | None = None,
    ack: Strategy = "hard",
    ask_again: AskAgain = "at once",
    segments: int = 1000,
    tolerance: int = 0,
    rng: Any = None,
) -> xr.Dataset:
    """Return every group of packets sent until ``segments`` segments are delivered, and each group's outcome.

    Parameters
    ----------
    window, loss, segment_packets, ack_segments, receive_buffer, ack, ask_again, tolerance
        As in `simulate`, but one value each; `longfat.segments.channel.ListedLosses` lists the packets to be lost.
    segments : int
        Number of segments to be delivered [segments], in [1, 10^6].
    rng : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Source of randomness.

    Returns
    -------
    xarray.Dataset
        Along ``group``, in order of time: its ``start`` and ``end`` [packet times], its ``segment``, ``packets``,
        ``first`` (whether the segment is sent for the first time), ``verdict`` ("kept", "lost" if no packet arrived,
        "discarded", or "replaced" if it displaced a segment with a larger number), and ``edge``, the first segment
        that is incomplete at the receiver afterwards.

    Examples
    --------
    >>> from longfat.segments.channel import ListedLosses
    >>> one_loss = ListedLosses([4])  # the first packet of segment 2; only segments 2 and 3 fit, and 4 is discarded
    >>> seen = trace(window=6, loss=one_loss, segment_packets=2, ack_segments=2, receive_buffer=2, segments=6)
    >>> seen.segment.values[:9].tolist(), seen.verdict.values[4:9].tolist()
    ([0, 1, 2, 3, 4, 2, 5, 6, 4], ['discarded', 'kept', 'kept', 'discarded', 'kept'])

    References
    ----------
    Gong & Parulkar, WUCS-92-38, section 4.3.1.
    """
    import xarray as xr

    channel = loss if isinstance(loss, Channel) else IndependentLoss(loss)
    rules = Rules(
        integer("window", window, "segments", "[1, 1e6]"),
        segment_packets,
        ack_segments,
        tolerance,
        receive_buffer,
        ack,
        ask_again,
    )
    segments = integer("segments", segments, "segments", "[1, 1e6]")
    rows = np.zeros((1024, segment_sender.TRACE_COLUMNS), np.int64)
    stream = domains.generator(rng)
    state = stream.bit_generator.state
    while True:
        stream.bit_generator.state = state
        result = np.zeros(segment_sender.RESULTS, np.int64)
        run_one(stream, channel, rules, 0, segments, np.zeros(1, np.bool_), result, rows)
        if result[segment_sender.TRACED] < len(rows):
            break
        rows = np.zeros((4 * len(rows), segment_sender.TRACE_COLUMNS), np.int64)  # run again, with enough rows
    rows = rows[: result[segment_sender.TRACED]]
    repeats = np.maximum(rows[:, segment_sender.TRACE_COUNT], 1)  # rows of several segments become several rows
    place = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    rows = np.repeat(rows, repeats, axis=0)
    first = rows[:, segment_sender.TRACE_COUNT] > 0
    packets = np.where(first, rules.segment_packets, rows[:, segment_sender.TRACE_PACKETS])
    start = rows[:, segment_sender.TRACE_START] + place * packets
    edge = rows[:, segment_sender.EDGE_AFTER]
    several = rows[:, segment_sender.TRACE_COUNT] > 1
    number_sent = rows[:, segment_sender.TRACE_SEGMENT] + place
    edge = np.where(several & (edge > number_sent), number_sent + 1, edge)
    columns = {
        "start": (start, "packet times"),
        "end": (start + packets, "packet times"),
        "segment": (number_sent, "segments"),
        "packets": (packets, "packets"),
        "first": (first, "1"),
        "verdict": (np.array([VERDICTS[one] for one in rows[:, segment_sender.TRACE_VERDICT]], dtype=str), "1"),
        "edge": (edge, "segments"),
    }
    data = xr.Dataset({name: ("group", values, {"units": unit}) for name, (values, unit) in columns.items()})
    return data.assign_attrs(rules.attrs(), channel=str(channel))

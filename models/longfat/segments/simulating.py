"""Simulation of windows of segments: efficiency and delay for every window, loss and buffer; traces of single runs."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base import domains
from longfat.base.argument import listed
from longfat.base.domains import integer, number
from longfat.replication.intervals import interval
from longfat.segments.channel import Loss, checked
from longfat.segments.kernel import segment_receiver, segment_sender
from longfat.segments.replications import AskAgain, Rules, Strategy, records, replicated, run_one

if TYPE_CHECKING:
    from collections.abc import Sequence

    import xarray as xr

#: Quantity in the Dataset -> (unit, description).
QUANTITIES = {
    "throughput_efficiency": ("1", "ideal over actual time per delivered segment"),
    "mean_delay": ("packet times", "mean time from a segment's first transmission to its completion"),
    "max_delay": ("packet times", "largest such delay in a replication, averaged over replications"),
}


def simulate(
    *,
    window: int | Sequence[int],
    loss: Loss | Sequence[Loss],
    segment_packets: int,
    ack_segments: float,
    receive_buffer: int | Sequence[int] | None = None,
    ack: Strategy = "hard",
    ask_again: AskAgain = "at once",
    segments: int = 100_000,
    tolerance: int = 0,
    replications: int = 10,
    confidence: float = 0.95,
    rng: Any = None,
    progress: bool = True,
) -> xr.Dataset:
    """Simulate selective repeat of segments, packet by packet, for every window and loss given.

    Parameters
    ----------
    window : int or sequence of int
        Largest number of segments in flight [segments], at least 1.
    loss : float, ListedLosses, or a sequence of them
        Probability that a packet is lost [probability], in [0, 1), or the packets to be lost.
    segment_packets : int
        Packets per segment [packets], at least 1.
    ack_segments : float
        Acknowledgment delay in segment times [segments], at least 0; multiplied by ``segment_packets`` it must be an
        integer number of packet times.
    receive_buffer : int or sequence of int, optional
        Receive buffer [segments], at least 1 and at most ``window``; equal to the window if not given.
    ack : {"hard", "soft"}
        Treatment of a segment beyond the receive buffer: see `longfat.segments`. If the buffer holds a window, both are
        the same.
    ask_again : {"at once", "when free"}
        When the receiver requests a discarded segment: in its next acknowledgment, or when the buffer has a free slot.
    segments : int
        Least number of segments measured in all replications together [segments]: each replication measures an integer
        number of windows, ten or more.
    tolerance : int
        Lost packets of a segment that the application accepts [packets], less than ``segment_packets``.
    replications : int
        Number of independent replications, at least 2. Each begins with a warm-up of five windows or a tenth of its
        segments, whichever is more, that is not measured.
    confidence : float
        Confidence of each interval [probability], in (0, 1): Student's t over the replications.
    rng : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Source of randomness. Every point and replication has its own random stream, so the result depends only on the
        seed and the order of the points.
    progress : bool
        Show a progress bar when the simulation takes more than two seconds.

    Returns
    -------
    xarray.Dataset
        ``throughput_efficiency`` [1], ``mean_delay`` and ``max_delay`` [packet times] from the first transmission of a
        segment to the end of the transmission that completes it, propagation excluded, each with the bounds ``_lower``
        and ``_upper`` of its confidence interval; ``sent_packets`` and ``lost_packets`` of the whole run, and the
        ``segments`` measured. Dimensions ``loss``, ``window`` and ``receive_buffer`` where sequences were given.

    Notes
    -----
    Confidence intervals are unreliable where few packets were lost: see ``lost_packets``. The computing time grows with
    the losses, the segments discarded and, for windows below ``ack_segments`` + 1, the segments; memory grows with the
    window.

    Examples
    --------
    >>> run = simulate(window=24, loss=1e-4, segment_packets=16, ack_segments=369 / 16, rng=1)
    >>> bool(run.throughput_efficiency > 0.95)
    True
    >>> path = dict(loss=1e-4, segment_packets=16, ack_segments=370 / 16, rng=1)
    >>> hard, soft = (simulate(window=58, receive_buffer=12, ack=ack, **path) for ack in ("hard", "soft"))
    >>> bool(hard.throughput_efficiency_lower > soft.throughput_efficiency_upper + 0.1)
    True

    References
    ----------
    Gong & Parulkar, WUCS-92-38, sections 3.4, 4.1, 4.2 and 4.3.1.
    """
    import xarray as xr

    windows = [integer("window", w, "segments", "[1, 1e8]") for w in listed("window", window)]
    buffers = [None] if receive_buffer is None else listed("receive_buffer", receive_buffer)
    losses = [checked(one) for one in listed("loss", loss)]
    settings = [
        Rules(w, segment_packets, ack_segments, tolerance, buffer, ack, ask_again)
        for w, buffer in product(windows, buffers)
    ]
    segments = integer("segments", segments, "segments", "[1, 1e15]")
    replications = integer("replications", replications, "runs", "[2, 1e6]")
    confidence = number("confidence", confidence, "probability", "(0, 1)")

    generator = domains.generator(rng)
    samples = replicated(losses, settings, segments, replications, generator, progress=progress)
    shape = (len(losses), len(windows), len(buffers))
    samples = {name: values.reshape(*shape, replications) for name, values in samples.items()}
    dims = ("loss", "window", "receive_buffer")
    variables: dict[str, Any] = {}
    for name, (unit, description) in QUANTITIES.items():
        for suffix, values in zip(("", "_lower", "_upper"), interval(samples[name], confidence, axis=-1), strict=True):
            variables[name + suffix] = (dims, values, {"units": unit, "long_name": description})
    for name in ("sent_packets", "lost_packets"):
        description = name.replace("_", " ")
        variables[name] = (dims, samples[name].sum(-1), {"units": "packets", "long_name": description})
    count = samples["segments"][0, :, 0].sum(-1)
    variables["segments"] = (("window",), count, {"units": "segments", "long_name": "measured"})
    kept = [rules.buffer for rules in settings[: len(buffers)]]
    data = xr.Dataset(
        variables,
        coords={
            "loss": (
                "loss",
                [one if isinstance(one, float) else 0.0 for one in losses],
                {"units": "1", "long_name": "packet loss probability"},
            ),
            "window": ("window", windows, {"units": "segments", "long_name": "window"}),
            "receive_buffer": ("receive_buffer", kept, {"units": "segments", "long_name": "receive buffer"}),
        },
    )
    data.attrs = {
        **{name: value for name, value in settings[0].attrs().items() if name not in dims},
        "replications": replications,
        "confidence": confidence,
        "losses": "; ".join(map(str, losses)),
        "entropy": str(getattr(generator.bit_generator.seed_seq, "entropy", "unknown")),
    }
    if receive_buffer is None:
        data = data.squeeze("receive_buffer", drop=True)
    given: dict[str, Any] = {"loss": loss, "window": window, "receive_buffer": receive_buffer}
    return data.squeeze([dim for dim in data.dims if np.ndim(given[str(dim)]) == 0])


VERDICTS = {
    segment_receiver.KEPT: "kept",
    segment_receiver.LOST: "lost",
    segment_receiver.DISCARDED: "discarded",
    segment_receiver.REPLACED: "replaced",
}


def trace(
    *,
    window: int,
    loss: Loss,
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

    loss = checked(loss)
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
    rows: Any = records(1024, segment_sender.TRACE)
    stream = domains.generator(rng)
    state = stream.bit_generator.state
    while True:
        stream.bit_generator.state = state
        traced = run_one(stream, loss, rules, 0, segments, np.zeros(1, np.bool_), rows).traced
        if traced < len(rows):
            break
        rows = records(4 * len(rows), segment_sender.TRACE)  # run again, with enough rows
    rows = rows[:traced]
    repeats = np.maximum(rows.count, 1)  # rows of several segments become several rows
    place = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    rows = np.repeat(rows, repeats, axis=0)
    first = rows.count > 0
    packets = np.where(first, rules.segment_packets, rows.packets)
    start = rows.start + place * packets
    number_sent = rows.segment + place
    edge = np.where((rows.count > 1) & (rows.edge > number_sent), number_sent + 1, rows.edge)
    columns = {
        "start": (start, "packet times"),
        "end": (start + packets, "packet times"),
        "segment": (number_sent, "segments"),
        "packets": (packets, "packets"),
        "first": (first, "1"),
        "verdict": (np.array([VERDICTS[one] for one in rows.verdict], dtype=str), "1"),
        "edge": (edge, "segments"),
    }
    data = xr.Dataset({name: ("group", values, {"units": unit}) for name, (values, unit) in columns.items()})
    return data.assign_attrs(rules.attrs(), loss=str(loss))

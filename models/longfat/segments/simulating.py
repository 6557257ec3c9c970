"""Simulation of windows of segments: efficiency and delay for every window, loss and buffer; traces of single runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from longfat.base import domains
from longfat.base.argument import listed
from longfat.base.domains import choice, conflict, integer, number, out_of_range
from longfat.base.progress import bar
from longfat.replication.intervals import interval
from longfat.replication.repeating import replicate, stopping
from longfat.segments import kernel

if TYPE_CHECKING:
    import xarray as xr

#: Quantity in the Dataset -> (unit, description).
QUANTITIES = {
    "throughput_efficiency": ("1", "ideal over actual time per delivered segment"),
    "mean_delay": ("packet times", "mean time from a segment's first transmission to its completion"),
    "max_delay": ("packet times", "largest such delay in a replication, averaged over replications"),
}
LEAST_WINDOWS = 10  # least number of windows that each replication measures
Strategy = Literal["hard", "soft"]
AskAgain = Literal["at once", "when free"]


@dataclass(frozen=True)
class ListedLosses:
    """List of the packets that are lost; packets are numbered from 0 in the order of sending.

    Parameters
    ----------
    packets : sequence of int
        Serial numbers of transmissions [packets], at least 0, increasing.

    Examples
    --------
    >>> ListedLosses([0, 5]).packets
    (0, 5)
    """

    packets: Sequence[int]

    def __post_init__(self) -> None:
        checked = tuple(integer("packets", one, "packets", "[0, 1e15]") for one in self.packets)
        if any(later <= one for one, later in pairwise(checked)):
            raise out_of_range("packets", list(self.packets), "1", "increasing numbers")
        object.__setattr__(self, "packets", checked)


Loss = float | ListedLosses


def checked(loss: Loss) -> Loss:
    """Return a loss probability as a float in [0, 1), or the listed losses; raise an error for other values."""
    return loss if isinstance(loss, ListedLosses) else number("loss", loss, "probability", "[0, 1)")


def parameters(loss: Loss) -> np.ndarray:
    """Return the numbers that the kernel reads.

    For a probability p this is -ln(1 - p), the rate of an exponential variable that, rounded down, has a geometric
    distribution. For a list it is -1, and then the number of packets delivered before each listed loss.
    """
    if isinstance(loss, ListedLosses):
        return np.array([-1.0, *(np.diff(loss.packets, prepend=-1) - 1.0)])
    return np.array([-np.log1p(-loss)])


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
        row: np.record = records(1, kernel.RULES)[0]
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
    """Return records of zeros; their fields can be read as attributes, as in compiled code."""
    return np.zeros(count, kind).view(np.recarray)


def run_one(
    rng: np.random.Generator, loss: Loss, rules: Rules, warm_up: int, measured: int, stop: np.ndarray,
    trace: np.ndarray | None = None,
) -> np.record:  # fmt: skip
    """Run one replication; return its result, and write its trace to `trace` until this is full."""
    result: np.record = records(1, kernel.RESULT)[0]
    rows = 2
    while rows < rules.window + 1:
        rows *= 2
    segments = records(rows, kernel.SEGMENT)
    segments.hole = kernel.NONE
    kernel.run(
        rng,
        parameters(loss),
        np.zeros(1, np.int64),
        rules.row(warm_up, measured),
        segments,
        records(2 * rows, kernel.ACKNOWLEDGMENT),
        records(1, kernel.CONNECTION)[0],
        stop,
        records(0, kernel.TRACE) if trace is None else trace,
        result,
    )
    if result.status == kernel.STUCK:
        raise RuntimeError(f"the sender has stopped: nothing is in flight and the window is closed, with {rules}")
    return result


def replicated(
    losses: list[Loss], settings: list[Rules], segments: int, replications: int, generator: np.random.Generator, *,
    progress: bool = False,
) -> dict[str, np.ndarray]:  # fmt: skip
    """Return the results of every replication as arrays, by the names that they have in the Dataset of `simulate`.

    Each array has a row for each loss and setting, in this order, with a column for each replication.
    """
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
    raw: Any = records(len(streams), kernel.RESULT)

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
    kernel.KEPT: "kept",
    kernel.LOST: "lost",
    kernel.DISCARDED: "discarded",
    kernel.REPLACED: "replaced",
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
        As in `simulate`, but one value each; `longfat.segments.ListedLosses` lists the packets to be lost.
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
    >>> from longfat.segments.simulating import ListedLosses
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
    rows: Any = records(1024, kernel.TRACE)
    stream = domains.generator(rng)
    state = stream.bit_generator.state
    while True:
        stream.bit_generator.state = state
        traced = run_one(stream, loss, rules, 0, segments, np.zeros(1, np.bool_), rows).traced
        if traced < len(rows):
            break
        rows = records(4 * len(rows), kernel.TRACE)  # run again, with enough rows
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

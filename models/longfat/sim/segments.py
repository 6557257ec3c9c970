"""The segment simulator: a window of segments over a black-box channel (Gong & Parulkar, figure 13).

The sender transmits packets back to back at the connection's rate. A segment is a group of packets; the
receiver answers every group, ``ack_segments`` segment times after its last packet was sent, with an
acknowledgment or with a request for the packets that are missing, which go ahead of new segments as a group
of their own. Segments are sent first only inside a window counted from the oldest one not acknowledged.
Answers are never lost and take no bandwidth (section 4.2); a group once begun is not interrupted, and
requests are served in the order in which they arrive (decisions where the paper is silent).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat import domains
from longfat.domains import number, refuse, whole_number
from longfat.sim import _segment_kernel as kernel
from longfat.sim.channel import GilbertElliott, IndependentLoss

if TYPE_CHECKING:
    import xarray as xr

LEAST_WINDOWS = 10  # measured in each replication

Channel = IndependentLoss | GilbertElliott

#: name in the Dataset -> (unit, description)
QUANTITIES = {
    "throughput_efficiency": ("1", "ideal over actual time per delivered segment"),
    "mean_delay": ("packet times", "mean time from first transmission to the end of the completing one"),
    "max_delay": ("packet times", "largest such delay among the segments of one replication, averaged"),
}


def simulate(
    *,
    window: int | Sequence[int],
    loss: float | Channel | Sequence[float | Channel],
    segment_packets: int,
    ack_segments: float,
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
        Segments that may be under way at once [segments], at least 1.
    loss : float, channel, or a sequence of them
        Probability that a packet is lost [probability], in [0, 1), or a channel of
        `longfat.sim.channel` (bursty loss).
    segment_packets : int
        Packets per segment [packets], at least 1.
    ack_segments : float
        Acknowledgment delay in segment times [segments], at least 0; times ``segment_packets`` it must be a
        whole number of packet times.
    segments : int
        Segments measured, all replications together, at least [segments]: each replication measures whole
        windows, ten or more.
    tolerance : int
        Lost packets of a segment that the application accepts [packets], less than ``segment_packets``.
    replications : int
        Independent runs that the intervals rest on, at least 2. Each begins with a warm-up of five windows
        or a tenth of its segments, whichever is more, that is not measured.
    confidence : float
        Confidence of each interval [probability], in (0, 1): Student's t over the replications.
    rng : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Source of randomness. Every point and replication has a stream of its own, so the result depends on
        the seed and the order of the points alone.
    progress : bool
        Show a progress bar when the simulation takes more than two seconds.

    Returns
    -------
    xarray.Dataset
        ``throughput_efficiency`` [1], ``mean_delay`` and ``max_delay`` [packet times] from the first
        transmission of a segment to the end of the transmission that completes it, propagation excluded, each
        with ``_lower`` and ``_upper``; ``sent_packets`` and ``lost_packets`` of the whole run, and
        the ``segments`` measured. Dimensions
        ``loss`` and ``window`` where sequences were given.

    Notes
    -----
    Intervals mean little where hardly anything was lost: look at ``lost_packets``. The cost follows the
    losses and, for windows below ``ack_segments`` + 1, the steps that they leave in the pattern of sending;
    memory follows the window.

    Raises
    ------
    ValueError
        For a value outside its range, by name, value, unit and range.

    Examples
    --------
    >>> run = simulate(window=24, loss=1e-4, segment_packets=16, ack_segments=369 / 16, rng=1)
    >>> bool(run.throughput_efficiency > 0.95)
    True

    References
    ----------
    Gong & Parulkar, WUCS-92-38, sections 3.4, 4.1 and 4.2.
    """
    import xarray as xr

    windows = [whole_number("window", w, "segments", "[1, 1e8]") for w in _listed("window", window)]
    channels = [one if isinstance(one, Channel) else IndependentLoss(one) for one in _listed("loss", loss)]
    segment_packets = whole_number("segment_packets", segment_packets, "packets", "[1, 1e9]")
    delay = number("ack_segments", ack_segments, "segments", "[0, 1e9]") * segment_packets
    ack_delay = round(delay)
    if abs(delay - ack_delay) > 1e-9 * max(1.0, delay):
        raise ValueError(
            f"ack_segments = {ack_segments} segments is out of range: times segment_packets = {segment_packets} "
            f"it must be a whole number of packet times, got {delay:.12g}"
        )
    segments = whole_number("segments", segments, "segments", "[1, 1e15]")
    tolerance = whole_number("tolerance", tolerance, "packets", f"[0, {segment_packets - 1}]")
    replications = whole_number("replications", replications, "runs", "[2, 1e6]")
    confidence = number("confidence", confidence, "probability", "(0, 1)")

    generator = domains.generator(rng)
    points = list(product(channels, windows))
    # Whole windows, and enough of them: a part of one would depend on where in the pattern it lies.
    enough = [max(-(-segments // replications), LEAST_WINDOWS * w) for w in windows]
    measured = np.array([-(-one // w) * w for one, w in zip(enough, windows, strict=True)])
    if measured.max() * (segment_packets + ack_delay) > 1e17:
        raise refuse("segments", segments, "segments", f"[1, {1e17 / (segment_packets + ack_delay):.3g})", whole=True)
    raw = _run_all(points, segment_packets, ack_delay, tolerance, measured, replications, generator, progress)
    raw = raw.reshape(len(channels), len(windows), replications, -1)

    each = measured[None, :, None]
    efficiency = each * segment_packets / raw[..., kernel.ELAPSED]
    samples = {
        "throughput_efficiency": efficiency,
        "mean_delay": raw[..., kernel.DELAY_SUM] / each,
        "max_delay": raw[..., kernel.DELAY_MAX],
    }
    dims = ("loss", "window")
    variables: dict[str, Any] = {}
    for name, (unit, description) in QUANTITIES.items():
        for suffix, values in zip(("", "_lower", "_upper"), _interval(samples[name], confidence), strict=True):
            variables[name + suffix] = (dims, values, {"units": unit, "long_name": description})
    for name, column in (("sent_packets", kernel.SENT), ("lost_packets", kernel.LOST)):
        description = name.replace("_", " ")
        variables[name] = (dims, raw[..., column].sum(-1), {"units": "packets", "long_name": description})
    variables["segments"] = (("window",), measured * replications, {"units": "segments", "long_name": "measured"})
    data = xr.Dataset(
        variables,
        coords={
            "loss": ("loss", [c.mean for c in channels], {"units": "1", "long_name": "packet loss probability"}),
            "window": ("window", windows, {"units": "segments", "long_name": "window"}),
        },
    )
    data.attrs = {
        "segment_packets": segment_packets,
        "ack_segments": ack_delay / segment_packets,
        "tolerance": tolerance,
        "replications": replications,
        "confidence": confidence,
        "channels": "; ".join(map(str, channels)),
        "entropy": str(getattr(generator.bit_generator.seed_seq, "entropy", "unknown")),
    }
    alone = [dim for dim, given in zip(dims, (loss, window), strict=True) if not _is_sequence(given)]
    return data.squeeze(alone)


def _is_sequence(given: Any) -> bool:
    return not isinstance(given, Channel) and np.ndim(given) > 0


def _listed(name: str, given: Any) -> list[Any]:
    if not _is_sequence(given):
        return [given]
    if len(given) == 0 or (not isinstance(given, Sequence) and np.ndim(given) != 1):
        raise ValueError(f"{name} = {given!r} is out of range: allowed are a scalar or a sequence that is not empty")
    return list(given)


def _interval(samples: np.ndarray, confidence: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean over the last axis, and Student's interval around it."""
    from scipy.special import stdtrit  # Student's quantile; scipy.stats takes a second to load

    count = samples.shape[-1]
    mean = samples.mean(-1)
    half = stdtrit(count - 1, (1 + confidence) / 2) * samples.std(-1, ddof=1) / np.sqrt(count)
    return mean, mean - half, mean + half


def _run_all(
    points: list[tuple[Channel, int]],
    segment: int,
    ack_delay: int,
    tolerance: int,
    measured: np.ndarray,
    replications: int,
    generator: np.random.Generator,
    progress: bool,
) -> np.ndarray:
    """One row of the kernel's results per point and replication, on all cores; ends at once on Ctrl-C."""
    from tqdm import tqdm

    streams = generator.spawn(len(points) * replications)
    results = np.zeros((len(streams), 6), np.int64)
    stop = np.zeros(1, np.bool_)

    def one(job: int) -> None:
        channel, window = points[job // replications]
        count = int(measured[job // replications % len(measured)])
        warm_up = max(5 * window, count // 10)
        kernel.run(
            streams[job],
            channel.parameters(),
            window,
            segment,
            ack_delay,
            tolerance,
            warm_up,
            count,
            stop,
            results[job],
        )

    with (
        ThreadPoolExecutor(os.cpu_count()) as pool,
        tqdm(total=len(streams), desc="simulating", unit="run", delay=2, leave=False, disable=not progress) as bar,
    ):
        try:
            for done in as_completed([pool.submit(one, job) for job in range(len(streams))]):
                done.result()
                bar.update()
        except BaseException:
            stop[0] = True
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return results

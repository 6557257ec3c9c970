"""Segment simulator as an estimator for `check`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from longfat import domains
from longfat.segments import simulate


def segment_efficiency(
    packets: float = 1e7, lost: float = 0, replications: int = 10, rng: Any = 0
) -> Callable[..., tuple[float, float, float]]:
    """Return an estimator of throughput efficiency by the segment simulator.

    Parameters
    ----------
    packets : float
        Least number of packets delivered at each point [packets].
    lost : float
        Least number of packets lost at each point, on which the run time depends [packets].
    replications : int
        Independent runs at each point.
    rng : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Source of randomness; each point draws from it in turn.

    Returns
    -------
    callable
        Takes ``window``, ``loss``, ``segment_packets``, ``ack_segments`` and ``confidence``.

    Examples
    --------
    >>> estimate = segment_efficiency(packets=1e5)
    >>> value, low, high = estimate(window=60, loss=1e-3, segment_packets=16, ack_segments=23, confidence=0.9)
    >>> low < value < high
    True
    """
    packets = domains.number("packets", packets, "packets", "[1, 1e15]")
    lost = domains.number("lost", lost, "packets", "[0, 1e12]")
    generator = domains.generator(rng)

    def estimate(
        *, window: float, loss: float, segment_packets: float, ack_segments: float, confidence: float
    ) -> tuple[float, float, float]:
        run = simulate(
            window=window,  # type: ignore[arg-type]  # simulate refuses it if it is no integer
            loss=loss,
            segment_packets=segment_packets,  # type: ignore[arg-type]
            ack_segments=ack_segments,
            segments=_segments(packets, lost, loss, segment_packets),
            replications=replications,
            confidence=confidence,
            rng=generator,
            progress=False,
        )
        return _interval(run, "throughput_efficiency")

    return estimate


def segment_hard_ack(
    packets: float = 2e5, lost: float = 2e4, replications: int = 10, rng: Any = 0
) -> Callable[..., tuple[float, float, float]]:
    """Return an estimator of throughput efficiency with a small receive buffer under hard acknowledgment.

    It takes ``receive_buffer``, ``loss``, ``segment_packets``, ``ack_segments`` and ``confidence``. The window is the
    reference window 2.5 w_a, or the smallest integer of at least 2 w_a + 1.

    Examples
    --------
    >>> estimate = segment_hard_ack(lost=500)
    >>> value, low, high = estimate(
    ...     receive_buffer=12, loss=1e-3, segment_packets=16, ack_segments=23, confidence=0.9)
    >>> low < value < high
    True
    """
    generator = domains.generator(rng)

    def estimate(
        *, receive_buffer: float, loss: float, segment_packets: float, ack_segments: float, confidence: float
    ) -> tuple[float, float, float]:
        run = simulate(
            window=math.ceil(max(2.5 * ack_segments, 2 * ack_segments + 1)),
            loss=loss,
            segment_packets=int(segment_packets),
            ack_segments=ack_segments,
            receive_buffer=int(receive_buffer),
            ack="hard",
            segments=_segments(packets, lost, loss, segment_packets),
            replications=replications,
            confidence=confidence,
            rng=generator,
            progress=False,
        )
        return _interval(run, "throughput_efficiency")

    return estimate


def segment_mean_delay(
    segments: float = 1e5, replications: int = 10, rng: Any = 0
) -> Callable[..., tuple[float, float, float]]:
    """Return an estimator of the mean delay of a segment at the sender, with a window of one segment.

    It takes ``loss``, ``segment_packets``, ``packet_time``, ``ack_delay`` and ``confidence``.

    Examples
    --------
    >>> estimate = segment_mean_delay(segments=1e4)
    >>> value, low, high = estimate(loss=0.03, segment_packets=16, packet_time=1.0, ack_delay=368.0, confidence=0.9)
    >>> low < value < high
    True
    """
    generator = domains.generator(rng)

    def estimate(
        *, loss: float, segment_packets: float, packet_time: float, ack_delay: float, confidence: float
    ) -> tuple[float, float, float]:
        run = simulate(
            window=1,
            loss=loss,
            segment_packets=int(segment_packets),
            ack_segments=ack_delay / packet_time / segment_packets,
            segments=math.ceil(segments),
            replications=replications,
            confidence=confidence,
            rng=generator,
            progress=False,
        )
        # The simulated delay ends with the last transmission, the law's with its acknowledgment.
        mean, low, high = _interval(run, "mean_delay")
        return mean * packet_time + ack_delay, low * packet_time + ack_delay, high * packet_time + ack_delay

    return estimate


def _segments(packets: float, lost: float, loss: float, segment_packets: float) -> int:
    """Return the segments that deliver at least ``packets`` packets and lose at least ``lost``."""
    return math.ceil(max(packets, lost / loss if loss > 0 else 0) / max(segment_packets, 1))


def _interval(run: Any, name: str) -> tuple[float, float, float]:
    return float(run[name]), float(run[f"{name}_lower"]), float(run[f"{name}_upper"])

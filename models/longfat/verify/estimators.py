"""Segment simulator as a simulator of laws."""

from __future__ import annotations

import math
from typing import Any

from longfat.base import domains
from longfat.segments import simulate
from longfat.verify.measured_runs import Result, Simulate

# A replication here is the mean of two runs of the segment simulator, its least number.


def segment_efficiency(packets: float = 2e4, lost: float = 300) -> Simulate:
    """Return a simulator of throughput efficiency, by the segment simulator.

    Parameters
    ----------
    packets : float
        Least number of packets delivered in one replication [packets].
    lost : float
        Least number of packets lost in one replication, on which the run time depends [packets].

    Returns
    -------
    callable
        Takes a seed, ``window``, ``loss``, ``segment_packets`` and ``ack_segments``; returns the efficiency and the
        packets sent.

    Examples
    --------
    >>> value, sent = segment_efficiency()(1, window=60, loss=1e-3, segment_packets=16, ack_segments=23)
    >>> 0.9 < value < 1, sent > 3e5
    (True, True)
    """
    packets = domains.number("packets", packets, "packets", "[1, 1e15]")
    lost = domains.number("lost", lost, "packets", "[0, 1e12]")

    def replicate(rng: Any, *, window: float, loss: float, segment_packets: float, ack_segments: float) -> Result:
        run = simulate(
            window=window,  # type: ignore[arg-type]  # simulate refuses it if it is no integer
            loss=loss,
            segment_packets=segment_packets,  # type: ignore[arg-type]
            ack_segments=ack_segments,
            segments=_segments(packets, lost, loss, segment_packets),
            replications=2,
            rng=rng,
            progress=False,
        )
        return float(run.throughput_efficiency), float(run.sent_packets)

    return replicate


def segment_hard_ack(packets: float = 2e4, lost: float = 500) -> Simulate:
    """Return a simulator of throughput efficiency with a small receive buffer under hard acknowledgment.

    It takes a seed, ``receive_buffer``, ``loss``, ``segment_packets`` and ``ack_segments``. The window is the reference
    window 2.5 w_a, or the smallest integer of at least 2 w_a + 1.

    Examples
    --------
    >>> value, _ = segment_hard_ack()(1, receive_buffer=12, loss=1e-3, segment_packets=16, ack_segments=23)
    >>> 0.1 < value < 0.9
    True
    """

    def replicate(
        rng: Any, *, receive_buffer: float, loss: float, segment_packets: float, ack_segments: float
    ) -> Result:
        run = simulate(
            window=math.ceil(max(2.5 * ack_segments, 2 * ack_segments + 1)),
            loss=loss,
            segment_packets=int(segment_packets),
            ack_segments=ack_segments,
            receive_buffer=int(receive_buffer),
            ack="hard",
            segments=_segments(packets, lost, loss, segment_packets),
            replications=2,
            rng=rng,
            progress=False,
        )
        return float(run.throughput_efficiency), float(run.sent_packets)

    return replicate


def segment_mean_delay(segments: float = 1000) -> Simulate:
    """Return a simulator of the mean delay of a segment at the sender, with a window of one segment.

    It takes a seed, ``loss``, ``segment_packets``, ``packet_time`` and ``ack_delay``.

    Examples
    --------
    >>> value, _ = segment_mean_delay()(1, loss=0.03, segment_packets=16, packet_time=1.0, ack_delay=368.0)
    >>> 500 < value < 600
    True
    """

    def replicate(rng: Any, *, loss: float, segment_packets: float, packet_time: float, ack_delay: float) -> Result:
        run = simulate(
            window=1,
            loss=loss,
            segment_packets=int(segment_packets),
            ack_segments=ack_delay / packet_time / segment_packets,
            segments=math.ceil(segments),
            replications=2,
            rng=rng,
            progress=False,
        )
        # The simulated delay ends with the last transmission, the law's with its acknowledgment.
        return float(run.mean_delay) * packet_time + ack_delay, float(run.sent_packets)

    return replicate


def _segments(packets: float, lost: float, loss: float, segment_packets: float) -> int:
    """Return the segments that deliver at least ``packets`` packets and lose at least ``lost``."""
    return math.ceil(max(packets, lost / loss if loss > 0 else 0) / max(segment_packets, 1))

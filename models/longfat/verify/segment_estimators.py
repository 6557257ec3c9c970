"""Simulations that check laws of selective repeat, by the segment simulator.

A replication is the mean of two runs. `longfat.segments.simulate`, which makes the same runs, would import xarray: a
second of processor time.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from longfat.base import domains
from longfat.segments.simulating import Rules, checked, replicated
from longfat.verify.measured_runs import Result


def segment_efficiency(
    rng: Any, packets: float = 2e4, lost: float = 300, *, window: float, loss: float, segment_packets: float,
    ack_segments: float,
) -> Result:  # fmt: skip
    """Estimate the throughput efficiency [1] of selective repeat.

    Parameters
    ----------
    packets : float
        Least number of packets delivered in one replication [packets].
    lost : float
        Least mean number of packets lost in one replication [packets].

    Examples
    --------
    >>> value, sent = segment_efficiency(1, window=60, loss=1e-3, segment_packets=16, ack_segments=23)
    >>> 0.9 < value < 1, sent > 3e5
    (True, True)
    """
    segments = _segments(packets, lost, loss, segment_packets)
    run = _run(rng, loss, segments, window=window, segment_packets=segment_packets, ack_segments=ack_segments)
    return float(run["throughput_efficiency"].mean()), float(run["sent_packets"].sum())


def hard_ack(rng: Any, *, receive_buffer: float, loss: float, segment_packets: float, ack_segments: float) -> Result:
    """Estimate the throughput efficiency [1] with a small receive buffer under hard acknowledgment.

    The window is 2.5 times ``ack_segments`` (the reference window), or twice ``ack_segments`` plus 1 if that is larger,
    rounded up to an integer.
    """
    segments = _segments(2e4, 500, loss, segment_packets)
    window = math.ceil(max(2.5 * ack_segments, 2 * ack_segments + 1))
    run = _run(
        rng, loss, segments, window=window, segment_packets=int(segment_packets), ack_segments=ack_segments,
        receive_buffer=int(receive_buffer), ack="hard",
    )  # fmt: skip
    return float(run["throughput_efficiency"].mean()), float(run["sent_packets"].sum())


def mean_delay(rng: Any, *, loss: float, segment_packets: float, packet_time: float, ack_delay: float) -> Result:
    """Estimate the mean delay [s] of a thousand segments at the sender, with a window of one segment."""
    ack_segments = ack_delay / packet_time / segment_packets
    run = _run(rng, loss, 1000, window=1, segment_packets=int(segment_packets), ack_segments=ack_segments)
    # The simulated delay ends with the last transmission of the segment; the law's delay ends with its acknowledgment.
    # Add the difference, `ack_delay`.
    return float(run["mean_delay"].mean()) * packet_time + ack_delay, float(run["sent_packets"].sum())


def _run(rng: Any, loss: float, segments: int, *, window: float, **given: Any) -> dict[str, np.ndarray]:
    """Run two replications of the segment simulator, which refuses non-integer numbers of packets and segments."""
    rules = Rules(domains.integer("window", window, "segments", "[1, 1e8]"), **given)
    return replicated([checked(loss)], [rules], segments, 2, domains.generator(rng))


def _segments(packets: float, lost: float, loss: float, segment_packets: float) -> int:
    """Return how many segments have together at least ``packets`` packets and on average ``lost`` losses or more."""
    packets = domains.number("packets", packets, "packets", "[1, 1e15]")
    lost = domains.number("lost", lost, "packets", "[0, 1e12]")
    return math.ceil(max(packets, lost / loss if loss > 0 else 0) / max(segment_packets, 1))

"""Simulators as estimators: what `check` calls at each point."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from longfat import domains
from longfat.sim.segments import simulate


def segment_efficiency(
    packets: float = 1e7, lost: float = 0, replications: int = 10, rng: Any = 0
) -> Callable[..., tuple[float, float, float]]:
    """An estimator of throughput efficiency by the segment simulator.

    Parameters
    ----------
    packets : float
        Packets to deliver at each point, at least [packets].
    lost : float
        Packets to lose at each point, at least: the cost follows the losses [packets].
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
            window=window,  # type: ignore[arg-type]  # refused there if it is not whole
            loss=loss,
            segment_packets=segment_packets,  # type: ignore[arg-type]
            ack_segments=ack_segments,
            segments=math.ceil(max(packets, lost / loss if loss > 0 else 0) / max(segment_packets, 1)),
            replications=replications,
            confidence=confidence,
            rng=generator,
            progress=False,
        )
        names = ("throughput_efficiency", "throughput_efficiency_lower", "throughput_efficiency_upper")
        value, lower, upper = (float(run[name]) for name in names)
        return value, lower, upper

    return estimate

"""Copa in the default mode: equilibrium of target rates, and the queue that oscillates around it."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.delay_based.parameters import CAPACITY, DELTA, FLOWS, TARGETS
from longfat.laws.references import COPA


@law(
    source=f"{COPA}, section 2.1",
    unit="s",
    result="d_q",
    derivation="delay_based.copa_queueing_delay",
    not_simulated="the centre of an oscillation, whose mean copa_mean_queue has",
    targets=TARGETS,
    capacity_packets=CAPACITY,
)
def copa_queueing_delay(targets: Any, capacity_packets: Any, *, xp: Any) -> Any:
    r"""Return the queueing delay at which the target rates of Copa flows add up to the capacity of their link.

    .. math:: d_q = \frac{S}{\mu}, \qquad S = \sum_i \frac{1}{\delta_i}

    Notes
    -----
    Every flow has the target rate 1/(delta d_q). The queue of S packets is the threshold at which windows turn, seen
    a round trip or more later; their queue oscillates around 1.25 S packets.

    Examples
    --------
    >>> copa_queueing_delay(4, 1000)
    0.004
    """
    return targets / capacity_packets


@law(
    source=f"{COPA}, section 2.1",
    unit="1",
    result="x; all shares together are 1",
    derivation="delay_based.copa_share",
    simulated=SimulatedBy("copa_share", {"delta": (0.04, 0.2), "targets": (40.0, 60.0)}, accuracy=0.015),
    delta=DELTA,
    targets=TARGETS,
)
def copa_share(delta: Any, targets: Any, *, xp: Any) -> Any:
    r"""Return the share of a link that a Copa flow has among others.

    .. math:: x = \frac{1}{\delta S}, \qquad S = \sum_i \frac{1}{\delta_i}

    Notes
    -----
    The flows see one queueing delay, whatever their round-trip times are. It holds for S of at least 1/delta.

    Examples
    --------
    >>> copa_share(0.1, 40)
    0.25
    """
    return 1 / (delta * targets)


@law(
    source=f"{COPA}, section 3",
    unit="packets",
    result="Q_max; the shortest queue is 0, and the period five round trips",
    derivation="delay_based.copa_largest_queue",
    not_simulated="the top of the oscillation whose mean copa_mean_queue has",
    flows=FLOWS,
    delta=DELTA,
)
def copa_largest_queue(flows: Any, delta: Any, *, xp: Any) -> Any:
    r"""Return the longest queue of equal Copa flows.

    .. math:: Q_{max} = \frac{5}{2} \, \frac{N}{\delta}

    Notes
    -----
    The queue grows by N/delta packets in a round trip (velocity 1). The turn at N/delta packets comes a round trip
    late, and half of one more where it grows, as RTTstanding is the least round-trip time in half of one. It holds for
    bandwidth-delay products far above N/delta.

    Examples
    --------
    >>> copa_largest_queue(2, 0.5)
    10.0
    """
    return 5 * flows / (2 * delta)


@law(
    source=f"{COPA}, section 3",
    unit="packets",
    result="Q, the mean over the oscillation",
    derivation="delay_based.copa_mean_queue",
    simulated=SimulatedBy("copa_queue", {"flows": (1.0, 5.0), "delta": (0.04, 0.2)}, relative=0.1),
    flows=FLOWS,
    delta=DELTA,
)
def copa_mean_queue(flows: Any, delta: Any, *, xp: Any) -> Any:
    r"""Return the mean queue of equal Copa flows.

    .. math:: Q = \frac{5}{4} \, \frac{N}{\delta}

    Notes
    -----
    Half of `copa_largest_queue`, in a triangle of constant slopes.

    Examples
    --------
    >>> copa_mean_queue(2, 0.5)
    5.0
    """
    return 5 * flows / (4 * delta)

"""Throughput efficiency if segments may need any number of rounds (ours), beyond Gong and Parulkar, section 4.2."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, Symbol, Validity, law
from longfat.laws.references import GONG_PARULKAR
from longfat.laws.selective_repeat.parameters import PACKETS, SIMULATED, WINDOW

LEVELS = 128  # 2^-128 of 10^9 packets is negligible

VALIDITY = Validity(
    "p <= 0.1, w_a >= 12, s <= 128, any window",
    lambda loss, segment_packets, ack_segments: (loss <= 0.1) & (ack_segments >= 12) & (segment_packets <= 128),
    accuracy=0.03,
)


@law(
    source=f"Ours, under the assumptions of {GONG_PARULKAR}, section 4.2, without the fourth of them",
    unit="1",
    result="E, never above 1 - p",
    validity=VALIDITY,
    derivation="many_rounds.efficiency",
    simulated=SimulatedBy(
        "segment_efficiency", SIMULATED | {"window": [float(w) for w in range(1, 300, 7)], "loss": (1e-5, 0.1)}
    ),
    window=WINDOW,
    loss=Symbol("p", "probability", "[0, 0.5]", (1e-6, 0.3), "Packet loss probability"),
    segment_packets=PACKETS,
    ack_segments=Symbol("w_a", "segments", "(0, inf)", (0.25, 1000.0), "Acknowledgment delay in segment times"),
)
def throughput_efficiency_many_rounds(
    window: Any, loss: Any, segment_packets: Any, ack_segments: Any, *, xp: Any
) -> Any:
    r"""Return the throughput efficiency of a window of W segments, whatever number of rounds they need.

    .. math::

        E = \frac{W}{W / (1 - p) + \max(M_\infty, 0)}, \qquad M_0 = w_a + 1 - \frac{W}{1 - p}, \qquad
        M_k = \begin{cases} M + w_a q_k & M \ge 0 \\ q_k (w_a + M) & -w_a < M < 0 \\
        M + w_a & M \le -w_a \end{cases} \quad (M = M_{k-1})

    with q_k = g_k d / (g_k d + 1 - g_k), g_k = 1 - (1 - p^k)^s, d = (W + n) / (1 + n), n = max(M, 0) / w_a.

    Notes
    -----
    M is the time per window that the sender waits, in segment times. A segment that needs a k-th repetition makes the
    window wait for one more acknowledgment delay, unless it waits already; q_k is the share of the time for which it
    waits. For one repetition and W = w_a + 1 this is exact, and equal to `throughput_efficiency` with (1 - g)/g in
    place of 1/g. Two assumptions are approximations: that waiting periods are uniform in the window, and that
    repetitions can be treated one after the other.

    Examples
    --------
    >>> round(throughput_efficiency_many_rounds(1907, 0.01, 16, 763.125), 3)
    0.86
    """
    return window / (window / (1 - loss) + _waiting(window, loss, segment_packets, ack_segments, xp))


def _waiting(window: Any, loss: Any, segment_packets: Any, ack_segments: Any, xp: Any) -> Any:
    """Return max(M, 0) for the limit M of the recurrence."""
    if hasattr(xp, "sympy"):
        return xp.sympy.Max(xp.computed("M", _limit, window, loss, segment_packets, ack_segments), 0)
    return _limit(window, loss, segment_packets, ack_segments, xp)


def _limit(window: Any, loss: Any, segment_packets: Any, ack_segments: Any, xp: Any) -> Any:
    """Return the limit of the recurrence, or 0 if it is negative."""

    def step(k: Any, waiting: Any, chance: Any) -> tuple[Any, Any]:
        g = -xp.expm1(segment_packets * xp.log1p(-chance))
        above = xp.maximum(waiting, 0 * waiting)
        alone = ack_segments / (ack_segments + above)  # 1 / (1 + n)
        distance = window * alone + (1 - alone)
        share = g * distance / (g * distance + (1 - g))
        after = xp.piecewise(
            lambda: waiting + ack_segments,
            (waiting >= 0, lambda: waiting + ack_segments * share),
            (waiting >= -ack_segments, lambda: share * (ack_segments + waiting)),
        )
        return after, chance * loss

    idle = ack_segments + 1 - window / (1 - loss)
    return xp.limit("M", LEVELS, step, idle, loss + 0 * idle)

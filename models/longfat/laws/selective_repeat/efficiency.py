"""Throughput efficiency of a window, and the window for an efficiency (Gong and Parulkar, section 4.2).

The last law is ours: segments may need any number of rounds.
"""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, Symbol, Validity, law
from longfat.laws.references import GONG_PARULKAR
from longfat.laws.selective_repeat.rates import ACK_SEGMENTS, LOSS, PACKETS, WINDOW
from longfat.laws.selective_repeat.rounds import repeated_rounds

EFFICIENCY = Symbol("e", "1", "(0, 1)", (0.05, 0.99), "Throughput efficiency")
SIMULATED = {"segment_packets": [1.0, 4.0, 16.0, 64.0], "ack_segments": [20.0, 23.0, 24.0, 50.0, 100.0]}


def _damaged(loss: Any, packets: Any, xp: Any) -> Any:
    """Return g, the probability that a segment loses one packet or more."""
    return -xp.expm1(packets * xp.log1p(-loss))


def _alone(loss: Any, packets: Any, ack: Any, xp: Any) -> Any:
    """Return t_s/D_s, the efficiency of a window of one segment."""
    return 1 / (1 / (1 - loss) + ack * (1 + repeated_rounds(loss, packets, xp)))


VALIDITY = Validity(
    "w_a s p^2 <= 0.02, w_a >= 20, w_a >= 3 s / 8, s <= 128, p <= 0.01, W <= 4 w_a (few segments in flight need a "
    "third transmission, and not all of them a second); not capped: it exceeds 1 - p where "
    "(w_a + m) g + 1 > (1 - p) ((2 w_a + 1 + p) g + 1)",
    lambda window, loss, segment_packets, ack_segments: (
        (ack_segments * segment_packets * loss**2 <= 0.02)
        & (ack_segments >= 20)
        & (8 * ack_segments >= 3 * segment_packets)
        & (segment_packets <= 128)
        & (loss <= 0.01)
        & (window <= 4 * ack_segments)
    ),
    accuracy=0.03,
)


@law(
    source=f"{GONG_PARULKAR}, section 4.2 (the four expressions for ThE)",
    result="E [1]",
    validity=VALIDITY,
    derivation="selective_repeat.efficiency_middle",
    simulated=SimulatedBy(
        "segment_efficiency", SIMULATED | {"window": [float(w) for w in range(1, 200, 7)], "loss": (1e-5, 0.01)}
    ),
)
def throughput_efficiency(window: WINDOW, loss: LOSS, segment_packets: PACKETS, ack_segments: ACK_SEGMENTS, *, xp):
    r"""Return the throughput efficiency of a window of W segments: ideal over actual time per segment.

    .. math::

        E = \begin{cases}
        t_s / D_s & W = 1 \\
        \dfrac{1/g + W}{2 w_a + 1 + p + (w_a + 1) / (W g)} & 1 < W \le w_a + 1 \\
        \dfrac{w_a + m + 1/g}{2 w_a + 1 + p + 1/g} & w_a + 1 < W < 2 w_a + 1 \\
        1 - p & W \ge 2 w_a + 1 \end{cases}

    with g = 1 - (1 - p)^s and m = min(W - w_a, w_a (1 - p)).

    Notes
    -----
    The third case as printed counts the m segments of the second acknowledgment delay twice; here every segment time
    of the cycle is counted once. It is continuous at W = w_a + 1 if w_a (1 - p) >= 1, and jumps at W = 1 and W = 2
    w_a + 1. It exceeds 1 - p, the limit of every scheme, where (w_a + m) g + 1 > (1 - p) ((2 w_a + 1 + p) g + 1).
    On paths too short for its validity most segments in flight may be damaged at once, and the law is up to 0.1
    too high (w_a = 2.5, s = 128).

    >>> round(throughput_efficiency(24, 1e-4, 16, 23.08), 3)
    0.963
    """
    g = _damaged(loss, segment_packets, xp)
    in_flight = (2 * ack_segments + 1 + loss) * g  # numerators and denominators times g: 1/g can overflow

    def small() -> Any:
        return (1 + window * g) / (in_flight + (ack_segments + 1) / window)

    def middle() -> Any:
        second = xp.minimum(window - ack_segments, ack_segments * (1 - loss))
        return ((ack_segments + second) * g + 1) / (in_flight + 1)

    alone = xp.equal(window, 1)
    return xp.piecewise(
        lambda: 1 - loss,
        (
            alone,
            lambda: xp.where_needed(
                alone, lambda p, s, w_a: _alone(p, s, w_a, xp), loss, segment_packets, ack_segments
            ),
        ),
        (window <= ack_segments + 1, small),
        (window < 2 * ack_segments + 1, middle),
    )


@throughput_efficiency.printed(
    "the denominator of the third case has one term m more than the segment times of a cycle, so the curve falls "
    "by a jump at W = w_a + 1 and tends to 2/3 on long paths."
)
def throughput_efficiency_as_printed(
    window: Any, loss: Any, segment_packets: Any, ack_segments: Any, *, xp: Any
) -> Any:
    """Return the throughput efficiency by the four expressions that section 4.2 prints."""
    g = _damaged(loss, segment_packets, xp)

    def middle() -> Any:
        second = xp.minimum(window - ack_segments, ack_segments * (1 - loss))
        return ((ack_segments + second) * g + 1) / ((2 * ack_segments + 1 + loss + second) * g + 1)

    inside = (window > ack_segments + 1) & (window < 2 * ack_segments + 1)
    shipped = throughput_efficiency.function(window, loss, segment_packets, ack_segments, xp=xp)
    return xp.piecewise(lambda: shipped, (inside, middle))


@law(
    source=f"Ours: {GONG_PARULKAR}, section 4.2, solved for the window",
    result="W [segments], NaN where e > 1 - p. The isolated value at W = 1 is not considered",
    derivation="selective_repeat.window_inversion",
    not_simulated="the inverse of a law that is simulated",
    efficiency=EFFICIENCY.described(remark="It has to be below 1 - p"),
)
def window_for_efficiency(efficiency, loss: LOSS, segment_packets: PACKETS, ack_segments: ACK_SEGMENTS, *, xp):
    r"""Return the smallest window [segments], a real number, at which `throughput_efficiency` reaches a given value.

    .. math::

        g W^2 + \left(1 - e (2 w_a + 1 + p) g\right) W = e (w_a + 1) \quad (W \le w_a + 1), \qquad
        W = \frac{e ((2 w_a + 1 + p) g + 1) - 1}{g} \quad (W \le w_a + w_a (1 - p))

    and 2 w_a + 1 where neither case reaches e.

    Notes
    -----
    As accurate as the law that it inverts.

    >>> round(throughput_efficiency(window_for_efficiency(0.9, 1e-3, 16, 23), 1e-3, 16, 23), 12)
    0.9
    """
    g = _damaged(loss, segment_packets, xp)
    in_flight = (2 * ack_segments + 1 + loss) * g
    # The positive root of the quadratic equation, without cancellation: 2c / (b + sqrt(b^2 + 4 g c)) for b >= 0,
    # otherwise (-b + sqrt(b^2 + 4 g c))/(2 g).
    b, c = 1 - efficiency * in_flight, efficiency * (ack_segments + 1)
    root = xp.sqrt(b * b + 4 * g * c)
    one = 1 + 0 * b
    # In the third case of the law, `excess` is g (W - w_a - 1) = e (in_flight + 1) - 1 - (w_a + 1) g.
    excess = efficiency * (in_flight + 1) - 1 - (ack_segments + 1) * g
    if hasattr(xp, "sympy"):  # one form of the root suffices here; the conditions do not divide by g, which may be 0
        small = xp.maximum(2 * c / (b + root), 1)
        return xp.piecewise(
            lambda: 2 * ack_segments + 1,
            (efficiency > 1 - loss, lambda: xp.nan),
            (small <= ack_segments + 1, lambda: small),
            (g + excess <= ack_segments * (1 - loss) * g, lambda: ack_segments + 1 + excess / g),
        )
    positive = b >= 0
    numerator = xp.piecewise(lambda: root - b, (positive, lambda: 2 * c))
    denominator = xp.piecewise(lambda: 2 * g, (positive, lambda: b + root))
    small = xp.maximum(numerator / denominator, one)
    middle = ack_segments + 1 + excess / xp.piecewise(lambda: g, (xp.equal(g, 0), lambda: one))
    return xp.piecewise(
        lambda: 2 * ack_segments + 1,
        (efficiency > 1 - loss, lambda: xp.nan),
        (small <= ack_segments + 1, lambda: small),
        (middle <= ack_segments + ack_segments * (1 - loss), lambda: middle),
    )


LEVELS = 128  # 2^-128 of 10^9 packets is negligible

MANY_VALIDITY = Validity(
    "p <= 0.1, w_a >= 12, s <= 128, any window",
    lambda loss, segment_packets, ack_segments: (loss <= 0.1) & (ack_segments >= 12) & (segment_packets <= 128),
    accuracy=0.03,
)


@law(
    source=f"Ours, under the assumptions of {GONG_PARULKAR}, section 4.2, without the fourth of them",
    result="E [1], never above 1 - p",
    validity=MANY_VALIDITY,
    derivation="many_rounds.efficiency",
    simulated=SimulatedBy(
        "segment_efficiency", SIMULATED | {"window": [float(w) for w in range(1, 300, 7)], "loss": (1e-5, 0.1)}
    ),
    loss=Symbol("p", "probability", "[0, 0.5]", (1e-6, 0.3), "Packet loss probability"),
    ack_segments=Symbol("w_a", "segments", "(0, inf)", (0.25, 1000.0), "Acknowledgment delay in segment times"),
)
def throughput_efficiency_many_rounds(window: WINDOW, loss, segment_packets: PACKETS, ack_segments, *, xp):
    r"""Return the throughput efficiency of a window of W segments for any number of transmission rounds.

    .. math::

        E = \frac{W}{W / (1 - p) + \max(M_\infty, 0)}, \qquad M_0 = w_a + 1 - \frac{W}{1 - p}, \qquad
        M_k = \begin{cases} M + w_a q_k & M \ge 0 \\ q_k (w_a + M) & -w_a < M < 0 \\
        M + w_a & M \le -w_a \end{cases} \quad (M = M_{k-1})

    with q_k = g_k d / (g_k d + 1 - g_k), g_k = 1 - (1 - p^k)^s, d = (W + n) / (1 + n), n = max(M, 0) / w_a.

    Notes
    -----
    M is the time per window that the sender waits, in segment times. A segment that needs a k-th retransmission makes
    the window wait for one more acknowledgment delay, unless it waits already; q_k is the share of that delay for which
    it waits. For one retransmission and W = w_a + 1 this is exact, and equal to `throughput_efficiency` with (1 - g)/g
    in place of 1/g. Two assumptions are approximations: that waiting periods are uniform in the window, and that
    retransmissions can be treated one after the other.

    >>> round(throughput_efficiency_many_rounds(1907, 0.01, 16, 763.125), 3)
    0.86
    """
    return window / (window / (1 - loss) + _waiting(window, loss, segment_packets, ack_segments, xp))


def _waiting(window: Any, loss: Any, segment_packets: Any, ack_segments: Any, xp: Any) -> Any:
    """Return max(M, 0), where M is the limit of the recurrence of `throughput_efficiency_many_rounds`."""
    if hasattr(xp, "sympy"):
        return xp.sympy.Max(xp.computed("M", _limit, window, loss, segment_packets, ack_segments), 0)
    return _limit(window, loss, segment_packets, ack_segments, xp)


def _limit(window: Any, loss: Any, segment_packets: Any, ack_segments: Any, xp: Any) -> Any:
    """Return the limit M of the recurrence, or 0 if M is negative."""

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
    if not hasattr(xp, "mp"):
        return xp.maximum(xp.repeat(LEVELS, step, idle, loss + 0 * idle)[0], 0 * idle)
    waiting, chance = idle, loss
    for level in range(1, 100 * LEVELS):
        before, (waiting, chance) = max(waiting, 0), step(level, waiting, chance)
        if level > LEVELS and abs(max(waiting, 0) - before) <= xp.mp.eps * before:
            return max(waiting, 0)
    raise ArithmeticError(f"M does not converge in {100 * LEVELS - 1} steps")

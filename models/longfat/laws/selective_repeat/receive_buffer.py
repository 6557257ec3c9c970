"""Receive buffers smaller than the window under hard and soft acknowledgment (ours).

The rules are those of Gong and Parulkar, section 4.3.1.
"""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, Symbol, Validity, law
from longfat.laws.references import GONG_PARULKAR
from longfat.laws.selective_repeat.efficiency import EFFICIENCY
from longfat.laws.selective_repeat.rates import ACK_SEGMENTS, LOSS, PACKETS

OURS = f"Ours, for the rules of {GONG_PARULKAR}, section 4.3.1"
BUFFER = Symbol("B", "segments", "[1, inf)", (1, 2000), "Receive buffer", integer=True)
SOME_LOSS = Symbol("p", "probability", "(0, 1)", (1e-6, 0.1), "Packet loss probability")
ONE_LOSS = "the course of events after one loss, which tests/laws/test_receive_buffer.py follows in the simulator"


VALIDITY = Validity(
    "W >= 2 w_a + 1, s >= 16, g (w_a + 2) <= 0.5",
    lambda loss, segment_packets, ack_segments: (
        (segment_packets >= 16) & ((1 - (1 - loss) ** segment_packets) * (ack_segments + 2) <= 0.5)
    ),
    accuracy=0.03,
)


def _round_trip(ack_segments: Any, xp: Any) -> Any:
    """Return M, the number of segments that a sender without pauses sends from a segment to its retransmission."""
    return 1 - xp.floor(-ack_segments)


def _discards(buffer: Any, ack_segments: Any, xp: Any) -> Any:
    trip = _round_trip(ack_segments, xp)
    return xp.maximum(xp.minimum(trip, 2 * (trip - buffer)), 0 * trip)


def _starts(buffer: Any, loss: Any, segment_packets: Any, xp: Any) -> Any:
    """Return r, the number of loss episodes per segment [1].

    An episode begins with a damaged segment; damaged segments among the next B - 1 belong to the same episode.
    """
    g = -xp.expm1(segment_packets * xp.log1p(-loss))
    return g / (1 + g * (buffer - 1))


@law(
    source=OURS,
    result="D [segments], until all segments are in order again",
    derivation="receive_buffer.discards",
    not_simulated=ONE_LOSS,
)
def discards_after_loss(receive_buffer: BUFFER, ack_segments: ACK_SEGMENTS, *, xp):
    r"""Return the number of segments that hard acknowledgment discards after one damaged segment.

    .. math:: D = \max(0, \min(M, 2 (M - B))), \qquad M = \lceil w_a \rceil + 1

    Exact for a window of at least w_a + 1 + B and at least 2 w_a + 1 segments and a sender that always has data to send
    and retransmits the damaged segment M segments later. It does not hold if an acknowledgment arrives at the very
    moment at which the sender becomes idle, which is possible for w_a just above an integer. Discarded segments have to
    be sent again, so a loss costs D segment times. A buffer of M segments discards nothing. D is a step function of
    w_a.

    >>> discards_after_loss(6, 23.125), discards_after_loss(18, 23.125), discards_after_loss(25, 23.125)
    (25.0, 14.0, 0.0)
    """
    return _discards(receive_buffer, ack_segments, xp)


@law(
    source=OURS,
    result="E [1], never above 1 - p",
    validity=VALIDITY,
    derivation="receive_buffer.hard_ack_efficiency",
    long_proof=True,
    simulated=SimulatedBy(
        "segment_hard_ack",
        {
            "segment_packets": [16.0, 64.0],
            "ack_segments": [20.0, 23.0, 24.0],
            "loss": (1e-5, 1e-3),
            "receive_buffer": (1.0, 40.0),
        },
    ),
)
def throughput_efficiency_hard_ack(
    receive_buffer: BUFFER, loss: LOSS, segment_packets: PACKETS, ack_segments: ACK_SEGMENTS, *, xp
):
    r"""Return the throughput efficiency under hard acknowledgment with a receive buffer of B segments.

    .. math::

        E = \frac{1}{1/(1 - p) + r D}, \qquad r = \frac{g}{1 + g (B - 1)}, \qquad g = 1 - (1 - p)^s

    with D of `discards_after_loss`.

    Notes
    -----
    A segment takes 1/(1 - p) segment times to send; each damaged segment costs D more, except one that is among the
    B - 1 segments kept after another damaged segment, and is retransmitted right after that one. D is exact for one
    loss; that later losses do not interfere is an approximation. It does not hold for segments of few packets, where
    two losses can lower the efficiency for good, as in `locked_efficiency_soft_ack`.

    >>> round(throughput_efficiency_hard_ack(6, 1e-4, 16, 23.125), 3)
    0.962
    """
    cost = _starts(receive_buffer, loss, segment_packets, xp) * _discards(receive_buffer, ack_segments, xp)
    return (1 - loss) / (1 + (1 - loss) * cost)


@law(
    source=OURS,
    result="B [segments], a real number, to be rounded up. NaN where e is above 1 - p",
    derivation="receive_buffer.hard_ack_buffer",
    not_simulated="the inverse of a law that is simulated",
)
def buffer_for_efficiency_hard_ack(
    efficiency: EFFICIENCY, loss: SOME_LOSS, segment_packets: PACKETS, ack_segments: ACK_SEGMENTS, *, xp
):
    r"""Return the smallest receive buffer [segments] with a given throughput efficiency under hard acknowledgment.

    .. math::

        B = \begin{cases} 1 & g M \le X \\
        \dfrac{2 g M - (1 - g) X}{g (2 + X)} & \text{where that is at least } M/2 \\
        1 + \dfrac{g M - X}{g X} & \text{else} \end{cases}
        \qquad X = \frac{1}{e} - \frac{1}{1 - p}

    The inverse of `throughput_efficiency_hard_ack` for wide windows, with the same validity. A buffer of a few segments
    at w_a = 10^6 is computed as a difference of nearly equal numbers: it has six correct digits fewer than e.

    >>> round(buffer_for_efficiency_hard_ack(0.95, 1e-3, 16, 23.125), 2)
    22.81
    """
    g = -xp.expm1(segment_packets * xp.log1p(-loss))
    trip = _round_trip(ack_segments, xp)
    spare = (1 - loss - efficiency) / (efficiency * (1 - loss))  # X, without a difference of nearly equal numbers
    upper = (2 * g * trip - (1 - g) * spare) / (g * (2 + spare))
    return xp.piecewise(
        lambda: 1 + (g * trip - spare) / (g * spare),
        (spare < 0, lambda: xp.nan + 0 * spare),
        (g * trip <= spare, lambda: 1 + 0 * spare),
        (2 * upper >= trip, lambda: upper),
    )


@law(
    source=OURS,
    result="E [1], without any further loss",
    derivation="receive_buffer.locked_efficiency",
    not_simulated=ONE_LOSS,
)
def locked_efficiency_soft_ack(receive_buffer: BUFFER, ack_segments: ACK_SEGMENTS, *, xp):
    r"""Return the lasting throughput efficiency of soft acknowledgment with a small receive buffer after one loss.

    .. math:: E = \min\left(1, \frac{B}{M}\right), \qquad M = \lceil w_a \rceil + 1

    The throughput is that of a window of B segments, whatever window is advertised: in every round trip the first
    missing segment has been discarded in favour of one with a smaller number, and B segments are consumed when it
    arrives again. It holds for wide windows, segments requested again at once, and w_a such that no acknowledgment
    arrives at the very moment at which the sender becomes idle, which may end this cycle.

    >>> locked_efficiency_soft_ack(12, 23.125)
    0.48
    """
    share = receive_buffer / _round_trip(ack_segments, xp)
    return xp.minimum(share, 1 + 0 * share)

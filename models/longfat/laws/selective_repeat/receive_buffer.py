"""Receive buffers smaller than the window, hard and soft acknowledgment: ours, for the rules of section 4.3.1."""

from __future__ import annotations

from typing import Any

from longfat.law import Symbol, Validity, law
from longfat.laws.selective_repeat.parameters import ACK_SEGMENTS, EFFICIENCY, LOSS, PACKETS, PAPER

OURS = f"ours, for the rules of {PAPER}, section 4.3.1"
BUFFER = Symbol("B", "segments", "[1, inf)", (1, 2000), "receive buffer", integer=True)
SOME_LOSS = Symbol("p", "probability", "(0, 1)", (1e-6, 0.1), "packet loss probability")


VALIDITY = Validity(
    "W >= 2 w_a + 1, s >= 16, g (w_a + 2) <= 0.5",
    lambda loss, segment_packets, ack_segments: (
        (segment_packets >= 16) & ((1 - (1 - loss) ** segment_packets) * (ack_segments + 2) <= 0.5)
    ),
    accuracy=0.03,
)


def _round_trip(ack_segments: Any, xp: Any) -> Any:
    """M, segments from one transmission to the repetition it is answered with, for a sender that never waits."""
    return 1 - xp.floor(-ack_segments)


def _discards(buffer: Any, ack_segments: Any, xp: Any) -> Any:
    trip = _round_trip(ack_segments, xp)
    return xp.maximum(xp.minimum(trip, 2 * (trip - buffer)), 0 * trip)


def _starts(buffer: Any, loss: Any, segment_packets: Any, xp: Any) -> Any:
    """r, isolated losses per segment: damaged segments, but for those that fall into the buffer after another."""
    g = -xp.expm1(segment_packets * xp.log1p(-loss))
    return g / (1 + g * (buffer - 1))


@law(
    source=OURS,
    unit="segments",
    derivation="receive_buffer.discards",
    receive_buffer=BUFFER,
    ack_segments=ACK_SEGMENTS,
)
def discards_after_loss(receive_buffer: Any, ack_segments: Any, *, xp: Any) -> Any:
    r"""Segments that hard acknowledgment discards after one damaged segment, until everything is in order again.

    .. math:: D = \max(0, \min(M, 2 (M - B))), \qquad M = \lceil w_a \rceil + 1

    Parameters
    ----------
    receive_buffer : float or array
        B [segments], whole, in [1, inf).
    ack_segments : float or array
        w_a [segments], in [0, inf).

    Returns
    -------
    float or array
        D [segments].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for a window of at least w_a + 1 + B and at least 2 w_a + 1 segments and a sender that always has something to
    send, which repeats the damaged segment M segments after it: not if an answer comes at the very moment at which
    the sender gets free, as it can for w_a just above a whole number. What is discarded has to be sent again, so a
    loss costs D segment times. A buffer of M segments loses nothing to discards. Steps in w_a.

    Examples
    --------
    >>> discards_after_loss(6, 23.125), discards_after_loss(18, 23.125), discards_after_loss(25, 23.125)
    (25.0, 14.0, 0.0)

    References
    ----------
    Derived in derivations/receive_buffer.py.
    """
    return _discards(receive_buffer, ack_segments, xp)


@law(
    source=OURS,
    unit="1",
    validity=VALIDITY,
    derivation="receive_buffer.hard_ack_efficiency",
    receive_buffer=BUFFER,
    loss=LOSS,
    segment_packets=PACKETS,
    ack_segments=ACK_SEGMENTS,
)
def throughput_efficiency_hard_ack(
    receive_buffer: Any, loss: Any, segment_packets: Any, ack_segments: Any, *, xp: Any
) -> Any:
    r"""Throughput efficiency of a receive buffer of B segments under hard acknowledgment and a wide window.

    .. math::

        E = \frac{1}{1/(1 - p) + r D}, \qquad r = \frac{g}{1 + g (B - 1)}, \qquad g = 1 - (1 - p)^s

    with D of `discards_after_loss`.

    Parameters
    ----------
    receive_buffer : float or array
        B [segments], whole, in [1, inf).
    loss : float or array
        p [probability], in [0, 1).
    segment_packets : float or array
        s [packets], whole, in [1, inf).
    ack_segments : float or array
        w_a [segments], in [0, inf).

    Returns
    -------
    float or array
        E [1], never above 1 - p.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    A segment takes 1/(1 - p) segment times to send; each damaged one costs D more, but for those among the B - 1 kept
    after another, which are repeated in its wake. D is exact for one loss; that later ones do not interfere
    is an approximation. Validity: within 0.03 of the simulator for windows of 2 w_a + 1 segments and more,
    s >= 16 and g (w_a + 2) <= 0.5. Not for segments of few packets: there two losses can lock hard acknowledgment, too.

    Examples
    --------
    >>> round(throughput_efficiency_hard_ack(6, 1e-4, 16, 23.125), 3)
    0.962

    References
    ----------
    Derived in derivations/receive_buffer.py.
    """
    cost = _starts(receive_buffer, loss, segment_packets, xp) * _discards(receive_buffer, ack_segments, xp)
    return (1 - loss) / (1 + (1 - loss) * cost)


@law(
    source=OURS,
    unit="segments",
    derivation="receive_buffer.hard_ack_buffer",
    efficiency=EFFICIENCY,
    loss=SOME_LOSS,
    segment_packets=PACKETS,
    ack_segments=ACK_SEGMENTS,
)
def buffer_for_efficiency_hard_ack(
    efficiency: Any, loss: Any, segment_packets: Any, ack_segments: Any, *, xp: Any
) -> Any:
    r"""Smallest receive buffer with a throughput efficiency under hard acknowledgment and a wide window.

    .. math::

        B = \begin{cases} 1 & g M \le X \\
        \dfrac{2 g M - (1 - g) X}{g (2 + X)} & \text{where that is at least } M/2 \\
        1 + \dfrac{g M - X}{g X} & \text{else} \end{cases}
        \qquad X = \frac{1}{e} - \frac{1}{1 - p}

    Parameters
    ----------
    efficiency : float or array
        e [1], in (0, 1).
    loss : float or array
        p [probability], in (0, 1).
    segment_packets : float or array
        s [packets], whole, in [1, inf).
    ack_segments : float or array
        w_a [segments], in [0, inf).

    Returns
    -------
    float or array
        B [segments], a real number: round it up. NaN where e is above 1 - p.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    The inverse of `throughput_efficiency_hard_ack`, with its validity. A buffer of a few segments beside a w_a of 10^6
    is a difference of nearly equal numbers: it has the digits that e has, less six.

    Examples
    --------
    >>> round(buffer_for_efficiency_hard_ack(0.95, 1e-3, 16, 23.125), 2)
    22.81

    References
    ----------
    Derived in derivations/receive_buffer.py.
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
    unit="1",
    derivation="receive_buffer.locked_efficiency",
    receive_buffer=BUFFER,
    ack_segments=ACK_SEGMENTS,
)
def locked_efficiency_soft_ack(receive_buffer: Any, ack_segments: Any, *, xp: Any) -> Any:
    r"""Throughput efficiency at which soft acknowledgment stays after one loss, with no loss any more.

    .. math:: E = \min\left(1, \frac{B}{M}\right), \qquad M = \lceil w_a \rceil + 1

    Parameters
    ----------
    receive_buffer : float or array
        B [segments], whole, in [1, inf).
    ack_segments : float or array
        w_a [segments], in [0, inf).

    Returns
    -------
    float or array
        E [1].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    What a window of B segments would carry, whatever window is advertised: every round trip the first segment missing
    has been thrown out for a smaller one, and B segments are consumed when it comes again. For wide windows, segments
    asked for again at once, and w_a such that an answer does not come at the very moment at which the sender gets
    free: there the lock may be missed.

    Examples
    --------
    >>> locked_efficiency_soft_ack(12, 23.125)
    0.48

    References
    ----------
    Derived in derivations/receive_buffer.py.
    """
    share = receive_buffer / _round_trip(ack_segments, xp)
    return xp.minimum(share, 1 + 0 * share)

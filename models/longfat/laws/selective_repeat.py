"""Selective repeat of segments under a window and a rate: delay, throughput efficiency, windows.

F. Gong and G. Parulkar, *A Two-Level Flow Control Scheme for High Speed Networks*, WUCS-92-38, Washington
University in St. Louis, 1992 (GP). Every packet is lost independently with the same probability, an answer
to a group of packets comes back one acknowledgment delay after its last packet was sent, answers are never
lost, and every segment is delivered completely (sections 4.2). Proofs: derivations/selective_repeat.py.
"""

from __future__ import annotations

from typing import Any

from longfat.law import Symbol, Validity, law
from longfat.laws.rounds import repeated_rounds

PAPER = "Gong & Parulkar, WUCS-92-38"

LOSS = Symbol("p", "probability", "[0, 1)", (1e-6, 0.1), "packet loss probability")
PACKETS = Symbol("s", "packets", "[1, inf)", (1, 128), "packets per segment", whole=True)
PACKET_TIME = Symbol("t_p", "s", "(0, inf)", (1e-8, 1e-3), "time to send a packet")
ROUND_TRIP = Symbol("RTD", "s", "[0, inf)", (1e-3, 1.0), "round-trip time")
ACK_DELAY = Symbol("t_a", "s", "[0, inf)", (1e-3, 1.0), "acknowledgment delay")
ACK_SEGMENTS = Symbol("w_a", "segments", "[0, inf)", (0.25, 1000.0), "acknowledgment delay in segment times")
WINDOW = Symbol("W", "segments", "[1, inf)", (1.0, 4000.0), "window")
BURST_RATE = Symbol("F", "bursts/s", "(0, inf)", (1.0, 1e5), "bursts per second")
BURST = Symbol("L", "packets", "(0, inf)", (1.0, 256.0), "packets per burst")
PACKET_SIZE = Symbol("l", "bytes", "(0, inf)", (53.0, 9000.0), "packet size")
EFFICIENCY = Symbol("e", "1", "(0, 1)", (0.05, 0.99), "throughput efficiency")


@law(
    source=f"{PAPER}, section 3.3", unit="bytes/s", burst_rate=BURST_RATE, burst_packets=BURST, packet_size=PACKET_SIZE
)
def average_rate(burst_rate: Any, burst_packets: Any, packet_size: Any, *, xp: Any) -> Any:
    r"""Average rate of the bursty rate specification (P, F, L).

    .. math:: A = F L l

    Parameters
    ----------
    burst_rate : float or array
        F [bursts/s], in (0, inf); at most `largest_burst_rate`.
    burst_packets : float or array
        L [packets], in (0, inf).
    packet_size : float or array
        l [bytes], in (0, inf).

    Returns
    -------
    float or array
        A [bytes/s]; the paper counts bits.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact by definition.

    Examples
    --------
    >>> average_rate(1000, 16, 1024)
    16384000.0

    References
    ----------
    Gong & Parulkar, section 3.3.
    """
    return burst_rate * burst_packets * packet_size


@law(
    source=f"{PAPER}, section 3.3",
    unit="bursts/s",
    peak_rate=Symbol("P", "bytes/s", "(0, inf)", (1e4, 1e11), "peak rate"),
    burst_packets=BURST,
    packet_size=PACKET_SIZE,
)
def largest_burst_rate(peak_rate: Any, burst_packets: Any, packet_size: Any, *, xp: Any) -> Any:
    r"""Largest burst rate that a peak rate leaves room for; there the average rate is the peak rate.

    .. math:: F \le \frac{P}{L l}

    Parameters
    ----------
    peak_rate : float or array
        P [bytes/s], in (0, inf).
    burst_packets : float or array
        L [packets], in (0, inf).
    packet_size : float or array
        l [bytes], in (0, inf).

    Returns
    -------
    float or array
        Largest F [bursts/s].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact by definition.

    Examples
    --------
    >>> largest_burst_rate(16384000, 16, 1024)
    1000.0

    References
    ----------
    Gong & Parulkar, section 3.3.
    """
    return peak_rate / (burst_packets * packet_size)


@law(source=f"{PAPER}, section 3.3", unit="packets", loss=LOSS, segment_packets=PACKETS)
def burst_packets(loss: Any, segment_packets: Any, *, xp: Any) -> Any:
    r"""Burst length that carries a segment and the retransmissions of the one before it.

    .. math:: L = s + X, \qquad X = \frac{s p}{1 - p}

    Parameters
    ----------
    loss : float or array
        p [probability], in [0, 1).
    segment_packets : float or array
        s [packets], whole, in [1, inf).

    Returns
    -------
    float or array
        L [packets]. The paper leaves X, the expected retransmissions of a segment, to the user; this is its
        value under independent loss.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact mean for independent loss.

    Examples
    --------
    >>> burst_packets(0.2, 16)
    20.0

    References
    ----------
    Gong & Parulkar, section 3.3 (L = s + X) and the second term of D_s, section 4.2 (X).
    """
    return segment_packets / (1 - loss)


@law(
    source=f"{PAPER}, section 3.4",
    unit="s",
    derivation="acknowledgment_delay",
    round_trip_time=ROUND_TRIP,
    packet_time=PACKET_TIME,
)
def ack_delay(round_trip_time: Any, packet_time: Any, *, xp: Any) -> Any:
    r"""Time from the end of a group of packets to the answer to it.

    .. math:: t_a = RTD + 3 t_p

    Parameters
    ----------
    round_trip_time : float or array
        RTD [s], in [0, inf).
    packet_time : float or array
        t_p [s], in (0, inf), at the connection's rate.

    Returns
    -------
    float or array
        t_a [s].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    The receiver is assumed to take three packet times. Section 3.4 takes the packet time at the peak rate,
    section 4.2 at the average rate; they agree where bursts leave no gap between them.

    Examples
    --------
    >>> ack_delay(0.1, 1e-3)
    0.103

    References
    ----------
    Gong & Parulkar, sections 3.4 and 4.2.
    """
    return round_trip_time + 3 * packet_time


@law(
    source=f"{PAPER}, section 3.4",
    unit="segments",
    derivation="acknowledgment_delay",
    ack_delay=ACK_DELAY,
    packet_time=PACKET_TIME,
    segment_packets=PACKETS,
)
def ack_segments(ack_delay: Any, packet_time: Any, segment_packets: Any, *, xp: Any) -> Any:
    r"""Acknowledgment delay in segment times.

    .. math:: w_a = \frac{t_a}{s t_p}

    Parameters
    ----------
    ack_delay : float or array
        t_a [s], in [0, inf).
    packet_time : float or array
        t_p [s], in (0, inf), at the average rate.
    segment_packets : float or array
        s [packets], whole, in [1, inf).

    Returns
    -------
    float or array
        w_a [segments].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact by definition.

    Examples
    --------
    >>> ack_segments(0.5, 0.001, 16)
    31.25

    References
    ----------
    Gong & Parulkar, section 3.4.
    """
    return ack_delay / (packet_time * segment_packets)


@law(source=f"{PAPER}, section 3.4", unit="segments", derivation="initial_window", ack_segments=ACK_SEGMENTS)
def initial_window(ack_segments: Any, *, xp: Any) -> Any:
    r"""Smallest window that keeps the sender busy when nothing is lost.

    .. math:: W_0 = 1 + w_a

    Parameters
    ----------
    ack_segments : float or array
        w_a [segments], in [0, inf).

    Returns
    -------
    float or array
        W_0 [segments].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact without loss. That it suffices up to p = 1e-4 (section 4.3) holds for w_a below about 35 with s = 16.

    Examples
    --------
    >>> initial_window(23.0)
    24.0

    References
    ----------
    Gong & Parulkar, section 3.4.
    """
    return 1 + ack_segments


@law(
    source=f"{PAPER}, section 3.4",
    unit="segments",
    derivation="adjusted_window",
    window=WINDOW,
    rate=Symbol("F", "segments/s", "(0, inf)", (1.0, 1e5), "rate that the window was made for"),
    new_rate=Symbol("F_1", "segments/s", "(0, inf)", (1.0, 1e5), "rate wanted now"),
)
def adjusted_window(window: Any, rate: Any, new_rate: Any, *, xp: Any) -> Any:
    r"""Window that a receiver asks for when its long-term rate changes.

    .. math:: W_1 = \frac{F_1}{F} W_0

    Parameters
    ----------
    window : float or array
        W_0 [segments], in [1, inf).
    rate, new_rate : float or array
        F and F_1 [segments/s], in (0, inf).

    Returns
    -------
    float or array
        W_1 [segments].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    The throughput follows the window only where W_0 <= 1 + w_a. From a window c times as large the sender
    does not slow down before F_1 / F < 1 / c: an erratum of scope, proved in the derivation.

    Examples
    --------
    >>> adjusted_window(24, 100, 50)
    12.0

    References
    ----------
    Gong & Parulkar, section 3.4.
    """
    return new_rate / rate * window


@law(source=f"{PAPER}, section 4.2", unit="rounds", derivation="mean_rounds", loss=LOSS, segment_packets=PACKETS)
def mean_rounds(loss: Any, segment_packets: Any, *, xp: Any) -> Any:
    r"""Mean number of rounds until a segment is complete.

    .. math:: S = \sum_{i=0}^{\infty} \left[1 - (1 - p^i)^s\right]

    Parameters
    ----------
    loss : float or array
        p [probability], in [0, 1).
    segment_packets : float or array
        s [packets], whole, in [1, inf).

    Returns
    -------
    float or array
        S [rounds].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for independent loss. Floats are computed as `longfat.laws.rounds` says.

    Examples
    --------
    >>> mean_rounds(0.5, 1)
    2.0

    References
    ----------
    Gong & Parulkar, section 4.2, third term of D_s.
    """
    return 1 + repeated_rounds(loss, segment_packets, xp)


@law(
    source=f"{PAPER}, section 4.2",
    unit="s",
    derivation="sender_delay",
    loss=LOSS,
    segment_packets=PACKETS,
    packet_time=PACKET_TIME,
    ack_delay=ACK_DELAY,
)
def mean_delay_sender(loss: Any, segment_packets: Any, packet_time: Any, ack_delay: Any, *, xp: Any) -> Any:
    r"""Mean time from the first transmission of a segment to the sender's knowing that it arrived.

    .. math:: D_s = \frac{t_s}{1 - p} + t_a \sum_{i=0}^{\infty} \left[1 - (1 - p^i)^s\right], \qquad t_s = s t_p

    Parameters
    ----------
    loss : float or array
        p [probability], in [0, 1).
    segment_packets : float or array
        s [packets], whole, in [1, inf).
    packet_time : float or array
        t_p [s], in (0, inf).
    ack_delay : float or array
        t_a [s], in [0, inf).

    Returns
    -------
    float or array
        D_s [s].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for a segment sent in isolation; otherwise retransmissions of one segment may wait for the end of
    another one's group.

    Examples
    --------
    >>> mean_delay_sender(0, 16, 1e-3, 0.1)
    0.116

    References
    ----------
    Gong & Parulkar, section 4.2, D_s.
    """
    rounds = 1 + repeated_rounds(loss, segment_packets, xp)
    return segment_packets * packet_time / (1 - loss) + ack_delay * rounds


@law(
    source=f"{PAPER}, section 4.2",
    unit="s",
    derivation="receiver_delay",
    loss=LOSS,
    segment_packets=PACKETS,
    packet_time=PACKET_TIME,
    round_trip_time=ROUND_TRIP,
)
def mean_delay_receiver(loss: Any, segment_packets: Any, packet_time: Any, round_trip_time: Any, *, xp: Any) -> Any:
    r"""Mean time from the first transmission of a segment to its being complete at the receiver.

    .. math:: D_r = D_s - \frac{RTD}{2} - 3 t_p = \frac{t_s}{1 - p} + RTD (S - \tfrac12) + 3 t_p (S - 1)

    Parameters
    ----------
    loss : float or array
        p [probability], in [0, 1).
    segment_packets : float or array
        s [packets], whole, in [1, inf).
    packet_time : float or array
        t_p [s], in (0, inf).
    round_trip_time : float or array
        RTD [s], in [0, inf).

    Returns
    -------
    float or array
        D_r [s]. S is `mean_rounds`; the second form does not cancel.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    As for `mean_delay_sender`; both directions are assumed to take half of the round trip.

    Examples
    --------
    >>> mean_delay_receiver(0, 16, 1e-3, 0.1)
    0.066

    References
    ----------
    Gong & Parulkar, section 4.2, D_r.
    """
    repeated = repeated_rounds(loss, segment_packets, xp)
    return (
        segment_packets * packet_time / (1 - loss)
        + round_trip_time * (repeated + 1 / (2 + 0 * repeated))
        + 3 * packet_time * repeated
    )


def _damaged(loss: Any, packets: Any, xp: Any) -> Any:
    """g, the probability that a segment loses a packet."""
    return -xp.expm1(packets * xp.log1p(-loss))


def _alone(loss: Any, packets: Any, ack: Any, xp: Any) -> Any:
    """Efficiency of one segment at a time, t_s / D_s."""
    return 1 / (1 / (1 - loss) + ack * (1 + repeated_rounds(loss, packets, xp)))


VALIDITY = Validity(
    "w_a s p^2 <= 0.02, w_a >= 8, s <= 128, p <= 0.01, W <= 4 w_a (few segments under way need a third transmission)",
    lambda window, loss, segment_packets, ack_segments: (
        (ack_segments * segment_packets * loss**2 <= 0.02)
        & (ack_segments >= 8)
        & (segment_packets <= 128)
        & (loss <= 0.01)
        & (window <= 4 * ack_segments)
    ),
    accuracy=0.03,
)


@law(
    source=f"{PAPER}, section 4.2",
    unit="1",
    validity=VALIDITY,
    derivation="efficiency_middle",
    window=WINDOW,
    loss=LOSS,
    segment_packets=PACKETS,
    ack_segments=ACK_SEGMENTS,
)
def throughput_efficiency(window: Any, loss: Any, segment_packets: Any, ack_segments: Any, *, xp: Any) -> Any:
    r"""Ideal over actual time to deliver a segment, for a window of W segments.

    .. math::

        E = \begin{cases}
        t_s / D_s & W = 1 \\
        \dfrac{1/g + W}{2 w_a + 1 + p + (w_a + 1) / (W g)} & 1 < W \le w_a + 1 \\
        \dfrac{w_a + m + 1/g}{2 w_a + 1 + p + 1/g} & w_a + 1 < W < 2 w_a + 1 \\
        1 - p & W \ge 2 w_a + 1 \end{cases}

    with g = 1 - (1 - p)^s and m = min(W - w_a, w_a (1 - p)).

    Parameters
    ----------
    window : float or array
        W [segments], in [1, inf).
    loss : float or array
        p [probability], in [0, 1).
    segment_packets : float or array
        s [packets], whole, in [1, inf).
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
    The third case as printed counts the m segments of the second acknowledgment delay twice; this is the
    same cycle with every segment time counted once, and `as_printed` keeps the other. It is continuous at
    W = w_a + 1 and jumps at W = 1 and W = 2 w_a + 1. It exceeds 1 - p, which no scheme can, where
    (w_a + m) g + 1 > (1 - p) ((2 w_a + 1 + p) g + 1). Validity: within 0.03 of the simulator where
    w_a s p^2 <= 0.02, p <= 0.01, s <= 128, W <= 4 w_a.

    Examples
    --------
    >>> round(throughput_efficiency(24, 1e-4, 16, 23.08), 3)
    0.963

    References
    ----------
    Gong & Parulkar, section 4.2, the four expressions for ThE.
    """
    g = _damaged(loss, segment_packets, xp)
    in_flight = (2 * ack_segments + 1 + loss) * g  # every fraction is multiplied by g: 1/g overflows

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
    "the denominator of the third case has m once more than the cycle has segment times, so the curve falls "
    "by a jump at W = w_a + 1 and tends to 2/3 on long paths."
)
def _printed(window: Any, loss: Any, segment_packets: Any, ack_segments: Any, *, xp: Any) -> Any:
    """The four expressions for ThE as printed in section 4.2."""
    g = _damaged(loss, segment_packets, xp)

    def middle() -> Any:
        second = xp.minimum(window - ack_segments, ack_segments * (1 - loss))
        return ((ack_segments + second) * g + 1) / ((2 * ack_segments + 1 + loss + second) * g + 1)

    inside = (window > ack_segments + 1) & (window < 2 * ack_segments + 1)
    shipped = throughput_efficiency.function(window, loss, segment_packets, ack_segments, xp=xp)
    return xp.piecewise(lambda: shipped, (inside, middle))


@law(
    source="ours: section 4.2 of Gong & Parulkar solved for the window",
    unit="segments",
    derivation="window_inversion",
    efficiency=EFFICIENCY,
    loss=LOSS,
    segment_packets=PACKETS,
    ack_segments=ACK_SEGMENTS,
)
def window_for_efficiency(efficiency: Any, loss: Any, segment_packets: Any, ack_segments: Any, *, xp: Any) -> Any:
    r"""Smallest window, as a real number, at which `throughput_efficiency` reaches a value (ours).

    .. math::

        g W^2 + \left(1 - e (2 w_a + 1 + p) g\right) W = e (w_a + 1) \quad (W \le w_a + 1), \qquad
        W = \frac{e ((2 w_a + 1 + p) g + 1) - 1}{g} \quad (W \le w_a + w_a (1 - p))

    and 2 w_a + 1 where neither reaches it.

    Parameters
    ----------
    efficiency : float or array
        e [1], in (0, 1); below 1 - p.
    loss : float or array
        p [probability], in [0, 1).
    segment_packets : float or array
        s [packets], whole, in [1, inf).
    ack_segments : float or array
        w_a [segments], in [0, inf).

    Returns
    -------
    float or array
        W [segments], NaN where e > 1 - p. The isolated value at W = 1 is not considered.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    As good as the law that it inverts.

    Examples
    --------
    >>> round(throughput_efficiency(window_for_efficiency(0.9, 1e-3, 16, 23), 1e-3, 16, 23), 12)
    0.9

    References
    ----------
    Gong & Parulkar, section 4.2.
    """
    g = _damaged(loss, segment_packets, xp)
    in_flight = (2 * ack_segments + 1 + loss) * g
    # The positive root without cancellation: 2c / (b + sqrt(b^2 + 4 g c)) for b >= 0, (-b + sqrt)/(2 g) for b < 0.
    b, c = 1 - efficiency * in_flight, efficiency * (ack_segments + 1)
    root = xp.power(b * b + 4 * g * c, 0.5)
    one = 1 + 0 * b
    positive = b >= 0
    numerator = xp.piecewise(lambda: root - b, (positive, lambda: 2 * c))
    denominator = xp.piecewise(lambda: 2 * g, (positive, lambda: b + root))
    small = xp.maximum(numerator / denominator, one)
    # In the third case g (W - w_a - 1) = e (in_flight + 1) - 1 - (w_a + 1) g.
    excess = efficiency * (in_flight + 1) - 1 - (ack_segments + 1) * g
    middle = ack_segments + 1 + excess / xp.piecewise(lambda: g, (xp.equal(g, 0), lambda: one))
    return xp.piecewise(
        lambda: 2 * ack_segments + 1,
        (efficiency > 1 - loss, lambda: xp.nan),
        (small <= ack_segments + 1, lambda: small),
        (middle <= ack_segments + ack_segments * (1 - loss), lambda: middle),
    )

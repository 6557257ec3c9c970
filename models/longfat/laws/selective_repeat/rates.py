"""Rates, acknowledgment delay and windows: sections 3.3 and 3.4."""

from __future__ import annotations

from typing import Any

from longfat.law import Symbol, law
from longfat.laws.selective_repeat.parameters import (
    ACK_DELAY,
    ACK_SEGMENTS,
    BURST,
    BURST_RATE,
    LOSS,
    PACKET_SIZE,
    PACKET_TIME,
    PACKETS,
    PAPER,
    ROUND_TRIP,
    WINDOW,
)


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


@law(
    source=f"{PAPER}, section 3.3",
    unit="packets",
    derivation="segment_rounds.mean_transmissions",
    loss=LOSS,
    segment_packets=PACKETS,
)
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
    derivation="selective_repeat.acknowledgment_delay",
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
    derivation="selective_repeat.acknowledgment_delay",
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


@law(
    source=f"{PAPER}, section 3.4",
    unit="segments",
    derivation="selective_repeat.initial_window",
    ack_segments=ACK_SEGMENTS,
)
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
    derivation="selective_repeat.adjusted_window",
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

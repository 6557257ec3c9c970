"""Delay of a segment as the sender and the receiver see it: section 4.2."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.selective_repeat.parameters import ACK_DELAY, LOSS, PACKET_TIME, PACKETS, PAPER, ROUND_TRIP
from longfat.laws.selective_repeat.rounds import repeated_rounds


@law(
    source=f"{PAPER}, section 4.2",
    unit="rounds",
    derivation="segment_rounds.mean_rounds",
    loss=LOSS,
    segment_packets=PACKETS,
)
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
    Exact for independent loss. Floats are computed as `longfat.laws.selective_repeat.rounds` says.

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
    derivation="selective_repeat.sender_delay",
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
    derivation="selective_repeat.receiver_delay",
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

"""Delay of a segment as the sender and the receiver see it (Gong and Parulkar, section 4.2)."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.references import GONG_PARULKAR
from longfat.laws.selective_repeat.parameters import ACK_DELAY, LOSS, PACKET_TIME, PACKETS, ROUND_TRIP
from longfat.laws.selective_repeat.rounds import repeated_rounds


@law(
    source=f"{GONG_PARULKAR}, section 4.2 (third term of D_s)",
    unit="rounds",
    result="S",
    derivation="segment_rounds.mean_rounds",
    not_simulated="a distribution of rounds, which no simulator reports; mean_delay_sender is simulated",
    loss=LOSS,
    segment_packets=PACKETS,
)
def mean_rounds(loss: Any, segment_packets: Any, *, xp: Any) -> Any:
    r"""Return the mean number of transmission rounds until a segment is complete.

    .. math:: S = \sum_{i=0}^{\infty} \left[1 - (1 - p^i)^s\right]

    Notes
    -----
    Exact for independent loss. Floats are computed as described in `longfat.laws.selective_repeat.rounds`.

    Examples
    --------
    >>> mean_rounds(0.5, 1)
    2.0
    """
    return 1 + repeated_rounds(loss, segment_packets, xp)


@law(
    source=f"{GONG_PARULKAR}, section 4.2 (D_s)",
    unit="s",
    result="D_s",
    derivation="selective_repeat.sender_delay",
    simulated=SimulatedBy(
        "segment_mean_delay",
        {
            "loss": (1e-4, 0.1),
            "segment_packets": [1.0, 4.0, 16.0, 64.0],
            "packet_time": 1.0,
            "ack_delay": [64.0, 320.0, 1024.0],
        },
        relative=0.02,
    ),
    loss=LOSS,
    segment_packets=PACKETS,
    packet_time=PACKET_TIME,
    ack_delay=ACK_DELAY,
)
def mean_delay_sender(loss: Any, segment_packets: Any, packet_time: Any, ack_delay: Any, *, xp: Any) -> Any:
    r"""Return the mean time from a segment's first transmission until the sender knows of its arrival.

    .. math:: D_s = \frac{t_s}{1 - p} + t_a \sum_{i=0}^{\infty} \left[1 - (1 - p^i)^s\right], \qquad t_s = s t_p

    Notes
    -----
    Exact for a segment sent in isolation; otherwise the retransmissions of one segment may wait for the end of
    another segment's group.

    Examples
    --------
    >>> mean_delay_sender(0, 16, 1e-3, 0.1)
    0.116
    """
    rounds = 1 + repeated_rounds(loss, segment_packets, xp)
    return segment_packets * packet_time / (1 - loss) + ack_delay * rounds


@law(
    source=f"{GONG_PARULKAR}, section 4.2 (D_r)",
    unit="s",
    result="D_r. S is `mean_rounds`; nothing cancels in the second form",
    derivation="selective_repeat.receiver_delay",
    long_proof=True,
    not_simulated="mean_delay_sender, which is simulated, less a constant",
    loss=LOSS,
    segment_packets=PACKETS,
    packet_time=PACKET_TIME,
    round_trip_time=ROUND_TRIP,
)
def mean_delay_receiver(loss: Any, segment_packets: Any, packet_time: Any, round_trip_time: Any, *, xp: Any) -> Any:
    r"""Return the mean time from a segment's first transmission until the receiver has all its packets.

    .. math:: D_r = D_s - \frac{RTD}{2} - 3 t_p = \frac{t_s}{1 - p} + RTD (S - \tfrac12) + 3 t_p (S - 1)

    Notes
    -----
    The assumptions are those of `mean_delay_sender`; both directions are assumed to take half of the round-trip time.

    Examples
    --------
    >>> mean_delay_receiver(0, 16, 1e-3, 0.1)
    0.066
    """
    repeated = repeated_rounds(loss, segment_packets, xp)
    return (
        segment_packets * packet_time / (1 - loss)
        + round_trip_time * (repeated + 1 / (2 + 0 * repeated))
        + 3 * packet_time * repeated
    )

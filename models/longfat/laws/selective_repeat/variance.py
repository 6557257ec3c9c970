"""Variances of the rounds and of the delay of a segment (ours); Gong and Parulkar, section 4.2, have the means."""

from __future__ import annotations

from typing import Any

from longfat.law import Symbol, law
from longfat.laws.selective_repeat.moments import spread
from longfat.laws.selective_repeat.parameters import ACK_DELAY, PACKET_TIME, PACKETS
from longfat.laws.selective_repeat.rounds_distribution import OURS

#: The sums over rounds have few terms up to this loss; on worse paths selective repeat is not used.
USUAL_LOSS = Symbol("p", "probability", "[0, 0.86]", (1e-6, 0.1), "Packet loss probability")


@law(
    source=f"{OURS} (which has the mean S, in the third term of D_s)",
    unit="rounds^2",
    result="Var K",
    derivation="segment_distribution.rounds_variance",
    not_simulated="the simulator reports means of delays, not their variance",
    loss=USUAL_LOSS,
    segment_packets=PACKETS,
)
def rounds_variance(loss: Any, segment_packets: Any, *, xp: Any) -> Any:
    r"""Return the variance of the number of transmission rounds until a segment is complete.

    .. math::

        \mathrm{Var}\,K = \sum_{k=0}^{\infty} (2 k + 1) (1 - F_k) - S^2 =
        \sum_{k=1}^{\infty} (1 - F_k) \Bigl(F_k + 2 \sum_{j<k} F_j\Bigr), \qquad F_k = (1 - p^k)^s

    Notes
    -----
    Exact for independent loss. Floats are computed as described in `longfat.laws.selective_repeat.moments`, which
    covers p <= 0.86. For the slowest of N segments insert N s for s.

    Examples
    --------
    >>> rounds_variance(0.5, 1)
    2.0
    """
    return spread(loss, segment_packets, xp)[0]


@law(
    source=f"{OURS} (which has the mean, D_s)",
    unit="s^2",
    result="Var D. Var K is `rounds_variance`; the sum in the middle is Cov(K, N)",
    derivation="segment_distribution.delay_variance",
    long_proof=True,
    not_simulated="the simulator reports means of delays, not their variance",
    loss=USUAL_LOSS,
    segment_packets=PACKETS,
    packet_time=PACKET_TIME,
    ack_delay=ACK_DELAY,
)
def delay_variance(loss: Any, segment_packets: Any, packet_time: Any, ack_delay: Any, *, xp: Any) -> Any:
    r"""Return the variance of a segment's delay, up to its last transmission or to its acknowledgment.

    .. math::

        \mathrm{Var}\,D = t_p^2 \frac{s p}{(1 - p)^2} + 2 t_p t_a \sum_{k=1}^{\infty} k s p^k (1 - p^k)^{s - 1} +
        t_a^2\, \mathrm{Var}\,K

    Notes
    -----
    With N packets sent in K rounds, the delay up to the acknowledgment is D = N t_p + K t_a. Up to the last
    transmission it is t_a less, which does not change the variance. Exact for a segment sent in isolation, like
    `mean_delay_sender`.

    Examples
    --------
    >>> delay_variance(0.5, 1, 1.0, 2.0)
    18.0
    """
    rounds, together = spread(loss, segment_packets, xp)
    sent = segment_packets * loss / (1 - loss) ** 2
    return packet_time * packet_time * sent + 2 * packet_time * ack_delay * together + ack_delay * ack_delay * rounds

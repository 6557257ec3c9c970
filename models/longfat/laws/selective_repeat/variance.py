"""Variances of the rounds and of the delay of a segment: ours, where section 4.2 has the means."""

from __future__ import annotations

from typing import Any

from longfat.law import Symbol, law
from longfat.laws.selective_repeat.moments import spread
from longfat.laws.selective_repeat.parameters import ACK_DELAY, PACKET_TIME, PACKETS
from longfat.laws.selective_repeat.rounds_distribution import OURS

#: Up to where the sums over rounds have a form of few terms; on a worse path nobody repeats selectively.
USUAL_LOSS = Symbol("p", "probability", "[0, 0.86]", (1e-6, 0.1), "packet loss probability")


@law(
    source=OURS,
    unit="rounds^2",
    derivation="segment_distribution.rounds_variance",
    loss=USUAL_LOSS,
    segment_packets=PACKETS,
)
def rounds_variance(loss: Any, segment_packets: Any, *, xp: Any) -> Any:
    r"""Variance of the number of rounds until a segment is complete (ours).

    .. math::

        \mathrm{Var}\,K = \sum_{k=0}^{\infty} (2 k + 1) (1 - F_k) - S^2 =
        \sum_{k=1}^{\infty} (1 - F_k) \Bigl(F_k + 2 \sum_{j<k} F_j\Bigr), \qquad F_k = (1 - p^k)^s

    Parameters
    ----------
    loss : float or array
        p [probability], in [0, 0.86].
    segment_packets : float or array
        s [packets], whole, in [1, inf).

    Returns
    -------
    float or array
        Var K [rounds^2].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for independent loss. Floats are computed as `longfat.laws.selective_repeat.moments` says, which is for
    p <= 0.86. For the slowest of N segments put N s for s.

    Examples
    --------
    >>> rounds_variance(0.5, 1)
    2.0

    References
    ----------
    Ours; S is the third term of D_s in Gong & Parulkar, section 4.2.
    """
    return spread(loss, segment_packets, xp)[0]


@law(
    source=OURS,
    unit="s^2",
    derivation="segment_distribution.delay_variance",
    loss=USUAL_LOSS,
    segment_packets=PACKETS,
    packet_time=PACKET_TIME,
    ack_delay=ACK_DELAY,
)
def delay_variance(loss: Any, segment_packets: Any, packet_time: Any, ack_delay: Any, *, xp: Any) -> Any:
    r"""Variance of the delay of a segment, as the sender sees it or to the end of the last transmission (ours).

    .. math::

        \mathrm{Var}\,D = t_p^2 \frac{s p}{(1 - p)^2} + 2 t_p t_a \sum_{k=1}^{\infty} k s p^k (1 - p^k)^{s - 1} +
        t_a^2\, \mathrm{Var}\,K

    Parameters
    ----------
    loss : float or array
        p [probability], in [0, 0.86].
    segment_packets : float or array
        s [packets], whole, in [1, inf).
    packet_time : float or array
        t_p [s], in (0, inf).
    ack_delay : float or array
        t_a [s], in [0, inf).

    Returns
    -------
    float or array
        Var D [s^2]. Var K is `rounds_variance`; the sum in the middle is Cov(K, N).

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    D = N t_p + K t_a with N packets sent in K rounds, or less t_a. Exact for a segment sent in isolation, as
    `mean_delay_sender` is.

    Examples
    --------
    >>> delay_variance(0.5, 1, 1.0, 2.0)
    18.0

    References
    ----------
    Ours; the mean of D is D_s in Gong & Parulkar, section 4.2.
    """
    rounds, together = spread(loss, segment_packets, xp)
    sent = segment_packets * loss / (1 - loss) ** 2
    return packet_time * packet_time * sent + 2 * packet_time * ack_delay * together + ack_delay * ack_delay * rounds

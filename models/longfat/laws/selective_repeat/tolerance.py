"""Rounds and delay of a segment some of whose packets may be missing: ours, for the error tolerance of section 3.4."""

from __future__ import annotations

from typing import Any

from longfat.law import Symbol, law
from longfat.laws.selective_repeat.few_missing import few_missing, repeated_until_few
from longfat.laws.selective_repeat.parameters import ACK_DELAY, LOSS, PACKET_TIME, PACKETS
from longfat.laws.selective_repeat.rounds_distribution import OURS, ROUNDS
from longfat.laws.selective_repeat.variance import USUAL_LOSS

TOLERANCE = Symbol("T", "packets", "[0, 64]", (0, 8), "lost packets of a segment that are accepted", integer=True)


@law(
    source=OURS,
    unit="probability",
    derivation="segment_distribution.cdf_tolerant",
    rounds=ROUNDS,
    loss=LOSS,
    segment_packets=PACKETS,
    tolerance=TOLERANCE,
)
def rounds_cdf_tolerant(rounds: Any, loss: Any, segment_packets: Any, tolerance: Any, *, xp: Any) -> Any:
    r"""Probability that all but T packets of a segment have arrived within k rounds (ours).

    .. math:: F_k = \sum_{j=0}^{T} \binom{s}{j} p^{k j} (1 - p^k)^{s - j} = I_{1 - p^k}(s - T, T + 1)

    Parameters
    ----------
    rounds : float or array
        k [rounds], whole, in [1, inf).
    loss : float or array
        p [probability], in [0, 1).
    segment_packets : float or array
        s [packets], whole, in [1, inf).
    tolerance : float or array
        T [packets], whole, in [0, 64]; with s or more every segment is accepted after its first round.

    Returns
    -------
    float or array
        F_k [probability].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for independent loss if, as in the simulator, everything that is missing is repeated as long as more than
    T packets are. I is the regularised incomplete beta function; the sum is what is computed. T = 0 is `rounds_cdf`.

    Examples
    --------
    >>> rounds_cdf_tolerant(1, 0.5, 2, 1)
    0.75

    References
    ----------
    Ours; the error tolerance of an application is a parameter in Gong & Parulkar, section 4.2 (simulation).
    """
    return few_missing(rounds, loss, segment_packets, tolerance, xp)


@law(
    source=OURS,
    unit="rounds",
    derivation="segment_distribution.mean_rounds_tolerant",
    loss=USUAL_LOSS,
    segment_packets=PACKETS,
    tolerance=TOLERANCE,
)
def mean_rounds_tolerant(loss: Any, segment_packets: Any, tolerance: Any, *, xp: Any) -> Any:
    r"""Mean number of rounds until at most T packets of a segment are missing (ours).

    .. math::

        S_T = 1 + \sum_{k=1}^{\infty} \Bigl[1 - \sum_{j=0}^{T} \binom{s}{j} p^{k j} (1 - p^k)^{s - j}\Bigr]

    Parameters
    ----------
    loss : float or array
        p [probability], in [0, 0.86].
    segment_packets : float or array
        s [packets], whole, in [1, inf).
    tolerance : float or array
        T [packets], whole, in [0, 64]; with s or more every segment is accepted after its first round.

    Returns
    -------
    float or array
        S_T [rounds], `mean_rounds` for T = 0.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for independent loss, as `rounds_cdf_tolerant` is. Floats are computed as
    `longfat.laws.selective_repeat.few_missing` says, which is for p <= 0.86.

    Examples
    --------
    >>> round(mean_rounds_tolerant(0.5, 2, 1), 10)  # 1 + 1/4 + 1/16 + ...
    1.3333333333

    References
    ----------
    Ours; see `rounds_cdf_tolerant`.
    """
    return 1 + repeated_until_few(loss, segment_packets, tolerance, xp)[0]


@law(
    source=OURS,
    unit="s",
    derivation="segment_distribution.mean_delay_tolerant",
    loss=USUAL_LOSS,
    segment_packets=PACKETS,
    tolerance=TOLERANCE,
    packet_time=PACKET_TIME,
    ack_delay=ACK_DELAY,
)
def mean_delay_tolerant(
    loss: Any, segment_packets: Any, tolerance: Any, packet_time: Any, ack_delay: Any, *, xp: Any
) -> Any:
    r"""Mean time until the sender knows that at most T packets of a segment are missing (ours).

    .. math::

        D_T = t_p \Bigl[s + \sum_{k=1}^{\infty} \sum_{j=T+1}^{s} j \binom{s}{j} p^{k j} (1 - p^k)^{s - j}\Bigr] +
        t_a S_T

    Parameters
    ----------
    loss : float or array
        p [probability], in [0, 0.86].
    segment_packets : float or array
        s [packets], whole, in [1, inf).
    tolerance : float or array
        T [packets], whole, in [0, 64]; with s or more every segment is accepted after its first round.
    packet_time : float or array
        t_p [s], in (0, inf).
    ack_delay : float or array
        t_a [s], in [0, inf).

    Returns
    -------
    float or array
        D_T [s], `mean_delay_sender` for T = 0. S_T is `mean_rounds_tolerant`.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for a segment sent in isolation, as `mean_delay_sender` is.

    Examples
    --------
    >>> round(mean_delay_tolerant(0.5, 2, 1, 1.0, 3.0), 10)  # 2 + 2 (1/4 + 1/16 + ...) packets, 4/3 rounds
    6.6666666667

    References
    ----------
    Ours; D_s of Gong & Parulkar, section 4.2, is the case T = 0.
    """
    rounds, again = repeated_until_few(loss, segment_packets, tolerance, xp)
    return (segment_packets + again) * packet_time + (1 + rounds) * ack_delay

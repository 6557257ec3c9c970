"""Rounds and delay of a segment of which some packets may be missing (ours).

The error tolerance of an application is a parameter of Gong and Parulkar, section 3.4.
"""

from __future__ import annotations

from typing import Any

from longfat.law import Symbol, law
from longfat.laws.selective_repeat.few_missing import few_missing, repeated_until_few
from longfat.laws.selective_repeat.parameters import ACK_DELAY, LOSS, PACKET_TIME, PACKETS
from longfat.laws.selective_repeat.rounds_distribution import OURS, ROUNDS
from longfat.laws.selective_repeat.variance import USUAL_LOSS

TOLERANCE = Symbol("T", "packets", "[0, 64]", (0, 8), "Missing packets of a segment that are accepted", integer=True)


@law(
    source=f"{OURS} (the error tolerance of an application is a parameter of the simulations there)",
    unit="probability",
    result="F_k",
    derivation="segment_distribution.cdf_tolerant",
    not_simulated="tests/laws/test_distribution.py simulates it with a tolerance",
    rounds=ROUNDS,
    loss=LOSS,
    segment_packets=PACKETS,
    tolerance=TOLERANCE,
)
def rounds_cdf_tolerant(rounds: Any, loss: Any, segment_packets: Any, tolerance: Any, *, xp: Any) -> Any:
    r"""Return the probability that all but T packets of a segment have arrived within k rounds.

    .. math:: F_k = \sum_{j=0}^{T} \binom{s}{j} p^{k j} (1 - p^k)^{s - j} = I_{1 - p^k}(s - T, T + 1)

    Notes
    -----
    Exact for independent loss if, as in the simulator, all missing packets are repeated as long as more than T of
    them are missing. I is the regularised incomplete beta function; the sum is computed. T = 0 is `rounds_cdf`.

    Examples
    --------
    >>> rounds_cdf_tolerant(1, 0.5, 2, 1)
    0.75
    """
    return few_missing(rounds, loss, segment_packets, tolerance, xp)


@law(
    source=OURS,
    unit="rounds",
    result="S_T, `mean_rounds` for T = 0",
    derivation="segment_distribution.mean_rounds_tolerant",
    not_simulated="tests/laws/test_distribution.py simulates it with a tolerance",
    loss=USUAL_LOSS,
    segment_packets=PACKETS,
    tolerance=TOLERANCE,
)
def mean_rounds_tolerant(loss: Any, segment_packets: Any, tolerance: Any, *, xp: Any) -> Any:
    r"""Return the mean number of transmission rounds until at most T packets of a segment are missing.

    .. math::

        S_T = 1 + \sum_{k=1}^{\infty} \Bigl[1 - \sum_{j=0}^{T} \binom{s}{j} p^{k j} (1 - p^k)^{s - j}\Bigr]

    Notes
    -----
    Exact for independent loss, as `rounds_cdf_tolerant` is. Floats are computed as described in
    `longfat.laws.selective_repeat.few_missing`, which covers p <= 0.86.

    Examples
    --------
    >>> round(mean_rounds_tolerant(0.5, 2, 1), 10)  # 1 + 1/4 + 1/16 + ...
    1.3333333333
    """
    return 1 + repeated_until_few(loss, segment_packets, tolerance, xp)[0]


@law(
    source=f"{OURS} (D_s there is the case T = 0)",
    unit="s",
    result="D_T, `mean_delay_sender` for T = 0. S_T is `mean_rounds_tolerant`",
    derivation="segment_distribution.mean_delay_tolerant",
    not_simulated="tests/laws/test_distribution.py simulates it with a tolerance",
    loss=USUAL_LOSS,
    segment_packets=PACKETS,
    tolerance=TOLERANCE,
    packet_time=PACKET_TIME,
    ack_delay=ACK_DELAY,
)
def mean_delay_tolerant(
    loss: Any, segment_packets: Any, tolerance: Any, packet_time: Any, ack_delay: Any, *, xp: Any
) -> Any:
    r"""Return the mean time until the sender knows that at most T packets of a segment are missing.

    .. math::

        D_T = t_p \Bigl[s + \sum_{k=1}^{\infty} \sum_{j=T+1}^{s} j \binom{s}{j} p^{k j} (1 - p^k)^{s - j}\Bigr] +
        t_a S_T

    Notes
    -----
    Exact for a segment sent in isolation, like `mean_delay_sender`.

    Examples
    --------
    >>> round(mean_delay_tolerant(0.5, 2, 1, 1.0, 3.0), 10)  # 2 + 2 (1/4 + 1/16 + ...) packets, 4/3 rounds
    6.6666666667
    """
    rounds, again = repeated_until_few(loss, segment_packets, tolerance, xp)
    return (segment_packets + again) * packet_time + (1 + rounds) * ack_delay

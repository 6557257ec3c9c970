"""Variances of the rounds and of the delay of a segment (ours); Gong and Parulkar, section 4.2, have the means.

K is the largest of s geometric numbers and N is their sum. With F_k = (1 - p^k)^s the variance of K is the sum of
the covariances of the events "more than j rounds" and "more than k rounds", F_j (1 - F_k) for j <= k, and the
covariance of K and N is that of "more than k rounds" with N, added over k:

    Var K = sum over k >= 1 of (1 - F_k) (F_k + 2 sum over j < k of F_j)
    Cov(K, N) = sum over k >= 1 of k s p^k (1 - p^k)^(s - 1)

All terms are positive, so nothing cancels, whereas the second moment less the square of the mean would lose all
digits for large s. A fixed number of terms suffices in floats (see `longfat.laws.selective_repeat.rounds`): those with
s p^k > CERTAIN are 0 to double precision, the next TERMS are added, and the rest, where t = s p^n <= 1, is summed
over k in closed form, in powers of t. That holds for -ln p >= SPLIT, so up to p = 0.86.

Derived in derivations/segment_distribution.py.
"""

from __future__ import annotations

from typing import Any

from longfat.law import Symbol, law
from longfat.law.exact_namespaces import expm1
from longfat.laws.queues.smooth import by_arithmetic
from longfat.laws.selective_repeat.rates import ACK_DELAY, PACKET_TIME, PACKETS
from longfat.laws.selective_repeat.rounds import OURS

SPLIT = 0.15
CERTAIN = 80.0  # exp(-80) is negligible even beside a variance of 1e-12, which occurs for s = 1e12
TERMS = 31  # p^30 <= 1/CERTAIN: 30 * 0.15 = 4.5 >= ln 80 = 4.4; one term more for the rounding down
TAIL_TERMS = 21  # 1/20! = 4e-19


def spread(loss: Any, packets: Any, xp: Any) -> tuple[Any, Any]:
    """Return the variance of the number K of rounds of a segment, and the covariance of K and its transmissions N."""
    result: tuple[Any, Any] = by_arithmetic(
        xp,
        lambda: _floats(loss, packets, xp),
        lambda mp: _mpmath(loss, packets, mp),
        lambda sympy: _written(loss, packets, sympy),
    )
    return result


def first_uncertain(loss: Any, most: Any, packets: Any, xp: Any) -> Any:
    """Return the last round k in which s p^k is at least ``most``; 1 if there is none."""
    tiny = xp.smallest(loss)
    some = xp.where(loss > 0, loss, tiny + 0 * loss)
    some = xp.where(some < 1, some, 0.5 + 0 * some)  # keeps values outside the domain finite while tracing
    first = xp.floor(xp.log(packets / most) / -xp.log(some))
    return xp.where(first > 1, first, xp.ones_like(first))


def _floats(loss: Any, packets: Any, xp: Any) -> tuple[Any, Any]:
    loss, packets = xp.broadcast_arrays(loss, packets)
    first = first_uncertain(loss, CERTAIN, packets, xp)

    def term(_: Any, *state: Any) -> tuple[Any, ...]:
        variance, covariance, before, k, chance = state
        within = packets * xp.log1p(
            -chance
        )  # chance is p^k, the probability that a packet is still missing after round k
        through = xp.exp(within)
        alone = packets * chance * xp.exp(within - xp.log1p(-chance))
        variance = variance - xp.expm1(within) * (through + 2 * before)
        return variance, covariance + k * alone, before + through, k + 1, chance * loss

    nothing = xp.zeros_like(loss)
    start = (nothing, nothing, nothing, first, xp.power(loss, first))
    variance, covariance, before, k, chance = xp.repeat(TERMS, term, *start)

    # In the tail 1 - F_(k + m) is a sum over j of coefficients times p^(j m), so sums over m are geometric series.
    def tail(j: Any, *state: Any) -> tuple[Any, ...]:
        late, late_m, alone, alone_m, coefficient, power = state
        once = coefficient / (1 - power)
        with_m = once * power / (1 - power)
        following = -coefficient * chance * (packets - j) / (j + 1)
        return late + once, late_m + with_m, alone + j * once, alone_m + j * with_m, following, power * loss

    none = (nothing, nothing, nothing, nothing)
    late, late_m, alone, alone_m, _, _ = xp.repeat(TAIL_TERMS, tail, *none, packets * chance, loss)
    return variance + (1 + 2 * before - late) * late + 2 * late_m, covariance + k * alone + alone_m


def _mpmath(loss: Any, packets: Any, mp: Any) -> tuple[Any, Any]:
    """Return variance and covariance, summed to the working precision of mpmath."""
    if loss == 0:
        return mp.zero, mp.zero
    with mp.extraprec(30):
        variance = covariance = before = mp.zero
        chance, k = loss, 1
        while True:
            late = -expm1(packets * mp.log1p(-chance))
            through = 1 - late
            more = late * (through + 2 * before)
            together = k * packets * chance * through / (1 - chance)
            variance, covariance = variance + more, covariance + together
            if packets * chance < 1 and more < mp.eps * variance and together < mp.eps * covariance:
                break
            before, chance, k = before + through, chance * loss, k + 1
    return +variance, +covariance


def _written(loss: Any, packets: Any, sympy: Any) -> tuple[Any, Any]:
    from longfat.law.sums import Sum

    i = sympy.Symbol("i", integer=True, positive=True)
    late = 1 - (1 - loss**i) ** packets
    mean = Sum(late, (i, 1, sympy.oo))
    together = Sum(i * packets * loss**i * (1 - loss**i) ** (packets - 1), (i, 1, sympy.oo))
    return Sum((2 * i - 1) * late, (i, 1, sympy.oo)) - mean**2, together


#: Up to this loss probability the sums over rounds have few terms; selective repeat is not used on worse paths.
USUAL_LOSS = Symbol("p", "probability", "[0, 0.86]", (1e-6, 0.1), "Packet loss probability")


@law(
    source=f"{OURS} (which has the mean S, in the third term of D_s)",
    result="Var K [rounds^2]",
    derivation="segment_distribution.rounds_variance",
    not_simulated="the simulator reports means of delays, not their variance",
)
def rounds_variance(loss: USUAL_LOSS, segment_packets: PACKETS, *, xp):
    r"""Return the variance of the number of transmission rounds until a segment is complete.

    .. math::

        \mathrm{Var}\,K = \sum_{k=0}^{\infty} (2 k + 1) (1 - F_k) - S^2 =
        \sum_{k=1}^{\infty} (1 - F_k) \Bigl(F_k + 2 \sum_{j<k} F_j\Bigr), \qquad F_k = (1 - p^k)^s

    Exact for independent loss. Floats are computed as described in `longfat.laws.selective_repeat.variance`, which
    covers p <= 0.86. For the slowest of N segments insert N s for s.

    >>> rounds_variance(0.5, 1)
    2.0
    """
    return spread(loss, segment_packets, xp)[0]


@law(
    source=f"{OURS} (which has the mean, D_s)",
    result="Var D [s^2]. Var K is `rounds_variance`; the sum in the middle is Cov(K, N)",
    derivation="segment_distribution.delay_variance",
    long_proof=True,
    not_simulated="the simulator reports means of delays, not their variance",
)
def delay_variance(loss: USUAL_LOSS, segment_packets: PACKETS, packet_time: PACKET_TIME, ack_delay: ACK_DELAY, *, xp):
    r"""Return the variance [s^2] of a segment's delay, up to its last transmission or to its acknowledgment.

    .. math::

        \mathrm{Var}\,D = t_p^2 \frac{s p}{(1 - p)^2} + 2 t_p t_a \sum_{k=1}^{\infty} k s p^k (1 - p^k)^{s - 1} +
        t_a^2\, \mathrm{Var}\,K

    With N packets sent in K rounds, the delay up to the acknowledgment is D = N t_p + K t_a. Up to the last
    transmission it is t_a less, which does not change the variance. Exact for a segment sent in isolation, like
    `mean_delay_sender`.

    >>> delay_variance(0.5, 1, 1.0, 2.0)
    18.0
    """
    rounds, together = spread(loss, segment_packets, xp)
    sent = segment_packets * loss / (1 - loss) ** 2
    return packet_time * packet_time * sent + 2 * packet_time * ack_delay * together + ack_delay * ack_delay * rounds

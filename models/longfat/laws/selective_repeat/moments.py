"""Variance of the number of rounds K of a segment, and its covariance with the number of packets sent N.

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

from longfat.laws.queues.smooth import by_arithmetic

SPLIT = 0.15
CERTAIN = 80.0  # exp(-80) is negligible even beside a variance of 1e-12, which occurs for s = 1e12
TERMS = 31  # p^30 <= 1/CERTAIN: 30 * 0.15 = 4.5 >= ln 80 = 4.4, and one for the rounding down
TAIL_TERMS = 21  # 1/20! = 4e-19


def spread(loss: Any, packets: Any, xp: Any) -> tuple[Any, Any]:
    """Return Var K and Cov(K, N)."""
    result: tuple[Any, Any] = by_arithmetic(
        xp,
        lambda: _floats(loss, packets, xp),
        lambda mp: _mpmath(loss, packets, mp),
        lambda sympy: _written(loss, packets, sympy),
    )
    return result


def first_uncertain(loss: Any, most: Any, packets: Any, xp: Any) -> Any:
    """Return the first round, or the one before it, with s p^k not above ``most``."""
    tiny = float(xp.finfo(loss.dtype).smallest_normal)
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

    # From here on 1 - F_(k + m) is a sum over j of c_j p^(j m), so the sums over m are geometric series.
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
    """Return both moments, summed term by term to the working precision."""
    if loss == 0:
        return mp.zero, mp.zero
    with mp.extraprec(30):
        variance = covariance = before = mp.zero
        chance, k = loss, 1
        while True:
            one = mp.log1p(-chance)
            through, late = mp.exp(packets * one), -mp.expm1(packets * one)
            more = late * (through + 2 * before)
            together = k * packets * chance * mp.exp((packets - 1) * one)
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

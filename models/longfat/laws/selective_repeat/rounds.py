"""Rounds until all packets of a segment have arrived, the largest of s geometric variables: mean and distribution.

A packet needs at most i rounds with probability 1 - p^i; all s packets do with probability (1 - p^i)^s. So the mean
number of rounds is

    S(p, s) = sum over i >= 0 of 1 - (1 - p^i)^s.

In floats the sum is split, with u = -ln p, so that a fixed number of terms suffices for all p and s (gradients
pass, and no loop runs until convergence):

* u >= U: terms with s p^i > 39 are 1 to double precision and only counted, the next TERMS of them are added,
  and the rest, where s p^i <= 2, is summed over i in closed form: sum over j of C(s, j) (-1)^(j+1) t^j / (1 - p^j);
* u < U, s >= 16: H_s / u + 1/2, the sum's Euler-Maclaurin form, whose corrections are below 1e-14 there;
* u < U, s < 16: the same form plus the finite sum over j of C(s, j) (-1)^(j+1) h(j u), h(y) = 1/(1 - e^-y) - 1/y - 1/2.

Derived in derivations/selective_repeat.py.
"""

from __future__ import annotations

import itertools
from typing import Any

from longfat.law import Symbol, law
from longfat.law.exact_namespaces import expm1
from longfat.laws.queues.smooth import by_arithmetic
from longfat.laws.references import GONG_PARULKAR
from longfat.laws.selective_repeat.rates import LOSS, PACKETS

SPLIT = 0.15  # U; at 0.3 H_s / u + 1/2 would be off by 3e-11 for s = 16
CERTAIN = 39.0  # exp(-39) is below half a unit of the last place of 1
TAIL = 2.0
TERMS = 20  # p^TERMS <= TAIL / CERTAIN for u >= SPLIT: 20 * 0.15 = 3.0 >= ln(39 / 2) = 2.97
TAIL_TERMS = 24  # 2^25 / 25! < 1e-17
SMALL = 16
EULER_GAMMA = 0.57721566490153286060651209008240243


def repeated_rounds(loss: Any, packets: Any, xp: Any) -> Any:
    """Return S(p, s) - 1, the mean number of rounds after the first."""

    def written(sympy: Any) -> Any:
        from longfat.law.sums import Sum

        i = sympy.Symbol("i", integer=True, positive=True)
        return Sum(1 - (1 - loss**i) ** packets, (i, 1, sympy.oo))

    return by_arithmetic(xp, lambda: _floats(loss, packets, xp), lambda mp: _mpmath(loss, packets, mp), written)


def _floats(loss: Any, packets: Any, xp: Any) -> Any:
    decay = -xp.log(xp.maximum(loss, xp.full_like(loss, xp.smallest(loss))))
    # Each form is evaluated only inside its own region, so that derivatives of the unused form stay finite.
    result = xp.where(
        decay >= SPLIT,
        # Use `where`, because maximum would pass only half of the derivative where both values are equal.
        _split_sum(xp.where(decay >= SPLIT, decay, xp.full_like(decay, SPLIT)), packets, xp),
        _near_one(xp.where(decay < SPLIT, decay, xp.full_like(decay, SPLIT)), packets, xp),
    )
    return xp.where(loss > 0, result, packets * loss)  # S - 1 = s p + O(p^2)


def _split_sum(decay: Any, packets: Any, xp: Any) -> Any:
    first = xp.maximum(xp.floor(xp.log(packets / CERTAIN) / decay), xp.ones_like(decay))
    ratio = xp.exp(-decay)

    def term(_: Any, total: Any, chance: Any) -> tuple[Any, Any]:
        return total - xp.expm1(packets * xp.log1p(-chance)), chance * ratio

    # `chance` becomes p^i, the probability that a packet is still missing after round i.
    start = xp.exp(-decay * first)
    total, chance = xp.repeat(TERMS, term, first - 1 + 0 * start, start)

    def tail(j: Any, total: Any, coefficient: Any, power: Any) -> tuple[Any, Any, Any]:
        total = total + coefficient / (1 - power)
        return total, -coefficient * chance * (packets - j) / (j + 1), power * ratio

    # The remaining terms are expanded in powers of `chance`, and each power is summed over the rounds i.
    return xp.repeat(TAIL_TERMS, tail, total, packets * chance, ratio)[0]


def _near_one(decay: Any, packets: Any, xp: Any) -> Any:
    """Return S - 1, the mean number of rounds after the first, for a loss probability p near 1."""
    few = xp.minimum(packets, xp.full_like(packets, SMALL - 1.0))

    def term(j: Any, total: Any, coefficient: Any) -> tuple[Any, Any]:
        return total + coefficient * _curvature(j * decay), -coefficient * (few - j) / (j + 1)

    correction, _ = xp.repeat(SMALL - 1, term, xp.zeros_like(decay + few), few + 0 * decay)
    correction = xp.where(packets < SMALL, correction, xp.zeros_like(correction))
    return _harmonic(packets, xp) / decay - 0.5 + correction


def _curvature(y: Any) -> Any:
    """Return h(y) = 1/(1 - e^-y) - 1/y - 1/2 = (coth(y/2) - 2/y)/2 by coth's continued fraction of positive terms."""
    z = y / 2
    square = z * z
    fraction = 23.0 + 0 * z
    for odd in range(21, 1, -2):
        fraction = odd + square / fraction
    return z / fraction / 2


def _harmonic(n: Any, xp: Any) -> Any:
    """Return the harmonic number H_n: by summation below 16, by the Euler-Maclaurin formula above (error 2e-17)."""

    def term(j: Any, total: Any) -> tuple[Any]:
        return (total + xp.where(j <= n, xp.ones_like(n) / j, xp.zeros_like(n)),)

    (added,) = xp.repeat(SMALL - 1, term, xp.zeros_like(n))
    many = xp.maximum(n, xp.full_like(n, float(SMALL)))
    w = 1 / (many * many)
    series = w * (1 / 12 - w * (1 / 120 - w * (1 / 252 - w * (1 / 240 - w * (1 / 132 - w * 691 / 32760)))))
    return xp.where(n < SMALL, added, xp.log(many) + EULER_GAMMA + 0.5 / many - series)


def _mpmath(loss: Any, packets: Any, mp: Any) -> Any:
    """Return S - 1, the mean number of rounds after the first, in mpmath, by the exact form with fewer terms.

    The last form is Poisson's summation of 1 - (1 - e^(-u x))^s over x >= 0, with w = 2 pi m / u:

        S = H_s / u + 1/2 + (2 / u) sum over m >= 1 of Re(s! Gamma(1 - i w) / (i w Gamma(s + 1 - i w)))

    Its terms fall as exp(-pi^2 m / u), whereas the first form has (ln s + 2.3 digits) / u terms.
    """
    if loss == 0:
        return mp.zero
    decay = -mp.log(loss)
    if decay >= 1:
        total, chance = mp.zero, loss
        while True:
            term = -expm1(packets * mp.log1p(-chance))
            total += term
            if term < mp.eps * total:
                return total
            chance *= loss
    if packets <= 1000:
        # Raise the precision, because in the sum binomial coefficients of up to 2^s cancel, and powers of the loss are
        # subtracted from 1.
        with mp.extraprec(int(packets) + 20 + max(0, -mp.mag(decay))):
            total, coefficient, power = mp.zero, -mp.one, mp.one
            for j in range(1, int(packets) + 1):
                coefficient, power = -coefficient * (packets - j + 1) / j, power * loss
                total += coefficient * power / (1 - power)
        return total
    total, turn = mp.zero, 2 * mp.pi / decay
    for m in itertools.count(1):
        term = mp.exp(
            mp.loggamma(packets + 1) + mp.loggamma(1 - 1j * m * turn) - mp.loggamma(packets + 1 - 1j * m * turn)
        )
        total += (term / (1j * m * turn)).real
        if abs(term) < mp.eps:
            return (mp.harmonic(packets) + 2 * total) / decay - mp.mpf(1) / 2


OURS = f"Ours, under the assumptions of {GONG_PARULKAR}, section 4.2"
ROUNDS = Symbol("k", "rounds", "[1, inf)", (1.0, 20.0), "Transmission rounds", integer=True)
PROBABILITY = Symbol("q", "probability", "(0, 1)", (0.01, 0.9999), "Probability with which the value is not exceeded")
SEGMENTS = Symbol("N", "segments", "[1, inf)", (1.0, 1e6), "Number of segments", integer=True)


def log_through(loss: Any, rounds: Any, xp: Any) -> Any:
    """Return ln(1 - p^k), accurate both where p^k is near 0 and where it is near 1."""

    def floats() -> Any:
        missing = xp.power(loss, rounds)
        often = missing > 0.5
        half = 0.5 + 0 * missing
        # Each form is evaluated only inside its own region, so that derivatives of the unused form stay finite.
        low = xp.log1p(-xp.where(often, half, missing))
        return xp.where(often, xp.log(-xp.expm1(rounds * xp.log(xp.where(often, loss, half)))), low)

    def many_digits(mp: Any) -> Any:
        missing = loss**rounds
        return mp.log1p(-missing) if 2 * missing < 1 else mp.log(-mp.expm1(rounds * mp.log(loss)))

    return by_arithmetic(xp, floats, many_digits, lambda sympy: sympy.log(1 - loss**rounds))


@law(
    source=f"{OURS} (the mean of this distribution is the third term of D_s there)",
    result="F_k [probability]",
    derivation="segment_distribution.cdf",
    not_simulated="a distribution of rounds, which no simulator reports; mean_delay_sender is simulated",
)
def rounds_cdf(rounds: ROUNDS, loss: LOSS, segment_packets: PACKETS, *, xp):
    """Return the probability that a segment is complete within k transmission rounds.

    .. math:: F_k = (1 - p^k)^s

    Exact for independent loss. The probability that N segments are all complete within k rounds is that of one segment
    of N s packets. Small values keep their relative accuracy; those too small for a float become 0.

    >>> rounds_cdf(2, 0.5, 2)
    0.5625
    """
    return by_arithmetic(
        xp,
        lambda: xp.exp(segment_packets * log_through(loss, rounds, xp)),
        lambda mp: mp.exp(segment_packets * log_through(loss, rounds, xp)),
        lambda sympy: (1 - loss**rounds) ** segment_packets,
    )


@law(
    source=OURS,
    result="f_k [probability]",
    derivation="segment_distribution.pmf",
    not_simulated="a distribution of rounds, which no simulator reports; mean_delay_sender is simulated",
)
def rounds_pmf(rounds: ROUNDS, loss: LOSS, segment_packets: PACKETS, *, xp):
    """Return the probability that a segment needs exactly k transmission rounds.

    .. math:: f_k = (1 - p^k)^s - (1 - p^{k - 1})^s

    Exact for independent loss. Computed as F_k (1 - (1 - r)^s), where r = p^(k-1) (1 - p)/(1 - p^k) is the
    probability that a packet which has arrived by round k had not arrived before: nothing cancels, however rare k is.

    >>> rounds_pmf(2, 0.5, 2)
    0.3125
    """
    return _exactly(rounds, loss, segment_packets, xp)


def _exactly(rounds: Any, loss: Any, segment_packets: Any, xp: Any) -> Any:
    """Return f_k, the probability of exactly k rounds, without a difference of nearly equal numbers."""

    def later(k: Any) -> Any:
        within = log_through(loss, k, xp)
        last = xp.power(loss, k - 1) * (1 - loss) * xp.exp(-within)
        return -xp.exp(segment_packets * within) * xp.expm1(segment_packets * xp.log1p(-last))

    def floats() -> Any:
        first = rounds == 1  # for these, `later` would take the logarithm of 0, which makes the gradient NaN
        at_once = xp.exp(segment_packets * xp.log1p(-loss))
        return xp.where(first, at_once, later(xp.where(first, 2 + 0 * rounds, rounds)))

    return by_arithmetic(
        xp,
        floats,
        lambda mp: (1 - loss) ** segment_packets if rounds == 1 else later(rounds),
        lambda sympy: xp.computed("f", _exactly, rounds, loss, segment_packets, formula=_difference),
    )


def _difference(k: Any, p: Any, s: Any) -> Any:
    """Return f_k as the difference F_k - F_(k-1), the formula that sympy prints.

    `_exactly` computes its values, because all 15 digits of floats may cancel in the difference.
    """
    return (1 - p**k) ** s - (1 - p ** (k - 1)) ** s


@law(
    source=OURS,
    result="k [rounds], an integer",
    derivation="segment_distribution.quantile",
    not_simulated="a distribution of rounds, which no simulator reports; mean_delay_sender is simulated",
)
def rounds_quantile(probability: PROBABILITY, loss: LOSS, segment_packets: PACKETS, *, xp):
    r"""Return the smallest number of rounds within which a segment is complete with probability q.

    .. math:: k = \max\left(\left\lceil \frac{\ln(1 - q^{1/s})}{\ln p} \right\rceil, 1\right)

    Exact for independent loss. In floats the result is the smallest k whose F_k is at least q up to the rounding of
    both: q = 0.9 is reached by p = 0.1, s = 1 in one round, though 1 - 0.9 < 0.1 in floats. For the slowest of N
    segments insert N s for s.

    >>> rounds_quantile(0.999, 0.01, 16)
    3.0
    """

    def floats() -> Any:
        tiny, eps = (float(getattr(xp.finfo(loss.dtype), name)) for name in ("smallest_normal", "eps"))
        some = xp.where(loss > 0, loss, tiny + 0 * loss)
        exceeded = -xp.expm1(xp.log(probability) / segment_packets)
        estimate = xp.ceil(xp.log(exceeded) / xp.log(some))
        one = xp.ones_like(estimate)
        estimate = xp.where(estimate > 1, estimate, one)

        def reaches(rounds: Any) -> Any:
            within = segment_packets * log_through(loss, rounds, xp)
            # Compare q or 1 - q, whichever is smaller. The term eps/4 allows for the rounding of q to a float.
            late = -xp.expm1(within) <= (1 - probability) * (1 + 8 * eps) + eps / 4
            return xp.where(probability < 0.5, xp.exp(within) >= probability * (1 - 8 * eps), late)

        before = xp.where(estimate > 2, estimate - 1, one)
        return xp.where(reaches(before), before, xp.where(reaches(estimate), estimate, estimate + 1))

    def many_digits(mp: Any) -> Any:
        if loss == 0:
            return mp.one
        with mp.extraprec(40):
            exact = mp.log(-mp.expm1(mp.log(probability) / segment_packets)) / mp.log(loss)
            near = mp.nint(exact)
            return max(near if abs(exact - near) < mp.ldexp(near, 20 - mp.prec) else mp.ceil(exact), mp.one)

    return by_arithmetic(
        xp,
        floats,
        many_digits,
        lambda sympy: sympy.Max(
            sympy.ceiling(sympy.log(1 - probability ** (1 / segment_packets)) / sympy.log(loss)), 1
        ),
    )


@law(
    source=f"{OURS} (mean_rounds is the third term of D_s there)",
    result="S_N [rounds], which is `mean_rounds` of one segment of N s packets",
    derivation="segment_distribution.largest",
    long_proof=True,
    not_simulated="a distribution of rounds, which no simulator reports; mean_delay_sender is simulated",
)
def max_rounds(loss: LOSS, segment_packets: PACKETS, segments: SEGMENTS, *, xp):
    r"""Return the mean of the largest number of transmission rounds among N segments.

    .. math:: S_N = \sum_{i=0}^{\infty} \left[1 - (1 - p^i)^{N s}\right]

    Exact for independent loss. H_(N s) <= S_N (-ln p) < H_(N s) - ln p with the harmonic number H, so S_N grows like
    ln(N)/(-ln p); the remainder is periodic in ln(N s)/(-ln p) as N grows.

    >>> round(max_rounds(0.01, 16, 10**6), 2)
    4.15
    """
    return 1 + repeated_rounds(loss, segments * segment_packets, xp)

"""Rounds and delay of a segment that is accepted with up to T packets missing (ours).

The error tolerance of an application is a parameter of Gong and Parulkar, section 3.4.

The functions give the probability F_k that at most T packets are missing after round k, and the sum of 1 - F_k.

A segment is accepted after k rounds when at most T packets are missing, each independently with probability x = p^k: a
binomial distribution function. It is summed term by term, all terms being positive, from the logarithms of the ratios
of successive terms, (s - j + 1) x/j. The logarithms of the terms that count are not large.

The mean number of rounds is 1 + the sum over k >= 1 of 1 - F_k. In floats a fixed number of terms suffices (see
`longfat.laws.selective_repeat.rounds`): by Chernoff's bound F_k <= exp(-(m - T)^2/(2 m)), m = s p^k, terms with
m >= T + L + sqrt(L^2 + 2 L T) are 1 to within exp(-L) and only counted, the next TERMS are added, and the rest, where
t = s p^n <= 1, is summed over k in powers of t: sum over j > T of (-1)^(j-T-1) C(s, j) C(j-1, T) x^j/(1 - p^j).
If more than T packets are missing after a round, all are sent again; in the tail the retransmissions have j T/(j - 1)
times the coefficients of 1 - F. Small probabilities are summed directly, never computed as 1 minus the rest.

Derived in derivations/segment_distribution.py.
"""

from __future__ import annotations

from typing import Any

from longfat.law import Symbol, law
from longfat.laws.queues.smooth import by_arithmetic
from longfat.laws.selective_repeat.rates import ACK_DELAY, LOSS, PACKET_TIME, PACKETS
from longfat.laws.selective_repeat.rounds import OURS, ROUNDS, log_through
from longfat.laws.selective_repeat.variance import USUAL_LOSS, first_uncertain

MOST = 64  # largest T
CERTAIN = 39.0  # L: exp(-39) is below half a unit of the last place of 1
TERMS = 37  # 36 * 0.15 = 5.4 >= ln(184), the m above for T = 64; one term more for the rounding down
TAIL_TERMS = 20
PLACES = 140  # terms of the binomial sum: for a mean below 65 they omit at most 1e-14 of the probability beyond T


def few_missing(rounds: Any, loss: Any, packets: Any, tolerance: Any, xp: Any) -> Any:
    """Return the probability that at most T of s packets are still missing after k rounds."""

    def floats() -> Any:
        k, p, s, most = xp.broadcast_arrays(rounds, loss, packets, tolerance)
        return _sum(xp.power(p, k), log_through(p, k, xp), s, most, xp)[0]

    def many_digits(mp: Any) -> Any:
        if tolerance >= packets:
            return mp.one
        missing, within = loss**rounds, log_through(loss, rounds, xp)
        total, term = mp.zero, mp.exp(packets * within)
        for j in range(int(tolerance) + 1):
            total += term
            term *= (packets - j) / (j + 1) * missing * mp.exp(-within)
        return total

    def written(sympy: Any) -> Any:
        from longfat.law.sums import Sum

        j = sympy.Symbol("j", integer=True, nonnegative=True)
        term = sympy.binomial(packets, j) * loss ** (rounds * j) * (1 - loss**rounds) ** (packets - j)
        return Sum(term, (j, 0, tolerance))

    return by_arithmetic(xp, floats, many_digits, written)


def _sum(missing: Any, within: Any, packets: Any, tolerance: Any, xp: Any) -> tuple[Any, Any, Any, Any]:
    """Return P(B <= T), P(B > T), E[B; B > T] and ln C(s, T + 1) x^(T + 1), where B ~ binomial(s, x)."""
    j = xp.reshape(xp.arange(PLACES, dtype=packets.dtype), (-1,) + (1,) * packets.ndim)
    possible = (j >= 1) & (j <= packets)
    tiny = xp.smallest(packets)
    ratio = (packets - j + 1) * missing / xp.where(j >= 1, j, xp.ones_like(j))
    ratio = xp.where(possible & (ratio > tiny), ratio, tiny + 0 * ratio)
    steps = xp.where(possible, xp.log(ratio), 0 * ratio)
    logs = xp.where(j <= packets, xp.cumulative_sum(steps, axis=0) + (packets - j) * within, 0 * steps)
    terms = xp.where(j <= packets, xp.exp(logs), 0 * logs)
    accepted = xp.where(j <= tolerance, terms, 0 * terms)
    few, late = xp.sum(accepted, axis=0), xp.sum(terms - accepted, axis=0)
    few_sent, late_sent = xp.sum(j * accepted, axis=0), xp.sum(j * (terms - accepted), axis=0)
    rare = packets * missing < tolerance + 1
    late = xp.where(rare, late, 1 - few)
    late_sent = xp.where(rare, late_sent, packets * missing - few_sent)
    beyond = xp.sum(xp.where(j <= tolerance + 1, steps, 0 * steps), axis=0)
    return xp.where(tolerance >= packets, xp.ones_like(few), few), late, late_sent, beyond


def repeated_until_few(loss: Any, packets: Any, tolerance: Any, xp: Any) -> tuple[Any, Any]:
    """Return the mean numbers of rounds after the first and of retransmissions until at most T packets are missing."""
    result: tuple[Any, Any] = by_arithmetic(
        xp,
        lambda: _floats(loss, packets, tolerance, xp),
        lambda mp: _mpmath(loss, packets, tolerance, mp),
        lambda sympy: _written(loss, packets, tolerance, sympy, xp),
    )
    return result


def _floats(loss: Any, packets: Any, tolerance: Any, xp: Any) -> tuple[Any, Any]:
    loss, packets, tolerance = xp.broadcast_arrays(loss, packets, tolerance)
    sure = tolerance + CERTAIN + xp.sqrt(CERTAIN * CERTAIN + 2 * CERTAIN * tolerance)
    first = first_uncertain(loss, sure, packets, xp)

    def term(_: Any, rounds: Any, sent: Any, chance: Any) -> tuple[Any, Any, Any]:
        _, late, again, _ = _sum(chance, xp.log1p(-chance), packets, tolerance, xp)
        return rounds + late, sent + again, chance * loss

    chance = xp.power(loss, first)
    counted = packets * (loss - chance) / (1 - loss)  # s p^k for k < first
    rounds, sent, chance = xp.repeat(TERMS, term, first - 1 + 0 * loss, counted, chance)

    def tail(m: Any, rounds: Any, sent: Any, coefficient: Any, power: Any) -> tuple[Any, ...]:
        j = tolerance + m
        late = coefficient / (1 - power)
        one = j == 1  # true only if T = 0, where all missing packets are sent again
        share = xp.where(one, j, j * tolerance / xp.where(one, j, j - 1))
        following = -coefficient * chance * (packets - j) / (j + 1) * j / m
        return rounds + late, sent + share * late, following, power * loss

    *_, beyond = _sum(chance, 0 * chance, packets, tolerance, xp)
    coefficient = xp.where(tolerance < packets, xp.exp(beyond), 0 * beyond)
    rounds, sent, _, _ = xp.repeat(TAIL_TERMS, tail, rounds, sent, coefficient, xp.power(loss, tolerance + 1))
    little = xp.where(tolerance == 0, packets * loss, 0 * loss)  # T = 0: rounds and sent are s p + O(p^2)
    return xp.where(loss > 0, rounds, little), xp.where(loss > 0, sent, little)


def _mpmath(loss: Any, packets: Any, tolerance: Any, mp: Any) -> tuple[Any, Any]:
    """Return the mean numbers of rounds and of retransmissions, summed to the working precision of mpmath."""
    rounds = sent = mp.zero
    if loss == 0 or tolerance >= packets:
        return rounds, sent
    with mp.extraprec(30):
        chance = loss
        choices = [mp.one]
        for j in range(int(tolerance)):
            choices.append(choices[-1] * (packets - j) / (j + 1))
        while True:
            few = missing = mp.zero
            odds = chance / (1 - chance)
            for choice in reversed(choices):  # Horner's scheme of the polynomial in the odds, and of its derivative
                few, missing = few * odds + choice, missing * odds + few
            none = mp.exp(packets * mp.log1p(-chance))
            few, missing = few * none, missing * odds * none
            late, again = 1 - few, packets * chance - missing
            rounds, sent, chance = rounds + late, sent + again, chance * loss
            if packets * chance < 1 and late < mp.eps and again < mp.eps * packets:
                return +rounds, +sent


def _written(loss: Any, packets: Any, tolerance: Any, sympy: Any, xp: Any) -> tuple[Any, Any]:
    from longfat.law.sums import Sum

    i, j = sympy.Symbol("i", integer=True, positive=True), sympy.Symbol("j", integer=True, nonnegative=True)
    missing = j * sympy.binomial(packets, j) * loss ** (i * j) * (1 - loss**i) ** (packets - j)
    return (
        Sum(1 - few_missing(i, loss, packets, tolerance, xp), (i, 1, sympy.oo)),
        Sum(Sum(missing, (j, tolerance + 1, packets)), (i, 1, sympy.oo)),
    )


TOLERANCE = Symbol("T", "packets", "[0, 64]", (0, 8), "Missing packets of a segment that are accepted", integer=True)


@law(
    source=f"{OURS} (the error tolerance of an application is a parameter of the simulations there)",
    result="F_k [probability]",
    derivation="segment_distribution.cdf_tolerant",
    not_simulated="tests/laws/test_distribution.py simulates it with a tolerance",
)
def rounds_cdf_tolerant(rounds: ROUNDS, loss: LOSS, segment_packets: PACKETS, tolerance: TOLERANCE, *, xp):
    r"""Return the probability that all but T packets of a segment have arrived within k rounds.

    .. math:: F_k = \sum_{j=0}^{T} \binom{s}{j} p^{k j} (1 - p^k)^{s - j} = I_{1 - p^k}(s - T, T + 1)

    Exact for independent loss if, as in the simulator, all missing packets are retransmitted as long as more than T of
    them are missing. I is the regularised incomplete beta function; the sum is computed. T = 0 is `rounds_cdf`.

    >>> rounds_cdf_tolerant(1, 0.5, 2, 1)
    0.75
    """
    return few_missing(rounds, loss, segment_packets, tolerance, xp)


@law(
    source=OURS,
    result="S_T [rounds], `mean_rounds` for T = 0",
    derivation="segment_distribution.mean_rounds_tolerant",
    not_simulated="tests/laws/test_distribution.py simulates it with a tolerance",
)
def mean_rounds_tolerant(loss: USUAL_LOSS, segment_packets: PACKETS, tolerance: TOLERANCE, *, xp):
    r"""Return the mean number of transmission rounds until at most T packets of a segment are missing.

    .. math::

        S_T = 1 + \sum_{k=1}^{\infty} \Bigl[1 - \sum_{j=0}^{T} \binom{s}{j} p^{k j} (1 - p^k)^{s - j}\Bigr]

    Exact for independent loss, as `rounds_cdf_tolerant` is. Floats are computed as described in
    `longfat.laws.selective_repeat.tolerance`, which covers p <= 0.86.

    >>> round(mean_rounds_tolerant(0.5, 2, 1), 10)  # 1 + 1/4 + 1/16 + ...
    1.3333333333
    """
    return 1 + repeated_until_few(loss, segment_packets, tolerance, xp)[0]


@law(
    source=f"{OURS} (D_s there is the case T = 0)",
    result="D_T [s], `mean_delay_sender` for T = 0. S_T is `mean_rounds_tolerant`",
    derivation="segment_distribution.mean_delay_tolerant",
    not_simulated="tests/laws/test_distribution.py simulates it with a tolerance",
)
def mean_delay_tolerant(
    loss: USUAL_LOSS,
    segment_packets: PACKETS,
    tolerance: TOLERANCE,
    packet_time: PACKET_TIME,
    ack_delay: ACK_DELAY,
    *,
    xp,
):
    r"""Return the mean time [s] until the sender knows that at most T packets of a segment are missing.

    .. math::

        D_T = t_p \Bigl[s + \sum_{k=1}^{\infty} \sum_{j=T+1}^{s} j \binom{s}{j} p^{k j} (1 - p^k)^{s - j}\Bigr] +
        t_a S_T

    Exact for a segment sent in isolation, like `mean_delay_sender`.

    >>> round(mean_delay_tolerant(0.5, 2, 1, 1.0, 3.0), 10)  # 2 + 2 (1/4 + 1/16 + ...) packets, 4/3 rounds
    6.6666666667
    """
    rounds, again = repeated_until_few(loss, segment_packets, tolerance, xp)
    return (segment_packets + again) * packet_time + (1 + rounds) * ack_delay

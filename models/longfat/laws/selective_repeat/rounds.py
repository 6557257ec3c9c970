"""Mean number of rounds until all packets of a segment have arrived: the largest of s geometric variables.

A packet needs at most i rounds with probability 1 - p^i; all s of them do with (1 - p^i)^s. So the mean
number of rounds is

    S(p, s) = sum over i >= 0 of 1 - (1 - p^i)^s.

In floats the sum is split, with u = -ln p, so that a fixed number of terms suffices for all p and s (gradients
pass, and no loop runs until convergence):

* u >= U: terms with s p^i > 39 are 1 to double precision and are counted, the next TERMS of them are added,
  and the rest, where s p^i <= 2, is summed over i in closed form: sum over j of C(s, j) (-1)^(j+1) t^j / (1 - p^j);
* u < U, s >= 16: H_s / u + 1/2, the sum's Euler-Maclaurin form, whose corrections are below 1e-14 there;
* u < U, s < 16: the same and the finite sum over j of C(s, j) (-1)^(j+1) h(j u), h(y) = 1/(1 - e^-y) - 1/y - 1/2.

Derived in derivations/selective_repeat.py.
"""

from __future__ import annotations

from typing import Any

SPLIT = 0.15  # U; at 0.3 H_s / u + 1/2 would be off by 3e-11 for s = 16
CERTAIN = 39.0  # exp(-39) is below half a unit of the last place of 1
TAIL = 2.0
TERMS = 20  # p^TERMS <= TAIL / CERTAIN for u >= SPLIT: 20 * 0.15 = 3.0 >= ln(39 / 2) = 2.97
TAIL_TERMS = 24  # 2^25 / 25! < 1e-17
SMALL = 16
EULER_GAMMA = 0.57721566490153286060651209008240243


def repeated_rounds(loss: Any, packets: Any, xp: Any) -> Any:
    """Return S(p, s) - 1, the mean number of rounds after the first."""
    return xp.series(
        lambda i: 1 - (1 - loss**i) ** packets,
        floats=lambda: _floats(loss, packets, xp),
        mpmath=lambda: _mpmath(loss, packets, xp.mp),
    )


def _floats(loss: Any, packets: Any, xp: Any) -> Any:
    decay = -xp.log(xp.maximum(loss, _tiny(loss, xp)))
    # Each form is evaluated only inside its own region, so that gradients of the unused one stay finite.
    result = xp.where(
        decay >= SPLIT,
        # where instead of maximum, which would pass half of the gradient at a tie.
        _split_sum(xp.where(decay >= SPLIT, decay, xp.full_like(decay, SPLIT)), packets, xp),
        _near_one(xp.where(decay < SPLIT, decay, xp.full_like(decay, SPLIT)), packets, xp),
    )
    return xp.where(loss > 0, result, packets * loss)  # S - 1 = s p + O(p^2)


def _tiny(loss: Any, xp: Any) -> Any:
    return xp.full_like(loss, float(xp.finfo(loss.dtype).smallest_normal))


def _split_sum(decay: Any, packets: Any, xp: Any) -> Any:
    first = xp.maximum(xp.floor(xp.log(packets / CERTAIN) / decay), xp.ones_like(decay))
    ratio = xp.exp(-decay)

    def term(_: Any, total: Any, chance: Any) -> tuple[Any, Any]:
        return total - xp.expm1(packets * xp.log1p(-chance)), chance * ratio

    # chance is p^i, the probability that a packet is still missing after round i
    start = xp.exp(-decay * first)
    total, chance = xp.repeat(TERMS, term, first - 1 + 0 * start, start)

    def tail(j: Any, total: Any, coefficient: Any, power: Any) -> tuple[Any, Any, Any]:
        total = total + coefficient / (1 - power)
        return total, -coefficient * chance * (packets - j) / (j + 1), power * ratio

    # The terms from here on, expanded in powers of chance and summed over i.
    return xp.repeat(TAIL_TERMS, tail, total, packets * chance, ratio)[0]


def _near_one(decay: Any, packets: Any, xp: Any) -> Any:
    """Return S - 1 for p near 1."""
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
    """Return H_n: by summation below 16, by Euler-Maclaurin above, where the next term is 2e-17."""

    def term(j: Any, total: Any) -> tuple[Any]:
        return (total + xp.where(j <= n, xp.ones_like(n) / j, xp.zeros_like(n)),)

    (added,) = xp.repeat(SMALL - 1, term, xp.zeros_like(n))
    many = xp.maximum(n, xp.full_like(n, float(SMALL)))
    w = 1 / (many * many)
    series = w * (1 / 12 - w * (1 / 120 - w * (1 / 252 - w * (1 / 240 - w * (1 / 132 - w * 691 / 32760)))))
    return xp.where(n < SMALL, added, xp.log(many) + EULER_GAMMA + 0.5 / many - series)


def _mpmath(loss: Any, packets: Any, mp: Any) -> Any:
    """Return S - 1 to the working precision, by whichever of the exact forms is shorter."""
    if loss == 0:
        return mp.zero
    decay = -mp.log(loss)
    if packets <= 1000 and decay < 1:
        with mp.extraprec(int(packets) + 20):  # the binomial coefficients cancel: at most 2^s
            total, coefficient = mp.zero, mp.one
            for j in range(1, int(packets) + 1):
                coefficient = -coefficient * (packets - j + 1) / j
                total += coefficient / mp.expm1(-j * decay)
        return total - 1
    if decay < 1e-3:  # corrections are of the size of exp(-pi^2 / decay)
        return mp.harmonic(packets) / decay - mp.mpf(1) / 2
    total, chance = mp.zero, loss
    while True:
        term = -mp.expm1(packets * mp.log1p(-chance))
        total += term
        if term < mp.eps * total:
            return total
        chance *= loss

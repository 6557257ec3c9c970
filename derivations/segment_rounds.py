"""Rounds and transmissions of a segment: proofs for section 4.2 of WUCS-92-38 and its series.

F. Gong and G. Parulkar, WUCS-92-38, 1992. Packets are lost independently with probability p; a round retransmits the
packets lost in the round before. Each function proves one result with all symbols free and returns it; a proof that
fails raises AssertionError. `longfat.laws.selective_repeat.rounds` uses the forms near p = 1.
"""

import mpmath
import sympy as sp
from sympy import Expr, Rational, binomial, exp

from derivations.proof import once, require, require_zero

p, lam = sp.symbols("p lambda", positive=True)  # p < 1; lam = -ln p
s, N = sp.symbols("s N", integer=True, positive=True)
i, j, n = sp.symbols("i j n", integer=True, nonnegative=True)


@once
def rounds_distribution() -> Expr:
    """Derive P(rounds <= i) = (1 - p^i)^s for s independent packets (section 4.2)."""
    within = 1 - p**i  # one packet; delivered in exactly round i means i - 1 losses, then none
    require_zero(within - within.subs(i, i - 1) - p ** (i - 1) * (1 - p), "P(exactly i) adds up")
    require_zero(within.subs(i, 0), "nothing is delivered before the first round")
    return within**s


@once
def geometric_mean(ratio: Expr) -> Expr:
    """Prove that the sum over k >= 0 of k r^k (1 - r) is r/(1 - r): every partial sum, then its limit."""
    r = sp.Symbol("r", positive=True)
    partial = r * (1 - (n + 1) * r**n + n * r ** (n + 1)) / (1 - r)
    require_zero(partial.subs(n, 0), "base, n = 0")
    require_zero(partial - partial.subs(n, n - 1) - n * r**n * (1 - r), "step, n - 1 to n")
    require_zero(sp.limit((n + 1) * exp(-lam * n), n, sp.oo), "the remainder vanishes, r = exp(-lam)")
    return ratio / (1 - ratio)


@once
def mean_rounds() -> Expr:
    """Derive the mean number of rounds S = sum over i >= 0 of 1 - (1 - p^i)^s (section 4.2, third term of D_s).

    For any F and N, sum_{i=1..N} i (F_i - F_{i-1}) = sum_{i<N} (F_N - F_i), by induction. The right side is sum_{i<N}
    (1 - F_i) - N (1 - F_N), whose last term vanishes because 1 - F_N <= s p^N.
    """
    f = sp.Function("F")
    require_zero(1 * (f(1) - f(0)) - sum(f(1) - f(k) for k in range(1)), "base, N = 1")
    more = sp.Sum((f(N + 1) - f(i)) - (f(N) - f(i)), (i, 0, N - 1)).doit() + (f(N + 1) - f(N))
    require_zero((N + 1) * (f(N + 1) - f(N)) - more, "step, N to N + 1")

    within = rounds_distribution()
    lost = sp.Symbol("q", positive=True)  # p^N; Bernoulli's 1 - (1 - q)^s <= s q, by induction in s
    slack = s * lost - 1 + (1 - lost) ** s
    require_zero(slack.subs(s, 1), "base, s = 1")
    step = lost * (1 - (1 - lost) ** s)  # not negative for q in (0, 1)
    require_zero(sp.expand(slack.subs(s, s + 1) - slack - step, power_exp=True), "step, s to s + 1")
    require_zero(sp.limit(N * s * exp(-lam * N), N, sp.oo), "N (1 - F_N) vanishes")
    return sp.Sum(1 - within, (i, 0, sp.oo))


@once
def mean_rounds_bounds() -> tuple[Expr, Expr]:
    """Prove that 1 <= S <= 1 + s p/(1 - p), so that S -> 1 as p -> 0.

    The term i = 0 is 1, and the others are at most s p^i.
    """
    term = mean_rounds().function
    require_zero(term.subs(i, 0) - 1, "the first round always takes place")
    upper = 1 + s * geometric_mean(p)  # sum of p^i over i >= 1 is the mean of a geometric number, too
    require_zero(geometric_mean(p) - p - p * geometric_mean(p), "p + p^2 + ... = p + p (p + p^2 + ...)")
    require_zero(upper.subs(p, 0) - 1, "no loss, one round")
    return sp.Integer(1), upper


@once
def mean_transmissions() -> Expr:
    """Derive the mean number of transmissions of a packet, 1/(1 - p) (section 4.2, second term of D_s).

    A packet is retransmitted p/(1 - p) times. The retransmissions of s packets take s t_p p/(1 - p); s p/(1 - p) is
    also the X in the burst length L = s + X of section 3.3.
    """
    times = 1 + geometric_mean(p)
    require_zero(times - 1 / (1 - p), "once, and the retransmissions")
    require_zero(times.subs(p, 0) - 1, "no loss, one transmission")
    return 1 / (1 - p)


def burst_packets() -> Expr:
    """Derive the mean number of transmissions of the s packets of a segment, L = s + X (section 3.3)."""
    packets = s * mean_transmissions()
    require_zero(packets - s - s * p / (1 - p), "X retransmissions")
    return packets


def binomial_weights(packets: int) -> list[tuple[int, Expr]]:
    """Return the pairs j, C(s, j) (-1)^(j+1) for j = 1 .. s: the coefficients of x^j in 1 - (1 - x)^s."""
    return [(k, binomial(packets, k) * (-1) ** (k + 1)) for k in range(1, packets + 1)]


@once
def rounds_tail(packets: int) -> Expr:
    """Derive the tail of S from i = n on: the sum over j of C(s, j) (-1)^(j+1) p^(j n)/(1 - p^j).

    With x = p^n, T(x) - T(p x) is the term n, and T vanishes with x: the series telescopes. That each term expands so
    for every s is Pascal's rule times 1 - x. S is n = 0.
    """
    x = sp.Symbol("x", positive=True)
    tail = sum(weight * x**k / (1 - p**k) for k, weight in binomial_weights(packets))
    require_zero(tail - tail.subs(x, p * x) - (1 - (1 - x) ** packets), "T(x) - T(p x)")
    require_zero(tail.subs(x, 0), "T(0)")
    pascal = binomial(s + 1, j) - binomial(s, j) - binomial(s, j - 1)
    require_zero(sp.gammasimp(pascal), "Pascal's rule")
    return sum(weight * p ** (k * n) / (1 - p**k) for k, weight in binomial_weights(packets))


def harmonic_sum() -> Expr:
    """Derive the sums over j of C(s, j) (-1)^(j+1)/j = H_s and of C(s, j) (-1)^(j+1) = 1, by induction in s."""
    # Pascal: a step adds C(s, j-1) (-1)^(j+1)/j = C(s+1, j) (-1)^(j+1)/(s+1), which sums to 1/(s+1).
    require_zero(sp.gammasimp(binomial(s, j - 1) / j - binomial(s + 1, j) / (s + 1)), "absorption")
    for packets in range(1, 9):
        weights = binomial_weights(packets)
        require_zero(sum(weight for _, weight in weights) - 1, "the weights are 1 - (1 - x)^s at x = 1")
        require_zero(sum(weight / k for k, weight in weights) - sp.harmonic(packets), "H_s")
    return sp.harmonic(s)


@once
def h_series() -> Expr:
    """Derive the series of h(y) = 1/(1 - exp(-y)) - 1/y - 1/2 = y/12 - y^3/720 + ..., odd, below y^10.

    h(2z) = (coth z - 1/z)/2, and coth z = 1/z + z/(3 + z^2/(5 + z^2/(7 + ...))), checked below z^10.
    """
    y = sp.Symbol("y", positive=True)
    h = 1 / (1 - exp(-y)) - 1 / y - Rational(1, 2)
    require_zero(h + h.subs(y, -y), "odd")
    require_zero(h.subs(y, 2 * y) - (sp.coth(y).rewrite(exp) - 1 / y) / 2, "h is half a coth")
    series = sp.expand(sp.series(y / (1 - exp(-y)), y, 0, 11).removeO() / y - 1 / y - Rational(1, 2))
    fraction = sp.Integer(11)
    for k in (9, 7, 5, 3):
        fraction = k + y**2 / fraction
    continued = sp.series(y / (2 * fraction), y, 0, 10).removeO()
    require_zero(sp.expand(continued - series.subs(y, 2 * y)), "continued fraction")
    return series


@once
def rounds_near_certain_loss(packets: int) -> Expr:
    """Derive the leading term of R in S = H_s/lam + 1/2 + R, with lam = -ln p.

    R is the sum of C(s, j) (-1)^(j+1) h(j lam). It is O(lam^s) for odd s and O(lam^(s+1)) for even s: s-th differences
    annihilate every power below, and h is odd. It is not negligible everywhere: |R|/S is 3.2e-11 at lam = 0.3, s = 16,
    1.8e-13 at lam = 0.2 and 2.3e-18 at lam = 0.1 (`logarithmic_error`); it is sometimes claimed to be below 1e-15 for
    lam < 0.3.
    """
    y = sp.Symbol("y", positive=True)
    h = 1 / (1 - exp(-y)) - 1 / y - Rational(1, 2)
    closed = harmonic_sum().subs(s, packets) / lam + Rational(1, 2)
    closed += sum(weight * h.subs(y, k * lam) for k, weight in binomial_weights(packets))
    require_zero(sp.expand(closed - rounds_tail(packets).subs({n: 0, p: exp(-lam)})), "the same finite sum")
    require(packets <= 8, "the series of h ends before lam^10")
    remainder = sp.expand(sum(weight * h_series().subs(y, k * lam) for k, weight in binomial_weights(packets)))
    power = packets if packets % 2 else packets + 1
    leading = remainder.coeff(lam, power)
    require(all(remainder.coeff(lam, k) == 0 for k in range(power)) and leading != 0, "order of R")
    return leading * lam**power


def logarithmic_error(decay: str, packets: int) -> mpmath.mpf:
    """Compute the relative error of H_s/lam + 1/2 for S, from the definition of S at 50 digits."""
    with mpmath.workdps(50):
        u = mpmath.mpf(decay)
        rounds = mpmath.fsum(1 - (1 - mpmath.exp(-u * k)) ** packets for k in range(int(140 / u)))
        return (mpmath.harmonic(packets) / u + mpmath.mpf(1) / 2 - rounds) / rounds

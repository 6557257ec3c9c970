"""Distribution of the rounds, the packets sent and the delay of a segment: ours, from WUCS-92-38, section 4.2.

Packets are lost independently with probability p; a round retransmits the packets lost in the round before. K is the
number of rounds of a segment of s packets, N the number of packets sent, D = N t_p + (K - 1) t_a + RTD/2 its delay in
isolation (section 4.1), t_a = RTD + 3 t_p. Each function proves one result with all symbols free and returns it; a
proof that fails raises AssertionError.
"""

import mpmath
import sympy as sp
from sympy import Expr, binomial, exp, log

from derivations import selective_repeat
from derivations.proof import once, require, require_zero
from derivations.segment_rounds import binomial_weights, rounds_distribution, rounds_tail
from derivations.segment_rounds import n as round_n

p, x, z, lam = sp.symbols("p x z lambda", positive=True)  # p < 1; lam = -ln p; x = p^k
s, M, T = sp.symbols("s M T", integer=True, positive=True)
k, n = sp.symbols("k n", integer=True, positive=True)
i, j, m = sp.symbols("i j m", integer=True, nonnegative=True)
t_p, t_a, q = sp.symbols("t_p t_a q", positive=True)


# Rounds


def cdf() -> Expr:
    """Derive the distribution function of the rounds: F_k = (1 - p^k)^s."""
    within = rounds_distribution().subs(i, k)
    require_zero(within.subs(k, 0), "nothing is delivered before the first round")
    require_zero(sp.limit(exp(-lam * k), k, sp.oo), "p^k vanishes, so everything is at last")
    return within


def pmf() -> Expr:
    """Derive the probability of k rounds: f_k = F_k - F_(k-1) = F_k (1 - (1 - r)^s).

    r is the probability that a packet delivered by round k was not delivered before.
    """
    within = cdf()
    chance = p ** (k - 1) * (1 - p) / (1 - p**k)
    require_zero(1 - chance - (1 - p ** (k - 1)) / (1 - p**k), "1 - r is the ratio of the packets delivered")
    require_zero(chance.subs(k, 1) - 1, "nothing before the first round")
    ratio = sp.Symbol("rho", positive=True)  # (1 - p^(k-1))/(1 - p^k)
    require_zero(within * (1 - ratio**s) - (within - (within ** (1 / s) * ratio) ** s), "F_k (1 - (1 - r)^s)")
    return within - within.subs(k, k - 1)


def quantile() -> Expr:
    """Derive the q-quantile of the rounds: the ceiling of ln(1 - q^(1/s))/ln(p).

    F_k reaches q where p^k = 1 - q^(1/s), and grows with k.
    """
    within = cdf()
    at = log(1 - q ** (1 / s)) / log(p)
    reached = (1 - exp(at * log(p))) ** s  # p^k
    require_zero(reached - q, "F = q")
    slope = sp.diff(within.subs(p, exp(-lam)), k)
    growing = s * lam * exp(-lam * k) * (1 - exp(-lam * k)) ** (s - 1)  # positive: k, lam > 0
    require_zero(slope - growing, "F grows with k")
    return sp.ceiling(at)


@once
def second_moment() -> Expr:
    """Derive E[K^2] as the sum over i >= 0 of (2 i + 1) (1 - F_i).

    The mean is derived in `segment_rounds.mean_rounds`.
    """
    f = sp.Function("F")
    require_zero(1 * (f(1) - f(0)) - sum((2 * a + 1) * (f(1) - f(a)) for a in range(1)), "base, M = 1")
    more = sp.Sum((2 * i + 1) * ((f(M + 1) - f(i)) - (f(M) - f(i))), (i, 0, M - 1)).doit()
    more += (2 * M + 1) * (f(M + 1) - f(M))
    require_zero((M + 1) ** 2 * (f(M + 1) - f(M)) - more, "step, M to M + 1")
    # 1 - F_M <= s p^M (segment_rounds.mean_rounds), so that M^2 (1 - F_M) vanishes.
    require_zero(sp.limit(M**2 * s * exp(-lam * M), M, sp.oo), "remainder")
    return sp.Sum((2 * i + 1) * (1 - rounds_distribution()), (i, 0, sp.oo))


def positive_terms() -> Expr:
    """Prove that sum (2 k + 1) T_k - (sum T_k)^2 is the sum of the positive terms T_k (F_k + 2 sum over j < k of F_j).

    This holds for any F and T = 1 - F, over k < M, by induction in M; L is the sum of T_k so far, so that of F_j is M -
    L. The rest from round n on is (1 + 2 G) L + 2 (sum of m T) - L^2, with G the sum of F_j over j < n.
    """
    late, so_far, before = sp.symbols("T L G")
    left = (2 * M + 1) * late - ((so_far + late) ** 2 - so_far**2)
    require_zero(left - late * ((1 - late) + 2 * (M - so_far)), "step, M to M + 1")
    require_zero(late - late**2 - late * (1 - late), "base, M = 1")

    def rest(total: Expr, weighted: Expr) -> Expr:
        return (1 + 2 * before) * total + 2 * weighted - total**2

    weighted = sp.Symbol("W")
    added = rest(so_far + late, weighted + m * late) - rest(so_far, weighted)
    require_zero(added - late * ((1 - late) + 2 * (before + m - so_far)), "step of the rest")
    require_zero(rest(sp.Integer(0), sp.Integer(0)), "nothing added, nothing there")
    return rest(so_far, weighted)


@once
def rounds_variance() -> Expr:
    """Derive the variance of the rounds, E[K^2] - S^2, in the form without the first round: that of K - 1.

    For s = 1 it is p/(1 - p)^2.
    """
    positive_terms()
    term = second_moment().function
    require_zero(term.subs(i, 0) - 1, "the first round always takes place")
    r = sp.Symbol("r", positive=True)
    partial = (1 + r - (2 * m + 1) * r**m + (2 * m - 1) * r ** (m + 1)) / (1 - r) ** 2  # sum of (2 i + 1) r^i, i < m
    require_zero(partial.subs(m, 0), "base")
    require_zero(partial.subs(m, m + 1) - partial - (2 * m + 1) * r**m, "step")
    require_zero((1 + p) / (1 - p) ** 2 - 1 / (1 - p) ** 2 - p / (1 - p) ** 2, "a geometric number")
    late, more = sp.symbols("T A")  # S = 1 + A
    require_zero((2 * i + 1) * late - (2 * i - 1) * late - 2 * late, "2 A more in the sum from i = 1")
    require_zero((1 + 2 * more) - (1 + more) ** 2 + more**2, "and as much in the square")
    late = 1 - rounds_distribution()
    mean = sp.Sum(late, (i, 1, sp.oo))
    return sp.Sum((2 * i - 1) * late, (i, 1, sp.oo)) - mean**2


def tails(packets: int = 5) -> tuple[Expr, Expr]:
    """Derive the sums over m >= 0 of m T_(n+m) and of s p^(n+m) (1 - p^(n+m))^(s-1), in powers of x = p^n.

    U(x), the sum of m T(p^m x), satisfies U(x) - U(p x) = the sum of T(p^m x) over m >= 1, and vanishes with x.
    """
    tail = sum(weight * x**a / (1 - p**a) for a, weight in binomial_weights(packets))
    require_zero(tail.subs(x, p**round_n) - rounds_tail(packets), "the sum of T itself")
    weighted = sum(weight * x**a * p**a / (1 - p**a) ** 2 for a, weight in binomial_weights(packets))
    require_zero(weighted - weighted.subs(x, p * x) - tail.subs(x, p * x), "U(x) - U(p x)")
    require_zero(weighted.subs(x, 0), "U(0)")
    require_zero(x * sp.diff(1 - (1 - x) ** s, x) - s * x * (1 - x) ** (s - 1), "x T'(x), so weights times j")
    alone = sp.expand(x * sp.diff(tail, x))
    require_zero(alone - sum(a * weight * x**a / (1 - p**a) for a, weight in binomial_weights(packets)), "termwise")
    return weighted, alone


# Rounds and packets together


def generating_function() -> Expr:
    """Derive E[z^N; K <= k] = ((1 - p) z (1 - (p z)^k)/(1 - p z))^s.

    One packet by induction in k; s packets are independent.
    """
    one = (1 - p) * z * (1 - (p * z) ** k) / (1 - p * z)
    require_zero(one.subs(k, 1) - (1 - p) * z, "base: one transmission, not lost")
    step = sp.expand(one.subs(k, k + 1) - one - (1 - p) * p**k * z ** (k + 1), power_base=True)
    require_zero(step, "step: k losses, then none")
    require_zero(one.subs(z, 1) - (1 - p**k), "z = 1 leaves the rounds")
    return one**s


@once
def sent_within() -> Expr:
    """Derive E[N; K <= k] = s (1 - p^k)^(s-1) (1 - p^k - k p^k (1 - p))/(1 - p).

    It is the slope of the generating function at z = 1.
    """
    slope = sp.diff(generating_function(), z).subs(z, 1)
    closed = s * (1 - p**k) ** (s - 1) * (1 - p**k - k * p**k * (1 - p)) / (1 - p)
    require_zero(slope / closed - 1, "slope at z = 1")
    first = closed.subs(k, 1) / (s * (1 - p) ** s)
    require_zero(sp.powsimp(sp.factor(first)) - 1, "delivered in the first round: s packets")
    return closed


@once
def covariance() -> Expr:
    """Derive the covariance of rounds and packets sent: Cov(K, N) = sum over k of k s p^k (1 - p^k)^(s-1).

    K is the sum over k >= 0 of the indicator of K > k, whose covariance with N is F_k E[N] - E[N; K <= k], 0 for k = 0.
    """
    mean = s / (1 - p)
    term = k * s * p**k * (1 - p**k) ** (s - 1)
    difference = (cdf() * mean - sent_within() - term) / (1 - p**k) ** (s - 1)
    require_zero(sp.powsimp(sp.expand(difference)), "covariance of one event")
    # s = 1: N = K, and the sum of k p^k is the variance of a geometric number
    partial = p * (1 - (m + 1) * p**m + m * p ** (m + 1)) / (1 - p) ** 2
    require_zero(partial.subs(m, 0), "base")
    require_zero(partial - partial.subs(m, m - 1) - m * p**m, "step")
    require_zero(sp.limit(m * exp(-lam * m), m, sp.oo), "so it tends to p/(1 - p)^2")
    return sp.Sum(term.subs(k, i), (i, 1, sp.oo))


def sent_variance() -> Expr:
    """Derive the variance of the packets sent: Var N = s p/(1 - p)^2, from E[z^N] = ((1 - p) z/(1 - p z))^s."""
    all_rounds = ((1 - p) * z / (1 - p * z)) ** s
    require_zero(sp.limit(exp(-q * k), k, sp.oo), "(p z)^k vanishes for p z = exp(-q) < 1")
    first = sp.diff(all_rounds, z).subs(z, 1)
    second = sp.diff(all_rounds, z, 2).subs(z, 1)
    require_zero(first - s / (1 - p), "E[N]")
    require_zero(second + first - first**2 - s * p / (1 - p) ** 2, "Var N")
    return s * p / (1 - p) ** 2


def delay_mean() -> Expr:
    """Prove that D = N t_p + (K - 1) t_a + RTD/2 has the mean of section 4.2, D_r = D_s - RTD/2 - 3 t_p.

    E[N] = s/(1 - p) is the slope of E[z^N] at z = 1, and E[K] = S.
    """
    sent = sp.diff(((1 - p) * z / (1 - p * z)) ** s, z).subs(z, 1)
    there, trip = selective_repeat.RTD / 2, selective_repeat.RTD
    mean = sent * t_p + (selective_repeat.S - 1) * (trip + 3 * selective_repeat.t_p) + there
    mean = mean.subs({p: selective_repeat.p, s: selective_repeat.s, t_p: selective_repeat.t_p})
    require_zero(mean - selective_repeat.receiver_delay(), "the mean of the paper")
    return mean


def delay_variance() -> Expr:
    """Derive Var D = t_p^2 Var N + 2 t_p t_a Cov(K, N) + t_a^2 Var K, to which the constant RTD/2 adds nothing."""
    var_n, var_k, cov_kn = sp.symbols("VarN VarK Cov")
    sent, rounds = sp.symbols("dN dK")  # deviations from the means
    square = sp.expand((t_p * sent + t_a * rounds) ** 2)
    moments = {sent**2: var_n, sent * rounds: cov_kn, rounds**2: var_k}
    general = sum(square.coeff(term) * moment for term, moment in moments.items())
    require_zero(square - sum(square.coeff(term) * term for term in moments), "nothing else in the square")
    require_zero(general - (t_p**2 * var_n + 2 * t_p * t_a * cov_kn + t_a**2 * var_k), "variance of a sum")
    return general.subs({var_n: sent_variance(), var_k: rounds_variance(), cov_kn: covariance()})


def pairs() -> Expr:
    """Derive the product of sums A + E and B + F less A B, without a difference, for P(K = k, N).

    A and E are non-negative, so nothing cancels.
    """
    a, e, b, f = sp.symbols("A E B F", positive=True)
    added = a * f + e * b + e * f
    require_zero((a + e) * (b + f) - a * b - added, "the product of pairs")
    require_zero(added.subs({b: a, f: e}) - e * (2 * a + e), "the square of a pair")
    return added


# Segments that may lack T packets


@once
def cdf_tolerant() -> Expr:
    """Derive the distribution function if T packets may be missing: F = I_(1-x)(s - T, T + 1), x = p^k.

    F is the sum over j <= T of C(s, j) x^j (1 - x)^(s-j). The number of missing packets never grows, so a segment is
    accepted by round k if at most T packets are missing then. The sum and the incomplete beta function are 1 at x = 0
    and have the same slope: that of the sum telescopes.
    """
    term = binomial(s, j) * x**j * (1 - x) ** (s - j)
    edge = (s - j) * binomial(s, j) * x**j * (1 - x) ** (s - j - 1)
    require_zero(sp.gammasimp(j * binomial(s, j) - (s - j + 1) * binomial(s, j - 1)), "absorption")
    # d term/dx is edge(j - 1) - edge(j); written with C(s, j - 1) = j C(s, j)/(s - j + 1)
    previous = j * binomial(s, j) * x ** (j - 1) * (1 - x) ** (s - j)
    require_zero(sp.expand((sp.diff(term, x) - previous + edge) / term), "the slope telescopes")
    require_zero(previous.subs(j, 0), "nothing below j = 0")
    # slope of I_(1-x)(a, b): -(1 - x)^(a-1) x^(b-1)/B(a, b)
    beta = sp.gamma(s - T) * sp.gamma(T + 1) / sp.gamma(s + 1)
    require_zero(sp.gammasimp(edge.subs(j, T) * beta / ((1 - x) ** (s - T - 1) * x**T)) - 1, "I has the same slope")
    total = sp.Sum(term, (j, 0, T))
    require_zero(total.subs(T, 0).doit() - (1 - x) ** s, "T = 0 is the plain distribution")
    return total


def chernoff() -> Expr:
    """Prove the bound P(at most T missing) <= exp(-(m - T)^2/(2 m)) for T <= m = s x.

    It shows which rounds the law may neglect. For any theta > 0 the probability is at most E[exp(theta (T - X))] <=
    exp(theta T - m (1 - exp(-theta))), as 1 + y <= exp(y). With theta = -ln(1 - d), T = (1 - d) m that is exp(-m h),
    and h >= d^2/2: both sides vanish with slope 0 at d = 0.
    """
    d, mean = sp.symbols("d mu", positive=True)  # d < 1
    theta = -log(1 - d)
    exponent = theta * (1 - d) * mean - mean * (1 - exp(-theta))
    h = (1 - d) * log(1 - d) + d
    require_zero(exponent + mean * h, "the exponent")
    gap = h - d**2 / 2
    require_zero(gap.subs(d, 0), "at d = 0")
    require_zero(sp.diff(gap, d).subs(d, 0), "slope at d = 0")
    require_zero(sp.diff(gap, d, 2) - d / (1 - d), "convex for d in (0, 1)")
    require_zero(mean * d**2 / 2 - (mean - (1 - d) * mean) ** 2 / (2 * mean), "in m and T")
    # equality at m = T + L + sqrt(L^2 + 2 L T)
    bound = sp.Symbol("L", positive=True)
    at = T + bound + sp.sqrt(bound**2 + 2 * bound * T)
    require_zero(sp.expand((at - T) ** 2 - 2 * bound * at), "exp(-L)")
    return exp(-mean * h)


def tolerant_series() -> Expr:
    """Derive 1 - F = sum over j > T of (-1)^(j-T-1) C(s, j) C(j-1, T) x^j.

    Its slope is (s - T) C(s, T) x^T (1 - x)^(s-T-1).
    """
    coefficient = binomial(s, j) * binomial(j - 1, T)
    slope = (s - T) * binomial(s, T) * binomial(s - T - 1, j - T - 1)  # coefficient of x^(j-1), without its sign
    require_zero(sp.gammasimp(j * coefficient - slope), "coefficients")
    ratio = coefficient.subs(j, j + 1) / coefficient
    require_zero(sp.gammasimp(ratio - (s - j) * j / ((j + 1) * (j - T))), "each from the one before")
    for packets in range(1, 6):
        for few in range(packets):
            total = sum(binomial(packets, a) * x**a * (1 - x) ** (packets - a) for a in range(few + 1))
            series = sum(
                (-1) ** (a - few - 1) * binomial(packets, a) * binomial(a - 1, few) * x**a
                for a in range(few + 1, packets + 1)
            )
            require_zero(sp.expand(1 - total - series), f"s = {packets}, T = {few}")
    return coefficient


@once
def mean_rounds_tolerant() -> Expr:
    """Derive the mean number of rounds S_T = 1 + sum over k >= 1 of (1 - F_k), as `mean_rounds` for T = 0."""
    chernoff()
    tolerant_series()
    term = 1 - cdf_tolerant().subs(x, p**k)
    plain = 1 - cdf()
    require_zero(term.subs(T, 0).doit() - plain, "T = 0")
    return 1 + sp.Sum(term.subs(k, i), (i, 1, sp.oo))


def mean_delay_tolerant() -> Expr:
    """Derive the mean delay if T packets may be missing: t_p per packet sent, t_a per round.

    The packets sent are the s packets of the first round, and the missing packets after each round that is not
    accepted. E[B; B > T] = s x P(B' >= T), with B' out of s - 1 packets: s x for T = 0, so s p/(1 - p) over all rounds.
    In powers of x it has j T/(j - 1) times the coefficients of 1 - F for T >= 1.
    """
    require_zero(sp.gammasimp(j * binomial(s, j) - s * binomial(s - 1, j - 1)), "absorption")
    coefficient = j * binomial(s, j) * binomial(j - 2, T - 1)  # s C(s-1, j-1) times that of P(B' > T - 1) at j - 1
    require_zero(sp.gammasimp(coefficient / (tolerant_series() * j * T / (j - 1)) - 1), "coefficients")
    for packets in range(1, 6):
        for few in range(packets):
            terms = [(a, a * binomial(packets, a)) for a in range(few + 1, packets + 1)]
            missing = sum(weight * x**a * (1 - x) ** (packets - a) for a, weight in terms)
            signed = [(a, (-1) ** (a - few - 1) * weight) for a, weight in terms]
            series = packets * x if few == 0 else sum(w * binomial(a - 2, few - 1) * x**a for a, w in signed)
            require_zero(sp.expand(missing - series), f"s = {packets}, T = {few}")
    # the geometric sum over rounds k >= 1 of s p^k, and s packets at first: s/(1 - p), as for mean_delay_sender
    require_zero(s + s * p / (1 - p) - s / (1 - p), "T = 0")
    missing = j * binomial(s, j) * x**j * (1 - x) ** (s - j)
    again = sp.Sum(sp.Sum(missing.subs(x, p**i), (j, T + 1, s)), (i, 1, sp.oo))
    return t_p * (s + again) + t_a * mean_rounds_tolerant()


# The slowest of many segments


def largest() -> Expr:
    """Derive the mean of the largest number of rounds of M segments: S(p, M s), from F^M = (1 - p^k)^(M s).

    M segments of s packets have the distribution of one segment of M s packets.
    """
    require_zero(cdf() ** M - cdf().subs(s, M * s), "M independent segments")
    growth()
    return sp.Sum(1 - rounds_distribution().subs(s, M * s), (i, 0, sp.oo))


@once
def growth() -> tuple[Expr, Expr]:
    """Prove that H_n/lam <= S < H_n/lam + 1 for n packets, lam = -ln p, so that S grows like ln(n)/lam.

    A geometric number is a rounded-up exponential one, ceil(E/lam), and so are their maxima. The mean of the largest of
    n exponential numbers is H_n, by induction in n.
    """
    y = sp.Symbol("y", positive=True)
    require_zero((1 - exp(-y)).subs(y, lam * k) - (1 - p**k).subs(p, exp(-lam)), "P(ceil(E/lam) <= k)")
    gain = exp(-y) * (1 - exp(-y)) ** n  # (1 - (1 - e)^(n+1)) - (1 - (1 - e)^n)
    require_zero((1 - exp(-y)) ** n - (1 - exp(-y)) ** (n + 1) - gain, "one more")
    integral = (1 - exp(-y)) ** (n + 1) / (n + 1)
    require_zero(sp.diff(integral, y) - gain, "integral of the gain")
    require_zero(integral.subs(y, 0), "from 0")
    require_zero(sp.limit(1 - exp(-y), y, sp.oo) - 1, "to 1/(n + 1)")
    require_zero(sp.integrate(exp(-y), (y, 0, sp.oo)) - 1, "H_1")
    # ln n < H_n <= 1 + ln n: 1/(n + 1) < ln(1 + 1/n) < 1/n, as v/(1 + v) < ln(1 + v) < v for v = 1/n > 0
    v = sp.Symbol("v", positive=True)
    for below, above in ((v / (1 + v), log(1 + v)), (log(1 + v), v)):
        require_zero((above - below).subs(v, 0), "equal at v = 0")
        require(sp.factor(sp.simplify(sp.diff(above - below, v))).is_positive, "and growing")
    lower = sp.harmonic(n) / lam
    require_zero(sp.limit((1 + log(n) + lam) / log(n), n, sp.oo) - 1, "S lam/ln n tends to 1")
    return lower, lower + 1


def oscillation() -> Expr:
    """Prove that S - ln(n)/lam approaches a function of ln(n)/lam with period 1.

    With n = c exp(lam j) and i = j + m, the term 1 - (1 - exp(-lam i))^n tends to t(c, m) = 1 - exp(-c exp(-lam m)). A
    period, c to c exp(lam), shifts the terms by one, so S grows by 1, and so does ln(n)/lam.
    """
    c = sp.Symbol("c", positive=True)
    term = 1 - (1 - c * exp(-lam * m) / n) ** n
    limit = 1 - exp(-c * exp(-lam * m))
    require_zero(sp.limit(term, n, sp.oo) - limit, "one term")
    require_zero(limit.subs(c, c * exp(lam)) - limit.subs(m, m - 1), "a period moves the terms by one")
    require_zero(sp.limit(1 - limit.subs(m, -m), m, sp.oo).subs({c: 1, lam: 1}), "terms far below are 1")
    require_zero(log(c * exp(lam)) / lam - log(c) / lam - 1, "and the logarithm by one")
    return limit


def oscillation_height(decay: str) -> mpmath.mpf:
    """Compute half of the swing of S - ln(n)/lam at 30 digits.

    Its first harmonic is 2 |Gamma(2 pi i/lam)|/lam.
    """
    with mpmath.workdps(30):
        u = mpmath.mpf(decay)

        def shifted(phase: mpmath.mpf) -> mpmath.mpf:
            c = mpmath.exp(u * phase)
            far = int(80 / u) + 1
            above = mpmath.fsum(-mpmath.expm1(-c * mpmath.exp(-u * a)) for a in range(far))
            below = mpmath.fsum(-mpmath.exp(-c * mpmath.exp(u * a)) for a in range(1, int(6 / u) + 2))
            return above + below - phase

        values = [shifted(mpmath.mpf(a) / 64) for a in range(64)]
        return (max(values) - min(values)) / 2


def largest_delay() -> Expr:
    """Derive the mean of a number on v_0 < v_1 < ...: v_0 + sum of (v_(i+1) - v_i) (1 - F_i).

    The proof is by induction in the number of values. With F^n for F this is the mean of the largest of n: all are at
    most d with probability F(d)^n.
    """
    f, v = sp.Function("F"), sp.Function("v")
    # The law up to v_M: chances F_0, F_1 - F_0, ..., 1 - F_(M-1) for the last. One more value moves 1 - F_M to it.
    require_zero((v(M + 1) - v(M)) * (1 - f(M)) - (v(M) * (f(M) - 1) + v(M + 1) * (1 - f(M))), "step, M to M + 1")
    require_zero(v(0) * 1 - v(0), "base: one value")
    return sp.Sum((v(i + 1) - v(i)) * (1 - f(i) ** n), (i, 0, sp.oo)) + v(0)

"""Mean values and losses of single queues: M/M/1 with and without a limit, M/G/1, processor sharing.

Packets arrive by a Poisson process of rate rho; the mean service time is 1. Each function proves one result and returns
it; a proof that fails raises AssertionError. Three facts are used without proof: Little's law (mean number = rate times
mean time, for any part of the system), that Poisson arrivals see time averages (PASTA), and that where the number
changes by one at a time, departures leave behind what accepted arrivals find. A stands for the generating function in z
of the arrivals during a service.
"""

from typing import NamedTuple

import sympy as sp
from sympy import Expr, Rational, exp

from derivations.proof import once, require_zero

rho = sp.Symbol("rho", positive=True)
z, lam, mu = sp.symbols("z lambda mu", positive=True)
K, N = sp.symbols("K N", integer=True, positive=True)
A, C = sp.symbols("A C_b^2", positive=True)


class Finite(NamedTuple):
    """A queue of capacity K: loss probability, mean number, mean wait of the packets accepted."""

    loss: Expr
    number: Expr
    wait: Expr


class Times(NamedTuple):
    """Mean wait and mean response time, in mean service times."""

    wait: Expr
    response: Expr


def geometric_sums(last: Expr) -> tuple[Expr, Expr]:
    """Prove the sums of r^j and of j r^j over j = 0 ... last, for r = rho, by induction in the number of terms."""
    plain = (1 - rho ** (N + 1)) / (1 - rho)
    weighted = rho * (1 - (N + 1) * rho**N + N * rho ** (N + 1)) / (1 - rho) ** 2
    for total, term in ((plain, rho**N), (weighted, N * rho**N)):
        require_zero(total.subs(N, 0) - term.subs(N, 0), "base, N = 0")
        require_zero(total - total.subs(N, N - 1) - term, "step, N - 1 to N")
    return plain.subs(N, last), weighted.subs(N, last)


def mm1k_distribution() -> Expr:
    """Derive the distribution p_j of M/M/1/K from the balance lambda p_j = mu p_(j+1) between j and j + 1."""
    j = sp.Symbol("j", integer=True, nonnegative=True)
    p = rho**j / geometric_sums(K)[0]
    require_zero((lam * p - mu * p.subs(j, j + 1)).subs(rho, lam / mu), "the cut between j and j + 1")
    for room in range(1, 5):
        require_zero(sum(p.subs({K: room, j: i}) for i in range(room + 1)) - 1, "probabilities add up")
    return p


@once
def mm1k() -> Finite:
    """Derive loss, mean number and wait of M/M/1/K by PASTA and Little's law.

    An accepted packet waits one mean service time for each packet that it finds.
    """
    j = sp.Symbol("j", integer=True, nonnegative=True)
    loss = mm1k_distribution().subs(j, K)
    number = geometric_sums(K)[1] / geometric_sums(K)[0]
    found = geometric_sums(K - 1)[1] / geometric_sums(K - 1)[0]
    require_zero(number / (rho * (1 - loss)) - 1 - found, "Little's law: time spent is wait and service")
    result = Finite(
        rho**K * (1 - rho) / (1 - rho ** (K + 1)),
        rho / (1 - rho) - (K + 1) * rho ** (K + 1) / (1 - rho ** (K + 1)),
        rho / (1 - rho) - K * rho**K / (1 - rho**K),
    )
    for form, proved in zip(result, (loss, number, found), strict=True):
        require_zero(form - proved, "as printed")
    require_zero(result.loss.subs(K, 1) - rho / (1 + rho), "no buffer: Erlang's formula for one server")
    require_zero(result.wait.subs(K, 1), "no buffer, no wait")
    # At rho = 1 the terms of the two sums are 1 and j. The sums are finite, so that they are continuous there.
    require_zero(sp.limit(result.loss, rho, 1) - 1 / (K + 1), "rho = 1")
    for last, mean in ((K, K / 2), (K - 1, (K - 1) / 2)):
        require_zero(sp.summation(j, (j, 0, last)) / (last + 1) - mean, "rho = 1")
    return result


def mm1k_wait() -> Expr:
    """Derive the mean waiting time W_q of M/M/1/K."""
    return mm1k().wait


def phi(x: Expr, exponential: Expr | None = None) -> tuple[Expr, Expr, Expr, Expr]:
    """Return phi_1 ... phi_4 of x, where phi_k is the sum of x^j/(j + k)!.

    phi_0 = exp and phi_k = 1/k! + x phi_(k+1).
    """
    forms = [exp(x) if exponential is None else exponential]
    for k in range(4):
        forms.append((forms[-1] - 1 / sp.factorial(k)) / x)
    return forms[1], forms[2], forms[3], forms[4]


def phi_at_zero() -> tuple[Expr, ...]:
    """Derive phi_k(0) = 1/k! and phi_1' = phi_1 - phi_2, which Newton's method uses."""
    x = sp.Symbol("x", real=True)
    values = tuple(sp.limit(form, x, 0) for form in phi(x))
    for k, value in enumerate(values, 1):
        require_zero(value - 1 / sp.factorial(k), "phi_k(0)")
    one, two, _, _ = phi(x)
    require_zero(sp.diff(one, x) - (one - two), "slope of phi_1")
    return values


def mm1k_smooth() -> tuple[Expr, Expr]:
    """Derive forms of M/M/1/K without a division by 0 at u = ln rho = 0: the loss, and the mean of j < K.

    h(y) = 1/(exp(y) - 1) - 1/y + 1/2 is y (phi_2(y)/2 - phi_3(y))/phi_1(y); the loss divided by exp(K u), for u > 0,
    is the same quotient at -u.
    """
    u, y = sp.symbols("u y", real=True)
    one, two, three, _ = phi(y)
    loss = exp(K * u) * one.subs(y, u) / ((K + 1) * one.subs(y, (K + 1) * u))
    require_zero(loss - mm1k().loss.subs(rho, exp(u)), "loss")
    overload = one.subs(y, -u) / ((K + 1) * one.subs(y, -(K + 1) * u))
    require_zero(sp.expand((loss - overload).rewrite(exp)), "u > 0")
    h = 1 / (exp(y) - 1) - 1 / y + Rational(1, 2)
    require_zero(y * (two / 2 - three) / one - h, "h")
    mean = (K - 1) / sp.Integer(2) + K * h.subs(y, K * u) - h.subs(y, u)
    require_zero(mean - mm1k().wait.subs(rho, exp(u)), "mean")
    return loss, mean


@once
def mm1_number() -> Expr:
    """Derive the mean number in M/M/1 as the limit of M/M/1/K for K -> infinity, rho = exp(-a) < 1."""
    a = sp.Symbol("a", positive=True)
    finite = mm1k()
    require_zero(sp.limit(finite.loss.subs(rho, exp(-a)), K, sp.oo), "nothing is lost")
    law = rho / (1 - rho)
    require_zero(sp.limit(finite.number.subs(rho, exp(-a)), K, sp.oo) - law.subs(rho, exp(-a)), "limit")
    return law


@once
def mm1_times() -> Times:
    """Derive the mean wait and response time of M/M/1 by Little's law: L = rho W, and W_q = W - 1."""
    response = sp.simplify(mm1_number() / rho)
    wait = sp.simplify(response - 1)
    require_zero(wait - mm1_number(), "PASTA: each packet found takes a mean service time")
    return Times(wait, response)


@once
def pollaczek_khinchine() -> Expr:
    """Derive the mean wait W_q of M/G/1 in two ways: by mean values, and from the chain of departures."""
    wait, second, moment = sp.symbols("W S2 m", positive=True)
    # A service of length S adds S^2/2 to the integral of the residual service over time; rho of them start in 1.
    residual = rho * second / 2
    queued = rho * wait  # Little's law for the waiting places; each of them takes 1 on average
    by_means = sp.solve(sp.Eq(wait, queued + residual), wait)[0]
    # pi_j = pi_0 a_j + sum over i = 1 ... j + 1 of pi_i a_(j+1-i), so P = pi_0 A + (P - pi_0) A/z.
    total, idle = sp.symbols("P pi_0")
    law = sp.solve(sp.Eq(total, idle * A + (total - idle) * A / z), total)[0]
    # Near z = 1, A = 1 + rho (z - 1) + E[N(N-1)]/2 (z - 1)^2, and E[N(N-1)] = rho^2 E[S^2] for Poisson arrivals.
    x = sp.Symbol("x")
    near = law.subs(A, 1 + rho * x + moment / 2 * x**2).subs(z, 1 + x)
    idle_share = sp.solve(sp.limit(near, x, 0) - 1, idle)[0]
    require_zero(idle_share - (1 - rho), "probabilities add up")
    left_behind = sp.limit(sp.diff(sp.together(near.subs(idle, 1 - rho)), x), x, 0)
    by_chain = left_behind.subs(moment, rho**2 * second) / rho - 1  # Little's law
    require_zero(by_chain - by_means, "both ways")
    law = rho * (1 + C) / (2 * (1 - rho))
    require_zero(by_means.subs(second, 1 + C) - law, "variance = E[S^2] - 1 for a mean of 1")
    require_zero(law.subs(C, 1) - mm1_times().wait, "exponential")
    return law


def md1_wait() -> Expr:
    """Derive the mean wait W_q of M/D/1: M/G/1 with variance 0."""
    return pollaczek_khinchine().subs(C, 0)


@once
def processor_sharing() -> Expr:
    """Derive T(x)/x = 1/(1 - rho) under processor sharing, for exponential other packets and every x.

    Let T(n, x) be the mean time that a packet with remaining service x still needs when n others are present. It is
    served at rate 1/(n + 1), the others at n/(n + 1) together. By the backward equation

        dT/dx = (n + 1) (1 + rho (T(n+1, x) - T(n, x))) + n (T(n-1, x) - T(n, x)).

    An arrival finds n with probability (1 - rho) rho^n (`mm1k_distribution`, the total service rate being 1 for any n >
    0). In the mean of dT/dx over these, the coefficient of T(n, x) is 0: so the mean of T grows like the first term.
    """
    n = sp.Symbol("n", integer=True, nonnegative=True)
    weight = (1 - rho) * rho**n

    def at(k: Expr) -> Expr:
        return weight.subs(n, k)

    before = at(n - 1) * rho * n - at(n) * rho * (n + 1) + at(n + 1) * (n + 1) - at(n) * n
    require_zero(before, "the factor of T(n, x)")
    growth = mm1_number() + 1  # the mean of n + 1
    require_zero(growth - 1 / (1 - rho), "slope of the mean of T")
    require_zero(rho * growth - mm1_number(), "Little's law, x of mean 1")
    processor_sharing_insensitive()
    return 1 / (1 - rho)


def processor_sharing_insensitive() -> Expr:
    """Prove that the number under processor sharing depends on the load alone, for services of two phases.

    Phase 1 of rate mu_1 is followed by phase 2 of rate mu_2 with probability r. With i and k packets in the phases,
    p(i, k) = (1 - rho) C(i + k, i) r_1^i r_2^k, r_1 = lambda/mu_1, r_2 = lambda r/mu_2, balances every state. Given i +
    k it is binomial, and i + k is geometric with rho = r_1 + r_2. Such services have any coefficient of variation from
    1/sqrt(2) up. The extension to any number of phases, hence to all distributions, is not proved here.
    """
    first, second, r = sp.symbols("mu_1 mu_2 r", positive=True)
    i, k = sp.symbols("i k", integer=True, positive=True)
    r_1, r_2 = lam / first, lam * r / second

    def p(i: Expr, k: Expr) -> Expr:
        return sp.factorial(i + k) / (sp.factorial(i) * sp.factorial(k)) * r_1**i * r_2**k

    def residual(i: Expr, k: Expr, inner: bool = True) -> Expr:
        # out: an arrival, or the end of a phase; in: an arrival, phase 1 to 2, out of phase 1, out of phase 2
        share = 1 if inner else 0
        out = p(i, k) * (lam + (first * i + second * k) / (i + k) * share)
        entered = p(i - 1, k) * lam if i != 0 else 0
        moved = p(i + 1, k - 1) * first * r * (i + 1) / (i + k) if k != 0 else 0
        left = p(i + 1, k) * first * (1 - r) * (i + 1) + p(i, k + 1) * second * (k + 1)
        return out - entered - moved - left / (i + k + 1)

    zero = sp.Integer(0)
    for state in ((i, k), (i, zero), (zero, k)):
        shares = sp.Add(*(sp.combsimp(flow / p(*state)) for flow in sp.Add.make_args(sp.expand(residual(*state)))))
        require_zero(sp.powsimp(sp.expand(shares)), "balance of a state")
    empty = lam - (p(1, 0) * first * (1 - r) + p(0, 1) * second)
    require_zero(empty, "balance of the empty state")
    for number in range(5):
        states = sum(p(sp.Integer(one), sp.Integer(number - one)) for one in range(number + 1))
        require_zero(sp.expand(states - (r_1 + r_2) ** number), "i + k is geometric")
    load = lam * (1 / first + r / second)  # arrival rate times mean service time
    require_zero(load - (r_1 + r_2), "its parameter is the load")
    return r_1 + r_2

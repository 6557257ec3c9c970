"""Mean values and losses of single queues: M/M/1 and M/D/1 with and without a limit, M/G/1, processor sharing.

Packets arrive at the times of a Poisson process of rate rho; the mean service time is 1. Each function proves one
result and returns it; one that fails raises AssertionError. Three facts are used without proof: Little's law
(mean number = rate times mean time, of any part of the system), that Poisson arrivals see time averages (PASTA),
and that where the number changes by one at a time, departures leave behind what accepted arrivals find. Letters
for the generating function in z: A of the arrivals in a service, B of b_n, Q of q_n = b_n - b_(n-1).
"""

from functools import cache
from typing import NamedTuple

import mpmath
import sympy as sp
from sympy import Expr, Rational, exp

from derivations.proof import require, require_zero

rho, tau = sp.Symbol("rho", positive=True), sp.Symbol("tau", real=True)
z, lam, mu = sp.symbols("z lambda mu", positive=True)
K, N = sp.symbols("K N", integer=True, positive=True)
A, C = sp.symbols("A C_b^2", positive=True)


class Finite(NamedTuple):
    """A queue with room for K: loss probability, mean number, mean wait of the packets accepted."""

    loss: Expr
    number: Expr
    wait: Expr


def geometric_sums(last: Expr) -> tuple[Expr, Expr]:
    """Sums of r^j and of j r^j over j = 0 ... last, for r = rho: proved for every number of terms by induction."""
    plain = (1 - rho ** (N + 1)) / (1 - rho)
    weighted = rho * (1 - (N + 1) * rho**N + N * rho ** (N + 1)) / (1 - rho) ** 2
    for total, term in ((plain, rho**N), (weighted, N * rho**N)):
        require_zero(total.subs(N, 0) - term.subs(N, 0), "base, N = 0")
        require_zero(total - total.subs(N, N - 1) - term, "step, N - 1 to N")
    return plain.subs(N, last), weighted.subs(N, last)


def mm1k_distribution() -> Expr:
    """p_j of M/M/1/K: up over the cut between j and j + 1 as often as down, lambda p_j = mu p_(j+1)."""
    j = sp.Symbol("j", integer=True, nonnegative=True)
    p = rho**j / geometric_sums(K)[0]
    require_zero((lam * p - mu * p.subs(j, j + 1)).subs(rho, lam / mu), "the cut between j and j + 1")
    for room in range(1, 5):
        require_zero(sum(p.subs({K: room, j: i}) for i in range(room + 1)) - 1, "probabilities add up")
    return p


@cache
def mm1k() -> Finite:
    """M/M/1/K by PASTA (loss) and Little's law (wait): an accepted packet waits a service for each one it finds."""
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
        require_zero(sp.simplify(form - proved), "as printed")
    require_zero(result.loss.subs(K, 1) - rho / (1 + rho), "no buffer: Erlang's formula for one server")
    require_zero(sp.simplify(result.wait.subs(K, 1)), "no buffer, no wait")
    for form, at_one in zip(result, (1 / (K + 1), K / 2, (K - 1) / 2), strict=True):
        require_zero(sp.limit(form, rho, 1) - at_one, "rho = 1")
    return result


def mm1k_wait() -> Expr:
    """W_q of M/M/1/K, from `mm1k`."""
    return mm1k().wait


def mm1k_smooth() -> tuple[Expr, Expr]:
    """The forms without a division by 0 at u = ln rho = 0: for the loss, and for the mean of j < m.

    h(y) = 1/(exp(y) - 1) - 1/y + 1/2 is y (phi_2(y)/2 - phi_3(y))/phi_1(y); the loss divided by exp(K u), for u > 0,
    is the same quotient at -u.
    """
    u, y = sp.symbols("u y", real=True)
    one, two, three, _ = phi(y)
    loss = exp(K * u) * one.subs(y, u) / ((K + 1) * one.subs(y, (K + 1) * u))
    require_zero(sp.simplify(loss - mm1k().loss.subs(rho, exp(u))), "loss")
    overload = one.subs(y, -u) / ((K + 1) * one.subs(y, -(K + 1) * u))
    require_zero(sp.simplify(sp.expand((loss - overload).rewrite(exp))), "u > 0")
    h = 1 / (exp(y) - 1) - 1 / y + Rational(1, 2)
    require_zero(sp.simplify(y * (two / 2 - three) / one - h), "h")
    mean = (K - 1) / sp.Integer(2) + K * h.subs(y, K * u) - h.subs(y, u)
    require_zero(sp.simplify(mean - mm1k().wait.subs(rho, exp(u))), "mean")
    return loss, mean


@cache
def mm1_number() -> Expr:
    """L of M/M/1: M/M/1/K with K beyond all bounds, rho = exp(-a) < 1."""
    a = sp.Symbol("a", positive=True)
    finite = mm1k()
    require_zero(sp.limit(finite.loss.subs(rho, exp(-a)), K, sp.oo), "nothing is lost")
    law = rho / (1 - rho)
    require_zero(sp.simplify(sp.limit(finite.number.subs(rho, exp(-a)), K, sp.oo) - law.subs(rho, exp(-a))), "limit")
    return law


@cache
def mm1_times() -> tuple[Expr, Expr]:
    """Wait and response of M/M/1: Little's law, L = rho W, and W_q = W - 1."""
    response = sp.simplify(mm1_number() / rho)
    wait = sp.simplify(response - 1)
    require_zero(wait - mm1_number(), "PASTA: each packet found takes a mean service time")
    return wait, response


@cache
def pollaczek_khinchine() -> Expr:
    """W_q of M/G/1 twice: by mean values, and from the chain of the numbers that departures leave behind."""
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
    require_zero(sp.simplify(by_chain - by_means), "both ways")
    law = rho * (1 + C) / (2 * (1 - rho))
    require_zero(sp.simplify(by_means.subs(second, 1 + C) - law), "variance = E[S^2] - 1 for a mean of 1")
    require_zero(sp.simplify(law.subs(C, 1) - mm1_times()[0]), "exponential")
    return law


def md1_wait() -> Expr:
    """W_q of M/D/1: no variance."""
    return pollaczek_khinchine().subs(C, 0)


def b(n: int) -> Expr:
    """b_n of Brun and Garcia, with k = n - m: sum over m of exp(m rho) (-m rho)^(n-m)/(n-m)!."""
    return sum(exp(m * rho) * (-m * rho) ** (n - m) / sp.factorial(n - m) for m in range(n + 1))


@cache
def md1k_chain() -> Expr:
    """b_n is the sum of pi_j/pi_0 over j <= n, for every n: the closed form solves the embedded chain.

    With pi_j/pi_0 = b_j - b_(j-1) the equations of the chain for 0 ... n - 1, added up, are

        sum over i = 0 ... n of a_(n-i) b_i = b_(n-1) + a_n,      a_i = exp(-rho) rho^i/i!.

    In the m-th terms of the b_i stands, by the binomial theorem, exp((m-1) rho) ((1-m) rho)^(n-m)/(n-m)!: a_n for
    m = 0, and the (m-1)th term of b_(n-1) for the others.
    """
    m = sp.Symbol("m", integer=True, positive=True)
    for power in range(8):  # the step for n - m = power; m is free, and so n is
        # terms i = m + k of the sum: a_(n-i) times the m-th term of b_i
        terms = sum(
            exp(-rho) * rho ** (power - k) / sp.factorial(power - k) * exp(m * rho) * (-m * rho) ** k / sp.factorial(k)
            for k in range(power + 1)
        )
        shifted = exp((m - 1) * rho) * (-(m - 1) * rho) ** power / sp.factorial(power)
        require_zero(sp.expand(terms - shifted), "binomial theorem")
    a = [exp(-rho) * rho**i / sp.factorial(i) for i in range(8)]
    for n in range(6):
        before = b(n - 1) if n else sp.Integer(0)
        require_zero(sp.expand(sum(a[n - i] * b(i) for i in range(n + 1)) - before - a[n]), "the sum")
        q = [b(0)] + [b(i) - b(i - 1) for i in range(1, n + 2)]
        chain = q[0] * a[n] + sum(q[i] * a[n + 1 - i] for i in range(1, n + 2))
        require_zero(sp.expand(q[n] - chain), "the chain itself")
    # The same in generating functions: B A = z B + A.
    generating = A / (A - z)
    require_zero(sp.simplify(generating * A - z * generating - A), "B")
    return generating


@cache
def md1k() -> Finite:
    """M/D/1/K from pi_0 = 1/b_(K-1): the departures' chain is that of M/D/1, cut off at K - 1.

    From one departure to the next a service passes, and before it the mean gap 1/rho if nothing was left behind.
    Departures are accepted packets: their rate is rho (1 - P). Accepted packets find what departures leave behind,
    so p_j = (1 - P) pi_j for j < K, and p_K = P (PASTA).
    """
    last, total = sp.symbols("b_last b_total", positive=True)  # b_(K-1), and the sum of b_0 ... b_(K-1)
    carried = 1 / (1 + (1 / last) / rho)
    loss = 1 - carried / rho
    require_zero(sp.simplify(loss - (1 - last / (1 + rho * last))), "loss")
    left_behind = K - total / last  # sum of j (b_j - b_(j-1)) over j < K is K b_(K-1) - (b_0 + ... + b_(K-1))
    number = sp.simplify((1 - loss) * left_behind + loss * K)
    require_zero(sp.simplify(number - (K - total / (1 + rho * last))), "number")
    wait = K - 1 - (total - K) / (rho * last)
    require_zero(sp.simplify(number / carried - 1 - wait), "Little's law")
    for room in range(1, 5):
        at = {last: b(room - 1), total: sum(b(n) for n in range(room)), K: room}
        solved = md1k_solved(room)
        for form, proved in zip(Finite(loss, number, wait), solved, strict=True):
            require_zero(sp.simplify(form.subs(at) - proved), "the chain solved as a linear system")
    return Finite(1 - last / (1 + rho * last), K - total / (1 + rho * last), wait)


@cache
def md1k_solved(room: int) -> Finite:
    """M/D/1/K for one K: the chain of K states solved, and the loss counted in the services instead."""
    a = [exp(-rho) * rho**i / sp.factorial(i) for i in range(room + 1)]
    left = sp.symbols(f"pi:{room}")
    equations = [sum(left) - 1]
    for j in range(room - 1):  # the last equation follows from the others
        entering = left[0] * a[j] + sum(left[i] * a[j + 1 - i] for i in range(1, j + 2))
        equations.append(left[j] - entering)
    pi = list(sp.solve(equations, left, dict=True)[0].values())
    # Of the arrivals in a service that begins with i packets, those beyond K - i are lost; E[N] = rho.
    lost = sum(
        pi[i] * (rho - (room - max(i, 1)) + sum((room - max(i, 1) - n) * a[n] for n in range(room - max(i, 1))))
        for i in range(room)
    )
    loss = lost / (1 + lost)  # per departure, that is per packet accepted
    queued = (1 - loss) * sum(max(i - 1, 0) * pi[i] for i in range(room)) + loss * (room - 1)
    wait = queued / (rho * (1 - loss))
    return Finite(loss, rho * (1 - loss) * (1 + wait), wait)


def md1k_loss() -> Expr:
    """P of M/D/1/K, once the chain's solution is proved."""
    md1k_chain()
    return md1k().loss


def md1k_mean_number() -> Expr:
    """L of M/D/1/K."""
    md1k_chain()
    return md1k().number


def md1k_wait() -> Expr:
    """W_q of M/D/1/K."""
    md1k_chain()
    return md1k().wait


def md1k_positive() -> Expr:
    """The chain by levels, in positive terms: Q = A + (Q - 1) (tail) + tail; and the overflow c_n.

    With tail A_j = P(N > j): coefficient by coefficient, q_(j+1) a_0 = A_j + sum over i of q_i A_(j-i+1). With
    E_j = E[max(N - j, 0)], c_n = E_n + sum over i = 1 ... n of q_i E_(n+1-i) is the mean number lost in a service
    relative to pi_0, so that P = c_n/(b_n + c_n), n = K - 1.
    """
    generating = md1k_chain()
    q = sp.simplify((1 - z) * generating)
    tail = (1 - A) / (1 - z)
    # sum over j of z^(j+1) (q_(j+1) a_0 - A_j - sum of q_i A_(j-i+1), i >= 1), with a_0 = 1 - A_0
    levels = (q - 1) - z * tail - (q - 1) * tail
    require_zero(sp.simplify(levels), "between levels")
    excess = (rho - z * tail) / (1 - z)  # of E_j, whose E_0 is rho; E_j is the sum of A_i over i >= j
    overflow = excess + (q - 1) * (excess - rho) / z
    require_zero(sp.simplify(overflow - (1 / (1 - z) - (1 - rho) * generating)), "c_n = 1 - (1 - rho) b_n")
    last, lost = sp.symbols("b c", positive=True)
    loss = lost / (last + lost)
    require_zero(sp.simplify(loss.subs(lost, 1 - (1 - rho) * last) - (1 - last / (1 + rho * last))), "loss")
    require_zero(sp.limit(excess.subs(A, exp(-rho * (1 - z))).subs(z, 0), rho, 0), "nothing arrives")
    return loss


def phi(x: Expr, exponential: Expr | None = None) -> tuple[Expr, Expr, Expr, Expr]:
    """phi_1 ... phi_4 of x, phi_k the sum of x^j/(j + k)!: phi_0 = exp and phi_k = 1/k! + x phi_(k+1)."""
    forms = [exp(x) if exponential is None else exponential]
    for k in range(4):
        forms.append((forms[-1] - 1 / sp.factorial(k)) / x)
    return forms[1], forms[2], forms[3], forms[4]


def phi_at_zero() -> tuple[Expr, ...]:
    """phi_k(0) = 1/k!, and phi_1' = phi_1 - phi_2, which Newton's method uses."""
    x = sp.Symbol("x", real=True)
    values = tuple(sp.limit(form, x, 0) for form in phi(x))
    for k, value in enumerate(values, 1):
        require_zero(value - 1 / sp.factorial(k), "phi_k(0)")
    one, two, _, _ = phi(x)
    require_zero(sp.simplify(sp.diff(one, x) - (one - two)), "slope of phi_1")
    return values


def md1k_poles() -> Finite:
    """What the poles 1 and exp(tau) of B give, rho = tau/(exp(tau) - 1), as functions of tau and n = K - 1.

    A pole s of 1/(1 - z exp(rho (1 - z))) gives b_n the term s^-n/(1 - rho s). Returned are the smooth forms that
    floats use: with w = n tau, phi of tau, phi' of -tau,

        weight = exp(-tau) phi_2/phi_2',  slope = (1 - weight)/tau,  share = n phi_1(-w) + exp(-w) slope,
        P = weight exp(-w) rho phi_2/(that + share),
        W_q = (n^2 weight exp(-w) phi_2(w) + offset)/share.
    """
    n, E, F = sp.symbols("n E F", positive=True)  # E and F for exp(tau) and exp(-w): the identities need no more
    load = tau / (E - 1)
    pole = sp.Symbol("s", positive=True)
    slope_at = sp.diff(1 - z * exp(rho * (1 - z)), z).subs(z, pole).subs(exp(rho * (1 - pole)), 1 / pole)
    require_zero(slope_at - (rho - 1 / pole), "derivative at a pole")
    require_zero(sp.simplify(-1 / (pole * slope_at) - 1 / (1 - rho * pole)), "residue: z^n in 1/(slope (z - s))")
    require_zero(sp.simplify(tau + load * (1 - E)), "exp(tau) is a pole")
    last = 1 / (1 - load) + F / (1 - load * E)
    # b_0 + ... + b_n is the coefficient of B/(1 - z): the pole 1 is double, the other is divided by 1 - s.
    y = sp.Symbol("y")  # 1 - z
    double = sp.series(y / (1 - (1 - y) * exp(rho * y)), y, 0, 2).removeO()
    total = (double.coeff(y, 0) * (n + 1) + double.coeff(y, 1)).subs(rho, load) + F / ((1 - E) * (1 - load * E))
    proved = md1k()
    letters = {"b_last": last, "b_total": total}
    at = {symbol: letters[symbol.name] for symbol in proved.wait.free_symbols if symbol.name in letters} | {K: n + 1}

    w = n * tau
    plus, minus, falling, rising = phi(tau, E), phi(-tau, 1 / E), phi(-w, F), phi(w, 1 / F)
    bend, bend_minus = ((x[3] - x[2] / 3) / x[1] for x in (plus, minus))
    weight = plus[1] / minus[1] / E
    slope, offset = Rational(1, 3) + 2 * tau * bend_minus, 2 * bend_minus - bend
    require_zero(slope - (1 - weight) / tau, "slope")
    share, lost = n * falling[0] + F * slope, weight * F * load * plus[1]
    require_zero(F * rising[1] - (falling[0] - falling[1]), "exp(-w) phi_2(w)")
    require_zero(falling[0] - falling[1] - (falling[0] - F) / w, "the same without cancellation")
    wait = (n**2 * weight * F * rising[1] + offset) / share
    result = Finite(lost / (lost + share), load * share / (lost + share) * (1 + wait), wait)
    for form, exact in zip(result, proved, strict=True):
        residual = form - exact.subs(at).subs(rho, load)
        require_zero(sp.expand(sp.numer(sp.together(residual))), "the sum over two poles")
    return result


@cache
def processor_sharing() -> Expr:
    """T(x)/x = 1/(1 - rho) under processor sharing: for exponential others and every x, by the backward equation.

    Let T(n, x) be the mean time that a packet with x left to be served still needs when n others are there. It is
    served at 1/(n + 1), the others at n/(n + 1) together: in time dt it gets dt/(n + 1) done, so

        dT/dx = (n + 1) (1 + rho (T(n+1, x) - T(n, x))) + n (T(n-1, x) - T(n, x)).

    An arrival finds n with (1 - rho) rho^n (`mm1k_distribution`, the total rate of service being 1 for any n > 0).
    In the mean of dT/dx over these, what stands before T(n, x) is 0: so its mean grows like the first term.
    """
    n = sp.Symbol("n", integer=True, nonnegative=True)
    weight = (1 - rho) * rho**n

    def at(k: Expr) -> Expr:
        return weight.subs(n, k)

    before = at(n - 1) * rho * n - at(n) * rho * (n + 1) + at(n + 1) * (n + 1) - at(n) * n
    require_zero(sp.simplify(before), "the factor of T(n, x)")
    growth = mm1_number() + 1  # the mean of n + 1
    require_zero(sp.simplify(growth - 1 / (1 - rho)), "slope of the mean of T")
    require_zero(sp.simplify(rho * growth - mm1_number()), "Little's law, x of mean 1")
    processor_sharing_insensitive()
    return 1 / (1 - rho)


def processor_sharing_insensitive() -> Expr:
    """The number in the system depends on the load alone: for services of two phases, of whatever lengths.

    Phase 1 of rate mu_1 is followed by phase 2 of rate mu_2 with probability r. Of i and k packets in the phases,
    p(i, k) = (1 - rho) C(i + k, i) r_1^i r_2^k, r_1 = lambda/mu_1, r_2 = lambda r/mu_2, balances every state; given
    i + k it is binomial, and i + k is geometric with rho = r_1 + r_2. Such services have any coefficient of variation
    from 1/sqrt(2) up. That this goes on for any number of phases, hence for all distributions, is not proved here.
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
        require_zero(sp.gammasimp(sp.simplify(residual(*state) / p(*state))), "balance of a state")
    empty = lam - (p(1, 0) * first * (1 - r) + p(0, 1) * second)
    require_zero(sp.simplify(empty), "balance of the empty state")
    for number in range(5):
        states = sum(p(sp.Integer(one), sp.Integer(number - one)) for one in range(number + 1))
        require_zero(sp.expand(states - (r_1 + r_2) ** number), "i + k is geometric")
    load = lam * (1 / first + r / second)  # arrival rate times mean service time
    require_zero(sp.simplify(load - (r_1 + r_2)), "its parameter is the load")
    return r_1 + r_2


def md1k_poles_error(load: str, places: int) -> mpmath.mpf:
    """Relative error of the two poles for the loss, against the closed form at many digits."""
    with mpmath.workdps(60 + int(3 * places)):
        x, n = mpmath.mpf(load), places - 1
        last = mpmath.fsum(mpmath.exp(m * x) * (-m * x) ** (n - m) / mpmath.factorial(n - m) for m in range(n + 1))
        exact = (1 - (1 - x) * last) / (1 + x * last)
        branch = -1 if x < 1 else 0  # the other solution of rho s exp(-rho s) = rho exp(-rho)
        pole = -mpmath.lambertw(-x * mpmath.exp(-x), branch).real / x
        last = 1 / (1 - x) + pole**-n / (1 - x * pole)
        require(pole != 1, "two poles")
        return abs((1 - (1 - x) * last) / (1 + x * last) - exact) / exact

"""Losses and mean values of M/D/1/K (constant service, finite buffer): the closed form, and its two dominant poles.

The law uses the poles for floating-point numbers. Assumptions and facts used without proof are those of
derivations/queues.py. Generating functions in z: A of the arrivals in a service, B of b_n, Q of q_n = b_n - b_(n-1).
"""

from typing import Any

import mpmath
import sympy as sp
from sympy import Expr, Rational, exp

from derivations.proof import once, require, require_zero
from derivations.queues import A, Finite, K, phi, rho, z

tau = sp.Symbol("tau", real=True)


def b(n: int) -> Expr:
    """Return b_n of Brun and Garcia: the sum over m <= n of exp(m rho) (-m rho)^(n-m)/(n-m)!."""
    return sum(exp(m * rho) * (-m * rho) ** (n - m) / sp.factorial(n - m) for m in range(n + 1))


def fraction(expression: Expr) -> Any:
    """Return an expression as a fraction of polynomials in rho and exp(rho), which has one normal form."""
    E = sp.Symbol("E", positive=True)
    powers = expression.replace(lambda one: isinstance(one, exp), lambda one: E ** sp.cancel(one.args[0] / rho))
    return sp.QQ.frac_field(rho, E).from_sympy(powers)


@once
def md1k_chain() -> Expr:
    """Prove that b_n is the sum of pi_j/pi_0 over j <= n: the closed form solves the embedded Markov chain.

    With pi_j/pi_0 = b_j - b_(j-1), the equations of the chain for 0 ... n - 1, added up, are

        sum over i = 0 ... n of a_(n-i) b_i = b_(n-1) + a_n,      a_i = exp(-rho) rho^i/i!.

    By the binomial theorem the m-th terms of the b_i add up to exp((m-1) rho) ((1-m) rho)^(n-m)/(n-m)!. This is a_n for
    m = 0, and the (m-1)th term of b_(n-1) otherwise.
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
    require_zero(generating * A - z * generating - A, "B")
    return generating


@once
def md1k() -> Finite:
    """Derive loss, mean number and mean wait of M/D/1/K from pi_0 = 1/b_(K-1).

    The chain of departures is that of M/D/1, truncated at K - 1. The time between departures is a service time, and the
    mean gap 1/rho before it if the departure left the system empty. Departures are accepted packets, so their rate is
    rho (1 - P). Accepted packets find what departures leave behind, so p_j = (1 - P) pi_j for j < K, and p_K = P
    (PASTA).
    """
    last, total = sp.symbols("b_last b_total", positive=True)  # b_(K-1), and the sum of b_0 ... b_(K-1)
    carried = 1 / (1 + (1 / last) / rho)
    loss = 1 - carried / rho
    require_zero(loss - (1 - last / (1 + rho * last)), "loss")
    left_behind = K - total / last  # sum of j (b_j - b_(j-1)) over j < K is K b_(K-1) - (b_0 + ... + b_(K-1))
    number = sp.simplify((1 - loss) * left_behind + loss * K)
    require_zero(number - (K - total / (1 + rho * last)), "number")
    wait = K - 1 - (total - K) / (rho * last)
    require_zero(number / carried - 1 - wait, "Little's law")
    for room in range(1, 5):
        at = {last: b(room - 1), total: sum(b(n) for n in range(room)), K: room}
        solved = md1k_solved(room)
        for form, proved in zip(Finite(loss, number, wait), solved, strict=True):
            require(fraction(form.subs(at) - proved) == 0, "the chain solved as a linear system")
    return Finite(1 - last / (1 + rho * last), K - total / (1 + rho * last), wait)


@once
def md1k_solved(room: int) -> Finite:
    """Solve M/D/1/K for one K as a linear system of K states, counting the losses during each service."""
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
    """Derive the loss probability P of M/D/1/K."""
    md1k_chain()
    return md1k().loss


def md1k_mean_number() -> Expr:
    """Derive the mean number in the system, L, of M/D/1/K."""
    md1k_chain()
    return md1k().number


def md1k_wait() -> Expr:
    """Derive the mean waiting time W_q of M/D/1/K."""
    md1k_chain()
    return md1k().wait


def md1k_positive() -> Expr:
    """Derive a recurrence with positive terms for the chain: Q = A + (Q - 1) (tail) + tail; and the overflow c_n.

    With tail A_j = P(N > j): coefficient by coefficient, q_(j+1) a_0 = A_j + sum over i of q_i A_(j-i+1). With
    E_j = E[max(N - j, 0)], c_n = E_n + sum over i = 1 ... n of q_i E_(n+1-i) is the mean number lost in a service
    relative to pi_0, so that P = c_n/(b_n + c_n), n = K - 1.
    """
    generating = md1k_chain()
    q = sp.simplify((1 - z) * generating)
    tail = (1 - A) / (1 - z)
    # sum over j of z^(j+1) (q_(j+1) a_0 - A_j - sum of q_i A_(j-i+1), i >= 1), with a_0 = 1 - A_0
    levels = (q - 1) - z * tail - (q - 1) * tail
    require_zero(levels, "between levels")
    excess = (rho - z * tail) / (1 - z)  # generating function of E_j, the sum of A_i over i >= j; E_0 is rho
    overflow = excess + (q - 1) * (excess - rho) / z
    require_zero(overflow - (1 / (1 - z) - (1 - rho) * generating), "c_n = 1 - (1 - rho) b_n")
    last, lost = sp.symbols("b c", positive=True)
    loss = lost / (last + lost)
    require_zero(loss.subs(lost, 1 - (1 - rho) * last) - (1 - last / (1 + rho * last)), "loss")
    require_zero(sp.limit(excess.subs(A, exp(-rho * (1 - z))).subs(z, 0), rho, 0), "nothing arrives")
    return loss


def md1k_poles() -> Finite:
    """Derive the contribution of the poles 1 and exp(tau) of B, rho = tau/(exp(tau) - 1), with n = K - 1.

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
    require_zero(-1 / (pole * slope_at) - 1 / (1 - rho * pole), "residue: z^n in 1/(slope (z - s))")
    require_zero(tau + load * (1 - E), "exp(tau) is a pole")
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


def md1k_poles_error(load: str, places: int) -> mpmath.mpf:
    """Compute the relative error of the loss by two poles, against the closed form at many digits."""
    with mpmath.workdps(60 + int(3 * places)):
        x, n = mpmath.mpf(load), places - 1
        last = mpmath.fsum(mpmath.exp(m * x) * (-m * x) ** (n - m) / mpmath.factorial(n - m) for m in range(n + 1))
        exact = (1 - (1 - x) * last) / (1 + x * last)
        branch = -1 if x < 1 else 0  # the other solution of rho s exp(-rho s) = rho exp(-rho)
        pole = -mpmath.lambertw(-x * mpmath.exp(-x), branch).real / x
        last = 1 / (1 - x) + pole**-n / (1 - x * pole)
        require(pole != 1, "two poles")
        return abs((1 - (1 - x) * last) / (1 + x * last) - exact) / exact

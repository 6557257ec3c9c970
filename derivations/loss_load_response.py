"""Loss-load sources that minimise response time: their equilibrium, best replies and stability.

Response(f) = N/((1 - P) f mu) + (1 - ln N/ln P) R (Prithviraj & Williamson, section 2.2): N packets, round-trip time R,
mu the capacity in packets/s. The best rate depends on N, R and mu only through e = R mu ln(N)/N.
"""

from typing import NamedTuple

import sympy as sp
from sympy import Expr

from derivations.loss_load import (
    M,
    a,
    b,
    balance,
    equilibrium,
    f,
    k,
    loss,
    loss_at_optimum,
    optimal_rate,
    q,
)
from derivations.proof import once, require, require_zero

N, R, mu, eps = sp.symbols("N R mu epsilon", positive=True)


def stationary() -> Expr:
    """Derive the stationary condition -t'/t^2 + e P'/(P ln(P)^2) = 0, with e = R mu ln(N)/N.

    The left side is the derivative of Response over N/mu.
    """
    loss_of, t_of = sp.Function("P")(f), sp.Function("t")(f)
    response = N / (t_of * mu) + (1 - sp.log(N) / sp.log(loss_of)) * R
    law = -sp.diff(t_of, f) / t_of**2 + eps * sp.diff(loss_of, f) / (loss_of * sp.log(loss_of) ** 2)
    require_zero(sp.diff(response, f) * mu / N - law.subs(eps, R * mu * sp.log(N) / N), "the derivative")
    require_zero(sp.limit(R * mu * sp.log(N) / N, N, sp.oo), "e -> 0 as N grows")
    require_zero((R * mu * sp.log(N) / N).subs(R, 0), "e -> 0 with R")
    require_zero((R * mu * sp.log(N) / N).subs(N, 1), "and e = 0 for a single packet")
    require(sp.diff(sp.log(N) / N, N).subs(N, sp.E) == 0, "largest, R mu/exp(1), at N = exp(1)")
    return law


def limit_bound() -> Expr:
    """Prove that 0 <= 1/t(f_r) - 1/t(f_t) <= e/ln(k + 1), so that f_r -> f_t if R -> 0 or if N -> infinity.

    f_r is the response-optimal and f_t the throughput-optimal rate. f_r minimises 1/t + e h, h = -1/ln(P) >= 0 (0 where
    P = 0). P never falls (`loss_rises`), so h does not, and beyond f_t both terms are larger than at f_t: f_r <= f_t.
    At f_r the sum is no larger than at f_t, where h = 1/ln(k + 1). And t has a single maximum and rises up to it
    (`optimal_rate`), so a throughput near the largest belongs to a rate near f_t.
    """
    h = -1 / sp.log(q)
    require(sp.diff(h, q) == 1 / (q * sp.log(q) ** 2), "h rises with P")
    require_zero(sp.limit(h, q, 0), "from 0, where nothing is lost")
    require_zero(sp.simplify(h.subs(q, loss_at_optimum())) - 1 / sp.log(k + 1), "h at the throughput optimum")
    return eps / sp.log(k + 1)


def first_shift() -> Expr:
    """Derive the first-order shift: f_r = f_t - e k^2 f^(k+2) (f + a)/((k + 1) b ln(k + 1)^2) + O(e^2).

    On the right f = f_t. t' = e t^2 P'/(P ln(P)^2), and t' = t'' (f_r - f_t) to first order.
    """
    second = sp.diff(optimal_rate().throughput_slope, f)
    here = second.subs(b, balance())
    bend = -b * k / ((k + 1) * f ** (k + 1) * (f + a))
    require_zero(here - bend.subs(b, balance()), "t'' at the optimum, negative: f_t varies smoothly with e")
    lost = loss_at_optimum()
    per_rate = (1 - lost) / f  # t' = 1 - P - f P' = 0
    require_zero((sp.diff(loss(), f) - per_rate).subs(b, balance()), "P' at the optimum")
    shift = (f * (1 - lost)) ** 2 * per_rate / (lost * sp.log(lost) ** 2) / bend
    law = -(k**2) * f ** (k + 2) * (f + a) / ((k + 1) * b * sp.log(k + 1) ** 2)
    require_zero(sp.expand_log(shift - law, force=True), "the shift per e")
    return eps * law


class Rest(NamedTuple):
    """M equal sources in equilibrium, by their loss P: e, elasticity f P'/P, and cross-elasticity f (dP/dx)/P."""

    epsilon: Expr
    elasticity: Expr
    cross: Expr


@once
def rest() -> Rest:
    """Derive the equilibrium of M equal sources: (M - 1)(1 - (k + 1) P) ln(P)^2 = e (1 - P) eta, load 1/(1 - P).

    eta = k + (1 - (k + 1) P)/(M P). The equation gives e by P, not P by e: e is 0 at P = 1/(k + 1), where throughput is
    largest, and again as P -> 0. So there is a largest e, beyond which equal sources have no symmetric equilibrium
    above capacity.
    """
    x = sp.Symbol("x", positive=True)  # one other's rate, the rest of a and b being constant
    apart = {a: a + x, b: b + x ** (k + 1)}
    full = loss().subs(apart, simultaneous=True)
    equal = {b: (M - 2) * f ** (k + 1), a: (M - 2) * f - 1}
    load = 1 / (1 - q)

    def at_rest(expression: Expr) -> Expr:
        return sp.simplify(expression.subs(x, f).subs(equal).subs(f, load / M))

    require_zero(at_rest(full) - q, "the loss at load 1/(1 - P)")
    cross = (1 - (k + 1) * q) / (M * q)
    elasticity = k + cross
    require_zero(at_rest(f * sp.diff(full, f) / full) - elasticity, "own elasticity")
    require_zero(at_rest(f * sp.diff(full, x) / full) - cross, "another's")
    # stationary, times P t^2 (ln P)^2, with f P' = eta P and t = f (1 - P)
    left = (1 - q - elasticity * q) * sp.log(q) ** 2
    right = load / M * (1 - q) ** 2 * elasticity
    require_zero(left - (M - 1) / M * (1 - (k + 1) * q) * sp.log(q) ** 2, "the left side")
    epsilon = (M - 1) * (1 - (k + 1) * q) * sp.log(q) ** 2 / ((1 - q) * elasticity)
    require_zero(left / right - epsilon, "e by P")
    require_zero(epsilon.subs(q, 1 / (k + 1)), "e = 0: throughput optimum")
    require_zero(M * equilibrium() - load.subs(q, loss_at_optimum()), "whose load is (k + 1)/k")
    require_zero(sp.limit(q * sp.log(q) ** 2, q, 0), "P ln(P)^2 -> 0 as P -> 0,")
    require_zero(sp.limit(q * elasticity, q, 0) - 1 / M, "P eta does not: so e -> 0, too")
    return Rest(epsilon, elasticity, cross)


@once
def slope_of_reply() -> Expr:
    """Derive the slope dF/dx in equilibrium by P, k and M; it is zero only for e = 0.

    It is -S_x/S_f for the stationary condition S(f, x) = (1 - P - eta P) ln(P)^2 - e f (1 - P)^2 eta = 0. The change of
    each term is written with p, the relative change of P, and d, the change of eta; e f (1 - P)^2 eta = Z ln(P)^2 in
    equilibrium, Z = (M - 1) P cross.
    """
    at = rest()
    l2 = sp.log(q) ** 2
    z = (M - 1) * q * at.cross
    require_zero(z - (1 - q - at.elasticity * q), "Z")
    change, d, own = sp.symbols("p d o", real=True)  # changes of ln P, eta and ln f
    step = sp.Symbol("h", real=True)
    P_, eta_, f_ = q * (1 + change * step), at.elasticity + d * step, 1 + own * step  # f = 1 in its own units
    price = z * l2 / ((1 - q) ** 2 * at.elasticity)
    S = (1 - P_ - eta_ * P_) * sp.log(P_) ** 2 - price * f_ * (1 - P_) ** 2 * eta_
    require_zero(S.subs(step, 0), "at rest")
    total = sp.diff(S, step).subs(step, 0)
    s = 1 / (M * q)  # f/(f + a)
    eta = k + f / (f + a) - (k + 1) * f ** (k + 1) / (f ** (k + 1) + b)
    require_zero(eta - f * sp.diff(loss(), f) / loss(), "eta")
    equal = {a: (M - 1) * f - 1, b: (M - 1) * f ** (k + 1)}
    own_d = s - s**2 - (k + 1) ** 2 * (M - 1) / M**2
    cross_d = -(s**2) + (k + 1) ** 2 / M**2
    along = sp.diff(eta, a) + (k + 1) * f**k * sp.diff(eta, b)
    point = {f: 1 / (M * (1 - q))}
    require_zero((f * sp.diff(eta, f)).subs(equal).subs(point) - own_d, "d eta/d ln f")
    require_zero((f * along).subs(equal).subs(point) - cross_d, "f d eta/dx")
    across = total.subs({change: at.cross, d: cross_d, own: 0})
    by_rate = total.subs({change: at.elasticity, d: own_d, own: 1})
    law = -across / by_rate
    require_zero(law.subs(q, 1 / (k + 1)), "no slope where e = 0: `reply_slope`")
    return law


def first_slope() -> Expr:
    """Derive (M - 1) dF/dx = -e k (M - 2)/(M (M - 1) ln(k + 1)^2) + O(e^2).

    The first order vanishes for two sources.
    """
    law, at = slope_of_reply(), rest()
    away = sp.Symbol("w", positive=True)
    near = {q: (1 - away) / (k + 1)}  # 1 - (k + 1) P = w
    by_loss = sp.diff(law.subs(near), away).subs(away, 0)
    e_by_loss = sp.diff(at.epsilon.subs(near), away).subs(away, 0)
    slope = (M - 1) * by_loss / e_by_loss
    expected = -k * (M - 2) / (M * (M - 1) * sp.log(k + 1) ** 2)
    require_zero(sp.expand_log(sp.simplify(slope - expected), force=True), "to first order in e")
    return eps * expected


def stability() -> tuple[Expr, Expr]:
    """Derive stability: |(M - 1) s| < 1 for simultaneous replies, -1 < s < 1/(M - 1) for sequential ones, s = dF/dx.

    Simultaneous replies: the map of all rates has the matrix s (1 1' - I), with eigenvalues (M - 1) s for the load and
    -s for differences; the first is the largest in size. A common delay of d updates replaces each eigenvalue z by the
    d + 1 roots of z^(d+1), all inside the unit circle or none. Sequential replies are the Gauss-Seidel iteration for
    the matrix (1 + s) I - s 1 1', which is symmetric with a positive diagonal for s > -1: it converges if and only if
    the matrix is positive definite.
    """
    s = sp.Symbol("s", real=True)
    for count in (2, 3, 5):
        ones = sp.ones(count, count)
        simultaneous = (s * (ones - sp.eye(count))).eigenvals()
        require(simultaneous == {(count - 1) * s: 1, -s: count - 1}, "the load's and the differences'")
        matrix = (1 + s) * sp.eye(count) - s * ones
        require(set(matrix.eigenvals()) == {1 + s, 1 + s - count * s}, "positive for -1 < s < 1/(M - 1)")
    return (M - 1) * s, 1 + s - M * s


def full_link() -> Expr:
    """Prove that taking exactly the spare capacity, f = -a, is a local minimum for e > 0, with dF/dx = -1.

    So (M - 1) s = -(M - 1). 1/t falls with slope -1/f^2 up to f = -a; just above, h = -1/ln(P) rises with infinite
    slope. All rates that add up to the capacity are equilibria, if no source gains by a larger rate: a continuum. There
    simultaneous replies are unstable for M > 2 and alternate for M = 2, while sequential replies stay.
    """
    above = sp.Symbol("z", positive=True)  # P at a rate just above: proportional to f + a
    h = -1 / sp.log(above)
    require(sp.limit(sp.diff(h, above), above, 0) == sp.oo, "infinite slope")
    x = sp.Symbol("x", positive=True)
    left_over = 1 - x - sp.Symbol("Y", nonnegative=True)
    require(sp.diff(left_over, x) == -1, "what one more takes, the reply leaves")
    return -(M - 1)


def one_minimum() -> Expr:
    """Prove that Response has one minimum between 0 and the throughput optimum if the others fill the link, a >= 0.

    Response falls where h = e E t^2/(f lambda^2 t') < 1, lambda = -ln P and E = f P'/P, since -t'/t^2 + e P'/(P
    lambda^2) has that sign. With w = f^(k+1)/(f^(k+1) + b), E = (k + 1)(1 - w) - a/(f + a), and

        d ln h/d ln f = (1 + f E'/E) + 2 E (1/lambda - P/(1 - P)) + P (E^2 + E + f E')/t'.

    All three terms are positive below the optimum, where P < 1/(k + 1). First: E + f E' is (k + 1)(1 - w)(1 - (k + 1)
    w) - a^2/(f + a)^2; here 1 - (k + 1) w > a/(f + a), since P = w (f + a)/f < 1/(k + 1), and (k + 1)(1 - w) > k >= 1 >
    a/(f + a). Second: ln x < x - 1 at x = 1/P. Third: it exceeds P E^2/t', and t' > 0 there. So h rises from 0 at f = 0
    to infinity at the optimum, where t' = 0, and is 1 once.
    """
    P, E, lam, t, slope, change = sp.symbols("P E lambda t t' E'", positive=True)
    c = sp.Symbol("a", nonnegative=True)
    w = f ** (k + 1) / (f ** (k + 1) + b)
    printed = f**k * (f + c) / (f ** (k + 1) + b)
    elasticity = (k + 1) * (1 - w) - c / (f + c)
    require_zero(f * sp.diff(printed, f) / printed - elasticity, "E")
    require_zero(sp.diff((1 - printed) * f, f) - (1 - printed * (1 + elasticity)), "t' = 1 - P (1 + E)")
    # d/d ln f of ln h, with f P' = P E, f lambda' = -E, f t'' = -f (P (1 + E))' = -(P E (1 + E) + P f E')
    falls = P * E * (1 + E) + P * f * change
    derivative = f * change / E + 2 * f * slope / t - 1 + 2 * E / lam + falls / slope
    parts = (1 + f * change / E) + 2 * E * (1 / lam - P / (1 - P)) + P * (E**2 + E + f * change) / slope
    require_zero((derivative - parts).subs(t, (1 - P) * f).subs(slope, 1 - P * (1 + E)), "the three parts")
    product = sp.diff(f * elasticity, f)
    require_zero(
        product - ((k + 1) * (1 - w) * (1 - (k + 1) * w) - c**2 / (f + c) ** 2),
        "E + f E', which decides the first part",
    )
    require_zero(printed - w * (f + c) / f, "P = w (f + a)/f")
    require_zero(sp.limit(elasticity.subs({k: 2, c: 0}), f, 0) - 3, "E is finite at 0, for example 3 with k = 2, a = 0")
    return parts

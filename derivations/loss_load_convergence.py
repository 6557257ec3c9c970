"""Convergence of loss-load sources: no reply is below the fair rate, and the largest rate shrinks.

The paper reports convergence to an equilibrium "independent of a source's initial rate and feedback delay", quickest
for small k (Prithviraj & Williamson, section 2.2, from its references). This module proves it in the notation of
`derivations.loss_load`: n sources seek the largest raw throughput. Constant sources may send besides them; their rates
add up to Y, and their rates to the power k + 1 to B (Y = B = 0 if there are none, and then n = M >= 2).

Summary of the proof (`floor`, `ceiling`): let c be the fair rate. After each source has replied once, to any rates, all
rates are at least c. If the rates known to a source lie in [c, m], m > c, its reply lies in [c, m - s(m)], with s > 0
continuous. So the interval that holds all rates, also those still in transit as feedback, shrinks whenever every source
has replied to it, and its upper end cannot stay at any m > c. Therefore every start, every order of replies,
simultaneous or not, and every bounded delay leads to the fair rates, and none of them to a lasting oscillation.

Access limits change only the fair rate: no reply lies below c, so a source whose limit is below c sends at its limit
from its first reply on, and is a constant source from then on. The c of the others is a best reply, so it is no smaller
than before, and the argument repeats until all remaining limits exceed c.
"""

from typing import NamedTuple

import sympy as sp
from sympy import Expr

from derivations.loss_load import M, a, b, balance, equilibrium, f, k
from derivations.proof import once, require, require_zero

x, m, c = sp.symbols("x m c", positive=True)  # another's rate, the largest rate, the fair rate
n = sp.Symbol("n", integer=True, positive=True)
X, Y, B = sp.symbols("X Y B", nonnegative=True)


def reply_slope() -> Expr:
    """Derive the slope of the best reply F by another source's rate x: (x^k - F^k)/(k F^(k-1) (F + a)).

    This follows from g(F) = b, where x adds 1 to a and (k + 1) x^k to b. The slope is negative for x < F, positive for
    x > F, and 0 for equal rates.
    """
    by_rate = sp.diff(balance(), f)
    slope = ((k + 1) * x**k - sp.diff(balance(), a)) / by_rate
    law = (x**k - f**k) / (k * f ** (k - 1) * (f + a))
    require_zero(slope - law, "implicit derivative")
    require_zero(law.subs(x, f), "zero at equal rates")
    return law


class Curvature(NamedTuple):
    """Second derivatives of the best reply in equilibrium, and the factor of the squared relative errors."""

    same: Expr
    mixed: Expr
    relative: Expr


def reply_curvature() -> Curvature:
    """Derive the second derivatives of the best reply in equilibrium: F_ii = k and F_ij = 0.

    So F - c = (k/2) sum of (x_i - c)^2 to second order. All first derivatives vanish, so replies of any order and delay
    converge quadratically. In units of the fair rate the error of a reply is (k + 1)/(2 M) times the sum of the others'
    squared relative errors; with all M - 1 equal it is (k + 1)(M - 1)/(2 M) times their square. So convergence becomes
    quadratic at relative errors of 1/(k + 1): the larger k, the longer it takes, whatever M.
    """
    slope = reply_slope()
    other = sp.Symbol("x_j", positive=True)
    F = sp.Function("F")(x, other)
    base = sp.Symbol("a_0", real=True)  # all but these two
    along = slope.subs(a, base + x + other).subs(f, F)
    rest = {F: c, x: c, other: c, base: 1 / k - 3 * c}  # F + a = L - 1 = 1/k

    def at_rest(expression: Expr) -> Expr:
        expression = expression.subs({sp.Derivative(F, x): 0, sp.Derivative(F, other): 0})
        return sp.simplify(expression.subs(F, c).subs(rest))

    require_zero(M * equilibrium() - 1 - 1 / k, "F + a at rest")
    same, mixed = at_rest(sp.diff(along, x)), at_rest(sp.diff(along, other))
    require_zero(same - k, "F_ii")
    require_zero(mixed, "F_ij")
    relative = k * equilibrium() / 2
    require_zero(relative - (k + 1) / (2 * M), "in units of the fair rate")
    return Curvature(sp.simplify(same), sp.simplify(mixed), relative)


@once
def fair_condition() -> Expr:
    """Derive the condition for the fair rate: h(c) = n k c^(k+1) + (k + 1)(Y - 1) c^k = B.

    It is the only rate at which all n are in equilibrium. As in `only_equilibrium` all n rates are equal, since all
    lose 1/(k + 1). h has the form of g, with n k for k, so it has a single positive root. Without constant sources it
    is (k + 1)/(k M).
    """
    rest = {a: (n - 1) * c + Y - 1, b: (n - 1) * c ** (k + 1) + B}
    h = c**k * (n * k * c + (k + 1) * (Y - 1))
    require_zero(sp.expand((balance() - b).subs(f, c).subs(rest)) - sp.expand(h - B), "all n at rest")
    require_zero((h / c**k).subs({Y: 0, n: M, c: equilibrium()}), "no constant source")
    require_zero(sp.diff(h, c) - (k + 1) * k * c ** (k - 1) * (n * c + Y - 1), "h increases beyond (1 - Y)/n")
    return h


def floor() -> Expr:
    """Prove that no best reply lies below c, whatever the others' rates: b - g(c) >= 0.

    x^(k+1) lies above its tangent at c, (k + 1) c^k x - k c^(k+1). Summed over the n - 1 others this bounds b from
    below, and their rates cancel. So g(c) <= b = g(F), and g increases: c <= F. (Or c <= -a, and -a < F.) A source
    alone on the link sends at rate 1, and c = (k + 1)/(k M) is not above that for M >= 2 and k >= 1.
    """
    tangent = (k + 1) * c**k * x - k * c ** (k + 1)
    require_zero(tangent.subs(x, c) - c ** (k + 1), "touches")
    require_zero(sp.diff(x ** (k + 1) - tangent, x).subs(x, c), "has the slope")
    require(sp.diff(x ** (k + 1), x, 2).is_positive, "of a convex curve, so lies below it")
    least = B + (k + 1) * c**k * X - (n - 1) * k * c ** (k + 1)  # X: sum of the n - 1 others
    spare = sp.expand(least - balance().subs({f: c, a: X + Y - 1}))
    require_zero(spare - sp.expand(B - fair_condition()), "the others' rates cancel; and h(c) = B")
    return spare


@once
def ceiling() -> Expr:
    """Prove that a reply to rates in [c, m], m > c, lies below m.

    g(m) - b >= B ((m/c)^k - 1) + k m^k (m - c) > 0: x^(k+1) <= m^k x for x <= m bounds b by m^k X + B; X >= (n - 1) c,
    and B/c^k = n k c + (k + 1)(Y - 1).
    """
    require_zero(m**k * x - x ** (k + 1) - x * (m**k - x**k), "not negative for x <= m")
    spare = balance().subs({f: m, a: X + Y - 1}) - (m**k * X + B)
    require_zero(sp.diff(spare, X) - k * m**k, "smallest for the smallest X")
    bound = B * ((m / c) ** k - 1) + k * m**k * (m - c)
    at_rest = {Y: 1 + (B / c**k - n * k * c) / (k + 1)}
    require_zero(sp.expand((spare.subs(X, (n - 1) * c) - bound).subs(at_rest)), "the bound")
    require_zero(bound.subs(m, c), "nothing at m = c")
    require(sp.diff((m / c) ** k, m).is_positive, "(m/c)^k > 1 for m > c")
    return bound


@once
def contraction() -> Expr:
    """Prove that m - c shrinks by at least the factor 1 - 1/((k + 1) M) each time all have replied.

    This assumes k >= 1 and no constant sources. g falls by no more than (m - F) times its largest slope in [F, m], k (k
    + 1) m^(k-1) (m + a): a product of factors that rise with the rate; and a <= (M - 1) m - 1. The factor proves
    geometric convergence; it is no estimate of the actual rate of convergence, which is that of `pace_from_afar`, then
    that of `reply_curvature`.
    """
    steepest = sp.diff(balance(), f).subs(f, m).subs(a, (M - 1) * m - 1)
    step = ceiling().subs(B, 0) / steepest  # m - F is at least this
    require_zero(step - (m - c) * m / ((k + 1) * (M * m - 1)), "m - F")
    share = 1 / ((k + 1) * M)
    require_zero(step / (m - c) - share - share / (M * m - 1), "more than the share: M m > M c = (k + 1)/k > 1")
    return 1 - share


def pace_from_afar() -> Expr:
    """Derive F/m <= (X/((k + 1)(X - 1)))^(1/k), where X > 1 is the others' load and m their largest rate.

    This follows from g(F) = b <= m^k X, leaving out the term k F^(k+1). It implies F < m only for X > (k + 1)/k. Far
    above capacity a reply is no more than (k + 1)^(-1/k), about 1 - ln(k + 1)/k, of the largest rate: the larger k, the
    slower the convergence. Many equal sources attain the bound.
    """
    load, share = sp.symbols("X r", positive=True)  # the others' load; F/m
    left_out = balance().subs({a: load - 1, f: share * m}) - (k + 1) * (load - 1) * (share * m) ** k
    require_zero(sp.expand(left_out) - sp.expand(k * (share * m) ** (k + 1)), "what is left out is positive")
    inside = load / ((k + 1) * (load - 1))
    require_zero(inside - 1 - ((k + 1) - k * load) / ((k + 1) * (load - 1)), "below 1 for X > (k + 1)/k")
    require_zero(sp.limit(inside, load, sp.oo) - 1 / (k + 1), "far above capacity")
    equal = (balance() - b).subs({a: (M - 1) * m - 1, b: (M - 1) * m ** (k + 1), f: share * m})
    per_source = sp.expand(sp.expand(equal) / (M * m ** (k + 1)))
    far = sp.limit(sp.limit(per_source, m, sp.oo), M, sp.oo)
    require_zero(far - ((k + 1) * share**k - 1), "many equal sources far above capacity")
    return inside ** (1 / k)


def reply_to_idle() -> Expr:
    """Prove that F > (k + 1)/k (1 - X) if the others' load X is below 1; for X = 0+ this is F itself.

    All sources claim the free capacity at once: M sources that find an idle link offer M (k + 1)/k, M times the load in
    equilibrium. From there about k ln(M)/ln(k + 1) updates lead to where convergence is quadratic.
    """
    idle = sp.Symbol("phi", positive=True)  # 1 - X
    bound = (k + 1) / k * idle
    require_zero(balance().subs({a: -idle, f: bound}), "g = 0 < b there")
    require_zero(M * bound.subs(idle, 1) - M * (M * equilibrium()), "M times the load at rest")
    return bound.subs(idle, 1 - X)

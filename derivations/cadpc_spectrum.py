"""CADPC on one link with different rates: the total converges fast, fairness in a time proportional to n.

Assumptions: those of `derivations.cadpc`, but each of n flows has its own rate x_i; S is their sum, D the sum of (x_i -
S/n)^2. Traffic reports are current: L = S.
"""

from typing import NamedTuple

import sympy as sp
from sympy import Expr, Matrix

from derivations.cadpc import a, n, update
from derivations.proof import once, require, require_zero

S, D, e = sp.symbols("S D e", real=True)
y, z = sp.symbols("x_1 x_2", positive=True)  # two of the flows
q = sp.Symbol("q", positive=True)
W = sp.Symbol("W", positive=True)  # sum of the weights


def difference() -> Expr:
    """Derive the exact factor by which an update multiplies x_1 - x_2: 1 + a (1 - S - x_1 - x_2)."""
    law = 1 + a * (1 - S - y - z)
    require_zero(sp.expand(update(y, S) - update(z, S) - (y - z) * law), "difference of two rates")
    at_rest = law.subs({S: n / (1 + n), y: 1 / (1 + n), z: 1 / (1 + n)})
    require_zero(at_rest - (1 - a / (1 + n)), "at the equilibrium")
    return law


def total() -> Expr:
    """Derive the update of the deviation of the total: e -> (1 - a) e + a e^2 + a (1 + n) D/n, e = 1 - (1 + n) S/n.

    D is 0 only for equal rates. Otherwise e does not vanish quadratically, but follows D, which shrinks by the
    factor (1 - a/(1 + n))^2 per update.
    """
    squares = D + S**2 / n  # sum of x_i^2
    x = sp.Symbol("x", real=True)
    one = sp.expand(update(x, S))  # summed over the flows: x gives S, x^2 the squares, a constant n times itself
    terms = sp.Poly(one, x)
    require(terms.degree() == 2, "no higher powers to be summed")
    after = terms.coeff_monomial(1) * n + terms.coeff_monomial(x) * S + terms.coeff_monomial(x**2) * squares
    law = (1 - a) * e + a * e**2 + a * (1 + n) * D / n
    new_error = (1 - (1 + n) * after / n).subs(S, n * (1 - e) / (1 + n))
    require_zero(sp.expand(sp.simplify(new_error - law)), "update of the total")
    for rates in ([sp.Rational(1, 7), sp.Rational(2, 5)], [sp.Rational(1, 9), sp.Rational(1, 5), sp.Rational(1, 4)]):
        flows, added = len(rates), sum(rates)
        spread = sum((rate - added / flows) ** 2 for rate in rates)
        new = sum(update(rate, added) for rate in rates)
        error = 1 - sp.Rational(1 + flows, flows) * added
        expected = law.subs({e: error, D: spread, n: flows})
        require_zero(sp.expand(1 - sp.Rational(1 + flows, flows) * new - expected), "flow by flow")
    return law


class Spectrum(NamedTuple):
    """Multipliers near the equilibrium: of the total (once) and of differences (n - 1 times)."""

    total: Expr
    difference: Expr


@once
def spectrum() -> Spectrum:
    """Derive the multipliers at the equilibrium: 1 - a (once) and 1 - a/(1 + W) (n - 1 times).

    1 - a belongs to deviations proportional to the weights, 1 - a/(1 + W) to deviations that add up to 0. A flow of
    weight w_i has x_i -> x_i (1 + a (1 - x_i/w_i - S)), in equilibrium at w_i/(1 + W). Without weights W = n.
    """
    w, v, rate, change, change_all = sp.symbols("w v x delta Delta", real=True)
    weighted = rate * (1 + a * (1 - rate / w - S))
    rest = {rate: w / (1 + W), S: W / (1 + W)}
    require_zero((weighted - rate).subs(rest), "at rest")
    linear = (sp.diff(weighted, rate) * change + sp.diff(weighted, S) * change_all).subs(rest)
    law = Spectrum(1 - a, 1 - a / (1 + W))
    require_zero(linear.subs(change_all, 0) - law.difference * change, "deviations that add up to 0: n - 1 directions")
    along = {change: v * w, change_all: v * W}  # delta_i = v w_i adds up to v W
    require_zero(linear.subs(along) - law.total * v * w, "deviations in proportion to the weights: one direction")
    for flows in (2, 3):  # together they are all: the characteristic polynomial, weights left free
        weights = sp.symbols(f"w_1:{flows + 1}", positive=True)
        rates = sp.symbols(f"x_1:{flows + 1}", positive=True)
        after = Matrix([x * (1 + a * (1 - x / w - sum(rates))) for x, w in zip(rates, weights, strict=True)])
        at = {x: w / (1 + sum(weights)) for x, w in zip(rates, weights, strict=True)}
        mu = sp.Symbol("mu")
        matrix = (mu * sp.eye(flows) - after.jacobian(Matrix(rates)).subs(at)).to_DM(field=True)  # rational functions
        polynomial = matrix.domain.to_sympy(matrix.det())
        claimed = (mu - law.total) * (mu - law.difference.subs(W, sum(weights))) ** (flows - 1)
        require_zero(sp.cancel(polynomial - claimed), f"{flows} flows")
    law = Spectrum(law.total, law.difference.subs(W, n))
    require_zero(law.difference.subs(a, 1) - n / (1 + n), "n/(1 + n) at a = 1")
    return law


def updates_to_fairness() -> Expr:
    """Derive the updates until differences shrink to the fraction q: ln q/ln(1 - a/(1 + n)).

    This is about ln(1/q) (1 + n)/a, which grows with n without bound.
    """
    mu = spectrum().difference
    law = sp.log(q) / sp.log(mu)
    left = sp.Symbol("mu", positive=True)
    power = sp.simplify(left ** (sp.log(q) / sp.log(left)))
    require_zero(power - q, "what so many updates leave")
    require_zero(law.subs(q, 1), "nothing to do")
    u = sp.Symbol("u", positive=True)  # 1/(1 + n)
    require_zero(sp.limit(law.subs(n, 1 / u - 1) * u, u, 0, "+") + sp.log(q) / a, "grows like (1 + n) ln(1/q)/a")
    return law


def newcomer() -> Expr:
    """Derive the growth factor of a small rate: 1 + a/(1 + n) beside n flows in equilibrium, 1 + a alone."""
    growth = sp.limit(update(y, n / (1 + n) + y) / y, y, 0)
    law = 1 + a / (1 + n)
    require_zero(growth - law, "growth")
    require_zero(sp.limit(update(y, y) / y, y, 0) - (1 + a), "on an empty link")
    return law

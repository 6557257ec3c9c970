"""CADPC on one link with n flows that start at the same rate (Welzl, section II.B).

Assumptions: equation (1) with a smoothness factor a, x -> x (1 + a (1 - x - L)); rates x and traffic L as fractions of
the capacity; a fluid; all flows update together; the traffic report is current. So L = n x. The factor a is ours: a = 1
is equation (1). Different rates are treated in `derivations.cadpc_spectrum`.
"""

from typing import NamedTuple

import sympy as sp
from sympy import Expr

from derivations.proof import once, require, require_zero

x, L, a, x_0 = sp.symbols("x L a x_0", positive=True)
n = sp.Symbol("n", integer=True, positive=True)
t = sp.Symbol("t", integer=True, nonnegative=True)
tau = sp.Symbol("t", nonnegative=True)
phi = sp.Symbol("phi", positive=True)
N, R = sp.symbols("N R", positive=True)
m_0 = sp.Symbol("m_0", positive=True)
e = sp.Symbol("e", real=True)  # deviation, 1 - (1 + n) x


def update(rate: Expr, traffic: Expr, smoothing: Expr = a) -> Expr:
    """Return the rate after one update by equation (1) with the smoothness factor."""
    return rate * (1 + smoothing * (1 - rate - traffic))


def deviation(rate: Expr) -> Expr:
    """Return the relative distance of a rate from the equilibrium, 1 - (1 + n) x."""
    return 1 - (1 + n) * rate


class Equilibria(NamedTuple):
    """Fixed points of the synchronous update, their multipliers, and the total traffic."""

    zero: Expr
    at_zero: Expr
    rate: Expr
    at_rate: Expr
    traffic: Expr


def equilibria() -> Equilibria:
    """Derive the fixed points 0, with multiplier 1 + a, and 1/(1 + n), with multiplier 1 - a.

    The first repels. The second attracts for 0 < a < 2. Also checked: a = 1 gives the paper's equations (1) and (2).
    """
    require_zero(update(x, L, sp.Integer(1)) - x * (2 - x - L), "a = 1 is equation (1)")
    synchronous = update(x, n * x)
    require_zero(synchronous.subs(a, 1) - x * (2 - x - n * x), "equation (2)")
    rest = sp.symbols("rest", real=True)
    points = sp.solve(synchronous.subs(x, rest) - rest, rest)
    require(set(map(sp.simplify, points)) == {sp.Integer(0), 1 / (1 + n)}, "two fixed points, no others")
    slope = sp.diff(synchronous, x)
    at_zero, at_rate = slope.subs(x, 0), sp.simplify(slope.subs(x, 1 / (1 + n)))
    require_zero(at_zero - (1 + a), "multiplier at 0")
    require(sp.ask(sp.Q.positive(at_zero - 1), sp.Q.positive(a)), "0 repels")
    require_zero(at_rate - (1 - a), "multiplier at the equilibrium")
    require(sp.reduce_inequalities([at_rate < 1, at_rate > -1], a) == sp.And(a > 0, a < 2), "|1 - a| < 1")
    traffic = n * (1 / (1 + n))
    require_zero(1 - traffic - 1 / (1 + n), "what is left unused is one more flow's share")
    require_zero(sp.limit(traffic, n, sp.oo) - 1, "many flows fill the link")
    return Equilibria(sp.Integer(0), at_zero, 1 / (1 + n), at_rate, traffic)


@once
def deviation_update() -> Expr:
    """Derive the update of the deviation: e -> (1 - a) e + a e^2.

    At a = 1 the deviation is squared, for every n.
    """
    rate = sp.solve(deviation(x) - e, x)[0]
    after = sp.expand(sp.simplify(deviation(update(rate, n * rate))))
    law = (1 - a) * e + a * e**2
    require_zero(after - law, "update of the deviation")
    require_zero(law.subs(a, 1) - e**2, "squared")
    return law


@once
def trajectory() -> Expr:
    """Derive x_t = (1 - (1 - (1 + n) x_0)^(2^t))/(1 + n) for a = 1 and 0 < x_0 < 2/(1 + n), that is |e| < 1."""
    squared = deviation_update().subs(a, 1)
    solution = e ** (2**t)
    require_zero(solution.subs(t, 0) - e, "at the start")
    E = sp.Symbol(
        "E", integer=True, positive=True
    )  # 2^t, an integer, so that no logarithm of a negative number is needed
    require_zero(squared.subs(e, e**E) - e ** (2 * E), "the next one: its power is 2 E = 2^(t + 1)")
    require_zero(2 * 2**t - 2 ** (t + 1), "2^(t + 1)")
    solution = solution.subs(e, deviation(x_0))
    law = (1 - solution) / (1 + n)
    require_zero(deviation(law) - solution, "from the deviation to the rate")
    for end in (sp.Integer(0), 2 / (1 + n)):  # |e| = 1: the ends of the basin go to 0 and stay
        require_zero(update(end, n * end, sp.Integer(1)), "the ends of the basin")
    inside = sp.Symbol("u", positive=True)  # e = (1 - u)/(1 + u) covers (-1, 1)
    rate = sp.solve(deviation(x) - (1 - inside) / (1 + inside), x)[0]
    after = sp.factor(update(rate, n * rate, sp.Integer(1)))
    require(after.is_positive, "the first update stays above 0")
    require(sp.factor(1 / (1 + n) - after).is_nonnegative, "and leads to at most the equilibrium, from both sides")
    return law


def updates_to_fraction() -> Expr:
    """Derive the updates until the deviation is 1 - phi: t = log2(ln(1 - phi)/ln|e_0|).

    This inverts |e_0|^(2^t) = 1 - phi.
    """
    size, left = sp.symbols("E_0 D", positive=True)  # |e_0| and 1 - phi
    time = sp.log(sp.log(left) / sp.log(size)) / sp.log(2)
    squarings = sp.simplify(2**time)
    require_zero(squarings - sp.log(left) / sp.log(size), "2^t")
    require_zero(squarings * sp.log(size) - sp.log(left), "|e_0|^(2^t) = 1 - phi, by logarithms")
    require_zero(time.subs(left, size), "no update is needed where it starts")
    require_zero(sp.expand_log(time.subs(left, size**4), force=True).simplify() - 2, "two updates: the fourth power")
    return time.subs({left: 1 - phi, size: sp.Abs(deviation(x_0))})


def update_time() -> Expr:
    """Convert updates into time: t N R, for one update every N round trips of R."""
    return tau * N * R


@once
def logistic() -> Expr:
    """Prove that x(t) = 1/(exp(-a t)/x_0 + (1 + n) (1 - exp(-a t))) solves the fluid limit of the update.

    The limit is dx/dt = a x (1 - (1 + n) x), x(0) = x_0. Also checked: the update is Euler's method for it.
    """
    slope = update(x, n * x) - x  # the change in one update, taken as a velocity
    require_zero(slope - a * x * (1 - (1 + n) * x), "logistic growth")
    law = 1 / (sp.exp(-a * tau) / x_0 + (1 + n) * (1 - sp.exp(-a * tau)))
    require_zero(sp.diff(law, tau) - slope.subs(x, law), "differential equation")
    require_zero(law.subs(tau, 0) - x_0, "at the start")
    require_zero(sp.limit(law, tau, sp.oo) - 1 / (1 + n), "in the end")
    steps = sp.Symbol("h", positive=True)  # the map with a h for a is Euler's method with steps of h
    require_zero((update(x, n * x, a * steps) - x) / steps - slope, "small updates")
    return law


def conjugate() -> Expr:
    """Prove that smoothed CADPC is the logistic map z -> (1 + a) z (1 - z), with z = a (1 + n) x/(1 + a).

    Closed forms: 1 + a = 2, z = (1 - e)/2 with e squaring, and 1 + a = 4, z = sin^2 of an angle that doubles (chaos).
    For z in (0, 1) the next z is at most (1 + a)/4: the rate stays positive up to a = 3.
    """
    factor = a * (1 + n) / (1 + a)
    z = sp.Symbol("z", positive=True)
    after = factor * update(z / factor, n * z / factor)
    law = (1 + a) * z * (1 - z)
    require_zero(after - law, "logistic map")
    require_zero(law.subs({a: 1, z: (1 - e) / 2}) - (1 - e**2) / 2, "parameter 2")
    angle = sp.Symbol("alpha", real=True)
    require_zero(law.subs({a: 3, z: sp.sin(angle) ** 2}) - sp.sin(2 * angle) ** 2, "parameter 4")
    require_zero((1 + a) / 4 - law - (1 + a) * (z - sp.Rational(1, 2)) ** 2, "the largest value")
    return law


def multiplicity(rate: Expr, traffic: Expr) -> Expr:
    """Return the number of flows that a starting flow acts like: m_0 at rate 0, linearly down to 1 at x = 1 - L.

    This is our interpretation of section III.
    """
    return m_0 + (1 - m_0) * rate / (1 - traffic)


def step() -> Expr:
    """Return the update, whose equilibria are proved."""
    equilibria()
    return update(x, L)


def startup_step() -> Expr:
    """Return the update of a sender that acts like the proved number of flows."""
    return update(x, L, a * startup())


def startup() -> Expr:
    """Prove that the start-up rule keeps the equilibrium of the update and its multiplier 1 - a there."""
    m = multiplicity(x, L)
    require_zero(m.subs(x, 0) - m_0, "at a small rate")
    require_zero(m.subs(x, 1 - L) - 1, "at the final rate")
    require_zero(sp.diff(m, x, 2), "linear in between")
    together = update(x, n * x, a * multiplicity(x, n * x))
    rest = 1 / (1 + n)
    require_zero(together.subs(x, rest) - rest, "the same equilibrium")
    require_zero(sp.diff(together, x).subs(x, rest) - (1 - a), "the same multiplier")
    require_zero(update(x, L, a * m).subs(m_0, 1) - update(x, L), "m_0 = 1 is no start-up rule")
    require_zero(sp.diff(together, x).subs(x, 0) - (1 + a * m_0), "a small rate grows as m_0 flows would")
    return m

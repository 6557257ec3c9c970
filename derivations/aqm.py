"""Proofs of the laws of active queue management: CoDel's control law, gains of PIE, coupled probabilities.

Times are in seconds, I is CoDel's interval, mu the capacity in packets/s.
"""

from collections import namedtuple

import mpmath
import sympy as sp
from sympy import Expr, Rational

from derivations.proof import once, require, require_zero

I, t, mu, R, q, k = sp.symbols("I t mu R q k", positive=True)  # noqa: E741
p, coupled, N, beta = sp.symbols("p p_CL N beta", positive=True)
n = sp.Symbol("n", integer=True, positive=True)

Gains = namedtuple("Gains", "integral proportional")
ZETA = sp.zeta(Rational(1, 2))


def codel_drop_time() -> Expr:
    """Derive I (1 + 1/sqrt(2) + ... + 1/sqrt(n)) from the rule: drop n + 1 is I/sqrt(n + 1) after drop n.

    RFC 8289, section 5.5: the first drop sets the count to 1 and the next drop an interval later; each drop increases
    the count before the next time is set.
    """
    law = I * sp.harmonic(n, Rational(1, 2))
    require_zero(law.subs(n, 1).doit() - I, "the first one comes after an interval")
    step = sp.harmonic(n + 1, Rational(1, 2)) - sp.harmonic(n, Rational(1, 2))
    for count in range(1, 6):
        require_zero(step.subs(n, count).doit() - 1 / sp.sqrt(count + 1), f"step {count}")
    return law


@once
def asymptotic_time() -> Expr:
    """Derive 2 I sqrt(n) + zeta(1/2) I, which is below the sum by less than I/(2 sqrt(n)).

    The difference of sum and form falls: at each step it changes by 1/sqrt(n + 1) - 2 (sqrt(n + 1) - sqrt(n)) < 0, and
    its limit is zeta(1/2). The same difference less 1/(2 sqrt(n)) rises.
    """
    x = sp.Symbol("x", positive=True)  # sqrt(n + 1) - sqrt(n) = x, with sqrt(n) = (1/x - x)/2
    low, high = (1 / x - x) / 2, (1 / x + x) / 2
    require_zero(high**2 - low**2 - 1, "the roots of n and n + 1")
    require_zero(1 / high - 2 * x + 2 * x**3 / (1 + x**2), "it falls")
    rise = 1 / high - 2 * x - 1 / (2 * high) + 1 / (2 * low)
    require_zero(rise - 2 * x**5 / (1 - x**4), "and rises, as x < 1, less 1/(2 sqrt(n))")
    far = 10**8
    with mpmath.workdps(40):
        rest = mpmath.zeta(0.5) - mpmath.zeta(0.5, far + 1) - 2 * mpmath.sqrt(far) - mpmath.zeta(0.5)
        require(bool(0 < rest < 1 / (2 * mpmath.sqrt(far))), "the constant")
    return I * (2 * sp.sqrt(n) + ZETA)


def codel_drop_rate() -> Expr:
    """Derive (t/I - zeta(1/2))/(2 I): sqrt(n)/I at the n of `asymptotic_time`."""
    root = sp.Symbol("s", positive=True)  # of the count
    (found,) = sp.solve(sp.Eq(asymptotic_time().subs(sp.sqrt(n), root), t), root)
    law = (t / I - ZETA) / (2 * I)
    require_zero(found / I - law, "the rate")
    require_zero(sp.diff(law, t) - 1 / (2 * I**2), "its growth, which no capacity changes")
    above = sp.sqrt(n) + 1 / (4 * sp.sqrt(n))  # upper bound of the rate at the n-th drop, over I
    squares = sp.expand((n + 1) - above**2)
    require(bool(squares.subs(n, 1) > 0) and sp.diff(squares, n).is_positive, "and so below sqrt(n + 1)")
    return law


def codel_count() -> Expr:
    """Derive (p mu I)^2: a drop in I/sqrt(n) is the share p of mu packets/s."""
    law = (p * mu * I) ** 2
    require_zero(sp.sqrt(law) / I - p * mu, "drops per second")
    return law


def codel_control_time() -> Expr:
    """Derive I (2 p mu I + zeta(1/2)), where that is positive: the time of the count."""
    law = I * (2 * p * mu * I + ZETA)
    require_zero(asymptotic_time().subs(sp.sqrt(n), sp.sqrt(codel_count())) - law, "at the count")
    return law


@once
def rescaled_gains() -> Gains:
    """Derive h alpha and beta + (1 - h) alpha/2: both are the trapezoidal rule of one controller k_I/s + k_P.

    An update adds alpha e + beta (e - e'), with e the deviation and e' the one before; the trapezoidal rule adds
    k_I T (e + e')/2 + k_P (e - e').
    """
    alpha, now, before, h, T = sp.symbols("alpha e e1 h T")
    integral, proportional = sp.symbols("k_I k_P")
    rule = integral * T * (now + before) / 2 + proportional * (now - before)
    update = alpha * now + beta * (now - before)
    (found,) = sp.solve([sp.diff(update - rule, one) for one in (now, before)], [integral, proportional], dict=True)
    rescaled = (found[integral] * h * T * (now + before) / 2 + found[proportional] * (now - before)).expand()
    law = Gains(h * alpha, beta + (1 - h) * alpha / 2)
    wanted = law.integral * now + law.proportional * (now - before)
    require_zero(rescaled - wanted, "the same controller, updated every h T")
    require_zero(law.integral.subs(h, Rational(1, 2)) - alpha / 2, "half the time: alpha in half")
    require_zero(law.proportional.subs(h, Rational(1, 2)) - beta - alpha / 4, "and beta more by alpha/4")
    return law


def equilibrium_loss() -> Expr:
    """Derive 3/2 (N/(mu (R + q)))^2 from the square-root law: N windows sqrt(3/(2 p)) are mu (R + q)."""
    (law,) = sp.solve(sp.Eq(N * sp.sqrt(Rational(3, 2) / p), mu * (R + q)), p)
    require_zero(law - Rational(3, 2) * (N / (mu * (R + q))) ** 2, "the loss")
    return law


def classic_probability() -> Expr:
    """Return (p_CL/k)^2: the base probability p' is p_CL/k, and classic packets are dropped with p'^2."""
    base = coupled / k
    require_zero(k * base - coupled, "equation (3) of RFC 9332")
    return base**2


@once
def coupled_rate_ratio() -> Expr:
    """Derive sqrt(8/3) R_C/(k R_L) from the windows sqrt(3/(2 p_C)) and 2/p_CL: the probabilities cancel."""
    classic, scalable = sp.symbols("R_C R_L", positive=True)
    rate = sp.sqrt(Rational(3, 2) / classic_probability()) / classic
    ratio = sp.simplify(2 / coupled / scalable / rate)
    law = sp.sqrt(Rational(8, 3)) * classic / (k * scalable)
    require_zero(ratio - law, "the ratio")
    require_zero(law.subs(k, 2) - classic / (sp.sqrt(Rational(3, 2)) * scalable), "equation (10): 1.22 is sqrt(3/2)")
    return law


def coupling_factor() -> Expr:
    """Derive sqrt(8/3) (1 + beta)/2 (1 + q/R): equal rates with R_C = (1 + beta)/2 (R + q), R_L = R."""
    classic, scalable = sp.symbols("R_C R_L", positive=True)
    ratio = coupled_rate_ratio().subs({classic: (1 + beta) / 2 * (R + q), scalable: R})
    (law,) = sp.solve(sp.Eq(ratio, 1), k)
    require_zero(law - sp.sqrt(Rational(8, 3)) * (1 + beta) / 2 * (1 + q / R), "the factor")
    return law


frame, link_rate = sp.symbols("l C", positive=True)  # bytes, bytes/s


def cake_target() -> Expr:
    """Derive max(q, 3 l/(2 C)): on a slow link the target is the transmission time of one and a half frames."""
    own = sp.Symbol("T", positive=True)
    (found,) = sp.solve(own * link_rate - (frame + frame / 2), own)  # bytes that the link sends in T
    law = sp.Max(q, found)
    slow = Rational(3, 2) * frame / q
    require_zero(found.subs(link_rate, slow) - q, "the rate at which both are equal")
    require(sp.diff(found, link_rate).is_negative, "a slower link has the larger")
    return law


def cake_interval() -> Expr:
    """Derive max(R + T - q, 2 T): the interval keeps its distance to the target, and is twice the target at least."""
    target = cake_target()
    law = sp.Max(R + target - q, 2 * target)
    own = sp.Symbol("T", positive=True)
    (edge,) = sp.solve(R + own - q - 2 * own, own)
    require_zero(edge - (R - q), "the target from which on the second case holds")
    require_zero((R + own - q).subs(own, q) - R, "a fast link has the interval R")
    return law

"""Proof of the ratio of rates of two flows whose round-trip times differ.

The window W before a loss, in packets, follows from the time T between two losses, the losses per second 1/T from the
rate. Both are powers, so that the rate is a power of the round-trip time R. All of it is a fluid limit, with one loss
in each period, always at the same window.
"""

import sympy as sp
from sympy import Expr, Rational

from derivations import cubic, tcp
from derivations.proof import once, require_zero

R, r, T, A, k, m = sp.symbols("R r T A k m", positive=True)
a = sp.Symbol("a", positive=True)
b, s = sp.symbols("b s", nonnegative=True)

#: Exponents (a, b) of T and of 1/R: Reno and CUBIC's Reno-friendly region; CUBIC's cubic region.
RENO, CUBIC = {a: 1, b: 1}, {a: 3, b: 0}


def window() -> Expr:
    """Return the window before a loss: the part that a loss takes is what has grown in T, A T^a/R^b."""
    return A * T**a / R**b


@once
def growth_of_the_schemes() -> None:
    """Derive the exponents of the schemes from their rules: the time back to the window before a loss is T."""
    beta, W = cubic.beta, cubic.W
    climb = cubic.climb().subs(cubic.R, R)
    factor = 3 / (1 + beta)
    require_zero(window().subs(RENO).subs({A: factor, T: climb}) - W, "the Reno-friendly estimate")
    halving = tcp.sawtooth(tcp.W / 2, tcp.W, tcp.R).time.subs({tcp.alpha: 1, tcp.b: 1, tcp.R: R})
    require_zero(window().subs(RENO).subs({A: 2, T: halving}) - tcp.W, "Reno")
    c = sp.Symbol("C", positive=True)
    back = cubic.recovery_time()
    require_zero(window().subs(CUBIC).subs({A: c / (1 - beta), T: back}) - W, "the cubic function")


def rate() -> Expr:
    """Return the rate: the mean window, which is a constant share m of that before the loss, in a round trip."""
    return m * window() / R


@once
def period() -> Expr:
    """Derive the time between losses that come k X^s times per second: the root of T k X^s = 1."""
    root = (R ** (s * (1 + b)) / (k * (m * A) ** s)) ** (1 / (1 + s * a))
    require_zero(sp.log(root * k * rate().subs(T, root) ** s).expand(force=True), "one loss in a period")
    return root


@once
def round_trip_unfairness() -> Expr:
    """Derive X_1/X_2 = r^((1 + b)/(1 + s a)) for R_1 = R and R_2 = r R, with the same k, m and A.

    With s = 0 the losses of both flows are in step, with s = 1 each packet is lost with the same probability k. Then it
    agrees with the laws of the rate by the loss probability, which are proved without it.
    """
    growth_of_the_schemes()
    law = r ** ((1 + b) / (1 + s * a))
    found = rate().subs(T, period())
    ratio = sp.log(found / found.subs(R, r * R)).expand(force=True)
    require_zero(ratio - sp.log(law).expand(force=True), "the ratio of the rates")
    require_zero(law.subs(r, 1) - 1, "equal round trips")
    require_zero(window().subs(b, 0) - window().subs({b: 0, R: r * R}), "in step, equal windows for b = 0")
    for case, in_step, at_random in ((RENO, r**2, r), (CUBIC, r, r ** Rational(1, 4))):
        require_zero(law.subs(case).subs(s, 0) - in_step, "in step")
        require_zero(law.subs(case).subs(s, 1) - at_random, "with equal probabilities")
    reno = tcp.square_root_rate()
    require_zero(reno / reno.subs(tcp.R, r * tcp.R) - law.subs(RENO).subs(s, 1), "the square-root law")
    equation_5 = cubic.cubic_average() / cubic.R
    fourth = (equation_5 / equation_5.subs(cubic.R, r * cubic.R)) ** 4
    require_zero(fourth - law.subs(CUBIC).subs(s, 1) ** 4, "equation 5 of RFC 9438, fourth power")
    return law

"""CADPC with delayed traffic reports: stability of the equilibrium in terms of a, n and the delay d.

Assumptions: those of `derivations.cadpc_spectrum`, but with the traffic of d updates ago, L = S(t - d); a flow knows
its own rate without delay. n may be the sum of weights, so only n >= 1 is used. The deviation of the total follows

    P(z) = z^(d + 1) - (1 - s) z^d + n s = 0,  s = a/(1 + n).

The argument (`characteristic`, `boundary`, `crossing`, `monotone`): for small a all roots lie inside the unit circle.
As a grows from 0 to 2 (so s <= 1) a root can reach the circle only at exp(+-i theta) with n cos((d + 1/2) theta) +
cos(theta/2) = 0. For n > 1, a increases with theta. So the first root to arrive belongs to the smallest such theta, the
only one in [pi/(2 d + 1), pi/(d + 1)]. Every root that reaches the circle leaves it, and none returns (0 < s < 2). So
the equilibrium attracts below that a and repels above it. For n = 1 all roots arrive together, at a = 2.
"""

from typing import NamedTuple

import sympy as sp
from sympy import Expr

from derivations.cadpc import a
from derivations.proof import once, require, require_zero

n = sp.Symbol("n", positive=True)
s = sp.Symbol("s", positive=True)
d = sp.Symbol("d", integer=True, nonnegative=True)
z = sp.Symbol("z")
h = sp.Symbol("h", real=True)  # theta/2
theta = 2 * h


def late_update(rate: Expr, late_traffic: Expr) -> Expr:
    """Return the rate after one update by equation (1), smoothed, with the traffic of d updates ago."""
    return rate * (1 + a * (1 - rate - late_traffic))


def characteristic() -> Expr:
    """Derive the characteristic polynomial P(z) of n flows at 1/(1 + n) whose deviations are z^t.

    The delayed deviation of the total is then n z^(t - d).
    """
    x, late = sp.symbols("x L", positive=True)
    rest = {x: 1 / (1 + n), late: n / (1 + n)}
    require_zero((late_update(x, late) - x).subs(rest), "at rest")
    own, others = (sp.diff(late_update(x, late), by).subs(rest) for by in (x, late))
    polynomial = z ** (d + 1) - (1 - s) * z**d + n * s
    residual = z - own - others * n * z ** (-d)
    require_zero(
        sp.simplify((residual * z**d).expand() - polynomial.subs(s, a / (1 + n)).expand()), "z^t is a solution"
    )
    require_zero(own.subs(a, s * (1 + n)) - (1 - s), "deviations that add up to 0 do not feel the delay")
    require_zero(polynomial.subs(d, 0).subs(s, a / (1 + n)) - (z - (1 - a)), "no delay")
    # Small a: d roots near 0 (d > 0), and the one near 1 moves inwards.
    require_zero(polynomial.subs(s, 0) - z**d * (z - 1), "a = 0")
    inwards = -sp.diff(polynomial, s) / sp.diff(polynomial, z)
    require_zero(inwards.subs(s, 0).subs(z, 1) + (1 + n), "dz/ds at z = 1")
    return polynomial


class Boundary(NamedTuple):
    """Equation for theta/2 at which exp(+-i theta) are roots of P, and the smoothness factor there."""

    equation: Expr
    smoothing: Expr


def on_the_circle() -> tuple[Expr, Expr]:
    """Return the imaginary and the real part of P(z) z^-d at z = exp(i theta)."""
    return sp.sin(theta) - n * s * sp.sin(d * theta), sp.cos(theta) - (1 - s) + n * s * sp.cos(d * theta)


@once
def boundary() -> Boundary:
    """Derive the stability boundary: the equation for theta and a = 2 sin(theta/2) sin((d + 1) theta/2)/cos(d theta/2).

    The equation is n cos((2 d + 1) theta/2) + cos(theta/2) = 0.
    """
    imaginary, real = on_the_circle()
    point = sp.cos(theta) + sp.I * sp.sin(theta)
    turned = sp.cos(d * theta) - sp.I * sp.sin(d * theta)
    require_zero(sp.expand(point - (1 - s) + n * s * turned - real - sp.I * imaginary), "P(z) z^-d in parts")
    cosine = -sp.cos((2 * d + 1) * h) / sp.cos(h)  # 1/n, from the equation of theta
    equation = n * sp.cos((2 * d + 1) * h) + sp.cos(h)
    smoothing = 2 * sp.sin(h) * sp.sin((d + 1) * h) / sp.cos(d * h)
    at = {s: smoothing / (1 + n)}
    for part, name in ((imaginary, "imaginary"), (real, "real")):
        residual = part.subs(at).subs(n, 1 / cosine)
        require_zero(trigonometric(residual), f"{name} part vanishes there")
    # And only there: eliminating s between the parts leaves the equation of theta, or sin(theta/2) = 0 (a = 0).
    left = sp.sin(theta) * (1 + n * sp.cos(d * theta)) - (1 - sp.cos(theta)) * n * sp.sin(d * theta)
    require_zero(trigonometric(left - 2 * sp.sin(h) * equation), "what eliminating s leaves")
    one = sp.pi / (2 * (d + 1))
    require_zero((2 * d + 1) * one - (sp.pi - one), "n = 1: the two cosines are opposite at pi/(d + 1)")
    require_zero(sp.pi / 2 - one - d * one, "and cos(d theta/2) = sin(theta/2), so a = 2")
    return Boundary(equation, smoothing)


def many_flows() -> Expr:
    """Derive the bound for many flows: a < 2 sin(pi/(2 (2 d + 1))).

    The boundary falls with n, so below this bound every n is stable.
    """
    end = sp.pi / (2 * (2 * d + 1))
    quotient = sp.sin(sp.pi / 2 - d * h) / sp.cos(d * h)  # sin((d + 1) theta/2) there, over cos(d theta/2)
    require_zero((d + 1) * end - (sp.pi / 2 - d * end), "(d + 1) theta/2 = pi/2 - d theta/2")
    require_zero(quotient - 1, "the quotient is 1")
    require_zero(boundary().smoothing - 2 * sp.sin(h) * sp.sin((d + 1) * h) / sp.cos(d * h), "2 sin(theta/2) remains")
    law = 2 * sp.sin(end)
    require_zero(law.subs(d, 0) - 2, "no delay")
    require_zero(law.subs(d, 1) - 1, "one update")
    require_zero(law.subs(d, 2) - (sp.sqrt(5) - 1) / 2, "two updates: 0.618, above 1/2")
    return law


def monotone() -> Expr:
    """Prove that on [pi/(2 d + 1), pi/(d + 1)], d > 0, n falls from infinity to 1 and a grows to 2 as theta grows.

    a is a product of three factors that do not fall: sin(theta/2) and sin((d + 1) theta/2), whose angles stay below
    pi/2, and 1/cos(d theta/2). 1/n = sin(v)/cos(theta/2), v = (2 d + 1) theta/2 - pi/2, has a numerator that grows
    while v <= pi/2, which is theta <= 2 pi/(2 d + 1), and a denominator that falls. So each n >= 1 has one theta there.
    Below pi/(2 d + 1) both cosines are positive, so it is the smallest.
    """
    angles = [h, (d + 1) * h, d * h]
    for angle in angles:
        end = sp.simplify(angle.subs(h, sp.pi / (2 * (d + 1))))
        require(sp.simplify(sp.pi / 2 - end).is_nonnegative, f"{angle} stays below pi/2")
    tilt = (2 * d + 1) * h - sp.pi / 2
    require_zero(trigonometric(sp.sin(tilt) + sp.cos((2 * d + 1) * h)), "1/n = sin(v)/cos(theta/2)")
    end = sp.simplify(sp.pi / 2 - tilt.subs(h, sp.pi / (2 * (d + 1))))
    require(sp.factor(end).is_positive, "v stays below pi/2")
    # Of all theta the smallest gives the smallest a: |exp(i theta) - (1 - s)|^2 = (n s)^2.
    K = sp.Symbol("K", nonnegative=True)  # 2 (1 - cos(theta))
    imaginary, real = on_the_circle()
    modulus = (imaginary + n * s * sp.sin(d * theta)) ** 2 + (real - n * s * sp.cos(d * theta)) ** 2
    circle = K * (1 - s) - (n**2 - 1) * s**2
    require_zero(trigonometric(modulus - n**2 * s**2 - circle.subs(K, 2 - 2 * sp.cos(theta))), "modulus")
    # So K = (n^2 - 1) s^2/(1 - s), for n > 1 and 0 < s < 1 a function of s that grows.
    growing = sp.factor(sp.diff(s**2 / (1 - s), s))
    require_zero(growing - s * (2 - s) / (1 - s) ** 2, "slope, positive for 0 < s < 1")
    require_zero(circle.subs(n, 1) - K * (1 - s), "n = 1: s = 1, a = 2, for all theta")
    return circle


def crossing() -> Expr:
    """Prove that Re((dz/ds)/z) > 0 on the unit circle, so that roots leave it and never return.

    Its sign is that of -N, N = (1 - cos(theta)) ((1 - s) - (d + 1) (2 - s))/s < 0 for 0 < s < 2; as N is not 0, the
    root is simple. Real roots on the circle: z = 1 only for a = 0; z = -1 for no odd d and, for even d, at a = 2.
    """
    polynomial = characteristic()
    w = sp.Symbol("w")  # z^d
    rate = -sp.diff(polynomial, s) / sp.diff(polynomial, z) / z
    plain = sp.simplify(rate.subs(z ** (d + 1), z * w).subs(z**d, w).subs(z ** (d - 1), w / z))
    plain = sp.simplify(
        plain.replace(lambda f: f.is_Pow and f.base == z and f.exp.has(d), lambda f: w * z ** (f.exp - d))
    )
    after = sp.simplify(plain.subs(z, (1 - s) - n * s / w))  # P = 0, divided by z^d
    quotient = -(w + n) / ((1 - s) * w - (d + 1) * n * s)
    require_zero(after - quotient, "(dz/ds)/z on the roots")
    # Multiplied by the conjugate of the denominator, with w = exp(i d theta).
    C = sp.Symbol("C", real=True)  # cos(d theta)
    product = (1 - s) - (d + 1) * n * s * C + n * (1 - s) * C - (d + 1) * n**2 * s
    U = sp.Symbol("U", real=True)  # sin(d theta)
    w_parts = C + sp.I * U
    full = sp.expand((w_parts + n) * ((1 - s) * (C - sp.I * U) - (d + 1) * n * s))
    require_zero(sp.re(full.subs(U**2, 1 - C**2)) - product, "real part")
    cosine = sp.Symbol("c", real=True)  # cos(theta)
    on_circle = product.subs(C, (1 - s - cosine) / (n * s))
    law = (1 - cosine) * ((1 - s) - (d + 1) * (2 - s)) / s
    modulus = monotone().subs(sp.Symbol("K", nonnegative=True), 2 - 2 * cosine)
    square = sp.solve(modulus, n**2)[0]
    require_zero(sp.expand(on_circle).subs(n**2, square) - law, "N")
    share = sp.Symbol("u", positive=True)  # s = 2 u/(1 + u) covers (0, 2)
    bracket = sp.factor(((d + 1) * (2 - s) - (1 - s)).subs(s, 2 * share / (1 + share)))
    require(sp.expand(bracket * (1 + share)).is_positive, "the bracket is negative for 0 < s < 2")
    require_zero(polynomial.subs(z, 1) - (1 + n) * s, "z = 1 only without smoothing")
    odd, even = (polynomial.subs(d, 2 * d + k).subs(z, -1) for k in (1, 0))
    require_zero(odd - (2 + (n - 1) * s), "z = -1, odd delay: not 0 for n >= 1")
    require_zero(even.subs(s, a / (1 + n)) - (a - 2), "z = -1, even delay: a = 2, not below the bound")
    return law


def one_update_late() -> Expr:
    """Derive the multipliers for d = 1: their product is n s, and their modulus is sqrt(a n/(1 + n)) while complex.

    At a = 1 the modulus is sqrt(n/(1 + n)) for any n, because 4 n s > (1 - s)^2. The multipliers leave the unit circle
    at a = (1 + n)/n.
    """
    polynomial = sp.Poly(characteristic().subs(d, 1).subs(s, a / (1 + n)), z)
    first, second, product = polynomial.all_coeffs()
    require_zero(first - 1, "normed")
    require_zero(product - a * n / (1 + n), "product of the two")
    discriminant = sp.factor((second**2 - 4 * product).subs(a, 1))
    require_zero(discriminant + n * (3 * n + 4) / (1 + n) ** 2, "negative at a = 1: a complex pair")
    bound = (1 + n) / n
    require_zero(product.subs(a, bound) - 1, "on the circle")
    cosine = sp.symbols("c", positive=True)  # the boundary's own angle: cos(3 h) = 4 c^3 - 3 c
    angle = sp.sqrt((3 * n - 1) / (4 * n))
    require_zero(sp.expand(n * (4 * cosine**3 - 3 * cosine) + cosine).subs(cosine, angle), "equation of the boundary")
    require_zero(
        sp.expand_trig(boundary().smoothing.subs(d, 1))
        .subs(sp.sin(h) ** 2, 1 - sp.cos(h) ** 2)
        .subs(sp.cos(h), angle)
        .subs(sp.sin(h), sp.sqrt(1 - angle**2))
        - bound,
        "boundary",
    )
    return sp.sqrt(product)


def two_updates_late() -> Expr:
    """Derive the stability bound for d = 2: a < 2 (1 + n)/(n + sqrt(5 n^2 - 4 n)).

    So a = 1 is stable for n < 1 + sqrt(2), and a = 1/2 for all n. The bound follows from Jury's conditions of z^3 - p
    z^2 + q, p = 1 - s and q = n s: P(1) > 0, -P(-1) > 0, q < 1 and 1 - q^2 > p q. The last implies the others while 0
    <= p <= 1.
    """
    p, q = 1 - s, n * s
    last = 1 - q**2 - p * q
    bound = 2 * (1 + n) / (n + sp.sqrt(5 * n**2 - 4 * n))
    require_zero(last.subs(s, bound / (1 + n)), "the last condition ends there")
    require_zero(last.subs(s, 0) - 1, "and holds below")
    require_zero(sp.simplify(bound.subs(n, 1)) - 2, "one flow")
    require_zero(sp.limit(bound, n, sp.oo) - (sp.sqrt(5) - 1) / 2, "many flows")
    at_one = sp.factor((last.subs(s, 1 / (1 + n)) * (1 + n) ** 2).expand())
    require_zero(at_one - (1 + 2 * n - n**2), "a = 1: n^2 < 1 + 2 n")
    require(bool(bound.subs(n, 2) > 1), "two flows: stable")
    require(bool(bound.subs(n, 3) < 1), "three flows: unstable")
    at_half = sp.expand(last.subs(s, sp.Rational(1, 2) / (1 + n)) * 4 * (1 + n) ** 2)
    require_zero(at_half - (n**2 + 7 * n + 4), "a = 1/2: positive for all n")
    return bound


def trigonometric(expression: Expr) -> Expr:
    """Return an expression in sines and cosines of multiples of h as a rational function of exponentials; d is free."""
    u, v = sp.symbols("u v", positive=True)  # exp(i h), exp(i d h)
    plain = expression.rewrite(sp.exp)
    plain = plain.replace(sp.exp, lambda power: _power(power, u, v))
    return sp.simplify(sp.together(sp.expand(plain)))


def _power(exponent: Expr, u: Expr, v: Expr) -> Expr:
    """Write exp(i (k + m d) h + c) as u^k v^m exp(c)."""
    turned = sp.expand(exponent / sp.I)
    own = turned.coeff(h, 1)
    constant = sp.expand(turned - own * h)
    return u ** own.coeff(d, 0) * v ** own.coeff(d, 1) * sp.exp(sp.I * constant)

"""Proof of the utilisation of a link by one CUBIC flow, with the Reno-friendly region and the queue's effect on it.

The cubic function rises in real time, the estimate of RFC 9438, section 4.3, by alpha a round trip, and a round trip
lasts max(1, w) times as long as on the empty path. Windows are over the bandwidth-delay product, times over K, as in
the last part of `derivations.cubic`.
"""

from collections import namedtuple

import sympy as sp
from sympy import Expr, Rational

from derivations.cubic import B, beta, queued
from derivations.proof import once, require_zero
from derivations.tcp import filled

x, k, s, v, z = sp.symbols("x k s v z", positive=True)  # k: growth of the estimate in K while nothing queues
w = sp.Symbol("w", positive=True)
top, depth = 1 + B, (1 + B) * (1 - beta)

Utilisation = namedtuple("Utilisation", "early late")


@once
def inverse_of_window() -> Expr:
    """Derive the integral of 1/(1 - x^3) from 0: ln(1 + x + x^2)/6 - ln(1 - x)/3 + arc tangents over sqrt(3)."""
    root = sp.sqrt(3)
    law = sp.log(1 + x + x**2) / 6 - sp.log(1 - x) / 3 + (sp.atan((2 * x + 1) / root) - sp.atan(1 / root)) / root
    require_zero(sp.diff(law, x) - 1 / (1 - x**3), "derivative")
    require_zero(law.subs(x, 0), "from 0")
    return law


@once
def estimate_with_queue() -> Expr:
    """Derive the estimate when v K are left, v < z, z K the time before the end at which the queue begins.

    It grows by k (1 - z) before, and then by k over the window, which is the cubic function.
    """
    scale = sp.root(1 - beta, 3)
    inverse = inverse_of_window()
    growth = (inverse.subs(x, scale * z) - inverse.subs(x, scale * v)) / (scale * top)
    law = beta * top + k * (1 - z + growth)
    require_zero(sp.diff(law, v) + k / queued(v), "growth over the window, in time left")
    require_zero(law.subs(v, z) - (beta * top + k * (1 - z)), "without a queue before")
    return law


def paces() -> tuple[Expr, Expr]:
    """Derive the k at which the estimate overtakes just with the loss, and just when the queue begins."""
    behind = queued(v) - estimate_with_queue()
    last = depth / ((estimate_with_queue().subs(v, 0) - beta * top) / k)
    require_zero(behind.subs(v, 0).subs(k, last), "with the loss")
    first = depth * (1 + z + z**2)
    require_zero(behind.subs(v, z).subs(k, first), "when the queue begins")
    return first, last


@once
def utilisation_general() -> Utilisation:
    """Derive U where the estimate overtakes at the share s of K without a queue, and where with v K left, with one.

    Beyond the crossing the window is the estimate: dw = k dt without a queue, w dw = k dt with one.
    """
    paces()
    crossing = queued(1 - s)
    cubic_idle = sp.integrate(1 - queued(1 - x), (x, 0, s))
    require_zero(cubic_idle - (s - top * (s - (1 - beta) / 4 * (1 - (1 - s) ** 4))), "idle before the crossing")
    linear_idle = sp.integrate((1 - w) / k, (w, crossing, 1))
    require_zero(linear_idle - (1 - crossing) ** 2 / (2 * k), "idle after it")
    filling = sp.integrate(w / k, (w, 1, top))
    require_zero(filling - B * (2 + B) / (2 * k), "time with a queue")
    early = 1 - (cubic_idle + linear_idle) / (s + (1 - crossing) / k + filling)
    reno = filled(beta * top, top)
    require_zero(early.subs(s, 0) - reno, "the estimate alone: the AIMD sawtooth of the same factor")
    idle = sp.integrate(1 - queued(x), (x, z, 1))
    full = B / (1 - beta) / top
    require_zero((idle - depth / 4 * (1 - 4 * full + 3 * full * z)).subs(B, sp.solve(full - z**3, B)[0]), "all idle")
    rest = sp.integrate(w / k, (w, queued(v), top))
    require_zero(rest - (top**2 - queued(v) ** 2) / (2 * k), "time after the crossing")
    late = 1 - idle / (1 - v + rest)
    require_zero(late.subs(v, 0) - (1 - idle), "the cubic function alone")
    require_zero(Rational(1, 1) - late.subs(B, 1 / beta - 1).subs(z, 1), "a buffer that just suffices")
    return Utilisation(early, late)

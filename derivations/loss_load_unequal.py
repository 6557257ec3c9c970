"""Loss-load sources that deviate from best replies: constant ones, leaders, and cheaters of the virtual capacity.

n sources seek the largest raw throughput and reach an equilibrium (`loss_load_convergence`) beside M - n others that do
not reply. The rates of the others add up to Y, and their rates to the power k + 1 to B. The cheater of footnote 3 of
Prithviraj & Williamson knows that the curve is drawn for v C while packets are dropped by the curve of C.
"""

from typing import NamedTuple

import sympy as sp
from sympy import Expr

from derivations.loss_load import M, equilibrium, k, loss_at_optimum, v
from derivations.loss_load_convergence import B, Y, c, fair_condition, n, x
from derivations.proof import once, require, require_zero

r = sp.Symbol("r", positive=True)  # the cheater's rate over an honest one's
w = sp.Symbol("w", positive=True)  # r^k, where only rational functions of it matter


def rational(expression: Expr) -> Expr:
    """Write an expression with w for r^k, over one denominator."""
    return sp.cancel(sp.together(sp.expand_power_exp(expression).subs(r**k, w)))


@once
def carried_by_the_rest() -> Expr:
    """Derive the total throughput of constant sources, 1 - n k c/(k + 1), as long as no P is above 1.

    Each of them loses (x/c)^k/(k + 1). All the capacity is used (`shed`), and each of the n carries c (1 - 1/(k + 1)).
    """
    carried = 1 - n * c * (1 - loss_at_optimum())
    lost = (x / c) ** k * loss_at_optimum()  # P_i/P_j = (f_i/f_j)^k
    single = x * (1 - lost)
    condition = fair_condition().subs(Y, x) - x ** (k + 1)
    require_zero(sp.expand(carried - single) + sp.expand(condition / ((k + 1) * c**k)), "one source: the same")
    require_zero(lost.subs(x, c * (k + 1) ** (1 / k)) - 1, "P = 1 at x = c (k + 1)^(1/k): nothing arrives above")
    return carried


class Leader(NamedTuple):
    """Response of the others' rate to the leader's, and the largest throughput of one or more leaders."""

    others_slope: Expr
    best: Expr
    coalition: Expr


@once
def leader() -> Leader:
    """Prove that a source that fixes its rate first gains nothing: it carries at most 1/M, at the fair rate only.

    It carries 1 - n k c/(k + 1), where c is the rate of each of the n others, so its throughput is largest where c is
    smallest. As c' = (x^k - c^k)/(k c^(k-1) (n c + x - 1)), c falls up to x = c and rises after it. If M - n sources
    fix their rates together, c is a best reply, so c >= (k + 1)/(k M) (`floor`), and they carry at most (M - n)/M,
    whatever rates they agree upon, as long as no P exceeds 1.
    """
    condition = fair_condition().subs(Y, x) - x ** (k + 1)
    slope = -sp.diff(condition, x) / sp.diff(condition, c)
    law = (x**k - c**k) / (k * c ** (k - 1) * (n * c + x - 1))
    require_zero(slope - law, "the others' response")
    require_zero(condition.subs(x, c).expand() / c**k - (k * (n + 1) * c - (k + 1)), "x = c: M = n + 1 equal sources")
    most = carried_by_the_rest().subs(c, equilibrium())
    require_zero(most - (M - n) / M, "together")
    require_zero(most.subs(n, M - 1) - 1 / M, "alone")
    return Leader(law, 1 / M, (M - n) / M)


class Cheater(NamedTuple):
    """Honest rate, load, and the cheater's throughput at loads above 1, by r, its rate over an honest one's."""

    honest_rate: Expr
    load: Expr
    carried: Expr


@once
def cheater() -> Cheater:
    """Derive the equilibrium beside a cheater: honest sources at y = (k + 1) v/Q, the cheater at r y.

    Rates are fractions of the true capacity, and Q = n k + (k + 1) r - r^(k+1) > 0. Up to load 1 the cheater carries r
    y, all it sends, and r y rises with r. Above, by the curve of the true capacity, T = (r^(k+1) + (k + 1) v n r (1 -
    r^k)/Q)/(n + r^(k+1)).
    """
    Q = n * k + (k + 1) * r - r ** (k + 1)
    honest = (k + 1) * v / Q
    condition = fair_condition().subs({Y: x, B: x ** (k + 1)}) - x ** (k + 1)
    at = {c: honest / v}  # in fractions of the virtual capacity
    y = sp.Symbol("y", positive=True)
    scaled = sp.expand(sp.expand_power_base(condition.subs({c: y, x: r * y}), force=True) / y**k)
    require_zero(rational(scaled.subs(y, at[c])), "honest sources at rest")
    load = (n + r) * honest
    lost = r**k * (load - 1) / (honest * (n + r ** (k + 1)))  # (r y)^k (L - 1)/(n y^(k+1) + (r y)^(k+1))
    carried = (r ** (k + 1) + (k + 1) * v * n * r * (1 - r**k) / Q) / (n + r ** (k + 1))
    require_zero(rational(r * honest * (1 - lost) - carried), "by the curve of the true capacity")
    rises = sp.diff(r * honest, r) * Q**2 / ((k + 1) * v)
    require_zero(rational(rises - k * (n + r ** (k + 1))), "r y rises with r")
    require_zero(load.subs({r: 1, n: M - 1}) - (k + 1) * v / k, "no cheating: the load")
    require_zero(carried.subs({r: 1, n: M - 1}) - 1 / M, "no cheating: the share, of a full link")
    return Cheater(honest, load, carried)


def cheating_pays() -> Expr:
    """Derive the gain of a small deviation: dT/dr = (k + 1) n (1 - v)/M^2 at r = 1.

    It is positive for every v < 1 and zero for v = 1, where the fair rate is optimal. This is above load 1; below it
    the cheater carries what it sends and gains in any case.
    """
    slope = sp.cancel(sp.diff(cheater().carried, r).subs(r, 1))
    require_zero(slope - (k + 1) * n * (1 - v) / (n + 1) ** 2, "the slope")
    return (k + 1) * (M - 1) * (1 - v) / M**2


def full_without_loss() -> Expr:
    """Derive the condition for load 1 beside a cheater: r^(k+1) - (k + 1)(1 - v) r = n (k - (k + 1) v).

    r = 1 for v = k/(k + 1).
    """
    Q = n * k + (k + 1) * r - r ** (k + 1)
    condition = r ** (k + 1) - (k + 1) * (1 - v) * r - n * (k - (k + 1) * v)
    require_zero(rational((cheater().load - 1) * Q - condition), "load 1")
    require_zero(condition.subs({r: 1, v: k / (k + 1)}), "at the lossless v")
    return condition


class Crowd(NamedTuple):
    """Limits for M -> infinity: the cheater's optimal ratio to the power k, and its gain over the fair share."""

    ratio_power: Expr
    gain: Expr


def crowd() -> Crowd:
    """Derive the cheater's gain among very many sources, v (V/((k + 1)(V - 1)))^(1/k) with V = (k + 1) v/k.

    This holds for v > k/(k + 1). M T tends to r V - (V - 1) r^(k+1), which is largest at r^k = V/((k + 1)(V - 1)). The
    gain is 1 for v = 1 and grows without limit as V falls to 1: a small cheater of a link that is just full loses
    almost nothing.
    """
    V = sp.Symbol("V", positive=True)
    many = sp.limit(rational((n + 1) * cheater().carried.subs(v, k * V / (k + 1))), n, sp.oo)
    gain = r * V - (V - 1) * r ** (k + 1)
    require_zero(many - rational(gain), "the limit")
    best = V / ((k + 1) * (V - 1))
    top = best ** (1 / k)
    slope = V - (k + 1) * (V - 1) * r**k
    require_zero(sp.diff(gain, r) - slope, "its slope, falling with r for V > 1")
    require_zero(slope.subs(r**k, best), "zero")
    law = V * k / (k + 1) * top
    require_zero((gain / r).subs(r**k, best).subs(r ** (k + 1), best * r) * top - law, "the gain")
    require_zero(law.subs(V, (k + 1) / k) - 1, "v = 1: none")
    above = sp.Symbol("z", positive=True)
    require(sp.limit(best.subs(V, 1 + above), above, 0) == sp.oo, "V -> 1: no limit")
    return Crowd(best.subs(V, (k + 1) * v / k), law.subs(V, (k + 1) * v / k))

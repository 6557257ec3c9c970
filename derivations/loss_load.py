"""Loss-load curves: the raw throughput of a source by its rate, and the equilibrium of throughput-seeking sources.

Assumptions (Prithviraj & Williamson, section 2.2): rates are fractions of the capacity. A source at rate f depends on
the others only through a, their load less 1, and b, the sum of their rates to the power k + 1. Its packets are lost
with probability P(f) = f^k (f + a)/(f^(k+1) + b), which is 0 for f <= -a and cannot exceed 1. Its raw throughput is t =
(1 - P) f. Here f > 0, b > 0 (some other source sends) and k > 0 is real.
"""

from typing import NamedTuple

import sympy as sp
from sympy import Expr

from derivations.proof import once, require, require_zero

k, f, b, C = sp.symbols("k f b C", positive=True)
a = sp.Symbol("a", real=True)
M = sp.Symbol("M", integer=True, positive=True)
v = sp.Symbol("v", positive=True)
y = sp.Symbol("y", positive=True)  # how far above -a, or above some other rate
q = sp.Symbol("P", positive=True)  # a value of the loss probability


def loss() -> Expr:
    """Return P(f) between f = -a and the rate at which it reaches 1."""
    return f**k * (f + a) / (f ** (k + 1) + b)


def balance() -> Expr:
    """Return g(f) = f^k (k f + (k + 1) a): raw throughput rises while g < b and falls while g > b."""
    return f**k * (k * f + (k + 1) * a)


class Optimum(NamedTuple):
    """Equation of the optimal rate, and the slopes that make its root unique."""

    equation: sp.Eq
    throughput_slope: Expr
    balance_slope: Expr


@once
def optimal_rate() -> Optimum:
    """Prove that the throughput-optimal rate is the only root of g(f) = b beyond max(0, -a).

    The root lies beyond -a (k + 1)/k. Beyond max(0, -a), t' = b (b - g)/(f^(k+1) + b)^2, and g increases without limit
    from a value that is not positive. So t rises up to the root of g = b and falls after it. Up to -a nothing is lost,
    and t = f rises too. Where P would exceed 1 nothing is delivered, but at the root something is. So the root is the
    global maximum; with a limit on the rate, the optimum is the smaller of the two.
    """
    t = (1 - loss()) * f
    g = balance()
    slope = b * (b - g) / (f ** (k + 1) + b) ** 2
    require_zero(sp.diff(t, f) - slope, "t'")
    rise = k * (k + 1) * f ** (k - 1) * (f + a)
    require_zero(sp.diff(g, f) - rise, "g'")
    above = y - a  # f + a = y > 0
    require((rise.subs(f + a, y)).is_positive, "g increases beyond -a")
    require_zero(rise.subs(f, above) - k * (k + 1) * above ** (k - 1) * y, "f + a = y there")
    require_zero(sp.limit(g.subs(a, sp.Symbol("alpha", nonnegative=True)), f, 0), "from 0, if the others fill the link")
    free = sp.Symbol("phi", positive=True)  # the free capacity -a
    require(sp.simplify(g.subs({f: free, a: -free}) / free ** (k + 1)) == -1, "from below 0, if they leave some free")
    require_zero(g.subs({f: free * (k + 1) / k, a: -free}), "g = 0 < b at -a (k + 1)/k, so that the root lies beyond")
    require((g.subs(a, -free) / f ** (k + 1)).limit(f, sp.oo) == k, "without limit")
    return Optimum(sp.Eq(g, b), slope, rise)


@once
def loss_at_optimum() -> Expr:
    """Prove that a source at its optimal rate has the loss P = 1/(k + 1), whatever the others send.

    Equilibrium is not needed. The equation b = g(f) turns f^(k+1) + b into (k + 1) f^k (f + a).
    """
    require_zero(f ** (k + 1) + balance() - (k + 1) * f**k * (f + a), "the denominator")
    law = 1 / (k + 1)
    require_zero(loss().subs(b, balance()) - law, "bounded loss")
    return law


def loss_rises() -> Expr:
    """Prove that P' > 0 from max(0, -a) to the rate at which P = 1, if there is one.

    P' = f^(k-1) (b ((k + 1) f + k a) - a f^(k+1))/(f^(k+1) + b)^2. With a < 0 both terms are positive beyond -a. With a
    >= 0, P <= 1 means a f^k <= b, and the bracket is at least b (k f + k a). Once P is 1 it stays: a f^k > b for all
    larger f.
    """
    D = f ** (k + 1) + b
    bracket = b * ((k + 1) * f + k * a) - a * f ** (k + 1)
    slope = f ** (k - 1) * bracket / D**2
    require_zero(sp.diff(loss(), f) - slope, "P'")
    free, spare = sp.Symbol("phi", positive=True), sp.Symbol("z", nonnegative=True)
    require(sp.expand(bracket.subs({a: -free}).subs(f, free + y)).is_positive, "others below the capacity")
    load = sp.Symbol("alpha", nonnegative=True)
    least = b * ((k + 1) * f + k * load) - (b - spare) * f  # a f^k = b - z
    require(sp.expand(least).is_positive, "others above the capacity, P <= 1")
    require_zero((1 - loss()) * D - (b - a * f**k), "P <= 1 means a f^k <= b")
    return slope


@once
def equilibrium() -> Expr:
    """Derive the symmetric equilibrium of M >= 2 sources: f = (k + 1)/(k M).

    The load is (k + 1)/k, and each source loses 1/(k + 1).
    """
    equal = {a: (M - 1) * f - 1, b: (M - 1) * f ** (k + 1)}
    condition = sp.expand(sp.powsimp(sp.expand((balance() - b).subs(equal)))) / f**k
    condition = sp.simplify(condition)
    require_zero(condition - (k * M * f - (k + 1)), "linear in f: the only symmetric equilibrium")
    rate = (k + 1) / (k * M)
    require_zero(condition.subs(f, rate), "the rate")
    load = M * rate
    require_zero(load - (k + 1) / k, "the load")
    require_zero(1 - 1 / load - loss_at_optimum(), "what the load exceeds the capacity by is what is lost")
    require_zero(loss().subs(equal).subs(f, rate) - loss_at_optimum(), "by the curve")
    return rate


def only_equilibrium() -> Expr:
    """Prove that there is no other equilibrium, symmetric or not.

    In any equilibrium every source loses 1/(k + 1) > 0, so the load L exceeds 1. All P_j share the factor (L - 1)/D,
    where D is the sum of all f^(k+1). So P_i/P_j = (f_i/f_j)^k, which is 1 only for equal rates. No rate is zero,
    because a best reply lies beyond max(0, -a).
    """
    mine, other, L, D = sp.symbols("f_i f_j L D", positive=True)

    def probability(rate: Expr) -> Expr:
        return loss().subs({a: L - 1 - f, b: D - f ** (k + 1)}).subs(f, rate)

    ratio = y**k
    require_zero(sp.powsimp(probability(mine) / probability(other), force=True) - (mine / other) ** k, "the ratio")
    require(sp.diff(ratio, y).is_positive, "which increases")
    require_zero(ratio.subs(y, 1) - 1, "and is 1 for equal rates")
    return probability(f)


def shed() -> Expr:
    """Prove that with a load L >= 1 and no P above 1 the total loss is L - 1: exactly the excess load.

    A source loses f P = (L - 1) f^(k+1)/D, and the f^(k+1) of all sources add up to D.
    """
    L, D = sp.symbols("L D", positive=True)
    share = (f * loss()).subs({a: L - 1 - f, b: D - f ** (k + 1)})
    require_zero(share - (L - 1) * f ** (k + 1) / D, "one source's part")
    for count in (1, 2, 3, 4):
        rates = sp.symbols(f"f_1:{count + 1}", positive=True)
        total = sum(rates)
        lost = sum(
            (f * loss()).subs({f: rate, a: total - rate - 1, b: sum(r ** (k + 1) for r in rates) - rate ** (k + 1)})
            for rate in rates
        )
        require_zero(lost - (total - 1), f"{count} sources, added up")
    return L - 1


@once
def virtual_capacity() -> Expr:
    """Derive the load with a virtual capacity v C: (k + 1) v/k of C, without loss on C iff v <= k/(k + 1).

    All results above hold in fractions of v C. On the true capacity M equal sources lose 1 - 1/L if L > 1.
    """
    load = M * equilibrium() * (v * C) / C
    require_zero(load - (k + 1) * v / k, "load over true capacity")
    edge = k / (k + 1)
    require_zero(load.subs(v, edge) - 1, "exactly full")
    require(sp.diff(load, v).is_positive, "more v, more load")
    on_true = loss().subs({a: load * (M - 1) / M - 1, b: (M - 1) * (load / M) ** (k + 1), f: load / M})
    require_zero(on_true - (1 - 1 / load), "loss by the curve of the true capacity")
    require_zero(on_true.subs(v, 1) - loss_at_optimum(), "v = 1 is the model without virtual capacity")
    require_zero(on_true.subs(v, edge), "and nothing at the edge")
    return load


def virtual_rate() -> Expr:
    """Derive each source's rate with a virtual capacity v C, of which the equilibrium rate is a fraction."""
    rate = v * equilibrium()
    require_zero(M * rate - virtual_capacity(), "all sources together are the load")
    return rate


def virtual_loss() -> Expr:
    """Derive the loss 1 - 1/L with a virtual capacity v C, v >= k/(k + 1)."""
    loss = 1 - 1 / virtual_capacity()
    require_zero(loss.subs(v, 1) - loss_at_optimum(), "v = 1 is the model without virtual capacity")
    return loss


def lossless_factor() -> Expr:
    """Derive the largest virtual factor without loss, with which the load is 1."""
    factor = sp.simplify(v / virtual_capacity())  # the load is proportional to v
    require_zero(virtual_capacity().subs(v, factor) - 1, "exactly full")
    return factor

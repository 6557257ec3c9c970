"""The load that the printed loss-load curve carries above capacity: an erratum, and its size.

A source with f^k (L - 1) > D has P > 1 as printed (L: load, D: sum of all f^(k+1)). A probability is at most 1, so that
source loses f instead of f P. This is less than the law counts on, so the others carry more than the capacity.
"""

import sympy as sp
from sympy import Expr

from derivations.loss_load import M, f, k, only_equilibrium
from derivations.proof import once, require, require_zero

L, D, A = sp.symbols("L D A", positive=True)
u = sp.Symbol("u", positive=True)  # a small source's rate over a large one's
large, small = sp.symbols("q m", positive=True)  # how many of each
greedy, power, others, others_power = sp.symbols("L_J D_J L_U D_U", positive=True)  # the sums over both groups


def exceeds_one() -> Expr:
    """Prove that P > 1 if and only if f^k (L - 1) > D.

    This needs other sources that are slower and whose load alone exceeds 1, since D >= f^(k+1) leaves L - 1 - f > 0.
    For the smallest rate D >= f^k L, so it has P <= 1 - 1/L.
    """
    printed = only_equilibrium()
    require_zero(printed - 1 - (f**k * (L - 1) - D) / D, "the condition")
    require_zero((f**k * (L - 1) - D).subs(D, f ** (k + 1)) - f**k * (L - 1 - f), "the others' load less 1")
    require_zero(printed.subs(D, f**k * L) - (1 - 1 / L), "the smallest rate, at most")
    return f**k * (L - 1) - D


def carried_above_capacity() -> Expr:
    """Derive the load carried, 1 + E, with E = L_U D_J/D - L_J - D_J/D the sum of f (P - 1) over the clipped.

    J are the clipped sources, U the others. Of all sets J, that of the clipped sources maximises the sum.
    """
    total, powers = greedy + others, power + others_power
    clipped = power * (total - 1) / powers - greedy  # sum of f P - f over J
    unclipped = others - others_power * (total - 1) / powers  # throughput of the others
    require_zero(unclipped - (1 + clipped), "the others carry all that is carried")
    return clipped


@once
def bound_by_limit() -> Expr:
    """Prove that E < E' = (L_U D_J - L_J D_U)/(D_J + D_U).

    E' is the limit of E/A when all rates grow with A.
    """
    law = carried_above_capacity()
    bound = (others * power - greedy * others_power) / (power + others_power)
    require_zero(bound - law - power / (power + others_power), "the difference is positive")
    grown = {
        greedy: A * greedy,
        others: A * others,
        power: A ** (k + 1) * power,
        others_power: A ** (k + 1) * others_power,
    }
    require_zero(
        sp.limit(sp.simplify(law.subs(grown, simultaneous=True) / A), A, sp.oo) - bound, "rates A times as large"
    )
    return bound


@once
def worst_case() -> Expr:
    """Derive the largest E' with rates up to A: A q m (u - u^(k+1))/(q + m u^(k+1)).

    It occurs with q sources at A and m = M - q at u A. (1) E' falls with D_U, so for given L_U all rates outside J are
    equal (power mean). (2) In one rate of J, E' <= t says (L_U - t) f^(k+1) - D_U f <= a constant. As t < L_U, the left
    side is convex and this is an interval, so E' is largest at an end of the rate's range, 0 or A. A source at 0 adds
    more outside J, because E' rises with m.
    """
    bound = bound_by_limit()
    falls = sp.factor(sp.diff(bound, others_power))
    require((-falls).is_positive, "(1)")
    t, rest, base = sp.symbols("t l d", positive=True)
    level = bound - t
    one = {greedy: rest + f, power: base + f ** (k + 1)}
    left = (others - t) * f ** (k + 1) - others_power * f
    constant = t * (base + others_power) - others * base + rest * others_power
    require_zero(sp.expand((level * (power + others_power)).simplify().subs(one)) - sp.expand(left - constant), "(2)")
    require_zero(others - bound - others_power * (greedy + others) / (power + others_power), "E' < L_U")
    sums = {
        greedy: large * A,
        power: large * A ** (k + 1),
        others: small * u * A,
        others_power: small * (u * A) ** (k + 1),
    }
    size = A * large * small * (u - u ** (k + 1)) / (large + small * u ** (k + 1))
    require_zero(bound.subs(sums) - size, "two groups")
    require(sp.factor(sp.diff(size, small) / (u - u ** (k + 1))).is_positive, "rises with m, u < 1")
    return size


def worst_over_sources() -> Expr:
    """Derive the largest E' per offered load A M: the maximum over u of (u - w)/(1 + sqrt(w))^2, w = u^(k+1).

    It is 1/8 for k = 1 (u = 1/3, m = 3 q). For large k it tends to 1: the link would carry nearly all that is offered.
    E has no bound unless the rates have.
    """
    w, ratio = sp.symbols("w r", positive=True)
    per_load = ratio * (u - w) / ((1 + ratio) * (1 + ratio * w))
    size = worst_case() / (A * (large + small))
    require_zero(size.subs(small, ratio * large) - per_load.subs(w, u ** (k + 1)), "m = r q")
    best = (u - w) / (1 + sp.sqrt(w)) ** 2
    require_zero(per_load.subs(ratio, 1 / sp.sqrt(w)) - best, "r = 1/sqrt(w)")
    spare = sp.factor(sp.simplify((best - per_load) / (u - w)))
    square = (ratio * sp.sqrt(w) - 1) ** 2 / ((1 + sp.sqrt(w)) ** 2 * (1 + ratio) * (1 + ratio * w))
    require_zero(spare - square, "which is the best r: the rest is a square")
    single = best.subs(w, u**2)
    require_zero(sp.diff(single, u).subs(u, sp.Rational(1, 3)), "k = 1, u = 1/3")
    require(single.subs(u, sp.Rational(1, 3)) == sp.Rational(1, 8), "an eighth")
    require(sp.limit(worst_case().subs({large: M / 2, small: M / 2}) / A, u, 1) == 0, "none between equals")
    return best

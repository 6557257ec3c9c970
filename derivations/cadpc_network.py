"""CADPC with weights and over several links: its equilibrium, and how it differs from max-min fairness.

Assumptions: flow i applies equation (1) to the report of the link with the least available bandwidth C_l - lambda_l on
its route (Welzl, section II.A); a flow of weight w acts like w flows of equal rates (section III). Let B be the
capacity of that link, and rates not be divided by it. The factor in equation (1) is then 1 + (B - x - lambda)/B. In
equilibrium x_i = w_i A_l with A_l = C_l - lambda_l, so

    x_i = w_i min over the links l of i of A_l.        (*)

Uniqueness (the steps are checked in `lowest_link`): let two solutions of (*) be given, and let l be a link with the
lowest A of all links in either of them, say in the first. Every flow on l has x_i = w_i A_l there, and at least that in
the second. So in the second lambda_l is no less and A_l no more. By the choice of l, A_l is no less either: they are
equal, and so are the rates of all flows on l. Remove l and its flows, and the bandwidth that these use on the other
links; the same argument applies again. The progressive filling of `fill` finds the solution, link by link.

(*) is the weighted max-min allocation of the network with one more flow of weight 1 on every link, whose rate is A_l:
each link is then full, and every flow has a link on which no flow has more for its weight. Max-min fairness of the
network itself needs A_l = 0 on the bottlenecks. The two differ in the shares and not only in the total (`parking_lot`).
"""

from typing import NamedTuple

import sympy as sp
from sympy import Expr, Rational

from derivations.cadpc import L, a, update
from derivations.proof import require, require_zero

x, w, W, C = sp.symbols("x w W C", positive=True)
traffic = sp.Symbol("lambda", positive=True)
m_1, m_2 = sp.symbols("m_1 m_2", integer=True, positive=True)
Rates = list[Expr]


class Weights(NamedTuple):
    """Update of the rate of a flow with a weight, and its rate in equilibrium."""

    update: Expr
    rate: Expr


def weights() -> Weights:
    """Derive the update of w flows of rate x/w together: x -> x (1 + a (1 - x/w - L)).

    In equilibrium the rate is w/(1 + W), proportional to w.
    """
    together = w * update(x / w, L)
    law = x * (1 + a * (1 - x / w - L))
    require_zero(together - law, "w flows")
    share = w / (1 + W)
    require_zero((law - x).subs({x: share, L: W / (1 + W)}), "at rest")
    total = sp.solve(sp.Eq(sp.Symbol("S"), (1 - sp.Symbol("S")) * W), sp.Symbol("S"))[0]  # all x_i = w_i (1 - S)
    require_zero(total - W / (1 + W), "the only traffic at rest")
    require_zero(share.subs(w, 2) / share.subs(w, 1) - 2, "two flows have twice the rate of one, whatever W is")
    return Weights(law, share)


def at_rest() -> Expr:
    """Derive the rate in equilibrium, x = w (C - lambda): w times the available bandwidth of the link, for every C."""
    scaled = C * update(x / C / w, traffic / C) * w  # rates over the capacity of the link that reports
    rest = sp.symbols("rest", positive=True)
    solutions = sp.solve(sp.simplify(scaled / x - 1).subs(x, rest), rest)
    require(len(solutions) == 1, "one positive rate")
    require_zero(solutions[0] - w * (C - traffic), "the available bandwidth")
    return solutions[0]


def lowest_link() -> Expr:
    """Derive the available bandwidth A = C/(1 + W) of a link on whose reports all its flows act.

    It rises when some of the flows are limited elsewhere.
    """
    level = C / (1 + W)
    require_zero(C - W * level - level, "A = C - lambda, every flow at w A")
    below = sp.Symbol("b", positive=True)  # a flow of weight w fixed at a lower level A = level - b, on another link
    lower = level - below
    raised = (C - w * lower) / (1 + W - w)
    rise = sp.factor(raised - level)
    require_zero(rise - w * below / (1 + W - w), "what the others gain: positive, as w < 1 + W")
    return level


def fill(routes: list[list[int]], capacities: Rates, weight: Rates) -> tuple[Rates, Rates]:
    """Compute rates and available bandwidths exactly: fix the flows of the lowest link, then those of the next."""
    links, flows = len(routes), len(weight)
    left, rates = list(capacities), [sp.nan] * flows
    while sp.nan in rates:
        levels = {}
        for link in range(links):
            active = [weight[i] for i in range(flows) if routes[link][i] and rates[i] is sp.nan]
            if active:
                levels[link] = left[link] / (1 + sum(active))
        lowest = min(levels, key=lambda link: levels[link])
        for i in range(flows):
            if routes[lowest][i] and rates[i] is sp.nan:
                rates[i] = weight[i] * levels[lowest]
                for link in range(links):
                    left[link] -= routes[link][i] * rates[i]
    return rates, left


def network() -> list[Rates]:
    """Check (*) in exact arithmetic on networks of several shapes, with unequal capacities and weights."""
    found = []
    for routes, capacities, weight in (
        ([[1, 1, 1, 0], [1, 0, 0, 1]], [1, 1], [1, 1, 1, 1]),
        ([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]], [3, 1, 2], [1, 2, 1, 3]),
        ([[1, 1, 0, 1], [0, 1, 1, 0], [1, 0, 1, 1]], [5, 2, 7], [1, 1, 4, Rational(1, 2)]),
        ([[1, 1, 1], [1, 1, 1]], [1, 10], [1, 1, 1]),
    ):
        exact = [Rational(c) for c in capacities], [Rational(v) for v in weight]
        rates, left = fill(routes, *exact)
        for i, rate in enumerate(rates):
            spare = min(left[link] for link in range(len(routes)) if routes[link][i])
            require_zero(rate - exact[1][i] * spare, "every flow at w times the least available bandwidth")
        require(all(bool(spare > 0) for spare in left), "no link is full")
        found.append(rates)
    return found


class ParkingLot(NamedTuple):
    """Rates of the flow over both links, of one over the link with more (m_1 >= m_2), and of one over the other."""

    long: Expr
    crowded: Expr
    other: Expr


def parking_lot() -> ParkingLot:
    """Derive the rates of a parking lot: 1/(m_1 + 2) for the long flow and the m_1 short ones.

    The m_2 short flows have (1 - 1/(m_1 + 2))/(m_2 + 1). The max-min allocation of the network is 1/(m_1 + 1) and (1 -
    1/(m_1 + 1))/m_2. For m_1 = 9 and m_2 = 1 the latter is 9/10, while CADPC gives 5/11 and leaves 5/11 of that link
    unused, although no other flow would lose by using it.
    """
    crowded = 1 / (m_1 + 2)
    other = (1 - crowded) / (m_2 + 1)
    spare_1, spare_2 = 1 - (m_1 + 1) * crowded, 1 - crowded - m_2 * other
    require_zero(spare_1 - crowded, "the crowded link has to spare what its flows get")
    require_zero(spare_2 - other, "and so has the other")
    fewer = sp.Symbol("k", integer=True, nonnegative=True)
    more = sp.factor((spare_2 - spare_1).subs(m_1, m_2 + fewer))
    require(more.is_nonnegative, "the long flow acts on the report of the link with more short flows")
    own, others = sp.symbols("m_own m_other", integer=True, positive=True)
    most = sp.Max(own, others)
    for values in ((9, 1), (1, 9), (4, 4)):
        at = dict(zip((own, others), values, strict=True))
        single = ((1 + most) / ((2 + most) * (1 + own))).subs(at)
        case = crowded.subs(m_1, values[0]) if values[0] >= values[1] else other.subs({m_1: values[1], m_2: values[0]})
        require_zero(single - case, "both cases in one expression")
    fair = (1 - 1 / (m_1 + 1)) / m_2
    at = {m_1: 9, m_2: 1}
    require_zero(fair.subs(at) - Rational(9, 10), "max-min fair")
    require_zero(other.subs(at) - Rational(5, 11), "CADPC")
    require_zero(spare_2.subs(at) - Rational(5, 11), "unused")
    return ParkingLot(crowded, crowded, other)

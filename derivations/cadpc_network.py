"""CADPC with weights and over several links: where it rests, and that this is not the network's own max-min allocation.

Assumptions: equation (1) for a flow i on the report of the link with the least available bandwidth C_l - lambda_l on
its way (section II.A); a flow of weight w acts like w flows of equal rates (section III). With B the capacity of that
link and rates not divided by it, the factor in equation (1) is 1 + (B - x - lambda)/B: at rest x_i = w_i A_l, A_l =
C_l - lambda_l, so

    x_i = w_i min over the links l of i of A_l.        (*)

Uniqueness (in words, the steps are in `lowest_link`): let two solutions of (*) be given, and l a link with the lowest
A of all links in either of them, say in the first. Every flow on l has x_i = w_i A_l there, and at least that in the
second. So lambda_l is no less, A_l no more, in the second; and no less by the choice of l: they are equal, and so are
the rates of all flows on l. Without l and its flows, and with what these take from the other links removed, the same
argument applies again. The water level of `fill` finds it, link by link.

(*) is the weighted max-min allocation of the network with a flow of weight 1 more on every link, whose rate is A_l:
each link is then full, and every flow has a link on which none has more for its weight. Max-min fairness of the
network itself needs A_l = 0 on the bottlenecks. The two differ in the shares and not only in the total
(`parking_lot`).
"""

from typing import NamedTuple

import sympy as sp
from sympy import Expr, Rational

from derivations.cadpc import a, update
from derivations.proof import require, require_zero

x, w, W, C = sp.symbols("x w W C", positive=True)
traffic = sp.Symbol("lambda", positive=True)
m_1, m_2 = sp.symbols("m_1 m_2", integer=True, positive=True)
Rates = list[Expr]


def weights() -> Expr:
    """w flows of rate x/w together: x -> x (1 + a (1 - x/w - L)), at rest at w/(1 + W), in proportion to w."""
    together = w * update(x / w, traffic)
    law = x * (1 + a * (1 - x / w - traffic))
    require_zero(together - law, "w flows")
    share = w / (1 + W)
    require_zero((law - x).subs({x: share, traffic: W / (1 + W)}), "at rest")
    total = sp.solve(sp.Eq(sp.Symbol("S"), (1 - sp.Symbol("S")) * W), sp.Symbol("S"))[0]  # all x_i = w_i (1 - S)
    require_zero(total - W / (1 + W), "the only traffic at rest")
    require_zero(share.subs(w, 2) / share.subs(w, 1) - 2, "two flows have twice the rate of one, whatever W is")
    return law


def at_rest() -> Expr:
    """x = w (C - lambda), the link's available bandwidth, in the unit of the rates and whatever C is."""
    scaled = C * update(x / C / w, traffic / C) * w  # rates over the capacity of the link that reports
    rest = sp.symbols("rest", positive=True)
    solutions = sp.solve(sp.simplify(scaled / x - 1).subs(x, rest), rest)
    require(len(solutions) == 1, "one positive rate")
    require_zero(solutions[0] - w * (C - traffic), "the available bandwidth")
    return solutions[0]


def lowest_link() -> Expr:
    """A = C/(1 + W): the level of a link whose flows all answer to it; it rises when others are fixed."""
    level = C / (1 + W)
    require_zero(C - W * level - level, "A = C - lambda, every flow at w A")
    below = sp.Symbol("b", positive=True)  # a flow of weight w fixed at a lower level A = level - b, on another link
    lower = level - below
    raised = (C - w * lower) / (1 + W - w)
    rise = sp.factor(raised - level)
    require_zero(rise - w * below / (1 + W - w), "what the others gain: positive, as w < 1 + W")
    return level


def fill(routes: list[list[int]], capacities: Rates, weight: Rates) -> tuple[Rates, Rates]:
    """Rates and available bandwidths, exactly: fix the flows of the lowest link, then those of the next."""
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
    """(*) in exact arithmetic on networks of several shapes, with unequal capacities and weights."""
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
    """Rates of the long flow, of a short one on the link with more of them (m_1 >= m_2), and of one on the other."""

    long: Expr
    crowded: Expr
    other: Expr


def parking_lot() -> ParkingLot:
    """1/(m_1 + 2) for the long flow and the m_1 short ones; (1 - 1/(m_1 + 2))/(m_2 + 1) for the m_2.

    The max-min allocation of the network is 1/(m_1 + 1) and (1 - 1/(m_1 + 1))/m_2. For m_1 = 9, m_2 = 1 the latter is
    9/10, CADPC gives 5/11 and leaves 5/11 of that link unused, although nobody else could be harmed.
    """
    crowded = 1 / (m_1 + 2)
    other = (1 - crowded) / (m_2 + 1)
    spare_1, spare_2 = 1 - (m_1 + 1) * crowded, 1 - crowded - m_2 * other
    require_zero(spare_1 - crowded, "the crowded link has to spare what its flows get")
    require_zero(spare_2 - other, "and so has the other")
    fewer = sp.Symbol("k", integer=True, nonnegative=True)
    more = sp.factor((spare_2 - spare_1).subs(m_1, m_2 + fewer))
    require(more.is_nonnegative, "the long flow answers to the link with more short ones")
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

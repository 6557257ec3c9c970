"""Max-min fair rates and the schedule of files that have them: uniqueness, progressive filling, closed forms.

Assumptions: a fluid; link l carries a_li >= 0 bytes for every byte of flow i, sum_i a_li x_i <= C_l; every flow has a
link with a_li > 0. x is max-min fair for the weights w if every feasible y with y_i > x_i has a j with y_j < x_j and
x_j/w_j <= x_i/w_i (Bertsekas and Gallager, Data Networks, section 6.5.2; weights and shares a_li added).

    Bottleneck condition: every flow i has a full link l with a_li > 0 on which x_i/w_i is the largest.    (*)

(*) implies max-min: let y be feasible, y_i > x_i, and l the bottleneck of i. Link l is full under x and no more than
full under y. So some j on l has y_j < x_j, and x_j/w_j <= x_i/w_i by (*).

Max-min implies (*): if flow i has no such link, each of its links has spare capacity or a flow with more for its
weight, of which a little can be taken. Then x_i grows, and only flows with more for their weights fall.

There is one x with (*): let x and y both have it and differ. Of the flows with x_i != y_i take the one with the least
min(x_i, y_i)/w_i, say with x_i < y_i, and its bottleneck l under x. Some j on l has y_j < x_j, so y_j/w_j < x_j/w_j <=
x_i/w_i, a contradiction: j has the smaller minimum.

Progressive filling ends with (*): all x_i/w_i grow equally until a link is full; its flows stop there, and no other
flow on it has stopped higher. Every flow stops, as it has a link; so there is a solution. `networks` checks all of this
by trying every assignment of bottlenecks to flows.

A file is complete when the integral of its rate is its size. The rates are constant between events, so the schedule is
a sum. Where a link is never idle until its last file is complete, only its bytes count (`busy_link`).
"""

import itertools
from typing import NamedTuple

import sympy as sp
from sympy import Expr, Rational

from derivations.proof import require, require_zero

C, F, a, D = sp.symbols("C F a D", positive=True)
L = sp.Symbol("L", positive=True)
n, m_1, m_2 = sp.symbols("n m_1 m_2", integer=True, positive=True)
Table = list[list[Expr]]
Rates = tuple[Expr, ...]


def fill(usage: Table, capacity: list[Expr], weight: list[Expr]) -> Rates:
    """Compute max-min fair rates by progressive filling: fix the flows of the lowest link, then those of the next."""
    level: dict[int, Expr] = {}
    while len(level) < len(weight):
        found = {}
        for number, row in enumerate(usage):
            rest = capacity[number] - sum(row[i] * weight[i] * level[i] for i in level)
            open_flows = [i for i in range(len(weight)) if i not in level and row[i]]
            if open_flows:
                found[number] = rest / sum(row[i] * weight[i] for i in open_flows)
        lowest = min(found, key=lambda number: found[number])
        level |= {i: found[lowest] for i in range(len(weight)) if i not in level and usage[lowest][i]}
    return tuple(weight[i] * level[i] for i in range(len(weight)))


def has_bottlenecks(usage: Table, capacity: list[Expr], weight: list[Expr], rates: Rates) -> bool:
    """Return whether numerical rates are feasible and satisfy the bottleneck condition (*)."""
    loads = [sum(share * rate for share, rate in zip(row, rates, strict=True)) for row in usage]
    if min(rates) < 0 or any(load > most for load, most in zip(loads, capacity, strict=True)):
        return False
    for i in range(len(rates)):
        for row, load, most in zip(usage, loads, capacity, strict=True):
            level = [rate / w for rate, w, share in zip(rates, weight, row, strict=True) if share]
            if row[i] and load == most and rates[i] / weight[i] == max(level):
                break
        else:
            return False
    return True


def by_assignment(usage: Table, capacity: list[Expr], weight: list[Expr]) -> set[Rates]:
    """Find all rates with (*): try every assignment of a bottleneck link to each flow."""
    found = set()
    links = [[number for number, row in enumerate(usage) if row[i]] for i in range(len(weight))]
    for assigned in itertools.product(*links):
        used = sorted(set(assigned))
        levels = sp.symbols(f"eta:{len(used)}")
        rates = [weight[i] * levels[used.index(link)] for i, link in enumerate(assigned)]
        full = [
            sp.Eq(sum(share * rate for share, rate in zip(usage[link], rates, strict=True)), capacity[link])
            for link in used
        ]
        for solution in sp.linsolve(full, levels):
            values = tuple(rate.subs(dict(zip(levels, solution, strict=True))) for rate in rates)
            if all(value.is_number for value in values) and has_bottlenecks(usage, capacity, weight, values):
                found.add(values)
    return found


SHAPES: tuple[tuple[Table, list[int], list[object]], ...] = (
    ([[1, 1, 1]], [6], [1, 2, 3]),
    ([[1, 1, 1, 0], [1, 0, 0, 1]], [1, 1], [1, 1, 1, 1]),
    ([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]], [3, 1, 2], [1, 2, 1, 3]),
    ([[1, 1, 0, 1], [0, 1, 1, 0], [1, 0, 1, 1]], [5, 2, 7], [1, 1, 4, Rational(1, 2)]),
    ([[1, Rational(2, 25)], [Rational(2, 25), 1]], [5, 5], [1, 1]),
    ([[1, Rational(1, 2), 0], [Rational(1, 2), 1, 1]], [3, 2], [1, 1, 2]),
    ([[1, 1], [1, 1]], [1, 10], [1, 1]),
    ([[1, 1, 0], [0, 1, 1]], [2, 0], [1, 1, 1]),
)


def networks() -> list[Rates]:
    """Check on networks of several shapes that one allocation satisfies (*), and that filling finds it.

    The allocations are enumerated by `by_assignment`.
    """
    found = []
    for usage, capacity, weight in SHAPES:
        exact = (
            [[sp.sympify(share) for share in row] for row in usage],
            [sp.Integer(c) for c in capacity],
            [sp.sympify(w) for w in weight],
        )
        rates = fill(*exact)
        require(by_assignment(*exact) == {rates}, "the only allocation with the bottleneck condition")
        found.append(rates)
    return found


def single_link() -> Expr:
    """Derive the rate w C/W on a single link: the link is full, and every flow has the same level C/W."""
    w = sp.symbols("w_1:5", positive=True)
    rates = [one * C / sum(w) for one in w]
    require_zero(sum(rates) - C, "full")
    for rate, one in zip(rates, w, strict=True):
        require_zero(rate / one - C / sum(w), "one level")
    own, total = sp.symbols("w W", positive=True)
    return own * C / total


class ParkingLot(NamedTuple):
    """Rates of the flow over both links, of one over the link with more (m_1 >= m_2), and of one over the other."""

    long: Expr
    crowded: Expr
    other: Expr


def parking_lot() -> ParkingLot:
    """Derive the rates of a parking lot: C/(m_1 + 1) for the long flow and the m_1 short ones.

    The m_2 short flows share the rest of their link equally.
    """
    crowded = C / (m_1 + 1)
    other = (C - crowded) / m_2
    require_zero(crowded + m_1 * crowded - C, "the crowded link is full, with one level")
    require_zero(crowded + m_2 * other - C, "and so is the other")
    fewer = sp.Symbol("k", integer=True, nonnegative=True)
    more = sp.factor((other - crowded).subs(m_1, m_2 + fewer))
    require(more.is_nonnegative, "where the short ones have no less than the long one")
    return ParkingLot(crowded, crowded, other)


def two_bottlenecks() -> Rates:
    """Derive the rates of one flow over links of C and C + d and one on each link: C/2, C/2, C/2 + d.

    This holds for every d >= 0.
    """
    more = sp.Symbol("d", nonnegative=True)
    both, first, second = C / 2, C / 2, C / 2 + more
    require_zero(both + first - C, "the first link is full, with one level")
    require_zero(both + second - (C + more), "the second one is full")
    require((second - both).is_nonnegative, "and has no flow above that which only it stops")
    return both, first, second


def two_ways() -> Expr:
    """Derive the rate of n flows forward and m back whose acknowledgments take a < 1: C/(max(n, m) + a min(n, m)).

    The rate is the same for all, because all cross both directions.
    """
    back, extra = sp.symbols("m k", integer=True, positive=True)
    share = sp.Symbol("q", positive=True)
    below = share / (1 + share)  # a < 1
    forward, backward = back + extra, back
    rate = C / (forward + below * backward)
    require_zero(forward * rate + below * backward * rate - C, "the way with more flows is full, with one level")
    room = sp.factor(C - (backward + below * forward) * rate)
    require(room.is_nonnegative, "the other one has room")
    return C / (n + a * sp.Symbol("m", integer=True, positive=True))


def sorted_files() -> Expr:
    """Derive completion times on one link: T_k = (F_1 + ... + F_(k-1) + (n - k + 1) F_k)/C.

    The files F_1 <= F_2 <= ... all arrive at time 0.
    """
    k = sp.Symbol("k", integer=True, positive=True)
    size, before, sum_before = sp.symbols("F_k F_before S", positive=True)  # S = F_1 + ... + F_(k - 1)
    through = (sum_before + (n - k + 1) * size) / C
    earlier = (sum_before - before + (n - k + 2) * before) / C
    require_zero(through - earlier - (n - k + 1) * (size - before) / C, "n - k + 1 files share the link in between")
    require_zero(through.subs({k: 1, sum_before: 0}) - n * size / C, "the first one shares with all")
    require_zero(through.subs(k, n) - (sum_before + size) / C, "the last one ends when all bytes are sent")
    return through


def equal_files() -> Expr:
    """Derive the completion time of n equal files that arrive together, n F/C, from `sorted_files`."""
    k = sp.Symbol("k", integer=True, positive=True)
    size, sum_before = sp.symbols("F_k S", positive=True)
    law = n * F / C
    require_zero(sorted_files().subs({size: F, sum_before: (k - 1) * F}) - law, "whichever is counted as the k-th")
    return law


def busy_link() -> Expr:
    """Derive the completion time of the last file of a link that is never idle: (1 + a) V/C + D.

    The link carries V bytes of data, and acknowledgments for V bytes of the other direction.
    """
    volume = sp.Symbol("V", positive=True)
    time = (1 + a) * volume / C + D
    require_zero(C * (time - D) - volume - a * volume, "what the link carries until then")
    return time


def beside_load() -> Expr:
    """Derive the completion time of a file beside uncontrolled traffic of load L: F/(C (1 - L)) + D."""
    law = F / (C * (1 - L)) + D
    require_zero((law - D) * (C - L * C) - F, "what is left of the link, all the time")
    return law


# The benchmark of Kanakia, Keshav and Mishra (1992), section 4: Mbit, ms, and Mbit/ms

SLOW = Rational(40, 1000)
RTT = sp.Integer(44)


def last_of_all(size: Expr, other: Expr, starts: list[Expr], capacity: Expr = SLOW, primaries: int = 1) -> Expr:
    """Compute when the primary files complete, if they are the last, on one link with files that start later.

    Files present at the same time share the link equally. The function checks that no other file completes before the
    last one has started, and that the primaries then have more left than a whole file of the others.
    """
    done = capacity * starts[0] / primaries
    carried = sp.Integer(0)
    for others, (begin, end) in enumerate(itertools.pairwise(starts), start=1):
        carried += capacity * (end - begin) / (primaries + others)
    require(bool(carried < other), "the first of the others is still there")
    require(bool(size - done - carried >= other), "the primaries complete last")
    volume = primaries * size + len(starts) * other
    return busy_link().subs({a: 0, D: 0, C: capacity, sp.Symbol("V", positive=True): volume})


def gradual(step: int) -> list[Expr]:
    """Return ten start times in steps, from 100 ms on."""
    return [sp.Integer(100 + step * j) for j in range(10)]


def migrating() -> Expr:
    """Derive the completion of connection 1 in experiment 5.

    It has 4 + 3 + 2 + 1 Mbit in its shares of the bottleneck, and the link for itself for the last 6.
    """
    full, half, third = SLOW, SLOW / 2, SLOW / 3
    require_zero(half * 150 - 3, "100 to 250 ms: two on S1-S2; connection 2 has 5 of 8 Mbit left")
    require_zero(third * 150 - 2, "250 to 400 ms: three on S2-H2, 2 Mbit each, which connections 3 and 4 have")
    require_zero(5 - (full - third) * 150 - 1, "connection 2 takes what connection 1 leaves of S1-S2, 1 Mbit is left")
    require_zero(half * 50 - 1, "400 to 450 ms: two on S1-S2, and connection 2 is complete")
    through = 450 + (16 - 4 - 3 - 2 - 1) / full
    require_zero(full * through - 3 * 8, "S1-S2 has carried 3 MB and was never idle")
    return through


def torture() -> Expr:
    """Derive the completion in experiment 10: 32 Mbit on the capacity that two periodic loads of C/4 leave.

    The loads are on from 1.5 to 4 ms and from 3 to 5.5 ms, every 4 ms.
    """

    def left(time: Expr) -> Expr:
        """Return the bits that the loads leave until a time [Mbit]."""
        taken = sp.Integer(0)
        for first in (Rational(3, 2), sp.Integer(3)):
            turns = sp.Max(sp.floor((time - first) / 4), -1)
            part = sp.Min(time - first - 4 * turns, Rational(5, 2)) if turns >= 0 else 0
            taken += SLOW / 4 * (Rational(5, 2) * sp.Max(turns, 0) + part)
        return SLOW * time - taken

    per_period = left(sp.Integer(84)) - left(sp.Integer(80))
    require_zero(per_period - SLOW * 4 * Rational(11, 16), "on average 11/16 of the link are left, 27.5 Mbit/s")
    turns = sp.floor((32 - left(sp.Integer(4))) / per_period)
    begin = 4 + 4 * turns
    # both loads overlap from 3 to 4 ms after a multiple of 4, one is on from 0 to 1.5 and from 1.5 to 3
    rest = 32 - left(begin)
    require(bool(rest < SLOW * Rational(3, 4) * 3), "it ends where one load is on")
    through = begin + rest / (SLOW * Rational(3, 4))
    require_zero(left(through) - 32, "all bytes are sent")
    return through


def experiments() -> dict[tuple[int, str], Expr]:
    """Return the completion times of the primary files of the benchmark, without the round trip [ms]."""
    load = beside_load().subs({F: 16, C: SLOW, D: 0})
    tenth = Rational(15, 400)  # 1.5 of 40 Mbit/s
    slow = SLOW * tenth
    both_ways = busy_link().subs({a: Rational(40, 500), D: 0, C: SLOW, sp.Symbol("V", positive=True): 56})
    last_of_all(16, 4, gradual(44), SLOW / (1 + Rational(40, 500)))  # the data's part of the link: last, too
    return {
        (1, ""): last_of_all(16, 4, gradual(44)),
        (2, ""): last_of_all(16, 4, gradual(4)),
        **{(3, f"{count} packets"): count * Rational(4, 1000) / SLOW for count in (4, 20, 200)},
        (4, ""): last_of_all(16, 4, gradual(44), primaries=2),
        (5, ""): migrating(),
        (6, ""): both_ways,
        **{(7, value): load.subs(L, Rational(value)) for value in ("0.2", "0.4", "0.6", "0.8", "0.9")},
        (8, ""): last_of_all(16, 4, gradual(44)),
        (9, "as printed"): last_of_all(16, 4, gradual(44), slow),
        (9, "scaled"): last_of_all(16 * tenth, 4 * tenth, gradual(44), slow),
        (10, ""): torture(),
    }

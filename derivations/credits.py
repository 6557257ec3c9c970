"""Credit windows: the rate that a window and its updates allow, and the growth of an adaptive allocation.

Times are in transmission times of a cell. Cell i = 1, 2, ... is sent from S(i) to S(i) + 1. The next node forwards it
at once; for each cell j N_2 it returns a credit cell, which is back P later, at S(j N_2) + 1 + P. With an allocation of
M = N_2 + N_3 cell i needs the credit of all cells up to i - M, so that

    S(i) = max(S(i - 1) + 1, S(j N_2) + 1 + P),    j = ceil((i - M)/N_2) >= 1.    (*)

S grows by the greatest ratio of time to cells over all cycles of (*) (a system of this kind has no other rate; Baccelli
and others, Synchronization and Linearity, theorem 3.23). The step by 1 alone has the ratio 1. Let M = q N_2 + r, 0 <= r
< N_2. A cycle with a credit step goes from cell j N_2 to a cell i with M + (j - 1) N_2 < i <= M + j N_2, and from there
by single steps to a multiple of N_2 again. The first such i is (q + j - 1) N_2 + r + 1, and N_2 - r - 1 steps lead from
there to (q + j) N_2: q N_2 cells in the time 1 + P + N_2 - r - 1. Every other i below that leaves out some of these
steps, and every i above it, or further steps, add as many cells as time, which matters only if the ratio is below 1
anyway. So the rate is the least of 1 and q N_2/(P + N_2 - r). `first_times` tries (*) itself.

In bytes, with packets of l bytes: W = l M, u = l N_2, R = P l/C is the time from the end of a packet to the credit for
it, and the rate is C times the share of the link.
"""

import sympy as sp
from sympy import Expr

from derivations.proof import once, require, require_zero

N_2, N_3 = sp.symbols("N_2 N_3", integer=True, positive=True)
P, G, W, u, R, C, X, size = sp.symbols("P G W u R C X l", positive=True)
q = sp.Symbol("q", integer=True, positive=True)
r = sp.Symbol("r", integer=True, nonnegative=True)
k = sp.Symbol("k", integer=True, nonnegative=True)


def first_times(batch: int, reserve: int, loop: Expr, cells: int) -> list[Expr]:
    """Compute S(1) ... by (*)."""
    times = [sp.Integer(0)]
    for i in range(2, cells + 1):
        needed = -(-(i - batch - reserve) // batch)
        credit = times[needed * batch - 1] + 1 + loop if needed >= 1 else times[-1]
        times.append(max(times[-1] + 1, credit))
    return times


def measured_share(batch: int, reserve: int, loop: Expr) -> Expr:
    """Compute the share of the link from two cells of (*) that are many rounds of credit apart."""
    cells = ((batch + reserve) // batch) * batch
    times = first_times(batch, reserve, loop, 40 * cells + 1)
    return 20 * cells / (times[40 * cells] - times[20 * cells])


@once
def link_share() -> Expr:
    """Derive U = q N_2/(P + N_2 - r) where that is below 1: the cells of the longest cycle over its time."""
    first = (q - 1) * N_2 + r + 1  # the first cell after the credit of cell N_2 (j = 1), less N_2
    require_zero(first - 1 - (q * N_2 + r - N_2), "M + (j - 1) N_2 cells are covered without that credit")
    steps = q * N_2 - first
    law = q * N_2 / (1 + P + steps)
    require_zero(law - q * N_2 / (P + N_2 - r), "as printed")
    require_zero(law.subs(r, 0).subs(q, (N_2 + N_3) / N_2) - (N_2 + N_3) / (P + N_2), "N_2 divides the allocation")
    full = q * N_2 - (P + N_2 - r)
    require_zero(full.subs(q, (N_2 + N_3 - r) / N_2) - (N_3 - P), "1 or more exactly from N_3 = P on")
    return law


@once
def one_window() -> Expr:
    """Derive X = q u/(R + (u - r)/C) where that is below C: the share of the link in bytes and seconds."""
    left = sp.Symbol("left", nonnegative=True)  # r in bytes
    in_cells = {N_2: u / size, r: left / size, P: R * C / size}
    law = C * link_share().subs(in_cells, simultaneous=True)
    require_zero(law - q * u / (R + (u - left) / C), "the size of the packets cancels")
    require_zero(law.subs({left: 0, q: W / u}) - W / (R + u / C), "u divides the window")
    require_zero(sp.limit(law.subs({left: 0, q: W / u}), u, 0) - W / R, "an update after each byte")
    require_zero(law.subs({left: 0, q: 2, u: W / 2}) - W / (R + W / (2 * C)), "an update after half of the window")
    full = q * u - C * (R + (u - left) / C)
    require_zero(full.subs(q, (W - left) / u) - (W - u - C * R), "C or more exactly from W = u + C R on")
    return law.subs(left, W - q * u)


@once
def throughput() -> Expr:
    """Derive X = (q - 1 + 1/m) u/(R + u/(m C)), q = floor(W/u), from the cycle that takes the windows in turn.

    Window k sends its updates after the bytes o_k + j u, 0 = o_1 < ... < o_m < u, and all windows are q u. By (*) the
    update after byte o_k + j u allows the bytes up to o_k + (j + q) u. The first byte that needs it comes after o_k +
    (j + q - 1) u, and single steps lead from there to the next byte with an update, one of window k + 1: (q - 1) u +
    o_(k + 1) - o_k bytes take P + o_(k + 1) - o_k. Over all windows and back to the first the distances add up to u.
    As in `link_share`, all other cycles add as many bytes as time; without some windows the cycle has a smaller m.
    """
    m, first, second = sp.symbols("m o_1 o_2", positive=True)
    steps = [((q - 1) * u + gap, P + gap) for gap in (second - first, u - (second - first))]
    size, time = (sp.Add(*part) for part in zip(*steps, strict=True))
    require_zero(size - (2 * q - 1) * u, "two windows: the distance cancels")
    require_zero(time - (2 * P + u), "two windows: the distance cancels in the time")
    law = (m * (q - 1) + 1) * u / (m * R + u / C)  # P is in bytes: P = C R
    require_zero(law.subs(m, 2) - (C * size / time).subs(P, C * R), "m = 2")
    require_zero(law - (q - 1 + 1 / m) * u / (R + u / (m * C)), "as printed")
    require_zero(law.subs(m, 1) - one_window().subs(W, q * u), "one window")
    slower = sp.numer(sp.together(law.subs(m, m + 1) - law))
    full = C * R - (q - 1) * u  # positive while the path is not full
    require_zero(sp.rem(slower, full, R), "less with each window while the path is not full, and full with all")
    return law.subs(q, sp.floor(W / u))


@once
def window_for_rate() -> Expr:
    """Derive that u + X R is enough for a rate X: q u - X (R + (u - r)/C) = (1 - X/C) (u - r) >= 0."""
    law, left = u + X * R, sp.Symbol("left", nonnegative=True)
    spare = law - left - X * (R + (u - left) / C)
    require_zero(spare - (1 - X / C) * (u - left), "not negative, as r < u and X <= C")
    require_zero(law.subs(X, C) - (u + C * R), "the least one for the capacity, by one_window")
    share = sp.Symbol("s", positive=True)
    require_zero(sp.solve(sp.Eq(W, law.subs(u, share * W)), W)[0] - X * R / (1 - share), "u = s W")
    return law


@once
def adaptive_allocation() -> Expr:
    """Derive A_k = (G^(k + 1) - 1)/(G - 1) from A_0 = 1 and A_k = 1 + G A_(k - 1), by induction.

    The flow uses the part A/P of the link, and all flows together use it all: the flow gets A/P of all cells given out.
    """
    law = (G ** (k + 1) - 1) / (G - 1)
    require_zero(law.subs(k, 0) - 1, "one cell")
    require_zero(law.subs(k, k + 1) - 1 - G * law, "the next allocation")
    given, total = sp.symbols("g T", positive=True)  # cells given out; cells of all flows in an interval
    allocation = sp.Symbol("A", positive=True)
    require_zero(given * (total * allocation / P) / total - (given / P) * allocation, "G = g/P")
    require(sp.simplify(law.subs({G: 2}) - (2 ** (k + 1) - 1)) == 0, "doubled and one more")
    return law

"""Throughput efficiency when segments need any number of rounds: our own law, from the waiting of the sender.

Assumptions: those of WUCS-92-38, section 4.2, without the fourth. Packets are lost independently, the acknowledgment of
a group arrives w_a segment times after its last packet, and the window is counted from the oldest segment not
acknowledged. Time is in segment times; t = 1/(1 - p) is the mean time that the sender spends on a segment.

Let start(u) be the time of the first transmission of segment u, and x(u) = start(u) - u t, which increases where the
sender waits. H(u) = x(u) - x(u - W) is the waiting within one window. The window implies that H(u) is at least M_0 =
w_a + 1 - W t, and M_0 + k w_a if segment u - W needed k repetitions.
"""

import sympy as sp
from sympy import Expr, Rational

from derivations.proof import once, require, require_zero
from derivations.segment_rounds import geometric_mean, mean_transmissions, p
from derivations.selective_repeat import W, efficiency_middle, efficiency_small, g, loss_free_run, m, w

M = sp.Symbol("M", real=True)  # waiting in a window, before the repetition in question
n = sp.Symbol("n", nonnegative=True)  # the same in acknowledgment delays, where it is positive
d, t, q = sp.symbols("d t q", positive=True)


@once
def efficiency() -> Expr:
    """Derive the efficiency W/(W t + H), with H the mean waiting within a window.

    The mean of H(u) is W times the growth of x per segment: summed over u, the differences x(u) - x(u - W) telescope to
    W values of x at either end.
    """
    x = sp.Function("x")
    for window, count in ((1, 5), (3, 4), (4, 9)):
        total = sum(x(u) - x(u - window) for u in range(1, count + 1))
        ends = sum(x(u) for u in range(count - window + 1, count + 1)) - sum(x(u) for u in range(1 - window, 1))
        require_zero(sp.expand(total - ends), "telescoping")
    waiting = sp.Symbol("H", nonnegative=True)
    law = W / (W * t + waiting)
    require_zero(1 / law - (t + waiting / W), "time per segment: sending and growth of x")
    require_zero(law.subs({waiting: 0, t: mean_transmissions()}) - (1 - p), "never waiting")
    idle = w + 1 - W * t
    require_zero(law.subs(waiting, idle) - W / (w + 1), "no repetition, W t < w_a + 1")
    return law


@once
def share_of_waiting() -> Expr:
    """Derive the share of segments at which the window waits for a repetition: q = g d/(g d + 1 - g).

    The window alternates between waiting and not waiting. A segment that needs the repetition ends a period without
    waiting: on average (1 - g)/g segments pass before it. A period of waiting ends d segments later, when the window
    passes the next older wait, for which it has waited already.
    """
    between = geometric_mean(1 - g)
    require_zero(between - loss_free_run(), "segments between two that need it")
    share = d / (d + between)
    require_zero(share - g * d / (g * d + 1 - g), "without division by g")
    require_zero(share.subs(g, 1) - 1, "every segment needs it")
    require_zero(sp.limit(share, g, 0), "none does")
    return g * d / (g * d + 1 - g)


def distance() -> Expr:
    """Derive the distance to the next older wait, d = (W + n)/(1 + n) segments, with n waits in a window.

    With none it is the new wait itself, W segments later. With one anywhere in the window it is the mean of 1 .. W. In
    between and beyond, the law follows W/(1 + n), the value for n independent, uniform places on a circle: an
    approximation, good for n up to a few.
    """
    j = sp.Symbol("j", integer=True, positive=True)
    window = sp.Symbol("W", integer=True, positive=True)
    law = (W + n) / (1 + n)
    require_zero(law.subs(n, 0) - W, "none")
    require_zero(law.subs({n: 1, W: window}) - sp.summation(j, (j, 1, window)) / window, "one, anywhere")
    y = sp.Symbol("y", positive=True)  # the nearest of n uniform places on a circle of length W is beyond y
    on_circle = sp.integrate((1 - y / W) ** n, (y, 0, W), conds="none")
    require_zero(on_circle - W / (1 + n), "n uniform places")
    require_zero(sp.limit(law / (W / (1 + n)), W, sp.oo) - 1, "wide windows")
    return law


def step() -> tuple[Expr, Expr, Expr]:
    """Return the waiting M after a further repetition, for M >= 0, -w_a < M < 0 and M <= -w_a.

    A window that waits already waits w_a longer for the share q of the segments. With M < 0 the spare time is used up
    first. A repetition that fits into the spare time reduces it by w_a.
    """
    waiting, short, spare = M + w * q, q * (w + M), M + w
    require_zero((waiting - short).subs(M, 0), "continuous at M = 0")
    require_zero((short - spare).subs(M, -w), "continuous at M = -w_a")
    require(sp.diff(waiting, M).is_positive and sp.diff(short, M).is_positive, "more waiting before, more after")
    return waiting, short, spare


def one_repetition() -> tuple[Expr, Expr]:
    """Derive the laws for at most one repetition and t = 1: for W <= w_a + 1, and for w_a + 1 <= W < 2 w_a + 1.

    The second is the middle law of section 4.2 with the mean run corrected, (1 - g)/g for 1/g, and m = W - w_a, without
    the p of the retransmissions. It needs only d = W, and so no approximation: this is why the cycle of the paper works
    there. At W = w_a + 1 the two laws agree. For smaller windows the paper uses d = W, too, which makes the window wait
    too long.
    """
    waiting, short, _ = step()
    idle = w + 1 - W
    share = share_of_waiting()
    middle = efficiency().subs(t, 1).subs(sp.Symbol("H", nonnegative=True), short.subs({M: idle, q: share.subs(d, W)}))
    run = loss_free_run()
    paper = (W + run) / (2 * w + 1 + run)
    require_zero(middle - paper, "the middle law, runs counted right")
    counted = efficiency_middle().law.subs(m, W - w).subs(p, 0)
    require_zero(counted - (W + 1 / g) / (2 * w + 1 + 1 / g), "which is the shipped one but for the runs")
    small = (
        efficiency()
        .subs(t, 1)
        .subs(sp.Symbol("H", nonnegative=True), waiting.subs({M: idle, q: share.subs(d, distance()).subs(n, idle / w)}))
    )
    require_zero((small - middle).subs(W, w + 1), "they meet at W = w_a + 1")
    always = waiting.subs({M: idle, q: W / (W + 1 / g)})
    require_zero(W / (W + always) - efficiency_small().subs(p, 0), "d = W and 1/g give the paper's small law")
    return small, middle


def one_segment() -> Expr:
    """Derive the law for W = 1: the wait is w_a (1 + g_1 + g_2 + ...) = w_a S, as d = 1 for every n.

    So q = g for every repetition.
    """
    share = share_of_waiting().subs(d, distance().subs(W, 1))
    require_zero(share - g, "every repetition counts with its chance")
    waiting = step()[0].subs(q, share) - M
    require_zero(waiting - w * g, "what it adds")
    rounds = sp.Symbol("S", positive=True)
    law = efficiency().subs({t: 1, W: 1}).subs(sp.Symbol("H", nonnegative=True), w * rounds)
    require_zero(law - 1 / (1 + w * rounds), "t_s/D_s but for the retransmissions' own time")
    require(Rational(1) == law.subs(w, 0), "no delay")
    return law

"""Throughput efficiency when segments need any number of rounds: our own law, from the sender's waiting.

Assumptions of WUCS-92-38, section 4.2, without its fourth: packets are lost independently, the answer to a
group arrives w_a segment times after its last packet, windows are counted from the oldest segment not
acknowledged. Time is in segment times and t is the mean time that the sender spends on a segment, 1/(1 - p).

Let start(u) be the time at which segment u is sent first and x(u) = start(u) - u t, which increases where the
sender waits. H(u) = x(u) - x(u - W) is the waiting within one window. The window says that H(u) is at least
M_0 = w_a + 1 - W t, and M_0 + k w_a if segment u - W needed k repetitions.
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
    """W/(W t + H), H being the mean waiting in a window: the mean of H(u) is W times the growth of x per segment.

    Summed over u the differences x(u) - x(u - W) telescope to W values of x at either end.
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
    """q = g d/(g d + 1 - g): the share of segments at which the window waits for a repetition.

    It alternates between waiting and not. A segment that needs the repetition ends the second: (1 - g)/g
    segments pass before it on average. The first ends d segments later, where the window passes the next
    older wait, which has been waited for already.
    """
    between = geometric_mean(1 - g)
    require_zero(between - loss_free_run(), "segments between two that need it")
    share = d / (d + between)
    require_zero(share - g * d / (g * d + 1 - g), "without division by g")
    require_zero(share.subs(g, 1) - 1, "every segment needs it")
    require_zero(sp.limit(share, g, 0), "none does")
    return g * d / (g * d + 1 - g)


def distance() -> Expr:
    """d = (W + n)/(1 + n) segments to the next older wait, of n of them in a window.

    With none it is the new wait itself that comes round after W. With one that lies anywhere it is the mean
    of 1 .. W. In between and beyond the value for n independent, uniform places on a ring, W/(1 + n), is
    followed: an approximation, good for n up to a few.
    """
    j = sp.Symbol("j", integer=True, positive=True)
    whole = sp.Symbol("W", integer=True, positive=True)
    law = (W + n) / (1 + n)
    require_zero(law.subs(n, 0) - W, "none")
    require_zero(law.subs({n: 1, W: whole}) - sp.summation(j, (j, 1, whole)) / whole, "one, anywhere")
    y = sp.Symbol("y", positive=True)  # the nearest of n uniform places on a ring of length W is beyond y
    ring = sp.integrate((1 - y / W) ** n, (y, 0, W), conds="none")
    require_zero(sp.simplify(ring - W / (1 + n)), "n uniform places")
    require_zero(sp.limit(law / (W / (1 + n)), W, sp.oo) - 1, "wide windows")
    return law


def step() -> tuple[Expr, Expr, Expr]:
    """How a further repetition changes the waiting M: for M >= 0, -w_a < M < 0, M <= -w_a.

    Waiting already, the window waits w_a longer for the share q of the segments; with M < 0 there is that
    much time to spare first; a repetition that fits into the spare time leaves w_a less of it.
    """
    waits, short, spare = M + w * q, q * (w + M), M + w
    require_zero((waits - short).subs(M, 0), "continuous at M = 0")
    require_zero((short - spare).subs(M, -w), "continuous at M = -w_a")
    require(sp.diff(waits, M).is_positive and sp.diff(short, M).is_positive, "more waiting before, more after")
    return waits, short, spare


def one_repetition() -> tuple[Expr, Expr]:
    """With one repetition at most, and t = 1: the waits for W <= w_a + 1 and for w_a + 1 <= W < 2 w_a + 1.

    The second is the middle law of section 4.2 with its runs counted right, (1 - g)/g for 1/g, and m = W - w_a,
    without the p of the retransmissions. It rests on d = W alone and so on no approximation: it is why the
    paper's cycle works there. At W = w_a + 1 the first agrees. For smaller windows the paper has d = W, too,
    which makes it wait too much.
    """
    waits, short, _ = step()
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
        .subs(sp.Symbol("H", nonnegative=True), waits.subs({M: idle, q: share.subs(d, distance()).subs(n, idle / w)}))
    )
    require_zero((small - middle).subs(W, w + 1), "they meet at W = w_a + 1")
    always = waits.subs({M: idle, q: W / (W + 1 / g)})
    require_zero(W / (W + always) - efficiency_small().subs(p, 0), "d = W and 1/g give the paper's small law")
    return small, middle


def one_segment() -> Expr:
    """W = 1: d is 1 whatever n, so q = g for every repetition: the wait is w_a (1 + g_1 + g_2 + ...) = w_a S."""
    share = share_of_waiting().subs(d, distance().subs(W, 1))
    require_zero(share - g, "every repetition counts with its chance")
    waits = step()[0].subs(q, share) - M
    require_zero(waits - w * g, "what it adds")
    rounds = sp.Symbol("S", positive=True)
    law = efficiency().subs({t: 1, W: 1}).subs(sp.Symbol("H", nonnegative=True), w * rounds)
    require_zero(law - 1 / (1 + w * rounds), "t_s/D_s but for the retransmissions' own time")
    require(Rational(1) == law.subs(w, 0), "no delay")
    return law

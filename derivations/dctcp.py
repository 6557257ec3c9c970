"""Proofs of the DCTCP laws: the synchronised sawtooth at a marking threshold, and the windows under given marks.

The rules are those of DCTCP (M. Alizadeh et al., SIGCOMM 2010, section 3): a window grows by a packet in a round trip;
after a round trip with marks it is multiplied by 1 - alpha/2, where alpha is the share of marked packets. Windows and
queues are in packets, product is the bandwidth-delay product, N flows are synchronised.
"""

import sympy as sp
from sympy import Expr, Rational

from derivations.proof import once, require, require_zero

W, N, K, R, p = sp.symbols("W N K R p", positive=True)
alpha, a = sp.symbols("alpha a", positive=True)
product = sp.Symbol("C R", positive=True)


def sent(low: Expr, high: Expr) -> Expr:
    """Return the packets that a flow sends while its window grows from one size to another, a packet a round trip."""
    w = sp.Symbol("w", positive=True)
    return sp.integrate(w, (w, low, high))


@once
def share_equation() -> Expr:
    """Derive alpha^2 (1 - alpha/4) = (2 W + 1)/(W + 1)^2: the packets sent after the mark, over those of a cycle.

    The queue reaches the threshold at window W; marks are answered a round trip later, at W + 1.
    """
    cycle = sent((W + 1) * (1 - alpha / 2), W + 1)
    share = sent(W, W + 1) / cycle
    equation = alpha**2 * (1 - alpha / 4) - (2 * W + 1) / (W + 1) ** 2
    require_zero((alpha - share) * alpha * (1 - alpha / 4) - equation, "alpha is the share")
    return equation


@once
def marked_share() -> Expr:
    """Derive alpha by three angles: with alpha = 4/3 + y it is a cubic in y with three real roots.

    sin^2 a = 27 r/64, r = (2 W + 1)/(W + 1)^2, which is at most 3/4 for W >= 1.
    """
    r = (2 * W + 1) / (W + 1) ** 2
    law = Rational(8, 3) * sp.sin(a / 3) ** 2 + 4 / sp.sqrt(3) * sp.sin(2 * a / 3)
    residual = law**2 * (1 - law / 4) - Rational(64, 27) * sp.sin(a) ** 2
    thirds = sp.expand_trig(sp.sin(3 * sp.Symbol("t"))) - sp.sin(3 * sp.Symbol("t"))
    require_zero(thirds, "the sine of three angles")
    s, c = sp.symbols("s c")  # sine and cosine of a third of a
    named = {sp.sin(2 * a / 3): 2 * s * c, sp.sin(a): 3 * s - 4 * s**3, sp.sin(a / 3): s}
    cleared = sp.expand(residual.subs(named, simultaneous=True))
    require_zero(sp.rem(cleared, s**2 + c**2 - 1, c), "residual, with the cosine's square as 1 - s^2")
    angle = sp.asin(sp.sqrt(27 * (2 * W + 1)) / (8 * (W + 1)))
    require_zero(sp.sin(angle) ** 2 - Rational(27, 64) * r, "the angle")
    solution = law.subs(a, angle)
    at_one = share_equation().subs({W: 1, alpha: 1})
    require_zero(at_one, "alpha = 1 at W = 1")
    require(abs(solution.subs(W, 1).evalf(40) - 1) < 1e-35, "and the law is that root")
    leading = sp.series(law, a, 0, 2).removeO()  # alpha ~ 8 a/(3 sqrt 3), a ~ sqrt(27 r)/8
    require_zero(leading.subs(a, sp.sqrt(27 * p) / 8) - sp.sqrt(p), "alpha ~ sqrt(r) for small r")
    require_zero(sp.limit(W * r, W, sp.oo) - 2, "and r ~ 2/W: alpha ~ sqrt(2/W)")
    return solution


def critical_window() -> Expr:
    """Return the window of each flow at which the queue reaches the threshold: all windows are product + K."""
    window = (product + K) / N
    require_zero(N * window - product - K, "in flight and queued")
    return window


@once
def queue_amplitude() -> Expr:
    """Derive the amplitude sqrt(2 N (C R + K))/2, the leading term of N (W + 1) alpha/2 with alpha = sqrt(2/W)."""
    law = sp.sqrt(2 * N * (product + K)) / 2
    cut = (W + 1) * sp.sqrt(2 / W) / 2
    require_zero(sp.limit(cut / sp.sqrt(W / 2), W, sp.oo) - 1, "the cut is sqrt(W/2) for large W")
    require_zero(N * sp.sqrt(critical_window() / 2) - law, "of N windows")
    exact = (W + 1) * alpha / 2
    require_zero((W + 1) - (W + 1) * (1 - alpha / 2) - exact, "what a window loses")
    return law


def oscillation_period() -> Expr:
    """Derive the period R sqrt(2 (C R + K)/N)/2: a round trip for each packet by which a window was cut."""
    law = R * sp.sqrt(2 * (product + K) / N) / 2
    require_zero(law - R * queue_amplitude() / N, "one packet a round trip")
    return law


def largest_queue() -> Expr:
    """Derive K + N: the windows W + 1 less the packets in flight."""
    law = K + N
    require_zero(N * (critical_window() + 1) - product - law, "queued at the top")
    return law


def smallest_queue() -> Expr:
    """Derive K + N less the amplitude."""
    return largest_queue() - queue_amplitude()


def least_threshold() -> Expr:
    """Derive C R/7: the threshold with which the smallest queue over all N is 0, at N = (C R + K)/8."""
    queue = smallest_queue()
    worst = (product + K) / 8
    require_zero(sp.diff(queue, N).subs(N, worst), "no slope there")
    require(sp.simplify(sp.diff(queue, N, 2)).is_positive, "a minimum")
    require_zero(queue.subs(N, worst) - (K - (product + K) / 8), "the smallest queue")
    (law,) = sp.solve(queue.subs(N, worst), K)
    require_zero(law - product / 7, "is 0 at this threshold")
    require(sp.simplify(sp.diff(queue.subs(N, worst), K)).is_positive, "and grows with it")
    return law


def window_at_threshold_marks() -> Expr:
    """Derive the inverse of `share_equation`: a quadratic in W + 1, of which the other root is below 1."""
    r = p**2 * (1 - p / 4)
    law = (1 - r + sp.sqrt(1 - r)) / r
    require_zero(share_equation().subs({alpha: p, W: law}), "residual")
    require_zero(law.subs(p, 1) - 1, "W = 1 where every packet is marked")
    require_zero(sp.limit(p**2 * law, p, 0) - 2, "2/p^2 for few marks")
    return law


def window_at_spaced_marks() -> Expr:
    """Derive 2/p: the packet that a round trip adds is the share p/2 of the window that the marks take away.

    The window has two marks, so that a round trip after a cut the next packet is a marked one, and the next cut.
    """
    (law,) = sp.solve(1 - p / 2 * W, W)
    require_zero(law - 2 / p, "balance")
    require_zero(law * p - 2, "marks in a window")
    return law


def window_at_random_marks() -> Expr:
    """Derive (1 + sqrt(3))/p: between two cuts are a round trip and the wait for a mark, of 1/p packets.

    That is 1 + 1/(p W) round trips of the mean, each of which adds a packet; a cut takes p W/2.
    """
    wait = 1 / p  # the mean number of packets up to a mark, that one included
    kept = sp.Symbol("x", positive=True)  # 1 - p; i x^(i - 1) is the slope of x^i, and the powers add up to 1/(1 - x)
    require_zero(sp.diff(1 / (1 - kept), kept) * (1 - kept) - 1 / (1 - kept), "the wait")
    law = (1 + sp.sqrt(3)) / p
    balance = 1 + wait / W - p * W / 2
    require_zero(balance.subs(W, law), "balance")
    require(sp.diff(balance, W).is_negative, "no other window balances")
    return law

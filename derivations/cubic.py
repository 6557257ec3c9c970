"""Proofs of the CUBIC laws: the window between losses, its response to loss, the sawtooth at a drop-tail link.

Each function starts from a rule of RFC 9438, proves one result with all symbols free and returns it; a proof that fails
raises AssertionError. Windows are in packets, except for the sawtooth at a link, where they are in bandwidth-delay
products. Time is measured from a loss. All of it is a fluid limit with one loss per period, at the same window each
time; `K` stands for the root of its equation, so that no cube root occurs.
"""

from collections import namedtuple

import sympy as sp
from sympy import Expr, Rational

from derivations.proof import once, require, require_zero

W, K, R, B, p = sp.symbols("W_max K R B p", positive=True)
c = sp.Symbol("C", positive=True)
u = sp.Symbol("u", positive=True)
beta = sp.Symbol("beta", positive=True)  # below 1: 1/(1 + u) where a proof needs that
t, v = sp.symbols("t v", nonnegative=True)
C = (1 - beta) * W / K**3  # equation 2 solved for c: see `recovery_time`

Cycle = namedtuple("Cycle", "time packets")


def cubic(time: Expr) -> Expr:
    """Return RFC 9438's equation 1."""
    return C * (time - K) ** 3 + W


@once
def recovery_time() -> Expr:
    """Derive K = ((1 - beta) W/C)^(1/3): the cubic function begins at the reduced window beta W (section 4.6)."""
    law = sp.root((1 - beta) * W / c, 3)
    require_zero((c * (t - law) ** 3 + W).subs(t, 0) - beta * W, "begins at the reduced window")
    require_zero(C.subs(K, law) - c, "C by K")
    return law


@once
def window() -> Expr:
    """Derive the window as W (beta + (1 - beta) x (3 - 3 x + x^2)), x = t/K: a sum of terms that are not negative."""
    require_zero(cubic(sp.Integer(0)) - beta * W, "after the loss")
    require_zero(cubic(K) - W, "back after K")
    require_zero(sp.diff(cubic(t), t).subs(t, K), "flat there")
    require_zero(sp.diff(cubic(t), t, 2).subs(t, K), "where concave turns into convex")
    x = t / K
    law = W * (beta + (1 - beta) * x * (3 - 3 * x + x**2))
    require_zero(law - cubic(t), "the form without cancellation")
    require(sp.discriminant(3 - 3 * v + v**2, v) < 0, "3 - 3 x + x^2 > 0")
    return law.subs(K, recovery_time())


# The Reno-friendly region


def increase() -> Expr:
    """Return alpha of section 4.3, with which AIMD(alpha, beta) has Reno's window under the same losses."""
    return 3 * (1 - beta) / (1 + beta)


def estimate(time: Expr) -> Expr:
    """Return W_est: from the reduced window by alpha per round trip, whatever the window is (section 4.3)."""
    return beta * W + increase() * time / R


@once
def climb() -> Expr:
    """Derive the time in which the estimate climbs to W: R W (1 + beta)/3."""
    law = R * W * (1 + beta) / 3
    require_zero(estimate(law) - W, "back at W")
    return law


theta = sp.Symbol("theta", positive=True)  # the climb over K
IN_THETA = {R: 3 * theta * K / (W * (1 + beta))}


@once
def overtaking() -> Expr:
    """Derive the share s of K at which the estimate overtakes: (3 - sqrt(4/theta - 3))/2 for 1/3 < theta < 1.

    The difference of both is x times a quadratic whose value falls from 3 - 1/theta at x = 0 to 1 - 1/theta at x = 1,
    x = t/K. So for theta <= 1/3 the estimate is ahead at once, for theta >= 1 never before both reach W, and in between
    it falls behind first and overtakes once.
    """
    require_zero(climb().subs(IN_THETA) - theta * K, "theta")
    x = sp.Symbol("x", positive=True)
    ahead = (cubic(x * K) - estimate(x * K).subs(IN_THETA)) / ((1 - beta) * W)
    quadratic = 3 - 3 * x + x**2 - 1 / theta
    require_zero(ahead - x * quadratic, "what the cubic function is ahead")
    require_zero(sp.diff(quadratic, x) - (2 * x - 3), "which falls for x < 3/2")
    require_zero(quadratic.subs(x, 0) - (3 - 1 / theta), "at the loss")
    require_zero(quadratic.subs(x, 1) - (1 - 1 / theta), "after K")
    law = (3 - sp.sqrt(4 / theta - 3)) / 2
    require_zero(sp.expand(quadratic.subs(x, law)), "residual")
    require_zero(law.subs(theta, 1) - 1, "not before K")
    require_zero(law.subs(theta, Rational(1, 3)), "at once")
    return law


s = sp.Symbol("s", nonnegative=True)  # the share of K at which the estimate overtakes


def _by_window(law: Expr) -> Expr:
    """Return a result with s, theta and K by W_max, R, C and beta; theta between its ends, 1/3 and 1."""
    share = sp.Min(sp.Max(climb() / K, Rational(1, 3)), 1)
    return law.subs(s, overtaking()).subs(theta, share).subs(K, recovery_time())


def mean_window() -> Expr:
    """Derive the mean window over a period; see `mean_by_crossing`."""
    return _by_window(mean_by_crossing())


@once
def mean_by_crossing() -> Expr:
    """Derive the mean window over a period for 1/3 <= theta <= 1; its ends are the means of the two regions alone.

    It holds for every s at which the estimate equals the cubic function: s = 1 and theta = 1 is the cubic region, s = 0
    and theta = 1/3 the Reno-friendly one, whose mean does not depend on theta.
    """
    crossing = overtaking()
    first = sp.integrate(cubic(t), (t, 0, s * K))
    second = sp.integrate(estimate(t), (t, s * K, theta * K)).subs(IN_THETA)
    law = W / theta * (
        s - (1 - beta) / 4 * (1 - (1 - s) ** 4) + (theta - s) / 2 * (1 + beta + (1 - beta) * s / theta)
    )  # fmt: skip
    require_zero((first + second) / (theta * K) - law, "packets times R over time")
    require_zero(law.subs({s: 1, theta: 1}) - W * (3 + beta) / 4, "the cubic region alone")
    require_zero(sp.integrate(cubic(t), (t, 0, K)) / K - W * (3 + beta) / 4, "whose mean it is")
    require_zero(law.subs(s, 0) - W * (1 + beta) / 2, "the Reno-friendly region alone")
    require_zero(1 - (1 - s) ** 4 - s * (2 - s) * (1 + (1 - s) ** 2), "the form without cancellation")
    require_zero(crossing.subs(theta, Rational(4, 7)) - Rational(1, 2), "halfway at theta = 4/7")
    return law


@once
def packets_between_losses() -> Expr:
    """Derive the packets of a period, mean window times T/R with T = min(K, climb)."""
    alone = {"cubic": {s: 1, theta: 1}, "reno": {s: 0, theta: Rational(1, 3)}}
    cubic_packets = mean_by_crossing().subs(alone["cubic"]) * K / R
    reno_packets = mean_by_crossing().subs(alone["reno"]) * climb() / R
    require_zero(cubic_packets - sp.integrate(cubic(t) / R, (t, 0, K)), "cubic region")
    require_zero(reno_packets - sp.integrate(estimate(t) / R, (t, 0, climb())), "Reno-friendly region")
    require_zero(reno_packets - W**2 * (1 + beta) ** 2 / 6, "which has no R")
    return _by_window(sp.Min(K, climb()) / R * mean_by_crossing())


# The response to loss


@once
def cubic_average() -> Expr:
    """Derive equation 5: with 1/p packets in a period W_avg^4 = A (R/p)^3, A = C (3 + beta)/(4 (1 - beta))."""
    average = W * (3 + beta) / 4
    packets = average * K / R
    require_zero(packets - sp.integrate(cubic(t) / R, (t, 0, K)), "packets of a period")
    constant = C * (3 + beta) / (4 * (1 - beta))
    require_zero(average**4 - constant * (R * packets) ** 3, "fourth power; both sides are positive")
    return sp.root(c * (3 + beta) / (4 * (1 - beta)), 4) * (R / p) ** Rational(3, 4)


@once
def convergence() -> Expr:
    """Derive the convergence to equation 5: a relative deviation e becomes e - (1 - beta)((3 + beta)/3)^3 e^3.

    The packets of a climb grow as W K, the power 4/3 of W. If losses are one climb to W apart, a climb to W (1 + e)
    lacks 4/3 e of them before the plateau if e > 0, or has them left after it, where they pass at the rate W/R. The
    cubic function is as far below W_max before it as above it afterwards. Leading terms.
    """
    e = sp.Symbol("e", real=True)
    require_zero(sp.diff((1 + e) ** Rational(4, 3), e).subs(e, 0) - Rational(4, 3), "packets by window")
    packets = W * (3 + beta) / 4 * K / R
    before = Rational(4, 3) * e * packets * R / W
    require_zero(before - e * K * (3 + beta) / 3, "time from the loss to the plateau")
    change = (cubic(K - before) - W) / W
    rate = (1 - beta) * ((3 + beta) / 3) ** 3
    require_zero(change + rate * e**3, "the window at the loss")
    require(
        abs(rate.subs(beta, Rational(7, 10)) - Rational(5628, 10_000)) < Rational(1, 10_000), "0.563 for beta = 0.7"
    )
    return rate


@once
def reno_average() -> Expr:
    """Derive sqrt(3/(2 p)) for the Reno-friendly region: equation 3 with its alpha, and Reno's own average."""
    average, packets = W * (1 + beta) / 2, W**2 * (1 + beta) ** 2 / 6
    require_zero(average**2 - 3 * packets / 2, "square, with 1/p packets")
    aimd = increase() * (1 + beta) / (2 * (1 - beta) * p)
    require_zero(aimd - 3 / (2 * p), "equation 3, squared")
    alpha, half = sp.Integer(1), Rational(1, 2)
    require_zero(alpha * (1 + half) / (2 * (1 - half) * p) - 3 / (2 * p), "equation 3 for Reno, squared")
    return sp.sqrt(3 / (2 * p))


@once
def average_window() -> Expr:
    """Derive the average window, the larger of equation 5 and equation 3; `convergence` says how fast it is reached."""
    require(bool(convergence()), "reached")
    return sp.Max(cubic_average(), reno_average())


def loss_of_window() -> Expr:
    """Derive the loss probability of an average window: both regions' averages fall with p, so the larger inverts."""
    average = sp.Symbol("W", positive=True)
    constant = c * (3 + beta) / (4 * (1 - beta))
    first, second = R * sp.root(constant / average**4, 3), 3 / (2 * average**2)
    require_zero(cubic_average().subs(p, first) ** 4 - average**4, "equation 5, fourth power")
    require_zero(reno_average().subs(p, second) - average, "equation 3")
    require(sp.diff(reno_average(), p).is_negative, "falls with p")
    require(sp.diff(cubic_average() ** 4, p).subs(beta, 1 / (1 + u)).is_negative, "falls with p")
    return sp.Max(first, second)


def reno_friendly_loss() -> Expr:
    """Derive the loss probability (4/9) A R^3 above which equation 3 is the larger one."""
    law = Rational(4, 9) * c * (3 + beta) / (4 * (1 - beta)) * R**3
    ratio = sp.simplify(cubic_average() ** 4 / reno_average() ** 4)
    require_zero(ratio.subs(p, law) - 1, "equal there")
    require(sp.diff(ratio, p).subs(beta, 1 / (1 + u)).factor().is_negative, "equation 5 is the larger one below")
    return law


def reno_friendly_window() -> Expr:
    """Derive the window before a loss at which theta = 1, and that at which it is 1/3, 1/sqrt(27) of it."""
    law = sp.sqrt(27 * (1 - beta) / (c * (R * (1 + beta)) ** 3))
    cubed = climb() ** 3 / recovery_time() ** 3
    require_zero(cubed.subs(W, law) - 1, "theta = 1")
    require_zero(cubed.subs(W, law / sp.sqrt(27)) - Rational(1, 27), "theta = 1/3")
    return law


# One flow alone at a drop-tail link, in its cubic region. Rates are over that of the link, windows over the
# bandwidth-delay product: a window w below 1 carries w and leaves no queue, above it carries 1 and queues w - 1.

z = 1 / (1 + v)  # in (0, 1]: the time from the queue's beginning to the loss, over K


def queued(left: Expr) -> Expr:
    """Return the window at the time `left` K before the end of the period."""
    top = 1 + B
    normalised = (cubic(K - left * K) / W).subs(W, top)
    require_zero(normalised - (1 - (1 - beta) * left**3), "over the window before the loss")
    return top * normalised


@once
def begin_of_queue() -> Expr:
    """Derive x = z^3 = B/((1 + B)(1 - beta)), where the window is one bandwidth-delay product.

    It is 1 for B = 1/beta - 1, and larger if the window is never below one bandwidth-delay product.
    """
    left = sp.Symbol("y", positive=True)
    law = B / ((1 + B) * (1 - beta))
    require_zero((queued(left) - 1) - (B - (1 + B) * (1 - beta) * left**3), "the queue")
    require_zero((B - (1 + B) * (1 - beta) * left**3).subs(left, sp.root(law, 3)), "begins there")
    require_zero(law.subs(B, 1 / beta - 1) - 1, "with the loss")
    require(sp.diff(law, B).subs(beta, 1 / (1 + u)).factor().is_positive, "and earlier in larger buffers")
    return law


def _begin() -> Expr:
    """Return z, the time from the queue's beginning to the loss, over K: 1 if there is always a queue."""
    return sp.root(sp.Min(begin_of_queue(), 1), 3)


@once
def utilisation() -> Expr:
    """Derive U = 1 - (1 + B)(1 - beta)/4 (1 - 4 x + 3 x^(4/3)) for x <= 1; for larger buffers it is 1."""
    left, y = sp.symbols("y z", positive=True)
    buffer = sp.solve(sp.Eq(begin_of_queue(), y**3), B)[0]  # y is z
    require_zero(begin_of_queue().subs(B, buffer) - y**3, "the buffer by z")
    idle = sp.integrate(1 - (1 + B) * (1 - (1 - beta) * left**3), (left, y, 1))
    require_zero((1 - queued(left)) - (1 - (1 + B) * (1 - (1 - beta) * left**3)), "what is not carried")
    law = 1 - (1 + B) * (1 - beta) / 4 * (1 - 4 * y**3 + 3 * y**4)
    require_zero((1 - idle - law).subs(B, buffer), "carried over the period")
    require_zero(law.subs({B: 0, y: 0}) - (3 + beta) / 4, "no buffer: the mean of the cubic region")
    require_zero(law.subs(y, 1) - 1, "full")
    require_zero(1 - 4 * y**3 + 3 * y**4 - (1 - y) ** 2 * (1 + 2 * y + 3 * y**2), "a double root, so a smooth joint")
    return law.subs(y, _begin())


@once
def mean_queue() -> Expr:
    """Derive Q = 3/4 (1 + B)(1 - beta) x^(4/3) + max(B - (1 + B)(1 - beta), 0), over the bandwidth-delay product."""
    left, y = sp.symbols("y z", positive=True)
    depth = (1 + B) * (1 - beta)
    buffer = sp.solve(sp.Eq(begin_of_queue(), y**3), B)[0]
    some = sp.integrate(queued(left) - 1, (left, 0, y))
    law = Rational(3, 4) * depth * y**4
    require_zero((some - law).subs(B, buffer), "a queue at the end of the period")
    always = sp.integrate(queued(left) - 1, (left, 0, 1))
    require_zero(always - (Rational(3, 4) * depth + B - depth), "a queue throughout")
    require_zero((law / B).subs(y, 1).subs(B, 1 / beta - 1) - Rational(3, 4), "3/4 of the buffer that just suffices")
    return law.subs(y, _begin()) + sp.Max(B - depth, 0)

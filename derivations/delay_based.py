"""Proofs of the laws of Copa and LEDBAT++: Copa's equilibrium and queue, LEDBAT++'s delay, slowdowns and utilisation.

Copa (V. Arun and H. Balakrishnan, NSDI 2018, sections 2.1 and 3): the target rate of a flow is 1/(delta d); a window
changes by 1/delta packets in a round trip, up while its rate is below the target. LEDBAT++
(draft-irtf-iccrg-ledbat-plus-plus-01, section 4): a window W grows by G in a round trip and changes by G - W (q/T - 1)
above the target; a slowdown has 2 packets for two round trips and then grows by G for each packet acknowledged.
"""

import sympy as sp
from sympy import Expr, Rational

from derivations.proof import once, require, require_zero

mu, R, T, N, S, delta, t = sp.symbols("mu R T N S delta t", positive=True)
G = sp.Symbol("G", positive=True)
LEAST, SLOWDOWNS = 2, 10  # packets; a slowdown and the 9 times as long pause, in lengths of a slowdown


@once
def copa_queueing_delay() -> Expr:
    """Derive d = S/mu: the delay at which target rates, with the sum S of 1/delta_i, add up to the capacity."""
    d = sp.Symbol("d", positive=True)
    (delay,) = sp.solve(S / d - mu, d)
    first, second = sp.symbols("delta_1 delta_2", positive=True)
    rates = [1 / (one * delay) for one in (first, second)]
    require_zero((sum(rates) - mu).subs(S, 1 / first + 1 / second), "two flows fill the link")
    return delay


def copa_share() -> Expr:
    """Derive 1/(delta S): the target rate over the capacity."""
    share = 1 / (delta * copa_queueing_delay()) / mu
    require_zero(share.subs(S, N / delta) - 1 / N, "1/N of N equal flows")
    return share


@once
def oscillation() -> tuple[Expr, Expr, Expr]:
    """Derive bottom, top and period [round trips] of the queue of N equal flows, a triangle of slope N/delta.

    All see the queue of a round trip ago; RTTstanding is the least of half a round trip, so that a growing queue is
    seen half of one later, its oldest value, and a falling one at its newest. They turn when it is N/delta.
    """
    slope = turn = N / delta  # packets per round trip; packets
    up, down = 1 + Rational(1, 2), 1
    top = turn + up * slope
    bottom = turn - down * slope
    rises, falls = (top - bottom) / slope, (top - bottom) / slope
    require_zero(top - slope * (1 + Rational(1, 2)) - turn, "one and a half round trips before the top it was N/delta")
    require_zero(bottom + slope - turn, "a round trip before the bottom it was N/delta")
    return bottom, top, rises + falls


def copa_largest_queue() -> Expr:
    """Derive 5 N/(2 delta), with a shortest queue of 0 and a period of five round trips."""
    bottom, top, period = oscillation()
    require_zero(bottom, "the queue becomes empty")
    require_zero(period - 5, "every five round trips")
    return top


def copa_mean_queue() -> Expr:
    """Derive 5 N/(4 delta), the mean of the triangle."""
    bottom, top, period = oscillation()
    half = period / 2
    rising = bottom + (top - bottom) * t / half
    falling = top - (top - bottom) * t / half
    return sp.simplify((sp.integrate(rising, (t, 0, half)) + sp.integrate(falling, (t, 0, half))) / period)


def gain_of(round_trip: Expr, target: Expr) -> Expr:
    """Return GAIN, as the draft defines it."""
    return 1 / sp.Min(16, sp.ceiling(2 * target / round_trip))


def ledbat_gain() -> Expr:
    """Return the definition; it is 1 from R = 2 T on, and 1/16 below R = 2 T/15."""
    gain = gain_of(R, T)
    require_zero(gain_of(2 * T, T) - 1, "1 at R = 2 T")
    require_zero(gain_of(3 * T, T) - 1, "and beyond")
    require_zero(gain_of(2 * T / 16, T) - Rational(1, 16), "1/16 at R = T/8")
    require_zero(gain_of(T / 100, T) - Rational(1, 16), "and below")
    return gain


@once
def delay_for_any_gain() -> Expr:
    """Derive the delay at which G = W (q/T - 1) with W = mu (R + q)/N."""
    root = sp.sqrt((T + R) ** 2 + 4 * T * G * N / mu)
    law = T + 2 * T * G * N / mu / (T + R + root)
    window = mu * (R + law) / N
    require_zero(window * (law / T - 1) - G, "increase and decrease are equal")
    require_zero(law.subs(N, 0) - T, "it is the target for N/mu = 0")
    require(sp.simplify(law - T).is_positive, "and above it else")
    return law


def ledbat_queueing_delay() -> Expr:
    """Derive the delay, with the gain of the path."""
    return delay_for_any_gain().subs(G, gain_of(R, T))


def ramp_rounds(product: Expr) -> Expr:
    """Derive the round trips in which a window grows from 2 packets to the product, by a factor of 1 + G in each."""
    rounds = sp.log(product / LEAST) / sp.log(1 + G)
    require_zero(sp.expand_log(sp.log(LEAST) + rounds * sp.log(1 + G) - sp.log(product), force=True), "it is reached")
    require_zero(rounds.subs(product, LEAST), "in no time from 2 packets")
    return rounds


@once
def slowdown(product: sp.Symbol) -> tuple[Expr, Expr]:
    """Derive the length of a slowdown and the link's idle time in it, for a bandwidth-delay product of at least 2.

    It begins with a window of mu (R + T). The link sends that for R + T; then 2 packets in a round trip for the rest of
    two round trips of R + T; then as many packets as make the window grow, by G each; the link is full from the product
    on.
    """
    top = mu * (R + T)
    window = product + G * mu * t
    require_zero(sp.diff(window, t) - G * mu, "at the rate of the link the window grows by G mu")
    require_zero(window.subs(t, 0) - product, "from the product")
    full = (top - product) / (G * mu)
    require_zero(window.subs(t, full) - top, "up to the window at the entry")
    ramp = R * ramp_rounds(product)
    length = 2 * (R + T) + ramp + full
    sent = top + LEAST * (R + T) * mu / product + (product - LEAST) / G + mu * full
    return length, length - sent / mu


def ledbat_slowdown_time() -> Expr:
    """Derive the length, with the product at least 2 packets; a link that is full with them has no slow start."""
    product = sp.Symbol("P", positive=True)
    length, _ = slowdown(product)
    require_zero(length.subs(product, LEAST).subs(R, 2 / mu) - 2 * (2 / mu + T) - T / G, "only the queue if mu R is 2")
    return length.subs(product, sp.Max(mu * R, LEAST)).subs(G, gain_of(R, T))


def ledbat_utilisation() -> Expr:
    """Derive the utilisation: the link idles only in slowdowns, of which there is one in ten times its length."""
    product = sp.Symbol("P", positive=True)
    length, idle = slowdown(product)
    utilisation = 1 - idle / (SLOWDOWNS * length)
    require_zero(utilisation.subs(product, LEAST) - 1, "a link that two packets fill never idles")
    stated = (R + T) * (1 - LEAST / product) + R * ramp_rounds(product) - (product - LEAST) / (G * mu)
    require_zero(idle - stated, "the time in which the link idles")
    return utilisation.subs(product, sp.Max(mu * R, LEAST)).subs(G, gain_of(R, T))

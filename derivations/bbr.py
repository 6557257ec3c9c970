"""Proofs of the BBR laws: gains of Startup and Drain, standing queue, losses, ProbeRTT, share beside loss-based flows.

Rates are in packets/s where C is the capacity, R the round-trip time of the empty path; product is C R. Everything is
fluid: paced packets, delivered in proportion to the rates.
"""

import sympy as sp
from sympy import Expr, Rational

from derivations.proof import once, require, require_zero

R, C, T, B, N, time = sp.symbols("R C T B N t", positive=True)
growth = sp.Symbol("gamma", positive=True)  # above 1
g = sp.Symbol("g", positive=True)
g_p = sp.Symbol("g_p", positive=True)  # above 1
product = sp.Symbol("C R", positive=True)
p = sp.Symbol("p", positive=True)


def startup_pacing_gain() -> Expr:
    """Derive growth^2 ln(growth)/(growth - 1), which is 4 ln 2 for doubling.

    The packet that is acknowledged at time t was sent at t - R; meanwhile the packets sent from t - 2 R to t - R were
    delivered. The sample is the mean of their rate, and the present rate is the gain times the sample.
    """
    logarithm = sp.Symbol("u", positive=True)  # of the growth
    rate = sp.exp(logarithm * time / R)
    sample = sp.integrate(rate, (time, time - 2 * R, time - R)) / R
    law = growth**2 * sp.log(growth) / (growth - 1)
    require_zero(law.subs(growth, sp.exp(logarithm)) * sample - rate, "the gain restores the growth")
    require_zero(law.subs(growth, 2) - 4 * sp.log(2), "doubling")
    require_zero(sp.limit(law, growth, 1) - 1, "no gain, no growth")
    older = sp.nsolve(law - 2 / sp.log(2), growth, 2)  # the gain of 2016
    require(abs(older - Rational(205, 100)) < Rational(1, 100), "the growth with 2/ln 2 is 2.05")
    return law


def drain_time() -> Expr:
    """Derive R (g - 1)/(1 - g_d): the queue of (g - 1) C R packets shrinks at the rate (1 - g_d) C."""
    g_d = sp.Symbol("g_d", positive=True)
    queue = g * C * R - C * R
    law = R * (g - 1) / (1 - g_d)
    require_zero(queue - (C - g_d * C) * law, "all of it is gone")
    with_queue = R + queue / C
    require_zero(law.subs(g_d, 1 / g) - with_queue, "with the gain 1/g: one round trip, queue included")
    return law


@once
def standing_queue() -> Expr:
    """Derive (g - 1) C R: two flows whose caps rule, and whose estimates equal their delivery rates.

    The rate of a flow is its cap g b R over the round trip R + Q/C; the link delivers C in total. No other queue keeps
    the estimates, and any division of the link does: the shares stay free.
    """
    first, queue = sp.symbols("b Q", positive=True)  # the estimate of one flow; the other has the rest
    trip = R + queue / C
    rate = g * first * R / trip
    (law,) = sp.solve(sp.Eq(rate, first), queue)
    require_zero(law - (g - 1) * C * R, "the queue")
    both = g * first * R / trip + g * (C - first) * R / trip
    require_zero(both.subs(queue, law) - C, "the rates are the capacity, whatever the shares")
    require_zero(sp.diff(rate.subs(queue, law), first) - 1, "and a change of the estimate stays")
    return (g - 1) * product


def probe_rtt_utilisation() -> Expr:
    """Derive 1 - (1 - g_l)(n + 1) R/(I + (1 - g_l) R + max(T, n R)) with n = max(ceil(T/R - g_l), 1).

    draft-ietf-ccwg-bbr-06, section 5.3.4: from C R in flight the flow waits until g_l C R are, for (1 - g_l) R. Then
    ProbeRTT lasts for T and a round trip at least, until an acknowledgment comes, and the next begins I later. The
    acknowledgments, and with them the packets, come at the rate C in bursts of g_l R, one in each R, the first of them
    at once. The flow restarts at the rate C, so that it never makes up for the silence.
    """
    low, interval, k = sp.symbols("g_l I k", positive=True)
    n, duration = sp.symbols("n h", positive=True)  # round trips, and the time from g_l C R in flight to the end
    silence = (C * R - low * C * R) / C
    law = 1 - (1 - low) * (n + 1) * R / (interval + (1 - low) * R + duration)
    require_zero(1 - silence * (1 + n) / (interval + silence + duration) - law, "a silence before, and one in each")
    some, part = (1 / (1 + sp.Symbol(name, positive=True)) for name in "vw")  # any numbers in (0, 1)

    def positive(expression: Expr, name: str) -> None:
        require(sp.factor(expression.subs(low, some)).is_positive, name)

    # A time max(T, R) of k round trips and more, k >= 1, is over within a burst, which ends ProbeRTT at once, or in the
    # silence behind it, which the burst of the next round trip ends.
    for case, over, rounds in (
        ("in a burst", k * R + part * low * R, k),
        ("in a silence", k * R + low * R + part * (1 - low) * R, k + 1),
    ):
        positive(rounds - (over / R - low), f"{case}: n is not below T/R - g_l")
        positive((over / R - low) - (rounds - 1), f"{case}: n - 1 is")
        longer = over - rounds * R if rounds == k else rounds * R - over
        positive(longer, f"{case}: the end is max(T, n R)")
    positive(1 - (part - low), "T < R: T/R - g_l is below 1, and n = 1 as for T = R")
    # With T/R for n: nothing is sent for T + R of I + T + R.
    require_zero(law.subs({n: T / R, duration: T, low: 0}) - interval / (interval + R + T), "hardly anything in flight")
    require_zero(law.subs(low, 1) - 1, "as much in flight as otherwise")
    return law.subs(duration, sp.Max(T, n * R)).subs(n, sp.Max(sp.ceiling(T / R - low), 1))


def largest_loss() -> Expr:
    """Derive 1 - 1/g_p: a probe at g_p times the estimate delivers the estimate."""
    estimate = sp.Symbol("b", positive=True)
    law = 1 - 1 / g_p
    require_zero((1 - law) * g_p * estimate - estimate, "delivered")
    return law


def shallow_buffer_loss() -> Expr:
    """Derive (1 - 1/g_p)(1 - 1/N) from equal estimates b: a probe beside N - 1 flows has the delivery rate b."""
    b = sp.Symbol("b", positive=True)
    delivered = C * g_p * b / (g_p * b + (N - 1) * b)
    (estimate,) = sp.solve(sp.Eq(delivered, b), b)
    require_zero(estimate - C * g_p / (N - 1 + g_p), "the estimate")
    law = (1 - 1 / g_p) * (1 - 1 / N)
    require_zero(1 - C / (N * estimate) - law, "what the link cannot carry")
    require_zero(law.subs(N, 1), "nothing for one flow")
    require_zero(sp.limit(law, N, sp.oo) - largest_loss(), "many flows")
    return law


@once
def share() -> Expr:
    """Derive 1 - 1/g + (1 - 1/g)/B + 4 N/(B C R): the cap is what the BBR flows have in flight (Ware et al.).

    Loss-based flows have the share p of the queue q = B C R and of the link. ProbeRTT measures the queue of p q + 4 N
    packets, so the cap is g (1 - p) C (R + (p q + 4 N)/C); in flight are (1 - p)(q + C R).
    """
    queue = B * product
    cap = g * (1 - p) * (product + p * queue + 4 * N)
    in_flight = (1 - p) * (queue + product)
    others = sp.solve(sp.Eq(sp.cancel(cap / (1 - p)), sp.cancel(in_flight / (1 - p))), p)
    require(len(others) == 1, "one division besides p = 1")
    law = 1 - 1 / g + (1 - 1 / g) / B + 4 * N / (B * product)
    require_zero(1 - others[0] - law, "the share")
    printed = Rational(1, 2) - 1 / (2 * B) - 4 * N / queue
    require_zero(1 - law.subs(g, 2) - printed, "the paper's p for g = 2")
    require_zero(sp.limit(law, B, sp.oo).subs(g, 2) - Rational(1, 2), "one half in deep buffers")
    return law


def share_refined() -> Expr:
    """Derive 1 - 1/g + 4 N/((1 + B) C R): the loss-based flows have p (q + C R) in flight, which fills the link first.

    ProbeRTT then measures the time (p (q + C R) + 4 N)/C, if that is more than the empty path's: for B > g - 1.
    """
    full = (1 + B) * product
    cap = g * (1 - p) * (p * full + 4 * N)
    in_flight = (1 - p) * full
    (others,) = sp.solve(sp.Eq(sp.cancel(cap / (1 - p)), full), p)
    require_zero(sp.cancel(in_flight / (1 - p)) - full, "both have the factor 1 - p")
    law = 1 - 1 / g + 4 * N / full
    require_zero(1 - others - law, "the share")
    measured = others * full + 4 * N
    require_zero(measured.subs(B, g - 1) - product, "at B = g - 1 the empty path is measured")
    require(sp.diff(sp.expand(measured), B).is_positive, "and above it more")
    return law


def share_with_probes() -> Expr:
    """Derive the share times 1 - (B R + T + R)/I: an interval less the time of the full queue, T and a round trip."""
    interval = sp.Symbol("I", positive=True)
    drained = B * product / (product / R)
    require_zero(drained - B * R, "time of the full queue")
    return share() * (1 - (drained + T + R) / interval)

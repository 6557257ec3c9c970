"""Proofs for F. Gong and G. Parulkar, WUCS-92-38 (1992), sections 3.3, 3.4, 4.1 and 4.2.

Each function starts from the assumptions of its section, proves one result with all symbols free (residual and limits)
and returns it. A proof that fails raises AssertionError. Assumptions of section 4.2: packets are lost independently
with probability p; the acknowledgment of a group of packets arrives t_a after the group's last packet was sent and is
never lost; everything is delivered in the end; and, for the throughput alone, no packet needs a third transmission.
Efficiencies count in segment times, t_s = s t_p.
"""

from collections import namedtuple

import sympy as sp
from sympy import Expr, Rational

from derivations.proof import once, require, require_zero
from derivations.segment_rounds import (
    geometric_mean,
    i,
    mean_rounds_bounds,
    mean_transmissions,
    n,
    p,
    rounds_distribution,
    rounds_tail,
    s,
)

t_p, RTD, w, W, g, e = sp.symbols("t_p RTD w_a W g e", positive=True)
m = sp.Symbol("m", positive=True)  # new segments sent before the acknowledgment of the retransmission
S = sp.Symbol("S", positive=True)  # mean number of rounds
F, F_1, L, size, P, c = sp.symbols("F F_1 L l P c", positive=True)  # size: bytes per packet
T = sp.Symbol("T", positive=True)  # processing time of a segment
beyond = sp.Symbol("d", nonnegative=True)  # how far a quantity is above a threshold
A = 8 * F * L * size  # average rate, section 3.3
t_s, t_a = s * t_p, RTD + 3 * t_p
Ledger = list[tuple[Expr, Expr]]  # (segment times, segments delivered), one row per period of a cycle

Rate = namedtuple("Rate", "average largest_burst_rate")
AckDelay = namedtuple("AckDelay", "seconds segments printed_over_peak")
Adjusted = namedtuple("Adjusted", "window unaffected_above")
Processing = namedtuple("Processing", "sender application window")
Middle = namedtuple("Middle", "law printed excess")
LongPath = namedtuple("LongPath", "law printed printed_all_damaged")
Excess = namedtuple("Excess", "by_window by_room last_step")
Alone = namedtuple("Alone", "law step")
Inversion = namedtuple("Inversion", "small small_for_few_losses middle")
ThirdTransmission = namedtuple("ThirdTransmission", "segment window leading")


# Sections 3.3 and 3.4: rates and windows


def rate_specification() -> Rate:
    """Derive the largest burst rate: bursts of L packets fit into their period 1/F iff F <= P/(8 L l) (section 3.3).

    This is A <= P: the average rate does not exceed the peak rate.
    """
    burst_time = 8 * L * size / P
    largest = sp.solve(sp.Eq(burst_time, 1 / F), F)[0]
    require_zero(A.subs(F, largest) - P, "no idle time between bursts means average rate = peak rate")
    require(sp.diff(burst_time * F, F).is_positive, "the busy fraction grows with F, so the bound is from above")
    return Rate(A, largest)


def acknowledgment_delay() -> AckDelay:
    """Derive t_a = RTD + 3 t_p from figure 8, and w_a = A t_a/(8 s l) = t_a/t_s (section 3.4).

    Section 3.4 has t_p = 8l/P, section 4.2 has 8l/A. w_a = t_a / t_s holds with the second; with the first the printed
    w_a is A/P of it, and they agree only without idle time between bursts. A segment rate F has F t_a segments in t_a,
    but the printed w_a is L/s times that: the same for bursts of one segment only.
    """
    answered = sum([RTD / 2, 3 * t_p, RTD / 2])  # from the last packet sent: there, overhead, back
    require_zero(answered - t_a, "figure 8")
    delay = sp.Symbol("t_a", positive=True)
    printed = A * delay / (8 * s * size)
    require_zero(printed - delay / (s * 8 * size / A), "w_a = t_a / t_s with packets at the average rate")
    printed_over_peak = sp.simplify(printed / (delay / (s * 8 * size / P)))
    require_zero(printed_over_peak - A / P, "packets at the peak rate")
    require_zero(printed_over_peak.subs(F, rate_specification().largest_burst_rate) - 1, "no idle time")
    require_zero(printed / (F * delay) - L / s, "bursts longer than a segment")
    return AckDelay(t_a, delay / t_s, printed_over_peak)


def initial_window() -> Expr:
    """Derive the window for which a sender without loss never waits: W >= 1 + w_a (section 3.4).

    The window opens again when the acknowledgment of its first segment returns, 1 + w_a segment times after the start;
    until then the W segments keep the sender busy for W segment times.
    """
    idle = (1 + w) - W
    bound = sp.solve(idle, W)[0]
    require(sp.diff(idle, W).is_negative, "a larger window waits less")
    require_zero(bound.subs(w, t_a / t_s) * t_s - (t_s + t_a), "in seconds")
    return bound


def lossless_efficiency(ratio: Expr) -> Expr:
    """Derive the efficiency without loss, min(1, W/(1 + w_a)), for a given ratio W/(1 + w_a).

    In a cycle W segments are sent. It lasts until the first acknowledgment, 1 + w_a, or W if that is longer.
    """
    excess = sp.factor(ratio - 1)
    window = ratio * (1 + w)
    if excess.is_nonpositive:
        return sp.simplify(window / (1 + w))
    require(excess.is_nonnegative, f"{ratio} is neither <= 1 nor >= 1")
    return sp.simplify(window / window)


def adjusted_window() -> Adjusted:
    """Derive that W_1 = (F_1/F) W_0 reduces the rate to F_1/F where W_0 <= 1 + w_a (section 3.4).

    Beyond that the paper's claim fails (erratum). From W_0 = c (1 + w_a), c > 1, the throughput does not fall until
    F_1/F < 1/c, and then it is c F_1/F. A receiver that advertised 2.5 w_a, w_a >= 1, and asks for 80 % does not reduce
    the rate at all.
    """
    fraction = 1 / (1 + sp.Symbol("r", positive=True))  # F_1/F in (0, 1)
    small = 1 / (1 + beyond)  # W_0 / (1 + w_a) in (0, 1]
    require_zero(lossless_efficiency(fraction * small) / lossless_efficiency(small) - fraction, "W_0 <= 1 + w_a")
    keeps, slows = (1 + beyond) / c, 1 / (c * (1 + beyond))  # F_1/F on either side of 1/c
    require_zero(lossless_efficiency(keeps * c) - 1, "no slower above 1/c")
    require_zero(lossless_efficiency(slows * c) - c * slows, "slower below 1/c")
    advertised = Rational(5, 2) * w / (1 + w)
    require_zero(lossless_efficiency((advertised * Rational(4, 5)).subs(w, 1 + beyond)) - 1, "80 % of 2.5 w_a")
    return Adjusted(W * F_1 / F, 1 / c)


def processing_throughput() -> Processing:
    """Derive the time per segment max(t_s, T, (t_s + t_a)/W) of a receiver that withholds advancement (section 3.4).

    Without loss segment i begins at b_i = max(b_{i-1} + t_s, x_{i-W} + back), when the one before has been sent and the
    advancement for segment i - W is here; the application accepts it at x_i = max(x_{i-1} + T, b_i + there). All of
    there + back is t_s + t_a. Each of the three chains bounds the time per segment from below. With lam the largest of
    the three, b_i = i lam, x_i = i lam + there fulfils every inequality, so that the earliest times are not later.
    """
    there, lam, k = sp.symbols("f lambda k", positive=True)
    back = t_s + t_a - there
    b, x = k * lam, k * lam + there
    slack = {
        "sender": sp.expand(b - (b.subs(k, k - 1) + t_s)),
        "application": sp.expand(x - (x.subs(k, k - 1) + T)),
        "window": sp.expand(b - (x.subs(k, k - W) + back)),
        "path": sp.expand(x - (b + there)),
    }
    bounds = {"sender": t_s, "application": T, "window": (t_s + t_a) / W}
    for name, bound in bounds.items():
        require_zero(slack[name].subs(lam, bound), f"{name}: no slack at its own bound")
        require(sp.diff(slack[name], lam).is_positive, f"{name}: slack above it")
    require_zero(slack["path"], "every segment arrives in time")
    # Without an application: the efficiency of a window of less, and of more, than 1 + w_a segments.
    for ratio, longest in ((1 / (1 + beyond), t_s * (1 + beyond)), (1 + beyond, t_s)):
        by_window = sp.simplify(bounds["window"].subs(W, ratio * (t_s + t_a) / t_s))
        require_zero((longest - t_s) * (longest - by_window), "one of the two is the longest")
        require((longest - t_s).expand().is_nonnegative, "no shorter than a transmission")
        require(sp.simplify(longest - by_window).is_nonnegative, "no shorter than the window allows")
        require_zero(t_s / longest - lossless_efficiency(ratio), "the efficiency without loss")
    microseconds = Rational(1, 10**6)
    table = [1024 * 8 / (delay * microseconds) / 10**6 for delay in (273, 310)]  # Mbit/s, table 1: 30 and 26
    require([int(sp.floor(one)) for one in table] == [30, 26], "table 1")
    return Processing(bounds["sender"], bounds["application"], bounds["window"])


# Section 4.2: delay


@once
def sender_delay() -> Expr:
    """Derive the sender's delay D_s = t_s/(1 - p) + t_a S, with S = `mean_rounds` (section 4.2).

    It is t_s + t_a without loss. Section 4.1 calls t_s + RTD the sender's ideal; this limit has 3 t_p, the receiver's
    overhead, on top.
    """
    delay = t_s + t_s * geometric_mean(p) + t_a * S
    require_zero(delay - (t_s * mean_transmissions() + t_a * S), "transmission and retransmissions in one term")
    require_zero(delay.subs({p: 0, S: mean_rounds_bounds()[1].subs(p, 0)}) - (t_s + RTD + 3 * t_p), "no loss")
    require_zero(delay.subs({s: 1, S: rounds_tail(1).subs(n, 0)}) - (t_p + t_a) / (1 - p), "one packet per segment")
    return t_s / (1 - p) + t_a * S


def receiver_delay() -> Expr:
    """Derive the receiver's delay D_r = D_s - RTD/2 - 3 t_p in a form without cancellation (section 4.2).

    The form is t_s/(1 - p) + RTD (S - 1/2) + 3 t_p (S - 1). Without loss it is t_s + RTD/2, the ideal end-to-end delay
    of section 4.1.
    """
    delay = t_s / (1 - p) + RTD * (S - Rational(1, 2)) + 3 * t_p * (S - 1)
    require_zero(sender_delay() - RTD / 2 - 3 * t_p - delay, "the two forms")
    require_zero(delay.subs({p: 0, S: 1}) - (t_s + RTD / 2), "no loss")
    return delay


# Section 4.2: throughput efficiency


@once
def segment_loss() -> Expr:
    """Derive the probability that a segment needs a second round: g = 1 - (1 - p)^s (section 4.2)."""
    chance = 1 - rounds_distribution().subs(i, 1)
    require_zero(chance.subs(p, 0), "no loss")
    require_zero(chance.subs(p, 1) - 1, "certain loss")
    return chance


@once
def loss_free_run() -> Expr:
    """Derive the mean number of consecutive segments without loss, (1 - g)/g: one less than the 1/g of the paper.

    Section 4.2, period 5: 1/g also counts the next damaged segment, which is the first of the next cycle. The laws
    below keep 1/g, which the paper states as an approximation.
    """
    run = geometric_mean(1 - g)
    require_zero(1 / g - run - 1, "one segment")
    return run


def efficiency(ledger: Ledger) -> Expr:
    """Return the segments delivered in a cycle over its length in segment times, every period counted once."""
    return sum(delivered for _, delivered in ledger) / sum(duration for duration, _ in ledger)


def ledger_small() -> Ledger:
    """List the periods of figure 12 for 1 < W <= w_a + 1.

    One window is sent in the first two rounds, then each segment takes (w_a + 1)/W.
    """
    each = 1 / lossless_efficiency(1 / (1 + beyond)).subs(beyond, (1 + w) / W - 1)
    return [(sp.Integer(1), W), (w, 0), (p, 0), (w, 0), (each / g, 1 / g)]


@once
def efficiency_small() -> Expr:
    """Derive the efficiency for 1 < W <= w_a + 1 in a form without division by g (section 4.2).

    As printed it is (1/g + W)/(2 w_a + 1 + p + (w_a + 1)/(W g)).
    """
    times_g = (1 + W * g) / ((2 * w + 1 + p) * g + (w + 1) / W)
    require_zero(efficiency(ledger_small()) - times_g, "every period once")
    require_zero((1 / g + W) / (2 * w + 1 + p + (w + 1) / W / g) - times_g, "as printed")
    require_zero(times_g.subs(g, segment_loss()).subs(p, 0) - W / (w + 1), "no loss, s free")
    return times_g


def ledger_middle() -> Ledger:
    """List the periods of figure 12 for w_a + 1 < W < 2 w_a + 1.

    The sender is busy for one t_a and sends m segments in the next.
    """
    return [(sp.Integer(1), 0), (w, w), (p, 0), (w, m), (1 / g, 1 / g)]


@once
def efficiency_middle() -> Middle:
    """Derive the efficiency for w_a + 1 < W < 2 w_a + 1: (w_a + m + 1/g)/(2 w_a + 1 + p + 1/g) (section 4.2).

    m = min(W - w_a, w_a (1 - p)). Erratum: the printed denominator has m more. The m segments are sent inside the
    second t_a, which 2 w_a already contains: its w_a segment times hold w_a p retransmissions of the losses of the
    first t_a and at most w_a (1 - p) new segments, so none of them needs additional time.
    """
    ledger = ledger_middle()
    printed_actual, printed_ideal = w + m + 1 / g, 2 * w + 1 + p + m + 1 / g
    require_zero(sum(delivered for _, delivered in ledger) - printed_actual, "the numerator as printed")
    excess = sp.simplify(printed_ideal - sum(duration for duration, _ in ledger))
    require_zero(excess - m, "the printed denominator has m twice")
    require_zero(w - w * p - w * (1 - p), "the second t_a has room for the new segments")
    law = ((w + m) * g + 1) / ((2 * w + 1 + p) * g + 1)
    require_zero(efficiency(ledger) - law, "every period once, without division by g")
    printed = ((w + m) * g + 1) / ((2 * w + 1 + p + m) * g + 1)
    require_zero(printed_actual / printed_ideal - printed, "as printed, without division by g")
    for each in (law, printed):
        require_zero(each.subs(g, segment_loss()).subs(p, 0) - 1, "no loss at a fixed window")
    return Middle(law, printed, excess)


def printed_jump() -> Expr:
    """Derive the jump of the printed efficiency at W = w_a + 1: `efficiency_small` minus the printed middle law.

    There m = 1 (if w_a (1 - p) >= 1), and the corrected law meets `efficiency_small`. The jump is positive for all p, s
    and w_a.
    """
    meet = efficiency_small().subs(W, w + 1)
    middle = efficiency_middle()
    require_zero(middle.law.subs(m, 1) - meet, "continuous")
    ideal, actual = 2 * w + 1 + p + 1 / g, w + 1 + 1 / g
    jump = actual / (ideal * (ideal + 1))
    require_zero(meet - middle.printed.subs(m, 1) - jump, "size of the jump")
    require(jump.is_positive, "it falls")
    return jump


def long_path() -> LongPath:
    """Derive the limits for w_a -> infinity just below W = 2 w_a + 1: 1 - p/2; as printed (2 - p)/(3 - p).

    There m = w_a (1 - p). Both limits hold for any fixed g, so for any s. A few losses on a long path leave 2/3 of the
    rate by the printed law.
    """
    middle = efficiency_middle()
    full = {m: w * (1 - p)}
    require((2 * w + 1 - w - w * (1 - p)).expand().is_positive, "W - w_a > w_a (1 - p) there")
    short = sp.Symbol("1/w_a", positive=True)  # a rational function at 0 is its value
    law, printed = (sp.cancel(each.subs(full).subs(w, 1 / short)).subs(short, 0) for each in middle[:2])
    require_zero(law - (1 - p / 2), "law")
    require_zero(printed - (2 - p) / (3 - p), "printed")
    require_zero(printed.subs(p, 0) - Rational(2, 3), "printed, then few losses")
    at_one = (w * (2 - p) + 1) / (w * (3 - p) + 2 + p)
    require_zero(middle.printed.subs(full).subs(g, 1) - at_one, "every segment damaged")
    return LongPath(1 - p / 2, (2 - p) / (3 - p), at_one)


def excess_over_loss() -> Excess:
    """Derive when the middle law exceeds 1 - p: (w_a + m) g + 1 > (1 - p) ((2 w_a + 1 + p) g + 1).

    No cap is applied. m = W - w_a: p + g (W - (1 - p)(2 w_a + 1 + p)) > 0. m = w_a (1 - p): p + g (w_a p + p^2 - 1) >
    0, which always holds for s = 1, where g = p, and fails for s > 1 and p -> 0, where g ~ s p.
    """
    law = efficiency_middle().law
    by_window = p + g * (W - (1 - p) * (2 * w + 1 + p))
    by_room = p + g * (w * p + p**2 - 1)
    length = (2 * w + 1 + p) * g + 1
    require(length.is_positive, "multiplying by the length keeps the sign")
    require_zero((law.subs(m, W - w) - (1 - p)) * length - by_window, "m = W - w_a")
    require_zero((law.subs(m, w * (1 - p)) - (1 - p)) * length - by_room, "m = w_a (1 - p)")
    require(sp.factor(by_room.subs(g, p)).is_positive, "one packet per segment")
    leading = sp.limit(by_room.subs(g, segment_loss()) / p, p, 0)
    require_zero(leading - (1 - s), "few losses")
    return Excess(by_window, by_room, -by_room / length)


def uncounted_first_segment() -> Expr:
    """Derive the segment that the printed min(W - w_a, w_a (1 - p)) omits from a cycle.

    The window allows W = 1 + w_a + (W - w_a - 1) segments, the spare time 1 + w_a + w_a (1 - p); the minimum of these
    is meant. The printed minimum has the first segment of the cycle in its first argument only. Returned is the
    efficiency omitted where the spare time decides; with w_a (1 - p) < 1 it leaves a fall at W = w_a + 1.
    """
    law = efficiency_middle().law
    by_room = w * (1 - p)
    omitted = g / ((2 * w + 1 + p) * g + 1)
    require_zero(law.subs(m, 1 + by_room) - law.subs(m, by_room) - omitted, "one segment per cycle")
    fall = efficiency_small().subs(W, w + 1) - law.subs(m, by_room)
    require_zero(fall - (1 - by_room) * omitted, "the fall where there is no room for one segment")
    return omitted


def efficiency_large() -> Expr:
    """Derive the efficiency for W >= 2 w_a + 1: 1 - p (section 4.2).

    The sender is always busy and sends every packet 1/(1 - p) times.
    """
    share = t_s / (t_s * mean_transmissions())
    require_zero(share - (1 - p), "useful share of the time")
    require_zero(share.subs(p, 0) - 1, "no loss")
    return 1 - p


def efficiency_alone() -> Alone:
    """Derive the efficiency for W = 1: t_s/D_s = 1/(1/(1 - p) + w_a S) (section 4.2).

    Without loss it is 1/(1 + w_a), as `efficiency_small` for W -> 1. With loss they differ by p/(1 + w_a)^2 to first
    order in p, since S = 1 + s p + O(p^2).
    """
    law = 1 / (1 / (1 - p) + w * S)
    require_zero(law.subs(w, t_a / t_s) - t_s / sender_delay(), "t_s/D_s")
    # S lies between its first two terms and its upper bound, which have the same value and slope at p = 0.
    two_terms = 1 + segment_loss()
    require_zero(sp.diff(mean_rounds_bounds()[1] - two_terms, p).subs(p, 0), "S = 1 + s p + O(p^2)")
    above = efficiency_small().subs(W, 1).subs(g, segment_loss()) - law.subs(S, two_terms)
    require_zero(above.subs(p, 0), "no step without loss")
    step = p / (1 + w) ** 2
    require_zero(sp.diff(above, p).subs(p, 0) - step / p, "first order of the step")
    require_zero(law.subs({p: 0, S: 1}) - 1 / (1 + w), "no loss")
    return Alone(law, step)


def window_inversion() -> Inversion:
    """Derive the window for an efficiency e by solving the laws of section 4.2 for W.

    For small windows this is the quadratic g W^2 + (1 - e (2 w_a + 1 + p) g) W - e (w_a + 1) = 0, for middle ones a
    linear equation. The quadratic's roots are real and of opposite sign, so one is positive. Its second form does not
    cancel where the linear coefficient is positive, and gives e (w_a + 1) as p -> 0.
    """
    b, constant = 1 - e * (2 * w + 1 + p) * g, e * (w + 1)
    quadratic = g * W**2 + b * W - constant
    cleared = efficiency_small() - e
    require_zero(cleared * ((2 * w + 1 + p) * g + (w + 1) / W) * W - quadratic, "law = e is the quadratic")
    require((b**2 + 4 * g * constant).is_positive, "real roots")
    require((-constant / g).is_negative, "their product, so of opposite sign")
    root = sp.sqrt(b**2 + 4 * g * constant)  # larger than |b|, so this is the positive one
    small, other = (-b + root) / (2 * g), 2 * constant / (b + root)
    require_zero(sp.expand(quadratic.subs(W, small)), "residual")
    require_zero(sp.expand(small * (b + root) - 2 * constant), "the two forms")
    require_zero(other.subs(g, segment_loss()).subs(p, 0) - e * (w + 1), "no loss")
    middle = (e * ((2 * w + 1 + p) * g + 1) - 1) / g
    require_zero(efficiency_middle().law.subs(m, W - w).subs(W, middle) - e, "middle law = e")
    return Inversion(small, other, middle)


def third_transmission() -> ThirdTransmission:
    """Derive the probability that a packet needs a third transmission (section 4.2, fourth assumption).

    For one segment it is 1 - (1 - p^2)^s; for the w_a + 1 segments in flight it is larger. Two losses have probability
    p^2 per packet (the paper words the segment's probability as each packet's). To bound the validity, one segment is
    not enough: of s (w_a + 1) packets at least one is concerned with probability s (w_a + 1) p^2 to leading order, w_a
    s p^2 on long paths.
    """
    segment = 1 - rounds_distribution().subs(i, 2)
    window = 1 - (1 - p**2) ** (s * (w + 1))
    kept = sp.Symbol("q", positive=True)  # 1 - p^2
    survive = [(1 - chance).subs(1 - p**2, kept) for chance in (segment, window)]
    require_zero(survive[0] ** (w + 1) - survive[1], "w_a + 1 segments, independent")
    x = sp.Symbol("x", positive=True)  # p^2
    chance = 1 - (1 - x) ** (s * (w + 1))
    leading = sp.diff(chance, x).subs(x, 0) * p**2
    require_zero(chance.subs(x, 0), "no loss")
    require_zero(leading - s * (w + 1) * p**2, "leading term")
    require_zero(sp.limit(leading / (w * s * p**2), w, sp.oo) - 1, "long paths")
    return ThirdTransmission(segment, window, leading)

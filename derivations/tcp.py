"""Proofs of the TCP laws: the sawtooth, its loss rate, timeouts, slow start.

Each function starts from a rule of the protocol, proves one result with all symbols free (residual and boundary values)
and returns it; a proof that fails raises AssertionError. Windows are in packets, except for the sawtooth at a drop-tail
link, where they are in bandwidth-delay products and time is in round trips of the empty path. The sawtooth is a fluid
limit; the other proofs count packets.
"""

from collections import namedtuple

import sympy as sp
from sympy import Expr, Rational

from derivations.proof import once, require, require_zero
from derivations.segment_rounds import geometric_mean, mean_transmissions, p

R, T_0, b, W, W_m, B, U, alpha = sp.symbols("R T_0 b W W_m B U alpha", positive=True)
beta = sp.Symbol("beta", positive=True)  # below 1: 1/(1 + u) where a proof needs that
u = sp.Symbol("u", positive=True)
w = sp.Symbol("w", positive=True)
q = 1 - p

Sawtooth = namedtuple("Sawtooth", "rounds packets time")
Mean = namedtuple("Mean", "packets seconds")
Full = namedtuple("Full", "window unlimited limited jump")
Finish = namedtuple("Finish", "time step")
HALF = {beta: Rational(1, 2), alpha: 1}


# The sawtooth


def sawtooth(low: Expr, high: Expr, round_time: Expr) -> Sawtooth:
    """Return rounds, packets and time of the climb from one window to another, at alpha/b packets per round.

    An acknowledgment covers b packets.
    """
    density = b / alpha  # rounds per packet of window
    return Sawtooth(*(sp.integrate(density * x, (w, low, high)) for x in (sp.Integer(1), w, round_time)))


def window_of_loss() -> Expr:
    """Derive the window W with one loss per cycle: the climb from beta W to W has 1/p packets."""
    window = sp.sqrt(2 * alpha / (b * (1 - beta**2) * p))
    cycle = sawtooth(beta * W, W, R)
    require_zero(cycle.packets.subs(W, window) - 1 / p, "1/p packets in a cycle")
    require(sp.factor(sp.diff(cycle.packets, W).subs(beta, 1 / (1 + u))).is_positive, "no other window has them")
    return window


@once
def gaimd_rate() -> Expr:
    """Derive the rate of general AIMD without timeouts (Yang & Lam): (1/R) sqrt(alpha (1+beta)/(2b (1-beta) p)).

    It is the packets of a cycle over its time.
    """
    cycle = sawtooth(beta * W, W, R)
    rate = (cycle.packets / cycle.time).subs(W, window_of_loss())
    law = sp.sqrt(alpha * (1 + beta) / (2 * b * (1 - beta) * p)) / R
    require_zero(sp.simplify(rate**2) - law**2, "rate, squared; both are positive")
    require_zero((cycle.packets / cycle.time) - (1 + beta) * W / 2 / R, "the mean window per round trip")
    fair = 3 * (1 - beta) / (1 + beta)
    require_zero(law.subs(alpha, fair) ** 2 - law.subs(HALF) ** 2, "the increase that is fair to halving")
    return law


@once
def square_root_rate() -> Expr:
    """Derive the square-root law (1/R) sqrt(3/(2 b p)): alpha = 1, beta = 1/2 (Mathis et al., section 2)."""
    law = sp.sqrt(3 / (2 * b * p)) / R
    require_zero(gaimd_rate().subs(HALF) ** 2 - law**2, "halving")
    require_zero(law.subs({b: 1, p: Rational(3, 2)}) * R - 1, "one packet per round trip at p = 3/2")
    return law


def loss_of_window() -> Expr:
    """Derive the loss rate by the window, p = 8/(3 b W^2): the inverse of `window_of_loss` for halving.

    In integer windows, b = 1 and W even, the rounds W/2, W/2 + 1, ... W have (3/8) W^2 + (3/4) W packets: the law
    deviates by 2/W.
    """
    law = 8 / (3 * b * W**2)
    require_zero(window_of_loss().subs(HALF).subs(p, law) - W, "inverse")
    require_zero(1 / law - sawtooth(W / 2, W, R).packets.subs(alpha, 1), "packets of the climb")
    half, j = sp.Symbol("h", integer=True, positive=True), sp.Symbol("j", integer=True)
    counted = sp.summation(j, (j, half, 2 * half))
    require_zero(counted * law.subs({b: 1, W: 2 * half}) - (1 + 2 / (2 * half)), "integer numbers of packets")
    return law


def round_time(window: Expr) -> Expr:
    """Return the round-trip time at a link of rate 1: max(1, w), as the window beyond one BDP queues."""
    queue = window - 1
    require_zero(1 + queue - window, "the queue's time is its length")
    return sp.Max(1, window)


def filled(low: Expr, high: Expr) -> Expr:
    """Return the utilisation over the climb from a window below one bandwidth-delay product to one of 1 or more."""
    above = sp.Symbol("v", nonnegative=True)
    slow = sawtooth(low, sp.Integer(1), round_time(1 / (1 + above)))  # the empty path's time for w <= 1
    require_zero(round_time(1 + above) - (1 + above), "w for w >= 1")
    fast = sawtooth(sp.Integer(1), high, w)
    return (slow.packets + fast.packets) / (slow.time + fast.time)


@once
def aimd_utilisation_general() -> Expr:
    """Derive the utilisation (1 - beta^2)/(1 - beta^2 + y^2), y = 1/(1 + B) - beta, where y > 0; 1 otherwise.

    The loss occurs when the window is the bandwidth-delay product and the buffer, 1 + B. Where beta (1 + B) >= 1 the
    window is never below one bandwidth-delay product, and the link never idles. The increase alpha cancels, and so does
    b.
    """
    top = 1 + B
    law = (1 - beta**2) / (1 - beta**2 + (1 / top - beta) ** 2)
    require_zero(filled(beta * top, top) - law, "packets over time")
    require_zero(law.subs(B, 0) - (1 + beta) / 2, "no buffer")
    enough = 1 / beta - 1
    require_zero(beta * (1 + enough) - 1, "where the window stays at one bandwidth-delay product")
    require_zero(law.subs(B, enough) - 1, "continuous there")
    require_zero(sp.diff(law, B).subs(B, enough), "and smooth")
    always = sawtooth(beta * top, top, w)  # w >= 1 throughout
    require_zero(always.packets / always.time - 1, "beyond")
    return law


def aimd_utilisation() -> Expr:
    """Derive the utilisation for halving: 3 (1 + B)^2/(4 (1 + B + B^2)) for B <= 1.

    This is 3/(3 + y^2) with y = (1 - B)/(1 + B).
    """
    law = 3 * (1 + B) ** 2 / (4 * (1 + B + B**2))
    require_zero(aimd_utilisation_general().subs(HALF) - law, "beta = 1/2")
    require_zero(filled(Rational(1, 2), sp.Integer(1)) - Rational(3, 4), "no buffer: the mean of 1/2 and 1")
    require_zero(law - 3 / (3 + ((1 - B) / (1 + B)) ** 2), "the form without cancellation")
    require_zero(law.subs(B, 1) - 1, "full at one bandwidth-delay product")
    require_zero(sp.diff(law, B).subs(B, 1), "with slope 0, as beyond")
    require_zero(sp.diff(law, B, 2).subs(B, 1) + Rational(1, 6), "but curved, from below")
    return law


def aimd_mean_queue() -> tuple[Expr, Expr]:
    """Derive the mean queue, for y = 0 (beta (1 + B) <= 1) and for y > 0 (the link is never idle).

    The queue is w - 1 where the window w is above one bandwidth-delay product, and a climb there lasts w times as long.
    """
    top, s, f, y = 1 + B, 1 / (1 + B), B / (1 + B), beta - 1 / (1 + B)

    above = sp.Symbol("v", nonnegative=True)
    require_zero(round_time(1 + above) - (1 + above), "w for w >= 1")

    def queued(low: Expr) -> Expr:
        return sp.integrate((w - 1) * w, (w, low, top))

    def law(y: Expr, idle: Expr, least: Expr) -> Expr:
        """Return the shipped form with its two maxima chosen."""
        queue = (f - y) * ((f**2 + f * y + y**2) / 3 + s * (f + y) / 2)
        return top * queue / (s * idle + (f - y) * (1 + least) / 2)

    climb = sawtooth(sp.Integer(1), top, w).time.subs({alpha: 1, b: 1})
    some = queued(sp.Integer(1)) / (1 - beta * top + climb)
    require_zero(some - law(sp.Integer(0), s - beta, s), "a queue at the end of the climb")
    always = queued(beta * top) / sawtooth(beta * top, top, w).time.subs({alpha: 1, b: 1})
    require_zero(always - law(y, sp.Integer(0), beta), "a queue throughout")
    require_zero((some - always).subs(B, 1 / beta - 1), "continuous where the link is just full")
    require_zero(sp.cancel(some / B**2).subs(B, 0) - 1 / (2 * (1 - beta)), "a small buffer")
    largest = Rational(2, 3) * (1 - beta**3) / (1 - beta**2)
    rest = sp.cancel(always - (largest * top - 1))
    require(sp.degree(sp.numer(rest), B) < sp.degree(sp.denom(rest), B), "a large buffer")
    require_zero(some.subs({**HALF, B: 1}) - Rational(5, 9), "halving, at one bandwidth-delay product")
    return some, always


def buffer_for_utilisation() -> Expr:
    """Derive the buffer for a utilisation U in [3/4, 1]: (4 U - 3)/(sqrt(U) + sqrt(3 (1 - U)))^2.

    `aimd_utilisation` = U is a quadratic in B whose roots have the product 1, so one of them is in [0, 1]: B = (1 -
    y)/(1 + y) with y = sqrt(3 (1 - U)/U).
    """
    quadratic = (4 * U - 3) * (1 + B**2) + (4 * U - 6) * B
    cleared = (aimd_utilisation() - U) * 4 * (1 + B + B**2)
    require_zero(cleared + quadratic, "the quadratic, whose first and last coefficient agree")
    y = sp.Symbol("y", positive=True)
    require_zero(quadratic.subs({B: (1 - y) / (1 + y), U: 3 / (3 + y**2)}), "residual")
    law = (4 * U - 3) / (sp.sqrt(U) + sp.sqrt(3 * (1 - U))) ** 2
    inside = {U: 3 / (3 + y**2)}
    require_zero(law.subs(inside) - (1 - y) / (1 + y), "the form without cancellation")
    require_zero(law.subs(U, Rational(3, 4)), "no buffer")
    require_zero(law.subs(U, 1) - 1, "one bandwidth-delay product")
    return law


# Parallel flows


def after_the_next_loss(squares: Expr, chosen: Expr, flows: Expr) -> tuple[Expr, Expr]:
    """Return the growth of each flow until the next loss, and the sum of the squared rates there.

    The rates, over the capacity, add up to 1 at a loss, and the sum of their squares is ``squares``. The chosen flow
    multiplies its rate by beta; then all grow equally, until the sum is 1 again.
    """
    lost = (1 - beta) * chosen
    growth = lost / flows
    require_zero(1 - lost + flows * growth - 1, "the capacity is reached again")
    reduced = 1 - lost  # sum of the rates behind the loss
    reduced_squares = squares - chosen**2 + (beta * chosen) ** 2
    return growth, reduced_squares + 2 * growth * reduced + flows * growth**2


@once
def parallel_utilisation() -> Expr:
    """Derive the utilisation N (1 + beta)/(N (1 + beta) + 1 - beta) of N flows of which one at a time loses.

    In the steady state the mean of the sum of the squared rates is the same at every loss. This determines the ratio of
    the second to the first moment of the rate of the flow that loses, whichever that is (Altman et al.). The sum of the
    rates falls by (1 - beta) x at a loss and grows linearly to 1 in a time proportional to x.
    """
    flows, x, first, second, squares = sp.symbols("N x E_1 E_2 S", positive=True)
    _, next_squares = after_the_next_loss(squares, x, flows)
    change = sp.Poly(sp.expand(next_squares - squares), x)
    require(change.degree() == 2 and change.coeff_monomial(1) == 0, "the change is a x + b x^2")
    balance = change.coeff_monomial(x) * first + change.coeff_monomial(x**2) * second
    moments = sp.solve(balance, second)[0] / first  # of second order over first
    depth = (1 - beta) * x
    lost = sp.integrate(w, (w, 0, depth)) / depth  # mean distance from the capacity, for one loss
    require_zero(lost - depth / 2, "the middle of a linear climb")
    # The mean over time weighs each climb with its duration, in proportion to its depth.
    idle = sp.simplify((1 - beta) ** 2 * moments / 2 / (1 - beta))
    law = flows * (1 + beta) / (flows * (1 + beta) + 1 - beta)
    require_zero(1 - idle - law, "utilisation")
    require_zero(law - (1 - 1 / (1 + flows * (1 + beta) / (1 - beta))), "as printed")
    require_zero(law.subs(flows, 1) - aimd_utilisation_general().subs(B, 0), "one flow without a buffer")
    require_zero(law.subs({**HALF, flows: 3}) - Rational(9, 10), "three flows that halve")
    require_zero(sp.limit(law, flows, sp.oo) - 1, "many flows")
    return law


def parallel_share() -> Expr:
    """Derive the share N/(N + m) of N flows beside m others: all have the same rate at the same loss probability."""
    flows, others = sp.symbols("N m", positive=True)
    rate = sp.Function("X", positive=True)(p, R)  # whichever law
    law = flows * rate / (flows * rate + others * rate)
    require_zero(law - flows / (flows + others), "the rate cancels")
    one = law.subs(rate, square_root_rate())
    require_zero(one - flows / (flows + others), "by the square-root law")
    require_zero(law.subs(others, flows) - Rational(1, 2), "as many others")
    require_zero(sp.limit(law, others, 0) - 1, "no others")
    return sp.simplify(law)


# Timeouts: Padhye et al., SIGCOMM 1998


@once
def first_loss_window() -> Expr:
    """Derive E[W] = c + sqrt(8 (1-p)/(3 b p) + c^2), c = (2 + b)/(3 b) (Padhye et al., section 2.1).

    The first loss of a period is packet 1/p on average, and W - 1 more are sent in the next round. Over k = b W/2
    rounds the window goes from W/2 to W; the last round sends W/2 on average, up to that loss.
    """
    rounds = b * W / 2
    require_zero(W / 2 + rounds / b - W, "the climb ends where it began")
    by_loss = 1 + geometric_mean(q) + W - 1  # the geometric mean counts the packets before
    require_zero(by_loss - (q / p + W), "packets by the loss")
    by_round = rounds / 2 * (W / 2 + W - 1) + W / 2
    constant = (2 + b) / (3 * b)
    quadratic = W**2 - 2 * constant * W - 8 * q / (3 * b * p)
    require_zero((by_round - by_loss) * 8 / (3 * b) - quadratic, "both counts agree")
    root = constant + sp.sqrt(8 * q / (3 * b * p) + constant**2)
    require_zero(sp.expand(quadratic.subs(W, root)), "residual")
    require_zero(quadratic.subs({W: 2 * constant, p: 1}), "certain loss")
    require_zero(sp.limit(sp.sqrt(p) * root, p, 0) - sp.sqrt(8 / (3 * b)), "small p: the sawtooth's window")
    return root


def timeout_share() -> Expr:
    """Derive Q, the probability that a loss in a window of w packets ends in a timeout (Padhye et al., section 2.2).

    It is 1 at w = 3, and 3/w as p -> 0. In the round of the loss k packets arrive before it with probability q^k p/(1 -
    q^w), k < w. A timeout occurs if fewer than 3 do, or if fewer than 3 arrive of the k that they release in the round
    after.
    """
    k, first, end = sp.symbols("k a c", integer=True, nonnegative=True)
    arrives = sp.Symbol("q", positive=True)  # 1 - p; as a symbol its powers combine
    require_zero(arrives**k * (1 - arrives) - (arrives**k - arrives ** (k + 1)), "sums of q^k p telescope")
    run = arrives**first - arrives**end  # sum over first <= k < end
    require_zero(run.subs(end, first + 1) - arrives**first * (1 - arrives), "a sum of one")
    few, later, every = (run.subs({first: low, end: high}) for low, high in ((0, 3), (3, w), (0, w)))
    require_zero(few + later - every, "k is anything below w")
    printed = (1 - arrives**3) * (1 + arrives**3 * (1 - arrives ** (w - 3))) / (1 - arrives**w)
    require_zero((few + later * few) / every - printed, "as printed")
    require_zero(printed.subs(w, 3) - 1, "three packets")
    printed = printed.subs(arrives, q)
    numerator, denominator = (sp.diff(x, p).subs(p, 0) for x in (printed * (1 - q**w), 1 - q**w))
    require_zero(numerator / denominator - 3 / w, "few losses")
    return printed


@once
def timeouts() -> Mean:
    """Derive packets and time of a sequence of timeouts: 1/(1-p) and T_0 f(p)/(1-p) (Padhye et al., section 2.2).

    The k-th wait is 2^(k-1) T_0 up to k = 7, and 64 T_0 from there on. Each ends with a packet, lost with probability
    p. Up to k = 6 they last (2^k - 1) T_0 together, then 63 + 64 (k - 6).
    """
    intervals = [2 ** min(k - 1, 6) for k in range(1, 12)]
    lasts = [sum(intervals[:k]) for k in range(1, 12)]
    require(lasts[:6] == [2**k - 1 for k in range(1, 7)], "doubling")
    require(lasts[6:] == [63 + 64 * (k - 6) for k in range(7, 12)], "no longer doubling")
    short = sum((2**k - 1) * p ** (k - 1) * (1 - p) for k in range(1, 7))
    long = p**6 * (127 + 64 * geometric_mean(p))  # k = 7 + m, m geometric
    f = 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6
    require_zero(short + long - f / (1 - p), "f(p)")
    require_zero(mean_transmissions() - 1 / (1 - p), "one packet ends each")
    return Mean(1 / (1 - p), T_0 * f / (1 - p))


def pftk_full_rate() -> Full:
    """Derive the full model: packets over time of a period and its share of timeouts (Padhye et al., section 2.3).

    There are two cases of the window limit. At the limit the window climbs for b W_m/2 rounds and stays for V more,
    which follows from the count of packets; the round after the loss is one more. At W_m = E[W] the two cases differ by
    (2 - b)/4 rounds.
    """
    window, sequence = first_loss_window(), timeouts()
    packets = q / p + W
    climb, stay = b * W / 2, sp.Symbol("V", real=True)
    during = climb / 2 * (W / 2 + W) + stay * W
    staying = sp.solve(during - packets, stay)[0]
    limited = climb + staying
    require_zero(limited - (b * W / 8 + q / (p * W) + 1), "as printed")
    share = sp.Symbol("Q", positive=True)

    def rate(rounds: Expr) -> Expr:
        return (packets + share * sequence.packets) / (R * (rounds + 1) + share * sequence.seconds)

    jump = sp.simplify((limited - climb).subs(W, window))
    require_zero(jump - (2 - b) / 4, "the cases meet for b = 2 only")
    return Full(window, rate(climb), rate(limited), jump)


def pftk_rate() -> Expr:
    """Derive the approximate model: the leading terms of the full rate as p -> 0 (Padhye et al., section 2.3).

    Leading terms: 1/p packets, W = sqrt(8/(3 b p)), k = b W/2 rounds, Q = 3/W, limited to 1. The factor 1 + 32 p^2 is a
    fit to f(p): it is 1 at p = 0, like f, but with another slope, and below f up to about p = 1/30.
    """
    leading = {W: sp.sqrt(8 / (3 * b * p))}
    require_zero(sp.limit(first_loss_window() / leading[W], p, 0) - 1, "window")
    require_zero(sp.limit(p * (q / p + leading[W] + 1 / q), p, 0) - 1, "packets")
    require_zero(sp.limit((b * leading[W] / 2 + 1) / (b * leading[W] / 2), p, 0) - 1, "rounds")
    # With p = k/w^2 and w -> oo, (1 - p)^w -> 1 and 1 - (1 - p)^w ~ w p, so that Q w -> 3.
    k = sp.Symbol("k", positive=True)
    require_zero(sp.limit((1 - (1 - k / w**2) ** w) * w / k, w, sp.oo) - 1, "1 - (1 - p)^w")
    require_zero(sp.limit((1 - q**3) / p, p, 0) - 3, "1 - (1 - p)^3")
    share = (3 / W).subs(leading)
    require_zero(share - 3 * sp.sqrt(3 * b * p / 8), "Q")
    climb = (p * R * b * W / 2).subs(leading)
    require_zero(climb - R * sp.sqrt(2 * b * p / 3), "rounds per packet")
    backoff = timeouts().seconds * (1 - p) / T_0
    fit = 1 + 32 * p**2
    require_zero((fit / backoff).subs(p, 0) - 1, "the fit at p = 0")
    require((fit - backoff).subs(p, Rational(1, 29)) > 0, "above f from p = 1/29")
    require((fit - backoff).subs(p, Rational(1, 30)) < 0, "below it up to p = 1/30")
    law = 1 / (climb + T_0 * sp.Min(1, share) * p * fit)
    require_zero(law.subs(T_0, 0) - square_root_rate(), "no timeouts")
    return law


# Slow start: packets and rounds are counted from 0


j, m, a, n, W_0 = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("j", "m", "a", "n", "W_0"))
t = sp.Symbol("t", positive=True)
path = sp.Symbol("R", nonnegative=True)  # round-trip time without the packet's transmission time
lone = path + t


@once
def first_packet(number: Expr) -> Expr:
    """Derive the first packet of round j, W_0 (2^j - 1): each acknowledgment adds 1 to the window.

    Round j sends W_0 2^j packets. After the acknowledgment of packet a there are a + 1 of them, so W_0 + 2 (a + 1)
    packets may have been sent: that acknowledgment releases packets W_0 + 2 a and W_0 + 2 a + 1.
    """
    acknowledged = a + 1
    allowed = acknowledged + (W_0 + acknowledged)
    require_zero(allowed - 1 - (W_0 + 2 * a + 1), "the last packet that the acknowledgment of packet a releases")
    first = W_0 * (2**j - 1)
    require_zero(first.subs(j, 0), "round 0 begins with packet 0")
    require_zero(first.subs(j, j + 1) - (W_0 + 2 * first), "a round's first packet releases that of the next")
    require_zero(first.subs(j, j + 1) - first - W_0 * 2**j, "packets of round j")
    return first.subs(j, number)


def slow_start_rounds() -> Expr:
    """Derive the rounds of slow start for n packets, ceil(log2(n/W_0 + 1)): the least r with first_packet(r) >= n."""
    size = sp.Symbol("W_0", positive=True)
    law = sp.ceiling(sp.log(n / size + 1, 2))
    exact = sp.log(n / size + 1, 2)
    require_zero(first_packet(j).subs({W_0: size, j: exact}) - n, "where r rounds send n packets exactly")
    require(sp.diff(size * (2**w - 1), w).is_positive, "more rounds, more packets")
    require_zero(law.subs({n: 1, size: 1}) - 1, "one packet, one round")
    for rounds in range(1, 12):
        require_zero(law.subs({size: 1, n: 2**rounds - 1}) - rounds, "the last packet of a round")
        require_zero(law.subs({size: 1, n: 2**rounds}) - rounds - 1, "the first of the next")
    return law


@once
def slow_start_transfer_time() -> Finish:
    """Derive the transfer time in slow start: R + max over j < r of j (R + t) + (n - W_0 (2^j - 1)) t.

    Packet m starts at s_m = max over j up to its round of S_j(m) = j (R + t) + (m - W_0 (2^j - 1)) t. This solves the
    rule of the link, s_m = max(s_(m-1) + t, release of m). The release is 0 in round 0, and later R + t after the start
    of packet a, with m = W_0 + 2 a or one more.

    1. S_j(m-1) + t = S_j(m), so waiting for the packet before gives the same maximum over its rounds.

    2. S_j(a) + R + t = S_(j+1)(m) - (a - first_packet(j)) t, or t less: the release decides only for the first packet
    of a round, a = first_packet(j), where it is the new term.

    S_(j+1) - S_j = R + t - W_0 2^j t falls with j: the maximum is at the first j with W_0 2^j t >= R + t, or in the
    last round. From there on the link is never idle.
    """

    def start(number: Expr, packet: Expr) -> Expr:
        return number * lone + (packet - first_packet(number)) * t

    require_zero(start(j, m - 1) + t - start(j, m), "after the packet before")
    require_zero(start(sp.Integer(0), m) - m * t, "round 0: all released at once")
    for other in (0, 1):
        late = start(j, a) + lone - start(j + 1, W_0 + 2 * a + other)
        require_zero(sp.expand(late + (a - first_packet(j) + other) * t), "released in time")
    require_zero(start(j, first_packet(j)) - j * lone, "what the first packet of a round brings in: j round trips")
    step = lone - W_0 * 2**j * t
    require_zero(start(j + 1, m) - start(j, m) - step, "one round later")
    require(sp.diff(step.subs({W_0: W, j: w}), w).is_negative, "it falls with j")
    finish = path + j * lone + (n - first_packet(j)) * t
    require_zero(finish - (start(j, n - 1) + lone), "the last packet starts, and its acknowledgment comes back")
    require_zero(finish.subs({j: 0, n: 1}) - lone, "a lone packet")
    require_zero(sp.expand(finish.subs(n, first_packet(j) + 1) - (j + 1) * lone), "the first packet of round j")
    return Finish(finish, step)


def search_difference() -> Expr:
    """Derive SEARCH's difference x round trips after acknowledgments have come at the rate of the link, 1.

    Before, they come at the rate 2^u, so that A(u), their integral, is 2^u/ln 2, and u + 1/ln 2 after 0. Slow start
    sends two packets for each acknowledged one: S = 2 A. The packet acknowledged at x was sent at y: S(y) = A(x),
    because a queue in order of arrival delivers all that was sent before.
    """
    x, memory = sp.Symbol("x", nonnegative=True), sp.Symbol("w", positive=True)
    early, late, ln2 = sp.Symbol("e", negative=True), sp.Symbol("l", positive=True), sp.log(2)

    def total(time: Expr) -> Expr:
        return 2 ** sp.Min(time, 0) / ln2 + sp.Max(time, 0)

    require_zero(sp.diff(total(early), early) - 2**early, "before: acknowledgments double in a round trip")
    require_zero(sp.diff(total(late), late) - 1, "after: at the rate of the link")
    require_zero(total(sp.Integer(0)) - 1 / ln2, "both meet")
    half = total(x) * ln2 / 2
    y = sp.log(sp.Min(half, 1)) / ln2 + sp.Max(half - 1, 0) / ln2
    low, high = sp.symbols("a h", positive=True)  # half = 1/(1 + a) or 1 + h
    for share in (1 / (1 + low), 1 + high):
        sent_at = sp.log(sp.Min(share, 1)) / ln2 + sp.Max(share - 1, 0) / ln2
        require_zero(total(sp.simplify(sent_at)) - share / ln2, "A(y) = A(x)/2")
    require_zero(y.subs(x, 0) + 1, "at 0 the packet was sent a round trip before")
    earlier = 2 * total(y - memory)  # S(y - w)
    sent, delivered = 2 * total(y) - earlier, total(x) - total(x - memory)
    require_zero((sent - delivered).subs(x, 0), "nothing is missing at 0")
    return (total(x - memory) - earlier) / (total(x) - earlier)

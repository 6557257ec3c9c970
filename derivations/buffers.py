"""Proofs of the laws of buffer sizing: flows that lose together, independent ones; buckets of policers and shapers.

Windows and buffers are in bandwidth-delay products of the empty path. A link is busy while the windows add up to 1 or
more, and what exceeds 1 is queued.
"""

import sympy as sp
from sympy import Expr, Rational

from derivations.proof import once, require, require_zero

B, W, R, q = sp.symbols("B W R q", positive=True)
n = sp.Symbol("n", positive=True, integer=True)
beta = sp.Symbol("beta", positive=True)  # below 1


@once
def synchronised() -> Expr:
    """Derive B = (1 - beta)/beta: n flows reduce windows that add up to 1 + B together, and grow until the next loss.

    The sum is least right after the loss, beta (1 + B), whatever the shares of the flows are.
    """
    law = (1 - beta) / beta
    shares = sp.symbols("w_1:4", positive=True)
    require_zero(sum(beta * one for one in shares) - beta * sum(shares), "all by the same factor")
    require_zero(beta * (1 + law) - 1, "just busy after the loss")
    require(sp.diff(beta * (1 + B), B).is_positive, "and so in every larger buffer")
    require_zero(law.subs(beta, Rational(1, 2)) - 1, "Reno")
    require_zero(law.subs(beta, Rational(7, 10)) - Rational(3, 7), "CUBIC, beta = 7/10")
    return law


@once
def deviation() -> Expr:
    """Derive the relative deviation of a sum of n windows, each uniform on [beta W, W]: variances add up."""
    w = sp.Symbol("w", positive=True)
    density = 1 / ((1 - beta) * W)
    mean = sp.integrate(w * density, (w, beta * W, W))
    variance = sp.integrate((w - mean) ** 2 * density, (w, beta * W, W))
    require_zero(mean - (1 + beta) * W / 2, "mean")
    require_zero(variance - ((1 - beta) * W) ** 2 / 12, "variance")
    law = (1 - beta) / ((1 + beta) * sp.sqrt(3 * n))
    require_zero(n * variance / (n * mean) ** 2 - law**2, "squared; both are positive")
    require_zero(law.subs(beta, Rational(1, 2)) - 1 / (3 * sp.sqrt(3 * n)), "Reno, as Appenzeller and others have it")
    return law


@once
def desynchronised() -> Expr:
    """Derive B = 2 a/(sqrt(n) - a), a = (1 - beta)/(1 + beta) sqrt(2 ln(1/q)), from Hoeffding's bound.

    A sum of n independent variables, each in an interval of length l, is y or more below its mean with a probability of
    at most exp(-2 y^2/(n l^2)), and the same above. The mean is 1 + B/2, so that both ends of the buffer are B/2 away.
    """
    total = 1 + B / 2
    window = 2 * total / (n * (1 + beta))
    require_zero(n * (1 + beta) * window / 2 - total, "the windows that have this mean")
    bound = sp.exp(-2 * (B / 2) ** 2 / (n * ((1 - beta) * window) ** 2))
    a = sp.Symbol("a", positive=True)  # below sqrt(n)
    root = sp.Symbol("r", positive=True)  # sqrt(n)
    law = 2 * a / (root - a)
    exponent = sp.log(bound).subs(n, root**2)
    factor = (1 - beta) / (1 + beta)
    require_zero(sp.simplify(sp.expand_log(exponent.subs(B, law), force=True)) + (a / factor) ** 2 / 2, "the exponent")
    require_zero((B / 2) - (total - 1), "empty when the sum is B/2 below its mean")
    require_zero((B / 2) - (1 + B - total), "full when it is B/2 above")
    wanted = factor * sp.sqrt(2 * sp.log(1 / q))
    require_zero((wanted / factor) ** 2 / 2 - sp.log(1 / q), "a by q")
    return law.subs({a: wanted, root: sp.sqrt(n)})


N = sp.Symbol("C R", positive=True)  # packets that the rate allows in a round trip
b, alpha, t = sp.symbols("b alpha t", positive=True)  # tokens in packets, time in round trips


def _saved(low: Expr, high: Expr) -> Expr:
    """Return the tokens that are left over while a window grows from one value to another by alpha a round trip."""
    return sp.integrate(N - (low + alpha * t), (t, 0, (high - low) / alpha))


@once
def policed_utilisation() -> Expr:
    """Derive U = (1 + beta)/2 (1 + sqrt(2 alpha b)/N) from a bucket that is full when the window reaches N."""
    peak = N + sp.sqrt(2 * alpha * b)
    require_zero(-_saved(N, peak) - b, "a full bucket is spent between N and the peak")
    mean = sp.integrate(beta * W + (W - beta * W) * t, (t, 0, 1))
    require_zero(mean - (1 + beta) / 2 * W, "the mean of a sawtooth")
    law = (1 + beta) / 2 * (1 + sp.sqrt(2 * alpha * b) / N)
    require_zero(mean.subs(W, peak) / N - law, "over the policed rate")
    return law


@once
def burst_for_policed_rate() -> Expr:
    """Derive b = N^2/(2 alpha) ((1 - beta)/(1 + beta))^2: as many tokens are saved below N as are spent above it."""
    law = N**2 / (2 * alpha) * ((1 - beta) / (1 + beta)) ** 2
    peak = N * (1 + (1 - beta) / (1 + beta))
    require_zero((peak - N) ** 2 - 2 * alpha * law, "the peak, squared; both sides are positive")
    require_zero(_saved(beta * peak, N) - law, "saved from the loss up to N")
    require_zero(-_saved(N, peak) - law, "spent from there to the next loss")
    require_zero(policed_utilisation().subs(sp.sqrt(alpha) * sp.sqrt(b), (peak - N) / sp.sqrt(2)) - 1, "the whole rate")
    return law


length, rate, late = sp.symbols("l r delta", positive=True)  # bytes, bytes/s, s
k = sp.Symbol("k", positive=True, integer=True)  # packets that fit into the bucket
rest = sp.Symbol("rest", nonnegative=True)  # bytes of the bucket that no further packet fills, below l


@once
def shaped_rate() -> Expr:
    """Derive x = r + b/t: the bucket holds b at first, tokens arrive at the rate r, and each byte takes one."""
    span = sp.Symbol("t", positive=True)
    passed = sp.Function("p")  # bytes that have passed, of a source that never pauses, behind an infinitely fast link
    solved = sp.dsolve(passed(span).diff(span) - rate, ics={passed(0): b}).rhs
    require_zero(solved - (b + rate * span), "as many as there were tokens")
    return sp.expand(solved / span)


def _sleep(tokens: Expr) -> Expr:
    """Return the time until there are tokens for a packet, and the timer's delay [s]."""
    return (length - tokens) / rate + late


def shaped_utilisation() -> Expr:
    """Derive U = k l/((k + 1) l - b + r delta) where a late timer loses tokens: the bucket is full when it expires.

    The bucket holds k = floor(b/l) packets and a rest. A full one sends k packets at once and keeps the rest until it
    sleeps.
    """
    return _shaped().subs(k, sp.floor(b / length))


@once
def _shaped() -> Expr:
    """Derive the law of `shaped_utilisation` by the number k of packets that fit into the bucket."""
    bucket = k * length + rest
    left = bucket - k * length
    require_zero(left - rest, "no further packet fits: the rest is below l")
    gained = left + rate * _sleep(left)
    require_zero(gained - (length + rate * late), "tokens at the wake if the bucket had no end")
    share = k * length / (rate * _sleep(left))
    law = k * length / ((k + 1) * length - b + rate * late)
    require_zero(law.subs(b, bucket) - share, "packets of a wake over those of the rate")
    full = sp.solve(gained - bucket, late)[0]
    require_zero(share.subs(late, full) - 1, "the whole rate where the bucket is just full at the wake")
    # htb sends while its tokens are not negative: k + 1 packets, after which rest - l tokens are left.
    deficit = bucket - (k + 1) * length
    htb = (k + 1) * length / (-deficit + rate * late)
    require_zero(law.subs({b: bucket + length, k: k + 1}, simultaneous=True) - htb, "htb, as b + l")
    return law


@once
def burst_for_shaped_rate() -> Expr:
    """Derive b = l + r delta: the tokens at the wake fit into the bucket, and none is lost."""
    law = length + rate * late
    share = _shaped()
    require_zero(sp.simplify(share.subs(b, law)) - 1, "the whole rate")
    require_zero(
        sp.simplify(sp.diff(share, b) - share**2 / (k * length)), "grows with the bucket between multiples of l"
    )
    jump = share.subs(k, k + 1) - share
    step = length * (rate * late - k * length) / (rate * late * (length + rate * late))
    require_zero(jump.subs(b, (k + 1) * length) - step, "and at one, while k l < r delta, that is U < 1")
    return law

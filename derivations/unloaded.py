"""TCP alone on three links, the buffer that its slow start needs, and power estimated from unloaded times.

Power is throughput over response time. The estimate is R = T_0 - S + S/(1 - rho): a path whose bottleneck is shared
equally and whose other delays, T_0 - S, do not depend on the load. S = F/C.
"""

import sympy as sp
from sympy import Expr, Rational

from derivations import blt, tcp
from derivations.proof import once, require, require_zero

D, t_a, t_b, t_d = blt.D, blt.t_a, blt.t_b, blt.t_d
C, F, S, T_0, X = sp.symbols("C F S T_0 X", positive=True)
x = sp.Symbol("x", nonnegative=True)
n = sp.Symbol("n", integer=True, positive=True)
j = tcp.j
r = sp.Symbol("r", positive=True)
u, v = sp.symbols("u v", nonnegative=True)


@once
def tcp_transfer_time() -> Expr:
    """Derive the unloaded transfer time of TCP over three links, for j extra rounds.

    It is `tcp.slow_start_transfer_time` with t = max(t_a, t_b, t_d) and R = D + t_a + t_b + t_d - t: links in series
    act like the slowest one with a fixed delay. Whenever packets are released, g_0 <= g_1 <= ..., packet i leaves at
    max over j <= i of g_j + S + (i - j) M, where S is the sum and M the largest of the packet times. For the next link,
    of packet time t, the terms are those of the arrival of packet i, g_j + S + (i - j) M + t, and of packet i - 1, g_j
    + S + t + (i - 1 - j) M' + t; the larger is g_j + S + t + (i - j) M', M' = max(M, t).
    """
    total, largest, gap = sp.symbols("S M d", positive=True)  # d = i - j >= 1; for d = 0 only the arrival counts
    claim = total + u + gap * largest
    arrival, turn = total + gap * largest + u, total + u + (gap - 1) * largest + u
    require_zero(arrival - claim, "t = u <= M: the arrival's term")
    require(bool((arrival - turn).subs(largest, u + v).expand().is_nonnegative), "is the larger")
    slow = largest + v
    claim = total + slow + gap * slow
    arrival, turn = total + gap * largest + slow, total + slow + (gap - 1) * slow + slow
    require_zero(turn - claim, "t = M + v: the term of the packet before")
    require(bool((turn - arrival).expand().is_nonnegative), "is the larger")
    slowest = sp.Max(t_a, t_b, t_d)
    law = tcp.slow_start_transfer_time().time.subs({tcp.path: D + t_a + t_b + t_d - slowest, tcp.t: slowest})
    lone = law.subs({tcp.j: 0, tcp.n: 1})
    require_zero(lone - (D + t_a + t_b + t_d), "a lone packet")
    return law


def buffer_for_slow_start() -> Expr:
    """Derive the buffer for a slow-start round of w packets: (w - 1)(1 - max(r, 1/2)).

    Acknowledgments come every t_b and release two packets each. r >= 1/2: packet i is released at floor(i/2) t_b <= i
    t_a, so the packets leave the source back to back, as a burst that needs `blt.buffer_for_burst`. r <= 1/2: packet 2
    p + 2 arrives at p t_b + t_a, when the link has taken p + 1: p + 1 are queued, half of them; packet 2 p + 1 arrives
    at p t_b and also finds p + 1 taken: p are queued.
    """
    w, p = sp.symbols("w p", integer=True, positive=True)
    burst = blt.buffer_for_burst().subs({blt.n: w, blt.r: r})
    require(bool((p * t_b - 2 * p * t_a).subs(t_b, 2 * t_a / (1 + u)).simplify().is_nonpositive), "released in time")
    backlog = (w - 1) * Rational(1, 2)
    for arrived, taken in ((2 * p + 2, p + 1), (2 * p + 1, p + 1)):
        require_zero(sp.ceiling(backlog.subs(w, arrived)) - (arrived - taken), "arrivals less those taken")
    require_zero(burst.subs(r, Rational(1, 2)) - backlog, "the cases meet")
    # K = D/(3 t_b): a round that is too large comes when no round has outlasted a lone packet, up to r = 2/3.
    room = D / 3 / t_b
    largest = 1 + room / (1 - Rational(2, 3))  # bound of the largest round that fits
    lone = D + t_a + t_b + t_d
    require(bool(sp.simplify(lone - largest * t_b).is_positive), "the round before has gone")
    return sp.expand((w - 1) * (1 - sp.Max(r, Rational(1, 2))))


# Power


@once
def power_with_unloaded_time() -> Expr:
    """Derive the greatest estimated power: C/(sqrt(S) + sqrt(T_0))^2.

    For rho = y/(1 + y), C/P is (sqrt(S) + sqrt(T_0))^2 plus a square that is 0 only at y = sqrt(T_0/S).
    """
    y = sp.Symbol("y", positive=True)
    rho = y / (1 + y)
    response = T_0 - S + S / (1 - rho)
    require_zero(response.subs(y, 0) - T_0, "unloaded")
    inverse = sp.expand(sp.simplify(response / rho))
    least = (sp.sqrt(S) + sp.sqrt(T_0)) ** 2
    require_zero(sp.expand(inverse - least - (sp.sqrt(T_0 / y) - sp.sqrt(S * y)) ** 2), "never less")
    require_zero(inverse.subs(y, sp.sqrt(T_0 / S)) - least, "at the knee")
    law = (C / least).subs(S, F / C)
    ceiling = C**2 / F / (1 + sp.sqrt(1 + D * C / F)) ** 2
    require_zero(law.subs(T_0, D + F / C) - ceiling, "the ceiling of equal sharing for T_0 = D + S")
    return law


def knee_with_unloaded_time() -> Expr:
    """Derive the load of greatest estimated power: sqrt(T_0)/(sqrt(S) + sqrt(T_0)).

    By Little's law T_0/S transfers are then in progress.
    """
    law = sp.sqrt(T_0) / (sp.sqrt(S) + sp.sqrt(T_0))
    odds = sp.sqrt(T_0 / S)
    require_zero(odds / (1 + odds) - law, "y = sqrt(T_0/S)")
    number = law / S * (T_0 - S + S / (1 - law))
    require_zero(number - T_0 / S, "transfers in progress")
    return law.subs(S, F / C)


@once
def tau(extra: Expr) -> Expr:
    """Return TCP's unloaded time over S with j extra rounds, if only the bottleneck takes time: D = x S, t_b = S/n."""
    time = tcp_transfer_time().subs({tcp.n: n, tcp.W_0: 1, t_a: 0, t_d: 0})
    time = time.subs({sp.Max(0, t_b): t_b}).subs({t_b: S / n, D: x * S})
    slow = sp.expand(sp.simplify(time / S))
    require_zero(slow - (x + j * (x + 1 / n) + (n - 2**j + 1) / n), "the law's terms")
    return slow.subs(j, extra)


@once
def power_advantage() -> Expr:
    """Derive the power advantage of BLT over TCP: ((1 + sqrt(tau))/(1 + sqrt(1 + x)))^2, for one j.

    tau is the largest of tau_j, j < r, and x = D/S. tau_j = (j + 1) x + c, c = 1 - (2^j - j - 1)/n; c is 1 for j = 0
    and 1, and in (0, 1) beyond, as 2^j <= n for j < r.

    1. At x = 0 the largest is tau_0 = tau_1 = 1: no advantage. tau_0 = 1 + x is BLT's own.

    2. n >= 2: tau >= tau_1 = 1 + 2 x > 1 + x for every x > 0, so that the advantage is above 1.

    3. It increases with x, as proved below.

    4. As x grows tau/(1 + x) tends to r, and so does the advantage.
    """
    ratio = ((1 + sp.sqrt(tau(j))) / (1 + sp.sqrt(1 + x))) ** 2
    require_zero(tau(sp.Integer(0)) - (1 + x), "nothing but the file and the path")
    own = blt.unloaded_transfer_time().subs({blt.n: n, t_a: 0, t_d: 0}).subs(sp.Max(0, t_b), t_b)
    require_zero(own.subs({t_b: S / n, D: x * S}) / S - (1 + x), "BLT's time over S")
    require_zero(tau(sp.Integer(1)) - (1 + 2 * x), "one extra round")
    require_zero(tau(j) - ((j + 1) * x + 1 - (2**j - j - 1) / n), "lines in x")
    require_zero((2**j - j - 1).subs(j, 0), "1 - c at j = 0")
    require_zero((2**j - j - 1).subs(j, j + 1) - (2**j - j - 1) - (2**j - 1), "it grows with j, and is below 2^j <= n")
    # 3: d ln/dx has the sign of g (q + q^2) - (p + p^2), g = j + 1, p^2 = tau_j = g x + c, q^2 = 1 + x. It is at least
    # g q - p + (g - c), where g > c for j >= 1 and (g q)^2 - p^2 = g (g - 1) x + g^2 - c > 0.
    g, c = 2 + u, 1 / (1 + v)  # j >= 1, c in (0, 1]
    p, q = sp.symbols("p q", positive=True)
    p2, q2 = g * x + c, 1 + x
    slope = sp.diff(p2, x) / (2 * p * (1 + p)) - sp.diff(q2, x) / (2 * q * (1 + q))
    sign = g * (q + q**2) - (p + p**2)
    require_zero(sp.cancel(slope * 2 * p * (1 + p) * q * (1 + q) - sign), "sign of the slope")
    sign = g * (q + q2) - (p + p2)
    require_zero(sp.expand(sign - (g * q - p) - (g - c)), "in two parts")
    require(bool(sp.factor(sp.together(g - c)).is_positive), "of which the second is positive")
    require(bool(sp.expand(sp.cancel((g**2 * q2 - p2) * (1 + v))).is_positive), "and the first")
    number = sp.Symbol("g", positive=True)
    share = (1 + sp.sqrt(number * X + 1)) / (1 + sp.sqrt(1 + X))
    require_zero(sp.limit(share, X, sp.oo) ** 2 - number, "j + 1 far out; j + 1 = r is the largest")
    return ratio


def bandwidth_delay_product_for_advantage() -> Expr:
    """Derive the bandwidth-delay product, in files, for a power advantage A: x = w (w + 2).

    w is the positive root of L w^2 + 2 (L - g e) w = l + 4 g e, with A = g^2, e = g - 1, L = j + 1 - A, l = 1 - c.
    There is one for L > 0, and no x otherwise: the advantage of j extra rounds stays below j + 1. All advantages
    increase with x, and so does their largest, which reaches A where the first of them does.
    """
    w, g = sp.symbols("w g", positive=True)
    late = (2**j - j - 1) / n
    leading, e = j + 1 - g**2, g - 1
    # 1 + sqrt(tau) = g (1 + sqrt(1 + x)) with sqrt(1 + x) = 1 + w, squared
    difference = tau(j).subs(x, w * (w + 2)) - (g * (2 + w) - 1) ** 2
    quadratic = leading * w**2 + 2 * (leading - g * e) * w - (late + 4 * g * e)
    require_zero(sp.expand(difference - quadratic), "the quadratic")
    half, rest, big = sp.symbols("h q L", positive=True)
    root = rest / (half + sp.sqrt(half**2 + big * rest))
    require_zero(big * root**2 + 2 * half * root - rest, "its positive root, L > 0")
    require_zero(quadratic.subs({w: 0, g: 1, j: 1}), "no advantage at a bandwidth-delay product of 0")
    return root * (root + 2)

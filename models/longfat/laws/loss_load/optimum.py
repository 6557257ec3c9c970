"""Rates of largest raw throughput and of shortest response time of a file: roots without a closed form.

With c = (k + 1)/k and A = (b/k)^(1/(k+1)) the equation k f^(k+1) + (k + 1) a f^k = b is

    psi(f) = f + c a - A (A/f)^k = 0.

psi is increasing and concave, so Newton's method converges monotonically and quadratically from the left end of any
bracket, and every derivative of the root is a quotient of sums of positive terms.

The shortest response time is at a root, a cusp or the access rate. Up to a constant and a factor the response time is
1/t + rho/lambda, with lambda = -ln P and rho = R mu ln N / N, in which file, round-trip time and capacity appear
together. With e = f P'/P, the elasticity of the loss, the response time falls where

    h(f) = rho e t^2 / (f lambda^2 t') < 1.

If the others exceed the capacity (a >= 0), h rises from 0 to infinity between 0 and the throughput optimum, so there is
one minimum: d ln h/d ln f is the sum of (1 + f e'/e), of 2 e (1/lambda - P/(1 - P)) and of (P e (1 + e) + P f e')/t'.
The first is positive while P < 1/(k + 1), since d(f e)/df = (k + 1)(1 - q)(1 - (k + 1) q) - a^2/(f + a)^2, where then
1 - (k + 1) q > a/(f + a) and (k + 1)(1 - q) > 1; the second because ln x <= x - 1 at x = 1/P; the third exceeds
P e^2/t', because the first is positive.

If the others stay below the capacity (a < 0), nothing is lost up to f = -a, and the best such rate is the cusp f = -a,
beyond which lambda^-1 rises with infinite slope. h falls from infinity and rises to infinity: there may be a second
minimum, and it beats the cusp where rho < C(f) = lambda (1/|a| - 1/t). C has one maximum, where h = 1 for rho = C, and
the second minimum lies beyond that point if it beats the cusp at all. So the search finds this point, compares rho, and
finds the minimum beyond it.

That ln h has one minimum and C one maximum was found by scanning k and a/b^(1/(k+1)), on which alone they depend; the
tests check it. Both roots are sought in z = ln((f - f_0)/(f_t - f)), between f_0 = max(0, -a) and the throughput
optimum f_t, where the logarithms are nearly straight lines: the slope of ln h is 0.6 to 2.5 in the searched range; and
1 - f/f_t is as accurate as f.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from longfat.law import Equation, Symbol, law
from longfat.law.roots import newton
from longfat.laws.loss_load.loss import EXCESS, RATE, SPREAD, K, log_ratio, throughput, unbounded
from longfat.laws.references import PRITHVIRAJ_WILLIAMSON

SENDING = Symbol("f", "1", "(0, inf)", (0.05, 2.0), "Rate of the source over the capacity that the link announces")
ACCESS = Symbol("f_{max}", "1", "(0, inf]", (0.1, 5.0), "Rate of the source's access link over the announced capacity")
PACKETS = Symbol("N", "packets", "[1, inf)", (1.0, 1e5), "Packets to deliver")
ROUND_TRIP = Symbol("R", "s", "[0, inf)", (1e-3, 1.0), "Round-trip time")
CAPACITY = Symbol(r"\mu", "packets/s", "(0, inf)", (1e3, 1e6), "Capacity of the link")


def others(spread: Any, xp: Any) -> Any:
    """Return the spread, or 1 instead of a spread of 0, so that values computed for a lone source stay finite."""
    return xp.where(xp.equal(spread, 0), 1 + 0 * spread, spread)


def scale(spread: Any, k: Any, xp: Any) -> Any:
    """Return A = (b/k)^(1/(k+1)), the optimal rate if the other sources just fill the capacity."""
    return xp.exp((xp.log(spread) - xp.log(k)) / (k + 1))


def psi(rate: Any, excess: Any, spread: Any, k: Any, xp: Any) -> Any:
    """Return the left side minus the right side of the equation of `throughput_optimal_rate`, divided by k f^k."""
    top = scale(spread, k, xp)
    return rate + (k + 1) / k * excess - top * xp.power(top / rate, k)


def largest_throughput(excess: Any, spread: Any, k: Any, xp: Any) -> Any:
    """Return the root of `psi` for a positive spread, from a bracket whose ends differ by a factor of 2 at most.

    For a >= 0 both terms of k f^(k+1) + (k + 1) a f^k are at most b, and one of them at least b/2; for a < 0 the
    rate is at least c |a| and at least A, and psi is positive at their sum.
    """
    top, ratio = scale(spread, k, xp), (k + 1) / k
    free = ratio * xp.maximum(-excess, 0 * excess)
    crowded = xp.maximum(ratio * excess, 1e-30 * top)
    above = xp.minimum(top, xp.exp(xp.log(top) * ratio - xp.log(crowded) / k))
    room = excess < 0
    low = xp.where(room, xp.maximum(free, top), above / xp.exp(math.log(2.0) / k))
    high = xp.where(room, free + top, above)

    def function(f: Any, offset: Any, top: Any, k: Any) -> tuple[Any, Any]:
        last = top * xp.power(top / f, k)
        return f + offset - last, 1 + k * last / f

    return newton(function, low * 0.98, high * 1.02, low, ratio * excess, top, k, xp=xp)


def throughput_optimum(excess: Any, spread: Any, k: Any, xp: Any) -> Any:
    """Return the root of `psi` with its derivatives, for a positive spread."""
    found = largest_throughput(xp.fixed(excess), xp.fixed(spread), xp.fixed(k), xp)
    return xp.implicit(lambda f, a, b, k: psi(f, a, b, k, xp), found, excess, spread, k)


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", section 2.2 (dt/df = 0)",
    result=(
        "f [1], over the capacity that the link announces; at most the access rate. Without others (b = 0) the free "
        "capacity max(0, -a)"
    ),
    solves=Equation(
        RATE,
        lambda f, a, b, k, f_max: (k * f ** (k + 1) + (k + 1) * a * f**k, b),
        other_case=lambda f, a, b, k, f_max: (b == 0) | (f >= f_max),
    ),
    derivation="loss_load.optimal_rate",
    not_simulated="the rule that the simulated source computes itself; equilibrium_load checks its consequence",
    spread=SPREAD.described(remark="It is 0 for a source that is alone"),
)
def throughput_optimal_rate(excess: EXCESS, spread, k: K, access_rate: ACCESS = math.inf, *, xp):
    r"""Return the rate, relative to the announced capacity, at which a source has the largest raw throughput.

    .. math:: k f^{k+1} + (k + 1) a f^k = b, \qquad f > \max(0, -a)

    The root is unique, and below it the throughput rises: so the access rate is the best rate if it is below the root.
    The loss at the root is 1/(k + 1), whatever the others do; for k = 1 the root is f = sqrt(a^2 + b) - a. The
    throughput of a source that is alone does not grow beyond the rate -a, whereas the equation would give (k + 1)/k
    times that rate: the optimal rate is not continuous at b = 0, since with any other source, however slow, a rate up
    to (k + 1)/k times higher gains throughput. Without others a is -1. For b = 0 and a >= 0, which no set of sources
    produces, nothing is delivered at any rate; the limit 0 is returned. The error is a few units in the last place
    times 1 + |log b|.

    >>> round(throughput_optimal_rate(-0.25, 0.5625, 1), 12)  # the other sends 3/4: a = -1/4, b = 9/16
    1.040569415042
    """
    alone = xp.equal(spread, 0)
    rate = throughput_optimum(excess, others(spread, xp), k, xp)
    rate = xp.where(alone, xp.maximum(-excess, 0 * excess), rate)
    return xp.minimum(rate, access_rate)


# A fraction of delivered packets of at most NOTHING counts as 0, because the derivative of its reciprocal would
# overflow.
NOTHING = 1e-140


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", section 2.2, file transfer response time",
    result="T [s]; N/(f mu) + R where nothing is lost, infinite where at most a fraction of 1e-140 is delivered",
    derivation="",
    not_simulated="the time that a source expects by its own formula",
    packets=PACKETS.described("Packets still to be delivered"),
    capacity_packets=CAPACITY.described("Capacity that the link announces"),
)
def response_time(
    rate: SENDING, excess: EXCESS, spread: SPREAD, k: K, packets, round_trip_time: ROUND_TRIP, capacity_packets, *, xp
):
    r"""Return the expected time [s] to deliver N packets at a given rate, rounds of retransmissions included.

    .. math:: T(f) = \frac{N}{(1 - P) f \mu} + \left(1 - \frac{\ln N}{\ln P}\right) R

    with P of `loss_probability`.

    Notes
    -----
    The number of rounds is the real number n with N P^n = 1, not the mean of the maximum of N geometric random
    variables, and each round adds R to the transmission time. This approximation of the paper is good for many
    packets and little loss. Rates are fractions of the capacity mu, which the paper leaves out; with mu the first term
    is a time. At f = -a, where loss begins, T rises with infinite slope if N > 1 and R > 0.

    >>> response_time(0.5, -0.5, 0.25, 1, 1000, 0.1, 1000)  # half the capacity: 2 s, and a round trip
    2.1
    """
    if hasattr(xp, "sympy"):
        loss = xp.minimum(1, xp.maximum(0, unbounded(rate, excess, spread, k, xp)))
        sending = packets / ((1 - loss) * rate * capacity_packets)
        total = sending + (1 - xp.log(packets) / xp.log(loss)) * round_trip_time
        return xp.sympy.Piecewise((total, loss < 1), (xp.sympy.oo, True))
    passed = throughput(rate, excess, spread, k, xp)
    goes = passed > NOTHING * rate
    some = xp.where(goes, passed, rate)
    sending = packets / (some * capacity_packets)
    rounds = 1 + xp.log(packets) / minus_log_loss(rate, excess, spread, k, some, xp)
    lossy = rate + excess > 0
    total = sending + xp.where(lossy, rounds, 1 + 0 * rounds) * round_trip_time
    return xp.where(goes, total, math.inf + 0 * rate)  # the total may overflow where no packet is delivered


def minus_log_loss(rate: Any, excess: Any, spread: Any, k: Any, passed: Any, xp: Any) -> Any:
    """Return -ln P for a loss probability 0 < P < 1, and an arbitrary positive number where P is 0.

    Below P = 1/2 it is computed from the logarithms of the factors of P, above from 1 - P.
    """
    alone, beyond = xp.equal(spread, 0), rate + excess
    log_r = log_ratio(rate, xp.where(alone, 1 + 0 * spread, spread), k, xp)
    own = xp.where(alone, 0 * log_r, xp.logaddexp(0 * log_r, log_r))
    little = own + xp.log(rate / xp.where(beyond > 0, beyond, rate / 2))
    share = passed / rate
    much = -xp.log1p(-xp.minimum(share, 0.75 + 0 * share))
    return xp.where(share > 0.5, xp.where(little > 0, little, 1 + 0 * little), much)


class Point(NamedTuple):
    """Quantities at a rate between f_0 and f_t, with their derivatives with respect to z."""

    rate: Any
    log_h: Any  # ln h for rho = 1
    slope_h: Any
    log_gain: Any  # ln C
    slope_gain: Any


def at(z: Any, top: Any, excess: Any, spread: Any, k: Any, xp: Any) -> Point:
    """Return the rate at z, and ln h and ln C at this rate, from sums of positive terms."""
    zero = 0 * z
    base, over = xp.maximum(-excess, zero), xp.maximum(excess, zero)
    width, room = top - base, excess < 0
    log_up, log_down = -xp.logaddexp(zero, -z), -xp.logaddexp(zero, z)
    inner = width * xp.exp(log_up)
    rate, gap = base + inner, width * xp.exp(log_down)
    beyond = inner + over  # f + a
    log_r = log_ratio(rate, spread, k, xp)
    log_q, log_p = -xp.logaddexp(zero, log_r), -xp.logaddexp(zero, -log_r)
    q, p = xp.exp(log_q), xp.exp(log_p)
    passed = rate * p - excess * q
    minus_log_loss = -log_q + xp.log(rate / beyond)
    elasticity = (k + 1) * p - excess / beyond
    # The difference psi(f_t) - psi(f) is not computed as a difference, but from t' = k q p/f (f_t - f + E ((f_t/f)^k -
    # 1)) with E = b/(k f_t^k).
    growth = k * xp.log1p(gap / rate)
    log_last = xp.log(spread) - xp.log(k) - k * xp.log(top) + growth
    log_fall = xp.logaddexp(xp.log(gap), log_last + xp.log(-xp.expm1(-growth)))
    log_slope = xp.log(k) + log_q + log_p - xp.log(rate) + log_fall
    log_h = xp.log(elasticity) + 2 * xp.log(passed) - xp.log(rate) - 2 * xp.log(minus_log_loss) - log_slope
    free = xp.where(room, -excess, 1 + zero)
    log_gain = xp.log(minus_log_loss) + xp.log(inner) + log_p - xp.log(free) - xp.log(passed)
    # Compute the derivatives with respect to ln f, and from them those with respect to z: d(ln f)/dz = inner
    # (gap/width)/f.
    slope = xp.exp(log_slope)
    by_log = slope * rate / passed  # derivative of ln t with respect to ln f
    of_p = -(k + 1) * q  # derivative of ln p with respect to ln f
    share = rate / beyond  # rate / beyond / beyond is avoided: XLA would divide by the square, which may be 0
    of_elasticity = ((k + 1) * p * of_p + excess / beyond * share) / elasticity
    of_fall = -(rate * xp.exp(-log_fall) + k * xp.exp(log_last - log_fall))
    of_slope = (k + 1) * (p - q) - 1
    of_rest = of_elasticity + 2 * by_log - 1 + 2 * elasticity / minus_log_loss - of_slope
    by_z = inner / rate * xp.exp(log_down)
    slope_h = of_rest * by_z - of_fall * by_z
    of_gain = -elasticity / minus_log_loss + rate / inner + of_p - by_log
    return Point(rate, log_h, slope_h, log_gain, of_gain * by_z)


def interior(rho: Any, top: Any, excess: Any, spread: Any, k: Any, xp: Any) -> Any:
    """Return the best rate beyond max(0, -a), or -a (the cusp) if no rate beyond is better; without derivatives."""
    zero, shape = 0 * (rho + top), (top, excess, spread, k)
    room, late = excess < 0, xp.equal(rho, 0)
    base = xp.where(room, -excess, zero)
    far = 1.5 * xp.bits(top) + zero  # at z = far, 1 - f/f_t = exp(-far) is less than the rounding error of f

    def rate(z: Any) -> Any:
        return base + (top - base) * xp.exp(-xp.logaddexp(zero, -z))

    def function(
        z: Any, second: Any, idle: Any, log_rho: Any, top: Any, excess: Any, spread: Any, k: Any
    ) -> tuple[Any, Any]:
        here, zero = at(z, top, excess, spread, k, xp), 0 * z
        value = here.log_h + xp.where(second, log_rho, here.log_gain)
        slope = here.slope_h + xp.where(second, zero, here.slope_gain)
        return xp.where(idle, zero, value), xp.where(idle, 1 + zero, slope)

    begin = -xp.log1p(xp.where(room, (top - base) / (10 * xp.where(room, base, 1 + zero)), zero))
    log_rho = xp.log(xp.where(late, 1 + zero, rho))

    def search(i: Any, z: Any, cusp: Any) -> tuple[Any, Any]:
        """Find the maximum of C if i = 1 and a < 0; find the minimum (h = 1) if i = 2, unless the cusp is as good."""
        second = i + zero > 1
        cusp = second & room & loses(rate(z), rho, excess, spread, k, xp)
        idle = xp.where(second, cusp | late, excess >= 0)
        low = xp.where(second, xp.where(room, z - 1e-6, -far - 2 * abs(log_rho)), z - 40)
        high = xp.where(second, far, 40 + zero)
        return newton(function, low, high, z, second, idle, log_rho, *shape, scale=1, xp=xp), cusp

    z, cusp = xp.repeat(2, search, begin, rho < 0)  # a loop, so that JAX compiles the search once
    return xp.where(late, top, xp.where(cusp, -excess, rate(z)))


def loses(rate: Any, rho: Any, excess: Any, spread: Any, k: Any, xp: Any) -> Any:
    """Return, for a < 0, whether a rate beyond -a is no better than the cusp: whether rho >= C(rate)."""
    zero = 0 * (rate + rho)
    free = xp.where(excess < 0, -excess, 1 + zero)
    inner = xp.where(rate > free, rate - free, rate)
    log_r = log_ratio(rate, spread, k, xp)
    minus_log_loss = xp.logaddexp(zero, log_r) + xp.log(rate / inner)
    log_p = -xp.logaddexp(zero, -log_r)
    log_gain = xp.log(minus_log_loss * inner / (free + inner * xp.exp(log_p))) + log_p - xp.log(free)
    return (rho > 0) & (xp.log(xp.where(rho > 0, rho, 1 + zero)) >= log_gain)


def balance(rate: Any, rho: Any, excess: Any, spread: Any, k: Any, xp: Any) -> Any:
    """Return the derivative of the response time, scaled so that it equals `psi` for rho = 0."""
    log_r = log_ratio(rate, spread, k, xp)
    zero = 0 * log_r
    own, rest = xp.logaddexp(zero, log_r), xp.logaddexp(zero, -log_r)
    p = xp.exp(-rest)
    passed = rate * p - excess * xp.exp(-own)
    minus_log_loss = own + xp.log(rate / (rate + excess))
    elasticity = (k + 1) * p - excess / (rate + excess)
    most = 0.9 * math.log(float(xp.finfo(zero.dtype).max)) + zero
    cost = rho / k * elasticity * (passed / minus_log_loss) ** 2 * xp.exp(xp.minimum(own + rest, most))
    return psi(rate, excess, spread, k, xp) + cost


def _stationary(f: Any, a: Any, b: Any, k: Any, n: Any, r: Any, mu: Any, f_max: Any) -> tuple[Any, Any]:
    """Return both sides of the paper's equation as sympy expressions."""
    import sympy

    loss = f**k * (f + a) / (f ** (k + 1) + b)
    time = n / ((1 - loss) * f * mu) + (1 - sympy.log(n) / sympy.log(loss)) * r
    return sympy.Derivative(time, f), sympy.Integer(0)


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", section 2.2, file transfer response time",
    result="f [1], over the capacity that the link announces. Without others (b = 0) the free capacity max(0, -a)",
    solves=Equation(
        SENDING, _stationary, other_case=lambda f, a, b, k, n, r, mu, f_max: (b == 0) | (f == -a) | (f >= f_max)
    ),
    derivation="loss_load_response.stationary",
    not_simulated="the rule that the simulated source computes itself, with response times",
    spread=SPREAD.described(remark="It is 0 for a source that is alone"),
    packets=PACKETS.described("Packets still to be delivered"),
    capacity_packets=CAPACITY.described("Capacity that the link announces"),
)
def response_optimal_rate(
    excess: EXCESS,
    spread,
    k: K,
    packets,
    round_trip_time: ROUND_TRIP,
    capacity_packets,
    access_rate: ACCESS = math.inf,
    *,
    xp,
):
    r"""Return the rate, relative to the announced capacity, with the shortest `response_time`, at most the access rate.

    .. math:: \frac{d}{df} \left[ \frac{N}{(1 - P) f \mu} + \left(1 - \frac{\ln N}{\ln P}\right) R \right] = 0
        \qquad \text{or} \qquad f = -a

    The rate is never above `throughput_optimal_rate`, and equal to it for R = 0 or N = 1 and in the limit of many
    packets. Where the others leave some capacity (a < 0), N > 1 and R > 0, the rate -a, up to which nothing is lost, is
    always a local minimum, a cusp, since the response time rises beyond it with infinite slope; at another minimum, if
    there is one, the derivative is 0. The better one is returned, so the rate jumps where they tie: at a critical value
    of R mu ln N / N that follows from a, b and k. That there is at most one other minimum is proved for a >= 0 and
    found by scanning for a < 0.

    >>> round(response_optimal_rate(0.5, 2.25, 1, 1000, 0.02, 10_000), 4)  # the other sends 3/2
    0.656
    """
    alone = xp.equal(spread, 0)
    some = others(spread, xp)
    # A subnormal free capacity has too few digits for a division. Replace it by 0, and keep its derivative.
    normal = excess - xp.fixed(xp.where(abs(excess) < xp.smallest(excess), excess, 0 * excess))
    room = normal < 0
    rho = round_trip_time * capacity_packets * (xp.log(packets) / packets)
    a, b, k_, cost = (xp.fixed(value) for value in (normal, some, k, rho))
    top = largest_throughput(a, b, k_, xp)
    found = interior(cost, top, a, b, k_, xp)
    limit = xp.minimum(xp.fixed(access_rate), found)
    cusp = room & ((found == -a) | ((limit < found) & loses(limit, cost, a, b, k_, xp)))
    rate = xp.implicit(
        lambda f, rho, a, b, k: balance(f, rho, a, b, k, xp),
        xp.where(cusp, top, found),
        xp.where(cusp, 0 * rho, rho),
        normal,
        some,
        k,
    )
    free = xp.maximum(-excess, 0 * excess)
    return xp.minimum(xp.where(alone | cusp, free, rate), access_rate)

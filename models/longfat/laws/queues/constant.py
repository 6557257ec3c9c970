"""M/D/1/K queue: constant service times, room for K packets, any load; stable in floats at every load and capacity.

The closed form of Brun and Garcia alternates, with terms of the size of exp(K rho), and its loss is 1 minus a number
near 1, so only mpmath uses it. Floats are computed in one of two ways, in which the terms are positive or
nearly so; n = K - 1 is the number of waiting places.

* K <= PLACES: the Markov chain of the number j that a departure leaves, level by level. It goes from j + 1 to j as
  often as from j or less to more than j, so q_(j+1) exp(-rho) = A_j + sum over i of q_i A_(j-i+1), with A_j = P(more
  than j arrivals in a service) and q_j, the probability of j over that of 0. All terms are positive. q_j is divided by
  rho s^-j, about the growth of q_j, so that it does not overflow.
* K > PLACES: b_n of `md1k_loss` is a sum over the poles of 1/(1 - z exp(rho (1 - z))), of which two are real: 1 and
  exp(tau), where rho (exp(tau) - 1) = tau. The others are so far away that for these K they change no digit of a
  double where the loss is at least 1e-300. tau has the sign of 1 - rho; all results are smooth in it, and exp(-n tau)
  takes the place of rho^n in M/M/1/K.

derivations/constant_queues.py proves this, and measures the error of taking two poles instead of all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.queues.smooth import NEAR, by_arithmetic, phis
from longfat.laws.queues.unlimited import ANY_LOAD, CAPACITY, LIMITED, LOSSY, WAITING
from longfat.laws.references import BRUN_GARCIA

PLACES = 96
TAIL = 32  # terms beyond the last place for a Poisson tail: (4/98)^32 < 1e-44
SWITCH = 4.0  # load from which a Poisson tail is computed as 1 minus the other terms
SILENT = 750.0  # exp(-750) is 0 in floats
LIGHT, HEAVY = 1e-3, 2.0  # loads between which two poles are needed: 9100^-96 = 0 and exp(-1.59 * 96) < 1e-66
NEWTON = 6


def queue(load: Any, capacity: Any, xp: Any) -> tuple[Any, Any, Any]:
    """Return the loss probability, throughput [packets per service time] and mean wait [service times] of M/D/1/K."""
    load, capacity = xp.broadcast_arrays(load, capacity)
    few = capacity <= PLACES
    one_by_one = _by_levels(load, xp.where(few, capacity, xp.ones_like(capacity)) - 1, xp)
    by_poles = _by_poles(load, xp.where(few, xp.full_like(capacity, PLACES + 1.0), capacity) - 1, xp)
    loss, carried, wait = (xp.where(few, *pair) for pair in zip(one_by_one, by_poles, strict=True))
    return loss, carried, wait


def _by_levels(load: Any, n: Any, xp: Any) -> tuple[Any, Any, Any]:
    one = xp.ones_like(load)
    flat = xp.minimum(load, 1 / xp.where(load > 1, load, one))
    shrink = flat - load  # ln s: q_j grows like exp(-tau j), and tau is about 1/rho - rho
    j = xp.reshape(xp.arange(PLACES + 1, dtype=load.dtype), (-1,) + (1,) * load.ndim)
    scale = xp.exp(shrink * j)
    tail, excess = _poisson(load, xp)
    gain, more = (load * part[1:, ...] * scale[:-1, ...] for part in (tail, excess))
    # Contributions of the known q_j to the next q_j, and to the overflow.
    to_come, beyond = (part[:-1, ...] * scale[:-1, ...] for part in (tail, excess))
    lift, step_down = xp.exp(flat), xp.exp(shrink)
    nothing = xp.zeros_like(to_come[:1, ...])

    def step(i: Any, total: Any, waiting: Any, overflow: Any, to_come: Any, beyond: Any) -> tuple[Any, ...]:
        q = lift * to_come[0, ...]
        to_come = xp.concat([to_come[1:, ...], nothing], axis=0) + q * gain
        beyond = xp.concat([beyond[1:, ...], nothing], axis=0) + q * more
        go = i <= n
        return (
            xp.where(go, step_down * total + load * q, total),
            xp.where(go, step_down * waiting + (i - 1) * q, waiting),
            xp.where(go, beyond[0, ...], overflow),
            to_come,
            beyond,
        )

    start = (one, xp.zeros_like(one), beyond[0, ...], to_come, beyond)
    total, waiting, overflow, *_ = xp.repeat(PLACES - 1, step, *start)
    lost = load * overflow
    return lost / (total + lost), load * (total / (total + lost)), (waiting + n * overflow) / total


def _poisson(load: Any, xp: Any) -> tuple[Any, Any]:
    """Return P(N > j)/rho and E[max(N - j, 0)]/rho for j = 0 ... PLACES, where N is Poisson with mean rho."""
    near = load <= SWITCH
    i = xp.reshape(xp.arange(1, PLACES + TAIL + 1, dtype=load.dtype), (-1,) + (1,) * load.ndim)
    small = xp.where(near, load, xp.ones_like(load))
    # Compute P(N = i)/rho as a sum that begins with the last term, so that nothing is subtracted and nothing is divided
    # by rho.
    ratios = xp.concat([xp.ones_like(small)[None, ...], small / i[1:, ...]], axis=0)
    chances = xp.exp(-small) * xp.cumulative_prod(ratios, axis=0)
    tail = xp.flip(xp.cumulative_sum(xp.flip(chances, axis=0), axis=0), axis=0)
    excess = xp.flip(xp.cumulative_sum(xp.flip(tail, axis=0), axis=0), axis=0)

    large = xp.where(near, xp.full_like(load, SWITCH), load)
    mean = xp.where(large < SILENT, large, xp.full_like(load, SILENT))
    ratios = xp.concat([xp.exp(-mean)[None, ...], mean / i[:PLACES, ...]], axis=0)
    beyond = (1 - xp.cumulative_sum(xp.cumulative_prod(ratios, axis=0), axis=0)) / large
    spare = xp.concat([xp.ones_like(large)[None, ...], 1 - xp.cumulative_sum(beyond, axis=0)[:-1, ...]], axis=0)
    return xp.where(near, tail[: PLACES + 1, ...], beyond), xp.where(near, excess[: PLACES + 1, ...], spare)


def _by_poles(load: Any, n: Any, xp: Any) -> tuple[Any, Any, Any]:
    light, heavy = load < LIGHT, load > HEAVY
    one = xp.ones_like(load)
    rho = xp.where(light | heavy, one, load)
    tau = _pole(rho, xp)
    plus, minus = phis(tau, xp), phis(-tau, xp)
    weight = xp.exp(-tau) * plus[1] / minus[1]  # P(M/D/1 beyond n) = weight exp(-n tau) for rho < 1

    def bend(phi: tuple[Any, ...]) -> Any:
        return (phi[3] - phi[2] / 3) / phi[1]

    slope = 1 / 3 + 2 * tau * bend(minus)  # (1 - weight)/tau
    offset = 2 * bend(minus) - bend(plus)
    # Numerator and denominator are divided by the larger of 1 and exp(-n tau), so that they do not overflow.
    below = tau >= 0
    x = n * xp.where(below, -tau, tau)
    decay = xp.exp(x)
    inside, outside = xp.where(below, decay, one), xp.where(below, one, decay)
    phi = phis(x, xp)
    share = n * phi[0] + inside * slope  # (1 - weight exp(-n tau))/tau
    lost = inside * weight * rho * plus[1]
    curve = xp.where(below, _falling(x, phi, xp), phi[1])  # exp(-n tau) phi_2(n tau)
    wait = (n * n * weight * curve + outside * offset) / share

    unloaded = xp.where(load < 0.25, load, 0.5 * one)
    overloaded = xp.where(heavy, load, HEAVY * one)
    (deep,) = xp.repeat(NEWTON, lambda _, t: (t - _away(t, overloaded, xp),), -overloaded)
    deep = xp.implicit(lambda t, a: t - a * xp.expm1(t), deep, overloaded)
    wait = xp.where(load < 0.25, unloaded / (2 * (1 - unloaded)), xp.where(heavy, n + 1 / deep, wait))
    loss = xp.where(light, 0 * load, xp.where(heavy, 1 - 1 / overloaded, lost / (lost + share)))
    carried = xp.where(light, load, xp.where(heavy, one, rho * (share / (lost + share))))
    return loss, carried, wait


def _pole(load: Any, xp: Any) -> Any:
    """Return tau, the root of ln phi_1(tau) = -ln rho, by Newton's method from the root of two Taylor terms."""
    target = -xp.log(load)

    def step(_: Any, tau: Any) -> tuple[Any]:
        one, two, _, _ = phis(tau, xp)
        return (tau - (xp.log1p(tau * two) - target) * one / (one - two),)

    start = 24 * target / (6 + xp.sqrt(36 + 24 * target))
    (tau,) = xp.repeat(NEWTON, step, start)
    # Compute derivatives by the implicit function theorem. Derivatives through Newton's steps would take three times as
    # long to compile.
    return xp.implicit(lambda t, rho: xp.log1p(t * phis(t, xp)[1]) + xp.log(rho), tau, load)


def _away(tau: Any, load: Any, xp: Any) -> Any:
    """Return the step of Newton's method for tau = rho (exp(tau) - 1), for a root far from 0."""
    return (tau - load * xp.expm1(tau)) / (1 - load * xp.exp(tau))


def _falling(x: Any, phi: tuple[Any, ...], xp: Any) -> Any:
    """Return phi_1(x) - phi_2(x) for x <= 0; far from 0 as (phi_1(x) - exp(x))/(-x), where the difference cancels."""
    near = x >= -NEAR
    far = xp.where(near, xp.full_like(x, -NEAR), x)
    return xp.where(near, phi[0] - phi[1], (xp.expm1(far) / far - xp.exp(far)) / -far)


def _sums(load: Any, capacity: Any, mp: Any) -> tuple[Any, Any, Any]:
    """Return b_(K-1), the sum of b_0 ... b_(K-1), and a bound on the sum of the absolute values of all terms.

    The sum over k of (-x)^k/k! is 1 - x (1 - x/2 (1 - x/3 (1 - ...))), computed in integer multiples of 2^-bits.
    """
    last, total, size = mp.zero, mp.zero, mp.zero
    bits = mp.prec
    one = 1 << bits
    for m in range(int(capacity)):  # n - k = m
        x, degree = m * load, int(capacity) - 1 - m
        scaled, inner = int(mp.floor(mp.ldexp(x, bits))), one
        for k in range(degree, 0, -1):
            inner = one - (scaled * inner >> bits) // k
        first = mp.exp(x)
        total += first * mp.ldexp(inner, -bits)
        last += first * (-x) ** degree / mp.factorial(degree)
        largest = min(degree, int(x))
        size += first * (degree + 1) * x**largest / mp.factorial(largest)
    return last, total, size


def _exact(value: Callable[[Any, Any], tuple[Any, Any]], load: Any, capacity: Any, mp: Any) -> Any:
    """Return a quotient of the sums, computed with so many digits that enough are left where terms cancel."""
    extra = 64
    while True:
        with mp.extraprec(extra):
            last, total, size = _sums(load, capacity, mp)
            over, under = value(last, total)
            lost = mp.mag(size * (1 + load) * capacity) - mp.mag(over) if over else extra
            result = over / under
        if lost + 20 < extra:
            return +result
        extra = max(2 * extra, int(lost) + 64) if over else 2 * extra


def _b(n: Any, load: Any, sympy: Any) -> Any:
    from longfat.law.sums import Sum

    k = sympy.Symbol("k", integer=True, nonnegative=True)
    term = (-1) ** k / sympy.factorial(k) * ((n - k) * load) ** k * sympy.exp((n - k) * load)
    return Sum(term, (k, 0, n))


def _all(capacity: Any, load: Any, sympy: Any) -> Any:
    from longfat.law.sums import Sum

    if capacity.is_Integer:  # sympy does not evaluate a sum over sums
        return sympy.Add(*(_b(i, load, sympy).doit() for i in range(int(capacity))))
    n = sympy.Symbol("n", integer=True, nonnegative=True)
    return Sum(_b(n, load, sympy), (n, 0, capacity - 1))


def _wait(load: Any, capacity: Any, sympy: Any) -> Any:
    return capacity - 1 - (_all(capacity, load, sympy) - capacity) / (load * _b(capacity - 1, load, sympy))


@law(
    source=f"{BRUN_GARCIA} (blocking probability)",
    result="P [probability]",
    derivation="constant_queues.md1k_loss",
    long_proof=True,
    simulated=SimulatedBy("md1_loss", LOSSY, accuracy=0.003, relative=0.05),
)
def md1k_loss(load: ANY_LOAD, capacity: CAPACITY, *, xp):
    r"""Return the probability that a packet finds an M/D/1/K queue full and is lost.

    .. math::

        P = 1 - \frac{b_{K-1}}{1 + \rho b_{K-1}}, \qquad
        b_n = \sum_{k=0}^n \frac{(-1)^k}{k!} ((n - k) \rho)^k e^{(n - k) \rho}

    Exact for Poisson arrivals and constant service times at any load. The sum alternates and the loss is 1 minus a
    number near 1, so floats are computed as described in `longfat.laws.queues.constant`; mpmath numbers are
    computed from the sum, in a time that grows with the square of K.

    >>> round(md1k_loss(1.0, 2), 6)  # 1/(1 + e)
    0.268941
    """
    return by_arithmetic(
        xp,
        lambda: queue(load, capacity, xp)[0],
        lambda mp: load if load == 0 else _exact(lambda b, _: (1 - (1 - load) * b, 1 + load * b), load, capacity, mp),
        lambda sympy: 1 - _b(capacity - 1, load, sympy) / (1 + load * _b(capacity - 1, load, sympy)),
    )


@law(
    source=f"{BRUN_GARCIA} (mean number of customers)",
    result="L [packets], averaged over time",
    derivation="constant_queues.md1k_mean_number",
    long_proof=True,
    simulated=SimulatedBy("md1_number", LIMITED, accuracy=0.01, relative=0.05),
)
def md1k_mean_number(load: ANY_LOAD, capacity: CAPACITY, *, xp):
    r"""Return the mean number of packets in an M/D/1/K queue, the packet in service included.

    .. math::

        L = K - \frac{\sum_{n=0}^{K-1} b_n}{1 + \rho b_{K-1}}, \qquad
        b_n = \sum_{k=0}^n \frac{(-1)^k}{k!} ((n - k) \rho)^k e^{(n - k) \rho}

    The assumptions and the computation are those of `md1k_loss`.

    >>> md1k_mean_number(1.0, 1)
    0.5
    """

    def floats() -> Any:
        _, carried, wait = queue(load, capacity, xp)
        return carried * (1 + wait)  # Little's law

    return by_arithmetic(
        xp,
        floats,
        lambda mp: (
            load
            if load == 0
            else _exact(lambda b, s: (capacity * (1 + load * b) - s, 1 + load * b), load, capacity, mp)
        ),
        lambda sympy: capacity - _all(capacity, load, sympy) / (1 + load * _b(capacity - 1, load, sympy)),
    )


@law(
    source=f"{BRUN_GARCIA} (mean waiting time)",
    result="W_q [service times]",
    derivation="constant_queues.md1k_wait",
    long_proof=True,
    simulated=SimulatedBy("md1_wait", WAITING, accuracy=0.02, relative=0.05),
)
def md1k_wait(load: ANY_LOAD, capacity: CAPACITY, *, xp):
    r"""Return the mean waiting time [service times] in an M/D/1/K queue, of the packets that are not lost.

    .. math::

        W_q = K - 1 - \frac{\sum_{n=0}^{K-1} b_n - K}{\rho b_{K-1}}, \qquad
        b_n = \sum_{k=0}^n \frac{(-1)^k}{k!} ((n - k) \rho)^k e^{(n - k) \rho}

    The assumptions and the computation are those of `md1k_loss`, for service in order of arrival.

    >>> round(md1k_wait(1.0, 2), 6)  # 1 - 1/e
    0.367879
    """
    return by_arithmetic(
        xp,
        lambda: queue(load, capacity, xp)[2],
        lambda mp: (
            mp.zero
            if load == 0 or capacity == 1
            else _exact(lambda b, s: ((capacity - 1) * load * b - s + capacity, load * b), load, capacity, mp)
        ),
        lambda sympy: sympy.Piecewise(
            (0, sympy.Eq(load, 0) | sympy.Eq(capacity, 1)), (_wait(load, capacity, sympy), True)
        ),
    )

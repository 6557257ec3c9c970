"""M/D/1/K: constant service times and room for K packets, at any load."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.queues.chain import queue
from longfat.laws.queues.parameters import ANY_LOAD, CAPACITY, LIMITED, LOSSY, WAITING
from longfat.laws.queues.smooth import by_arithmetic
from longfat.laws.references import BRUN_GARCIA


def _sums(load: Any, capacity: Any, mp: Any) -> tuple[Any, Any, Any]:
    """Return b_(K-1), the sum of b_0 ... b_(K-1), and the size of the terms that cancel in them."""
    last, total, size = mp.zero, mp.zero, mp.zero
    for m in range(int(capacity)):  # n - k = m
        term = mp.exp(m * load)
        total, size = total + term, size + term
        for k in range(1, int(capacity) - m):
            term *= -m * load / k
            total, size = total + term, size + abs(term)
        last += term
    return last, total, size


def _exact(value: Callable[[Any, Any], tuple[Any, Any]], load: Any, capacity: Any, mp: Any) -> Any:
    """Return the quotient of two of the sums, at a precision that leaves enough digits after cancellation."""
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
    unit="probability",
    result="P",
    derivation="constant_queues.md1k_loss",
    long_proof=True,
    simulated=SimulatedBy("md1_loss", LOSSY, accuracy=0.003, relative=0.05),
    load=ANY_LOAD,
    capacity=CAPACITY,
)
def md1k_loss(load: Any, capacity: Any, *, xp: Any) -> Any:
    r"""Return the probability that a packet finds an M/D/1/K queue full and is lost.

    .. math::

        P = 1 - \frac{b_{K-1}}{1 + \rho b_{K-1}}, \qquad
        b_n = \sum_{k=0}^n \frac{(-1)^k}{k!} ((n - k) \rho)^k e^{(n - k) \rho}

    Notes
    -----
    Exact for Poisson arrivals and constant service times at any load. The sum alternates and the loss is a small
    difference from 1, so floats are computed as described in `longfat.laws.queues.chain`; mpmath numbers are computed
    from the sum, in a time that grows with the square of K.

    Examples
    --------
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
    unit="packets",
    result="L, averaged over time",
    derivation="constant_queues.md1k_mean_number",
    long_proof=True,
    simulated=SimulatedBy("md1_number", LIMITED, accuracy=0.01, relative=0.05),
    load=ANY_LOAD,
    capacity=CAPACITY,
)
def md1k_mean_number(load: Any, capacity: Any, *, xp: Any) -> Any:
    r"""Return the mean number of packets in an M/D/1/K queue, the packet in service included.

    .. math::

        L = K - \frac{\sum_{n=0}^{K-1} b_n}{1 + \rho b_{K-1}}, \qquad
        b_n = \sum_{k=0}^n \frac{(-1)^k}{k!} ((n - k) \rho)^k e^{(n - k) \rho}

    Notes
    -----
    The assumptions and the computation are those of `md1k_loss`.

    Examples
    --------
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
    unit="service times",
    result="W_q",
    derivation="constant_queues.md1k_wait",
    long_proof=True,
    simulated=SimulatedBy("md1_wait", WAITING, accuracy=0.02, relative=0.05),
    load=ANY_LOAD,
    capacity=CAPACITY,
)
def md1k_wait(load: Any, capacity: Any, *, xp: Any) -> Any:
    r"""Return the mean waiting time before service in an M/D/1/K queue, of the packets that are not lost.

    .. math::

        W_q = K - 1 - \frac{\sum_{n=0}^{K-1} b_n - K}{\rho b_{K-1}}, \qquad
        b_n = \sum_{k=0}^n \frac{(-1)^k}{k!} ((n - k) \rho)^k e^{(n - k) \rho}

    Notes
    -----
    The assumptions and the computation are those of `md1k_loss`, for service in order of arrival.

    Examples
    --------
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

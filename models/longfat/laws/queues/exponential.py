"""M/M/1/K: exponential service times and room for K packets, at any load."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.queues.parameters import ANY_LOAD, CAPACITY, LIMITED, LOSSY, WAITING
from longfat.laws.queues.smooth import by_arithmetic, phis, truncated_geometric_mean
from longfat.laws.references import KLEINROCK_QUEUES


def _loss(load: Any, capacity: Any, xp: Any) -> Any:
    """Return exp(K u) phi_1(u)/((K + 1) phi_1((K + 1) u)) with u = ln rho; for u > 0 both divided by exp(K u)."""
    positive = load > 0
    u = xp.log(xp.where(positive, load, xp.ones_like(load)))
    below = u < 0
    v = xp.where(below, u, -u)
    decay = xp.exp(capacity * xp.where(below, u, xp.zeros_like(u)))
    result = decay * phis(v, xp)[0] / ((capacity + 1) * phis((capacity + 1) * v, xp)[0])
    return xp.where(positive, result, xp.where(capacity > 1, 0 * result, load))  # rho^K + O(rho^(K + 1))


def _mean(load: Any, places: Any, mp: Any) -> Any:
    """Return the mean of j = 0 ... m - 1 with weights rho^j; the terms that cancel are of size m^2 (rho - 1)^2."""
    if load == 0:
        return mp.zero
    if load == 1:
        return (places - 1) / 2
    with mp.extraprec(40 + 2 * max(0, -mp.mag(load - 1))):
        u = mp.log(load)
        result = 1 / mp.expm1(-u) - places / mp.expm1(-places * u)
    return +result


def _written(load: Any, places: Any, sympy: Any) -> Any:
    mean = load / (1 - load) - places * load**places / (1 - load**places)
    return sympy.Piecewise(((places - 1) / 2, sympy.Eq(load, 1)), (mean, True))


@law(
    source=f"{KLEINROCK_QUEUES}, section 3.6",
    unit="probability",
    result="P",
    derivation="queues.mm1k",
    simulated=SimulatedBy("mm1_loss", LOSSY, accuracy=0.003, relative=0.05),
    load=ANY_LOAD,
    capacity=CAPACITY,
)
def mm1k_loss(load: Any, capacity: Any, *, xp: Any) -> Any:
    r"""Return the probability that a packet finds an M/M/1/K queue full and is lost.

    .. math:: P = \frac{\rho^K (1 - \rho)}{1 - \rho^{K + 1}}, \qquad \frac{1}{K + 1} \text{ at } \rho = 1

    Notes
    -----
    Exact for Poisson arrivals and exponential service times, at any load. Value and slope are continuous at rho = 1.

    Examples
    --------
    >>> round(mm1k_loss(1.0, 10), 6)
    0.090909
    """
    return by_arithmetic(
        xp,
        lambda: _loss(load, capacity, xp),
        lambda mp: (
            load**capacity / (1 + capacity * load)
            if load in (0, 1)
            else load**capacity * (1 - load) / -mp.expm1((capacity + 1) * mp.log(load))
        ),
        lambda sympy: sympy.Piecewise(
            (1 / (capacity + 1), sympy.Eq(load, 1)),
            (load**capacity * (1 - load) / (1 - load ** (capacity + 1)), True),
        ),
    )


@law(
    source=f"{KLEINROCK_QUEUES}, section 3.6 (mean of its distribution)",
    unit="packets",
    result="L, averaged over time",
    derivation="queues.mm1k",
    simulated=SimulatedBy("mm1_number", LIMITED, accuracy=0.01, relative=0.05),
    load=ANY_LOAD,
    capacity=CAPACITY,
)
def mm1k_mean_number(load: Any, capacity: Any, *, xp: Any) -> Any:
    r"""Return the mean number of packets in an M/M/1/K queue, the packet in service included.

    .. math::

        L = \frac{\rho}{1 - \rho} - \frac{(K + 1) \rho^{K + 1}}{1 - \rho^{K + 1}}, \qquad
        \frac{K}{2} \text{ at } \rho = 1

    Notes
    -----
    Exact for Poisson arrivals and exponential service times, at any load. Value and slope are continuous at rho = 1.

    Examples
    --------
    >>> mm1k_mean_number(1.0, 10)
    5.0
    """
    return by_arithmetic(
        xp,
        lambda: truncated_geometric_mean(load, capacity + 1, xp),
        lambda mp: _mean(load, capacity + 1, mp),
        lambda sympy: _written(load, capacity + 1, sympy),
    )


@law(
    source=f"{KLEINROCK_QUEUES}, section 3.6 (from its distribution, by Little's law)",
    unit="service times",
    result="W_q",
    derivation="queues.mm1k_wait",
    simulated=SimulatedBy("mm1_wait", WAITING, accuracy=0.02, relative=0.05),
    load=ANY_LOAD,
    capacity=CAPACITY,
)
def mm1k_wait(load: Any, capacity: Any, *, xp: Any) -> Any:
    r"""Return the mean waiting time before service in an M/M/1/K queue, of the packets that are not lost.

    .. math:: W_q = \frac{\rho}{1 - \rho} - \frac{K \rho^K}{1 - \rho^K}, \qquad \frac{K - 1}{2} \text{ at } \rho = 1

    Notes
    -----
    Exact for Poisson arrivals and exponential service times, served in order of arrival, at any load: a packet that
    is accepted waits for those it finds.

    Examples
    --------
    >>> mm1k_wait(1.0, 11)
    5.0
    """
    return by_arithmetic(
        xp,
        lambda: truncated_geometric_mean(load, capacity, xp),
        lambda mp: _mean(load, capacity, mp),
        lambda sympy: _written(load, capacity, sympy),
    )

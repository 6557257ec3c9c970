"""M/M/1/K: exponential service times and room for K packets. All loads, 1 and beyond as well."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.queues.parameters import ANY_LOAD, CAPACITY, KLEINROCK
from longfat.laws.queues.smooth import by_arithmetic, phis, truncated_geometric_mean


def _loss(load: Any, capacity: Any, xp: Any) -> Any:
    """exp(K u) phi_1(u)/((K + 1) phi_1((K + 1) u)) with u = ln rho; for u > 0 all over exp(K u)."""
    positive = load > 0
    u = xp.log(xp.where(positive, load, xp.ones_like(load)))
    below = u < 0
    v = xp.where(below, u, -u)
    decay = xp.exp(capacity * xp.where(below, u, xp.zeros_like(u)))
    result = decay * phis(v, xp)[0] / ((capacity + 1) * phis((capacity + 1) * v, xp)[0])
    return xp.where(positive, result, xp.where(capacity > 1, 0 * result, load))  # rho^K + O(rho^(K + 1))


def _mean(load: Any, places: Any, mp: Any) -> Any:
    """The mean of j = 0 ... m - 1 with weights rho^j; what cancels is of the size of m^2 (rho - 1)^2."""
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
    source=f"{KLEINROCK}, section 3.6",
    unit="probability",
    derivation="queues.mm1k",
    load=ANY_LOAD,
    capacity=CAPACITY,
)
def mm1k_loss(load: Any, capacity: Any, *, xp: Any) -> Any:
    r"""Probability that a packet finds an M/M/1/K queue full and is lost.

    .. math:: P = \frac{\rho^K (1 - \rho)}{1 - \rho^{K + 1}}, \qquad \frac{1}{K + 1} \text{ at } \rho = 1

    Parameters
    ----------
    load : float or array
        rho [1], in [0, inf).
    capacity : float or array
        K [packets], whole, in [1, inf); the buffer is K - 1.

    Returns
    -------
    float or array
        P [probability].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for Poisson arrivals and exponential service times, whatever the load. Value and slope are right at
    rho = 1, too.

    Examples
    --------
    >>> round(mm1k_loss(1.0, 10), 6)
    0.090909

    References
    ----------
    Kleinrock, section 3.6.
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
    source=f"{KLEINROCK}, section 3.6",
    unit="packets",
    derivation="queues.mm1k",
    load=ANY_LOAD,
    capacity=CAPACITY,
)
def mm1k_mean_number(load: Any, capacity: Any, *, xp: Any) -> Any:
    r"""Mean number of packets in an M/M/1/K queue, with the one in service.

    .. math::

        L = \frac{\rho}{1 - \rho} - \frac{(K + 1) \rho^{K + 1}}{1 - \rho^{K + 1}}, \qquad
        \frac{K}{2} \text{ at } \rho = 1

    Parameters
    ----------
    load : float or array
        rho [1], in [0, inf).
    capacity : float or array
        K [packets], whole, in [1, inf); the buffer is K - 1.

    Returns
    -------
    float or array
        L [packets], averaged over time.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for Poisson arrivals and exponential service times, whatever the load. Value and slope are right at
    rho = 1, too.

    Examples
    --------
    >>> mm1k_mean_number(1.0, 10)
    5.0

    References
    ----------
    Kleinrock, section 3.6; the mean of its distribution.
    """
    return by_arithmetic(
        xp,
        lambda: truncated_geometric_mean(load, capacity + 1, xp),
        lambda mp: _mean(load, capacity + 1, mp),
        lambda sympy: _written(load, capacity + 1, sympy),
    )


@law(
    source=f"{KLEINROCK}, section 3.6",
    unit="service times",
    derivation="queues.mm1k_wait",
    load=ANY_LOAD,
    capacity=CAPACITY,
)
def mm1k_wait(load: Any, capacity: Any, *, xp: Any) -> Any:
    r"""Mean wait before service in an M/M/1/K queue, of the packets that are not lost.

    .. math:: W_q = \frac{\rho}{1 - \rho} - \frac{K \rho^K}{1 - \rho^K}, \qquad \frac{K - 1}{2} \text{ at } \rho = 1

    Parameters
    ----------
    load : float or array
        rho [1], in [0, inf).
    capacity : float or array
        K [packets], whole, in [1, inf); the buffer is K - 1.

    Returns
    -------
    float or array
        W_q [service times], mean service times that is.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for Poisson arrivals and exponential service times, in order of arrival, whatever the load: what a
    packet waits for is the number it finds, given that it fits in.

    Examples
    --------
    >>> mm1k_wait(1.0, 11)
    5.0

    References
    ----------
    Kleinrock, section 3.6; from its distribution by Little's law.
    """
    return by_arithmetic(
        xp,
        lambda: truncated_geometric_mean(load, capacity, xp),
        lambda mp: _mean(load, capacity, mp),
        lambda sympy: _written(load, capacity, sympy),
    )

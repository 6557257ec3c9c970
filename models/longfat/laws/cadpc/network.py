"""Where flows over several links come to rest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longfat import domains


def network_equilibrium(routes: ArrayLike, capacities: Any = 1, weights: Any = 1) -> NDArray[np.float64]:
    r"""Rates at which flows over several links come to rest.

    .. math:: \frac{\bar x_i}{w_i} = \min_{l \in i} \Bigl(C_l - \sum_{j \ni l} \bar x_j\Bigr)

    Parameters
    ----------
    routes : array of shape (links, flows)
        1 or True where a flow passes a link, else 0; every flow passes a link.
    capacities : float or array of shape (links,)
        C [bytes/s, or any unit], in (0, inf).
    weights : float or array of shape (flows,)
        w [flows], in (0, inf): how many flows each acts like.

    Returns
    -------
    ndarray of shape (flows,)
        The rates, in the unit of the capacities.

    Raises
    ------
    ValueError
        For a value outside its domain, or shapes that do not fit.

    Notes
    -----
    Exact, and the only fixed point with positive rates. A flow answers to the link with the least capacity to spare; at
    rest, its rate over its weight is what that link has to spare. So the rates are the weighted max-min fair
    rates of a network with one flow of weight 1 more on every link, whose share stays unused. The algorithm fills all
    flows alike and fixes those of the link that comes to an end first.

    Examples
    --------
    >>> network_equilibrium([[1, 1, 1, 0], [1, 0, 0, 1]]).tolist()
    [0.25, 0.25, 0.25, 0.375]

    References
    ----------
    M. Welzl, Scalable Router Aided Congestion Avoidance, sections II.A (which report is sent back) and III (parking
    lot); the equation and its solution are ours, derivations/cadpc_network.py.
    """
    passes, capacity, weight = _checked(routes, capacities, weights)
    links, flows = passes.shape
    rates, left, active = np.zeros(flows), capacity.copy(), np.ones(flows, dtype=bool)
    while active.any():
        used = (passes & active).any(axis=1)
        level = np.full(links, np.inf)
        level[used] = left[used] / (1 + passes[used] @ (weight * active))
        lowest = int(np.argmin(level))
        fixed = active & passes[lowest]
        rates[fixed] = weight[fixed] * level[lowest]
        left -= passes @ (rates * fixed)
        active &= ~fixed
    return rates


def _checked(
    routes: Any, capacities: Any, weights: Any
) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]]:
    """The arguments as arrays of the shapes that they have to have."""
    shape = "0 or 1, in an array of shape (links, flows), with a 1 in every column"
    try:
        table = np.asarray(routes, dtype=float)
    except (TypeError, ValueError):
        raise domains.refuse("routes", " ".join(repr(routes).split()), "1", shape) from None
    if table.ndim != 2 or not table.size:
        raise domains.refuse("routes", f"an array of shape {table.shape}", "1", shape)
    if not np.isin(table, (0, 1)).all():
        index = tuple(int(i) for i in np.argwhere(~np.isin(table, (0, 1)))[0])
        raise domains.refuse(f"routes[{index[0]}, {index[1]}]", table[index].item(), "1", shape)
    if not (table > 0).any(axis=0).all():
        column = int(np.argmin((table > 0).any(axis=0)))
        raise domains.refuse(f"routes[:, {column}]", "no link", "1", shape)
    return (
        table > 0,
        _column("capacities", capacities, "bytes/s", table.shape[0]),
        _column("weights", weights, "flows", table.shape[1]),
    )


def _column(name: str, values: Any, unit: str, length: int) -> NDArray[np.float64]:
    """One positive number for each of the links or flows, or the same for all."""
    interval = domains.Interval.parse("(0, inf)")
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise domains.refuse(name, " ".join(repr(values).split()), unit, interval) from None
    if array.shape not in ((), (length,)):
        raise domains.refuse(name, f"an array of shape {array.shape}", "1", f"one or {length} in {interval}")
    if domains.array(name, array, unit, interval):
        raise domains.refuse(name, float("nan"), unit, interval)
    return np.broadcast_to(array, (length,)).astype(float)

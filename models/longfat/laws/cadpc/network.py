"""Equilibrium of CADPC flows over several links."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longfat.base import domains
from longfat.laws.fair_share import arithmetic, max_min_rates


def network_equilibrium(routes: ArrayLike, capacities: Any = 1, weights: Any = 1) -> NDArray[np.float64]:
    r"""Return the equilibrium rates of CADPC flows over several links.

    .. math:: \frac{\bar x_i}{w_i} = \min_{l \in i} \Bigl(C_l - \sum_{j \ni l} \bar x_j\Bigr)

    Parameters
    ----------
    routes : array of shape (links, flows)
        1 or True where a flow passes a link, else 0; every flow passes a link.
    capacities : float or array of shape (links,)
        C [bytes/s, or any unit], in (0, inf).
    weights : float or array of shape (flows,)
        w [flows], in (0, inf): the number of flows that each acts like.

    Returns
    -------
    ndarray of shape (flows,)
        The rates, in the unit of the capacities.

    Notes
    -----
    Exact, and the only fixed point with positive rates. A flow follows the report of the link with the least spare
    capacity; at equilibrium, its rate over its weight equals that spare capacity. So the rates are the weighted max-min
    fair rates (`fair_share.max_min_rates`) of a network with an additional flow of weight 1 on every link, whose share
    stays unused.

    Examples
    --------
    >>> network_equilibrium([[1, 1, 1, 0], [1, 0, 0, 1]]).tolist()
    [0.25, 0.25, 0.25, 0.375]

    References
    ----------
    M. Welzl, Scalable Router Aided Congestion Avoidance, sections II.A (which report is sent back) and III (parking
    lot); the equation and its solution are ours, derivations/cadpc_network.py.
    """
    table = arithmetic.usage_table("routes", routes, "[0, 1]")
    if ((table > 0) & (table < 1)).any():
        row, flow = (int(i) for i in np.argwhere((table > 0) & (table < 1))[0])
        raise domains.out_of_range(f"routes[{row}, {flow}]", table[row, flow], "1", "0 or 1")
    links, flows = table.shape
    virtual = np.eye(links, dtype=int)  # a flow of weight 1 on each link
    weight = np.append(arithmetic.column("weights", weights, "flows", "(0, inf)", flows), [1] * links)
    capacity = arithmetic.column("capacities", capacities, "bytes/s", "(0, inf)", links)
    rates = max_min_rates(np.hstack([table, virtual]), capacity, weight)
    return np.asarray(rates[:flows], dtype=float)

"""Progressive filling: the weighted max-min fair rates of flows at one instant."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from longfat.base import domains


def usage_table(name: str, values: Any, allowed: str = "[0, inf)") -> Any:
    """Return a table (links, flows) of the bytes that each link carries per byte of a flow; all flows have a link."""
    found = domains.numbers(name, values, "1", allowed)
    if found.ndim != 2 or not found.size:
        raise domains.wrong_shape(name, found.shape, "(links, flows)")
    if not (found > 0).any(axis=0).all():
        flow = int(np.argmin((found > 0).any(axis=0)))
        raise domains.out_of_range(f"{name}[:, {flow}]", "no link", "1", f"one or more positive, all in {allowed}")
    return found


def max_min_rates(routes: Any, capacities: Any = 1, weights: Any = 1) -> Any:
    r"""Return the weighted max-min fair rates of flows over several links.

    .. math:: \sum_i a_{l i} x_i \le C_l, \qquad
        \forall i \; \exists l: \; a_{l i} > 0, \; \sum_j a_{l j} x_j = C_l, \;
        \frac{x_i}{w_i} = \max_{j: a_{l j} > 0} \frac{x_j}{w_j}

    Parameters
    ----------
    routes : array of shape (links, flows)
        a [1], in [0, inf): bytes that a link carries per byte of a flow. 1 or True where a flow passes a link, 0 where
        it does not; 0.08 where only its acknowledgments do, 40 bytes for 500 bytes of data. Every flow passes at least
        one link.
    capacities : float or array of shape (links,)
        C [bytes/s, or any unit], in [0, inf).
    weights : float or array of shape (flows,)
        w [1], in (0, inf): the number of flows that each acts like.

    Returns
    -------
    ndarray of shape (flows,)
        x, in the unit of the capacities.

    Notes
    -----
    No rate can grow unless another rate falls whose ratio to its weight is no larger. There is one such allocation
    (derivations/fair_share.py), and the equation, the bottleneck condition, describes it: every flow has a full link on
    which no other flow has a larger rate relative to its weight. In the computation all rates grow in proportion to the
    weights, and a link that becomes full stops its flows. The shares are those of data, reduced by the flow's own
    acknowledgments, unlike those of fair queueing, which serves acknowledgments as a separate flow.

    Examples
    --------
    >>> max_min_rates([[1, 1, 1, 0], [1, 0, 0, 1]]).round(3).tolist()
    [0.333, 0.333, 0.333, 0.667]
    >>> max_min_rates([[1, 0.08], [0.08, 1]], 5.4e6).round(3).tolist()  # one each way, with acknowledgments
    [5000000.0, 5000000.0]

    References
    ----------
    D. Bertsekas and R. Gallager, "Data Networks", 2nd edition, Prentice Hall, 1992, section 6.5.2;
    derivations/fair_share.py.
    """
    table = usage_table("routes", routes)
    links, flows = table.shape
    capacity = domains.numbers("capacities", capacities, "bytes/s", "[0, inf)", length=links)
    weight = domains.numbers("weights", weights, "1", "(0, inf)", length=flows)
    crossing = [[(flow, usage) for flow, usage in enumerate(row) if usage] for row in table.tolist()]
    return weight * np.array(fill(crossing, capacity.tolist(), weight.tolist()))


def fill(links: Sequence[Sequence[tuple[int, Any]]], capacities: Sequence[Any], weights: Sequence[Any]) -> list[Any]:
    """Return each flow's rate over its weight, by progressive filling; 0 for flows of weight 0, which are ignored.

    ``links`` has for each link a list of (flow, bytes carried per byte of the flow). When some flows of a link stop at
    lower rates elsewhere, the share that it can give to the others can only rise, so an older value is a lower bound. A
    link is recomputed when its value is the lowest, and stops its flows if the new value is still the lowest.
    """
    level: list[Any] = [None if weight > 0 else 0 for weight in weights]
    waiting = []
    for number, flows in enumerate(links):
        demand = sum(usage * weights[flow] for flow, usage in flows)
        if demand > 0:
            waiting.append((capacities[number] / demand, number))
    heapq.heapify(waiting)
    lowest: Any = 0
    while waiting:
        _, number = heapq.heappop(waiting)
        left, demand, open_flows = capacities[number], 0, []
        for flow, usage in links[number]:
            if level[flow] is None:
                demand += usage * weights[flow]
                open_flows.append(flow)
            else:
                left -= usage * weights[flow] * level[flow]
        if not open_flows:
            continue
        now = max(left / demand, lowest)  # rounding in earlier steps may leave less
        if waiting and now > waiting[0][0]:
            heapq.heappush(waiting, (now, number))
            continue
        for flow in open_flows:
            level[flow] = now
        lowest = now
    return [math.inf if one is None else one for one in level]  # inf: the demand of the flow rounds to 0

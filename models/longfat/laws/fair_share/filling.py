"""Progressive filling: the weighted max-min fair rates of one instant."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from longfat.laws.fair_share import arithmetic


def max_min_rates(routes: Any, capacities: Any = 1, weights: Any = 1) -> Any:
    r"""Return the weighted max-min fair rates of flows over several links.

    .. math:: \sum_i a_{l i} x_i \le C_l, \qquad
        \forall i \; \exists l: \; a_{l i} > 0, \; \sum_j a_{l j} x_j = C_l, \;
        \frac{x_i}{w_i} = \max_{j: a_{l j} > 0} \frac{x_j}{w_j}

    Parameters
    ----------
    routes : array of shape (links, flows)
        a [1], in [0, inf): bytes that a link carries per byte of a flow. 1 or True where a flow passes a link, 0 where
        it does not; 0.08 where only its acknowledgments do, 40 bytes for 500. Every flow passes a link.
    capacities : float, Fraction, or array of shape (links,)
        C [bytes/s, or any unit], in [0, inf).
    weights : float, Fraction, or array of shape (flows,)
        w [1], in (0, inf): the number of flows that each acts like.

    Returns
    -------
    ndarray of shape (flows,)
        x, in the unit of the capacities: floats; or fractions, in an array of objects, where fractions are among the
        arguments and all others are fractions or integers.

    Notes
    -----
    No rate can grow unless another falls that is not larger in proportion to its weight. There is one such allocation
    (derivations/fair_share.py), and the equation, the bottleneck condition, describes it: every flow has a full link on
    which no other flow has more in proportion to its weight. All rates grow in proportion to the weights, and a link
    that becomes full stops its flows; in fractions the result is exact. The shares are those of data, reduced by the
    flow's own acknowledgments, unlike those of fair queueing, which serves acknowledgments as a separate flow.

    Examples
    --------
    >>> from fractions import Fraction
    >>> max_min_rates([[1, 1, 1, 0], [1, 0, 0, 1]]).round(3).tolist()
    [0.333, 0.333, 0.333, 0.667]
    >>> max_min_rates([[1, Fraction(2, 25)], [Fraction(2, 25), 1]], 5_000_000).tolist()  # one each way, with ACKs
    [Fraction(125000000, 27), Fraction(125000000, 27)]

    References
    ----------
    D. Bertsekas and R. Gallager, "Data Networks", 2nd edition, Prentice Hall, 1992, section 6.5.2;
    derivations/fair_share.py.
    """
    table = arithmetic.usage_table("routes", routes)
    links, flows = table.shape
    capacity = arithmetic.column("capacities", capacities, "bytes/s", "[0, inf)", links)
    weight = arithmetic.column("weights", weights, "1", "(0, inf)", flows)
    convert = arithmetic.kind_of_arrays(table, capacity, weight)
    crossing = [[(int(flow), convert(row[flow])) for flow in np.flatnonzero(row)] for row in table]
    level = fill(crossing, [convert(one) for one in capacity], [convert(one) for one in weight])
    return arithmetic.array([convert(w) * x for w, x in zip(weight, level, strict=True)], convert, (flows,))


def fill(links: Sequence[Sequence[tuple[int, Any]]], capacities: Sequence[Any], weights: Sequence[Any]) -> list[Any]:
    """Return the rates over weights at which progressive filling stops the flows; 0 for absent flows, of weight 0.

    ``links`` are lists of (flow, bytes carried per byte of the flow). The share that a link can give to its flows only
    rises when some of them stop at lower rates elsewhere, so an older value is a lower bound: a link is recomputed when
    its value is the lowest, and stops its flows if it still is.
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
        now = max(left / demand, lowest)  # earlier rounding may leave less
        if waiting and now > waiting[0][0]:
            heapq.heappush(waiting, (now, number))
            continue
        for flow in open_flows:
            level[flow] = now
        lowest = now
    return [math.inf if one is None else one for one in level]  # its use of its links is below the smallest float

"""Progressive filling: the weighted max-min fair rates of flows at one instant.

Arguments are floats or fractions; the checks of arguments preserve fractions.
"""

from __future__ import annotations

import heapq
import math
import numbers
import sys
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from longfat.base import domains

LARGEST = int(sys.float_info.max)


def number(name: str, value: Any, unit: str, allowed: str) -> Any:
    """Return ``value`` as a float, an int or a Fraction; raise an error if it is not a number in ``allowed``.

    >>> number("start", Fraction(1, 10), "s", "(-inf, inf)"), number("start", np.float32(0.5), "s", "(-inf, inf)")
    (Fraction(1, 10), 0.5)
    """
    if isinstance(value, Decimal) and value.is_finite():
        value = Fraction(value)
    if not isinstance(value, numbers.Rational):
        return domains.number(name, value, unit, allowed)
    exact: int | Fraction = int(value) if isinstance(value, numbers.Integral) else Fraction(value)
    interval = domains.Interval.parse(allowed)
    if not interval.contains(exact) or not -LARGEST <= exact <= LARGEST:
        raise domains.out_of_range(name, exact, unit, interval)
    return exact


def kind(values: Iterable[Any]) -> Callable[[Any], Any]:
    """Return the function that converts the values to one type: Fraction if one is a Fraction and none a float.

    Otherwise the type is float. Infinity fits both types.

    >>> exact = kind([Fraction(1, 3), 2, math.inf])
    >>> exact(2), exact(math.inf), kind([1, 2])(2), kind([Fraction(1, 2), 0.5])(Fraction(1, 2))
    (Fraction(2, 1), inf, 2.0, 0.5)
    """
    kinds: set[type] = {type(value) for value in values if not (isinstance(value, float) and math.isinf(value))}
    if Fraction not in kinds or float in kinds:
        return float
    return fraction


def fraction(value: Any) -> Any:
    """Return a number as a Fraction of Python integers, which cannot overflow; return a float (infinity) unchanged."""
    return value if isinstance(value, float | Fraction) else Fraction(int(value))


def array(values: Any, convert: Callable[[Any], Any], shape: tuple[int, ...]) -> Any:
    """Return an array of the given shape: of type float for floats, of objects for fractions."""
    return np.array(values, dtype=float if convert is float else object).reshape(shape)


def kind_of_arrays(*arrays: Any) -> Callable[[Any], Any]:
    """Return a function that converts numbers to the common type of arrays, Fraction or float; integers fit both."""
    if any(array.dtype.kind == "f" for array in arrays):
        return float
    return kind(value for array in arrays if array.dtype == object for value in array.flat)


def numeric_array(name: str, values: Any, unit: str, allowed: str) -> Any:
    """Return numbers as an array, of objects if they are fractions; raise an error for one outside the interval."""
    try:
        found = np.asarray(values)
    except ValueError:  # rows of unequal lengths
        raise domains.wrong_type(name, values, "a number or an array of numbers", unit) from None
    if found.dtype.kind == "O":
        checked = [number(name, value, unit, allowed) for value in found.flat]
        return array(checked, kind(checked), found.shape)
    domains.numbers(name, values, unit, allowed)
    return found


def column(name: str, values: Any, unit: str, allowed: str, length: int) -> Any:
    """Return an array with one number for each link or flow; a single value applies to all."""
    found = numeric_array(name, values, unit, allowed)
    if found.shape not in ((), (length,)):
        raise domains.wrong_shape(name, found.shape, f"one value or an array of length {length}, in {allowed}")
    return np.broadcast_to(found, (length,)).copy()


def usage_table(name: str, values: Any, allowed: str = "[0, inf)") -> Any:
    """Return a table (links, flows) of the bytes that each link carries per byte of a flow; all flows have a link."""
    found = numeric_array(name, values, "1", allowed)
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
    capacities : float, Fraction, or array of shape (links,)
        C [bytes/s, or any unit], in [0, inf).
    weights : float, Fraction, or array of shape (flows,)
        w [1], in (0, inf): the number of flows that each acts like.

    Returns
    -------
    ndarray of shape (flows,)
        x, in the unit of the capacities: floats or, if the arguments contain fractions and otherwise only integers,
        fractions in an array of objects.

    Notes
    -----
    No rate can grow unless another rate falls whose ratio to its weight is no larger. There is one such allocation
    (derivations/fair_share.py), and the equation, the bottleneck condition, describes it: every flow has a full link on
    which no other flow has a larger rate relative to its weight. In the computation all rates grow in proportion to the
    weights, and a link that becomes full stops its flows; in fractions the result is exact. The shares are those of
    data, reduced by the flow's own acknowledgments, unlike those of fair queueing, which serves acknowledgments as a
    separate flow.

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
    table = usage_table("routes", routes)
    links, flows = table.shape
    capacity = column("capacities", capacities, "bytes/s", "[0, inf)", links)
    weight = column("weights", weights, "1", "(0, inf)", flows)
    convert = kind_of_arrays(table, capacity, weight)
    crossing = [[(int(flow), convert(row[flow])) for flow in np.flatnonzero(row)] for row in table]
    level = fill(crossing, [convert(one) for one in capacity], [convert(one) for one in weight])
    return array([convert(w) * x for w, x in zip(weight, level, strict=True)], convert, (flows,))


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

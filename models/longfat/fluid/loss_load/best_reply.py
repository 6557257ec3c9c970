"""Best reply of every loss-load source to the present rates of the others."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longfat.base import domains
from longfat.laws import loss_load

Array = NDArray[np.float64]
Reply = Callable[[Array, Array, Any], Array]  # (excess, spread, which sources) -> their rates

STRATEGIES = ("throughput", "response")


def best_reply(
    rates: ArrayLike,
    k: float,
    v: float = 1.0,
    *,
    strategy: str = "throughput",
    packets: ArrayLike | None = None,
    round_trip_time: ArrayLike | None = None,
    capacity_packets: float | None = None,
    access_rate: ArrayLike = math.inf,
    constant: ArrayLike = False,
) -> Array:
    r"""Return each source's best reply: the rate that it would choose if the others kept their rates.

    .. math:: f_j' = \arg\max_f\,(1 - P_j(f))\,f \quad\text{or}\quad
        \arg\min_f \frac{N}{(1 - P_j(f)) f \mu} + \Bigl(1 - \frac{\ln N}{\ln P_j(f)}\Bigr) R

    Parameters
    ----------
    rates : array of shape (..., sources)
        Present rates over the true capacity [1], in [0, inf).
    k : float
        k [1], in [1, inf).
    v : float
        Virtual factor [1], in (0, 1]: announced over true capacity.
    strategy : {"throughput", "response"}
        Largest raw throughput, or shortest response time; the latter needs the next three parameters.
    packets : float or array of shape (sources,)
        N [packets], in [1, inf): packets still to be delivered.
    round_trip_time : float or array of shape (sources,)
        R [s], in [0, inf).
    capacity_packets : float
        mu [packets/s], in (0, inf): the true capacity.
    access_rate : float or array of shape (sources,)
        Largest rate of a source over the true capacity [1], in (0, inf].
    constant : bool or array of shape (sources,)
        Sources that keep their rates.

    Returns
    -------
    array of shape (..., sources)
        Rates over the true capacity [1].

    Raises
    ------
    TypeError
        For a value of a wrong type.
    ValueError
        For a value outside its range, and for rates so large that their powers k + 1 overflow.

    Notes
    -----
    The laws are those of `longfat.laws.loss_load`, in fractions of the announced capacity. A source without
    competitors sends at the announced capacity. k is a property of the link, so all sources have the same k.

    Examples
    --------
    >>> best_reply([1.0, 1.0], k=1), best_reply([0.75, 0.75], k=1)  # (k + 1)/(k M) = 1 is the equilibrium
    (array([1., 1.]), array([1.04056942, 1.04056942]))

    References
    ----------
    Prithviraj & Williamson, virtual loss-load model, sections 2.2 and 2.3.
    """
    state = start_rates(rates, k)
    reply = replies(
        k,
        v,
        state.shape[-1],
        strategy=strategy,
        packets=packets,
        round_trip_time=round_trip_time,
        capacity_packets=capacity_packets,
        access_rate=access_rate,
    )
    fixed = per_source("constant", constant, state.shape[-1]).astype(bool)
    return np.where(fixed, state, v * reply(*others(state / v, k), slice(None)))


def others(rates: ArrayLike, k: float) -> tuple[Array, Array]:
    r"""Return, per source, the others' load less 1 (excess) and the sum of (k + 1)-th powers of their rates (spread).

    .. math:: a_j = \sum_{i \ne j} f_i - 1, \qquad b_j = \sum_{i \ne j} f_i^{k+1}

    Parameters
    ----------
    rates : array of shape (..., sources)
        Rates over the announced capacity [1], in [0, inf).
    k : float
        k [1], in [1, inf).

    Returns
    -------
    (array, array) of shape (..., sources)
        Excess a [1] and spread b [1].

    Notes
    -----
    The sums over the sources before and after each source are added: subtracting the power of a large rate from the
    sum of all would lose the small ones.

    Examples
    --------
    >>> others([1.0, 1e-9], k=1)
    (array([-1.,  0.]), array([1.e-18, 1.e+00]))

    References
    ----------
    Prithviraj & Williamson, virtual loss-load model, section 2.2.
    """
    state = start_rates(rates, k)
    return _all_but_one(state) - 1.0, _all_but_one(state ** (k + 1))


def _all_but_one(terms: Array) -> Array:
    """Return, for each term, the sum of the other terms along the last axis."""
    before, after = np.zeros_like(terms), np.zeros_like(terms)
    np.cumsum(terms[..., :-1], axis=-1, out=before[..., 1:])
    np.cumsum(terms[..., :0:-1], axis=-1, out=after[..., -2::-1])
    return before + after


def replies(
    k: float,
    v: float,
    sources: int,
    *,
    strategy: str = "throughput",
    packets: ArrayLike | None = None,
    round_trip_time: ArrayLike | None = None,
    capacity_packets: float | None = None,
    access_rate: ArrayLike = math.inf,
) -> Reply:
    """Check the strategy's arguments; return its function from excess and spread to rates (over announced capacity)."""
    k, v = domains.number("k", k, "1", "[1, inf)"), domains.number("v", v, "1", "(0, 1]")
    domains.choice("strategy", strategy, STRATEGIES)
    limit = per_source("access_rate", access_rate, sources, "1", "(0, inf]") / v
    response = {"packets": packets, "round_trip_time": round_trip_time, "capacity_packets": capacity_packets}
    if strategy == "throughput":
        for name, value in response.items():
            if value is not None:
                raise domains.conflict(f"{name} = {reprlib.repr(value)}", "excludes strategy 'throughput'")

        def most(excess: Array, spread: Array, which: Any) -> Array:
            result: Array = loss_load.throughput_optimal_rate(excess, spread, k, limit[which])
            return result

        return most
    for name, value in response.items():
        if value is None:
            raise domains.conflict("strategy 'response'", f"needs {name}")
    number = per_source("packets", packets, sources, "packets", "[1, inf)")
    delay = per_source("round_trip_time", round_trip_time, sources, "s", "[0, inf)")
    mu = v * domains.number("capacity_packets", capacity_packets, "packets/s", "(0, inf)")

    def quickest(excess: Array, spread: Array, which: Any) -> Array:
        result: Array = loss_load.response_optimal_rate(
            excess, spread, k, number[which], delay[which], mu, limit[which]
        )
        return result

    return quickest


def start_rates(rates: ArrayLike, k: float) -> Array:
    """Return rates as an array with at least one axis; raise an error if the sum of their powers would overflow."""
    k = domains.number("k", k, "1", "[1, inf)")
    state = _floats("rates", rates, "1", "[0, inf)")
    if state.ndim == 0 or state.shape[-1] == 0:
        raise domains.wrong_shape("rates", state.shape, "(..., sources), one rate for each")
    most = math.exp(math.log(1e300 / state.shape[-1]) / (k + 1))  # a margin for the smaller announced capacity
    if domains.array("rates", state, "1", domains.Interval(0.0, most, True, True)):
        raise domains.out_of_range("rates", "nan", "1", f"[0, {most:.6g}]")
    return state


def per_source(name: str, value: Any, sources: int, unit: str = "1", allowed: str = "[0, 1]") -> Array:
    """Broadcast one value, or one for each source, to an array for all of them."""
    values = _floats(name, value, unit, allowed)
    if values.shape not in ((), (1,), (sources,)):
        raise domains.wrong_shape(name, values.shape, f"one value or {sources}")
    return np.broadcast_to(values, sources).copy()


def _floats(name: str, value: Any, unit: str, allowed: str) -> Array:
    """Return real numbers in an interval as an array, or raise an error."""
    interval = domains.Interval.parse(allowed)
    refusal = domains.wrong_type(name, value, "a number or an array of numbers", unit)
    try:
        values = np.asarray(value)
    except ValueError:
        raise refusal from None
    if values.dtype.kind not in "fiub":
        raise refusal
    values = values.astype(float)
    if domains.array(name, values, unit, interval):  # NaN elements
        raise domains.out_of_range(name, math.nan, unit, interval)
    return values

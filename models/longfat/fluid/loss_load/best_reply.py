"""Best replies of the sources at a link with a loss-load curve, and their iteration update by update.

Sources reply simultaneously, asynchronously or in turn, to feedback with a delay.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterator
from itertools import count, islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longfat.base import domains
from longfat.laws import loss_load

if TYPE_CHECKING:
    import xarray as xr


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
    r"""Return each source's best reply: its optimal rate relative to the capacity [1] if the others keep their rates.

    .. math:: f_j' = \arg\max_f\,(1 - P_j(f))\,f \quad\text{or}\quad
        \arg\min_f \frac{N}{(1 - P_j(f)) f \mu} + \Bigl(1 - \frac{\ln N}{\ln P_j(f)}\Bigr) R

    Parameters
    ----------
    rates : array of shape (..., sources)
        Present rates relative to the true capacity [1], in [0, inf).
    k : float
        k [1], in [1, inf).
    v : float
        Virtual factor [1], in (0, 1]: ratio of the announced to the true capacity.
    strategy : {"throughput", "response"}
        "throughput" maximises the raw throughput; "response" minimises the response time and needs the next three
        parameters.
    packets : float or array of shape (sources,)
        N [packets], in [1, inf): packets still to be delivered.
    round_trip_time : float or array of shape (sources,)
        R [s], in [0, inf).
    capacity_packets : float
        mu [packets/s], in (0, inf): the true capacity.
    access_rate : float or array of shape (sources,)
        Largest rate of a source relative to the true capacity [1], in (0, inf].
    constant : bool or array of shape (sources,)
        Sources that keep their rates.

    Returns
    -------
    array of shape (..., sources)
        Rates relative to the true capacity [1].

    Raises
    ------
    TypeError
        For a value of a wrong type.
    ValueError
        For a value outside its range, and for rates so large that their (k + 1)-th powers overflow.

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
    fixed = domains.numbers("constant", constant, "1", "{0, 1}", length=state.shape[-1]).astype(bool)
    return np.where(fixed, state, v * reply(*others(state / v, k), slice(None)))


def others(rates: ArrayLike, k: float) -> tuple[Array, Array]:
    r"""Return, for each source, the sum of the others' rates minus 1 (excess) and of their (k + 1)-th powers (spread).

    .. math:: a_j = \sum_{i \ne j} f_i - 1, \qquad b_j = \sum_{i \ne j} f_i^{k+1}

    Parameters
    ----------
    rates : array of shape (..., sources)
        Rates relative to the announced capacity [1], in [0, inf).
    k : float
        k [1], in [1, inf).

    Returns
    -------
    (array, array) of shape (..., sources)
        Excess a [1] and spread b [1].

    Notes
    -----
    The sums over the sources before and after each source are added: subtracting the power of a large rate from the sum
    of all powers would lose the small powers.

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
    """Check the arguments of a strategy; return the function that computes best replies from excess and spread.

    All rates, both arguments and results of the returned function, are relative to the announced capacity.
    """
    k, v = domains.number("k", k, "1", "[1, inf)"), domains.number("v", v, "1", "(0, 1]")
    domains.choice("strategy", strategy, STRATEGIES)
    limit = domains.numbers("access_rate", access_rate, "1", "(0, inf]", length=sources) / v
    response = {"packets": packets, "round_trip_time": round_trip_time, "capacity_packets": capacity_packets}
    if strategy == "throughput":
        for name, value in response.items():
            if value is not None:
                raise domains.conflict(f"{name} = {reprlib.repr(value)}", "needs strategy = 'response'")
        return lambda excess, spread, which: loss_load.throughput_optimal_rate(excess, spread, k, limit[which])
    for name, value in response.items():
        if value is None:
            raise domains.conflict("strategy = 'response'", f"needs {name}")
    number = domains.numbers("packets", packets, "packets", "[1, inf)", length=sources)
    delay = domains.numbers("round_trip_time", round_trip_time, "s", "[0, inf)", length=sources)
    mu = v * domains.number("capacity_packets", capacity_packets, "packets/s", "(0, inf)")
    return lambda excess, spread, which: loss_load.response_optimal_rate(
        excess, spread, k, number[which], delay[which], mu, limit[which]
    )


def start_rates(rates: ArrayLike, k: float) -> Array:
    """Return rates as an array with one or more axes; raise an error if the sum of (k + 1)-th powers would overflow."""
    k = domains.number("k", k, "1", "[1, inf)")
    state = domains.numbers("rates", rates, "1", "[0, inf)")
    if state.ndim == 0 or state.shape[-1] == 0:
        raise domains.wrong_shape("rates", state.shape, "(..., sources), with a rate for each source")
    most = math.exp(math.log(1e300 / state.shape[-1]) / (k + 1))  # 1e300 leaves a margin for the division by v
    if domains.array("rates", state, "1", domains.Interval(0.0, most, True, True)):
        raise domains.out_of_range("rates", "nan", "1", f"[0, {most:.6g}]")
    return state


ORDERS = ("synchronous", "asynchronous", "in turn")


def iterate(
    start: ArrayLike,
    updates: int,
    k: float,
    v: float = 1.0,
    *,
    order: str = "synchronous",
    delay: int = 0,
    activity: float = 0.5,
    constant: ArrayLike = False,
    rng: Any = None,
    **strategy: Any,
) -> xr.Dataset:
    r"""Return the rates of sources that repeatedly choose their best replies to each other's rates.

    .. math:: f_j(n) = F\bigl(f_i(n - 1 - d),\; i \ne j\bigr)

    Parameters
    ----------
    start : array of shape (sources,)
        Rates relative to the true capacity [1], in [0, inf), at and before the first update.
    updates : int
        Number of updates, in [0, 10^7].
    k, v, constant
        As for `best_reply`.
    order : {"synchronous", "asynchronous", "in turn"}
        Sources that reply in an update: all; each with probability ``activity``, to feedback with a delay drawn from 0
        ... ``delay``; or one source, in cyclic order.
    delay : int
        d, delay of the feedback [updates], in [0, 10^6]; the largest delay if asynchronous.
    activity : float
        Probability that a source replies in an asynchronous update [probability], in (0, 1].
    rng : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Source of randomness of the asynchronous order.
    **strategy
        ``strategy``, ``packets``, ``round_trip_time``, ``capacity_packets`` and ``access_rate`` of `best_reply`.

    Returns
    -------
    xarray.Dataset
        ``rates`` (update, source) [1], ``offered_load`` (update) [1], ``loss`` (update, source) [probability]: rates
        and load relative to the true capacity, loss by the curve of that capacity. Update 0 is the start.

    Notes
    -----
    Sources that maximise raw throughput converge from every start, in every order, with every delay
    (``derivations/loss_load_convergence.py``); those that minimise response time need not.

    Examples
    --------
    >>> run = iterate([1.0, 0.01], updates=8, k=2)
    >>> run.rates.values[8].round(6), run.loss.values[8].round(6)  # (k + 1)/(k M) and 1/(k + 1)
    (array([0.75, 0.75]), array([0.333333, 0.333333]))

    References
    ----------
    Prithviraj & Williamson, virtual loss-load model, sections 2.2 and 4.2.1.
    """
    import xarray as xr

    updates = domains.integer("updates", updates, "updates", "[0, 10000000]")
    states = trajectory(
        start, k, v, order=order, delay=delay, activity=activity, constant=constant, rng=rng, **strategy
    )
    rates = np.stack(list(islice(states, updates + 1)))
    excess, spread = others(rates, k)
    units = {"units": "1", "long_name": "rate over true capacity"}
    return xr.Dataset(
        {
            "rates": (("update", "source"), rates, units),
            "offered_load": ("update", rates.sum(axis=1), {"units": "1", "long_name": "load over true capacity"}),
            "loss": (
                ("update", "source"),
                loss_load.loss_probability(rates, excess, spread, float(k)),
                {"units": "probability", "long_name": "loss by the curve of the true capacity"},
            ),
        },
        coords={"update": np.arange(updates + 1), "source": np.arange(rates.shape[1])},
        attrs={"k": float(k), "v": float(v), "order": order, "delay": int(delay)},
    )


def trajectory(
    start: ArrayLike,
    k: float,
    v: float,
    *,
    order: str,
    delay: int,
    activity: float,
    constant: ArrayLike,
    rng: Any,
    **strategy: Any,
) -> Iterator[Array]:
    """Check the arguments; yield the rates (sources,) at ``start`` and after each update, without end."""
    state = start_rates(start, k)
    if state.ndim != 1:
        raise domains.wrong_shape("start", state.shape, "(sources,), with a rate for each source")
    sources = state.size
    reply = replies(k, v, sources, **strategy)
    domains.choice("order", order, ORDERS)
    delay = domains.integer("delay", delay, "updates", "[0, 1000000]")
    activity = domains.number("activity", activity, "probability", "(0, 1]")
    fixed = domains.numbers("constant", constant, "1", "{0, 1}", length=sources).astype(bool)
    random = domains.generator(rng)
    k, v, movable = float(k), float(v), np.flatnonzero(~fixed)
    seen = others(state / v, k)
    excess, spread = (np.tile(part, (delay + 1, 1)) for part in seen)  # circular buffers: a row of feedback per update
    for update in count(1):
        yield state
        if not movable.size:
            continue
        now = (update - 1) % (delay + 1)
        excess[now], spread[now] = others(state / v, k)
        age: Any = delay
        which = movable
        if order == "in turn":
            which = movable[[(update - 1) % movable.size]]
        elif order == "asynchronous":
            which = movable[random.random(movable.size) < activity]
            age = random.integers(delay + 1, size=which.size)
        if which.size:
            row = (now - age) % (delay + 1)
            state = state.copy()
            state[which] = v * reply(excess[row, which], spread[row, which], which)

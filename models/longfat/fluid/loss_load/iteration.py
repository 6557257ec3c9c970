"""Iterated best replies: simultaneous, asynchronous or sequential, to feedback of a given age."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from longfat.base import domains
from longfat.fluid.loss_load.best_reply import Array, others, per_source, replies, start_rates
from longfat.laws import loss_load

if TYPE_CHECKING:
    import xarray as xr

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
    r"""Return the rates of sources that reply to each other, update by update.

    .. math:: f_j(n) = F\bigl(f_i(n - 1 - d),\; i \ne j\bigr)

    Parameters
    ----------
    start : array of shape (sources,)
        Rates over the true capacity [1], in [0, inf), at and before the first update.
    updates : int
        Number of updates, in [0, 10^7].
    k : float
        k [1], in [1, inf).
    v : float
        Virtual factor [1], in (0, 1]: announced over true capacity.
    order : {"synchronous", "asynchronous", "in turn"}
        Sources that reply in an update: all; each with probability ``activity``, to feedback whose delay is drawn from
        0 ... ``delay`` each time; or one source, in cyclic order.
    delay : int
        d, delay of the feedback [updates], in [0, 10^6]; its largest delay if asynchronous.
    activity : float
        Probability that a source replies in an asynchronous update [probability], in (0, 1].
    constant : bool or array of shape (sources,)
        Sources that keep their rates.
    rng : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Source of randomness of the asynchronous order.
    **strategy
        ``strategy``, ``packets``, ``round_trip_time``, ``capacity_packets`` and ``access_rate`` of `best_reply`.

    Returns
    -------
    xarray.Dataset
        ``rates`` (update, source) [1], ``offered_load`` (update) [1], ``loss`` (update, source) [probability]: of the
        true capacity, by its loss-load curve. Update 0 is the start.

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
    rates = np.stack(
        [
            state
            for _, state in zip(
                range(updates + 1),
                trajectory(
                    start, k, v, order=order, delay=delay, activity=activity, constant=constant, rng=rng, **strategy
                ),
                strict=False,
            )
        ]
    )
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
    """Yield the states one after another, without end; check all arguments before the first."""
    state = start_rates(start, k)
    if state.ndim != 1:
        raise domains.wrong_shape("start", state.shape, "(sources,), one rate for each")
    sources = state.size
    reply = replies(k, v, sources, **strategy)
    domains.choice("order", order, ORDERS)
    delay = domains.integer("delay", delay, "updates", "[0, 1000000]")
    activity = domains.number("activity", activity, "probability", "(0, 1]")
    fixed = per_source("constant", constant, sources).astype(bool)
    random = domains.generator(rng)
    return _states(state, float(k), float(v), order, delay, activity, np.flatnonzero(~fixed), random, reply)


def _states(
    state: Array,
    k: float,
    v: float,
    order: str,
    delay: int,
    activity: float,
    movable: Any,
    random: np.random.Generator,
    reply: Any,
) -> Iterator[Array]:
    seen = others(state / v, k)
    excess, spread = (np.tile(part, (delay + 1, 1)) for part in seen)  # circular buffers: the feedback in each update
    for update in range(1, 1 << 62):
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

"""Convergence or oscillation of sources at a link with a loss-load curve, and the number of updates it takes.

`cheating` computes the gain of a source that knows the link's virtual factor (Prithviraj & Williamson, footnote 3).
"""

from __future__ import annotations

import itertools
import reprlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from longfat.base import domains
from longfat.fluid.loss_load.best_reply import ORDERS, Array, best_reply, trajectory

if TYPE_CHECKING:
    import xarray as xr


STATUS = ("converged", "oscillates", "not within updates")


def time_to_equilibrium(
    k: ArrayLike,
    sources: ArrayLike,
    delay: ArrayLike = 0,
    v: float = 1.0,
    *,
    start: float | Callable[[int], ArrayLike] = 1.0,
    order: str = "synchronous",
    activity: float = 0.5,
    constant: Any = False,
    rng: Any = None,
    tolerance: float = 1e-9,
    updates: int = 1000,
    **strategy: Any,
) -> xr.Dataset:
    r"""Return the number of updates until the rates stay near their final values, by k, number of sources and delay.

    .. math:: n^* = \min\{n : |f_j(m) - f_j| \le \epsilon f_j \text{ for all } j \text{ and all } m \ge n\}

    Parameters
    ----------
    k : float or array
        k [1], in [1, inf).
    sources : int or array
        M [sources], in [1, 10^5].
    delay : int or array
        Delay of the feedback [updates], in [0, 10^6].
    v : float
        Virtual factor [1], in (0, 1].
    start : float or callable
        Rate of every source relative to the true capacity [1], in [0, inf); or a function of the number of sources that
        returns their rates.
    order, activity, constant, rng
        As in `iterate`.
    tolerance : float
        Largest deviation from the final rate, relative to that rate [1], in [1e-13, 0.1].
    updates : int
        Largest number of updates, in [1, 10^6].
    **strategy
        ``strategy``, ``packets``, ``round_trip_time``, ``capacity_packets`` and ``access_rate`` of `best_reply`.

    Returns
    -------
    xarray.Dataset
        Along ``k``, ``sources`` and ``delay``: ``status`` ("converged", "oscillates", "not within updates"),
        ``updates`` until converged (NaN if not), ``period`` [updates] (0 unless it oscillates), final
        ``offered_load``, and the ``least_load`` and ``largest_load`` over the last half of the run, or the last period
        [1].

    Notes
    -----
    "converged": within the tolerance, every source's best reply is its present rate, and all feedback in transit is
    that of the present rates. "oscillates": the states repeat themselves, a thousand times more closely than the
    tolerance, and move by more than the tolerance; this is detected only if the order is not random. If the rates
    neither converge nor repeat themselves, the status is "not within updates".

    Examples
    --------
    >>> found = time_to_equilibrium(k=[2, 20], sources=10, delay=[0, 3])
    >>> found.updates.values[:, 0]  # each update but the first becomes 4 with a delay of 3: 29 = 4 (8 - 1) + 1
    array([[ 8., 29.], [22., 85.]])

    References
    ----------
    Prithviraj & Williamson, virtual loss-load model, sections 2.2 and 4.2.1.
    """
    import xarray as xr

    axes = {
        "k": np.array([domains.number("k", x, "1", "[1, inf)") for x in _list("k", k)]),
        "sources": np.array(
            [domains.integer("sources", x, "sources", "[1, 100000]") for x in _list("sources", sources)]
        ),
        "delay": np.array([domains.integer("delay", x, "updates", "[0, 1000000]") for x in _list("delay", delay)]),
    }
    v = domains.number("v", v, "1", "(0, 1]")
    tolerance = domains.number("tolerance", tolerance, "1", "[1e-13, 0.1]")
    updates = domains.integer("updates", updates, "updates", "[1, 1000000]")
    if not callable(start):
        start = domains.number("start", start, "1", "[0, inf)")
    random = domains.generator(rng)
    rows = []
    for one, count, late in itertools.product(*axes.values()):
        begin = start(int(count)) if callable(start) else np.full(count, start)
        run = {"order": order, "activity": activity, "constant": constant, "rng": random, **strategy}
        rows.append(_settle(begin, float(one), v, int(late), tolerance, updates, run))
    shape = tuple(len(axis) for axis in axes.values())
    columns = {name: np.array([row[i] for row in rows]).reshape(shape) for i, name in enumerate(RESULT)}
    return xr.Dataset(
        {name: (tuple(axes), values, {"units": RESULT[name]}) for name, values in columns.items()}, coords=axes
    )


RESULT = {
    "status": "1",
    "updates": "updates",
    "period": "updates",
    "offered_load": "1",
    "least_load": "1",
    "largest_load": "1",
}


def _settle(
    start: ArrayLike, k: float, v: float, delay: int, tolerance: float, updates: int, run: dict[str, Any]
) -> tuple[str, float, int, float, float, float]:
    """Iterate from one start until the rates converge or oscillate; return the columns of `RESULT`."""
    order = run["order"]
    path = trajectory(start, k, v, delay=delay, **run)
    rates: list[Array] = [next(path)]
    strategy = {key: run[key] for key in run if key not in ("order", "activity", "rng")}
    turn = rates[0].size if order == "in turn" else 1
    memory = delay + turn  # number of last updates that determine all later ones
    period = 0

    def near(one: Array, other: Array) -> bool:
        return bool(np.all(np.abs(one - other) <= tolerance * other))

    while len(rates) <= updates:
        rates.append(next(path))
        if len(rates) > memory and len(rates) % min(memory, 8) == 0:
            last = rates[-1]
            if (
                near(rates[-1 - memory], last)
                and near(best_reply(last, k, v, **strategy), last)
                and all(near(state, last) for state in rates[-memory:])
            ):
                settled = next(i for i in range(len(rates), -1, -1) if not i or not near(rates[i - 1], last))
                return STATUS[0], float(settled), 0, float(last.sum()), float(last.sum()), float(last.sum())
        if order != ORDERS[1] and (len(rates) > updates or len(rates).bit_count() == 1):  # at powers of 2: it is slow
            period = _period(np.stack(rates), memory, tolerance)
            if period:
                break
    states = np.stack(rates)
    loads = states.sum(axis=1)[-(period or len(states) // 2 + 1) :]
    status = STATUS[1] if period else STATUS[2]
    return status, np.nan, period, float(loads[-1]), float(loads.min()), float(loads.max())


def _period(states: Array, memory: int, tolerance: float) -> int:
    """Return the smallest period [updates] of the last states; 0 if they have no period or are constant.

    States are periodic if they return to within a thousandth of the tolerance, and move by more than the tolerance in
    between. Slow convergence is thus not taken for an oscillation.
    """
    last, same = states[-1], max(1e-3 * tolerance, 1e-13)
    apart = np.max(np.abs(states - last) - tolerance * last, axis=1)
    close = np.flatnonzero(np.all(np.abs(states - last) <= same * last, axis=1))
    for index in close[::-1]:
        period = len(states) - 1 - int(index)
        length = max(period, memory)
        if period and length + period <= len(states) and apart[-period:].max() > 0:
            now, before = states[-length:], states[-length - period : -period]
            if np.all(np.abs(now - before) <= same * now):
                return period
    return 0


def _list(name: str, values: Any) -> list[Any]:
    """Return one value, or a flat sequence of values, as a list."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    result = list(values) if isinstance(values, list | tuple | range) else [values]
    if not result:
        raise domains.out_of_range(name, reprlib.repr(values), "1", "one value or more")
    return result


DROPS = ("curve", "equal")
PLAYS = ("leader", "reply")


def cheating(
    k: ArrayLike, v: ArrayLike, sources: ArrayLike, *, drop: str = "curve", play: str = "leader"
) -> xr.Dataset:
    r"""Return the goodput of a source that knows the true capacity while the others use the announced capacity.

    .. math:: T(r) = \begin{cases} r y & L \le 1 \\
        \dfrac{r^{k+1} + n r (1 - r^k) y}{n + r^{k+1}} & L > 1 \end{cases}
        \qquad y = \frac{(k + 1) v}{n k + (k + 1) r - r^{k+1}}, \quad L = (n + r) y, \quad n = M - 1

    Parameters
    ----------
    k : float or array
        k [1], in [1, inf).
    v : float or array
        Virtual factor [1], in (0, 1]: ratio of the announced to the true capacity.
    sources : int or array
        M [sources], integers in [2, inf): the cheater and n = M - 1 honest sources.
    drop : {"curve", "equal"}
        Packets are lost by the loss-load curve of the true capacity, or with the same probability for all sources, as
        in a shared buffer.
    play : {"leader", "reply"}
        "leader": the cheater chooses the best rate, knowing how the others will reply; "reply": it replies as they do,
        but by the curve of the true capacity. "reply" needs ``drop="curve"``.

    Returns
    -------
    xarray.Dataset
        Along ``k``, ``v`` and ``sources``: ``ratio`` r of the cheater's rate to an honest one's [1], ``rate``,
        ``offered_load``, ``goodput`` T, ``honest_goodput`` of each other source, ``fair_share`` (goodput without
        cheating), all relative to the true capacity [1]; ``gain`` T and ``harm``, the honest goodput, both relative to
        the fair share [1].

    Notes
    -----
    The honest sources are in equilibrium, each with its largest raw throughput
    (``derivations/loss_load_unequal.py``). For v = 1 there is no gain. With ``drop="equal"`` T = r/(n + r) rises with
    the rate, and the others' rates rise with it: the result is the limit at infinite rates.

    Examples
    --------
    >>> found = cheating(k=2, v=[0.5, 1.0], sources=2)
    >>> found.gain.values.ravel().round(2)
    array([1.54, 1.  ])

    References
    ----------
    Prithviraj & Williamson, virtual loss-load model, section 2.3, footnote 3.
    """
    import xarray as xr

    axes = {
        "k": np.atleast_1d(domains.numbers("k", k, "1", "[1, inf)")).ravel(),
        "v": np.atleast_1d(domains.numbers("v", v, "1", "(0, 1]")).ravel(),
        "sources": np.atleast_1d(domains.numbers("sources", sources, "sources", "[2, inf)", integer=True)).ravel(),
    }
    domains.choice("drop", drop, DROPS)
    domains.choice("play", play, PLAYS)
    if drop == "equal" and play == "reply":
        raise domains.conflict("play = 'reply'", "excludes drop = 'equal'")
    power, factor, count = np.meshgrid(*axes.values(), indexing="ij")
    n = count - 1
    edge = _bisect(lambda r: r ** (power + 1) - (power + 1) * r - n * power, 1 + 0 * n, 2 + n * power)
    if drop == "equal":
        ratio, rate, load = edge, np.full_like(edge, np.inf), np.full_like(edge, np.inf)
        goodput = edge / (n + edge)
        honest = 1 / (n + edge)
    else:
        ratio = _best_ratio(power, factor, n, edge) if play == "leader" else _reply_ratio(power, factor, n, edge)
        rate = ratio * _honest_rate(ratio, power, factor, n)
        load = rate * (n + ratio) / ratio
        goodput = _goodput(ratio, power, factor, n)
        honest = np.where(load > 1, (1 - goodput) / n, rate / ratio)
    share = np.minimum(1, (power + 1) * factor / power) / count
    columns = {
        "ratio": ratio,
        "rate": rate,
        "offered_load": load,
        "goodput": goodput,
        "honest_goodput": honest,
        "fair_share": share,
        "gain": goodput / share,
        "harm": honest / share,
    }
    return xr.Dataset(
        {name: (tuple(axes), values, {"units": "1"}) for name, values in columns.items()},
        coords=axes,
        attrs={"drop": drop, "play": play},
    )


def _honest_rate(ratio: Array, k: Array, v: Array, n: Array) -> Array:
    """Return y, the rate of an honest source relative to the true capacity."""
    result: Array = (k + 1) * v / (n * k + (k + 1) * ratio - ratio ** (k + 1))
    return result


def _goodput(ratio: Array, k: Array, v: Array, n: Array) -> Array:
    """Return the cheater's goodput T(r) relative to the true capacity."""
    honest = _honest_rate(ratio, k, v, n)
    above = (ratio ** (k + 1) + n * ratio * (1 - ratio**k) * honest) / (n + ratio ** (k + 1))
    result: Array = np.where((n + ratio) * honest <= 1, ratio * honest, above)
    return result


def _best_ratio(k: Array, v: Array, n: Array, edge: Array) -> Array:
    """Return the rate ratio above 1 with the largest goodput of the cheater, by successively finer grids.

    Ratios below 1 bring no gain.
    """
    low, high = 1 + 0 * n, edge * (1 - 1e-12)
    steps = np.linspace(0, 1, 401).reshape(-1, *([1] * n.ndim))
    for _ in range(8):
        grid = low + (high - low) * steps
        at = np.argmax(_goodput(grid, k, v, n), axis=0)
        low, high = (np.take_along_axis(grid, np.clip(at + step, 0, 400)[None], axis=0)[0] for step in (-1, 1))
    result: Array = np.where(v == 1, 1.0, (low + high) / 2)
    return result


def _reply_ratio(k: Array, v: Array, n: Array, edge: Array) -> Array:
    """Return the rate ratio at which the cheater's loss probability by the true curve is 1/(k + 1).

    The residual is that of r^k (L - 1) = L - v, multiplied by Q/((k + 1) v), where Q is the denominator of y.
    """

    def residual(ratio: Array) -> Array:
        left = (n * k + (k + 1) * ratio - ratio ** (k + 1)) / ((k + 1) * v)  # Q/((k + 1) v), 0 at the edge
        result: Array = ratio**k * (n + ratio - left) - (n + ratio - v * left)
        return result

    return np.where(v == 1, 1.0, _bisect(residual, 1 + 0 * n, edge))


def _bisect(function: Any, low: Array, high: Array) -> Array:
    """Return, elementwise, the point in (low, high) at which a function changes from negative to positive."""
    for _ in range(80):
        middle = (low + high) / 2
        positive = function(middle) > 0
        low, high = np.where(positive, low, middle), np.where(positive, middle, high)
    return (low + high) / 2

"""Gain of a source that knows a link's virtual factor (Prithviraj & Williamson, footnote 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from longfat.base import domains
from longfat.fluid.loss_load.best_reply import Array, _floats

if TYPE_CHECKING:
    import xarray as xr

DROPS = ("curve", "equal")
PLAYS = ("leader", "reply")


def cheating(
    k: ArrayLike, v: ArrayLike, sources: ArrayLike, *, drop: str = "curve", play: str = "leader"
) -> xr.Dataset:
    r"""Return the goodput of one source that uses the true capacity among others that believe the announced one.

    .. math:: T(r) = \begin{cases} r y & L \le 1 \\
        \dfrac{r^{k+1} + n r (1 - r^k) y}{n + r^{k+1}} & L > 1 \end{cases}
        \qquad y = \frac{(k + 1) v}{n k + (k + 1) r - r^{k+1}}, \quad L = (n + r) y, \quad n = M - 1

    Parameters
    ----------
    k : float or array
        k [1], in [1, inf).
    v : float or array
        Virtual factor [1], in (0, 1]: announced over true capacity.
    sources : int or array
        M [sources], integers in [2, inf): the cheater and n = M - 1 honest sources.
    drop : {"curve", "equal"}
        Packets are lost by the loss-load curve of the true capacity, or with the same probability for all sources, as
        in a shared buffer.
    play : {"leader", "reply"}
        The cheater chooses the best rate knowing how the others will reply; or replies as they do, but by the true
        curve. "reply" needs ``drop="curve"``.

    Returns
    -------
    xarray.Dataset
        Along ``k``, ``v`` and ``sources``: ``ratio`` r of the cheater's rate to an honest one's [1], ``rate``,
        ``offered_load``, ``goodput`` T, ``honest_goodput`` of each other, ``fair_share`` (goodput without cheating),
        all over the true capacity [1], ``gain`` T over fair share and ``harm`` honest goodput over fair share [1].

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
        "k": np.atleast_1d(_floats("k", k, "1", "[1, inf)")).ravel(),
        "v": np.atleast_1d(_floats("v", v, "1", "(0, 1]")).ravel(),
        "sources": np.atleast_1d(_floats("sources", sources, "sources", "[2, inf)")).ravel(),
    }
    domains.array("sources", axes["sources"], "sources", domains.Interval.parse("[2, inf)"), integer=True)
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
    """Return y, the rate of an honest source over the true capacity."""
    result: Array = (k + 1) * v / (n * k + (k + 1) * ratio - ratio ** (k + 1))
    return result


def _goodput(ratio: Array, k: Array, v: Array, n: Array) -> Array:
    """Return the cheater's goodput T(r) over the true capacity."""
    honest = _honest_rate(ratio, k, v, n)
    above = (ratio ** (k + 1) + n * ratio * (1 - ratio**k) * honest) / (n + ratio ** (k + 1))
    result: Array = np.where((n + ratio) * honest <= 1, ratio * honest, above)
    return result


def _best_ratio(k: Array, v: Array, n: Array, edge: Array) -> Array:
    """Return the ratio with the largest goodput, in ever finer grids; below 1 the cheater has less than fair."""
    low, high = 1 + 0 * n, edge * (1 - 1e-12)
    steps = np.linspace(0, 1, 401).reshape(-1, *([1] * n.ndim))
    for _ in range(8):
        grid = low + (high - low) * steps
        at = np.argmax(_goodput(grid, k, v, n), axis=0)
        low, high = (np.take_along_axis(grid, np.clip(at + step, 0, 400)[None], axis=0)[0] for step in (-1, 1))
    result: Array = np.where(v == 1, 1.0, (low + high) / 2)
    return result


def _reply_ratio(k: Array, v: Array, n: Array, edge: Array) -> Array:
    """Return the ratio at which the cheater loses 1/(k + 1) by the true curve.

    The equation is r^k (L - 1) = L - v, times Q/((k + 1) v).
    """

    def residual(ratio: Array) -> Array:
        left = (n * k + (k + 1) * ratio - ratio ** (k + 1)) / ((k + 1) * v)  # Q/((k + 1) v), 0 at the edge
        result: Array = ratio**k * (n + ratio - left) - (n + ratio - v * left)
        return result

    return np.where(v == 1, 1.0, _bisect(residual, 1 + 0 * n, edge))


def _bisect(function: Any, low: Array, high: Array) -> Array:
    """Return the point at which a function changes from negative to positive."""
    for _ in range(80):
        middle = (low + high) / 2
        positive = function(middle) > 0
        low, high = np.where(positive, low, middle), np.where(positive, middle, high)
    return (low + high) / 2

"""Final rates of CADPC and number of updates until it is fair, for millions of starts, without storing the paths.

All updates of one start are computed before the next start, so that the rates stay in the first-level cache.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from longfat.base import code_cache, domains
from longfat.replication import replicate

if TYPE_CHECKING:
    import xarray as xr


# The compiler may reorder sums, so that one vector instruction processes several flows. It may not ignore NaN and
# infinities: the flags for this are not set.
FLAGS: dict[str, Any] = {"fastmath": {"reassoc", "contract", "nsz"}, "error_model": "numpy"}


def kernel(function: Callable[..., Any]) -> Any:
    """Return a function compiled by numba with `FLAGS`, whose code is cached on disk."""
    return code_cache.compiled(function, [Path(__file__).resolve().parent], **FLAGS)


@kernel
def advance(rates: Any, counts: Any, smoothing: Any, updates: int, threshold: Any, floor: Any, fair_at: Any) -> None:
    """Update the rates (points, classes) in place; write each point's first fair update, or -1, into ``fair_at``."""
    points, classes = rates.shape
    zero = rates.dtype.type(0)
    one = rates.dtype.type(1)
    for point in range(points):
        x, a = rates[point], smoothing[point]
        total, squares, flows = zero, zero, zero
        for j in range(classes):
            flows += counts[j]
            total += counts[j] * x[j]
            squares += counts[j] * x[j] * x[j]
        first = 0 if total * total >= threshold * flows * squares else -1
        for update in range(1, updates + 1):
            gain = one + a * (one - total)
            total, squares = zero, zero
            for j in range(classes):
                after = x[j] * (gain - a * x[j])
                after = after if after > floor else floor
                x[j] = after
                part = counts[j] * after
                total += part
                squares += part * after
            if first < 0 and total * total >= threshold * flows * squares:
                first = update
        fair_at[point] = first


PRECISIONS = ("double", "single")


def cadpc_fairness(
    start: ArrayLike,
    updates: int,
    smoothing: ArrayLike = 0.5,
    *,
    flows: ArrayLike = 1,
    threshold: float = 0.99,
    floor: float = 0.0,
    precision: str = "double",
    threads: int | None = None,
) -> xr.Dataset:
    r"""Return the rates of synchronous CADPC after ``updates`` updates, and when Jain's index reaches a threshold.

    .. math:: x_i(t+1) = x_i(t) \Bigl(1 + a \Bigl(1 - x_i(t) - \sum_j x_j(t)\Bigr)\Bigr), \qquad
        t^* = \min\Bigl\{t : \frac{\bigl(\sum_j x_j(t)\bigr)^2}{n \sum_j x_j(t)^2} \ge J\Bigr\}

    Parameters
    ----------
    start : array of shape (points, classes)
        Rates at time 0 relative to the capacity [1], in [0, inf).
    updates : int
        Number of updates, in [0, 10^9].
    smoothing : float or array of shape (points,)
        a [1], in (0, 3].
    flows : int or array of shape (classes,)
        Number of flows in each class [flows], an integer in [1, inf): flows with equal rates at the start keep equal
        rates.
    threshold : float
        J [1], in (0, 1].
    floor : float
        Smallest rate relative to the capacity [1], in [0, 1).
    precision : {"double", "single"}
        Floating-point precision; single is nearly twice as fast and accurate to 1e-5.
    threads : int
        Processor cores to use, in [1, 1024]; all if None.

    Returns
    -------
    xarray.Dataset
        ``rate`` (point, class) and ``traffic`` (point) relative to the capacity [1] and ``jain_index`` (point) [1], all
        at the end, and ``fair_after`` (point) [updates], NaN if the threshold is not reached.

    Notes
    -----
    Every update of every rate is computed: nothing is extrapolated. A point needs 8 bytes for each class, so it stays
    in the first-level cache. Rates that are all zero count as fair. Reports are not delayed and weights are equal; for
    delays, weights and paths use `integrate` with `cadpc`.

    Examples
    --------
    >>> found = cadpc_fairness([[0.001, 0.2]], 400, flows=[3, 6])
    >>> found.rate.values.round(6), found.fair_after.values
    (array([[0.1, 0.1]]), array([...]))

    References
    ----------
    M. Welzl, Scalable Router Aided Congestion Avoidance, section II.B, equation (1); R. Jain, D. Chiu and W. Hawe, A
    quantitative measure of fairness, DEC-TR-301, 1984.
    """
    import xarray as xr

    domains.choice("precision", precision, PRECISIONS)
    kind: Any = np.float64 if precision == "double" else np.float32
    rates = domains.numbers("start", start, "1", "[0, inf)").astype(kind)  # a copy: the kernel writes into it
    if rates.ndim != 2 or not rates.size:
        raise domains.wrong_shape("start", rates.shape, "(points, classes), with one or more of each")
    updates = domains.integer("updates", updates, "updates", "[0, 1000000000]")
    a = domains.numbers("smoothing", smoothing, "1", "(0, 3]", length=len(rates)).astype(kind)
    counts = domains.numbers("flows", flows, "flows", "[1, inf)", integer=True, length=rates.shape[1]).astype(kind)
    fair = domains.number("threshold", threshold, "1", "(0, 1]")
    least = domains.number("floor", floor, "1", "[0, 1)")
    workers = domains.integer("threads", threads or os.cpu_count() or 1, "threads", "[1, 1024]")
    fair_at = np.empty(len(rates), dtype=np.int64)

    def part(rows: slice) -> None:
        advance(rates[rows], counts, a[rows], updates, kind(fair), kind(least), fair_at[rows])

    size = max(1, math.ceil(len(rates) / (16 * workers)))
    parts = [slice(i, i + size) for i in range(0, len(rates), size)]
    if workers == 1 or len(parts) == 1:
        part(slice(None))
    else:
        part(slice(0, 0))  # compile, or load, before the threads start
        replicate(part, parts, workers)
    weighted = rates.astype(float) * counts
    total, squares = weighted.sum(axis=1), counts.sum() * (weighted * rates).sum(axis=1)
    silent = squares == 0  # all rates are zero, so they are equal
    one = {"units": "1"}
    return xr.Dataset(
        {
            "rate": (("point", "class"), rates, one),
            "traffic": ("point", total, one),
            "jain_index": ("point", np.where(silent, 1.0, total**2 / np.where(silent, 1.0, squares)), one),
            "fair_after": ("point", np.where(fair_at < 0, np.nan, fair_at), {"units": "updates"}),
        },
        coords={"smoothing": ("point", a, one), "flows": ("class", counts, {"units": "flows"})},
        attrs={"threshold": fair, "updates": updates},
    )

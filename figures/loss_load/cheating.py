"""Gain of a source that knows the link's true capacity, while the others use the announced one (footnote 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Cheating(NamedTuple):
    """Rates and goodputs by k, virtual factor and number of sources, relative to the true capacity."""

    ratio: Array  # r: rate of the cheater over that of an honest source
    rate: Array  # of the cheater
    goodput: Array  # T: of the cheater
    honest_goodput: Array  # of each other source
    fair_share: Array  # goodput without cheating

    @property
    def gain(self) -> Array:
        """Goodput of the cheater over the fair share."""
        return self.goodput / self.fair_share

    @property
    def harm(self) -> Array:
        """Goodput of an honest source over the fair share."""
        return self.honest_goodput / self.fair_share


def cheating(k: Sequence[float], v: Sequence[float], sources: Sequence[int]) -> Cheating:
    r"""Return the best rate of a source that knows the true capacity and how the others will reply to it.

    .. math:: T(r) = \begin{cases} r y & L \le 1 \\
        \dfrac{r^{k+1} + n r (1 - r^k) y}{n + r^{k+1}} & L > 1 \end{cases}
        \qquad y = \frac{(k + 1) v}{n k + (k + 1) r - r^{k+1}}, \quad L = (n + r) y, \quad n = M - 1

    The honest sources are in equilibrium, each with its largest raw throughput (``derivations/loss_load_unequal.py``).
    Each combination of ``k``, of the virtual factors ``v``, and of the numbers of sources M is computed.

    >>> cheating([2], [0.5, 1.0], [2]).gain.ravel().round(2)
    array([1.54, 1.  ])
    """
    power, factor, count = np.meshgrid(np.asarray(k, float), v, sources, indexing="ij")
    n = count - 1
    ratio = _best_ratio(power, factor, n)
    rate = ratio * _honest_rate(ratio, power, factor, n)
    goodput = _goodput(ratio, power, factor, n)
    honest = np.where(rate * (n + ratio) / ratio > 1, (1 - goodput) / n, rate / ratio)
    return Cheating(ratio, rate, goodput, honest, np.minimum(1, (power + 1) * factor / power) / count)


def _honest_rate(ratio: Array, k: Array, v: Array, n: Array) -> Array:
    """Return y, the rate of an honest source."""
    result: Array = (k + 1) * v / (n * k + (k + 1) * ratio - ratio ** (k + 1))
    return result


def _goodput(ratio: Array, k: Array, v: Array, n: Array) -> Array:
    """Return the cheater's goodput T(r)."""
    honest = _honest_rate(ratio, k, v, n)
    above = (ratio ** (k + 1) + n * ratio * (1 - ratio**k) * honest) / (n + ratio ** (k + 1))
    result: Array = np.where((n + ratio) * honest <= 1, ratio * honest, above)
    return result


def _best_ratio(k: Array, v: Array, n: Array) -> Array:
    """Return the ratio above 1 with the largest goodput, by successively finer grids; ratios below 1 gain nothing."""
    low, high = 1 + 0 * n, _largest_ratio(k, n) * (1 - 1e-12)
    steps = np.linspace(0, 1, 401).reshape(-1, *([1] * n.ndim))
    for _ in range(8):
        grid = low + (high - low) * steps
        at = np.argmax(_goodput(grid, k, v, n), axis=0)
        low, high = (np.take_along_axis(grid, np.clip(at + step, 0, 400)[None], axis=0)[0] for step in (-1, 1))
    result: Array = np.where(v == 1, 1.0, (low + high) / 2)
    return result


def _largest_ratio(k: Array, n: Array) -> Array:
    """Return the ratio at which the denominator of y becomes 0, so that y is infinite."""
    low, high = 1.0 + 0 * n, 2.0 + n * k
    for _ in range(80):
        middle = (low + high) / 2
        beyond = middle ** (k + 1) > (k + 1) * middle + n * k
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    return (low + high) / 2

"""Interval of a loss probability from the number of losses that were counted."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

__all__ = ["CONFIDENCE", "loss_interval", "poisson_interval"]

CONFIDENCE = 0.95
#: For more events the interval is that of Wilson and Hilferty: sums of terms would take long, and the ends of the
#: two differ by less than 2e-11 of themselves there.
MANY = 1_000_000


def poisson_interval(events: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    r"""Return the exact confidence interval of the mean of a Poisson variable, from one value of it.

    The ends are those of Garwood: the means at which a value at least as large, or as small, as the observed one has
    the probability (1 - confidence)/2.

    Parameters
    ----------
    events : int
        The value [1], in [0, inf).
    confidence : float
        Confidence level [probability], in (0, 1).

    Returns
    -------
    tuple of float
        Lower and upper end [1]; the lower one of 0 events is 0.

    Examples
    --------
    >>> low, high = poisson_interval(10)
    >>> round(low, 4), round(high, 4)
    (4.7954, 18.3904)

    References
    ----------
    F. Garwood, Fiducial limits for the Poisson distribution, Biometrika 28, 1936.
    E. B. Wilson and M. M. Hilferty, The distribution of chi-square, PNAS 17, 1931: the cube root of a chi-square
    variable, of which Garwood's ends are quantiles, is nearly normal.
    """
    tail = (1 - confidence) / 2
    if events > MANY:
        z = NormalDist().inv_cdf(1 - tail)
        return _cube(events, -z), _cube(events + 1, z)
    top = events + 20 * math.sqrt(events + 10) + 20  # ours: the tail beyond it is below 1e-40
    low = _root(lambda mean: _at_least(events, mean) - tail, 0.0, float(events)) if events else 0.0
    return low, _root(lambda mean: tail - _at_most(events, mean), float(events), top)


def loss_interval(lost: float, packets: float, burst: float | None = None) -> tuple[float, float]:
    """Return the interval of the loss probability [probability], from the packets lost and sent.

    Losses in a row are one event, because they have one cause; the number of events is taken as Poisson's. Without the
    mean length of a burst every loss counts as an event, which makes the interval too narrow where losses come in
    bursts.

    Parameters
    ----------
    lost, packets : float
        Packets lost, and packets sent [packets].
    burst : float, optional
        Mean number of packets lost in a row [packets].

    Examples
    --------
    >>> [round(end, 7) for end in loss_interval(0, 10_000)]  # nothing lost: at most 3.7 in 10,000
    [0.0, 0.0003689]
    """
    size = burst or 1.0
    events = max(round(lost / size), 1) if lost else 0
    low, high = poisson_interval(events)
    each = lost / events if lost else size  # packets
    return low * each / packets, min(high * each / packets, 1.0)


def _cube(k: float, z: float) -> float:
    """Return half of the quantile of chi-square with 2 k degrees of freedom, at z standard deviations."""
    return k * (1 - 1 / (9 * k) + z / (3 * math.sqrt(k))) ** 3


def _root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Return the zero of a rising function by bisection."""
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _at_least(k: int, mean: float) -> float:
    """Return the probability of k or more, for a mean of at most k: the terms fall from the first one on."""
    total, term, i = 0.0, 1.0, k
    while term > 1e-17 * (total or 1.0):
        total += term
        i += 1
        term *= mean / i
    return _probability(k, mean) * total


def _at_most(k: int, mean: float) -> float:
    """Return the probability of k or less, for a mean of at least k: the terms fall from the last one on."""
    total, term, i = 0.0, 1.0, k
    while i >= 0 and term > 1e-17 * (total or 1.0):
        total += term
        term *= i / mean if mean else 0.0
        i -= 1
    return _probability(k, mean) * total


def _probability(k: int, mean: float) -> float:
    if mean == 0:
        return float(k == 0)
    return math.exp(k * math.log(mean) - mean - math.lgamma(k + 1))

"""Warm-up of one long run; for several replications see `longfat.replication.interval`."""

from __future__ import annotations

from typing import Any

import numpy as np

from longfat.base import domains

GROUP = 5  # samples in a group of MSER-5


def warm_up(samples: Any) -> int:
    """Return how many samples at the beginning belong to the warm-up, by the rule MSER-5.

    The samples are divided into n groups of five with means Z_j. The first d groups are left out, where d minimises the
    squared standard error sum_{j > d} (Z_j - Z)^2/(n - d)^2, and Z is the mean of the remaining Z_j.

    Parameters
    ----------
    samples : array_like
        Samples at equal time intervals from the start of the run, in order, at least 50 [any unit].

    Returns
    -------
    int
        Samples to leave out [samples], a multiple of five.

    Raises
    ------
    ValueError
        For too few samples, for samples that are not finite, and for a minimum beyond half of the samples: such a run
        shows no steady state, and has to be longer.

    Notes
    -----
    The last five values of d are excluded: with so few groups left, their means may be close together by chance.

    Examples
    --------
    >>> rising = np.minimum(np.arange(1000) / 100, 1.0)
    >>> warm_up(rising + np.random.default_rng(1).normal(0, 0.1, 1000))
    100

    References
    ----------
    White, Simulation 69 (1997) 323; White, Cobb & Spratt, Proc. Winter Simulation Conference
    (2000) 755; the limit of half the samples: Hoad, Robinson & Davies, Journal of Simulation 4 (2010).
    """
    try:
        series = domains.floats(samples)
    except (TypeError, ValueError):
        raise domains.wrong_type("samples", samples, "a sequence of numbers") from None
    if series.ndim != 1 or len(series) < 10 * GROUP:
        raise domains.wrong_shape("samples", series.shape, f"a sequence of at least {10 * GROUP} numbers")
    if not np.isfinite(series).all():
        raise domains.out_of_range("samples", series[~np.isfinite(series)][0], "1", "(-inf, inf)")
    groups = series[: len(series) // GROUP * GROUP].reshape(-1, GROUP).mean(1)
    groups = groups - groups.mean()  # reduces rounding errors, and does not move the minimum
    count = np.arange(len(groups), 0, -1)  # remaining groups after leaving out 0, 1, 2, ...
    total = groups[::-1].cumsum()[::-1]
    squares = (groups**2)[::-1].cumsum()[::-1]
    marginal_error = np.maximum(squares - total**2 / count, 0.0) / count**2
    left_out = int(np.argmin(marginal_error[:-GROUP]))
    if left_out > len(groups) // 2:
        raise ValueError(
            f"the warm-up takes {GROUP * left_out} of {len(series)} samples, more than half of them: run longer"
        )
    return GROUP * left_out

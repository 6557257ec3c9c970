"""Confidence intervals for series of known mean and variance; warm-up for a known transient."""

import math

import numpy as np
import pytest

from longfat.replication import interval
from longfat.sim.runs import statistics


def autoregressive(rng, length, correlation, mean=10.0):
    """x' = r x + noise of variance 1, begun in its stationary distribution: variance 1/(1 - r^2)."""
    noise = rng.normal(size=length)
    noise[0] /= math.sqrt(1 - correlation**2)
    series = np.empty(length)
    value = 0.0
    for k in range(length):
        value = correlation * value + noise[k]
        series[k] = value
    return series + mean


def covered(intervals, truth):
    return sum(one.lower <= truth <= one.upper for one in intervals)


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_batches_cover(correlation):
    """AR(1): of 300 intervals at 90 % cover 270 +- 3 sqrt(300 * 0.09) = 270 +- 15.6, where batches are long."""
    rng = np.random.default_rng(3)
    count = covered([statistics.batch_means(autoregressive(rng, 3000, correlation), 30, 0.9) for _ in range(300)], 10)
    assert 254 <= count <= 286


def test_correlated_batches():
    """r = 0.97, batches of 100: a short memory per batch. Without the correction fewer would cover."""
    rng = np.random.default_rng(4)
    series = [autoregressive(rng, 3000, 0.97) for _ in range(200)]
    with_it = covered([statistics.batch_means(one, 30, 0.9) for one in series], 10)
    batches = [one.reshape(30, 100).mean(1) for one in series]
    without = covered([interval(one, 0.9) for one in batches], 10)
    assert without < with_it
    assert with_it >= 180 - 12.7  # 3 sqrt(200 * 0.09)


def test_the_width_is_that_of_the_series():
    """Variance of the mean of AR(1), n = 30,000, r = 0.5: 1/(1 - r)^2/n. Half width t_29 at 95 % times its root."""
    rng = np.random.default_rng(5)
    widths = [(lambda one: (one.upper - one.lower) / 2)(statistics.batch_means(autoregressive(rng, 30_000, 0.5)))
              for _ in range(20)]  # fmt: skip
    assert np.mean(widths) == pytest.approx(2.045 * math.sqrt(4 / 30_000), rel=0.1)


def test_left_over_samples_are_dropped_at_the_front():
    series = [1000.0] * 5 + [1.0, 2.0] * 50
    assert statistics.batch_means(series, 10) == (1.5, 1.5, 1.5)


def test_warm_up_by_the_definition():
    """Return the statistic as the paper writes it, group by group."""
    rng = np.random.default_rng(8)
    for length in (50, 103, 400):
        series = rng.normal(size=length).cumsum() * 0.01 + rng.normal(size=length)
        groups = [np.mean(series[k : k + 5]) for k in range(0, length - 4, 5)]
        errors = [np.sum((groups[d:] - np.mean(groups[d:])) ** 2) / (len(groups) - d) ** 2 for d in range(len(groups))]
        best = int(np.argmin(errors[:-5]))
        if best <= len(groups) // 2:
            assert statistics.warm_up(series) == 5 * best
        else:
            with pytest.raises(ValueError, match="more than half of them: run longer"):
                statistics.warm_up(series)

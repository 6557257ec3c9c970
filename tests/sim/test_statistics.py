"""Warm-up for a known transient."""

import numpy as np
import pytest

from longfat.sim.runs import statistics


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

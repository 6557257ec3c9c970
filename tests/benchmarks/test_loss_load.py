"""Optimal rates on 10^6 points: the law against SciPy's bracketing root finder on the same equation, and under jit."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import elementwise

from longfat.laws.loss_load import response_optimal_rate, throughput_optimal_rate

RNG = np.random.default_rng(0)
POINTS = 10**6
EXCESS = np.where(RNG.random(POINTS) < 0.5, RNG.uniform(-1, 1, POINTS), 10 ** RNG.uniform(-6, 6, POINTS))
SPREAD = 10 ** RNG.uniform(-30, 6, POINTS)
K = RNG.uniform(1, 50, POINTS)
TRANSFER = 10 ** RNG.uniform(0, 9, POINTS), 10 ** RNG.uniform(-8, 1, POINTS), 10 ** RNG.uniform(0, 9, POINTS)


def bracketed(excess, spread, k):
    """Return the optimal rates by Chandrupatla's method in ln f, with the law's bracket and equation."""
    top, ratio = (spread / k) ** (1 / (k + 1)), (k + 1) / k
    free = ratio * np.maximum(-excess, 0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        above = np.where(excess > 0, np.minimum(top, (spread / ((k + 1) * excess)) ** (1 / k)), top)
    low = np.where(excess < 0, np.maximum(free, top), above * 0.5 ** (1 / k)) * 0.98
    high = np.where(excess < 0, free + top, above) * 1.02

    def equation(x, excess, log_spread, k):
        f = np.exp(x)
        return f + (k + 1) / k * excess - np.exp(log_spread - k * x)

    found = elementwise.find_root(equation, (np.log(low), np.log(high)), args=(excess, np.log(spread / k), k))
    assert found.success.all()
    return np.exp(found.x)


@pytest.mark.parametrize("way", ["scipy find_root", "law", "law under jit"])
def test_a_million_throughput_optima(benchmark, way):
    benchmark.group = "throughput-optimal rate, 10^6 points"
    points = EXCESS, SPREAD, K
    if way == "law under jit":
        points, compiled = [jnp.asarray(x) for x in points], jax.jit(throughput_optimal_rate)

        def call():
            return compiled(*points).block_until_ready()
    else:
        function = throughput_optimal_rate if way == "law" else bracketed

        def call():
            return function(*points)

    np.testing.assert_allclose(call(), throughput_optimal_rate(EXCESS, SPREAD, K), rtol=1e-11)
    benchmark.pedantic(call, rounds=3)


def test_a_million_response_optima(benchmark):
    benchmark.group = "response-optimal rate, 10^6 points"
    benchmark.pedantic(response_optimal_rate, (EXCESS, SPREAD, K, *TRANSFER), rounds=3)

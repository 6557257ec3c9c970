"""Speed of `throughput_efficiency` on 10^6 points against the same arithmetic in NumPy, and under jax.jit."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from longfat.laws.selective_repeat import throughput_efficiency

RNG = np.random.default_rng(0)
POINTS = 10**6
WINDOW = RNG.uniform(1, 60, POINTS)
LOSS = 10 ** RNG.uniform(-6, -1, POINTS)
PACKETS = RNG.integers(1, 129, POINTS).astype(float)
ACK = RNG.uniform(5, 30, POINTS)


def by_hand(window, loss, packets, ack):
    g = -np.expm1(packets * np.log1p(-loss))
    in_flight = (2 * ack + 1 + loss) * g
    small = (1 + window * g) / (in_flight + (ack + 1) / window)
    middle = ((ack + np.minimum(window - ack, ack * (1 - loss))) * g + 1) / (in_flight + 1)
    return np.where(window <= ack + 1, small, np.where(window < 2 * ack + 1, middle, 1 - loss))


@pytest.mark.parametrize("share_alone", [0.0, 0.01])
@pytest.mark.parametrize("way", ["by hand", "law", "law under jit"])
def test_a_million_points(benchmark, way, share_alone):
    benchmark.group = f"throughput efficiency, 10^6 points, {share_alone:.0%} with W = 1 (by hand always without)"
    window = WINDOW.copy()
    window[: int(share_alone * POINTS)] = 1.0
    if way == "law under jit":
        arrays = [jnp.asarray(a) for a in (window, LOSS, PACKETS, ACK)]
        compiled = jax.jit(throughput_efficiency)

        def call():
            return compiled(*arrays).block_until_ready()
    else:
        function = by_hand if way == "by hand" else throughput_efficiency

        def call():
            return function(window, LOSS, PACKETS, ACK)

    result = call()
    if not share_alone:
        np.testing.assert_allclose(result, by_hand(WINDOW, LOSS, PACKETS, ACK), rtol=1e-12)
    benchmark.pedantic(call, rounds=15, warmup_rounds=2)

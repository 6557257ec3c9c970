"""The mean number of rounds against plain summation, and where its forms meet."""

import math

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

from longfat.laws.selective_repeat import mean_rounds, rounds

slope = jax.jit(jax.grad(mean_rounds))  # compiled once for all points


def summed(loss, packets):
    """Return S term by term, from the definition."""
    total, power, least = mpmath.mpf(0), mpmath.mpf(1), mpmath.mpf(10) ** -40
    while True:
        term = 1 - (1 - power) ** packets
        total += term
        if term < least * total:
            return total
        power *= loss


@pytest.fixture(autouse=True)
def _digits():
    with mpmath.workdps(80):
        yield


@pytest.mark.parametrize("loss", [1e-12, 1e-6, 0.01, 0.3, 0.5, 0.74, 0.8, 0.8607079, 0.861, 0.9, 0.97])
def test_against_plain_summation(loss):
    for packets in (1, 2, 3, 8, 15, 16, 17, 38, 39, 40, 128, 10**4, 10**9):
        expected = summed(mpmath.mpf(loss), packets)
        assert abs(mean_rounds(loss, packets) - expected) < 1e-13 * expected, packets
        assert abs(mean_rounds(mpmath.mpf(loss), packets) - expected) < mpmath.mpf(10) ** -35 * expected, packets


def test_small_losses_keep_their_digits():
    """S - 1 = s p for tiny p: 7 times 1e-300."""
    from longfat.law.array_namespaces import NUMPY

    assert rounds.repeated_rounds(np.array(1e-300), np.array(7.0), NUMPY) == pytest.approx(7e-300, rel=1e-14)


@pytest.mark.parametrize("packets", [1.0, 7.0, 16.0, 128.0])
def test_no_step_where_the_forms_meet(packets):
    """Value and slope agree on both sides of u = U."""
    at = math.exp(-rounds.SPLIT)
    left, right = np.nextafter(at, 0), np.nextafter(at, 1)
    below, above = slope(left - 1e-15, packets), slope(right + 1e-15, packets)
    assert float(below) == pytest.approx(float(above), rel=1e-10)
    assert mean_rounds(left, packets) == pytest.approx(mean_rounds(right, packets), rel=1e-13)


def test_the_gradient_is_complete_where_the_forms_meet():
    """At -ln p = U in floats, where the maximum of two equal numbers would pass on half of the gradient."""
    for p in (float(np.exp(-0.15)), float(np.nextafter(np.exp(-0.15), 1)), float(np.nextafter(np.exp(-0.15), 0))):
        assert float(slope(p, 1.0)) == pytest.approx(1 / (1 - p) ** 2, rel=1e-9)


def test_reverse_mode_over_an_array():
    """Gradients pass because the number of terms is fixed: d/dp 1/(1 - p) = 1/(1 - p)^2 for s = 1."""
    p = jnp.array([0.0, 1e-300, 1e-3, 0.5, 0.9, 1 - 1e-6])
    slopes = jax.jit(jax.grad(lambda x: jnp.sum(mean_rounds(x, 1.0))))(p)
    np.testing.assert_allclose(slopes[1:], 1 / (1 - p[1:]) ** 2, rtol=1e-9)

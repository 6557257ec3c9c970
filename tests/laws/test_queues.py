"""The laws of finite queues against printed sums in many digits, and their derivatives."""

import functools

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

from longfat.laws import queues
from longfat.laws.queues.constant import PLACES

LOADS = [0.05, 0.3, 0.8, 0.999, 1.0, 1.001, 1.3, 2.5, 6.0]


def printed(load, capacity):
    """Return the values of M/D/1/K from the sums that Brun and Garcia print, in 400 digits."""
    with mpmath.workdps(400):
        x = mpmath.mpf(load)
        grown = [mpmath.exp(j * x) for j in range(capacity)]  # each once, not for each of the sums
        signed = [mpmath.mpf(-1) ** k / mpmath.factorial(k) for k in range(capacity)]
        b = [mpmath.fsum(signed[k] * ((n - k) * x) ** k * grown[n - k] for k in range(n + 1)) for n in range(capacity)]
        loss = 1 - b[-1] / (1 + x * b[-1])
        number = capacity - mpmath.fsum(b) / (1 + x * b[-1])
        return loss, number, capacity - 1 - (mpmath.fsum(b) - capacity) / (x * b[-1])


def finite(service, load, capacity):
    """Return loss, mean number and mean waiting time by the laws; service is mm1k or md1k."""
    return [getattr(queues, f"{service}_{what}")(load, capacity) for what in ("loss", "mean_number", "wait")]


@pytest.mark.parametrize("service", ["mm1k", "md1k"])
def test_without_a_buffer(service):
    """Erlang's formula for one server, whatever the service times: the server is free 1 of 1 + rho."""
    for load in LOADS:
        expected = [load / (1 + load), load / (1 + load), 0]
        assert finite(service, load, 1) == pytest.approx(expected, rel=1e-14, abs=0), load


@pytest.mark.parametrize("capacity", [2, 17, PLACES, PLACES + 1])
def test_both_ways_against_the_printed_sums(capacity):
    for load in (0.02, 0.249, 0.251, 1 - 1e-9, 1.0, 1.999, 2.001, 3.999, 4.001, 30.0):
        for got, expected in zip(finite("md1k", load, capacity), printed(load, capacity), strict=True):
            assert abs(got - expected) <= 1e-12 * abs(expected), load


@functools.cache
def derivative(law):
    """Return the compiled derivative in forward mode; tests/test_laws.py tests reverse mode, also around load 1."""
    return jax.jit(jax.jacfwd(law))


def slope(law, load, capacity):
    """Return the derivative with respect to the load, point by point, so that one shape is compiled once."""
    points = zip(*map(np.ravel, np.broadcast_arrays(load, capacity)), strict=True)
    return jnp.stack([derivative(law)(*map(jnp.asarray, point)) for point in points])


def many_digits(law, load, capacity):
    """Return the slope by a difference in 60 digits."""
    with mpmath.workdps(60):
        step = mpmath.mpf(10) ** -20
        above, below = (law(mpmath.mpf(load) + sign * step, capacity) for sign in (1, -1))
        return float((above - below) / (2 * step))


@pytest.mark.parametrize(
    "law",
    [queues.mm1k_loss, queues.mm1k_wait, pytest.param(queues.md1k_wait, marks=pytest.mark.long)],  # compiled in 15 s
    ids=lambda law: law.name,
)
def test_second_derivatives_at_load_one(law):
    capacity = np.array([2.0, 10, PLACES + 10])
    got = jax.jit(jax.vmap(jax.hessian(law), (None, 0)))(1.0, capacity)
    with mpmath.workdps(60):
        step = mpmath.mpf(10) ** -12
        for k, value in zip(capacity, got, strict=True):
            above, middle, below = (law(1 + sign * step, k) for sign in (1, 0, -1))
            assert value == pytest.approx(float((above - 2 * middle + below) / step**2), rel=1e-7)


def test_no_load_and_the_greatest():
    for service in ("mm1k", "md1k"):
        for capacity in (1, 5, PLACES + 1):
            assert finite(service, 0.0, capacity) == [0, 0, 0]
            assert finite(service, 1e300, capacity) == pytest.approx([1, capacity, capacity - 1], rel=1e-15)


@pytest.mark.parametrize("law", [queues.mm1k_loss, queues.mm1k_wait, queues.md1k_loss], ids=lambda law: law.name)
def test_single_precision_at_load_one(law):
    capacity = np.array([5.0, 90, 120])
    got = slope(law, np.float32(1.0), capacity.astype(np.float32))
    assert got.dtype == jnp.float32
    np.testing.assert_allclose(got, [many_digits(law, 1.0, k) for k in capacity], rtol=1e-4)

"""The queueing laws against many digits, and Markov chains solved as linear systems."""

import functools
import math

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

from longfat.laws import queues
from longfat.laws.queues.constant import PLACES

LOADS = [0.05, 0.3, 0.8, 0.999, 1.0, 1.001, 1.3, 2.5, 6.0]


def stationary(rates):
    """Return the stationary distribution of a chain from its rates or probabilities between different states."""
    rates = rates - np.diag(np.diag(rates))
    equations = rates.T - np.diag(rates.sum(axis=1))
    equations[-1] = 1.0
    return np.linalg.solve(equations, np.eye(len(rates))[-1])


def birth_and_death(load, capacity):
    """Return loss, mean number and mean waiting time of M/M/1/K, from the generator of its chain."""
    p = stationary(np.diag([load] * capacity, 1) + np.diag([1.0] * capacity, -1))
    found = np.arange(capacity) @ p[:-1] / p[:-1].sum()
    return p[-1], np.arange(capacity + 1) @ p, found


def departures(load, capacity):
    """Return loss, mean number and mean waiting time of M/D/1/K, from the chain embedded at departures."""
    arrivals = [math.exp(-load) * load**i / math.factorial(i) for i in range(capacity)]
    steps = np.zeros((capacity, capacity))
    for left in range(capacity):
        begin = max(left, 1) - 1  # left behind if nobody arrives in the service
        steps[left, begin:] = arrivals[: capacity - begin]
        steps[left, -1] = 1 - steps[left, :-1].sum()
    pi = stationary(steps) if capacity > 1 else np.ones(1)
    accepted = 1 / (1 + pi[0] / load)  # packets per service time
    loss = 1 - accepted / load
    number = (1 - loss) * (np.arange(capacity) @ pi) + loss * capacity
    return loss, number, number / accepted - 1


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


@pytest.mark.parametrize(("service", "solved"), [("mm1k", birth_and_death), ("md1k", departures)])
@pytest.mark.parametrize("capacity", [1, 2, 3, 7, 20])
def test_against_the_chain_solved_as_a_linear_system(capacity, service, solved):
    for load in LOADS:
        assert finite(service, load, capacity) == pytest.approx(solved(load, capacity), rel=1e-9, abs=1e-13), load


def test_the_linear_system_sees_a_place_too_many():
    """A capacity without the packet in service, or exponential for constant service times, would fail."""
    right = departures(0.8, 7)
    assert finite("md1k", 0.8, 8) != pytest.approx(right, rel=1e-2)
    assert finite("mm1k", 0.8, 7) != pytest.approx(right, rel=1e-2)


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


@pytest.mark.parametrize("load", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_a_vast_buffer_is_no_limit(load):
    loss, number, wait = finite("mm1k", load, 10**5)
    assert loss == 0  # 0.99^100000 = 1e-436
    assert number == pytest.approx(queues.mm1_mean_number(load), rel=1e-13)
    assert wait == pytest.approx(queues.mm1_wait(load), rel=1e-13)
    loss, number, wait = finite("md1k", load, 10**5)
    assert loss == 0
    assert wait == pytest.approx(queues.md1_wait(load), rel=1e-12)
    assert number == pytest.approx(load * (1 + queues.md1_wait(load)), rel=1e-12)


@pytest.mark.parametrize("service", ["mm1k", "md1k"])
def test_littles_law(service):
    load, capacity = np.meshgrid(np.linspace(0.01, 4, 41), [1.0, 2, 10, 95, 96, 97, 98, 500])
    loss, number, wait = finite(service, load, capacity)
    np.testing.assert_allclose(number, load * (1 - loss) * (1 + wait), rtol=1e-12)
    assert np.all(load * (1 - loss) <= 1 + 1e-15)


HYPER = np.array([[0.9, 1.8], [0.1, 0.2]])  # share and rate of two kinds; mean 0.5 + 0.5 = 1
# E[S^2] = 2 (0.9/1.8^2 + 0.1/0.2^2) = 5.5556, so C_b^2 = 4.5556
SQUARED_VARIATION = 2 * (0.9 / 1.8**2 + 0.1 / 0.2**2) - 1


def test_processor_sharing_against_a_chain():
    """The same service times, shared: states are the numbers of either kind, up to 36 together."""
    load, room = 0.4, 36
    share, rate = HYPER.T
    states = [(i, k) for i in range(room + 1) for k in range(room + 1 - i)]
    index = {state: n for n, state in enumerate(states)}
    rates = np.zeros((len(states), len(states)))
    for i, k in states:
        if i + k < room:
            rates[index[i, k], index[i + 1, k]] = load * share[0]
            rates[index[i, k], index[i, k + 1]] = load * share[1]
        if i:
            rates[index[i, k], index[i - 1, k]] = rate[0] * i / (i + k)
        if k:
            rates[index[i, k], index[i, k - 1]] = rate[1] * k / (i + k)
    p = stationary(rates)
    # Little's law for each kind by itself, over its own mean service time
    for kind in (0, 1):
        number = np.array([state[kind] for state in states]) @ p
        response = number / (load * share[kind]) * rate[kind]
        assert response == pytest.approx(queues.mg1ps_response(load), rel=1e-10)
    # in order of arrival the same load would give another number
    assert load * (1 + queues.mg1_wait(load, SQUARED_VARIATION)) > 1.5 * queues.mm1_mean_number(load)


@pytest.mark.parametrize("law", [queues.mm1k_loss, queues.mm1k_wait, queues.md1k_loss], ids=lambda law: law.name)
def test_single_precision_at_load_one(law):
    capacity = np.array([5.0, 90, 120])
    got = slope(law, np.float32(1.0), capacity.astype(np.float32))
    assert got.dtype == jnp.float32
    np.testing.assert_allclose(got, [many_digits(law, 1.0, k) for k in capacity], rtol=1e-4)

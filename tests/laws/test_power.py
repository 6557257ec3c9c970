"""Network power: the maximum by another algorithm, fairness, refusals."""

import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
import sympy as sp
from scipy import optimize

from longfat.laws import power

GIGABIT, FILE, TRIP = 1.25e8, 1e5, 0.03


def in_the_simplest_way(share):
    """Return power at a load from S, D, C and F, with the waiting time h S rho/(1 - rho)."""

    def at(load, capacity, file_size, trip):
        service = file_size / capacity
        return load * capacity / (trip + service + service * share * load / (1 - load))

    return at


@pytest.mark.parametrize(("law", "share"), [(power.power_ceiling, 1.0), (power.first_come_ceiling, 0.5)])
@pytest.mark.parametrize("capacity", [1e3, 3.75e6, 1.875e7, GIGABIT, 1e11])
def test_ceilings(law, share, capacity):
    at = in_the_simplest_way(share)
    found = optimize.minimize_scalar(
        lambda load: -at(load, capacity, FILE, TRIP), bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-9}
    )
    assert law(capacity, FILE, TRIP) == pytest.approx(-found.fun, rel=1e-12)
    variation = 2 * share - 1
    assert power.greatest_power(capacity, FILE, TRIP, variation) == pytest.approx(-found.fun, rel=1e-12)
    knee = power.knee_load(TRIP * capacity / FILE, variation)
    assert power.network_power(knee * capacity, 1 / (-found.fun / knee / capacity)) == pytest.approx(-found.fun)


def test_jain():
    assert power.jain_index([3.0, 3.0, 3.0]) == pytest.approx(1.0, rel=1e-15)
    for k in range(1, 6):  # k of five: k/5
        assert power.jain_index([7.0] * k + [0.0] * (5 - k)) == pytest.approx(k / 5, rel=1e-15)
    assert power.jain_index([1, 2, 3]) == pytest.approx(36 / 42, rel=1e-15)  # 6^2/(3 * 14)
    for size in (1e-200, 1e200):  # squares would vanish or overflow
        assert power.jain_index([size, 2 * size, 3 * size]) == pytest.approx(6 / 7, rel=1e-15)
    table = np.array([[1.0, 1.0], [1.0, 0.0]])
    np.testing.assert_allclose(power.jain_index(table), [1.0, 0.5])
    np.testing.assert_allclose(power.jain_index(table, axis=0), [1.0, 0.5])


def test_jain_in_every_arithmetic():
    values = [1.0, 2.0, 3.0]
    assert power.jain_index([Fraction(1), Fraction(2), Fraction(3)]) == Fraction(6, 7)
    with mpmath.workdps(40):
        assert mpmath.almosteq(power.jain_index([mpmath.mpf(v) for v in values]), mpmath.mpf(6) / 7)
    a, b = sp.symbols("a b", positive=True)
    assert sp.simplify(power.jain_index([a, b]) - (a + b) ** 2 / (2 * (a**2 + b**2))) == 0
    single = jax.jit(power.jain_index)(jnp.asarray(values, jnp.float32))
    assert single.dtype == jnp.float32
    assert float(single) == pytest.approx(6 / 7, rel=1e-6)
    assert power.jain_index(np.float32(values)).dtype == np.float32
    import array_api_strict

    assert float(power.jain_index(array_api_strict.asarray(values))) == pytest.approx(6 / 7, rel=1e-15)
    # d f/d x_i = 2 T/(n Q) - 2 T^2 x_i/(n Q^2) = (2 * 6/(3 * 14)) (1 - 6 x_i/14)
    by_hand = [2 / 7 * (1 - 6 * v / 14) for v in values]
    np.testing.assert_allclose(jax.grad(power.jain_index)(jnp.asarray(values)), by_hand, rtol=1e-13, atol=1e-15)
    assert math.isnan(power.jain_index([1.0, math.nan]))
    assert math.isnan(jax.jit(power.jain_index)(jnp.zeros(3)))


@pytest.mark.parametrize(
    "bad",
    [[], 3.0, [1.0, -1.0], [1.0, math.inf], [0.0, 0.0], [[1.0, 1.0], [0.0, 0.0]], ["1"], [1j], [None, 1.0],
     [Fraction(-1), Fraction(1)], [Fraction(0)], [sp.Integer(-1), sp.Symbol("x")]],
)  # fmt: skip
def test_jain_refuses(bad):
    range_or_type = r"^throughputs(.* bytes/s is out of range: must be in | must be an array of numbers)"
    with pytest.raises((TypeError, ValueError), match=range_or_type):
        power.jain_index(bad)

"""The CADPC laws in 50 digits, against a numerical Jacobian, and against networks that run."""

import itertools
import math

import jax
import mpmath
import numpy as np
import pytest

from longfat.laws import cadpc

# The exact solution


def test_trajectory_in_fifty_digits():
    """Many flows, many updates, tiny rates: where 1 - (1 - y)^(2^t) in floats gives 0, or 2^t overflows."""
    cases = [
        (1e-300, 1, 1000),
        (1e-300, 1, 990),
        (5e-324, 1, 1073),
        (5e-324, 1, 3000),
        (1e-20, 10**6, 40),
        (1e-9, 10**8, 3),
        (0.4999999999, 1, 30),
        (0.09 + 1e-14, 10, 2),
        (1e-3, 100, 10**6),
    ]
    for rate, flows, updates in cases:
        with mpmath.workdps(400):
            y = mpmath.mpf(rate) * (1 + flows)
            power = mpmath.mpf(2) ** updates * mpmath.log(1 - y)
            exact = float(-mpmath.expm1(max(power, -10_000)) / (1 + flows))
        assert cadpc.trajectory(rate, flows, updates) == pytest.approx(exact, rel=2e-15), (rate, flows, updates)
    assert -math.expm1(0) == (1 - (1 - 2e-300) ** 2**990) == 0  # what the plain form makes of the second


def test_trajectory_outside_the_basin():
    for rate in (0.5, 0.50001, 0.9):  # 2/(1 + n) = 1/2
        assert math.isnan(cadpc.trajectory(rate, 3, 0))
        assert math.isnan(cadpc.trajectory(rate, 3, 4))
        assert math.isnan(cadpc.updates_to_fraction(rate, 3, 0.9))
        assert cadpc.step(rate, 3 * rate) <= 0  # why
    assert cadpc.trajectory(0.49999, 3, 1) > 0
    np.testing.assert_array_equal(np.isnan(cadpc.trajectory([0.1, 0.6], 3, 2)), [False, True])


def test_slopes_of_the_trajectory():
    """dx_t/dx_0 = (2 e_0)(2 e_1) ... (2 e_(t-1)), the chain of the map's slopes; 0 through the equilibrium."""
    slope = jax.jit(jax.grad(cadpc.trajectory))
    for start, updates in itertools.product((1e-9, 0.03, 0.05, 0.0909, 1 / 11, 0.1, 0.15, 0.18), range(8)):
        rate, chain = start, 1.0
        for _ in range(updates):
            chain *= 2 * (1 - 11 * rate)
            rate = rate * (2 - 11 * rate)
        assert float(slope(start, 10.0, float(updates))) == pytest.approx(chain, rel=1e-10, abs=1e-13)
    # 2^19 (1 - 4.6e-5)^(2^19 - 1): exp(-24), which is lost in exp(-24) - 1
    assert float(slope(1e-6, 45.0, 19.0)) == pytest.approx(1.7593865250102123e-05, rel=1e-12)
    assert float(slope(0.25, 3.0, 1.0)) == 0  # 1 - 4 x is 0 exactly
    assert float(slope(0.25, 3.0, 5000.0)) == float(slope(1e-300, 3.0, 5000.0)) == 0


# Fairness


def network_of_flows(rates, smoothing, history=None):
    """Return one update of n separate flows, with the given or the present traffic."""
    traffic = rates.sum() if history is None else history.sum()
    return rates * (1 + smoothing * (1 - rates - traffic))


def jacobian(function, point):
    """Return the Jacobian matrix by central differences."""
    step = 1e-6
    columns = [
        (function(point + step * unit) - function(point - step * unit)) / (2 * step) for unit in np.eye(len(point))
    ]
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("flows", [2, 5, 12, 50])
@pytest.mark.parametrize("smoothing", [0.5, 1.0, 1.5])
def test_spectrum_of_separate_flows(flows, smoothing):
    point = np.full(flows, 1 / (1 + flows))
    eigenvalues = np.sort(np.linalg.eigvals(jacobian(lambda x: network_of_flows(x, smoothing), point)).real)
    expected = np.sort([1 - smoothing, *[cadpc.difference_multiplier(flows, smoothing)] * (flows - 1)])
    np.testing.assert_allclose(eigenvalues, expected, atol=1e-7)

    # ln 100 = 4.60517, -ln(1 - 1/202) = 0.00496279: 927.94 updates of 1.2 s


# Late reports


def test_multipliers_by_hand():
    # d = 1, a = 1, n = 1: z^2 - z/2 + 1/2 = 0, z = (1 +- i sqrt(7))/4
    found = cadpc.total_multipliers(1, 1, 1)
    assert sorted(found.imag) == pytest.approx([-math.sqrt(7) / 4, math.sqrt(7) / 4])
    assert found.real == pytest.approx([0.25, 0.25])
    assert cadpc.total_multipliers(5, 0.25)[0] == 0.75
    for flows in (1, 10, 1e6):  # one update late, a = 1: sqrt(n/(1 + n))
        assert abs(cadpc.total_multipliers(flows, 1, 1)) == pytest.approx(math.sqrt(flows / (1 + flows)))


@pytest.mark.parametrize("delay", [0, 1, 2, 3, 4, 9, 30])
def test_bound_of_smoothing_against_the_multipliers(delay):
    for flows in (1, 2, 3, 10, 1000, 7.5):
        bound = cadpc.largest_stable_smoothing(flows, delay)
        for part in (0.05, 0.3, 0.7, 0.95, 1 - 1e-6):
            assert abs(cadpc.total_multipliers(flows, bound * part, delay))[0] < 1, (flows, part)
        for part in (1 + 1e-6, 1.05, 1.5, 2):  # no second region beyond, up to 2 (1 + n)
            largest = abs(cadpc.total_multipliers(flows, bound * part, delay))[0]
            assert largest > 1 or bound * part > 2 * (1 + flows), (flows, part)


# Several links


@pytest.mark.parametrize(("first", "second"), [(1, 1), (9, 1), (8, 3), (3, 8), (50, 49)])
def test_parking_lot(first, second):
    routes = np.zeros((2, 1 + first + second))
    routes[:, 0] = 1
    routes[0, 1 : 1 + first] = routes[1, 1 + first :] = 1
    rates = cadpc.network_equilibrium(routes)
    assert rates[0] == pytest.approx(cadpc.parking_lot_long_rate(first, second), rel=1e-13)
    assert rates[1] == pytest.approx(cadpc.parking_lot_short_rate(first, second), rel=1e-13)
    assert rates[-1] == pytest.approx(cadpc.parking_lot_short_rate(second, first), rel=1e-13)


def progressive_filling(routes, capacities):
    """Return max-min fair rates by many small steps, in which all rates grow that can."""
    rates, growing = np.zeros(routes.shape[1]), np.ones(routes.shape[1], dtype=bool)
    while growing.any():
        slack = capacities - routes @ rates
        on = routes @ growing
        grow = np.min(slack[on > 0] / on[on > 0])
        rates[growing] += grow
        full = capacities - routes @ rates < 1e-12
        growing &= ~(routes[full].any(axis=0))
    return rates


def test_networks_by_running_them():
    """Updates of separate flows, each by the report of its link with the least spare capacity, from random rates."""
    rng = np.random.default_rng(2005)
    for _ in range(12):
        links, flows = rng.integers(2, 5), rng.integers(2, 8)
        routes = rng.random((links, flows)) < 0.5
        routes[rng.integers(links), ~routes.any(axis=0)] = True
        capacities, weights = rng.uniform(1, 4, links), rng.uniform(0.5, 3, flows)
        expected = cadpc.network_equilibrium(routes, capacities, weights)
        rates = rng.uniform(0.01, 0.1, flows)
        for _ in range(3000):
            available = capacities - routes @ rates
            bottleneck = np.argmin(np.where(routes, available[:, None], np.inf), axis=0)
            full = capacities[bottleneck]
            rates = rates * (1 + 0.3 * (available[bottleneck] - rates / weights) / full)
        np.testing.assert_allclose(rates, expected, rtol=1e-8)
        again = cadpc.weighted_step(rates / full, 1 - available[bottleneck] / full, weights, 0.3)
        np.testing.assert_allclose(full * again, rates, rtol=1e-8)
        # The same, as the max-min fair rates of a network with one flow more on every link (equal weights)
        virtual = np.hstack([routes, np.eye(links)])
        filled = progressive_filling(virtual, capacities)[:flows]
        np.testing.assert_allclose(cadpc.network_equilibrium(routes, capacities), filled, rtol=1e-9)


def test_networks_of_one_link():
    np.testing.assert_allclose(cadpc.network_equilibrium([[True] * 4], 2.5e6), [5e5] * 4)
    shares = cadpc.network_equilibrium([[1, 1]], weights=[2, 1])
    np.testing.assert_allclose(shares, [cadpc.weighted_equilibrium_rate(w, 3) for w in (2, 1)])


# Refusals


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cadpc.total_multipliers(0), r"flows = 0 flows is out of range"),
        (lambda: cadpc.total_multipliers(3, -1), r"smoothing = -1 is out of range"),
        (lambda: cadpc.total_multipliers(3, 1, 0.5), r"delay = 0.5 updates is out of range: must be an integer"),
        (lambda: cadpc.largest_stable_smoothing(0.5), r"flows = 0.5 flows is out of range"),
        (lambda: cadpc.largest_stable_smoothing([2, 3], [1, 1.5]), r"delay\[1\] = 1.5 updates is out of range"),
        (lambda: cadpc.network_equilibrium([1, 1]), r"routes has shape \(2,\): must be \(links, flows\)"),
        (
            lambda: cadpc.network_equilibrium("all"),
            "routes must be a number or an array of numbers, got the string 'all'",
        ),
        (lambda: cadpc.network_equilibrium([[1, 2]]), r"routes\[0, 1\] = 2 is out of range"),
        (lambda: cadpc.network_equilibrium([[1, 0]]), r"routes\[:, 1\] = no link"),
        (
            lambda: cadpc.network_equilibrium([[1, 1]], [1, 2]),
            r"capacities has shape \(2,\): must be one value or an array of length 1$",
        ),
        (lambda: cadpc.network_equilibrium([[1, 1]], -1), r"capacities = -1 bytes/s is out of range"),
        (lambda: cadpc.network_equilibrium([[1, 1]], 1, [1, 0]), r"weights\[1\] = 0 flows is out of range"),
    ],
)
def test_refusals(call, message):
    with pytest.raises((TypeError, ValueError), match=message) as refusal:
        call()
    assert "\n" not in str(refusal.value)

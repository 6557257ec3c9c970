"""Loss-load sources that reply to each other: their equilibrium, how fast they converge, and cases that do not."""

import math

import numpy as np
import pytest
from scipy import optimize

import longfat as lf

fluid = lf.fluid.loss_load
FAST = {"strategy": "response", "capacity_packets": 1e4, "round_trip_time": 0.044, "packets": 1000}


def starts(sources, rng):
    """Return starts: idle, all at the capacity, one source alone, unequal, and spread over six decades."""
    return {
        "idle": np.full(sources, 1e-6),
        "full": np.ones(sources),
        "alone": np.eye(sources)[0],
        "lopsided": np.geomspace(1e-4, 30, sources),
        "spread": 10.0 ** rng.uniform(-4, 2, sources),
    }


@pytest.mark.parametrize(
    ("order", "delay", "k", "sources"),
    [("synchronous", 0, 3, 5), ("synchronous", 2, 1, 2), ("asynchronous", 0, 1, 2), ("asynchronous", 2, 20, 3),
     ("in turn", 0, 20, 3), ("in turn", 2, 3, 5)],
)  # fmt: skip
def test_throughput_optimisers_come_to_rest_from_any_start(order, delay, k, sources):
    """Equilibrium: rates (k + 1)/(k M), loss 1/(k + 1), as proved in derivations/loss_load_convergence.py."""
    for start in starts(sources, np.random.default_rng(3)).values():
        found = fluid.time_to_equilibrium(k, sources, delay, start=lambda _, s=start: s, order=order, rng=1)
        assert found.status.item() == "converged"
        assert found.offered_load.item() == pytest.approx((k + 1) / k, rel=1e-9)
    run = fluid.iterate(start, found.updates.item() + 1, k, order=order, delay=delay, rng=np.random.default_rng(1))
    np.testing.assert_allclose(run.rates[-1], (k + 1) / (k * sources), rtol=1e-8)
    np.testing.assert_allclose(run.loss[-1], 1 / (k + 1), rtol=1e-6)  # k times as sensitive


def test_sources_that_begin_at_rest_need_no_update():
    found = fluid.time_to_equilibrium(1, 2, start=1.0)  # (k + 1)/(k M) = 1
    assert (found.status.item(), found.updates.item()) == ("converged", 0)


def test_virtual_capacity_scales_the_rates_and_spares_the_packets():
    k, v = 5, 0.7
    true, virtual = (fluid.iterate([0.2, 0.6, 0.1], 30, k), fluid.iterate(v * np.array([0.2, 0.6, 0.1]), 30, k, v))
    np.testing.assert_allclose(virtual.rates, v * true.rates, rtol=1e-12)
    assert float(virtual.offered_load[-1]) == pytest.approx(6 / 5 * v)
    assert float(virtual.loss[-1].max()) == 0  # 0.84 of the true capacity
    beyond = fluid.iterate([0.2, 0.6, 0.1], 40, k, 0.9)
    np.testing.assert_allclose(beyond.loss[-1], 1 - 1 / (6 / 5 * 0.9), rtol=1e-9)


@pytest.mark.parametrize("delay", [1, 4])
def test_a_delay_only_multiplies_the_updates(delay):
    start = [1.0, 0.03, 0.4]
    plain = fluid.iterate(start, 12, 5).rates.values
    late = fluid.iterate(start, 12 * (delay + 1), 5, delay=delay).rates.values
    np.testing.assert_array_equal(late[1:], np.repeat(plain[1:], delay + 1, axis=0)[: len(late) - 1])
    found = fluid.time_to_equilibrium([2, 10], [3, 20], [0, delay]).updates.values
    np.testing.assert_array_equal(found[..., 1], (delay + 1) * (found[..., 0] - 1) + 1)


def test_constant_sources_and_access_limits():
    """Equilibrium beside two constant sources, by another root finder; limits below the fair rate, by water filling."""
    k, constant = 3, np.array([True, True, False, False, False])
    run = fluid.iterate([0.9, 0.05, 0.1, 2.0, 0.3], 60, k, constant=constant)
    total, powers = 0.95, 0.9**4 + 0.05**4
    rate = optimize.brentq(lambda c: 3 * k * c ** (k + 1) + (k + 1) * (total - 1) * c**k - powers, 1e-3, 5, xtol=1e-15)
    np.testing.assert_allclose(run.rates[-1], [0.9, 0.05, rate, rate, rate], rtol=1e-9)
    np.testing.assert_allclose(run.loss[-1, 2:], 0.25, rtol=1e-9)
    limited = fluid.iterate([1.0, 1.0, 1.0], 60, k, access_rate=[0.1, 5.0, 5.0]).rates[-1]
    rate = optimize.brentq(lambda c: 2 * k * c ** (k + 1) + (k + 1) * (0.1 - 1) * c**k - 0.1**4, 0.2, 5, xtol=1e-15)
    np.testing.assert_allclose(limited, [0.1, rate, rate], rtol=1e-9)


def test_few_sources_that_seek_response_time_alternate_about_the_capacity():
    """Two sources take the spare capacity f = -a: x' = 1 - y, y' = 1 - x, so errors alternate; in turn they stay."""
    run = fluid.iterate([0.45, 0.5], 20, 5, **FAST)
    np.testing.assert_allclose(run.rates[1], [0.5, 0.55], rtol=1e-12)
    np.testing.assert_allclose(run.rates[2], [0.45, 0.5], rtol=1e-12)
    found = fluid.time_to_equilibrium(5, 2, start=lambda _: [0.45, 0.5], **FAST)
    assert found.status.item() == "oscillates"
    assert found.period.item() == 2
    assert found.least_load.item() == pytest.approx(0.95)
    assert found.largest_load.item() == pytest.approx(1.05)
    late = fluid.time_to_equilibrium(5, 2, delay=2, start=lambda _: [0.45, 0.5], **FAST)
    assert late.period.item() == 6
    calm = fluid.time_to_equilibrium(5, [2, 3], order="in turn", start=lambda m: np.linspace(0.4, 0.5, m), **FAST)
    assert (calm.status == "converged").all()
    np.testing.assert_allclose(calm.offered_load, 1, rtol=1e-9)


def test_three_sources_never_settle_on_the_capacity_and_eleven_do_above_it():
    """At the capacity an update multiplies the load's error by -(M - 1): `loss_load_response.full_link`."""
    for k in (2, 20):
        run = fluid.iterate([0.33, 0.334, 0.335], 6, k, **FAST)  # 0.999
        error = run.offered_load.values - 1
        np.testing.assert_allclose(error[1:3] / error[:2], -2, rtol=1e-9)
        found = fluid.time_to_equilibrium(k, [3, 11], start=lambda m: np.linspace(1, 1.5, m) / m, updates=60, **FAST)
        assert found.status.values.ravel().tolist() == ["not within updates", "converged"]
        assert found.largest_load.values.ravel()[0] - found.least_load.values.ravel()[0] > 0.3
        assert 1 < found.offered_load.values.ravel()[1] < (k + 1) / k


def test_sums_over_others_lose_nothing():
    rates = 10.0 ** np.arange(-12.0, 3.0)
    excess, spread = fluid.others(rates, 4)
    for j in range(rates.size):
        rest = np.delete(rates, j)
        assert spread[j] == pytest.approx(math.fsum(rest**5), rel=1e-14)
        assert excess[j] == pytest.approx(math.fsum(rest) - 1, rel=1e-13, abs=1e-15)
    many = np.full(1000, 1.1 / 1000)
    np.testing.assert_allclose(fluid.best_reply(many, 10), 1.1 / 1000, rtol=1e-11)
    stacked = fluid.best_reply(np.stack([many, 2 * many]), 10)
    np.testing.assert_allclose(stacked[1], fluid.best_reply(2 * many, 10))


def test_random_orders_repeat_with_their_seed():
    runs = [fluid.iterate([0.1, 2.0, 0.4], 30, 3, order="asynchronous", delay=2, rng=seed).rates for seed in (1, 1, 2)]
    assert runs[0].equals(runs[1])
    assert not runs[0].equals(runs[2])

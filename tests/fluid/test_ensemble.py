"""CADPC at many starts: the compiled kernel against NumPy, closed forms, and the general integrator."""

import numpy as np
import pytest
import xarray as xr

from longfat.fluid import cadpc, cadpc_fairness, integrate


def plainly(rates, updates, a, threshold, floor=0.0):
    """Iterate the map for all points at once, in NumPy."""
    fair = np.full(len(rates), np.nan)
    for t in range(updates + 1):
        jain = rates.sum(axis=1) ** 2 / (rates.shape[1] * (rates**2).sum(axis=1))
        fair = np.where(np.isnan(fair) & (jain >= threshold), t, fair)
        if t < updates:
            traffic = rates.sum(axis=1, keepdims=True)
            rates = np.maximum(rates * (1 + np.reshape(a, (-1, 1)) * (1 - rates - traffic)), floor)
    return rates, fair


@pytest.mark.parametrize("threads", [1, 2])
def test_it_is_the_plain_loop(threads):
    random = np.random.default_rng(1)
    start, a = 10 ** random.uniform(-4, -1, (37, 11)), random.uniform(0.2, 1.2, 37)
    start[0] = 1e-3  # fair from the beginning
    rates, fair = plainly(start, 60, a, 0.95)
    found = cadpc_fairness(start, 60, a, threshold=0.95, threads=threads)
    np.testing.assert_allclose(found.rate, rates, rtol=1e-11)
    np.testing.assert_array_equal(found.fair_after, fair)
    np.testing.assert_allclose(found.traffic, rates.sum(axis=1), rtol=1e-11)
    assert 0 < np.isnan(fair).sum() < 37  # both cases
    assert (start > 1e-5).all()  # and the argument is unchanged


def test_it_is_the_general_system():
    start, a = np.array([[0.01, 0.1, 0.3], [0.2, 0.2, 0.001]]), [0.5, 1.0]
    case = {"rate": xr.DataArray(start, dims=("case", "flow"))}
    run = integrate(cadpc(3), 25, case, smoothing=xr.DataArray(a, dims="case"))
    np.testing.assert_allclose(cadpc_fairness(start, 25, a).rate, run.rate[:, -1], rtol=1e-12)


def test_classes_are_flows_that_start_equal():
    classes = cadpc_fairness([[0.001, 0.05]], 300, 0.5, flows=[3, 7])
    flows = cadpc_fairness([[0.001] * 3 + [0.05] * 7], 300, 0.5)
    np.testing.assert_allclose(flows.rate[0, [0, 9]], classes.rate[0], rtol=1e-12)
    assert flows.fair_after.item() == classes.fair_after.item() > 10
    assert classes.jain_index.item() == pytest.approx(flows.jain_index.item(), rel=1e-12)


def test_single_precision():
    start = 10 ** np.random.default_rng(2).uniform(-4, -2, (20, 100))
    double, single = (cadpc_fairness(start, 1000, precision=kind) for kind in ("double", "single"))
    assert single.rate.dtype == np.float32
    np.testing.assert_allclose(single.rate, double.rate, rtol=1e-5)
    assert float(np.nanmax(np.abs(single.fair_after - double.fair_after))) <= 1


def test_the_floor_holds():
    """At four times the capacity the update 0.4 (1 + 0.5 (1 - 0.4 - 4)) is negative."""
    assert cadpc_fairness(np.full((1, 10), 0.4), 1).rate.max().item() == 0
    # 0.3 (1 + 1 - 0.3 - 0.8) = 0.27 is below the floor, 0.5 (1 + 1 - 0.5 - 0.8) is not
    np.testing.assert_allclose(cadpc_fairness([[0.3, 0.5]], 1, 1.0, floor=0.3).rate, [[0.3, 0.35]])
    rates, fair = plainly(np.linspace(0.1, 0.8, 10)[None], 50, 0.5, 0.9, floor=1e-3)
    found = cadpc_fairness(np.linspace(0.1, 0.8, 10)[None], 50, threshold=0.9, floor=1e-3)
    np.testing.assert_allclose(found.rate, rates, rtol=1e-12)
    np.testing.assert_array_equal(found.fair_after, fair)

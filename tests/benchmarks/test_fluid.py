"""Speed of `cadpc_fairness` with 10^5 starts, 100 flows each and 10^3 updates, against the usual methods.

All 10^10 updates of flows are computed; the final rates and the time to fairness are kept. The 100 flows of a point
start at 100 different rates, so that none can be omitted. The other methods are timed on a part of the points and
scaled: a NumPy loop over updates on an array of all its points, the same in blocks that fit the cache, `integrate` on
JAX, and SciPy's solve_ivp on the continuous form. The last is another computation: its steps follow its tolerance
(1e-6) and not the updates, and it agrees with the map at the end only.
"""

import time

import numpy as np
import pytest
import xarray as xr
from scipy.integrate import solve_ivp

from longfat.fluid import cadpc, cadpc_fairness, integrate
from longfat.fluid.ensemble import advance

POINTS, UPDATES, FLOWS, SMOOTHING = 10**5, 10**3, 100, 0.5


def starts(points):
    """Return initial rates, log-uniform between 10^-4 of the fair rate and the fair rate."""
    return 10 ** np.random.default_rng(0).uniform(-4, 0, (points, FLOWS)) / (FLOWS + 1)


def numpy_loop(rates):
    fair = np.full(len(rates), -1)
    for t in range(UPDATES + 1):
        traffic = rates.sum(axis=1)
        fair[(fair < 0) & (traffic**2 >= 0.99 * FLOWS * np.einsum("ij,ij->i", rates, rates))] = t
        if t < UPDATES:
            rates = rates * ((1 + SMOOTHING * (1 - traffic))[:, None] - SMOOTHING * rates)
    return rates, fair


def numpy_blocks(rates, size=200):
    parts = [numpy_loop(rates[i : i + size]) for i in range(0, len(rates), size)]
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def on_jax(rates):
    start = {"rate": xr.DataArray(rates, dims=("point", "flow"))}
    return integrate(cadpc(FLOWS), UPDATES, start, every=UPDATES, smoothing=SMOOTHING).rate.values[:, -1]


def continuous(rates):
    def rule(_, x):
        return SMOOTHING * x * (1 - x - x.sum())

    return np.stack([solve_ivp(rule, (0, UPDATES), x, rtol=1e-6, atol=1e-9).y[:, -1] for x in rates])


def seconds(function, *arguments):
    began = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - began, result


@pytest.mark.parametrize("precision", ["double", "single"])
def test_ten_thousand_million_flow_updates(benchmark, capsys, precision):
    start = starts(POINTS)
    cadpc_fairness(start[:100], 2, precision=precision)  # compile, or load
    times = []

    def ours():
        spent, result = seconds(lambda: cadpc_fairness(start, UPDATES, SMOOTHING, precision=precision))
        times.append(spent)
        return result

    found = benchmark.pedantic(ours, rounds=1)
    one = start[: POINTS // 10].astype("f8" if precision == "double" else "f4")
    kind = one.dtype.type
    arguments = np.ones(FLOWS, kind), np.full(len(one), SMOOTHING, kind), UPDATES, kind(0.99), kind(0)
    core, _ = seconds(lambda: advance(one, *arguments, np.empty(len(one), np.int64)))
    on_jax(start[:2])  # compiles for another number of points, but imports what has to be imported
    rivals = {
        "one core of it": (POINTS // 10, core),
        "NumPy, all points at once": (5000, (loop := seconds(numpy_loop, start[:5000]))[0]),
        "NumPy in blocks of 200": (1000, seconds(numpy_blocks, start[:1000])[0]),
        "integrate on JAX, with compilation": (1000, (path := seconds(on_jax, start[:1000]))[0]),
        "solve_ivp, continuous form": (20, (ode := seconds(continuous, start[:20]))[0]),
    }
    tolerance = 1e-9 if precision == "double" else 2e-5
    np.testing.assert_allclose(found.rate[:5000], loop[1][0], rtol=tolerance)
    np.testing.assert_allclose(found.rate[:1000], path[1], rtol=tolerance)
    assert np.abs(found.fair_after[:5000].fillna(-1) - loop[1][1]).max() <= (0 if precision == "double" else 1)
    np.testing.assert_allclose(found.rate[:20], ode[1], rtol=0.05)
    total = POINTS * UPDATES * FLOWS
    with capsys.disabled():
        print(f"\n    {precision}: {times[0]:.2f} s, {total / times[0]:.3g} points x updates x flows a second")
        for name, (points, spent) in rivals.items():
            scaled = spent * POINTS / points
            print(f"    {name}: {total / scaled:.3g} a second, scaled from {points} points: {scaled / times[0]:.1f} x")

"""Paths of fluid systems: closed forms, scipy's method of steps, manufactured solutions, gradients, bounds."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

from longfat.fluid import (
    Quantity,
    System,
    best_replies,
    cadpc,
    cadpc_flow,
    capc,
    integrate,
    tcp_red,
    trajectory,
    xcp,
)

# Every system with a start away from its equilibrium: (system, duration, start, step, parameters).
MEMBERS = [
    (cadpc(3), 12, {"rate": [0.01, 0.2, 0.3]}, None, {"delay": 2, "carry": 0.25, "weight": [1, 2, 3]}),
    (cadpc(3, periods=[1, 2, 3], phases=[0, 1, 0]), 12, {"rate": [0.01, 0.2, 0.3]}, None, {"smoothing": 1.0}),
    (cadpc(3, routes=[[1, 1, 0], [1, 0, 1]]), 12, {"rate": 0.1}, None, {"capacity": [1.0, 2.0]}),
    (cadpc_flow(3), 5.0, {"rate": [0.01, 0.2, 0.3]}, 0.25, {"interval": [1, 2, 3]}),
    (cadpc_flow(2, delayed=True), 5.0, {"rate": 0.2}, 0.25, {"delay": 1.1}),
    (capc(3), 40, {"share": 0.02}, None, {"demand": [0.1, 1.0, 1.0], "delay": 1}),
    (best_replies(3), 4, {"rate": [1.0, 0.5, 0.2]}, None, {"k": 3.0, "delay": 1, "virtual": 0.8}),
    (tcp_red(), 3.0, {"window": 5, "queue": 20, "average": 60}, 0.1, {}),
    (xcp(2), 2.0, {"rate": [0.1, 0.3], "queue": 0.02}, 0.05, {}),
]
EVERY = pytest.mark.parametrize(
    ("system", "duration", "start", "step", "parameters"),
    MEMBERS,
    ids=[f"{i} {m[0].name}" for i, m in enumerate(MEMBERS)],
)


@EVERY
def test_the_compiled_way_is_the_plain_way(system, duration, start, step, parameters):
    compiled = integrate(system, duration, start, step=step, **parameters)
    plain = integrate(system, duration, start, step=step, method="numpy", **parameters)
    for name in system.variables:
        np.testing.assert_allclose(compiled[name], plain[name], rtol=1e-10, atol=1e-14)
        assert compiled[name].attrs["units"] == system.variables[name].unit
        assert float(abs(compiled[name][-1] - compiled[name][0]).max()) > 1e-3  # and the state changes


def test_cadpc_by_hand():
    """x = (0.1, 0.3), a = 1/2, delay of one update, so L is 0.4 in both updates.

    0.1 (1 + (1 - 0.1 - 0.4)/2) = 0.125, 0.3 (1 + 0.3/2) = 0.345; 0.125 (1 + 0.475/2) = 0.1546875, 0.345 (1 + 0.255/2) =
    0.3889875. With a quarter of each report an update older, the third has 0.75 x 0.47 + 0.25 x 0.4 = 0.4525.
    """
    run = integrate(cadpc(2), 2, {"rate": [0.1, 0.3]}, delay=1)
    np.testing.assert_allclose(run.rate, [[0.1, 0.3], [0.125, 0.345], [0.1546875, 0.3889875]], rtol=1e-14)
    older = integrate(cadpc(2), 3, {"rate": [0.1, 0.3]}, delay=1, carry=0.25)
    third = [0.1546875 * (1 + 0.3928125 / 2), 0.3889875 * (1 + 0.1585125 / 2)]
    np.testing.assert_allclose(older.rate[3], third, rtol=1e-14)


def test_capc_by_hand():
    """Two flows, target 0.8. E = 0.1: z = 1/4, factor min(1.5, 1 + 0.75 * 0.1) = 1.075.

    E = 0.6: z = 1.5, factor max(0.5, 1 - 0.5 * 0.5) = 0.75; E = 1: z = 2.5, factor 0.5; R_u = 1: the factor 1.75 is
    limited to 1.5.
    """
    start = xr.DataArray([0.1, 0.6, 1.0, 0.1], dims="case")
    up = xr.DataArray([0.1, 0.1, 0.1, 1.0], dims="case")
    run = integrate(capc(2), 1, {"share": start}, target=0.8, up=up)
    np.testing.assert_allclose(run.share[:, 1], [0.1075, 0.45, 0.5, 0.15], rtol=1e-14)


def test_asynchronous_flows_wait_for_their_turn():
    run = integrate(cadpc(2, periods=[2, 3], phases=[1, 0]), 6, {"rate": 0.1})
    moved = np.diff(run.rate.values, axis=0) != 0
    np.testing.assert_array_equal(moved[:, 0], [False, True] * 3)
    np.testing.assert_array_equal(moved[:, 1], [True, False, False] * 2)


def test_systems_of_other_arguments_are_others():
    """Systems of equal arguments are one, which JAX compiles once."""
    given = {"periods": [2, 3]}
    assert cadpc(2, **given) is cadpc(2, **given)
    for other in ({"periods": [3, 2]}, {"phases": [1, 0]}, {"floor": 0.1}):
        assert cadpc(2, **given | other) is not cadpc(2, **given)
    first = cadpc(2, **given)
    for k in range(300):  # more than are kept
        cadpc(2, floor=1e-6 * (k + 1))
    assert cadpc(2, **given) is not first


def logistic(t, x0, n, a):
    """Return the solution of x' = a x (1 - (1 + n) x)."""
    return 1 / (np.exp(-a * t) / x0 + (1 + n) * (1 - np.exp(-a * t)))


def test_logistic_growth_to_fourth_order():
    errors = []
    for step in (0.5, 0.25, 0.125):
        run = integrate(cadpc_flow(4), 10, {"rate": 0.01}, step=step, smoothing=1.0, method="numpy")
        errors.append(np.abs(run.rate[:, 0] - logistic(run.time, 0.01, 4, 1.0)).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders == pytest.approx([4, 4], abs=0.3)
    assert errors[-1] < 1e-6


def test_a_linear_delay():
    """x' = -x(t - 1), x = 1 before 0; the method of steps gives x(3) = -1/6.

    It adds 1 - t, + (t - 1)^2/2, - (t - 2)^3/6.
    """
    linear = System(
        "linear",
        "flow",
        lambda t, x, late, p, xp: -late[0],
        {"x": Quantity("1", "(-inf, inf)", 1.0)},
        {},
        lambda x, p, xp: (1.0,),
        "s",
    )
    run = integrate(linear, 3, step=0.1)
    t = run.time.values
    exact = 1 - t + np.maximum(t - 1, 0) ** 2 / 2 - np.maximum(t - 2, 0) ** 3 / 6
    np.testing.assert_allclose(run.x, exact, atol=1e-14)


def test_a_delay_that_depends_on_the_state():
    """exp(-t) solves x' = -exp(-tau) x(t - tau) for any tau, here tau = 0.5 + x^2, with the exact past before 0."""

    def rule(t, x, late, p, xp):
        tau = 0.5 + x**2
        before = xp.where(t - tau < 0, xp.exp(-(t - tau)), late[0])
        return -xp.exp(-tau) * before

    system = System(
        "made", "flow", rule, {"x": Quantity("1", "(-inf, inf)", 1.0)}, {}, lambda x, p, xp: (0.5 + x[0] ** 2,), "s"
    )
    errors = []
    for step in (0.1, 0.05, 0.025):
        run = integrate(system, 4, step=step, method="numpy")
        errors.append(np.abs(run.x - np.exp(-run.time)).max())
    assert np.log2(errors[0] / errors[2]) / 2 == pytest.approx(4, abs=0.5)
    assert errors[-1] < 1e-7


@pytest.mark.parametrize(
    ("system", "start", "steps", "step", "name", "value", "fixed"),
    [
        (cadpc(3), [0.01, 0.05, 0.2], 20, 1.0, "smoothing", 0.6, {"delay": 1, "carry": 0.25}),
        (cadpc_flow(2, delayed=True), [0.05, 0.2], 40, 0.1, "delay", 0.777, {}),
        (tcp_red(), [5.0, 80.0, 70.0], 60, 0.05, "max_p", 0.1, {}),
    ],
)
def test_gradients_agree_with_finite_differences(system, start, steps, step, name, value, fixed):
    """Gradients of the compiled path against finite differences of the NumPy path."""

    def plain(c, shift):
        begin, place = {}, np.asarray(start) + shift * np.eye(len(start))[0]
        for variable, part in system.slices.items():
            begin[variable] = place[part] if system.variables[variable].axis else place[part][0]
        h = {"step": step} if system.kind == "flow" else {}
        run = integrate(system, steps * step, begin, method="numpy", **h, **fixed, **{name: c})
        return sum(float((run[variable][-1] ** 2).sum()) for variable in system.variables)

    def end(c, x):
        return jnp.sum(trajectory(system, x, steps, step, **fixed, **{name: c})[-1] ** 2)

    slope, by_start = jax.jit(jax.grad(end, argnums=(0, 1)))(value, jnp.asarray(start))
    h = 1e-5 * value
    assert float(slope) == pytest.approx((plain(value + h, 0) - plain(value - h, 0)) / (2 * h), rel=1e-5)
    assert float(by_start[0]) == pytest.approx((plain(value, 1e-5) - plain(value, -1e-5)) / 2e-5, rel=1e-5, abs=1e-9)


def test_points_are_combinations_and_labels_go_together():
    grid = integrate(cadpc(2), 5, {"rate": 0.1}, smoothing=[0.5, 1.0], delay=[0, 1, 2])
    assert grid.rate.sizes == {"smoothing": 2, "delay": 3, "update": 6, "flow": 2}
    one = integrate(cadpc(2), 5, {"rate": 0.1}, smoothing=1.0, delay=2)
    np.testing.assert_allclose(grid.rate.sel(smoothing=1.0, delay=2), one.rate, rtol=1e-13)
    start = xr.DataArray([[0.1, 0.2], [0.3, 0.1]], dims=("case", "flow"))
    smoothing = xr.DataArray([0.5, 1.0], dims="case")
    pairs = integrate(cadpc(2), 5, {"rate": start}, smoothing=smoothing, method="numpy")
    assert pairs.rate.sizes == {"case": 2, "update": 6, "flow": 2}
    other = integrate(cadpc(2), 5, {"rate": [0.3, 0.1]}, smoothing=1.0, method="numpy")
    np.testing.assert_allclose(pairs.rate[1], other.rate, rtol=1e-13)


def test_every_second_state():
    states = integrate(cadpc(2), 6, {"rate": 0.1}, delay=1)
    half = integrate(cadpc(2), 6, {"rate": 0.1}, delay=1, every=2)
    np.testing.assert_array_equal(half.rate, states.rate[::2])
    np.testing.assert_array_equal(half["update"], [0, 2, 4, 6])


def test_precision_follows_the_start_and_is_left_alone():
    with jax.enable_x64(False) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64(False):
        single = trajectory(cadpc(2), [0.1, 0.2], 30, smoothing=0.5)
        assert single.dtype == jnp.float32
        run = integrate(cadpc(2), 30, {"rate": [0.1, 0.2]}, smoothing=0.5)
        assert run.rate.dtype == np.float64
        assert jnp.ones(1).dtype == jnp.float32
    np.testing.assert_allclose(single, run.rate, rtol=1e-5)


def test_queues_stay_above_nothing():
    """The queue stays non-negative with few flows, and with a start above the capacity."""
    idle = integrate(tcp_red(), 2, {"window": 1, "queue": 5, "average": 5}, step=0.05, flows=10.0, method="numpy")
    assert float(idle.queue.min()) == 0
    assert float(idle.queue[-1]) == 0
    assert float(idle.window[-1]) == pytest.approx(1 + 2 / 0.2, rel=0.01)  # no loss: a packet a round trip
    full = integrate(xcp(2), 3, {"rate": 0.8}, step=0.05, method="numpy")
    assert float(full.queue.min()) == 0
    assert float(full.queue.max()) > 0.01

"""Equilibria and their stability: closed forms of every system, boundaries of the laws, published linearisations."""

import numpy as np
import pytest
import xarray as xr
from scipy.special import lambertw

from longfat import laws
from longfat.fluid import (
    Quantity,
    System,
    best_replies,
    cadpc,
    cadpc_flow,
    capc,
    equilibrium,
    integrate,
    linearise,
    multipliers,
    rightmost_roots,
    stability,
    tcp_red,
    xcp,
)


@pytest.mark.parametrize("a", [0.5, 1.9])
def test_cadpc_comes_to_rest_at_n_over_n_plus_1(a):
    """The equilibrium is found and reached from afar; multipliers 1 - a (total) and 1 - a/(n + 1) (differences)."""
    found = stability(cadpc(4), {"rate": 0.17}, smoothing=a)
    assert found.status.item() == "converged"
    np.testing.assert_allclose(found.rate, 1 / 5, rtol=1e-10)
    assert found.leading.item() == pytest.approx(max(1 - a / 5, abs(1 - a)), rel=1e-9)
    run = integrate(cadpc(4), 600, {"rate": 1e-3}, smoothing=a, method="numpy")
    np.testing.assert_allclose(run.rate[-1], found.rate, rtol=1e-9)


def test_weights_and_links():
    weight = [1.0, 2.0, 0.5, 0.5]
    found = equilibrium(cadpc(4), {"rate": 0.2}, weight=weight)
    np.testing.assert_allclose(found.rate, np.array(weight) / 5, rtol=1e-9)  # w/(1 + W)
    # Parking lot with m1 = 2, m2 = 1 short flows: 1/(m1 + 2) on the first link, (1 - 1/4)/(m2 + 1) on the second.
    routes = [[1, 1, 1, 0], [1, 0, 0, 1]]
    run = integrate(cadpc(4, routes=routes), 800, {"rate": 0.01}, method="numpy")
    np.testing.assert_allclose(run.rate[-1], [0.25, 0.25, 0.25, 0.375], rtol=1e-9)
    # Two capacities: 3 and 1. On the second x0 = x3 = 1/3; on the first 3 - 1/3 is shared by two and the unused share.
    run = integrate(cadpc(4, routes=routes), 800, {"rate": 0.01}, capacity=[3.0, 1.0], method="numpy")
    np.testing.assert_allclose(run.rate[-1], [1 / 3, 8 / 9, 8 / 9, 1 / 3], rtol=1e-6)
    # Two flows on each link have 1/3; a system keeps its routes when the caller's array changes.
    routes = np.array([[1.0, 1, 0, 0], [0, 0, 1, 1]])
    system = cadpc(4, routes=routes)
    routes[:] = 1
    run = integrate(system, 800, {"rate": 0.01}, method="numpy")
    np.testing.assert_allclose(run.rate[-1], 1 / 3, rtol=1e-9)


@pytest.mark.parametrize("delay", [0, 1, 2, 5])
def test_the_boundary_of_late_reports_is_the_laws(delay):
    n = 4
    a = laws.cadpc.largest_stable_smoothing(n, delay)
    found = stability(cadpc(n), {"rate": 0.19}, smoothing=a * np.array([1 - 1e-6, 1 + 1e-6]), delay=delay)
    assert found.stable.values.tolist() == [True, False]
    # and numpy's eigenvalues of the total's equation, z^(d+1) = (1 - s) z^d - n s, s = a/(1 + n)
    companion = np.eye(delay + 1, k=-1)
    companion[0, 0] = 1 - a / (1 + n)
    companion[0, delay] -= n * a / (1 + n)
    assert np.abs(np.linalg.eigvals(companion)).max() == pytest.approx(1, abs=1e-8)


def test_asynchronous_cadpc_has_the_same_rest():
    """Multipliers of a period of six updates against finite differences of the six updates themselves."""
    system = cadpc(3, periods=[1, 2, 3])
    run = integrate(system, 600, {"rate": [0.01, 0.1, 0.3]}, smoothing=1.0, method="numpy")
    np.testing.assert_allclose(run.rate[-1], 0.25, rtol=1e-12)
    jacobians, delays = linearise(system, [0.25] * 3, smoothing=1.0)
    assert jacobians.shape == (6, 3, 3, 3)
    columns = []
    for i in range(3):
        shift = 1e-6 * np.eye(3)[i]
        runs = [
            integrate(system, 6, {"rate": 0.25 + sign * shift}, smoothing=1.0, method="numpy").rate[-1].values
            for sign in (1, -1)
        ]
        columns.append((runs[0] - runs[1]) / 2e-6)
    expected = np.sort(np.abs(np.linalg.eigvals(np.array(columns).T)))[::-1]
    np.testing.assert_allclose(np.abs(multipliers(jacobians, delays))[:3], expected, rtol=1e-6, atol=1e-9)


def test_capc_reaches_its_target():
    """Without limits each flow has u/n; with one limited to 0.1 the other has the rest.

    From above a deviation shrinks by 1 - z_E R_d: z_E is 1, and 0.8/0.9 where one flow does not follow.
    """
    demand = xr.DataArray([[np.inf, np.inf], [0.1, np.inf]], dims=("case", "flow"))
    found = stability(capc(2), {"share": 0.5}, demand=demand, down=0.4)
    np.testing.assert_allclose(found.share, [0.45, 0.8], rtol=1e-9)
    np.testing.assert_allclose(found.leading, [1 - 0.4, 1 - 0.4 * 0.8 / 0.9], rtol=1e-9)
    run = integrate(capc(2), 800, {"share": 0.01}, demand=demand, method="numpy")
    np.testing.assert_allclose(run.share[:, -1], found.share, rtol=1e-9)


def test_best_replies_rest_where_slopes_are_zero():
    """The equilibrium is (k + 1) v/(k M), and every multiplier is 0."""
    run = integrate(best_replies(3), 12, {"rate": [0.9, 0.5, 0.4]}, k=5.0, virtual=0.9, method="numpy")
    np.testing.assert_allclose(run.rate[-1], 6 / 5 * 0.9 / 3, rtol=1e-12)
    jacobians, delays = linearise(best_replies(3), run.rate[-1].values, k=5.0, virtual=0.9)
    assert np.abs(jacobians).max() < 1e-10
    assert abs(multipliers(jacobians, delays)[0]) < 1e-10


def test_tcp_rests_beside_the_square_root_law():
    """N W/R = C and (1 - beta) W^2 p = alpha: sqrt(2/(1 + beta)) times the square-root law's window."""
    decrease = [0.5, 0.875]
    found = equilibrium(tcp_red(), {"window": 10, "queue": 100, "average": 100}, decrease=decrease, min_th=20.0)
    assert list(found.status.values) == ["converged"] * 2
    trip = 0.2 + found.queue / 3750
    loss = 0.1 * (found.average - 20) / 130
    np.testing.assert_allclose(60 * found.window / trip, 3750, rtol=1e-10)
    np.testing.assert_allclose(found.queue, found.average, rtol=1e-10)
    for i, beta in enumerate(decrease):
        law = laws.tcp.gaimd_rate(float(loss[i]), float(trip[i]), 1.0, beta)
        assert float(found.window[i] / trip[i]) == pytest.approx(law * np.sqrt(2 / (1 + beta)), rel=1e-9)


def test_tcp_is_linearised_as_published():
    """Linearisation by Hollot, Misra, Towsley & Gong, INFOCOM 2001, equation (4), with W and q in equilibrium.

    dW' = -N/(R^2 C) (dW + dW_R) - (dq - dq_R)/(R^2 C) - R C^2/(2 N^2) dp_R, dq' = N/R dW - dq/R; dp = slope dx.
    """
    start = {"window": 10, "queue": 100, "average": 100}
    found = equilibrium(tcp_red(), start, decrease=[0.5, 0.6]).isel(decrease=0)
    state = [found[name].item() for name in ("window", "queue", "average")]
    n, c, trip = 60.0, 3750.0, 0.2 + state[1] / 3750
    jacobians, delays = linearise(tcp_red(), state)
    slope = 0.1 / 100
    now, late = jacobians[0]
    np.testing.assert_allclose(delays, [trip], rtol=1e-12)
    np.testing.assert_allclose(now[0], [-n / (trip**2 * c), -1 / (trip**2 * c), 0], rtol=1e-8, atol=1e-12)
    expected = [-n / (trip**2 * c), 1 / (trip**2 * c), -trip * c**2 / (2 * n**2) * slope]
    np.testing.assert_allclose(late[0], expected, rtol=1e-8)
    np.testing.assert_allclose(now[1], [n / trip, -1 / trip, 0], rtol=1e-8, atol=1e-12)
    gain = -c * np.log1p(-1.3e-4)
    np.testing.assert_allclose(now[2], [0, gain, -gain], rtol=1e-10, atol=1e-12)


def test_xcp_fills_the_link_equally():
    """From half of the link unused or overloaded; after 200 round trips with gamma = 0.1 differences are e^-20."""
    for start in ([0.01, 0.2, 0.3], [0.01, 0.7, 0.6]):
        run = integrate(xcp(3), 20, {"rate": start}, step=0.02, every=100, method="numpy")
        np.testing.assert_allclose(run.rate[-1], 1 / 3, rtol=1e-4)
        assert float(run.queue[-1]) < 1e-6


@pytest.mark.parametrize("trip", [0.05, 2.0])
def test_xcp_has_the_boundary_of_its_theorem(trip):
    """For beta = sqrt(2) alpha^2 the boundary is alpha = pi/(4 sqrt 2) with omega d = pi/4, for every d."""
    alpha = np.pi / (4 * np.sqrt(2))
    for factor, stable in ((0.99, True), (1.01, False)):
        chosen = {"alpha": factor * alpha, "beta": np.sqrt(2) * (factor * alpha) ** 2}
        jacobians, delays = linearise(xcp(2), [0.5, 0.5, 0.0], **chosen, round_trip_time=trip)
        roots = rightmost_roots(jacobians[0], delays)
        assert bool(roots[0].real < 0) == stable
    jacobians, delays = linearise(
        xcp(2), [0.5, 0.5, 0.0], alpha=alpha, beta=np.sqrt(2) * alpha**2, round_trip_time=trip
    )
    leading = rightmost_roots(jacobians[0], delays)[0] * trip
    assert leading == pytest.approx(1j * np.pi / 4, abs=1e-9)


@pytest.mark.parametrize("c", [-0.2, -1.0, -2.0, 0.5])
def test_roots_of_one_delay_are_lamberts(c):
    """x' = c x(t - tau): lambda tau = W_k(c tau) (Lambert's W); k = 0 and -1 are the rightmost for negative c."""
    for tau in (0.1, 1.0, 3.0):
        found = rightmost_roots(np.array([[[0.0]], [[c]]]), [tau], count=2)
        expected = lambertw(c * tau, 0) / tau
        assert found[0].real == pytest.approx(expected.real, abs=1e-9 / tau)
        assert abs(found[0].imag) == pytest.approx(abs(expected.imag), abs=1e-9 / tau)


def test_roots_of_two_delays():
    """x' = -x(t - 1)/2 - x(t - 2)/3: the roots solve the characteristic equation."""
    found = rightmost_roots(np.array([[[0.0]], [[-1 / 2]], [[-1 / 3]]]), [1.0, 2.0], count=3)
    residual = found + np.exp(-found) / 2 + np.exp(-2 * found) / 3
    assert np.abs(residual[:3]).max() < 1e-9
    assert rightmost_roots(np.array([[[-2.0]]])) == pytest.approx([-2])


def test_delayed_cadpc_in_continuous_time():
    """The total's deviation has lambda = -a/(1 + n) (1 + n e^(-lambda tau)).

    For n = 3 at lambda = i omega: cos(omega tau) = -1/3 and omega = a/4 3 sin(omega tau) = a/4 sqrt 8, so a tau = 4
    acos(-1/3)/sqrt 8.
    """
    tau = 4 * np.arccos(-1 / 3) / np.sqrt(8)
    jacobians, delays = linearise(cadpc_flow(3, delayed=True), [0.25] * 3, smoothing=1.0, delay=tau)
    assert rightmost_roots(jacobians[0], delays)[0] == pytest.approx(1j * np.sqrt(8) / 4, abs=1e-9)


def test_where_there_is_no_rest():
    """x' = b + x^2 has no equilibrium for b = 1; for b = -4 that at 2 is unstable (2 x = 4) and outside the bound."""
    system = System(
        "square",
        "flow",
        lambda t, x, late, p, xp: p["b"] + x**2,
        {"x": Quantity("1", "[3, inf)", 4.0)},
        {"b": Quantity("1", "(-inf, inf)", 1.0)},
        time="s",
    )
    found = stability(system, b=[1.0, -4.0])
    assert list(found.status.values) == ["not found", "outside the bounds"]
    assert np.isnan(found.leading.values[0])
    assert np.isnan(found.x.values[0])
    assert found.leading.values[1] == pytest.approx(4)
    assert not found.stable.any()

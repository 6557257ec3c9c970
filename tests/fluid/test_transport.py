"""Fluid systems of CUBIC, BBR, DCTCP and PIE: equilibria by hand, other routes to their stability, and the laws."""

import numpy as np
import pytest
from scipy.optimize import brentq, fsolve

from longfat import laws
from longfat.fluid import bbr, cubic, dctcp, equilibrium, integrate, linearise, stability, tcp_pie
from longfat.fluid.characteristic_roots import rightmost_roots

START = {"window": 8, "queue": 50, "base": 0.1}
SLOPES = {"pie": (0.125, 1.25, 0.015, 1), "pi2": (0.16, 3.2, 0.016, 2)}  # gains, update, exponent


@pytest.mark.parametrize("controller", ["pie", pytest.param("pi2", marks=pytest.mark.long)])
def test_pie_rests_at_its_target(controller):
    """Queueing delay = target, N W/R = C and W^2 p/2 = 1; p' is the root of p in PI2."""
    found = equilibrium(tcp_pie(controller), START, target=[0.01, 0.02])
    np.testing.assert_allclose(found["queue"] / 3750, [0.01, 0.02], rtol=1e-9)
    window = 3750 * (0.1 + np.array([0.01, 0.02])) / 60
    np.testing.assert_allclose(found.window, window, rtol=1e-9)
    np.testing.assert_allclose(found.base ** SLOPES[controller][3], 2 / window**2, rtol=1e-8)
    # Independent losses: 4/3 times the loss of the sawtooth.
    law = laws.aqm.equilibrium_loss(60, 3750, 0.1, 0.01)
    assert float(found.base[0]) ** SLOPES[controller][3] == pytest.approx(4 / 3 * law, rel=1e-8)


def determinant(omega, propagation, controller):
    """Return the characteristic function at i omega: the linear form of flows and controller by hand.

    dW' = -N/(R^2 C) (dW + dW_R) - (dq - dq_R)/(R^2 C) - R C^2/(2 N^2) dp_R (Hollot et al., INFOCOM 2001, equation (4)).
    """
    n, c, target = 60.0, 3750.0, 0.015
    a, b, update, exponent = SLOPES[controller]
    trip = propagation + target
    p = 2 / (c * trip / n) ** 2
    base = p ** (1 / exponent)
    scale = 1.0 if controller == "pi2" else {True: 8.0, False: 2.0}[base < 0.01]
    slope = exponent * base ** (exponent - 1)
    lam, late = 1j * omega, np.exp(-1j * omega * trip)
    filling = np.array([n / trip, -1 / trip, 0])
    window = np.array(
        [
            -n / (trip**2 * c) * (1 + late),
            -(1 - late) / (trip**2 * c),
            -trip * c**2 / (2 * n**2) * slope * late,
        ]
    )
    control = (a / update * np.array([0, 1 / c, 0]) + (b + a / 2) * filling / c) / scale
    return np.linalg.det(lam * np.eye(3) - np.array([window, filling, control]))


@pytest.mark.long  # the paths below lie on either side of the boundary
@pytest.mark.parametrize("controller", ["pie", "pi2"])
def test_the_critical_delay_by_the_characteristic_function(controller):
    def parts(x):
        value = determinant(*x, controller)
        return [value.real, value.imag]

    omega, propagation = fsolve(parts, [4.0, 0.13], xtol=1e-13)
    found = stability(tcp_pie(controller), START, propagation=propagation * np.array([1 - 1e-6, 1 + 1e-6]))
    assert found.stable.values.tolist() == [True, False]
    np.testing.assert_allclose(found.turn, omega, rtol=1e-5)
    assert propagation > 0.1  # for which RFC 9332, appendix A.1, chooses the gains of PI2


def test_paths_of_pie_do_what_the_boundary_says():
    """The boundary of PI2 is at 139 ms: at 110 ms deviations vanish, at 180 ms they stay."""
    run = integrate(
        tcp_pie("pi2"), 40, {"window": 9, "queue": 80, "base": 0.2}, step=0.01, every=10, propagation=[0.11, 0.18]
    )
    off = np.abs(run["queue"].values / 3750 / 0.015 - 1)
    assert off[0, -50:].max() < 1e-6 < 0.1 < off[1, -50:].max()


def test_dctcp_rests_on_a_ramp():
    """W alpha p/2 = 1 with alpha = p: 2/p^2, the small-share limit of the response to a threshold."""
    start = {"window": 50, "estimate": 0.2, "queue": 100}
    found = equilibrium(dctcp(), start, ramp=[200.0, 2000.0])
    marked = (found["queue"] - 65) / np.array([200.0, 2000.0])
    np.testing.assert_allclose(found.estimate, marked, rtol=1e-8)
    np.testing.assert_allclose(found.window, 2 / marked**2, rtol=1e-8)
    np.testing.assert_allclose(found.window * 10, 833333 * 5e-4 + found["queue"], rtol=1e-8)


def test_the_limit_cycle_of_dctcp_is_that_of_the_laws():
    """A steep ramp for a step: K + N = 75 packets at most, and alpha as the sawtooth has it."""
    run = integrate(dctcp(), 0.15, {"window": 48, "estimate": 0.2, "queue": 60}, step=1e-5, every=10)
    queue, share = run["queue"][-500:], run.estimate[-500:].mean()
    assert float(queue.max()) == pytest.approx(laws.dctcp.largest_queue(10, 65), rel=0.04)
    window = (833333 * 5e-4 + 65) / 10
    assert float(share) == pytest.approx(laws.dctcp.marked_share(window), rel=0.04)
    assert float(share) != pytest.approx(laws.dctcp.marked_share(1.3 * window), rel=0.04)


def test_bbr_flows_keep_a_standing_queue_and_any_shares():
    """In deep buffers the queue is R (g - 1), whatever the start; one flow has none."""
    start = {"bandwidth": [[0.5, 0.2], [0.3, 0.3]]}
    for gain, wanted in ((2.0, 0.1), (3.0, 0.2)):
        runs = [
            integrate(bbr(2), 60, {"bandwidth": one}, step=0.02, every=100, cwnd_gain=gain)
            for one in start["bandwidth"]
        ]
        for run in runs:
            assert float(run["queue"][-1]) == pytest.approx(wanted, rel=1e-4)
            assert float(run.bandwidth[-1].sum()) == pytest.approx(1, rel=1e-4)
        law = laws.bbr.standing_queue(0.1 * 1000, gain) / 1000  # of 1000 packets/s
        assert wanted == pytest.approx(law, rel=1e-12)
    np.testing.assert_allclose(runs[1].bandwidth[-1], 0.5, rtol=1e-6)
    unequal = integrate(bbr(2), 60, {"bandwidth": [0.5, 0.2]}, step=0.02, every=100).bandwidth[-1]
    assert float(unequal[0] / unequal[1]) > 1.5
    alone = integrate(bbr(1), 60, {"bandwidth": 0.1}, step=0.02, every=100)
    assert float(alone["queue"][-1]) == pytest.approx(0, abs=1e-6)
    assert float(alone.bandwidth[-1, 0]) == pytest.approx(1, rel=1e-6)


def test_bbr_flows_overload_a_shallow_buffer():
    """Each estimate becomes g_p/(N - 1 + g_p): 5/13 for three flows, of which 2/15 are lost."""
    run = integrate(bbr(3), 120, {"bandwidth": [0.5, 0.2, 0.1]}, step=0.02, every=100, buffer=0.01)
    np.testing.assert_allclose(run.bandwidth[-1], 5 / 13, rtol=1e-3)
    excess = float(run.bandwidth[-1].sum())
    assert 1 - 1 / excess == pytest.approx(laws.bbr.shallow_buffer_loss(3), rel=2e-3)
    assert laws.bbr.shallow_buffer_loss(3) == pytest.approx(2 / 15, rel=1e-14)


def test_the_bbr_flow_with_the_longest_round_trip_time_takes_the_link():
    run = integrate(bbr(2), 100, {"bandwidth": 0.5}, step=0.01, every=1000, round_trip_time=[0.02, 0.1])
    assert float(run.bandwidth[-1, 1]) > 0.999
    assert float(run.bandwidth[-1, 0]) < 1e-3


def cubic_rest(propagation=0.2):
    """Return window, time since the loss, and queue of cubic() at rest: K = R/(W p) with W = C R/N, by bisection."""

    def balance(q):
        trip = propagation + q / 3750
        window = 3750 * trip / 60
        return (window * 0.3 / 0.4) ** (1 / 3) - trip / (window * 1e-3 * (q - 50))

    queue = brentq(balance, 50.001, 149, xtol=1e-13, rtol=1e-14)
    window = 3750 * (propagation + queue / 3750) / 60
    return window, (window * 0.3 / 0.4) ** (1 / 3), queue


def test_cubic_rests_beside_its_law():
    """W^4 = c R^3/((1 - beta) p^3): 4/(3 + beta) times the fourth power of RFC 9438, equation (5)."""
    window, since, queue = cubic_rest()
    start = {"before_loss": 14, "since_loss": 2.2, "queue": 57}
    found = equilibrium(cubic(), start)
    assert found.status.item() == "converged"
    assert [found[name].item() for name in start] == pytest.approx([window, since, queue], rel=1e-4)
    p, trip = 1e-3 * (queue - 50), 0.2 + queue / 3750
    assert window == pytest.approx((0.4 * trip**3 / (0.3 * p**3)) ** 0.25, rel=1e-9)
    assert window / (0.4 * 3.7 / (4 * 0.3) * trip**3 / p**3) ** 0.25 == pytest.approx(1.02, abs=0.001)


def test_cubic_is_stable_but_slowly():
    """On the slow path s - K = -a d, a = s^2 C slope + K/(3 W), so d' = -lambda c a^3 d^3 for M = W + d.

    1/d^2 therefore grows by 2 lambda c a^3 in a second, for small d.
    """
    window, since, queue = cubic_rest()
    jacobians, delays = linearise(cubic(), [window, since, queue])
    roots = rightmost_roots(jacobians[0], delays, count=2)
    assert abs(roots[0]) < 1e-6 < 0.1 < -roots[1].real
    start = {"before_loss": window + 0.02, "since_loss": since, "queue": queue}
    run = integrate(cubic(), 1200, start, step=0.05, every=4000)
    apart = run.before_loss.values - window
    growth = np.diff(apart[1:] ** -2.0) / 200
    a = since**2 * 3750 * 1e-3 + since / (3 * window)
    middle = (apart[1:-1] + apart[2:]) / 2  # the next term is proportional to d
    assert np.polyfit(middle, growth, 1)[1] == pytest.approx(2 / since * 0.4 * a**3, rel=3e-3)
    np.testing.assert_allclose(growth, 2 / since * 0.4 * a**3, rtol=0.03)
    assert stability(cubic(), start).leading.item() == pytest.approx(0, abs=1e-4)

"""Fit by gradient: the smoothness factor and initial rate of simulated packets, from the fluid model."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import minimize

from longfat.fluid import cadpc, trajectory
from longfat.sim import Network, Simulation


def simulated(smoothing, count=3, updates=25):
    """Return the rates over the capacity after each update, simulated on a link of 10 Mbit/s and 0.3 s round trip.

    From 1.8 s on there is an update every 1.2 s; its report covers 0.9 s of the latest rates and 0.3 s of those
    before: a quarter of each report is an update older.
    """
    net = Network().link("a", "b", rate=1.25e6, delay=0.15, buffer=200)
    net.link("b", "a", rate=float("inf"), delay=0.15)
    parameters = {"eagerness": 1.0, "smoothing": smoothing}
    net.flow("cadpc", path=["a", "b"], packet=1000, count=count, send_jitter=0.0008, parameters=parameters)
    simulation = Simulation(net, rng=1)
    rates = []
    for k in range(updates):
        simulation.advance(2.4 + 1.2 * k)
        rates.append([float(flow.rate) / 1.25e6 for flow in simulation.state.flows[:count]])
    return np.array(rates)


@jax.jit
@jax.value_and_grad
def misfit(guess, trace):
    """Return the relative misfit as a function of the logarithms of a and the initial rate, compiled once."""
    a, first = jnp.exp(guess)
    rates = trajectory(cadpc(3), first * jnp.ones(3), len(trace) - 1, smoothing=a, carry=0.25)
    return jnp.mean((rates / trace - 1) ** 2)


@pytest.mark.parametrize("smoothing", [0.3, 0.5, 0.8])
def test_the_smoothness_factor_of_packets_is_found(smoothing):
    trace = simulated(smoothing)

    def function(guess):
        value, slope = misfit(jnp.asarray(guess), jnp.asarray(trace))
        return float(value), np.asarray(slope)

    found = minimize(function, np.log([0.15, 0.1]), jac=True, method="BFGS", options={"gtol": 1e-9})
    a, first = np.exp(found.x)
    assert a == pytest.approx(smoothing, rel=0.01)
    assert first == pytest.approx(trace[0].mean(), rel=0.02)
    assert np.sqrt(found.fun) < 0.01

"""CADPC's laws against packets: delay that makes the total oscillate, and differences that vanish slowly."""

import numpy as np
import pytest

from longfat.laws import cadpc as laws
from longfat.sim import Network, Simulation
from tests.sim.own import column

CAPACITY = 1.25e7  # bytes/s
ROUND_TRIP = 0.1  # s


def simulation(flows, delay, smoothing, **start):
    """Return a simulation in which the feedback is ``delay`` updates old when it is used.

    Requests are sent every 1/delay round trips; a reply arrives a round trip later and reports the traffic before its
    request. The link is near the sources, so that a request arrives before the next one is sent.
    """
    net = Network().link("a", "b", rate=CAPACITY, delay=0.001, buffer=10_000)
    net.link("b", "a", rate=float("inf"), delay=ROUND_TRIP - 0.001)
    parameters = {"smoothing": smoothing, "period": 1 / delay, "eagerness": 1.0}
    net.flow("cadpc", path=["a", "b"], packet=500, count=flows, parameters=parameters, **start)
    return Simulation(net, rng=1)


def swing(flows, delay, smoothing):
    """Return the relative standard deviation of the total over 40 updates, after 400 updates."""
    run, totals = simulation(flows, delay, smoothing), []
    for update in range(400, 440):
        run.advance(update * ROUND_TRIP / delay)
        totals.append(run.state.flows["rate"].sum())
    return np.std(totals) / np.mean(totals)


@pytest.mark.parametrize("delay", [1, 2, 3])
@pytest.mark.parametrize("flows", [3, 10])
def test_the_boundary_of_stability(delay, flows):
    """Below `largest_stable_smoothing` the total converges, above it never does; tested 7 % to each side."""
    boundary = float(laws.largest_stable_smoothing(flows, delay))
    assert swing(flows, delay, 0.93 * boundary) < 0.003
    assert swing(flows, delay, 1.07 * boundary) > 0.05


def test_differences_vanish_slowly():
    """A flow displaced by 10 % approaches nine others by 1 - a/(n + 1) per update, as in the law.

    The total needs only a few updates.
    """
    run = simulation(10, 1, 0.5)
    run.advance(20.0)
    rest = float(laws.equilibrium_rate(10)) * CAPACITY
    column(run, "rate")[0] *= 0.9  # a small disturbance, of one flow alone
    distances = []
    for update in range(60):
        run.advance(20.0 + (update + 1) * ROUND_TRIP)
        rates = run.state.flows["rate"]
        distances.append(abs(float(rates[0]) - float(rates[1:].mean())) / rest)
    times = np.arange(20, 60)
    slope = np.polyfit(times, np.log(np.array(distances)[times]), 1)[0]
    assert np.exp(slope) == pytest.approx(float(laws.difference_multiplier(10, 0.5)), abs=0.004)
    assert distances[0] > 0.08

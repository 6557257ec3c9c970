"""Simulated equilibria of loss-load sources: where loss begins, equal shares, and an equilibrium that is not reached.

`longfat verify` compares load and loss themselves, (k + 1) v/k and, at v = 1, 1/(k + 1), by the records of the laws.
"""

import functools

import numpy as np
import pytest

from longfat.laws.loss_load import equilibrium_loss
from longfat.sim import Simulation
from longfat.testing import compare
from longfat.verify.link_estimators import CAPACITY, loss_load_equilibrium, loss_load_network

KS = (1, 2, 5, 10, 20)


@pytest.mark.parametrize("k", [KS[0], KS[-1]])
def test_loss_begins_at_k_over_k_plus_1(k):
    """Just below the limit nothing is lost, just above it the excess: v = 1.05 k/(k + 1) gives a load of 1.05."""
    border = k / (k + 1)
    simulator = functools.partial(loss_load_equilibrium, sources=5)
    assert all(simulator(seed, k=k, v=0.999 * border)[0] == 0 for seed in range(4))
    if 1.05 * border <= 1:
        point = {"k": k, "v": 1.05 * border}
        found = compare(equilibrium_loss, simulator, point, within=0.006, alpha=0.01, power=0.99, power_at=1, rng=0)
        assert found.formula == pytest.approx(1 - 1 / 1.05)
        assert found.verdict == "agrees"


def test_every_source_sends_the_same():
    """Each source gets (k + 1)/(k M) of the capacity, to the last digit, in any order of starts."""
    run = Simulation(loss_load_network(5, 1.0, 11), rng=1)
    run.advance(4.0)
    np.testing.assert_allclose(run.state.flows["rate"] / CAPACITY, 6 / 55, rtol=1e-12)


def test_feedback_is_lost_with_the_packets():
    """Five sources with k = 20 and end-to-end feedback stay at three capacities for ever.

    The second source sends at 0.87 while the others' load is 2.8, where the printed P is above 1. All its packets are
    lost and with them the feedback that would reduce its rate; the others adapt to it. With feedback from the switch,
    or a restart after a timeout, they converge to 21/20.
    """

    def load(restart, direct=False):
        run = Simulation(loss_load_network(20, 1.0, 5, apart=0.013, direct=direct, restart=restart), rng=1)
        run.advance(4.0)
        return run.state.flows["rate"] / CAPACITY

    locked = load(0.0)
    assert locked.sum() > 3
    powers = locked**21
    printed = locked**20 * (locked.sum() - 1) / powers.sum()
    assert printed.max() > 1
    for settled in (load(1.0), load(0.0, direct=True)):
        np.testing.assert_allclose(settled, 21 / 100, rtol=1e-9)

"""The simulated equilibria of loss-load sources against the laws: load (k + 1) v/k, loss 1/(k + 1) at v = 1, no loss
up to v = k/(k + 1); and where the equilibrium is not reached: feedback that is lost with the packets."""

import numpy as np
import pytest

from longfat.laws.loss_load import equilibrium_load, equilibrium_loss
from longfat.sim import Simulation
from longfat.verify import check
from longfat.verify.network_estimators import CAPACITY, loss_load_equilibrium, loss_load_network

KS = (1, 2, 5, 10, 20)
SOURCES = pytest.mark.parametrize("sources", [2, 5, 11, pytest.param(100, marks=pytest.mark.long)])


@SOURCES
def test_loss(sources):
    """At v = 1, 99 % confidence of the five verdicts together; each interval within 0.008 of 1/(k + 1)
    and narrower than 0.012."""
    table = check(
        equilibrium_loss,
        loss_load_equilibrium(sources, rng=sources),
        [{"k": k, "v": 1.0} for k in KS],
        confidence=0.99,
        accuracy=0.008,
    )
    assert table.verdict.values.tolist() == ["agrees"] * 5
    np.testing.assert_allclose(table.law, [1 / (k + 1) for k in KS], rtol=1e-14)
    assert float((table.upper - table.lower).max()) < 0.012


@SOURCES
def test_load(sources):
    """What is sent, over what the link carries; counted in whole packets of up to a hundred sources, 20,000 a run."""
    table = check(
        equilibrium_load,
        loss_load_equilibrium(sources, "load", packets=8e4, replications=4, rng=1),
        [{"k": k, "v": 0.8} for k in KS],
        confidence=0.99,
        accuracy=0.02,
    )
    assert set(table.verdict.values) == {"agrees"}


@pytest.mark.parametrize("k", KS)
def test_loss_begins_at_k_over_k_plus_1(k):
    """Just below nothing is lost, just above what is too much: v = 1.05 k/(k + 1) gives the load 1.05."""
    border = k / (k + 1)
    none = loss_load_equilibrium(5, packets=4e4, rng=2)(k=k, v=0.999 * border, confidence=0.99)
    assert none == (0.0, 0.0, 0.0)
    if 1.05 * border <= 1:
        mean, low, _ = loss_load_equilibrium(5, packets=1e5, rng=2)(k=k, v=1.05 * border, confidence=0.99)
        assert low > 0.02
        assert mean == pytest.approx(1 - 1 / 1.05, abs=0.006)


def test_every_source_sends_the_same():
    """(k + 1)/(k M) of the capacity, to the last digit, whoever came first."""
    run = Simulation(loss_load_network(5, 1.0, 11), rng=1)
    run.advance(4.0)
    np.testing.assert_allclose(run.state.flows["rate"] / CAPACITY, 6 / 55, rtol=1e-12)


def test_feedback_is_lost_with_the_packets():
    """k = 20, five sources: the second comes to 0.87 while the others' load is 2.8, where P as printed is above 1. All
    its packets are lost, and with them what it would have to know: without a new beginning it stays there, the others
    reply to it, and more is offered than three capacities, for ever. Told directly, or with a beginning anew, they
    settle at 21/20."""

    def load(restart, direct=False):
        run = Simulation(loss_load_network(20, 1.0, 5, apart=0.013, direct=direct, restart=restart), rng=1)
        run.advance(6.0)
        return run.state.flows["rate"] / CAPACITY

    locked = load(0.0)
    assert locked.sum() > 3
    powers = locked**21
    printed = locked**20 * (locked.sum() - 1) / powers.sum()
    assert printed.max() > 1
    for settled in (load(1.0), load(0.0, direct=True)):
        np.testing.assert_allclose(settled, 21 / 100, rtol=1e-9)

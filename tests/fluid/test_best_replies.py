"""Loss-load sources that reply to each other with the largest raw throughput: where they settle, and how soon."""

import numpy as np
import pytest

from longfat.fluid import best_replies, integrate
from longfat.laws import loss_load as laws


def path(start, updates, **given):
    return integrate(best_replies(len(start)), updates, {"rate": start}, method="numpy", **given).rate.values


@pytest.mark.parametrize(("delay", "k", "sources"), [(0, 3, 5), (2, 1, 2), (1, 20, 3)])
def test_sources_come_to_rest_from_any_start(delay, k, sources):
    """Equilibrium: rates (k + 1)/(k M), loss 1/(k + 1), as proved in derivations/loss_load_convergence.py."""
    idle, full, alone = np.full(sources, 1e-6), np.ones(sources), np.eye(sources)[0]
    for start in (idle, full, alone, np.geomspace(1e-4, 30, sources)):
        rates = path(start, 100, k=float(k), delay=delay)
        np.testing.assert_allclose(rates[-1], (k + 1) / (k * sources), rtol=1e-8)
    rest = rates[-1, 1:]
    loss = laws.loss_probability(rates[-1, 0], rest.sum() - 1, (rest ** (k + 1)).sum(), k)
    assert loss == pytest.approx(1 / (k + 1), rel=1e-6)


def test_virtual_capacity_scales_the_rates():
    start, v = np.array([0.2, 0.6, 0.1]), 0.7
    np.testing.assert_allclose(path(v * start, 30, k=5.0, virtual=v), v * path(start, 30, k=5.0), rtol=1e-12)


@pytest.mark.parametrize("delay", [1, 4])
def test_a_delay_only_multiplies_the_updates(delay):
    start = [1.0, 0.03, 0.4]
    late = path(start, 12 * (delay + 1), k=5.0, delay=delay)
    np.testing.assert_array_equal(late[1:], np.repeat(path(start, 12, k=5.0)[1:], delay + 1, axis=0)[: len(late) - 1])

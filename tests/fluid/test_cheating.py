"""Gain of a source that knows the true capacity of the link (virtual loss-load model, footnote 3)."""

import numpy as np
import pytest

import longfat as lf

fluid = lf.fluid.loss_load


def brute(k, v, sources, ratios):
    """Return the cheater's goodput for many constant rates, with honest sources iterated to equilibrium beside it."""
    best = 0.0
    for rate in ratios:
        start = np.full(sources, v * (k + 1) / (k * sources))
        start[0] = rate
        run = fluid.iterate(start, 40, k, v, constant=np.arange(sources) == 0)
        best = max(best, rate * (1 - float(run.loss[-1, 0])))
    return best


@pytest.mark.parametrize(("k", "v", "sources"), [(2, 0.5, 2), (2, 0.9, 5), (10, 0.8, 5)])
def test_the_leader_against_brute_force(k, v, sources):
    """No rate from far below to far above the returned one gives more goodput, and the returned goodput is reached."""
    found = fluid.cheating(k, v, sources)
    rate, goodput = found.rate.item(), found.goodput.item()
    others = brute(k, v, sources, np.append(rate * np.linspace(0.2, 1.2, 6), [rate * 0.999, rate * 1.001]))
    assert others <= goodput * (1 + 1e-6)
    assert brute(k, v, sources, [rate]) == pytest.approx(goodput, rel=1e-6)


def test_who_gains_and_who_pays():
    found = fluid.cheating([2, 5, 10, 20], np.linspace(0.5, 1, 6), [2, 5, 11])
    gain = found.gain.values
    assert (gain[:, :-1] > 1).all()
    np.testing.assert_allclose(gain[:, -1], 1, rtol=1e-12)  # the truth leaves nothing to gain
    assert (np.diff(gain, axis=1) < 0).all()  # the more is concealed, the larger the gain
    np.testing.assert_allclose(found.fair_share.sel(k=2, v=0.5), 0.75 / np.array([2, 5, 11]))
    full = found.where(found.offered_load > 1)
    total = full.goodput + (full.sources - 1) * full.honest_goodput
    np.testing.assert_allclose(total.values[np.isfinite(total.values)], 1, rtol=1e-12)


def test_replying_gains_less_than_leading():
    leading, replying = (fluid.cheating([2, 10], [0.6, 0.9], [2, 5], play=play) for play in ("leader", "reply"))
    assert (replying.goodput <= leading.goodput + 1e-12).all()
    assert (replying.gain > 1).all()
    # The reply is an equilibrium: by the true curve the cheater loses 1/(k + 1), by the announced one the others do.
    k = replying.k
    np.testing.assert_allclose(replying.goodput, replying.rate * k / (k + 1), rtol=1e-9)


def test_equal_loss_by_hand():
    # k = 1, n = 1: r^2 = 2 r + 1, r = 1 + sqrt(2); the share r/(1 + r) of a half
    found = fluid.cheating(1, 0.8, 2, drop="equal")
    r = 1 + np.sqrt(2)
    assert found.ratio.item() == pytest.approx(r)
    assert found.gain.item() == pytest.approx(2 * r / (1 + r))
    # A finite rate stays below the limit, and its share is r/(n + r).
    run = fluid.iterate([30.0, 1.0], 80, 1, 0.8, constant=[True, False])
    cheater, honest = run.rates.values[-1]
    assert 2.3 < cheater / honest < r

"""The virtual loss-load model of Prithviraj & Williamson: figure 7, shapers and scenarios."""

import numpy as np
import pytest

from figures.loss_load import pictures as loss_load
from figures.loss_load import shaping
from figures.loss_load.cheating import cheating
from figures.loss_load.networks import (
    NEAREST,
    PLAIN,
    RULE_CHANGES,
    Interpretation,
    scenario_0,
    scenario_1,
)
from longfat.laws import loss_load as laws


@pytest.fixture(scope="module")
def kept():
    return loss_load.PART.kept()


def test_figure_7(kept):
    """Section 4.2.1: load 1 while connection 1 is alone, then the peaks, and oscillation that grows with k."""
    data = kept["7"].sel(interpretation="nearest")
    alone = data.offered_load.sel(time=slice(0.09, 0.16)).mean("time")
    np.testing.assert_allclose(alone, 1, atol=0.02)  # packets counted; the declared rate is 1 exactly
    np.testing.assert_allclose(data.declared_load.sel(time=slice(0.09, 0.16)), 1, rtol=1e-12)
    peaks = data.declared_load.sel(time=slice(0, 0.4999)).max("time")
    # 1 + 2 f_r beside a source that sends at full rate: connections 2 and 3 both get feedback about connection 1 alone.
    for k, printed in ((2, 1.58), (20, 2.07)):
        reply = float(laws.response_optimal_rate(0.0, 1.0, k, 1000.0, 5 * 0.044, 1e4))
        assert 1 + 2 * reply == pytest.approx(printed, abs=0.01)
        assert float(peaks.sel(k=k)) == pytest.approx(printed, rel=0.15)
    assert float(peaks.sel(k=20)) > float(peaks.sel(k=2)) + 0.2
    plain = kept["7"].sel(interpretation="plain").declared_load.sel(time=slice(0, 0.4999))
    assert float(plain.max("time").sel(k=20)) > 2.3  # as the formulas stand it is far above 2.07


def test_rule_changes_change_an_interpretation():
    for name, change in RULE_CHANGES.items():
        assert any(Interpretation(**change) != base for base in (PLAIN, NEAREST)), name


def test_scenarios():
    """The scenarios have the printed rates, delays, sizes and starts."""
    two, eleven = scenario_0(5, 0.8), scenario_1(5, 0.8)
    assert [flow.name for flow in eleven.flows] == [f"c{i}" for i in range(1, 12)]
    assert [flow.start for flow in eleven.flows] == pytest.approx([0, *(0.1 + 0.044 * i for i in range(10))])
    assert [len(net.flows) for net in (two, eleven)] == [2, 11]
    assert all("response" in str(flow.parameters) for flow in eleven.flows)


def test_a_bucket_for_a_tenth_of_an_empty_link_uses_a_tenth():
    assert shaping.idle_link(1)["utilisation"] == pytest.approx(0.1, abs=1e-3)


def test_a_bucket_at_the_peak_rate_of_its_source_changes_nothing():
    """On times are at 10 Mbit/s, 2.78 times the mean rate of a source at a load of 0.9: no packet waits for a token."""
    plain, shaped = (shaping.observe(0.9, tokens, np.random.default_rng(1), 4.0) for tokens in (0.0, 2.8))
    assert shaped["shaper_delay"] < 1e-6
    assert shaped["shaper_loss"] == 0
    assert shaped["queue_delay"] == pytest.approx(plain["queue_delay"], rel=1e-3)


def goodput_of(rate, k, v, sources):
    """Return the goodput of a source of constant rate after honest sources have replied until they rest."""
    honest = v * (k + 1) / (k * sources)
    for _ in range(60):
        others, powers = rate + (sources - 2) * honest, rate ** (k + 1) + (sources - 2) * honest ** (k + 1)
        honest = v * laws.throughput_optimal_rate(others / v - 1, powers / v ** (k + 1), k)
    lost = laws.loss_probability(rate, (sources - 1) * honest - 1, (sources - 1) * honest ** (k + 1), k)
    return rate * (1 - float(lost))


@pytest.mark.parametrize(("k", "v", "sources"), [(2, 0.5, 2), (2, 0.9, 5), (10, 0.8, 5)])
def test_the_cheater_against_brute_force(k, v, sources):
    """No rate from far below to far above the returned one gives more goodput, and the returned goodput is reached."""
    found = cheating([k], [v], [sources])
    rate, goodput = found.rate.item(), found.goodput.item()
    assert goodput_of(rate, k, v, sources) == pytest.approx(goodput, rel=1e-6)
    for factor in (0.2, 0.4, 0.6, 0.8, 0.999, 1.001, 1.2):
        assert goodput_of(factor * rate, k, v, sources) <= goodput * (1 + 1e-6)


def test_who_gains_and_who_pays():
    found = cheating([2, 5, 10, 20], np.linspace(0.5, 1, 6), [2, 5, 11])
    assert (found.gain[:, :-1] > 1).all()
    np.testing.assert_allclose(found.gain[:, -1], 1, rtol=1e-12)  # the truth leaves nothing to gain
    assert (np.diff(found.gain, axis=1) < 0).all()  # the more is concealed, the larger the gain
    np.testing.assert_allclose(found.fair_share[0, 0], 0.75 / np.array([2, 5, 11]))
    n = np.array([1, 4, 10])
    full = found.rate * (n + found.ratio) / found.ratio > 1
    np.testing.assert_allclose((found.goodput + n * found.honest_goodput)[full], 1, rtol=1e-12)
    lossless = (found.goodput / found.ratio)[~full]  # all that is sent arrives
    np.testing.assert_allclose(found.honest_goodput[~full], lossless, rtol=1e-12)
    shared = full & (found.fair_share * (n + 1) == 1)  # what the cheater gains, the others lose
    np.testing.assert_allclose((found.gain + n * found.harm)[shared], (n + 0 * found.gain + 1)[shared], rtol=1e-12)
    assert full.any()
    assert not full.all()
    assert shared.any()

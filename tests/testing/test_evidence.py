"""Evidence of samples: against integrals, against sums over all outcomes, and by hand."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from longfat.testing import evidence
from longfat.testing.evidence import Bounded, Normal, Quantile


def normal_sample(count, seed, mean=0.0):
    return np.random.default_rng(seed).normal(mean, 1.0, count)


@pytest.mark.parametrize(("count", "at"), [(3, -0.4), (12, -0.3), (60, 0.0)])
def test_normal_evidence_is_a_mixture_of_noncentral_t_densities(count, at):
    """t does not change with the scale of a sample, and effect sizes are drawn from N(0, 1)."""
    values = normal_sample(count, 2, 0.4) + np.eye(1, count)[0] * 4  # skewed to the right: no evidence above is lost
    sample = Normal(values)
    t = (values.mean() - at) / (values.std(ddof=1) / math.sqrt(count))
    assert t > 0

    def weighted(effect):
        return stats.norm.pdf(effect) * stats.nct.pdf(t, count - 1, effect * math.sqrt(count))

    mixed = integrate.quad(weighted, -6, 6, limit=200, points=[0, t / math.sqrt(count)])[0]
    assert sample.above(at) == pytest.approx(math.log(mixed / stats.t.pdf(t, count - 1)), rel=1e-6)


def test_normal_evidence_allows_for_skewness():
    """Ten values, skewness s, x = 1 standard error: s + sqrt(6/10), times 1/(3 sqrt 10), is taken off."""
    values = np.array([0.0] * 9 + [10.0])  # mean 1, variance 9; third moment (9 (-1) + 729)/10 = 72, skewness 72/27
    at = 1 + 3 / math.sqrt(9)  # x^2 = 10 r^2 = 10 d^2/(9 + d^2) = 1 for d = 1
    off = (72 / 27 + math.sqrt(0.6)) / (3 * math.sqrt(10))
    plain = -5 * math.log(1 - 0.1 * 10 / 11) - math.log(11) / 2
    greatest = math.sqrt(10) / (72 / 27 + math.sqrt(0.6))
    assert greatest < 1  # beyond it the exponent stays at its greatest, x^2/6
    assert Normal(values).below(at) == pytest.approx(plain - (1 / 2 - greatest**2 / 6))
    assert plain - off < plain - (1 / 2 - greatest**2 / 6)
    assert Normal(values).above(1 - 1) == pytest.approx(plain)  # on the other side nothing


def test_equal_values_are_no_evidence():
    sample = Normal(np.full(1000, 0.1))
    assert sample.above(-1e9) == sample.below(1e9) == -math.inf
    assert sample.interval(0.5) == (-math.inf, math.inf)


@pytest.mark.parametrize("error", [0.3, 1e-2, 1e-6])
def test_the_interval_is_where_the_evidence_ends(error):
    skewed = [Normal(side * np.random.default_rng(1).exponential(size=300)) for side in (1.0, -1.0)]
    for sample in (Normal(normal_sample(200, 3)), Bounded(normal_sample(200, 3) / 8, (-1.0, 1.0)), *skewed):
        low, high = sample.interval(error)
        assert low < sample.estimate < high
        assert sample.above(low) == pytest.approx(-math.log(error), abs=1e-6)
        assert sample.below(high) == pytest.approx(-math.log(error), abs=1e-6)


def test_the_interval_of_few_values_is_the_line():
    assert Normal(normal_sample(8, 1)).interval(1e-12) == (-math.inf, math.inf)


@pytest.mark.parametrize("mean", [0.1, 0.5, 0.8])
def test_betting_is_fair(mean):
    """The mean wealth of both sides, over all sequences of eight zeros and ones with this mean, is 1."""
    total = 0.0
    for values in itertools.product((0.0, 1.0), repeat=8):
        sample = Bounded(np.array(values), (0.0, 1.0))
        chance = math.prod(mean if one else 1 - mean for one in values)
        total += chance * (math.exp(sample.above(mean)) + math.exp(sample.below(mean)))
    assert total == pytest.approx(1.0, rel=1e-12)


def test_betting_that_looks_at_its_own_replication_is_unfair(monkeypatch):
    """The check above can fail."""
    kept = np.concatenate
    monkeypatch.setattr(evidence.np, "concatenate", lambda parts: np.roll(kept(parts), -1))
    with pytest.raises(AssertionError):
        test_betting_is_fair(0.5)


def test_betting_is_scaled():
    values = np.random.default_rng(1).uniform(size=50)
    assert Bounded(10 * values - 4, (-4.0, 6.0)).above(0.0) == pytest.approx(Bounded(values, (0.0, 1.0)).above(0.4))


def test_means_outside_the_bounds_are_excluded():
    sample = Bounded(np.array([0.2, 0.4]), (0.0, 1.0))
    assert sample.above(-0.1) == sample.below(1.1) == math.inf
    assert sample.above(1.0) == sample.below(0.0) == -math.inf
    assert sample.interval(1e-6) == (0.0, 1.0)


@pytest.mark.parametrize(("count", "probability"), [(9, 0.5), (20, 0.9)])
def test_counting_is_fair(count, probability):
    """The mean evidence over all counts is 1, both sides and the count n p together."""
    total = 0.0
    for k in range(count + 1):
        sample = Quantile(np.array([0.0] * k + [1.0] * (count - k)), probability)
        found = max(sample.above(0.5), sample.below(0.5))
        if k == count * probability:
            found = sample._evidence(k)
        total += stats.binom.pmf(k, count, probability) * math.exp(found)
    assert total == pytest.approx(1.0, rel=1e-10)


def test_limits_of_a_quantile_are_values_of_the_sample():
    """Of 100 zeros to 99, the median: the counts whose evidence reaches log 100, by search over all."""
    sample = Quantile(np.random.default_rng(1).permutation(np.arange(100.0)), 0.5)
    few = max(k for k in range(50) if sample._evidence(k) >= math.log(100))
    assert sample.interval(0.01) == (few, 99 - few)
    assert sample.above(few - 0.5) >= math.log(100) > sample.above(few)
    assert sample.below(99 - few + 0.5) >= math.log(100) > sample.below(99 - few)


def test_a_quantile_with_too_few_values_has_no_limits():
    assert Quantile(np.arange(3.0), 0.5).interval(1e-3) == (-math.inf, math.inf)


def test_promises_are_kept_over_all_looks():
    """250 normal samples of 200, looked at after each tenth: the true mean leaves the 90 % limits in 10 % at most."""
    rng = np.random.default_rng(7)
    left = 0
    for _ in range(250):
        values = rng.normal(3.0, 2.0, 200)
        left += any(max(Normal(values[:n]).above(3.0), Normal(values[:n]).below(3.0)) >= math.log(10)
                    for n in range(10, 201, 10))  # fmt: skip
    assert left <= stats.binom.ppf(1 - 1e-6, 250, 0.1)
    assert left > 0  # the limits are not so wide that they always hold


def test_bisecting():
    assert evidence.bisected(lambda x: x > 0.25, 0.0, 1.0) == pytest.approx(0.25)

"""Numbers of `longfat.testing` by hand, each of which `tests.mutations_by_rule` could once change unnoticed."""

import math
from dataclasses import dataclass, field

import numpy as np
import pytest

import longfat as lf
from longfat.testing.comparing import Comparison
from longfat.testing.domain import Axis, corners
from longfat.testing.evidence import Normal
from longfat.testing.holding import Allowance, Claim, holds, shrink
from longfat.testing.seeded_runs import seed_of
from tests.testing.simulators import claim, formula, normal, off_by


def examined(made, points, budget):
    """Return the comparisons of a claim, and whether the budget sufficed."""
    return made.examine(points, Allowance(budget=budget))


def certain(rng, mean):
    return mean


def test_seeds_have_63_bits():
    """Of 100 seeds the largest is below 2^62 with the probability 2^-100, if they are drawn from all below 2^63."""
    assert 2**62 <= max(seed_of(seed, 0) for seed in range(100)) < 2**63


def test_points_have_seeds_of_63_bits():
    found, _ = examined(claim(formula, normal, over={"mean": (0.0, 1.0)}, within=5.0), 6, 1000)
    assert max(one.seed for one in found) > 2**60


@pytest.mark.parametrize(("budget", "points", "enough"), [(4, 2, False), (7, 3, False), (8, 4, True)])
def test_points_that_a_budget_allows(budget, points, enough):
    """Two replications each, where the simulator draws no random numbers; four points are wanted."""
    made = claim(formula, certain, over={"mean": (0.0, 1.0)}, within=0.1, deterministic=True)
    found, complete = examined(made, 4, budget)
    assert (len(found), complete) == (points, enough)


def test_each_point_may_spend_half_of_what_is_left():
    """Of 100 replications, at 1.5 w, where no verdict is near: 50, 25, then half of 25, 13, 7, 4 and 2, at least 2."""
    made = claim(off_by(0.015), normal, over={"mean": (0.0, 1.0)}, within=0.01)
    found, complete = examined(made, 20, 100)
    assert [one.replications for one in found] == [50, 25, 12, 6, 3, 2, 2]
    assert not complete


def test_a_point_outside_one_range_is_outside():
    made = claim(formula, normal, over={"mean": (0.0, 1.0), "deviation": (1.0, 2.0)}, within=0.1)
    assert made.valid({"mean": 0.5, "deviation": 1.5})
    assert not made.valid({"mean": 0.5, "deviation": 3.0})
    assert not made.valid({"mean": 2.0, "deviation": 1.5})


def test_options_of_a_claim():
    """Those that `holds` documents."""
    assert holds(formula, normal, over={"mean": 1.0}, within=0.1)(print).longfat_claim.options == {
        "within": 0.1, "of": "mean", "bounds": None, "deterministic": False, "power": 0.99
    }  # fmt: skip


def test_a_symmetric_sample_is_taken_as_skewed_to_one_side():
    """40 zeros and ones, mean and deviation 1/2, no skewness: sqrt(6/40), its standard error, counts below the mean.

    For 0.2 and 0.8, r^2 = 0.3^2/(0.25 + 0.3^2), x^2 = 40 r^2 = 10.588; x = 3.254 is below sqrt(40)/s = 16.33.
    """
    sample = Normal(np.array([0.0, 1.0] * 20))
    squared = 0.09 / 0.34
    plain = -20 * math.log(1 - squared * 40 / 41) - math.log(41) / 2
    off = math.sqrt(6 / 40) * (40 * squared) ** 1.5 / (3 * math.sqrt(40))
    assert sorted([sample.above(0.2), sample.below(0.8)]) == pytest.approx([plain - off, plain])


def two_points(rng, mean):
    return np.random.default_rng(rng).normal(mean, mean)


def test_independent_runs_at_two_points_by_hand():
    """The sum of both formulas' variances over both points, over that of the difference, on the same replications."""
    points = [{"mean": 1.0}, {"mean": 2.0}]
    found = lf.testing.nearer(off_by(0.2), off_by(-0.6), two_points, points, rng=5)
    drawn = np.array(
        [[two_points(seed_of(5, k), **point) for point in points] for k in range(found.replications)]
    )  # fmt: skip
    means = np.array([1.0, 2.0])
    first, second = ((drawn - means - off) ** 2 for off in (0.2, -0.6))
    apart = first.var(axis=0).sum() + second.var(axis=0).sum()
    difference = (second - first).mean(axis=1)
    # Each formula runs at both points: of 2 m runs, the mean of the difference of two halves has the variance
    # 2 apart/(4 m), as against the variance of the common runs, over m.
    assert found.independent == pytest.approx(found.runs * 2 * apart / 4 / difference.var())
    assert found.runs == 2 * found.replications
    assert found.advantage == pytest.approx(difference.mean())
    assert Normal(difference).above(found.interval[0]) == pytest.approx(math.log(1e6), abs=1e-6)


def test_relative_deviations_by_hand():
    """The formulas are 1.2 and 0.4, with the mean 0.8, at one point, and 2.2 and 1.4, with the mean 1.8, at another."""
    points = [{"mean": 1.0}, {"mean": 2.0}]
    found = lf.testing.nearer(off_by(0.2), off_by(-0.6), two_points, points, relative=True, rng=5)
    drawn = np.array([[two_points(seed_of(5, k), **point) for point in points] for k in range(found.replications)])
    one, other = (((drawn - formulas) / (0.8, 1.8)) ** 2 for formulas in ((1.2, 2.2), (0.4, 1.4)))
    assert found.advantage == pytest.approx((other - one).mean())


def test_formulas_meet_the_replications_in_order():
    seeds = []
    lf.testing.nearer(off_by(0.2), off_by(-0.9), lambda rng: seeds.append(rng) or normal(rng), rng=3)
    assert seeds == [seed_of(3, k) for k in range(len(seeds))]


def test_a_point_where_both_formulas_are_0_has_no_scale():
    points = [{"mean": 1.0}, {"mean": 0.0}]
    with pytest.raises(ValueError, match="relative = True needs formulas other than 0"):
        lf.testing.nearer(formula, formula, normal, points, relative=True)


# Comparisons


def test_the_interval_is_that_of_the_power():
    """At its limits the evidence is that for 1/(1 - power), 100 by default."""
    found = lf.testing.compare(formula, normal, {"mean": 1.0}, within=5.0, rng=2)
    sample = Normal(np.array([normal(seed_of(2, k), 1.0) for k in range(found.replications)]))
    assert sample.above(found.interval[0]) == pytest.approx(math.log(100), abs=1e-6)
    assert sample.below(found.interval[1]) == pytest.approx(math.log(100), abs=1e-6)


def test_replications_that_are_needed_by_hand():
    """Evidence grows as n d - log(n)/2: n with that reaching log 100 solves n d = log(n)/2 + log 100."""
    found = lf.testing.compare(formula, normal, {"mean": 0.0}, within=0.2, budget=50, rng=1)
    sample = Normal(np.array([normal(seed_of(1, k)) for k in range(50)]))
    near = min(sample.below(0.4), sample.above(-0.4))
    rate = (near + math.log(50) / 2) / 50
    assert found.verdict == "undecided"
    first = math.ceil(found.needed)  # the first whole number that suffices
    assert found.needed == first
    assert first * rate >= math.log(first) / 2 + math.log(100)
    assert (first - 1) * rate < math.log(first - 1) / 2 + math.log(100)


def test_a_deviation_of_the_accuracy_agrees():
    """As "differs" means d > w."""
    options = {"within": 0.5, "deterministic": True}
    assert lf.testing.compare(lambda mean: mean + 0.5, certain, {"mean": 1.0}, **options).verdict == "agrees"
    assert lf.testing.compare(lambda mean: mean + 0.501, certain, {"mean": 1.0}, **options).verdict == "differs"


@pytest.mark.parametrize("bounds", [(-9.0, 0.5), (-0.5, 9.0)])
def test_results_outside_one_bound_are_refused(bounds):
    with pytest.raises(ValueError, match="its bounds"):
        lf.testing.compare(formula, normal, within=0.1, bounds=bounds, rng=1)


def test_results_on_a_bound_are_inside():
    given = iter([0.0, 1.0, 0.5, 2.0, *[0.5] * 99])
    with pytest.raises(ValueError, match="the simulator's result = 2"):
        lf.testing.compare(formula, lambda rng: next(given), within=0.1, bounds=(0.0, 1.0), rng=1)
    with pytest.raises(ValueError, match="two different numbers in ascending order"):
        lf.testing.compare(formula, normal, within=0.1, bounds=(1.0, 1.0), rng=1)


# Domains


def test_corners_of_small_and_large_domains():
    rng = np.random.default_rng(1)
    line = [Axis.parse("x", (0.0, 1.0))]
    assert corners(line, 9, rng) == [{"x": 0.0}, {"x": 1.0}]
    assert corners(line, 1, rng) == [{"x": 0.0}]
    many = [*(Axis.parse(f"x{k}", (0.0, 1.0)) for k in range(13)), Axis.parse("k", 7)]
    assert {point["k"] for point in corners(many, 5, rng)} == {7}


def test_half_of_the_points_are_corners():
    """Of a domain of four arguments, which has 16 corners."""
    domain = dict.fromkeys("abcd", (0.0, 1.0))
    made = claim(lambda **_: 0.0, lambda rng, **_: 0.0, over=domain, within=1.0, deterministic=True)
    found, _ = examined(made, 12, 100)
    inside = [any(0 < value < 1 for value in one.point.values()) for one in found]
    assert inside == [False] * 6 + [True] * 6


# Shrinking


@dataclass(frozen=True)
class Recorded(Claim):
    """A claim that is undecided at every other point, and spends all that it may."""

    budgets: list = field(default_factory=list)

    def compared(self, point, *, alpha, budget, seed):
        self.budgets.append(budget)
        if point.get("x0") == 1:
            raise ValueError("no such point")
        return Comparison("undecided", 1.0, 1.0, (0.0, 2.0), min(budget, 1000), 1.0, 0.5, alpha, 0.99, point, seed)


def budgets(replications, budget, axes=2, limit=9):
    """Return the budget of each try of shrinking from a corner."""
    over = tuple(Axis.parse(f"x{k}", (1, limit)) for k in range(axes))
    at = {axis.name: limit for axis in over}
    found = Comparison("differs", 1.0, 9.0, (8.0, 9.0), replications, 1.0, 0.5, 1e-6, 0.99, at, 1)
    made = Recorded(formula, normal, over, None, {"within": 0.5})
    return made.budgets, shrink(made, found, budget=budget)[1]


def test_the_budget_of_each_try_of_shrinking():
    """Twice the cost of the best point, at least 100, and no more than is left; a refused point costs nothing.

    From (9, 9) the tries are x0 = 1, which is refused, 5, 7, 8, then x1 = 1, 5, 7, 8.
    """
    spent, tries = budgets(80, 500)
    assert spent == [160, 160, 160, 160, 20]
    assert tries == 5
    assert budgets(10, 10_000)[0] == [100] * 8
    assert budgets(80, 322)[0] == [160, 160, 160, 2]
    assert budgets(80, 321)[0] == [160, 160, 160]


def test_shrinking_ends_after_200_tries():
    """60 arguments with four simpler values each."""
    spent, tries = budgets(1, 10**6, axes=60)
    assert len(spent) == tries == 200

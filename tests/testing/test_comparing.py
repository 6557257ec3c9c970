"""Comparisons of formulas with simulators: error rates, cost, and what is refused."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

import longfat as lf
from longfat.testing import comparing
from longfat.testing.seeded_runs import looks, run_once, seed_of
from tests.testing.simulators import exponential, formula, normal, off_by, rare

compare = lf.testing.compare


def verdicts(count, deviation, simulator=normal, *, seed, within=0.5, alpha=1e-3, power=0.99, **options):
    """Return the verdicts of many comparisons, and the mean number of replications."""
    found = [
        compare(off_by(deviation), simulator, within=within, alpha=alpha, power=power, rng=seed + k, **options)
        for k in range(count)
    ]
    return [one.verdict for one in found], float(np.mean([one.replications for one in found]))


def fixed_size(within, alpha, power, deviation=1.0):
    """Return the size of the test of |d| <= w against |d| >= 2 w that knows the standard deviation and looks once."""
    z = NormalDist().inv_cdf
    return ((z(1 - alpha / 2) + z(power)) * deviation / within) ** 2


def test_an_obvious_failure_stops_after_the_first_look():
    found = compare(off_by(1e6), normal, within=0.5, alpha=1e-3, rng=1)
    assert (found.verdict, found.replications) == ("differs", 8)


@pytest.mark.parametrize("count", [80, pytest.param(10_000, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("deviation", "wrong"), [(0.0, "differs"), (0.5, "differs"), (-0.5, "differs"), (1.0, "agrees"), (-1.0, "agrees")]
)
def test_errors_of_comparisons(deviation, wrong, count):
    """At w/sigma = 1/2: no more wrong verdicts than the binomial allows in one test of a million.

    Formulas are exact, at the accuracy, or off by twice the accuracy.
    """
    error = 1e-3 if wrong == "differs" else 1e-2
    found, size = verdicts(count, deviation, seed=1000)
    assert found.count(wrong) <= stats.binom.ppf(1 - 1e-6, count, error)
    assert "undecided" not in found
    assert size < 2 * fixed_size(0.5, 1e-3, 0.99)


@pytest.mark.long
@pytest.mark.parametrize("alpha", [1e-3, 1e-6])
@pytest.mark.parametrize("ratio", [1.0, 3.0])
def test_the_cost_is_within_twice_that_of_a_fixed_size(alpha, ratio):
    """At every deviation, the hardest (1.5 w) included, for standard deviations of w and 3 w."""
    size = fixed_size(1.0, alpha, 0.99, ratio)
    for deviation in (0.0, 0.5, 1.0, 1.25, 1.5, 1.75, 2.0, 3.0):
        found, mean = verdicts(400, deviation, lambda rng: normal(rng, 0.0, ratio), within=1.0, alpha=alpha, seed=5000)
        print(f"alpha {alpha}, sigma/w {ratio}, deviation {deviation} w: {mean / size:.2f} of {size:.0f}")
        assert mean <= 2 * size
        assert "undecided" not in found


def test_a_heavy_tail_is_remarked():
    """All moments of a Pareto distribution with the index 1.5 but the first are infinite; g1 of uniform values is 0."""
    options = {"within": 0.01, "budget": 200, "rng": 1}
    heavy = compare(lambda: 3.0, lambda rng: 1 + np.random.default_rng(rng).pareto(1.5), **options)
    assert "; the results have a skewness of " in heavy.remark
    assert "skewness" not in compare(lambda: 0.5, lambda rng: np.random.default_rng(rng).random(), **options).remark


def test_a_rare_event_needs_bounds():
    """0.002 against a share of 0.02: without bounds 100 equal results are no evidence, with them enough are."""
    without = compare(lambda share: share, rare, {"share": 1e-4}, within=0.01, rng=1)
    assert without.verdict == "undecided"
    assert "bounds=" in without.remark
    found = compare(lambda share: 0.1, rare, {"share": 0.002}, within=0.02, bounds=(0, 1), rng=1)
    assert found.verdict == "differs"
    assert compare(lambda share: share, rare, {"share": 0.002}, within=0.02, bounds=(0, 1), rng=1).verdict == "agrees"


def test_promises_of_bounds_are_kept():
    """Zeros and ones with a share of 0.02 against 0.04, within 0.02: at the accuracy, where a t test errs in half."""
    found, _ = verdicts(20, 0.04, lambda rng: rare(rng, 0.02), within=0.02, bounds=(0, 1), alpha=0.01, seed=9)
    assert found.count("differs") <= stats.binom.ppf(1 - 1e-6, 20, 0.01)


def test_a_deterministic_simulator():
    once = compare(off_by(0.4), lambda rng, mean: mean, {"mean": 1.0}, within=0.5, deterministic=True)
    assert (once.verdict, once.replications, once.interval) == ("agrees", 2, (1.0, 1.0))
    assert compare(off_by(0.6), lambda rng: 0.0, within=0.5, deterministic=True).verdict == "differs"
    found = compare(off_by(9.0), lambda rng: 0.0, within=0.5)
    assert found.verdict == "undecided"
    assert found.replications < 130
    assert "deterministic=True" in found.remark


def test_a_few_equal_results_are_no_end():
    """The first 40 results are equal by chance: fewer than 100 such say nothing, and the comparison goes on."""
    results = iter([0.0] * 40 + [-1.0, 1.0] * 1000)
    found = compare(lambda: 9.0, lambda rng: next(results), within=0.5, rng=1)
    assert (found.verdict, found.remark) == ("differs", "")
    assert found.replications > 40


@pytest.mark.parametrize("share", ["0 %", "-5 %"])
def test_a_share_of_nothing_allows_nothing(share):
    with pytest.raises(ValueError, match=rf"^within = {share} is out of range: must be in \(0, inf\) %"):
        compare(lambda: 3.0, normal, within=share, rng=1)


def test_a_simulator_that_is_not_deterministic_is_found():
    with pytest.raises(ValueError, match="needs equal results: two seeds gave"):
        compare(formula, normal, within=1.0, deterministic=True, rng=1)


def test_the_budget_is_kept_and_the_missing_replications_are_estimated():
    """At 1.4 w a decision takes long; the number predicted after 100 replications is of the right order."""
    found = compare(off_by(0.14), normal, within=0.1, budget=100, rng=3)
    assert (found.verdict, found.replications) == ("undecided", 100)
    assert "about" in found.remark
    whole = compare(off_by(0.14), normal, within=0.1, rng=3)
    assert found.needed / 30 < whole.replications < 30 * found.needed


@pytest.mark.parametrize("probability", [0.5, 0.95])
def test_quantiles(probability):
    """Of exponential times, -log(1 - p)."""
    true = -math.log(1 - probability)
    options = {"of": probability, "within": "20 %", "rng": 1, "alpha": 1e-3}
    right = compare(lambda mean: true, exponential, {"mean": 1.0}, **options)
    wrong = compare(lambda mean: 1.8 * true, exponential, {"mean": 1.0}, **options)
    assert (right.verdict, wrong.verdict) == ("agrees", "differs")
    assert right.interval[0] < true < right.interval[1]


def test_the_seed_repeats_a_comparison():
    first = compare(formula, normal, within=0.5)
    again = compare(formula, normal, within=0.5, rng=first.seed)
    assert (first.estimate, first.replications) == (again.estimate, again.replications)


def test_seeds_are_those_of_the_replications():
    seeds = []
    compare(lambda: 0.0, lambda rng: seeds.append(rng) or normal(rng), within=1.0, rng=4)
    assert seeds == [seed_of(4, k) for k in range(len(seeds))]
    assert len({*seeds}) == len(seeds)


def test_costs_are_added():
    found = compare(lambda: 0.0, lambda rng: (normal(rng), 1500), within=1.0, rng=1)
    assert found.cost == 1500 * found.replications
    assert math.isnan(compare(lambda: 0.0, normal, within=1.0, rng=1).cost)


def test_looks_end_with_the_budget():
    assert list(looks(5)) == [5]
    assert list(looks(8)) == [8]
    assert list(looks(11)) == [8, 10, 11]


def test_a_failure_names_point_and_seed():
    def broken(rng, load):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError) as failure:
        run_once(broken, {"load": 0.5}, seed_of(1, 0))
    assert f"load = 0.5 with the seed {seed_of(1, 0)}" in failure.value.__notes__[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"within": 0}, r"within = 0 is out of range: must be in \(0, inf\)"),
        ({"within": "5"}, "within must be a number or a percentage such as '5 %', got the string '5'"),
        ({"within": "x %"}, "within must be a number or a percentage"),
        ({"within": "5 %"}, "within = '5 %' needs a formula other than 0"),
        ({"alpha": 0}, "alpha = 0 is out of range"),
        ({"power": 1}, "power = 1 is out of range"),
        ({"budget": 1}, "budget = 1 replications is out of range"),
        ({"of": 1.5}, "of = 1.5 is out of range"),
        ({"of": "median"}, "of = 'median' is out of range: must be \"mean\", or the probability of a quantile"),
        ({"of": 0.5, "bounds": (0, 1)}, 'needs of = "mean"'),
        ({"bounds": (1, 0)}, "bounds = .1, 0. is out of range"),
        ({"bounds": (0, 1, 2)}, "bounds = .0, 1, 2. is out of range: must be two different numbers"),
        ({"bounds": 1}, "bounds = 1 is out of range: must be two different numbers"),
        ({"rng": -1}, "rng = -1 is out of range"),
        ({"point": "load"}, "point must be a mapping of names to values, got the string 'load'"),
    ],
)
def test_what_is_refused(change, message):
    with pytest.raises((TypeError, ValueError), match=message):
        compare(lambda: 0.0, normal, **{"within": 0.5, **change})


def test_results_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match=r"the result of simulator\(\d+\) = nan is out of range"):
        compare(lambda: 0.0, lambda rng: math.nan, within=0.5, rng=1)
    for result in ("x", np.complex128(1 + 1j)):
        with pytest.raises(TypeError, match="a number and its cost"):
            compare(lambda: 0.0, lambda rng, result=result: result, within=0.5, rng=1)


def test_text():
    found = compare(lambda load: 0.0, lambda rng, load: normal(rng), {"load": 0.5}, within=0.5, rng=1)
    assert str(found).startswith("agrees at load = 0.5: formula 0, simulator ")
    assert str(found).endswith(f"0.5 allowed, {found.replications} replications")


def test_a_share_of_a_value():
    assert comparing.tolerance(" 5% ", 2.0) == pytest.approx(0.1)


def test_power_at_the_accuracy_itself():
    """A deviation of 1.2 w agrees if 2 w has to be noticed, and differs if w has to be; w itself is never decided."""
    for deviation, power_at, verdict in (
        (1.2, 2, "agrees"),
        (1.2, 1, "differs"),
        (0.8, 1, "agrees"),
        (1, 1, "undecided"),
    ):
        options = {"within": 1.0, "alpha": 0.01, "power_at": power_at, "budget": 3000, "rng": 1}
        assert compare(off_by(deviation), normal, {}, **options).verdict == verdict, (deviation, power_at)


def test_evidence_is_that_of_the_verdict():
    """10^2 for "agrees" with a power of 0.99, 10^6 for "differs"; without random numbers there is no doubt.

    From above: the likelihood ratio of n normal values that are d standard deviations off is at most (1 + d^2)^(n/2),
    and no mixture exceeds it. Here d is 2, and 5 - 1, with a quarter more for the estimates.
    """
    near, far = compare(formula, normal, {}, within=1.0, rng=1), compare(off_by(5), normal, {}, within=1.0, rng=1)
    assert near.replications / 2 * math.log10(1 + 2.5**2) > near.agreement >= 2 > near.difference
    assert far.replications / 2 * math.log10(1 + 5.0**2) > far.difference >= 6 > far.agreement
    exact = compare(formula, lambda rng, **_: 0.5, {}, within=1.0, deterministic=True)
    assert (exact.agreement, exact.difference, exact.replications) == (math.inf, -math.inf, 2)

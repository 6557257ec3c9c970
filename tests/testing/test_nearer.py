"""Two formulas against one simulator."""

import math

import pytest
from scipy import stats

import longfat as lf
from tests.testing.simulators import formula, normal, off_by

nearer = lf.testing.nearer


def test_the_nearer_formula_is_found():
    assert nearer(off_by(0.2), off_by(-0.6), normal, rng=1).verdict == "first"
    assert nearer(off_by(0.6), off_by(-0.2), normal, rng=1).verdict == "second"
    found = nearer(off_by(0.2), off_by(-0.6), normal, rng=1)
    assert found.interval[0] > 0
    assert found.interval[0] < 0.36 - 0.04 < found.interval[1]
    assert str(found).startswith("the first formula is nearer: advantage of the first ")


def test_estimated_cost_of_independent_runs():
    """x ~ N(0, 1): (x - f)^2 has the variance 2 + 4 f^2; the difference for 0.2 and -0.6, linear in x, 4 * 0.8^2."""
    found = nearer(off_by(0.2), off_by(-0.6), normal, alpha=1e-6, rng=4)
    by_hand = 2 * (2 + 4 * 0.04 + 2 + 4 * 0.36) / (4 * 0.64)
    assert found.independent / found.runs == pytest.approx(by_hand, rel=0.3)


def test_formulas_equally_near_are_not_told_apart():
    """At alpha = 1e-2: no more verdicts than the binomial allows in one test of a million."""
    found = [nearer(off_by(0.3), off_by(-0.3), normal, alpha=1e-2, budget=60, rng=seed) for seed in range(40)]
    wrong = sum(one.verdict != "undecided" for one in found)
    assert wrong <= stats.binom.ppf(1 - 1e-6, 40, 0.01)


def test_several_points():
    """The second is better at one point of two, the first more so at the other; with equal scales it is the second."""
    points = [{"mean": 1.0}, {"mean": 100.0}]
    first = {1.0: 1.0, 100.0: 102.0}
    second = {1.0: 2.0, 100.0: 101.0}
    formulas = [lambda mean, table=table: table[mean] for table in (first, second)]
    absolute = nearer(*formulas, normal, points, rng=1)
    relative = nearer(*formulas, normal, points, relative=True, rng=1)
    assert (absolute.verdict, relative.verdict) == ("second", "first")
    assert absolute.runs == 2 * absolute.replications


def test_equal_formulas_are_given_up():
    found = nearer(formula, formula, normal, rng=1)
    assert found.verdict == "undecided"
    assert found.replications < 130
    assert math.isnan(found.independent)


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"points = \[\] is out of range: must be one point or more"):
        nearer(formula, formula, normal, [])
    with pytest.raises(ValueError, match="relative = True needs formulas other than 0"):
        nearer(formula, formula, normal, relative=True)
    with pytest.raises(ValueError, match=r"^second\(\) = nan is out of range: must be in \(-inf, inf\)$"):
        nearer(formula, lambda: math.nan, normal)
    with pytest.raises(TypeError, match=r"^points must be a mapping of names to values, got the string 'load'$"):
        nearer(formula, formula, normal, "load")


def test_public_names_are_not_replaced_by_modules():
    """Importing the module that has a name must not put the module in its place."""
    for name in lf.testing.__all__:
        assert getattr(lf.testing, name) is getattr(lf.testing, name)
        assert callable(getattr(lf.testing, name))

"""Sequential stopping: the first sufficient number of replications, on every executor; coverage as documented."""

import json
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import stats

from longfat.replication import SweepError, sweep
from longfat.replication.intervals import is_decided
from longfat.replication.outcomes import record
from longfat.replication.planning import Plan, half_widths
from tests.replication.common import GRID, QUIET, Flushing, exponential, queue

TARGET = {"wait": "9 %", "trace": 0.8}


def normal(place, rng):
    return rng.normal(3.0, 2.0)


def first_enough(samples, least, confidence, allowed):
    """Return the smallest n at which scipy's interval of the first n samples is narrow enough, by definition."""
    for n in range(least, len(samples) + 1):
        some = samples[:n]
        low, high = stats.t.interval(confidence, n - 1, some.mean(0), some.std(0, ddof=1) / math.sqrt(n))
        if ((high - low) / 2 <= allowed(some.mean(0))).all():
            return n
    return len(samples)


def test_points_end_where_the_definition_says():
    many = sweep(queue, GRID, replications=400, rng=7, keep=True, **QUIET)
    data = sweep(queue, GRID, replications=5, at_most=400, until=TARGET, confidence=0.9, rng=7, keep=True, **QUIET)
    assert json.loads(data.attrs["until"]) == TARGET
    assert (data.attrs["replications"], data.attrs["at_most"]) == (5, 400)
    for load in GRID["load"]:
        for scheme in GRID["scheme"]:
            at = {"load": load, "scheme": scheme}
            one, samples = data.sel(at), many.sel(at)
            enough = max(
                # 9 % of the true mean is 9 / 109 of the one that was seen
                first_enough(samples.wait_samples.values, 5, 0.9, lambda mean: 0.09 / 1.09 * abs(mean)),
                first_enough(samples.trace_samples.values, 5, 0.9, lambda mean: 0.8),
            )
            count = int(one.replications)
            assert 5 <= count <= 400
            # the larger of two first numbers is the first common one only if the first stays narrow: it may be later
            assert count >= enough
            waits = one.wait_samples.values[:count]
            np.testing.assert_array_equal(waits, samples.wait_samples.values[:count])
            assert np.isnan(one.wait_samples.values[count:]).all()
            assert float(one.wait) == pytest.approx(waits.mean(), rel=1e-14)
            assert one.status == "done"
            assert float(one.wait_upper - one.wait) <= 0.09 * float(one.wait)
            assert bool((one.trace_upper - one.trace <= 0.8 * (1 + 1e-12)).all())
    assert len(np.unique(data.replications)) > 2


@pytest.mark.parametrize(("until", "allowed"), [("20 %", lambda mean: abs(mean) / 6), ({"result": 0.3}, lambda _: 0.3)])
def test_one_variable_ends_at_the_first_number_that_is_enough(until, allowed):
    many = sweep(exponential, {"load": [0.5, 1.0, 2.0]}, replications=600, rng=5, keep=True, **QUIET)
    data = sweep(exponential, {"load": [0.5, 1.0, 2.0]}, until=until, at_most=600, rng=5, **QUIET)
    expected = [first_enough(samples, 10, 0.95, allowed) for samples in many.result_samples.values]
    assert data.replications.values.tolist() == expected
    assert min(expected) < max(expected) < 600


def test_neither_executor_nor_order_nor_store_matters(tmp_path):
    def go(**given):
        options = {"replications": 4, "at_most": 300, "until": TARGET, "rng": 7, "keep": True}
        return sweep(queue, GRID, **(options | given), **QUIET)

    integer = go()
    with ThreadPoolExecutor(2) as pool:
        assert go(executor=pool).identical(integer)
    assert go(executor=Flushing()).identical(integer)
    # A store with more than is needed, then one with holes: the end of a point is the same.
    sweep(queue, GRID, replications=60, rng=7, store=tmp_path, **QUIET)
    assert go(store=tmp_path).identical(integer)
    for path in tmp_path.glob("p0*_r?.npz"):
        path.unlink()
    assert go(store=tmp_path).identical(integer)
    # Narrower: stored runs are loaded.
    narrower = go(until={"wait": "4 %"}, store=tmp_path)
    assert bool((narrower.replications > integer.replications).any())


def test_requested_runs_depend_on_the_outcomes_alone():
    """Outcomes in any order: the same runs are requested, and the same replications count."""
    values = np.random.default_rng(3).normal(3.0, 2.0, size=(3, 200))

    def follow(rng):
        plan = Plan(3, 5, 200, half_widths({"result": 0.7}), 0.95, lambda one: list(one.variables))
        waiting, ends, taken = [], {}, set()
        while True:
            while (place := plan.next_run()) is not None:
                waiting.append(place)
                taken.add(place)
            if not waiting:
                return ends, taken
            place = waiting.pop(rng.integers(len(waiting)))
            end = plan.record_outcome(place, record(values[place]))
            assert plan.record_outcome(place, record(math.nan)) is None  # a second time makes no difference
            if end is not None:
                ends[end.index] = (len(end.records), end.status)

    first, taken = follow(np.random.default_rng(0))
    assert first == {
        index: (first_enough(samples, 5, 0.95, lambda _: 0.7), "done") for index, samples in enumerate(values)
    }
    for seed in range(1, 20):
        assert follow(np.random.default_rng(seed)) == (first, taken)
    # At most a tenth more than before at each step, or what the width suggests: little is computed in vain.
    assert len(taken) < 1.5 * sum(count for count, _ in first.values())


def test_the_largest_number_and_intervals_that_never_get_narrow():
    def strange(kind, rng):
        value = rng.normal()
        kinds = {"wide": 1e6, "vast": 1e200, "nan": math.nan, "inf": math.inf}  # the variance of "vast" overflows
        return [kinds[kind] * value if kind in kinds else {"constant": 4.0, "zero": 0.0}[kind], 0.0]

    kinds = ["wide", "vast", "nan", "inf", "constant", "zero"]
    data = sweep(strange, {"kind": kinds}, until="1 %", replications=6, at_most=40, rng=1, **QUIET)
    # infinite or missing results have no interval for any number of replications, so the fewest are sufficient
    assert data.replications.values.tolist() == [40, 6, 6, 6, 6, 6]
    assert data.status.values.tolist() == ["not narrow enough"] * 4 + ["done"] * 2
    assert data.result_upper.values[4:].tolist() == [[4.0, 0.0], [0.0, 0.0]]


def test_a_variable_that_is_not_there():
    with pytest.raises(
        SweepError, match="ValueError: until: 'wait' is no variable of the function, which returned resul"
    ):
        sweep(exponential, {"load": [1.0]}, until={"wait": 0.1}, **QUIET)


# Coverage


def theory(width, least, confidence, runs=40_000):
    """Return coverage and mean number of replications for normal samples of variance 1, without any of our code.

    The sample variances are independent of the sample mean (Helmert): the number N at which s is small enough follows
    from a walk of chi-square steps alone, and given N the mean is normal with variance 1 / N. The interval is that of
    the N replications: a little narrower than what was asked for.
    """
    rng = np.random.default_rng(99)
    squares, ends, widths, n = rng.chisquare(least - 1, runs), np.zeros(runs), np.zeros(runs), least
    live = np.ones(runs, bool)
    while live.any():
        half = stats.t.ppf((1 + confidence) / 2, n - 1) * np.sqrt(squares / (n - 1) / n)
        last = live & (half <= width)
        ends[last], widths[last] = n, half[last]
        live &= half > width
        squares[live] += rng.chisquare(1, live.sum())
        n += 1
    return float((2 * stats.norm.cdf(widths * np.sqrt(ends)) - 1).mean()), float(ends.mean()), float(ends.std())


@pytest.mark.parametrize(
    ("least", "about"),
    [pytest.param(10, 0.881, marks=pytest.mark.long), (3, 0.832)],  # the second one stops too soon, too often
)
def test_coverage_of_a_sequential_interval_agrees_with_theory(least, about):
    """Of 600 intervals at 0.9, within three standard deviations of the binomial; as many replications as expected."""
    points, width = 600, 0.4
    until = {"result": 2.0 * width}  # sigma is 2
    data = sweep(
        normal, {"place": range(points)}, replications=least, until=until, confidence=0.9, rng=17, **QUIET
    )  # fmt: skip
    coverage, number, spread = theory(width, least, 0.9)
    assert coverage == pytest.approx(about, abs=0.005)
    covers = int(((data.result_lower <= 3.0) & (data.result_upper >= 3.0)).sum())
    bound = 3 * math.sqrt(points * coverage * (1 - coverage))
    assert abs(covers - points * coverage) <= bound
    assert float(data.replications.mean()) == pytest.approx(number, abs=3 * spread / math.sqrt(points))
    if least == 3:
        assert points * 0.9 - covers > bound


def test_a_decision_has_the_interval_of_scipy():
    samples = [0.94, 0.96, 0.97, 0.965]
    for looks in (1, 3):
        low, high = stats.t.interval(1 - 0.05 / looks, 3, np.mean(samples), stats.sem(samples))
        for goal, known in ((low - 1e-9, True), (low + 1e-9, False), (high - 1e-9, False), (high + 1e-9, True)):
            assert is_decided(samples, goal, 0.95, looks) is known
    assert is_decided([1.0, 1.0], 1.0, 0.95)  # the goal itself is reached
    assert not is_decided([1.0, 0.99], math.nan, 0.95)

"""Points on both sides of places where a formula's case changes."""

import numpy as np
import pytest

import longfat as lf
from longfat.laws import aqm, loss_load, queues, tcp
from longfat.testing.domain import OUTERMOST, Axis, cases_of, turning_points
from longfat.testing.holding import Allowance
from tests.testing.simulators import claim

SQUARE = [Axis.parse("x", (0.0, 1.0)), Axis.parse("y", (0.0, 1.0))]


def turning(axes, cases, most, valid=lambda point: True):
    return turning_points(axes, cases, most, valid, np.random.default_rng(1))


def test_cases_of_a_law_by_hand():
    """The formula has max((1 + B)/2, 1) and so on; from B = 1 on the buffer is large enough."""
    cases = cases_of(tcp.aimd_utilisation)
    assert cases(buffer=0.1) == cases(buffer=0.99)
    assert cases(buffer=1.01) == cases(buffer=3.0) != cases(buffer=0.99)


def test_each_kind_of_distinction():
    """min(ceil(n/3), 2 + 2 t) is the second at n = 9, t = 0.1; t = t_b there."""
    point = {"packets": 9, "round_trip_time": 0.1, "access_time": 0.0, "bottleneck_time": 0.1, "last_time": 0.0}
    cases = cases_of(tcp.unloaded_transfer_time)
    base = cases(**point, initial_window=1)
    assert len(base) <= OUTERMOST
    assert cases(**point | {"packets": 900}, initial_window=1) != base
    assert cases(**point | {"access_time": 0.2}, initial_window=1) != base
    at_one, other = (cases_of(queues.mm1k_wait)(load=load, capacity=5.0) for load in (1.0, 0.9))
    assert at_one != other


def test_a_constant_that_numpy_lacks():
    """The law is the interval times max(0, 2 I mu p + zeta(1/2)); zeta(1/2) = -1.460."""
    cases = cases_of(aqm.codel_control_time)
    few, enough, more = (cases(loss=0.1, capacity_packets=10 * x, interval=0.5) for x in (1.4, 1.5, 9.0))
    assert few != enough == more


@pytest.mark.parametrize("formula", [queues.mm1_wait, loss_load.throughput_optimal_rate, lambda load: max(load, 0.5)])
def test_formulas_without_known_cases(formula):
    assert cases_of(formula) is None


def test_both_sides_of_the_place():
    for one, other in zip(*[iter(turning(SQUARE, lambda x, y: x + y < 0.8, 20))] * 2, strict=True):
        assert (one["x"] + one["y"] < 0.8) != (other["x"] + other["y"] < 0.8)
        assert np.hypot(one["x"] - other["x"], one["y"] - other["y"]) <= np.sqrt(2) / 2**20


def test_neighbours_among_integers():
    found = turning([Axis.parse("flows", (1, 50))], lambda flows: flows // 10, 6)
    pairs = {tuple(sorted((one["flows"], other["flows"]))) for one, other in zip(found[::2], found[1::2], strict=True)}
    assert pairs <= {(9, 10), (19, 20), (29, 30), (39, 40), (49, 50)}


def test_distinctions_take_turns():
    """Of three, the last never changes: the first and the second, and again."""
    found = turning(SQUARE, lambda x, y: (x < 0.5, y < 0.5, x < 2), 8)
    crossed = [
        [name for name in "xy" if (one[name] < 0.5) != (other[name] < 0.5)]
        for one, other in zip(found[::2], found[1::2], strict=True)
    ]
    assert crossed == [["x"], ["y"], ["x"], ["y"]]


@pytest.mark.parametrize(("valid", "cases"), [
    (lambda point: abs(point["x"] - 0.5) > 0.1, lambda x, y: x < 0.5),
    (lambda point: True, lambda x, y: x < 0.0),
])  # fmt: skip
def test_no_points_where_the_place_is_outside_the_domain(valid, cases):
    assert turning(SQUARE, cases, 4, valid) == []


def test_only_points_of_the_domain_have_cases():
    """A formula may not be defined outside it."""

    def cases(x, y):
        assert x <= 0.7
        return x < 0.4

    assert len(turning(SQUARE, cases, 4, lambda point: point["x"] <= 0.7)) == 4


def test_an_error_beside_a_condition_is_found():
    """1 + x above 0.3, where x is right from 0.301 on: in a thousandth of the domain, which eleven points missed."""

    def formula(x):
        return 1.0 + x if 0.3 <= x < 0.301 else x

    def judge(cases):
        @lf.testing.holds(
            formula, lambda rng, x: x, over={"x": (0.0, 1.0)}, within=0.1, deterministic=True, points=11, cases=cases
        )
        def test():
            pass

        test()

    judge(None)
    with pytest.raises(lf.testing.Disagreement, match="formula differs"):
        judge(lambda x: x >= 0.3)


def test_half_of_the_points_behind_the_corners():
    """Of 12 points 2 corners; of the other 10 three pairs."""
    seen = []
    made = claim(
        lambda x: x, lambda rng, x: x, over={"x": (0.0, 1.0)}, within=0.1, deterministic=True, cases=lambda x: x < 0.3
    )
    made.examine(12, Allowance(budget=1000, report=lambda name, one, points: seen.append(one)))
    near = [abs(one.point["x"] - 0.3) < 1e-5 for one in seen]
    assert near == [False] * 2 + [True] * 6 + [False] * 4

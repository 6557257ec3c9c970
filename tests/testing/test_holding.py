"""Points of a domain, and tests that hold formulas against simulators, without a session of pytest."""

import numpy as np
import pytest

import longfat as lf
from longfat.law import Law, Symbol, Validity
from longfat.laws.queues import mm1_wait
from longfat.testing.comparing import Comparison
from longfat.testing.domain import Axis, axes_of, corners, loneliest
from longfat.testing.holding import ALLOWANCE, Allowance, margin
from tests.testing.simulators import claim, formula, normal


def judged(seen, given=formula, simulator=normal, *, budget=100_000, **options):
    """Run a test, collecting its comparisons."""

    @lf.testing.holds(given, simulator, **options)
    def test():
        pass

    token = ALLOWANCE.set(Allowance(budget=budget, report=lambda name, found, points: seen.append(found)))
    try:
        test()
    finally:
        ALLOWANCE.reset(token)


def test_a_domain_of_few_points_is_done_once():
    seen = []
    judged(seen, over={"mean": [1.0, 2.0, 3.0], "deviation": 0.5}, within=0.5)
    assert sorted(one.point["mean"] for one in seen) == [1.0, 2.0, 3.0]


def test_a_spent_budget_is_no_agreement():
    """Each point takes ten replications or more, and may spend half of what is left."""
    seen = []
    with pytest.raises(lf.testing.Disagreement, match=r"undecided|the budget was spent after"):
        judged(seen, over={"mean": (0.0, 1.0), "deviation": 0.01}, within=0.5, budget=40)
    certain = {"simulator": lambda rng, mean: mean, "deterministic": True}  # two replications decide
    with pytest.raises(lf.testing.Disagreement, match=r"the budget was spent after 3 of 4 points$"):
        judged([], over={"mean": (0.0, 1.0)}, within=0.5, points=4, budget=7, **certain)


def test_one_point_without_a_decision_is_no_agreement():
    """A deviation of exactly the accuracy, 0.5, is never decided."""
    with pytest.raises(lf.testing.Disagreement, match="undecided"):
        judged([], lambda mean: mean + 0.5, over={"mean": [1.0]}, within=0.5, budget=40)


def test_each_point_has_a_share_and_a_seed():
    seen = []
    judged(seen, over={"mean": (0.0, 1.0)}, within=0.5, points=4)
    assert [one.alpha for one in seen] == [1e-6 / 4] * 4
    assert len({one.seed for one in seen}) == 4


def test_points_fill_the_domain():
    """Of 40 points in a square with one half hard: nowhere is farther than 0.25 from one, and that half has more."""
    axes = [Axis.parse("x", (0.0, 1.0)), Axis.parse("y", (0.0, 1.0))]
    rng = np.random.default_rng(1)
    done = [(point, 0.3 if point["x"] == 1 else 1.0) for point in corners(axes, 9, rng)]
    while len(done) < 40:
        point = loneliest(axes, done, lambda point: True, rng)
        done.append((point, 0.3 if point["x"] > 0.5 else 1.0))
    places = np.array([[point["x"], point["y"]] for point, _ in done])
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 30)] * 2), axis=-1).reshape(-1, 2)
    assert np.linalg.norm(grid[:, None] - places, axis=2).min(axis=1).max() < 0.25
    assert (places[:, 0] > 0.5).sum() > 1.5 * (places[:, 0] < 0.5).sum()


def test_many_corners_are_drawn_from():
    """The extreme ones always; all are different up to 4096 corners."""
    for count in (5, 14):
        axes = [Axis.parse(f"x{k}", (0.0, 1.0)) for k in range(count)]
        found = [tuple(one.values()) for one in corners(axes, 10, np.random.default_rng(1))]
        assert found[:2] == [(0.0,) * count, (1.0,) * count]
        assert len(found) == len({*found}) == 10


def test_axes():
    """Integers only if both limits are; logarithmic from two decades on, so that 0.1 is the middle of 0.01 and 1."""
    for limits, share, value in (
        ((1e-6, 1e-2), 0.25, 1e-5),
        ((0.01, 1.0), 0.5, 0.1),
        ((0.1, 0.9), 0.5, 0.5),
        ((0.0, 1.0), 0.3, 0.3),
        ((1.0, 3.0), 0.75, 2.5),
        ((1, 2.5), 0.5, 1.75),
    ):
        assert Axis.parse("x", limits).at(share) == pytest.approx(value)
        assert Axis.parse("x", limits).share(value) == pytest.approx(share)
    assert [Axis.parse("flows", (1, 3)).at(share) for share in (0.0, 0.5, 1.0)] == [1, 2, 3]
    assert [Axis.parse("k", [2, 4, 8]).share(value) for value in (2, 4, 8)] == pytest.approx([1 / 6, 1 / 2, 5 / 6])
    assert Axis.parse("x", (1.0, 3.0)).contains(3.0)
    assert Axis.parse("k", ["a", "b"]).ends == ("a", "b")
    assert Axis.parse("k", 7).ends == (7,)
    assert Axis.parse("k", (7, 7)).share(7) == 0.0


def test_a_law_brings_its_domain_and_its_validity():
    assert [axis.name for axis in axes_of(mm1_wait, None)] == ["load"]
    load = Symbol("r", "1", "[0, 1)", typical=(0.1, 0.9))
    law = Law(
        lambda load, *, xp: load, {"load": load}, "1", "an example", Validity("r < 0.5", lambda load: load < 0.5, 1)
    )
    made = claim(law, normal, within=0.1)
    assert made.valid({"load": 0.3})
    assert not made.valid({"load": 0.6})
    assert not made.valid({"load": 0.05})


def test_margins():
    """A deviation of w leaves half of 2 w, one of w/4 seven eighths."""
    for within, left in ((0.5, 0.5), (2.0, 0.875)):
        assert margin(Comparison("agrees", 1.0, 1.5, (0, 2), 8, 8, within, 1e-6, 0.99, {}, 1)) == left
    assert margin(Comparison("undecided", 1.0, 1.0, (0, 2), 8, 8, 0.5, 1e-6, 0.99, {}, 1)) == 0.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: judged([], over={"mean": (0.0, 1.0)}, within=0.5, where=lambda mean: False),
         "the domain of formula needs a point"),
        (lambda: Axis.parse("k", (2, 1)), "two numbers in ascending order"),
        (lambda: Axis.parse("k", []), "one value or more"),
        (lambda: axes_of(formula, None), "over = None needs a law"),
        (lambda: judged([], over={"mean": 1.0}, within=0.5, points=0), "points = 0 points is out of range"),
        (lambda: judged([], over={"mean": (1, 2, 3)}, within=0.5),
         r"over\['mean'\] = \(1, 2, 3\) is out of range: must be two numbers in ascending order"),
    ],
)  # fmt: skip
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()

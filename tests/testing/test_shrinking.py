"""Shrinking: from a point at which a formula differs to the simplest one."""

import pytest

import longfat as lf
from longfat.testing import claims
from longfat.testing.domain import Axis
from longfat.testing.seeded_runs import seed_of
from tests.testing.simulators import normal

DOMAIN = {"mean": (0.0, 20.0), "deviation": (0.01, 1.0), "hops": (1, 30), "kind": ["plain", "red", "codel"]}


def noise(rng, mean, deviation, hops, kind):
    return normal(rng, mean, deviation)


def wrong_beyond(mean, deviation, hops, kind):
    """Return the mean; off by 3 from 4 hops on."""
    return mean + 3 * (hops >= 4)


def wrong_for_codel(mean, deviation, hops, kind):
    return mean + 3 * (kind == "codel" and mean > 7)


def shrunk_from(formula, point, **options):
    found = lf.testing.compare(formula, noise, point, within=0.5, rng=1)
    assert found.verdict == "differs"
    return lf.testing.shrink(formula, noise, found, over=DOMAIN, within=0.5, **options)


def test_everything_irrelevant_goes():
    found = shrunk_from(wrong_beyond, {"mean": 13.37, "deviation": 0.4711, "hops": 23, "kind": "codel"})
    assert found.point == {"mean": 0.0, "deviation": 0.01, "hops": 4, "kind": "plain"}
    assert found.comparison.alpha == 1e-9
    assert found.tries <= 60


def test_relevant_arguments_are_kept():
    """A round mean above 7: 10 is the first of 1, 2, 5 times powers of ten."""
    found = shrunk_from(wrong_for_codel, {"mean": 13.37, "deviation": 0.4711, "hops": 23, "kind": "codel"})
    assert found.point == {"mean": 10.0, "deviation": 0.01, "hops": 1, "kind": "codel"}


def test_the_five_lines_repeat_it():
    found = shrunk_from(wrong_beyond, {"mean": 13.37, "deviation": 0.4711, "hops": 23, "kind": "codel"})
    assert len(found.lines.splitlines()) == 5
    kept = {}
    exec(found.lines, kept)
    assert str(kept["found"]) == str(found.comparison)
    assert str(found).startswith(f"Simplest point of {found.tries} tried:\n\n    import longfat as lf\n")
    assert "scenario" not in str(found)


def test_functions_without_a_name_are_located():
    found = lf.testing.compare(lambda mean: mean + 3, normal, {"mean": 1.0}, within=0.5, rng=1)
    shrunk = lf.testing.shrink(lambda mean: mean + 3, normal, found, over={"mean": (0.0, 2.0)}, within=0.5)
    assert f"formula = ...  # {__file__}:" in shrunk.lines
    assert "from tests.testing.simulators import normal" in shrunk.lines


def test_a_condition_is_kept():
    point = {"mean": 13.37, "deviation": 0.4711, "hops": 23, "kind": "codel"}
    found = shrunk_from(wrong_beyond, point, where=lambda mean, hops, **_: hops > 10 and mean > 3)
    assert (found.point["hops"], found.point["mean"]) == (11, 5.0)


def test_the_budget_is_kept():
    found = shrunk_from(wrong_beyond, {"mean": 13.37, "deviation": 0.4, "hops": 23, "kind": "codel"}, budget=1)
    assert found.tries == 0
    assert found.point["hops"] == 23


def test_points_that_are_refused_are_no_examples():
    """The formula cannot compute a mean of 0, nor the simulator one hop."""

    def formula(mean, hops):
        return 1 / mean + 3

    def simulator(rng, mean, hops):
        if hops == 1:
            raise ValueError("one hop")
        return normal(rng, 1 / mean)

    found = lf.testing.compare(formula, simulator, {"mean": 1.7, "hops": 9}, within=0.5, rng=1)
    shrunk = lf.testing.shrink(formula, simulator, found, over={"mean": (0.0, 2.0), "hops": (1, 9)}, within=0.5)
    assert shrunk.point["mean"] > 0
    assert shrunk.point["hops"] == 2


def test_simpler_values_come_first():
    assert list(claims.candidates(Axis.parse("loss", (1e-4, 0.1)), 0.0123456)) == pytest.approx(
        [1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.012, 0.0123]
    )
    assert list(claims.candidates(Axis.parse("loss", (1e-4, 0.1)), 1e-4)) == []
    assert list(claims.candidates(Axis.parse("flows", (2, 9)), 2)) == []
    assert list(claims.candidates(Axis.parse("change", (-2.0, -1.0)), -1.53)) == pytest.approx([-2.0, -1.5])


def poisson(load, flows, seconds):
    """Return a link with some Poisson sources, and the length of its run."""
    net = lf.sim.Network().link("a", "b", rate="80 Mbit/s")
    for _ in range(flows):
        net.flow(lf.sim.traffic.poisson(load * 1e7 / flows), path=["a", "b"], packet=1000)
    return net, {"duration": seconds}


def queue(data):
    return float(data.utilisation[0])


def test_the_scenario_that_a_simulator_writes_is_printed():
    """As one replication of the simplest point, with a seed of its own."""

    class Written:
        def __call__(self, rng, mean):
            return normal(rng, mean)

        def toml(self, rng, mean):
            return f"mean = {mean}\nrng = {rng}\n"

    found = lf.testing.compare(lambda mean: mean + 3, Written(), {"mean": 1.7}, within=0.5, rng=1)
    shrunk = lf.testing.shrink(lambda mean: mean + 3, Written(), found, over={"mean": (1.0, 2.0)}, within=0.5)
    assert shrunk.toml == f"mean = 1.0\nrng = {seed_of(shrunk.comparison.seed, 0)}\n"
    assert "One replication as a scenario:\n\n    mean = 1.0\n    rng = " in str(shrunk)


@pytest.mark.long
def test_a_scenario_is_printed():
    """The load of all sources is 5 % off; one source, the least load and the shortest run show it, too."""
    simulator = lf.testing.Scenario(poisson, queue)
    point = {"load": 0.71, "flows": 3, "seconds": 0.9}
    over = {"load": (0.5, 0.9), "flows": (1, 4), "seconds": (0.5, 1.0)}
    options = {"over": over, "within": 0.02}
    found = lf.testing.compare(lambda load, **_: load + 0.1, simulator, point, within=0.02, rng=1)
    assert found.verdict == "differs"
    assert found.cost == pytest.approx(0.71 * 1e4 * 0.9 * found.replications, rel=0.1)
    shrunk = lf.testing.shrink(lambda load, **_: load + 0.1, simulator, found, **options)
    assert shrunk.point == {"load": 0.5, "flows": 1, "seconds": 0.5}
    net, run = lf.scenario.parse(shrunk.toml)
    assert net == poisson(0.5, 1, 0.5)[0]
    assert run["duration"] == 0.5
    value, _ = simulator(run["rng"], **shrunk.point)
    assert value == pytest.approx(shrunk.comparison.estimate, abs=0.05)


def test_large_seeds_are_written_as_integers():
    """Those of replications have 63 bits, more than a float keeps."""
    net = lf.sim.Network().link("a", "b", rate="8 Mbit/s")
    assert lf.scenario.parse(net.to_toml(rng=2**63 - 1))[1] == {"rng": 2**63 - 1}

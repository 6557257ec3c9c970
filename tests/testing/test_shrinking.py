"""Shrinking: from a point at which a formula differs to the simplest one."""

import pytest

import longfat as lf
from longfat.testing.domain import Axis
from longfat.testing.holding import candidates, example, repeated, scenario, shrink
from longfat.testing.seeded_runs import seed_of
from tests.testing.simulators import claim, normal

DOMAIN = {"mean": (0.0, 20.0), "deviation": (0.01, 1.0), "hops": (1, 30), "kind": ["plain", "red", "codel"]}


def noise(rng, mean, deviation, hops, kind):
    return normal(rng, mean, deviation)


def wrong_beyond(mean, deviation, hops, kind):
    """Return the mean; off by 3 from 4 hops on."""
    return mean + 3 * (hops >= 4)


def wrong_for_codel(mean, deviation, hops, kind):
    return mean + 3 * (kind == "codel" and mean > 7)


def differing(formula, simulator, point, over, within=0.5, **options):
    """Return a claim, and its comparison at a point, which differs."""
    made = claim(formula, simulator, over=over, within=within, **options)
    found = lf.testing.compare(formula, simulator, point, within=within, rng=1)
    assert found.verdict == "differs"
    return made, found


def shrunk_from(formula, budget=100_000, **options):
    point = {"mean": 13.37, "deviation": 0.4711, "hops": 23, "kind": "codel"}
    return shrink(*differing(formula, noise, point, DOMAIN, **options), budget=budget)


def test_everything_irrelevant_goes():
    found, tries = shrunk_from(wrong_beyond)
    assert found.point == {"mean": 0.0, "deviation": 0.01, "hops": 4, "kind": "plain"}
    assert found.alpha == 1e-9
    assert tries <= 60


def test_relevant_arguments_are_kept():
    """A round mean above 7: 10 is the first of 1, 2, 5 times powers of ten."""
    found, _ = shrunk_from(wrong_for_codel)
    assert found.point == {"mean": 10.0, "deviation": 0.01, "hops": 1, "kind": "codel"}


def test_the_five_lines_repeat_it():
    point = {"mean": 13.37, "deviation": 0.4711, "hops": 23, "kind": "codel"}
    made, found = differing(wrong_beyond, noise, point, DOMAIN)
    best, tries = shrink(made, found, budget=100_000)
    lines = repeated(made, best)
    assert len(lines.splitlines()) == 5
    kept = {}
    exec(lines, kept)
    assert str(kept["found"]) == str(best)
    text = example(made, found, budget=100_000)
    assert text.startswith(f"Simplest point of {tries} tried:\n\n    import longfat as lf\n")
    assert "scenario" not in text


def test_functions_without_a_name_are_located():
    lines = repeated(*differing(lambda mean: mean + 3, normal, {"mean": 1.0}, {"mean": (0.0, 2.0)}))
    assert f"formula = ...  # {__file__}:" in lines
    assert "from tests.testing.simulators import normal" in lines
    one, other = (lambda mean: mean + 3), (lambda rng, mean: normal(rng, mean))
    lines = repeated(*differing(one, other, {"mean": 1.0}, {"mean": (0.0, 2.0)}))
    assert f"simulator = ...  # {__file__}:" in lines
    assert "compare(formula, simulator, point, " in lines


def test_a_condition_is_kept():
    found, _ = shrunk_from(wrong_beyond, where=lambda mean, hops, **_: hops > 10 and mean > 3)
    assert (found.point["hops"], found.point["mean"]) == (11, 5.0)


def test_the_budget_is_kept():
    found, tries = shrunk_from(wrong_beyond, budget=1)
    assert tries == 0
    assert found.point["hops"] == 23


def test_points_that_are_refused_are_no_examples():
    """The formula cannot compute a mean of 0, nor the simulator one hop."""

    def formula(mean, hops):
        return 1 / mean + 3

    def simulator(rng, mean, hops):
        if hops == 1:
            raise ValueError("one hop")
        return normal(rng, 1 / mean)

    start = differing(formula, simulator, {"mean": 1.7, "hops": 9}, {"mean": (0.0, 2.0), "hops": (1, 9)})
    shrunk, _ = shrink(*start, budget=100_000)
    assert shrunk.point["mean"] > 0
    assert shrunk.point["hops"] == 2


def test_simpler_values_come_first():
    assert list(candidates(Axis.parse("loss", (1e-4, 0.1)), 0.0123456)) == pytest.approx(
        [1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.012, 0.0123]
    )
    assert list(candidates(Axis.parse("loss", (1e-4, 0.1)), 1e-4)) == []
    assert list(candidates(Axis.parse("flows", (2, 9)), 2)) == []
    assert list(candidates(Axis.parse("change", (-2.0, -1.0)), -1.53)) == pytest.approx([-2.0, -1.5])


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

    made, found = differing(lambda mean: mean + 3, Written(), {"mean": 1.7}, {"mean": (1.0, 2.0)})
    assert scenario(made, found) == f"mean = 1.7\nrng = {seed_of(found.seed, 0)}\n"
    text = example(made, found, budget=100_000)
    assert "One replication as a scenario:\n\n    mean = 1.0\n    rng = " in text


@pytest.mark.long
def test_a_scenario_is_printed():
    """The load of all sources is 5 % off; one source, the least load and the shortest run show it, too."""
    simulator = lf.testing.Scenario(poisson, queue)
    point = {"load": 0.71, "flows": 3, "seconds": 0.9}
    over = {"load": (0.5, 0.9), "flows": (1, 4), "seconds": (0.5, 1.0)}
    made, found = differing(lambda load, **_: load + 0.1, simulator, point, over, 0.02)
    assert found.cost == pytest.approx(0.71 * 1e4 * 0.9 * found.replications, rel=0.1)
    shrunk, _ = shrink(made, found, budget=100_000)
    assert shrunk.point == {"load": 0.5, "flows": 1, "seconds": 0.5}
    net, run = lf.scenario.parse(scenario(made, shrunk))
    assert net == poisson(0.5, 1, 0.5)[0]
    assert run["duration"] == 0.5
    value, _ = simulator(run["rng"], **shrunk.point)
    assert value == pytest.approx(shrunk.estimate, abs=0.05)


def test_large_seeds_are_written_as_integers():
    """Those of replications have 63 bits, more than a float keeps."""
    net = lf.sim.Network().link("a", "b", rate="8 Mbit/s")
    assert lf.scenario.parse(net.to_toml(rng=2**63 - 1))[1] == {"rng": 2**63 - 1}

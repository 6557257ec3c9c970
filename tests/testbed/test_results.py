"""Runs on Linux as a Dataset: that of a simulation, if the simulator stands in for Linux."""

import json

import numpy as np
import pytest
import xarray as xr

from longfat import sim, testbed
from longfat.testbed import datasets
from longfat.testbed.one_run import Trust
from tests.testbed import stand_in

TRACES = {"window_trace", "rate_trace", "received_trace", "srtt_trace"}


@pytest.fixture
def linux(monkeypatch):
    """`longfat.testbed.run` without Linux."""
    monkeypatch.setattr(datasets, "outcomes", stand_in.outcomes)
    return testbed.run


def network(**options):
    net = sim.Network().link("a", "b", rate="20 Mbit/s", delay="10 ms", buffer=30, duplex=True)
    net.flow("sack", path=["a", "b"], packet=1500, count=2, stagger="0.3 s", **options)
    return net.flow(sim.traffic.poisson("2 Mbit/s"), path=["a", "b"], packet=500, name="cross")


@pytest.mark.parametrize("options", [{}, {"file": "300 kB"}, {"stop": "2 s"}], ids=["greedy", "files", "stopped"])
def test_every_variable_is_that_of_the_simulator(linux, options):
    """Goodput, timeouts and so on come from other places than in `sim.run`, and are equal."""
    common = {"duration": "3 s", "warm_up": "0.5 s", "replications": 2, "rng": 7, "progress": False}
    made, simulated = linux(network(**options), **common), sim.run(network(**options), **common)
    assert list(made.data_vars) == list(simulated.data_vars)
    for name in simulated.data_vars:
        np.testing.assert_allclose(made[name], simulated[name], rtol=1e-12, err_msg=name)
    assert {name: made.attrs[name] for name in ("duration", "warm_up", "replications", "packets_sent")} == {
        name: simulated.attrs[name] for name in ("duration", "warm_up", "replications", "packets_sent")
    }
    assert (made.attrs["deterministic"], made.attrs["made_by"]) == (0, "longfat.testbed.run")


def test_traces_are_sampled_at_the_same_times(linux):
    """Windows are whole packets in TCP_INFO, round-trip times whole microseconds; queues are the simulator's own."""
    common = {"duration": 2, "sample_every": 0.1, "rng": 7, "progress": False}
    made, simulated = linux(network(), **common), sim.run(network(), **common)
    xr.testing.assert_identical(made.queue_trace, simulated.queue_trace)
    controlled = made.flow.values[:2]
    window = simulated.window_trace.sel(flow=controlled)
    np.testing.assert_array_equal(made.window_trace.sel(flow=controlled), np.floor(window))
    for name, unit in (("srtt_trace", 1e-6), ("received_trace", 1500)):
        expected = simulated[name].sel(flow=controlled).where(window.notnull())  # nothing before the start
        np.testing.assert_allclose(made[name].sel(flow=controlled), expected, atol=unit)
        assert made[name].attrs["units"] == simulated[name].attrs["units"]
    assert (np.isinf(made.rate_trace.sel(flow=controlled)) == window.notnull()).all()


def test_a_trace_has_the_last_sample_and_nothing_before_the_first():
    """Samples at 0.1 and 0.25 s on a grid of 0.1 s: none, the first, the first, the second."""
    (outcome,) = stand_in.outcomes(network(), duration=0.3, sample_every=0.1, rng=1)
    kept = outcome.samples[outcome.samples["connection"] == 0][:2].copy()
    kept["time"], kept["snd_cwnd"] = [100_000_000, 250_000_000], [10, 20]
    outcome.__dict__["samples"] = kept
    windows = datasets.traces(outcome)["window_trace"][1]
    assert windows.shape == (4, 3)
    np.testing.assert_array_equal(windows[:, 0], [np.nan, 10, 10, 20])
    assert np.isnan(windows[:, 1]).all()  # a connection without samples


def test_the_attributes_describe_the_run(monkeypatch):
    spoilt = Trust(late=0.3, packets=10, drops=0)
    monkeypatch.setattr(datasets, "outcomes", lambda *_, **options: stand_in.outcomes(*_, **options, rejected=[spoilt]))
    data = testbed.run(network(), duration=1, replications=2, rng=1, progress=False)
    about = json.loads(data.attrs["testbed"])
    assert (about["release"], about["repeated"]) == ("6.18.0", 2)
    assert about["controls"] == {"sack-1-1": "reno", "sack-1-2": "reno"}
    assert [run["late"] for run in about["runs"]] == [0.002, 0.002]
    assert about["settings"]["tcp_sack"] == "1"


def test_confidence_is_checked_before_anything_runs():
    with pytest.raises(ValueError, match="confidence = 2"):
        testbed.run(network(), duration=1, confidence=2)

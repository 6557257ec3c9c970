"""Simulator and Linux side by side."""

import math

import numpy as np
import pytest
import xarray as xr

from longfat import plot, sim, testbed
from longfat.sim import Network
from longfat.testbed import datasets
from longfat.testbed.datasets import beside, difference
from tests.testbed import stand_in


def network(**options):
    net = Network().link("a", "b", rate="20 Mbit/s", delay="10 ms", buffer=25, duplex=True)
    return net.flow("sack", path=["a", "b"], ack_path="ideal", **options)


@pytest.fixture
def both(monkeypatch):
    monkeypatch.setattr(datasets, "outcomes", stand_in.outcomes)
    return testbed.compare(network(), duration=3, warm_up=1, sample_every=0.05, rng=1, progress=False)


def test_equal_runs_are_equal_and_beside_their_laws(both):
    assert both.face.values.tolist() == ["simulator", "Linux"]
    simulated, linux = both.sel(face="simulator"), both.sel(face="Linux")
    np.testing.assert_allclose(linux.goodput, simulated.goodput, rtol=1e-12)
    assert both.law.values.tolist() == ["tcp.aimd_utilisation_general", "tcp.aimd_mean_queue"]
    assert both.law_of.values.tolist() == ["a-b", "a-b"]
    assert float(both.law_value[0]) == pytest.approx(float(linux.utilisation.sel(link="a-b")), abs=0.02)
    assert (both.attrs["made_by"], both.attrs["deterministic"]) == ("longfat.testbed.compare", 0)


def test_each_side_has_its_own_results_and_only_common_variables():
    data = beside(xr.Dataset({"goodput": 1.0}), xr.Dataset({"goodput": 2.0, "late": 3.0}), [])
    assert {face: float(data.goodput.sel(face=face)) for face in ("simulator", "Linux")} == {"simulator": 1, "Linux": 2}
    assert "late" not in data


def test_differences_by_hand():
    """(103 - 100)/100; half-widths 3 and 4 give 5. Without replications, or a reference, there is none."""
    data = xr.Dataset({
        "goodput": (("face", "flow"), [[100.0, 0.0], [103.0, 1.0]]),
        "goodput_upper": (("face", "flow"), [[103.0, 0.0], [107.0, 1.0]]),
        "loss": (("face", "flow"), [[0.1, 0.1], [0.2, 0.1]]),
    }, {"flow": ["one", "two"]})  # fmt: skip
    assert difference(data, "goodput", {"flow": "one"}) == pytest.approx((0.03, 0.05))
    assert all(map(math.isnan, difference(data, "goodput", {"flow": "two"})))
    more, half = difference(data, "loss", {"flow": "one"})
    assert more == pytest.approx(1)
    assert math.isnan(half)
    fixed = data.assign(goodput_upper=(("face", "flow"), [[math.nan] * 2, [107.0, 1.0]]))
    assert difference(fixed, "goodput", {"flow": "one"}) == pytest.approx((0.03, 0.04))  # a deterministic simulation


def test_windows_and_queues_over_each_other(both):
    """Two lines in each panel: the data of both sides at the same times, in packets and seconds."""
    with plot.style():
        windows, queues = plot.show(both)
    for ax, name in ((windows, "window_trace"), (queues, "queue_trace")):
        assert [line.get_label() for line in ax.lines] == ["simulator", "Linux"]
        for line in ax.lines:
            expected = both[name].sel(face=line.get_label()).isel({both[name].dims[-1]: 0})
            np.testing.assert_array_equal(line.get_ydata(), expected)
            np.testing.assert_array_equal(line.get_xdata(), both.time)
        assert ax.lines[0].get_linewidth() > 2 * ax.lines[1].get_linewidth()
    assert (windows.get_ylabel(), queues.get_ylabel(), queues.get_xlabel()) == (
        "window [packets]", "queue [packets]", "time [s]",
    )  # fmt: skip
    assert windows.get_title(loc="left") == "window of sack-1"


def test_many_windows_are_added_up(monkeypatch):
    monkeypatch.setattr(datasets, "outcomes", stand_in.outcomes)
    data = testbed.compare(network(count=4), duration=1, sample_every=0.1, rng=1, progress=False)
    with plot.style():
        windows, _ = plot.traces(data)
    np.testing.assert_allclose(windows.lines[1].get_ydata(), data.window_trace.sel(face="Linux").sum("flow"))
    assert windows.get_title(loc="left") == "window of sum of 4 flows"


def test_without_traces_there_is_no_picture():
    run = sim.run(network(), duration=1, rng=1, progress=False)
    with pytest.raises(ValueError, match="no traces"):
        plot.traces(beside(run, run, []))

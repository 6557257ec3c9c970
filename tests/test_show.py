"""Pictures of results by `plot.show`; laws and networks, which show themselves in Jupyter."""

import numpy as np
import pytest
import xarray as xr

import longfat as lf
from longfat import plot
from tests.test_design import BASELINE

pytestmark = pytest.mark.usefixtures("drawn_quickly")


@pytest.fixture(scope="module")
def net():
    return lf.sim.Network.dumbbell(["reno", "vegas"], rate="10 Mbit/s", delay="20 ms", buffer=50)


@pytest.fixture(scope="module")
def run(net):
    return lf.sim.run(net, duration=10, sample_every=0.5, rng=1, progress=False)


def test_the_picture_of_a_run_has_its_samples(run):
    rate, window, queue = plot.show(run)
    assert [ax.get_ylabel() for ax in (rate, window, queue)] == ["rate [Mbit/s]", "window [packets]", "queue [packets]"]
    # What the steps add up to, Mbit/s over half seconds, is the data that had arrived at the last sample.
    drawn = [step.get_data() for step in rate.patches]
    total = [sum(one.values * np.diff(one.edges)) * 125_000 for one in drawn]
    assert total == pytest.approx(run.received_trace.isel(time=-1).values)
    assert window.lines[0].get_ydata() == pytest.approx(run.window_trace.isel(flow=0).values)
    assert queue.get_xlabel() == "time [s]"


def test_totals_have_intervals():
    lossy = lf.sim.Network().link("a", "b", rate="10 Mbit/s", delay="20 ms", buffer=50, loss=0.01, duplex=True)
    for scheme in ("reno", "vegas"):
        lossy.flow(scheme, path=["a", "b"])
    data = lf.sim.run(lossy, duration=5, replications=3, rng=1, progress=False)
    goodput, utilisation = plot.run(data)
    bars = goodput.containers[0]
    assert bars.lines[0].get_xdata() == pytest.approx(data.goodput.values / 125_000)
    ends = [segment[:, 0] for segment in bars.lines[2][0].get_segments()]
    assert np.ptp(ends, axis=1) == pytest.approx((data.goodput_upper - data.goodput_lower).values / 125_000, abs=1e-9)
    assert "3 replications, 95% intervals" in goodput.get_title()
    assert utilisation.get_xlabel() == "utilisation [1]"


def test_totals_of_deterministic_runs_have_no_intervals(net):
    goodput, _ = plot.run(lf.sim.run(net, duration=5, replications=3, rng=1, progress=False))
    assert [segment.size for segment in goodput.containers[0].lines[2][0].get_segments()] == [0, 0]
    assert "deterministic" in goodput.get_title()


def test_a_sweep_is_drawn():
    def shifted(load, rng):
        value = rng.uniform()
        return {"wait": load + value, "loss": value}

    swept = lf.sweep(shifted, {"load": [0.3, 0.6, 0.9]}, replications=3, rng=1, progress=False)
    wait, loss = plot.show(swept)
    assert (wait.get_xlabel(), wait.get_ylabel(), loss.get_ylabel()) == ("load", "wait", "loss")
    assert wait.containers[0].lines[0].get_ydata() == pytest.approx(swept.wait.values)
    alone = lf.sweep(lambda load, rng: load, {"load": [0.3, 0.6]}, replications=2, rng=1, progress=False)
    assert plot.show(alone).get_xlabel() == "load"
    once = lf.sweep(lambda load, rng: load, {"load": [0.3, 0.6]}, replications=1, rng=1, progress=False)
    with pytest.raises(ValueError, match="call sweep with several replications"):
        plot.show(once)


def test_datasets_without_a_picture_are_refused():
    stranger = xr.Dataset()
    with pytest.raises(ValueError, match="data has no picture: made_by '' is unknown; available: "):
        plot.show(stranger)
    with pytest.raises(ValueError, match=r"must be a result of sim\.run"):
        plot.run(stranger)
    with pytest.raises(ValueError, match=r"must be a result of explore\.dataset"):
        plot.law_curves(stranger)
    no_curves = lf.design.window(loss=1e-3, points=0, **BASELINE)
    with pytest.raises(ValueError, match=r"call design\.window with points > 0"):
        plot.show(no_curves)


def test_laws_and_networks(net):
    efficiency = lf.laws.selective_repeat.throughput_efficiency
    shown = efficiency._repr_html_()
    parts = (
        "<code>window</code>",
        "segments",
        "[1, inf)",
        "Gong",
        "Accurate within 0.03 where",
        "As printed:",
        "cases",
    )
    for words in parts:
        assert words in shown
    optimal = lf.laws.loss_load.throughput_optimal_rate._repr_html_()
    assert "excess" in optimal
    assert "=" in optimal  # its equation
    drawing = net._repr_svg_()
    for words in ("10 Mbit/s", "20 ms", "50 packets", "reno", "→"):
        assert words in drawing

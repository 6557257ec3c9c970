"""Pictures: what is drawn is what was computed, with units on the axes."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex

from longfat import benchmark, design, plot, sweep, verify
from longfat.laws.selective_repeat import throughput_efficiency
from tests.test_design import BASELINE


def test_window_curves():
    data = design.window(loss=[1e-3, 5e-2], points=4, **BASELINE)
    before = dict(plt.rcParams)
    with plot.style():
        ax = plot.window_curves(data, printed=True)
    assert dict(plt.rcParams) == before
    assert "[segments]" in ax.get_xlabel()
    assert "[1]" in ax.get_ylabel()
    drawn = {tuple(np.round(line.get_ydata(), 12)) for line in ax.lines if len(line.get_ydata()) > 10}
    for name in ("dense_law", "dense_as_printed", "dense_many_rounds"):
        for i in range(2):
            assert tuple(np.round(data[name].values[i], 12)) in drawn
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {"p = 0.001", "p = 0.05", "law", "law, outside its validity", "law as printed"} <= set(labels)
    styles = {line.get_label(): line.get_linestyle() for line in ax.lines}
    assert (styles["p = 0.001"], styles["p = 0.05"]) == ("-", "--")
    plt.close("all")


def test_one_loss_alone():
    ax = plot.window_curves(design.window(loss=1e-3, points=2, **BASELINE), plt.figure().add_subplot())
    assert "150 Mbit/s, 20 ms" in ax.get_title()
    plt.close("all")


def test_no_curves():
    with pytest.raises(ValueError, match=r"call design\.window with points > 0"):
        plot.window_curves(design.window(loss=1e-3, points=0, **BASELINE))


def test_colours_differ_for_the_colour_blind():
    """Okabe and Ito's palette, all seven told apart."""
    with plot.style():
        assert len(set(plt.rcParams["axes.prop_cycle"].by_key()["color"])) == 7


def test_colours_stay_when_the_style_has_ended():
    """A notebook draws figures after the cell; C0 would then be matplotlib's own blue. #0072B2: Okabe and Ito's."""
    data = sweep(lambda load, rng: {"delay": rng.normal()}, {"load": [0.1, 0.5]}, replications=2, rng=1, progress=False)
    with plot.style():
        drawn = plot.with_intervals(data, "delay").lines[0]
        window = plot.window_curves(design.window(loss=1e-3, points=2, **BASELINE)).lines[0]
    assert to_hex(drawn.get_color()) == to_hex(window.get_color()) == "#0072b2"
    plt.close("all")


def test_a_notebooks_backend_is_loaded_before_the_style(monkeypatch):
    """A backend that switches interactive mode on when loaded, as a notebook's does, is not switched off again."""
    monkeypatch.setattr(plt, "draw_if_interactive", lambda: plt.rcParams.update(interactive=True))
    with plt.rc_context({"interactive": False}):
        with plot.style():
            pass
        assert plt.isinteractive()


def _intervals(ax):
    """Points and ends of the bars of each errorbar drawn."""
    return [
        (drawn[0].get_ydata(), np.array([line[:, 1] for line in drawn[2][0].get_segments()])) for drawn in ax.containers
    ]


def test_with_intervals():
    def two(scheme, load, rng):
        return {"delay": load + len(scheme) + rng.normal()}

    data = sweep(two, {"scheme": ["a", "bcd"], "load": [0.1, 0.5, 0.9]}, replications=4, rng=1, progress=False)
    ax = plot.with_intervals(data, "delay")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("load", "delay")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "bcd"]
    for (points, ends), scheme in zip(_intervals(ax), ("a", "bcd"), strict=True):
        row = data.sel(scheme=scheme)
        assert points == pytest.approx(row.delay.values)
        assert ends == pytest.approx(np.array([row.delay_lower.values, row.delay_upper.values]).T)
    assert any("95% intervals of 4 runs" in text.get_text() for text in ax.texts)
    data["load"].attrs["units"] = "1"
    assert plot.with_intervals(data.sel(scheme="a"), "delay", label="one").get_xlabel() == "load [1]"
    plt.close("all")


def test_with_intervals_of_what_has_none():
    def one(load, rng):
        return {"delay": load}

    data = sweep(one, {"load": [0.1, 0.5]}, progress=False)
    with pytest.raises(ValueError, match="data holds no delay_lower: it takes several replications"):
        plot.with_intervals(data, "delay")
    data = sweep(one, {"load": [0.1, 0.5]}, replications=2, progress=False)
    with pytest.raises(ValueError, match="x = 'rate' is out of range"):
        plot.with_intervals(data, "delay", "rate")


def test_agreement():
    points = [{"window": w, "loss": 1e-3, "segment_packets": 16, "ack_segments": 23.0} for w in (30, 40, 50, 200)]
    laws = [throughput_efficiency(**point) for point in points]
    shifts = iter([0.0, 0.1, 0.03, 0.0])
    found = iter(laws)

    def estimator(confidence, **point):
        middle = next(found) + next(shifts)
        return middle, middle - 0.01, middle + 0.01

    table = verify.check(throughput_efficiency, estimator, points)
    assert table.verdict.values.tolist() == ["agrees", "differs", "undecided", "not valid"]
    ax = plot.agreement(table, "window")
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["allowed: 0.03", "agrees: 1", "differs: 1", "undecided: 1", "not valid: 1"]
    drawn = [float(points[0]) for points, _ in _intervals(ax)]
    assert drawn == pytest.approx([0.0, 0.1, 0.03, 0.0])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("window [segments]", "simulated - law [1]")
    with pytest.raises(ValueError, match="x = 'verdict' is out of range"):
        plot.agreement(table, "verdict")
    with pytest.raises(ValueError, match="no verdicts"):
        plot.agreement(table[["law"]])
    plt.close("all")


def test_benchmark_times():
    data = benchmark.run(["3-4", "3-20"], ["optimal", "packet-pair"], progress=False)
    ax = plot.benchmark_times(data)
    # Optimal 44.4 and 46 ms (table 4.3); packet-pair printed as 84 and 92 ms there.
    printed = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "x" and len(line.get_xdata())]
    assert printed == pytest.approx([84 / 44.4, 92 / 46], rel=2e-3)
    ours = [float(drawn[0].get_xdata()[0]) for drawn in ax.containers]
    times = data.transfer_time.sel(connection="1").values
    assert ours == pytest.approx(times[:, 1] / times[:, 0])
    assert [text.get_text() for text in ax.get_yticklabels()] == ["packet-pair"]
    with pytest.raises(ValueError, match="no optimum"):
        plot.benchmark_times(data.sel(scheme=["packet-pair"]))
    plt.close("all")

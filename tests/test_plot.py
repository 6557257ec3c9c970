"""Pictures: what is drawn is what was computed, with units on the axes."""

import contextlib
import functools

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import to_hex

from figures.kkm.pictures import over_time, traces
from longfat import benchmark, design, explore, plot, sweep, testing
from longfat.laws import queues
from longfat.laws.selective_repeat import throughput_efficiency
from longfat.plot.axes import log_ticks
from longfat.sim import Network, run
from tests.figures import pictures
from tests.test_design import BASELINE


@functools.cache
def windows(*losses):
    """Return the windows of one loss or of several, simulated once for all pictures."""
    loss = list(losses) if len(losses) > 1 else losses[0]
    return design.window(loss=loss, points=4, receive_buffer=False, **BASELINE)


def test_window_curves():
    data = windows(1e-3, 5e-2)
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
    first, second = "p = 0.001", "p = 0.05"
    assert {first, second, "law", "law, outside its valid range", "law as printed"} <= set(labels)
    styles = {line.get_label(): line.get_linestyle() for line in ax.lines}
    assert (styles[first], styles[second]) == ("-", "--")


def test_one_loss_alone():
    ax = plot.window_curves(windows(1e-3), plt.figure().add_subplot())
    assert "150 Mbit/s, 20 ms" in ax.get_title()


def test_colours_differ_for_the_colour_blind():
    """Okabe and Ito's palette, all seven told apart."""
    with plot.style():
        assert len(set(plt.rcParams["axes.prop_cycle"].by_key()["color"])) == 7


def test_colours_stay_when_the_style_has_ended():
    """A notebook draws figures after the cell; C0 would then be matplotlib's own blue. #0072B2: Okabe and Ito's."""
    data = sweep(lambda load, rng: {"delay": rng.normal()}, {"load": [0.1, 0.5]}, replications=2, rng=1, progress=False)
    with plot.style():
        drawn = plot.with_intervals(data, "delay").lines[0]
        window = plot.window_curves(windows(1e-3)).lines[0]
    assert to_hex(drawn.get_color()) == to_hex(window.get_color()) == "#0072b2"


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


def test_with_intervals_refuses_results_without_intervals():
    def one(load, rng):
        return {"delay": load}

    data = sweep(one, {"load": [0.1, 0.5]}, progress=False)
    with pytest.raises(ValueError, match="data holds no delay_lower: confidence limits need a result of several"):
        plot.with_intervals(data, "delay")
    data = sweep(one, {"load": [0.1, 0.5]}, replications=2, progress=False)
    with pytest.raises(ValueError, match="x 'rate' is unknown; available: load"):
        plot.with_intervals(data, "delay", "rate")
    with pytest.raises(ValueError, match=r"delay has shape \(\): must be of one or two dimensions"):
        plot.show(sweep(one, {"load": 0.1}, replications=2, progress=False))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (xr.Dataset({"goodput": ("network", [1.0]), "utilisation": ("network", [0.5])}, {},
                    {"made_by": "longfat.sim.run"}),
         r"^data holds several networks: select one, as in data.isel\(network=0\)$"),
        (3, "^data must be a Dataset, got the int 3$"),
    ],
)  # fmt: skip
def test_results_that_are_not_of_one_run_are_refused(data, words):
    with pytest.raises((TypeError, ValueError), match=words):
        plot.show(data)


def _compared(shifts=(0.0, 0.0, 0.0), **options):
    """Compare a law with a simulator whose results differ from the law by the given shifts at three windows."""
    windows = dict(zip((30, 40, 50), shifts, strict=True))

    def simulator(rng, window, **point):
        return throughput_efficiency(window=window, **point) + windows[window] + (0.001 if rng % 2 else -0.001)

    points = [{"window": w, "loss": 1e-3, "segment_packets": 16, "ack_segments": 23.0} for w in windows]
    options = {"within": 0.03, "power_at": 1, "rng": 0} | options
    return [testing.compare(throughput_efficiency, simulator, one, **options) for one in points]


def test_agreement():
    found = _compared((0.0, 0.1, 0.03), budget=40)
    assert [one.verdict for one in found] == ["agrees", "differs", "undecided"]
    ax = plot.agreement(found, "window")
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["accuracy of the formula", "agrees: 1", "differs: 1", "undecided: 1"]
    drawn = [float(points[0]) for points, _ in _intervals(ax)]
    assert drawn == pytest.approx([0.0, 0.1 / 0.03, 1.0], abs=0.1)  # shifts over the accuracy
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("window", "(simulated - formula) / accuracy")
    assert plot.agreement(found[:1]).containers[0][0].get_xdata() == [found[0].formula]
    with pytest.raises(ValueError, match="x 'verdict' is unknown; available: ack_segments, formula, loss, segment_"):
        plot.agreement(found, "verdict")
    for wrong in ([], found[0], ["agrees"]):
        with pytest.raises(TypeError, match=r"found must be one result or more of testing\.compare"):
            plot.agreement(wrong)


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
    with pytest.raises(ValueError, match='must hold the scheme "optimal"'):
        plot.benchmark_times(data.sel(scheme=["packet-pair"]))


# Every picture, in the project's style and in matplotlib's own, on axes that the functions make themselves.

NET = Network.dumbbell(["reno", "vegas", "sack"], rate="10 Mbit/s", delay="10 ms", buffer=50)
SEVEN = Network.dumbbell(["reno"] * 7, rate="10 Mbit/s", delay="10 ms", buffer=50)
BUFFER = {"rate": "1Gbit/s", "round_trip_time": "100ms", "bandwidth_delay_product": 60, "points": 3, "replications": 2}
RUN = {"duration": 3, "rng": 1, "progress": False}


def _shares():
    data = sweep(lambda scheme, load, rng: {"loss": rng.normal(0.1, 0.2)},
                 {"scheme": ["a", "bcd"], "load": [0.1, 0.5, 0.9]}, replications=3, rng=1, progress=False)  # fmt: skip
    return data.assign(loss=data.loss.assign_attrs(units="1"))


#: Colours of lines that texts explain: 0 of "simulated - formula"; buffer rules, whose names stand beside their lines.
EXPLAINED = {"agreement": ["0.4"], "buffer": ["0.5"]}


def _over_time(queues):
    def drawn(data):
        axes = plt.subplots(data.sizes["scheme"], 1, sharex=True, figsize=(7.2, 6), layout="constrained")[1]
        over_time(data, axes, "Experiment 9b", queues=queues)
        return axes

    return drawn


SOURCES = {"rate": "40Mbit/s", "round_trip_time": "10ms", "packet": "500B", "loss": 0.1, "file": "200kB", "k": [2, 5]}
PICTURES = {
    "agreement": (_compared, lambda found: plot.agreement(found, "window")),
    "benchmark": (
        lambda: benchmark.run(["3", "9b"], ["optimal", "packet-pair", "tahoe"], replications=2, progress=False),
        plot.benchmark_times,
    ),
    "queues": (lambda: traces("9b", ["packet-pair", "decbit", "tahoe"], 1.0, rng=0),
               _over_time(True)),
    "rates": (lambda: traces("9b", ["packet-pair", "decbit", "tahoe"], 1.0, rng=0),
              _over_time(False)),
    "buffer": (lambda: design.buffer(**BUFFER, progress=False), plot.show),
    "law": (lambda: explore.dataset(explore.start(queues.mm1_wait)), plot.show),
    "loss-load": (lambda: design.loss_load(**SOURCES, sources=2, points=3, progress=False), plot.show),
    "run": (lambda: run(NET, **RUN, sample_every=0.1), plot.show),
    "seven flows": (lambda: run(SEVEN, **RUN, sample_every=0.1), plot.show),
    "totals": (lambda: run(SEVEN, **RUN, replications=3), plot.show),
    "intervals": (_shares, lambda data: plot.with_intervals(data, "loss")),
    "window": (lambda: windows(1e-3, 5e-2), plot.show),
}  # fmt: skip


#: In the short profile: each kind of drawing once. All, in both styles, take a minute.
SHORT = ("intervals", "law", "window")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in SHORT else pytest.mark.long) for name in PICTURES]
)
def test_no_part_of_a_picture_overlaps_another(name):
    """No text covers another or is cut off, no legend covers a point, every line has a label, in either style."""
    make, draw = PICTURES[name]
    data = make()
    for style in (plot.style(), contextlib.nullcontext()):
        with style:
            figure = np.ravel(np.asarray(draw(data), dtype=object))[0].figure
            assert pictures.overlaps(figure) == []
            assert pictures.covered(figure) == []
            assert pictures.unexplained(figure, EXPLAINED.get(name, ())) == []


def test_the_checks_of_pictures_can_fail():
    """Overlapping texts, a text that is cut off, a legend over a point and a line without a label are found."""
    figure, ax = plt.subplots()
    ax.plot([0, 1], [0, 1], "o--", label="named")
    ax.legend(loc="upper right")
    ax.plot([0, 1], [1, 1], color="red")
    ax.text(0, 0.5, "one")
    ax.text(0, 0.51, "other")
    ax.text(0.95, 0.1, "as long as it leaves the figure")
    assert [one.split(" ")[1] for one in pictures.overlaps(figure)] == ["lies", "long"]
    assert "lies on 'other'" in pictures.overlaps(figure)[0]
    assert pictures.covered(figure) == ["legend 'named'... covers a point at 0"]
    assert pictures.unexplained(figure) == ["no legend shows #ff0000, -, None"]


def test_intervals_of_shares_end_at_0_and_1():
    """Student's interval of three runs may exceed 0 and 1: it is clipped for shares only, and the text says so."""
    data = _shares()
    assert float(data.loss_lower.min()) < 0
    ax = plot.with_intervals(data, "loss")
    ends = np.concatenate([ends for _, ends in _intervals(ax)])
    assert 0 == ends.min() < ends.max() <= 1
    assert any("3 runs, cut at 0 and 1" in text.get_text() for text in ax.texts)
    ax = plot.with_intervals(data.assign(loss=data.loss.assign_attrs(units="packets")), "loss")
    assert np.concatenate([ends for _, ends in _intervals(ax)]).min() == pytest.approx(float(data.loss_lower.min()))
    assert not any("cut" in text.get_text() for text in ax.texts)


@pytest.mark.parametrize(
    ("ends", "labels"),
    [((1.9, 36), ["2", "5", "10", "20"]), ((0.5, 8), ["0.5", "1", "2", "5"]), ((2, 2000), ["10", "100", "1000"]),
     ((1e6, 6e6), ["$10^{6}$", r"$2\times10^{6}$", r"$5\times10^{6}$"])],
)  # fmt: skip
def test_ticks_of_a_logarithmic_axis(ends, labels):
    """1, 2 and 5 of each decade where there are few decades, and nothing between them."""
    figure, ax = plt.subplots(figsize=(4, 3))
    ax.set(xscale="log", xlim=ends)
    log_ticks(ax.xaxis)
    figure.draw_without_rendering()
    low, high = ends
    shown = [(tick.get_loc(), tick.label1.get_text()) for tick in [*ax.xaxis.majorTicks, *ax.xaxis.minorTicks]]
    assert [words for place, words in sorted(shown) if words and low <= place <= high] == labels


def test_labels_of_rules_and_a_legend_over_no_point():
    """The line of each buffer rule has its name, the legend covers no point, and one product is singular."""
    data = design.buffer(**BUFFER | {"points": 2}, progress=False)
    ax = plot.switch_buffer_curves(data)
    named = {text.get_text(): text.xy[0] for text in ax.texts if text.get_rotation() == 90}
    assert (named["one BDP"], named["BDP/3"]) == (1.0, pytest.approx(1 / 3))
    across = {line.get_xdata()[0] for line in ax.lines if line.get_linestyle() == "--"}
    assert named.keys() >= {"CUBIC without fast convergence", "(1-beta)/beta BDP"}
    assert across >= set(named.values())
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().x0 > ax.get_window_extent().x1
    packets = int(data.buffer_packets.sel(rule="simulated"))
    assert ax.get_title().startswith(f"95% with {packets} packets for 1 flow\n")
    ax = plot.tcp_rates(design.tcp_window(rate="15Mbit/s", round_trip_time="20ms", simulate=False))
    assert "buffer: one bandwidth-delay product;" in ax.texts[-1].get_text()
    # two products of 1.875e6 x 1448/1500 x 0.02 bytes in pages of 4096: 18 x 4096
    assert ax.get_title(loc="left") + ax.get_title() == (
        "Allow a window of 73.7 kB: cubic at 15 Mbit/s and 20 ms fills the link with it"
    )
    # each of four flows needs a fourth of them, 5 x 4096
    four = plot.tcp_rates(design.tcp_window(rate="15Mbit/s", round_trip_time="20ms", flows=4, simulate=False))
    assert (four.get_title(loc="left") + four.get_title()).startswith("Allow a window of 20.5 kB: ")
    lossy = design.tcp_window(rate="1Gbit/s", round_trip_time="100ms", loss=[0, 1e-4], simulate=False)
    # 0.95 x 7860 packets: p = 0.1 (1.50415 x 0.4^(1/4)/7467)^(4/3) = 8.2e-7 by hand with N = 953 Mbit/s
    title = plot.tcp_rates(lossy).get_title(loc="left") + plot.tcp_rates(lossy).get_title()
    assert title.startswith("Lower the loss to 8.2e-07: cubic at 1 Gbit/s and 100 ms fills 95% of the link")
    # 2^30 bytes in 0.3 s are 7.5 % of the link, 54 times 2^29 its two products; the point at 0.5 is inside the axes
    far = plot.tcp_rates(design.tcp_window(rate="400Gbit/s", round_trip_time="300ms", loss=0.5, simulate=False))
    assert "Use 54 streams: TCP's largest window keeps cubic" in far.get_title(loc="left") + far.get_title()
    assert far.get_xlim()[1] == 0.5

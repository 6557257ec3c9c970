"""The explorer without a browser: numbers equal the law's, sliders follow the record, old simulations are discarded."""

import base64
import io
import math
import re
import threading

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import longfat as lf
from longfat.explore import chart, controls, curves, saving, simulations, wording
from longfat.explore.background import Background
from longfat.explore.picker import by_subject
from longfat.explore.presets import PRESETS, presets, subject
from longfat.explore.scales import Scale
from longfat.explore.simulations import Points
from longfat.explore.state import start
from longfat.explore.view import Explorer
from longfat.law import Symbol, registered

lf.laws.__all__  # noqa: B018  # declares them
LAWS = dict(registered())
EVERY = pytest.mark.parametrize("one", LAWS.values(), ids=[name.removeprefix("longfat.laws.") for name in LAWS])
EFFICIENCY = lf.laws.selective_repeat.throughput_efficiency


# By hand: rho/(1 - rho) = 1 at 1/2 and 3 at 3/4; 20 ms + 3 x 0.1 ms; n/(n + 1); (k + 1)/k v.
@pytest.mark.parametrize(
    ("law", "values", "expected"),
    [
        (lf.laws.queues.mm1_wait, {"load": 0.5}, 1.0),
        (lf.laws.queues.mm1_wait, {"load": 0.75}, 3.0),
        (lf.laws.selective_repeat.ack_delay, {"round_trip_time": 0.02, "packet_time": 1e-4}, 0.0203),
        (lf.laws.cadpc.equilibrium_traffic, {"flows": 10}, 10 / 11),
        (lf.laws.loss_load.equilibrium_load, {"k": 5, "v": 0.5}, 0.6),
    ],
)
def test_values_by_hand(law, values, expected):
    view = lf.explore.law(law, **values)
    assert view.data.operating_value.item() == pytest.approx(expected, rel=1e-14)
    shown = float(re.search(r'data-value="([^"]+)"', view.value.value)[1])
    assert shown == pytest.approx(expected, rel=1e-14)


@EVERY
def test_every_law_has_a_model(one):
    begin = start(one)
    for across in one.symbols:
        state = begin.along(across)
        data = curves.dataset(state, points=7)
        x = data[across].values
        assert one.symbols[across].interval.contains(x).all()
        # one point at a time, in floats, beside the whole curve as an array
        for k in (0, len(x) // 2, len(x) - 1):
            alone = one(**{**state.values, across: float(x[k])})
            assert data.law.values[k] == pytest.approx(alone, rel=1e-9, nan_ok=True)
        assert "lf-chart" in chart.html(state, data)
    assert {"units", "long_name"} <= set(data[across].attrs)
    assert data.law.attrs["units"] == one.unit


@EVERY
def test_sliders_are_the_record(one):
    for symbol in one.symbols.values():
        scale = Scale.of(symbol)
        values = np.array(scale.values)
        inside = [end for end in map(float, symbol.typical) if symbol.interval.contains(end)]
        assert set(inside) <= {values[0], values[-1]}
        assert symbol.interval.contains(values).all()
        assert (np.diff(values) > 0).all()
        assert all(scale.position(value) == k for k, value in enumerate(values))
        if symbol.integer:
            assert (values == np.round(values)).all()
        if scale.logarithmic and not symbol.integer:  # a tenth at most between two positions
            assert (values[1:] / values[:-1]).max() < 1.2


def test_scales_reach_further_than_typical():
    scale = Scale.of(Symbol("p", "probability", "[0, 1)", typical=(1e-6, 0.1)))
    assert scale.logarithmic
    assert scale.including(0.5).values[-1] == 0.5
    assert scale.including(0.0) is scale  # there is no zero on a logarithmic scale
    assert scale.including(math.inf) is scale


def test_laws_are_grouped():
    groups = by_subject()
    assert sum(map(len, groups.values())) == len(LAWS)
    assert EFFICIENCY in groups["selective_repeat"]


@pytest.mark.parametrize("one", PRESETS, ids=lambda one: one.name)
def test_presets_lie_in_the_domains(one):
    suited = [law for law in LAWS.values() if one.suits(law)]
    assert len(suited) >= 3
    for law in suited:
        state = one.applied(start(law))  # refuses what lies outside
        assert all(state.values[name] == value for name, value in one.of(law).items())
        curves.dataset(state, points=3)
    names = {name.split(".")[-1] for name in one.values}
    assert names <= {name for law in suited for name in law.symbols}  # nothing is set that no law has


def test_presets_by_hand():
    near, far = presets(EFFICIENCY)
    # 1024 bytes at 150 Mbit/s take 54.6 us; 20 ms + 3 packets are 369.2 packets, over 16 is 23.08
    assert near.values["ack_segments"] == pytest.approx(369.2 / 16, abs=0.01)
    assert far.values["ack_segments"] == pytest.approx((0.1 + 3 * 8.192e-6) / (16 * 8.192e-6), rel=1e-12)
    blt = next(one for one in PRESETS if one.name.startswith("600 of 1000"))
    assert blt.values["bandwidth_delay_product"] == pytest.approx(22.5)  # 75 MB/s x 30 ms / 100 kB
    assert blt.of(lf.laws.tcp.aimd_utilisation) == {"buffer": 1 / 3}  # a share there, packets in BLT's laws
    for one in presets(lf.laws.loss_load.loss_probability):
        state = one.applied(start(lf.laws.loss_load.loss_probability))
        loss = curves.dataset(state, points=3).operating_value.item()
        assert loss == pytest.approx(
            1 / (state.values["k"] + 1), rel=1e-12
        )  # the equilibrium: Prithviraj and Williamson, section 2.3


def test_validity_and_the_printed_curve():
    state = start(EFFICIENCY, window=30, loss=1e-3, segment_packets=16, ack_segments=23)
    data = curves.dataset(state)
    assert (data.valid == (data.window <= 4 * 23)).all()
    picture = chart.html(state, data)
    assert "outside the law's validity" in picture
    assert picture.count('stroke-dasharray="9 5"') == 2  # the curve as printed, and its entry in the legend
    assert picture.count('stroke-dasharray="2 5"') == 2
    # Between w_a + 1 and 2 w_a + 1 the printed expression is the smaller one.
    assert data.operating_as_printed < data.operating_value
    view = Explorer(state.changed(window=100))
    assert "outside the law's validity at this operating point" in view.value.value


def test_family():
    state = start(lf.laws.queues.mm1k_loss, load=0.8, capacity=5).spread("capacity", [1, 10])
    data = curves.dataset(state, points=5)
    assert data.capacity.values.tolist() == [1, 5, 10]
    # one place: rho/(1 + rho)
    assert data.law.sel(capacity=1).values == pytest.approx(data["load"].values / (1 + data["load"].values))
    assert chart.html(state, data).count("lf-key") == 4
    assert state.along("capacity").family == ""


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: start(EFFICIENCY, loss=1.0), r"loss = 1 is out of range: must be in \[0, 1\)"),
        (
            lambda: start(EFFICIENCY, segment_packets=1.5),
            r"segment_packets = 1\.5 packets is out of range: must be an integer in \[1, inf\)",
        ),
        (lambda: start(EFFICIENCY, speed=1.0), "parameter 'speed' is unknown; available: ack_segments, loss, "),
        (lambda: start(EFFICIENCY, "speed"), "parameter 'speed' is unknown"),
        (lambda: start("mm1"), r"law must be a Law, such as those of longfat\.laws, got the string 'mm1'"),
        (lambda: start(EFFICIENCY).spread("window"), "family = 'window' excludes the same parameter on the x axis"),
        (
            lambda: start(EFFICIENCY).spread("loss", []),
            "family_values = 0 values is out of range: must be 1 to 6 values",
        ),
        (lambda: saving.file(None, "pdf"), "kind 'pdf' is unknown; available: csv, nc, png, svg"),
        (lambda: controls.read(EFFICIENCY, "loss", "200%"), r"loss = 2 .*out of range: must be in \[0, 1\)"),
        (
            lambda: simulations.plan(start(lf.laws.power.network_power)),
            r"law with a simulator 'power\.network_power' is unknown; available:",
        ),
    ],
)
def test_refusals(act, message):
    with pytest.raises((TypeError, ValueError), match=message):
        act()


def test_typed_quantities():
    ack = lf.laws.selective_repeat.ack_delay
    assert controls.read(ack, "round_trip_time", "100 ms") == 0.1
    assert controls.read(lf.laws.power.power_ceiling, "capacity", "1 Gbit/s") == 1.25e8
    assert controls.read(ack, "packet_time", "5e-5") == 5e-5
    assert controls.read(EFFICIENCY, "loss", "0.1%") == 0.001
    assert controls.read(lf.laws.queues.mm1_wait, "load", "95 %") == 0.95


@EVERY
def test_what_cannot_be_read_says_what_can(one):
    for name, symbol in one.symbols.items():
        for words in ("abc", "5 parsec", ""):
            with pytest.raises(ValueError, match="cannot be read") as refusal:
                controls.read(one, name, words)
            said = str(refusal.value)
            kind = "an integer" if symbol.integer else "a number"
            assert said.startswith(f"{name} = '{words}' cannot be read: must be {kind} in {symbol.domain}")
        for example in said.split("such as ")[1].split(" or "):
            assert symbol.interval.contains(controls.read(one, name, example))


def test_an_unreadable_field_is_said():
    view = lf.explore.law(EFFICIENCY)
    view.controls["loss"].field.value = "abc"
    assert "loss = &#x27;abc&#x27; cannot be read: must be a number in [0, 1), such as 0.0" in view.message.value
    assert "%" in view.message.value
    view.controls["loss"].field.value = "0.1%"
    assert view.message.value == ""
    assert view.state.values["loss"] == 0.001


def test_sliders_move_the_picture():
    view = lf.explore.law(lf.laws.queues.mm1_wait, load=0.5)
    control, before = view.controls["load"], view.picture.value
    control.slider.value = len(control.scale.values) - 1
    assert view.state.values["load"] == 0.95
    assert control.field.value == "0.95"
    assert view.picture.value != before
    assert float(view.data.operating_value) == pytest.approx(19)
    control.field.value = "0.975"  # beyond the typical range, inside the domain
    assert view.state.values["load"] == 0.975
    assert control.slider.value == control.slider.max
    control.field.value = "1"
    assert "load = 1 is out of range: must be in [0, 1)" in view.message.value
    assert view.state.values["load"] == 0.975
    control.field.value = "0.9"
    assert view.message.value == ""


def test_choices():
    view = lf.explore.law(EFFICIENCY)
    view.networks.value = presets(EFFICIENCY)[1]
    assert view.state.values["segment_packets"] == 16
    assert view.controls["ack_segments"].value == pytest.approx(763.1, abs=0.1)
    view.family.value = "loss"
    view.family_values.value = "1e-5, 1e-3"
    assert view.state.family_values == (1e-5, 1e-3)
    with pytest.warns(DeprecationWarning, match="family_values"):
        assert view.state.members == (1e-5, 1e-3)  # the old name, for one release
    with pytest.warns(DeprecationWarning, match="family_values"):
        view.set(family="loss", members=[1e-5, 1e-3])
    assert view.state.family_values == (1e-5, 1e-3)
    view.family_values.value = "2"
    assert "loss = 2" in view.message.value
    view.across.value = "loss"
    assert (view.state.across, view.state.family, view.family_values.value) == ("loss", "", "")
    view.y_scale.value = "logarithmic"
    assert "lf-chart" in view.picture.value
    view.about.selected_index = 0
    assert r"\begin{cases}" in view.formula.value
    assert "lf.laws.selective_repeat.throughput_efficiency(window=" in view.code.value
    view.close()


def test_another_x_axis_keeps_the_family():
    view = lf.explore.law(EFFICIENCY, loss=1e-3)
    view.set(family="loss", family_values=[1e-4, 1e-2])
    view.set(across="ack_segments")
    assert (view.state.across, view.state.family, view.state.family_values) == ("ack_segments", "loss", (1e-4, 1e-2))
    view.across.value = "segment_packets"  # by hand
    assert (view.state.across, view.state.family, view.state.family_values) == ("segment_packets", "loss", (1e-4, 1e-2))
    assert (view.family.value, view.family_values.value) == ("loss", "0.0001, 0.01")
    assert "segment_packets" not in dict(view.family.options).values()
    assert "window" in dict(view.family.options).values()


def test_the_page_keeps_what_laws_share():
    page = lf.explore.page()
    page.explorer.set(loss=2e-3)
    page.law.value = lf.laws.selective_repeat.mean_rounds
    assert page.explorer.state.values["loss"] == 2e-3
    page.subject.value = "queues"
    assert subject(page.explorer.state.law) == "queues"
    assert page.law.value is page.explorer.state.law
    assert "application/vnd.jupyter.widget-view+json" in page._repr_mimebundle_()
    assert lf.explore.page() is not page  # a second one


def test_no_finite_value_is_said():
    state = start(lf.laws.loss_load.response_time, "packets")
    data = curves.dataset(state)
    assert np.isinf(data.law).all()
    assert "no finite value" in chart.html(state, data)


def test_gaps_and_ticks():
    picture = chart.Picture(chart.Axis(0, 4, False), chart.Axis(0, 1, False))
    picture.path([0, 1, 2, 3, 4], [0.0, 1.0, math.nan, 1.0, 0.0], "red", 1)
    assert 'd="M0.0 1000.0L250.0 0.0M750.0 0.0L1000.0 1000.0"' in picture.lines[0]
    assert chart.Axis(1, 100, True).place([1, 10, 0]).tolist()[:2] == [0, 0.5]
    assert wording.ticks(0, 0.95, False) == [0, 0.2, 0.4, 0.6, 0.8]
    assert wording.ticks(1, 1e9, True) == [1, 1e2, 1e4, 1e6, 1e8]


def found_points():
    return Points(replications=4).and_at(100.0, (0.9, 0.89, 0.91)).and_at(10.0, (0.3, 0.29, 0.31))


def test_files_round_trip(tmp_path):
    state = start(EFFICIENCY, window=24, loss=1e-3, segment_packets=16, ack_segments=23).spread("loss", [1e-4])
    data = saving.complete(state, found_points())
    (tmp_path / "law.nc").write_bytes(saving.file(data, "nc"))
    with xr.open_dataset(tmp_path / "law.nc") as back:
        assert back.law.values == pytest.approx(data.law.values, rel=0)
        assert back.valid.values.tolist() == data.valid.values.tolist()
        assert back.simulated_at.values.tolist() == [10, 100]
        assert back.simulated.values.tolist() == [0.3, 0.9]
        assert back.attrs["operating_window"] == 24
        assert back.attrs["law"].endswith("throughput_efficiency")
        assert back.attrs["made_by"] == "longfat.explore"
    table = pd.read_csv(io.BytesIO(saving.file(data, "csv")))
    assert len(table) == data.law.size + 2
    curve = table[np.isclose(table.loss, 1e-4)]
    expected = EFFICIENCY(curve.window.values, 1e-4, 16, 23)
    assert curve.law.values == pytest.approx(expected, rel=1e-12)
    assert table.simulated.dropna().tolist() == [0.3, 0.9]
    assert saving.file(data, "png")[:8] == b"\x89PNG\r\n\x1a\n"
    svg = saving.file(data, "svg").decode()
    for words in ("Window", "simulated, 4 replications, 95% intervals", "as printed", "Gong"):
        assert words in svg


def test_links_hold_the_files():
    view = lf.explore.law(lf.laws.queues.mm1_wait, load=0.5)
    view.save.click()
    links = dict(re.findall(r'download="mm1_wait\.(\w+)" href="data:[^,]+,([^"]+)"', view.links.value))
    assert set(links) == set(saving.KINDS)
    assert len(pd.read_csv(io.BytesIO(base64.b64decode(links["csv"])))) == curves.POINTS
    view.set(load=0.6)
    assert view.links.value == ""  # they were of something else


# Simulations.


def test_a_plan_is_what_the_simulator_can_take():
    state = start(EFFICIENCY, window=24, loss=1e-3, segment_packets=16, ack_segments=23.08)
    plan = simulations.plan(state)
    windows = [point["window"] for point in plan]
    assert windows[:2] == [1, 4000]  # the ends first
    assert len(set(windows)) == len(windows) == simulations.POINTS
    assert all(point["window"] == round(point["window"]) for point in plan)
    assert all(point["ack_segments"] == 369 / 16 for point in plan)


def test_simulated_beside_the_law():
    state = start(EFFICIENCY, window=24, loss=1e-3, segment_packets=16, ack_segments=23)
    one = simulations.estimate(state, 4)
    point = {"window": 40.0, "loss": 1e-3, "segment_packets": 16.0, "ack_segments": 23.0}
    value, low, high = one(point)
    assert low < value < high
    assert abs(value - EFFICIENCY(**point)) < EFFICIENCY.validity.accuracy + (high - low)
    assert one(point) == (value, low, high)  # the same settings, the same points


def collected():
    """Return a list of progress reports, an event set at the last one, and the callback that fills them."""
    received, done = [], threading.Event()

    def on_progress(progress):
        received.append(progress)
        if progress.finished:
            done.set()

    return received, done, on_progress


POINTS = [{"x": 1.0}, {"x": 2.0}, {"x": 3.0}]


def test_points_arrive_one_by_one():
    received, done, on_progress = collected()
    background = Background(pause=0)
    background.start(POINTS, lambda point: None if point["x"] == 2 else (point["x"], 0.0, 4.0), "x", 5, on_progress)
    assert done.wait(10)
    assert [(one.done, len(one.points.x)) for one in received] == [(1, 1), (2, 1), (3, 2)]
    assert received[-1].points.words == "simulated, 5 replications, 95% intervals; 1 not possible"


def test_results_of_old_settings_are_dropped():
    entered, go, (received, done, on_progress) = threading.Event(), threading.Event(), collected()
    old = []

    def slow(point):
        entered.set()
        assert go.wait(10)
        return (9.0, 9.0, 9.0)

    background = Background(pause=0)
    background.start(POINTS, slow, "x", 2, old.append)
    assert entered.wait(10)
    background.start(POINTS, lambda point: (point["x"],) * 3, "x", 2, on_progress)
    go.set()  # the first task finishes its point only now
    assert done.wait(10)
    assert old == []
    assert received[-1].points.value == (1.0, 2.0, 3.0)


def test_what_is_under_way_to_the_loop_is_dropped_too():
    waiting, received = [], []
    background = Background(deliver=waiting.append, pause=0)
    background.start(POINTS, lambda point: (1.0, 1.0, 1.0), "x", 2, received.append)
    background.join(10)
    assert len(waiting) == 3
    waiting[0]()
    assert len(received) == 1
    background.cancel()
    waiting[1]()
    waiting[2]()
    assert len(received) == 1


def test_cancel_ends_the_work():
    entered, go, calls = threading.Event(), threading.Event(), []

    def slow(point):
        calls.append(point)
        entered.set()
        assert go.wait(10)
        return (1.0, 1.0, 1.0)

    received = []
    background = Background(pause=0)
    background.start(POINTS, slow, "x", 2, received.append)
    assert entered.wait(10)
    background.cancel()
    go.set()
    background.join(10)
    assert len(calls) == 1
    assert received == []


def test_a_moving_slider_starts_nothing():
    calls = []
    background = Background(pause=30)
    for _ in range(3):
        background.start(POINTS, calls.append, "x", 2, calls.append)
    background.cancel()
    background.join(10)
    assert calls == []


def test_errors_are_said():
    received, done, on_progress = collected()
    Background(pause=0).start(POINTS, lambda point: 1 / 0, "x", 2, on_progress)
    assert done.wait(10)
    assert received[0].error == "ZeroDivisionError: division by zero"


class Recorded:
    """A background that only records its calls."""

    def __init__(self):
        self.started, self.cancelled = [], 0

    def start(self, points, estimate, across, replications, on_progress):
        self.started.append((points, replications, on_progress))

    def cancel(self):
        self.cancelled += 1


def test_the_view_simulates_what_is_shown():
    background = Recorded()
    view = Explorer(start(EFFICIENCY, window=24, loss=1e-3, segment_packets=16, ack_segments=23), background)
    view.simulate.value = True
    points, replications, on_progress = background.started[-1]
    assert replications == 10
    assert points[0]["loss"] == 1e-3
    from longfat.explore.background import Progress

    on_progress(Progress(found_points(), 2, 13))
    assert view.progress.value == 2
    assert "simulated, 4 replications, 95% intervals" in view.picture.value
    assert view.data.simulated.values.tolist() == [0.3, 0.9]
    view.set(window=30)  # the place on the x axis: the points stand
    assert view.points is not None
    assert len(background.started) == 1
    view.set(loss=2e-3)  # another curve: they go, and new ones are asked for
    assert view.points is None
    assert "simulated" not in view.picture.value
    assert background.started[-1][0][0]["loss"] == 2e-3
    stopped = background.cancelled
    view.simulate.value = False
    assert background.cancelled > stopped
    assert len(background.started) == 2
    view.points = found_points()
    view.set(loss=3e-3)  # nothing is simulated any more: what was found before goes all the same
    assert view.points is None


def test_queues_are_simulated_as_the_sliders_say():
    """A link has an integer number of places; points that it cannot simulate are refused, not moved."""
    limited = start(lf.laws.queues.md1k_loss, "capacity", load=0.9)
    assert all(point["capacity"] == int(point["capacity"]) for point in simulations.plan(limited, 5))
    between = start(lf.laws.queues.mg1_wait, variation=0.4, load=0.5)
    assert simulations.estimate(between, 2)(dict(between.values)) is None
    value, low, high = simulations.estimate(start(lf.laws.queues.mm1_wait), 4, 1)({"load": 0.5})
    assert low < 1.0 < high  # 0.5/(1 - 0.5)
    assert value == pytest.approx(1.0, abs=0.1)

"""The explorer without a browser: numbers equal the law's, sliders follow the record, requests become points."""

import asyncio
import base64
import json
import math

import numpy as np
import pytest
import xarray as xr

import longfat as lf
from longfat.base import extras
from longfat.explore import simulations
from longfat.explore.state import start, svg
from longfat.handbook.presets import PRESETS, presets
from longfat.law import registered
from tests.served import Fake

lf.laws.__all__  # noqa: B018  # declares them
LAWS = dict(registered())
EVERY = pytest.mark.parametrize("one", LAWS.values(), ids=[name.removeprefix("longfat.laws.") for name in LAWS])
EFFICIENCY = lf.laws.selective_repeat.throughput_efficiency
needs_anywidget = pytest.mark.skipif(
    not (extras.installed("anywidget") and extras.installed("docutils")), reason="the extra 'explore'"
)


# By hand: rho/(1 - rho) = 1 at 1/2 and 3 at 3/4; 20 ms + 3 x 0.1 ms; n/(n + 1); (k + 1)/k v.


def law_has_a_model(one):
    begin = start(one)
    for across in one.symbols:
        state = begin.along(across)
        data = lf.explore.dataset(state, points=7)
        x = data[across].values
        assert one.symbols[across].interval.contains(x).all()
        # one point at a time, in floats, beside the whole curve as an array
        for k in (0, len(x) // 2, len(x) - 1):
            alone = one(**{**state.values, across: float(x[k])})
            assert data.law.values[k] == pytest.approx(alone, rel=1e-9, nan_ok=True)
    assert {"units", "long_name"} <= set(data[across].attrs)
    assert data.law.attrs["units"] == one.unit


def sliders_are_the_record(one):
    for symbol in one.symbols.values():
        values = np.array(symbol.scale.values)
        inside = [end for end in map(float, symbol.typical) if symbol.interval.contains(end)]
        assert set(inside) <= {values[0], values[-1]}
        assert symbol.interval.contains(values).all()
        assert (np.diff(values) > 0).all()
        if symbol.integer:
            assert (values == np.round(values)).all()
        if symbol.logarithmic and not symbol.integer:  # a tenth at most between two positions
            assert (values[1:] / values[:-1]).max() < 1.2


@EVERY
def test_model_and_sliders_of_every_law(one):
    """These take milliseconds a law, less than a test of its own; a traceback names the check that failed."""
    law_has_a_model(one)
    sliders_are_the_record(one)


def test_axes_reach_further_than_typical():
    assert start(EFFICIENCY, loss=0.5).scale("loss").dense(5)[-1] == 0.5
    assert start(EFFICIENCY, loss=0.0).scale("loss").dense(5)[0] == EFFICIENCY.symbols["loss"].typical[0]
    rate = lf.laws.loss_load.response_optimal_rate
    assert start(rate, access_rate=math.inf).scale("access_rate").dense(5)[-1] == rate.symbols["access_rate"].typical[1]


@pytest.mark.parametrize("one", PRESETS, ids=lambda one: one.name)
def test_presets_lie_in_the_domains(one):
    suited = [law for law in LAWS.values() if one.of(law)]
    assert len(suited) >= 3
    for law in suited:
        state = start(law, **one.of(law))  # refuses what lies outside
        assert all(state.values[name] == value for name, value in one.of(law).items())
        lf.explore.dataset(state, points=3)
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
        law = lf.laws.loss_load.loss_probability
        state = start(law, **one.of(law))
        loss = lf.explore.dataset(state, points=3).operating_value.item()
        assert loss == pytest.approx(
            1 / (state.values["k"] + 1), rel=1e-12
        )  # the equilibrium: Prithviraj and Williamson, section 2.3


def test_validity_and_the_printed_curve():
    state = start(EFFICIENCY, window=30, loss=1e-3, segment_packets=16, ack_segments=23)
    data = lf.explore.dataset(state)
    assert (data.valid == (data.window <= 4 * 23)).all()
    operating = [bool(lf.explore.dataset(state.changed(window=window)).operating_valid) for window in (92, 93)]
    assert operating == [True, False]
    # Between w_a + 1 and 2 w_a + 1 the printed expression is the smaller one.
    assert data.operating_as_printed < data.operating_value


def test_family():
    state = start(lf.laws.queues.mm1k_loss, load=0.8, capacity=5).spread("capacity", [1, 10])
    data = lf.explore.dataset(state, points=5)
    assert data.capacity.values.tolist() == [1, 5, 10]
    # one place: rho/(1 + rho)
    assert data.law.sel(capacity=1).values == pytest.approx(data["load"].values / (1 + data["load"].values))
    across = state.along("capacity")
    assert across.family == ""
    # the slider is from 0.05 to 5: 0.05 x 100^(1/4), x 100^(1/2) and x 100^(3/4)
    assert across.spread("load").family_values == (0.158, 0.5, 1.58)


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
        (
            lambda: start(EFFICIENCY).spread("window"),
            "family = 'window' is the parameter on the x axis: must be another one",
        ),
        (
            lambda: start(EFFICIENCY).spread("loss", []),
            "family_values = 0 values is out of range: must be 1 to 6 values",
        ),
        (lambda: start(EFFICIENCY).spread("loss", [0.1 * k for k in range(7)]), "family_values = 7 values is out of"),
    ],
)
def test_refusals(act, message):
    with pytest.raises((TypeError, ValueError), match=message):
        act()


POINTS = [
    {"x": 100.0, "mean": 0.9, "low": 0.89, "high": 0.91, "runs": 4},
    {"x": 10.0, "mean": 0.3, "low": 0.29, "high": 0.31, "runs": 4},
]


def test_curves_survive_a_file_and_are_drawn(tmp_path):
    state = start(EFFICIENCY, window=24, loss=1e-3, segment_packets=16, ack_segments=23).spread("loss", [1e-4])
    data = lf.explore.dataset(state, simulated=POINTS)
    data.to_netcdf(tmp_path / "law.nc")
    with xr.open_dataset(tmp_path / "law.nc") as back:
        assert back.law.values == pytest.approx(data.law.values, rel=0)
        assert back.law.sel(loss=1e-4).values == pytest.approx(EFFICIENCY(back.window.values, 1e-4, 16, 23), rel=1e-12)
        assert back.valid.values.tolist() == data.valid.values.tolist()
        assert back.simulated_at.values.tolist() == [10, 100]
        found = {name: back[name].values.tolist() for name in ("simulated", "simulated_lower", "simulated_upper")}
        assert found == {"simulated": [0.3, 0.9], "simulated_lower": [0.29, 0.89], "simulated_upper": [0.31, 0.91]}
        assert back.attrs["operating_window"] == 24
        assert back.attrs["law"].endswith("throughput_efficiency")
        assert back.attrs["made_by"] == "longfat.explore"
    drawn = svg(data)
    for words in ("Window", "simulated, 4 replications, 95% intervals", "as printed", "Gong"):
        assert words in drawn


# Simulations.


def test_a_plan_has_only_points_that_the_simulator_accepts():
    state = start(EFFICIENCY, window=24, loss=1e-3, segment_packets=16, ack_segments=23.08)
    plan = simulations.plan(state, simulations.simulator(EFFICIENCY))
    windows = [point["window"] for point in plan]
    assert windows[:2] == [1, 126]  # first the ends of what is compared with the simulator: its record says 1 to 197
    assert windows[-1] == 4000
    assert len(set(windows)) == len(windows) == simulations.POINTS
    assert all(point["window"] == round(point["window"]) for point in plan)
    assert all(point["ack_segments"] == 369 / 16 for point in plan)


def test_a_request_becomes_points():
    """Points of the plan come after three replications and after all; refused points are left out."""
    text = {"law": "queues.mg1_wait", "across": "load", "values": {"load": "0.5", "variation": "1"}, "replications": 5}
    request = simulations.read(json.dumps(text), {"queues.mg1_wait": lf.laws.queues.mg1_wait})
    seeds = []

    def value(seed, point):
        seeds.append(seed)
        if point["load"] > 0.9:
            raise ValueError("too much")
        return float(len(seeds) % 2)

    *points, end = simulations.estimates(request, Fake(value=value))
    assert [one["runs"] for one in points] == [3] * 12 + [5] * 12  # 0.95, the last of 13, is refused
    assert end == {"kind": "end", "why": "", "packets": 5 * 12 * 1000.0, "refused": 1}
    # by hand: 1, 0, 1 have the mean 2/3, s = 1/sqrt(3), and t_2 = 4.3027, so that the half width is t s/sqrt(3) = t/3
    assert points[0]["mean"] == pytest.approx(2 / 3)
    assert points[0]["high"] - points[0]["mean"] == pytest.approx(4.302652729749464 / 3)
    assert len(set(seeds)) == 5  # the same seeds at all points


def test_a_simulator_without_random_numbers_runs_once():
    fake = Fake(value=lambda seed, point: 2.0)
    fake.deterministic = True
    *points, end = simulations.estimates(simulations.Request(start(lf.laws.cubic.window), 7), fake)
    assert {(one["runs"], one["low"], one["mean"], one["high"]) for one in points} == {(1, 2.0, 2.0, 2.0)}
    assert end["packets"] == len(points) * 1000


def test_limits_of_time_and_packets():
    request = simulations.Request(start(lf.laws.queues.mm1_wait), 3)
    *points, end = simulations.estimates(request, Fake(), packets=2500)
    assert (len(points), end["why"]) == (1, "stopped after 2500 packets: take fewer replications")
    *points, end = simulations.estimates(request, fake := Fake(), lambda: fake.done == 4)
    assert (len(points), end["kind"]) == (1, "end")
    events = simulations.estimates(request, Fake(takes=0.01))

    async def all_of():
        return [one async for one in simulations.stream(lambda: next(events), seconds=0.05)]

    *points, end = asyncio.run(all_of())
    assert len(points) < simulations.POINTS
    assert end["why"] == "stopped after 0.05 s: take fewer replications"


def test_queues_are_simulated_as_the_sliders_say():
    """A link has an integer number of places; points that it cannot simulate are refused, not moved."""
    limited = start(lf.laws.queues.md1k_loss, "capacity", load=0.9)
    plan = simulations.plan(limited, simulations.simulator(limited.law), 5)
    assert all(point["capacity"] == int(point["capacity"]) for point in plan)
    with pytest.raises(ValueError, match="variation"):
        simulations.simulator(lf.laws.queues.mg1_wait)(1, load=0.5, variation=0.4)


# In Jupyter; tests/test_explore_browser.py has what the browser shows.


@needs_anywidget
def test_the_widget_keeps_its_settings():
    view = lf.explore.law("selective_repeat.throughput_efficiency", loss=1e-3)
    view.set(family="loss", family_values=[1e-4, 1e-2])
    view.set(across="ack_segments", window=24)
    assert (view.state.across, view.state.family, view.state.family_values) == ("ack_segments", "loss", (1e-4, 1e-2))
    assert view.shown["values"]["window"] == "24"
    # as the browser writes it after a slider has moved
    view.shown = view.shown | {"values": view.shown["values"] | {"loss": "0.002"}, "family": "", "family_values": []}
    assert (view.state.values["loss"], view.state.family) == (0.002, "")
    assert view.data.operating_value.item() == EFFICIENCY(**view.state.values)
    with pytest.raises(ValueError, match="loss = 1 is out of range"):
        view.set(loss=1)
    with pytest.raises(ValueError, match=r"law 'queues\.mm1_wiat' is unknown; did you mean 'queues\.mm1_wait'"):
        lf.explore.law("queues.mm1_wiat")


@needs_anywidget
def test_infinity_reaches_the_browser_and_comes_back():
    view = lf.explore.law(lf.laws.loss_load.response_optimal_rate)
    assert view.shown["values"]["access_rate"] == "Infinity"
    assert view.state.values["access_rate"] == math.inf


@needs_anywidget
def test_the_package_is_the_page_of_all_laws():
    view = lf.explore("queues.mm1_wait")
    assert view.state.law is lf.laws.queues.mm1_wait
    assert all(f'"{law.public_name}":' in view._esm for law in LAWS.values() if law.symbols)
    assert lf.explore.law("queues.mm1_wait")._esm.count("queues.mm1k_wait") == 0  # a single law brings only itself
    assert ":root" not in view._css  # the colours of the notebook around it stay as they are


@needs_anywidget
def test_a_saved_notebook_has_a_picture(monkeypatch):
    import IPython.display

    shown = []
    monkeypatch.setattr(IPython.display, "display", lambda bundle, **options: shown.append((bundle, options)))
    view = lf.explore.law(lf.laws.queues.mm1_wait)
    view.picture = "<svg>as the browser drew it</svg>"
    view._ipython_display_()
    (widget, _), (still, options) = shown
    assert "application/vnd.jupyter.widget-view+json" in widget
    assert options["display_id"]
    assert f"longfat-picture-{view.name}" in still["text/html"]
    assert f"data:image/svg+xml;base64,{base64.b64encode(view.picture.encode()).decode()}" in still["text/html"]


@needs_anywidget
def test_the_widget_simulates_what_its_view_asks_for(monkeypatch):
    view, sent = lf.explore.law(lf.laws.queues.mm1_wait), []
    monkeypatch.setattr(view, "send", sent.append)

    monkeypatch.setattr(simulations, "simulator", lambda law: Fake())
    asked = {"law": "queues.mm1_wait", "across": "load", "values": {"load": "0.5"}, "replications": 3}

    async def work():
        view._asked(view, asked | {"number": 7}, [])
        await view._task
        view._asked(view, asked | {"number": 8, "across": "lode"}, [])

    asyncio.run(work())
    *points, end, refused = sent
    assert {one["number"] for one in (*points, end)} == {7}
    assert (end["kind"], refused["kind"], refused["number"]) == ("end", "error", 8)
    assert refused["why"] == "across 'lode' is unknown; available: load"
    assert {one["runs"] for one in view.points} == {3}
    assert view.data.simulated.values.tolist() == pytest.approx(sorted(one["x"] for one in points))

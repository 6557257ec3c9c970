"""Sweeps: the same numbers however they are computed, honest intervals, stores that are whole or refused."""

import functools
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import longfat as lf
from longfat.sweeping import SweepError, identity, running, sweep
from longfat.sweeping.store import Store

GRID = {"load": [0.5, 0.9], "scheme": ["reno", "cubic", "bic"]}
QUIET = {"progress": False}


def queue(load, scheme, rng):
    """A number, and an array, that depend on the point and on every bit of the stream."""
    noise = rng.standard_normal(3)
    return {"wait": load + len(scheme) + noise[0], "trace": noise * load}


def exponential(load, rng):
    return rng.exponential(load)


def broken(load, rng):
    raise LookupError(f"nothing at\n {load}")


def by_hand(seed, grid, replications):
    """What the documentation says: a plain loop over places, each with the stream of its own."""
    loads, schemes = grid["load"], grid["scheme"]
    waits = np.empty((len(loads), len(schemes), replications))
    traces = np.empty((len(loads), len(schemes), replications, 3))
    for i, j, r in itertools.product(range(len(loads)), range(len(schemes)), range(replications)):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(i, j, r)))
        returned = queue(loads[i], schemes[j], rng)
        waits[i, j, r], traces[i, j, r] = returned["wait"], returned["trace"]
    return waits, traces


class Backwards(Executor):
    """Runs nothing until it must, and then the last first."""

    def __init__(self):
        self.tasks = []

    def submit(self, function, /, *args, **kwargs):
        future = Future()
        self.tasks.append((future, functools.partial(function, *args, **kwargs)))
        if len(self.tasks) == 7:
            self.flush()
        return future

    def flush(self):
        while self.tasks:
            future, task = self.tasks.pop()
            future.set_result(task())

    def shutdown(self, wait=True, *, cancel_futures=False):
        raise AssertionError("an executor that was given is not shut down")


# The same numbers


@pytest.mark.parametrize("workers", [None, 1, 2, 7])
def test_any_number_of_threads_gives_what_a_plain_loop_gives(workers):
    waits, traces = by_hand(7, GRID, 5)
    with ThreadPoolExecutor(workers) as pool:
        data = sweep(queue, GRID, replications=5, rng=7, keep=True, executor=workers and pool, **QUIET)
    assert data.wait_samples.dims == ("load", "scheme", "replication")
    assert data.trace_samples.dims == ("load", "scheme", "replication", "trace_dim_0")
    np.testing.assert_array_equal(data.wait_samples, waits)
    np.testing.assert_array_equal(data.trace_samples, traces)
    np.testing.assert_allclose(data.wait, waits.mean(-1), rtol=1e-14)
    np.testing.assert_allclose(data.trace, traces.mean(2), rtol=1e-14, atol=1e-15)


def test_processes_give_the_same_and_go_on_living():
    serial = sweep(queue, GRID, replications=4, rng=7, **QUIET)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert sweep(queue, GRID, replications=4, rng=7, executor=pool, **QUIET).identical(serial)
        assert pool.submit(len, "abc").result() == 3
        with pytest.raises(SweepError, match=r"^sweep: load = 0.5, replication 0: LookupError: nothing at 0.5") as e:
            sweep(broken, {"load": [0.5]}, executor=pool, **QUIET)
        assert "in broken" in e.value.__notes__[0]  # where it happened, in the other process


def test_the_order_in_which_runs_end_does_not_matter():
    pool = Backwards()
    # 2 x 3 x 7 = 42 runs, seven at a time: the executor never waits for more than it gets
    data = sweep(queue, GRID, replications=7, rng=7, executor=pool, **QUIET)
    assert data.identical(sweep(queue, GRID, replications=7, rng=7, **QUIET))


def test_dask_gives_the_same():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        data = sweep(lambda **given: queue(**given), GRID, replications=3, rng=7, executor=client, **QUIET)
        assert client.submit(len, "abc").result() == 3
    expected = sweep(queue, GRID, replications=3, rng=7, **QUIET)
    assert data.equals(expected)


def test_a_dask_client_is_told_that_equal_calls_are_different_runs():
    asked = []

    class Client:
        def get_executor(self, **given):
            asked.append(given)
            return pool

    with ThreadPoolExecutor(1) as pool:
        sweep(exponential, {"load": [1.0]}, executor=Client(), **QUIET)
    assert asked == [{"pure": False}]


def test_a_longer_axis_or_more_replications_leave_the_others_alone():
    small = sweep(queue, GRID, replications=3, rng=7, keep=True, **QUIET)
    longer = {"load": [*GRID["load"], 0.99], "scheme": [*GRID["scheme"], "vegas"]}
    large = sweep(queue, longer, replications=5, rng=7, keep=True, **QUIET)
    same = large.isel(load=slice(2), scheme=slice(3), replication=slice(3))
    assert same.wait_samples.equals(small.wait_samples)
    # and no two runs share their numbers
    assert np.unique(large.trace_samples / large["load"]).size == 3 * 4 * 5 * 3


def test_seeds():
    first = sweep(exponential, {"load": [1.0]}, rng=7, **QUIET)
    for same in (np.int64(7), np.random.SeedSequence(7)):
        assert sweep(exponential, {"load": [1.0]}, rng=same, **QUIET).identical(first)
    assert float(sweep(exponential, {"load": [1.0]}, rng=8, **QUIET).result[0]) != float(first.result[0])
    assert float(sweep(exponential, {"load": [1.0]}, **QUIET).result[0]) != float(
        sweep(exponential, {"load": [1.0]}, **QUIET).result[0]
    )
    generator = np.random.Generator(np.random.Philox(7))
    one, two = (sweep(exponential, {"load": [1.0]}, rng=generator, **QUIET) for _ in range(2))
    assert float(one.result[0]) != float(two.result[0])
    assert one.attrs["bit_generator"] == "Philox"
    # what stands in attrs gives the same numbers again
    key = (*json.loads(two.attrs["spawn_key"]), 0, 0)
    again = np.random.Philox(np.random.SeedSequence(int(two.attrs["entropy"]), spawn_key=key))
    assert float(two.result[0]) == exponential(1.0, np.random.Generator(again))


# Intervals


@pytest.mark.parametrize("replications", [2, 3])
def test_of_200_intervals_at_90_percent_180_cover(replications):
    """Binomial with p = 0.9: 180 +- 3 sqrt(200 0.9 0.1) = 12.7. Normal quantiles would cover 146 and 158 on average."""

    def normal(place, rng):
        return rng.normal(3.0, 2.0)

    data = sweep(normal, {"place": range(200)}, replications=replications, confidence=0.9, rng=11, **QUIET)
    covers = (data.result_lower <= 3.0) & (data.result_upper >= 3.0)
    assert abs(int(covers.sum()) - 180) <= 12.7


def test_intervals_are_those_of_scipy_and_of_the_table():
    data = sweep(exponential, {"load": [0.5, 2.0]}, replications=9, confidence=0.99, rng=3, keep=True, **QUIET)
    expected = stats.ttest_1samp(data.result_samples, 0.0, axis=1).confidence_interval(0.99)
    np.testing.assert_allclose(data.result_lower, expected.low, rtol=1e-12)
    np.testing.assert_allclose(data.result_upper, expected.high, rtol=1e-12)
    two = sweep(exponential, {"load": 1.0}, replications=2, rng=3, keep=True, **QUIET)
    a, b = two.result_samples.values
    # t at 0.975 with one degree of freedom is 12.706; s / sqrt(2) is |a - b| / 2
    assert float(two.result_upper - two.result) == pytest.approx(12.706 * abs(a - b) / 2, rel=1e-4)


def test_one_replication_has_no_interval():
    data = sweep(exponential, {"load": [0.5]}, rng=3, **QUIET)
    assert set(data.data_vars) == {"result", "replications"}
    assert data.replications.values.tolist() == [1]


def test_infinite_and_missing_results_stay_what_they_are():
    def strange(kind, rng):
        return {"inf": np.inf, "nan": np.nan, "mixed": np.inf if rng.random() < 0.5 else -np.inf}[kind]

    data = sweep(strange, {"kind": ["inf", "nan", "mixed"]}, replications=9, rng=1, **QUIET)
    np.testing.assert_array_equal(data.result, [np.inf, np.nan, np.nan])
    assert bool(np.isnan(data.result_lower).all())


# What functions take and return


def test_what_comes_back_of_an_xarray_object():
    def run(load, rng):
        values = xr.DataArray(
            [load, 2 * load],
            dims="flow",
            attrs={"units": "s", "long_name": "transfer time"},
            coords={"flow": ["a", "b"]},
        )
        values.flow.attrs["long_name"] = "name of the flow"
        return xr.Dataset({"time": values, "sent": ((), 3, {"units": "packets"})}, {"load": load}).assign_coords(
            scheme=("flow", np.array(["reno", "bic"], object))
        )

    grid = xr.Dataset(coords={"load": ("load", [0.5, 0.75], {"units": "1"})}).coords
    data = sweep(run, grid, replications=3, **QUIET)
    assert data.time.dims == ("load", "flow")
    for name in ("time", "time_lower", "time_upper"):
        assert data[name].attrs == {"units": "s", "long_name": "transfer time"}
        np.testing.assert_array_equal(data[name], [[0.5, 1.0], [0.75, 1.5]])
    assert data.sent.attrs == {"units": "packets"}
    assert data["load"].attrs == {"units": "1"}
    assert data.flow.attrs == {"long_name": "name of the flow"}
    assert data.scheme.values.tolist() == ["reno", "bic"]
    assert sweep(lambda load, rng: run(load, rng).time, grid, **QUIET).time.attrs["units"] == "s"
    assert sweep(lambda load, rng: run(load, rng).time.variable, grid, **QUIET).result.attrs["units"] == "s"


def test_intervals_of_a_run_give_way_to_those_over_the_replications():
    def simulated(window, rng):
        given = {"window": window, "loss": 0.01, "segment_packets": 4, "ack_segments": 5.0, "segments": 400}
        return lf.sim.segments.simulate(**given, rng=rng, **QUIET)

    one = sweep(simulated, {"window": [4, 8]}, rng=1, **QUIET)
    alone = simulated(8, np.random.default_rng(np.random.SeedSequence(1, spawn_key=(1, 0))))
    for name in alone.data_vars:
        assert float(one[name].sel(window=8)) == float(alone[name])
        assert one[name].attrs == alone[name].attrs
    many = sweep(simulated, {"window": [4, 8]}, replications=9, rng=1, keep=True, **QUIET)
    expected = stats.ttest_1samp(many.mean_delay_samples, 0.0, axis=1).confidence_interval(0.95)
    np.testing.assert_allclose(many.mean_delay_upper, expected.high)
    assert "mean_delay_lower_lower" not in many


def test_netcdf_keeps_it(tmp_path):
    data = sweep(queue, GRID, replications=2, rng=7, keep=True, **QUIET)
    data.to_netcdf(tmp_path / "sweep.nc")
    with xr.open_dataset(tmp_path / "sweep.nc") as back:
        xr.testing.assert_identical(back.load(), data)
    expected = {"function": "tests.test_sweeping.queue", "replications": 2, "confidence": 0.95, "entropy": "7"}
    assert expected.items() <= data.attrs.items()
    assert data.attrs["version"] == lf.__version__


def test_labels_are_those_of_the_first_run_and_arrays_are_not_shared():
    buffer = np.zeros(2)

    def reusing(k, rng):
        buffer[:] = k
        return xr.Variable("t", buffer, {"units": "s", "k": k})

    data = sweep(reusing, {"k": range(7)}, executor=Backwards(), **QUIET)  # the last comes first
    assert data.result.attrs == {"units": "s", "k": 0}
    np.testing.assert_array_equal(data.result, [[k, k] for k in range(7)])


def test_functions_get_the_values_of_the_grid_in_order():
    seen = []

    def look(rng, **point):
        seen.append(point)
        return 0.0

    grid = {
        "z": (1, 2),
        "a": np.array(["x"]),
        "on": [True, False],
        "rate": np.float32(0.5),
        "name": "reno",
        "k": range(1),
    }
    with ThreadPoolExecutor(1) as pool:
        data = sweep(look, grid, executor=pool, **QUIET)
    assert [tuple(point.values()) for point in seen] == [
        (z, "x", on, 0.5, "reno", 0) for z in (1, 2) for on in (True, False)
    ]
    assert {type(value) for point in seen for value in point.values()} == {int, str, bool, float}
    assert data.result.dims == ("z", "a", "on", "k")  # a single value makes no dimension
    assert (data.name, data.rate) == ("reno", 0.5)


def test_a_grid_without_axes_is_one_point():
    data = sweep(lambda rng: rng.random(), {}, replications=4, rng=1, keep=True, **QUIET)
    assert data.result.dims == ()
    expected = [np.random.default_rng(np.random.SeedSequence(1, spawn_key=(r,))).random() for r in range(4)]
    np.testing.assert_array_equal(data.result_samples, expected)


# Refusals


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"function": 3}, "function = 3 is out of range: allowed is what can be called"),
        ({"grid": [0.5]}, r"grid = \[0.5\] is out of range: allowed is a mapping"),
        ({"grid": {"load": []}}, r"grid: load = \[\] is out of range: allowed are one or more different"),
        ({"grid": {"load": [0.5, 0.5]}}, "grid: load = "),
        ({"grid": {"load": [0.5, "reno"]}}, "grid: load = "),
        ({"grid": {"load": [1, True]}}, "grid: load = "),
        ({"grid": {"load": [0.5, float("nan")]}}, "grid: load = "),
        ({"grid": {"load": {0.5, 0.6}}}, "grid: load = "),
        ({"grid": {"load": None}}, "grid: load = None"),
        ({"grid": {"load": [[0.5], [0.6]]}}, "grid: load = "),
        ({"grid": {"load": np.ones((2, 2))}}, "grid: load = "),
        ({"grid": {"rng": [1]}}, "grid: 'rng' is no name of a parameter"),
        ({"grid": {"replication": [1]}}, "grid: 'replication' is no name"),
        ({"grid": {"a b": [1]}}, "grid: 'a b' is no name"),
        ({"replications": 0}, r"replications = 0 runs is out of range: allowed are whole numbers in \[1, 1e\+09\]"),
        ({"replications": 2.5}, "replications = 2.5 runs"),
        ({"confidence": 1}, r"confidence = 1 probability is out of range: allowed are values in \(0, 1\)"),
        ({"rng": "seed"}, "rng = 'seed' is out of range"),
        ({"executor": 4}, "executor = 4 is out of range: allowed are None, a concurrent.futures.Executor"),
        ({"executor": ThreadPoolExecutor}, "executor = "),
        ({"store": 5}, "store = 5 is out of range"),
        ({"store": ""}, "store = '' is out of range"),
    ],
)
def test_refused_by_name(changes, words):
    with pytest.raises(ValueError, match=words):
        sweep(**({"function": exponential, "grid": {"load": [0.5]}, **QUIET} | changes))


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (lambda load: None, "returned result = None: allowed are numbers"),
        (lambda load: "fast", "returned result = 'fast'"),
        (lambda load: {"wait": 1 + 2j}, "returned wait = "),
        (lambda load: {"wait": [[1], [1, 2]]}, "returned wait = "),
        (lambda load: {}, "returned no variable"),
        (lambda load: {"load": 1.0}, "'load': that name is taken"),
        (lambda load: {"replications": 1.0}, "'replications': that name is taken"),
        (lambda load: {"x": 1.0, "x_samples": 1.0}, "'x': that name is taken"),
        (lambda load: {"t": xr.DataArray([1.0], dims="t")}, "'t': that name is taken"),
        (lambda load: xr.DataArray([1.0], dims="load"), "a dimension 'load': that name is taken"),
        (lambda load: xr.Dataset(coords={"t": [1]}), "returned no variable"),
        (lambda load: np.zeros(int(load)), r"different dimensions: {'result_dim_0': 1} and {'result_dim_0': 2}"),
        (lambda load: {f"x{load}": 1.0}, "'x1' in some runs and not in others"),
        (lambda load: xr.DataArray([1.0], {"t": [load]}, "t"), "different coordinates 't'"),
        (
            lambda load: {"x": xr.DataArray([1], {"t": [1]}, "t"), "y": xr.DataArray([1], {"t": [2]}, "t")},
            "two different coordinates 't'",
        ),
    ],
)
def test_results_that_fit_nowhere_are_refused_at_their_point(returned, words):
    with (
        pytest.raises(SweepError, match=rf"sweep: load = [12], replication 0: ValueError: .*{words}"),
        ThreadPoolExecutor(1) as pool,
    ):
        sweep(lambda load, rng: returned(load), {"load": [1, 2]}, executor=pool, keep=True, **QUIET)


def test_a_lambda_and_a_pool_of_processes():
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(ValueError, match=r"function = .* cannot be sent to another process .* at the top of a module"),
    ):
        sweep(lambda load, rng: load, {"load": [1]}, executor=pool, **QUIET)


def test_the_earliest_failure_is_named_and_the_rest_is_stored(tmp_path):
    def picky(load, rng):
        if load in (0.5, 0.7):
            raise ValueError("no such load")
        return load

    grid = {"load": [0.1, 0.2, 0.5, 0.7, 0.8, 0.9, 0.95]}
    # Seven runs are over, the last first, before the first of them is looked at.
    with pytest.raises(SweepError, match=r"^sweep: load = 0.5, replication 0: ValueError: no such load"):
        sweep(picky, grid, executor=Backwards(), store=tmp_path, rng=1, **QUIET)
    assert sorted(path.name for path in tmp_path.glob("*.npz")) == [f"p{k}_r0.npz" for k in (0, 1, 4, 5, 6)]


def test_after_a_failure_what_waits_is_cancelled():
    calls = []

    def fails(load, rng):
        calls.append(load)
        time.sleep(0.002)
        raise ValueError

    with ThreadPoolExecutor(1) as pool, pytest.raises(SweepError, match=r"load = 0.5, replication 0: ValueError"):
        sweep(fails, {"load": [0.5]}, replications=500, executor=pool, **QUIET)
    assert len(calls) < 500


def test_few_futures_are_under_way_at_a_time(monkeypatch):
    monkeypatch.setattr(running, "UNDER_WAY", 5)
    most, waiting, lock = 0, 0, threading.Lock()

    class Counting(ThreadPoolExecutor):
        def submit(self, *args, **kwargs):
            nonlocal most, waiting
            with lock:
                waiting += 1
                most = max(most, waiting)
            future = super().submit(*args, **kwargs)
            future.add_done_callback(self.over)
            return future

        def over(self, future):
            nonlocal waiting
            with lock:
                waiting -= 1

    with Counting(2) as pool:
        data = sweep(exponential, {"load": [0.5]}, replications=50, rng=1, executor=pool, **QUIET)
    assert most <= 5
    assert data.identical(sweep(exponential, {"load": [0.5]}, replications=50, rng=1, **QUIET))


# Stores


@pytest.fixture
def counted():
    """The function, and the number of times that it was called, by a name that stays the same."""

    def counting(load, scheme, rng):
        counting.calls += 1
        return queue(load, scheme, rng)

    counting.calls = 0
    return counting


def run(function, store, grid=GRID, **changes):
    return sweep(function, grid, **({"replications": 4, "rng": 7, "store": store} | QUIET | changes))


def test_a_second_call_takes_what_is_there(tmp_path, counted):
    first = run(counted, tmp_path / "new" / "store")
    assert counted.calls == 24
    assert len(list((tmp_path / "new" / "store").glob("p*_r*.npz"))) == 24
    second = run(counted, str(tmp_path / "new" / "store"))
    assert counted.calls == 24
    assert second.identical(first)
    assert first.equals(sweep(queue, GRID, replications=4, rng=7, **QUIET))


def test_units_come_back_from_a_store(tmp_path):
    def labelled(load, rng):
        attrs = {"units": "s", "limits": (0, np.float64(2.5))}
        return xr.DataArray(rng.random(2), {"flow": ["a", "b"], "at": ("flow", [1, 2])}, "flow", "time", attrs)

    first = sweep(labelled, {"load": [0.5, 0.6]}, rng=1, store=tmp_path, **QUIET)
    assert first.time.attrs == {"units": "s", "limits": [0, 2.5]}
    assert sweep(labelled, {"load": [0.5, 0.6]}, rng=1, store=tmp_path, **QUIET).identical(first)


def test_half_of_the_work_is_done_once(tmp_path, counted):
    whole = run(counted, None)
    run(counted, tmp_path)
    for path in list(tmp_path.glob("p1*.npz")):
        path.unlink()
    counted.calls = 0
    assert run(counted, tmp_path).identical(whole)
    assert counted.calls == 12


def test_grids_and_replications_grow_in_their_store(tmp_path, counted):
    run(counted, tmp_path, {"load": [0.5], "scheme": ["reno", "cubic"]}, replications=2)
    assert counted.calls == 4
    large = run(counted, tmp_path)
    assert counted.calls == 24
    assert large.equals(sweep(queue, GRID, replications=4, rng=7, **QUIET))
    # back again, then longer on the other axis: the store remembers the longest of each
    small = run(counted, tmp_path, {"load": [0.5], "scheme": ["reno", "cubic"]}, replications=2)
    assert counted.calls == 24
    assert small.wait.shape == (1, 2)
    with pytest.raises(ValueError, match=r"load\[1\] is 0.9 there and 0.8 here"):
        run(counted, tmp_path, {"load": [0.5, 0.8], "scheme": ["reno", "cubic"]})


def test_without_a_seed_the_store_has_one(tmp_path, counted):
    first = run(counted, tmp_path, rng=None, replications=2)
    second = run(counted, tmp_path, rng=None)
    assert counted.calls == 24
    assert second.attrs["entropy"] == first.attrs["entropy"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rng": 8}, r"rng has entropy 7 there and 8 here"),
        ({"rng": np.random.Generator(np.random.SFC64(7))}, r"bit_generator PCG64 there and SFC64 here"),
        ({"function": exponential}, r"function is tests.test_sweeping.queue there and tests.test_sweeping.exponential"),
        (
            {"function": functools.partial(queue, load=1)},
            r"there and partial\(tests.test_sweeping.queue, load=1\) here",
        ),
        ({"grid": {**GRID, "load": [0.5, 0.8]}}, r"load\[1\] is 0.9 there and 0.8 here"),
        ({"grid": {**GRID, "scheme": ["cubic", "reno"]}}, r"scheme\[0\] is 'reno' there and 'cubic' here"),
        ({"grid": {"load": [0.5]}}, "the axes are load, scheme there and load here"),
        ({"grid": dict(reversed(GRID.items()))}, "the axes are load, scheme there and scheme, load here"),
    ],
)
def test_the_store_of_another_sweep_is_refused(tmp_path, changes, words):
    run(queue, tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ValueError, match=rf"store = .* was made by another sweep: .*{words}"):
        run(**({"function": queue, "store": tmp_path} | changes))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_whole_numbers_and_floats_are_two_things(tmp_path):
    sweep(exponential, {"load": [1, 2]}, rng=1, store=tmp_path, **QUIET)
    with pytest.raises(ValueError, match=r"load\[0\] is 1 there and 1.0 here"):
        sweep(exponential, {"load": [1, 2, 2.5]}, rng=1, store=tmp_path, **QUIET)


def test_a_function_that_has_changed_is_refused(tmp_path):
    def make(body):
        space = {"__name__": "notebook"}
        exec(body, space)
        return space["f"]

    first = make("def f(load, rng):\n    'as it was'\n    return load + rng.random()")
    kept = sweep(first, {"load": [1, 2]}, rng=1, store=tmp_path, **QUIET)
    reworded = make("# a comment\ndef f(load, rng):\n    'in other words'\n    return load + rng.random()")
    assert sweep(reworded, {"load": [1, 2]}, rng=1, store=tmp_path, **QUIET).identical(kept)
    for other in ("load - rng.random()", "load + rng.normal()", "1.5 * load + rng.random()"):
        changed = make(f"def f(load, rng):\n    'as it was'\n    return {other}")
        with pytest.raises(ValueError, match="the code of the function has been changed since"):
            sweep(changed, {"load": [1, 2]}, rng=1, store=tmp_path, **QUIET)


def test_functions_are_told_apart():
    def make(factor, name="a"):
        return lambda load, rng, name=name: {"a", "b", name} and load * factor

    assert identity.code(make(1)) == identity.code(make(1)) != identity.code(make(2))
    assert identity.code(make(1)) != identity.code(make(1, "b"))
    assert identity.code(len) is None
    assert identity.name(functools.partial(queue, 0.5, rng=len)) == (
        "partial(tests.test_sweeping.queue, 0.5, rng=builtins.len)"
    )

    class Model:
        def __call__(self, load, rng):
            return load

    assert identity.name(Model()) == identity.name(Model())  # no addresses
    assert identity.code(Model()) == identity.code(Model().__call__) is not None


def test_a_function_has_the_same_identity_in_every_process():
    """Sets of text have another order in every process, and instructions that ran often are specialised."""
    code = (
        "from longfat.sweeping import identity\n"
        "def f(load, rng): return load in {'reno', 'cubic', 'bic', 'vegas'} and load + 'x'\n"
        "for _ in range({}): f('reno', None)\n"
        "print(identity.code(f))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code.replace("{}", calls)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for calls, seed in (("1", "1"), ("1000", "2"), ("1", "3"))
    }
    assert len(said) == 1


def damage_cut(path):
    path.write_bytes(path.read_bytes()[:-40])


def damage_empty(path):
    path.write_bytes(b"")


def damage_bit(path):
    content = bytearray(path.read_bytes())
    content[content.index(np.load(path)["variables_0"].tobytes())] ^= 1
    path.write_bytes(content)


def damage_text(path):
    path.write_text("not an archive")


def damage_array(path):
    with path.open("wb") as file:
        np.save(file, np.zeros(3))


def damage_archive(path):
    with path.open("wb") as file:
        np.savez(file, variables_0=1.0)


@pytest.mark.parametrize(
    "damage",
    [damage_cut, damage_empty, damage_bit, damage_text, damage_array, damage_archive],
    ids=lambda f: f.__name__,
)
def test_damaged_files_are_reported_and_computed_anew(tmp_path, counted, damage):
    whole = run(counted, tmp_path)
    damage(tmp_path / "p1-2_r3.npz")
    counted.calls = 0
    with pytest.warns(UserWarning, match=r"store = .*: p1-2_r3.npz there is damaged \(.+\) and is computed anew"):
        assert run(counted, tmp_path).identical(whole)
    assert counted.calls == 1
    assert run(counted, tmp_path).identical(whole)  # no warning any more
    assert counted.calls == 1


def test_no_flipped_bit_goes_unnoticed(tmp_path):
    def one(rng):
        return rng.random()

    whole = sweep(one, {}, rng=1, store=tmp_path, **QUIET)
    path = tmp_path / "p_r0.npz"
    content = path.read_bytes()
    for place in range(0, len(content), 7):
        changed = bytearray(content)
        changed[place] ^= 0x10
        path.write_bytes(changed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert sweep(one, {}, rng=1, store=tmp_path, **QUIET).identical(whole)


def test_files_of_other_sweeps_are_reported(tmp_path, counted):
    whole = run(counted, tmp_path / "ours")
    run(counted, tmp_path / "theirs", rng=8)
    for name in ("p0-0_r0.npz", "p0-1_r0.npz"):
        shutil.copy(tmp_path / "theirs" / name, tmp_path / "ours" / name)
    shutil.copy(tmp_path / "ours" / "p1-0_r0.npz", tmp_path / "ours" / "p1-1_r0.npz")  # ours, at another place
    with pytest.warns(UserWarning, match="belongs to another sweep") as seen:
        assert run(counted, tmp_path / "ours").identical(whole)
    assert [str(one.message).split(": ")[1].split()[0] for one in seen] == ["p0-0_r0.npz", "p0-1_r0.npz", "p1-1_r0.npz"]
    (tmp_path / "ours" / "notes.txt").write_text("mine")
    (tmp_path / "ours" / ".p0-0_r0.npz.123.part").write_text("half")  # of a process that was killed
    with pytest.warns(UserWarning, match=r"notes.txt there is no part of the sweep and is left alone") as seen:
        assert run(counted, tmp_path / "ours").identical(whole)
    assert len(seen) == 1


def test_directories_that_are_no_stores_are_refused(tmp_path, counted):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"store = .* is out of range: it holds notes.txt and no sweep.json"):
        run(counted, tmp_path)
    with pytest.raises(ValueError, match=r"store = .*notes.txt is out of range: it is a file"):
        run(counted, tmp_path / "notes.txt")
    with pytest.raises(ValueError, match=r"store = .* cannot be written to"):
        run(counted, "/proc/store")
    for text in ("{", "[]", '{"format": 99}', '{"format": 1, "identity": 2, "grid": 3}', "\xff"):
        (tmp_path / "broken").mkdir(exist_ok=True)
        (tmp_path / "broken" / "sweep.json").write_text(text)
        with pytest.raises(ValueError, match=r"its sweep.json is damaged or of another version"):
            run(counted, tmp_path / "broken")
    assert counted.calls == 0


def test_a_store_that_can_no_longer_be_written_to(tmp_path, counted, monkeypatch):
    """A disk that is full after some files: the error says so, and they stay."""
    whole = run(counted, None)
    written, savez = itertools.count(), np.savez

    def full(file, **arrays):
        savez(file, **arrays)
        if next(written) >= 5:
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(np, "savez", full)
        with pytest.raises(OSError, match=r"store = .* cannot be written to: No space left on device"):
            run(counted, tmp_path)
    assert len(os.listdir(tmp_path)) == 1 + 5  # nothing half-written
    counted.calls = 0
    assert run(counted, tmp_path).identical(whole)
    assert counted.calls == 24 - 5


# Ends before the end


def test_ctrl_c_says_what_is_stored(tmp_path):
    begun, calls = threading.Event(), itertools.count()

    def slow(load, rng):
        if next(calls) == 20:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            begun.wait(20)  # a long run: nobody waits for its end
        return rng.random()

    grid, began = {"load": [0.5]}, time.monotonic()
    with pytest.raises(KeyboardInterrupt, match=r"sweep stopped: \d+ of 9000 runs are done and stored in") as error:
        sweep(slow, grid, replications=9000, rng=1, store=tmp_path, **QUIET)
    done = int(str(error.value).split()[2])
    begun.set()
    assert time.monotonic() - began < 10
    assert 0 < done < 9000
    assert len(list(tmp_path.glob("*.npz"))) == done
    for path in list(tmp_path.glob("p0_r[0-9]??*.npz")):  # the first hundred are enough
        path.unlink()
    data = sweep(slow, grid, replications=100, rng=1, store=tmp_path, **QUIET)
    assert data.equals(sweep(lambda load, rng: rng.random(), grid, replications=100, rng=1, **QUIET))


def test_ctrl_c_while_a_run_is_being_stored(tmp_path, monkeypatch, counted):
    save, saved = Store.save, itertools.count()

    def interrupted(*given):
        if next(saved) == 5:
            raise KeyboardInterrupt
        save(*given)

    monkeypatch.setattr(Store, "save", interrupted)
    with pytest.raises(KeyboardInterrupt) as error:
        run(counted, tmp_path)
    assert int(str(error.value).split()[2]) == len(list(tmp_path.glob("*.npz"))) >= 6


def test_ctrl_c_without_a_store():
    def slow(load, rng):
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        time.sleep(0.1)
        return load

    with pytest.raises(KeyboardInterrupt, match=r"0 of 5 runs are done and lost; with store= they would be kept"):
        sweep(slow, {"load": [0.5]}, replications=5, rng=1, **QUIET)


def test_a_killed_sweep_is_carried_on(tmp_path, monkeypatch):
    """A process that is really killed, in the middle; what it left is whole, and the rest is computed once."""
    (tmp_path / "killed_sweep.py").write_text(
        "import time\n"
        "calls = []\n"
        "def slow(load, rng):\n"
        "    calls.append(load)\n"
        "    time.sleep(0.004)\n"
        "    return rng.random(1000)\n"
        "def go(store):\n"
        "    import longfat as lf\n"
        "    return lf.sweep(slow, {'load': [1, 2, 3, 4]}, replications=100, rng=5, store=store, progress=False)\n"
    )
    store = tmp_path / "store"
    process = subprocess.Popen([sys.executable, "-c", "import killed_sweep as k; k.go('store')"], cwd=tmp_path)
    try:
        deadline = time.monotonic() + 20
        while len(list(store.glob("p*.npz"))) < 60 and time.monotonic() < deadline:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    finally:
        process.kill()
        process.wait()
    left = len(list(store.glob("p*.npz")))
    assert 60 <= left < 400
    monkeypatch.syspath_prepend(tmp_path)
    import killed_sweep

    carried_on = killed_sweep.go(store)  # a warning, an error here, would say that a file was damaged
    assert len(killed_sweep.calls) == 400 - left
    assert carried_on.identical(killed_sweep.go(None))


def test_progress_is_shown_when_it_takes_long(monkeypatch):
    import tqdm

    made = []

    class Bar(tqdm.tqdm):
        def __init__(self, **given):
            made.append((self, given))
            super().__init__(**given)

    monkeypatch.setattr(tqdm, "tqdm", Bar)
    sweep(exponential, {"load": [1, 2]}, replications=3)
    ((bar, given),) = made
    assert (bar.n, given["total"], given["delay"], given["disable"]) == (6, 6, 2, False)


def test_by_its_short_name():
    assert lf.sweep is sweep
    assert "sweep" in dir(lf)

"""Refused arguments, progress and names of a sweep."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import xarray as xr

import longfat as lf
from longfat.replication import SweepError, sweep
from tests.replication.common import QUIET, exponential


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"function": 3}, "function must be a function, got the int 3"),
        ({"grid": [0.5]}, r"grid must be a mapping of names to sequences, got the list \[0\.5\]"),
        ({"grid": {"load": []}}, r"grid: load = \[\] is out of range: must be one value or more, all different"),
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
        ({"replications": 0}, r"replications = 0 runs is out of range: must be an integer in \[1, 1e\+09\]"),
        ({"replications": 2.5}, "replications = 2.5 runs"),
        ({"confidence": 1}, r"confidence = 1 is out of range: must be in \(0, 1\)"),
        ({"rng": "seed"}, r"rng must be None, an integer, a numpy\.random\.SeedSequence or a"),
        (
            {"until": 0.05},
            "until must be None, a percentage of the mean such as '5 %', or a mapping",
        ),
        ({"until": {}}, "until must be None, a percentage of the mean such as '5 %', or a mapping of names of"),
        ({"until": {3: 0.1}}, "until must be None, a percentage of the mean such as '5 %', or a mapping of names of"),
        (
            {"until": "five %"},
            "until = 'five %' is out of range: must be a percentage of the mean such as '5 %' or, for",
        ),
        ({"until": "0.05"}, "until = '0.05' is out of range"),
        ({"until": "100 %"}, r"until = 100 % is out of range: must be in \(0, 100\)"),
        ({"until": {"wait": 0}}, "until: wait = 0 in the variable's unit is out of range: must be in"),
        ({"until": {"wait": "nan %"}}, "until: wait = nan % is out of range"),
        ({"until": "5 %", "replications": 1}, r"replications = 1 runs is out of range: .* in \[2, 1e\+09\]"),
        ({"until": "5 %", "at_most": 9}, r"at_most = 9 runs is out of range: .* in \[10, 1e\+09\]"),
        ({"errors": "ignore"}, "errors 'ignore' is unknown; available: keep, raise"),
        ({"executor": "dask"}, "executor 'dask' is unknown; available: processes, threads"),
        ({"grid": {"status": [1]}}, "grid: 'status' is no name"),
        ({"executor": 4}, r"executor must be None, a concurrent\.futures\.Executor .* got the int 4"),
        ({"executor": ThreadPoolExecutor}, "executor must be None"),
        ({"store": 5}, "store must be None or the path of a directory, got the int 5"),
        ({"store": ""}, "store = '' is out of range"),
    ],
)
def test_refused_by_name(changes, words):
    with pytest.raises((TypeError, ValueError), match=words):
        sweep(**({"function": exponential, "grid": {"load": [0.5]}, **QUIET} | changes))


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (lambda load: None, "the returned result must be a number or an array of numbers"),
        (lambda load: "fast", "returned result must be .* got the string 'fast'"),
        (lambda load: {"wait": 1 + 2j}, "returned wait must be a number"),
        (lambda load: {"wait": [[1], [1, 2]]}, "returned wait must be a number"),
        (lambda load: {}, "returned no variable"),
        (lambda load: {"load": 1.0}, "'load': the result reserves this name"),
        (lambda load: {"replications": 1.0}, "'replications': the result reserves this name"),
        (lambda load: {"status": 1.0}, "'status': the result reserves this name"),
        (lambda load: {"x": 1.0, "x_samples": 1.0}, "'x': the result reserves this name"),
        (lambda load: {"t": xr.DataArray([1.0], dims="t")}, "'t': the result reserves this name"),
        (lambda load: xr.DataArray([1.0], dims="load"), "a dimension 'load': the result reserves this name"),
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
        pytest.raises(SweepError, match=rf"sweep: load = [12], replication 0: (TypeError|ValueError): .*{words}"),
        ThreadPoolExecutor(1) as pool,
    ):
        sweep(lambda load, rng: returned(load), {"load": [1, 2]}, executor=pool, keep=True, **QUIET)


def test_progress_is_shown_when_it_takes_long(monkeypatch):
    from tqdm import std

    made = []
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)

    class Bar(std.tqdm):
        def __init__(self, items, **given):
            made.append((self, given))
            super().__init__(items, **given)

    monkeypatch.setattr(std, "tqdm", Bar)
    data = sweep(exponential, {"load": [1, 2]}, replications=3, until={"result": 0.6}, rng=1)
    ((bar, given),) = made
    assert (given["total"], given["delay"], given["leave"]) == (6, 2, False)
    assert bar.n == bar.total >= data.replications.sum() > 6  # more runs, as they turn out to be needed


def test_by_its_short_name():
    assert lf.sweep is sweep
    assert "sweep" in dir(lf)

"""Points and streams: the arguments of the function."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from longfat.replication import sweep
from tests.replication.common import GRID, QUIET, exponential, queue


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
    # attrs are sufficient to repeat the numbers
    key = (*json.loads(two.attrs["spawn_key"]), 0, 0)
    again = np.random.Philox(np.random.SeedSequence(int(two.attrs["entropy"]), spawn_key=key))
    assert float(two.result[0]) == exponential(1.0, np.random.Generator(again))


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

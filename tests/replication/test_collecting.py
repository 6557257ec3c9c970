"""Means, confidence intervals, and the attributes of what a function returns."""

from fractions import Fraction

import numpy as np
import xarray as xr
from scipy import stats

import longfat as lf
from longfat.replication import sweep
from tests.replication.common import GRID, QUIET, Backwards, exponential, queue


def test_intervals_are_those_of_scipy():
    data = sweep(exponential, {"load": [0.5, 2.0]}, replications=9, confidence=0.99, rng=3, keep=True, **QUIET)
    expected = stats.ttest_1samp(data.result_samples, 0.0, axis=1).confidence_interval(0.99)
    np.testing.assert_allclose(data.result_lower, expected.low, rtol=1e-12)
    np.testing.assert_allclose(data.result_upper, expected.high, rtol=1e-12)


def test_one_replication_has_no_interval():
    data = sweep(exponential, {"load": [0.5]}, rng=3, **QUIET)
    assert set(data.data_vars) == {"result", "replications"}
    assert data.replications.values.tolist() == [1]


def test_infinite_and_missing_results_are_kept():
    def strange(kind, rng):
        return {"inf": np.inf, "nan": np.nan, "mixed": np.inf if rng.random() < 0.5 else -np.inf}[kind]

    data = sweep(strange, {"kind": ["inf", "nan", "mixed"]}, replications=9, rng=1, **QUIET)
    np.testing.assert_array_equal(data.result, [np.inf, np.nan, np.nan])
    assert bool(np.isnan(data.result_lower).all())


def test_masked_and_exact_results():
    """A masked element is missing; a fraction and an integer of more than 64 bits are numbers."""
    found = sweep(
        lambda rng: {"masked": np.ma.array([1.0, 2.0], mask=[0, 1]), "exact": [Fraction(1, 4), 2**70]}, {}, **QUIET
    )
    np.testing.assert_array_equal(found.masked, [1.0, np.nan])
    np.testing.assert_array_equal(found.exact, [0.25, 2.0**70])


def test_labels_and_units_of_an_xarray_object_are_kept():
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


def test_netcdf_keeps_the_result(tmp_path):
    """Results, the status of each point, and the attributes of the call."""
    data = sweep(queue, GRID, replications=2, until={"wait": "50 %"}, rng=7, keep=True, **QUIET)
    data.to_netcdf(tmp_path / "sweep.nc")
    with xr.open_dataset(tmp_path / "sweep.nc") as back:
        xr.testing.assert_identical(back.load(), data)
    expected = {"function": "tests.replication.common.queue", "replications": 2, "confidence": 0.95, "entropy": "7"}
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

"""Points that fail: kept with their error beside the others, and repeated by the next call."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from longfat.replication import SweepError, sweep
from longfat.replication.outcomes import Failure, record
from longfat.replication.planning import Plan, half_widths
from tests.replication.common import QUIET, Aside, Backwards, Flushing


def moody(load, rng):
    """Fail in about one run of thirty, and always where the load is 3."""
    if load == 3 or rng.random() < 0.03:
        raise ArithmeticError(f"load {load} is too much")
    return rng.normal(10.0, 1.0)


@pytest.mark.parametrize("until", [None, "4 %"])
def test_points_that_fail_are_kept_and_tried_again(tmp_path, until):
    grid = {"load": [1, 2, 3, 4, 5, 6]}
    options = {"replications": 12, "until": until, "rng": 21, "errors": "keep", "keep": True}
    data = sweep(moody, grid, **options, store=tmp_path, **QUIET)
    # by hand: the first replication of each point that fails
    streams = [
        [np.random.default_rng(np.random.SeedSequence(21, spawn_key=(i, r))) for r in range(60)] for i in range(6)
    ]
    fails = [[r for r, rng in enumerate(point) if i == 2 or rng.random() < 0.03] for i, point in enumerate(streams)]
    for index, count in enumerate(data.replications.values):
        one = data.isel(load=index)
        if one.status == "done":
            assert count >= 12
            assert fails[index] == [] or fails[index][0] >= count
            assert math.isfinite(one.result)
        else:
            first = fails[index][0]
            load = index + 1
            assert one.status == f"failed: replication {first}: ArithmeticError: load {load} is too much"
            assert count == first  # those before it are there
            assert np.isfinite(one.result_samples.values).tolist() == [
                r < first for r in range(data.sizes["replication"])
            ]
            assert all(math.isnan(one[name]) for name in ("result", "result_lower", "result_upper"))
    statuses = [str(status)[:6] for status in data.status.values]
    assert statuses.count("failed") >= 2
    assert statuses.count("done") >= 2
    for engine in (Flushing(), ThreadPoolExecutor(1)):
        assert sweep(moody, grid, **options, executor=engine, **QUIET).identical(data)
    with pytest.raises(SweepError, match=r"ArithmeticError: load . is too much"):
        sweep(moody, grid, **(options | {"errors": "raise"}), store=tmp_path, **QUIET)


def test_only_failed_points_are_tried_again(tmp_path):
    aside = Aside(calls=[], ill={2})

    def mended(load, rng):
        aside.calls.append(load)
        if load in aside.ill:
            raise OSError("no such file")
        return rng.random()

    options = {"replications": 3, "rng": 1, "errors": "keep", "store": tmp_path}
    before = sweep(mended, {"load": [1, 2, 3]}, **options, **QUIET)
    assert before.status.values.tolist() == ["done", "failed: replication 0: OSError: no such file", "done"]
    assert before.replications.values.tolist() == [3, 0, 3]
    aside.calls.clear()
    aside.ill.clear()
    after = sweep(mended, {"load": [1, 2, 3]}, **options, **QUIET)
    assert aside.calls == [2, 2, 2]
    assert after.status.values.tolist() == ["done"] * 3
    assert after.result.values[[0, 2]].tolist() == before.result.values[[0, 2]].tolist()


def test_a_point_that_fails_is_not_run_on_and_on(tmp_path):
    calls = []

    def never(load, rng):
        calls.append(load)
        raise SystemExit(3)  # as programs do that parse a command line

    with ThreadPoolExecutor(1) as pool:
        data = sweep(never, {"load": [1, 2]}, until="1 %", errors="keep", executor=pool, **QUIET)
    assert data.status.values.tolist() == ["failed: replication 0: SystemExit: 3"] * 2
    assert set(data.data_vars) == {"replications", "status"}
    assert len(calls) == 20


def test_a_point_without_samples_has_no_variables():
    """Of seven replications only the first fails; it ends last, after the others returned numbers."""
    calls = []

    def seventh(load, rng):
        calls.append(load)
        if len(calls) == 7:
            raise SystemExit(3)
        return load

    options = {"replications": 7, "errors": "keep", "keep": True, "executor": Backwards()}
    data = sweep(seventh, {"load": [1]}, **options, **QUIET)
    assert data.status.item() == "failed: replication 0: SystemExit: 3"
    assert set(data.data_vars) == {"replications", "status"}


def test_a_failure_beyond_the_end_of_a_point_does_not_count():
    plan = Plan(1, 2, 9, half_widths({"result": 1.0}), 0.95, lambda one: list(one.variables))
    assert [plan.next_run() for _ in range(3)] == [(0, 0), (0, 1), None]
    for place, value in (((0, 0), 1.0), ((0, 1), 2.0)):  # t = 12.7: half width 6.4
        assert plan.record_outcome(place, record(value)) is None
    assert [plan.next_run() for _ in range(3)] == [(0, 2), (0, 3), None]
    assert plan.record_outcome((0, 3), Failure("late")) is None
    # 1, 2, 1.5: s = 0.5, half width 4.303 0.5 / sqrt(3) = 1.24; and with 1.5 once more it would have been 0.65
    end = plan.record_outcome((0, 2), record(1.5))
    assert (end.status, len(end.records)) == ("failed: replication 3: late", 3)
    wider = Plan(1, 2, 9, half_widths({"result": 1.3}), 0.95, lambda one: list(one.variables))
    assert [wider.next_run() for _ in range(2)] == [(0, 0), (0, 1)]
    wider.record_outcome((0, 0), record(1.0))
    wider.record_outcome((0, 1), record(2.0))
    assert [wider.next_run() for _ in range(2)] == [(0, 2), (0, 3)]
    wider.record_outcome((0, 3), Failure("late"))
    end = wider.record_outcome((0, 2), record(1.5))
    assert (end.status, len(end.records)) == ("done", 3)

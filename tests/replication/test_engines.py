"""The same numbers on every executor."""

import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from longfat.replication import SweepError, sweep
from tests.replication.common import GRID, QUIET, broken, by_hand, queue


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


def test_dask_gives_the_same():
    distributed = pytest.importorskip("distributed", reason="the extra longfat[distributed] is not installed")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        pool = client.get_executor(pure=False)
        data = sweep(lambda **given: queue(**given), GRID, replications=3, rng=7, executor=pool, **QUIET)
        assert client.submit(len, "abc").result() == 3
    expected = sweep(queue, GRID, replications=3, rng=7, **QUIET)
    assert data.equals(expected)


def test_a_lambda_and_a_pool_of_processes():
    """Functions of notebooks and lambdas are sent with everything they refer to; others are refused."""
    factor, lock = 3.0, threading.Lock()

    def near(load, rng):
        return factor * load + rng.random()

    def holding(load, rng):
        with lock:
            return load

    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        data = sweep(near, {"load": [1, 2]}, rng=7, executor=pool, **QUIET)
        assert data.identical(sweep(near, {"load": [1, 2]}, rng=7, **QUIET))
        with pytest.raises(ValueError, match=r"function = .* cannot be sent to another process .*: must be a func"):
            sweep(holding, {"load": [1]}, executor=pool, **QUIET)

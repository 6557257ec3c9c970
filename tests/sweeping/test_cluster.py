"""Dask with real processes that are really killed: a LocalCluster, and a cluster started from the command line."""

import functools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings

import pytest

from longfat.sweeping import SweepError, sweep
from tests.sweeping.common import GRID, QUIET, always_killed, logged_run, queue
from tests.sweeping.test_processes import alive, lines

distributed = pytest.importorskip("distributed", reason="the extra longfat[distributed] is not installed")

LOADS = {"load": [1, 2, 3, 4, 5, 6]}
QUIETLY = {"distributed.scheduler.allowed-failures": 1, "distributed.logging.distributed": "critical"}


@pytest.fixture(scope="module")
def client():
    import dask

    with (
        dask.config.set(QUIETLY),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs="CRITICAL"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def kill_one(file, at, killed):
    """Kill the process that wrote the line with this number, when it appears."""
    while len(lines(file)) < at:
        time.sleep(0.005)
    killed.append(int(lines(file)[at - 1].split()[0]))
    os.kill(killed[0], signal.SIGKILL)


def test_a_cluster_of_processes_gives_the_same(client):
    pids = set(client.run(os.getpid).values())
    assert len(pids) == 2
    assert os.getpid() not in pids
    for options in ({"replications": 3, "keep": True}, {"replications": 4, "until": {"wait": "10 %"}, "at_most": 60}):
        data = sweep(queue, GRID, rng=7, executor=client, **options, **QUIET)
        assert data.identical(sweep(queue, GRID, rng=7, **options, **QUIET))
    assert client.submit(len, "abc").result() == 3  # it lives on


def test_a_worker_of_a_cluster_is_killed(tmp_path, client):
    """Runs lost with the worker are repeated elsewhere, stored runs are not: by a count over all processes."""
    killed = []
    thread = threading.Thread(target=kill_one, args=(tmp_path / "calls", 20, killed), daemon=True)
    thread.start()
    function = functools.partial(logged_run, file=str(tmp_path / "calls"))
    data = sweep(function, LOADS, replications=20, rng=7, executor=client, store=tmp_path / "store", **QUIET)
    thread.join()
    assert not alive(killed[0])
    assert data.equals(sweep(functools.partial(logged_run, file=os.devnull), LOADS, replications=20, rng=7, **QUIET))
    assert 120 <= len(lines(tmp_path / "calls")) < 180
    assert len(list((tmp_path / "store").glob("p*.npz"))) == 120
    ran = len(lines(tmp_path / "calls"))
    assert sweep(function, LOADS, replications=20, store=tmp_path / "store", executor=client, **QUIET).equals(data)
    assert len(lines(tmp_path / "calls")) == ran


def test_a_run_that_takes_workers_with_it_has_failed(client):
    data = sweep(always_killed, {"load": [1, 3]}, rng=7, executor=client, errors="keep", **QUIET)
    assert data.status.values[0] == "done"
    assert data.status.values[1].startswith("failed: replication 0: KilledWorker: ")


# By hand


def command(*words):
    quiet = {"DASK_LOGGING__DISTRIBUTED": "critical", "PYTHONPATH": os.pathsep.join([os.getcwd(), *sys.path])}
    return subprocess.Popen([sys.executable, "-m", "dask", *words], env={**os.environ, **quiet})


def end(process):
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@pytest.fixture
def by_hand(tmp_path):
    """Start `dask scheduler` and two `dask worker` on a free port; return the address and the processes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    running = [command("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--no-show")]
    try:
        for name in ("one", "two"):
            where = ["--local-directory", str(tmp_path / name), "--nthreads", "1", "--no-nanny", "--no-dashboard"]
            running.append(command("worker", address, *where))
        yield address, running
    finally:
        for process in reversed(running):
            end(process)


@pytest.mark.long
def test_a_cluster_by_hand_loses_a_worker_and_then_its_scheduler(tmp_path, by_hand):
    address, (scheduler, _, other) = by_hand
    function = functools.partial(logged_run, file=str(tmp_path / "calls"))
    with distributed.Client(address, timeout=60) as client:
        client.wait_for_workers(2, timeout=60)
        options = {"replications": 4, "until": {"wait": "10 %"}, "at_most": 60, "rng": 7, "keep": True}
        assert sweep(queue, GRID, executor=client, **options, **QUIET).identical(sweep(queue, GRID, **options, **QUIET))

        killed = threading.Timer(1.0, other.kill)
        killed.start()
        data = sweep(function, LOADS, replications=30, rng=7, executor=client, **QUIET)
        killed.join()
        assert other.wait(10) == -signal.SIGKILL
        assert data.equals(
            sweep(functools.partial(logged_run, file=os.devnull), LOADS, replications=30, rng=7, **QUIET)
        )
        assert 180 <= len(lines(tmp_path / "calls")) < 240

        killed = threading.Timer(1.0, scheduler.kill)
        killed.start()
        lost = r"sweep: the executor failed: .*; \d+ of 600 runs are done and stored in"
        options = {"replications": 100, "rng": 7, "store": tmp_path / "store"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of dask, that it cannot reach its scheduler
            with pytest.raises(SweepError, match=lost):
                sweep(function, LOADS, executor=client, **options, **QUIET)
        assert scheduler.wait(10) == -signal.SIGKILL
    left = len(list((tmp_path / "store").glob("p*.npz")))
    assert 0 < left < 600
    ran = len(lines(tmp_path / "calls"))
    data = sweep(function, LOADS, **options, **QUIET)
    assert data.replications.values.tolist() == [100] * 6
    assert len(lines(tmp_path / "calls")) == ran + 600 - left

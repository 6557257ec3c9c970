"""Process pools whose workers are really killed: with SIGKILL, by themselves and from outside."""

import functools
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from longfat.replication import SweepError, sweep
from longfat.replication.repeating import Processes
from tests.replication.common import QUIET, logged_run, once_killed

LOADS = {"load": [1, 2, 3, 4, 5, 6]}


@pytest.fixture(scope="module")
def processes():
    with Processes(2) as pool:
        yield pool


def lines(file):
    return file.read_text().splitlines() if file.exists() else []


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # the second if it ends between open and read
        return False


def test_by_its_name():
    data = sweep(lambda load, rng: load + rng.random(), LOADS, rng=7, executor="processes", **QUIET)
    assert data.identical(sweep(lambda load, rng: load + rng.random(), LOADS, rng=7, executor="threads", **QUIET))


def test_errors_and_results_come_as_they_are(processes):
    with pytest.raises(ZeroDivisionError):
        processes.submit(divmod, 1, 0).result()
    waiting = [processes.submit(time.sleep, 0.2) for _ in range(20)]
    begun = [one for one in waiting if not one.cancel()]
    assert len(begun) <= 5  # two run, three more are sent in advance
    assert [one.result() for one in begun] == [None] * len(begun)


def test_shut_down():
    pool = Processes(1)
    futures = [pool.submit(abs, -k) for k in range(3)]
    pool.shutdown(wait=True)
    assert [future.result() for future in futures] == [0, 1, 2]
    with pytest.raises(RuntimeError, match="cannot schedule new futures after shutdown"):
        pool.submit(abs, 1)
    with pytest.raises(SweepError, match=r"sweep: the executor failed: RuntimeError: cannot schedule .*; 0 of 1 runs"):
        sweep(lambda load, rng: load, {"load": [1]}, executor=pool, **QUIET)


@pytest.mark.parametrize("make", [Processes, functools.partial(ProcessPoolExecutor, mp_context=get_context("spawn"))])
def test_a_pool_whose_process_dies_says_so(tmp_path, make):
    """A pool cannot be repaired: a clear error, and finished runs are not repeated."""
    store, file = tmp_path / "store", tmp_path / "calls"
    function = functools.partial(once_killed, file=str(file))
    options = {"replications": 4, "rng": 7, "store": store}
    with (
        make(1) as pool,
        pytest.raises(
            SweepError,
            match=r"sweep: the executor failed: BrokenProcessPool: .* It was killed, .*; 8 of 24 runs are done and",
        ),
    ):
        sweep(function, LOADS, executor=pool, **options, **QUIET)
    assert len(lines(file)) == len(list(store.glob("p*.npz"))) == 8
    data = sweep(function, LOADS, **options, **QUIET)
    assert len(lines(file)) == 24
    assert data.equals(sweep(functools.partial(logged_run, file=os.devnull), LOADS, replications=4, rng=7, **QUIET))


BLOCKED = """
import signal
from longfat.replication.repeating import Processes

if __name__ == "__main__":
    with Processes(1) as pool:
        print(signal.SIGINT in pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, []).result())
"""


def test_the_first_worker_is_not_interrupted_while_it_starts(tmp_path):
    """Ctrl-C while it imports Python's modules would print a traceback of its own."""
    (tmp_path / "script.py").write_text(BLOCKED)
    said = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert said.stdout == "True\n"


SCRIPT = """
import sys
from functools import partial
import longfat as lf
from tests.replication.common import logged_run

if __name__ == "__main__":
    data = lf.sweep(partial(logged_run, file="calls"), {"load": [1, 2, 3]}, replications=60, rng=5,
                    executor="processes", store="store", progress=False)
"""


# Ctrl-C in the short profile: tests/replication/test_driver.py and test_interruption.py, in one process.
@pytest.mark.parametrize(
    "how",
    [pytest.param(signal.SIGKILL, id="kill -9"), pytest.param(signal.SIGINT, id="Ctrl-C", marks=pytest.mark.long)],
)
def test_the_whole_sweep_is_ended_and_carried_on(tmp_path, how, monkeypatch):
    """Stored runs are not repeated, by a count over all processes; no process is left behind."""
    (tmp_path / "script.py").write_text(SCRIPT)
    path = os.pathsep.join([os.getcwd(), *sys.path])
    process = subprocess.Popen(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 60
        while len(list(tmp_path.glob("store/p*.npz"))) < 40 and time.monotonic() < deadline:
            time.sleep(0.005)
        if how == signal.SIGINT:  # a terminal sends it to all of them
            os.killpg(process.pid, how)
        else:
            process.kill()
        _, said = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    ran = lines(tmp_path / "calls")
    deadline = time.monotonic() + 30
    while any(alive(line.split()[0]) for line in ran) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(alive(line.split()[0]) for line in ran)
    if how == signal.SIGINT:
        assert said.count("Traceback") == 1
        # Python's tracker of semaphores is interrupted, too, and may say after us that one of them is gone already.
        ours = [line for line in said.splitlines() if "resource_tracker" not in line]
        assert ours[-1].startswith("KeyboardInterrupt: sweep stopped: ")
    ran = len(lines(tmp_path / "calls"))
    left = len(list(tmp_path.glob("store/p*.npz")))
    assert 40 <= left <= ran <= left + 2 * os.cpu_count() + 2  # those lost were in progress
    function = functools.partial(logged_run, file="calls")
    monkeypatch.chdir(tmp_path)
    data = sweep(function, {"load": [1, 2, 3]}, replications=60, rng=5, store="store", **QUIET)
    assert len(lines(tmp_path / "calls")) == ran + 180 - left
    assert data.equals(
        sweep(functools.partial(logged_run, file=os.devnull), {"load": [1, 2, 3]}, replications=60, rng=5, **QUIET)
    )
    assert len(list(tmp_path.glob("store/.*"))) <= (how == signal.SIGKILL)  # half-written, and of no account


def test_a_script_that_does_not_guard_its_calls_ends(tmp_path):
    """Its processes import the script and may not start others: the sweep once waited for them for ever."""
    (tmp_path / "script.py").write_text(
        "import longfat as lf\n"
        "def run(load, rng): return load\n"
        "lf.sweep(run, {'load': [1]}, executor='processes', progress=False)\n"
    )
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    # The error is the last line, unless Python's tracker of semaphores has the last word about the processes that died.
    said = [line for line in done.stderr.splitlines() if "resource_tracker" not in line][-1]
    assert "BrokenProcessPool" in said
    assert "calls outside of `if __name__ == '__main__':`" in said

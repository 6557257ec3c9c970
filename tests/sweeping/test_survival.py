"""Sweeps that are killed, starved and carried on: by real signals, on real disks."""

import signal
import subprocess
import sys
import time


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

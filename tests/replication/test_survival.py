"""Sweeps that are killed, run out of disk space, and are continued: with real signals, on real disks."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from longfat.replication import sweep
from tests.replication.common import QUIET


@pytest.fixture
def small_disk(tmp_path):
    """Provide a real disk of 64 KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    options = ["-t", "tmpfs", "-o", "size=64k", "tmpfs"]
    if shutil.which("mount") is None or subprocess.run(["mount", *options, place], capture_output=True).returncode:
        pytest.skip("only the administrator can mount a small disk")
    yield place
    subprocess.run(["umount", place], check=True)


def page(load, rng):
    return rng.random(500)  # 4 KB


def test_a_full_disk(small_disk):
    """The error says that the disk is full; finished runs stay intact; with more space the others are computed."""
    loads = {"load": list(range(40))}
    integer = sweep(page, loads, rng=1, **QUIET)
    with pytest.raises(OSError, match=r"store = .* cannot be written to: No space left on device$"):
        sweep(page, loads, rng=1, store=small_disk, **QUIET)
    left = list(small_disk.glob("p*.npz"))
    assert 3 <= len(left) < 16
    assert not list(small_disk.glob(".*"))  # nothing half-written
    values = {path.name: np.load(path)["variables_0"] for path in left}
    for name, found in values.items():
        np.testing.assert_array_equal(found, integer.result.values[int(name.split("_")[0][1:])])
    subprocess.run(["mount", "-o", "remount,size=1m", small_disk], check=True)
    assert sweep(page, loads, rng=1, store=small_disk, **QUIET).identical(integer)
    for name, found in values.items():
        np.testing.assert_array_equal(np.load(small_disk / name)["variables_0"], found)


def test_a_limit_on_the_size_of_files(tmp_path):
    """The system's own message is reported when it refuses to write: on every machine, in a separate process."""
    code = (
        "import resource, signal, longfat as lf\n"
        "def grows(load, rng): return rng.random(int(load))\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "for load in (10, 10_000):\n"
        "    lf.sweep(grows, {'load': [load]}, rng=1, store=f'store{load}', progress=False)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "OSError: store = store10000 cannot be written to: File too large"
    assert len(list(tmp_path.glob("store10/p*.npz"))) == 1
    assert os.listdir(tmp_path / "store10000") == ["sweep.json"]

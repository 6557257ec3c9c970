"""MPI: a script under mpirun with mpi4py's pool of processes."""

import os
import shutil
import subprocess
import sys

import pytest
import xarray as xr

from longfat.replication import sweep
from tests.replication.common import GRID, QUIET, queue

SCRIPT = """
import os
from mpi4py.futures import MPIPoolExecutor
import longfat as lf
from tests.replication.common import queue

if __name__ == "__main__":
    here = lambda load, scheme, rng: queue(load, scheme, rng) | {"pid": os.getpid()}
    with MPIPoolExecutor() as pool:
        data = lf.sweep(here, {"load": [0.5, 0.9], "scheme": ["reno", "cubic", "bic"]}, replications=4, rng=7,
                        until={"wait": "10 %"}, at_most=60, keep=True, executor=pool, progress=False)
    data.attrs["caller"] = os.getpid()
    data.to_netcdf("sweep.nc")
"""


@pytest.mark.long
def test_mpi_gives_the_same(tmp_path):
    if shutil.which("mpirun") is None:
        pytest.skip("there is no mpirun")
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    (tmp_path / "script.py").write_text(SCRIPT)
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    path = os.pathsep.join([os.getcwd(), *sys.path])
    done = subprocess.run(
        ["mpirun", "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures", "script.py"],
        cwd=tmp_path,
        env={**os.environ, **root, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    with xr.open_dataset(tmp_path / "sweep.nc") as file:
        data = file.load()
    pids = set(data.pid_samples.values[~data.pid_samples.isnull().values].tolist())
    assert len(pids) == 2  # of three processes one calls
    assert data.attrs["caller"] not in pids
    options = {"replications": 4, "until": {"wait": "10 %"}, "at_most": 60, "rng": 7, "keep": True}
    expected = sweep(queue, GRID, **options, **QUIET)
    xr.testing.assert_equal(data.drop_vars([name for name in data if name.startswith("pid")]), expected)

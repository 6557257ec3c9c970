"""Another process for a part of a test, and limits on its own."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def without_jit(code):
    """Return what a program prints as plain Python; it succeeds without a warning."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@contextlib.contextmanager
def files_of_at_most(octets):
    """Let no file of this process grow beyond a size [bytes]."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (octets, before[1]))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

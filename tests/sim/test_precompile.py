"""Compilation of everything in advance."""

import os
import subprocess
import sys

import pytest

from longfat.sim import queues, schemes


@pytest.mark.long  # loads every plug-in in two processes; `make venv` and the wheel's test compile by the same command
def test_everything_that_ships():
    """Another process finds on disk what the command has compiled, and compiles nothing."""
    done = subprocess.run([sys.executable, "-m", "longfat.cli.precompile"], capture_output=True, text=True, check=True)
    disciplines = {one.name for one in queues.NAMED.values()}  # drop-tail is another name of fifo
    assert done.stdout.endswith(f", and {len(schemes.names()) + len(disciplines)} schemes and disciplines\n")
    assert done.stderr == ""
    look = """
from longfat.cli import precompile
from longfat.sim import queues, schemes
from longfat.sim.runs import engine
from longfat.sim.kernel import loop
from longfat.segments import kernel
precompile._loop(), precompile._rest()
shipped = [schemes.scheme(name) for name in schemes.names()] + list(queues.NAMED.values())
scaled = {"integer_windows": 0.0, "reno_friendly": 0.0}  # longfat buffer --rate 1Gbit/s --rtt 100ms
shipped.append(schemes.scheme("cubic").assembled({**schemes.linux("cubic"), **scaled}))
found = [one.code for each in shipped for one in each.compiled()] + [loop.run, kernel.run]
print(sum(sum(one.stats.cache_misses.values()) for one in found), all(one.stats.cache_hits for one in found))
"""
    again = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, env=os.environ)
    assert (again.stdout, again.stderr) == ("0 True\n", "")

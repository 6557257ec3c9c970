"""Compiling ahead of the first run, and the line for who waits."""

import io
import os
import subprocess
import sys
import time

import pytest

from longfat.sim import ahead, queues, schemes


class Screen(io.StringIO):
    def __init__(self, seen):
        super().__init__()
        self.seen = seen

    def isatty(self):
        return self.seen


@pytest.mark.parametrize(("seen", "takes", "said"), [(True, 0.2, "wait\n"), (True, 0.0, ""), (False, 0.2, "")])
def test_who_waits_is_told_why(seen, takes, said, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Screen(seen))
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    with ahead.announced("wait", after=0.05):
        time.sleep(takes)
    assert sys.stderr.getvalue() == said


def test_everything_that_ships():
    """What the command has compiled, another process finds on disk: nothing is compiled there."""
    done = subprocess.run([sys.executable, "-m", "longfat.sim.ahead"], capture_output=True, text=True, check=True)
    # drop-tail and fifo are one
    assert done.stdout.endswith(f", and {len(schemes.names()) + len(queues.NAMED) - 1} schemes and disciplines\n")
    assert done.stderr == ""
    look = """
from longfat.sim import ahead, engine, queues, schemes
from longfat.sim.kernel import loop
from longfat.sim.segment_kernel import sender
ahead._loop(), ahead._rest()
shipped = [schemes.scheme(name) for name in schemes.names()] + list(queues.NAMED.values())
found = [one.code for each in shipped for one in each.compiled()] + [loop.run, sender.run]
print(sum(sum(one.stats.cache_misses.values()) for one in found), all(one.stats.cache_hits for one in found))
"""
    again = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, env=os.environ)
    assert (again.stdout, again.stderr) == ("0 True\n", "")

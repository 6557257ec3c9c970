"""Processor time until the law's answer and until the full answer, beside that of the libraries they need."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).parent / "longfat"


def processor_time(*command):
    """Return the processor time of a program, the least of three runs [s]."""
    times = []
    for _ in range(3):
        begun = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        used = os.wait4(begun.pid, 0)[2]
        begun.returncode = 0
        times.append(used.ru_utime + used.ru_stime)
    return min(times)


@pytest.mark.parametrize(
    ("options", "libraries", "most"), [(["--no-simulation"], "numpy, click", 4.0), ([], "numpy, click, numba", 6.0)]
)
def test_window_of_tcp_takes_a_few_times_what_its_libraries_take(options, libraries, most):
    """The factors are 2.5 and 4.5; before the law answered first, they were 17 and 10."""
    processor_time(PROGRAM, "window", "--rate", "1Gbit/s", "--rtt", "100ms")
    answer = processor_time(PROGRAM, "window", "--rate", "1Gbit/s", "--rtt", "100ms", *options)
    assert answer < most * processor_time(sys.executable, "-c", f"import {libraries}")

"""Progress bar in a real terminal and a real notebook: shown in long sweeps, removed at the end, without warnings."""

import os
import pty
import select
import subprocess
import sys
import termios

import pytest

from docs.handbook.notebooks import skip_address_grammar

CODE = """
import time, warnings
from concurrent.futures import ThreadPoolExecutor
warnings.simplefilter("error")
import longfat as lf
def slow(load, rng):
    time.sleep(0.1)
    return rng.random()
data = lf.sweep(slow, {"load": [1, 2]}, replications=30, until={"result": 0.02}, at_most=33, rng=1,
                executor=ThreadPoolExecutor(2))
"""
PATH = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def test_in_a_terminal():
    here, there = pty.openpty()
    termios.tcsetwinsize(there, (24, 80))
    process = subprocess.Popen([sys.executable, "-c", CODE], stderr=there, stdout=there, stdin=there, env=PATH)
    os.close(there)
    said = b""
    while select.select([here], [], [], 60)[0]:
        try:
            read = os.read(here, 4096)
        except OSError:  # the other end is closed
            break
        said += read
    os.close(here)
    assert process.wait(20) == 0
    states = said.decode().split("\r")
    assert any(state.startswith("sweeping:") and "run/s" in state for state in states)
    assert "Warning" not in said.decode()
    assert states[-1].strip() == ""  # it is gone,
    assert "\n" not in said.decode()  # and leaves no line behind


@pytest.mark.long
def test_in_a_notebook(monkeypatch):
    pytest.importorskip("ipywidgets", reason="the extra longfat[notebook] is not installed")
    monkeypatch.setenv("PYTHONPATH", PATH["PYTHONPATH"])
    skip_address_grammar()
    import nbformat  # here: it takes three seconds, of every process that collects tests
    from nbclient import NotebookClient

    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CODE)])
    client = NotebookClient(book, timeout=60, kernel_name="python3")
    client.execute()
    assert [output for output in book.cells[0].outputs if output.output_type in ("stream", "error")] == []
    bars = [state for state in client.widget_state.values() if state.get("_model_name") == "FloatProgressModel"]
    assert len(bars) == 1
    assert bars[0]["value"] == bars[0]["max"] >= 60

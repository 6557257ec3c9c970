"""The progress bar: in a terminal and as a widget; elsewhere nothing is left on the screen."""

import io
import sys
import time

import pytest

from longfat import design
from longfat.base import progress
from tests.test_design import BASELINE


class Screen(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_shows_it_and_is_clean_at_the_end(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Screen())
    monkeypatch.setattr(progress, "DELAY", 0)
    assert list(progress.bar([1, 2], task="counting", unit="number", shown=True)) == [1, 2]
    text = sys.stderr.getvalue()
    assert "counting" in text
    assert text.rsplit("\r", 2)[1].strip() == ""  # spaces over the bar, and back to the line's beginning


def test_short_computations_show_no_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Screen())
    with progress.bar(task="counting", unit="number", shown=True, total=2) as bar:
        bar.update(2)
    assert sys.stderr.getvalue() == ""


def test_a_bar_appears_before_its_first_item_ends(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Screen())
    monkeypatch.setattr(progress, "DELAY", 0.05)
    with progress.bar(task="counting", unit="number", shown=True, total=2):
        time.sleep(0.3)
        assert "counting:   0%" in sys.stderr.getvalue()
    assert sys.stderr.getvalue().rsplit("\r", 2)[1].strip() == ""


def test_no_terminal_no_text(monkeypatch, capfd):
    """A bar that is wiped leaves spaces in a file, and in Jupyter an empty red stripe, however long it takes."""
    monkeypatch.setattr(progress, "DELAY", 0.0)
    design.window(loss=1e-3, points=2, receive_buffer=False, **BASELINE, progress=True)
    assert capfd.readouterr().err == ""


CELL = """
import sys
if {without}: sys.modules["ipywidgets"] = None
from longfat.base import progress
progress.DELAY = 0
total = sum(progress.bar(range(3), task="counting", unit="number", shown=True))
"""


@pytest.mark.parametrize("without", [False, pytest.param(True, marks=pytest.mark.long)])  # each starts a kernel
def test_a_notebook_keeps_no_stripe(without):
    """With widgets one is shown, closed at the end; without them there is no output at all, least of all an error's."""
    from jupyter_client.manager import start_new_kernel  # here: every process that collects tests would import it

    outputs = []
    manager, client = start_new_kernel()
    try:
        client.execute_interactive(CELL.format(without=without), output_hook=outputs.append, timeout=60)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    kinds = [one["msg_type"] for one in outputs]
    shown = [kind for kind in kinds if kind in ("display_data", "execute_result", "stream", "error")]
    assert shown == ([] if without else ["display_data"]), outputs


@pytest.mark.parametrize(("seen", "takes", "said"), [(True, 0.2, "wait\n"), (True, 0.0, ""), (False, 0.2, "")])
def test_a_long_wait_is_explained(seen, takes, said, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Screen() if seen else io.StringIO())
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    with progress.announced("wait", after=0.05):
        time.sleep(takes)
    assert sys.stderr.getvalue() == said

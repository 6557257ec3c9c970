"""Strict by default: 64-bit JAX, promotions are errors, pictures drawn without a screen."""

import gc
import os
import shutil
import signal
import sys

import jax
import matplotlib as mpl
import pytest
from hypothesis import Phase, settings
from llvmlite.binding import get_host_cpu_name
from matplotlib.figure import Figure

from tests.examples import is_long

# Neither XLA's slower compiler of fused loops nor many threads for a program: half of the compiling.
QUICK = "--xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1"

jax.config.update("jax_enable_x64", True)
mpl.use("Agg")
gc.set_threshold(20_000, 10, 10)  # with Python's 700, garbage takes a twentieth of the time: what is compiled stays
# A shell starts what it runs in the background with Ctrl-C ignored; tests send it, and children inherit this.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples every time; `make test-long` asks for the second profile, `make mutations` for the third.
settings.register_profile("short", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("long", deadline=None, derandomize=False, max_examples=1000, print_blob=True)
settings.register_profile("unshrunk", settings.get_profile("short"), phases=(Phase.explicit, Phase.generate))
settings.load_profile("short")


def pytest_configure(config):
    """Compile quickly in the short profile, here and in processes that tests start: most of their time is compiling."""
    if config.getoption("--hypothesis-profile") == "long":
        return
    os.environ["JAX_DISABLE_MOST_OPTIMIZATIONS"] = "1"
    jax.config.update("jax_disable_most_optimizations", True)
    if jax.__version__.startswith("0.10."):  # XLA ends a process that gives it a flag it does not know
        os.environ.setdefault("XLA_FLAGS", QUICK)  # before anything is compiled
    if cache := getattr(config, "cache", None):  # none with -p no:cacheprovider
        keep_programs(cache.mkdir(f"jax-{get_host_cpu_name()}"))


def keep_programs(folder):
    """Let XLA keep its compiled programs by their hash, for later runs of the tests on the same type of processor."""
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def pytest_collection_modifyitems(items):
    """Refuse the marker `plain` outside of tests/sim, where neither call of `make tests` would run the test."""
    outside = [
        one.nodeid for one in items if one.get_closest_marker("plain") and not one.nodeid.startswith("tests/sim/")
    ]
    if outside:
        raise pytest.UsageError(f"marked plain outside of tests/sim: {', '.join(outside)}")


@pytest.fixture(params=["compiled", pytest.param("plain", marks=pytest.mark.plain)])
def both_ways(request):
    """Run a test compiled and, with those marked `plain`, as plain Python."""


def pytest_collection_finish():
    """Keep what was collected out of every later search for garbage."""
    gc.collect()
    gc.freeze()


DRAWN = set()


def draw_once(figure, renderer, draw=Figure.draw):
    """Draw a picture unless the process has drawn one with the same labels, after which it stays blank."""
    labels = tuple((ax.get_title(), ax.get_title("left"), ax.get_xlabel(), ax.get_ylabel()) for ax in figure.axes)
    if labels not in DRAWN:
        draw(figure, renderer)
    DRAWN.add(labels)


@pytest.fixture(scope="module")
def drawn_quickly():
    """Pictures at which nobody looks: each with its labels is drawn once, and no room is made around labels."""
    DRAWN.clear()  # each module finds its own first pictures
    with pytest.MonkeyPatch.context() as patch:
        if not is_long():
            patch.setattr(Figure, "get_layout_engine", lambda figure: None)  # else it is drawn twice, and measured
            patch.setattr(Figure, "draw", draw_once)
        yield


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium; without it, or without its driver, tests are skipped."""
    reason = "playwright is not installed: make venv"
    driver_api = pytest.importorskip("playwright.sync_api", reason=reason)
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium on this machine: make browser")
    with driver_api.sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])  # root has no sandbox
        yield made
        made.close()


@pytest.fixture(autouse=True)
def no_figures_left():
    """Close what a test or an example has drawn: matplotlib warns of the 21st open figure of a process."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture(autouse=True)
def proved_anew(request):
    """Forget the lemmas proved before and after a test that replaces part of a proof."""
    proof = sys.modules.get("derivations.proof") if "monkeypatch" in request.fixturenames else None
    if proof:
        proof.forget()
    yield
    if proof:
        proof.forget()
